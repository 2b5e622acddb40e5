// Prefill and decode on the CPU, beside what this machine can do at most. Prints JSON.
//
//   cpu_bench [--shape S30,S135,S1B8,DIR] [--dtype fp32,bf16,int8] [--isa auto] [--threads 0] [--batch 1,4,8,16,32,64]
//             [--context 512] [--rows 1] [--prefill 512] [--seconds 0.5] [--split auto|solo|rows|columns] [--phases]
//             [--processor-time]
//
// With --processor-time (one thread only) the clock is the processor time of that thread: what other programs take away is
// not counted, what they do to caches and memory is.
#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bench/clock.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/shapes.h"

namespace foretrace::bench {
namespace {

struct Options {
  std::map<std::string, std::string> values = {{"shape", "S30"}, {"dtype", "fp32,bf16,int8"}, {"isa", "auto"},
                                               {"threads", "0"}, {"batch", "1,4,8,16,32,64"}, {"context", "512"},
                                               {"rows", "1"}, {"prefill", "512"}, {"seconds", "0.5"}, {"split", "auto"}};
  bool phases = false;

  [[nodiscard]] std::vector<std::string> list(const std::string& name) const {
    std::vector<std::string> items;
    std::stringstream stream(values.at(name));
    for (std::string item; std::getline(stream, item, ',');) items.push_back(item);
    return items;
  }
  [[nodiscard]] std::vector<std::int32_t> numbers(const std::string& name) const {
    std::vector<std::int32_t> items;
    for (const std::string& item : list(name)) items.push_back(std::stoi(item));
    return items;
  }
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--phases") {
      options.phases = true;
      continue;
    }
    if (argument == "--processor-time") {
      countsProcessorTime() = true;
      continue;
    }
    const bool known = argument.starts_with("--") && options.values.contains(argument.substr(2));
    if (!known || i + 1 == argc) throw Error(ErrorCode::invalid_argument, "argument", "--NAME VALUE", argument);
    options.values[argument.substr(2)] = argv[++i];
  }
  return options;
}

struct Limits {
  double bytesPerSecond;
  double operationsPerSecond;
};

void printRow(const std::string& shape, const char* dtype, const BackendInfo& info, const Workload& workload,
              const Measurement& found, const Limits& limits, bool phases, bool& first) {
  std::printf("%s\n    {\"shape\": \"%s\", \"dtype\": \"%s\", \"phase\": \"%s\", \"batch\": %d, \"context\": %d, \"rows\": %d, \"shared\": %s, "
              "\"threads\": %d, \"tokens_per_s\": %.1f, \"ms\": %.4f, \"bandwidth_share\": %.3f, \"peak_share\": %.3f",
              first ? "" : ",", shape.c_str(), dtype, workload.prefill ? "prefill" : "decode", workload.batch, workload.context,
              workload.prefill ? workload.context : workload.rows, workload.shared ? "true" : "false", info.threads, static_cast<double>(found.rows) / found.seconds,
              found.seconds * 1e3, found.bytes / found.seconds / limits.bytesPerSecond,
              limits.operationsPerSecond > 0 ? found.operations / found.seconds / limits.operationsPerSecond : 0.0);
  if (phases) {
    std::printf(", \"product_share\": %.3f, \"attention_share\": %.3f, \"phases_ms\": {", found.productShare, found.attentionShare);
    for (std::size_t i = 0; i < phaseNames.size(); ++i) {
      std::printf("%s\"%s\": %.4f", i == 0 ? "" : ", ", phaseNames[i], found.phases[i] * 1e3);
    }
    std::printf("}");
  }
  std::printf("}");
  std::fflush(stdout);
  first = false;
}

std::vector<Workload> workloads(const Options& options) {
  std::vector<Workload> list;
  for (const std::int32_t context : options.numbers("prefill")) list.push_back({.prefill = true, .context = context});
  for (const std::int32_t context : options.numbers("context")) {
    for (const std::int32_t batch : options.numbers("batch")) {
      for (const std::int32_t rows : options.numbers("rows")) {
        list.push_back({.batch = batch, .context = context, .rows = rows});
        if (batch > 1) list.push_back({.batch = batch, .context = context, .rows = rows, .shared = true});
      }
    }
  }
  return list;
}

void run(const Options& options) {
  const Isa isa = resolveIsa(options.values.at("isa"));
  const std::int32_t asked = std::stoi(options.values.at("threads"));
  const std::int32_t threads = asked > 0 ? asked : availableProcessors();
  if (countsProcessorTime() && threads != 1) throw Error(ErrorCode::invalid_argument, "--processor-time", "--threads 1", std::to_string(threads));
  const double bandwidth = readBandwidth(threads);
  std::map<std::string, double> peaks;
  std::printf("{\"machine\": {\"isa\": \"%s\", \"threads\": %d, \"read_gb_s\": %.1f, \"peak_tops\": {", isaName(isa), threads, bandwidth / 1e9);
  bool first = true;
  for (const WeightType type : {WeightType::fp32, WeightType::bf16, WeightType::int8}) {
    peaks[weightTypeName(type)] = peakOperations(isa, type, threads);
    std::printf("%s\"%s\": %.3f", first ? "" : ", ", weightTypeName(type), peaks[weightTypeName(type)] / 1e12);
    first = false;
  }
  std::printf("}, \"instruction\": {\"fp32\": \"%s\", \"bf16\": \"%s\", \"int8\": \"%s\"}},\n \"rows\": [",
              peakInstruction(isa, WeightType::fp32).c_str(), peakInstruction(isa, WeightType::bf16).c_str(),
              peakInstruction(isa, WeightType::int8).c_str());
  const std::vector<Workload> list = workloads(options);
  std::int32_t tokens = 16;
  std::int32_t rows = 64;
  for (const Workload& workload : list) {
    tokens = std::max(tokens, (workload.context + workload.rows + 32) * (workload.prefill ? 1 : workload.batch));
    rows = std::max(rows, workload.prefill ? workload.context : workload.batch * workload.rows);
  }
  first = true;
  for (const std::string& shape : options.list("shape")) {
    const LoadedModel model = namedModel(shape);
    for (const std::string& dtype : options.list("dtype")) {
      Bench bench(model, isaName(isa), resolveWeightType(dtype), threads, tokens, rows, options.values.at("split"));
      for (const Workload& workload : list) {
        if (workload.context + workload.rows > model.config.maxContext) continue;
        printRow(shape, dtype.c_str(), bench.info(), workload, bench.measure(workload, std::stod(options.values.at("seconds"))),
                 {bandwidth, peaks.at(dtype)}, options.phases, first);
      }
    }
  }
  std::printf("\n]}\n");
}

}  // namespace
}  // namespace foretrace::bench

int main(int argc, char** argv) {
  try {
    foretrace::bench::run(foretrace::bench::parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpu_bench: %s\n", error.what());
    return 2;
  }
}
