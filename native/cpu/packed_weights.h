// Weights in the layout the GEMM reads, made once at load.
#pragma once

#include <cstdint>
#include <vector>

#include "core/config.h"
#include "core/weights.h"
#include "cpu/aligned_buffer.h"

namespace foretrace::cpu {

/// A matrix for x * W^T: panels of 16 output columns, [panels, depth, 16] fp32; missing columns of a panel are zero.
struct PackedMatrix {
  std::int32_t panels = 0;
  std::int32_t depth = 0;
  AlignedBuffer<float> data;

  PackedMatrix() = default;
  PackedMatrix(std::int32_t panelCount, std::int32_t reduction, const char* what)
      : panels(panelCount), depth(reduction), data(std::int64_t{panelCount} * reduction * 16, what) {}
  [[nodiscard]] const float* panel(std::int64_t index) const noexcept { return data.data() + index * depth * 16; }
};

/// One layer. In `qkv` every head starts a panel of its own (headPanels panels each): query heads, key heads, value
/// heads. In `gateUp` gate panel i is panel 2 i and up panel i is panel 2 i + 1.
struct PackedLayer {
  AlignedBuffer<float> attentionNorm;    ///< [padded(hidden)]
  PackedMatrix qkv;                      ///< (heads + 2 kvHeads) * headPanels panels, depth hidden
  PackedMatrix attentionOutput;          ///< columns hidden, depth heads * headDim
  AlignedBuffer<float> feedForwardNorm;  ///< [padded(hidden)]
  PackedMatrix gateUp;                   ///< 2 * padded(ffn) / 16 panels, depth hidden
  PackedMatrix down;                     ///< columns hidden, depth ffn
};

/// All weights of a model as the CPU reads them. The embedding stays row-major in the file's own type.
struct PackedWeights {
  AlignedBuffer<std::byte> embedding;  ///< [vocab, hidden] of embeddingType
  DType embeddingType = DType::f32;
  AlignedBuffer<float> finalNorm;
  PackedMatrix head;  ///< columns vocab, depth hidden
  std::vector<PackedLayer> layers;
  std::int64_t bytes = 0;
};

/// Panels one head takes.
[[nodiscard]] constexpr std::int32_t headPanels(std::int32_t headDim) noexcept { return (headDim + 15) / 16; }

/// Converts (exactly) and packs. Throws `invalid_argument` if memory runs out.
[[nodiscard]] PackedWeights packWeights(const ModelConfig& config, const Weights& weights);

/// out[i] = element (row, i) of a row-major [.., width] table, as fp32, for i < width.
void readRow(const std::byte* table, DType dtype, std::int64_t row, std::int64_t width, float* out) noexcept;

}  // namespace foretrace::cpu
