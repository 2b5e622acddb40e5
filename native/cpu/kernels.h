// The kernel table: what one instruction set provides. Plain C types only, because the files that fill it are compiled
// with flags of their own and must not instantiate anything the linker could share with the rest of the program.
#pragma once

#include <cstdint>

namespace foretrace::cpu {

/// Columns of one weight panel, and the multiple to which every row of activations is padded with zeros.
inline constexpr std::int64_t panelColumns = 16;
/// Tokens of one attention chunk: softmax state is rescaled once per chunk, at multiples of this position.
inline constexpr std::int32_t chunkTokens = 64;
/// Most (row, head) queries whose sums stay in registers while an attention kernel reads keys or values.
inline constexpr std::int32_t maxQueries = 8;
/// Most queries of a group, which a kernel computes together (KernelTable::groupQueries).
inline constexpr std::int32_t maxGroupQueries = 16;
/// Most groups in one attention call: a chunk of keys and values stays in the nearest cache for all of them.
inline constexpr std::int32_t maxQueryGroups = 4;
/// Rows whose queries are one group of at most `queries`, for rows of `heads` <= maxQueries heads.
[[nodiscard]] constexpr std::int32_t rowsOfQueryGroup(std::int32_t heads, std::int32_t queries) {
  return heads < queries ? queries / heads : 1;
}
/// Bytes of slack after the KV pool, because the last vector of a page may reach past it.
inline constexpr std::int64_t poolSlack = 64;

/// Rows of fp32 in panels of 16 columns. Either the panels of a row follow each other (panelStride = 16), or the rows of a panel
/// do (rowStride = 16).
struct PanelRows {
  float* data;
  std::int64_t rowStride;    ///< floats
  std::int64_t panelStride;  ///< floats

  /// The 16 columns of a row in a panel.
  [[nodiscard, gnu::always_inline]] float* at(std::int64_t row, std::int64_t panel) const {
    return data + row * rowStride + panel * panelStride;
  }
};

/// A row of fp32 that is made ready for a product.
struct RowSource {
  const float* x;            ///< panels of 16, panelStride floats apart
  std::int64_t panelStride;
  std::int32_t panels;
  const float* norm;         ///< [panels, 16]: weights of an RMS norm that the row goes through first; nullptr: it does not
  float epsilon;             ///< of that norm
  std::int32_t length;       ///< of its mean

  /// Panels that follow each other, without a norm.
  [[nodiscard]] static constexpr RowSource plain(const float* x, std::int64_t padded) {
    return {x, panelColumns, static_cast<std::int32_t>(padded / panelColumns), nullptr, 0.0F, 0};
  }
};

/// What becomes of a product.
enum class Outcome : std::uint8_t {
  stored,
  added,  ///< to what C holds
  gated,  ///< C[rows, panelCount / 2 * 16] = silu(gate) * up, where panels of gates and ups alternate; int8 and bf16 only
};

/// C[rows, panels * 16] = A[rows, depth] * B, or C += ... Each element is one chain of additions over
/// depth in ascending order, from zero; then the old C is added. So no element depends on `rows` or on other rows.
struct GemmTask {
  const float* a;           ///< [rows, depth], row stride aStride
  std::int64_t aStride;
  std::int32_t rows;
  std::int32_t depth;
  const float* panels;      ///< [panels, depth, 16] packed weights
  std::int32_t panelCount;
  PanelRows c;              ///< [rows, panelCount * 16]
  Outcome outcome;
};

/// Bytes of a row of activations (of int8 or bf16) that one weight tile covers; rows are padded to a multiple of it.
inline constexpr std::int64_t blockBytes = 64;
/// Bytes of one weight tile: 16 groups of 4 bytes of depth (four int8 or two bf16) for 16 columns, group-major, which is
/// both the order of VPDPBUSD and VDPBF16PS and the second operand of the AMX instructions.
inline constexpr std::int64_t tileBytes = 1024;

/// C[rows, panels * 16] = A * B, or C += .., or gated, with A and B of int8 or of bf16.
///
/// int8: products are summed exactly over the whole depth in int32 (depth < 2^31 / 127^2), then an element is
/// (float(sum) * scales[column]) * aScales[row]: the same bits on every instruction set. bf16: products are summed in
/// fp32 in an order that the instruction set and the depth fix. Either way no element depends on `rows` or other rows.
struct ProductTask {
  const std::uint8_t* a;        ///< [rows, blocks * 64 B], in the form roundInt8 or roundBf16 of the same table writes
  std::int64_t aStride;         ///< bytes
  const float* aScales;         ///< [rows]; int8 only
  std::int32_t rows;
  std::int32_t blocks;          ///< tiles along the depth
  const std::uint8_t* panels;   ///< [panels, blocks, tileBytes]
  std::int32_t panelCount;
  const float* scales;          ///< [panels * 16]; int8 only
  const std::int32_t* offsets;  ///< [panels * 16] 128 * sum of the column; int8 only
  PanelRows c;                  ///< [rows, panelCount * 16], half as many columns where they are gated
  Outcome outcome;
};

/// Rows of keys or of values of one head that lie in one page, one slot after the other.
struct KvRows {
  const std::uint8_t* halves;  ///< [count, headDim] bf16, row stride `stride`
  std::int64_t stride;         ///< bytes
  std::int32_t count;
  std::uint8_t* page;          ///< keys [headDim / 2, pageTokens, 2] or values [pageTokens / 2, headDim, 2] of the page
  std::int32_t slot;           ///< of the first row
  std::int32_t pageTokens;
  std::int32_t headDim;
};

/// One row of queries: its heads that share a KV head.
struct AttentionRow {
  const std::uint8_t* query;  ///< head i at query + i * queryHeadBytes: fp32, or as roundBf16 writes it where keys and values are bf16
  float* out;                 ///< head i at out + i * outHeadStride
  const std::int32_t* pages;  ///< page of position t is pages[t / pageTokens]
  std::int32_t position;      ///< the row sees positions first .. position
  std::int32_t first = 0;     ///< 0, or the begin of the row's window
};

/// Attention of a few rows and one KV head. Positions below `sharedTokens` are read once for all rows, through the pages
/// of rows[0], from the first chunk on that all of them see in full; the rest a row reads through its own. Rows of different
/// sequences may share whole chunks only.
struct AttentionTask {
  const AttentionRow* rows;
  std::int32_t rowCount;      ///< at most maxQueryGroups * rowsOfQueryGroup(group, queries of a group)
  std::int32_t group;         ///< heads of a row, at most maxQueries
  std::int32_t sharedTokens;  ///< a multiple of chunkTokens that every row sees, or position + 1 of the last row
  std::int64_t queryHeadBytes;
  std::int64_t outHeadStride;
  std::int32_t headDim;
  float scale;                ///< 1 / sqrt(headDim)
  const std::uint8_t* keys;   ///< page p: keys + p * pageStride; fp32 [headDim, pageTokens] or bf16 [headDim / 2, pageTokens, 2]
  const std::uint8_t* values; ///< page p: values + p * pageStride; fp32 [pageTokens, headDim] or bf16 [pageTokens / 2, headDim, 2]
  std::int64_t pageStride;    ///< bytes
  std::int32_t pageTokens;
  float* scratch;             ///< attentionScratch(headDim) floats, 64-byte aligned
};

/// Floats between the scores of two queries: vectors of the last page of a chunk may reach past it.
inline constexpr std::int64_t scoreStride = chunkTokens + panelColumns;

/// Floats of scratch an attention call needs: queries and sums, scores and their exponentials, and a chunk of keys and of
/// values of bf16 for what works on copies.
[[nodiscard]] constexpr std::int64_t attentionScratch(std::int64_t headDim) {
  const std::int64_t padded = (headDim + 2 * panelColumns - 1) / (2 * panelColumns) * (2 * panelColumns);
  return maxQueryGroups * maxGroupQueries * 2 * padded + maxGroupQueries * (scoreStride + chunkTokens / 2) + padded * chunkTokens;
}

/// How the products of an instruction set like the rows they are given.
struct RowShape {
  std::int32_t unit;  ///< a multiple of it is computed in whole tiles
  std::int32_t most;  ///< of a call, a multiple of unit: weights are read once for them, and all that they leave has to stay in cache
  std::int32_t mostShared;   ///< of a call whose results go to others, a multiple of unit and not below `most`
  std::int64_t cacheBytes;  ///< what stays in cache of what comes again: of the rows of such a call, or of a layer's weights
};

/// Kernels of one instruction set. Lengths named `padded` are multiples of panelColumns whose padding is zero.
struct KernelTable {
  RowShape rowShape;
  std::int32_t gatedRows;  ///< fewest rows for which productInt8 and productBf16 take gated tasks
  void (*gemm)(const GemmTask& task);
  /// The panels of one row, which stand fromStride floats apart, to places toStride floats apart.
  void (*copyPanels)(const float* from, std::int64_t fromStride, std::int32_t panels, float* to, std::int64_t toStride);
  /// out[i] = x[i] / sqrt(mean(x^2) + epsilon) * norm[i], the panels of `out` one behind the other; row and norm are padded with zeros.
  /// `out` may be row.x where its panels follow each other, too.
  void (*rmsNorm)(const RowSource& row, float* out);
  /// Rotates the pairs (i, i + half) of one head by the angles whose cosines and sines are given: [half] each.
  void (*rope)(float* head, const float* cosine, const float* sine, std::int32_t half);
  /// out[i] = gate[i] / (1 + exp(-gate[i])) * up[i] where panels of 16 gates and 16 ups alternate: [pairs, {gate, up}, 16]. The panels
  /// of `out` stand panelStride floats apart.
  void (*siluPanels)(const float* gateUp, std::int32_t pairs, float* out, std::int64_t panelStride);
  /// The same to a relative error of 2e-4, for what is rounded to bf16 or int8; gated products give these bits.
  void (*roughSiluPanels)(const float* gateUp, std::int32_t pairs, float* out, std::int64_t panelStride);
  std::int32_t groupQueries;      ///< (row, head) queries that `attention` computes together
  std::int32_t groupQueriesBf16;  ///< and attentionBf16
  void (*attention)(const AttentionTask& task);      ///< keys and values of fp32
  void (*attentionBf16)(const AttentionTask& task);  ///< keys and values of bf16; queries and weights are rounded to bf16
  /// out[i] = exp(x[i]) for i < padded; relative error at most 3e-7 on [-87, 88], 0 below -87.3. For tests.
  void (*exponential)(const float* x, float* out, std::int64_t padded);
  /// One row of int8 activations: scale = max |x| / 127, element i = nearest(x[i] / scale) (ties to even) as this table's
  /// productInt8 wants it; zeros up to a multiple of blockBytes. The same values on every instruction set. A row with an
  /// infinity or a NaN has a NaN for its scale, so that the product is NaN; a row below 1e-30 counts as zero. A norm needs [panels, 16]
  /// floats of `scratch`.
  void (*roundInt8)(const RowSource& row, float* scratch, std::uint8_t* out, float* scale);
  /// One row of bf16 activations: nearest, ties to even, NaN kept; zeros up to a multiple of blockBytes.
  void (*roundBf16)(const RowSource& row, std::uint8_t* out);
  /// What `rope` makes of a head, as roundBf16 writes it; the head stays as it is.
  void (*ropeBf16)(const float* head, const float* cosine, const float* sine, std::int32_t half, std::uint8_t* out);
  void (*storeKeys)(const KvRows& rows);
  void (*storeValues)(const KvRows& rows);
  void (*productInt8)(const ProductTask& task);
  void (*productBf16)(const ProductTask& task);
};

/// The table of an instruction set; nullptr if it was not compiled for this processor family.
[[nodiscard]] const KernelTable* portableKernels();
[[nodiscard]] const KernelTable* avx2Kernels();
[[nodiscard]] const KernelTable* avx512Kernels();
[[nodiscard]] const KernelTable* avx512vnniKernels();
[[nodiscard]] const KernelTable* avx512bf16Kernels();
[[nodiscard]] const KernelTable* amxKernels();

}  // namespace foretrace::cpu
