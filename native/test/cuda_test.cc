// The CUDA device on a GPU: every kernel against double precision, whole models against the CPU and PyTorch, and the same
// bits however work is batched, chunked and shared. Without a GPU it says so and exits with 77.
#include <cuda_runtime_api.h>

#include <cstdio>

namespace foretrace::test {
constexpr bool emulated = false;
}  // namespace foretrace::test

#include "test/cuda_attention_cases.h"
#include "test/cuda_elementwise_cases.h"
#include "test/cuda_gemm_cases.h"
#include "test/cuda_golden_cases.h"
#include "test/cuda_graph_cases.h"
#include "test/cuda_model_cases.h"
#include "test/cuda_sample_cases.h"
#include "test/cuda_tier_cases.h"

int main(int argc, char** argv) {
  const foretrace::CudaProbe probe = foretrace::probeCuda();
  if (!probe.available) {
    std::printf("no CUDA device: skipped (%s)\n", probe.reason.c_str());
    return 77;
  }
  std::printf("%s, %s\n", probe.name.c_str(), probe.isa.c_str());
  foretrace::cuda::prepareGemm();
  foretrace::cuda::prepareAttention();
  return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr);
}
