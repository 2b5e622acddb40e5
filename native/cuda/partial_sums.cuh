// Reading the results of a matrix product: the sum over its splits, scaled.
#pragma once

#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

FORETRACE_DEVICE float sum(float a, float b) { return add(a, b); }
FORETRACE_DEVICE std::int32_t sum(std::int32_t a, std::int32_t b) { return a + b; }

/// Four neighbouring numbers, read as one.
template <class Number>
struct alignas(16) Four {
  Number of[4];
};

/// Reads products of one kind. The number of splits is known when a kernel is compiled (0: it is not), so that everything a thread
/// reads is on its way before the first of it is added, and what other kinds need is not on the way of the instructions.
template <class Number, bool scaled, int splits_>
struct SumReader {
  const PartialSums& sums;

  /// value(row, column) = the sum over the splits in ascending order. int8: (float(sum) * columnScale) * rowScale, as on the CPU.
  [[nodiscard]] FORETRACE_DEVICE float operator()(std::int64_t row, std::int64_t column) const {
    const Number* first = static_cast<const Number*>(sums.data) + row * sums.rowStride + column;
    return scaledBy(sumOf<Number>(first), scaled ? sums.columnScale[column] : 1.0F, row);
  }

  /// The values of the columns `column` (a multiple of four) .. column + 3.
  [[nodiscard]] FORETRACE_DEVICE Four<float> four(std::int64_t row, std::int64_t column) const {
    const auto* first = reinterpret_cast<const Four<Number>*>(static_cast<const Number*>(sums.data) + row * sums.rowStride + column);
    Four<float> scales{};
    if constexpr (scaled) scales = *reinterpret_cast<const Four<float>*>(sums.columnScale + column);
    const Four<Number> totals = sumOf<Four<Number>>(first);
    Four<float> values;
    FORETRACE_UNROLL
    for (int i = 0; i < 4; ++i) values.of[i] = scaledBy(totals.of[i], scales.of[i], row);
    return values;
  }

 private:
  FORETRACE_DEVICE static float toNumber(float value) { return value; }
  FORETRACE_DEVICE static float toNumber(std::int32_t value) { return toFloat(value); }
  FORETRACE_DEVICE static Four<Number> sum(const Four<Number>& a, const Four<Number>& b) {
    Four<Number> total;
    FORETRACE_UNROLL
    for (int i = 0; i < 4; ++i) total.of[i] = cuda::sum(a.of[i], b.of[i]);
    return total;
  }
  FORETRACE_DEVICE static Number sum(Number a, Number b) { return cuda::sum(a, b); }

  [[nodiscard]] FORETRACE_DEVICE float scaledBy(Number total, float columnScale, std::int64_t row) const {
    if constexpr (scaled) {
      return multiply(multiply(toNumber(total), columnScale), sums.rowScale[row]);
    } else {
      return toNumber(total);
    }
  }

  /// Sum over the splits of what lies at `first` in each.
  template <class Item>
  [[nodiscard]] FORETRACE_DEVICE Item sumOf(const Item* first) const {
    const std::int64_t stride = sums.splitStride * static_cast<std::int64_t>(sizeof(Number)) / static_cast<std::int64_t>(sizeof(Item));
    if constexpr (splits_ > 0) {
      Item part[splits_];
      FORETRACE_UNROLL
      for (int split = 0; split < splits_; ++split) part[split] = first[split * stride];
      Item total = part[0];
      FORETRACE_UNROLL
      for (int split = 1; split < splits_; ++split) total = sum(total, part[split]);
      return total;
    } else {
      Item total = *first;
      for (int split = 1; split < sums.splits; ++split) total = sum(total, first[split * stride]);
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
