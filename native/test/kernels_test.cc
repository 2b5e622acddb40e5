// Every kernel of every available instruction set against the double-precision reference, over odd shapes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/convert.h"
#include "cpu/features.h"
#include "cpu/kernels.h"
#include "cpu/reference.h"
#include "test/check.h"
#include "test/kernel_tables.h"
#include "test/random.h"

namespace foretrace {
namespace {

using cpu::AlignedBuffer;
using cpu::KernelTable;
using cpu::padded;
using test::checkNear;
using test::fill;
using test::NamedTable;
using test::Random;
using test::tables;

constexpr double unit = 0x1p-24;  ///< relative rounding error of one fp32 operation

void checkGemm(const NamedTable& table, std::int32_t rows, std::int32_t panels, std::int32_t depth, bool accumulate) {
  Random random(static_cast<std::uint64_t>(rows * 1000 + panels * 100 + depth));
  const std::int64_t aStride = depth + 3;
  const std::int64_t cStride = panels * 16 + 5;
  AlignedBuffer<float> a(rows * aStride, "a");
  AlignedBuffer<float> b(std::int64_t{panels} * depth * 16, "b");
  AlignedBuffer<float> c(rows * cStride, "c");
  fill(a.data(), a.size(), random);
  fill(b.data(), b.size(), random);
  fill(c.data(), c.size(), random);
  const std::vector<float> before(c.data(), c.data() + c.size());
  table.kernels->gemm({a.data(), aStride, rows, depth, b.data(), panels, {c.data(), cStride, 16},
                       accumulate ? cpu::Outcome::added : cpu::Outcome::stored});
  const std::string text = table.name + " gemm " + std::to_string(rows) + "x" + std::to_string(panels * 16) + "x" +
                           std::to_string(depth);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < cStride; ++column) {
      const auto index = static_cast<std::size_t>(row * cStride + column);
      if (column >= panels * 16) {  // between the rows nothing is written
        CHECK_THAT(c.data()[index] == before[index], text + " padding");
        continue;
      }
      double expected = accumulate ? static_cast<double>(before[index]) : 0.0;
      double magnitude = std::abs(expected);
      for (std::int64_t k = 0; k < depth; ++k) {
        const double term = static_cast<double>(a.data()[row * aStride + k]) *
                            static_cast<double>(b.data()[(column / 16 * depth + k) * 16 + column % 16]);
        expected += term;
        magnitude += std::abs(term);
      }
      // The classical bound of a recursive sum: two roundings a step, (2 depth + 2) u times the sum of magnitudes.
      checkNear(static_cast<double>(c.data()[index]), expected, (2.0 * depth + 2.0) * unit * magnitude, text);
    }
  }
}

TEST("gemm agrees with the reference for every tile height and odd sizes") {
  for (const NamedTable& table : tables()) {
    for (std::int32_t rows = 1; rows <= 27; ++rows) {
      for (const std::int32_t panels : {1, 2, 3, 7, 8, 13}) checkGemm(table, rows, panels, 5 + rows, rows % 2 == 0);
    }
    for (const std::int32_t depth : {1, 2, 255, 1000}) checkGemm(table, 3, 5, depth, true);
  }
}

TEST("a row of gemm has the same bits alone and among others") {
  constexpr std::int32_t depth = 193;
  constexpr std::int32_t panels = 11;
  constexpr std::int32_t most = 40;
  Random random(7);
  AlignedBuffer<float> a(most * depth, "a");
  AlignedBuffer<float> b(panels * depth * 16, "b");
  fill(a.data(), a.size(), random);
  fill(b.data(), b.size(), random);
  for (const NamedTable& table : tables()) {
    std::vector<float> alone(panels * 16);
    std::vector<float> among(most * panels * 16);
    for (std::int32_t rows = 1; rows <= most; ++rows) {
      table.kernels->gemm({a.data(), depth, rows, depth, b.data(), panels, {among.data(), panels * 16, 16}, cpu::Outcome::stored});
      for (std::int32_t row = 0; row < rows; ++row) {
        table.kernels->gemm({a.data() + row * depth, depth, 1, depth, b.data(), panels, {alone.data(), panels * 16, 16},
                             cpu::Outcome::stored});
        CHECK_THAT(std::memcmp(alone.data(), among.data() + row * panels * 16, alone.size() * sizeof(float)) == 0,
                   table.name + " row " + std::to_string(row) + " of " + std::to_string(rows));
      }
    }
  }
}

TEST("rmsnorm agrees with the reference and keeps padding zero") {
  for (const NamedTable& table : tables()) {
    for (const std::int32_t length : {1, 2, 15, 16, 17, 64, 100, 257, 1024}) {
      Random random(static_cast<std::uint64_t>(length));
      AlignedBuffer<float> x(padded(length), "x");
      AlignedBuffer<float> weight(padded(length), "weight");
      AlignedBuffer<float> out(padded(length), "out");
      fill(x.data(), length, random, 3.0);
      fill(weight.data(), length, random);
      table.kernels->rmsNorm({x.data(), 16, static_cast<std::int32_t>(padded(length) / 16), weight.data(), 1e-5F, length}, out.data());
      const auto expected = reference::rmsNorm({x.data(), x.data() + length}, {weight.data(), weight.data() + length}, 1e-5F);
      for (std::int64_t i = 0; i < padded(length); ++i) {
        const double want = i < length ? expected[static_cast<std::size_t>(i)] : 0.0;
        // The mean is off by at most length u, its root by half of that, then four roundings.
        checkNear(static_cast<double>(out.data()[i]), want, (length / 2.0 + 8) * unit * std::abs(want), table.name + " rmsnorm");
      }
    }
  }
}

TEST("rope agrees with the reference for every head width") {
  for (const NamedTable& table : tables()) {
    for (std::int32_t half = 1; half <= 40; ++half) {
      Random random(static_cast<std::uint64_t>(half));
      std::vector<float> head(static_cast<std::size_t>(2 * half));
      fill(head.data(), 2 * half, random);
      constexpr std::int64_t position = 321;
      std::vector<float> cosine;
      std::vector<float> sine;
      for (int i = 0; i < half; ++i) {
        const double angle = static_cast<double>(position) * std::pow(10000.0, -2.0 * i / (2.0 * half));
        cosine.push_back(static_cast<float>(std::cos(angle)));
        sine.push_back(static_cast<float>(std::sin(angle)));
      }
      reference::Vector expected(head.begin(), head.end());
      reference::rotate(expected.data(), 2 * half, position, 10000.0);
      std::vector<std::uint16_t> halves(96, 0x5555);
      table.kernels->ropeBf16(head.data(), cosine.data(), sine.data(), half, reinterpret_cast<std::uint8_t*>(halves.data()));
      table.kernels->rope(head.data(), cosine.data(), sine.data(), half);
      for (std::size_t i = 0; i < head.size(); ++i) {
        checkNear(static_cast<double>(head[i]), expected[i], 8 * unit, table.name + " rope");
        CHECK_THAT(halves[i] == floatToBf16(head[i]), table.name + " rope to bf16");
      }
      for (std::size_t i = head.size(); i < halves.size(); ++i) CHECK(halves[i] == (i < (head.size() + 31) / 32 * 32 ? 0 : 0x5555));
    }
  }
}

TEST("the exponential keeps its stated bound and is zero far below") {
  for (const NamedTable& table : tables()) {
    AlignedBuffer<float> x(16, "x");
    AlignedBuffer<float> out(16, "out");
    double worst = 0;
    for (int step = 0; step < 40000; ++step) {
      for (int lane = 0; lane < 16; ++lane) x.data()[lane] = -87.0F + 175.0F * static_cast<float>(step * 16 + lane) / 640000.0F;
      table.kernels->exponential(x.data(), out.data(), 16);
      for (int lane = 0; lane < 16; ++lane) {
        const double exact = std::exp(static_cast<double>(x.data()[lane]));
        worst = std::max(worst, std::abs(static_cast<double>(out.data()[lane]) - exact) / exact);
      }
    }
    CHECK_THAT(worst <= 3e-7, table.name + " worst relative error " + std::to_string(worst * 1e9) + "e-9");
    const float special[] = {0.0F, -0.0F, -87.4F, -1000.0F, -INFINITY};
    for (int lane = 0; lane < 16; ++lane) x.data()[lane] = special[lane % 5];
    table.kernels->exponential(x.data(), out.data(), 16);
    for (int lane = 0; lane < 16; ++lane) CHECK(out.data()[lane] == (lane % 5 < 2 ? 1.0F : 0.0F));
  }
}

TEST("silu times up agrees with the reference over the whole range") {
  constexpr std::int32_t pairs = 256;
  for (const NamedTable& table : tables()) {
    Random random(5);
    AlignedBuffer<float> gateUp(pairs * 32, "gates and ups");
    AlignedBuffer<float> exact(pairs * 16, "out");
    AlignedBuffer<float> rough(pairs * 16, "out");
    fill(gateUp.data(), gateUp.size(), random, 80.0);
    gateUp.data()[0] = 0.0F;
    gateUp.data()[1] = 1000.0F;
    gateUp.data()[2] = -1000.0F;
    table.kernels->siluPanels(gateUp.data(), pairs, exact.data(), 16);
    table.kernels->roughSiluPanels(gateUp.data(), pairs, rough.data(), 16);
    for (int i = 0; i < pairs * 16; ++i) {
      const float* gate = gateUp.data() + i / 16 * 32 + i % 16;
      const double want = reference::siluMultiply(static_cast<double>(gate[0]), static_cast<double>(gate[16]));
      // Far below zero the exponent saturates at exp(88): silu is below 1e-34 either way.
      const double least = 1e-34 * std::abs(static_cast<double>(gate[16]));
      checkNear(static_cast<double>(exact.data()[i]), want, 1e-6 * std::abs(want) + least, table.name + " silu");
      checkNear(static_cast<double>(rough.data()[i]), want, 2e-4 * std::abs(want) + least, table.name + " rough silu");
    }
  }
}

TEST("rows are copied from and to panels, and gated into them") {
  constexpr std::int32_t panels = 5;
  constexpr std::int64_t stride = 7 * 16;
  Random random(11);
  AlignedBuffer<float> inPanels(panels * stride, "row");
  AlignedBuffer<float> gateUp(panels * 32, "gates and ups");
  fill(inPanels.data(), inPanels.size(), random);
  fill(gateUp.data(), gateUp.size(), random);
  for (const NamedTable& table : tables()) {
    AlignedBuffer<float> out(panels * stride, "out");
    table.kernels->copyPanels(inPanels.data(), stride, panels, out.data(), 16);
    for (std::int64_t i = 0; i < panels * 16; ++i) CHECK(out.data()[i] == inPanels.data()[i / 16 * stride + i % 16]);
    AlignedBuffer<float> back(panels * stride, "back");
    table.kernels->copyPanels(out.data(), 16, panels, back.data(), stride);
    for (std::int64_t i = 0; i < panels * stride; ++i) CHECK(back.data()[i] == (i % stride < 16 ? inPanels.data()[i] : 0.0F));

    std::fill_n(out.data(), out.size(), 2.0F);
    table.kernels->siluPanels(gateUp.data(), panels, out.data(), stride);
    for (std::int64_t i = 0; i < panels * stride; ++i) {
      const std::int64_t column = i % stride;
      float want = 2.0F;  // between the panels nothing is written
      if (column < 16) {
        alignas(64) float values[16];
        table.kernels->siluPanels(gateUp.data() + i / stride * 32, 1, values, 16);
        want = values[column];
      }
      CHECK(out.data()[i] == want);
    }
  }
}

TEST("forcing an instruction set gives it or a coded error") {
  CHECK(resolveIsa("portable") == Isa::portable);
  CHECK(isaAvailable(resolveIsa("auto")));
  CHECK_ERROR("invalid_argument", resolveIsa("sse9"));
  for (const Isa isa : {Isa::avx2, Isa::avx512, Isa::avx512vnni, Isa::avx512bf16, Isa::amx}) {
    CHECK(test::thrownCode([&] { (void)resolveIsa(isaName(isa)); }) == (isaAvailable(isa) ? "nothing" : "unsupported_device"));
  }
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
