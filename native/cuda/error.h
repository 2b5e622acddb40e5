// CUDA's status codes as coded errors. For translation units that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/error.h"

namespace foretrace::cuda {

/// The code an unsuccessful call maps to: no usable device or driver is `unsupported_device`, missing memory
/// `invalid_argument` (as on the CPU), everything else `internal`.
[[nodiscard]] inline ErrorCode errorCodeOf(cudaError_t status) noexcept {
  switch (status) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidDevice:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady:
    case cudaErrorDevicesUnavailable:
    case cudaErrorInitializationError: return ErrorCode::unsupported_device;
    case cudaErrorMemoryAllocation: return ErrorCode::invalid_argument;
    default: return ErrorCode::internal;
  }
}

/// What a status means to the person who reads it.
[[nodiscard]] inline std::string describe(cudaError_t status) {
  if (status == cudaErrorInsufficientDriver) {
    int driver = 0;
    int runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    const auto text = [](int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); };
    if (driver == 0) return "no NVIDIA driver is installed";
    return "the NVIDIA driver supports CUDA " + text(driver) + ", this build needs " + text(runtime);
  }
  if (status == cudaErrorNoDevice) return "no NVIDIA GPU was found";
  return std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status);
}

/// Throws unless `status` is success. `what` names the call or its purpose.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // a failed allocation must not be reported again by the next launch
  throw Error(errorCodeOf(status), std::string("cuda, ") + what + ": " + describe(status));
}

/// Throws if the launch before it was refused.
inline void checkLaunch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace foretrace::cuda
