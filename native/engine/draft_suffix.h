// Finds where the end of a text occurred in it before: what followed there may follow again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace foretrace {

/// Follows an earlier occurrence of the last tokens ("prompt lookup" decoding, Saxena 2023). The text may be a few tokens
/// short of what was taken: drafted tokens are taken, but not part of it.
class SuffixFollower {
 public:
  /// Most tokens of a match that are compared.
  static constexpr std::int32_t maxMatch = 12;
  /// Most tokens, from the end, that are searched.
  static constexpr std::size_t window = 4096;

  /// Starts behind `text`.
  void begin(std::span<const std::int32_t> text);
  /// The token that followed the longest earlier occurrence (of several, the latest), or -1.
  [[nodiscard]] std::int32_t guess(std::span<const std::int32_t> text);
  /// Tokens of the match that the last guess came from.
  [[nodiscard]] std::int32_t matched() const noexcept { return matched_; }
  void take(std::span<const std::int32_t> text, std::int32_t token);

 private:
  /// A match this long is followed on without looking for a longer one.
  static constexpr std::int32_t longEnough = 4;

  void search(std::span<const std::int32_t> text);
  [[nodiscard]] std::int32_t matchAt(std::span<const std::int32_t> text, std::size_t end) const;

  std::size_t next_ = 0;          ///< index of the token that followed
  std::int32_t matched_ = 0;      ///< 0 = no match
  std::int32_t recentCount_ = 0;
  bool current_ = false;          ///< next_ and matched_ belong to the tokens taken so far
  std::array<std::int32_t, maxMatch> recent_{};  ///< last tokens taken, the latest first
};

}  // namespace foretrace
