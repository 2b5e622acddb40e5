// Which rows attend together: consecutive rows of one block, or rows of blocks whose page tables begin alike.
#pragma once

#include <cstdint>
#include <vector>

#include "core/step.h"

namespace foretrace::cpu {

/// Rows rowsOf[first .. first + count) of the plan; the first `sharedTokens` positions are read once for all of them.
struct QueryTile {
  std::int32_t first;
  std::int32_t count;
  std::int32_t sharedTokens;  ///< see AttentionTask
};

/// Groups the rows of a batch into tiles. The groups decide what is loaded together and nothing else: results are the
/// same bits for any of them.
class QueryPlan {
 public:
  /// Allocates for up to maxRows rows once.
  QueryPlan(std::int32_t maxRows, std::int32_t pageTokens);

  /// Tiles of at most `tileRows` >= 1 rows.
  void plan(const ForwardBatch& batch, std::int32_t tileRows);

  [[nodiscard]] const std::vector<QueryTile>& tiles() const noexcept { return tiles_; }
  /// Row of the batch at place `index` of a tile.
  [[nodiscard]] std::int32_t row(std::int32_t index) const noexcept { return rows_[static_cast<std::size_t>(index)]; }

 private:
  void addLargeBlock(const ForwardBatch& batch, std::int32_t block);
  void addSmallBlocks(const ForwardBatch& batch);

  std::int32_t tileRows_ = 1;
  std::int32_t pageTokens_;
  std::vector<std::int32_t> rows_;
  std::vector<QueryTile> tiles_;
  std::vector<std::int32_t> small_;  ///< blocks of fewer than tileRows rows, neighbours in the prefix tree side by side
};

}  // namespace foretrace::cpu
