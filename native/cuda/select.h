// Choosing the GPU. For translation units that nvcc compiles.
#pragma once

#include <cstdint>
#include <string>

namespace foretrace::cuda {

struct DeviceProperties {
  std::string name;
  std::string isa;  ///< "sm_90"
  std::int32_t capability = 0;  ///< 10 * major + minor
  std::int32_t multiprocessors = 0;
  std::int64_t freeBytes = 0;
  std::int64_t totalBytes = 0;
};

/// Makes the GPU the calling thread's current one. Throws `unsupported_device` if there is none of this number, the driver
/// is missing or too old, or the GPU is older than the kernels.
[[nodiscard]] DeviceProperties selectDevice(std::int32_t ordinal);

}  // namespace foretrace::cuda
