// The gated activation of the feed-forward block (Shazeer, arXiv 2002.05202).
#pragma once

#include "cuda/partial_sums.cuh"

namespace foretrace::cuda {

inline constexpr int swigluThreads = 128;
/// Neighbouring results of a thread.
inline constexpr int swigluAtOnce = 4;

FORETRACE_DEVICE float gated(float gate, float up) { return multiply(divide(gate, add(1.0F, exponential(-gate))), up); }

FORETRACE_DEVICE void storeActivated(const SwigluParameters& p, int row, int column, float activated) {
  if (p.wide != nullptr) {
    p.wide[static_cast<std::int64_t>(row) * p.ffn + column] = activated;
  } else {
    *reinterpret_cast<std::uint16_t*>(p.output.data + rowOffset(row, 2 * column, p.output.groups)) = toBf16(activated);
  }
}

/// Grid: (rows, ceil(ffn / (swigluThreads * swigluAtOnce))).
__global__ void __launch_bounds__(swigluThreads) swigluKernel(const SwigluParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const int column = swigluAtOnce * (static_cast<int>(blockIdx.y) * swigluThreads + static_cast<int>(threadIdx.x));
  if (column >= p.ffn) return;
  if (p.ffn % swigluAtOnce != 0) {  // the columns of `up` are not aligned
    withReader(p.product, [&](const auto& reader) {
      for (int i = column; i < column + swigluAtOnce && i < p.ffn; ++i) storeActivated(p, row, i, gated(reader(row, i), reader(row, p.ffn + i)));
    });
    return;
  }
  Four<float> gate{};
  Four<float> up{};
  withReader(p.product, [&](const auto& reader) {
    gate = reader.four(row, column);
    up = reader.four(row, p.ffn + column);
  });
  FORETRACE_UNROLL
  for (int i = 0; i < swigluAtOnce; ++i) gate.of[i] = gated(gate.of[i], up.of[i]);
  if (p.wide != nullptr) {
    *reinterpret_cast<Four<float>*>(p.wide + static_cast<std::int64_t>(row) * p.ffn + column) = gate;
  } else {
    *reinterpret_cast<Words2*>(p.output.data + rowOffset(row, 2 * column, p.output.groups)) = {packBf16(gate.of[0], gate.of[1]),
                                                                                               packBf16(gate.of[2], gate.of[3])};
  }
}

}  // namespace foretrace::cuda
