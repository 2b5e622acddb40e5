// One step: several iterations of plan, forward, apply over the blocks of a request.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/step.h"
#include "engine/engine.h"
#include "engine/types.h"

namespace foretrace {

/// Runs one step of an engine. An iteration is one forward pass: blocks take part in request order, as far as maxRows
/// reaches; those that did not fit go first in the next one. A sequence that runs out of pages, fails or finishes
/// leaves the step alone.
class StepRun {
 public:
  StepRun(Engine& engine, const StepRequest& request);

  StepResult run();

 private:
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
    std::vector<Written> written;

    [[nodiscard]] bool generates() const noexcept { return (block.flags & StepBlock::generates) != 0; }
  };

  /// A block that takes part in the current forward pass.
  struct Planned {
    std::size_t index;
    std::int32_t rows;
    bool wantsLogits;
  };

  [[nodiscard]] bool mayIterate(std::int32_t iteration) const;
  void begin(Progress& progress);
  bool plan();
  bool planBlock(std::size_t index, std::int32_t room);
  void forward();
  void requestSamples();
  void apply(std::span<const Sample> samples);
  void choose(Progress& progress, const Sample& sample);
  void takeForced(Progress& progress);
  bool write(Progress& progress, Written written);
  void end(Progress& progress, StepStatus status);
  void fail(Progress& progress, const std::string& why);
  void failPass(const std::string& why);
  [[nodiscard]] bool hasRoom(std::size_t tokens) const noexcept;
  [[nodiscard]] Generation* generation(const Progress& progress);
  [[nodiscard]] StepResult collect() const;

  Engine& engine_;
  const StepRequest& request_;
  std::chrono::steady_clock::time_point started_;
  std::vector<Progress> progress_;  ///< in the order of the request
  std::vector<Planned> planned_;
  ForwardBatch batch_;
  std::vector<SampleRequest> requests_;  ///< one for each row with logits, in their order
  std::size_t firstBlock_ = 0;      ///< where planning starts
  std::size_t tokensWritten_ = 0;
  std::size_t tokensDue_ = 0;       ///< tokens the forward pass in progress will write at least
  bool somethingEnded_ = false;
  StepSummary summary_;
};

}  // namespace foretrace
