// Input of one forward pass: a ragged batch of row blocks, as flat arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foretrace {

/// Which rows of a block need logits.
enum class LogitRows : std::uint8_t { none, last, all };

/// Consecutive new tokens of one sequence: a prefill chunk, one decode token, or one token and its drafts.
struct RowBlock {
  std::int32_t sequence = -1;               ///< the caller's name of the sequence, for messages only
  std::int32_t firstPosition = 0;           ///< position of tokens[0]; all earlier positions are in the pages
  std::span<const std::int32_t> tokens;     ///< [tokenCount >= 1] token ids
  std::span<const std::int32_t> pageTable;  ///< [>= ceil((firstPosition + tokenCount) / pageTokens)] page numbers
  LogitRows logits = LogitRows::last;
};

/// A ragged batch. Row r is one token; block b has the rows rowStart[b] .. rowStart[b + 1] - 1 and the pages
/// pages[pageStart[b] .. pageStart[b + 1] - 1]. Position p of block b lives in slot p % pageTokens of page
/// pages[pageStart[b] + p / pageTokens].
///
/// In every layer the keys and values of all rows are written before any row attends, so a block may read pages
/// that another block of the same batch fills. No two rows may write the same slot.
struct ForwardBatch {
  std::vector<std::int32_t> tokens;      ///< [rows] token ids
  std::vector<std::int32_t> positions;   ///< [rows] position in the sequence, from 0
  std::vector<std::int32_t> blockOfRow;  ///< [rows] index of the block
  std::vector<std::int32_t> sequences;   ///< [blocks]
  std::vector<std::int32_t> rowStart;    ///< [blocks + 1]
  std::vector<std::int32_t> pageStart;   ///< [blocks + 1]
  std::vector<std::int32_t> pages;       ///< [pageStart[blocks]]
  std::vector<std::int32_t> logitRows;   ///< [wanted] rows whose logits are returned, ascending

  ForwardBatch() { clear(); }

  [[nodiscard]] std::int32_t rows() const noexcept { return static_cast<std::int32_t>(tokens.size()); }
  [[nodiscard]] std::int32_t blocks() const noexcept { return static_cast<std::int32_t>(sequences.size()); }
  [[nodiscard]] std::int32_t wanted() const noexcept { return static_cast<std::int32_t>(logitRows.size()); }

  /// Forgets all blocks and keeps the memory, so that a reused batch does not allocate.
  void clear() {
    for (auto* list : {&tokens, &positions, &blockOfRow, &sequences, &pages, &logitRows}) list->clear();
    rowStart.assign(1, 0);
    pageStart.assign(1, 0);
  }

  /// Appends a block; the spans are copied. Row i of the block becomes row rows() + i. Only the pages that hold
  /// positions need be given. Ranges are checked by Backend::forward.
  void add(const RowBlock& block) {
    const auto blockIndex = static_cast<std::int32_t>(sequences.size());
    const std::int32_t firstRow = rows();
    const auto count = static_cast<std::int32_t>(block.tokens.size());
    for (std::int32_t i = 0; i < count; ++i) {
      tokens.push_back(block.tokens[static_cast<std::size_t>(i)]);
      positions.push_back(block.firstPosition + i);
      blockOfRow.push_back(blockIndex);
      const bool wantsLogits = block.logits == LogitRows::all || (block.logits == LogitRows::last && i + 1 == count);
      if (wantsLogits) logitRows.push_back(firstRow + i);
    }
    sequences.push_back(block.sequence);
    pages.insert(pages.end(), block.pageTable.begin(), block.pageTable.end());
    rowStart.push_back(rows());
    pageStart.push_back(static_cast<std::int32_t>(pages.size()));
  }

  /// Becomes the rows of `batch` that want logits: row i is batch.logitRows[i], with its position and the pages of its
  /// block. Blocks without such rows are left out; positions of a block may have gaps.
  void keepWanted(const ForwardBatch& batch) {
    clear();
    std::int32_t from = -1;  // block of `batch` that the last row came from
    for (const std::int32_t wantedRow : batch.logitRows) {
      const auto row = static_cast<std::size_t>(wantedRow);
      if (batch.blockOfRow[row] != from) {
        from = batch.blockOfRow[row];
        const auto block = static_cast<std::size_t>(from);
        sequences.push_back(batch.sequences[block]);
        pages.insert(pages.end(), batch.pages.begin() + batch.pageStart[block], batch.pages.begin() + batch.pageStart[block + 1]);
        rowStart.push_back(rows());
        pageStart.push_back(static_cast<std::int32_t>(pages.size()));
      }
      logitRows.push_back(rows());
      tokens.push_back(batch.tokens[row]);
      positions.push_back(batch.positions[row]);
      blockOfRow.push_back(blocks() - 1);
      rowStart.back() = rows();
    }
  }

  /// Keeps memory for `mostRows` rows, and as many blocks, whose page tables have `mostPages` entries in all.
  void reserve(std::size_t mostRows, std::size_t mostPages) {
    for (auto* list : {&tokens, &positions, &blockOfRow, &sequences, &logitRows}) list->reserve(mostRows);
    for (auto* list : {&rowStart, &pageStart}) list->reserve(mostRows + 1);
    pages.reserve(mostPages);
  }
};

}  // namespace foretrace
