// Cases of drafts on a device that chooses tokens itself, for a GPU and for the emulator: the same bits as without drafts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "test/check.h"
#include "test/cuda_model_cases.h"
#include "test/draft_runs.h"

namespace foretrace::test::draft_cases {  // TEST names its functions by line: one namespace a file

using namespace draft_runs;

inline std::unique_ptr<Engine> engineWith(const LoadedModel& model, DraftMode drafts, bool graphs) {
  CudaOptions device;
  device.graphs = graphs;
  const PoolConfig pool{.pages = 64, .pageTokens = 16, .maxRows = 96};
  auto backend = std::make_unique<Transformer>(model.config, pool, createCudaDevice(model.config, model.weights, pool, device));
  const EngineConfig config{.vocab = model.config.vocab, .maxContext = model.config.maxContext, .pages = pool.pages, .pageTokens = 16,
                            .maxRows = pool.maxRows, .maxSequences = 8, .drafts = drafts};
  auto engine = std::make_unique<Engine>(config, EngineInfo{}, std::move(backend));
  static_cast<void>(engine->addGrammar(recordGrammar().build()));
  return engine;
}

TEST("drafted rows whose tokens the device chooses change no bit of an answer, with graphs and without") {
  const LoadedModel model = model_cases::strongModel(4, 2, 16, 64, 160, recordVocab, true);
  const std::vector<std::int32_t> asked = emulated ? std::vector<std::int32_t>{1, 2, 4} : everyone;
  const auto plain = engineWith(model, DraftMode::off, false);
  for (const bool graphs : {false, true}) {
    const auto drafting = engineWith(model, DraftMode::always, graphs);
    Counts counts;
    for (const double temperature : {0.0, 1.2}) {
      for (const std::int32_t grammar : {0, -1}) {
        GenerationOptions how = options(grammar, temperature);
        if (emulated) how.maxNewTokens = 14;
        const std::string name = "graphs " + std::to_string(graphs) + ", temperature " + std::to_string(temperature) +
                                 ", grammar " + std::to_string(grammar);
        Counts none;
        std::vector<Answer> wanted;
        for (const std::int32_t number : asked) wanted.push_back(ask(*plain, {number}, true, how, none)[0]);
        CHECK(none.drafted == 0);
        for (int round = 0; round < 2; ++round) CHECK_THAT(ask(*drafting, asked, true, how, counts) == wanted, name);
      }
    }
    // The comparison is worth something only if guesses came true and others did not.
    CHECK_THAT(counts.accepted > 20 && counts.accepted < counts.drafted,
               std::to_string(counts.accepted) + " of " + std::to_string(counts.drafted));
  }
}

}  // namespace foretrace::test::draft_cases
