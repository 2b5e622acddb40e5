// int8 and bf16: rounding of rows and products of every instruction set, against exact sums and against each other.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/convert.h"
#include "cpu/reference.h"
#include "test/product_operands.h"

namespace foretrace {
namespace {

using cpu::AlignedBuffer;
using cpu::PackedMatrix;
using cpu::padded;
using test::before;
using test::checkNear;
using test::fill;
using test::multiply;
using test::multiplyInPanels;
using test::NamedTable;
using test::Operands;
using test::Random;
using test::Rounded;
using test::tables;

TEST("int8 products have the bits of the exact integer sum on every instruction set") {
  for (const std::int32_t rows : {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 24, 25, 40, 100}) {
    for (const std::int32_t depth : {1, 3, 63, 64, 65, 200, 1100}) {
      const Operands operands(rows, 16 * (rows % 9) + 7, depth);
      const PackedMatrix matrix = operands.pack(WeightType::int8);
      for (const NamedTable& table : tables()) {
        const bool accumulate = rows % 2 == 0;
        const auto found = multiply(*table.kernels, Rounded(*table.kernels, operands, WeightType::int8), matrix, 0, rows, accumulate);
        const Rounded exact(*cpu::portableKernels(), operands, WeightType::int8);  // signed bytes
        bool same = true;
        for (std::int32_t row = 0; row < rows; ++row) {
          for (std::int32_t column = 0; column < matrix.panels * 16; ++column) {
            std::int64_t sum = 0;
            for (std::int32_t k = 0; k < depth; ++k) {
              const std::uint8_t weight = matrix.panel(column / 16)[k / 4 * 64 + column % 16 * 4 + k % 4];
              sum += static_cast<std::int8_t>(exact.data.data()[row * exact.stride + k]) * static_cast<std::int8_t>(weight);
            }
            const float product = static_cast<float>(sum) * matrix.scales.data()[column] * exact.scales.data()[row];
            const float expected = accumulate ? before + product : product;
            same = same && found[static_cast<std::size_t>(row * matrix.panels * 16 + column)] == expected;
          }
        }
        CHECK_THAT(same, table.name + " rows " + std::to_string(rows) + " depth " + std::to_string(depth));
      }
    }
  }
}

TEST("int8 products are within the error of rounding both factors") {
  const Operands operands(9, 50, 300);
  const PackedMatrix matrix = operands.pack(WeightType::int8);
  for (const NamedTable& table : tables()) {
    const auto found = multiply(*table.kernels, Rounded(*table.kernels, operands, WeightType::int8), matrix, 0, 9, false);
    for (std::int32_t row = 0; row < 9; ++row) {
      for (std::int32_t column = 0; column < 50; ++column) {
        double expected = 0;
        double bound = 0;
        const double rowStep = (1.0 + row) / 127 / 2;  // half a step of the largest magnitude each factor can have
        for (std::int32_t k = 0; k < 300; ++k) {
          const auto a = static_cast<double>(operands.a.data()[row * padded(300) + k]);
          const auto w = static_cast<double>(operands.weights[static_cast<std::size_t>(column * 300 + k)]);
          expected += a * w;
          bound += std::abs(a) * 0.1 / 254 + std::abs(w) * rowStep + rowStep * 0.1 / 254;
        }
        checkNear(static_cast<double>(found[static_cast<std::size_t>(row * matrix.panels * 16 + column)]), expected, bound, table.name);
      }
    }
  }
}

TEST("bf16 products agree with the exact sum of the rounded factors") {
  for (const std::int32_t rows : {1, 2, 4, 6, 12, 13, 33, 100}) {
    for (const std::int32_t depth : {1, 2, 31, 32, 33, 200, 1000}) {
      const Operands operands(rows, 16 * (rows % 5) + 9, depth);
      const PackedMatrix matrix = operands.pack(WeightType::bf16);
      for (const NamedTable& table : tables()) {
        const auto found = multiply(*table.kernels, Rounded(*table.kernels, operands, WeightType::bf16), matrix, 0, rows, rows % 2 == 0);
        for (std::int32_t row = 0; row < rows; ++row) {
          for (std::int32_t column = 0; column < operands.columns; ++column) {
            double expected = rows % 2 == 0 ? static_cast<double>(before) : 0.0;
            double magnitude = std::abs(expected);
            for (std::int32_t k = 0; k < depth; ++k) {
              const auto round = [](float x) { return static_cast<double>(bf16ToFloat(floatToBf16(x))); };
              const double term = round(operands.a.data()[row * padded(depth) + k]) *
                                  round(operands.weights[static_cast<std::size_t>(column * depth + k)]);
              expected += term;
              magnitude += std::abs(term);
            }
            // Products of bf16 are exact in fp32; a sum of depth terms in any order, and products rounded once more.
            checkNear(static_cast<double>(found[static_cast<std::size_t>(row * matrix.panels * 16 + column)]), expected,
                      (depth + 3.0) * 0x1p-23 * magnitude, table.name + " depth " + std::to_string(depth));
          }
        }
      }
    }
  }
}

TEST("a row of a product has the same bits alone and among others") {
  constexpr std::int32_t most = 100;
  const Operands operands(most, 16 * 11, 193);
  for (const WeightType type : {WeightType::bf16, WeightType::int8}) {
    const PackedMatrix matrix = operands.pack(type);
    for (const NamedTable& table : tables()) {
      const Rounded rounded(*table.kernels, operands, type);
      std::vector<std::vector<float>> alone;
      for (std::int32_t row = 0; row < most; ++row) alone.push_back(multiply(*table.kernels, rounded, matrix, row, 1, false));
      for (const std::int32_t rows : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 23, 24, 25, 31, 32, 33, 64, 100}) {
        const auto among = multiply(*table.kernels, rounded, matrix, 0, rows, false);
        bool same = true;
        for (std::int32_t row = 0; row < rows; ++row) {
          const auto& single = alone[static_cast<std::size_t>(row)];
          same = same && std::memcmp(single.data(), among.data() + static_cast<std::size_t>(row) * single.size(),
                                     single.size() * sizeof(float)) == 0;
        }
        CHECK_THAT(same, table.name + " " + weightTypeName(type) + " of " + std::to_string(rows));
      }
    }
  }
}

TEST("a product has the same bits in rows and in panels, and nothing is written between panels") {
  for (const std::int32_t rows : {1, 3, 6, 13, 24, 33, 70}) {
    const Operands operands(rows, 16 * 11, 193);
    for (const WeightType type : {WeightType::fp32, WeightType::bf16, WeightType::int8}) {
      const PackedMatrix matrix = operands.pack(type);
      for (const NamedTable& table : tables()) {
        const Rounded rounded(*table.kernels, operands, type == WeightType::fp32 ? WeightType::bf16 : type);
        const cpu::InputRows input = type == WeightType::fp32 ? operands.rowsOfFp32() : rounded;
        for (const bool added : {false, true}) {
          const auto inRows = multiply(*table.kernels, input, matrix, 0, rows, added);
          const auto outcome = added ? cpu::Outcome::added : cpu::Outcome::stored;
          CHECK_THAT(multiplyInPanels(*table.kernels, input, matrix, rows, outcome, 3) == inRows,
                     table.name + " " + weightTypeName(type) + " of " + std::to_string(rows));
        }
      }
    }
  }
}

TEST("rows that are zero, tiny or not finite") {
  constexpr std::int64_t width = 32;
  for (const NamedTable& table : tables()) {
    AlignedBuffer<float> x(width, "x");
    std::uint8_t out[64];
    float scale = -1.0F;
    table.kernels->roundInt8(cpu::RowSource::plain(x.data(), width), nullptr, out, &scale);
    CHECK(scale == 0.0F);
    x.data()[5] = 1e-38F;  // 127 / x would be infinite
    table.kernels->roundInt8(cpu::RowSource::plain(x.data(), width), nullptr, out, &scale);
    CHECK(scale == 0.0F);
    for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
      x.data()[7] = bad;
      table.kernels->roundInt8(cpu::RowSource::plain(x.data(), width), nullptr, out, &scale);
      CHECK(std::isnan(scale));
      table.kernels->roundBf16(cpu::RowSource::plain(x.data(), width), out);
      std::uint16_t half = 0;
      std::memcpy(&half, out + 14, sizeof half);
      CHECK(half == floatToBf16(bad));
    }
  }
}

TEST("rounding to int8 gives the nearest values, the same on every instruction set") {
  constexpr std::int64_t width = 1024;
  Random random(9);
  AlignedBuffer<float> x(width, "x");
  fill(x.data(), width, random, 3.0);
  x.data()[3] = 3.5F;   // the largest: becomes 127
  x.data()[4] = -3.5F;
  for (const NamedTable& table : tables()) {
    std::vector<std::uint8_t> out(width);
    float scale = 0;
    table.kernels->roundInt8(cpu::RowSource::plain(x.data(), width), nullptr, out.data(), &scale);
    CHECK(scale == 3.5F / 127.0F);
    const int offset = static_cast<int>(out[3]) - 127;  // 0 or 128: signed or unsigned bytes
    CHECK(offset == 0 || offset == 128);
    for (std::int64_t i = 0; i < width; ++i) {
      const int value = offset == 0 ? static_cast<std::int8_t>(out[static_cast<std::size_t>(i)])
                                    : static_cast<int>(out[static_cast<std::size_t>(i)]) - 128;
      CHECK(value == static_cast<int>(std::nearbyint(x.data()[i] * (127.0F / 3.5F))));
    }
  }
}

/// A row of `width` floats, its panels 48 apart, and the weights of a norm.
struct NormedRow {
  std::int32_t length;
  AlignedBuffer<float> panels;
  AlignedBuffer<float> norm;

  explicit NormedRow(std::int32_t width) : length(width), panels(3 * cpu::padded(width), "panels"), norm(cpu::padded(width), "norm") {
    Random random(static_cast<std::uint64_t>(width));
    fill(panels.data(), panels.size(), random, 1e30);  // between panels and behind the row: not to be read as its numbers
    fill(norm.data(), width, random, 2.0);
    for (std::int64_t i = 0; i < cpu::padded(width); ++i) {
      panels.data()[i / 16 * 48 + i % 16] = i < width ? static_cast<float>(random.symmetric() * 3.0) : 0.0F;
    }
  }
  [[nodiscard]] std::vector<float> inOneStretch() const {
    std::vector<float> values;
    for (std::int64_t i = 0; i < cpu::padded(length); ++i) values.push_back(panels.data()[i / 16 * 48 + i % 16]);
    return values;
  }
  [[nodiscard]] cpu::RowSource source(const float* weights) const {
    return {panels.data(), 48, static_cast<std::int32_t>(cpu::padded(length) / 16), weights, 1e-5F, length};
  }
};

TEST("a row in panels is rounded as one that stands in one stretch") {
  for (const std::int32_t width : {5, 16, 63, 64, 100, 576}) {
    const NormedRow row(width);
    const auto values = row.inOneStretch();
    const auto plain = cpu::RowSource::plain(values.data(), cpu::padded(width));
    for (const NamedTable& table : tables()) {
      std::vector<std::uint8_t> bytes(640, 0x55);
      std::vector<std::uint8_t> expected(640, 0x55);
      float scale = 0;
      float expectedScale = 0;
      table.kernels->roundInt8(row.source(nullptr), nullptr, bytes.data(), &scale);
      table.kernels->roundInt8(plain, nullptr, expected.data(), &expectedScale);
      CHECK_THAT(bytes == expected && scale == expectedScale, table.name + " int8");
      std::vector<std::uint8_t> halves(1280, 0x55);
      std::vector<std::uint8_t> expectedHalves(1280, 0x55);
      table.kernels->roundBf16(row.source(nullptr), halves.data());
      table.kernels->roundBf16(plain, expectedHalves.data());
      CHECK_THAT(halves == expectedHalves, table.name + " bf16");
    }
  }
}

TEST("a row that is normalised on the way to its rounding is near the reference") {
  for (const std::int32_t width : {5, 16, 63, 64, 100, 576}) {
    const NormedRow row(width);
    const auto values = row.inOneStretch();
    const auto expected = reference::rmsNorm({values.begin(), values.begin() + width}, {row.norm.data(), row.norm.data() + width}, 1e-5);
    double most = 0;
    for (const double value : expected) most = std::max(most, std::abs(value));
    for (const NamedTable& table : tables()) {
      std::vector<float> scratch(static_cast<std::size_t>(cpu::padded(width)));
      std::vector<std::uint8_t> bytes(640);
      float scale = 0;
      table.kernels->roundInt8(row.source(row.norm.data()), scratch.data(), bytes.data(), &scale);
      checkNear(static_cast<double>(scale), most / 127.0, 1e-6 * most, table.name + " scale");
      std::vector<float> zeros(static_cast<std::size_t>(cpu::padded(width)), 0.0F);
      std::uint8_t zero[640];
      float none = 0;
      table.kernels->roundInt8(cpu::RowSource::plain(zeros.data(), cpu::padded(width)), nullptr, zero, &none);
      std::vector<std::uint16_t> halves(640);
      table.kernels->roundBf16(row.source(row.norm.data()), reinterpret_cast<std::uint8_t*>(halves.data()));
      for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) {
        const int value = static_cast<std::int8_t>(static_cast<std::uint8_t>(bytes[i] - zero[0]));
        checkNear(static_cast<double>(scale) * value, expected[i], 0.501 * most / 127.0, table.name + " int8");
        checkNear(static_cast<double>(bf16ToFloat(halves[i])), expected[i], 0x1.01p-8 * std::abs(expected[i]), table.name + " bf16");
      }
    }
  }
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
