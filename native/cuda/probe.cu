#include "cuda/cuda_device.h"
#include "cuda/error.h"
#include "cuda/select.h"
#include "cuda/shapes.h"

namespace foretrace {
namespace cuda {

DeviceProperties selectDevice(std::int32_t ordinal) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "looking for a GPU");
  if (ordinal < 0 || ordinal >= count) {
    throw Error(ErrorCode::unsupported_device, "number of the GPU", "0 to " + std::to_string(count - 1), std::to_string(ordinal));
  }
  check(cudaSetDevice(ordinal), "selecting the GPU");
  DeviceProperties properties;
  cudaDeviceProp all{};
  check(cudaGetDeviceProperties(&all, ordinal), "properties of the GPU");
  properties.name = all.name;
  properties.capability = 10 * all.major + all.minor;
  properties.isa = "sm_" + std::to_string(all.major) + std::to_string(all.minor);
  properties.multiprocessors = all.multiProcessorCount;
  if (all.major < 8) {
    throw Error(ErrorCode::unsupported_device, "GPU " + properties.name, "compute capability 8.0 or newer",
                std::to_string(all.major) + "." + std::to_string(all.minor));
  }
  std::size_t available = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&available, &total), "free memory of the GPU");
  properties.freeBytes = static_cast<std::int64_t>(available);
  properties.totalBytes = static_cast<std::int64_t>(total);
  return properties;
}

}  // namespace cuda

CudaProbe probeCuda(std::int32_t ordinal) noexcept {
  CudaProbe probe;
  probe.compiled = true;
  try {
    const cuda::DeviceProperties properties = cuda::selectDevice(ordinal);
    probe.available = true;
    probe.name = properties.name;
    probe.isa = properties.isa;
    probe.freeBytes = properties.freeBytes;
    probe.totalBytes = properties.totalBytes;
  } catch (const std::exception& error) {
    probe.reason = error.what();
  }
  return probe;
}

std::int32_t affordableCudaPages(const ModelConfig& config, const PoolConfig& pool, const CudaOptions& options) {
  return cuda::requiredPages(config, pool, cuda::resolveWeightFormat(options.dtype), cuda::selectDevice(options.ordinal).freeBytes);
}

}  // namespace foretrace
