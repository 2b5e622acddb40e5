// The kernel that rounds rows; a file of its own, because a kernel that is no template belongs to one translation unit.
#pragma once

#include "cuda/block_sums.cuh"
#include "cuda/quantise.cuh"

namespace foretrace::cuda {

inline constexpr int quantiseThreads = 512;
inline constexpr int quantiseSharedBytes = quantiseThreads / 32 * 4;

/// Grid: (rows).
__global__ void __launch_bounds__(quantiseThreads) quantiseKernel(const QuantiseParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const float* from = p.wide + row * p.wideStride;
  std::uint32_t largest = 0;
  for (int k = static_cast<int>(threadIdx.x); k < p.width; k += quantiseThreads) {
    const std::uint32_t magnitude = magnitudeOf(from[k]);
    largest = magnitude > largest ? magnitude : largest;
  }
  const Quantiser quantiser = quantiserOf(blockLargest<quantiseThreads>(largest), p.format);
  if (threadIdx.x == 0) p.output.scale[row] = quantiser.scale;
  for (int k = static_cast<int>(threadIdx.x); k < p.width; k += quantiseThreads) {
    p.output.data[rowOffset(row, k, p.output.groups)] = quantise(from[k], quantiser, p.format);
  }
}

}  // namespace foretrace::cuda
