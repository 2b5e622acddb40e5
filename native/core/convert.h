// Conversions between storage formats and fp32.
#pragma once

#include <bit>
#include <cstdint>

namespace foretrace {

/// bf16 bits to fp32, exact.
[[nodiscard]] constexpr float bf16ToFloat(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// fp32 to bf16 bits, nearest, ties to even; a NaN stays a NaN.
[[nodiscard]] constexpr std::uint16_t floatToBf16(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

/// IEEE half-precision bits to fp32, exact.
[[nodiscard]] constexpr float f16ToFloat(std::uint16_t bits) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t widened = exponent == 31 ? 0xFFU : exponent + 112U;  // 112 = 127 - 15, the biases
  return std::bit_cast<float>(sign | (widened << 23) | (fraction << 13));
}

}  // namespace foretrace
