// The arithmetic of choosing a token, written once for the host and for devices, so that both choose the same token and
// give it the same probability, bit for bit.
//
// Weights are whole numbers: their sums do not depend on the order in which they are added, so a device may add them as it
// likes. Every operation on floats is one that rounds in the same way everywhere.
#pragma once

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "core/sampling.h"

#ifdef __CUDACC__
#define FORETRACE_EVERYWHERE __host__ __device__
#else
#define FORETRACE_EVERYWHERE
#endif

namespace foretrace::weights {

/// Products, sums and quotients a compiler must not fuse.
FORETRACE_EVERYWHERE inline float product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

FORETRACE_EVERYWHERE inline float sum(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

FORETRACE_EVERYWHERE inline float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

FORETRACE_EVERYWHERE inline float floatOf(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

FORETRACE_EVERYWHERE inline std::uint32_t bitsOf(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(value);
#else
  return std::bit_cast<std::uint32_t>(value);
#endif
}

FORETRACE_EVERYWHERE inline bool isFinite(float value) { return (bitsOf(value) & 0x7F800000U) != 0x7F800000U; }

/// A number that orders finite floats as they are ordered, the two zeros as one.
FORETRACE_EVERYWHERE inline std::uint32_t ascendingKey(float value) {
  const std::uint32_t bits = bitsOf(sum(value, 0.0F));
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

/// Fraction bits of a weight, so that the weights of a whole vocabulary have a sum below 2^63.
[[nodiscard]] inline int fractionBits(std::int32_t vocab) noexcept {
  return 63 - static_cast<int>(std::bit_width(static_cast<std::uint32_t>(vocab)));
}

/// Distances from the greatest logit, in units of the temperature, from which on a weight is zero.
inline constexpr float farthest = 64.0F;

/// (logit - top) / temperature, at most 0; a temperature of 1 leaves the difference as it is.
FORETRACE_EVERYWHERE inline float scaledLogit(float logit, float top, float temperature) {
  const float difference = sum(logit, -top);
  return temperature == 1.0F ? difference : quotient(difference, temperature);
}

/// e^x * 2^fractionBits for x <= 0, within 2^-23 of it and at most 1 too small; exact at 0.
FORETRACE_EVERYWHERE inline std::uint64_t weightOf(float x, int fractionBits) {
  if (!(x > -farthest)) return 0;
  constexpr float toInteger = 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
  const float whole = sum(sum(product(x, 1.44269504F), toInteger), -toInteger);
  // ln 2 in two parts, the first short enough for its product with a small whole number to be exact.
  const float rest = sum(sum(x, product(whole, -0.693359375F)), product(whole, 2.12194440e-4F));
  float series = 1.0F / 5040;
  series = sum(product(series, rest), 1.0F / 720);
  series = sum(product(series, rest), 1.0F / 120);
  series = sum(product(series, rest), 1.0F / 24);
  series = sum(product(series, rest), 1.0F / 6);
  series = sum(product(series, rest), 0.5F);
  series = sum(product(series, rest), 1.0F);
  series = sum(product(series, rest), 1.0F);
  const int exponent = static_cast<int>(whole) + fractionBits;
  return static_cast<std::uint64_t>(product(series, floatOf(static_cast<std::uint32_t>(exponent + 127) << 23)));
}

/// Orders tokens of positive weight from the likeliest on: distance from the greatest logit, then the token id. Tokens are
/// below 2^22.
inline constexpr int tokenBits = 22;
FORETRACE_EVERYWHERE inline std::uint64_t likelihoodKey(float x, std::int32_t token) {
  const float distance = product(-x, 67108864.0F);  // 2^26; farthest * 2^26 is 2^32
  const auto key = static_cast<std::uint64_t>(distance);
  return key << tokenBits | static_cast<std::uint32_t>(token);
}

/// The upper and lower half of a * b.
struct Wide {
  std::uint64_t high;
  std::uint64_t low;
};

FORETRACE_EVERYWHERE inline Wide multiplyWide(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t aLow = a & 0xFFFFFFFFU;
  const std::uint64_t bLow = b & 0xFFFFFFFFU;
  const std::uint64_t aHigh = a >> 32;
  const std::uint64_t bHigh = b >> 32;
  const std::uint64_t middle = aHigh * bLow + (aLow * bLow >> 32);
  const std::uint64_t other = aLow * bHigh + (middle & 0xFFFFFFFFU);
  return {aHigh * bHigh + (middle >> 32) + (other >> 32), a * b};
}

/// How much weight, from the first token on, must be passed to arrive at the drawn token. `draw` is a fraction of 2^64.
FORETRACE_EVERYWHERE inline std::uint64_t drawTarget(std::uint64_t draw, std::uint64_t mass) { return multiplyWide(draw, mass).high + 1; }

/// The least weight a nucleus has; `nucleus` is a fraction of 2^64.
FORETRACE_EVERYWHERE inline std::uint64_t nucleusTarget(std::uint64_t nucleus, std::uint64_t mass) {
  const Wide wanted = multiplyWide(nucleus, mass);
  const std::uint64_t target = wanted.high + (wanted.low != 0 ? 1 : 0);
  return target > 0 ? target : 1;
}

/// How a token is chosen, without what is the host's business.
struct Choice {
  float temperature = 0;      ///< 0: greedy
  std::uint64_t draw = 0;     ///< fraction of 2^64, of (seed, position)
  std::uint64_t nucleus = 0;  ///< fraction of 2^64; 0: off
};

/// 53 random bits that depend on seed and position alone (SplitMix64 used as a counter-based generator).
[[nodiscard]] inline std::uint64_t drawBits(std::uint64_t seed, std::uint64_t position) noexcept {
  const auto mix = [](std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
  };
  return mix(mix(seed) ^ mix(~position)) >> 11;
}

[[nodiscard]] inline Choice choiceOf(const Sampling& sampling, std::uint64_t position) noexcept {
  if (!(sampling.temperature > 0)) return {};
  Choice choice;
  choice.temperature = std::max(static_cast<float>(sampling.temperature), FLT_MIN);
  choice.draw = drawBits(sampling.seed, position) << 11;
  if (sampling.topP < 1) choice.nucleus = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(sampling.topP * 0x1.0p64));
  return choice;
}

/// What is known of a row once a token has been chosen.
struct Chosen {
  std::int32_t token = -1;
  float logit = 0;
  float top = 0;            ///< the greatest legal logit
  std::uint64_t total = 0;  ///< of the weights at temperature 1
};

[[nodiscard]] inline Sample conclude(const Chosen& chosen, int fractionBits) noexcept {
  if (chosen.token < 0) return {};
  const double total = std::ldexp(static_cast<double>(chosen.total), -fractionBits);
  return {chosen.token, static_cast<float>(double{chosen.logit} - double{chosen.top} - std::log(total))};
}

}  // namespace foretrace::weights
