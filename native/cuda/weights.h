// The weights of a model in device memory, arranged for the kernels. For translation units that nvcc compiles.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/weights.h"
#include "cuda/buffer.h"
#include "cuda/shapes.h"

namespace foretrace::cuda {

/// Bytes of the source read so far and in all.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

/// A packed matrix (fragment.h) of the format of its shape.
struct DeviceMatrix {
  GemmShape shape;
  DeviceBuffer<std::uint8_t> data;
  DeviceBuffer<float> scale;  ///< [outputs], empty for bf16
};

struct DeviceLayer {
  DeviceBuffer<float> attentionNorm;
  DeviceMatrix qkv;  ///< outputs: query heads, key heads, value heads
  DeviceBuffer<float> qkvBias;    ///< [heads + 2 kvHeads, headDim]; empty without biases
  DeviceBuffer<float> queryNorm;  ///< [headDim]; this and the next one: empty without norms of heads
  DeviceBuffer<float> keyNorm;    ///< [headDim]
  DeviceMatrix attentionOutput;
  DeviceBuffer<float> feedForwardNorm;
  DeviceMatrix gateUp;  ///< outputs: gate, then up
  DeviceMatrix down;
};

struct DeviceWeights {
  DeviceMatrix embedding;  ///< bf16; empty if tied to a head of bf16, which is read instead
  DeviceMatrix head;
  DeviceBuffer<float> finalNorm;
  std::vector<DeviceLayer> layers;

  [[nodiscard]] const DeviceMatrix& embeddingTable() const noexcept { return embedding.data.size() > 0 ? embedding : head; }
};

/// Copies the tensors as they are (a mapped file is read once, in order) and arranges them on the device. fp32 and f16
/// are rounded to bf16, or all types to the format of the shapes. Blocks until done; `progress` may be empty.
[[nodiscard]] DeviceWeights uploadWeights(const ModelConfig& config, const ModelShapes& shapes, const Weights& weights,
                                          const Progress& progress, cudaStream_t stream);

/// Weights of the spread a model is initialised with, drawn on the device; not those `randomModel` draws.
[[nodiscard]] DeviceWeights randomWeights(const ModelConfig& config, const ModelShapes& shapes, std::uint64_t seed,
                                          cudaStream_t stream);

}  // namespace foretrace::cuda
