// What kernels are told. Plain structures, passed by value; all pointers are to device memory. bf16 is std::uint16_t.
#pragma once

#include <cstdint>

#include "core/tensor.h"
#include "cuda/fragment.h"
#include "cuda/portable.h"

namespace foretrace::cuda {

/// First block of depth of a split; split `splits` begins where the depth ends.
[[nodiscard]] FORETRACE_HD constexpr int splitBegin(int depthBlocks, int splits, int split) {
  return static_cast<int>(static_cast<std::int64_t>(depthBlocks) * split / splits);
}

/// output[split][row][out] = sum over the split's depth of input[row][depth] * weights[out][depth], in fp32 or (int8) int32.
struct GemmParameters {
  const void* weights;    ///< packed (fragment.h: packedOffset), outputs and depth padded with zeros
  const void* input;      ///< rows in the format of the weights (fragment.h: rowOffset), depth padded with zeros
  void* output;           ///< [splits or 1, rows, outputStride] fp32 or int32; a multiple of 128 columns is written
  std::int64_t outputStride;
  std::int64_t splitStride;  ///< elements between the results of consecutive splits
  int inputGroups;           ///< groups of 8 rows the input buffer has
  int rows;
  int depthBlocks;
  int splits;
  bool sequentialSplits;  ///< one block sums all splits of its tile and writes one result
  WeightFormat format;
  bool warpgroups;        ///< wgmma instead of mma.sync: compute capability 9.0 only
};

/// Results of a GEMM as the next kernel reads them: value(row, column) = the sum over the splits, in ascending order, times
/// the scales (partial_sums.cuh).
struct PartialSums {
  const void* data;          ///< [splits, rows, rowStride] fp32 or (int8) int32, aligned to 16 bytes; null: nothing to add
  std::int64_t rowStride;    ///< a multiple of 4
  std::int64_t splitStride;
  int splits;
  WeightFormat format;
  const float* columnScale;  ///< [rowStride] of the weights, aligned likewise; null for bf16
  const float* rowScale;     ///< [rows] of the multiplied rows; null for bf16
};

/// Where a kernel writes rows for the next product: bf16 elements at rowOffset(row, 2 * column, groups).
struct RowTarget {
  std::uint8_t* data;
  int groups;
};

/// Where rows go that are rounded to one byte an element, with a scale each.
struct QuantisedTarget {
  std::uint8_t* data;  ///< rowOffset(row, column, groups)
  float* scale;        ///< [rows]
  int groups;
};

/// residual[row][k] = embedding[tokens[row]][k].
struct EmbeddingParameters {
  const std::uint8_t* embedding;   ///< bf16, packed as a GEMM's weights, [vocab, hidden]
  const std::int32_t* tokens;
  float* residual;                 ///< [rows, hidden]
  int rows;
  int hidden;
  int depthBlocks;
};

/// residual[row] += added[row]; output = rmsnorm(residual[row]) * weight, as bf16 or rounded to one byte.
struct NormParameters {
  float* residual;             ///< [.., hidden] fp32
  PartialSums added;
  const float* weight;         ///< [hidden]
  const std::int32_t* rowIndex;  ///< output row i is of residual row rowIndex[i]; null: of row i
  RowTarget output;            ///< of format bf16
  QuantisedTarget quantised;   ///< of the others
  WeightFormat format;
  int rows;
  int hidden;
  float epsilon;
};

/// output[row] = wide[row] rounded to one byte an element, with a scale for the row.
struct QuantiseParameters {
  const float* wide;  ///< [rows, wideStride]
  std::int64_t wideStride;
  QuantisedTarget output;
  WeightFormat format;  ///< int8 or fp8
  int rows;
  int width;
};

/// Elements of the keys (or of the values) of one page and head.
[[nodiscard]] FORETRACE_HD constexpr std::int64_t pageBlock(int pageTokens, int paddedHeadDim) {
  return static_cast<std::int64_t>(pageTokens) * paddedHeadDim;
}

/// Place of an element of the key that lies in slot `slot` of a page. Neighbouring tokens are read together; where a key is a
/// multiple of 128 bytes they would meet in the same banks of shared memory, so odd tokens swap the halves of 128 bytes.
[[nodiscard]] FORETRACE_HD constexpr int keyElement(int slot, int element, int paddedHeadDim) {
  return paddedHeadDim >= 64 ? element ^ (slot % 2 * 32) : element;
}

/// Adds biases, puts heads of queries and keys through their norms (either where the model has them), rotates queries and keys, writes
/// queries to `query` and keys and values to their slots.
struct RopeParameters {
  PartialSums product;            ///< columns: query heads, key heads, value heads
  const float* bias;              ///< [heads + 2 kvHeads, headDim]; null: none
  const float* queryNorm;         ///< [headDim], with keyNorm; null: heads are not normalised
  const float* keyNorm;
  float epsilon;                  ///< of the norms
  const std::int32_t* positions;  ///< [rows]
  const std::int32_t* slots;      ///< [rows] page * pageTokens + place in the page; negative: write nothing
  const float* cosine;            ///< [positions, headDim / 2]
  const float* sine;
  std::uint16_t* query;           ///< [rows, heads, paddedHeadDim]; columns from headDim on stay as they are
  std::uint16_t* keyValue;        ///< of this layer: [pages, kvHeads, {K [pageTokens, padded], V [padded, pageTokens]}]
  int rows;
  int heads;
  int kvHeads;
  int headDim;
  int paddedHeadDim;
  int pageTokens;
};

/// output[row][j] = silu(gate) * up with gate = product[row][j], up = product[row][ffn + j].
struct SwigluParameters {
  PartialSums product;
  RowTarget output;
  float* wide;  ///< [rows, ffn] fp32, written instead of `output` if not null
  int rows;
  int ffn;
};

/// Tokens whose keys and values are attended as a unit. Chunk c of a sequence is the positions [128 c, 128 c + 128).
inline constexpr int chunkTokens = 128;
/// (row, head) pairs one warp attends for at a time, and those of a block.
inline constexpr int slotsPerWarp = 16;
inline constexpr int slotsPerPass = 64;

/// Work of one block and KV head: some (row, head of the group) slots over some chunks. Slot s of the list is row
/// itemRows[rowsBegin + s / group], head kvHead * group + s % group.
struct alignas(16) AttentionItem {
  std::int32_t rowsBegin;   ///< index into itemRows
  std::int32_t slotBegin;   ///< first slot of the list this item takes
  std::int32_t slotCount;   ///< at most slotsPerPass if `whole`
  std::int32_t pagesBegin;  ///< index into pages of the first page of firstChunk
  std::int32_t firstChunk;
  std::int32_t chunkCount;
  std::int32_t tokens;      ///< positions below this exist and are read
  std::int32_t whole;       ///< 1: all chunks of the rows, the result goes to `mixed`; 0: one chunk, a partial result
  std::int32_t lowest;      ///< the smallest position of its rows: chunks behind its window are skipped
  std::int32_t reserved[3]; ///< items are read 16 bytes at a time
};

/// Results of attention, column head * headDim + d of a row.
struct MixedTarget {
  RowTarget rows;
  float* wide;  ///< [rows, heads * headDim] fp32, written instead of `rows` if not null
};

struct AttentionParameters {
  const std::uint16_t* query;         ///< [rows, heads, paddedHeadDim]
  const std::uint16_t* keyValue;      ///< of this layer, see RopeParameters
  const AttentionItem* items;
  const std::int32_t* itemRows;
  const std::int32_t* positions;      ///< [rows]
  const std::int32_t* pages;
  const std::int32_t* partialBegin;   ///< [rows] first partial result of the row, one per chunk; whole rows: unused
  float* partialOutput;               ///< [partials, heads, paddedHeadDim], not divided by the sum
  float* partialState;                ///< [partials, heads, 2]: maximum (base 2), sum
  MixedTarget mixed;
  int heads;
  int kvHeads;
  int headDim;
  int pageShift;                      ///< log2 of the tokens of a page, 3 .. 6
  int window;                         ///< a row sees its own position and window - 1 before it; 0: all before it
  float scale;                        ///< log2(e) / sqrt(headDim)
  bool few;                           ///< no item has more than slotsPerWarp slots
  bool bulk;                          ///< pages are copied whole (compute capability 9.0); the same bits
};

/// mixed[row] = the partial results of a row, merged in the order of its chunks.
struct MergeParameters {
  const std::int32_t* mergeRows;     ///< [count] rows with partial results
  const std::int32_t* partialBegin;  ///< [rows]
  const std::int32_t* positions;     ///< [rows]
  const float* partialOutput;
  const float* partialState;
  MixedTarget mixed;
  int count;
  int heads;
  int headDim;
  int paddedHeadDim;
  int window;                        ///< as in AttentionParameters
};

/// Copies the first `tokens` slots of page `from` to page `to`, in all layers.
struct CopyPageParameters {
  std::uint16_t* keyValue;       ///< of layer 0
  std::int64_t layerStride;      ///< elements
  std::int32_t from;
  std::int32_t to;
  int tokens;
  int layers;
  int kvHeads;
  int paddedHeadDim;
  int pageTokens;
};

/// Rows [firstOut, firstOut + rows) of a packed matrix, from `source` [rows, depth].
struct PackParameters {
  std::uint8_t* packed;
  float* scale;        ///< [outputs] of int8 and fp8; null for bf16
  const void* source;  ///< aligned to the element size
  DType dtype;
  WeightFormat format;
  std::int64_t firstOut;
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t depthBlocks;
};

/// Uniform random weights in [-halfWidth, halfWidth) for the outputs and depth given; padding is not touched.
struct RandomParameters {
  std::uint8_t* packed;
  float* scale;  ///< [outs] of int8 and fp8; null for bf16
  WeightFormat format;
  std::uint64_t seed;
  float halfWidth;
  std::int64_t outs;
  std::int64_t depth;
  std::int64_t depthBlocks;
};

}  // namespace foretrace::cuda
