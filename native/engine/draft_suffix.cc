#include "engine/draft_suffix.h"

#include <algorithm>

namespace foretrace {

void SuffixFollower::begin(std::span<const std::int32_t> text) {
  *this = SuffixFollower{};
  const std::size_t count = std::min(text.size(), recent_.size());
  for (std::size_t i = 0; i < count; ++i) recent_[i] = text[text.size() - 1 - i];
  recentCount_ = static_cast<std::int32_t>(count);
}

std::int32_t SuffixFollower::guess(std::span<const std::int32_t> text) {
  if (!current_) search(text);
  return matched_ > 0 && next_ < text.size() ? text[next_] : -1;
}

void SuffixFollower::take(std::span<const std::int32_t> text, std::int32_t token) {
  const bool goesOn = current_ && matched_ >= longEnough && next_ < text.size() && text[next_] == token;
  for (std::size_t i = recent_.size() - 1; i > 0; --i) recent_[i] = recent_[i - 1];
  recent_[0] = token;
  recentCount_ = std::min(recentCount_ + 1, maxMatch);
  current_ = goesOn;
  if (!goesOn) return;
  ++next_;
  ++matched_;
}

std::int32_t SuffixFollower::matchAt(std::span<const std::int32_t> text, std::size_t end) const {
  std::int32_t length = 0;
  while (length < recentCount_ && static_cast<std::size_t>(length) <= end &&
         text[end - static_cast<std::size_t>(length)] == recent_[static_cast<std::size_t>(length)]) {
    ++length;
  }
  return length;
}

void SuffixFollower::search(std::span<const std::int32_t> text) {
  current_ = true;
  matched_ = 0;
  if (recentCount_ == 0 || text.size() < 2) return;
  const std::size_t first = text.size() > window ? text.size() - window : 0;
  // The last token of the text has nothing behind it yet.
  for (std::size_t end = text.size() - 1; end-- > first;) {
    if (text[end] != recent_[0]) continue;
    const std::int32_t length = matchAt(text, end);
    if (length <= matched_) continue;
    matched_ = length;
    next_ = end + 1;
    if (length == maxMatch) return;
  }
}

}  // namespace foretrace
