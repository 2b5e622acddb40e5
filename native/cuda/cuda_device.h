// The CUDA device: weights and activations of bf16, int8 or fp8, fp32 residuals, a bf16 KV pool, one stream. Declared in every build; one
// without CUDA says so when asked for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/config.h"
#include "core/device.h"
#include "core/weights.h"

namespace foretrace {

/// How the CUDA device runs.
struct CudaOptions {
  std::int32_t ordinal = 0;   ///< which GPU
  std::string dtype = "auto"; ///< of the weights: "auto" and "bf16", "int8", or "fp8" (compute capability 8.9 and newer)
  /// Tensor core instructions of the matrix products: "mma" everywhere, "wgmma" on compute capability 9.0; "auto" is wgmma where
  /// there is, if it agrees with mma on a small product. Rows have the same bits in any batch with either; not across them.
  std::string products = "auto";
  bool shareChunks = true;    ///< read the pages of a common prefix once for all sequences of a batch; same bits either way
  bool graphs = true;         ///< repeat the launches of small passes from captured graphs; same bits either way
  std::int64_t hostCacheBytes = 0;  ///< page-locked host memory for pages that leave the pool
  std::function<void(std::int64_t done, std::int64_t total)> progress;  ///< bytes of weights copied so far, may be empty
};

/// What there is to run on.
struct CudaProbe {
  bool compiled = false;   ///< this build has CUDA kernels
  bool available = false;  ///< and a GPU and driver that run them
  std::string reason;      ///< why not available, for people
  std::string name;        ///< of the GPU
  std::string isa;         ///< "sm_90"
  std::int64_t freeBytes = 0;
  std::int64_t totalBytes = 0;
};

/// Looks for a usable GPU: one call of the driver, nothing is allocated unless there is one. Never throws.
[[nodiscard]] CudaProbe probeCuda(std::int32_t ordinal = 0) noexcept;

/// Pages the memory that is free now holds beside weights and activations; 0 if none. `pool.pages` is ignored. Throws
/// `unsupported_device` without a GPU or for a model whose heads are wider than 128.
[[nodiscard]] std::int32_t affordableCudaPages(const ModelConfig& config, const PoolConfig& pool, const CudaOptions& options);

/// Uploads the weights (they may be released afterwards), allocates pool and activations. Throws `unsupported_device`
/// without a usable GPU or driver, for heads wider than 128 and for a dtype or kind of product the GPU lacks, `invalid_argument`
/// for unknown names, pools out of range (pages of 8 to 64 tokens) and too little memory (the message says how much is missing).
[[nodiscard]] std::unique_ptr<Device> createCudaDevice(const ModelConfig& config, const Weights& weights,
                                                       const PoolConfig& pool, const CudaOptions& options);

/// The same with weights drawn on the device, for measurements of shapes there are no weights of.
[[nodiscard]] std::unique_ptr<Device> createRandomCudaDevice(const ModelConfig& config, std::uint64_t seed,
                                                             const PoolConfig& pool, const CudaOptions& options);

}  // namespace foretrace
