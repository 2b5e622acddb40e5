// The work list of the attention kernel, built on the host for every batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/step.h"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

/// Most chunks of the same few slots that are one item: a block takes them one after the other, the next on its way meanwhile.
inline constexpr std::int32_t mostJoinedChunks = 8;
/// Blocks that keep a large GPU busy several times over.
inline constexpr std::int32_t manyBlocks = 3072;

/// What the plan must know of model and pool.
struct AttentionShape {
  std::int32_t group = 1;          ///< query heads a KV head serves
  std::int32_t pageTokens = 16;
  std::int32_t pages = 0;          ///< of the pool
  std::int64_t partialSlots = 0;   ///< partial results there is room for
  bool shareChunks = true;         ///< false: no chunk is read once for several sequences (tests compare)
  std::int32_t kvHeads = 1;
  std::int32_t busyBlocks = manyBlocks;  ///< chunks are joined only as long as as many blocks are left
};

/// Rows of a block from which its rows attend to all chunks in one place instead of leaving partial results.
inline constexpr std::int32_t wholeBlockRows = 128;
/// Chunks that rows attend to in one place all the same: partial results would cost more than taking one after the other.
inline constexpr std::int32_t wholeChunks = 2;
/// Slots of an item that leaves partial results: two passes of a block over the chunk in shared memory.
inline constexpr std::int32_t partialItemSlots = 2 * slotsPerPass;

/// Divides the attention of a batch into items. Rows of few-row blocks leave one partial result per chunk; a chunk whose
/// tokens all rows of several blocks see, and whose pages are the same, becomes one item (or few) for all of them: the
/// keys and values of a common prefix are read once. Rows of large blocks, and those partial results have no room for,
/// take all their chunks in one item. Layers with a window of attention use the same list: an item knows the smallest
/// position of its rows, and the kernel passes over chunks that are behind its window. How rows are divided changes speed and nothing else (attention.cuh).
class AttentionPlan {
 public:
  explicit AttentionPlan(const AttentionShape& shape);

  /// Plans a validated batch. Keeps its memory between batches.
  void build(const ForwardBatch& batch);

  [[nodiscard]] std::span<const AttentionItem> items() const noexcept { return items_; }
  /// Whether no item has more than slotsPerWarp slots.
  [[nodiscard]] bool fewSlots() const noexcept;
  [[nodiscard]] std::span<const std::int32_t> itemRows() const noexcept { return itemRows_; }
  /// [rows] first partial result of the row; -1 for a row without.
  [[nodiscard]] std::span<const std::int32_t> partialBegin() const noexcept { return partialBegin_; }
  /// Rows whose partial results must be merged, ascending.
  [[nodiscard]] std::span<const std::int32_t> mergeRows() const noexcept { return mergeRows_; }

 private:
  /// Rows that attend to one chunk with the same pages.
  struct Group {
    std::int32_t chunk;
    std::int32_t pagesBegin;
    std::int32_t tokens;
    std::int32_t rows;       ///< how many
    std::int32_t rowsBegin;  ///< in itemRows, once counted
    std::int32_t lowest;     ///< smallest position of its rows
    std::int32_t entries;    ///< of which its rows are
    std::int32_t firstRow;   ///< of the first entry
  };
  struct Entry {
    std::int32_t group;
    std::int32_t firstRow;
    std::int32_t rows;
  };

  void planWhole(const ForwardBatch& batch, std::size_t block);
  void planChunks(const ForwardBatch& batch, std::size_t block);
  [[nodiscard]] std::int32_t groupFor(const ForwardBatch& batch, std::int32_t chunk, std::int32_t pagesBegin, bool shareable,
                                      std::int32_t tokens);
  void emitGroups();
  /// How many chunks of few slots are joined in this batch.
  [[nodiscard]] std::int32_t joinedChunks() const noexcept;
  /// Whether the same few rows attend to both, and b is the chunk after a in the same list of pages.
  [[nodiscard]] bool continues(const Group& a, const Group& b) const noexcept;

  AttentionShape shape_;
  std::int32_t chunkPages_;
  std::vector<AttentionItem> items_;
  std::vector<std::int32_t> itemRows_;
  std::vector<std::int32_t> partialBegin_;
  std::vector<std::int32_t> mergeRows_;
  std::int64_t partials_ = 0;
  std::vector<Group> groups_;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> groupOfPage_;  ///< latest shareable group whose first page this is; checked before use
};

}  // namespace foretrace::cuda
