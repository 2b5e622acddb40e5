// Cases of captured passes, for a GPU and for the emulator: the same bits with graphs and without.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "test/check.h"
#include "test/cuda_model_cases.h"
#include "test/random.h"

namespace foretrace::test::graph_cases {  // TEST names its functions by line: one namespace a file

using namespace model_cases;

inline std::unique_ptr<Backend> backendWith(const LoadedModel& model, bool graphs, const PoolConfig& pool = modelPool) {
  CudaOptions options;
  options.graphs = graphs;
  return std::make_unique<Transformer>(model.config, pool, createCudaDevice(model.config, model.weights, pool, options));
}

/// Sequences that grow by blocks of one to three tokens, some of them in each pass; which ones and how much is drawn from a
/// seed, so that two backends are asked the same.
class Traffic {
 public:
  Traffic(std::int32_t sequences, std::int32_t shared, std::int32_t vocab) : vocab_(vocab) {
    const auto prefix = someTokens(shared, vocab, 31);
    const std::int32_t prefixPages = shared / 16;
    for (std::int32_t i = 0; i < sequences; ++i) {
      auto tokens = prefix;
      tokens.resize(static_cast<std::size_t>(16 * prefixPages));
      tokens_.push_back(std::move(tokens));
      pages_.push_back(pagesFrom(0, 1, static_cast<std::size_t>(16 * prefixPages), 16));
      for (std::int32_t page = 0; page < 6; ++page) pages_.back().push_back(prefixPages + 6 * i + page);
    }
    prefix_ = {prefix.begin(), prefix.begin() + 16 * prefixPages};
  }

  /// The logits of every pass, one after the other.
  Rows run(Backend& backend, int passes) {
    Random random(9);
    Rows all;
    auto tokens = tokens_;
    (void)runChunks(backend, prefix_, pages_[0], {70}, static_cast<std::size_t>(vocab_));
    for (int pass = 0; pass < passes; ++pass) {
      ForwardBatch batch;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (random.below(3) == 0) continue;
        const std::int32_t count = random.below(4) == 0 ? 3 : 1;
        const std::size_t position = tokens[i].size();
        if (position + 3 > pages_[i].size() * 16) continue;
        for (std::int32_t t = 0; t < count; ++t) tokens[i].push_back(random.below(vocab_));
        const LogitRows wanted = random.below(4) == 0 ? LogitRows::none : count > 1 ? LogitRows::all : LogitRows::last;
        batch.add({static_cast<std::int32_t>(i), static_cast<std::int32_t>(position), std::span(tokens[i]).subspan(position), pages_[i], wanted});
      }
      appendRows(all, backend.forward(batch), 0, static_cast<std::size_t>(batch.wanted()), static_cast<std::size_t>(vocab_));
    }
    return all;
  }

 private:
  std::int32_t vocab_;
  std::vector<std::int32_t> prefix_;
  std::vector<std::vector<std::int32_t>> tokens_;
  std::vector<std::vector<std::int32_t>> pages_;
};

TEST("passes repeated from graphs have the bits of passes launched one by one, while sequences come, go and grow") {
  for (const LoadedModel& model : models(emulated)) {
    for (const std::int32_t shared : {16, 112}) {  // the second crosses into another chunk of attention
      Traffic traffic(emulated ? 3 : 40, shared, model.config.vocab);
      const int passes = emulated ? 14 : 60;
      const auto direct = backendWith(model, false);
      const auto repeated = backendWith(model, true);
      const Rows expected = traffic.run(*direct, passes);
      CHECK(expected.size() > static_cast<std::size_t>(passes));
      CHECK_THAT(sameBits(expected, traffic.run(*repeated, passes)), "first run, shared " + std::to_string(shared));
      CHECK_THAT(sameBits(expected, traffic.run(*repeated, passes)), "second run, shared " + std::to_string(shared));
    }
  }
}

TEST("a page copied between two repeated passes is seen by the second") {
  const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
  const auto tokens = someTokens(24, model.config.vocab, 4);
  std::vector<Rows> found;
  for (const bool graphs : {false, true}) {
    const auto backend = backendWith(model, graphs);
    Rows rows = runChunks(*backend, tokens, {0, 1}, {20, 1}, 96);
    backend->copyPage(1, 7, 5);  // tokens 16 .. 20
    ForwardBatch batch;
    for (std::int32_t position = 21; position < 24; ++position) {
      batch.clear();
      batch.add({1, position, std::span(tokens).subspan(static_cast<std::size_t>(position), 1), std::vector<std::int32_t>{0, 7}, LogitRows::last});
      appendRows(rows, backend->forward(batch), 0, 1, 96);
    }
    CHECK(sameBits(std::vector<float>(rows[23]), rows[26]));
    found.push_back(std::move(rows));
  }
  CHECK(sameBits(found[0], found[1]));
}

TEST("a pool whose buffers hold no whole bucket still serves every pass") {
  const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
  const PoolConfig narrow{.pages = 60, .pageTokens = 16, .maxRows = 3, .maxLogitRows = 1};
  std::vector<Rows> found;
  for (const bool graphs : {false, true}) {
    const auto backend = backendWith(model, graphs, narrow);
    Rows rows;
    const auto tokens = someTokens(12, model.config.vocab, 6);
    for (int round = 0; round < 3; ++round) {
      for (std::int32_t position = 0; position < 12; position += 3) {
        ForwardBatch batch;
        batch.add({1, position, std::span(tokens).subspan(static_cast<std::size_t>(position), 3), std::vector<std::int32_t>{2}, LogitRows::last});
        appendRows(rows, backend->forward(batch), 0, 1, 96);
      }
    }
    found.push_back(std::move(rows));
  }
  CHECK(found[0].size() == 12 && sameBits(found[0], found[1]));
}

}  // namespace foretrace::test::graph_cases
