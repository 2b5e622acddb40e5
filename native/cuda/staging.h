// A batch and its work list as one array of words, so that one copy brings it to the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/step.h"
#include "cuda/attention_plan.h"
#include "cuda/pass_shape.h"

namespace foretrace::cuda {

/// Where each part begins, in 32-bit words; parts begin at multiples of 4 words. All but `pageList` follow from the pass's
/// shape alone, so launches that were captured find everything: items name their pages by distance from `pages`.
struct StagingLayout {
  std::size_t tokens = 0;        ///< [shape.rows]
  std::size_t positions = 0;     ///< [shape.rows]
  std::size_t slots = 0;         ///< [shape.rows] page * pageTokens + place in the page; -1: none
  std::size_t partialBegin = 0;  ///< [shape.rows]
  std::size_t logitRows = 0;     ///< [shape.wanted]
  std::size_t mergeRows = 0;     ///< [shape.merges]
  std::size_t items = 0;         ///< [shape.items] AttentionItem
  std::size_t itemRows = 0;
  std::size_t pages = 0;         ///< what pagesBegin of an item counts from
  std::size_t pageList = 0;      ///< [pages of all blocks]
  std::size_t words = 0;         ///< of all parts
};

[[nodiscard]] StagingLayout stagingLayout(const ForwardBatch& batch, const AttentionPlan& plan, const PassShape& shape) noexcept;

/// Writes all parts, padding included; `to` has layout.words words.
void fillStaging(const ForwardBatch& batch, const AttentionPlan& plan, const PassShape& shape, std::int32_t pageTokens,
                 const StagingLayout& layout, std::span<std::int32_t> to) noexcept;

/// The same for a batch as it is, without padding.
[[nodiscard]] inline StagingLayout stagingLayout(const ForwardBatch& batch, const AttentionPlan& plan) noexcept {
  return stagingLayout(batch, plan, passShape(batch, plan, false, 0, 0));
}
inline void fillStaging(const ForwardBatch& batch, const AttentionPlan& plan, std::int32_t pageTokens, const StagingLayout& layout,
                        std::span<std::int32_t> to) noexcept {
  fillStaging(batch, plan, passShape(batch, plan, false, 0, 0), pageTokens, layout, to);
}

}  // namespace foretrace::cuda
