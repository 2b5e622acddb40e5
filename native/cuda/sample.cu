#include "cuda/error.h"
#include "cuda/launch.h"
#include "cuda/sample_kernel.cuh"

namespace foretrace::cuda {

void launchSample(const SampleParameters& p, cudaStream_t stream) {
  if (p.count <= 0) return;
  sampleKernel<<<static_cast<unsigned>(p.count), sampleThreads, sampleSharedBytes, stream>>>(p);
  checkLaunch("choice of tokens");
}

}  // namespace foretrace::cuda
