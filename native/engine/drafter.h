// Guesses how generations go on, so that several tokens are verified in one forward pass.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/draft_answers.h"
#include "engine/draft_policy.h"
#include "engine/generation.h"
#include "engine/types.h"

namespace foretrace {

/// A token of a draft. A forced token needs a row but was not guessed.
struct DraftToken {
  std::int32_t token = -1;
  bool forced = false;
  bool wantsLogits = false;  ///< what follows it is a choice
  std::uint8_t kind = 0;     ///< of the guess
  double share = 1;          ///< probability that it is right if all before it are
  double probability = 1;    ///< that it and all before it are
};

/// Proposes drafts and learns from what was really generated ("speculative decoding", Leviathan et al. 2023, without a
/// draft model). Guesses come from what the caller expects, from a sibling (an open sequence or a branch of the prefix tree
/// that begins with the same tokens), from a past answer to the question of the same kind (same grammar and start state) that begins most like this one, and from an earlier
/// occurrence of the last tokens in the sequence itself; at each token the source wins that was right most often. Only
/// legal tokens are proposed, and forced ones come along. Nothing here has a say in what is generated. Takes no memory
/// after construction.
class Drafter {
 public:
  /// Most tokens of one draft.
  static constexpr std::int32_t mostTokens = 32;

  explicit Drafter(DraftMode mode);

  [[nodiscard]] bool active() const noexcept { return mode_ != DraftMode::off; }
  /// A generation starts behind `tokens`.
  void begin(Generation& generation, std::span<const std::int32_t> tokens) const;
  /// Compares what each source would have said with the token that has been chosen; `tokens` are those before it. To be
  /// called before the generation takes the token.
  void rate(Generation& generation, std::span<const std::int32_t> tokens, std::int32_t token);
  /// The generation has taken the last of `tokens`.
  void follow(Generation& generation, std::span<const std::int32_t> tokens) const;
  /// The generation has come to its end with the last of `tokens`.
  void finish(const Generation& generation, std::span<const std::int32_t> tokens);

  /// Appends at most `most` tokens that may follow `tokens`, where a choice is due. `sibling` is what followed the same
  /// tokens elsewhere. Stops at the first that is less likely than `least`. The token that ends a generation is never among
  /// them, for it needs no row.
  void propose(Generation& generation, std::span<const std::int32_t> tokens, std::span<const std::int32_t> sibling,
               std::int32_t most, double least, std::vector<DraftToken>& drafts) const;
  /// Tells how a guess came out.
  void verified(Generation& generation, const DraftToken& draft, bool right);

  /// A sequence generates in a pass with so many rows and blocks of others, drafts not counted.
  void met(std::int32_t otherRows, std::int32_t others) noexcept { company_.met(otherRows, others); }
  /// Least probability of a drafted token that pays in a pass of `rows` other rows.
  [[nodiscard]] double leastProbability(std::int32_t rows) const noexcept;
  /// A pass of `rows` rows took this long.
  void measured(std::int32_t rows, double micros) noexcept { costs_.measured(rows, micros); }

 private:
  struct Scout;

  bool advance(Generation& generation, Scout& scout) const;
  bool takeGuess(Generation& generation, Scout& scout, const Guess& guess) const;

  DraftMode mode_;
  AnswerMemory answers_;
  GuessRates rates_;
  PassCosts costs_;
  Company company_;
};

}  // namespace foretrace
