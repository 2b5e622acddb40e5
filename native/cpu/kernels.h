// The kernel table: what one instruction set provides. Plain C types only, because the files that fill it are compiled
// with flags of their own and must not instantiate anything the linker could share with the rest of the program.
#pragma once

#include <cstdint>

namespace foretrace::cpu {

/// Columns of one weight panel, and the multiple to which every row of activations is padded with zeros.
inline constexpr std::int64_t panelColumns = 16;
/// Tokens of one attention chunk: softmax state is rescaled once per chunk, at multiples of this position.
inline constexpr std::int32_t chunkTokens = 64;
/// Most (row, head) queries one attention call handles together.
inline constexpr std::int32_t maxQueries = 8;
/// Floats of slack after the KV pool, because the last vector of a page may reach past it.
inline constexpr std::int64_t poolSlack = panelColumns;

/// C[rows, panels * 16] = A[rows, depth] * B, or C += .. when `accumulate`. Each element is one chain of additions over
/// depth in ascending order, from zero; then the old C is added. So no element depends on `rows` or on other rows.
struct GemmTask {
  const float* a;           ///< [rows, depth], row stride aStride
  std::int64_t aStride;
  std::int32_t rows;
  std::int32_t depth;
  const float* panels;      ///< [panels, depth, 16] packed weights
  std::int32_t panelCount;
  float* c;                 ///< [rows, panelCount * 16], row stride cStride
  std::int64_t cStride;
  bool accumulate;
};

/// Attention of a few queries of one sequence and one KV head. Query i is row i / group, head i % group of the row's
/// heads that share the KV head; it sees positions 0 .. firstPosition + i / group.
struct AttentionTask {
  const float* query;         ///< element (row, head) at query + row * queryRowStride + head * queryHeadStride
  std::int64_t queryRowStride;
  std::int64_t queryHeadStride;
  float* out;                 ///< [rows, heads, headDim], strides as below
  std::int64_t outRowStride;
  std::int64_t outHeadStride;
  std::int32_t rows;          ///< rows * group <= maxQueries
  std::int32_t group;
  std::int32_t firstPosition;
  std::int32_t headDim;
  float scale;                ///< 1 / sqrt(headDim)
  const float* keys;          ///< page p: keys + p * pageStride, [headDim, pageTokens]
  const float* values;        ///< page p: values + p * pageStride, [pageTokens, headDim]
  std::int64_t pageStride;
  std::int32_t pageTokens;
  const std::int32_t* pages;  ///< page of position t is pages[t / pageTokens]
  float* scratch;             ///< attentionScratch(headDim) floats, 64-byte aligned
};

/// Floats of scratch an attention call needs.
[[nodiscard]] constexpr std::int64_t attentionScratch(std::int64_t headDim) {
  const std::int64_t padded = (headDim + panelColumns - 1) / panelColumns * panelColumns;
  return maxQueries * (chunkTokens + panelColumns + 2 * padded);
}

/// Kernels of one instruction set. Lengths named `padded` are multiples of panelColumns whose padding is zero.
struct KernelTable {
  void (*gemm)(const GemmTask& task);
  /// out[i] = x[i] / sqrt(mean(x^2) + epsilon) * weight[i]; the mean is over `length`, all arrays are padded.
  void (*rmsNorm)(const float* x, const float* weight, float epsilon, std::int32_t length, float* out);
  /// Rotates the pairs (i, i + half) of one head by the angles whose cosines and sines are given: [half] each.
  void (*rope)(float* head, const float* cosine, const float* sine, std::int32_t half);
  /// out[i] = gate[i] / (1 + exp(-gate[i])) * up[i] for i < padded.
  void (*siluMultiply)(const float* gate, const float* up, float* out, std::int64_t padded);
  void (*attention)(const AttentionTask& task);
  /// out[i] = exp(x[i]) for i < padded; relative error at most 3e-7 on [-87, 88], 0 below -87.3. For tests.
  void (*exponential)(const float* x, float* out, std::int64_t padded);
};

/// The table of an instruction set; nullptr if it was not compiled for this processor family.
[[nodiscard]] const KernelTable* portableKernels();
[[nodiscard]] const KernelTable* avx2Kernels();
[[nodiscard]] const KernelTable* avx512Kernels();

}  // namespace foretrace::cpu
