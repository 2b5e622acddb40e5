#include "cuda/pass_shape.h"

#include <algorithm>
#include <bit>

namespace foretrace::cuda {

std::int32_t rowBucket(std::int32_t rows) noexcept {
  return static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(std::max(rows, 1))));
}

PassShape passShape(const ForwardBatch& batch, const AttentionPlan& plan, bool pad, std::int32_t mostRows,
                    std::int32_t mostLogitRows) noexcept {
  const auto items = static_cast<std::int32_t>(plan.items().size());
  const auto merges = static_cast<std::int32_t>(plan.mergeRows().size());
  const bool fewSlots = plan.fewSlots();
  const PassShape exact{batch.rows(), batch.wanted(), items, merges, fewSlots, false};
  const std::int32_t bucket = rowBucket(batch.rows());
  if (!pad || bucket > mostGraphRows || bucket > mostRows || items > mostGraphItems) return exact;
  if (batch.wanted() > 0 && bucket > mostLogitRows) return exact;
  return {bucket, batch.wanted() > 0 ? bucket : 0, std::max(bucket, rowBucket(items)), merges > 0 ? bucket : 0, fewSlots, true};
}

}  // namespace foretrace::cuda
