// Residual addition and RMSNorm (Zhang and Sennrich, arXiv 1910.07467) in one pass over a row.
#pragma once

#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

inline constexpr int normThreads = 512;
inline constexpr int normSharedBytes = normThreads / 32 * 4;

/// Sum over the block, in an order fixed by thread numbers; every thread gets it.
FORETRACE_DEVICE float blockSum(float value) {
  auto* warpSums = reinterpret_cast<float*>(sharedMemory());
  for (int mask = 16; mask > 0; mask /= 2) value = add(value, shuffleXor(value, mask));
  if (threadIdx.x % 32 == 0) warpSums[threadIdx.x / 32] = value;
  syncThreads();
  float total = warpSums[0];
  for (int warp = 1; warp < normThreads / 32; ++warp) total = add(total, warpSums[warp]);
  return total;
}

/// Grid: (rows). A thread owns the elements thread, thread + normThreads, ..
__global__ void __launch_bounds__(normThreads) normKernel(const NormParameters p) {
  const int row = static_cast<int>(blockIdx.x);
  const int source = p.rowIndex == nullptr ? row : p.rowIndex[row];
  float* residual = p.residual + static_cast<std::int64_t>(source) * p.hidden;
  const float* added = p.added.data == nullptr ? nullptr : p.added.data + source * p.added.rowStride;
  float squares = 0;
  for (int k = static_cast<int>(threadIdx.x); k < p.hidden; k += normThreads) {
    float value = residual[k];
    if (added != nullptr) {
      value = add(value, sumSplits(added + k, p.added.splits, p.added.splitStride));
      residual[k] = value;
    }
    squares = multiplyAdd(value, value, squares);
  }
  const float meanSquare = divide(blockSum(squares), static_cast<float>(p.hidden));
  const float inverse = reciprocalRoot(add(meanSquare, p.epsilon));
  std::uint16_t* output = p.output + static_cast<std::int64_t>(row) * p.outputStride;
  for (int k = static_cast<int>(threadIdx.x); k < p.hidden; k += normThreads) {
    output[k] = toBf16(multiply(multiply(residual[k], inverse), p.weight[k]));
  }
}

}  // namespace foretrace::cuda
