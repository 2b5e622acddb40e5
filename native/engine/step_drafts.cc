// The drafts of a step: what is guessed, what is asked of the rows of a pass, and what comes of it.
#include <algorithm>
#include <functional>
#include <span>

#include "core/error.h"
#include "engine/step_run.h"

namespace foretrace {

/// Gives each sequence that generates a draft, as far as drafts pay and rows, pages and the response have room. All
/// blocks have their pages by now, so a draft takes none from another sequence.
void StepRun::draft() {
  if (!engine_.drafter_.active()) return;
  const auto others = static_cast<std::int32_t>(scratch_.planned.size()) - 1;
  bool generates = false;
  for (const Planned& planned : scratch_.planned) {
    if (!planned.wantsLogits) continue;
    generates = true;
    engine_.drafter_.met(rows_ - planned.rows, others);
  }
  const auto spare = static_cast<std::int32_t>(std::min<std::size_t>(roomLeft(), 1U << 20));
  const std::int32_t room = std::min(engine_.config_.maxRows - rows_, spare);
  if (!generates || room <= 0) return;
  // One more than a draft may have: the drafter sees only then that it has gone too far.
  const std::size_t most = scratch_.planned.size() * static_cast<std::size_t>(Drafter::mostTokens) + 1;
  scratch_.drafts.reserve(most);
  scratch_.probabilities.reserve(most);
  const double least = engine_.drafter_.leastProbability(rows_);
  for (Planned& planned : scratch_.planned) proposeFor(planned, room, least);
  keepWorthwhile(room, least);
  for (Planned& planned : scratch_.planned) {
    takeDraftPages(planned);
    rows_ += planned.drafts;
    tokensDue_ += static_cast<std::size_t>(planned.drafts);
  }
}

void StepRun::proposeFor(Planned& planned, std::int32_t room, double least) {
  planned.firstDraft = scratch_.drafts.size();
  if (!planned.wantsLogits) return;
  const Progress& progress = scratch_.progress[planned.index];
  Generation& active = *generation(progress);
  const std::int32_t most = std::min(room, Drafter::mostTokens);
  scratch_.sibling.clear();
  constexpr std::int32_t mostMisses = 2;  // siblings part early or late; who has found none will hardly find one
  if (active.draft.siblingMisses < mostMisses) {
    engine_.table_.continuation(progress.block.sequence, static_cast<std::size_t>(most), scratch_.sibling);
    active.draft.siblingMisses = scratch_.sibling.empty() ? active.draft.siblingMisses + 1 : 0;
  }
  engine_.drafter_.propose(active, engine_.table_.at(progress.block.sequence).tokens, scratch_.sibling, most,
                           least, scratch_.drafts);
  planned.drafts = static_cast<std::int32_t>(scratch_.drafts.size() - planned.firstDraft);
}

/// Cuts the drafts to the tokens that pay; if more do than there is room for, to the likeliest.
void StepRun::keepWorthwhile(std::int32_t room, double least) {
  const auto limit = static_cast<std::size_t>(room);
  if (scratch_.drafts.size() > limit) {
    scratch_.probabilities.clear();
    for (const DraftToken& draft : scratch_.drafts) scratch_.probabilities.push_back(draft.probability);
    const auto last = scratch_.probabilities.begin() + static_cast<std::ptrdiff_t>(limit);
    std::ranges::nth_element(scratch_.probabilities, last, std::greater<>());
    least = std::max(least, *last);
  }
  auto left = static_cast<std::int32_t>(limit);
  for (Planned& planned : scratch_.planned) {
    std::int32_t kept = 0;
    while (kept < std::min(planned.drafts, left) &&
           scratch_.drafts[planned.firstDraft + static_cast<std::size_t>(kept)].probability >= least) {
      ++kept;
    }
    planned.drafts = kept;
    left -= kept;
  }
}

void StepRun::takeDraftPages(Planned& planned) {
  const std::int32_t sequence = sequenceOf(planned);
  const Sequence& entry = engine_.table_.at(sequence);
  planned.pages = entry.pages.size();
  if (planned.drafts == 0) return;
  const std::int32_t behind = entry.computed + planned.rows;
  const std::int32_t held = engine_.table_.reserveSpare(sequence, behind + planned.drafts);
  planned.drafts = std::min(planned.drafts, held - behind);
}

/// Asks for a token of every row with logits, so that one answer from the device serves all drafts. What a row is asked
/// depends on the tokens before it alone: the choice is the one that would have been made without drafts.
void StepRun::requestSamples() {
  scratch_.requests.clear();
  std::size_t drafts = 0;
  for (const Planned& planned : scratch_.planned) drafts += static_cast<std::size_t>(planned.drafts);
  const std::size_t words = (static_cast<std::size_t>(engine_.config_.vocab) + 31) / 32;
  if (scratch_.masks.size() < drafts * words) scratch_.masks.resize(drafts * words);
  std::span<std::uint32_t> masks(scratch_.masks);
  for (const Planned& planned : scratch_.planned) {
    if (!planned.wantsLogits) continue;
    Generation& active = *generation(scratch_.progress[planned.index]);
    const auto row = static_cast<std::int32_t>(scratch_.requests.size());
    scratch_.requests.push_back(active.request(row, engine_.table_.at(sequenceOf(planned)).known()));
    if (planned.drafts == 0) continue;
    requestDrafted(planned, active, masks);
    masks = masks.subspan(static_cast<std::size_t>(planned.drafts) * words);
  }
}

/// Asks for the tokens behind drafted ones, with the masks that hold once the tokens before have been taken.
void StepRun::requestDrafted(const Planned& planned, Generation& active, std::span<std::uint32_t> masks) {
  SampleRequest request = scratch_.requests.back();
  GrammarCursor* cursor = active.cursor();
  GrammarCursor::Mark mark;
  if (cursor != nullptr) mark = cursor->mark();
  for (const DraftToken& draft : draftsOf(planned)) {
    ++request.position;
    if (cursor != nullptr) ensure(cursor->accept(draft.token), "a token that is not legal was drafted");
    if (!draft.wantsLogits) continue;
    ++request.row;
    if (cursor != nullptr) {
      const std::size_t words = cursor->grammar().words();
      static_cast<void>(cursor->legalMask(masks.first(words)));
      request.mask = masks.first(words);
      masks = masks.subspan(words);
    }
    scratch_.requests.push_back(request);
  }
  if (cursor != nullptr) cursor->restore(mark);
}

/// Takes the tokens chosen from the rows of a block: the token behind its last known one, and then, for as long as
/// what was chosen or forced is what was drafted, the token behind each drafted one. Returns how many rows it has.
std::size_t StepRun::verify(const Planned& planned, std::span<const Sample> samples) {
  Progress& progress = scratch_.progress[planned.index];
  const std::int32_t sequence = progress.block.sequence;
  tokensDue_ -= 1 + static_cast<std::size_t>(planned.drafts);
  bool goesOn = choose(progress, samples.front());
  std::size_t rows = 1;
  bool right = true;
  for (const DraftToken& draft : draftsOf(planned)) {
    const std::size_t row = draft.wantsLogits ? rows++ : rows;
    if (!draft.forced) ++progress.drafted;
    if (!right) continue;
    const Sequence& entry = engine_.table_.at(sequence);
    const bool isKnown = entry.known() > entry.computed;
    right = isKnown && entry.tokens[static_cast<std::size_t>(entry.computed)] == draft.token;
    if (!draft.forced && isKnown && generation(progress) != nullptr) {
      engine_.drafter_.verified(*generation(progress), draft, right);
    }
    if (!right) continue;
    if (!draft.forced) ++progress.accepted;
    engine_.table_.commit(sequence, 1);
    ++progress.computed;
    const bool choiceIsDue = goesOn && draft.wantsLogits && entry.known() == entry.computed && hasRoom(1);
    if (choiceIsDue) goesOn = choose(progress, samples[row]);
  }
  engine_.table_.releaseSpare(sequence, planned.pages);
  return rows;
}

}  // namespace foretrace
