// Reading the results of a matrix product: the sum over its splits, scaled.
#pragma once

#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

FORETRACE_DEVICE float sum(float a, float b) { return add(a, b); }
FORETRACE_DEVICE std::int32_t sum(std::int32_t a, std::int32_t b) { return a + b; }

/// Sum of `splits` results in ascending order; all are on their way before the first is added.
template <int splits, class Number>
FORETRACE_DEVICE Number sumOf(const Number* first, std::int64_t stride) {
  Number part[splits];
  FORETRACE_UNROLL
  for (int split = 0; split < splits; ++split) part[split] = first[split * stride];
  Number total = part[0];
  FORETRACE_UNROLL
  for (int split = 1; split < splits; ++split) total = sum(total, part[split]);
  return total;
}

template <class Number>
FORETRACE_DEVICE Number sumOfSplits(const Number* first, int splits, std::int64_t stride) {
  switch (splits) {
    case 1: return *first;
    case 2: return sumOf<2>(first, stride);
    case 4: return sumOf<4>(first, stride);
    case 8: return sumOf<8>(first, stride);
    default: break;
  }
  Number total = *first;
  for (int split = 1; split < splits; ++split) total = sum(total, first[split * stride]);
  return total;
}

/// value(row, column) of a product. int8: (float(sum) * columnScale) * rowScale, as on the CPU.
FORETRACE_DEVICE float valueOf(const PartialSums& p, std::int64_t row, std::int64_t column) {
  const std::int64_t at = row * p.rowStride + column;
  if (p.format == WeightFormat::bf16) return sumOfSplits(static_cast<const float*>(p.data) + at, p.splits, p.splitStride);
  const float total = p.format == WeightFormat::int8
                          ? toFloat(sumOfSplits(static_cast<const std::int32_t*>(p.data) + at, p.splits, p.splitStride))
                          : sumOfSplits(static_cast<const float*>(p.data) + at, p.splits, p.splitStride);
  return multiply(multiply(total, p.columnScale[column]), p.rowScale[row]);
}

}  // namespace foretrace::cuda
