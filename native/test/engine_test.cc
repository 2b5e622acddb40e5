#include "engine/engine.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "cpu/cpu_device.h"
#include "fake_backend.h"
#include "grammar_builder.h"
#include "io/model_files.h"
#include "model/transformer.h"

using namespace foretrace;

namespace {

using Tokens = std::vector<std::int32_t>;
constexpr std::int32_t vocab = test::recordVocab;

ModelConfig smallModel() {
  ModelConfig config;
  config.hidden = 32;
  config.layers = 2;
  config.heads = 4;
  config.kvHeads = 2;
  config.headDim = 8;
  config.ffn = 48;
  config.vocab = vocab;
  config.maxContext = 256;
  config.tied = true;
  return config;
}

struct Setup {
  std::int32_t threads = 1;
  std::int32_t maxRows = 64;
  bool reuse = true;
  bool fake = false;
  std::int32_t pages = 512;
};

std::unique_ptr<Engine> makeEngine(const Setup& setup, test::FakeBackend** fake = nullptr) {
  const EngineConfig config{.vocab = vocab, .maxContext = 256, .pages = setup.pages, .pageTokens = 4,
                            .maxRows = setup.maxRows, .maxSequences = 32, .reusePrefixes = setup.reuse};
  if (setup.fake) {
    auto backend = std::make_unique<test::FakeBackend>(vocab, setup.pages, 4);
    if (fake != nullptr) *fake = backend.get();
    return std::make_unique<Engine>(config, EngineInfo{}, std::move(backend));
  }
  const ModelConfig model = smallModel();
  PoolConfig pool;
  pool.pages = setup.pages;
  pool.pageTokens = 4;
  pool.maxRows = setup.maxRows;
  const LoadedModel loaded = randomModel(model, 3);
  auto device = createCpuDevice(model, loaded.weights, pool, {.isa = "auto", .threads = setup.threads});
  return std::make_unique<Engine>(config, EngineInfo{}, std::make_unique<Transformer>(model, pool, std::move(device)));
}

/// Everything an answer consists of, compared bit for bit.
struct Answer {
  Tokens tokens;
  std::vector<float> logProbabilities;
  StepStatus status = StepStatus::running;

  bool operator==(const Answer&) const = default;
};

Tokens prompt(std::int32_t number, std::int32_t length = 27) {
  Tokens tokens;
  for (std::int32_t i = 0; i < length; ++i) tokens.push_back((i * 5 + (i > 14 ? number : 0)) % vocab);
  return tokens;
}

GenerationOptions greedy(std::int32_t grammar, std::int32_t length = 24) {
  GenerationOptions options;
  options.grammar = grammar;
  options.state = test::recordStart;
  options.maxNewTokens = length;
  return options;
}

/// A generation that has to write a value at least.
GenerationOptions answering(std::int32_t grammar) {
  GenerationOptions options = greedy(grammar);
  options.state = test::recordValue;
  return options;
}

StepResult step(Engine& engine, const Tokens& words, std::int32_t iterations = 1) {
  return engine.run(engine.prepare(words, {.maxIterations = iterations}, 4096, 2048));
}

/// Computes prompts in chunks and generates all answers in common steps.
std::vector<Answer> answers(Engine& engine, const std::vector<std::int32_t>& sequences, const GenerationOptions& options,
                            std::int32_t chunk) {
  std::vector<Answer> all(sequences.size());
  std::vector<std::int32_t> left;
  for (const std::int32_t sequence : sequences) {
    engine.generate(sequence, options);
    left.push_back(static_cast<std::int32_t>(engine.tokens(sequence).size()) - engine.computed(sequence));
  }
  for (;;) {
    Tokens words;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      if (all[i].status != StepStatus::running) continue;
      const std::int32_t count = std::min(chunk, left[i]);
      left[i] -= count;
      words.insert(words.end(), {sequences[i], count, left[i] == 0 ? 1 : 0});
    }
    if (words.empty()) return all;
    const StepResult result = step(engine, words);
    engine.checkInvariants();
    std::size_t written = 0;
    for (std::size_t at = 0; at < result.response.size();) {
      const auto index = static_cast<std::size_t>(
          std::find(sequences.begin(), sequences.end(), result.response[at]) - sequences.begin());
      all[index].status = static_cast<StepStatus>(result.response[at + 1]);
      const std::int32_t count = result.response[at + responseHeaderWords - 1];
      at += responseHeaderWords;
      for (std::int32_t i = 0; i < count; ++i, at += responseTokenWords) {
        all[index].tokens.push_back(result.response[at]);
        all[index].logProbabilities.push_back(result.logProbabilities[written++]);
      }
    }
  }
}

Answer alone(Engine& engine, const Tokens& tokens, std::int32_t grammar, std::int32_t chunk = 64) {
  const std::int32_t sequence = engine.open(tokens, 0).sequence;
  const Answer answer = answers(engine, {sequence}, answering(grammar), chunk)[0];
  engine.close(sequence);
  return answer;
}

std::vector<Answer> together(Engine& engine, std::int32_t grammar, std::int32_t chunk = 64) {
  std::vector<std::int32_t> sequences;
  for (std::int32_t i = 0; i < 16; ++i) sequences.push_back(engine.open(prompt(i), 0).sequence);
  const auto all = answers(engine, sequences, answering(grammar), chunk);
  for (const std::int32_t sequence : sequences) engine.close(sequence);
  return all;
}

std::int32_t register_(Engine& engine) { return engine.addGrammar(test::recordGrammar().build()); }

}  // namespace

TEST("answers are bit-identical alone, in a batch, cached, chunked, after a fork and on any number of threads") {
  const auto reference = makeEngine({.reuse = false});
  const std::int32_t grammar = register_(*reference);
  for (const std::int32_t constraint : {-1, grammar}) {
    std::vector<Answer> wanted;
    for (std::int32_t i = 0; i < 16; ++i) wanted.push_back(alone(*reference, prompt(i), constraint));
    for (const Answer& answer : wanted) CHECK(answer.tokens.size() > 1);
    for (const std::int32_t threads : {1, 2}) {
      const auto engine = makeEngine({.threads = threads, .maxRows = 512});
      register_(*engine);
      const std::string name = "grammar " + std::to_string(constraint) + ", threads " + std::to_string(threads);
      CHECK_THAT(together(*engine, constraint) == wanted, name + ", batch, cold");
      CHECK_THAT(together(*engine, constraint) == wanted, name + ", batch, warm");
      CHECK_THAT(together(*engine, constraint, 5) == wanted, name + ", batch, chunks of five, warm");
      CHECK_THAT(alone(*engine, prompt(3), constraint, 3) == wanted[3], name + ", alone, warm");
      engine->clearCache();
      CHECK_THAT(alone(*engine, prompt(4), constraint, 7) == wanted[4], name + ", alone, chunks of seven, cold");
      // A fork in the middle of a page, and the parent after it.
      const Tokens forked = prompt(5);
      const std::int32_t parent = engine->open(forked, 0).sequence;
      static_cast<void>(step(*engine, {parent, 26 - engine->computed(parent), 0}));
      const std::int32_t child = engine->fork(parent, 22, 0);
      engine->append(child, Tokens(forked.begin() + 22, forked.end()), 0);
      const auto both = answers(*engine, {child, parent}, answering(constraint), 64);
      CHECK_THAT(both[0] == wanted[5] && both[1] == wanted[5], name + ", fork and parent");
    }
  }
}

TEST("a backend that depends on the batch is caught by the same comparison") {
  test::FakeBackend* fake = nullptr;
  const auto engine = makeEngine({.maxRows = 512, .fake = true}, &fake);
  std::vector<Answer> wanted;
  for (std::int32_t i = 0; i < 16; ++i) wanted.push_back(alone(*engine, prompt(i), -1));
  CHECK(together(*engine, -1) == wanted);
  fake->dependsOnBatch = true;
  CHECK(together(*engine, -1) != wanted);
}

TEST("random weights under a grammar end in acceptance within every budget") {
  const auto engine = makeEngine({});
  const std::int32_t grammar = register_(*engine);
  for (std::int32_t budget = 1; budget < 40; ++budget) {
    for (const double temperature : {0.0, 1.5}) {
      GenerationOptions options = greedy(grammar, budget);
      options.temperature = temperature;
      options.seed = budget;
      const std::int32_t sequence = engine->open(prompt(budget, 9), 0).sequence;
      const Answer answer = answers(*engine, {sequence}, options, 64)[0];
      engine->close(sequence);
      CHECK(answer.status == StepStatus::finished && static_cast<std::int32_t>(answer.tokens.size()) <= budget);
      CHECK(answer.tokens.back() == test::end_);
    }
  }
}

TEST("forced tokens are written without sampling and computed with the next row") {
  test::FakeBackend* fake = nullptr;
  const auto engine = makeEngine({.fake = true}, &fake);
  const std::int32_t grammar = register_(*engine);
  GenerationOptions options = greedy(grammar, 3);
  options.state = test::recordLeave;
  options.frames = {test::recordStart, test::recordLeave};
  const std::int32_t sequence = engine->open(prompt(1, 6), 0).sequence;
  engine->generate(sequence, options);
  const StepResult result = step(*engine, {sequence, 6, 1}, 10);
  CHECK((result.response == Tokens{sequence, 1, 6, 0, 0, 3, test::pop_, 1, test::pop_, 1, test::end_, 1}));
  CHECK((result.logProbabilities == std::vector<float>{0, 0, 0}));
  CHECK(fake->passes == 1 && result.summary.rows == 6);
}

TEST("generation without grammar ends at the stop token or at its length, and samples by position alone") {
  const auto engine = makeEngine({.fake = true});
  const std::int32_t sequence = engine->open(prompt(2), 0).sequence;
  Answer free = answers(*engine, {sequence}, greedy(-1, 5), 64)[0];
  CHECK(free.status == StepStatus::length && free.tokens.size() == 5);
  engine->truncate(sequence, 27);
  GenerationOptions stopping = greedy(-1, 5);
  stopping.stopToken = free.tokens[2];
  const Answer stopped = answers(*engine, {sequence}, stopping, 64)[0];
  CHECK(stopped.status == StepStatus::stopped && stopped.tokens.back() == free.tokens[2]);
}

TEST("a full pool stops one sequence and leaves the others alone") {
  const auto engine = makeEngine({.fake = true, .pages = 8});
  const std::int32_t a = engine->open(prompt(1, 8), 0).sequence;
  const std::int32_t b = engine->open(prompt(9, 4), 20).sequence;
  engine->generate(a, greedy(-1, 20));
  engine->generate(b, greedy(-1, 20));
  // Six pages are b's and two are a's: none is left for what a generates.
  CHECK_ERROR("out_of_pages", engine->open(prompt(1, 8), 8));
  const StepResult result = step(*engine, {b, 4, 1, a, 8, 1}, 50);
  CHECK(result.response[1] == static_cast<std::int32_t>(StepStatus::length) && result.response[5] == 20);
  const std::size_t second = responseHeaderWords + 20 * responseTokenWords;
  CHECK(result.response[second + 1] == static_cast<std::int32_t>(StepStatus::outOfPages));
  engine->checkInvariants();
  // With pages again, the sequence that had to stop goes on where it was.
  engine->close(b);
  const StepResult rest = step(*engine, {a, 0, 1}, 50);
  CHECK(rest.response[1] == static_cast<std::int32_t>(StepStatus::length));
  CHECK(result.response[second + 5] + rest.response[5] == 20);
}

TEST("a failed forward fails its sequences and keeps the pool exact") {
  test::FakeBackend* fake = nullptr;
  const auto engine = makeEngine({.fake = true}, &fake);
  const std::int32_t a = engine->open(prompt(1), 0).sequence;
  engine->generate(a, greedy(-1));
  fake->failures = 1;
  const StepResult result = step(*engine, {a, 27, 1}, 5);
  CHECK((result.response == Tokens{a, static_cast<std::int32_t>(StepStatus::failed), 0, 0, 0, 0}));
  CHECK_THAT(result.summary.failure == "forward pass: forward failed on request", result.summary.failure);
  engine->checkInvariants();
  CHECK_ERROR("invalid_argument", step(*engine, {a, 27, 1}));
  engine->generate(a, greedy(-1));
  const StepResult again = step(*engine, {a, 27, 1}, 5);
  CHECK(again.response[5] == 5 && again.summary.failure.empty());
  engine->close(a);
  engine->clearCache();
  CHECK(engine->stats().freePages == engine->stats().totalPages);
}

TEST("requests that do not fit are refused before anything is computed") {
  const auto engine = makeEngine({.maxRows = 16, .fake = true});
  const std::int32_t a = engine->open(prompt(1), 0).sequence;
  const auto refused = [&](const Tokens& words, std::size_t room = 64, std::size_t probabilities = 8) {
    return test::thrownCode([&] { static_cast<void>(engine->prepare(words, {}, room, probabilities)); }) ==
           "invalid_argument";
  };
  CHECK(refused({a, 5}));
  CHECK(refused({a + 1, 5, 0}));
  CHECK(refused({-1, 5, 0}));
  CHECK(refused({a, -1, 0}));
  CHECK(refused({a, 17, 0}));
  CHECK(refused({a, 0, 0}));
  CHECK(refused({a, 5, 2}));
  CHECK(refused({a, 5, 1}));
  CHECK(refused({a, 5, 0, a, 5, 0}));
  CHECK(refused({a, 5, 0}, 5));
  CHECK(refused({a, 5, 0}, 64, 0));
  CHECK(!refused({a, 5, 0}));
  CHECK_ERROR("invalid_argument", engine->generate(a, greedy(0)));
  CHECK_ERROR("invalid_argument", engine->generate(a, greedy(-1, 0)));
  CHECK_ERROR("invalid_argument", engine->generate(a, greedy(-1, 300)));
  CHECK_ERROR("invalid_argument", engine->open(Tokens{vocab}, 0));
  CHECK_ERROR("invalid_argument", engine->open(Tokens{-1}, 0));
  CHECK_ERROR("invalid_argument", engine->open(prompt(1), 256));
  CHECK_ERROR("invalid_argument", engine->removeGrammar(0));
}

TEST("logits of a text are those the model gives, whatever is cached") {
  const auto engine = makeEngine({.maxRows = 8, .fake = true});
  const Tokens tokens = prompt(3, 21);
  static_cast<void>(alone(*engine, tokens, -1, 8));
  const auto all = engine->logits(tokens);
  CHECK(all.size() == tokens.size() * static_cast<std::size_t>(vocab));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto wanted = test::fakeLogits(std::span(tokens).first(i + 1), vocab);
    CHECK(std::equal(wanted.begin(), wanted.end(), all.begin() + static_cast<std::ptrdiff_t>(i) * vocab));
  }
  engine->checkInvariants();
  CHECK(engine->stats().openSequences == 0);
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
