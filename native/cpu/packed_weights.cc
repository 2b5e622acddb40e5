#include "cpu/packed_weights.h"

#include <cstring>

#include "core/convert.h"

namespace foretrace::cpu {
namespace {

std::int32_t panelsFor(std::int64_t columns) { return static_cast<std::int32_t>(padded(columns) / 16); }

/// Writes rows [firstRow, firstRow + count) of a [outputs, depth] tensor as the columns of consecutive panels (every
/// `panelStep`-th one), beginning at `panel`.
void packRows(const TensorView& tensor, std::int64_t firstRow, std::int64_t count, PackedMatrix& to, std::int64_t panel,
              std::int64_t panelStep, std::vector<float>& row) {
  const std::int64_t depth = to.depth;
  row.resize(static_cast<std::size_t>(depth));
  for (std::int64_t column = 0; column < count; ++column) {
    readRow(tensor.data, tensor.dtype, firstRow + column, depth, row.data());
    float* out = to.data.data() + (panel + column / 16 * panelStep) * depth * 16 + column % 16;
    for (std::int64_t k = 0; k < depth; ++k) out[k * 16] = row[static_cast<std::size_t>(k)];
  }
}

PackedMatrix packMatrix(const TensorView& tensor, const char* what, std::vector<float>& row) {
  const std::int64_t columns = tensor.shape[0];
  PackedMatrix matrix(panelsFor(columns), static_cast<std::int32_t>(tensor.shape[1]), what);
  packRows(tensor, 0, columns, matrix, 0, 1, row);
  return matrix;
}

AlignedBuffer<float> packVector(const TensorView& tensor, const char* what) {
  AlignedBuffer<float> vector(padded(tensor.shape[0]), what);
  readRow(tensor.data, tensor.dtype, 0, tensor.shape[0], vector.data());
  return vector;
}

PackedMatrix packQkv(const ModelConfig& config, const LayerWeights& layer, std::vector<float>& row) {
  const std::int32_t perHead = headPanels(config.headDim);
  PackedMatrix matrix((config.heads + 2 * config.kvHeads) * perHead, config.hidden, "packed query, key and value weights");
  std::int64_t panel = 0;
  for (const TensorView* tensor : {&layer.query, &layer.key, &layer.value}) {
    for (std::int64_t first = 0; first < tensor->shape[0]; first += config.headDim, panel += perHead) {
      packRows(*tensor, first, config.headDim, matrix, panel, 1, row);
    }
  }
  return matrix;
}

PackedMatrix packGateUp(const ModelConfig& config, const LayerWeights& layer, std::vector<float>& row) {
  PackedMatrix matrix(2 * panelsFor(config.ffn), config.hidden, "packed gate and up weights");
  packRows(layer.gate, 0, config.ffn, matrix, 0, 2, row);
  packRows(layer.up, 0, config.ffn, matrix, 1, 2, row);
  return matrix;
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

PackedWeights packWeights(const ModelConfig& config, const Weights& weights) {
  PackedWeights packed;
  std::vector<float> row;
  packed.embeddingType = weights.embedding.dtype;
  packed.embedding = AlignedBuffer<std::byte>(static_cast<std::int64_t>(weights.embedding.bytes()), "embedding");
  std::memcpy(packed.embedding.data(), weights.embedding.data, weights.embedding.bytes());
  packed.finalNorm = packVector(weights.finalNorm, "final norm");
  packed.head = packMatrix(weights.head, "packed head weights", row);
  packed.bytes = packed.embedding.bytes() + packed.finalNorm.bytes() + packed.head.data.bytes();
  packed.layers.reserve(weights.layers.size());
  for (const LayerWeights& layer : weights.layers) {
    PackedLayer& to = packed.layers.emplace_back();
    to.attentionNorm = packVector(layer.attentionNorm, "attention norm");
    to.qkv = packQkv(config, layer, row);
    to.attentionOutput = packMatrix(layer.attentionOutput, "packed attention output weights", row);
    to.feedForwardNorm = packVector(layer.feedForwardNorm, "feed-forward norm");
    to.gateUp = packGateUp(config, layer, row);
    to.down = packMatrix(layer.down, "packed down weights", row);
    packed.bytes += to.attentionNorm.bytes() + to.qkv.data.bytes() + to.attentionOutput.data.bytes() +
                    to.feedForwardNorm.bytes() + to.gateUp.data.bytes() + to.down.data.bytes();
  }
  return packed;
}

}  // namespace foretrace::cpu
