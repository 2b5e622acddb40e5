// Residual addition and RMSNorm (Zhang and Sennrich, arXiv 1910.07467) of a row, and its rounding for the next product.
#pragma once

#include "cuda/block_sums.cuh"
#include "cuda/partial_sums.cuh"
#include "cuda/quantise.cuh"

namespace foretrace::cuda {

inline constexpr int normThreads = 512;
inline constexpr int normSharedBytes = normThreads / 32 * 4;
/// Elements a thread reads before it uses the first: with eight splits 36 reads are on their way at once, because a single
/// row is one block and waits for memory rather than for bandwidth.
inline constexpr int normAtOnce = 4;
/// Rounds of normAtOnce elements that a thread keeps in registers; what rows have beyond is read again.
inline constexpr int normRounds = 2;

/// A thread's elements: thread, thread + normThreads, .. of a row.
struct NormElements {
  float of[normRounds][normAtOnce];
};

/// The place in its row of the thread's element number `number`.
FORETRACE_DEVICE int normPlace(int number) { return static_cast<int>(threadIdx.x) + number * normThreads; }

/// visit(number, kept) for every element of the thread that is kept, round by round.
template <class Visit>
FORETRACE_DEVICE void visitKept(int hidden, NormElements& elements, const Visit& visit) {
  FORETRACE_UNROLL
  for (int round = 0; round < normRounds; ++round) {
    if (normThreads * round * normAtOnce >= hidden) break;
    FORETRACE_UNROLL
    for (int i = 0; i < normAtOnce; ++i) {
      const int number = round * normAtOnce + i;
      if (normPlace(number) < hidden) visit(number, elements.of[round][i]);
    }
  }
}

/// visit(number) for the thread's elements that are not kept.
template <class Visit>
FORETRACE_DEVICE void visitRest(int hidden, const Visit& visit) {
  for (int number = normRounds * normAtOnce; normPlace(number) < hidden; ++number) visit(number);
}

/// residual += added(k) for the thread's elements, which `kept` holds afterwards; returns the sum of their squares.
template <class Added>
FORETRACE_DEVICE float addToResidual(const NormParameters& p, float* residual, const Added& added, NormElements& kept) {
  float squares = 0;
  FORETRACE_UNROLL
  for (int round = 0; round < normRounds; ++round) {
    if (normThreads * round * normAtOnce >= p.hidden) break;
    FORETRACE_UNROLL
    for (int i = 0; i < normAtOnce; ++i) {
      const int k = normPlace(round * normAtOnce + i);
      const int read = k < p.hidden ? k : 0;  // no branch: all elements are on their way before the first is used
      kept.of[round][i] = add(residual[read], added(read));
    }
    FORETRACE_UNROLL
    for (int i = 0; i < normAtOnce; ++i) {
      const int k = normPlace(round * normAtOnce + i);
      if (k >= p.hidden) continue;
      if (p.added.data != nullptr) residual[k] = kept.of[round][i];
      squares = multiplyAdd(kept.of[round][i], kept.of[round][i], squares);
    }
  }
  visitRest(p.hidden, [&](int number) {
    const int k = normPlace(number);
    const float value = add(residual[k], added(k));
    if (p.added.data != nullptr) residual[k] = value;
    squares = multiplyAdd(value, value, squares);
  });
  return squares;
}

/// Grid: (rows).
__global__ void __launch_bounds__(normThreads, 2) normKernel(const NormParameters p) {
  allowNextKernel();
  NormElements weight;
  visitKept(p.hidden, weight, [&](int number, float& of) { of = p.weight[normPlace(number)]; });
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const int source = p.rowIndex == nullptr ? row : p.rowIndex[row];
  float* residual = p.residual + static_cast<std::int64_t>(source) * p.hidden;
  NormElements kept;
  float squares = 0;
  if (p.added.data == nullptr) {
    squares = addToResidual(p, residual, [](int) { return 0.0F; }, kept);
  } else {
    withReader(p.added, [&](const auto& reader) { squares = addToResidual(p, residual, [&](int k) { return reader(source, k); }, kept); });
  }
  const float meanSquare = divide(blockSum<normThreads>(squares), static_cast<float>(p.hidden));
  const float inverse = reciprocalRoot(add(meanSquare, p.epsilon));
  FORETRACE_UNROLL
  for (int round = 0; round < normRounds; ++round) {
    FORETRACE_UNROLL
    for (int i = 0; i < normAtOnce; ++i) kept.of[round][i] = multiply(multiply(kept.of[round][i], inverse), weight.of[round][i]);
  }
  const auto normalised = [&](int number) { return multiply(multiply(residual[normPlace(number)], inverse), p.weight[normPlace(number)]); };
  // Elements of a thread are whole blocks of depth apart.
  static_assert(normThreads % depthBytes == 0);
  if (p.format == WeightFormat::bf16) {
    std::uint8_t* const to = p.output.data + rowOffset(row, 2 * normPlace(0), p.output.groups);
    const std::int64_t step = rowOffset(0, 2 * normThreads, p.output.groups);
    const auto store = [&](int number, float value) { *reinterpret_cast<std::uint16_t*>(to + number * step) = toBf16(value); };
    visitKept(p.hidden, kept, store);
    visitRest(p.hidden, [&](int number) { store(number, normalised(number)); });
    return;
  }
  std::uint32_t largest = 0;
  const auto take = [&](int, float value) { largest = magnitudeOf(value) > largest ? magnitudeOf(value) : largest; };
  visitKept(p.hidden, kept, take);
  visitRest(p.hidden, [&](int number) { take(number, normalised(number)); });
  const Quantiser quantiser = quantiserOf(blockLargest<normThreads>(largest), p.format);
  if (threadIdx.x == 0) p.quantised.scale[row] = quantiser.scale;
  std::uint8_t* const to = p.quantised.data + rowOffset(row, normPlace(0), p.quantised.groups);
  const std::int64_t step = rowOffset(0, normThreads, p.quantised.groups);
  const auto store = [&](int number, float value) { to[number * step] = quantise(value, quantiser, p.format); };
  visitKept(p.hidden, kept, store);
  visitRest(p.hidden, [&](int number) { store(number, normalised(number)); });
}

}  // namespace foretrace::cuda
