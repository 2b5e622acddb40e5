#include "grammar/cursor.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "core/error.h"

namespace foretrace {

namespace {

void checkState(const char* what, std::int32_t state, const Grammar& grammar) {
  if (state >= 0 && state < grammar.states() && !grammar.accepting(state)) return;
  throw Error(ErrorCode::invalid_argument, what,
              "a state from 0 to " + std::to_string(grammar.states() - 1) + " that does not accept",
              std::to_string(state));
}

}  // namespace

GrammarCursor::GrammarCursor(std::shared_ptr<const Grammar> grammar, std::int32_t state,
                             std::span<const std::int32_t> frames, std::int32_t budget)
    : grammar_(std::move(grammar)), frames_(frames.begin(), frames.end()), remaining_(budget) {
  checkState("start state", state, *grammar_);
  if (frames.size() > maxFrames) {
    throw Error(ErrorCode::invalid_argument, "frames", "at most " + std::to_string(maxFrames),
                std::to_string(frames.size()));
  }
  for (const std::int32_t frame : frames_) checkState("state on the frame stack", frame, *grammar_);
  now_.state = state;
  now_.frames = static_cast<std::int32_t>(frames_.size());
  const std::int64_t needed = distance();
  if (needed > budget) {
    throw Error(ErrorCode::invalid_argument, "maxNewTokens",
                needed >= unreachable ? "a start state from which acceptance can be reached"
                                      : "at least " + std::to_string(needed) + " (the way to acceptance)",
                std::to_string(budget));
  }
}

std::int64_t GrammarCursor::distance(const Position& position) const {
  if (grammar_->accepting(position.state)) return 0;
  // The distances of the states add up unless the way leaves through the frame stack or needs more calls than may be in
  // progress; then the way is walked.
  std::int32_t state = position.state;
  std::int64_t total = 0;
  for (std::int32_t level = position.depth;; --level) {
    if (grammar_->closesThroughFrames(state) || grammar_->closeCalls(state) > maxDepth - level) return walkDistance(position);
    total += grammar_->distance(state);
    if (!grammar_->closesByReturning(state)) return total;
    if (level == 0) return unreachable;  // it returns to nobody
    state = position.returns[static_cast<std::size_t>(level) - 1];
  }
}

std::int64_t GrammarCursor::walkDistance(Position position) const {
  // Closing distances shrink along goto and call, calls are bounded by maxDepth, and each leave takes a frame.
  for (std::int64_t steps = 0;; ++steps) {
    if (grammar_->accepting(position.state)) return steps;
    while (grammar_->returnable(position.state)) {
      if (position.depth == 0) return unreachable;
      pop(position);
    }
    if (!follow(grammar_->closeEdge(position.state), position)) return unreachable;
  }
}

bool GrammarCursor::follow(std::int32_t edge, Position& position) const {
  switch (grammar_->operation(edge)) {
    case EdgeOperation::go:
      position.state = grammar_->next(edge);
      break;
    case EdgeOperation::call: {
      if (position.depth == maxDepth) return false;
      const auto level = static_cast<std::size_t>(position.depth++);
      position.returns[level] = grammar_->returnState(edge);
      position.limits[level] = grammar_->limit(edge);
      position.state = grammar_->next(edge);
      break;
    }
    case EdgeOperation::leave:
      if (position.frames == 0) return false;
      position.state = frames_[static_cast<std::size_t>(--position.frames)];
      break;
  }
  for (std::int32_t level = 0; level < position.depth; ++level) --position.limits[static_cast<std::size_t>(level)];
  return true;
}

bool GrammarCursor::closing(const Position& position) const {
  for (std::int32_t level = 0; level < position.depth; ++level) {
    if (position.limits[static_cast<std::size_t>(level)] <= 0) return true;
  }
  return remaining_ <= distance(position);
}

template <typename Visit>
bool GrammarCursor::visitEdges(Visit visit) const {
  if (accepted() || remaining_ <= 0) return false;
  Position position = now_;
  for (;;) {
    const bool mustClose = closing(position);
    const bool returns = grammar_->returnable(position.state);
    if (mustClose && !returns) return visit(grammar_->closeEdge(position.state), position, true);
    if (!mustClose) {
      const std::int32_t end = grammar_->endEdge(position.state);
      for (std::int32_t edge = grammar_->firstEdge(position.state); edge < end; ++edge) {
        Position after = position;
        if (!follow(edge, after) || distance(after) > remaining_ - 1) continue;
        if (visit(edge, position, false)) return true;
      }
    }
    if (!returns || position.depth == 0) return false;
    pop(position);
  }
}

std::int32_t GrammarCursor::legalMask(std::span<std::uint32_t> mask) const {
  std::ranges::fill(mask, 0U);
  visitEdges([&](std::int32_t edge, const Position& position, bool closes) {
    if (closes) {
      const auto token = static_cast<std::uint32_t>(grammar_->closeToken(position.state));
      mask[token / 32] |= 1U << (token % 32);
    } else {
      grammar_->addTokens(edge, mask);
    }
    return false;
  });
  std::int32_t count = 0;
  for (const std::uint32_t word : mask) count += std::popcount(word);
  return count;
}

std::int32_t GrammarCursor::onlyLegal() const {
  constexpr std::int32_t none = -1;
  std::int32_t only = none;
  const auto differs = [&](std::int32_t token) {
    if (only == none) only = token;
    return only != token;
  };
  const bool several = visitEdges([&](std::int32_t edge, const Position& position, bool closes) {
    if (closes) return differs(grammar_->closeToken(position.state));
    return grammar_->visitTokens(edge, differs);
  });
  return several ? none : only;
}

GrammarCursor::Mark GrammarCursor::mark() const noexcept {
  Mark mark;
  mark.position = now_;
  mark.remaining = remaining_;
  return mark;
}

void GrammarCursor::restore(const Mark& mark) noexcept {
  now_ = mark.position;
  remaining_ = mark.remaining;
}

bool GrammarCursor::accept(std::int32_t token) {
  if (token < 0 || token >= grammar_->vocabSize()) return false;
  Position after;
  const bool legal = visitEdges([&](std::int32_t edge, const Position& position, bool closes) {
    const bool fits = closes ? grammar_->closeToken(position.state) == token : grammar_->accepts(edge, token);
    if (!fits) return false;
    after = position;
    return follow(edge, after);
  });
  if (!legal) return false;
  now_ = after;
  --remaining_;
  return true;
}

}  // namespace foretrace
