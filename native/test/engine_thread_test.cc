// Steps on the engine's own thread, held inside a forward pass while the owner calls. Meant for ThreadSanitizer, too.
#include <algorithm>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "check.h"
#include "engine/engine.h"
#include "fake_backend.h"
#include "grammar_builder.h"

using namespace foretrace;

namespace {

using Tokens = std::vector<std::int32_t>;
constexpr std::int32_t vocab = test::recordVocab;
const Tokens prompt{1, 2, 3, 4, 5, 6, 7};

/// Holds the engine thread inside a forward pass until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void awaitReached() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reached_; });
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  bool open_ = false;
};

/// An engine over the fake model with one sequence that generates 50 tokens. Each pass goes through the gate.
struct Bench {
  Bench() {
    auto backend = std::make_unique<test::FakeBackend>(vocab, 64, 4);
    backend->onForward = [this] { gate.pass(); };
    const EngineConfig config{.vocab = vocab, .maxContext = 128, .pages = 64, .pageTokens = 4, .maxRows = 32,
                              .maxSequences = 4};
    engine = std::make_unique<Engine>(config, EngineInfo{}, std::move(backend));
    sequence = engine->open(prompt, 0).sequence;
    engine->generate(sequence, options());
  }

  static GenerationOptions options() {
    GenerationOptions options;
    options.maxNewTokens = 50;
    return options;
  }

  [[nodiscard]] StepRequest request(std::int32_t promptTokens) const {
    return engine->prepare(Tokens{sequence, promptTokens, 1}, {.maxIterations = 1000}, 4096, 2048);
  }

  std::future<StepResult> start(StepRequest step) {
    auto result = std::make_shared<std::promise<StepResult>>();
    auto future = result->get_future();
    engine->start(std::move(step), [result](StepResult given, std::optional<Error> failure) {
      if (failure) {
        result->set_exception(std::make_exception_ptr(*failure));
      } else {
        result->set_value(std::move(given));
      }
    });
    return future;
  }

  Gate gate;  ///< outlives the engine thread, which passes through it
  std::unique_ptr<Engine> engine;
  std::int32_t sequence = -1;
};

}  // namespace

TEST("a step in flight refuses every other call, answers stats, and ends after the pass in which it is interrupted") {
  Bench bench;
  Engine& engine = *bench.engine;
  const StepRequest request = bench.request(7);
  auto running = bench.start(request);
  bench.gate.awaitReached();
  const std::int32_t sequence = bench.sequence;
  const char* busy = "engine_busy";
  CHECK(engine.busy());
  CHECK_ERROR(busy, engine.open(prompt, 0));
  CHECK_ERROR(busy, engine.fork(sequence, 1, 0));
  CHECK_ERROR(busy, engine.append(sequence, prompt, 0));
  CHECK_ERROR(busy, engine.truncate(sequence, 1));
  CHECK_ERROR(busy, engine.close(sequence));
  CHECK_ERROR(busy, engine.generate(sequence, Bench::options()));
  CHECK_ERROR(busy, engine.tokens(sequence));
  CHECK_ERROR(busy, engine.computed(sequence));
  CHECK_ERROR(busy, engine.addGrammar(test::recordGrammar().build()));
  CHECK_ERROR(busy, engine.removeGrammar(0));
  CHECK_ERROR(busy, bench.request(7));
  CHECK_ERROR(busy, engine.run(request));
  CHECK_ERROR(busy, engine.start(request, [](StepResult, const std::optional<Error>&) {}));
  CHECK_ERROR(busy, engine.checkInvariants());
  CHECK_ERROR(busy, engine.logits(prompt));
  CHECK_ERROR(busy, engine.clearCache());
  CHECK(engine.stats().openSequences == 1);
  engine.interrupt();
  bench.gate.open();
  const StepResult first = running.get();
  CHECK(first.summary.iterations == 1 && first.summary.rows == 7);
  CHECK(first.response[1] == static_cast<std::int32_t>(StepStatus::running) && first.response[5] == 1);
  CHECK(!engine.busy());
  engine.checkInvariants();

  // The rest, and all of it on the calling thread, give the same tokens.
  const StepResult rest = bench.start(bench.request(0)).get();
  CHECK(rest.response[1] == static_cast<std::int32_t>(StepStatus::length) && rest.response[5] == 49);
  Bench other;
  other.gate.open();
  static_cast<void>(other.engine->run(other.request(7)));
  const auto wanted = other.engine->tokens(other.sequence);
  const auto found = engine.tokens(sequence);
  CHECK(found.size() == prompt.size() + 50 && std::equal(found.begin(), found.end(), wanted.begin(), wanted.end()));
}

TEST("an engine that is shut down during a step lets the pass end, tells its callback, and refuses everything after") {
  Bench bench;
  auto running = bench.start(bench.request(7));
  bench.gate.awaitReached();
  bench.engine->refuseWork();
  CHECK_ERROR("engine_closed", bench.engine->open(prompt, 0));
  CHECK_ERROR("engine_closed", bench.engine->stats());
  bench.gate.open();
  bench.engine->shutDown();
  CHECK(running.get().summary.iterations == 1);
  CHECK_ERROR("engine_closed", bench.engine->checkInvariants());
  bench.engine->shutDown();
}

TEST("an engine that is destroyed during a step ends it") {
  std::future<StepResult> running;
  {
    Bench bench;
    running = bench.start(bench.request(7));
    bench.gate.awaitReached();
    bench.gate.open();
  }
  CHECK(running.get().summary.iterations >= 1);
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
