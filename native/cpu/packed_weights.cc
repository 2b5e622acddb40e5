#include "cpu/packed_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "core/convert.h"
#include "cpu/kernels.h"

namespace foretrace::cpu {
namespace {

std::int32_t panelsFor(std::int64_t columns) { return static_cast<std::int32_t>(padded(columns) / 16); }

/// One output column as int8 with its scale.
void packInt8(const std::vector<float>& row, PackedMatrix& to, std::int64_t panel, std::int64_t lane) {
  float largest = 0;
  bool finite = true;
  for (const float value : row) {
    largest = std::max(largest, std::abs(value));
    finite = finite && std::isfinite(value);
  }
  const bool usable = finite && largest >= 1e-30F;
  to.scales.data()[panel * 16 + lane] = usable ? largest / 127.0F : finite ? 0.0F : std::numeric_limits<float>::quiet_NaN();
  if (!usable) return;
  const float inverse = 127.0F / largest;
  std::uint8_t* out = to.data + panel * to.panelBytes + lane * 4;
  std::int32_t sum = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const auto value = static_cast<std::int32_t>(std::nearbyint(row[k] * inverse));
    out[k / 4 * 64 + k % 4] = static_cast<std::uint8_t>(value);
    sum += value;
  }
  to.offsets.data()[panel * 16 + lane] = 128 * sum;
}

/// One output column.
void packColumn(const std::vector<float>& row, PackedMatrix& to, std::int64_t panel, std::int64_t lane) {
  if (to.type == WeightType::int8) return packInt8(row, to, panel, lane);
  std::uint8_t* out = to.data + panel * to.panelBytes + lane * 4;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (to.type == WeightType::bf16) {
      const std::uint16_t half = floatToBf16(row[k]);
      std::memcpy(out + k / 2 * 64 + k % 2 * 2, &half, sizeof half);
    } else {
      std::memcpy(out + k * 64, &row[k], sizeof(float));
    }
  }
}

/// Writes rows [firstRow, firstRow + count) of a [outputs, depth] tensor as the columns of consecutive panels (every
/// `panelStep`-th one), beginning at `panel`.
void packRows(const TensorView& tensor, std::int64_t firstRow, std::int64_t count, PackedMatrix& to, std::int64_t panel,
              std::int64_t panelStep) {
  std::vector<float> row(static_cast<std::size_t>(to.depth));
  for (std::int64_t column = 0; column < count; ++column) {
    readRow(tensor.data, tensor.dtype, firstRow + column, to.depth, row.data());
    packColumn(row, to, panel + column / 16 * panelStep, column % 16);
  }
}

AlignedBuffer<float> packVector(const TensorView& tensor, const char* what) {
  AlignedBuffer<float> vector(padded(tensor.shape[0]), what);
  readRow(tensor.data, tensor.dtype, 0, tensor.shape[0], vector.data());
  return vector;
}

using Arena = std::shared_ptr<WeightArena>;

PackedMatrix packQkv(const ModelConfig& config, const LayerWeights& layer, WeightType type, const Arena& arena) {
  const std::int32_t perHead = headPanels(config.headDim);
  PackedMatrix matrix(type, (config.heads + 2 * config.kvHeads) * perHead, config.hidden, arena);
  std::int64_t panel = 0;
  for (const TensorView* tensor : {&layer.query, &layer.key, &layer.value}) {
    for (std::int64_t first = 0; first < tensor->shape[0]; first += config.headDim, panel += perHead) {
      packRows(*tensor, first, config.headDim, matrix, panel, 1);
    }
  }
  return matrix;
}

/// Head by head, as the columns of packQkv are.
AlignedBuffer<float> packQkvBias(const ModelConfig& config, const LayerWeights& layer) {
  const std::int64_t perHead = padded(config.headDim);
  AlignedBuffer<float> biases((config.heads + 2 * config.kvHeads) * perHead, "biases");
  float* to = biases.data();
  for (const TensorView* tensor : {&layer.queryBias, &layer.keyBias, &layer.valueBias}) {
    for (std::int64_t head = 0; head < tensor->shape[0] / config.headDim; ++head, to += perHead) {
      readRow(tensor->data, tensor->dtype, head, config.headDim, to);
    }
  }
  return biases;
}

PackedMatrix packGateUp(const ModelConfig& config, const LayerWeights& layer, WeightType type, const Arena& arena) {
  PackedMatrix matrix(type, 2 * panelsFor(config.ffn), config.hidden, arena);
  packRows(layer.gate, 0, config.ffn, matrix, 0, 2);
  packRows(layer.up, 0, config.ffn, matrix, 1, 2);
  return matrix;
}

std::int64_t panelBytesOf(WeightType type, std::int64_t depth) {
  constexpr std::int64_t fp32Group = 64;
  return type == WeightType::fp32 ? depth * fp32Group : depthBlocks(type, depth) * tileBytes;
}

/// Bytes of all matrices of a model.
std::int64_t matrixBytes(const ModelConfig& config, WeightType type) {
  const std::int64_t qkv = (config.heads + 2 * config.kvHeads) * headPanels(config.headDim) * panelBytesOf(type, config.hidden);
  const std::int64_t output = panelsFor(config.hidden) * panelBytesOf(type, config.queryWidth());
  const std::int64_t gateUp = 2 * panelsFor(config.ffn) * panelBytesOf(type, config.hidden);
  const std::int64_t down = panelsFor(config.hidden) * panelBytesOf(type, config.ffn);
  return config.layers * (qkv + output + gateUp + down) + panelsFor(config.vocab) * panelBytesOf(type, config.hidden);
}

}  // namespace

void readRow(const std::byte* table, DType dtype, std::int64_t row, std::int64_t width, float* out) noexcept {
  const std::byte* from = table + static_cast<std::size_t>(row * width) * dtypeBytes(dtype);
  if (dtype == DType::f32) {
    std::memcpy(out, from, static_cast<std::size_t>(width) * sizeof(float));
    return;
  }
  for (std::int64_t i = 0; i < width; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * i, sizeof bits);
    out[i] = dtype == DType::bf16 ? bf16ToFloat(bits) : f16ToFloat(bits);
  }
}

PackedMatrix::PackedMatrix(WeightType weightType, std::int32_t panelCount, std::int32_t reduction, Arena memory)
    : type(weightType), panels(panelCount), depth(reduction), panelBytes(panelBytesOf(type, depth)), arena(std::move(memory)) {
  if (arena == nullptr) arena = std::make_shared<WeightArena>(panels * panelBytes);
  data = arena->take(panels * panelBytes);
  if (type != WeightType::int8) return;
  scales = AlignedBuffer<float>(panels * panelColumns, "scales of weights");
  offsets = AlignedBuffer<std::int32_t>(panels * panelColumns, "sums of weights");
}

PackedMatrix packMatrix(const TensorView& tensor, WeightType type, Arena arena) {
  const std::int64_t columns = tensor.shape[0];
  PackedMatrix matrix(type, panelsFor(columns), static_cast<std::int32_t>(tensor.shape[1]), std::move(arena));
  packRows(tensor, 0, columns, matrix, 0, 1);
  return matrix;
}

PackedWeights packWeights(const ModelConfig& config, const Weights& weights, WeightType type) {
  PackedWeights packed;
  packed.embeddingType = weights.embedding.dtype;
  packed.embedding = AlignedBuffer<std::byte>(static_cast<std::int64_t>(weights.embedding.bytes()), "embedding");
  std::memcpy(packed.embedding.data(), weights.embedding.data, weights.embedding.bytes());
  packed.finalNorm = packVector(weights.finalNorm, "final norm");
  const auto arena = std::make_shared<WeightArena>(matrixBytes(config, type));
  packed.layers.reserve(weights.layers.size());
  for (const LayerWeights& layer : weights.layers) {
    PackedLayer& to = packed.layers.emplace_back();
    to.attentionNorm = packVector(layer.attentionNorm, "attention norm");
    to.qkv = packQkv(config, layer, type, arena);
    if (config.attentionBias) to.qkvBias = packQkvBias(config, layer);
    if (config.headNorms) {
      to.queryNorm = packVector(layer.queryNorm, "norm of queries");
      to.keyNorm = packVector(layer.keyNorm, "norm of keys");
    }
    to.attentionOutput = packMatrix(layer.attentionOutput, type, arena);
    to.feedForwardNorm = packVector(layer.feedForwardNorm, "feed-forward norm");
    to.gateUp = packGateUp(config, layer, type, arena);
    to.down = packMatrix(layer.down, type, arena);
    packed.bytes += to.attentionNorm.bytes() + to.feedForwardNorm.bytes() + to.qkvBias.bytes() + to.queryNorm.bytes() + to.keyNorm.bytes() + to.bytes();
  }
  packed.head = packMatrix(weights.head, type, arena);
  packed.bytes += packed.embedding.bytes() + packed.finalNorm.bytes() + packed.head.bytes();
  return packed;
}

}  // namespace foretrace::cpu
