#include "cuda/weights.h"

#include <algorithm>
#include <cmath>

#include "cuda/launch.h"

namespace foretrace::cuda {
namespace {

/// Source bytes on the device at a time.
constexpr std::int64_t scratchBytes = std::int64_t{64} << 20;

DeviceMatrix allocate(const GemmShape& shape, const char* what, cudaStream_t stream) {
  DeviceMatrix matrix{shape, DeviceBuffer<std::uint8_t>(shape.packedBytes(), what), DeviceBuffer<float>(shape.scales(), what)};
  matrix.data.clear(stream, what);
  matrix.scale.clear(stream, what);
  return matrix;
}

/// All matrices, zero; norms, not yet written.
DeviceWeights allocateWeights(const ModelConfig& config, const ModelShapes& shapes, cudaStream_t stream) {
  DeviceWeights weights;
  if (shapes.ownEmbedding) weights.embedding = allocate(shapes.embedding, "embedding", stream);
  weights.head = allocate(shapes.head, "output head", stream);
  weights.finalNorm = DeviceBuffer<float>(config.hidden, "final norm");
  for (std::int32_t i = 0; i < config.layers; ++i) {
    DeviceLayer& layer = weights.layers.emplace_back();
    layer.attentionNorm = DeviceBuffer<float>(config.hidden, "attention norm");
    layer.qkv = allocate(shapes.qkv, "query, key and value weights", stream);
    if (config.attentionBias) layer.qkvBias = DeviceBuffer<float>(config.queryWidth() + 2 * config.kvWidth(), "biases");
    if (config.headNorms) {
      layer.queryNorm = DeviceBuffer<float>(config.headDim, "norm of queries");
      layer.keyNorm = DeviceBuffer<float>(config.headDim, "norm of keys");
    }
    layer.attentionOutput = allocate(shapes.attentionOutput, "attention output weights", stream);
    layer.feedForwardNorm = DeviceBuffer<float>(config.hidden, "feed-forward norm");
    layer.gateUp = allocate(shapes.gateUp, "gate and up weights", stream);
    layer.down = allocate(shapes.down, "down weights", stream);
  }
  return weights;
}

/// Brings tensors to the device a part at a time. The copy from pageable memory returns once the source has been read, and
/// the stream orders packing before the next copy into the scratch.
class Uploader {
 public:
  Uploader(const Progress& progress, std::int64_t total, std::int64_t widestRow, cudaStream_t stream)
      : progress_(progress), total_(total), stream_(stream), scratch_(std::max(scratchBytes, widestRow), "upload buffer") {}

  /// Rows of `tensor` [outs, depth] become outputs firstOut .. of `matrix`.
  void matrix(const TensorView& tensor, DeviceMatrix& matrix, std::int64_t firstOut) {
    const std::int64_t depth = tensor.shape[1];
    const auto rowBytes = depth * static_cast<std::int64_t>(dtypeBytes(tensor.dtype));
    const std::int64_t rowsAtOnce = std::max<std::int64_t>(1, scratch_.size() / rowBytes);
    for (std::int64_t row = 0; row < tensor.shape[0]; row += rowsAtOnce) {
      const std::int64_t rows = std::min(rowsAtOnce, tensor.shape[0] - row);
      copy(tensor.data + row * rowBytes, rows * rowBytes);
      launchPack({matrix.data.data(), matrix.scale.data(), scratch_.data(), tensor.dtype, matrix.shape.format, firstOut + row, rows, depth,
                  matrix.shape.depthBlocks}, stream_);
    }
  }

  /// The elements of `tensor` become those of `to` from `first` on.
  void vector(const TensorView& tensor, DeviceBuffer<float>& to, std::int64_t first = 0) {
    copy(tensor.data, static_cast<std::int64_t>(tensor.bytes()));
    launchConvert(scratch_.data(), tensor.dtype, to.data() + first, tensor.elements(), stream_);
  }

 private:
  void copy(const std::byte* from, std::int64_t bytes) {
    check(cudaMemcpyAsync(scratch_.data(), from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream_), "copy of weights");
    done_ += bytes;
    if (progress_) progress_(done_, total_);
  }

  const Progress& progress_;
  std::int64_t total_;
  std::int64_t done_ = 0;
  cudaStream_t stream_;
  DeviceBuffer<std::byte> scratch_;
};

struct Extent {
  std::int64_t total = 0;
  std::int64_t widestRow = 0;

  void add(const TensorView& tensor) {
    total += static_cast<std::int64_t>(tensor.bytes());
    widestRow = std::max(widestRow, tensor.shape.back() * 4);
  }
};

Extent extentOf(const ModelConfig& config, const ModelShapes& shapes, const Weights& weights) {
  Extent extent;
  extent.add(weights.head);
  if (shapes.ownEmbedding) extent.add(weights.embedding);
  extent.add(weights.finalNorm);
  for (const LayerWeights& layer : weights.layers) {
    for (const TensorView* tensor : {&layer.attentionNorm, &layer.query, &layer.key, &layer.value, &layer.attentionOutput,
                                     &layer.feedForwardNorm, &layer.gate, &layer.up, &layer.down}) {
      extent.add(*tensor);
    }
    if (config.attentionBias) {
      for (const TensorView* tensor : {&layer.queryBias, &layer.keyBias, &layer.valueBias}) extent.add(*tensor);
    }
    if (config.headNorms) {
      for (const TensorView* tensor : {&layer.queryNorm, &layer.keyNorm}) extent.add(*tensor);
    }
  }
  return extent;
}

void fillOnes(DeviceBuffer<float>& to, cudaStream_t stream) {
  const std::vector<float> ones(static_cast<std::size_t>(to.size()), 1.0F);
  check(cudaMemcpyAsync(to.data(), ones.data(), to.bytes(), cudaMemcpyHostToDevice, stream), "norm weights");
  check(cudaStreamSynchronize(stream), "norm weights");
}

}  // namespace

DeviceWeights uploadWeights(const ModelConfig& config, const ModelShapes& shapes, const Weights& weights,
                            const Progress& progress, cudaStream_t stream) {
  DeviceWeights to = allocateWeights(config, shapes, stream);
  const Extent extent = extentOf(config, shapes, weights);
  Uploader uploader(progress, extent.total, extent.widestRow, stream);
  if (shapes.ownEmbedding) uploader.matrix(weights.embedding, to.embedding, 0);
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& from = weights.layers[i];
    DeviceLayer& layer = to.layers[i];
    uploader.vector(from.attentionNorm, layer.attentionNorm);
    uploader.matrix(from.query, layer.qkv, 0);
    uploader.matrix(from.key, layer.qkv, config.queryWidth());
    uploader.matrix(from.value, layer.qkv, config.queryWidth() + config.kvWidth());
    if (config.attentionBias) {
      uploader.vector(from.queryBias, layer.qkvBias);
      uploader.vector(from.keyBias, layer.qkvBias, config.queryWidth());
      uploader.vector(from.valueBias, layer.qkvBias, config.queryWidth() + config.kvWidth());
    }
    if (config.headNorms) {
      uploader.vector(from.queryNorm, layer.queryNorm);
      uploader.vector(from.keyNorm, layer.keyNorm);
    }
    uploader.matrix(from.attentionOutput, layer.attentionOutput, 0);
    uploader.vector(from.feedForwardNorm, layer.feedForwardNorm);
    uploader.matrix(from.gate, layer.gateUp, 0);
    uploader.matrix(from.up, layer.gateUp, config.ffn);
    uploader.matrix(from.down, layer.down, 0);
  }
  uploader.vector(weights.finalNorm, to.finalNorm);
  uploader.matrix(weights.head, to.head, 0);
  check(cudaStreamSynchronize(stream), "upload of weights");
  return to;
}

DeviceWeights randomWeights(const ModelConfig& config, const ModelShapes& shapes, std::uint64_t seed, cudaStream_t stream) {
  DeviceWeights to = allocateWeights(config, shapes, stream);
  const auto width = static_cast<float>(0.02 * std::sqrt(3.0));
  const auto residualWidth = width / std::sqrt(2.0F * static_cast<float>(config.layers));
  std::uint64_t stage = seed * 0x9E3779B97F4A7C15;
  const auto fill = [&](DeviceMatrix& matrix, float halfWidth) {
    stage += 0xD1B54A32D192ED03;
    launchRandom({matrix.data.data(), matrix.scale.data(), matrix.shape.format, stage, halfWidth, matrix.shape.outs, matrix.shape.depth,
                  matrix.shape.depthBlocks}, stream);
  };
  if (shapes.ownEmbedding) fill(to.embedding, width);
  fill(to.head, width);
  fillOnes(to.finalNorm, stream);
  for (DeviceLayer& layer : to.layers) {
    fillOnes(layer.attentionNorm, stream);
    fillOnes(layer.feedForwardNorm, stream);
    layer.qkvBias.clear(stream, "biases");
    for (DeviceBuffer<float>* norm : {&layer.queryNorm, &layer.keyNorm}) {
      if (norm->size() > 0) fillOnes(*norm, stream);
    }
    fill(layer.qkv, width);
    fill(layer.gateUp, width);
    fill(layer.attentionOutput, residualWidth);
    fill(layer.down, residualWidth);
  }
  check(cudaStreamSynchronize(stream), "random weights");
  return to;
}

}  // namespace foretrace::cuda
