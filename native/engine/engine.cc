#include "engine/engine.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "engine/step_run.h"

namespace foretrace {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& expected, std::int64_t actual) {
  throw Error(ErrorCode::invalid_argument, what, expected, std::to_string(actual));
}

void checkRange(const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) refuse(what, std::to_string(low) + " to " + std::to_string(high), value);
}

MemoryOptions memoryOptions(const EngineConfig& config) {
  checkRange("maxRows", config.maxRows, 1, 1 << 20);
  checkRange("maxSequences", config.maxSequences, 1, 1 << 16);
  return {.pages = config.pages,
          .pageTokens = config.pageTokens,
          .maxSequences = config.maxSequences,
          .reusePrefixes = config.reusePrefixes,
          .hostPages = config.hostPages};
}

}  // namespace

Engine::Engine(const EngineConfig& config, EngineInfo info, std::unique_ptr<Backend> backend)
    : config_(config), info_(std::move(info)), backend_(std::move(backend)), table_(memoryOptions(config)),
      slots_(static_cast<std::size_t>(config.maxSequences)), drafter_(config.drafts),
      scratch_(std::make_unique<StepScratch>(config)) {
  checkRange("vocabulary size", config.vocab, 1, 1 << 24);
  checkRange("maxContext", config.maxContext, 1, 1 << 30);
  publishStats();
}

Engine::~Engine() { shutDown(); }

void Engine::requireIdle() const {
  if (closed_) throw Error(ErrorCode::engine_closed, "the engine has been closed");
  if (busy_) throw Error(ErrorCode::engine_busy, "the engine is running a step");
}

void Engine::requireContext(std::int64_t tokens) const {
  checkRange("tokens of a sequence, reserve included (context of the model)", tokens, 0, config_.maxContext);
}

void Engine::checkTokens(std::span<const std::int32_t> tokens) const {
  for (const std::int32_t token : tokens) checkRange("token id", token, 0, config_.vocab - 1);
}

void Engine::copyPages() {
  std::size_t done = 0;
  try {
    for (; done < copies_.size(); ++done) {
      const PageCopy& copy = copies_[done];
      switch (copy.kind) {
        case PageCopy::Kind::withinPool: backend_->copyPage(copy.from, copy.to, copy.tokens); break;
        case PageCopy::Kind::toHost: backend_->copyPageOut(copy.from, copy.to); break;
        case PageCopy::Kind::fromHost: backend_->copyPageIn(copy.from, copy.to); break;
      }
    }
  } catch (...) {
    copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(done));
    throw;
  }
  copies_.clear();
}

void Engine::applyCopies(std::int32_t sequence) {
  try {
    copyPages();
  } catch (...) {
    table_.forgetTail(sequence);
    table_.abandon(std::exchange(copies_, {}));
    throw;
  }
}

void Engine::closeUnlessCopied(std::int32_t sequence) {
  try {
    copyPages();
  } catch (...) {
    table_.close(sequence);
    table_.abandon(std::exchange(copies_, {}));
    throw;
  }
}

std::int32_t Engine::addGrammar(GrammarData data) {
  requireIdle();
  auto grammar = std::make_shared<const Grammar>(std::move(data), config_.vocab);
  const auto unused = std::ranges::find(grammars_, nullptr);
  const auto id = static_cast<std::int32_t>(unused - grammars_.begin());
  if (unused == grammars_.end()) grammars_.emplace_back();
  grammars_[static_cast<std::size_t>(id)] = std::move(grammar);
  return id;
}

void Engine::removeGrammar(std::int32_t grammar) {
  requireIdle();
  const bool known = grammar >= 0 && static_cast<std::size_t>(grammar) < grammars_.size();
  if (!known || grammars_[static_cast<std::size_t>(grammar)] == nullptr) {
    refuse("grammar", "a registered grammar", grammar);
  }
  grammars_[static_cast<std::size_t>(grammar)] = nullptr;
}

Engine::Opened Engine::open(std::span<const std::int32_t> tokens, std::int32_t reserve) {
  requireIdle();
  checkRange("reserve", reserve, 0, config_.maxContext);
  requireContext(static_cast<std::int64_t>(tokens.size()) + reserve);
  checkTokens(tokens);
  const SequenceTable::Opened opened = table_.open(tokens, reserve, copies_);
  closeUnlessCopied(opened.sequence);
  return {opened.sequence, opened.cachedTokens};
}

std::int32_t Engine::fork(std::int32_t sequence, std::int32_t length, std::int32_t reserve) {
  requireIdle();
  checkRange("reserve", reserve, 0, config_.maxContext);
  requireContext(std::int64_t{length} + reserve);
  const std::int32_t child = table_.fork(sequence, length, reserve, copies_);
  closeUnlessCopied(child);
  return child;
}

void Engine::append(std::int32_t sequence, std::span<const std::int32_t> tokens, std::int32_t reserve) {
  requireIdle();
  const std::int32_t known = table_.at(sequence).known();
  const auto& generation = slot(sequence).generation;
  if (generation && generation->started) {
    throw Error(ErrorCode::invalid_argument, "sequence", "one that is not generating", std::to_string(sequence));
  }
  checkRange("reserve", reserve, 0, config_.maxContext);
  const std::int64_t promised = std::max(reserve, generation ? generation->remaining() : 0);
  requireContext(std::int64_t{known} + static_cast<std::int64_t>(tokens.size()) + promised);
  checkTokens(tokens);
  table_.append(sequence, tokens, reserve, copies_);
  applyCopies(sequence);
}

void Engine::truncate(std::int32_t sequence, std::int32_t length) {
  requireIdle();
  table_.truncate(sequence, length);
  slot(sequence).generation.reset();
}

void Engine::close(std::int32_t sequence) {
  requireIdle();
  table_.close(sequence);
  slot(sequence).generation.reset();
}

void Engine::generate(std::int32_t sequence, const GenerationOptions& options) {
  requireIdle();
  const std::int32_t known = table_.at(sequence).known();
  if (known == 0) refuse("tokens of the sequence", "at least 1", 0);
  std::shared_ptr<const Grammar> grammar;
  if (options.grammar != -1) {
    const bool inRange = options.grammar >= 0 && static_cast<std::size_t>(options.grammar) < grammars_.size();
    if (inRange) grammar = grammars_[static_cast<std::size_t>(options.grammar)];
    if (grammar == nullptr) refuse("grammar", "-1 or a registered grammar", options.grammar);
  }
  requireContext(std::int64_t{known} + options.maxNewTokens);
  slot(sequence).generation = Generation(options, std::move(grammar), config_.vocab);
}

std::span<const std::int32_t> Engine::tokens(std::int32_t sequence) const {
  requireIdle();
  return table_.at(sequence).tokens;
}

std::int32_t Engine::computed(std::int32_t sequence) const {
  requireIdle();
  return table_.at(sequence).computed;
}

void Engine::checkBlock(const StepBlock& block, std::vector<bool>& seen) const {
  const Sequence& sequence = table_.at(block.sequence);
  if (seen[static_cast<std::size_t>(block.sequence)]) {
    refuse("request ring", "each sequence once", block.sequence);
  }
  seen[static_cast<std::size_t>(block.sequence)] = true;
  checkRange("flags of a block", block.flags, 0, StepBlock::generates);
  checkRange("promptTokens of a block (maxRows)", block.promptTokens, 0, config_.maxRows);
  const std::int32_t uncomputed = sequence.known() - sequence.computed;
  checkRange("promptTokens of a block (known tokens that are not computed)", block.promptTokens, 0, uncomputed);
  const auto& generation = slot(block.sequence).generation;
  if (generation && generation->started) return;
  if (block.flags == StepBlock::generates) {
    if (!generation) refuse("block that generates", "a call of generate for its sequence before", block.sequence);
    checkRange("promptTokens of a block that generates (all that are not computed)", block.promptTokens, uncomputed,
               uncomputed);
  } else if (block.promptTokens == 0) {
    refuse("block", "prompt tokens, or a sequence that generates", block.sequence);
  }
}

StepRequest Engine::prepare(std::span<const std::int32_t> words, const StepOptions& options,
                            std::size_t responseWords, std::size_t logProbabilities) const {
  requireIdle();
  if (words.size() % StepBlock::words != 0) {
    refuse("words of the request ring", "a multiple of 3", static_cast<std::int64_t>(words.size()));
  }
  checkRange("maxIterations", options.maxIterations, 1, INT32_MAX);
  checkRange("deadlineMicros", options.deadlineMicros, 0, INT64_MAX / 2000);
  StepRequest request{.blocks = {}, .options = options, .responseWords = responseWords,
                      .logProbabilities = logProbabilities};
  std::vector<bool> seen(slots_.size(), false);
  for (std::size_t i = 0; i < words.size(); i += StepBlock::words) {
    const StepBlock block{words[i], words[i + 1], words[i + 2]};
    checkBlock(block, seen);
    request.blocks.push_back(block);
  }
  // Each block must be able to write one token, or a step might make no progress for ever.
  const std::size_t least = request.blocks.size() * (responseHeaderWords + responseTokenWords);
  if (responseWords < least || logProbabilities < request.blocks.size()) {
    refuse("room in the response ring", "at least " + std::to_string(least) + " words and a log-probability per block",
           static_cast<std::int64_t>(responseWords));
  }
  return request;
}

StepResult Engine::runNow(const StepRequest& request) { return StepRun(*this, request).run(); }

StepResult Engine::run(const StepRequest& request) {
  requireIdle();
  interrupted_ = false;
  StepResult result = runNow(request);
  publishStats();
  return result;
}

void Engine::start(StepRequest request, StepCallback callback) {
  requireIdle();
  interrupted_ = false;
  publishStats();
  busy_ = true;
  try {
    worker_.post([this, request = std::move(request), callback = std::move(callback)] {
      StepResult result;
      std::optional<Error> failure;
      try {
        result = runNow(request);
      } catch (const Error& error) {
        failure = error;
      } catch (const std::exception& error) {
        failure = Error(ErrorCode::internal, error.what());
      } catch (...) {
        failure = Error(ErrorCode::internal, "unknown exception in a step");
      }
      busy_ = false;
      callback(std::move(result), std::move(failure));
    });
  } catch (...) {
    busy_ = false;
    throw;
  }
}

void Engine::publishStats() {
  const MemoryStats now = table_.stats();
  const std::scoped_lock lock(statsMutex_);
  publishedStats_ = now;
}

MemoryStats Engine::stats() const {
  if (closed_) throw Error(ErrorCode::engine_closed, "the engine has been closed");
  if (!busy_) return table_.stats();
  const std::scoped_lock lock(statsMutex_);
  return publishedStats_;
}

void Engine::checkInvariants() const {
  requireIdle();
  table_.checkInvariants();
}

void Engine::clearCache() {
  requireIdle();
  table_.clearCache();
}

void Engine::refuseWork() noexcept {
  closed_ = true;
  interrupted_ = true;
}

void Engine::shutDown() noexcept {
  refuseWork();
  worker_.stop();
}

}  // namespace foretrace
