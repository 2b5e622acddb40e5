#include "engine/draft_answers.h"

#include <algorithm>

namespace foretrace {

namespace {

/// Whether the skeleton of `answer` begins with these tokens; `behind` becomes the index after the last of them.
bool beginsWith(const PastAnswer& answer, std::span<const std::int32_t> skeleton, std::int32_t& behind) {
  std::int32_t at = 0;
  for (const std::int32_t token : skeleton) {
    at = answer.nextSkeleton(at);
    if (at == answer.length || answer.tokens[static_cast<std::size_t>(at)] != token) return false;
    ++at;
  }
  behind = at;
  return true;
}

bool sameSkeleton(const PastAnswer& answer, std::span<const std::int32_t> tokens, std::span<const std::uint8_t> inside) {
  std::int32_t at = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (inside[i] != 0) continue;
    at = answer.nextSkeleton(at);
    if (at == answer.length || answer.tokens[static_cast<std::size_t>(at)] != tokens[i]) return false;
    ++at;
  }
  return answer.nextSkeleton(at) == answer.length;
}

}  // namespace

std::int32_t PastAnswer::nextSkeleton(std::int32_t from) const noexcept {
  while (from < length && inside[static_cast<std::size_t>(from)] != 0) ++from;
  return from;
}

AnswerMemory::AnswerMemory(std::int32_t answers)
    : slots_((static_cast<std::size_t>(std::max(answers, 1)) + ways - 1) / ways * ways), sets_(slots_.size() / ways) {}

std::size_t AnswerMemory::setOf(std::uint64_t key) const noexcept {
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32) % sets_ * ways;
}

std::int32_t AnswerMemory::find(std::uint64_t key, std::uint64_t origin) const {
  std::int32_t best = none;
  const std::size_t first = setOf(key);
  for (std::size_t slot = first; slot < first + ways; ++slot) {
    const PastAnswer& answer = slots_[slot];
    if (answer.lastUse == 0 || answer.key != key) continue;
    if (answer.origin == origin) return static_cast<std::int32_t>(slot);
    if (best == none || answer.lastUse > at(best).lastUse) best = static_cast<std::int32_t>(slot);
  }
  return best;
}

std::int32_t AnswerMemory::findVariant(std::uint64_t key, std::span<const std::int32_t> skeleton) const {
  std::int32_t best = none;
  std::int32_t behind = 0;
  const std::size_t first = setOf(key);
  for (std::size_t slot = first; slot < first + ways; ++slot) {
    const PastAnswer& answer = slots_[slot];
    if (answer.lastUse == 0 || answer.key != key || !beginsWith(answer, skeleton, behind)) continue;
    if (best == none || answer.lastUse > at(best).lastUse) best = static_cast<std::int32_t>(slot);
  }
  return best;
}

void AnswerMemory::remember(std::uint64_t key, std::uint64_t origin, std::span<const std::int32_t> tokens,
                            std::span<const std::uint8_t> inside) {
  const std::size_t count = std::min({tokens.size(), inside.size(), PastAnswer::maxTokens});
  if (count == 0) return;
  tokens = tokens.first(count);
  inside = inside.first(count);
  const std::size_t first = setOf(key);
  std::size_t chosen = first;
  for (std::size_t slot = first; slot < first + ways; ++slot) {
    const PastAnswer& answer = slots_[slot];
    if (answer.lastUse != 0 && answer.key == key && sameSkeleton(answer, tokens, inside)) {
      chosen = slot;
      break;
    }
    if (answer.lastUse < slots_[chosen].lastUse) chosen = slot;
  }
  PastAnswer& answer = slots_[chosen];
  answer.key = key;
  answer.origin = origin;
  answer.lastUse = ++clock_;
  answer.length = static_cast<std::int32_t>(count);
  std::ranges::copy(tokens, answer.tokens.begin());
  std::ranges::copy(inside, answer.inside.begin());
}

void AnswerFollower::begin(const AnswerMemory& memory, std::uint64_t key, std::uint64_t origin) {
  *this = AnswerFollower{};
  key_ = key;
  slot_ = memory.find(key, origin);
  if (slot_ != AnswerMemory::none) stamp_ = memory.at(slot_).lastUse;
}

bool AnswerFollower::follows(const AnswerMemory& memory) const {
  return slot_ != AnswerMemory::none && memory.at(slot_).lastUse == stamp_ && at_ < memory.at(slot_).length;
}

std::int32_t AnswerFollower::guess(const AnswerMemory& memory) const {
  return follows(memory) ? memory.at(slot_).tokens[static_cast<std::size_t>(at_)] : -1;
}

void AnswerFollower::take(const AnswerMemory& memory, std::int32_t token, bool inside) {
  if (!inside && skeletonLength_ < maxSkeleton) skeleton_[skeletonLength_++] = token;
  if (!follows(memory)) {
    if (!inside) searchVariant(memory, token);
    return;
  }
  const PastAnswer& answer = memory.at(slot_);
  if (answer.tokens[static_cast<std::size_t>(at_)] == token) {
    inStep_ = inStep_ || !inside;
    ++at_;
    return;
  }
  leave(memory, token, inside);
}

/// The token is not the one followed.
void AnswerFollower::leave(const AnswerMemory& memory, std::int32_t token, bool inside) {
  const PastAnswer& answer = memory.at(slot_);
  inStep_ = false;
  // Behind the value that differs; a value that goes on longer than the one followed waits there.
  at_ = answer.nextSkeleton(at_);
  if (inside) return;
  if (at_ < answer.length && answer.tokens[static_cast<std::size_t>(at_)] == token) {
    inStep_ = true;
    ++at_;
    return;
  }
  searchVariant(memory, token);
}

/// Another answer that begins as this one does; failing that, the same token further on in the one followed.
void AnswerFollower::searchVariant(const AnswerMemory& memory, std::int32_t token) {
  if (skeletonLength_ < maxSkeleton) {
    const std::span<const std::int32_t> skeleton(skeleton_.data(), skeletonLength_);
    const std::int32_t variant = memory.findVariant(key_, skeleton);
    if (variant != AnswerMemory::none) {
      slot_ = variant;
      stamp_ = memory.at(variant).lastUse;
      static_cast<void>(beginsWith(memory.at(variant), skeleton, at_));
      inStep_ = true;
      return;
    }
  }
  if (!follows(memory)) return;
  const PastAnswer& answer = memory.at(slot_);
  for (std::int32_t at = at_; at < answer.length; ++at) {
    const auto index = static_cast<std::size_t>(at);
    if (answer.inside[index] != 0 || answer.tokens[index] != token) continue;
    at_ = at + 1;
    return;
  }
}

}  // namespace foretrace
