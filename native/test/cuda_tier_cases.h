// Cases of pages in host memory, for a GPU and for the emulator: what comes back is what was computed.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "test/check.h"
#include "test/cuda_model_cases.h"

namespace foretrace::test::tier_cases {  // TEST names its functions by line: one namespace a file

using namespace model_cases;

inline std::unique_ptr<Engine> engineWith(const LoadedModel& model, std::int64_t hostCacheBytes, std::int32_t pages = 12) {
  CudaOptions options;
  options.hostCacheBytes = hostCacheBytes;
  const PoolConfig pool{.pages = pages, .pageTokens = 16, .maxRows = 160};
  auto backend = std::make_unique<Transformer>(model.config, pool, createCudaDevice(model.config, model.weights, pool, options));
  const EngineConfig config{.vocab = model.config.vocab, .maxContext = model.config.maxContext, .pages = pool.pages, .pageTokens = 16,
                            .maxRows = pool.maxRows, .maxSequences = 4, .hostPages = backend->info().hostPages};
  return std::make_unique<Engine>(config, EngineInfo{}, std::move(backend));
}

struct Answer {
  std::vector<std::int32_t> response;
  std::vector<float> logProbabilities;
  bool operator==(const Answer& other) const {
    return response == other.response && logProbabilities.size() == other.logProbabilities.size() &&
           std::memcmp(logProbabilities.data(), other.logProbabilities.data(), logProbabilities.size() * sizeof(float)) == 0;
  }
};

/// Generates a few tokens after a prompt; only the tokens and their probabilities, not how much was cached.
inline Answer ask(Engine& engine, const std::vector<std::int32_t>& prompt, double temperature) {
  const Engine::Opened opened = engine.open(prompt, 4);
  GenerationOptions options;
  options.temperature = temperature;
  options.topP = 0.95;
  options.seed = 12;
  options.maxNewTokens = 4;
  engine.generate(opened.sequence, options);
  const std::vector<std::int32_t> words{opened.sequence, static_cast<std::int32_t>(prompt.size()) - opened.cachedTokens, 1};
  const StepResult result = engine.run(engine.prepare(words, {.maxIterations = 100}, 100, 20));
  const auto tokens = engine.tokens(opened.sequence);
  Answer answer{{tokens.begin() + static_cast<std::ptrdiff_t>(prompt.size()), tokens.end()}, result.logProbabilities};
  CHECK(answer.response.size() == 4);
  engine.close(opened.sequence);
  engine.checkInvariants();
  return answer;
}

TEST("answers are the same with pages that were in host memory meanwhile as with pages computed anew") {
  for (const LoadedModel& model : models(emulated)) {
    std::vector<std::vector<std::int32_t>> prompts;
    for (std::uint64_t i = 0; i < 3; ++i) prompts.push_back(someTokens(130 + static_cast<std::int32_t>(i), model.config.vocab, 90 + i));
    const auto cold = engineWith(model, 0);
    const auto warm = engineWith(model, std::int64_t{64} << 20);
    CHECK(cold->stats().hostPages == 0 && warm->stats().hostPages > 24);
    const int rounds = emulated ? 2 : 4;
    for (int round = 0; round < rounds; ++round) {
      for (const auto& prompt : prompts) {
        const double temperature = round % 2 == 0 ? 0 : 1.3;
        CHECK(ask(*cold, prompt, temperature) == ask(*warm, prompt, temperature));
      }
    }
    CHECK(cold->stats().restoredPages == 0);
    CHECK_THAT(warm->stats().restoredPages >= 8 * 3 * (rounds - 1), std::to_string(warm->stats().restoredPages));
    CHECK(warm->stats().droppedPages == 0);
  }
}

TEST("host memory holds as many whole pages as its bytes, and less than one page is none") {
  const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
  const std::int64_t pageBytes = std::int64_t{2} * model.config.layers * 2 * 2 * 16 * 32;  // bf16, heads padded to 32
  CHECK(engineWith(model, 5 * pageBytes + 1)->stats().hostPages == 5);
  CHECK(engineWith(model, pageBytes - 1)->stats().hostPages == 0);
}

}  // namespace foretrace::test::tier_cases
