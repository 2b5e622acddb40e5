// What the CUDA engine is meant to reach, beside what it did.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/cuda_kernel_bench.h"
#include "bench/cuda_steps.h"

namespace foretrace::bench {

struct Target {
  std::string name;
  double least = 0;              ///< or the most, if `atMost`
  bool atMost = false;
  std::optional<double> found;   ///< nothing: not measured
  std::string missing;           ///< why not

  [[nodiscard]] bool passed() const { return found && (atMost ? *found <= least : *found >= least); }
};

/// What other engines reached on this GPU, by name: "torch_matrix_peak" (operations per second), "transformers_tokens_per_s".
using Peers = std::map<std::string, double>;

/// Lines "name=number". Throws `invalid_argument` for a file that cannot be read or has another line.
[[nodiscard]] Peers readPeers(const std::string& path);

/// Of paged decode and of a shared prefix, from the results of benchAttention.
[[nodiscard]] std::vector<Target> attentionTargets(const std::vector<KernelResult>& kernels);

/// Of the prefill product, from the results of benchGemm.
[[nodiscard]] std::vector<Target> productTargets(const std::vector<KernelResult>& kernels, const Peers& peers);

/// Of the steps of one shape; none for shapes and formats without targets. Steps that are missing were not measured, `why` not.
[[nodiscard]] std::vector<Target> stepTargets(const std::string& shape, const std::string& dtype, const std::vector<StepResult>& steps,
                                              const std::string& why);

/// Of generation: `generated` tokens per second of the model the peers ran.
[[nodiscard]] std::vector<Target> generationTargets(double generated, const Peers& peers);

/// A line each on standard output: "PASS" or "FAIL", the target, what was wanted and found, or why it was not measured.
void printTargets(const std::vector<Target>& targets);

}  // namespace foretrace::bench
