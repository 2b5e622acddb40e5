// The AMX products on an emulated tile unit: the source is the one that runs on processors that have it.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/convert.h"
#include "test/emulated_table.h"
#include "test/product_operands.h"

namespace foretrace {
namespace {

using cpu::padded;
using test::EmulatedTiles;
using test::Operands;
using test::Rounded;

constexpr std::int32_t manyRows[] = {1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 70, 100};

bool sameRow(const std::vector<float>& alone, const std::vector<float>& among, std::int32_t row) {
  return std::memcmp(alone.data(), among.data() + static_cast<std::size_t>(row) * alone.size(), alone.size() * sizeof(float)) == 0;
}

TEST("int8 products on tiles have the bits of the portable kernel, and no instruction faults") {
  const cpu::KernelTable tiles = cpu::emulatedTable();
  const cpu::KernelTable& portable = *cpu::portableKernels();
  for (const std::int32_t rows : manyRows) {
    for (const std::int32_t depth : {1, 64, 65, 200, 1300}) {  // the deepest: more than stays in the nearest cache
      const Operands operands(rows, 16 * (rows % 4) + 9, depth);
      const cpu::PackedMatrix matrix = operands.pack(WeightType::int8);
      const bool accumulate = rows % 2 == 0;
      const auto expected = test::multiply(portable, Rounded(portable, operands, WeightType::int8), matrix, 0, rows, accumulate);
      const auto found = test::multiply(tiles, Rounded(tiles, operands, WeightType::int8), matrix, 0, rows, accumulate);
      CHECK_THAT(found.size() == expected.size() && std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) == 0,
                 std::to_string(rows) + " rows, depth " + std::to_string(depth));
      CHECK(EmulatedTiles::faults == 0 && !EmulatedTiles::configured);
    }
  }
}

TEST("bf16 products on tiles agree with the exact sum of the rounded factors, and no instruction faults") {
  const cpu::KernelTable tiles = cpu::emulatedTable();
  const auto round = [](float x) { return static_cast<double>(bf16ToFloat(floatToBf16(x))); };
  for (const std::int32_t rows : manyRows) {
    for (const std::int32_t depth : {1, 32, 33, 200, 620}) {
      const Operands operands(rows, 16 * (rows % 4) + 9, depth);
      const cpu::PackedMatrix matrix = operands.pack(WeightType::bf16);
      const auto found = test::multiply(tiles, Rounded(tiles, operands, WeightType::bf16), matrix, 0, rows, false);
      for (std::int32_t row = 0; row < rows; ++row) {
        for (std::int32_t column = 0; column < operands.columns; ++column) {
          double expected = 0;
          double magnitude = 0;
          for (std::int32_t k = 0; k < depth; ++k) {
            const double term = round(operands.a.data()[row * padded(depth) + k]) *
                                round(operands.weights[static_cast<std::size_t>(column * depth + k)]);
            expected += term;
            magnitude += std::abs(term);
          }
          test::checkNear(static_cast<double>(found[static_cast<std::size_t>(row * matrix.panels * 16 + column)]), expected,
                          (depth + 3.0) * 0x1p-23 * magnitude, "tiles");
        }
      }
      CHECK(EmulatedTiles::faults == 0 && !EmulatedTiles::configured);
    }
  }
}

TEST("a row of a product on tiles has the same bits alone and among others") {
  const cpu::KernelTable tiles = cpu::emulatedTable();
  const Operands operands(70, 16 * 3, 130);
  for (const WeightType type : {WeightType::bf16, WeightType::int8}) {
    const cpu::PackedMatrix matrix = operands.pack(type);
    const Rounded rounded(tiles, operands, type);
    const auto all = test::multiply(tiles, rounded, matrix, 0, 70, false);
    for (std::int32_t row = 0; row < 70; ++row) {
      CHECK(sameRow(test::multiply(tiles, rounded, matrix, row, 1, false), all, row));
    }
    for (const std::int32_t rows : {17, 33, 40}) {
      const auto some = test::multiply(tiles, rounded, matrix, 0, rows, false);
      CHECK(std::memcmp(some.data(), all.data(), some.size() * sizeof(float)) == 0);
    }
  }
}

TEST("gates on tiles have the bits of a product whose gates are applied afterwards") {
  const cpu::KernelTable tiles = cpu::emulatedTable();
  for (const std::int32_t rows : {1, 16, 21, 33, 70}) {
    for (const std::int32_t pairs : {1, 3}) {
      const Operands operands(rows, 32 * pairs, 130);
      for (const WeightType type : {WeightType::bf16, WeightType::int8}) {
        const cpu::PackedMatrix matrix = operands.pack(type);
        const Rounded rounded(tiles, operands, type);
        const auto product = test::multiply(tiles, rounded, matrix, 0, rows, false);
        std::vector<float> expected(static_cast<std::size_t>(rows * pairs * 16));
        for (std::int32_t row = 0; row < rows; ++row) {
          tiles.roughSiluPanels(product.data() + row * pairs * 32, pairs, expected.data() + row * pairs * 16, 16);
        }
        std::vector<float> found(expected.size());
        cpu::multiply(tiles, rounded, 0, rows, matrix, 0, 2 * pairs, {{found.data(), pairs * 16, 16}, cpu::Outcome::gated});
        CHECK_THAT(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) == 0, std::to_string(rows) + " rows");
        CHECK(test::multiplyInPanels(tiles, rounded, matrix, rows, cpu::Outcome::gated, 1) == expected);
        CHECK(EmulatedTiles::faults == 0 && !EmulatedTiles::configured);
      }
    }
  }
}

TEST("the emulation sees what the processor would refuse") {
  cpu::TileConfiguration configuration = cpu::tileConfiguration(3, 0);
  EmulatedTiles::configure(&configuration);
  EmulatedTiles::multiplyInt8<4, 0, 2>();
  CHECK(EmulatedTiles::faults == 0);
  EmulatedTiles::multiplyInt8<6, 0, 2>();  // 16 rows of sums, 3 of activations
  CHECK(EmulatedTiles::faults == 1);
  EmulatedTiles::multiplyInt8<4, 4, 2>();
  CHECK(EmulatedTiles::faults == 2);
  configuration.palette = 2;
  EmulatedTiles::configure(&configuration);
  CHECK(EmulatedTiles::faults == 3);
  EmulatedTiles::release();
  EmulatedTiles::zero<0>();
  CHECK(EmulatedTiles::faults == 4);
  EmulatedTiles::faults = 0;
  CHECK(EmulatedTiles::multiplications > 100);
}

TEST("the emulated bf16 product flushes denormals and rounds as stated") {
  cpu::TileConfiguration configuration = cpu::tileConfiguration(1, 0);
  std::uint16_t row[32] = {};
  std::uint16_t weights[16][32] = {};
  float sums[16] = {};
  const auto product = [&] {
    EmulatedTiles::configure(&configuration);
    EmulatedTiles::zero<4>();
    EmulatedTiles::load<0>(row, 64);
    EmulatedTiles::load<2>(weights, 64);
    EmulatedTiles::multiplyBf16<4, 0, 2>();
    EmulatedTiles::store<4>(sums, 64);
    EmulatedTiles::release();
    return sums[0];
  };
  row[0] = 0x0001;  // a denormal times a large number
  weights[0][0] = floatToBf16(1e30F);
  CHECK(product() == 0.0F);
  row[0] = floatToBf16(0x1p-100F);
  weights[0][0] = floatToBf16(0x1p-40F);  // the product would be a denormal
  CHECK(product() == 0.0F);
  row[0] = floatToBf16(1.0F);
  weights[0][0] = floatToBf16(0x1p24F);
  row[2] = weights[1][0] = floatToBf16(1.0F);  // even elements: 2^24 + 1 rounds to 2^24
  row[1] = floatToBf16(-1.0F);
  weights[0][1] = floatToBf16(0x1p24F);        // odd elements are summed apart
  CHECK(product() == 0.0F);
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
