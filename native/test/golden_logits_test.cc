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

void checkModel(const fs::path& directory) {
  const std::vector<GoldenCase> cases = readCases(directory / "golden.json");
  CHECK_THAT(!cases.empty(), directory.string() + " has cases");
  const LoadedModel model = loadModel(directory);
  const auto vocab = static_cast<std::size_t>(model.config.vocab);
  const PoolConfig pool{.pages = model.config.maxContext / 16 + 1, .pageTokens = 16, .maxRows = 64};
  for (const Isa isa : availableIsas()) {
    Transformer backend(model.config, pool, createCpuDevice(model.config, model.weights, pool, CpuOptions{isaName(isa), 2}));
    double worst = 0;
    std::size_t compared = 0;
    for (const GoldenCase& golden : cases) {
      const auto found = compute(backend, golden, vocab, 64);
      if (!CHECK(golden.positions.size() == golden.logits.size())) return;
      for (std::size_t i = 0; i < golden.positions.size(); ++i) {
        if (!CHECK(golden.positions[i] < found.size() && golden.logits[i].size() == vocab)) return;
        for (std::size_t token = 0; token < vocab; ++token) {
          const double difference = std::abs(static_cast<double>(found[golden.positions[i]][token]) - golden.logits[i][token]);
          if (!(difference <= worst)) worst = difference;  // written so that a NaN counts as worst
          ++compared;
        }
      }
    }
    std::printf("%s, %s: %zu logits, maximum difference %.3g\n", directory.string().c_str(), isaName(isa), compared, worst);
    CHECK_THAT(compared > 0 && worst <= bound, directory.string() + " within " + std::to_string(bound));
  }
}

/// Directories with golden logits below the places where models are kept; the working directory is the repository's.
std::vector<fs::path> knownDirectories() {
  std::vector<fs::path> found;
  const auto consider = [&](const fs::path& directory) {
    if (fs::exists(directory / "golden.json")) found.push_back(directory);
  };
  consider("test/golden/model-tiny");
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
