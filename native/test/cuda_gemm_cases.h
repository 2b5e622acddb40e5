// Cases of the matrix product, for a GPU and for the emulator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "cuda/fragment.h"
#include "cuda/launch.h"
#include "test/check.h"
#include "test/cuda_memory.h"

namespace foretrace::test::gemm_cases {  // TEST names its functions by line: one namespace a file

/// A product of random matrices and its parts on the device.
struct GemmCase {
  cuda::GemmShape shape;
  int rows;
  std::vector<std::uint16_t> weights;  ///< [outs, depth]
  std::vector<std::uint16_t> input;    ///< [rows, inputStride], padding zero
  cuda::DeviceBuffer<std::uint16_t> packed;

  GemmCase(std::int32_t outs, std::int32_t depth, int rowCount) : shape(cuda::gemmShape(outs, depth)), rows(rowCount) {
    weights = randomBf16(static_cast<std::size_t>(outs) * static_cast<std::size_t>(depth), 1.0, 1);
    std::vector<std::uint16_t> arranged(static_cast<std::size_t>(shape.packedElements()), 0);
    for (std::int64_t out = 0; out < outs; ++out) {
      for (std::int64_t k = 0; k < depth; ++k) {
        arranged[static_cast<std::size_t>(cuda::packedOffset(out, k, shape.depthBlocks))] = weights[static_cast<std::size_t>(out * depth + k)];
      }
    }
    packed = onDevice(arranged);
    const std::vector<std::uint16_t> values = randomBf16(static_cast<std::size_t>(rows) * static_cast<std::size_t>(depth), 1.0, 2);
    input.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(shape.inputStride()), 0);
    for (int row = 0; row < rows; ++row) std::copy_n(values.begin() + row * depth, depth, input.begin() + row * shape.inputStride());
  }

  /// Results of rows [first, first + count), summed over splits: [count, outputStride].
  [[nodiscard]] std::vector<float> run(int first, int count, bool sequential, int splits) const {
    const cuda::DeviceBuffer<std::uint16_t> rowsOnDevice =
        onDevice(std::vector<std::uint16_t>(input.begin() + first * shape.inputStride(), input.begin() + (first + count) * shape.inputStride()));
    const int results = sequential ? 1 : splits;
    const std::int64_t stride = shape.outputStride();
    const cuda::DeviceBuffer<float> partial = onDevice(std::vector<float>(static_cast<std::size_t>(results * count * stride), NAN));
    const cuda::DeviceBuffer<float> sums = onDevice(std::vector<float>(static_cast<std::size_t>(count * stride), NAN));
    cuda::launchGemm({packed.data(), rowsOnDevice.data(), partial.data(), stride, count * stride, shape.inputStride(), count,
                      shape.depthBlocks, splits, sequential}, shape, testStream);
    cuda::launchSumSplits({partial.data(), stride, count * stride, results}, sums.data(), stride, count, static_cast<int>(stride), testStream);
    return fromDevice(sums);
  }
};

/// Largest error of a result, relative to the sum of the magnitudes of its terms; infinite for a padding output that is
/// not zero or a result that is no number.
inline double worstError(const GemmCase& product, const std::vector<float>& found) {
  double worst = 0;
  for (int row = 0; row < product.rows; ++row) {
    for (std::int64_t out = 0; out < product.shape.outputStride(); ++out) {
      double sum = 0;
      double magnitude = 1e-30;
      for (std::int64_t k = 0; out < product.shape.outs && k < product.shape.depth; ++k) {
        const double term = bf16ToDouble(product.weights[static_cast<std::size_t>(out * product.shape.depth + k)]) *
                            bf16ToDouble(product.input[static_cast<std::size_t>(row * product.shape.inputStride() + k)]);
        sum += term;
        magnitude += std::abs(term);
      }
      const double error = std::abs(static_cast<double>(found[static_cast<std::size_t>(row * product.shape.outputStride() + out)]) - sum) / magnitude;
      if (!(error <= worst)) worst = std::isnan(error) ? INFINITY : error;
    }
  }
  return worst;
}

inline bool sameRow(const std::vector<float>& a, std::int64_t rowOfA, const std::vector<float>& b, std::int64_t rowOfB, std::int64_t stride) {
  return std::memcmp(a.data() + rowOfA * stride, b.data() + rowOfB * stride, static_cast<std::size_t>(stride) * sizeof(float)) == 0;
}

inline std::vector<std::pair<std::int32_t, std::int32_t>> gemmShapes(bool emulated) {
  if (emulated) return {{40, 50}, {130, 1030}};
  return {{40, 50}, {128, 64}, {130, 1030}, {1025, 256}, {640, 2048}, {256, 8192}};
}

inline std::vector<int> gemmRows(bool emulated) {
  if (emulated) return {1, 9, 20, 40, 70};
  return {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 256, 300};
}

TEST("the matrix product agrees with double precision for every tile, odd rows and padded shapes") {
  for (const auto& [outs, depth] : gemmShapes(emulated)) {
    for (const int rows : gemmRows(emulated)) {
      const GemmCase product(outs, depth, rows);
      for (const bool sequential : {false, true}) {
        const double worst = worstError(product, product.run(0, rows, sequential, product.shape.splits));
        // fp32 sums of at most 8192 terms, rounded or truncated; a wrong element is off by a hundredth at least.
        CHECK_THAT(worst <= 1e-4, std::to_string(outs) + "x" + std::to_string(depth) + " rows " + std::to_string(rows) + ": " + std::to_string(worst));
      }
    }
  }
}

TEST("a row of the matrix product has the same bits alone and among any number of rows, splits summed anywhere") {
  for (const auto& [outs, depth] : gemmShapes(emulated)) {
    const GemmCase product(outs, depth, emulated ? 70 : 300);
    const std::int64_t stride = product.shape.outputStride();
    const std::vector<float> whole = product.run(0, product.rows, true, product.shape.splits);
    for (const int count : gemmRows(emulated)) {
      if (count > product.rows) continue;
      const int first = product.rows - count;
      for (const bool sequential : {false, true}) {
        const std::vector<float> part = product.run(first, count, sequential, product.shape.splits);
        for (int row = 0; row < count; ++row) {
          if (!CHECK_THAT(sameRow(whole, first + row, part, row, stride), "rows " + std::to_string(count))) break;
        }
      }
    }
  }
}

TEST("a depth split otherwise gives other bits: what the comparison of rows would see") {
  const GemmCase product(130, 1030, 4);
  CHECK(product.shape.splits > 1);
  CHECK(product.run(0, 4, false, product.shape.splits) != product.run(0, 4, false, 1));
}

}  // namespace foretrace::test::gemm_cases
