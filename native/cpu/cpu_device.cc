#include "cpu/cpu_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/error.h"
#include "cpu/features.h"
#include "cpu/kv_pool.h"
#include "cpu/packed_weights.h"
#include "cpu/product.h"
#include "cpu/query_tiles.h"
#include "core/rope_table.h"
#include "cpu/threads.h"

namespace foretrace {
namespace cpu {
namespace {

/// Rows a GEMM task covers: a multiple of every tile height, few enough for the scratch of a worker to stay in cache.
constexpr std::int32_t blockRows = 96;
/// Most panels of a GEMM task, and the width of the widest tile.
constexpr std::int32_t mostPanels = 8;
/// Rows of a task of the elementwise phases: below that, waking another worker costs more than the work.
constexpr std::int32_t elementwiseRows = 8;

[[nodiscard]] constexpr std::int32_t ceilDivide(std::int32_t a, std::int32_t b) noexcept { return (a + b - 1) / b; }

/// See Device. Every phase splits its output over tasks, never a sum; an element is computed by one chain of operations
/// whose order depends on shapes and position alone (kernels.h), which makes rows independent of each other bit for bit.
class CpuDevice final : public Device {
 public:
  CpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool, const KernelTable& kernels,
            const std::string& isa, std::int32_t threads, WeightType type);

  [[nodiscard]] const BackendInfo& info() const noexcept override { return info_; }
  void begin(const ForwardBatch& batch) override;
  void embed() override;
  void attentionInput(std::int32_t layer) override;
  void attention(std::int32_t layer) override;
  void attentionOutput(std::int32_t layer) override;
  void feedForwardInput(std::int32_t layer) override;
  void feedForwardOutput(std::int32_t layer) override;
  std::span<const float> logits() override;
  void copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) override { kv_.copyPage(from, to, tokens); }

 private:
  /// One head of the merged projection for a block of rows: product, rotation, and writing keys and values to pages.
  void projectHead(std::int32_t layer, std::int32_t head, std::int32_t firstRow, std::int32_t rows, const InputRows& input,
                   float* scratch) noexcept;
  void writeKv(std::int32_t layer, std::int32_t kvIndex, std::int32_t firstRow, std::int32_t rows, float* heads) noexcept;
  void attendTile(std::int32_t layer, const QueryTile& tile, std::int32_t kvHead, std::int32_t firstHead,
                  std::int32_t headCount, float* scratch) noexcept;
  /// residual += input * matrix for all rows.
  void addProduct(const PackedMatrix& matrix, const InputRows& input);
  /// Rows of residual_ (all, or those of `order`), normalised, as the input of a product.
  InputRows normRows(const float* weight, std::int32_t count, const std::int32_t* order = nullptr);
  /// Rows of fp32 as the input of a product: themselves, or rounded.
  InputRows inputRows(const float* rows, std::int64_t stride);
  void roundRow(const float* row, std::int64_t width, std::int32_t index) noexcept;
  [[nodiscard]] std::int32_t panelsPerTask(std::int32_t panels, std::int32_t rowBlocks) const noexcept;
  [[nodiscard]] float* scratchOf(std::int32_t worker) const noexcept { return scratch_.data() + worker * scratchStride_; }

  ModelConfig config_;
  PoolConfig poolConfig_;
  WeightType type_;
  KernelTable kernels_;
  ThreadPool threads_;
  PackedWeights weights_;
  KvPool kv_;
  RopeTable rope_;
  BackendInfo info_;

  std::int64_t hiddenStride_;  ///< padded(hidden)
  std::int64_t headStride_;    ///< padded(headDim)
  std::int64_t mixedStride_;   ///< padded(heads * headDim)
  std::int64_t ffnStride_;     ///< padded(ffn)
  std::int64_t inputStride_;   ///< bytes of the widest rounded row
  std::int64_t scratchStride_; ///< floats of scratch a worker has
  AlignedBuffer<float> residual_;    ///< [maxRows, hiddenStride]
  AlignedBuffer<float> norm_;        ///< [maxRows, hiddenStride], fp32 weights only
  AlignedBuffer<float> query_;       ///< [maxRows, heads, headStride]
  AlignedBuffer<float> mixed_;       ///< [maxRows, mixedStride]
  AlignedBuffer<float> activation_;  ///< [maxRows, ffnStride]
  AlignedBuffer<std::uint8_t> input_;  ///< [maxRows, inputStride] rounded rows, bf16 and int8 only
  AlignedBuffer<float> inputScales_;   ///< [maxRows]
  AlignedBuffer<float> logits_;      ///< [maxLogitRows, vocab]
  AlignedBuffer<float> scratch_;     ///< [threads, scratchStride]

  const ForwardBatch* batch_ = nullptr;
  std::int32_t rows_ = 0;
  QueryPlan queries_;
};

std::int32_t logitRowsOf(const PoolConfig& pool) { return pool.maxLogitRows > 0 ? pool.maxLogitRows : pool.maxRows; }

std::int32_t ropePositions(const ModelConfig& config, const PoolConfig& pool) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(config.maxContext, std::int64_t{pool.pages} * pool.pageTokens));
}

CpuDevice::CpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool, const KernelTable& kernels,
                     const std::string& isa, std::int32_t threads, WeightType type)
    : config_(config),
      poolConfig_(pool),
      type_(type),
      kernels_(kernels),
      threads_(threads),
      weights_(packWeights(config, weights, type)),
      kv_(config, pool, type != WeightType::fp32),
      rope_(config, ropePositions(config, pool)),
      info_{"cpu", isa, threads, weights_.bytes, kv_.bytesPerToken()},
      hiddenStride_(padded(config.hidden)),
      headStride_(padded(config.headDim)),
      mixedStride_(padded(config.queryWidth())),
      ffnStride_(padded(config.ffn)),
      // An odd number of cache lines: at a large power of two the rows of a tile would compete for the same sets.
      inputStride_((depthBlocks(type, std::max({hiddenStride_, mixedStride_, ffnStride_})) | 1) * blockBytes),
      scratchStride_(std::max({attentionScratch(config.headDim), hiddenStride_,
                               blockRows * std::max(headStride_, mostPanels * panelColumns)})),
      residual_(pool.maxRows * hiddenStride_, "residual stream"),
      norm_(type == WeightType::fp32 ? pool.maxRows * hiddenStride_ : 0, "normalised rows"),
      query_(pool.maxRows * config.heads * headStride_, "queries"),
      mixed_(pool.maxRows * mixedStride_, "attention results"),
      activation_(pool.maxRows * ffnStride_, "feed-forward activations"),
      input_(type == WeightType::fp32 ? 0 : pool.maxRows * inputStride_, "rounded rows"),
      inputScales_(pool.maxRows, "scales of rounded rows"),
      logits_(std::int64_t{logitRowsOf(pool)} * config.vocab, "logits"),
      scratch_(threads * scratchStride_, "scratch"),
      queries_(pool.maxRows, std::max(1, maxQueries / (config.heads / config.kvHeads)), pool.pageTokens) {}

void CpuDevice::begin(const ForwardBatch& batch) {
  batch_ = &batch;
  rows_ = batch.rows();
  queries_.plan(batch);
}

void CpuDevice::embed() {
  threads_.run(ceilDivide(rows_, elementwiseRows), [this](std::int32_t task, std::int32_t) noexcept {
    const std::int32_t end = std::min(rows_, (task + 1) * elementwiseRows);
    for (std::int32_t row = task * elementwiseRows; row < end; ++row) {
      readRow(weights_.embedding.data(), weights_.embeddingType, batch_->tokens[static_cast<std::size_t>(row)],
              config_.hidden, residual_.data() + row * hiddenStride_);
    }
  });
}

void CpuDevice::roundRow(const float* row, std::int64_t width, std::int32_t index) noexcept {
  std::uint8_t* out = input_.data() + index * inputStride_;
  if (type_ == WeightType::int8) {
    kernels_.roundInt8(row, width, out, inputScales_.data() + index);
  } else {
    kernels_.roundBf16(row, width, out);
  }
}

InputRows CpuDevice::normRows(const float* weight, std::int32_t count, const std::int32_t* order) {
  threads_.run(ceilDivide(count, elementwiseRows), [=, this](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t end = std::min(count, (task + 1) * elementwiseRows);
    for (std::int32_t row = task * elementwiseRows; row < end; ++row) {
      const float* from = residual_.data() + (order == nullptr ? row : order[row]) * hiddenStride_;
      float* norm = type_ == WeightType::fp32 ? norm_.data() + row * hiddenStride_ : scratchOf(worker);
      kernels_.rmsNorm(from, weight, config_.normEps, config_.hidden, norm);
      if (type_ != WeightType::fp32) roundRow(norm, hiddenStride_, row);
    }
  });
  if (type_ != WeightType::fp32) return {input_.data(), inputStride_, inputScales_.data()};
  return {reinterpret_cast<const std::uint8_t*>(norm_.data()), hiddenStride_ * 4, nullptr};
}

InputRows CpuDevice::inputRows(const float* rows, std::int64_t stride) {
  if (type_ == WeightType::fp32) return {reinterpret_cast<const std::uint8_t*>(rows), stride * 4, nullptr};
  threads_.run(ceilDivide(rows_, elementwiseRows), [=, this](std::int32_t task, std::int32_t) noexcept {
    const std::int32_t end = std::min(rows_, (task + 1) * elementwiseRows);
    for (std::int32_t row = task * elementwiseRows; row < end; ++row) roundRow(rows + row * stride, stride, row);
  });
  return {input_.data(), inputStride_, inputScales_.data()};
}

void CpuDevice::attentionInput(std::int32_t layer) {
  const InputRows input = normRows(weights_.layers[static_cast<std::size_t>(layer)].attentionNorm.data(), rows_);
  const std::int32_t rowBlocks = ceilDivide(rows_, blockRows);
  const std::int32_t heads = config_.heads + 2 * config_.kvHeads;
  threads_.run(heads * rowBlocks, [=, this, &input](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t firstRow = task % rowBlocks * blockRows;
    projectHead(layer, task / rowBlocks, firstRow, std::min(blockRows, rows_ - firstRow), input, scratchOf(worker));
  });
}

void CpuDevice::projectHead(std::int32_t layer, std::int32_t head, std::int32_t firstRow, std::int32_t rows,
                            const InputRows& input, float* scratch) noexcept {
  const PackedMatrix& matrix = weights_.layers[static_cast<std::size_t>(layer)].qkv;
  const std::int32_t perHead = headPanels(config_.headDim);
  const bool isQuery = head < config_.heads;
  const std::int64_t stride = isQuery ? config_.heads * headStride_ : headStride_;
  float* out = isQuery ? query_.data() + firstRow * stride + head * headStride_ : scratch;
  multiply(kernels_, input, firstRow, rows, matrix, head * perHead, perHead, {out, stride, false});
  if (head < config_.heads + config_.kvHeads) {
    for (std::int32_t row = 0; row < rows; ++row) {
      const std::int32_t position = batch_->positions[static_cast<std::size_t>(firstRow + row)];
      kernels_.rope(out + row * stride, rope_.cosine(position), rope_.sine(position), config_.headDim / 2);
    }
  }
  if (!isQuery) writeKv(layer, head - config_.heads, firstRow, rows, out);
}

void CpuDevice::writeKv(std::int32_t layer, std::int32_t kvIndex, std::int32_t firstRow, std::int32_t rows,
                        float* heads) noexcept {
  const bool isKey = kvIndex < config_.kvHeads;
  for (std::int32_t i = 0; i < rows; ++i) {
    const auto row = static_cast<std::size_t>(firstRow + i);
    const std::int32_t position = batch_->positions[row];
    const std::int32_t firstPage = batch_->pageStart[static_cast<std::size_t>(batch_->blockOfRow[row])];
    const std::int32_t page = batch_->pages[static_cast<std::size_t>(firstPage + position / poolConfig_.pageTokens)];
    const std::int32_t slot = position % poolConfig_.pageTokens;
    if (isKey) {
      kv_.writeKey(layer, kvIndex, page, slot, heads + i * headStride_);
    } else {
      kv_.writeValue(layer, kvIndex - config_.kvHeads, page, slot, heads + i * headStride_);
    }
  }
}

void CpuDevice::attention(std::int32_t layer) {
  const std::int32_t group = config_.heads / config_.kvHeads;
  const std::int32_t parts = ceilDivide(group, maxQueries);  // more heads a group than queries a call: several calls
  const auto tiles = static_cast<std::int32_t>(queries_.tiles().size());
  // Tiles that read the same keys and values follow each other, so that they find them in the cache.
  threads_.run(config_.kvHeads * tiles * parts, [=, this](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t kvHead = task / (tiles * parts);
    const std::int32_t firstOfGroup = task % parts * maxQueries;
    attendTile(layer, queries_.tiles()[static_cast<std::size_t>(task / parts % tiles)], kvHead,
               kvHead * group + firstOfGroup, std::min(maxQueries, group - firstOfGroup), scratchOf(worker));
  });
}

void CpuDevice::attendTile(std::int32_t layer, const QueryTile& tile, std::int32_t kvHead, std::int32_t firstHead,
                           std::int32_t headCount, float* scratch) noexcept {
  AttentionRow rows[maxQueries];
  const std::int32_t window = config_.windowOf(layer);
  for (std::int32_t i = 0; i < tile.count; ++i) {
    const std::int32_t row = queries_.row(tile.first + i);
    const auto block = static_cast<std::size_t>(batch_->blockOfRow[static_cast<std::size_t>(row)]);
    const std::int32_t position = batch_->positions[static_cast<std::size_t>(row)];
    rows[i] = {query_.data() + (std::int64_t{row} * config_.heads + firstHead) * headStride_,
               mixed_.data() + row * mixedStride_ + std::int64_t{firstHead} * config_.headDim,
               batch_->pages.data() + batch_->pageStart[block], position, window > 0 ? std::max(0, position - window + 1) : 0};
  }
  AttentionTask task{};
  task.rows = rows;
  task.rowCount = tile.count;
  task.group = headCount;
  task.sharedTokens = tile.sharedTokens;
  task.queryHeadStride = headStride_;
  task.outHeadStride = config_.headDim;
  task.headDim = config_.headDim;
  task.scale = 1.0F / std::sqrt(static_cast<float>(config_.headDim));
  task.keys = kv_.keys(layer, kvHead);
  task.values = kv_.values(layer, kvHead);
  task.pageStride = kv_.pageStride();
  task.pageTokens = poolConfig_.pageTokens;
  task.scratch = scratch;
  (kv_.halves() ? kernels_.attentionBf16 : kernels_.attention)(task);
}

std::int32_t CpuDevice::panelsPerTask(std::int32_t panels, std::int32_t rowBlocks) const noexcept {
  // Tasks of equal size, several a thread, so that nobody waits long for the last.
  return std::clamp(ceilDivide(panels * rowBlocks, 4 * threads_.threads()), 1, mostPanels);
}

void CpuDevice::addProduct(const PackedMatrix& matrix, const InputRows& input) {
  const std::int32_t rowBlocks = ceilDivide(rows_, blockRows);
  const std::int32_t perTask = panelsPerTask(matrix.panels, rowBlocks);
  threads_.run(ceilDivide(matrix.panels, perTask) * rowBlocks, [=, this, &matrix, &input](std::int32_t task, std::int32_t) noexcept {
    const std::int32_t firstRow = task % rowBlocks * blockRows;
    const std::int32_t panel = task / rowBlocks * perTask;
    multiply(kernels_, input, firstRow, std::min(blockRows, rows_ - firstRow), matrix, panel,
             std::min(perTask, matrix.panels - panel),
             {residual_.data() + firstRow * hiddenStride_ + panel * panelColumns, hiddenStride_, true});
  });
}

void CpuDevice::attentionOutput(std::int32_t layer) {
  addProduct(weights_.layers[static_cast<std::size_t>(layer)].attentionOutput, inputRows(mixed_.data(), mixedStride_));
}

void CpuDevice::feedForwardInput(std::int32_t layer) {
  const PackedLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  const InputRows input = normRows(weights.feedForwardNorm.data(), rows_);
  const PackedMatrix& matrix = weights.gateUp;
  const std::int32_t rowBlocks = ceilDivide(rows_, blockRows);
  const std::int32_t perTask = (panelsPerTask(matrix.panels, rowBlocks) + 1) / 2 * 2;  // gate and up stay together
  threads_.run(ceilDivide(matrix.panels, perTask) * rowBlocks,
               [=, this, &matrix, &input](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t firstRow = task % rowBlocks * blockRows;
    const std::int32_t rows = std::min(blockRows, rows_ - firstRow);
    const std::int32_t panel = task / rowBlocks * perTask;
    const std::int32_t panels = std::min(perTask, matrix.panels - panel);
    const std::int64_t stride = panels * panelColumns;
    float* product = scratchOf(worker);
    multiply(kernels_, input, firstRow, rows, matrix, panel, panels, {product, stride, false});
    for (std::int32_t row = 0; row < rows; ++row) {
      float* out = activation_.data() + (firstRow + row) * ffnStride_ + panel / 2 * panelColumns;
      kernels_.siluPanels(product + row * stride, panels / 2, out);
    }
  });
}

void CpuDevice::feedForwardOutput(std::int32_t layer) {
  addProduct(weights_.layers[static_cast<std::size_t>(layer)].down, inputRows(activation_.data(), ffnStride_));
}

std::span<const float> CpuDevice::logits() {
  const std::int32_t wanted = batch_->wanted();
  const std::int64_t vocab = config_.vocab;
  const InputRows input = normRows(weights_.finalNorm.data(), wanted, batch_->logitRows.data());
  const PackedMatrix& matrix = weights_.head;
  const std::int32_t rowBlocks = ceilDivide(wanted, blockRows);
  const std::int32_t perTask = panelsPerTask(matrix.panels, rowBlocks);
  threads_.run(ceilDivide(matrix.panels, perTask) * rowBlocks,
               [=, this, &matrix, &input](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t firstRow = task % rowBlocks * blockRows;
    const std::int32_t rows = std::min(blockRows, wanted - firstRow);
    const std::int32_t panel = task / rowBlocks * perTask;
    const std::int32_t panels = std::min(perTask, matrix.panels - panel);
    // Rows of logits are not padded and the last panel may be: it goes through the scratch.
    const bool fits = (panel + panels) * panelColumns <= vocab;
    float* out = logits_.data() + firstRow * vocab + panel * panelColumns;
    float* product = fits ? out : scratchOf(worker);
    const std::int64_t stride = fits ? vocab : panels * panelColumns;
    multiply(kernels_, input, firstRow, rows, matrix, panel, panels, {product, stride, false});
    if (fits) return;
    const auto columns = static_cast<std::size_t>(vocab - panel * panelColumns);
    for (std::int32_t row = 0; row < rows; ++row) {
      std::memcpy(out + row * vocab, product + row * stride, columns * sizeof(float));
    }
  });
  return {logits_.data(), static_cast<std::size_t>(wanted * vocab)};
}

void checkPool(const PoolConfig& pool) {
  const auto require = [](bool holds, const char* what, const char* expected, std::int32_t actual) {
    if (!holds) throw Error(ErrorCode::invalid_argument, what, expected, std::to_string(actual));
  };
  const std::int32_t tokens = pool.pageTokens;
  require(tokens >= 4 && tokens <= 64 && (tokens & (tokens - 1)) == 0, "pageTokens", "a power of two from 4 to 64", tokens);
  require(pool.pages >= 1, "pages", "at least 1", pool.pages);
  require(pool.maxRows >= 1 && pool.maxRows <= 65536, "maxRows", "1 to 65536", pool.maxRows);
  require(pool.maxLogitRows >= 0 && pool.maxLogitRows <= pool.maxRows, "maxLogitRows", "0 to maxRows", pool.maxLogitRows);
}

}  // namespace
}  // namespace cpu

std::unique_ptr<Device> createCpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool,
                                        const cpu::KernelTable& kernels, const std::string& isa, std::int32_t threads,
                                        WeightType type) {
  cpu::checkPool(pool);
  return std::make_unique<cpu::CpuDevice>(config, weights, pool, kernels, isa, threads, type);
}

std::unique_ptr<Device> createCpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool,
                                        const CpuOptions& options) {
  const Isa isa = resolveIsa(options.isa);
  const WeightType type = resolveWeightType(options.dtype);
  if (options.threads < 0) {
    throw Error(ErrorCode::invalid_argument, "threads", "0 or more", std::to_string(options.threads));
  }
  const std::int32_t threads = options.threads > 0 ? options.threads : availableProcessors();
  return createCpuDevice(config, weights, pool, *kernelsOf(isa), isaName(isa), threads, type);
}

}  // namespace foretrace
