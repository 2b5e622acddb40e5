// The gated activation of the feed-forward block (Shazeer, arXiv 2002.05202).
#pragma once

#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

inline constexpr int swigluThreads = 256;

/// Grid: (rows, ceil(ffn / swigluThreads)).
__global__ void __launch_bounds__(swigluThreads) swigluKernel(const SwigluParameters p) {
  const int row = static_cast<int>(blockIdx.x);
  const int column = static_cast<int>(blockIdx.y) * swigluThreads + static_cast<int>(threadIdx.x);
  if (column >= p.ffn) return;
  const float* product = p.product.data + row * p.product.rowStride + column;
  const float gate = sumSplits(product, p.product.splits, p.product.splitStride);
  const float up = sumSplits(product + p.ffn, p.product.splits, p.product.splitStride);
  const float activated = multiply(divide(gate, add(1.0F, exponential(-gate))), up);
  p.output[static_cast<std::int64_t>(row) * p.outputStride + column] = toBf16(activated);
}

}  // namespace foretrace::cuda
