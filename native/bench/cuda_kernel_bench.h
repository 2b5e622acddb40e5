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
  double operationsShare = 0;  ///< of the matrix peak; 0: not meaningful
};

/// The products of an 8B model at 1 to 512 rows. Successive runs use different weights, so that none is cached.
[[nodiscard]] std::vector<KernelResult> benchGemm(const Peaks& peaks, cudaStream_t stream);

/// Attention of one layer of an 8B model: 64 sequences apart, and over a common prefix of 2048 tokens shared and not.
[[nodiscard]] std::vector<KernelResult> benchAttention(const Peaks& peaks, cudaStream_t stream);

}  // namespace foretrace::bench
