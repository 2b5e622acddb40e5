#include "cuda/cuda_device.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/rope_table.h"
#include "cuda/attention_plan.h"
#include "cuda/buffer.h"
#include "cuda/graph.h"
#include "cuda/host_pages.h"
#include "cuda/launch.h"
#include "cuda/pass_shape.h"
#include "cuda/products.h"
#include "cuda/ring.h"
#include "cuda/sampling.h"
#include "cuda/select.h"
#include "cuda/staging.h"
#include "cuda/weights.h"

namespace foretrace {
namespace cuda {
namespace {

constexpr double log2OfE = 1.4426950408889634;

/// See Device. Every phase queues kernels on one stream; results of a GEMM stay in the workspace, unsummed over splits,
/// until the next kernel reads them. `pending_` is the product the residual stream has yet to take in. Passes of few rows are
/// padded and their launches captured (pass_shape.h, graph.h).
class CudaDevice final : public Device {
 public:
  CudaDevice(const ModelConfig& config, const PoolConfig& pool, const ModelShapes& shapes, const MemoryPlan& plan,
             const DeviceProperties& properties, const CudaOptions& options, std::unique_ptr<Stream> stream, DeviceWeights weights);

  [[nodiscard]] const BackendInfo& info() const noexcept override { return info_; }
  void begin(const ForwardBatch& batch) override;
  [[nodiscard]] bool repeats() const noexcept override { return graphs_.mode() == PassGraphs::Mode::repeat; }
  void embed() override;
  void attentionInput(std::int32_t layer) override;
  void attention(std::int32_t layer) override;
  void attentionOutput(std::int32_t layer) override;
  void feedForwardInput(std::int32_t layer) override;
  void feedForwardOutput(std::int32_t layer) override;
  void head() override;
  std::span<const float> logits() override;
  [[nodiscard]] bool samples() const noexcept override { return true; }
  std::span<const Sample> sample(std::span<const SampleRequest> requests) override;
  void copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) override;
  void copyPageOut(std::int32_t page, std::int32_t hostPage) override;
  void copyPageIn(std::int32_t hostPage, std::int32_t page) override;

 private:
  /// Rows of the pass in flight, padding included.
  struct Pass {
    PassShape shape;
    std::int32_t wantedRows = 0;  ///< rows with logits, without padding
    bool headQueued = false;

    [[nodiscard]] std::int32_t rows() const noexcept { return shape.rows; }
    [[nodiscard]] std::int32_t wanted() const noexcept { return shape.wanted; }
  };

  /// Rows of activations as a product reads them.
  struct Rows {
    DeviceBuffer<std::uint8_t> data;  ///< rowOffset (fragment.h), maxRows rows
    DeviceBuffer<float> scale;        ///< [maxRows], empty for bf16
    std::int32_t groups = 0;

    Rows(const GemmShape& shape, std::int32_t rows, const char* what)
        : data(shape.inputBytes(rows), what), scale(shape.scales() > 0 ? rows : 0, what), groups(rowGroups(rows)) {}
    [[nodiscard]] RowTarget target() const noexcept { return {data.data(), groups}; }
    [[nodiscard]] QuantisedTarget quantised() const noexcept { return {data.data(), scale.data(), groups}; }
  };

  void uploadRopeTable();
  [[nodiscard]] std::uint16_t* keyValueOf(std::int32_t layer) const noexcept { return keyValue_.data() + layer * layerStride_; }
  [[nodiscard]] const std::int32_t* staged(std::size_t offset) const noexcept { return staging_.device() + offset; }
  /// Queues input * matrix^T into the workspace (or `direct`, if the matrix is not split) and tells where results lie.
  PartialSums multiply(const DeviceMatrix& matrix, const Rows& input, std::int32_t rows, float* direct = nullptr);
  [[nodiscard]] bool quantised() const noexcept { return shapes_.format() != WeightFormat::bf16; }
  /// Queues rows = the first `width` columns of wide_, rounded.
  void quantise(const Rows& rows, std::int32_t width);
  /// Queues residual += pending, norm_ = rmsnorm(residual) for all rows, or for those of `rowIndex`.
  void normalise(const DeviceBuffer<float>& weight, const std::int32_t* rowIndex, std::int32_t rows);

  ModelConfig config_;
  PoolConfig pool_;
  ModelShapes shapes_;
  CudaOptions options_;
  BackendInfo info_;
  std::unique_ptr<Stream> stream_;
  DeviceWeights weights_;
  bool warpgroups_;
  std::int64_t layerStride_;  ///< elements of the pool a layer takes
  DeviceBuffer<std::uint16_t> keyValue_;     ///< [layers, pages, kvHeads, {K, V}, pageTokens * paddedHeadDim]
  DeviceBuffer<float> residual_;             ///< [maxRows, hidden]
  Rows norm_;
  DeviceBuffer<std::uint16_t> query_;        ///< [maxRows, heads, paddedHeadDim]
  Rows mixed_;
  Rows activation_;
  DeviceBuffer<float> wide_;                 ///< [maxRows, width] rows that are yet to be rounded; empty for bf16
  DeviceBuffer<float> workspace_;
  DeviceBuffer<float> logits_;               ///< [maxLogitRows, padded vocab]
  DeviceBuffer<float> partialOutput_;
  DeviceBuffer<float> partialState_;
  DeviceBuffer<float> cosine_;               ///< [positions, headDim / 2]
  DeviceBuffer<float> sine_;
  PinnedBuffer<float> hostLogits_;           ///< [maxLogitRows, vocab]
  std::int32_t positions_;

  AttentionPlan plan_;
  StagingLayout layout_;
  UploadRing staging_{"staging buffer"};
  PassGraphs graphs_;
  DeviceSampler sampler_;
  HostPages hostPages_;
  std::optional<Pass> batch_;
  PartialSums pending_{};
};

CudaDevice::CudaDevice(const ModelConfig& config, const PoolConfig& pool, const ModelShapes& shapes, const MemoryPlan& plan,
                       const DeviceProperties& properties, const CudaOptions& options, std::unique_ptr<Stream> stream,
                       DeviceWeights weights)
    : config_(config),
      pool_(pool),
      shapes_(shapes),
      options_(options),
      info_{"cuda", properties.isa, 1, plan.weightBytes, keyValueBytesPerToken(config, shapes)},
      stream_(std::move(stream)),
      weights_(std::move(weights)),
      warpgroups_(usesWarpgroups(options.products, stream_->get())),
      layerStride_(std::int64_t{2} * pool.pages * config.kvHeads * pool.pageTokens * shapes.paddedHeadDim),
      keyValue_(layerStride_ * config.layers, "KV pool"),
      residual_(std::int64_t{pool.maxRows} * config.hidden, "residual stream"),
      norm_(shapes.qkv, pool.maxRows, "normalised rows"),
      query_(std::int64_t{pool.maxRows} * config.heads * shapes.paddedHeadDim, "queries"),
      mixed_(shapes.attentionOutput, pool.maxRows, "attention results"),
      activation_(shapes.down, pool.maxRows, "feed-forward activations"),
      wide_(quantised() ? std::int64_t{pool.maxRows} * std::max(config.ffn, config.queryWidth()) : 0, "rows to be rounded"),
      workspace_(plan.workspaceFloats, "GEMM results"),
      logits_(mostLogitRows(pool) * shapes.head.outputStride(), "logits"),
      partialOutput_(plan.partialSlots * config.heads * shapes.paddedHeadDim, "partial attention results"),
      partialState_(plan.partialSlots * config.heads * 2, "partial attention states"),
      cosine_(std::int64_t{plan.positions} * (config.headDim / 2), "rotary cosines"),
      sine_(std::int64_t{plan.positions} * (config.headDim / 2), "rotary sines"),
      hostLogits_(std::int64_t{mostLogitRows(pool)} * config.vocab, "logits on the host"),
      positions_(plan.positions),
      plan_({.group = config.heads / config.kvHeads,
             .pageTokens = pool.pageTokens,
             .pages = pool.pages,
             .partialSlots = plan.partialSlots,
             .shareChunks = options.shareChunks,
             .kvHeads = config.kvHeads}),
      sampler_(config.vocab),
      hostPages_(options.hostCacheBytes, config.layers, layerStride_ / pool.pages) {
  info_.hostPages = hostPages_.count();
  // Padding is read by matrix products and never written: it must be zero. So must keys never written, which a product
  // with a masked weight of zero still reads.
  keyValue_.clear(stream_->get(), "KV pool");
  norm_.data.clear(stream_->get(), "normalised rows");
  query_.clear(stream_->get(), "queries");
  mixed_.data.clear(stream_->get(), "attention results");
  activation_.data.clear(stream_->get(), "feed-forward activations");
  uploadRopeTable();
  prepareAttention();
  stream_->synchronize("preparation of the device");
}

void CudaDevice::uploadRopeTable() {
  const cpu::RopeTable table(config_, positions_);
  const auto copy = [this](DeviceBuffer<float>& to, const float* from) {
    check(cudaMemcpyAsync(to.data(), from, to.bytes(), cudaMemcpyHostToDevice, stream_->get()), "rotary table");
  };
  copy(cosine_, table.cosine(0));
  copy(sine_, table.sine(0));
  stream_->synchronize("rotary table");
}

void CudaDevice::begin(const ForwardBatch& batch) {
  check(cudaSetDevice(options_.ordinal), "selecting the GPU");  // a property of the calling thread
  graphs_.abandon(*stream_);
  pending_ = {};
  plan_.build(batch);
  batch_ = Pass{passShape(batch, plan_, options_.graphs, pool_.maxRows, mostLogitRows(pool_)), batch.wanted()};
  layout_ = stagingLayout(batch, plan_, batch_->shape);
  bool moved = false;
  const std::span<std::int32_t> words = staging_.acquire(layout_.words, *stream_, moved);
  if (moved) graphs_.clear();
  fillStaging(batch, plan_, batch_->shape, pool_.pageTokens, layout_, words);
  staging_.submit(*stream_);
  graphs_.begin(batch_->shape, *stream_);
}

void CudaDevice::embed() {
  const DeviceMatrix& table = weights_.embeddingTable();
  launchEmbedding({table.data.data(), staged(layout_.tokens), residual_.data(), batch_->rows(), config_.hidden,
                   table.shape.depthBlocks}, stream_->get());
}

PartialSums CudaDevice::multiply(const DeviceMatrix& matrix, const Rows& input, std::int32_t rows, float* direct) {
  const GemmShape& shape = matrix.shape;
  const bool sequential = splitsAreSequential(rows);
  const std::int32_t results = sequential ? 1 : shape.splits;
  float* output = direct != nullptr && results == 1 ? direct : workspace_.data();
  const std::int64_t splitStride = rows * shape.outputStride();
  launchGemm({matrix.data.data(), input.data.data(), output, shape.outputStride(), splitStride, input.groups, rows, shape.depthBlocks,
              shape.splits, sequential, shape.format, warpgroups_}, shape, stream_->get());
  return {output, shape.outputStride(), splitStride, results, shape.format, matrix.scale.data(), input.scale.data()};
}

void CudaDevice::quantise(const Rows& rows, std::int32_t width) {
  launchQuantise({wide_.data(), width, rows.quantised(), shapes_.format(), batch_->rows(), width}, stream_->get());
}

void CudaDevice::normalise(const DeviceBuffer<float>& weight, const std::int32_t* rowIndex, std::int32_t rows) {
  launchNorm({residual_.data(), pending_, weight.data(), rowIndex, norm_.target(), norm_.quantised(), shapes_.format(), rows,
              config_.hidden, config_.normEps}, stream_->get());
  pending_ = {};
}

void CudaDevice::attentionInput(std::int32_t layer) {
  const DeviceLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  normalise(weights.attentionNorm, nullptr, batch_->rows());
  const PartialSums product = multiply(weights.qkv, norm_, batch_->rows());
  launchRope({product, weights.qkvBias.data(), weights.queryNorm.data(), weights.keyNorm.data(), config_.normEps,
              staged(layout_.positions), staged(layout_.slots), cosine_.data(), sine_.data(), query_.data(), keyValueOf(layer),
              batch_->rows(), config_.heads, config_.kvHeads, config_.headDim, shapes_.paddedHeadDim, pool_.pageTokens}, stream_->get());
}

void CudaDevice::attention(std::int32_t layer) {
  AttentionParameters p{};
  p.query = query_.data();
  p.keyValue = keyValueOf(layer);
  p.items = reinterpret_cast<const AttentionItem*>(staged(layout_.items));
  p.itemRows = staged(layout_.itemRows);
  p.positions = staged(layout_.positions);
  p.pages = staged(layout_.pages);
  p.partialBegin = staged(layout_.partialBegin);
  p.partialOutput = partialOutput_.data();
  p.partialState = partialState_.data();
  p.mixed = {mixed_.target(), wide_.data()};
  p.window = config_.windowOf(layer);
  p.heads = config_.heads;
  p.kvHeads = config_.kvHeads;
  p.headDim = config_.headDim;
  p.pageShift = std::countr_zero(static_cast<unsigned>(pool_.pageTokens));
  p.scale = static_cast<float>(log2OfE / std::sqrt(static_cast<double>(config_.headDim)));
  p.few = batch_->shape.fewSlots;
  p.bulk = warpgroups_;
  launchAttention(p, batch_->shape.items, shapes_.paddedHeadDim, stream_->get());
  launchMerge({staged(layout_.mergeRows), p.partialBegin, p.positions, p.partialOutput, p.partialState, p.mixed,
               batch_->shape.merges, p.heads, p.headDim, shapes_.paddedHeadDim, p.window}, stream_->get());
  if (quantised()) quantise(mixed_, config_.queryWidth());
}

void CudaDevice::attentionOutput(std::int32_t layer) {
  pending_ = multiply(weights_.layers[static_cast<std::size_t>(layer)].attentionOutput, mixed_, batch_->rows());
}

void CudaDevice::feedForwardInput(std::int32_t layer) {
  const DeviceLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  normalise(weights.feedForwardNorm, nullptr, batch_->rows());
  const PartialSums product = multiply(weights.gateUp, norm_, batch_->rows());
  launchSwiglu({product, activation_.target(), wide_.data(), batch_->rows(), config_.ffn}, stream_->get());
  if (quantised()) quantise(activation_, config_.ffn);
}

void CudaDevice::feedForwardOutput(std::int32_t layer) {
  pending_ = multiply(weights_.layers[static_cast<std::size_t>(layer)].down, activation_, batch_->rows());
}

void CudaDevice::head() {
  const std::int32_t wanted = batch_->wanted();
  if (wanted > 0 && !repeats()) {
    normalise(weights_.finalNorm, staged(layout_.logitRows), wanted);
    const PartialSums product = multiply(weights_.head, norm_, wanted, logits_.data());
    const std::int64_t stride = shapes_.head.outputStride();
    if (product.data != logits_.data() || quantised()) {
      launchSumSplits(product, logits_.data(), stride, wanted, config_.vocab, stream_->get());
    }
  }
  graphs_.end(*stream_);
  batch_->headQueued = true;
}

std::span<const float> CudaDevice::logits() {
  if (!batch_->headQueued) head();
  const auto wanted = static_cast<std::size_t>(batch_->wantedRows);
  if (wanted > 0) {
    const std::size_t width = static_cast<std::size_t>(config_.vocab) * sizeof(float);
    const std::size_t stride = static_cast<std::size_t>(shapes_.head.outputStride()) * sizeof(float);
    check(cudaMemcpy2DAsync(hostLogits_.data(), width, logits_.data(), stride, width, wanted, cudaMemcpyDeviceToHost, stream_->get()),
          "copy of logits");
  }
  stream_->synchronize("forward pass");
  return {hostLogits_.data(), wanted * static_cast<std::size_t>(config_.vocab)};
}

std::span<const Sample> CudaDevice::sample(std::span<const SampleRequest> requests) {
  return sampler_.sample(requests, logits_.data(), shapes_.head.outputStride(), *stream_);
}

void CudaDevice::copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) {
  check(cudaSetDevice(options_.ordinal), "selecting the GPU");
  launchCopyPage({keyValue_.data(), layerStride_, from, to, tokens, config_.layers, config_.kvHeads, shapes_.paddedHeadDim,
                  pool_.pageTokens}, stream_->get());
}

void CudaDevice::copyPageOut(std::int32_t page, std::int32_t hostPage) {
  check(cudaSetDevice(options_.ordinal), "selecting the GPU");
  hostPages_.copyOut(keyValue_.data() + page * (layerStride_ / pool_.pages), layerStride_, hostPage, stream_->get());
}

void CudaDevice::copyPageIn(std::int32_t hostPage, std::int32_t page) {
  check(cudaSetDevice(options_.ordinal), "selecting the GPU");
  hostPages_.copyIn(hostPage, keyValue_.data() + page * (layerStride_ / pool_.pages), layerStride_, stream_->get());
}

/// The steps both ways of making a device share; `fill` makes the weights on the stream.
template <class Fill>
std::unique_ptr<Device> create(const ModelConfig& config, const PoolConfig& pool, const CudaOptions& options, const Fill& fill) {
  const DeviceProperties properties = selectDevice(options.ordinal);
  checkPool(pool);
  checkVocabulary(config.vocab);
  const ModelShapes shapes(config, resolveWeightFormat(options.dtype));
  requireFormat(shapes.format(), properties);
  prepareGemm();
  const MemoryPlan plan = planMemory(config, pool, shapes);
  checkMemory(plan, properties.freeBytes);
  auto stream = std::make_unique<Stream>();
  DeviceWeights weights = fill(shapes, stream->get());
  return std::make_unique<CudaDevice>(config, pool, shapes, plan, properties, options, std::move(stream), std::move(weights));
}

}  // namespace
}  // namespace cuda

std::unique_ptr<Device> createCudaDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool,
                                         const CudaOptions& options) {
  return cuda::create(config, pool, options, [&](const cuda::ModelShapes& shapes, cudaStream_t stream) {
    return cuda::uploadWeights(config, shapes, weights, options.progress, stream);
  });
}

std::unique_ptr<Device> createRandomCudaDevice(const ModelConfig& config, std::uint64_t seed, const PoolConfig& pool,
                                               const CudaOptions& options) {
  return cuda::create(config, pool, options, [&](const cuda::ModelShapes& shapes, cudaStream_t stream) {
    return cuda::randomWeights(config, shapes, seed, stream);
  });
}

}  // namespace foretrace
