// Embedding rows, read from the packed table that is also the output head of a tied model.
#pragma once

#include "cuda/fragment.h"
#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

inline constexpr int embeddingThreads = 128;

/// Grid: (rows, ceil(hidden / (2 embeddingThreads))); a thread reads two neighbouring elements, which one word holds.
__global__ void __launch_bounds__(embeddingThreads) embeddingKernel(const EmbeddingParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const int column = 2 * (static_cast<int>(blockIdx.y) * embeddingThreads + static_cast<int>(threadIdx.x));
  if (column >= p.hidden) return;
  const std::int64_t offset = packedOffset(p.tokens[row], 2 * column, p.depthBlocks);
  const std::uint32_t pair = *reinterpret_cast<const std::uint32_t*>(p.embedding + offset);
  float* to = p.residual + static_cast<std::int64_t>(row) * p.hidden + column;
  to[0] = fromBf16(pair & 0xFFFFU);
  if (column + 1 < p.hidden) to[1] = fromBf16(pair >> 16);
}

}  // namespace foretrace::cuda
