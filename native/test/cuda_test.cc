// The CUDA device on a GPU: every kernel against double precision, whole models against the CPU and PyTorch, and the same
// bits however work is batched, chunked and shared. Without a GPU it says so and exits with 77.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace foretrace::test {
constexpr bool emulated = false;
}  // namespace foretrace::test

#include "test/cuda_attention_cases.h"
#include "test/cuda_draft_cases.h"
#include "test/cuda_elementwise_cases.h"
#include "test/cuda_gemm_cases.h"
#include "test/cuda_golden_cases.h"
#include "test/cuda_graph_cases.h"
#include "test/cuda_model_cases.h"
#include "test/cuda_quantise_cases.h"
#include "test/cuda_sample_cases.h"
#include "test/cuda_tier_cases.h"

// cuda_test [--quick] [--products auto|mma|wgmma] [PART_OF_A_NAME]
int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was said before a kernel hangs is not lost
  const char* only = nullptr;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      quick = true;
    } else if (argument == "--products" && i + 1 < argc) {
      foretrace::test::model_cases::defaultProducts() = argv[++i];
    } else {
      only = argv[i];
    }
  }
  const foretrace::CudaProbe probe = foretrace::probeCuda();
  if (!probe.available) {
    std::printf("no CUDA device: skipped (%s)\n", probe.reason.c_str());
    return 77;
  }
  std::printf("%s, %s\n", probe.name.c_str(), probe.isa.c_str());
  foretrace::cuda::prepareGemm();
  foretrace::cuda::prepareAttention();
  foretrace::test::model_cases::fewModels() = quick;
  int failed = 0;
  int ran = 0;
  for (const auto& testCase : foretrace::test::registry().cases) {
    if (only != nullptr && std::strstr(testCase.name, only) == nullptr) continue;
    std::printf("-- %s\n", testCase.name);  // the name of the case that hangs is the last line
    failed += foretrace::test::runTests(testCase.name);
    ++ran;
  }
  std::printf("%d cases ran, %d failed\n", ran, failed);
  return failed == 0 && ran > 0 ? 0 : 1;
}
