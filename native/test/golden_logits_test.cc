// Logits against PyTorch fp32: <directory>/golden.json beside a model, {cases: [{tokens, positions, logits}]}, where
// logits[i] belong to the position positions[i]. Directories are arguments, or those known below.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "cpu/cpu_device.h"
#include "cpu/features.h"
#include "io/json.h"
#include "io/mapped_file.h"
#include "io/model_files.h"
#include "model/transformer.h"
#include "test/check.h"

namespace foretrace {
namespace {

namespace fs = std::filesystem;

/// Largest difference accepted for any logit: fp32 arithmetic on both sides, in another order of summation.
constexpr double bound = 2e-3;

struct GoldenCase {
  std::vector<std::int32_t> tokens;
  std::vector<std::size_t> positions;
  std::vector<std::vector<double>> logits;
};

const JsonArray& arrayOf(const JsonValue* value, const char* name) {
  if (value == nullptr || value->array() == nullptr) throw Error(ErrorCode::invalid_model, name, "an array", "something else");
  return *value->array();
}

double numberOf(const JsonValue& value) {
  if (value.number() == nullptr) throw Error(ErrorCode::invalid_model, "golden.json", "a number", value.describe());
  return value.number()->value;
}

std::vector<GoldenCase> readCases(const fs::path& path) {
  const MappedFile file(path);
  const JsonValue document = parseJson(file.text(), path.string());
  std::vector<GoldenCase> cases;
  for (const JsonValue& item : arrayOf(document.find("cases"), "cases")) {
    GoldenCase& golden = cases.emplace_back();
    for (const JsonValue& token : arrayOf(item.find("tokens"), "tokens")) golden.tokens.push_back(static_cast<std::int32_t>(numberOf(token)));
    for (const JsonValue& position : arrayOf(item.find("positions"), "positions")) {
      golden.positions.push_back(static_cast<std::size_t>(numberOf(position)));
    }
    for (const JsonValue& row : arrayOf(item.find("logits"), "logits")) {
      std::vector<double>& values = golden.logits.emplace_back();
      for (const JsonValue& value : arrayOf(&row, "logits")) values.push_back(numberOf(value));
    }
  }
  return cases;
}

/// Logits of the case's positions, computed in chunks of at most maxRows.
std::vector<std::vector<float>> compute(Backend& backend, const GoldenCase& golden, std::size_t vocab, std::size_t maxRows) {
  std::vector<std::int32_t> pages(golden.tokens.size() / 16 + 1);
  std::iota(pages.begin(), pages.end(), 0);
  std::vector<std::vector<float>> all;
  for (std::size_t first = 0; first < golden.tokens.size(); first += maxRows) {
    const std::size_t count = std::min(maxRows, golden.tokens.size() - first);
    ForwardBatch batch;
    batch.add({0, static_cast<std::int32_t>(first), std::span(golden.tokens).subspan(first, count), pages, LogitRows::all});
    const auto logits = backend.forward(batch);
    for (std::size_t row = 0; row < count; ++row) {
      const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(row * vocab);
      all.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(vocab));
    }
  }
  return all;
}

/// How far computed logits are from the golden ones.
struct Agreement {
  double worst = 0;       ///< largest difference of a logit
  double divergence = 0;  ///< mean Kullback-Leibler divergence of the softmax from the golden one, in nats
  double sameBest = 0;    ///< share of positions with the same most probable token
  std::size_t positions = 0;
};

template <typename Number>
std::vector<double> logProbabilities(const std::vector<Number>& logits) {
  const auto largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double total = 0;
  for (const Number logit : logits) total += std::exp(static_cast<double>(logit) - largest);
  std::vector<double> result;
  for (const Number logit : logits) result.push_back(static_cast<double>(logit) - largest - std::log(total));
  return result;
}

void compare(const std::vector<float>& found, const std::vector<double>& golden, Agreement& agreement) {
  for (std::size_t token = 0; token < golden.size(); ++token) {
    const double difference = std::abs(static_cast<double>(found[token]) - golden[token]);
    if (!(difference <= agreement.worst)) agreement.worst = difference;  // written so that a NaN counts as worst
  }
  const auto expected = logProbabilities(golden);
  const auto actual = logProbabilities(found);
  for (std::size_t token = 0; token < golden.size(); ++token) {
    agreement.divergence += std::exp(expected[token]) * (expected[token] - actual[token]);
  }
  const auto best = std::max_element(golden.begin(), golden.end()) - golden.begin();
  agreement.sameBest += std::max_element(found.begin(), found.end()) - found.begin() == best ? 1 : 0;
  ++agreement.positions;
}

void report(const std::string& name, Agreement& agreement) {
  agreement.divergence /= static_cast<double>(agreement.positions);
  agreement.sameBest /= static_cast<double>(agreement.positions);
  std::printf("%s: %zu positions, maximum difference %.3g, divergence %.3g, same best token %.4f\n", name.c_str(),
              agreement.positions, agreement.worst, agreement.divergence, agreement.sameBest);
}

using CaseLogits = std::vector<std::vector<float>>;

/// Logits after every token of every case.
std::vector<CaseLogits> computeAll(const LoadedModel& model, const std::vector<GoldenCase>& cases, Isa isa, const char* dtype) {
  const PoolConfig pool{.pages = model.config.maxContext / 16 + 1, .pageTokens = 16, .maxRows = 64};
  Transformer backend(model.config, pool, createCpuDevice(model.config, model.weights, pool, CpuOptions{isaName(isa), 2, dtype}));
  std::vector<CaseLogits> all;
  for (const GoldenCase& golden : cases) all.push_back(compute(backend, golden, static_cast<std::size_t>(model.config.vocab), 64));
  return all;
}

/// fp32 against the golden logits, which come from another implementation.
void checkGolden(const std::string& name, const std::vector<GoldenCase>& cases, const std::vector<CaseLogits>& found) {
  Agreement agreement;
  for (std::size_t item = 0; item < cases.size(); ++item) {
    const GoldenCase& golden = cases[item];
    if (!CHECK(golden.positions.size() == golden.logits.size())) return;
    for (std::size_t i = 0; i < golden.positions.size(); ++i) {
      if (!CHECK(golden.positions[i] < found[item].size() && golden.logits[i].size() == found[item][0].size())) return;
      compare(found[item][golden.positions[i]], golden.logits[i], agreement);
    }
  }
  if (!CHECK(agreement.positions > 0)) return;
  report(name + " against PyTorch", agreement);
  CHECK_THAT(agreement.worst <= bound, name + " within " + std::to_string(bound));
}

/// What is asked of a number format against fp32, over every position of the cases: mean divergence and the share of equal
/// best tokens. The trained model is several times better than that; the tiny one is random and knows nothing for sure.
struct Quality {
  const char* dtype;
  double divergence;
  double sameBest;
};

constexpr Quality qualities[] = {{"bf16", 2e-3, 0.96}, {"int8", 0.04, 0.88}};

void checkQuality(const std::string& name, const std::vector<CaseLogits>& reference, const std::vector<CaseLogits>& found,
                  const Quality& quality) {
  Agreement agreement;
  for (std::size_t item = 0; item < reference.size(); ++item) {
    for (std::size_t row = 0; row < reference[item].size(); ++row) {
      compare(found[item][row], {reference[item][row].begin(), reference[item][row].end()}, agreement);
    }
  }
  report(name + " against fp32", agreement);
  CHECK_THAT(agreement.worst > 0, name + " rounds");
  CHECK_THAT(agreement.divergence <= quality.divergence, name + " divergence");
  CHECK_THAT(agreement.sameBest >= quality.sameBest, name + " best tokens");
}

void checkModel(const fs::path& directory) {
  const std::vector<GoldenCase> cases = readCases(directory / "golden.json");
  CHECK_THAT(!cases.empty(), directory.string() + " has cases");
  const LoadedModel model = loadModel(directory);
  for (const Isa isa : availableIsas()) {
    const std::string name = directory.string() + ", " + isaName(isa);
    const std::vector<CaseLogits> reference = computeAll(model, cases, isa, "fp32");
    checkGolden(name, cases, reference);
    for (const Quality& quality : qualities) {
      checkQuality(name + " " + quality.dtype, reference, computeAll(model, cases, isa, quality.dtype), quality);
    }
  }
}

/// Directories with golden logits below the places where models are kept; the working directory is the repository's.
std::vector<fs::path> knownDirectories() {
  std::vector<fs::path> found;
  const auto consider = [&](const fs::path& directory) {
    if (fs::exists(directory / "golden.json")) found.push_back(directory);
  };
  for (const char* name : {"model-tiny", "model-tiny-qwen2", "model-tiny-qwen3"}) consider(fs::path("test/golden") / name);
  if (fs::is_directory("models")) {
    for (const auto& entry : fs::directory_iterator("models")) consider(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) {
  std::vector<foretrace::fs::path> directories(argv + 1, argv + argc);
  if (directories.empty()) directories = foretrace::knownDirectories();
  if (directories.empty()) {
    std::printf("skipped: no golden.json in test/golden/model-tiny or models/*\n");
    return 77;
  }
  bool passed = true;
  for (const auto& directory : directories) {
    try {
      foretrace::checkModel(directory);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", directory.c_str(), error.what());
      passed = false;
    }
  }
  passed = passed && !foretrace::test::registry().failed;
  std::printf("%s\n", passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}
