// Cosines and sines of the rotary positions.
#pragma once

#include <cstdint>

#include "core/config.h"
#include "core/aligned_buffer.h"

namespace foretrace::cpu {

/// Angles of positions 0 .. positions - 1 (Su et al., arXiv 2104.09864): angle i of position p is p * theta^(-2 i / d).
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
