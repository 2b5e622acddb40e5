// Answers that generations have given, kept to guess what similar questions will be answered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace foretrace {

/// What is kept of a question to tell how far others begin like it: its kind and the hashes of its last beginnings.
struct DraftQuestion {
  static constexpr std::size_t beginnings = 96;

  std::uint64_t key = 0;     ///< the kind of question (in this engine: grammar and start state); 0 = none
  std::int32_t length = 0;   ///< tokens
  /// [i] = hash of the first i + 1 + max(0, length - beginnings) tokens.
  std::array<std::uint32_t, beginnings> hashes{};

  void set(std::uint64_t kind, std::span<const std::int32_t> tokens) noexcept;
  /// Tokens that both begin with, as far as the hashes reach back; 0 if they differ before that.
  [[nodiscard]] std::int32_t commonTokens(const DraftQuestion& other) const noexcept;

 private:
  [[nodiscard]] std::int32_t firstLength() const noexcept;
  [[nodiscard]] std::uint32_t hashOf(std::int32_t tokens) const noexcept;
};

/// A past answer. `inside[i]` says whether token i was within a called sub-automaton (a value, say) once it was taken;
/// the tokens that were not are the *skeleton* of the answer: similar questions differ in values more than in these.
struct PastAnswer {
  static constexpr std::size_t maxTokens = 128;

  DraftQuestion question;
  std::uint64_t lastUse = 0;  ///< 0 = unused
  std::int32_t length = 0;
  std::array<std::int32_t, maxTokens> tokens{};
  std::array<std::uint8_t, maxTokens> inside{};

  /// Index of the first token from `from` on that belongs to the skeleton; `length` if there is none.
  [[nodiscard]] std::int32_t nextSkeleton(std::int32_t from) const noexcept;
};

/// A bounded table of answers by the kind of their questions, the most recent ones. Of one kind, the answer counts whose
/// question begins most like the present one; of equals, the latest. A question tells where it stands before it tells
/// details, so questions that begin alike are those that are answered alike. What the table holds is a guess: a collision
/// of hashes costs time, never a wrong token. All memory is taken at construction.
class AnswerMemory {
 public:
  static constexpr std::int32_t none = -1;

  /// `answers` is rounded up to a whole number of sets.
  explicit AnswerMemory(std::int32_t answers);

  [[nodiscard]] const PastAnswer& at(std::int32_t slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  /// The answer to the question most like this one whose skeleton begins like `skeleton` ([count] tokens), or none.
  [[nodiscard]] std::int32_t find(const DraftQuestion& question, std::span<const std::int32_t> skeleton = {}) const;
  /// Takes an answer in; it replaces the one that `find` gives if both have the same skeleton, else the least recent of its
  /// set. What exceeds PastAnswer::maxTokens is cut.
  void remember(const DraftQuestion& question, std::span<const std::int32_t> tokens,
                std::span<const std::uint8_t> inside);

 private:
  static constexpr std::size_t ways = 64;

  [[nodiscard]] std::size_t setOf(std::uint64_t key) const noexcept;

  std::vector<PastAnswer> slots_;  ///< [sets, ways]
  std::size_t sets_;
  std::uint64_t clock_ = 0;
};

/// Follows a past answer while another one is written, or the one that is expected: where the two differ in a value it goes
/// on behind the value, where they differ in the skeleton it looks for an answer that begins as the present one does.
class AnswerFollower {
 public:
  /// Starts to follow `expected`, else what the memory holds for a question, if anything.
  void begin(const AnswerMemory& memory, const DraftQuestion& question, std::shared_ptr<const PastAnswer> expected);
  /// The token that stands next in the answer followed, or -1.
  [[nodiscard]] std::int32_t guess(const AnswerMemory& memory) const;
  /// True while what is followed is the answer that was expected.
  [[nodiscard]] bool isExpected() const noexcept { return expected_ != nullptr; }
  /// True while the last token taken was the one followed.
  [[nodiscard]] bool inStep() const noexcept { return inStep_; }
  /// Tells which token was taken, and whether it is within a called sub-automaton.
  void take(const AnswerMemory& memory, const DraftQuestion& question, std::int32_t token, bool inside);

 private:
  static constexpr std::size_t maxSkeleton = 24;

  /// What is followed; null if nothing is, or what was followed has been replaced.
  [[nodiscard]] const PastAnswer* followed(const AnswerMemory& memory) const;
  [[nodiscard]] bool follows(const AnswerMemory& memory) const;
  void leave(const AnswerMemory& memory, const DraftQuestion& question, std::int32_t token, bool inside);
  void searchVariant(const AnswerMemory& memory, const DraftQuestion& question, std::int32_t token);
  void choose(const AnswerMemory& memory, std::int32_t slot);

  std::shared_ptr<const PastAnswer> expected_;  ///< null: a slot is followed
  std::uint64_t stamp_ = 0;  ///< last use of the slot when it was chosen: it may hold another answer later
  std::int32_t slot_ = AnswerMemory::none;
  std::int32_t at_ = 0;
  bool inStep_ = true;
  std::uint8_t skeletonLength_ = 0;
  std::array<std::int32_t, maxSkeleton> skeleton_{};
};

}  // namespace foretrace
