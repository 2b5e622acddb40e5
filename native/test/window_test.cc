// Layers whose rows see a window of positions only: against the double-precision reference, and bit for bit against themselves
// whatever is computed together.
#include <algorithm>

#include "test/forward_runs.h"

namespace foretrace::test {
namespace {

/// The second layer sees `window` positions, the first all.
LoadedModel windowed(ModelConfig config, std::int32_t window) {
  config.slidingWindow = window;
  config.windowedLayers = {0, 1};
  return strongModel(config);
}

/// Within a chunk of 64, of one, across two, of a single position.
constexpr std::int32_t windows[] = {40, 64, 100, 1};

TEST("windows agree with the reference in every instruction set and number format") {
  const ModelConfig config = configs()[0];
  const auto vocab = static_cast<std::size_t>(config.vocab);
  const auto tokens = someTokens(170, config.vocab, 3);
  for (const std::int32_t window : windows) {
    const LoadedModel model = windowed(config, window);
    const auto expected = reference::forward(model.config, model.weights, tokens);
    for (const Mode& mode : modes()) {
      const auto backend = makeBackend(model, mode.isa, 2, pool, mode.dtype);
      const Rows found = runChunks(*backend, tokens, pagesFrom(0, 1, tokens.size()), {100}, vocab);
      double squares = 0;
      double errors = 0;
      for (std::size_t row = 0; row < found.size(); ++row) {
        for (std::size_t i = 0; i < vocab; ++i) {
          squares += expected[row][i] * expected[row][i];
          errors += (static_cast<double>(found[row][i]) - expected[row][i]) * (static_cast<double>(found[row][i]) - expected[row][i]);
        }
      }
      const std::string dtype = mode.dtype;
      const double bound = dtype == "fp32" ? 1e-9 : dtype == "bf16" ? 1e-3 : 1e-2;
      CHECK_THAT(errors <= bound * squares, mode.name() + " window " + std::to_string(window) + ": " + std::to_string(errors / squares));
    }
  }
}

TEST("a window that a sequence does not outgrow changes no bit, one that it does changes what follows") {
  const ModelConfig config = configs()[1];
  const auto vocab = static_cast<std::size_t>(config.vocab);
  const auto tokens = someTokens(120, config.vocab, 4);
  const LoadedModel model = windowed(config, 70);
  const LoadedModel plain = windowed(config, 0);
  const auto pages = pagesFrom(0, 1, tokens.size());
  const Rows found = runChunks(*makeBackend(model, "portable", 1), tokens, pages, {50}, vocab);
  const Rows everything = runChunks(*makeBackend(plain, "portable", 1), tokens, pages, {50}, vocab);
  CHECK(sameBits(Rows(found.begin(), found.begin() + 70), Rows(everything.begin(), everything.begin() + 70)));
  CHECK(!sameBits(found[70], everything[70]));
}

TEST("chunks of any size, other pages and other threads give the same bits under a window") {
  const ModelConfig config = configs()[0];
  const auto vocab = static_cast<std::size_t>(config.vocab);
  const auto tokens = someTokens(170, config.vocab, 5);
  for (const std::int32_t window : windows) {
    const LoadedModel model = windowed(config, window);
    for (const Mode& mode : modes()) {
      const auto backend = makeBackend(model, mode.isa, 2, {.pages = 64, .pageTokens = 8, .maxRows = 170}, mode.dtype);
      const Rows whole = runChunks(*backend, tokens, pagesFrom(0, 1, tokens.size()), {170}, vocab);
      CHECK_THAT(sameBits(whole, runChunks(*backend, tokens, pagesFrom(22, 1, tokens.size()), {1}, vocab)), mode.name());
      CHECK_THAT(sameBits(whole, runChunks(*backend, tokens, pagesFrom(60, -2, tokens.size()), {3, 64, 5, 2}, vocab)), mode.name());
      const auto other = makeBackend(model, mode.isa, 1, {.pages = 16, .pageTokens = 32, .maxRows = 128}, mode.dtype);
      CHECK_THAT(sameBits(whole, runChunks(*other, tokens, pagesFrom(0, 1, tokens.size(), 32), {33}, vocab)), mode.name());
    }
  }
}

TEST("sequences with a common beginning have the same bits together and alone under a window") {
  const ModelConfig config = configs()[0];
  const auto vocab = static_cast<std::size_t>(config.vocab);
  const auto prefix = someTokens(136, config.vocab, 6);
  for (const std::int32_t window : windows) {
    const LoadedModel model = windowed(config, window);
    for (const Mode& mode : modes()) {
      const auto backend = makeBackend(model, mode.isa, 2, {.pages = 64, .pageTokens = 8, .maxRows = 128}, mode.dtype);
      const auto prefixPages = pagesFrom(0, 1, prefix.size());
      (void)runChunks(*backend, prefix, prefixPages, {100}, vocab);
      ForwardBatch together;
      Rows alone;
      for (std::int32_t member = 0; member < 5; ++member) {
        auto pages = prefixPages;
        pages.push_back(20 + member);
        const std::vector<std::int32_t> own = someTokens(1 + member % 3, config.vocab, 10 + static_cast<std::uint64_t>(member));
        together.add({member, 136, own, pages, LogitRows::last});
        ForwardBatch single;
        single.add({member, 136, own, pages, LogitRows::last});
        const auto logits = backend->forward(single);
        alone.emplace_back(logits.begin(), logits.end());
      }
      const auto logits = backend->forward(together);
      for (std::size_t member = 0; member < alone.size(); ++member) {
        const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(member * vocab);
        CHECK_THAT(sameBits(alone[member], std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(vocab))), mode.name() + " window " + std::to_string(window));
      }
    }
  }
}

}  // namespace
}  // namespace foretrace::test

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
