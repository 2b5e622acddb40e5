// The sum of a split product on its own, for the logits of models so small that their head is split.
#pragma once

#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

inline constexpr int sumThreads = 256;

/// Grid: (rows, ceil(columns / sumThreads)).
__global__ void __launch_bounds__(sumThreads) sumSplitsKernel(const PartialSums sums, float* output, std::int64_t outputStride, int columns) {
  const int column = static_cast<int>(blockIdx.y) * sumThreads + static_cast<int>(threadIdx.x);
  if (column >= columns) return;
  const float* first = sums.data + blockIdx.x * sums.rowStride + column;
  output[blockIdx.x * outputStride + column] = sumSplits(first, sums.splits, sums.splitStride);
}

}  // namespace foretrace::cuda
