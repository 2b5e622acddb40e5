// The gated activation of the feed-forward block (Shazeer, arXiv 2002.05202).
#pragma once

#include "cuda/partial_sums.cuh"

namespace foretrace::cuda {

inline constexpr int swigluThreads = 256;

/// Grid: (rows, ceil(ffn / swigluThreads)).
__global__ void __launch_bounds__(swigluThreads) swigluKernel(const SwigluParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const int column = static_cast<int>(blockIdx.y) * swigluThreads + static_cast<int>(threadIdx.x);
  if (column >= p.ffn) return;
  float gate = 0;
  float up = 0;
  withReader(p.product, [&](const auto& reader) {
    gate = reader(row, column);
    up = reader(row, p.ffn + column);
  });
  const float activated = multiply(divide(gate, add(1.0F, exponential(-gate))), up);
  if (p.wide != nullptr) {
    p.wide[static_cast<std::int64_t>(row) * p.ffn + column] = activated;
  } else {
    *reinterpret_cast<std::uint16_t*>(p.output.data + rowOffset(row, 2 * column, p.output.groups)) = toBf16(activated);
  }
}

}  // namespace foretrace::cuda
