// Logits of trained and random models against PyTorch fp32 (golden.json beside a model; golden_logits_test.cc tells its form).
#pragma once

#include <cmath>
#include <filesystem>
#include <string>

#include "io/json.h"
#include "io/mapped_file.h"
#include "test/check.h"
#include "test/cuda_model_cases.h"

namespace foretrace::test::golden_cases {  // TEST names its functions by line: one namespace a file

/// Squares of errors and of logits, and how often the largest logit is the same token's.
struct Agreement {
  double errors = 0;
  double squares = 0;
  std::size_t positions = 0;
  std::size_t sameLargest = 0;
};

inline std::vector<double> numbers(const JsonValue* list) {
  ensure(list != nullptr && list->array() != nullptr, "golden.json has an array where one belongs");
  std::vector<double> values;
  for (const JsonValue& value : *list->array()) {
    ensure(value.number() != nullptr, "golden.json has a number where one belongs");
    values.push_back(value.number()->value);
  }
  return values;
}

inline void compare(const std::vector<float>& found, const std::vector<double>& expected, Agreement& agreement) {
  std::size_t largestFound = 0;
  std::size_t largestExpected = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = static_cast<double>(found[i]) - expected[i];
    agreement.errors += error * error;
    agreement.squares += expected[i] * expected[i];
    if (found[i] > found[largestFound]) largestFound = i;
    if (expected[i] > expected[largestExpected]) largestExpected = i;
  }
  ++agreement.positions;
  agreement.sameLargest += largestFound == largestExpected ? 1 : 0;
}

inline void checkGolden(const std::filesystem::path& directory) {
  const LoadedModel model = loadModel(directory);
  const MappedFile file(directory / "golden.json");
  const JsonValue document = parseJson(file.text(), "golden.json");
  const auto vocab = static_cast<std::size_t>(model.config.vocab);
  const PoolConfig pool{.pages = model.config.maxContext / 16 + 1, .pageTokens = 16, .maxRows = 256};
  const auto backend = model_cases::cudaBackend(model, pool);
  Agreement agreement;
  const JsonValue* cases = document.find("cases");
  ensure(cases != nullptr && cases->array() != nullptr, "golden.json has cases");
  for (const JsonValue& item : *cases->array()) {
    std::vector<std::int32_t> tokens;
    for (const double token : numbers(item.find("tokens"))) tokens.push_back(static_cast<std::int32_t>(token));
    const auto rows = model_cases::runChunks(*backend, tokens, model_cases::pagesFrom(0, 1, tokens.size(), 16), {200}, vocab);
    const std::vector<double> positions = numbers(item.find("positions"));
    const JsonArray& logits = *item.find("logits")->array();
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::vector<double> expected = numbers(&logits[i]);
      const auto position = static_cast<std::size_t>(positions[i]);
      if (!CHECK(position < rows.size() && expected.size() == vocab)) return;
      compare(rows[position], expected, agreement);
    }
  }
  const std::string text = directory.string() + ": normalised error " + std::to_string(agreement.errors / agreement.squares) + ", same largest " +
                           std::to_string(agreement.sameLargest) + " of " + std::to_string(agreement.positions);
  std::printf("%s\n", text.c_str());
  CHECK_THAT(agreement.positions > 0 && agreement.errors <= 1e-3 * agreement.squares, text);
  CHECK_THAT(agreement.sameLargest * 100 >= agreement.positions * 90, text);
}

TEST("logits of the models on disk agree with PyTorch") {
  std::size_t checked = 0;
  for (const std::string directory : {"test/golden/model-tiny", "test/golden/model-tiny-qwen2", "test/golden/model-tiny-qwen3", "models/foretrace-4m"}) {
    if (!std::filesystem::exists(std::filesystem::path(directory) / "golden.json")) continue;
    if (emulated && !directory.starts_with("test/golden")) continue;
    checkGolden(directory);
    ++checked;
  }
  CHECK_THAT(checked > 0, "run from the root of the repository");
}

}  // namespace foretrace::test::golden_cases
