#include "engine/drafter.h"

#include <algorithm>
#include <array>
#include <utility>

namespace foretrace {

namespace {

/// Past answers an engine keeps: 2.2 MB.
constexpr std::int32_t keptAnswers = 2048;
/// Guesses less likely than this are not worth following up, whatever a row costs.
constexpr double leastWorth = 0.02;

GuessPlace placeOf(const GrammarCursor* cursor) {
  if (cursor == nullptr) return GuessPlace::inside;
  if (cursor->depth() == 0) return GuessPlace::outside;
  return cursor->returnable() ? GuessPlace::mayEnd : GuessPlace::inside;
}

bool isInside(const GrammarCursor* cursor) { return cursor == nullptr || cursor->depth() > 0; }

Guess answerGuess(const AnswerFollower& answer, const AnswerMemory& memory, GuessPlace place) {
  const GuessSource followed = answer.isExpected() ? GuessSource::expected : GuessSource::answer;
  const GuessSource source = answer.inStep() ? followed : GuessSource::answerLeft;
  return {answer.guess(memory), GuessRates::kindOf(source, place)};
}

Guess suffixGuess(SuffixFollower& suffix, std::span<const std::int32_t> text, GuessPlace place) {
  const std::int32_t token = suffix.guess(text);
  return {token, GuessRates::kindOf(GuessSource::suffix, place, suffix.matched())};
}

}  // namespace

/// A walk ahead of a generation.
struct Drafter::Scout {
  AnswerFollower answer;
  SuffixFollower suffix;
  const DraftQuestion& question;
  std::span<const std::int32_t> text;
  std::span<const std::int32_t> sibling;  ///< what is left of it; empty once it was left
  std::vector<DraftToken>& drafts;
  std::size_t end;                        ///< most drafts, those of others included
  std::int32_t remaining;
  double least;
  double trust;
  double probability = 1;

  void took(const AnswerMemory& memory, std::int32_t token, bool inside) {
    answer.take(memory, question, token, inside);
    suffix.take(text, token);
    sibling = !sibling.empty() && sibling.front() == token ? sibling.subspan(1) : std::span<const std::int32_t>{};
    --remaining;
  }
};

Drafter::Drafter(DraftMode mode) : mode_(mode), answers_(mode == DraftMode::off ? 1 : keptAnswers) {}

void Drafter::begin(Generation& generation, std::span<const std::int32_t> tokens) const {
  DraftState& state = generation.draft;
  state.answerStart = tokens.size();
  if (generation.kind() != 0) {
    state.question.set(generation.kind(), tokens);
    state.answer.begin(answers_, state.question, state.expected);
  }
  state.suffix.begin(tokens);
}

void Drafter::rate(Generation& generation, std::span<const std::int32_t> tokens, std::int32_t token) {
  DraftState& state = generation.draft;
  const GuessPlace place = placeOf(generation.cursor());
  for (const Guess& guess : {answerGuess(state.answer, answers_, place), suffixGuess(state.suffix, tokens, place)}) {
    if (guess && generation.legal(guess.token)) rates_.count(guess.kind, guess.token == token);
  }
}

void Drafter::follow(Generation& generation, std::span<const std::int32_t> tokens) const {
  DraftState& state = generation.draft;
  const bool inside = isInside(generation.cursor());
  const std::size_t index = tokens.size() - 1 - state.answerStart;
  if (index < state.inside.size()) state.inside[index] = inside ? 1 : 0;
  if (generation.kind() != 0) state.answer.take(answers_, state.question, tokens.back(), inside);
  state.suffix.take(tokens, tokens.back());
}

void Drafter::finish(const Generation& generation, std::span<const std::int32_t> tokens) {
  const DraftState& state = generation.draft;
  if (generation.kind() == 0) return;
  answers_.remember(state.question, tokens.subspan(state.answerStart), state.inside);
}

void Drafter::propose(Generation& generation, std::span<const std::int32_t> tokens,
                      std::span<const std::int32_t> sibling, std::int32_t most, double least,
                      std::vector<DraftToken>& drafts) const {
  const DraftState& state = generation.draft;
  Scout scout{state.answer, state.suffix, state.question, tokens, sibling, drafts, drafts.size() + static_cast<std::size_t>(most),
              generation.remaining(), std::max(least, leastWorth), state.trust.factor()};
  GrammarCursor* cursor = generation.cursor();
  GrammarCursor::Mark mark;
  if (cursor != nullptr) mark = cursor->mark();
  while (drafts.size() < scout.end && advance(generation, scout)) {
  }
  if (cursor != nullptr) cursor->restore(mark);
}

/// Adds the best guess and the tokens it forces; false if there is none worth it.
bool Drafter::advance(Generation& generation, Scout& scout) const {
  const GuessPlace place = placeOf(generation.cursor());
  std::array<Guess, 3> guesses{answerGuess(scout.answer, answers_, place), suffixGuess(scout.suffix, scout.text, place)};
  if (!scout.sibling.empty()) {
    guesses[2] = {scout.sibling.front(), GuessRates::kindOf(GuessSource::sibling, place)};
  }
  std::ranges::sort(guesses, [this](const Guess& a, const Guess& b) {
    return std::pair(a ? rates_.of(a.kind) : -1, a.token) > std::pair(b ? rates_.of(b.kind) : -1, b.token);
  });
  for (const Guess& guess : guesses) {
    if (!guess) return false;
    const GrammarCursor* cursor = generation.cursor();
    if (cursor != nullptr && !generation.cursor()->accept(guess.token)) continue;
    return takeGuess(generation, scout, guess);
  }
  return false;
}

/// The grammar has accepted the guess. Whatever leads to the end of the generation is left out again: it needs no row.
bool Drafter::takeGuess(Generation& generation, Scout& scout, const Guess& guess) const {
  const double share = std::min(0.999, rates_.of(guess.kind) * scout.trust);
  const double probability = scout.probability * share;
  if (mode_ == DraftMode::automatic && probability < scout.least) return false;
  GrammarCursor* cursor = generation.cursor();
  const std::size_t first = scout.drafts.size();
  const auto add = [&](const DraftToken& draft) {
    scout.drafts.push_back(draft);
    scout.took(answers_, draft.token, isInside(cursor));
    const bool ends = cursor != nullptr ? cursor->accepted() : draft.token == generation.stopToken();
    return !ends && scout.remaining > 0 && scout.drafts.size() <= scout.end;
  };
  bool goesOn = add({guess.token, false, true, guess.kind, share, probability});
  for (std::int32_t forced = -1; goesOn && cursor != nullptr && (forced = cursor->onlyLegal()) >= 0;) {
    scout.drafts.back().wantsLogits = false;
    cursor->accept(forced);
    goesOn = add({forced, true, true, 0, 1, probability});
  }
  if (!goesOn) scout.drafts.resize(first);
  scout.probability = probability;
  return goesOn;
}

void Drafter::verified(Generation& generation, const DraftToken& draft, bool right) {
  generation.draft.trust.count(draft.share, right);
  const bool fromSibling = draft.kind <= GuessRates::kindOf(GuessSource::sibling, GuessPlace::mayEnd);
  if (fromSibling) rates_.count(draft.kind, right);
}

double Drafter::leastProbability(std::int32_t rows) const noexcept {
  return mode_ == DraftMode::always ? 0 : costs_.leastProbability(rows, company_);
}

}  // namespace foretrace
