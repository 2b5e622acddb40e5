// Random operations on an engine over the fake model: after each of them every invariant holds, and every token is the
// one an oracle without pages, cache or batches would have given.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "check.h"
#include "engine/engine.h"
#include "fake_backend.h"
#include "grammar_builder.h"

using namespace foretrace;

namespace {

using Tokens = std::vector<std::int32_t>;

constexpr std::int32_t vocab = test::recordVocab;

/// What the oracle knows of one sequence.
struct Model {
  Tokens tokens;
  std::int32_t computed = 0;
  bool generating = false;
  bool started = false;
  std::int32_t budget = 0;  ///< tokens left in the generation
  Sampling sampling;
  std::unique_ptr<GrammarCursor> cursor;
};

struct Counts {
  long operations = 0, steps = 0, tokens = 0, finished = 0, outOfPages = 0, failed = 0, refused = 0, cached = 0, restored = 0,
       dropped = 0, drafted = 0, accepted = 0;
};

class Fuzz {
 public:
  explicit Fuzz(std::uint64_t seed) : random_(seed) {
    const std::int32_t pages = 12 + pick(40);
    const std::int32_t pageTokens = 4 << pick(2);
    const std::int32_t hostPages = pick(4) == 0 ? 0 : 1 + pick(pick(2) == 0 ? 30 : 400);
    auto backend = std::make_unique<test::FakeBackend>(vocab, pages, pageTokens, hostPages);
    backend_ = backend.get();
    const EngineConfig config{.vocab = vocab, .maxContext = 120, .pages = pages, .pageTokens = pageTokens,
                              .maxRows = 8 + pick(60), .maxSequences = 10, .hostPages = hostPages,
                              .reusePrefixes = pick(8) != 0,
                              .drafts = pick(4) == 0 ? DraftMode::off : DraftMode::always};
    engine_ = std::make_unique<Engine>(config, EngineInfo{}, std::move(backend));
    grammar_ = std::make_shared<const Grammar>(test::recordGrammar().build(), vocab);
    grammarId_ = engine_->addGrammar(test::recordGrammar().build());
  }

  /// One random operation, then all checks.
  void once() {
    ++counts.operations;
    copyFailing_ = false;
    switch (pick(12)) {
      case 0: case 1: open(); break;
      case 2: fork(); break;
      case 3: append(); break;
      case 4: truncate(); break;
      case 5: close(); break;
      case 6: case 7: generate(); break;
      case 8: if (pick(40) == 0) engine_->clearCache(); break;
      default: step(); break;
    }
    engine_->checkInvariants();
    for (const auto& [id, model] : models_) {
      const auto tokens = engine_->tokens(id);
      CHECK(std::equal(tokens.begin(), tokens.end(), model.tokens.begin(), model.tokens.end()));
    }
  }

  void finish() {
    while (!models_.empty()) closeSequence(models_.begin()->first);
    engine_->checkInvariants();
    CHECK(engine_->stats().usedPages == 0 && engine_->stats().openSequences == 0);
    counts.restored = engine_->stats().restoredPages;
    counts.dropped = engine_->stats().droppedPages;
    engine_->clearCache();
    CHECK(engine_->stats().freePages == engine_->stats().totalPages && engine_->stats().usedHostPages == 0);
  }

  Counts counts;

 private:
  std::int32_t pick(std::int32_t below) { return static_cast<std::int32_t>(random_() % static_cast<std::uint64_t>(below)); }

  /// Few distinct tokens and few distinct beginnings, so that prefixes are often shared.
  Tokens text(std::int32_t length) {
    Tokens tokens;
    const std::int32_t family = pick(3);
    for (std::int32_t i = 0; i < length; ++i) tokens.push_back(pick(12) == 0 ? pick(vocab) : (i * 7 + family) % vocab);
    return tokens;
  }

  std::int32_t anySequence() {
    if (models_.empty()) return -1;
    auto entry = models_.begin();
    std::advance(entry, pick(static_cast<std::int32_t>(models_.size())));
    return entry->first;
  }

  /// Runs an operation that may be refused for want of pages or slots; false if it was.
  template <typename Action>
  bool allowed(Action action) {
    const std::string code = test::thrownCode(action);
    if (code == "nothing") return true;
    CHECK_THAT(code == "out_of_pages" || code == "invalid_argument" || (code == "internal" && copyFailing_), code);
    ++counts.refused;
    return false;
  }

  /// Sometimes makes the next page copy fail. What the failure does to the tokens computed is read back.
  void maybeFailCopy() {
    copyFailing_ = pick(60) == 0;
    backend_->copyFailures = copyFailing_ ? 1 : 0;
  }

  void open() {
    const Tokens tokens = text(1 + pick(50));
    Engine::Opened opened;
    maybeFailCopy();
    const bool done = allowed([&] { opened = engine_->open(tokens, pick(20)); });
    backend_->copyFailures = 0;
    if (!done) return;
    CHECK(!models_.contains(opened.sequence));
    CHECK(opened.cachedTokens < static_cast<std::int32_t>(tokens.size()));
    counts.cached += opened.cachedTokens;
    Model& model = models_[opened.sequence];
    model.tokens = tokens;
    model.computed = opened.cachedTokens;
  }

  void fork() {
    const std::int32_t parent = anySequence();
    if (parent < 0) return;
    const Model& source = models_[parent];
    const std::int32_t length = pick(source.computed + 2);
    std::int32_t child = -1;
    const bool done = allowed([&] { child = engine_->fork(parent, length, pick(2) * pick(20)); });
    CHECK(done ? length >= 1 && length <= source.computed : true);
    if (!done) return;
    Model copy;
    copy.tokens.assign(source.tokens.begin(), source.tokens.begin() + length);
    copy.computed = length;
    models_[child] = std::move(copy);
  }

  void append() {
    const std::int32_t id = anySequence();
    if (id < 0) return;
    Model& model = models_[id];
    const Tokens tokens = text(pick(12));
    if (!allowed([&] { engine_->append(id, tokens, pick(10)); })) return;
    CHECK(!model.started);
    model.tokens.insert(model.tokens.end(), tokens.begin(), tokens.end());
  }

  void truncate() {
    const std::int32_t id = anySequence();
    if (id < 0) return;
    Model& model = models_[id];
    const std::int32_t length = pick(static_cast<std::int32_t>(model.tokens.size()) + 1);
    engine_->truncate(id, length);
    model.tokens.resize(static_cast<std::size_t>(length));
    model.computed = std::min(model.computed, length);
    stop(model);
    resync(id, model, true);
  }

  void close() {
    const std::int32_t id = anySequence();
    if (id >= 0) closeSequence(id);
  }

  void closeSequence(std::int32_t id) {
    engine_->close(id);
    models_.erase(id);
  }

  static void stop(Model& model) {
    model.generating = model.started = false;
    model.cursor.reset();
  }

  void generate() {
    const std::int32_t id = anySequence();
    if (id < 0) return;
    Model& model = models_[id];
    GenerationOptions options;
    options.grammar = pick(3) == 0 ? -1 : grammarId_;
    options.state = pick(2) == 0 ? test::recordStart : test::recordLeave;
    options.frames = {test::recordStart, test::recordLeave};
    options.temperature = pick(2) * 0.8;
    options.topP = pick(2) == 0 ? 1.0 : 0.9;
    options.seed = pick(1000);
    options.maxNewTokens = 1 + pick(40);
    if (!allowed([&] { engine_->generate(id, options); })) return;
    const bool wasStarted = model.started;
    stop(model);
    if (wasStarted) resync(id, model, true);
    model.generating = true;
    model.budget = options.maxNewTokens;
    model.sampling = {options.temperature, options.topP, static_cast<std::uint64_t>(options.seed)};
    if (options.grammar != -1) {
      model.cursor = std::make_unique<GrammarCursor>(grammar_, options.state, options.frames, options.maxNewTokens);
    }
  }

  Tokens request() {
    Tokens words;
    for (const auto& [id, model] : models_) {
      const auto known = static_cast<std::int32_t>(model.tokens.size());
      const std::int32_t left = known - model.computed;
      if (pick(4) == 0) continue;
      if (model.started) {
        words.insert(words.end(), {id, 0, pick(2)});
        continue;
      }
      const std::int32_t most = std::min(left, engine_->config().maxRows);
      const std::int32_t count = pick(3) == 0 ? pick(most + 1) : most;
      const bool all = model.generating && count == left;
      if (count > 0 || all) words.insert(words.end(), {id, count, all ? 1 : 0});
    }
    return words;
  }

  void step() {
    const Tokens words = request();
    const StepOptions options{.maxIterations = 1 + pick(6), .deadlineMicros = 0, .returnOnFinish = pick(2) == 0};
    backend_->failures = pick(25) == 0 ? 1 : 0;
    copyFailing_ = pick(60) == 0;
    backend_->copyFailures = copyFailing_ ? 1 : 0;
    const std::size_t blocks = words.size() / StepBlock::words;
    const std::size_t room = blocks * (1 + static_cast<std::size_t>(pick(20)));
    const auto checked = engine_->prepare(words, options, blocks * responseHeaderWords + room * responseTokenWords, room);
    const StepResult result = engine_->run(checked);
    backend_->failures = backend_->copyFailures = 0;
    ++counts.steps;
    CHECK(result.response.size() <= checked.responseWords && result.logProbabilities.size() <= room);
    read(words, result);
  }

  void read(const Tokens& words, const StepResult& result) {
    std::size_t at = 0;
    std::size_t written = 0;
    for (std::size_t block = 0; block < words.size(); block += StepBlock::words) {
      const std::int32_t id = result.response[at];
      const auto status = static_cast<StepStatus>(result.response[at + 1]);
      const std::int32_t count = result.response[at + responseHeaderWords - 1];
      CHECK(id == words[block]);
      Model& model = models_[id];
      if ((words[block + 2] & StepBlock::generates) != 0) model.started = true;
      model.computed += result.response[at + 2];
      counts.drafted += result.response[at + 3];
      counts.accepted += result.response[at + 4];
      at += responseHeaderWords;
      for (std::int32_t i = 0; i < count; ++i, at += responseTokenWords) {
        const bool last = i + 1 == count;
        expect(model, result.response[at], (result.response[at + 1] & tokenForced) != 0,
               result.logProbabilities[written++], last && status == StepStatus::finished);
      }
      settle(id, model, status, count > 0, model.started);
    }
    CHECK(at == result.response.size() && written == result.logProbabilities.size());
  }

  /// The token the oracle gives next, and whether the response agrees.
  void expect(Model& model, std::int32_t token, bool forced, float logProbability, bool finishes) {
    ++counts.tokens;
    std::vector<std::uint32_t> mask;
    std::int32_t legal = vocab;
    if (model.cursor) {
      mask.resize(grammar_->words());
      legal = model.cursor->legalMask(mask);
    }
    const Sample wanted = sampler_.sample(test::fakeLogits(model.tokens, vocab), mask, model.sampling, model.tokens.size());
    CHECK(wanted.token == token && forced == (legal == 1) && wanted.logProbability == logProbability);
    if (model.cursor) {
      CHECK(model.cursor->accept(token));
      CHECK(model.cursor->accepted() == finishes);
    }
    model.tokens.push_back(token);
    --model.budget;
  }

  void settle(std::int32_t id, Model& model, StepStatus status, bool wrote, bool generated) {
    if (status == StepStatus::finished) ++counts.finished;
    if (status == StepStatus::outOfPages) ++counts.outOfPages;
    if (status == StepStatus::failed) ++counts.failed;
    if (status == StepStatus::length) CHECK(!model.cursor && model.budget == 0 && wrote);
    CHECK(status != StepStatus::stopped);
    const bool goesOn = status == StepStatus::running || status == StepStatus::outOfPages;
    if (!goesOn) stop(model);
    if (model.started) CHECK(model.budget > 0);
    resync(id, model, generated || copyFailing_);
  }

  /// The response counts rows, also one computed anew for its logits, and does not tell when a page copy failed.
  /// Only then (`mayBeLess`) may less be computed than told.
  void resync(std::int32_t id, Model& model, bool mayBeLess) {
    const std::int32_t actual = engine_->computed(id);
    const std::int32_t told = std::min(model.computed, static_cast<std::int32_t>(model.tokens.size()));
    CHECK(mayBeLess ? actual <= told : actual == told);
    model.computed = actual;
  }

  std::mt19937_64 random_;
  test::FakeBackend* backend_ = nullptr;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<const Grammar> grammar_;
  std::int32_t grammarId_ = -1;
  std::map<std::int32_t, Model> models_;
  Sampler sampler_;
  bool copyFailing_ = false;
};

/// FORETRACE_FUZZ_SEED repeats one run.
std::uint64_t firstSeed() {
  const char* text = std::getenv("FORETRACE_FUZZ_SEED");
  return text == nullptr ? 20260101 : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST("100,000 random operations keep every invariant and every token") {
  Counts total;
  for (std::uint64_t round = 0; round < 100; ++round) {
    const std::uint64_t seed = firstSeed() + round;
    Fuzz fuzz(seed);
    for (int i = 0; i < 1000 && !test::registry().failed; ++i) fuzz.once();
    if (!test::registry().failed) fuzz.finish();
    if (test::registry().failed) {
      std::fprintf(stderr, "seed %llu, operation %ld\n", static_cast<unsigned long long>(seed), fuzz.counts.operations);
      return;
    }
    const Counts& counts = fuzz.counts;
    total.operations += counts.operations;
    total.steps += counts.steps;
    total.tokens += counts.tokens;
    total.finished += counts.finished;
    total.outOfPages += counts.outOfPages;
    total.failed += counts.failed;
    total.refused += counts.refused;
    total.cached += counts.cached;
    total.restored += counts.restored;
    total.dropped += counts.dropped;
    total.drafted += counts.drafted;
    total.accepted += counts.accepted;
  }
  std::printf("seeds %llu..+99: %ld operations, %ld steps, %ld tokens, %ld finished, %ld out of pages, %ld failed, "
              "%ld refused, %ld tokens cached, %ld pages restored, %ld dropped, %ld drafted, %ld accepted\n",
              static_cast<unsigned long long>(firstSeed()), total.operations, total.steps, total.tokens, total.finished,
              total.outOfPages, total.failed, total.refused, total.cached, total.restored, total.dropped, total.drafted,
              total.accepted);
  // The run must have met what it is meant to test.
  CHECK(total.operations == 100000 && total.tokens > 10000 && total.finished > 500 && total.cached > 10000);
  CHECK(total.restored > 300 && total.dropped > 500);
  CHECK(total.outOfPages > 20 && total.failed > 100 && total.refused > 1000);
  CHECK(total.accepted > 1000 && total.drafted > total.accepted);
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
