// Weights into the layout and format of fragment.h, on the device: from rows as files have them, or from a seed. These
// kernels let no later one start before they end, because products ask for weights without waiting for earlier kernels.
#pragma once

#include "core/convert.h"
#include "core/tensor.h"
#include "cuda/block_sums.cuh"
#include "cuda/quantise.cuh"

namespace foretrace::cuda {

inline constexpr int packThreads = 256;
inline constexpr int packSharedBytes = packThreads / 32 * 4;

/// Element `index` of a table of the given type, as fp32.
FORETRACE_DEVICE float readElement(const void* table, DType dtype, std::int64_t index) {
  if (dtype == DType::f32) return static_cast<const float*>(table)[index];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(table)[index];
  return dtype == DType::bf16 ? bf16ToFloat(bits) : f16ToFloat(bits);
}

FORETRACE_DEVICE void storeBf16(std::uint8_t* packed, std::int64_t out, std::int64_t k, std::int64_t depthBlocks, float value) {
  *reinterpret_cast<std::uint16_t*>(packed + packedOffset(out, 2 * k, depthBlocks)) = floatToBf16(value);
}

/// Grid: (rows), a block an output. bf16: fp32 and f16 are rounded to bf16, bf16 stays as it is. int8 and fp8: quantise.cuh.
__global__ void __launch_bounds__(packThreads) packKernel(const PackParameters p) {
  waitForEarlierKernels();
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * p.depth;
  const std::int64_t out = p.firstOut + blockIdx.x;
  if (p.format == WeightFormat::bf16) {
    for (std::int64_t k = threadIdx.x; k < p.depth; k += packThreads) {
      storeBf16(p.packed, out, k, p.depthBlocks, readElement(p.source, p.dtype, first + k));
    }
    return;
  }
  std::uint32_t largest = 0;
  for (std::int64_t k = threadIdx.x; k < p.depth; k += packThreads) {
    const std::uint32_t magnitude = magnitudeOf(readElement(p.source, p.dtype, first + k));
    largest = magnitude > largest ? magnitude : largest;
  }
  const Quantiser quantiser = quantiserOf(blockLargest<packThreads>(largest), p.format);
  if (threadIdx.x == 0) p.scale[out] = quantiser.scale;
  for (std::int64_t k = threadIdx.x; k < p.depth; k += packThreads) {
    p.packed[packedOffset(out, k, p.depthBlocks)] = quantise(readElement(p.source, p.dtype, first + k), quantiser, p.format);
  }
}

/// Grid: enough blocks for one thread an element.
__global__ void __launch_bounds__(packThreads) convertKernel(const void* source, DType dtype, float* to, std::int64_t count) {
  waitForEarlierKernels();
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * packThreads + threadIdx.x;
  if (index < count) to[index] = readElement(source, dtype, index);
}

/// Number `index` of the sequence of a seed: uniform in [-1, 1), a multiple of 2^-23. The finaliser of SplitMix64 (Steele,
/// Lea, Flood, OOPSLA 2014) over a counter.
FORETRACE_DEVICE float uniformNumber(std::uint64_t seed, std::int64_t index) {
  std::uint64_t value = seed + 0x9E3779B97F4A7C15 * static_cast<std::uint64_t>(index + 1);
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  value ^= value >> 31;
  return static_cast<float>(static_cast<std::int64_t>(value >> 40) - (std::int64_t{1} << 23)) * 0x1p-23F;
}

/// Grid: (outs), a block an output.
__global__ void __launch_bounds__(packThreads) randomKernel(const RandomParameters p) {
  waitForEarlierKernels();
  const std::int64_t out = blockIdx.x;
  const Quantiser quantiser = quantiserOf(bitsOf(p.halfWidth), p.format);
  if (threadIdx.x == 0 && p.scale != nullptr) p.scale[out] = quantiser.scale;
  for (std::int64_t k = threadIdx.x; k < p.depth; k += packThreads) {
    const float value = p.halfWidth * uniformNumber(p.seed, out * p.depth + k);
    if (p.format == WeightFormat::bf16) {
      storeBf16(p.packed, out, k, p.depthBlocks, value);
    } else {
      p.packed[packedOffset(out, k, p.depthBlocks)] = quantise(value, quantiser, p.format);
    }
  }
}

}  // namespace foretrace::cuda
