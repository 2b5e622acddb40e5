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

/// All targets; `generated` is the generated tokens per second of the model the peers ran, 0 if it was not run.
[[nodiscard]] std::vector<Target> targetsOf(const std::vector<KernelResult>& kernels, const std::vector<StepResult>& steps, const Peers& peers,
                                            double generated);

/// A table on standard output: target, wanted, found, "pass", "miss" or "not measured" with the reason.
void printTargets(const std::vector<Target>& targets);

}  // namespace foretrace::bench
