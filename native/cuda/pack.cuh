// Weights into the layout of fragment.h, on the device: from rows as files have them, or from a seed.
#pragma once

#include "core/convert.h"
#include "core/tensor.h"
#include "cuda/fragment.h"
#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

inline constexpr int packThreads = 256;

/// Element `index` of a table of the given type, as fp32.
FORETRACE_DEVICE float readElement(const void* table, DType dtype, std::int64_t index) {
  if (dtype == DType::f32) return static_cast<const float*>(table)[index];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(table)[index];
  return dtype == DType::bf16 ? bf16ToFloat(bits) : f16ToFloat(bits);
}

/// Grid: enough blocks for one thread an element. fp32 and f16 are rounded to bf16, bf16 stays as it is.
__global__ void __launch_bounds__(packThreads) packKernel(const PackParameters p) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * packThreads + threadIdx.x;
  if (index >= p.rows * p.depth) return;
  const float value = readElement(p.source, p.dtype, index);
  p.packed[packedOffset(p.firstOut + index / p.depth, index % p.depth, p.depthBlocks)] = floatToBf16(value);
}

/// Grid: enough blocks for one thread an element.
__global__ void __launch_bounds__(packThreads) convertKernel(const void* source, DType dtype, float* to, std::int64_t count) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * packThreads + threadIdx.x;
  if (index < count) to[index] = readElement(source, dtype, index);
}

/// Grid: enough blocks for one thread an element.
__global__ void __launch_bounds__(packThreads) randomKernel(const RandomParameters p) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * packThreads + threadIdx.x;
  if (index >= p.outs * p.depth) return;
  // The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) over a counter.
  std::uint64_t value = p.seed + 0x9E3779B97F4A7C15 * static_cast<std::uint64_t>(index + 1);
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  value ^= value >> 31;
  const float uniform = static_cast<float>(static_cast<std::int64_t>(value >> 40) - (std::int64_t{1} << 23)) * 0x1p-23F;
  p.packed[packedOffset(index / p.depth, index % p.depth, p.depthBlocks)] = floatToBf16(p.halfWidth * uniform);
}

}  // namespace foretrace::cuda
