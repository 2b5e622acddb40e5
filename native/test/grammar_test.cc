#include "grammar/grammar.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "check.h"
#include "grammar/cursor.h"
#include "grammar_builder.h"

using namespace foretrace;
using test::GrammarBuilder;

namespace {

std::shared_ptr<const Grammar> record() {
  return std::make_shared<const Grammar>(test::recordGrammar().build(), test::recordVocab);
}

std::vector<std::int32_t> legal(const GrammarCursor& cursor) {
  std::vector<std::uint32_t> mask(cursor.grammar().words());
  const std::int32_t count = cursor.legalMask(mask);
  std::vector<std::int32_t> tokens;
  for (std::int32_t token = 0; token < cursor.grammar().vocabSize(); ++token) {
    if ((mask[static_cast<std::size_t>(token / 32)] >> (token % 32)) & 1U) tokens.push_back(token);
  }
  CHECK(static_cast<std::int32_t>(tokens.size()) == count);
  return tokens;
}

bool walk(GrammarCursor& cursor, const std::vector<std::int32_t>& tokens) {
  for (const std::int32_t token : tokens) {
    if (!cursor.accept(token)) return false;
  }
  return true;
}

using Tokens = std::vector<std::int32_t>;

}  // namespace

TEST("a walk along legal tokens ends in acceptance; others are refused") {
  GrammarCursor cursor(record(), test::recordStart, {}, 100);
  CHECK((legal(cursor) == Tokens{20, 21, 22, 23, 24}));
  CHECK(!cursor.accept(3) && !cursor.accept(-1) && !cursor.accept(40) && cursor.remaining() == 100);
  CHECK(walk(cursor, {20, 3, 4}));
  // In digits: more digits, or what follows the value.
  CHECK((legal(cursor) == Tokens{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21, 22, 23, 24}));
  CHECK(walk(cursor, {21, test::open_, 1, test::comma, test::quote, 11, test::quote, test::close_, test::end_}));
  CHECK(cursor.accepted() && legal(cursor).empty() && !cursor.accept(test::end_));
}

TEST("a value that has used up its limit may only close") {
  GrammarCursor cursor(record(), test::recordStart, {}, 100);
  CHECK(walk(cursor, {20, test::quote, 11, 11, 11, 11}));
  CHECK((legal(cursor) == Tokens{10, 11, 12, 13, 14}));
  CHECK(cursor.accept(11));  // the sixth token of the value
  CHECK((legal(cursor) == Tokens{test::quote}));
  CHECK(walk(cursor, {test::quote, 22, 1, 1, 1, 1, 1, 1}));
  CHECK((legal(cursor) == Tokens{20, 21, 22, 23, 24}));
}

TEST("an exhausted outer call closes the calls inside it, too") {
  GrammarCursor cursor(record(), test::recordStart, {}, 100);
  CHECK(walk(cursor, {20, test::open_, 1, 1, 1, test::comma, 1, 1, 1, test::comma, test::quote, 11}));
  CHECK((legal(cursor) == Tokens{10, 11, 12, 13, 14}));
  CHECK(cursor.accept(11));  // the twelfth token of the list
  CHECK((legal(cursor) == Tokens{test::quote}));
  CHECK(cursor.accept(test::quote));
  CHECK((legal(cursor) == Tokens{test::close_}));
  CHECK(cursor.accept(test::close_));
  CHECK((legal(cursor) == Tokens{20, 21, 22, 23, 24}));
}

TEST("the budget leaves only ways that still end") {
  GrammarCursor cursor(record(), test::recordStart, {}, 3);
  CHECK(cursor.distance() == 1);
  CHECK((legal(cursor) == Tokens{20, 21, 22, 23, 24}));  // name, digit, end
  CHECK(cursor.accept(20));
  CHECK(cursor.distance() == 2);
  CHECK((legal(cursor) == Tokens{0}));  // only the closing token, not any digit
  CHECK(walk(cursor, {0}));
  CHECK((legal(cursor) == Tokens{test::end_}));
  CHECK(cursor.accept(test::end_) && cursor.accepted());
  GrammarCursor two(record(), test::recordStart, {}, 2);
  CHECK((legal(two) == Tokens{test::end_}));  // a name would need three
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), test::recordStart, {}, 0));
}

TEST("leaving needs a frame, and its way counts") {
  const std::int32_t frames[] = {test::recordStart, test::recordLeave};
  GrammarCursor cursor(record(), test::recordLeave, frames, 3);
  CHECK(cursor.distance() == 3);
  CHECK((legal(cursor) == Tokens{test::pop_}));
  CHECK(walk(cursor, {test::pop_, test::pop_}));
  CHECK((legal(cursor) == Tokens{test::end_}));
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), test::recordLeave, {}, 10));
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), test::recordLeave, frames, 2));
  const std::int32_t onlyLeave[] = {test::recordLeave};
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), test::recordLeave, onlyLeave, 10));
}

TEST("a closing way that returns to nobody is no way") {
  using enum EdgeOperation;
  GrammarBuilder builder(8);
  builder.states.resize(6);
  builder.states[0] = {0, 1, 1, {{1, 0, 1}}};                                   // leads to a return
  builder.states[1] = {1, -1, 0, {}};                                           // returns
  builder.states[2] = {0, 2, 2, {{2, 0, 1, call, 0, 4}}};                       // calls, and leads to a return again
  builder.states[3] = {0, 4, 1, {{4, 0, 4}, {5, 0, 1, call, 0, 4}, {6, 0, 0, call, 5, 4}, {7, 0, 0}}};
  builder.states[4] = {2, -1, 0, {}};                                           // accepts
  builder.states[5] = {0, 4, 1, {{4, 0, 4}}};                                   // leads to acceptance
  const auto grammar = std::make_shared<const Grammar>(builder.build(), 8);
  CHECK_ERROR("invalid_argument", GrammarCursor(grammar, 0, {}, 10));
  CHECK_ERROR("invalid_argument", GrammarCursor(grammar, 2, {}, 10));
  GrammarCursor cursor(grammar, 3, {}, 10);
  CHECK((legal(cursor) == Tokens{4, 6}));
  CHECK(walk(cursor, {6, 1, 4}) && cursor.accepted());
}

TEST("calls nest four deep and no deeper") {
  GrammarCursor cursor(record(), test::recordStart, {}, 100);
  CHECK(walk(cursor, {20, test::open_, test::open_, test::open_, test::open_}));
  CHECK((legal(cursor) == Tokens{test::close_}));
  CHECK(walk(cursor, {test::close_, test::close_, test::close_, test::close_, test::end_}) && cursor.accepted());
}

TEST("start states and frames are checked") {
  const std::int32_t outOfRange[] = {10};
  const std::int32_t accepting[] = {2};
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), -1, {}, 10));
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), 10, {}, 10));
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), 2, {}, 10));
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), 3, {}, 10));  // returnable, but nobody called
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), 0, outOfRange, 10));
  CHECK_ERROR("invalid_argument", GrammarCursor(record(), 0, accepting, 10));
}

TEST("random walks end in acceptance within their budget, whatever it is") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    const auto budget = static_cast<std::int32_t>(3 + random() % 60);
    const std::int32_t frames[] = {test::recordStart, test::recordLeave};
    GrammarCursor cursor(record(), round % 2 == 0 ? test::recordStart : test::recordLeave, frames, budget);
    while (!cursor.accepted()) {
      const auto tokens = legal(cursor);
      if (!CHECK_THAT(!tokens.empty() && cursor.remaining() > 0, "round " + std::to_string(round))) return;
      // A token is accepted exactly if it is legal.
      const auto guess = static_cast<std::int32_t>(random() % test::recordVocab);
      GrammarCursor copy = cursor;
      const bool member = std::find(tokens.begin(), tokens.end(), guess) != tokens.end();
      if (!CHECK_THAT(copy.accept(guess) == member, "round " + std::to_string(round))) return;
      CHECK(cursor.accept(tokens[random() % tokens.size()]));
    }
  }
}

namespace {

/// A grammar of random states and edges; in each state the edges accept different tokens. Closing tokens and distances
/// are those of the shortest ways; states without one are made to accept.
GrammarBuilder randomGrammar(std::mt19937_64& random) {
  const auto pick = [&](std::size_t below) { return static_cast<std::int32_t>(random() % below); };
  GrammarBuilder builder(32);
  const auto count = static_cast<std::size_t>(3 + pick(8));
  builder.states.resize(count);
  for (GrammarBuilder::State& state : builder.states) {
    state.flags = static_cast<std::uint8_t>(pick(7) == 0 ? 2 : pick(3) == 0 ? 1 : 0);
    if (state.flags == 2) continue;
    for (std::int32_t edges = 1 + pick(3), token = 0; token < edges; ++token) {
      const auto operation = static_cast<EdgeOperation>(pick(8) == 0 ? 2 : pick(3) == 0 ? 1 : 0);
      state.edges.push_back({pick(4) * 4 + token, 0, pick(count), operation, pick(count), 1 + pick(6)});
    }
  }
  constexpr std::int32_t far = 1000;
  for (GrammarBuilder::State& state : builder.states) state.distance = state.flags == 0 ? far : 0;
  for (std::size_t round = 0; round < count * count; ++round) {
    for (GrammarBuilder::State& state : builder.states) {
      if (state.flags != 0) continue;
      for (const GrammarBuilder::Edge& edge : state.edges) {
        std::int32_t way = 1;
        if (edge.operation != EdgeOperation::leave) way += builder.states[static_cast<std::size_t>(edge.next)].distance;
        if (edge.operation == EdgeOperation::call) way += builder.states[static_cast<std::size_t>(edge.back)].distance;
        if (way < state.distance) state.distance = way, state.close = edge.token;
      }
    }
  }
  for (GrammarBuilder::State& state : builder.states) {
    if (state.distance >= far) state = {2, -1, 0, {}};
  }
  return builder;
}

}  // namespace

TEST("walks through random grammars end in acceptance within their budget, or are refused at the start") {
  std::mt19937_64 random(11);
  long walks = 0;
  long forced = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string name = "round " + std::to_string(round);
    const GrammarBuilder builder = randomGrammar(random);
    std::shared_ptr<const Grammar> grammar;
    if (test::thrownCode([&] { grammar = std::make_shared<const Grammar>(builder.build(), 32); }) != "nothing") continue;
    std::vector<std::int32_t> frames;
    for (std::int32_t state = 0; state < grammar->states(); ++state) {
      if (!grammar->accepting(state)) frames.push_back(state);
    }
    for (const std::int32_t start : frames) {
      const auto budget = static_cast<std::int32_t>(1 + random() % 40);
      std::optional<GrammarCursor> cursor;
      const std::string code = test::thrownCode([&] { cursor.emplace(grammar, start, frames, budget); });
      if (!cursor) {
        if (!CHECK_THAT(code == "invalid_argument", name)) return;
        continue;
      }
      for (++walks; !cursor->accepted();) {
        const auto tokens = legal(*cursor);
        if (!CHECK_THAT(!tokens.empty() && cursor->distance() <= cursor->remaining(), name)) return;
        forced += tokens.size() == 1 ? 1 : 0;
        if (!CHECK_THAT(cursor->accept(tokens[random() % tokens.size()]), name)) return;
      }
    }
  }
  // The run must have met what it is meant to test.
  CHECK_THAT(walks > 1000 && forced > 1000, std::to_string(walks) + " walks, " + std::to_string(forced) + " forced");
}

TEST("broken grammars are refused when they are registered") {
  const auto refused = [](auto change) {
    GrammarData data = test::recordGrammar().build();
    change(data);
    return test::thrownCode([&] { Grammar(std::move(data), test::recordVocab); });
  };
  const std::string code = "invalid_argument";
  CHECK(refused([](GrammarData&) {}) == "nothing");
  CHECK(refused([](GrammarData& d) { d.vocabSize = 41; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeToken.pop_back(); }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeReturn.push_back(0); }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeStart[3] = 1000; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeStart[0] = 1; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeStart[2] = d.edgeStart[1] - 1; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeToken[1] = 40; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeToken[1] = -2; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeMask[0] = 3; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeNext[0] = 10; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeNext[0] = -1; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeOperation[0] = 3; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeReturn[2] = 99; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeReturn[2] = 2; }) == code);
  CHECK(refused([](GrammarData& d) { d.edgeLimit[2] = 0; }) == code);
  CHECK(refused([](GrammarData& d) { d.stateFlags[0] = 3; }) == code);
  CHECK(refused([](GrammarData& d) { d.stateFlags[0] = 2; }) == code);
  CHECK(refused([](GrammarData& d) { d.stateFlags[5] = 0; }) == code);
  CHECK(refused([](GrammarData& d) { d.stateClose[0] = 3; }) == code);
  CHECK(refused([](GrammarData& d) { d.stateClose[0] = -1; }) == code);
  CHECK(refused([](GrammarData& d) { d.stateDistance[1] = 3; }) == code);
  CHECK(refused([](GrammarData& d) { d.stateDistance[0] = 0; }) == code);
  CHECK(refused([](GrammarData& d) { d.stateDistance[2] = 1; }) == code);
  CHECK(refused([](GrammarData& d) { d.masks.push_back(0); }) == code);
  CHECK(refused([](GrammarData& d) { d.masks[1] |= 1U << 31; }) == code);
  CHECK(refused([](GrammarData& d) { d = GrammarData{}; }) == code);
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
