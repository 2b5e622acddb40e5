// Rounding of weights and of rows of activations to one byte an element, with one scale for each output or row. int8 is
// what the CPU engine does (cpu/packed_weights, cpu/kernels_round.inc), to the bit: scale = max |x| / 127, element =
// nearest(x * (127 / max |x|)), ties to even; fp8 is the same with the largest e4m3 number, 448, in place of 127.
#pragma once

#include "cuda/float8.h"
#include "cuda/fragment.h"
#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

/// How a row or output is rounded.
struct Quantiser {
  float scale;    ///< what an element of one byte is multiplied with; NaN if the row has an infinity or a NaN
  float inverse;  ///< what an element is multiplied with before it is rounded; 0: all become zero
};

/// `largest`: the largest magnitude of the row as an integer; as integers magnitudes order like numbers, with infinity and
/// NaN on top.
FORETRACE_DEVICE Quantiser quantiserOf(std::uint32_t largest, WeightFormat format) {
  const float most = format == WeightFormat::int8 ? 127.0F : largestFloat8;
  const float magnitude = floatOf(largest);
  if (largest >= 0x7F800000U) return {floatOf(0x7FC00000U), 0.0F};
  if (magnitude < 1e-30F) return {0.0F, 0.0F};
  return {divide(magnitude, most), divide(most, magnitude)};
}

FORETRACE_DEVICE std::uint32_t magnitudeOf(float value) { return bitsOf(value) & 0x7FFFFFFFU; }

/// One element. int8: adding and subtracting 1.5 * 2^23 rounds to the nearest integer, ties to even.
FORETRACE_DEVICE std::uint8_t quantise(float value, const Quantiser& quantiser, WeightFormat format) {
  if (quantiser.inverse == 0.0F) return 0;
  const float scaled = multiply(value, quantiser.inverse);
  if (format == WeightFormat::fp8) return floatToFloat8(scaled);
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(add(add(scaled, 12582912.0F), -12582912.0F)));
}

}  // namespace foretrace::cuda
