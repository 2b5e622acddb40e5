#include "engine/step_run.h"

#include <algorithm>
#include <exception>
#include <span>

#include "core/error.h"

namespace foretrace {

void StepScratch::Progress::restart(const StepBlock& asked) {
  block = asked;
  done = false;
  status = StepStatus::running;
  promptLeft = asked.promptTokens;
  computed = 0;
  drafted = 0;
  accepted = 0;
  written.clear();
}

StepRun::StepRun(Engine& engine, const StepRequest& request)
    : engine_(engine), request_(request), scratch_(*engine.scratch_), started_(std::chrono::steady_clock::now()) {
  if (scratch_.progress.size() < request.blocks.size()) scratch_.progress.resize(request.blocks.size());
  for (std::size_t i = 0; i < request.blocks.size(); ++i) scratch_.progress[i].restart(request.blocks[i]);
}

StepResult StepRun::run() {
  for (std::size_t i = 0; i < request_.blocks.size(); ++i) begin(scratch_.progress[i]);
  for (std::int32_t iteration = 0; mayIterate(iteration); ++iteration) {
    if (!plan()) break;
    draft();
    fillBatch();
    forward();
    engine_.publishStats();
  }
  return collect();
}

bool StepRun::mayIterate(std::int32_t iteration) const {
  if (iteration >= request_.options.maxIterations) return false;
  if (iteration == 0) return true;
  if (request_.options.returnOnFinish && somethingEnded_) return false;
  if (engine_.interrupted_) return false;
  if (request_.options.deadlineMicros == 0) return true;
  const auto elapsed = std::chrono::steady_clock::now() - started_;
  return elapsed < std::chrono::microseconds(request_.options.deadlineMicros);
}

Generation* StepRun::generation(const Progress& progress) {
  auto& generation = engine_.slot(progress.block.sequence).generation;
  return generation ? &*generation : nullptr;
}

std::int32_t StepRun::sequenceOf(const Planned& planned) const {
  return scratch_.progress[planned.index].block.sequence;
}

/// Tokens that may still be written beside those that are due.
std::size_t StepRun::roomLeft() const noexcept {
  const std::size_t taken = tokensWritten_ + tokensDue_;
  const std::size_t words = request_.responseWords - request_.blocks.size() * responseHeaderWords;
  const std::size_t most = std::min(words / responseTokenWords, request_.logProbabilities);
  return most > taken ? most - taken : 0;
}

/// Starts or resumes a generation; tokens that are forced from the outset are taken before anything is computed, so
/// that they are computed together with the prompt.
void StepRun::begin(Progress& progress) {
  Generation* active = generation(progress);
  if (active == nullptr) return;
  if (active->started) progress.block.flags |= StepBlock::generates;
  if (!progress.generates()) return;
  if (!active->started && engine_.drafter_.active()) {
    engine_.drafter_.begin(*active, engine_.table_.at(progress.block.sequence).tokens);
  }
  active->started = true;
  takeForced(progress);
}

bool StepRun::plan() {
  scratch_.planned.clear();
  scratch_.drafts.clear();
  rows_ = 0;
  tokensDue_ = 0;
  const std::size_t count = request_.blocks.size();
  const std::size_t first = firstBlock_;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = (first + i) % count;
    Progress& progress = scratch_.progress[index];
    // The last pass may have had no room for all that is forced, because it kept some for drafts that came to nothing.
    if (!progress.done && progress.generates() && generation(progress) != nullptr) takeForced(progress);
    if (progress.done) continue;
    if (planBlock(index, engine_.config_.maxRows - rows_)) continue;
    firstBlock_ = index;
    break;
  }
  return !scratch_.planned.empty();
}

/// Plans the rows of one block; false if it has to wait for the next iteration.
bool StepRun::planBlock(std::size_t index, std::int32_t room) {
  Progress& progress = scratch_.progress[index];
  const std::int32_t sequence = progress.block.sequence;
  const bool active = progress.generates() && !progress.done && generation(progress) != nullptr;
  if (active && engine_.table_.at(sequence).computed == engine_.table_.at(sequence).known()) {
    engine_.table_.rewind(sequence);
  }
  const Sequence& entry = engine_.table_.at(sequence);
  const std::int32_t left = active ? entry.known() - entry.computed : progress.promptLeft;
  const std::int32_t rows = rows_ == 0 ? std::min(left, room) : left;
  if (rows > room) return false;
  const bool wantsLogits = active && rows == left;
  if (wantsLogits && !hasRoom(1)) return false;
  try {
    engine_.table_.reserve(sequence, entry.computed + rows, engine_.copies_);
    engine_.applyCopies(sequence);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_pages) {
      end(progress, StepStatus::outOfPages);
    } else {
      fail(progress, error.message());
    }
    return true;
  }
  scratch_.planned.push_back({index, rows, wantsLogits});
  rows_ += rows;
  tokensDue_ += wantsLogits ? 1 : 0;
  return true;
}

/// Gives each sequence that generates a draft, as far as drafts pay and rows, pages and the response have room. All
/// blocks have their pages by now, so a draft takes none from another sequence.
void StepRun::draft() {
  if (!engine_.drafter_.active()) return;
  std::int32_t sequences = 0;
  for (const Planned& planned : scratch_.planned) sequences += planned.wantsLogits ? 1 : 0;
  const auto spare = static_cast<std::int32_t>(std::min<std::size_t>(roomLeft(), 1U << 20));
  const std::int32_t room = std::min(engine_.config_.maxRows - rows_, spare);
  if (sequences == 0 || room <= 0) return;
  // One more than a draft may have: the drafter sees only then that it has gone too far.
  const std::size_t most = scratch_.planned.size() * static_cast<std::size_t>(Drafter::mostTokens) + 1;
  scratch_.drafts.reserve(most);
  scratch_.probabilities.reserve(most);
  for (Planned& planned : scratch_.planned) proposeFor(planned, room);
  keepWorthwhile(sequences, room);
  for (Planned& planned : scratch_.planned) {
    takeDraftPages(planned);
    rows_ += planned.drafts;
    tokensDue_ += static_cast<std::size_t>(planned.drafts);
  }
}

void StepRun::proposeFor(Planned& planned, std::int32_t room) {
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
                           scratch_.drafts);
  planned.drafts = static_cast<std::int32_t>(scratch_.drafts.size() - planned.firstDraft);
}

/// Cuts the drafts to the tokens that pay; if more do than there is room for, to the likeliest.
void StepRun::keepWorthwhile(std::int32_t sequences, std::int32_t room) {
  double least = engine_.drafter_.leastProbability(sequences, rows_);
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

void StepRun::fillBatch() {
  ForwardBatch& batch = scratch_.batch;
  batch.clear();
  for (const Planned& planned : scratch_.planned) {
    const std::int32_t sequence = sequenceOf(planned);
    const Sequence& entry = engine_.table_.at(sequence);
    const auto first = entry.tokens.begin() + entry.computed;
    scratch_.rows.assign(first, first + planned.rows);
    const std::span<const DraftToken> drafts =
        std::span(scratch_.drafts).subspan(planned.firstDraft, static_cast<std::size_t>(planned.drafts));
    for (const DraftToken& draft : drafts) scratch_.rows.push_back(draft.token);
    const std::int32_t firstRow = batch.rows();
    batch.add({.sequence = sequence,
               .firstPosition = entry.computed,
               .tokens = scratch_.rows,
               .pageTable = entry.pages,
               .logits = LogitRows::none});
    std::int32_t row = firstRow + planned.rows - 1;
    if (planned.wantsLogits) batch.logitRows.push_back(row);
    for (const DraftToken& draft : drafts) {
      ++row;
      if (draft.wantsLogits) batch.logitRows.push_back(row);
    }
  }
}

void StepRun::forward() {
  std::span<const float> logits;
  const auto began = std::chrono::steady_clock::now();
  try {
    logits = engine_.backend_->forward(scratch_.batch);
    ++summary_.iterations;
    summary_.rows += scratch_.batch.rows();
  } catch (const std::exception& error) {
    return failPass(error.what());
  } catch (...) {
    return failPass("unknown exception");
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
  engine_.drafter_.measured(scratch_.batch.rows(), took.count());
  apply(logits);
}

/// Fails all blocks of the pass. Nothing was committed: the pages stay open and hold what nobody reads.
void StepRun::failPass(const std::string& why) {
  tokensDue_ = 0;
  for (const Planned& planned : scratch_.planned) {
    engine_.table_.releaseSpare(sequenceOf(planned), planned.pages);
    fail(scratch_.progress[planned.index], "forward pass: " + why);
  }
}

void StepRun::apply(std::span<const float> logits) {
  const auto vocab = static_cast<std::size_t>(engine_.config_.vocab);
  std::size_t row = 0;
  for (const Planned& planned : scratch_.planned) {
    Progress& progress = scratch_.progress[planned.index];
    engine_.table_.commit(progress.block.sequence, planned.rows);
    progress.computed += planned.rows;
    progress.promptLeft -= std::min(progress.promptLeft, planned.rows);
    if (planned.wantsLogits) {
      row += verify(planned, logits.subspan(row * vocab));
    } else if (progress.promptLeft == 0 && (!progress.generates() || generation(progress) == nullptr)) {
      progress.done = true;
    }
  }
}

/// Chooses the tokens of a block from its rows of logits: the token behind its last known one, and then, for as long as
/// what was chosen or forced is what was drafted, the token behind each drafted one. Returns how many rows it has.
std::size_t StepRun::verify(const Planned& planned, std::span<const float> logits) {
  const auto vocab = static_cast<std::size_t>(engine_.config_.vocab);
  Progress& progress = scratch_.progress[planned.index];
  const std::int32_t sequence = progress.block.sequence;
  tokensDue_ -= 1 + static_cast<std::size_t>(planned.drafts);
  bool goesOn = choose(progress, logits.first(vocab));
  std::size_t rows = 1;
  bool right = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(planned.drafts); ++i) {
    const DraftToken& draft = scratch_.drafts[planned.firstDraft + i];
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
    if (choiceIsDue) goesOn = choose(progress, logits.subspan(row * vocab, vocab));
  }
  engine_.table_.releaseSpare(sequence, planned.pages);
  return rows;
}

/// Chooses the next token from its row of logits, and takes what is forced behind it; false if that ended the generation.
bool StepRun::choose(Progress& progress, std::span<const float> row) {
  Generation& active = *generation(progress);
  const std::span<const std::int32_t> known = engine_.table_.at(progress.block.sequence).tokens;
  const Sample sample = active.choose(row, engine_.sampler_, static_cast<std::int32_t>(known.size()));
  if (sample.token < 0) {
    fail(progress, "no legal token has a finite logit");
    return false;
  }
  if (engine_.drafter_.active()) engine_.drafter_.rate(active, known, sample.token);
  if (write(progress, {sample.token, 0, sample.logProbability})) takeForced(progress);
  return generation(progress) != nullptr;
}

void StepRun::takeForced(Progress& progress) {
  while (hasRoom(1)) {
    const std::int32_t token = generation(progress)->forcedToken();
    if (token < 0 || !write(progress, {token, tokenForced, 0.0F})) return;
  }
}

/// Appends a token to sequence and response; false if it ended the generation.
bool StepRun::write(Progress& progress, Written written) {
  engine_.table_.push(progress.block.sequence, written.token);
  progress.written.push_back(written);
  ++tokensWritten_;
  Generation& active = *generation(progress);
  const StepStatus status = active.take(written.token);
  if (engine_.drafter_.active()) {
    const std::span<const std::int32_t> tokens = engine_.table_.at(progress.block.sequence).tokens;
    engine_.drafter_.follow(active, tokens);
    if (status == StepStatus::finished) engine_.drafter_.finish(active, tokens);
  }
  if (status == StepStatus::running) return true;
  engine_.slot(progress.block.sequence).generation.reset();
  end(progress, status);
  return false;
}

/// Records how a block ended. Prompt tokens it still asked for are computed all the same; if that fails, the generation
/// that forced tokens alone have finished stays finished.
void StepRun::end(Progress& progress, StepStatus status) {
  if (progress.status == StepStatus::running) progress.status = status;
  const bool unusable = status == StepStatus::outOfPages || status == StepStatus::failed;
  progress.done = unusable || progress.promptLeft == 0;
  somethingEnded_ = true;
}

void StepRun::fail(Progress& progress, const std::string& why) {
  if (summary_.failure.empty()) summary_.failure = why;
  engine_.slot(progress.block.sequence).generation.reset();
  end(progress, StepStatus::failed);
}

StepResult StepRun::collect() const {
  StepResult result;
  result.response.reserve(request_.blocks.size() * responseHeaderWords + tokensWritten_ * responseTokenWords);
  result.logProbabilities.reserve(tokensWritten_);
  for (std::size_t i = 0; i < request_.blocks.size(); ++i) {
    const Progress& progress = scratch_.progress[i];
    const auto count = static_cast<std::int32_t>(progress.written.size());
    result.response.insert(result.response.end(),
                           {progress.block.sequence, static_cast<std::int32_t>(progress.status), progress.computed,
                            progress.drafted, progress.accepted, count});
    for (const Written& written : progress.written) {
      result.response.insert(result.response.end(), {written.token, written.flags});
      result.logProbabilities.push_back(written.logProbability);
    }
  }
  result.summary = summary_;
  result.summary.words = static_cast<std::int32_t>(result.response.size());
  const auto elapsed = std::chrono::steady_clock::now() - started_;
  result.summary.computeMicros = std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
  return result;
}

}  // namespace foretrace
