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
#include "cpu/rope_table.h"
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

/// Consecutive rows of one block that attend together.
struct QueryTile {
  std::int32_t block;
  std::int32_t firstRow;
  std::int32_t rows;
};

/// See Device. Every phase splits its output over tasks, never a sum; an element is computed by one chain of operations
/// whose order depends on shapes and position alone (kernels.h), which makes rows independent of each other bit for bit.
class CpuDevice final : public Device {
 public:
  CpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool, const KernelTable& kernels,
            const std::string& isa, std::int32_t threads);

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
  void projectHead(std::int32_t layer, std::int32_t head, std::int32_t firstRow, std::int32_t rows, float* scratch) noexcept;
  void writeKv(std::int32_t layer, std::int32_t kvIndex, std::int32_t firstRow, std::int32_t rows, float* heads) noexcept;
  void attendTile(std::int32_t layer, const QueryTile& tile, std::int32_t kvHead, std::int32_t firstHead,
                  std::int32_t headCount, float* scratch) noexcept;
  /// residual += input * matrix for all rows.
  void addProduct(const PackedMatrix& matrix, const float* input, std::int64_t inputStride);
  void normRows(const float* weight);
  [[nodiscard]] std::int32_t panelsPerTask(std::int32_t panels, std::int32_t rowBlocks) const noexcept;
  [[nodiscard]] float* scratchOf(std::int32_t worker) const noexcept { return scratch_.data() + worker * scratchStride_; }

  ModelConfig config_;
  PoolConfig poolConfig_;
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
  std::int64_t scratchStride_; ///< floats of scratch a worker has
  AlignedBuffer<float> residual_;    ///< [maxRows, hiddenStride]
  AlignedBuffer<float> norm_;        ///< [maxRows, hiddenStride]
  AlignedBuffer<float> query_;       ///< [maxRows, heads, headStride]
  AlignedBuffer<float> mixed_;       ///< [maxRows, mixedStride]
  AlignedBuffer<float> activation_;  ///< [maxRows, ffnStride]
  AlignedBuffer<float> logits_;      ///< [maxLogitRows, vocab]
  AlignedBuffer<float> scratch_;     ///< [threads, scratchStride]

  const ForwardBatch* batch_ = nullptr;
  std::int32_t rows_ = 0;
  std::vector<QueryTile> tiles_;
};

std::int32_t logitRowsOf(const PoolConfig& pool) { return pool.maxLogitRows > 0 ? pool.maxLogitRows : pool.maxRows; }

std::int32_t ropePositions(const ModelConfig& config, const PoolConfig& pool) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(config.maxContext, std::int64_t{pool.pages} * pool.pageTokens));
}

CpuDevice::CpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool, const KernelTable& kernels,
                     const std::string& isa, std::int32_t threads)
    : config_(config),
      poolConfig_(pool),
      kernels_(kernels),
      threads_(threads),
      weights_(packWeights(config, weights)),
      kv_(config, pool),
      rope_(config, ropePositions(config, pool)),
      info_{"cpu", isa, threads, weights_.bytes, kvBytesPerToken(config)},
      hiddenStride_(padded(config.hidden)),
      headStride_(padded(config.headDim)),
      mixedStride_(padded(config.queryWidth())),
      ffnStride_(padded(config.ffn)),
      scratchStride_(std::max(attentionScratch(config.headDim), blockRows * std::max(headStride_, mostPanels * panelColumns))),
      residual_(pool.maxRows * hiddenStride_, "residual stream"),
      norm_(pool.maxRows * hiddenStride_, "normalised rows"),
      query_(pool.maxRows * config.heads * headStride_, "queries"),
      mixed_(pool.maxRows * mixedStride_, "attention results"),
      activation_(pool.maxRows * ffnStride_, "feed-forward activations"),
      logits_(std::int64_t{logitRowsOf(pool)} * config.vocab, "logits"),
      scratch_(threads * scratchStride_, "scratch") {
  tiles_.reserve(static_cast<std::size_t>(pool.maxRows));
}

void CpuDevice::begin(const ForwardBatch& batch) {
  batch_ = &batch;
  rows_ = batch.rows();
  const std::int32_t group = config_.heads / config_.kvHeads;
  const std::int32_t tileRows = std::max(1, maxQueries / group);
  tiles_.clear();
  for (std::int32_t block = 0; block < batch.blocks(); ++block) {
    const auto index = static_cast<std::size_t>(block);
    const std::int32_t end = batch.rowStart[index + 1];
    for (std::int32_t row = batch.rowStart[index]; row < end; row += tileRows) {
      tiles_.push_back({block, row, std::min(tileRows, end - row)});
    }
  }
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

void CpuDevice::normRows(const float* weight) {
  threads_.run(ceilDivide(rows_, elementwiseRows), [this, weight](std::int32_t task, std::int32_t) noexcept {
    const std::int32_t end = std::min(rows_, (task + 1) * elementwiseRows);
    for (std::int32_t row = task * elementwiseRows; row < end; ++row) {
      kernels_.rmsNorm(residual_.data() + row * hiddenStride_, weight, config_.normEps, config_.hidden,
                       norm_.data() + row * hiddenStride_);
    }
  });
}

void CpuDevice::attentionInput(std::int32_t layer) {
  normRows(weights_.layers[static_cast<std::size_t>(layer)].attentionNorm.data());
  const std::int32_t rowBlocks = ceilDivide(rows_, blockRows);
  const std::int32_t heads = config_.heads + 2 * config_.kvHeads;
  threads_.run(heads * rowBlocks, [=, this](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t firstRow = task % rowBlocks * blockRows;
    projectHead(layer, task / rowBlocks, firstRow, std::min(blockRows, rows_ - firstRow), scratchOf(worker));
  });
}

void CpuDevice::projectHead(std::int32_t layer, std::int32_t head, std::int32_t firstRow, std::int32_t rows,
                            float* scratch) noexcept {
  const PackedMatrix& matrix = weights_.layers[static_cast<std::size_t>(layer)].qkv;
  const std::int32_t perHead = headPanels(config_.headDim);
  const bool isQuery = head < config_.heads;
  const std::int64_t stride = isQuery ? config_.heads * headStride_ : headStride_;
  float* out = isQuery ? query_.data() + firstRow * stride + head * headStride_ : scratch;
  kernels_.gemm({norm_.data() + firstRow * hiddenStride_, hiddenStride_, rows, matrix.depth,
                 matrix.panel(std::int64_t{head} * perHead), perHead, out, stride, false});
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
  const std::int32_t perTile = config_.kvHeads * parts;
  threads_.run(static_cast<std::int32_t>(tiles_.size()) * perTile, [=, this](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t kvHead = task % perTile / parts;
    const std::int32_t firstOfGroup = task % parts * maxQueries;
    attendTile(layer, tiles_[static_cast<std::size_t>(task / perTile)], kvHead, kvHead * group + firstOfGroup,
               std::min(maxQueries, group - firstOfGroup), scratchOf(worker));
  });
}

void CpuDevice::attendTile(std::int32_t layer, const QueryTile& tile, std::int32_t kvHead, std::int32_t firstHead,
                           std::int32_t headCount, float* scratch) noexcept {
  AttentionTask task{};
  task.queryRowStride = config_.heads * headStride_;
  task.queryHeadStride = headStride_;
  task.query = query_.data() + tile.firstRow * task.queryRowStride + firstHead * headStride_;
  task.outRowStride = mixedStride_;
  task.outHeadStride = config_.headDim;
  task.out = mixed_.data() + tile.firstRow * mixedStride_ + std::int64_t{firstHead} * config_.headDim;
  task.rows = tile.rows;
  task.group = headCount;
  task.firstPosition = batch_->positions[static_cast<std::size_t>(tile.firstRow)];
  task.headDim = config_.headDim;
  task.scale = 1.0F / std::sqrt(static_cast<float>(config_.headDim));
  task.keys = kv_.keys(layer, kvHead);
  task.values = kv_.values(layer, kvHead);
  task.pageStride = kv_.pageStride();
  task.pageTokens = poolConfig_.pageTokens;
  task.pages = batch_->pages.data() + batch_->pageStart[static_cast<std::size_t>(tile.block)];
  task.scratch = scratch;
  kernels_.attention(task);
}

std::int32_t CpuDevice::panelsPerTask(std::int32_t panels, std::int32_t rowBlocks) const noexcept {
  std::int32_t perTask = mostPanels;
  while (perTask > 1 && ceilDivide(panels, perTask) * rowBlocks < 2 * threads_.threads()) perTask /= 2;
  return perTask;
}

void CpuDevice::addProduct(const PackedMatrix& matrix, const float* input, std::int64_t inputStride) {
  const std::int32_t rowBlocks = ceilDivide(rows_, blockRows);
  const std::int32_t perTask = panelsPerTask(matrix.panels, rowBlocks);
  threads_.run(ceilDivide(matrix.panels, perTask) * rowBlocks, [=, this, &matrix](std::int32_t task, std::int32_t) noexcept {
    const std::int32_t firstRow = task % rowBlocks * blockRows;
    const std::int32_t panel = task / rowBlocks * perTask;
    kernels_.gemm({input + firstRow * inputStride, inputStride, std::min(blockRows, rows_ - firstRow), matrix.depth,
                   matrix.panel(panel), std::min(perTask, matrix.panels - panel),
                   residual_.data() + firstRow * hiddenStride_ + panel * panelColumns, hiddenStride_, true});
  });
}

void CpuDevice::attentionOutput(std::int32_t layer) {
  addProduct(weights_.layers[static_cast<std::size_t>(layer)].attentionOutput, mixed_.data(), mixedStride_);
}

void CpuDevice::feedForwardInput(std::int32_t layer) {
  const PackedLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  normRows(weights.feedForwardNorm.data());
  const PackedMatrix& matrix = weights.gateUp;
  const std::int32_t rowBlocks = ceilDivide(rows_, blockRows);
  const std::int32_t perTask = std::max(2, panelsPerTask(matrix.panels, rowBlocks));  // gate and up stay together
  threads_.run(ceilDivide(matrix.panels, perTask) * rowBlocks,
               [=, this, &matrix](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t firstRow = task % rowBlocks * blockRows;
    const std::int32_t rows = std::min(blockRows, rows_ - firstRow);
    const std::int32_t panel = task / rowBlocks * perTask;
    const std::int32_t panels = std::min(perTask, matrix.panels - panel);
    const std::int64_t stride = panels * panelColumns;
    float* product = scratchOf(worker);
    kernels_.gemm({norm_.data() + firstRow * hiddenStride_, hiddenStride_, rows, matrix.depth, matrix.panel(panel), panels,
                   product, stride, false});
    for (std::int32_t row = 0; row < rows; ++row) {
      float* out = activation_.data() + (firstRow + row) * ffnStride_ + panel / 2 * panelColumns;
      for (std::int32_t pair = 0; pair < panels / 2; ++pair) {
        const float* gate = product + row * stride + 2 * pair * panelColumns;
        kernels_.siluMultiply(gate, gate + panelColumns, out + pair * panelColumns, panelColumns);
      }
    }
  });
}

void CpuDevice::feedForwardOutput(std::int32_t layer) {
  addProduct(weights_.layers[static_cast<std::size_t>(layer)].down, activation_.data(), ffnStride_);
}

std::span<const float> CpuDevice::logits() {
  const std::int32_t wanted = batch_->wanted();
  const std::int64_t vocab = config_.vocab;
  for (std::int32_t i = 0; i < wanted; ++i) {
    kernels_.rmsNorm(residual_.data() + batch_->logitRows[static_cast<std::size_t>(i)] * hiddenStride_,
                     weights_.finalNorm.data(), config_.normEps, config_.hidden, norm_.data() + i * hiddenStride_);
  }
  const PackedMatrix& matrix = weights_.head;
  const std::int32_t rowBlocks = ceilDivide(wanted, blockRows);
  const std::int32_t perTask = panelsPerTask(matrix.panels, rowBlocks);
  threads_.run(ceilDivide(matrix.panels, perTask) * rowBlocks,
               [=, this, &matrix](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t firstRow = task % rowBlocks * blockRows;
    const std::int32_t rows = std::min(blockRows, wanted - firstRow);
    const std::int32_t panel = task / rowBlocks * perTask;
    const std::int32_t panels = std::min(perTask, matrix.panels - panel);
    // Rows of logits are not padded and the last panel may be: it goes through the scratch.
    const bool fits = (panel + panels) * panelColumns <= vocab;
    float* out = logits_.data() + firstRow * vocab + panel * panelColumns;
    float* product = fits ? out : scratchOf(worker);
    const std::int64_t stride = fits ? vocab : panels * panelColumns;
    kernels_.gemm({norm_.data() + firstRow * hiddenStride_, hiddenStride_, rows, matrix.depth, matrix.panel(panel), panels,
                   product, stride, false});
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

const KernelTable& kernelsFor(Isa isa) {
  const KernelTable* table = isa == Isa::avx512 ? avx512Kernels() : isa == Isa::avx2 ? avx2Kernels() : portableKernels();
  ensure(table != nullptr, "an available instruction set has kernels");
  return *table;
}

}  // namespace
}  // namespace cpu

std::unique_ptr<Device> createCpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool,
                                        const cpu::KernelTable& kernels, const std::string& isa, std::int32_t threads) {
  cpu::checkPool(pool);
  return std::make_unique<cpu::CpuDevice>(config, weights, pool, kernels, isa, threads);
}

std::unique_ptr<Device> createCpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool,
                                        const CpuOptions& options) {
  const Isa isa = resolveIsa(options.isa);
  if (options.threads < 0) {
    throw Error(ErrorCode::invalid_argument, "threads", "0 or more", std::to_string(options.threads));
  }
  const std::int32_t threads = options.threads > 0 ? options.threads : availableProcessors();
  return createCpuDevice(config, weights, pool, cpu::kernelsFor(isa), isaName(isa), threads);
}

}  // namespace foretrace
