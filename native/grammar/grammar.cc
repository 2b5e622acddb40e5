#include "grammar/grammar.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.h"

namespace foretrace {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& expected, const std::string& actual) {
  throw Error(ErrorCode::invalid_argument, "grammar: " + what, expected, actual);
}

void checkSize(const char* what, std::size_t actual, std::size_t expected) {
  if (actual != expected) refuse(std::string("length of ") + what, std::to_string(expected), std::to_string(actual));
}

void checkRange(const std::string& what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  refuse(what, std::to_string(low) + " to " + std::to_string(high), std::to_string(value));
}

std::string named(const char* what, std::int32_t number) { return std::string(what) + " " + std::to_string(number); }

}  // namespace

Grammar::Grammar(GrammarData data, std::int32_t vocabSize) : data_(std::move(data)) {
  if (data_.vocabSize != vocabSize || vocabSize < 1) {
    refuse("vocabSize", std::to_string(vocabSize), std::to_string(data_.vocabSize));
  }
  words_ = (static_cast<std::size_t>(vocabSize) + 31) / 32;
  checkSizes();
  checkMasks();
  const auto edges = static_cast<std::int32_t>(data_.edgeToken.size());
  for (std::int32_t edge = 0; edge < edges; ++edge) checkEdge(edge);
  for (std::int32_t state = 0; state < states(); ++state) checkState(state);
  findCloseEdges();
  markFrameClosing();
  for (std::int32_t state = 0; state < states(); ++state) checkDistance(state);
  followCloseEdges();
  computeDigest();
}

void Grammar::computeDigest() {
  digest_ = 0xcbf29ce484222325ULL;
  const auto add = [this](const auto& list) {
    for (const auto value : list) {
      digest_ = (digest_ ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL;
      digest_ ^= digest_ >> 32;
    }
  };
  add(data_.edgeStart);
  add(data_.edgeToken);
  add(data_.edgeMask);
  add(data_.edgeNext);
  add(data_.edgeOperation);
  add(data_.edgeReturn);
  add(data_.stateFlags);
  add(data_.masks);
}

void Grammar::checkSizes() const {
  const std::size_t stateCount = data_.stateFlags.size();
  const std::size_t edgeCount = data_.edgeToken.size();
  if (stateCount == 0 || stateCount > (1U << 24)) refuse("states", "1 to 16777216", std::to_string(stateCount));
  if (edgeCount > (1U << 26)) refuse("edges", "at most 67108864", std::to_string(edgeCount));
  checkSize("edgeStart", data_.edgeStart.size(), stateCount + 1);
  checkSize("stateClose", data_.stateClose.size(), stateCount);
  checkSize("stateDistance", data_.stateDistance.size(), stateCount);
  checkSize("edgeMask", data_.edgeMask.size(), edgeCount);
  checkSize("edgeNext", data_.edgeNext.size(), edgeCount);
  checkSize("edgeOperation", data_.edgeOperation.size(), edgeCount);
  checkSize("edgeReturn", data_.edgeReturn.size(), edgeCount);
  checkSize("edgeLimit", data_.edgeLimit.size(), edgeCount);
  if (data_.masks.size() % words_ != 0) {
    refuse("length of masks", "a multiple of " + std::to_string(words_), std::to_string(data_.masks.size()));
  }
  checkRange("edgeStart[0]", data_.edgeStart[0], 0, 0);
  checkRange("the last edgeStart", data_.edgeStart[stateCount], static_cast<std::int64_t>(edgeCount),
             static_cast<std::int64_t>(edgeCount));
  for (std::size_t state = 0; state < stateCount; ++state) {
    checkRange("edgeStart of state " + std::to_string(state + 1), data_.edgeStart[state + 1], data_.edgeStart[state],
               static_cast<std::int64_t>(edgeCount));
  }
}

void Grammar::checkMasks() const {
  const auto tail = static_cast<std::uint32_t>(data_.vocabSize % 32);
  if (tail == 0) return;
  for (std::size_t last = words_ - 1; last < data_.masks.size(); last += words_) {
    if ((data_.masks[last] >> tail) != 0) refuse("masks", "no bits beyond the vocabulary", "such a bit");
  }
}

void Grammar::checkEdge(std::int32_t edge) const {
  const std::string name = named("edge", edge);
  const auto maskCount = static_cast<std::int64_t>(data_.masks.size() / words_);
  const std::int32_t token = data_.edgeToken[index(edge)];
  checkRange(name + " token", token, -1, data_.vocabSize - 1);
  if (token == -1) checkRange(name + " mask", data_.edgeMask[index(edge)], 0, maskCount - 1);
  checkRange(name + " operation", data_.edgeOperation[index(edge)], 0, 2);
  if (operation(edge) == EdgeOperation::leave) return;
  checkRange(name + " next state", next(edge), 0, states() - 1);
  if (operation(edge) != EdgeOperation::call) return;
  checkRange(name + " return state", returnState(edge), 0, states() - 1);
  checkRange(name + " limit", limit(edge), 1, 1 << 30);
  if (accepting(next(edge)) || accepting(returnState(edge))) {
    refuse(name, "a call that neither enters nor returns to an accepting state", "one that does");
  }
}

void Grammar::checkState(std::int32_t state) const {
  const std::string name = named("state", state);
  checkRange(name + " flags", data_.stateFlags[index(state)], 0, 2);
  const bool edgeless = firstEdge(state) == endEdge(state);
  if (accepting(state) && !edgeless) refuse(name, "no edges, for it accepts", "edges");
  if (accepting(state) || returnable(state)) {
    checkRange(name + " closing distance", distance(state), 0, 0);
    checkRange(name + " closing token", closeToken(state), -1, -1);
    return;
  }
  if (edgeless) refuse(name, "an edge, or a flag that ends it", "a dead end");
  checkRange(name + " closing token", closeToken(state), 0, data_.vocabSize - 1);
  checkRange(name + " closing distance", distance(state), 1, 1 << 24);
}

void Grammar::findCloseEdges() {
  closeEdge_.assign(index(states()), -1);
  for (std::int32_t state = 0; state < states(); ++state) {
    if (closeToken(state) < 0) continue;
    for (std::int32_t edge = firstEdge(state); edge < endEdge(state); ++edge) {
      if (!accepts(edge, closeToken(state))) continue;
      closeEdge_[index(state)] = edge;
      break;
    }
    if (closeEdge(state) < 0) {
      refuse(named("state", state), "an edge for its closing token " + std::to_string(closeToken(state)), "none");
    }
  }
}

void Grammar::markFrameClosing() {
  // A state closes through the frames if its closing edge does or leads to one that does; followed backwards.
  std::vector<std::vector<std::int32_t>> before(index(states()));
  std::vector<std::int32_t> found;
  closesThroughFrames_.assign(index(states()), 0);
  for (std::int32_t state = 0; state < states(); ++state) {
    const std::int32_t edge = closeEdge(state);
    if (edge < 0) continue;
    if (operation(edge) == EdgeOperation::leave) {
      closesThroughFrames_[index(state)] = 1;
      found.push_back(state);
      continue;
    }
    before[index(next(edge))].push_back(state);
    if (operation(edge) == EdgeOperation::call) before[index(returnState(edge))].push_back(state);
  }
  while (!found.empty()) {
    const std::int32_t state = found.back();
    found.pop_back();
    for (const std::int32_t earlier : before[index(state)]) {
      if (std::exchange(closesThroughFrames_[index(earlier)], std::uint8_t{1}) == 0) found.push_back(earlier);
    }
  }
}

void Grammar::checkDistance(std::int32_t state) const {
  const std::int32_t edge = closeEdge(state);
  if (edge < 0 || operation(edge) == EdgeOperation::leave) return;
  if (closesThroughFrames(state)) {
    // Only its first part is known; but it must shrink on the way, or closing would never end.
    checkRange(named("closing distance of state", state), distance(state), 1 + distance(next(edge)), 1 << 24);
    return;
  }
  std::int64_t expected = 1 + std::int64_t{distance(next(edge))};
  if (operation(edge) == EdgeOperation::call) expected += distance(returnState(edge));
  checkRange(named("closing distance of state", state), distance(state), expected, expected);
}

void Grammar::followCloseEdges() {
  // Distances shrink along closing edges, so in ascending order the states behind an edge are done before it.
  std::vector<std::int32_t> order(index(states()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int32_t state) { return distance(state); });
  closeCalls_.assign(index(states()), 0);
  closesByReturning_.assign(index(states()), 0);
  for (const std::int32_t state : order) {
    if (returnable(state)) closesByReturning_[index(state)] = 1;
    const std::int32_t edge = closeEdge(state);
    if (edge < 0 || operation(edge) == EdgeOperation::leave) continue;
    std::int32_t& calls = closeCalls_[index(state)];
    std::uint8_t& returning = closesByReturning_[index(state)];
    calls = closeCalls(next(edge));
    returning = closesByReturning_[index(next(edge))];
    if (operation(edge) != EdgeOperation::call) continue;
    if (returning == 0 && !closesThroughFrames(state)) {
      refuse(named("state", state), "a closing way whose calls return", "one that ends in a call");
    }
    calls = std::max(calls + 1, closeCalls(returnState(edge)));
    returning = closesByReturning_[index(returnState(edge))];  // the call returns and its caller goes on
  }
}

bool Grammar::accepts(std::int32_t edge, std::int32_t token) const {
  const std::int32_t own = data_.edgeToken[index(edge)];
  if (own != -1) return own == token;
  const std::size_t word = index(data_.edgeMask[index(edge)]) * words_ + index(token) / 32;
  return ((data_.masks[word] >> (static_cast<std::uint32_t>(token) % 32)) & 1U) != 0;
}

void Grammar::addTokens(std::int32_t edge, std::span<std::uint32_t> mask) const {
  const std::int32_t own = data_.edgeToken[index(edge)];
  if (own != -1) {
    mask[index(own) / 32] |= 1U << (static_cast<std::uint32_t>(own) % 32);
    return;
  }
  const std::size_t first = index(data_.edgeMask[index(edge)]) * words_;
  for (std::size_t word = 0; word < words_; ++word) mask[word] |= data_.masks[first + word];
}

}  // namespace foretrace
