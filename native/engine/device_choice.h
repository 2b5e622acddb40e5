// Which device "auto" means on this machine, and why.
#pragma once

#include <string>

#include "cuda/cuda_device.h"

namespace foretrace {

/// Whether the CUDA engine has passed native/cuda/verify.sh on a GPU. Until then "auto" is the CPU, and says so.
inline constexpr bool cudaIsProven = false;

struct DeviceChoice {
  std::string device;  ///< "cpu" or "cuda"
  std::string reason;  ///< one line for people, empty if the device was asked for by name
};

/// `wanted` is "auto", "cpu" or "cuda"; `probe` is looked at for "auto" only.
[[nodiscard]] DeviceChoice chooseDevice(const std::string& wanted, const CudaProbe& probe, bool proven = cudaIsProven);

}  // namespace foretrace
