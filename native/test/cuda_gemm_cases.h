// Cases of the matrix product, for a GPU and for the emulator: every format, with mma.sync and with wgmma.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "cuda/float8.h"
#include "cuda/fragment.h"
#include "cuda/launch.h"
#include "cuda/products.h"
#include "test/check.h"
#include "test/cuda_memory.h"

namespace foretrace::test::gemm_cases {  // TEST names its functions by line: one namespace a file

using cuda::WeightFormat;

/// A format and the kind of instruction that multiplies it.
struct Kind {
  WeightFormat format;
  bool warpgroups;
  [[nodiscard]] std::string text() const { return std::string(cuda::weightFormatName(format)) + (warpgroups ? " wgmma " : " mma "); }
};

inline std::vector<Kind> kinds() {
  std::vector<Kind> list;
  const std::int32_t capability = cuda::selectDevice(0).capability;
  for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8, WeightFormat::fp8}) {
    if (format == WeightFormat::fp8 && capability < 89) continue;
    list.push_back({format, false});
    if (cuda::warpgroupsCompiled()) list.push_back({format, true});
  }
  return list;
}

/// Numbers of a format as they are stored, row by row.
struct Numbers {
  WeightFormat format;
  std::int64_t columns;
  std::vector<std::uint8_t> bytes;

  Numbers(WeightFormat kind, std::int64_t rows, std::int64_t width, std::uint64_t seed) : format(kind), columns(width) {
    const auto count = static_cast<std::size_t>(rows * width);
    bytes.resize(count * static_cast<std::size_t>(cuda::elementBytes(format)));
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<float>(random.symmetric());
      if (format == WeightFormat::bf16) {
        const std::uint16_t bits = floatToBf16(value);
        std::memcpy(bytes.data() + 2 * i, &bits, 2);
      } else {
        // fp8: from the smallest numbers to the largest, or sums would be exact in fp32.
        bytes[i] = format == WeightFormat::int8 ? static_cast<std::uint8_t>(static_cast<std::int8_t>(127 * value)) : cuda::floatToFloat8(448 * value * value * value);
      }
    }
  }

  [[nodiscard]] double at(std::int64_t row, std::int64_t column) const {
    const auto i = static_cast<std::size_t>(row * columns + column);
    if (format == WeightFormat::int8) return static_cast<double>(static_cast<std::int8_t>(bytes[i]));
    if (format == WeightFormat::fp8) return static_cast<double>(cuda::float8ToFloat(bytes[i]));
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + 2 * i, 2);
    return bf16ToDouble(bits);
  }
  [[nodiscard]] std::int64_t rowBytes() const { return columns * cuda::elementBytes(format); }
};

/// A product of random matrices and its parts on the device.
struct GemmCase {
  Kind kind;
  cuda::GemmShape shape;
  int rows;
  Numbers weights;  ///< [outs, depth]
  Numbers input;    ///< [rows, depth]
  cuda::DeviceBuffer<std::uint8_t> packed;

  GemmCase(const Kind& which, std::int32_t outs, std::int32_t depth, int rowCount)
      : kind(which), shape(cuda::gemmShape(outs, depth, which.format)), rows(rowCount), weights(which.format, outs, depth, 1),
        input(which.format, rowCount, depth, 2) {
    std::vector<std::uint8_t> arranged(static_cast<std::size_t>(shape.packedBytes()), 0);
    for (std::int64_t out = 0; out < outs; ++out) {
      for (std::int64_t byte = 0; byte < weights.rowBytes(); ++byte) {
        arranged[static_cast<std::size_t>(cuda::packedOffset(out, byte, shape.depthBlocks))] = weights.bytes[static_cast<std::size_t>(out * weights.rowBytes() + byte)];
      }
    }
    packed = onDevice(arranged);
  }

  /// Rows [first, first + count) as a kernel reads them. What lies beside them holds NaNs; their own padding is zero.
  [[nodiscard]] std::vector<std::uint8_t> rowsAsStored(int first, int count, int groups) const {
    std::vector<std::uint8_t> stored(static_cast<std::size_t>(groups * shape.depthBlocks * cuda::groupBytes), 0xFF);
    for (int row = 0; row < count; ++row) {
      for (std::int64_t byte = 0; byte < std::int64_t{shape.depthBlocks} * cuda::depthBytes; ++byte) {
        const bool exists = byte < input.rowBytes();
        stored[static_cast<std::size_t>(cuda::rowOffset(row, byte, groups))] = exists ? input.bytes[static_cast<std::size_t>((first + row) * input.rowBytes() + byte)] : std::uint8_t{0};
      }
    }
    return stored;
  }

  /// Results of rows [first, first + count), summed over splits: [count, outputStride].
  [[nodiscard]] std::vector<float> run(int first, int count, bool sequential, int splits) const {
    const int groups = cuda::rowGroups(count) + 1;
    const auto rowsOnDevice = onDevice(rowsAsStored(first, count, groups));
    const int results = sequential ? 1 : splits;
    const std::int64_t stride = shape.outputStride();
    const auto partial = onDevice(std::vector<float>(static_cast<std::size_t>(results * count * stride), NAN));
    const auto sums = onDevice(std::vector<float>(static_cast<std::size_t>(count * stride), NAN));
    const auto ones = onDevice(std::vector<float>(static_cast<std::size_t>(std::max<std::int64_t>(stride, count)), 1.0F));
    cuda::launchGemm({packed.data(), rowsOnDevice.data(), partial.data(), stride, count * stride, groups, count, shape.depthBlocks, splits, sequential,
                      shape.format, kind.warpgroups}, shape, testStream);
    cuda::launchSumSplits({partial.data(), stride, count * stride, results, shape.format, ones.data(), ones.data()}, sums.data(), stride, count,
                          static_cast<int>(stride), testStream);
    return fromDevice(sums);
  }
};

/// The product in double precision, and the sum of the magnitudes of its terms: [rows, outputStride], zero for padding outputs.
struct Expected {
  std::vector<double> sum;
  std::vector<double> magnitude;

  explicit Expected(const GemmCase& product) {
    const auto matrix = [](const Numbers& numbers, std::int64_t rows) {
      std::vector<double> values;
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t k = 0; k < numbers.columns; ++k) values.push_back(numbers.at(row, k));
      }
      return values;
    };
    const std::int64_t depth = product.shape.depth;
    const auto weights = matrix(product.weights, product.shape.outs);
    const auto input = matrix(product.input, product.rows);
    sum.assign(static_cast<std::size_t>(product.rows * product.shape.outputStride()), 0.0);
    magnitude.assign(sum.size(), 1e-30);
    for (std::int64_t row = 0; row < product.rows; ++row) {
      for (std::int64_t out = 0; out < product.shape.outs; ++out) {
        const auto at = static_cast<std::size_t>(row * product.shape.outputStride() + out);
        const double* a = weights.data() + out * depth;
        const double* b = input.data() + row * depth;
        for (std::int64_t k = 0; k < depth; ++k) {
          sum[at] += a[k] * b[k];
          magnitude[at] += std::abs(a[k] * b[k]);
        }
      }
    }
  }
};

/// Largest error of the first rows, relative to the magnitudes (int8: absolute); infinite for a result that is no number.
inline double worstError(WeightFormat format, const Expected& expected, const std::vector<float>& found) {
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double value = static_cast<double>(found[i]);
    const double error = format == WeightFormat::int8 ? std::abs(value - static_cast<double>(static_cast<float>(expected.sum[i])))
                                                      : std::abs(value - expected.sum[i]) / expected.magnitude[i];
    if (!(error <= worst)) worst = std::isnan(error) ? INFINITY : error;
  }
  return worst;
}

/// What worstError may be. int8 is exact. bf16: fp32 sums of at most 8192 terms, rounded or truncated. fp8: tensor cores keep
/// 13 bits or more below the largest term of a sum of 128. A wrong element is off by a hundredth at least.
inline double errorBound(WeightFormat format) { return format == WeightFormat::int8 ? 0 : format == WeightFormat::bf16 ? 1e-4 : 1e-3; }

inline bool sameRow(const std::vector<float>& a, std::int64_t rowOfA, const std::vector<float>& b, std::int64_t rowOfB, std::int64_t stride) {
  return std::memcmp(a.data() + rowOfA * stride, b.data() + rowOfB * stride, static_cast<std::size_t>(stride) * sizeof(float)) == 0;
}

/// A single block, and one with splits that goes round the pipelines in every format.
inline std::vector<std::pair<std::int32_t, std::int32_t>> gemmShapes(bool emulated) {
  if (emulated) return {{40, 50}, {130, 1100}};
  return {{40, 50}, {128, 64}, {130, 1030}, {1025, 256}, {640, 2048}, {256, 8192}};
}

inline std::vector<int> gemmRows(bool emulated) {
  if (emulated) return {1, 9, 20, 40, 70};
  return {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 256, 300};
}

TEST("the matrix product agrees with double precision for every tile, odd rows and padded shapes") {
  for (const Kind& kind : kinds()) {
    for (const auto& [outs, depth] : gemmShapes(emulated)) {
      const GemmCase product(kind, outs, depth, gemmRows(emulated).back());
      const Expected expected(product);
      for (const int rows : gemmRows(emulated)) {
        for (const bool sequential : {false, true}) {
          const double worst = worstError(kind.format, expected, product.run(0, rows, sequential, product.shape.splits));
          CHECK_THAT(worst <= errorBound(kind.format),
                     kind.text() + std::to_string(outs) + "x" + std::to_string(depth) + " rows " + std::to_string(rows) + ": " + std::to_string(worst));
        }
      }
    }
  }
}

TEST("a row of the matrix product has the same bits alone and among any number of rows, splits summed anywhere") {
  for (const Kind& kind : kinds()) {
    for (const auto& [outs, depth] : gemmShapes(emulated)) {
      const GemmCase product(kind, outs, depth, emulated ? 70 : 300);
      const std::int64_t stride = product.shape.outputStride();
      const std::vector<float> whole = product.run(0, product.rows, true, product.shape.splits);
      for (const int count : gemmRows(emulated)) {
        if (count > product.rows) continue;
        const int first = product.rows - count;
        for (const bool sequential : {false, true}) {
          const std::vector<float> part = product.run(first, count, sequential, product.shape.splits);
          for (int row = 0; row < count; ++row) {
            if (!CHECK_THAT(sameRow(whole, first + row, part, row, stride), kind.text() + "rows " + std::to_string(count))) break;
          }
        }
      }
    }
  }
}

TEST("blocks of 256 rows, for many rows of a matrix that is not split: odd rows, and the same bits as a single row") {
  for (const Kind& kind : kinds()) {
    if (kind.format == WeightFormat::fp8 || !kind.warpgroups) continue;
    const GemmCase product(kind, 40, 50, 267);
    CHECK(product.shape.splits == 1);
    const std::vector<float> whole = product.run(0, product.rows, true, 1);
    const double worst = worstError(kind.format, Expected(product), whole);
    CHECK_THAT(worst <= errorBound(kind.format), kind.text() + std::to_string(worst));
    for (const int row : {0, 7, 255, 256, 266}) CHECK_THAT(sameRow(whole, row, product.run(row, 1, false, 1), 0, product.shape.outputStride()), kind.text());
  }
}

TEST("a depth split otherwise gives other bits, but for exact sums: what the comparison of rows would see") {
  for (const Kind& kind : kinds()) {
    const GemmCase product(kind, 130, 1100, 4);
    CHECK(product.shape.splits > 1);
    const bool same = product.run(0, 4, false, product.shape.splits) == product.run(0, 4, false, 1);
    // Tensor cores keep so few bits of a sum of fp8 that the sums of blocks may be exact.
    if (kind.format == WeightFormat::fp8 && !emulated) continue;
    CHECK_THAT(same == (kind.format == WeightFormat::int8), kind.text());
  }
}

TEST("wgmma and mma.sync agree, and \"auto\" finds so") {
  if (!cuda::warpgroupsCompiled()) {
    CHECK(!cuda::usesWarpgroups("auto", testStream));
    CHECK_ERROR("unsupported_device", (void)cuda::usesWarpgroups("wgmma", testStream));
    return;
  }
  CHECK(cuda::usesWarpgroups("auto", testStream) && cuda::usesWarpgroups("wgmma", testStream) && !cuda::usesWarpgroups("mma", testStream));
  CHECK_ERROR("invalid_argument", (void)cuda::usesWarpgroups("fast", testStream));
  const GemmCase plain({WeightFormat::bf16, false}, 256, 1024, 24);
  const GemmCase grouped({WeightFormat::bf16, true}, 256, 1024, 24);
  const bool same = plain.run(0, 24, false, plain.shape.splits) == grouped.run(0, 24, false, grouped.shape.splits);
  std::printf("bf16: wgmma and mma.sync give %s bits here\n", same ? "the same" : "different");
}

}  // namespace foretrace::test::gemm_cases
