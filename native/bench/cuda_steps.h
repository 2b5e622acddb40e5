// Whole steps of the CUDA engine: decode, verification and prefill of one shape, and generation for many sequences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/cuda_kernel_bench.h"
#include "core/backend.h"
#include "core/config.h"

namespace foretrace::bench {

struct StepResult {
  std::string name;
  double seconds = 0;
  double bandwidthShare = 0;
  double operationsShare = 0;
};

/// Decode of 1 and of 64 sequences and prefill of one, with random weights drawn on the device. Names: "1B bf16 decode 1",
/// "1B bf16 decode 64", "1B bf16 prefill 512".
[[nodiscard]] std::vector<StepResult> benchSteps(const std::string& name, const ModelConfig& config, const std::string& dtype, const Peaks& peaks);

/// One request of the comparison with other engines: `sequences` prompts of different tokens, greedy.
struct Generation {
  std::int32_t sequences = 64;
  std::int32_t promptTokens = 128;
  std::int32_t generatedTokens = 128;
};

/// Generated tokens per second from the prompts to the last token, prefill included; the best of `repeats`.
[[nodiscard]] double generatedPerSecond(const std::string& directory, const Generation& generation, int repeats);

}  // namespace foretrace::bench
