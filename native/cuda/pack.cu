#include "cuda/pack.cuh"

#include "cuda/error.h"
#include "cuda/launch.h"

namespace foretrace::cuda {
namespace {

[[nodiscard]] unsigned blocksFor(std::int64_t elements) { return static_cast<unsigned>((elements + packThreads - 1) / packThreads); }

}  // namespace

void launchPack(const PackParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  packKernel<<<blocksFor(p.rows * p.depth), packThreads, 0, stream>>>(p);
  checkLaunch("packing of weights");
}

void launchConvert(const void* source, DType dtype, float* to, std::int64_t count, cudaStream_t stream) {
  if (count <= 0) return;
  convertKernel<<<blocksFor(count), packThreads, 0, stream>>>(source, dtype, to, count);
  checkLaunch("conversion of weights");
}

void launchRandom(const RandomParameters& p, cudaStream_t stream) {
  if (p.outs <= 0) return;
  randomKernel<<<blocksFor(p.outs * p.depth), packThreads, 0, stream>>>(p);
  checkLaunch("random weights");
}

}  // namespace foretrace::cuda
