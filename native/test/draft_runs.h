// Answers of an engine that may draft: what the tests of drafts on every device share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/engine.h"
#include "test/check.h"
#include "test/grammar_builder.h"

namespace foretrace::test::draft_runs {

using Tokens = std::vector<std::int32_t>;
inline constexpr std::int32_t vocab = test::recordVocab;
inline constexpr std::int32_t pageTokens = 8;

/// Everything an answer consists of, compared bit for bit.
struct Answer {
  Tokens tokens;
  std::vector<float> logProbabilities;
  StepStatus status = StepStatus::running;

  bool operator==(const Answer&) const = default;
};

struct Counts {
  std::int64_t drafted = 0;
  std::int64_t accepted = 0;
};

/// Prompts of a family share their first 19 tokens; every third prompt is asked twice.
inline Tokens prompt(std::int32_t number, bool shared) {
  Tokens tokens;
  const std::int32_t asked = number - (number % 3 == 2 ? 1 : 0);
  for (std::int32_t i = 0; i < 26; ++i) tokens.push_back((i * 7 + (shared && i < 19 ? 3 : asked * 5 + i / 4)) % vocab);
  return tokens;
}

inline GenerationOptions options(std::int32_t grammar, double temperature) {
  GenerationOptions options;
  options.grammar = grammar;
  options.state = test::recordValue;
  options.temperature = temperature;
  options.topP = temperature > 0 ? 0.95 : 1;
  options.seed = 11;
  options.maxNewTokens = 30;
  return options;
}

/// Reads one step's response into the answers of `sequences`.
inline void read(const StepResult& result, const std::vector<std::int32_t>& sequences, std::vector<Answer>& answers,
                 Counts& counts) {
  std::size_t written = 0;
  for (std::size_t at = 0; at < result.response.size();) {
    const auto found = std::ranges::find(sequences, result.response[at]);
    Answer& answer = answers[static_cast<std::size_t>(found - sequences.begin())];
    answer.status = static_cast<StepStatus>(result.response[at + 1]);
    CHECK(result.response[at + 4] <= result.response[at + 3]);
    counts.drafted += result.response[at + 3];
    counts.accepted += result.response[at + 4];
    const std::int32_t count = result.response[at + 5];
    at += responseHeaderWords;
    for (std::int32_t i = 0; i < count; ++i, at += responseTokenWords) {
      answer.tokens.push_back(result.response[at]);
      answer.logProbabilities.push_back(result.logProbabilities[written++]);
    }
  }
}

/// Answers to the prompts with these numbers, generated together.
inline std::vector<Answer> ask(Engine& engine, const std::vector<std::int32_t>& numbers, bool shared,
                               const GenerationOptions& asked, Counts& counts, std::int32_t iterations = 4) {
  std::vector<std::int32_t> sequences;
  for (const std::int32_t number : numbers) {
    sequences.push_back(engine.open(prompt(number, shared), 0).sequence);
    engine.generate(sequences.back(), asked);
  }
  std::vector<Answer> answers(numbers.size());
  for (bool first = true;; first = false) {
    Tokens words;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      if (answers[i].status != StepStatus::running) continue;
      const auto known = static_cast<std::int32_t>(engine.tokens(sequences[i]).size());
      words.insert(words.end(), {sequences[i], first ? known - engine.computed(sequences[i]) : 0, 1});
    }
    if (words.empty()) break;
    read(engine.run(engine.prepare(words, {.maxIterations = iterations}, 8192, 4096)), sequences, answers, counts);
    engine.checkInvariants();
  }
  for (const std::int32_t sequence : sequences) engine.close(sequence);
  return answers;
}

inline const std::vector<std::int32_t> everyone{0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace foretrace::test::draft_runs
