#include "engine/generation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.h"

namespace foretrace {

namespace {

void require(bool condition, const char* what, const char* expected, double actual) {
  if (!condition) throw Error(ErrorCode::invalid_argument, what, expected, std::to_string(actual));
}

}  // namespace

Generation::Generation(const GenerationOptions& options, std::shared_ptr<const Grammar> grammar, std::int32_t vocab)
    : sampling_{options.temperature, options.topP, static_cast<std::uint64_t>(options.seed)},
      stopToken_(options.stopToken), remaining_(options.maxNewTokens) {
  require(std::isfinite(options.temperature) && options.temperature >= 0 && options.temperature <= 1000, "temperature",
          "0 to 1000", options.temperature);
  require(options.topP > 0 && options.topP <= 1, "topP", "above 0, at most 1", options.topP);
  require(options.maxNewTokens >= 1, "maxNewTokens", "at least 1", options.maxNewTokens);
  require(options.stopToken >= -1 && options.stopToken < vocab, "stopToken", "-1 or a token id", options.stopToken);
  for (const std::int32_t token : options.expected) require(token >= 0 && token < vocab, "expected", "token ids", token);
  if (grammar == nullptr) return;
  stopToken_ = -1;
  kind_ = (grammar->digest() ^ static_cast<std::uint32_t>(options.state)) * 0x9e3779b97f4a7c15ULL | 1;
  mask_.resize(grammar->words());
  cursor_.emplace(std::move(grammar), options.state, options.frames, options.maxNewTokens);
  if (!options.expected.empty()) draft.expected = expectedAnswer(options.expected);
}

std::shared_ptr<const PastAnswer> Generation::expectedAnswer(std::span<const std::int32_t> tokens) {
  auto answer = std::make_shared<PastAnswer>();
  const GrammarCursor::Mark start = cursor_->mark();
  for (const std::int32_t token : tokens.first(std::min(tokens.size(), PastAnswer::maxTokens))) {
    if (cursor_->accepted() || !cursor_->accept(token)) break;
    const auto at = static_cast<std::size_t>(answer->length++);
    answer->tokens[at] = token;
    answer->inside[at] = cursor_->depth() > 0 ? 1 : 0;
  }
  cursor_->restore(start);
  return answer;
}

void Generation::refreshMask() {
  if (maskIsCurrent_) return;
  legal_ = cursor_->legalMask(mask_);
  maskIsCurrent_ = true;
}

std::int32_t Generation::forcedToken() {
  if (!cursor_) return -1;
  refreshMask();
  if (legal_ != 1) return -1;
  for (std::size_t word = 0;; ++word) {
    if (mask_[word] != 0) return static_cast<std::int32_t>(word) * 32 + std::countr_zero(mask_[word]);
  }
}

SampleRequest Generation::request(std::int32_t row, std::int32_t position) {
  if (cursor_) refreshMask();
  return {row, mask_, sampling_, static_cast<std::uint64_t>(position)};
}

bool Generation::legal(std::int32_t token) {
  if (!cursor_) return true;
  refreshMask();
  const auto index = static_cast<std::size_t>(token);
  return index / 32 < mask_.size() && ((mask_[index / 32] >> (index % 32)) & 1U) != 0;
}

StepStatus Generation::take(std::int32_t token) {
  --remaining_;
  maskIsCurrent_ = false;
  if (cursor_) {
    ensure(cursor_->accept(token), "a token that is not legal was chosen");
    if (cursor_->accepted()) return StepStatus::finished;
  } else if (token == stopToken_) {
    return StepStatus::stopped;
  }
  return remaining_ == 0 ? StepStatus::length : StepStatus::running;
}

}  // namespace foretrace
