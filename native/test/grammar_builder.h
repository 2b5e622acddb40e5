// Builds grammars for tests: states and edges in any order, closing tokens given, distances computed.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/grammar.h"

namespace foretrace::test {

struct GrammarBuilder {
  struct Edge {
    std::int32_t token = -1;  ///< or -1 and `mask`
    std::int32_t mask = 0;
    std::int32_t next = 0;
    EdgeOperation operation = EdgeOperation::go;
    std::int32_t back = 0;
    std::int32_t limit = 0;
  };
  struct State {
    std::uint8_t flags = 0;
    std::int32_t close = -1;
    std::int32_t distance = 0;
    std::vector<Edge> edges;
  };

  explicit GrammarBuilder(std::int32_t vocabulary) : vocab(vocabulary) {}

  std::int32_t addMask(const std::vector<std::int32_t>& tokens) {
    const auto words = static_cast<std::size_t>((vocab + 31) / 32);
    const std::size_t first = masks.size();
    masks.resize(first + words, 0);
    for (const std::int32_t token : tokens) masks[first + static_cast<std::size_t>(token / 32)] |= 1U << (token % 32);
    return static_cast<std::int32_t>(first / words);
  }

  [[nodiscard]] GrammarData build() const {
    GrammarData data;
    data.vocabSize = vocab;
    data.masks = masks;
    data.edgeStart.push_back(0);
    for (const State& state : states) {
      for (const Edge& edge : state.edges) {
        data.edgeToken.push_back(edge.token);
        data.edgeMask.push_back(edge.mask);
        data.edgeNext.push_back(edge.next);
        data.edgeOperation.push_back(static_cast<std::uint8_t>(edge.operation));
        data.edgeReturn.push_back(edge.back);
        data.edgeLimit.push_back(edge.limit);
      }
      data.edgeStart.push_back(static_cast<std::int32_t>(data.edgeToken.size()));
      data.stateFlags.push_back(state.flags);
      data.stateClose.push_back(state.close);
      data.stateDistance.push_back(state.distance);
    }
    return data;
  }

  std::int32_t vocab;
  std::vector<State> states;
  std::vector<std::uint32_t> masks;
};

/// Tokens of `recordGrammar`.
enum RecordToken : std::int32_t { digit0 = 0, quote = 10, letterA = 11, open_ = 15, close_ = 16, comma = 17, pop_ = 18,
                                  name0 = 20, end_ = 24, recordVocab = 40 };
/// Start states of `recordGrammar`: before a name or the end, before a value, and one that must leave a frame first.
inline constexpr std::int32_t recordStart = 0;
inline constexpr std::int32_t recordValue = 1;
inline constexpr std::int32_t recordLeave = 9;

/// A small language in the manner of the trace language: { name value } end, where a value is digits, a quoted string
/// or a list of values (nested calls), with a limit of six tokens a value.
inline GrammarBuilder recordGrammar() {
  using enum EdgeOperation;
  GrammarBuilder builder(recordVocab);
  const std::int32_t digits = builder.addMask({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const std::int32_t letters = builder.addMask({11, 12, 13, 14});
  const std::int32_t names = builder.addMask({20, 21, 22, 23});
  builder.states.resize(10);
  const auto valueEdges = [&](std::int32_t back) {
    return std::vector<GrammarBuilder::Edge>{{-1, digits, 3, call, back, 6},
                                             {quote, 0, 4, call, back, 6},
                                             {open_, 0, 6, call, back, 12}};
  };
  builder.states[0] = {0, end_, 1, {{-1, names, 1}, {end_, 0, 2}}};           // before a name, or the end
  builder.states[1] = {0, digit0, 2, valueEdges(0)};                          // before a value
  builder.states[2] = {2, -1, 0, {}};                                         // accept
  builder.states[3] = {1, -1, 0, {{-1, digits, 3}}};                          // in digits
  builder.states[4] = {0, quote, 1, {{-1, letters, 4}, {quote, 0, 5}}};       // in a string
  builder.states[5] = {1, -1, 0, {}};                                         // after a string or list
  builder.states[6] = {0, close_, 1, valueEdges(7)};                          // in a list, before an item
  builder.states[6].edges.push_back({close_, 0, 5});
  builder.states[7] = {0, close_, 1, {{comma, 0, 8}, {close_, 0, 5}}};        // in a list, after an item
  builder.states[8] = {0, digit0, 2, valueEdges(7)};                          // in a list, after a comma
  builder.states[9] = {0, pop_, 1, {{pop_, 0, 0, leave}}};                    // must leave a frame
  return builder;
}

}  // namespace foretrace::test
