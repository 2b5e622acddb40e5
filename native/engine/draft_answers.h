// Answers that generations have given, kept to guess what similar questions will be answered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foretrace {

/// A past answer. `inside[i]` says whether token i was within a called sub-automaton (a value, say) once it was taken;
/// the tokens that were not are the *skeleton* of the answer: similar questions differ in values more than in these.
struct PastAnswer {
  static constexpr std::size_t maxTokens = 128;

  std::uint64_t key = 0;
  std::uint64_t origin = 0;   ///< hash of everything before the answer
  std::uint64_t lastUse = 0;  ///< 0 = unused
  std::int32_t length = 0;
  std::array<std::int32_t, maxTokens> tokens{};
  std::array<std::uint8_t, maxTokens> inside{};

  /// Index of the first token from `from` on that belongs to the skeleton; `length` if there is none.
  [[nodiscard]] std::int32_t nextSkeleton(std::int32_t from) const noexcept;
};

/// A bounded table of answers by key (in this engine: grammar and start state), a few of each, the most recent ones.
/// What it holds is a guess: a collision of keys costs time, never a wrong token. All memory is taken at construction.
class AnswerMemory {
 public:
  static constexpr std::int32_t none = -1;

  /// `answers` is rounded up to a whole number of sets.
  explicit AnswerMemory(std::int32_t answers);

  [[nodiscard]] const PastAnswer& at(std::int32_t slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  /// The answer to the very same question if it is still held, else the most recent of this key, or none.
  [[nodiscard]] std::int32_t find(std::uint64_t key, std::uint64_t origin) const;
  /// An answer of this key whose skeleton begins like `skeleton` ([count] tokens), the most recent, or none.
  [[nodiscard]] std::int32_t findVariant(std::uint64_t key, std::span<const std::int32_t> skeleton) const;
  /// Takes an answer in; it replaces one of the same key and skeleton, else the least recent of its set. What exceeds
  /// PastAnswer::maxTokens is cut.
  void remember(std::uint64_t key, std::uint64_t origin, std::span<const std::int32_t> tokens,
                std::span<const std::uint8_t> inside);

 private:
  static constexpr std::size_t ways = 8;

  [[nodiscard]] std::size_t setOf(std::uint64_t key) const noexcept;

  std::vector<PastAnswer> slots_;  ///< [sets, ways]
  std::size_t sets_;
  std::uint64_t clock_ = 0;
};

/// Follows a past answer while another one is written: where the two differ in a value it goes on behind the value,
/// where they differ in the skeleton it looks for an answer that begins as the present one does.
class AnswerFollower {
 public:
  /// Starts to follow what the memory holds for a question, if anything.
  void begin(const AnswerMemory& memory, std::uint64_t key, std::uint64_t origin);
  /// The token that stands next in the answer followed, or -1.
  [[nodiscard]] std::int32_t guess(const AnswerMemory& memory) const;
  /// True while the last token taken was the one followed.
  [[nodiscard]] bool inStep() const noexcept { return inStep_; }
  /// Tells which token was taken, and whether it is within a called sub-automaton.
  void take(const AnswerMemory& memory, std::int32_t token, bool inside);

 private:
  static constexpr std::size_t maxSkeleton = 24;

  [[nodiscard]] bool follows(const AnswerMemory& memory) const;
  void leave(const AnswerMemory& memory, std::int32_t token, bool inside);
  void searchVariant(const AnswerMemory& memory, std::int32_t token);

  std::uint64_t key_ = 0;
  std::uint64_t stamp_ = 0;  ///< last use of the slot when it was chosen: it may hold another answer later
  std::int32_t slot_ = AnswerMemory::none;
  std::int32_t at_ = 0;
  bool inStep_ = true;
  std::uint8_t skeletonLength_ = 0;
  std::array<std::int32_t, maxSkeleton> skeleton_{};
};

}  // namespace foretrace
