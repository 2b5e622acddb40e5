// Sizes that follow from a model and a pool: how matrices are stored and split, and how much memory the device needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "cuda/fragment.h"

namespace foretrace::cuda {

/// A weight matrix as the GEMM sees it.
struct GemmShape {
  std::int32_t outs = 0;
  std::int32_t depth = 0;
  std::int32_t outBlocks = 0;    ///< of 128 outputs
  std::int32_t depthBlocks = 0;  ///< of 128 bytes
  std::int32_t splits = 1;       ///< parts of the depth that are summed apart; fixed by the matrix alone
  WeightFormat format = WeightFormat::bf16;

  /// Bytes of the packed weights, padding included.
  [[nodiscard]] std::int64_t packedBytes() const noexcept { return std::int64_t{outBlocks} * depthBlocks * weightBlockBytes; }
  /// Scales of the outputs, padding included; none for bf16.
  [[nodiscard]] std::int64_t scales() const noexcept { return format == WeightFormat::bf16 ? 0 : outputStride(); }
  /// Columns of a result, padding included.
  [[nodiscard]] std::int64_t outputStride() const noexcept { return std::int64_t{outBlocks} * 128; }
  /// Bytes of a buffer for `rows` rows of input, padding included.
  [[nodiscard]] std::int64_t inputBytes(std::int64_t rows) const noexcept {
    return (rows + rowsPerGroup - 1) / rowsPerGroup * depthBlocks * groupBytes;
  }
};

/// Chooses the splits: enough blocks to occupy a large GPU with one row block, none shorter than four blocks of depth, at
/// most 8.
[[nodiscard]] GemmShape gemmShape(std::int32_t outs, std::int32_t depth, WeightFormat format = WeightFormat::bf16) noexcept;

/// Most rows for which the splits of a tile are summed by the reader of the results (more blocks) instead of within the
/// block (less memory). Both give the same bits.
inline constexpr std::int32_t gridSplitRows = 256;

[[nodiscard]] inline bool splitsAreSequential(std::int32_t rows) noexcept { return rows > gridSplitRows; }

/// Head widths kernels exist for.
inline constexpr std::int32_t headDims[] = {32, 64, 128};

/// All matrices of a model and the strides of activations (elements).
struct ModelShapes {
  GemmShape qkv;
  GemmShape attentionOutput;
  GemmShape gateUp;
  GemmShape down;
  GemmShape head;
  GemmShape embedding;  ///< bf16 always
  bool ownEmbedding = false;  ///< the embedding is a table of its own: not tied, or the head is not bf16
  std::int32_t paddedHeadDim = 0;

  /// Throws `unsupported_device` for a head the kernels are too narrow for.
  explicit ModelShapes(const ModelConfig& config, WeightFormat format = WeightFormat::bf16);

  [[nodiscard]] WeightFormat format() const noexcept { return qkv.format; }
};

/// "auto" and "bf16", "int8" or "fp8". Throws `invalid_argument` for another name ("fp32" is the CPU's).
[[nodiscard]] WeightFormat resolveWeightFormat(std::string_view name);
[[nodiscard]] const char* weightFormatName(WeightFormat format) noexcept;

/// One allocation.
struct BufferSize {
  const char* what;
  std::int64_t bytes;
};

/// Everything the device allocates.
struct MemoryPlan {
  std::vector<BufferSize> buffers;
  std::int64_t weightBytes = 0;
  std::int64_t keyValueBytes = 0;
  std::int64_t workBytes = 0;     ///< all but weights and pool
  std::int64_t partialSlots = 0;  ///< partial results of attention there is room for, each of all heads of one row
  std::int64_t workspaceFloats = 0;
  std::int32_t positions = 0;     ///< positions of the rotary table

  [[nodiscard]] std::int64_t total() const noexcept { return weightBytes + keyValueBytes + workBytes; }
};

/// Bytes one token takes in the pool: bf16 keys and values, heads padded.
[[nodiscard]] std::int64_t keyValueBytesPerToken(const ModelConfig& config, const ModelShapes& shapes) noexcept;

[[nodiscard]] std::int32_t mostLogitRows(const PoolConfig& pool) noexcept;

[[nodiscard]] MemoryPlan planMemory(const ModelConfig& config, const PoolConfig& pool, const ModelShapes& shapes);

/// Pages that fit into `freeBytes` beside everything else, with a reserve left for the driver; 0 if not even one does.
/// `pool.pages` is ignored. At most 2^22, and no more than the slots that 32-bit numbers can name.
[[nodiscard]] std::int32_t affordablePages(const ModelConfig& config, const PoolConfig& pool, WeightFormat format, std::int64_t freeBytes);

/// The same; throws `invalid_argument` if not even one page fits, and says how much memory is missing for it.
[[nodiscard]] std::int32_t requiredPages(const ModelConfig& config, const PoolConfig& pool, WeightFormat format, std::int64_t freeBytes);

/// Throws `invalid_argument` for a pool the kernels cannot serve (pages of 8 to 64 tokens).
void checkPool(const PoolConfig& pool);

/// Throws `invalid_argument` that says how much is needed, free and missing, if `plan` does not fit.
void checkMemory(const MemoryPlan& plan, std::int64_t freeBytes);

}  // namespace foretrace::cuda
