// What a build without CUDA answers.
#include "core/error.h"
#include "cuda/cuda_device.h"

namespace foretrace {
namespace {

constexpr const char* reason = "this build has no CUDA kernels";

[[noreturn]] void refuse() { throw Error(ErrorCode::unsupported_device, "device", "auto or cpu", std::string("cuda, but ") + reason); }

}  // namespace

CudaProbe probeCuda(std::int32_t) noexcept {
  CudaProbe probe;
  probe.reason = reason;
  return probe;
}

std::int32_t affordableCudaPages(const ModelConfig&, const PoolConfig&, const CudaOptions&) { refuse(); }

std::unique_ptr<Device> createCudaDevice(const ModelConfig&, const Weights&, const PoolConfig&, const CudaOptions&) { refuse(); }

std::unique_ptr<Device> createRandomCudaDevice(const ModelConfig&, std::uint64_t, const PoolConfig&, const CudaOptions&) { refuse(); }

}  // namespace foretrace
