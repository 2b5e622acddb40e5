// Residual addition and RMSNorm (Zhang and Sennrich, arXiv 1910.07467) of a row, and its rounding for the next product.
#pragma once

#include "cuda/block_sums.cuh"
#include "cuda/partial_sums.cuh"
#include "cuda/quantise.cuh"

namespace foretrace::cuda {

inline constexpr int normThreads = 512;
inline constexpr int normSharedBytes = normThreads / 32 * 4;
/// Elements a thread reads before it uses the first: with eight splits 36 reads are on their way at once, because a single
/// row is one block and waits for memory rather than for bandwidth.
inline constexpr int normAtOnce = 4;

/// residual += added for the thread's elements; returns the sum of their squares.
FORETRACE_DEVICE float addToResidual(const NormParameters& p, float* residual, int source) {
  float squares = 0;
  for (int begin = static_cast<int>(threadIdx.x); begin < p.hidden; begin += normAtOnce * normThreads) {
    float value[normAtOnce];
    FORETRACE_UNROLL
    for (int i = 0; i < normAtOnce; ++i) {
      const int k = begin + i * normThreads;
      value[i] = k < p.hidden ? residual[k] : 0.0F;
      if (k < p.hidden && p.added.data != nullptr) value[i] = add(value[i], valueOf(p.added, source, k));
    }
    FORETRACE_UNROLL
    for (int i = 0; i < normAtOnce; ++i) {
      const int k = begin + i * normThreads;
      if (k >= p.hidden) continue;
      if (p.added.data != nullptr) residual[k] = value[i];
      squares = multiplyAdd(value[i], value[i], squares);
    }
  }
  return squares;
}

/// Grid: (rows). A thread owns the elements thread, thread + normThreads, ..
__global__ void __launch_bounds__(normThreads) normKernel(const NormParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const int source = p.rowIndex == nullptr ? row : p.rowIndex[row];
  float* residual = p.residual + static_cast<std::int64_t>(source) * p.hidden;
  const float squares = addToResidual(p, residual, source);
  const float meanSquare = divide(blockSum<normThreads>(squares), static_cast<float>(p.hidden));
  const float inverse = reciprocalRoot(add(meanSquare, p.epsilon));
  const auto normalised = [&](int k) { return multiply(multiply(residual[k], inverse), p.weight[k]); };
  if (p.format == WeightFormat::bf16) {
    for (int k = static_cast<int>(threadIdx.x); k < p.hidden; k += normThreads) {
      *reinterpret_cast<std::uint16_t*>(p.output.data + rowOffset(row, 2 * k, p.output.groups)) = toBf16(normalised(k));
    }
    return;
  }
  std::uint32_t largest = 0;
  for (int k = static_cast<int>(threadIdx.x); k < p.hidden; k += normThreads) {
    const std::uint32_t magnitude = magnitudeOf(normalised(k));
    largest = magnitude > largest ? magnitude : largest;
  }
  const Quantiser quantiser = quantiserOf(blockLargest<normThreads>(largest), p.format);
  if (threadIdx.x == 0) p.quantised.scale[row] = quantiser.scale;
  for (int k = static_cast<int>(threadIdx.x); k < p.hidden; k += normThreads) {
    p.quantised.data[rowOffset(row, k, p.quantised.groups)] = quantise(normalised(k), quantiser, p.format);
  }
}

}  // namespace foretrace::cuda
