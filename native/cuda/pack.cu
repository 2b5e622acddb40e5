#include "cuda/pack.cuh"

#include "cuda/launch.h"
#include "cuda/launch_kernel.h"

namespace foretrace::cuda {
namespace {

[[nodiscard]] unsigned blocksFor(std::int64_t elements) { return static_cast<unsigned>((elements + packThreads - 1) / packThreads); }

}  // namespace

void launchPack(const PackParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  launchKernel("packing of weights", packKernel, dim3(static_cast<unsigned>(p.rows)), packThreads, packSharedBytes, stream, p);
}

void launchConvert(const void* source, DType dtype, float* to, std::int64_t count, cudaStream_t stream) {
  if (count <= 0) return;
  launchKernel("conversion of weights", convertKernel, dim3(blocksFor(count)), packThreads, 0, stream, source, dtype, to, count);
}

void launchRandom(const RandomParameters& p, cudaStream_t stream) {
  if (p.outs <= 0) return;
  launchKernel("random weights", randomKernel, dim3(static_cast<unsigned>(p.outs)), packThreads, 0, stream, p);
}

}  // namespace foretrace::cuda
