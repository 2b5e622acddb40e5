#include "cuda/shapes.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {
namespace {

/// Blocks that occupy a large GPU twice over.
constexpr std::int32_t wantedBlocks = 264;
constexpr std::int32_t mostSplits = 8;
constexpr std::int32_t leastBlocksOfSplit = 4;

/// Most memory for partial results of attention; rows beyond it are attended without them.
constexpr std::int64_t mostPartialBytes = std::int64_t{256} << 20;

/// Left free for the driver's own needs: contexts, module code, fragmentation.
constexpr std::int64_t reserveBytes = std::int64_t{512} << 20;

constexpr std::int64_t mostPages = 1 << 22;

constexpr std::int64_t ceilDivide(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

std::int32_t paddedHead(std::int32_t headDim) {
  for (const std::int32_t width : headDims) {
    if (headDim <= width) return width;
  }
  throw Error(ErrorCode::unsupported_device, "head_dim of a model on cuda", "at most 128", std::to_string(headDim));
}

std::int64_t positionsOf(const ModelConfig& config, const PoolConfig& pool) {
  return std::min<std::int64_t>(config.maxContext, std::int64_t{pool.pages} * pool.pageTokens);
}

std::string gibibytes(std::int64_t bytes) {
  const std::int64_t hundredths = (bytes * 25 + (std::int64_t{1} << 27)) >> 28;  // 100 / 2^30
  const std::int64_t rest = hundredths % 100;
  return std::to_string(hundredths / 100) + (rest < 10 ? ".0" : ".") + std::to_string(rest) + " GiB";
}

/// Largest set of fp32 results any GEMM of the layers writes.
std::int64_t workspaceFloats(const PoolConfig& pool, const ModelShapes& shapes) {
  std::int64_t most = 0;
  const std::int64_t rows = pool.maxRows;
  const std::int64_t logitRows = mostLogitRows(pool);
  for (const GemmShape* shape : {&shapes.qkv, &shapes.attentionOutput, &shapes.gateUp, &shapes.down}) {
    const std::int64_t spread = std::min<std::int64_t>(rows, gridSplitRows) * shape->splits;
    most = std::max(most, std::max(spread, rows) * shape->outputStride());
  }
  if (shapes.head.splits > 1) {
    most = std::max(most, std::min<std::int64_t>(logitRows, gridSplitRows) * shapes.head.splits * shapes.head.outputStride());
  }
  return most;
}

}  // namespace

WeightFormat resolveWeightFormat(std::string_view name) {
  if (name == "auto") return WeightFormat::bf16;
  for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8, WeightFormat::fp8}) {
    if (name == weightFormatName(format)) return format;
  }
  throw Error(ErrorCode::invalid_argument, "dtype on cuda", "auto, bf16, int8 or fp8", "\"" + std::string(name) + "\"");
}

const char* weightFormatName(WeightFormat format) noexcept {
  switch (format) {
    case WeightFormat::bf16: return "bf16";
    case WeightFormat::int8: return "int8";
    case WeightFormat::fp8: return "fp8";
  }
  return "?";
}

GemmShape gemmShape(std::int32_t outs, std::int32_t depth, WeightFormat format) noexcept {
  GemmShape shape;
  shape.format = format;
  shape.outs = outs;
  shape.depth = depth;
  shape.outBlocks = static_cast<std::int32_t>(ceilDivide(outs, outsPerBlock));
  shape.depthBlocks = static_cast<std::int32_t>(ceilDivide(std::int64_t{depth} * elementBytes(format), depthBytes));
  while (shape.splits < mostSplits && shape.outBlocks * shape.splits * 2 <= wantedBlocks &&
         shape.depthBlocks >= shape.splits * 2 * leastBlocksOfSplit) {
    shape.splits *= 2;
  }
  return shape;
}

ModelShapes::ModelShapes(const ModelConfig& config, WeightFormat format)
    : qkv(gemmShape(config.queryWidth() + 2 * config.kvWidth(), config.hidden, format)),
      attentionOutput(gemmShape(config.hidden, config.queryWidth(), format)),
      gateUp(gemmShape(2 * config.ffn, config.hidden, format)),
      down(gemmShape(config.hidden, config.ffn, format)),
      head(gemmShape(config.vocab, config.hidden, format)),
      embedding(gemmShape(config.vocab, config.hidden)),
      ownEmbedding(!config.tied || format != WeightFormat::bf16),
      paddedHeadDim(paddedHead(config.headDim)) {}

std::int64_t keyValueBytesPerToken(const ModelConfig& config, const ModelShapes& shapes) noexcept {
  return std::int64_t{2} * config.layers * config.kvHeads * shapes.paddedHeadDim * 2;
}

std::int32_t mostLogitRows(const PoolConfig& pool) noexcept { return pool.maxLogitRows > 0 ? pool.maxLogitRows : pool.maxRows; }

MemoryPlan planMemory(const ModelConfig& config, const PoolConfig& pool, const ModelShapes& shapes) {
  MemoryPlan plan;
  const std::int64_t rows = pool.maxRows;
  std::int64_t layerBytes = 0;
  for (const GemmShape* shape : {&shapes.qkv, &shapes.attentionOutput, &shapes.gateUp, &shapes.down}) {
    layerBytes += shape->packedBytes() + 4 * shape->scales();
  }
  plan.weightBytes = config.layers * layerBytes + shapes.head.packedBytes() + 4 * shapes.head.scales() +
                     (shapes.ownEmbedding ? shapes.embedding.packedBytes() : 0) + 4 * std::int64_t{config.hidden} * (2 * config.layers + 1);
  const std::int64_t biases = config.attentionBias ? config.queryWidth() + 2 * config.kvWidth() : 0;
  const std::int64_t headNorms = config.headNorms ? 2 * config.headDim : 0;
  plan.weightBytes += 4 * config.layers * (biases + headNorms);
  plan.positions = static_cast<std::int32_t>(positionsOf(config, pool));
  plan.workspaceFloats = workspaceFloats(pool, shapes);
  const std::int64_t slotBytes = std::int64_t{config.heads} * (shapes.paddedHeadDim + 2) * 4;
  plan.partialSlots = std::min(rows * ceilDivide(plan.positions, chunkTokens), mostPartialBytes / slotBytes);
  const auto work = [&plan](const char* what, std::int64_t bytes) {
    plan.buffers.push_back({what, bytes});
    plan.workBytes += bytes;
  };
  plan.keyValueBytes = keyValueBytesPerToken(config, shapes) * pool.pages * pool.pageTokens;
  plan.buffers.push_back({"weights", plan.weightBytes});
  plan.buffers.push_back({"KV pool", plan.keyValueBytes});
  work("residual stream", rows * config.hidden * 4);
  work("normalised rows", shapes.qkv.inputBytes(rows));
  work("queries", rows * config.heads * shapes.paddedHeadDim * 2);
  work("attention results", shapes.attentionOutput.inputBytes(rows));
  work("feed-forward activations", shapes.down.inputBytes(rows));
  if (shapes.format() != WeightFormat::bf16) work("rows to be rounded", rows * (std::max(config.ffn, config.queryWidth()) + 1) * 4);
  work("GEMM results", plan.workspaceFloats * 4);
  work("logits", mostLogitRows(pool) * shapes.head.outputStride() * 4);
  work("partial attention results", plan.partialSlots * slotBytes);
  work("rotary table", std::int64_t{plan.positions} * config.headDim * 4);
  return plan;
}

namespace {

/// What a model needs beside its pool; tables that grow with the positions are counted in full.
MemoryPlan planWithoutPool(const ModelConfig& config, const PoolConfig& pool, const ModelShapes& shapes) {
  PoolConfig largest = pool;
  largest.pages = 1 << 20;
  MemoryPlan plan = planMemory(config, largest, shapes);
  plan.keyValueBytes = 0;
  return plan;
}

}  // namespace

std::int32_t affordablePages(const ModelConfig& config, const PoolConfig& pool, WeightFormat format, std::int64_t freeBytes) {
  const ModelShapes shapes(config, format);
  const MemoryPlan plan = planWithoutPool(config, pool, shapes);
  const std::int64_t left = freeBytes - reserveBytes - plan.weightBytes - plan.workBytes;
  const std::int64_t pages = left / (keyValueBytesPerToken(config, shapes) * pool.pageTokens);
  const std::int64_t nameable = (std::int64_t{1} << 31) / pool.pageTokens - 1;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(pages, 0, std::min(mostPages, nameable)));
}

std::int32_t requiredPages(const ModelConfig& config, const PoolConfig& pool, WeightFormat format, std::int64_t freeBytes) {
  const std::int32_t pages = affordablePages(config, pool, format, freeBytes);
  if (pages > 0) return pages;
  const ModelShapes shapes(config, format);
  MemoryPlan plan = planWithoutPool(config, pool, shapes);
  plan.keyValueBytes = keyValueBytesPerToken(config, shapes) * pool.pageTokens;
  checkMemory(plan, std::max<std::int64_t>(freeBytes - reserveBytes, 0));
  throw Error(ErrorCode::internal, "no page fits and no memory is missing");
}

void checkPool(const PoolConfig& pool) {
  const auto require = [](bool holds, const char* what, const char* expected, std::int32_t actual) {
    if (!holds) throw Error(ErrorCode::invalid_argument, what, expected, std::to_string(actual));
  };
  const std::int32_t tokens = pool.pageTokens;
  require(tokens >= 8 && tokens <= 64 && std::has_single_bit(static_cast<std::uint32_t>(tokens)), "pageTokens on cuda",
          "a power of two from 8 to 64", tokens);
  require(pool.pages >= 1 && pool.pages <= mostPages, "pages", "1 to 4194304", pool.pages);
  require(pool.maxRows >= 1 && pool.maxRows <= 65536, "maxRows", "1 to 65536", pool.maxRows);
  require(pool.maxLogitRows >= 0 && pool.maxLogitRows <= pool.maxRows, "maxLogitRows", "0 to maxRows", pool.maxLogitRows);
}

void checkMemory(const MemoryPlan& plan, std::int64_t freeBytes) {
  if (plan.total() <= freeBytes) return;
  throw Error(ErrorCode::invalid_argument,
              "GPU memory (weights " + gibibytes(plan.weightBytes) + ", KV pool " + gibibytes(plan.keyValueBytes) +
                  ", activations " + gibibytes(plan.workBytes) + ")",
              gibibytes(plan.total()) + " free",
              gibibytes(freeBytes) + ", " + gibibytes(plan.total() - freeBytes) + " too little");
}

}  // namespace foretrace::cuda
