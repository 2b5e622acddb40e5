// fp8 of the kind e4m3 (Micikevicius et al., arXiv 2209.05433): four bits of exponent with bias 7, three of fraction, no
// infinity, largest magnitude 448, one NaN (0x7F with either sign). Rounded as cvt.rn.satfinite.e4m3x2.f32 does.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/portable.h"

namespace foretrace::cuda {

inline constexpr float largestFloat8 = 448.0F;

[[nodiscard]] FORETRACE_HD constexpr float float8ToFloat(std::uint8_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80U) << 24;
  const std::uint32_t exponent = bits >> 3 & 0xFU;
  const std::uint32_t fraction = bits & 7U;
  if ((bits & 0x7FU) == 0x7FU) return std::bit_cast<float>(sign | 0x7FC00000U);
  if (exponent == 0) return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(fraction) * 0x1p-9F));
  return std::bit_cast<float>(sign | (exponent + 120U) << 23 | fraction << 20);
}

/// Nearest, ties to even; magnitudes above 448 become 448, a NaN stays one.
[[nodiscard]] FORETRACE_HD constexpr std::uint8_t floatToFloat8(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint8_t>(bits >> 24 & 0x80U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint8_t>(sign | 0x7FU);
  if (magnitude >= 0x43E00000U) return static_cast<std::uint8_t>(sign | 0x7EU);  // 448 and more
  std::uint32_t rounded = 0;
  if (magnitude >= 0x3C800000U) {  // 2^-6 and more: a normal number
    rounded = (magnitude + 0x7FFFFU + (magnitude >> 20 & 1U)) >> 20;
    rounded -= 120U << 3;
  } else {  // a multiple of 2^-9; adding 2^14 * 1.5 leaves fp32 with exactly those
    const float shifted = std::bit_cast<float>(magnitude) + 0x1.8p14F;
    rounded = std::bit_cast<std::uint32_t>(shifted) & 0xFU;
  }
  return static_cast<std::uint8_t>(sign | (rounded > 0x7EU ? 0x7EU : rounded));
}

}  // namespace foretrace::cuda
