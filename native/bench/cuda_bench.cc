// The CUDA engine without Node: single kernels and whole steps, as shares of what the GPU can do, and every target beside what
// was found as soon as it is known. Weights are random and drawn on the device.
//
//   cuda_bench [--quick] [--kernels] [--shapes 4M,S135,1B,8B,32B|none] [--model DIR] [--peers FILE] [--json FILE]
//
// --kernels: single kernels; --shapes: whole steps; --model: generation with the model that bench/peers/cuda_peers.py left. With
// neither --kernels nor --shapes both are measured, all shapes. --peers: what bench/peers/cuda_peers.py measured. Exit status 0, 1
// for an error, 2 for wrong arguments, 3 if a target was missed or could not be measured, 77 without a GPU.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/cuda_kernel_bench.h"
#include "bench/cuda_peaks.h"
#include "bench/cuda_steps.h"
#include "bench/cuda_targets.h"
#include "bench/shapes.h"
#include "core/error.h"
#include "cuda/cuda_device.h"
#include "cuda/select.h"

namespace foretrace::bench {
namespace {

struct Options {
  bool quick = false;
  bool kernels = false;
  std::string json;
  std::string shapes;
  std::string peers;
  std::string model;
};

/// What was measured, for people and for the file.
struct Report {
  std::string gpu;
  Peaks peaks;
  std::vector<KernelResult> kernels;
  std::vector<StepResult> steps;
  Peers peers;
  double generated = 0;
  std::vector<Target> targets;
};

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

template <class Item, class Line>
void writeList(std::ofstream& file, const char* name, const std::vector<Item>& items, const Line& line) {
  file << "  \"" << name << "\": [\n";
  for (std::size_t i = 0; i < items.size(); ++i) file << "    {" << line(items[i]) << (i + 1 == items.size() ? "}\n" : "},\n");
  file << "  ],\n";
}

void writeJson(const Report& report, const std::string& path) {
  std::ofstream file(path);
  const auto shares = [](const auto& result) {
    return "\"name\": \"" + result.name + "\", \"seconds\": " + number(result.seconds) + ", \"bandwidthShare\": " + number(result.bandwidthShare) +
           ", \"operationsShare\": " + number(result.operationsShare);
  };
  file << "{\n  \"gpu\": \"" << report.gpu << "\",\n  \"copyBandwidth\": " << report.peaks.bandwidth << ",\n  \"matrixPeak\": " << report.peaks.operations
       << ",\n  \"generatedTokensPerSecond\": " << report.generated << ",\n";
  for (const auto& [name, value] : report.peers) file << "  \"" << name << "\": " << value << ",\n";
  writeList(file, "kernels", report.kernels, shares);
  writeList(file, "steps", report.steps, shares);
  writeList(file, "targets", report.targets, [](const Target& target) {
    return "\"name\": \"" + target.name + "\", \"wanted\": " + number(target.least) + ", \"found\": " + (target.found ? number(*target.found) : "null") +
           ", \"passed\": " + (target.passed() ? "true" : "false");
  });
  file << "  \"version\": 1\n}\n";
}

template <class Result>
void printLine(const Result& result) {
  std::printf("%-42s %10.3f ms %7.1f %% of bandwidth", result.name.c_str(), result.seconds * 1e3, result.bandwidthShare * 100);
  if (result.operationsShare > 0) std::printf(" %7.1f %% of mma.sync peak", result.operationsShare * 100);
  std::printf("\n");
  std::fflush(stdout);
}

void measurePeaks(Report& report, int multiprocessors) {
  const cuda::Stream stream;
  report.peaks = {copyBandwidth(stream.get()), matrixPeak(stream.get(), multiprocessors)};
  std::printf("%s: copy bandwidth %.2f TB/s, mma.sync bf16 peak %.0f TFLOP/s\n", report.gpu.c_str(), report.peaks.bandwidth / 1e12,
              report.peaks.operations / 1e12);
}

void reach(Report& report, const std::vector<Target>& targets) {
  printTargets(targets);
  report.targets.insert(report.targets.end(), targets.begin(), targets.end());
}

void measureKernels(Report& report, bool quick) {
  const cuda::Stream stream;
  const auto take = [&report](std::vector<KernelResult> results) {
    for (KernelResult& result : results) {
      printLine(result);
      report.kernels.push_back(std::move(result));
    }
  };
  take(benchAttention(report.peaks, stream.get()));
  reach(report, attentionTargets(report.kernels));
  take(benchGemm(report.peaks, quick, stream.get()));
  reach(report, productTargets(report.kernels, report.peers));
}

void measureSteps(Report& report, const std::string& name, const std::string& dtype) {
  const auto config = namedShape(name);
  if (!config) throw Error(ErrorCode::invalid_argument, "shape", "4M, S135, 1B, 8B or 32B", name);
  std::vector<StepResult> steps;
  std::string why;
  try {
    steps = benchSteps(name, *config, dtype, report.peaks);
  } catch (const Error& error) {  // a GPU too small for it, or without the format
    if (error.code() != ErrorCode::invalid_argument && error.code() != ErrorCode::unsupported_device) throw;
    why = error.what();
    std::printf("%s %s: skipped (%s)\n", name.c_str(), dtype.c_str(), why.c_str());
  }
  for (const StepResult& step : steps) printLine(step);
  report.steps.insert(report.steps.end(), steps.begin(), steps.end());
  reach(report, stepTargets(name, dtype, steps, why));
}

int run(const Options& options) {
  const cuda::DeviceProperties gpu = cuda::selectDevice(0);
  Report report;
  report.gpu = gpu.name + ", " + gpu.isa;
  if (!options.peers.empty()) report.peers = readPeers(options.peers);
  measurePeaks(report, gpu.multiprocessors);
  const bool all = !options.kernels && options.shapes.empty();
  if (all || options.kernels) measureKernels(report, options.quick);
  std::stringstream names(!all ? options.shapes : options.quick ? "4M,1B,8B" : "4M,S135,1B,8B,32B");
  for (std::string name; std::getline(names, name, ',') && name != "none";) {
    measureSteps(report, name, "bf16");
    if (name != "8B" || options.quick) continue;
    for (const char* dtype : {"int8", "fp8"}) measureSteps(report, name, dtype);
  }
  if (!options.model.empty()) {
    report.generated = generatedPerSecond(options.model, {}, 2);
    std::printf("%s: %.0f generated tokens/s at 64 sequences\n", options.model.c_str(), report.generated);
    reach(report, generationTargets(report.generated, report.peers));
  }
  if (!options.json.empty()) writeJson(report, options.json);
  return std::all_of(report.targets.begin(), report.targets.end(), [](const Target& target) { return target.passed(); }) ? 0 : 3;
}

/// False if an argument is unknown or lacks its value.
bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick" || argument == "--kernels") {
      (argument == "--quick" ? options.quick : options.kernels) = true;
      continue;
    }
    std::string* value = argument == "--json" ? &options.json : argument == "--shapes" ? &options.shapes : argument == "--peers" ? &options.peers
                         : argument == "--model" ? &options.model : nullptr;
    if (value == nullptr || i + 1 == argc) return false;
    *value = argv[++i];
  }
  return true;
}

}  // namespace
}  // namespace foretrace::bench

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was measured before a kernel hangs is not lost
  foretrace::bench::Options options;
  if (!foretrace::bench::parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: cuda_bench [--quick] [--kernels] [--shapes 4M,S135,1B,8B,32B|none] [--model DIR] [--peers FILE] [--json FILE]\n");
    return 2;
  }
  const foretrace::CudaProbe probe = foretrace::probeCuda();
  if (!probe.available) {
    std::printf("no CUDA device: skipped (%s)\n", probe.reason.c_str());
    return 77;
  }
  try {
    return foretrace::bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_bench: %s\n", error.what());
    return 1;
  }
}
