// Copy-on-write of a page of keys and values.
#pragma once

#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

inline constexpr int copyPageThreads = 128;

/// Grid: (layers, kvHeads). Slots from `tokens` on keep what they hold.
__global__ void __launch_bounds__(copyPageThreads) copyPageKernel(const CopyPageParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const std::int64_t block = pageBlock(p.pageTokens, p.paddedHeadDim);
  const std::int64_t pageStride = 2 * block * p.kvHeads;
  std::uint16_t* base = p.keyValue + blockIdx.x * p.layerStride + blockIdx.y * 2 * block;
  const std::uint16_t* from = base + p.from * pageStride;
  std::uint16_t* to = base + p.to * pageStride;
  for (int i = static_cast<int>(threadIdx.x); i < p.tokens * p.paddedHeadDim; i += copyPageThreads) {
    to[i] = from[i];
    const std::int64_t value = block + i / p.tokens * p.pageTokens + i % p.tokens;
    to[value] = from[value];
  }
}

}  // namespace foretrace::cuda
