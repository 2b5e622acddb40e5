#include "core/rope_table.h"

#include <cmath>

namespace foretrace::cpu {

RopeTable::RopeTable(const ModelConfig& config, std::int32_t positions)
    : half_(config.headDim / 2),
      cosine_(std::int64_t{positions} * half_, "rotary cosines"),
      sine_(std::int64_t{positions} * half_, "rotary sines") {
  for (std::int32_t i = 0; i < half_; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(config.headDim);
    const auto power = static_cast<float>(std::pow(static_cast<double>(config.ropeTheta), static_cast<double>(exponent)));
    const float frequency = 1.0F / power;
    for (std::int64_t position = 0; position < positions; ++position) {
      const auto angle = static_cast<double>(static_cast<float>(position) * frequency);
      cosine_.data()[position * half_ + i] = static_cast<float>(std::cos(angle));
      sine_.data()[position * half_ + i] = static_cast<float>(std::sin(angle));
    }
  }
}

}  // namespace foretrace::cpu
