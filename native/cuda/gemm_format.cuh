// The number formats of a matrix product: what is summed, and where a sum begins anew.
//
// An element of a product is, for every number of rows and on either kind of tensor core instruction:
//   int8   the exact int32 sum over the whole depth; how it is divided cannot matter;
//   bf16   for each split of the depth (fixed by the matrix alone), one fp32 accumulator that takes the steps of 16 in
//          ascending order, from zero; then the sum of the splits in ascending order;
//   fp8    for each split, the sum of its blocks of 128 in ascending order, each an accumulator that takes the steps of 32 in
//          ascending order from zero (tensor cores keep fewer bits in sums of fp8 than fp32 has: short sums lose less); then
//          the sum of the splits.
// No other row takes part: a row has the same bits at any number of rows.
#pragma once

#include "cuda/fragment.h"
#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

struct Bf16Format {
  using Sum = float;
  static constexpr WeightFormat format = WeightFormat::bf16;
  static constexpr bool sumsBlocks = false;  ///< every block of depth is a sum of its own
  static constexpr bool sumsSplits = true;   ///< every split is a sum of its own
  FORETRACE_DEVICE static void multiply(Sum (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    mma(sum, a[0], a[1], a[2], a[3], b0, b1);
  }
};

struct Int8Format {
  using Sum = std::int32_t;
  static constexpr WeightFormat format = WeightFormat::int8;
  static constexpr bool sumsBlocks = false;
  static constexpr bool sumsSplits = false;
  FORETRACE_DEVICE static void multiply(Sum (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    mma(sum, a[0], a[1], a[2], a[3], b0, b1);
  }
};

struct Fp8Format {
  using Sum = float;
  static constexpr WeightFormat format = WeightFormat::fp8;
  static constexpr bool sumsBlocks = true;
  static constexpr bool sumsSplits = true;
  FORETRACE_DEVICE static void multiply(Sum (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    mmaFloat8(sum, a[0], a[1], a[2], a[3], b0, b1);
  }
};

FORETRACE_DEVICE float joined(float a, float b) { return add(a, b); }
FORETRACE_DEVICE std::int32_t joined(std::int32_t a, std::int32_t b) { return a + b; }

/// The ranges of depth a block of the grid sums, each into a result of its own or on top of the one before.
struct SplitRange {
  int first;
  int last;
};

/// The splits of this block; formats whose sums are exact take a sequence of splits as one.
template <class Format>
FORETRACE_DEVICE SplitRange splitsOf(const GemmParameters& p) {
  if (!p.sequentialSplits) return {static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.z)};
  return {0, Format::sumsSplits ? p.splits - 1 : 0};
}

template <class Format>
FORETRACE_DEVICE int rangeEnd(const GemmParameters& p, int split) {
  if (p.sequentialSplits && !Format::sumsSplits) return p.depthBlocks;
  return splitBegin(p.depthBlocks, p.splits, split + 1);
}

}  // namespace foretrace::cuda
