// One model, one pool of KV pages, one backend: the engine behind the binding, without Node.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/backend.h"
#include "core/error.h"
#include "engine/drafter.h"
#include "engine/generation.h"
#include "engine/types.h"
#include "engine/worker.h"
#include "grammar/grammar.h"
#include "memory/sequence_table.h"

namespace foretrace {

struct StepScratch;

/// Serves the methods of NativeEngine in src/native/addon-types.ts; the comments there are the contract. One owner
/// thread calls all methods; a step may run on the engine's own thread, and until its callback has been called every
/// method but `stats`, `interrupt`, `busy` and `shutDown` throws `engine_busy`. After `shutDown` they throw
/// `engine_closed`. Arguments out of range throw `invalid_argument` and change nothing.
class Engine {
 public:
  /// Called on the engine thread when a step ends: its result, or the error that ended it.
  using StepCallback = std::function<void(StepResult, std::optional<Error>)>;

  struct Opened {
    std::int32_t sequence = -1;
    std::int32_t cachedTokens = 0;
  };

  Engine(const EngineConfig& config, EngineInfo info, std::unique_ptr<Backend> backend);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  [[nodiscard]] const EngineInfo& info() const noexcept { return info_; }
  [[nodiscard]] const EngineConfig& config() const noexcept { return config_; }

  std::int32_t addGrammar(GrammarData data);
  /// Generations that use the grammar keep it until they end.
  void removeGrammar(std::int32_t grammar);

  Opened open(std::span<const std::int32_t> tokens, std::int32_t reserve);
  std::int32_t fork(std::int32_t sequence, std::int32_t length, std::int32_t reserve);
  void append(std::int32_t sequence, std::span<const std::int32_t> tokens, std::int32_t reserve);
  /// Ends a generation in progress, too.
  void truncate(std::int32_t sequence, std::int32_t length);
  void close(std::int32_t sequence);
  void generate(std::int32_t sequence, const GenerationOptions& options);
  [[nodiscard]] std::span<const std::int32_t> tokens(std::int32_t sequence) const;
  /// How many of its tokens have been computed.
  [[nodiscard]] std::int32_t computed(std::int32_t sequence) const;

  /// Checks the words of a request ring and makes the step that `run` or `start` carries out. A block may not ask for
  /// more prompt tokens than are known, nor for more than maxRows; a sequence may occur once.
  [[nodiscard]] StepRequest prepare(std::span<const std::int32_t> words, const StepOptions& options,
                                    std::size_t responseWords, std::size_t logProbabilities) const;
  /// Runs a step on the calling thread.
  StepResult run(const StepRequest& request);
  /// Runs a step on the engine thread.
  void start(StepRequest request, StepCallback callback);
  void interrupt() noexcept { interrupted_ = true; }
  [[nodiscard]] bool busy() const noexcept { return busy_; }

  /// Counts of the pool; those of the last iteration while a step is in flight.
  [[nodiscard]] MemoryStats stats() const;
  void checkInvariants() const;
  /// [tokens.size(), vocab], computed in a sequence of its own that takes nothing from the prefix tree.
  [[nodiscard]] std::vector<float> logits(std::span<const std::int32_t> tokens);
  void clearCache();

  /// Refuses further work, asks a step in flight to return and joins the engine thread. Safe to call twice.
  void shutDown() noexcept;
  /// The first half of `shutDown`: returns at once.
  void refuseWork() noexcept;

 private:
  friend class StepRun;

  struct Slot {
    std::optional<Generation> generation;
  };

  void requireIdle() const;
  void requireContext(std::int64_t tokens) const;
  void checkTokens(std::span<const std::int32_t> tokens) const;
  void checkBlock(const StepBlock& block, std::vector<bool>& seen) const;
  /// Carries out the copies of an operation; if one fails, those not made stay in `copies_`.
  void copyPages();
  /// The same for an operation on `sequence`; if one fails, the tokens of the tail page are computed anew.
  void applyCopies(std::int32_t sequence);
  void closeUnlessCopied(std::int32_t sequence);
  StepResult runNow(const StepRequest& request);
  void publishStats();
  [[nodiscard]] Slot& slot(std::int32_t sequence) { return slots_[static_cast<std::size_t>(sequence)]; }
  [[nodiscard]] const Slot& slot(std::int32_t sequence) const { return slots_[static_cast<std::size_t>(sequence)]; }

  EngineConfig config_;
  EngineInfo info_;
  std::unique_ptr<Backend> backend_;
  SequenceTable table_;
  std::vector<Slot> slots_;                                ///< [maxSequences]
  std::vector<std::shared_ptr<const Grammar>> grammars_;   ///< by id; null once removed
  std::vector<PageCopy> copies_;                           ///< scratch of one operation
  Drafter drafter_;
  std::unique_ptr<StepScratch> scratch_;                   ///< of the step that runs
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> busy_{false};
  std::atomic<bool> closed_{false};
  mutable std::mutex statsMutex_;
  MemoryStats publishedStats_;
  Worker worker_;  ///< last: its thread ends before anything it uses
};

}  // namespace foretrace
