// The sum of a split or scaled product on its own, for logits.
#pragma once

#include "cuda/partial_sums.cuh"

namespace foretrace::cuda {

inline constexpr int sumThreads = 256;

/// Grid: (rows, ceil(columns / sumThreads)). `output` may be the memory of a product without splits.
__global__ void __launch_bounds__(sumThreads) sumSplitsKernel(const PartialSums sums, float* output, std::int64_t outputStride, int columns) {
  allowNextKernel();
  waitForEarlierKernels();
  const int column = static_cast<int>(blockIdx.y) * sumThreads + static_cast<int>(threadIdx.x);
  if (column >= columns) return;
  withReader(sums, [&](const auto& reader) { output[blockIdx.x * outputStride + column] = reader(blockIdx.x, column); });
}

}  // namespace foretrace::cuda
