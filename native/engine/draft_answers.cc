#include "engine/draft_answers.h"

#include <algorithm>
#include <utility>

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

void DraftQuestion::set(std::uint64_t kind, std::span<const std::int32_t> tokens) noexcept {
  key = kind;
  length = static_cast<std::int32_t>(tokens.size());
  const std::size_t unseen = tokens.size() - std::min(tokens.size(), beginnings);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    hash = (hash ^ static_cast<std::uint32_t>(tokens[i])) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
    if (i >= unseen) hashes[i - unseen] = static_cast<std::uint32_t>(hash);
  }
}

std::int32_t DraftQuestion::firstLength() const noexcept {
  return std::max(0, length - static_cast<std::int32_t>(beginnings)) + 1;
}

std::uint32_t DraftQuestion::hashOf(std::int32_t tokens) const noexcept {
  return hashes[static_cast<std::size_t>(tokens - firstLength())];
}

std::int32_t DraftQuestion::commonTokens(const DraftQuestion& other) const noexcept {
  const std::int32_t shortest = std::max(firstLength(), other.firstLength());
  std::int32_t common = shortest - 1;
  for (std::int32_t unequal = std::min(length, other.length) + 1; unequal - common > 1;) {
    const std::int32_t middle = common + (unequal - common) / 2;
    (hashOf(middle) == other.hashOf(middle) ? common : unequal) = middle;
  }
  return common < shortest ? 0 : common;
}

std::int32_t PastAnswer::nextSkeleton(std::int32_t from) const noexcept {
  while (from < length && inside[static_cast<std::size_t>(from)] != 0) ++from;
  return from;
}

AnswerMemory::AnswerMemory(std::int32_t answers)
    : slots_((static_cast<std::size_t>(std::max(answers, 1)) + ways - 1) / ways * ways), sets_(slots_.size() / ways) {}

std::size_t AnswerMemory::setOf(std::uint64_t key) const noexcept {
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32) % sets_ * ways;
}

std::int32_t AnswerMemory::find(const DraftQuestion& question, std::span<const std::int32_t> skeleton) const {
  std::int32_t best = none;
  std::int32_t bestCommon = 0;
  std::int32_t behind = 0;
  const std::size_t first = setOf(question.key);
  for (std::size_t slot = first; slot < first + ways; ++slot) {
    const PastAnswer& answer = slots_[slot];
    if (answer.lastUse == 0 || answer.question.key != question.key || !beginsWith(answer, skeleton, behind)) continue;
    const std::int32_t common = question.commonTokens(answer.question);
    const bool isBetter = best == none || common > bestCommon ||
                          (common == bestCommon && answer.lastUse > at(best).lastUse);
    if (!isBetter) continue;
    best = static_cast<std::int32_t>(slot);
    bestCommon = common;
  }
  return best;
}

void AnswerMemory::remember(const DraftQuestion& question, std::span<const std::int32_t> tokens,
                            std::span<const std::uint8_t> inside) {
  const std::size_t count = std::min({tokens.size(), inside.size(), PastAnswer::maxTokens});
  if (count == 0) return;
  tokens = tokens.first(count);
  inside = inside.first(count);
  std::int32_t chosen = find(question);
  if (chosen == none || !sameSkeleton(at(chosen), tokens, inside)) {
    const std::size_t first = setOf(question.key);
    const auto set = std::span(slots_).subspan(first, ways);
    const auto oldest = std::ranges::min_element(set, {}, &PastAnswer::lastUse);
    chosen = static_cast<std::int32_t>(first) + static_cast<std::int32_t>(oldest - set.begin());
  }
  PastAnswer& answer = slots_[static_cast<std::size_t>(chosen)];
  answer.question = question;
  answer.lastUse = ++clock_;
  answer.length = static_cast<std::int32_t>(count);
  std::ranges::copy(tokens, answer.tokens.begin());
  std::ranges::copy(inside, answer.inside.begin());
}

void AnswerFollower::begin(const AnswerMemory& memory, const DraftQuestion& question, std::shared_ptr<const PastAnswer> expected) {
  *this = AnswerFollower{};
  if (expected == nullptr) return choose(memory, memory.find(question));
  expected_ = std::move(expected);
}

void AnswerFollower::choose(const AnswerMemory& memory, std::int32_t slot) {
  expected_.reset();
  slot_ = slot;
  if (slot != AnswerMemory::none) stamp_ = memory.at(slot).lastUse;
}

const PastAnswer* AnswerFollower::followed(const AnswerMemory& memory) const {
  if (expected_ != nullptr) return expected_.get();
  return slot_ != AnswerMemory::none && memory.at(slot_).lastUse == stamp_ ? &memory.at(slot_) : nullptr;
}

bool AnswerFollower::follows(const AnswerMemory& memory) const {
  const PastAnswer* answer = followed(memory);
  return answer != nullptr && at_ < answer->length;
}

std::int32_t AnswerFollower::guess(const AnswerMemory& memory) const {
  return follows(memory) ? followed(memory)->tokens[static_cast<std::size_t>(at_)] : -1;
}

void AnswerFollower::take(const AnswerMemory& memory, const DraftQuestion& question, std::int32_t token, bool inside) {
  if (!inside && skeletonLength_ < maxSkeleton) skeleton_[skeletonLength_++] = token;
  if (!follows(memory)) {
    if (!inside) searchVariant(memory, question, token);
    return;
  }
  if (followed(memory)->tokens[static_cast<std::size_t>(at_)] == token) {
    inStep_ = inStep_ || !inside;
    ++at_;
    return;
  }
  leave(memory, question, token, inside);
}

/// The token is not the one followed.
void AnswerFollower::leave(const AnswerMemory& memory, const DraftQuestion& question, std::int32_t token, bool inside) {
  const PastAnswer& answer = *followed(memory);
  inStep_ = false;
  // Behind the value that differs; a value that goes on longer than the one followed waits there.
  at_ = answer.nextSkeleton(at_);
  if (inside) return;
  if (at_ < answer.length && answer.tokens[static_cast<std::size_t>(at_)] == token) {
    inStep_ = true;
    ++at_;
    return;
  }
  searchVariant(memory, question, token);
}

/// Another answer that begins as this one does; failing that, the same token further on in the one followed.
void AnswerFollower::searchVariant(const AnswerMemory& memory, const DraftQuestion& question, std::int32_t token) {
  if (skeletonLength_ < maxSkeleton) {
    const std::span<const std::int32_t> skeleton(skeleton_.data(), skeletonLength_);
    const std::int32_t variant = memory.find(question, skeleton);
    if (variant != AnswerMemory::none) {
      choose(memory, variant);
      static_cast<void>(beginsWith(memory.at(variant), skeleton, at_));
      inStep_ = true;
      return;
    }
  }
  if (!follows(memory)) return;
  const PastAnswer& answer = *followed(memory);
  for (std::int32_t at = at_; at < answer.length; ++at) {
    const auto index = static_cast<std::size_t>(at);
    if (answer.inside[index] != 0 || answer.tokens[index] != token) continue;
    at_ = at + 1;
    return;
  }
}

}  // namespace foretrace
