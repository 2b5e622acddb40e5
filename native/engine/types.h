// Plain values that go into and come out of the engine; src/native/addon-types.ts says what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretrace {

/// Whether tokens are drafted: never, where measurements say that it pays, or wherever there is a guess (for tests).
/// Answers are the same in every mode.
enum class DraftMode : std::uint8_t { off, automatic, always };

/// What an engine is made with; the model has been loaded already.
struct EngineConfig {
  std::int32_t vocab = 0;
  std::int32_t maxContext = 0;
  std::int32_t pages = 0;
  std::int32_t pageTokens = 16;
  std::int32_t maxRows = 512;
  std::int32_t maxSequences = 256;
  std::int32_t hostPages = 0; ///< pages of host memory the backend has for what is evicted
  bool reusePrefixes = true;  ///< false: nothing is taken from the prefix tree (tests compare cached with cold)
  DraftMode drafts = DraftMode::automatic;
};

struct EngineInfo {
  std::string architecture;
  std::int32_t vocabSize = 0;
  std::int32_t hiddenSize = 0;
  std::int32_t layers = 0;
  std::int32_t heads = 0;
  std::int32_t kvHeads = 0;
  std::int32_t maxContext = 0;
  std::int64_t parameters = 0;
  std::int64_t weightBytes = 0;
  std::int64_t kvBytesPerToken = 0;
  std::int32_t pages = 0;
  std::int32_t pageTokens = 0;
  std::string device;
  std::string deviceReason;
  std::string isa;
  std::string dtype;  ///< number format of the weights
  std::int32_t threads = 0;
  std::string modelDigest;
};

struct GenerationOptions {
  std::int32_t grammar = -1;
  std::int32_t state = 0;
  std::vector<std::int32_t> frames;
  double temperature = 0;
  double topP = 1;
  std::int64_t seed = 0;
  std::int32_t maxNewTokens = 0;
  std::int32_t stopToken = -1;
  /// What is expected to be generated: drafted first, and verified as every draft is. Of use with a grammar alone.
  std::vector<std::int32_t> expected{};
};

struct StepOptions {
  std::int32_t maxIterations = 1;
  std::int64_t deadlineMicros = 0;  ///< 0 = none
  bool returnOnFinish = false;
};

struct StepSummary {
  std::int32_t words = 0;
  std::int32_t iterations = 0;
  std::int64_t rows = 0;
  std::int64_t computeMicros = 0;
  std::string failure;  ///< why the first block that failed did so; empty if none has
};

enum class StepStatus : std::int32_t { running = 0, finished = 1, length = 2, stopped = 3, outOfPages = 4, failed = 5 };

/// One entry of the request ring.
struct StepBlock {
  static constexpr std::size_t words = 3;
  static constexpr std::int32_t generates = 1;  ///< flag: the sequence generates after these tokens

  std::int32_t sequence = -1;
  std::int32_t promptTokens = 0;
  std::int32_t flags = 0;
};

/// Words of one block in the response ring before its tokens, and words of one token.
inline constexpr std::size_t responseHeaderWords = 6;
inline constexpr std::size_t responseTokenWords = 2;
inline constexpr std::int32_t tokenForced = 1;

/// A checked step, ready to run.
struct StepRequest {
  std::vector<StepBlock> blocks;
  StepOptions options;
  std::size_t responseWords = 0;     ///< room in the response ring
  std::size_t logProbabilities = 0;  ///< room for log-probabilities
};

/// What a step wrote: the response ring, as words, and one log-probability per token.
struct StepResult {
  std::vector<std::int32_t> response;
  std::vector<float> logProbabilities;
  StepSummary summary;
};

}  // namespace foretrace
