// Cases of the rounding of weights and rows to one byte an element, for a GPU and for the emulator: int8 to the bit as on the
// CPU, fp8 as defined.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/packed_weights.h"
#include "test/cuda_elementwise_cases.h"

namespace foretrace::test::quantise_cases {  // TEST names its functions by line: one namespace a file

using cuda::WeightFormat;
using elementwise_cases::StoredRows;

/// Rows that reach every branch: ordinary ones, one of ties, zeros, one below what counts, an infinity, a NaN.
inline std::vector<float> rowsToRound(int width) {
  std::vector<float> values = randomFloats(static_cast<std::size_t>(3 * width), 5.0, 31);
  for (int k = 0; k < width; ++k) values.push_back(k == 0 ? 127.0F : static_cast<float>(k % 50) + 0.5F);
  values.insert(values.end(), static_cast<std::size_t>(width), 0.0F);
  values.insert(values.end(), static_cast<std::size_t>(width), 1e-31F);
  for (const float special : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    values.insert(values.end(), static_cast<std::size_t>(width), 1.0F);
    values[values.size() - 2] = special;
  }
  return values;
}

inline bool sameScale(float a, float b) { return std::isnan(a) ? std::isnan(b) : a == b; }

TEST("rows are rounded to int8 to the bit as the CPU rounds them") {
  constexpr int width = 160;
  const std::vector<float> values = rowsToRound(width);
  const int rows = static_cast<int>(values.size()) / width;
  const StoredRows output(rows, width, 1);
  const auto wide = onDevice(values);
  cuda::launchQuantise({wide.data(), width, output.quantised(), WeightFormat::int8, rows, width}, testStream);
  const auto found = fromDevice(output.data);
  const auto scales = fromDevice(output.scale);
  for (int row = 0; row < rows; ++row) {
    std::vector<std::uint8_t> expected(192);
    float scale = 0;
    cpu::portableKernels()->roundInt8(cpu::RowSource::plain(values.data() + row * width, width), nullptr, expected.data(), &scale);
    bool same = sameScale(scale, scales[static_cast<std::size_t>(row)]);
    for (int k = 0; k < width; ++k) same = same && found[static_cast<std::size_t>(cuda::rowOffset(row, k, output.groups))] == expected[static_cast<std::size_t>(k)];
    CHECK_THAT(same && found[static_cast<std::size_t>(cuda::rowOffset(row, width, output.groups))] == 7, "row " + std::to_string(row));
  }
}

TEST("weights are rounded to int8 to the bit as the CPU rounds them, whatever their type") {
  constexpr int depth = 150;
  const std::vector<float> values = rowsToRound(depth);
  const auto outs = static_cast<std::int32_t>(values.size() / depth);
  const cuda::GemmShape shape = cuda::gemmShape(outs + 3, depth, WeightFormat::int8);
  const auto source = onDevice(values);
  const auto packed = onDevice(std::vector<std::uint8_t>(static_cast<std::size_t>(shape.packedBytes()), 0));
  const auto scale = onDevice(std::vector<float>(static_cast<std::size_t>(shape.scales()), 0));
  cuda::launchPack({packed.data(), scale.data(), source.data(), DType::f32, shape.format, 3, outs, depth, shape.depthBlocks}, testStream);
  const auto found = fromDevice(packed);
  const auto scales = fromDevice(scale);
  const TensorView tensor{reinterpret_cast<const std::byte*>(values.data()), DType::f32, {outs, depth}};
  const cpu::PackedMatrix expected = cpu::packMatrix(tensor, WeightType::int8);
  for (std::int64_t out = 0; out < outs; ++out) {
    bool same = sameScale(expected.scales.data()[out], scales[static_cast<std::size_t>(out + 3)]);
    for (std::int64_t k = 0; k < depth; ++k) {
      const std::uint8_t wanted = expected.panel(out / 16)[out % 16 * 4 + k / 4 * 64 + k % 4];
      same = same && found[static_cast<std::size_t>(cuda::packedOffset(out + 3, k, shape.depthBlocks))] == wanted;
    }
    CHECK_THAT(same, "output " + std::to_string(out));
  }
}

TEST("rows are rounded to fp8 with the scale that makes the largest 448") {
  constexpr int width = 160;
  const std::vector<float> values = rowsToRound(width);
  const int rows = static_cast<int>(values.size()) / width;
  const StoredRows output(rows, width, 1);
  const auto wide = onDevice(values);
  cuda::launchQuantise({wide.data(), width, output.quantised(), WeightFormat::fp8, rows, width}, testStream);
  const auto found = fromDevice(output.data);
  const auto scales = fromDevice(output.scale);
  for (int row = 0; row < rows; ++row) {
    float largest = 0;
    bool finite = true;
    for (int k = 0; k < width; ++k) {
      const float value = values[static_cast<std::size_t>(row * width + k)];
      largest = std::max(largest, std::abs(value));
      finite = finite && std::isfinite(value);
    }
    const double scale = static_cast<double>(scales[static_cast<std::size_t>(row)]);
    if (!finite) {
      CHECK(std::isnan(scale));
      continue;
    }
    const bool counts = largest >= 1e-30F;  // a row below it becomes zero
    CHECK(std::abs(scale * 448 - static_cast<double>(counts ? largest : 0.0F)) <= 1e-6 * static_cast<double>(largest));
    for (int k = 0; k < width; ++k) {
      const double value = static_cast<double>(values[static_cast<std::size_t>(row * width + k)]);
      const double stored = scale * static_cast<double>(cuda::float8ToFloat(found[static_cast<std::size_t>(cuda::rowOffset(row, k, output.groups))]));
      // Half of the last of three bits, or half of the smallest number.
      CHECK_THAT(counts ? std::abs(stored - value) <= std::abs(value) / 16 * 1.0001 + scale * 0x1p-10 : stored == 0, "row " + std::to_string(row));
    }
  }
}

TEST("products of one byte an element are scaled by column and row, split or not, and norms are rounded") {
  const int rows = 2;
  const int hidden = 77;
  const int stride = 128;  // what products write, padding included
  const std::vector<std::int32_t> sums = [&] {
    std::vector<std::int32_t> list;
    Random random(8);
    for (int i = 0; i < 3 * rows * stride; ++i) list.push_back(random.below(4000000) - 2000000);
    return list;
  }();
  const std::vector<float> columnScale = randomFloats(static_cast<std::size_t>(stride), 1e-4, 9);
  const std::vector<float> rowScale{0.01F, 0.02F};
  const auto sumsOnDevice = onDevice(sums);
  const auto columns = onDevice(columnScale);
  const auto rowsOnDevice = onDevice(rowScale);
  const cuda::PartialSums pending{sumsOnDevice.data(), stride, rows * stride, 3, WeightFormat::int8, columns.data(), rowsOnDevice.data()};
  const auto residual = onDevice(std::vector<float>(static_cast<std::size_t>(rows * hidden), 0.0F));
  const auto weight = onDevice(std::vector<float>(static_cast<std::size_t>(hidden), 2.0F));
  const StoredRows output(rows, hidden, 1);
  cuda::launchNorm({residual.data(), pending, weight.data(), nullptr, {}, output.quantised(), WeightFormat::int8, rows, hidden, 1e-5F}, testStream);
  const auto found = fromDevice(output.data);
  const auto scales = fromDevice(output.scale);
  const auto updated = fromDevice(residual);
  for (int row = 0; row < rows; ++row) {
    reference::Vector x;
    for (int k = 0; k < hidden; ++k) {
      const auto at = static_cast<std::size_t>(row * stride + k);
      const std::int32_t total = sums[at] + sums[at + static_cast<std::size_t>(rows * stride)] + sums[at + static_cast<std::size_t>(2 * rows * stride)];
      const float expected = static_cast<float>(total) * columnScale[static_cast<std::size_t>(k)] * rowScale[static_cast<std::size_t>(row)];
      CHECK(updated[static_cast<std::size_t>(row * hidden + k)] == expected);
      x.push_back(static_cast<double>(expected));
    }
    const auto normalised = reference::rmsNorm(x, reference::Vector(static_cast<std::size_t>(hidden), 2.0), 1e-5);
    const double scale = static_cast<double>(scales[static_cast<std::size_t>(row)]);
    for (int k = 0; k < hidden; ++k) {
      const auto code = static_cast<std::int8_t>(found[static_cast<std::size_t>(cuda::rowOffset(row, k, output.groups))]);
      CHECK(std::abs(static_cast<double>(code) * scale - normalised[static_cast<std::size_t>(k)]) <= 0.501 * scale);
    }
  }
}

}  // namespace foretrace::test::quantise_cases
