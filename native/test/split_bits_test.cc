// However a pass is divided over the threads, and over however many, its bits are the same.
#include "test/forward_runs.h"

namespace foretrace {
namespace {

using test::configs;
using test::makeBackend;
using test::Mode;
using test::modes;
using test::pagesFrom;
using test::sameBits;
using test::someTokens;
using test::strongModel;

constexpr PoolConfig sizes{.pages = 80, .pageTokens = 16, .maxRows = 200};

/// Three passes over sequences of their own pages: a beginning of an odd length, so that the rows of two threads come to lie in one
/// word of the values; a long chunk beside short ones; and one row each. Returns all logits that are asked for.
std::vector<float> run(Backend& backend, const ModelConfig& config, LogitRows wanted) {
  std::vector<float> result;
  ForwardBatch batch;
  std::vector<std::int32_t> position(4, 0);
  for (const std::vector<std::int32_t>& counts : {std::vector{13, 1, 7, 2}, std::vector{90, 5, 1, 9}, std::vector{1, 1, 1, 1}}) {
    batch.clear();
    for (std::int32_t s = 0; s < 4; ++s) {
      const auto index = static_cast<std::size_t>(s);
      const auto tokens = someTokens(counts[index], config.vocab, static_cast<std::uint64_t>(100 + 10 * s + position[index]));
      batch.add({s, position[index], tokens, pagesFrom(s, 4, 110, sizes.pageTokens), wanted});
      position[index] += counts[index];
    }
    const auto logits = backend.forward(batch);
    result.insert(result.end(), logits.begin(), logits.end());
  }
  return result;
}

TEST("a pass has the same bits by rows, by columns and undivided, with any number of threads, in every mode") {
  for (const ModelConfig& config : configs()) {
    const LoadedModel model = strongModel(config);
    for (const Mode& mode : modes()) {
      for (const LogitRows wanted : {LogitRows::last, LogitRows::all}) {
        const auto expected = run(*makeBackend(model, mode.isa, 1, sizes, mode.dtype), config, wanted);
        for (const char* split : {"solo", "rows", "columns"}) {
          for (const std::int32_t threads : {2, 3, 5}) {
            const auto found = run(*makeBackend(model, mode.isa, threads, sizes, mode.dtype, split), config, wanted);
            CHECK_THAT(sameBits(found, expected), mode.name() + " by " + split + ", threads " + std::to_string(threads));
          }
        }
      }
    }
  }
}

TEST("a division that does not exist is refused") {
  const ModelConfig config = configs().front();
  const LoadedModel model = strongModel(config);
  CHECK_ERROR("invalid_argument", makeBackend(model, "portable", 2, sizes, "fp32", "layers"));
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
