#include "core/rope_table.h"

#include <cmath>
#include <numbers>

namespace foretrace::cpu {
namespace {

/// Where Transformers divides a number by a tensor, PyTorch multiplies the number by the reciprocal: hence 1 / x * y here.
float scaled(float frequency, const RopeScaling& scaling) {
  const auto original = static_cast<double>(scaling.originalContext);
  const auto factor = static_cast<float>(scaling.factor);
  const float wavelength = 1.0F / frequency * static_cast<float>(2 * std::numbers::pi);
  if (wavelength > static_cast<float>(original / scaling.lowFrequencyFactor)) return frequency / factor;
  if (wavelength < static_cast<float>(original / scaling.highFrequencyFactor)) return frequency;
  const float turns = 1.0F / wavelength * static_cast<float>(original);
  const float share = (turns - static_cast<float>(scaling.lowFrequencyFactor)) /
                      static_cast<float>(scaling.highFrequencyFactor - scaling.lowFrequencyFactor);
  return (1.0F - share) * frequency / factor + share * frequency;
}

}  // namespace

float rotaryFrequency(const ModelConfig& config, std::int32_t i) {
  const float exponent = static_cast<float>(2 * i) / static_cast<float>(config.headDim);
  const auto power = static_cast<float>(std::pow(static_cast<double>(config.ropeTheta), static_cast<double>(exponent)));
  const float frequency = 1.0F / power;
  return config.ropeScaling.scaled() ? scaled(frequency, config.ropeScaling) : frequency;
}

RopeTable::RopeTable(const ModelConfig& config, std::int32_t positions)
    : half_(config.headDim / 2),
      cosine_(std::int64_t{positions} * half_, "rotary cosines"),
      sine_(std::int64_t{positions} * half_, "rotary sines") {
  for (std::int32_t i = 0; i < half_; ++i) {
    const float frequency = rotaryFrequency(config, i);
    for (std::int64_t position = 0; position < positions; ++position) {
      const auto angle = static_cast<double>(static_cast<float>(position) * frequency);
      cosine_.data()[position * half_ + i] = static_cast<float>(std::cos(angle));
      sine_.data()[position * half_ + i] = static_cast<float>(std::sin(angle));
    }
  }
}

}  // namespace foretrace::cpu
