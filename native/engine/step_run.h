// One step: several iterations of plan, draft, forward, apply over the blocks of a request.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/sampling.h"
#include "core/step.h"
#include "engine/drafter.h"
#include "engine/engine.h"
#include "engine/types.h"

namespace foretrace {

/// Memory of a step, kept by the engine so that a warm step takes none.
struct StepScratch {
  /// A token written to the response.
  struct Written {
    std::int32_t token;
    std::int32_t flags;
    float logProbability;
  };

  /// A block of the request and how far it has come.
  struct Progress {
    StepBlock block;
    bool done = false;
    StepStatus status = StepStatus::running;
    std::int32_t promptLeft = 0;
    std::int32_t computed = 0;
    std::int32_t drafted = 0;
    std::int32_t accepted = 0;
    std::vector<Written> written;

    [[nodiscard]] bool generates() const noexcept { return (block.flags & StepBlock::generates) != 0; }
    void restart(const StepBlock& asked);
  };

  /// A block that takes part in the current forward pass: `rows` known tokens, then `drafts` drafted ones.
  struct Planned {
    std::size_t index;
    std::int32_t rows;
    bool wantsLogits;
    std::size_t firstDraft = 0;
    std::int32_t drafts = 0;
    std::size_t pages = 0;  ///< held by the sequence before the drafts got theirs
  };

  /// Room for the largest pass of the engine.
  explicit StepScratch(const EngineConfig& config);

  std::vector<Progress> progress;  ///< in the order of the request; may be longer than it
  std::vector<Planned> planned;
  std::vector<DraftToken> drafts;
  std::vector<std::int32_t> sibling;
  std::vector<double> probabilities;
  std::vector<std::int32_t> rows;  ///< tokens of one block
  ForwardBatch batch;
  std::vector<SampleRequest> requests;  ///< one for each row with logits, in their order
  std::vector<std::uint32_t> masks;     ///< of drafted rows
};

/// Runs one step of an engine. An iteration is one forward pass: blocks take part in request order, as far as maxRows
/// reaches; those that did not fit go first in the next one. Drafts take what room the blocks leave. A sequence that runs
/// out of pages, fails or finishes leaves the step alone.
class StepRun {
 public:
  StepRun(Engine& engine, const StepRequest& request);

  StepResult run();

 private:
  using Progress = StepScratch::Progress;
  using Planned = StepScratch::Planned;
  using Written = StepScratch::Written;

  [[nodiscard]] bool mayIterate(std::int32_t iteration) const;
  void begin(Progress& progress);
  bool plan();
  bool planBlock(std::size_t index, std::int32_t room);
  void draft();
  void proposeFor(Planned& planned, std::int32_t room);
  void keepWorthwhile(std::int32_t sequences, std::int32_t room);
  void takeDraftPages(Planned& planned);
  void fillBatch();
  void forward();
  void requestSamples();
  void requestDrafted(const Planned& planned, Generation& active, std::span<std::uint32_t> masks);
  void apply(std::span<const Sample> samples);
  std::size_t verify(const Planned& planned, std::span<const Sample> samples);
  bool choose(Progress& progress, const Sample& sample);
  void takeForced(Progress& progress);
  bool write(Progress& progress, Written written);
  void end(Progress& progress, StepStatus status);
  void fail(Progress& progress, const std::string& why);
  void failPass(const std::string& why);
  [[nodiscard]] std::size_t roomLeft() const noexcept;
  [[nodiscard]] bool hasRoom(std::size_t tokens) const noexcept { return tokens <= roomLeft(); }
  [[nodiscard]] std::int32_t sequenceOf(const Planned& planned) const;
  [[nodiscard]] std::span<const DraftToken> draftsOf(const Planned& planned) const;
  [[nodiscard]] Generation* generation(const Progress& progress);
  [[nodiscard]] StepResult collect() const;

  Engine& engine_;
  const StepRequest& request_;
  StepScratch& scratch_;
  std::chrono::steady_clock::time_point started_;
  std::int32_t rows_ = 0;           ///< of the pass that is planned
  std::size_t firstBlock_ = 0;      ///< where planning starts
  std::size_t tokensWritten_ = 0;
  std::size_t tokensDue_ = 0;       ///< tokens the forward pass in progress may write before its forced ones
  bool somethingEnded_ = false;
  StepSummary summary_;
};

}  // namespace foretrace
