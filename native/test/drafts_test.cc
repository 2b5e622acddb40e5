// Drafting changes nothing but speed: tokens and log-probabilities bit for bit, on every instruction set and number
// format of this machine; and it leaves no trace in the pool.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "draft_runs.h"
#include "engine/engine.h"
#include "fake_backend.h"
#include "forward_runs.h"
#include "grammar_builder.h"

using namespace foretrace;

namespace {

using namespace test::draft_runs;

const LoadedModel& model() {
  static const LoadedModel loaded = test::strongModel(test::smallConfig(4, 2, 16, 64, 160, vocab, true));
  return loaded;
}

EngineConfig configuration(DraftMode drafts, std::int32_t pages = 256) {
  return {.vocab = vocab, .maxContext = 256, .pages = pages, .pageTokens = pageTokens, .maxRows = 256,
          .maxSequences = 32, .drafts = drafts};
}

std::unique_ptr<Engine> makeEngine(const test::Mode& mode, std::int32_t threads, DraftMode drafts) {
  const EngineConfig config = configuration(drafts);
  const PoolConfig pool{.pages = config.pages, .pageTokens = pageTokens, .maxRows = config.maxRows, .maxLogitRows = 0};
  auto engine = std::make_unique<Engine>(config, EngineInfo{},
                                         test::makeBackend(model(), mode.isa, threads, pool, mode.dtype));
  static_cast<void>(engine->addGrammar(test::recordGrammar().build()));
  return engine;
}

std::unique_ptr<Engine> fakeEngine(DraftMode drafts, std::int32_t pages = 256, test::FakeBackend** fake = nullptr) {
  auto backend = std::make_unique<test::FakeBackend>(vocab, pages, pageTokens);
  if (fake != nullptr) *fake = backend.get();
  auto engine = std::make_unique<Engine>(configuration(drafts, pages), EngineInfo{}, std::move(backend));
  static_cast<void>(engine->addGrammar(test::recordGrammar().build()));
  return engine;
}

/// One by one, then together, twice: at first nothing is known, then every question has been asked before.
void compare(Engine& engine, const std::vector<Answer>& wanted, bool shared, const GenerationOptions& asked,
             Counts& counts, const std::string& name) {
  for (int round = 0; round < 2; ++round) {
    for (const std::int32_t number : {0, 5}) {
      const auto alone = ask(engine, {number}, shared, asked, counts);
      CHECK_THAT(alone[0] == wanted[static_cast<std::size_t>(number)], name + ", alone");
    }
    CHECK_THAT(ask(engine, everyone, shared, asked, counts) == wanted, name + ", together");
  }
}

std::string nameOf(DraftMode drafts) {
  return drafts == DraftMode::off ? "off" : drafts == DraftMode::always ? "always" : "automatic";
}

}  // namespace

TEST("answers are bit-identical with and without drafts, on everything this machine has") {
  for (const test::Mode& mode : test::modes()) {
    const auto reference = makeEngine(mode, 1, DraftMode::off);
    for (const DraftMode drafts : {DraftMode::off, DraftMode::always, DraftMode::automatic}) {
      for (const std::int32_t threads : {1, 2}) {
        const auto engine = makeEngine(mode, threads, drafts);
        Counts counts;
        for (const bool shared : {true, false}) {
          for (const double temperature : {0.0, 1.2}) {
            for (const std::int32_t grammar : {0, -1}) {
              const GenerationOptions asked = options(grammar, temperature);
              Counts none;
              std::vector<Answer> wanted;
              for (const std::int32_t number : everyone) {
                wanted.push_back(ask(*reference, {number}, shared, asked, none)[0]);
              }
              CHECK(none.drafted == 0);
              compare(*engine, wanted, shared, asked, counts,
                      mode.name() + ", threads " + std::to_string(threads) + ", drafts " + nameOf(drafts) +
                          (shared ? ", shared" : ", separate") + ", temperature " + std::to_string(temperature) +
                          ", grammar " + std::to_string(grammar));
            }
          }
        }
        if (drafts == DraftMode::off) CHECK(counts.drafted == 0);
        // The comparison is worth something only if guesses came true and others did not.
        if (drafts == DraftMode::always) {
          CHECK_THAT(counts.accepted > 200 && counts.accepted < counts.drafted, std::to_string(counts.accepted));
        }
      }
    }
  }
}

TEST("drafts that reach over the chunks of attention change no bit") {
  // Prompts that end just before, at and behind the end of a chunk of 64 positions, so that drafts lie on both sides of it.
  for (const test::Mode& mode : test::modes()) {
    const auto reference = makeEngine(mode, 1, DraftMode::off);
    const auto engine = makeEngine(mode, 2, DraftMode::always);
    const GenerationOptions asked = options(0, 0);
    Counts counts;
    for (const std::int32_t length : {57, 60, 63, 64, 65, 121, 126}) {
      const auto answerOf = [&](Engine& by) {
        Tokens tokens;
        for (std::int32_t i = 0; i < length; ++i) tokens.push_back((i * 5 + length % 3) % vocab);
        const std::int32_t sequence = by.open(tokens, 0).sequence;
        by.generate(sequence, asked);
        std::vector<Answer> answers(1);
        const std::int32_t rows = length - by.computed(sequence);
        read(by.run(by.prepare(Tokens{sequence, rows, 1}, {.maxIterations = 60}, 8192, 4096)), {sequence}, answers, counts);
        by.close(sequence);
        return answers[0];
      };
      const Answer wanted = answerOf(*reference);
      CHECK(wanted.status == StepStatus::finished);
      for (int round = 0; round < 2; ++round) {
        CHECK_THAT(answerOf(*engine) == wanted, mode.name() + ", length " + std::to_string(length));
      }
    }
    CHECK_THAT(counts.accepted > 30, std::to_string(counts.accepted));
  }
}

TEST("a backend whose rows depend on the batch is caught by the same comparison") {
  test::FakeBackend* fake = nullptr;
  const auto reference = fakeEngine(DraftMode::off);
  const auto engine = fakeEngine(DraftMode::always, 256, &fake);
  const GenerationOptions asked = options(-1, 0);
  Counts counts;
  const auto wanted = ask(*reference, everyone, true, asked, counts);
  static_cast<void>(ask(*engine, everyone, true, asked, counts));
  CHECK(ask(*engine, everyone, true, asked, counts) == wanted);
  fake->dependsOnBatch = true;
  CHECK(ask(*engine, everyone, true, asked, counts) != wanted);
}

TEST("a question that was asked before is answered in fewer passes") {
  test::FakeBackend* fake = nullptr;
  const auto engine = fakeEngine(DraftMode::always, 256, &fake);
  const GenerationOptions asked = options(0, 0);
  Counts counts;
  const auto first = ask(*engine, {1}, true, asked, counts);
  const long cold = fake->passes;
  const auto second = ask(*engine, {1}, true, asked, counts);
  CHECK(second == first && first[0].tokens.size() > 3);
  CHECK_THAT(fake->passes == cold + 1, std::to_string(fake->passes - cold) + " passes");
  // Without a grammar only a sibling knows: one that is open and ahead.
  const GenerationOptions free = options(-1, 0);
  const std::int32_t ahead = engine->open(prompt(4, true), 0).sequence;
  engine->generate(ahead, free);
  static_cast<void>(engine->run(engine->prepare(Tokens{ahead, 26 - engine->computed(ahead), 1},
                                                {.maxIterations = 40}, 8192, 4096)));
  const long before = fake->passes;
  const auto following = ask(*engine, {4}, true, free, counts);
  CHECK(following[0].tokens.size() == 30 && fake->passes - before <= 3);
  const auto known = engine->tokens(ahead);
  CHECK(std::equal(following[0].tokens.begin(), following[0].tokens.end(), known.begin() + 26));
  engine->close(ahead);
}

TEST("an answer that is expected is verified at once, and whatever is expected changes no bit") {
  test::FakeBackend* fake = nullptr;
  const auto expecting = fakeEngine(DraftMode::always, 256, &fake);
  const auto plain = fakeEngine(DraftMode::off);
  GenerationOptions asked = options(0, 0);
  Counts counts;
  const auto wanted = ask(*plain, {1}, true, asked, counts);
  asked.expected = wanted[0].tokens;
  const Counts before = counts;
  CHECK(ask(*expecting, {1}, true, asked, counts) == wanted && wanted[0].tokens.size() > 3);
  CHECK_THAT(fake->passes == 1, std::to_string(fake->passes) + " passes");
  CHECK(counts.accepted > before.accepted && counts.accepted - before.accepted == counts.drafted - before.drafted);

  for (const test::Mode& mode : test::modes()) {
    const auto reference = makeEngine(mode, 1, DraftMode::off);
    for (const DraftMode drafts : {DraftMode::always, DraftMode::automatic, DraftMode::off}) {
      const auto engine = makeEngine(mode, 2, drafts);
      for (const std::int32_t number : everyone) {
        GenerationOptions like = options(0, number % 2 == 0 ? 0 : 1.2);
        const auto answer = ask(*reference, {number}, true, like, counts);
        const Tokens& tokens = answer[0].tokens;
        Tokens other = tokens;
        other[other.size() / 2] = (other[other.size() / 2] + 1) % vocab;
        Tokens begun(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(tokens.size() / 2));
        Tokens longer = tokens;
        longer.insert(longer.end(), 200, tokens.front());
        for (const Tokens& expected : {tokens, other, begun, longer, Tokens{vocab - 1}, Tokens{}}) {
          like.expected = expected;
          CHECK_THAT(ask(*engine, {number}, true, like, counts) == answer, mode.name() + ", drafts " + nameOf(drafts));
        }
      }
    }
  }
  // Without a grammar it is ignored; what is no token is refused.
  GenerationOptions free = options(-1, 0);
  const auto freely = ask(*plain, {3}, true, free, counts);
  free.expected = freely[0].tokens;
  CHECK(ask(*expecting, {3}, true, free, counts) == freely);
  const std::int32_t sequence = expecting->open(prompt(0, true), 0).sequence;
  for (const std::int32_t token : {-1, vocab}) {
    asked.expected = {token};
    CHECK_ERROR("invalid_argument", expecting->generate(sequence, asked));
  }
  expecting->close(sequence);
}

TEST("rejected drafts give their pages back, and no sequence goes without for a draft's sake") {
  const auto engine = fakeEngine(DraftMode::always);
  const GenerationOptions asked = options(-1, 1.2);
  Counts counts;
  static_cast<void>(ask(*engine, everyone, true, asked, counts));
  const std::int32_t sequence = engine->open(prompt(3, true), 0).sequence;
  engine->generate(sequence, asked);
  std::vector<Answer> answers(1);
  for (std::int32_t rows = 26 - engine->computed(sequence); answers[0].status == StepStatus::running; rows = 0) {
    read(engine->run(engine->prepare(Tokens{sequence, rows, 1}, {}, 8192, 4096)), {sequence}, answers, counts);
    const std::int32_t computed = engine->computed(sequence);
    CHECK(engine->stats().usedPages == (computed + pageTokens - 1) / pageTokens);
    engine->checkInvariants();
  }
  engine->close(sequence);
  // Three pages hold a prompt; each of the others keeps to its reservation while one wants to draft.
  for (const std::int32_t pages : {13, 14, 15, 16, 20}) {
    const auto tight = fakeEngine(DraftMode::always, pages);
    const auto plain = fakeEngine(DraftMode::off, pages);
    Counts none;
    for (int round = 0; round < 3; ++round) {
      const auto wanted = ask(*plain, {0, 4}, false, options(0, 0), none, 1);
      CHECK(ask(*tight, {0, 4}, false, options(0, 0), counts, 1) == wanted);
    }
  }
}

TEST("cancelled and forked generations leave drafts behind cleanly") {
  const auto engine = fakeEngine(DraftMode::always);
  const auto plain = fakeEngine(DraftMode::off);
  const GenerationOptions asked = options(-1, 0);
  Counts counts;
  const auto wanted = ask(*plain, {6}, true, asked, counts)[0];
  static_cast<void>(ask(*engine, everyone, true, asked, counts));
  const std::int32_t parent = engine->open(prompt(6, true), 0).sequence;
  engine->generate(parent, asked);
  static_cast<void>(engine->run(engine->prepare(Tokens{parent, 26 - engine->computed(parent), 1}, {}, 8192, 4096)));
  const std::int32_t computed = engine->computed(parent);
  const std::int32_t child = engine->fork(parent, std::min(computed, 27), 0);
  engine->truncate(parent, 26);
  engine->checkInvariants();
  for (const std::int32_t sequence : {parent, child}) {
    engine->truncate(sequence, 26);
    engine->generate(sequence, asked);
    std::vector<Answer> answers(1);
    const std::int32_t rows = 26 - engine->computed(sequence);
    read(engine->run(engine->prepare(Tokens{sequence, rows, 1}, {.maxIterations = 50}, 8192, 4096)), {sequence},
         answers, counts);
    CHECK(answers[0] == wanted);
    engine->close(sequence);
  }
  engine->clearCache();
  CHECK(engine->stats().freePages == engine->stats().totalPages);
}

TEST("a small response ring holds drafts back, not tokens") {
  const auto engine = fakeEngine(DraftMode::always);
  const auto plain = fakeEngine(DraftMode::off);
  const GenerationOptions asked = options(0, 0);
  Counts counts;
  const auto wanted = ask(*plain, {2}, true, asked, counts)[0];
  static_cast<void>(ask(*engine, {2}, true, asked, counts));
  for (const std::size_t room : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    const std::int32_t sequence = engine->open(prompt(2, true), 0).sequence;
    engine->generate(sequence, asked);
    std::vector<Answer> answers(1);
    for (std::int32_t rows = 26 - engine->computed(sequence); answers[0].status == StepStatus::running; rows = 0) {
      const std::size_t before = answers[0].tokens.size();
      read(engine->run(engine->prepare(Tokens{sequence, rows, 1}, {.maxIterations = 9},
                                       responseHeaderWords + room * responseTokenWords, room)),
           {sequence}, answers, counts);
      CHECK(answers[0].tokens.size() > before && answers[0].tokens.size() <= before + room);
    }
    CHECK(answers[0] == wanted);
    engine->close(sequence);
  }
}

TEST("of past answers the one counts whose question begins most like the present one") {
  AnswerMemory memory(64);
  const auto asked = [](std::uint64_t kind, const Tokens& tokens) {
    DraftQuestion question;
    question.set(kind, tokens);
    return question;
  };
  Tokens longer(200, 1);
  for (std::size_t i = 0; i < longer.size(); ++i) longer[i] = static_cast<std::int32_t>(i);
  Tokens other = longer;
  other[150] = 7;
  CHECK(asked(1, longer).commonTokens(asked(1, longer)) == 200);
  CHECK(asked(1, longer).commonTokens(asked(1, other)) == 150);
  CHECK(asked(1, longer).commonTokens(asked(1, {0, 1, 2, 9})) == 0);  // hashes do not reach back as far
  CHECK(asked(1, {5, 6, 7}).commonTokens(asked(1, {5, 6, 8, 9})) == 2);
  CHECK(asked(1, {}).commonTokens(asked(1, {5})) == 0);

  const std::vector<std::uint8_t> outside(8, 0);
  memory.remember(asked(1, {1, 2, 3, 4}), Tokens{10}, outside);
  memory.remember(asked(1, {1, 2, 8, 8}), Tokens{11}, outside);
  memory.remember(asked(2, {1, 2, 3, 5}), Tokens{12}, outside);
  const auto found = [&](std::uint64_t kind, const Tokens& tokens, const Tokens& skeleton = {}) {
    const std::int32_t slot = memory.find(asked(kind, tokens), skeleton);
    return slot == AnswerMemory::none ? -1 : memory.at(slot).tokens[0];
  };
  CHECK(found(1, {1, 2, 3, 9}) == 10);
  CHECK(found(1, {1, 2, 9, 9}) == 11);  // equally like both: the latest
  CHECK(found(1, {1, 2, 8, 9}, {10}) == 10);
  CHECK(found(1, {1, 2, 8, 9}, {12}) == -1);
  CHECK(found(3, {1, 2, 3, 4}) == -1);
  // The same skeleton to a like question takes the place of the first, another one stands beside it.
  const std::vector<std::uint8_t> value{0, 1, 0};
  memory.remember(asked(4, {1}), Tokens{20, 5, 21}, value);
  memory.remember(asked(4, {1}), Tokens{20, 6, 21}, value);
  CHECK(memory.at(memory.find(asked(4, {1}))).tokens[1] == 6);
  std::int32_t held = 0;
  for (std::int32_t slot = 0; slot < 64; ++slot) held += memory.at(slot).lastUse != 0 && memory.at(slot).question.key == 4;
  CHECK(held == 1);
}

TEST("the cost of a pass is what it takes when nothing else disturbs it, and drafts pay by it") {
  PassCosts costs;
  const auto micros = [](std::int32_t rows) { return 200.0 + 25.0 * rows; };
  for (int i = 0; i < 400; ++i) {
    for (const std::int32_t rows : {1, 2, 5, 8, 40}) costs.measured(rows, micros(rows) * (i % 3 == 0 ? 4 : 1));
  }
  for (const std::int32_t rows : {1, 2, 5, 8}) {
    const double cost = costs.near(rows).at(rows);
    CHECK_THAT(cost > 0.8 * micros(rows) && cost < 1.25 * micros(rows), std::to_string(cost));
  }
  // Alone a guess must be right in one of seven or so; among many sequences a pass costs each of them little more than its row.
  const double alone = costs.leastProbability(1, {});
  const double among = costs.leastProbability(40, {.rows = 39, .sequences = 39});
  CHECK_THAT(alone > 0.05 && alone < 0.3, std::to_string(alone));
  CHECK_THAT(among > 2 * alone && among <= 1, std::to_string(among));
  // Where a row costs as much as a pass nothing pays.
  PassCosts linear;
  for (int i = 0; i < 100; ++i) {
    for (const std::int32_t rows : {1, 2, 4, 8, 16}) linear.measured(rows, 100.0 * rows);
  }
  CHECK(linear.leastProbability(1, {}) == 1);
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
