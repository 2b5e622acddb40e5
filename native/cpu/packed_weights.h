// Weights in the layout the GEMM reads, made once at load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/config.h"
#include "core/weights.h"
#include "core/aligned_buffer.h"
#include "cpu/weight_type.h"

namespace foretrace::cpu {

/// One block of memory that the matrices of a model are cut from, in the order in which a forward pass reads them.
class WeightArena {
 public:
  explicit WeightArena(std::int64_t bytes) : memory_(bytes, "packed weights") {}
  /// The next `bytes` bytes, zeroed; a multiple of 64.
  [[nodiscard]] std::uint8_t* take(std::int64_t bytes) {
    ensure(bytes <= memory_.size() - used_, "the arena holds all weights");
    used_ += bytes;
    return memory_.data() + (used_ - bytes);
  }

 private:
  AlignedBuffer<std::uint8_t> memory_;
  std::int64_t used_ = 0;
};

/// A matrix for x * W^T: panels of 16 output columns; missing columns and depth are zero. A panel is [groups of four bytes of
/// depth, 16 columns, 4 bytes]: fp32 is one element of depth a group, bf16 two, int8 four. bf16 and int8 pad the depth to
/// blocks of 16 groups (tileBytes in kernels.h).
struct PackedMatrix {
  WeightType type = WeightType::fp32;
  std::int32_t panels = 0;
  std::int32_t depth = 0;
  std::int64_t panelBytes = 0;
  std::shared_ptr<WeightArena> arena;   ///< owns `data`
  std::uint8_t* data = nullptr;         ///< [panels, panelBytes]
  AlignedBuffer<float> scales;          ///< [panels * 16], int8 only
  AlignedBuffer<std::int32_t> offsets;  ///< [panels * 16] 128 * sum of the column, int8 only

  PackedMatrix() = default;
  PackedMatrix(WeightType weightType, std::int32_t panelCount, std::int32_t reduction, std::shared_ptr<WeightArena> memory);
  [[nodiscard]] const std::uint8_t* panel(std::int64_t index) const noexcept { return data + index * panelBytes; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return panels * panelBytes + scales.bytes() + offsets.bytes(); }
};

/// One layer. In `qkv` every head starts a panel of its own (headPanels panels each): query heads, key heads, value
/// heads. In `gateUp` gate panel i is panel 2 i and up panel i is panel 2 i + 1.
struct PackedLayer {
  AlignedBuffer<float> attentionNorm;    ///< [padded(hidden)]
  PackedMatrix qkv;                      ///< (heads + 2 kvHeads) * headPanels panels, depth hidden
  AlignedBuffer<float> qkvBias;          ///< [heads + 2 kvHeads, padded(headDim)]; empty without biases
  AlignedBuffer<float> queryNorm;        ///< [padded(headDim)]; this and the next one: empty without norms of heads
  AlignedBuffer<float> keyNorm;          ///< [padded(headDim)]
  PackedMatrix attentionOutput;          ///< columns hidden, depth heads * headDim
  AlignedBuffer<float> feedForwardNorm;  ///< [padded(hidden)]
  PackedMatrix gateUp;                   ///< 2 * padded(ffn) / 16 panels, depth hidden
  PackedMatrix down;                     ///< columns hidden, depth ffn

  /// Of the matrices.
  [[nodiscard]] std::int64_t bytes() const noexcept { return qkv.bytes() + attentionOutput.bytes() + gateUp.bytes() + down.bytes(); }
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

/// Blocks of 64 bytes that a row of `depth` activations of bf16 or int8 takes.
[[nodiscard]] constexpr std::int32_t depthBlocks(WeightType type, std::int64_t depth) noexcept {
  return static_cast<std::int32_t>((depth * weightBytes(type) + 63) / 64);
}

/// Converts and packs. fp32 is exact; bf16 rounds to nearest; int8 has one scale max |w| / 127 for each output column and
/// rounds to nearest (a column with a NaN or an infinity has a NaN for its scale). Throws `invalid_argument` if memory
/// runs out.
[[nodiscard]] PackedWeights packWeights(const ModelConfig& config, const Weights& weights, WeightType type);

/// Packs one matrix [outputs, depth], into memory of its own without an arena.
[[nodiscard]] PackedMatrix packMatrix(const TensorView& tensor, WeightType type, std::shared_ptr<WeightArena> arena = nullptr);

/// out[i] = element (row, i) of a row-major [.., width] table, as fp32, for i < width.
void readRow(const std::byte* table, DType dtype, std::int64_t row, std::int64_t width, float* out) noexcept;

}  // namespace foretrace::cpu
