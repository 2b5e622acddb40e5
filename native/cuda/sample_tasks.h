// What the device is told to choose, as words that one copy brings there, and what it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/sample_weight.h"
#include "core/sampling.h"

namespace foretrace::cuda {

/// One token to choose.
struct SampleTask {
  std::int32_t row;        ///< of the logits
  std::int32_t maskBegin;  ///< first word of the mask; -1: all tokens are legal
  float temperature;
  std::int32_t padding;
  std::uint64_t draw;
  std::uint64_t nucleus;
};

inline constexpr std::size_t sampleTaskWords = sizeof(SampleTask) / sizeof(std::int32_t);

struct SampleParameters {
  const float* logits;         ///< [rows, stride]
  std::int64_t stride;         ///< a multiple of 4, at least the vocabulary rounded up to one
  const SampleTask* tasks;     ///< [count]
  const std::uint32_t* masks;  ///< maskBegin counts from here
  weights::Chosen* results;    ///< [count]
  int count;
  int vocab;                   ///< at most 2^tokenBits
  int fractionBits;
};

/// Words of all requests: the tasks, then their masks. A mask that consecutive requests share is there once.
[[nodiscard]] std::size_t sampleWords(std::span<const SampleRequest> requests) noexcept;

/// Writes them; `to` has sampleWords(requests) words and begins at a multiple of 8 bytes. Offsets of masks count from its
/// first word.
void fillSampleTasks(std::span<const SampleRequest> requests, std::span<std::int32_t> to) noexcept;

}  // namespace foretrace::cuda
