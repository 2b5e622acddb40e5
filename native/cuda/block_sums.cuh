// Sums and maxima over the threads of a block.
#pragma once

#include "cuda/intrinsics.cuh"

namespace foretrace::cuda {

/// Sum over the block, in an order fixed by thread numbers; every thread gets it. Uses threads / 32 words of shared memory.
template <int threads>
FORETRACE_DEVICE float blockSum(float value) {
  auto* warpSums = reinterpret_cast<float*>(sharedMemory());
  for (int mask = 16; mask > 0; mask /= 2) value = add(value, shuffleXor(value, mask));
  if (threadIdx.x % 32 == 0) warpSums[threadIdx.x / 32] = value;
  syncThreads();
  float total = warpSums[0];
  for (int warp = 1; warp < threads / 32; ++warp) total = add(total, warpSums[warp]);
  syncThreads();  // the words may be used again
  return total;
}

/// Largest of the block's values; the same memory.
template <int threads>
FORETRACE_DEVICE std::uint32_t blockLargest(std::uint32_t value) {
  auto* warpLargest = reinterpret_cast<std::uint32_t*>(sharedMemory());
  for (int mask = 16; mask > 0; mask /= 2) {
    const std::uint32_t other = shuffleXor(value, mask);
    value = other > value ? other : value;
  }
  if (threadIdx.x % 32 == 0) warpLargest[threadIdx.x / 32] = value;
  syncThreads();
  std::uint32_t largest = warpLargest[0];
  for (int warp = 1; warp < threads / 32; ++warp) largest = warpLargest[warp] > largest ? warpLargest[warp] : largest;
  syncThreads();
  return largest;
}

}  // namespace foretrace::cuda
