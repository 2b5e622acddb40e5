// Which rows are grouped to attend together.
#include "cpu/query_tiles.h"

#include <algorithm>
#include <set>
#include <vector>

#include "cpu/kernels.h"
#include "test/check.h"
#include "test/random.h"

namespace foretrace {
namespace {

using cpu::QueryPlan;
using cpu::QueryTile;

constexpr std::int32_t pageTokens = 16;
constexpr std::int32_t tileRows = 4;

/// A block of `count` rows at `position` whose table is shared pages 0 .. shared - 1, then pages of its own.
void addBlock(ForwardBatch& batch, std::int32_t sequence, std::int32_t position, std::int32_t count, std::int32_t shared) {
  std::vector<std::int32_t> pages;
  for (std::int32_t i = 0; i * pageTokens < position + count; ++i) pages.push_back(i < shared ? i : 1000 * (sequence + 1) + i);
  const std::vector<std::int32_t> tokens(static_cast<std::size_t>(count), 1);
  batch.add({sequence, position, tokens, pages, LogitRows::last});
}

/// Every row is in exactly one tile, tiles keep their size, and what is shared is shared.
void checkPlan(const QueryPlan& plan, const ForwardBatch& batch) {
  std::set<std::int32_t> seen;
  for (const QueryTile& tile : plan.tiles()) {
    CHECK(tile.count >= 1 && tile.count <= tileRows && tile.sharedTokens >= 1);
    const auto block = [&](std::int32_t i) { return batch.blockOfRow[static_cast<std::size_t>(plan.row(tile.first + i))]; };
    bool oneBlock = true;
    for (std::int32_t i = 0; i < tile.count; ++i) {
      CHECK(seen.insert(plan.row(tile.first + i)).second);
      oneBlock = oneBlock && block(i) == block(0);
    }
    const auto lastPosition = batch.positions[static_cast<std::size_t>(plan.row(tile.first + tile.count - 1))];
    if (oneBlock) {
      CHECK(tile.sharedTokens == lastPosition + 1);
      continue;
    }
    CHECK(tile.sharedTokens % cpu::chunkTokens == 0);
    for (std::int32_t i = 0; i < tile.count; ++i) {
      CHECK(batch.positions[static_cast<std::size_t>(plan.row(tile.first + i))] + 1 >= tile.sharedTokens);
      for (std::int32_t page = 0; page * pageTokens < tile.sharedTokens; ++page) {
        const auto at = [&](std::int32_t b) { return batch.pages[static_cast<std::size_t>(batch.pageStart[static_cast<std::size_t>(b)] + page)]; };
        CHECK(at(block(i)) == at(block(0)));
      }
    }
  }
  CHECK(seen.size() == static_cast<std::size_t>(batch.rows()));
}

TEST("sequences that share a beginning attend in full tiles") {
  QueryPlan plan(64, pageTokens);
  ForwardBatch batch;
  for (std::int32_t sequence = 0; sequence < 8; ++sequence) addBlock(batch, sequence, 520 + sequence, 1, 32);
  plan.plan(batch, tileRows);
  checkPlan(plan, batch);
  CHECK(plan.tiles().size() == 2);
  for (const QueryTile& tile : plan.tiles()) CHECK(tile.count == 4 && tile.sharedTokens == 512);
}

TEST("sequences that share nothing, or less than a chunk, attend alone") {
  QueryPlan plan(64, pageTokens);
  ForwardBatch batch;
  for (std::int32_t sequence = 0; sequence < 4; ++sequence) addBlock(batch, sequence, 200, 1, sequence < 2 ? 0 : 3);
  plan.plan(batch, tileRows);
  checkPlan(plan, batch);
  CHECK(plan.tiles().size() == 4);
}

TEST("a sequence that shares little does not spoil a tile of sequences that share much") {
  QueryPlan plan(64, pageTokens);
  ForwardBatch batch;
  addBlock(batch, 0, 1030, 1, 64);
  addBlock(batch, 1, 1030, 1, 64);
  addBlock(batch, 2, 1030, 1, 4);
  plan.plan(batch, tileRows);
  checkPlan(plan, batch);
  CHECK(plan.tiles().size() == 2);
  CHECK(std::any_of(plan.tiles().begin(), plan.tiles().end(), [](const QueryTile& tile) { return tile.count == 2 && tile.sharedTokens == 1024; }));
}

TEST("random batches are covered exactly, whatever they share") {
  test::Random random(3);
  QueryPlan plan(256, pageTokens);
  std::size_t together = 0;
  for (int round = 0; round < 300; ++round) {
    ForwardBatch batch;
    const std::int32_t blocks = 1 + random.below(12);
    for (std::int32_t block = 0; block < blocks; ++block) {
      const std::int32_t shared = random.below(20);
      addBlock(batch, block, shared * pageTokens + random.below(100), 1 + random.below(9), shared);
    }
    plan.plan(batch, tileRows);
    checkPlan(plan, batch);
    together += static_cast<std::size_t>(batch.rows()) - plan.tiles().size();
  }
  CHECK(together > 100);
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
