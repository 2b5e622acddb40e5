#include "cuda/launch.h"
#include "cuda/launch_kernel.h"
#include "cuda/sample_kernel.cuh"

namespace foretrace::cuda {

void launchSample(const SampleParameters& p, cudaStream_t stream) {
  if (p.count <= 0) return;
  const auto count = static_cast<unsigned>(p.count);
  if (p.parts > 1) {
    const dim3 parts(static_cast<unsigned>(p.parts), count);
    launchKernel("greatest logits", greatestKernel, parts, sampleThreads, sampleSharedBytes, stream, p);
    launchKernel("weights of tokens", totalKernel, parts, sampleThreads, sampleSharedBytes, stream, p);
  }
  launchKernel("choice of tokens", sampleKernel, dim3(count), sampleThreads, sampleSharedBytes, stream, p);
}

}  // namespace foretrace::cuda
