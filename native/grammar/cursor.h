// A position in a grammar: which tokens are legal next, and how to reach the end within a budget.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grammar/grammar.h"

namespace foretrace {

/// Walks one grammar within a budget of tokens. A token is legal if an edge accepts it and the end can still be reached
/// with the tokens left; when no more are left than the closing way needs, or a called sub-automaton has used up its
/// limit, only the closing token is legal. So every walk along legal tokens ends in acceptance within the budget.
class GrammarCursor {
 public:
  /// Most calls in progress at once; a call beyond that is not legal.
  static constexpr std::int32_t maxDepth = 4;
  /// Most frames of the frame stack.
  static constexpr std::size_t maxFrames = 4096;

  /// `frames` is the frame stack, bottom first. Throws `invalid_argument` if a state is out of range, the start
  /// accepts already, or the end is further away than `budget` tokens.
  GrammarCursor(std::shared_ptr<const Grammar> grammar, std::int32_t state, std::span<const std::int32_t> frames,
                std::int32_t budget);

  [[nodiscard]] bool accepted() const { return grammar_->accepting(now_.state); }
  [[nodiscard]] std::int32_t remaining() const noexcept { return remaining_; }
  [[nodiscard]] const Grammar& grammar() const noexcept { return *grammar_; }
  /// Tokens of the closing way from here.
  [[nodiscard]] std::int64_t distance() const { return distance(now_); }

  /// Fills `mask` ([grammar().words()]) with the legal tokens; returns how many there are.
  std::int32_t legalMask(std::span<std::uint32_t> mask) const;
  /// The only legal token, or -1 if there is none or a choice; cheaper than `legalMask` where there is a choice.
  [[nodiscard]] std::int32_t onlyLegal() const;
  /// Takes a token; false (and nothing changes) if it is not legal.
  bool accept(std::int32_t token);

  /// Calls in progress: 0 = outside every sub-automaton.
  [[nodiscard]] std::int32_t depth() const noexcept { return now_.depth; }
  /// True if the innermost call may end here.
  [[nodiscard]] bool returnable() const { return grammar_->returnable(now_.state); }

 private:
  struct Position {
    std::int32_t state = 0;
    std::int32_t depth = 0;   ///< calls in progress
    std::int32_t frames = 0;  ///< frames left
    std::array<std::int32_t, maxDepth> returns{};
    std::array<std::int32_t, maxDepth> limits{};  ///< tokens left to each call, itself and the calls below included
  };

 public:
  /// A position to come back to.
  class Mark {
    friend class GrammarCursor;
    Position position;
    std::int32_t remaining = 0;
  };
  [[nodiscard]] Mark mark() const noexcept;
  /// Goes back to a mark that this cursor made; neither takes nor gives memory.
  void restore(const Mark& mark) noexcept;

 private:
  static constexpr std::int64_t unreachable = INT64_MAX / 4;

  [[nodiscard]] std::int64_t distance(const Position& position) const;
  [[nodiscard]] std::int64_t walkDistance(Position position) const;
  [[nodiscard]] bool closing(const Position& position) const;
  /// Follows an edge; false if it cannot be taken from here.
  bool follow(std::int32_t edge, Position& position) const;
  static void pop(Position& position) { position.state = position.returns[static_cast<std::size_t>(--position.depth)]; }
  /// Calls visit(edge, position, closing) for each edge that may be taken now, until it returns true.
  template <typename Visit>
  bool visitEdges(Visit visit) const;

  std::shared_ptr<const Grammar> grammar_;
  std::vector<std::int32_t> frames_;
  Position now_;
  std::int32_t remaining_ = 0;
};

}  // namespace foretrace
