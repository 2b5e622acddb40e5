#include "engine/step_run.h"

#include <algorithm>
#include <exception>
#include <span>

#include "core/error.h"

namespace foretrace {

StepRun::StepRun(Engine& engine, const StepRequest& request)
    : engine_(engine), request_(request), started_(std::chrono::steady_clock::now()) {
  progress_.reserve(request.blocks.size());
  for (const StepBlock& block : request.blocks) {
    Progress progress;
    progress.block = block;
    progress.promptLeft = block.promptTokens;
    progress_.push_back(std::move(progress));
  }
}

StepResult StepRun::run() {
  for (Progress& progress : progress_) begin(progress);
  for (std::int32_t iteration = 0; mayIterate(iteration); ++iteration) {
    if (!plan()) break;
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

bool StepRun::hasRoom(std::size_t tokens) const noexcept {
  const std::size_t wanted = tokensWritten_ + tokensDue_ + tokens;
  const std::size_t words = request_.blocks.size() * responseHeaderWords + wanted * responseTokenWords;
  return words <= request_.responseWords && wanted <= request_.logProbabilities;
}

/// Starts or resumes a generation; tokens that are forced from the outset are taken before anything is computed, so
/// that they are computed together with the prompt.
void StepRun::begin(Progress& progress) {
  Generation* active = generation(progress);
  if (active == nullptr) return;
  if (active->started) progress.block.flags |= StepBlock::generates;
  if (!progress.generates()) return;
  active->started = true;
  takeForced(progress);
}

bool StepRun::plan() {
  batch_.clear();
  planned_.clear();
  tokensDue_ = 0;
  const std::size_t count = progress_.size();
  const std::size_t first = firstBlock_;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = (first + i) % count;
    if (progress_[index].done) continue;
    if (planBlock(index, engine_.config_.maxRows - batch_.rows())) continue;
    firstBlock_ = index;
    break;
  }
  return !planned_.empty();
}

/// Adds the rows of one block to the batch; false if it has to wait for the next iteration.
bool StepRun::planBlock(std::size_t index, std::int32_t room) {
  Progress& progress = progress_[index];
  const std::int32_t sequence = progress.block.sequence;
  const bool active = progress.generates() && !progress.done && generation(progress) != nullptr;
  if (active && engine_.table_.at(sequence).computed == engine_.table_.at(sequence).known()) {
    engine_.table_.rewind(sequence);
  }
  const Sequence& entry = engine_.table_.at(sequence);
  const std::int32_t left = active ? entry.known() - entry.computed : progress.promptLeft;
  const std::int32_t rows = batch_.rows() == 0 ? std::min(left, room) : left;
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
  const auto first = static_cast<std::size_t>(entry.computed);
  batch_.add({.sequence = sequence,
              .firstPosition = entry.computed,
              .tokens = std::span(entry.tokens).subspan(first, static_cast<std::size_t>(rows)),
              .pageTable = entry.pages,
              .logits = wantsLogits ? LogitRows::last : LogitRows::none});
  planned_.push_back({index, rows, wantsLogits});
  tokensDue_ += wantsLogits ? 1 : 0;
  return true;
}

void StepRun::forward() {
  std::span<const Sample> samples;
  try {
    engine_.backend_->start(batch_);
    requestSamples();
    samples = engine_.backend_->sample(requests_);
    ++summary_.iterations;
    summary_.rows += batch_.rows();
  } catch (const std::exception& error) {
    return failPass(error.what());
  } catch (...) {
    return failPass("unknown exception");
  }
  apply(samples);
}

/// Asks for a token of every row with logits. Masks are made here, while the device computes.
void StepRun::requestSamples() {
  requests_.clear();
  for (const Planned& planned : planned_) {
    if (!planned.wantsLogits) continue;
    const Progress& progress = progress_[planned.index];
    const std::int32_t position = engine_.table_.at(progress.block.sequence).known();
    requests_.push_back(generation(progress)->request(static_cast<std::int32_t>(requests_.size()), position));
  }
}

/// Fails all blocks of the pass. Nothing was committed: the pages stay open and hold what nobody reads.
void StepRun::failPass(const std::string& why) {
  tokensDue_ = 0;
  for (const Planned& planned : planned_) fail(progress_[planned.index], "forward pass: " + why);
}

void StepRun::apply(std::span<const Sample> samples) {
  std::size_t row = 0;
  for (const Planned& planned : planned_) {
    Progress& progress = progress_[planned.index];
    engine_.table_.commit(progress.block.sequence, planned.rows);
    progress.computed += planned.rows;
    progress.promptLeft -= std::min(progress.promptLeft, planned.rows);
    if (planned.wantsLogits) {
      choose(progress, samples[row++]);
    } else if (progress.promptLeft == 0 && (!progress.generates() || generation(progress) == nullptr)) {
      progress.done = true;
    }
  }
}

void StepRun::choose(Progress& progress, const Sample& sample) {
  --tokensDue_;
  if (sample.token < 0) {
    fail(progress, "no legal token has a finite logit");
    return;
  }
  if (write(progress, {sample.token, 0, sample.logProbability})) takeForced(progress);
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
  const StepStatus status = generation(progress)->take(written.token);
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
  for (const Progress& progress : progress_) {
    const auto count = static_cast<std::int32_t>(progress.written.size());
    result.response.insert(result.response.end(), {progress.block.sequence, static_cast<std::int32_t>(progress.status),
                                                   progress.computed, count});
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
