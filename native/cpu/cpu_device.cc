#include "cpu/cpu_device.h"

#include <algorithm>
#include <memory>
#include <string>

#include "core/error.h"
#include "cpu/device_state.h"
#include "cpu/features.h"

namespace foretrace {
namespace cpu {
namespace {

std::int32_t logitRowsOf(const PoolConfig& pool) { return pool.maxLogitRows > 0 ? pool.maxLogitRows : pool.maxRows; }

std::int32_t ropePositions(const ModelConfig& config, const PoolConfig& pool) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(config.maxContext, std::int64_t{pool.pages} * pool.pageTokens));
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

CpuDevice::CpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool, const KernelTable& kernels,
                     const std::string& isa, std::int32_t threads, WeightType type, Profile* profile,
                     std::optional<Split> split)
    : config_(config),
      poolConfig_(pool),
      type_(type),
      kernels_(kernels),
      threads_(threads),
      weights_(packWeights(config, weights, type)),
      kv_(config, pool, type != WeightType::fp32),
      rope_(config, ropePositions(config, pool)),
      info_{"cpu", isa, threads, weights_.bytes, kv_.bytesPerToken()},
      profile_(profile),
      hiddenStride_(padded(config.hidden)),
      headStride_(padded(config.headDim)),
      mixedStride_(padded(config.queryWidth())),
      ffnStride_(padded(config.ffn)),
      widest_(std::max({hiddenStride_, mixedStride_, ffnStride_})),
      // An odd number of cache lines: at a large power of two the rows of a tile would compete for the same sets.
      inputStride_((depthBlocks(type, widest_) | 1) * blockBytes),
      headBytes_(kv_.halves() ? depthBlocks(WeightType::bf16, config.headDim) * blockBytes : headStride_ * 4),
      scratchStride_(std::max({attentionScratch(config.headDim), widest_,
                               kernels.rowShape.mostShared * std::max(headStride_, mostPanels * panelColumns)})),
      residual_(oddRows(pool.maxRows) * hiddenStride_, "residual stream"),
      query_(pool.maxRows * config.heads * headBytes_, "queries"),
      pageRows_(threads * pool.pageTokens * headBytes_, "keys and values of a page"),
      mixed_(pool.maxRows * mixedStride_, "attention results"),
      activation_(oddRows(pool.maxRows) * ffnStride_, "feed-forward activations"),
      input_(inputBuffer(pool.maxRows)),
      ownInputs_(static_cast<std::size_t>(threads)),
      logits_(std::int64_t{logitRowsOf(pool)} * config.vocab, "logits"),
      scratch_(threads * scratchStride_, "scratch"),
      queries_(pool.maxRows, pool.pageTokens),
      choice_(threads, split) {
  for (OwnInput& own : ownInputs_) own.buffer = inputBuffer(elementwiseRows);
  wanted_.reserve(static_cast<std::size_t>(pool.maxRows), static_cast<std::size_t>(pool.pages));
}

InputBuffer CpuDevice::inputBuffer(std::int32_t rows) const {
  if (type_ == WeightType::fp32) return {{rows * widest_, "rows of input"}, {}, {}};
  return {{}, {rows * inputStride_, "rounded rows"}, {rows, "scales of rounded rows"}};
}

}  // namespace cpu

std::unique_ptr<Device> createCpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool,
                                        const cpu::KernelTable& kernels, const std::string& isa, std::int32_t threads,
                                        WeightType type, cpu::Profile* profile, std::optional<cpu::Split> split) {
  cpu::checkPool(pool);
  return std::make_unique<cpu::CpuDevice>(config, weights, pool, kernels, isa, threads, type, profile, split);
}

std::unique_ptr<Device> createCpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool,
                                        const CpuOptions& options) {
  const Isa isa = resolveIsa(options.isa);
  const WeightType type = resolveWeightType(options.dtype, config.cpuDtype);
  if (options.threads < 0) {
    throw Error(ErrorCode::invalid_argument, "threads", "0 or more", std::to_string(options.threads));
  }
  const std::int32_t threads = options.threads > 0 ? options.threads : availableProcessors();
  return createCpuDevice(config, weights, pool, *kernelsOf(isa), isaName(isa), threads, type, options.profile,
                         cpu::splitNamed(options.split));
}

}  // namespace foretrace
