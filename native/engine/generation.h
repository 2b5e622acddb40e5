// The generation of one sequence: its grammar position, its budget and what may come next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/sampling.h"
#include "engine/types.h"
#include "grammar/cursor.h"

namespace foretrace {

/// Chooses the tokens of one generation. Without a grammar every token is legal and `stopToken` ends it.
class Generation {
 public:
  /// Throws `invalid_argument` for values out of range and for a budget that cannot reach acceptance. `grammar` is null
  /// without a grammar.
  Generation(const GenerationOptions& options, std::shared_ptr<const Grammar> grammar, std::int32_t vocab);

  /// True once a block has asked to generate.
  bool started = false;

  [[nodiscard]] std::int32_t remaining() const noexcept { return remaining_; }
  /// The only legal token, or -1 if there is a choice.
  [[nodiscard]] std::int32_t forcedToken();
  /// What to ask of logits row `row` for the token at `position`. The mask is the generation's own until `take`.
  [[nodiscard]] SampleRequest request(std::int32_t row, std::int32_t position);
  /// Takes a token that was chosen or forced, and says how the generation stands.
  StepStatus take(std::int32_t token);

 private:
  void refreshMask();

  Sampling sampling_;
  std::int32_t stopToken_;
  std::int32_t remaining_;
  std::optional<GrammarCursor> cursor_;
  std::vector<std::uint32_t> mask_;  ///< legal tokens; empty without a grammar
  std::int32_t legal_ = 0;
  bool maskIsCurrent_ = false;
};

}  // namespace foretrace
