// Residual addition and RMSNorm (Zhang and Sennrich, arXiv 1910.07467) of a row, and its rounding for the next product.
#pragma once

#include "cuda/block_sums.cuh"
#include "cuda/partial_sums.cuh"
#include "cuda/quantise.cuh"

namespace foretrace::cuda {

inline constexpr int normThreads = 512;
inline constexpr int normSharedBytes = normThreads / 32 * 4;
/// Quads of neighbouring elements that a thread keeps in registers; what longer rows have beyond is read again.
inline constexpr int normKept = 2;

/// The first element of the thread's quad number `number`.
FORETRACE_DEVICE int quadPlace(int number) { return 4 * (static_cast<int>(threadIdx.x) + number * normThreads); }

/// Four elements of a row of `width`; 0 for those beyond it. One read where rows are aligned.
FORETRACE_DEVICE Four<float> readQuad(const float* row, int width, int k) {
  Four<float> quad{};
  if (width % 4 == 0) {
    quad = *reinterpret_cast<const Four<float>*>(row + k);
  } else {
    for (int i = 0; i < 4 && k + i < width; ++i) quad.of[i] = row[k + i];
  }
  return quad;
}

FORETRACE_DEVICE void writeQuad(float* row, int width, int k, const Four<float>& quad) {
  if (width % 4 == 0) {
    *reinterpret_cast<Four<float>*>(row + k) = quad;
  } else {
    for (int i = 0; i < 4 && k + i < width; ++i) row[k + i] = quad.of[i];
  }
}

/// visit(number, kept) for the thread's quads that are kept, then rest(number) for the others.
template <class Visit, class Rest>
FORETRACE_DEVICE void visitQuads(int hidden, Four<float> (&kept)[normKept], const Visit& visit, const Rest& rest) {
  FORETRACE_UNROLL
  for (int number = 0; number < normKept; ++number) {
    if (quadPlace(number) < hidden) visit(number, kept[number]);
  }
  for (int number = normKept; quadPlace(number) < hidden; ++number) rest(number);
}

/// residual += added(k) (four columns) for the thread's quads, which `kept` holds afterwards; returns the sum of their squares.
template <class Added>
FORETRACE_DEVICE float addToResidual(const NormParameters& p, float* residual, const Added& added, Four<float> (&kept)[normKept]) {
  float squares = 0;
  const auto take = [&](int number, Four<float>& quad) {
    const int k = quadPlace(number);
    quad = readQuad(residual, p.hidden, k);
    if (p.added.data != nullptr) {
      const Four<float> more = added(k);
      FORETRACE_UNROLL
      for (int i = 0; i < 4; ++i) quad.of[i] = k + i < p.hidden ? add(quad.of[i], more.of[i]) : 0.0F;
      writeQuad(residual, p.hidden, k, quad);
    }
    FORETRACE_UNROLL
    for (int i = 0; i < 4; ++i) squares = multiplyAdd(quad.of[i], quad.of[i], squares);
  };
  visitQuads(p.hidden, kept, take, [&](int number) {
    Four<float> quad;
    take(number, quad);
  });
  return squares;
}

/// Grid: (rows).
__global__ void __launch_bounds__(normThreads, 2) normKernel(const NormParameters p) {
  allowNextKernel();
  Four<float> weight[normKept];
  visitQuads(p.hidden, weight, [&](int number, Four<float>& quad) { quad = readQuad(p.weight, p.hidden, quadPlace(number)); }, [](int) {});
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const int source = p.rowIndex == nullptr ? row : p.rowIndex[row];
  float* residual = p.residual + static_cast<std::int64_t>(source) * p.hidden;
  Four<float> kept[normKept];
  float squares = 0;
  if (p.added.data == nullptr) {
    squares = addToResidual(p, residual, [](int) { return Four<float>{}; }, kept);
  } else {
    withReader(p.added, [&](const auto& reader) { squares = addToResidual(p, residual, [&](int k) { return reader.four(source, k); }, kept); });
  }
  const float meanSquare = divide(blockSum<normThreads>(squares), static_cast<float>(p.hidden));
  const float inverse = reciprocalRoot(add(meanSquare, p.epsilon));
  const auto normalise = [&](Four<float>& quad, const Four<float>& by) {
    FORETRACE_UNROLL
    for (int i = 0; i < 4; ++i) quad.of[i] = multiply(multiply(quad.of[i], inverse), by.of[i]);
  };
  const auto normalisedAgain = [&](int number) {
    Four<float> quad = readQuad(residual, p.hidden, quadPlace(number));
    normalise(quad, readQuad(p.weight, p.hidden, quadPlace(number)));
    return quad;
  };
  FORETRACE_UNROLL
  for (int number = 0; number < normKept; ++number) normalise(kept[number], weight[number]);
  // A thread's quads are whole blocks of depth apart.
  static_assert(4 * normThreads % depthBytes == 0);
  if (p.format == WeightFormat::bf16) {
    std::uint8_t* const to = p.output.data + rowOffset(row, 2 * quadPlace(0), p.output.groups);
    const std::int64_t step = rowOffset(0, 8 * normThreads, p.output.groups);
    const auto store = [&](int number, const Four<float>& quad) {
      const Words2 pairs{packBf16(quad.of[0], quad.of[1]), packBf16(quad.of[2], quad.of[3])};
      const int left = p.hidden - quadPlace(number);
      if (left >= 4) {
        *reinterpret_cast<Words2*>(to + number * step) = pairs;
      } else {
        for (int i = 0; i < left; ++i) reinterpret_cast<std::uint16_t*>(to + number * step)[i] = toBf16(quad.of[i]);
      }
    };
    visitQuads(p.hidden, kept, store, [&](int number) { store(number, normalisedAgain(number)); });
    return;
  }
  std::uint32_t largest = 0;
  const auto take = [&](int number, const Four<float>& quad) {
    FORETRACE_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (quadPlace(number) + i < p.hidden && magnitudeOf(quad.of[i]) > largest) largest = magnitudeOf(quad.of[i]);
    }
  };
  visitQuads(p.hidden, kept, take, [&](int number) { take(number, normalisedAgain(number)); });
  const Quantiser quantiser = quantiserOf(blockLargest<normThreads>(largest), p.format);
  if (threadIdx.x == 0) p.quantised.scale[row] = quantiser.scale;
  std::uint8_t* const to = p.quantised.data + rowOffset(row, quadPlace(0), p.quantised.groups);
  const std::int64_t step = rowOffset(0, 4 * normThreads, p.quantised.groups);
  const auto store = [&](int number, const Four<float>& quad) {
    FORETRACE_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (quadPlace(number) + i < p.hidden) to[number * step + i] = quantise(quad.of[i], quantiser, p.format);
    }
  };
  visitQuads(p.hidden, kept, store, [&](int number) { store(number, normalisedAgain(number)); });
}

}  // namespace foretrace::cuda
