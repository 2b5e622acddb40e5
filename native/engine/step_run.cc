#include "engine/step_run.h"

#include <algorithm>
#include <exception>
#include <span>

#include "core/error.h"

namespace foretrace {

StepScratch::StepScratch(const EngineConfig& config) {
  const auto most = static_cast<std::size_t>(std::max(config.maxRows, 0));
  batch.reserve(most, static_cast<std::size_t>(std::max(config.pages, 0)));
  rows.reserve(most);
  requests.reserve(most);
  if (config.drafts == DraftMode::off) return;
  masks.reserve(most * ((static_cast<std::size_t>(std::max(config.vocab, 0)) + 31) / 32));
  const auto proposed = static_cast<std::size_t>(std::max(0, std::min(config.maxSequences, config.maxRows))) * Drafter::mostTokens;
  drafts.reserve(proposed);
  probabilities.reserve(proposed);
  sibling.reserve(Drafter::mostTokens);
}

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

std::span<const DraftToken> StepRun::draftsOf(const Planned& planned) const {
  return std::span(scratch_.drafts).subspan(planned.firstDraft, static_cast<std::size_t>(planned.drafts));
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
  // Forced tokens that had no room while the drafts of others were due; they are not to be chosen.
  if (progress.generates() && generation(progress) != nullptr) takeForced(progress);
  if (progress.done) return true;
  const bool active = progress.generates() && generation(progress) != nullptr;
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

void StepRun::fillBatch() {
  ForwardBatch& batch = scratch_.batch;
  batch.clear();
  for (const Planned& planned : scratch_.planned) {
    const std::int32_t sequence = sequenceOf(planned);
    const Sequence& entry = engine_.table_.at(sequence);
    const auto first = entry.tokens.begin() + entry.computed;
    scratch_.rows.assign(first, first + planned.rows);
    const std::span<const DraftToken> drafts = draftsOf(planned);
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
  std::span<const Sample> samples;
  const auto began = std::chrono::steady_clock::now();
  try {
    engine_.backend_->start(scratch_.batch);
    requestSamples();  // while the device computes
    samples = engine_.backend_->sample(scratch_.requests);
    ++summary_.iterations;
    summary_.rows += scratch_.batch.rows();
  } catch (const std::exception& error) {
    return failPass(error.what());
  } catch (...) {
    return failPass("unknown exception");
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
  engine_.drafter_.measured(scratch_.batch.rows(), took.count());
  apply(samples);
}

/// Fails all blocks of the pass. Nothing was committed: the pages stay open and hold what nobody reads.
void StepRun::failPass(const std::string& why) {
  tokensDue_ = 0;
  for (const Planned& planned : scratch_.planned) {
    engine_.table_.releaseSpare(sequenceOf(planned), planned.pages);
    fail(scratch_.progress[planned.index], "forward pass: " + why);
  }
}

void StepRun::apply(std::span<const Sample> samples) {
  std::size_t row = 0;
  for (const Planned& planned : scratch_.planned) {
    Progress& progress = scratch_.progress[planned.index];
    engine_.table_.commit(progress.block.sequence, planned.rows);
    progress.computed += planned.rows;
    progress.promptLeft -= std::min(progress.promptLeft, planned.rows);
    if (planned.wantsLogits) {
      row += verify(planned, samples.subspan(row));
    } else if (progress.promptLeft == 0 && (!progress.generates() || generation(progress) == nullptr)) {
      progress.done = true;
    }
  }
}

/// Takes the token that was chosen, and what is forced behind it; false if that ended the generation.
bool StepRun::choose(Progress& progress, const Sample& sample) {
  if (sample.token < 0) {
    fail(progress, "no legal token has a finite logit");
    return false;
  }
  if (engine_.drafter_.active()) {
    engine_.drafter_.rate(*generation(progress), engine_.table_.at(progress.block.sequence).tokens, sample.token);
  }
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
