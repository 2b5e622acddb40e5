// One checked launch. On GPUs of compute capability 9.0 and newer a kernel may start while the one before it still runs
// ("programmatic dependent launch"): every kernel here waits (waitForEarlierKernels) before it reads what others wrote or
// writes anything, and until then does at most what depends on nobody, such as asking for weights.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "cuda/error.h"

namespace foretrace::cuda {

/// Whether launches may overlap, for the whole process. prepareGemm turns it on where the GPU can; measurements and searches
/// for a fault turn it off. Results are the same bits.
inline bool& launchesOverlap() {
  static bool allowed = false;
  return allowed;
}

template <class... Parameters, class... Arguments>
void launchKernel(const char* what, void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t sharedBytes, cudaStream_t stream,
                  Arguments&&... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = sharedBytes;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = launchesOverlap() ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(std::forward<Arguments>(arguments))...), what);
}

}  // namespace foretrace::cuda
