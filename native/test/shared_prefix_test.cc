// Sequences that share pages of the prefix tree are attended together: that must not be seen in their bits.
#include "test/forward_runs.h"

namespace foretrace {
namespace {

using test::configs;
using test::makeBackend;
using test::Mode;
using test::modes;
using test::pagesFrom;
using test::Rows;
using test::runChunks;
using test::someTokens;
using test::strongModel;

TEST("sequences that share pages have the same bits together and alone, in every mode") {
  for (const ModelConfig& config : configs()) {
    const LoadedModel model = strongModel(config);
    const auto vocab = static_cast<std::size_t>(config.vocab);
    const PoolConfig sizes{.pages = 80, .pageTokens = 8, .maxRows = 200};
    const auto prefix = someTokens(136, config.vocab, 1);
    for (const Mode& mode : modes()) {
      const auto backend = makeBackend(model, mode.isa, 2, sizes, mode.dtype);
      (void)runChunks(*backend, prefix, pagesFrom(0, 1, prefix.size()), {136}, vocab);
      ForwardBatch batch;
      std::vector<Rows> alone;
      for (const bool together : {false, true}) {
        for (std::int32_t s = 0; s < 7; ++s) {  // sequences of 1, 2, 3, .. new tokens after the 136 they share
          std::vector<std::int32_t> table = pagesFrom(0, 1, s == 6 ? 64 : prefix.size());
          if (s == 6) table.insert(table.end(), {70, 71, 72, 73, 74, 75, 76, 77, 78});  // shares 64 only
          const auto position = static_cast<std::int32_t>(prefix.size());
          if (s == 6 && !together) for (std::int32_t i = 0; i < 9; ++i) backend->copyPage(8 + i, 70 + i, 8);
          table.push_back(20 + s);
          const auto tokens = someTokens(1 + s % 4, config.vocab, static_cast<std::uint64_t>(50 + s));
          if (!together) batch.clear();
          batch.add({s, position, tokens, table, LogitRows::all});
          if (together) continue;
          const auto logits = backend->forward(batch);
          alone.emplace_back();
          for (std::size_t row = 0; row < tokens.size(); ++row) {
            const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(row * vocab);
            alone.back().emplace_back(begin, begin + static_cast<std::ptrdiff_t>(vocab));
          }
        }
        if (!together) batch.clear();
      }
      const auto logits = backend->forward(batch);
      std::size_t row = 0;
      for (const Rows& rows : alone) {
        for (const auto& expected : rows) {
          CHECK_THAT(std::memcmp(logits.data() + row * vocab, expected.data(), vocab * sizeof(float)) == 0,
                     mode.name() + " row " + std::to_string(row));
          ++row;
        }
      }
      CHECK(logits.size() == row * vocab);
    }
  }
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
