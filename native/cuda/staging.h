// A batch and its work list as one array of words, so that one copy brings it to the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/step.h"
#include "cuda/attention_plan.h"

namespace foretrace::cuda {

/// Where each part begins, in 32-bit words; parts begin at multiples of 4 words.
struct StagingLayout {
  std::size_t tokens = 0;        ///< [rows]
  std::size_t positions = 0;     ///< [rows]
  std::size_t slots = 0;         ///< [rows] page * pageTokens + place in the page
  std::size_t partialBegin = 0;  ///< [rows]
  std::size_t logitRows = 0;     ///< [wanted]
  std::size_t pages = 0;         ///< [pages of all blocks]
  std::size_t mergeRows = 0;
  std::size_t itemRows = 0;
  std::size_t items = 0;         ///< AttentionItem
  std::size_t words = 0;         ///< of all parts
};

[[nodiscard]] StagingLayout stagingLayout(const ForwardBatch& batch, const AttentionPlan& plan) noexcept;

/// Writes all parts; `to` has layout.words words.
void fillStaging(const ForwardBatch& batch, const AttentionPlan& plan, std::int32_t pageTokens, const StagingLayout& layout,
                 std::span<std::int32_t> to) noexcept;

}  // namespace foretrace::cuda
