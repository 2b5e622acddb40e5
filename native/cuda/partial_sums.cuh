// Reading the results of a matrix product: the sum over its splits, scaled.
#pragma once

#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

FORETRACE_DEVICE float sum(float a, float b) { return add(a, b); }
FORETRACE_DEVICE std::int32_t sum(std::int32_t a, std::int32_t b) { return a + b; }

/// Reads products of one kind. The number of splits is known when a kernel is compiled (0: it is not), so that everything a thread
/// reads is on its way before the first of it is added, and what other kinds need is not on the way of the instructions.
template <class Number, bool scaled, int splits_>
struct SumReader {
  const PartialSums& sums;

  /// value(row, column) = the sum over the splits in ascending order. int8: (float(sum) * columnScale) * rowScale, as on the CPU.
  [[nodiscard]] FORETRACE_DEVICE float operator()(std::int64_t row, std::int64_t column) const {
    const auto total = static_cast<float>(toFloat(sumAt(static_cast<const Number*>(sums.data) + row * sums.rowStride + column)));
    if constexpr (scaled) {
      return multiply(multiply(total, sums.columnScale[column]), sums.rowScale[row]);
    } else {
      return total;
    }
  }

 private:
  FORETRACE_DEVICE static float toFloat(float value) { return value; }
  FORETRACE_DEVICE static float toFloat(std::int32_t value) { return cuda::toFloat(value); }

  FORETRACE_DEVICE Number sumAt(const Number* first) const {
    if constexpr (splits_ > 0) {
      Number part[splits_];
      FORETRACE_UNROLL
      for (int split = 0; split < splits_; ++split) part[split] = first[split * sums.splitStride];
      Number total = part[0];
      FORETRACE_UNROLL
      for (int split = 1; split < splits_; ++split) total = sum(total, part[split]);
      return total;
    } else {
      Number total = *first;
      for (int split = 1; split < sums.splits; ++split) total = sum(total, first[split * sums.splitStride]);
      return total;
    }
  }
};

/// body(reader) with the reader for these sums.
template <class Number, bool scaled, class Body>
FORETRACE_DEVICE void withReaderOf(const PartialSums& sums, const Body& body) {
  switch (sums.splits) {
    case 1: return body(SumReader<Number, scaled, 1>{sums});
    case 2: return body(SumReader<Number, scaled, 2>{sums});
    case 4: return body(SumReader<Number, scaled, 4>{sums});
    case 8: return body(SumReader<Number, scaled, 8>{sums});
    default: return body(SumReader<Number, scaled, 0>{sums});
  }
}

template <class Body>
FORETRACE_DEVICE void withReader(const PartialSums& sums, const Body& body) {
  if (sums.format == WeightFormat::bf16) return withReaderOf<float, false>(sums, body);
  if (sums.format == WeightFormat::int8) return withReaderOf<std::int32_t, true>(sums, body);
  return withReaderOf<float, true>(sums, body);
}

}  // namespace foretrace::cuda
