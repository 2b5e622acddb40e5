// What the device is told to choose, as words that one copy brings there, and what it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/sample_weight.h"
#include "core/sampling.h"
#include "cuda/portable.h"

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

/// Tokens that a block looks at together.
inline constexpr int tokensPerStep = 2048;
/// Steps that one block takes of a long row, as long as no more than mostSampleParts blocks share it.
inline constexpr int stepsOfPart = 4;
inline constexpr int mostSampleParts = 32;

[[nodiscard]] FORETRACE_HD constexpr int sampleSteps(int vocab) { return (vocab + tokensPerStep - 1) / tokensPerStep; }

/// Parts that the rows of a vocabulary are divided into.
[[nodiscard]] constexpr int sampleParts(int vocab) {
  const int parts = (sampleSteps(vocab) + stepsOfPart - 1) / stepsOfPart;
  return parts < mostSampleParts ? parts : mostSampleParts;
}

/// What is known of a part of a row.
struct SamplePart {
  std::uint64_t best;   ///< greatest logit and, inverted, the lowest id that has it; 0: no token
  std::uint64_t total;  ///< weights at a temperature of 1
};

struct SampleParameters {
  const float* logits;         ///< [rows, stride]
  std::int64_t stride;         ///< a multiple of 4, at least the vocabulary rounded up to one
  const SampleTask* tasks;     ///< [count]
  const std::uint32_t* masks;  ///< maskBegin counts from here
  weights::Chosen* results;    ///< [count]
  SamplePart* found;           ///< [count, parts]; null for one part
  int count;
  int vocab;                   ///< at most 2^tokenBits
  int fractionBits;
  int parts;                   ///< 1 .. mostSampleParts, however many: the choice is the same
};

/// Words of all requests: the tasks, then their masks. A mask that consecutive requests share is there once.
[[nodiscard]] std::size_t sampleWords(std::span<const SampleRequest> requests) noexcept;

/// Writes them; `to` has sampleWords(requests) words and begins at a multiple of 8 bytes. Offsets of masks count from its
/// first word.
void fillSampleTasks(std::span<const SampleRequest> requests, std::span<std::int32_t> to) noexcept;

}  // namespace foretrace::cuda
