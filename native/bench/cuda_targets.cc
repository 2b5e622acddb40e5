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

std::vector<Target> attentionTargets(const std::vector<KernelResult>& kernels) {
  return {{"paged decode attention over 1 GiB, share of copy bandwidth", 0.80, false, resultNamed(kernels, pagedDecode).bandwidthShare, ""},
          {"attention over a shared prefix, times faster than unshared", 4.0, false,
           resultNamed(kernels, unsharedPrefix).seconds / resultNamed(kernels, sharedPrefix).seconds, ""}};
}

std::vector<Target> productTargets(const std::vector<KernelResult>& kernels, const Peers& peers) {
  const auto peak = peer(peers, "torch_matrix_peak");
  return {{"prefill product, share of the matrix peak of PyTorch", 0.60, false,
           peak ? std::optional(resultNamed(kernels, prefillProduct).operationsPerSecond / *peak) : std::nullopt, "nothing of PyTorch in --peers"}};
}

std::vector<Target> stepTargets(const std::string& shape, const std::string& dtype, const std::vector<StepResult>& steps, const std::string& why) {
  const std::map<std::string, double> shares = {{"1B", 0.60}, {"8B", 0.75}, {"32B", 0.85}};
  const auto share = shares.find(shape);
  if (share == shares.end() || dtype != "bf16") return {};
  const StepResult* one = stepNamed(steps, shape + " bf16 decode 1");
  const StepResult* many = stepNamed(steps, shape + " bf16 decode 64");
  return {{shape + " bf16, decode of one sequence, share of copy bandwidth", share->second, false,
           one == nullptr ? std::nullopt : std::optional(one->bandwidthShare), why},
          {shape + " bf16, step of 64 rows over a step of one", 1.3, true,
           one == nullptr || many == nullptr ? std::nullopt : std::optional(many->seconds / one->seconds), why}};
}

std::vector<Target> generationTargets(double generated, const Peers& peers) {
  const auto rate = peer(peers, "transformers_tokens_per_s");
  return {{"1B, 64 sequences, tokens/s over transformers' continuous batching", 1.0, false,
           rate ? std::optional(generated / *rate) : std::nullopt, "nothing of transformers in --peers"}};
}

void printTargets(const std::vector<Target>& targets) {
  for (const Target& target : targets) {
    std::printf("%s  %-68s %s%5.2f  ", target.passed() ? "PASS" : "FAIL", target.name.c_str(), target.atMost ? "<=" : ">=", target.least);
    if (target.found) {
      std::printf("%.2f\n", *target.found);
    } else {
      std::printf("not measured: %s\n", target.missing.c_str());
    }
  }
  std::fflush(stdout);
}

}  // namespace foretrace::bench
