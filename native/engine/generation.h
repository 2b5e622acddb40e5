// The generation of one sequence: its grammar position, its budget and what may come next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/sampling.h"
#include "engine/draft_answers.h"
#include "engine/draft_policy.h"
#include "engine/draft_suffix.h"
#include "engine/types.h"
#include "grammar/cursor.h"

namespace foretrace {

/// What drafting keeps of one generation; it has no say in what is generated.
struct DraftState {
  std::shared_ptr<const PastAnswer> expected;  ///< by the caller; null if nothing is
  AnswerFollower answer;
  SuffixFollower suffix;
  SequenceTrust trust;
  DraftQuestion question;
  std::size_t answerStart = 0;       ///< index of the first generated token
  std::int32_t siblingMisses = 0;    ///< searches for a sibling that found none
  std::array<std::uint8_t, PastAnswer::maxTokens> inside{};  ///< see PastAnswer
};

/// Chooses the tokens of one generation. Without a grammar every token is legal and `stopToken` ends it.
class Generation {
 public:
  /// Throws `invalid_argument` for values out of range and for a budget that cannot reach acceptance. `grammar` is null
  /// without a grammar.
  Generation(const GenerationOptions& options, std::shared_ptr<const Grammar> grammar, std::int32_t vocab);

  /// True once a block has asked to generate.
  bool started = false;
  DraftState draft;

  [[nodiscard]] std::int32_t remaining() const noexcept { return remaining_; }
  /// Names the kind of question: its grammar and start state; 0 without a grammar.
  [[nodiscard]] std::uint64_t kind() const noexcept { return kind_; }
  /// Position in the grammar; null without one. Whoever moves it puts it back.
  [[nodiscard]] GrammarCursor* cursor() noexcept { return cursor_ ? &*cursor_ : nullptr; }
  [[nodiscard]] const GrammarCursor* cursor() const noexcept { return cursor_ ? &*cursor_ : nullptr; }
  [[nodiscard]] std::int32_t stopToken() const noexcept { return stopToken_; }
  /// True if the token may come next.
  [[nodiscard]] bool legal(std::int32_t token);
  /// The only legal token, or -1 if there is a choice.
  [[nodiscard]] std::int32_t forcedToken();
  /// What to ask of logits row `row` for the token at `position`. The mask is the generation's own until `take`.
  [[nodiscard]] SampleRequest request(std::int32_t row, std::int32_t position);
  /// Takes a token that was chosen or forced, and says how the generation stands.
  StepStatus take(std::int32_t token);

 private:
  void refreshMask();
  /// What is expected, as far as it is legal.
  [[nodiscard]] std::shared_ptr<const PastAnswer> expectedAnswer(std::span<const std::int32_t> tokens);

  Sampling sampling_;
  std::int32_t stopToken_;
  std::uint64_t kind_ = 0;
  std::int32_t remaining_;
  std::optional<GrammarCursor> cursor_;
  std::vector<std::uint32_t> mask_;  ///< legal tokens; empty without a grammar
  std::int32_t legal_ = 0;
  bool maskIsCurrent_ = false;
};

}  // namespace foretrace
