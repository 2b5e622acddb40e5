#include "cpu/query_tiles.h"

#include <algorithm>
#include <span>

#include "cpu/kernels.h"

namespace foretrace::cpu {
namespace {

std::span<const std::int32_t> pagesOf(const ForwardBatch& batch, std::int32_t block) {
  const auto index = static_cast<std::size_t>(block);
  const auto first = static_cast<std::size_t>(batch.pageStart[index]);
  return {batch.pages.data() + first, static_cast<std::size_t>(batch.pageStart[index + 1]) - first};
}

std::int32_t firstRow(const ForwardBatch& batch, std::int32_t block) {
  return batch.rowStart[static_cast<std::size_t>(block)];
}

std::int32_t rowCount(const ForwardBatch& batch, std::int32_t block) {
  return firstRow(batch, block + 1) - firstRow(batch, block);
}

/// Tokens in the pages that both tables begin with, as whole chunks that every row of both blocks sees.
std::int32_t sharedTokens(const ForwardBatch& batch, std::int32_t a, std::int32_t b, std::int32_t pageTokens) {
  const auto first = pagesOf(batch, a);
  const auto second = pagesOf(batch, b);
  const auto difference = std::mismatch(first.begin(), first.end(), second.begin(), second.end()).first;
  auto tokens = static_cast<std::int32_t>(difference - first.begin()) * pageTokens;
  for (const std::int32_t block : {a, b}) {
    tokens = std::min(tokens, batch.positions[static_cast<std::size_t>(firstRow(batch, block))] + 1);
  }
  return tokens / chunkTokens * chunkTokens;
}

}  // namespace

QueryPlan::QueryPlan(std::int32_t maxRows, std::int32_t pageTokens) : pageTokens_(pageTokens) {
  rows_.reserve(static_cast<std::size_t>(maxRows));
  tiles_.reserve(static_cast<std::size_t>(maxRows));
  small_.reserve(static_cast<std::size_t>(maxRows));
}

void QueryPlan::plan(const ForwardBatch& batch, std::int32_t tileRows) {
  tileRows_ = tileRows;
  rows_.clear();
  tiles_.clear();
  small_.clear();
  for (std::int32_t block = 0; block < batch.blocks(); ++block) {
    if (rowCount(batch, block) < tileRows_) {
      small_.push_back(block);
    } else {
      addLargeBlock(batch, block);
    }
  }
  std::sort(small_.begin(), small_.end(), [&batch](std::int32_t a, std::int32_t b) {
    const auto first = pagesOf(batch, a);
    const auto second = pagesOf(batch, b);
    return std::lexicographical_compare(first.begin(), first.end(), second.begin(), second.end());
  });
  addSmallBlocks(batch);
}

void QueryPlan::addLargeBlock(const ForwardBatch& batch, std::int32_t block) {
  const std::int32_t end = firstRow(batch, block + 1);
  for (std::int32_t row = firstRow(batch, block); row < end; row += tileRows_) {
    const std::int32_t count = std::min(tileRows_, end - row);
    const auto first = static_cast<std::int32_t>(rows_.size());
    for (std::int32_t i = 0; i < count; ++i) rows_.push_back(row + i);
    tiles_.push_back({first, count, batch.positions[static_cast<std::size_t>(row + count - 1)] + 1});
  }
}

void QueryPlan::addSmallBlocks(const ForwardBatch& batch) {
  std::int32_t blocks = 0;  // of the tile that is being filled
  std::int32_t leader = -1;
  for (const std::int32_t block : small_) {
    const std::int32_t count = rowCount(batch, block);
    const auto first = static_cast<std::int32_t>(rows_.size());
    for (std::int32_t i = 0; i < count; ++i) rows_.push_back(firstRow(batch, block) + i);
    if (blocks > 0 && tiles_.back().count + count <= tileRows_) {
      const std::int32_t shared = sharedTokens(batch, leader, block, pageTokens_);
      const std::int32_t together = blocks == 1 ? shared : std::min(shared, tiles_.back().sharedTokens);
      // Loads saved with this block against loads saved without it.
      if (together > 0 && together * blocks >= (blocks == 1 ? 0 : tiles_.back().sharedTokens * (blocks - 1))) {
        tiles_.back().count += count;
        tiles_.back().sharedTokens = together;
        ++blocks;
        continue;
      }
    }
    tiles_.push_back({first, count, batch.positions[static_cast<std::size_t>(firstRow(batch, block) + count - 1)] + 1});
    blocks = 1;
    leader = block;
  }
}

}  // namespace foretrace::cpu
