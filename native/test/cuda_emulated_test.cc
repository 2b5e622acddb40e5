// The CUDA device without a GPU: the source of its kernels on an emulator (cuda_emulator.h), its host code over a stand-in
// for the CUDA runtime. What this cannot show: the arithmetic of real tensor cores, memory models, speed.
#include "test/cuda_emulated/launch.h"

#include "cuda/cuda_device.cu"
#include "cuda/probe.cu"
#include "cuda/products.cu"
#include "cuda/weights.cu"

namespace foretrace::test {
constexpr bool emulated = true;
}  // namespace foretrace::test

#include "test/cuda_attention_cases.h"
#include "test/cuda_draft_cases.h"
#include "test/cuda_driver_cases.h"
#include "test/cuda_elementwise_cases.h"
#include "test/cuda_gemm_cases.h"
#include "test/cuda_golden_cases.h"
#include "test/cuda_graph_cases.h"
#include "test/cuda_model_cases.h"
#include "test/cuda_quantise_cases.h"
#include "test/cuda_sample_cases.h"
#include "test/cuda_tier_cases.h"

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
