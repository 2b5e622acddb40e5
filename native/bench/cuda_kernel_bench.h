// Single kernels of the CUDA engine, as shares of what the GPU can do.
#pragma once

#include <string>
#include <vector>

#include "cuda/buffer.h"

namespace foretrace::bench {

/// What the GPU can do, measured before.
struct Peaks {
  double bandwidth = 0;   ///< bytes per second
  double operations = 0;  ///< per second
};

/// One line of the result.
struct KernelResult {
  std::string name;
  double seconds = 0;
  double bandwidthShare = 0;   ///< of the bytes that must be read once
  double operationsShare = 0;  ///< of the matrix peak of bf16; 0: not meaningful
  double operationsPerSecond = 0;
};

/// The products of the layers of 1B, 8B and 32B models at one row, those of 8B at up to 2048 rows, with both kinds of
/// instruction and every format. Successive runs use different weights, so that none is cached.
[[nodiscard]] std::vector<KernelResult> benchGemm(const Peaks& peaks, bool quick, cudaStream_t stream);

/// Attention of one layer of an 8B model: 64 sequences apart, over a common prefix of 2048 tokens shared and not, and under a
/// window.
[[nodiscard]] std::vector<KernelResult> benchAttention(const Peaks& peaks, cudaStream_t stream);

/// The result of that name; throws `internal` if there is none.
[[nodiscard]] const KernelResult& resultNamed(const std::vector<KernelResult>& results, const std::string& name);

/// Names of results that targets are read from.
inline constexpr const char* prefillProduct = "8B gate, up, rows 2048";
inline constexpr const char* pagedDecode = "attention, 64 x 4096 tokens";
inline constexpr const char* sharedPrefix = "attention, 64 over 2048 shared";
inline constexpr const char* unsharedPrefix = "attention, 64 over 2048 unshared";

}  // namespace foretrace::bench
