// Measures the CUDA engine: what the GPU can do, single kernels, and whole decode and prefill steps of several shapes with
// random weights. cuda_bench [--quick] [--json FILE]. Without a GPU it says so and exits with 77.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bench/cuda_kernel_bench.h"
#include "bench/cuda_peaks.h"
#include "core/error.h"
#include "cuda/cuda_device.h"
#include "cuda/select.h"
#include "cuda/shapes.h"
#include "model/transformer.h"

namespace foretrace::bench {
namespace {

struct NamedConfig {
  const char* name;
  ModelConfig config;
};

ModelConfig shape(std::int32_t vocab, std::int32_t hidden, std::int32_t layers, std::int32_t heads, std::int32_t kvHeads, std::int32_t ffn,
                  std::int32_t headDim) {
  ModelConfig config;
  config.vocab = vocab;
  config.hidden = hidden;
  config.layers = layers;
  config.heads = heads;
  config.kvHeads = kvHeads;
  config.headDim = headDim;
  config.ffn = ffn;
  config.maxContext = 8192;
  config.tied = vocab < 100000;
  return config;
}

std::vector<NamedConfig> configs(bool quick) {
  std::vector<NamedConfig> list{{"4M", shape(1025, 256, 6, 4, 2, 640, 64)},
                                {"135M", shape(49152, 576, 30, 9, 3, 1536, 64)},
                                {"1B", shape(128256, 2048, 16, 32, 8, 8192, 64)},
                                {"8B", shape(128256, 4096, 32, 32, 8, 14336, 128)}};
  if (!quick) list.push_back({"32B", shape(128256, 6144, 64, 48, 8, 21504, 128)});
  return list;
}

struct StepResult {
  std::string name;
  double seconds = 0;
  double bandwidthShare = 0;
  double operationsShare = 0;
};

/// Median wall-clock seconds of a forward pass, host work and the copy of logits included.
double stepSeconds(Backend& backend, const ForwardBatch& batch, int repeats) {
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    (void)backend.forward(batch);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (i > 0) seconds.push_back(taken.count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return seconds[seconds.size() / 2];
}

constexpr std::int32_t context = 512;
constexpr std::int32_t pageTokens = 16;
constexpr std::int32_t prefillRows = 512;

/// `rows` sequences that decode at position `context`, each with pages of its own.
ForwardBatch decodeBatch(std::int32_t rows, LogitRows logits) {
  ForwardBatch batch;
  for (std::int32_t s = 0; s < rows; ++s) {
    std::vector<std::int32_t> table;
    for (std::int32_t i = 0; i <= context / pageTokens; ++i) table.push_back(s * (context / pageTokens + 1) + i);
    batch.add({s, context, std::vector<std::int32_t>{s}, table, logits});
  }
  return batch;
}

ForwardBatch prefillBatch() {
  ForwardBatch batch;
  std::vector<std::int32_t> table;
  for (std::int32_t i = 0; i < prefillRows / pageTokens; ++i) table.push_back(i);
  batch.add({0, 0, std::vector<std::int32_t>(static_cast<std::size_t>(prefillRows), 1), table, LogitRows::last});
  return batch;
}

void benchModel(const NamedConfig& model, const Peaks& peaks, std::vector<StepResult>& results) {
  const PoolConfig pool{.pages = 64 * (context / pageTokens + 1), .pageTokens = pageTokens, .maxRows = prefillRows, .maxLogitRows = 64};
  const ModelConfig& config = model.config;
  Transformer backend(config, pool, createRandomCudaDevice(config, 1, pool, {}));
  const cuda::ModelShapes shapes(config);
  const double headBytes = 2.0 * static_cast<double>(shapes.head.packedElements());
  const double tableBytes = headBytes * (config.tied ? 1 : 2);
  const double layerBytes = static_cast<double>(backend.info().weightBytes) - tableBytes;
  const auto kvBytes = static_cast<double>(backend.info().kvBytesPerToken);
  for (const std::int32_t rows : {1, 64}) {
    for (const LogitRows logits : {LogitRows::none, LogitRows::last}) {
      const double seconds = stepSeconds(backend, decodeBatch(rows, logits), 15);
      const double bytes = layerBytes + (logits == LogitRows::last ? headBytes : 0) + rows * context * kvBytes;
      results.push_back({std::string(model.name) + " decode " + std::to_string(rows) + (logits == LogitRows::last ? " with logits" : ""), seconds,
                         bytes / seconds / peaks.bandwidth, 0});
    }
  }
  const double seconds = stepSeconds(backend, prefillBatch(), 7);
  const double operations = layerBytes * prefillRows;  // two per parameter, which is two bytes
  results.push_back({std::string(model.name) + " prefill " + std::to_string(prefillRows), seconds, layerBytes / seconds / peaks.bandwidth,
                     operations / seconds / peaks.operations});
}

void writeJson(const char* path, const std::string& gpu, const Peaks& peaks, const std::vector<KernelResult>& kernels,
               const std::vector<StepResult>& steps) {
  std::ofstream file(path);
  const auto line = [&file](const auto& result, bool last) {
    file << "    {\"name\": \"" << result.name << "\", \"seconds\": " << result.seconds << ", \"bandwidthShare\": " << result.bandwidthShare
         << ", \"operationsShare\": " << result.operationsShare << (last ? "}\n" : "},\n");
  };
  file << "{\n  \"gpu\": \"" << gpu << "\",\n  \"copyBandwidth\": " << peaks.bandwidth << ",\n  \"matrixPeak\": " << peaks.operations
       << ",\n  \"kernels\": [\n";
  for (std::size_t i = 0; i < kernels.size(); ++i) line(kernels[i], i + 1 == kernels.size());
  file << "  ],\n  \"steps\": [\n";
  for (std::size_t i = 0; i < steps.size(); ++i) line(steps[i], i + 1 == steps.size());
  file << "  ]\n}\n";
}

template <class Result>
void printLine(const Result& result) {
  std::printf("%-36s %10.3f ms %7.1f %% of bandwidth", result.name.c_str(), result.seconds * 1e3, result.bandwidthShare * 100);
  if (result.operationsShare > 0) std::printf(" %7.1f %% of matrix peak", result.operationsShare * 100);
  std::printf("\n");
  std::fflush(stdout);
}

int run(bool quick, const char* json) {
  const cuda::DeviceProperties gpu = cuda::selectDevice(0);
  Peaks peaks;
  std::vector<KernelResult> kernels;
  {
    const cuda::Stream stream;
    peaks = {copyBandwidth(stream.get()), matrixPeak(stream.get(), gpu.multiprocessors)};
    std::printf("%s, %s: copy bandwidth %.2f TB/s, mma.sync bf16 peak %.0f TFLOP/s\n", gpu.name.c_str(), gpu.isa.c_str(), peaks.bandwidth / 1e12,
                peaks.operations / 1e12);
    kernels = benchGemm(peaks, stream.get());
    for (KernelResult& result : benchAttention(peaks, stream.get())) kernels.push_back(std::move(result));
  }
  for (const KernelResult& result : kernels) printLine(result);
  std::vector<StepResult> steps;
  for (const NamedConfig& model : configs(quick)) {
    const std::size_t before = steps.size();
    try {
      benchModel(model, peaks, steps);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      std::printf("%s: skipped (%s)\n", model.name, error.what());  // a GPU too small for it
    }
    for (std::size_t i = before; i < steps.size(); ++i) printLine(steps[i]);
  }
  if (json != nullptr) writeJson(json, gpu.name, peaks, kernels, steps);
  return 0;
}

}  // namespace
}  // namespace foretrace::bench

int main(int argc, char** argv) {
  bool quick = false;
  const char* json = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) quick = true;
    else if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) json = argv[++i];
    else return std::fprintf(stderr, "usage: cuda_bench [--quick] [--json FILE]\n"), 2;
  }
  const foretrace::CudaProbe probe = foretrace::probeCuda();
  if (!probe.available) {
    std::printf("no CUDA device: skipped (%s)\n", probe.reason.c_str());
    return 77;
  }
  try {
    return foretrace::bench::run(quick, json);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_bench: %s\n", error.what());
    return 1;
  }
}
