// Which matrix products a device uses. For translation units that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "cuda/fragment.h"
#include "cuda/select.h"

namespace foretrace::cuda {

/// Throws `unsupported_device` if the GPU has no tensor core instructions for the format: fp8 needs compute capability 8.9.
void requireFormat(WeightFormat format, const DeviceProperties& properties);

/// Whether `products` ("auto", "mma" or "wgmma") means wgmma on the current GPU; "auto" does where there is wgmma and a small
/// product of both kinds agrees. After prepareGemm. Throws `unsupported_device` for "wgmma" where there is none,
/// `invalid_argument` for another name.
[[nodiscard]] bool usesWarpgroups(const std::string& products, cudaStream_t stream);

}  // namespace foretrace::cuda
