// Cases of the kernels between the matrix products, for a GPU and for the emulator.
#pragma once

#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "core/config.h"
#include "cpu/reference.h"
#include "core/rope_table.h"
#include "cuda/launch.h"
#include "test/check.h"
#include "test/cuda_memory.h"

namespace foretrace::test::elementwise_cases {  // TEST names its functions by line: one namespace a file

inline bool near(double found, double expected, double bound) { return std::abs(found - expected) <= bound * (1 + std::abs(expected)); }

/// bf16 keeps 8 bits.
inline constexpr double bf16Bound = 1.0 / 256;

/// Random partial products [splits, rows, stride], NaNs behind their columns, and their sums over the splits.
struct Partials {
  int splits;
  int rows;
  int columns;
  int stride;
  std::vector<float> values;
  cuda::DeviceBuffer<float> device;

  Partials(int splitCount, int rowCount, int columnCount, std::uint64_t seed)
      : splits(splitCount), rows(rowCount), columns(columnCount), stride((columnCount + 127) / 128 * 128),
        values(randomFloats(static_cast<std::size_t>(splitCount * rowCount * stride), 1.0, seed)) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (static_cast<int>(i) % stride >= columns) values[i] = NAN;
    }
    device = onDevice(values);
  }
  [[nodiscard]] cuda::PartialSums sums() const {
    return {device.data(), stride, std::int64_t{rows} * stride, splits, cuda::WeightFormat::bf16, nullptr, nullptr};
  }
  [[nodiscard]] double at(int row, int column) const {
    double sum = 0;
    for (int split = 0; split < splits; ++split) sum += static_cast<double>(values[static_cast<std::size_t>((split * rows + row) * stride + column)]);
    return sum;
  }
};

/// Rows for a product, filled with a value that no test result has.
struct StoredRows {
  int groups;
  cuda::DeviceBuffer<std::uint8_t> data;
  cuda::DeviceBuffer<float> scale;

  StoredRows(int rows, int width, int bytesOfElement)
      : groups(cuda::rowGroups(rows) + 1),
        data(onDevice(std::vector<std::uint8_t>(static_cast<std::size_t>((width * bytesOfElement / cuda::depthBytes + 2) * groups * cuda::groupBytes), 7))),
        scale(onDevice(std::vector<float>(static_cast<std::size_t>(rows), NAN))) {}
  [[nodiscard]] cuda::RowTarget target() const { return {data.data(), groups}; }
  [[nodiscard]] cuda::QuantisedTarget quantised() const { return {data.data(), scale.data(), groups}; }
};

inline std::uint16_t storedBf16(const std::vector<std::uint8_t>& bytes, int row, int column, int groups) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes.data() + cuda::rowOffset(row, 2 * column, groups), 2);
  return bits;
}

/// What a column nobody writes holds.
inline constexpr std::uint16_t untouched = 0x0707;

TEST("norm adds what is pending to the residual and normalises the wanted rows") {
  for (const int hidden : {50, 64, 513, 2050, 4100}) {
    const int rows = 3;
    const Partials pending(4, rows, hidden, 5);
    const std::vector<float> residual = randomFloats(static_cast<std::size_t>(rows * hidden), 3.0, 6);
    const std::vector<float> weight = randomFloats(static_cast<std::size_t>(hidden), 2.0, 7);
    for (const bool chosen : {false, true}) {
      const auto device = onDevice(residual);
      const auto weightOnDevice = onDevice(weight);
      const auto index = onDevice(std::vector<std::int32_t>{2, 0});
      const StoredRows output(rows, hidden, 2);
      const int wanted = chosen ? 2 : rows;
      cuda::launchNorm({device.data(), pending.sums(), weightOnDevice.data(), chosen ? index.data() : nullptr, output.target(), {},
                        cuda::WeightFormat::bf16, wanted, hidden, 1e-5F}, testStream);
      const auto found = fromDevice(output.data);
      const auto updated = fromDevice(device);
      for (int i = 0; i < wanted; ++i) {
        const int row = chosen ? (i == 0 ? 2 : 0) : i;
        reference::Vector x;
        for (int k = 0; k < hidden; ++k) x.push_back(static_cast<double>(residual[static_cast<std::size_t>(row * hidden + k)]) + pending.at(row, k));
        const auto expected = reference::rmsNorm(x, {weight.begin(), weight.end()}, 1e-5);
        bool right = true;
        for (int k = 0; k < hidden; ++k) {
          right = right && near(static_cast<double>(updated[static_cast<std::size_t>(row * hidden + k)]), x[static_cast<std::size_t>(k)], 1e-6);
          right = right && near(bf16ToDouble(storedBf16(found, i, k, output.groups)), expected[static_cast<std::size_t>(k)], bf16Bound);
        }
        CHECK_THAT(right && storedBf16(found, i, hidden, output.groups) == untouched, "hidden " + std::to_string(hidden));
      }
      if (chosen) CHECK(updated[static_cast<std::size_t>(hidden)] == residual[static_cast<std::size_t>(hidden)]);
    }
  }
}

/// What comes to the heads of queries and keys before they are rotated, and to those of values.
struct HeadParts {
  std::vector<float> bias;       ///< [10, 18] or empty
  std::vector<float> queryNorm;  ///< [18] or empty, with keyNorm
  std::vector<float> keyNorm;

  /// A head of the projection, before it is rotated.
  [[nodiscard]] reference::Vector applied(reference::Vector values, int head) const {
    const std::size_t first = static_cast<std::size_t>(head) * values.size();
    for (std::size_t d = 0; d < values.size() && !bias.empty(); ++d) values[d] += static_cast<double>(bias[first + d]);
    const std::vector<float>& norm = head < 6 ? queryNorm : keyNorm;
    return head < 8 && !norm.empty() ? reference::rmsNorm(values, {norm.begin(), norm.end()}, 1e-5) : values;
  }
};

inline void checkRope(const HeadParts& parts) {
  ModelConfig config;
  config.heads = 6;
  config.kvHeads = 2;
  config.headDim = 18;
  config.ropeTheta = 500.0F;
  const int padded = 32;
  const int pageTokens = 8;
  const int rows = 3;
  const cpu::RopeTable table(config, 64);
  const Partials product(2, rows, 10 * 18, 9);
  const std::vector<std::int32_t> positions{5, 6, 63};
  const std::vector<std::int32_t> slots{2 * pageTokens + 5, -1, 1 * pageTokens + 7};
  const auto positionsOnDevice = onDevice(positions);
  const auto slotsOnDevice = onDevice(slots);
  const auto cosine = onDevice(std::vector<float>(table.cosine(0), table.cosine(64)));
  const auto sine = onDevice(std::vector<float>(table.sine(0), table.sine(64)));
  const auto query = onDevice(std::vector<std::uint16_t>(static_cast<std::size_t>(rows * 6 * padded), 7));
  const std::size_t poolSize = 3 * 2 * 2 * static_cast<std::size_t>(pageTokens * padded);
  const auto pool = onDevice(std::vector<std::uint16_t>(poolSize, 7));
  const auto bias = onDevice(parts.bias);
  const auto queryNorm = onDevice(parts.queryNorm);
  const auto keyNorm = onDevice(parts.keyNorm);
  const auto given = [](const std::vector<float>& values, const auto& buffer) { return values.empty() ? nullptr : buffer.data(); };
  cuda::launchRope({product.sums(), given(parts.bias, bias), given(parts.queryNorm, queryNorm), given(parts.keyNorm, keyNorm), 1e-5F,
                    positionsOnDevice.data(), slotsOnDevice.data(), cosine.data(), sine.data(), query.data(), pool.data(),
                    rows, 6, 2, 18, padded, pageTokens}, testStream);
  const auto queries = fromDevice(query);
  const auto keyValues = fromDevice(pool);
  std::size_t written = 0;
  for (const std::uint16_t value : keyValues) written += value != 7 ? 1 : 0;
  CHECK(written >= 2 * 2 * 2 * 17 && written <= 2 * 2 * 2 * 18);  // two rows, K and V, two heads; one value may round to 7
  for (int row = 0; row < rows; ++row) {
    for (int head = 0; head < 10; ++head) {
      reference::Vector values;
      for (int d = 0; d < 18; ++d) values.push_back(product.at(row, head * 18 + d));
      values = parts.applied(std::move(values), head);
      if (head < 8) reference::rotate(values.data(), 18, positions[static_cast<std::size_t>(row)], 500.0);
      const int slot = slots[static_cast<std::size_t>(row)];
      if (head >= 6 && slot < 0) continue;
      for (int d = 0; d < 18; ++d) {
        std::size_t at = static_cast<std::size_t>((row * 6 + head) * padded + d);
        if (head >= 6) {
          const int block = (slot / pageTokens * 2 + (head - 6) % 2) * 2 + (head < 8 ? 0 : 1);
          at = static_cast<std::size_t>(block * pageTokens * padded + (head < 8 ? slot % pageTokens * padded + cuda::keyElement(slot % pageTokens, d, padded) : d * pageTokens + slot % pageTokens));
        }
        CHECK_THAT(near(bf16ToDouble(head < 6 ? queries[at] : keyValues[at]), values[static_cast<std::size_t>(d)], bf16Bound),
                   "row " + std::to_string(row) + " head " + std::to_string(head));
      }
    }
  }
  CHECK(queries[18] == 7 && queries[31] == 7);
}

TEST("queries and keys are rotated by position, keys and values land in their slots, other slots stay") { checkRope({}); }

TEST("biases are added and heads of queries and keys normalised before they are rotated") {
  const std::vector<float> bias = randomFloats(10 * 18, 2.0, 14);
  const std::vector<float> queryNorm = randomFloats(18, 1.5, 15);
  const std::vector<float> keyNorm = randomFloats(18, 1.5, 16);
  checkRope({bias, {}, {}});
  checkRope({{}, queryNorm, keyNorm});
  checkRope({bias, queryNorm, keyNorm});
}

TEST("the gated activation of split products, as bf16 and as fp32") {
  for (const int ffn : {77, 516, 600}) {  // odd; whole quads, more than a block of threads has
    const Partials product(3, 2, 2 * ffn, 12);
    const StoredRows output(2, ffn, 2);
    const auto wide = onDevice(std::vector<float>(2 * static_cast<std::size_t>(ffn), NAN));
    cuda::launchSwiglu({product.sums(), output.target(), nullptr, 2, ffn}, testStream);
    cuda::launchSwiglu({product.sums(), {}, wide.data(), 2, ffn}, testStream);
    const auto found = fromDevice(output.data);
    const auto foundWide = fromDevice(wide);
    for (int row = 0; row < 2; ++row) {
      for (int j = 0; j < ffn; ++j) {
        const double expected = reference::siluMultiply(product.at(row, j), product.at(row, ffn + j));
        CHECK(near(bf16ToDouble(storedBf16(found, row, j, output.groups)), expected, bf16Bound));
        CHECK(near(static_cast<double>(foundWide[static_cast<std::size_t>(row * ffn + j)]), expected, 1e-6));
      }
      CHECK(storedBf16(found, row, ffn, output.groups) == untouched);
    }
  }
}

TEST("weights of every type are packed where the embedding finds them") {
  const cuda::GemmShape shape = cuda::gemmShape(140, 75);
  const std::vector<float> values = randomFloats(140 * 75, 2.0, 13);
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    std::vector<std::uint16_t> halves;
    // 0x3C01 + i is a run of ordinary f16 numbers just above 1.
    for (std::size_t i = 0; i < values.size(); ++i) {
      halves.push_back(dtype == DType::f16 ? static_cast<std::uint16_t>(0x3C01 + i % 900) : floatToBf16(values[i]));
    }
    const auto wide = onDevice(values);
    const auto narrow = onDevice(halves);
    const auto packed = onDevice(std::vector<std::uint8_t>(static_cast<std::size_t>(shape.packedBytes()), 0));
    const void* source = dtype == DType::f32 ? static_cast<const void*>(wide.data()) : narrow.data();
    cuda::launchPack({packed.data(), nullptr, source, dtype, shape.format, 0, 100, 75, shape.depthBlocks}, testStream);
    const auto* rest = static_cast<const std::byte*>(source) + 100 * 75 * dtypeBytes(dtype);
    cuda::launchPack({packed.data(), nullptr, rest, dtype, shape.format, 100, 40, 75, shape.depthBlocks}, testStream);
    const std::vector<std::int32_t> tokens{139, 0, 77, 100};
    const auto tokensOnDevice = onDevice(tokens);
    const auto residual = onDevice(std::vector<float>(4 * 75, NAN));
    cuda::launchEmbedding({packed.data(), tokensOnDevice.data(), residual.data(), 4, 75, shape.depthBlocks}, testStream);
    const auto found = fromDevice(residual);
    bool right = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto from = static_cast<std::size_t>(tokens[i / 75]) * 75 + i % 75;
      const float value = dtype == DType::f32 ? values[from] : dtype == DType::f16 ? f16ToFloat(halves[from]) : bf16ToFloat(halves[from]);
      right = right && found[i] == bf16ToFloat(floatToBf16(value));
    }
    CHECK_THAT(right, dtypeName(dtype));
    const auto all = fromDevice(packed);
    CHECK(std::accumulate(all.begin(), all.end(), 0L, [](long count, std::uint8_t bits) { return count + (bits != 0 ? 1 : 0); }) <= 2 * 140 * 75);
  }
}

TEST("a page copy takes the slots asked for, in every layer and head, and nothing else") {
  const int layers = 2;
  const int kvHeads = 3;
  const int padded = 32;
  const int pageTokens = 16;
  const int pages = 4;
  const int block = pageTokens * padded;
  const std::int64_t layerStride = std::int64_t{pages} * kvHeads * 2 * block;
  std::vector<std::uint16_t> before(static_cast<std::size_t>(layers * layerStride));
  std::iota(before.begin(), before.end(), std::uint16_t{0});
  const auto pool = onDevice(before);
  cuda::launchCopyPage({pool.data(), layerStride, 3, 1, 5, layers, kvHeads, padded, pageTokens}, testStream);
  const auto after = fromDevice(pool);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto place = static_cast<int>(i) % block;
    const int page = static_cast<int>(i) / (2 * block * kvHeads) % pages;
    const bool isKey = static_cast<int>(i) / block % 2 == 0;
    const bool copied = page == 1 && (isKey ? place / padded : place % pageTokens) < 5;
    const std::uint16_t expected = copied ? before[i + static_cast<std::size_t>(2 * 2 * block * kvHeads)] : before[i];
    if (!CHECK_THAT(after[i] == expected, "element " + std::to_string(i))) break;
  }
}

}  // namespace foretrace::test::elementwise_cases
