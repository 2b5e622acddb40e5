// The sizes a pass is launched with. A pass of few rows is padded to one of few sizes, so that the launches of one such
// pass, captured as a graph, serve all passes of its size: what differs between them is read from device memory.
#pragma once

#include <compare>
#include <cstdint>

#include "core/step.h"
#include "cuda/attention_plan.h"

namespace foretrace::cuda {

/// Most rows of a pass that is padded: those a matrix product takes at the cost of one.
inline constexpr std::int32_t mostGraphRows = 64;
/// Most items of attention of a pass that is padded.
inline constexpr std::int32_t mostGraphItems = 1 << 15;

/// Padding rows write no keys, belong to no item and are not read; padding items have no slots; padding rows of logits are
/// those nobody asked for; padding merges repeat the first.
struct PassShape {
  std::int32_t rows = 0;
  std::int32_t wanted = 0;   ///< rows with logits
  std::int32_t items = 0;    ///< of attention
  std::int32_t merges = 0;
  bool fewSlots = false;     ///< of every item of attention
  bool padded = false;

  auto operator<=>(const PassShape&) const = default;
};

/// The least of 1, 2, 4, .. that holds `rows`.
[[nodiscard]] std::int32_t rowBucket(std::int32_t rows) noexcept;

/// The shape of a planned batch. It is padded if `pad` is set, it has few rows, and the buffers ([mostRows] and
/// [mostLogitRows]) hold its bucket.
[[nodiscard]] PassShape passShape(const ForwardBatch& batch, const AttentionPlan& plan, bool pad, std::int32_t mostRows,
                                  std::int32_t mostLogitRows) noexcept;

}  // namespace foretrace::cuda
