// Cosines and sines of the rotary positions.
#pragma once

#include <cstdint>

#include "core/config.h"
#include "core/aligned_buffer.h"

namespace foretrace::cpu {

/// Frequency of the pair i, 0 .. headDim / 2 - 1: theta^(-2 i / d) (Su et al., arXiv 2104.09864), scaled as Llama 3.1 does it if
/// the config says so. With t the turns of a frequency in the positions of the first training: t below lowFrequencyFactor divides
/// it by `factor`, t above highFrequencyFactor leaves it, and between them the two results are mixed in proportion. The rule and
/// the order of the fp32 operations are those of "llama3" in Hugging Face Transformers' modeling_rope_utils.
[[nodiscard]] float rotaryFrequency(const ModelConfig& config, std::int32_t i);

/// Angles of positions 0 .. positions - 1: angle i of position p is p * rotaryFrequency(i).
/// Frequencies and angles are rounded to fp32 where Hugging Face rounds them, because models are trained that way.
class RopeTable {
 public:
  RopeTable() = default;
  RopeTable(const ModelConfig& config, std::int32_t positions);

  /// [headDim / 2] values of one position.
  [[nodiscard]] const float* cosine(std::int64_t position) const noexcept { return cosine_.data() + position * half_; }
  [[nodiscard]] const float* sine(std::int64_t position) const noexcept { return sine_.data() + position * half_; }

 private:
  std::int32_t half_ = 0;
  AlignedBuffer<float> cosine_;  ///< [positions, headDim / 2]
  AlignedBuffer<float> sine_;
};

}  // namespace foretrace::cpu
