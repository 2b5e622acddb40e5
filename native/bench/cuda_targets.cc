#include "bench/cuda_targets.h"

#include <cstdio>
#include <fstream>

#include "core/error.h"

namespace foretrace::bench {
namespace {

const StepResult* stepNamed(const std::vector<StepResult>& steps, const std::string& name) {
  for (const StepResult& step : steps) {
    if (step.name == name) return &step;
  }
  return nullptr;
}

std::optional<double> peer(const Peers& peers, const std::string& name) {
  const auto found = peers.find(name);
  return found == peers.end() || !(found->second > 0) ? std::nullopt : std::optional(found->second);
}

}  // namespace

Peers readPeers(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::invalid_argument, "peers", "a readable file", path);
  Peers peers;
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find('=');
    char* end = nullptr;
    const double value = equals == std::string::npos ? 0 : std::strtod(line.c_str() + equals + 1, &end);
    if (end == nullptr || *end != '\0' || end == line.c_str() + equals + 1) throw Error(ErrorCode::invalid_argument, path, "lines name=number", line);
    peers[line.substr(0, equals)] = value;
  }
  return peers;
}

std::vector<Target> targetsOf(const std::vector<KernelResult>& kernels, const std::vector<StepResult>& steps, const Peers& peers, double generated) {
  std::vector<Target> targets;
  struct Share {
    const char* model;
    double least;
  };
  for (const Share& share : {Share{"1B", 0.60}, Share{"8B", 0.75}, Share{"32B", 0.85}}) {
    const StepResult* one = stepNamed(steps, std::string(share.model) + " bf16 decode 1");
    targets.push_back({std::string(share.model) + " bf16, decode of one sequence, share of copy bandwidth", share.least, false,
                       one == nullptr ? std::nullopt : std::optional(one->bandwidthShare), "not run (--quick, or too little memory)"});
  }
  for (const char* model : {"1B", "8B", "32B"}) {
    const StepResult* one = stepNamed(steps, std::string(model) + " bf16 decode 1");
    const StepResult* many = stepNamed(steps, std::string(model) + " bf16 decode 64");
    targets.push_back({std::string(model) + " bf16, step of 64 rows over a step of one", 1.3, true,
                       one == nullptr || many == nullptr ? std::nullopt : std::optional(many->seconds / one->seconds), "not run (--quick, or too little memory)"});
  }
  targets.push_back({"paged decode attention over 1 GiB, share of copy bandwidth", 0.80, false, resultNamed(kernels, pagedDecode).bandwidthShare, ""});
  targets.push_back({"attention over a shared prefix, times faster than unshared", 4.0, false,
                     resultNamed(kernels, unsharedPrefix).seconds / resultNamed(kernels, sharedPrefix).seconds, ""});
  const auto peak = peer(peers, "torch_matrix_peak");
  targets.push_back({"prefill product, share of the peak PyTorch reaches", 0.60, false,
                     peak ? std::optional(resultNamed(kernels, prefillProduct).operationsPerSecond / *peak) : std::nullopt, "no PyTorch"});
  const auto rate = peer(peers, "transformers_tokens_per_s");
  targets.push_back({"1B, 64 sequences, tokens/s over transformers' continuous batching", 1.0, false,
                     rate && generated > 0 ? std::optional(generated / *rate) : std::nullopt, "no transformers"});
  return targets;
}

void printTargets(const std::vector<Target>& targets) {
  std::printf("\n%-68s %8s %8s  %s\n", "target", "wanted", "found", "");
  for (const Target& target : targets) {
    std::printf("%-68s %s%6.2f ", target.name.c_str(), target.atMost ? "<=" : ">=", target.least);
    if (target.found) {
      std::printf("%8.2f  %s\n", *target.found, target.passed() ? "pass" : "MISS");
    } else {
      std::printf("%8s  not measured: %s\n", "-", target.missing.c_str());
    }
  }
  std::fflush(stdout);
}

}  // namespace foretrace::bench
