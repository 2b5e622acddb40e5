// The host side of the CUDA engine, which needs neither GPU nor nvcc: layouts, splits, memory and work lists.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "cuda/attention_plan.h"
#include "cuda/cuda_device.h"
#include "cuda/fragment.h"
#include "cuda/kernel_parameters.h"
#include "cuda/shapes.h"
#include "cuda/staging.h"
#include "test/check.h"
#include "test/random.h"

namespace foretrace::cuda {
namespace {

using test::Random;

ModelConfig largeModel() {
  ModelConfig config;
  config.hidden = 4096;
  config.layers = 32;
  config.heads = 32;
  config.kvHeads = 8;
  config.headDim = 128;
  config.ffn = 14336;
  config.vocab = 128256;
  config.maxContext = 131072;
  return config;
}

TEST("a packed matrix holds every element once, where the lane that multiplies it loads it") {
  constexpr std::int64_t depthBlocks = 3;
  constexpr std::int64_t outs = 256;
  constexpr std::int64_t depth = depthBlocks * 64;
  std::set<std::int64_t> seen;
  for (std::int64_t out = 0; out < outs; ++out) {
    for (std::int64_t k = 0; k < depth; ++k) {
      const std::int64_t offset = packedOffset(out, k, depthBlocks);
      seen.insert(offset);
      const auto element = static_cast<int>(offset % 8);
      const auto lane = static_cast<int>(offset / 8 % 32);
      const auto step = static_cast<int>(offset / 256 % 2);
      const FragmentIndex at = operandA(lane, element);
      CHECK(at.row == out % 16 && depthOf(step, at.column) == k % 32);
      CHECK(offset / 512 % 2 == k % 64 / 32 && offset / 1024 % 8 == out % 128 / 16);
      CHECK(offset / elementsPerBlock == out / 128 * depthBlocks + k / 64);
    }
  }
  CHECK(seen.size() == static_cast<std::size_t>(outs * depth) && *seen.begin() == 0 && *seen.rbegin() == outs * depth - 1);
}

TEST("one 16-byte read of a row fills operand B of two steps") {
  for (int lane = 0; lane < 32; ++lane) {
    for (int step = 0; step < 2; ++step) {
      for (int element = 0; element < 4; ++element) {
        const FragmentIndex at = operandB(lane, element);
        CHECK(depthOf(step, at.row) == lane % 4 * 8 + step * 4 + element && at.column == lane / 4);
      }
    }
  }
}

TEST("fragments cover their matrices") {
  std::set<std::pair<int, int>> a;
  std::set<std::pair<int, int>> b;
  std::set<std::pair<int, int>> c;
  for (int lane = 0; lane < 32; ++lane) {
    for (int e = 0; e < 8; ++e) a.insert({operandA(lane, e).row, operandA(lane, e).column});
    for (int e = 0; e < 4; ++e) b.insert({operandB(lane, e).row, operandB(lane, e).column});
    for (int e = 0; e < 4; ++e) c.insert({accumulator(lane, e).row, accumulator(lane, e).column});
  }
  CHECK(a.size() == 256 && a.rbegin()->first == 15 && b.size() == 128 && b.rbegin()->first == 15 && c.size() == 128);
}

TEST("splits cover the depth in order, never shorter than 256, and depend on the matrix alone") {
  for (const std::int32_t outs : {1, 128, 1025, 4096, 6144, 28672, 128256}) {
    for (const std::int32_t depth : {1, 64, 500, 2048, 14336, 65536}) {
      const GemmShape shape = gemmShape(outs, depth);
      CHECK(shape.outBlocks * 128 >= outs && (shape.outBlocks - 1) * 128 < outs && shape.depthBlocks * 64 >= depth);
      CHECK(splitBegin(shape.depthBlocks, shape.splits, 0) == 0);
      CHECK(splitBegin(shape.depthBlocks, shape.splits, shape.splits) == shape.depthBlocks);
      for (int split = 0; split < shape.splits; ++split) {
        const int length = splitBegin(shape.depthBlocks, shape.splits, split + 1) - splitBegin(shape.depthBlocks, shape.splits, split);
        CHECK(shape.splits == 1 || length >= 4);
      }
    }
  }
  CHECK(gemmShape(4096, 14336).splits == 8 && gemmShape(128256, 4096).splits == 1 && gemmShape(64, 64).splits == 1);
}

TEST("memory: a large model's weights, pages that fit and a message that says what is missing") {
  const ModelConfig config = largeModel();
  const PoolConfig pool{.pages = 1000, .pageTokens = 16, .maxRows = 512, .maxLogitRows = 64};
  const ModelShapes shapes(config);
  const MemoryPlan plan = planMemory(config, pool, shapes);
  const double parameters = 8.03e9;
  CHECK(static_cast<double>(plan.weightBytes) > 2 * parameters && static_cast<double>(plan.weightBytes) < 2.01 * parameters);
  CHECK(keyValueBytesPerToken(config, shapes) == 131072 && plan.keyValueBytes == std::int64_t{131072} * 16000);
  const std::int64_t available = std::int64_t{40} << 30;
  const std::int32_t pages = affordablePages(config, pool, available);
  PoolConfig sized = pool;
  sized.pages = pages;
  CHECK(planMemory(config, sized, shapes).total() <= available);
  sized.pages = pages + pages / 4;
  CHECK(planMemory(config, sized, shapes).total() > available);
  CHECK(affordablePages(config, pool, std::int64_t{8} << 30) == 0);
  CHECK(test::thrownCode([&] { checkMemory(plan, plan.total()); }) == "nothing");
  std::string message;
  CHECK(test::thrownCode([&] { checkMemory(plan, plan.total() - (std::int64_t{3} << 30)); }, &message) == "invalid_argument");
  CHECK_THAT(message.find("3.00 GiB too little") != std::string::npos, message);
}

/// Every (row, chunk) of a batch must be attended exactly once per head, by one item with the row's own pages.
void checkPlan(const ForwardBatch& batch, const AttentionPlan& plan, const AttentionShape& shape, const std::string& name) {
  std::map<std::pair<int, int>, std::set<int>> heads;  // (row, chunk) -> heads of the group
  for (const AttentionItem& item : plan.items()) {
    CHECK(item.slotCount > 0 && item.slotCount <= (item.whole != 0 ? slotsPerPass : partialItemSlots));
    CHECK(item.whole != 0 ? item.firstChunk == 0 : item.chunkCount == 1);
    for (int slot = item.slotBegin; slot < item.slotBegin + item.slotCount; ++slot) {
      const int row = plan.itemRows()[static_cast<std::size_t>(item.rowsBegin + slot / shape.group)];
      const auto index = static_cast<std::size_t>(row);
      const int position = batch.positions[index];
      CHECK((plan.partialBegin()[index] < 0) == (item.whole != 0));
      const int begin = batch.pageStart[static_cast<std::size_t>(batch.blockOfRow[index])];
      for (int chunk = item.firstChunk; chunk < item.firstChunk + item.chunkCount && chunk * chunkTokens <= position; ++chunk) {
        CHECK_THAT((heads[{row, chunk}].insert(slot % shape.group).second), name);
        const int needed = std::min(position + 1, (chunk + 1) * chunkTokens);
        CHECK_THAT(item.tokens >= needed, name);
        for (int token = chunk * chunkTokens; token < needed; token += shape.pageTokens) {
          const int own = batch.pages[static_cast<std::size_t>(begin + token / shape.pageTokens)];
          const int used = batch.pages[static_cast<std::size_t>(item.pagesBegin + (token - item.firstChunk * chunkTokens) / shape.pageTokens)];
          CHECK_THAT(own == used, name);
        }
      }
    }
  }
  std::set<int> partials;
  for (int row = 0; row < batch.rows(); ++row) {
    const auto index = static_cast<std::size_t>(row);
    const int chunks = batch.positions[index] / chunkTokens + 1;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      CHECK_THAT((heads[{row, chunk}].size() == static_cast<std::size_t>(shape.group)), name);
      if (plan.partialBegin()[index] < 0) continue;
      CHECK_THAT(partials.insert(plan.partialBegin()[index] + chunk).second, name + ": partial results overlap");
    }
  }
  CHECK_THAT(partials.empty() || *partials.rbegin() < shape.partialSlots, name);
  for (const std::int32_t row : plan.mergeRows()) CHECK(plan.partialBegin()[static_cast<std::size_t>(row)] >= 0);
}

/// Sequences of random lengths, half of which begin with pages of the first.
ForwardBatch randomBatch(Random& random, std::int32_t pageTokens, std::int32_t& pages) {
  ForwardBatch batch;
  std::vector<std::int32_t> first;
  pages = 0;
  const std::int32_t blocks = 1 + random.below(12);
  for (std::int32_t b = 0; b < blocks; ++b) {
    const std::int32_t position = random.below(3) == 0 ? 0 : random.below(700);
    const std::int32_t rows = random.below(4) == 0 ? 1 + random.below(200) : 1 + random.below(6);
    std::vector<std::int32_t> table;
    const std::int32_t shared = b > 0 && random.below(2) == 0 ? position / pageTokens : 0;
    while (static_cast<std::int32_t>(table.size()) * pageTokens < position + rows) {
      const bool take = table.size() < first.size() && static_cast<std::int32_t>(table.size()) < shared;
      table.push_back(take ? first[table.size()] : pages++);
    }
    if (b == 0) first = table;
    batch.add({b, position, std::vector<std::int32_t>(static_cast<std::size_t>(rows), 1), table, LogitRows::last});
  }
  return batch;
}

TEST("work lists of random batches attend every row to every chunk once, with its own pages, over many batches of one plan") {
  Random random(77);
  for (const std::int32_t pageTokens : {8, 16, 64}) {
    for (const std::int64_t partialSlots : {std::int64_t{0}, std::int64_t{30}, std::int64_t{100000}}) {
      for (const std::int32_t group : {1, 3, 8}) {
        const AttentionShape shape{group, pageTokens, 20000, partialSlots, true};
        AttentionPlan plan(shape);
        for (int round = 0; round < 12; ++round) {
          std::int32_t pages = 0;
          const ForwardBatch batch = randomBatch(random, pageTokens, pages);
          plan.build(batch);
          checkPlan(batch, plan, shape, "tokens " + std::to_string(pageTokens) + " round " + std::to_string(round));
        }
      }
    }
  }
}

TEST("the chunks of a common prefix are one item for all sequences, and items of their own when sharing is off") {
  ForwardBatch batch;
  std::vector<std::int32_t> prefix;
  for (std::int32_t page = 0; page < 16; ++page) prefix.push_back(page);  // 256 tokens: two chunks
  for (std::int32_t sequence = 0; sequence < 64; ++sequence) {
    auto table = prefix;
    table.push_back(16 + sequence);
    batch.add({sequence, 260, std::vector<std::int32_t>{1}, table, LogitRows::last});
  }
  AttentionPlan shared({4, 16, 100, 1000, true});
  shared.build(batch);
  AttentionPlan apart({4, 16, 100, 1000, false});
  apart.build(batch);
  CHECK(shared.items().size() == 2 * 2 + 64 && apart.items().size() == 3 * 64);  // 256 slots are two items of 128
  checkPlan(batch, shared, {4, 16, 100, 1000, true}, "shared");
  checkPlan(batch, apart, {4, 16, 100, 1000, false}, "apart");
}

TEST("staging holds every part where the layout says, items on 16-byte boundaries") {
  Random random(5);
  std::int32_t pages = 0;
  const ForwardBatch batch = randomBatch(random, 16, pages);
  AttentionPlan plan({2, 16, 20000, 1000, true});
  plan.build(batch);
  const StagingLayout layout = stagingLayout(batch, plan);
  std::vector<std::int32_t> words(layout.words, -7);
  fillStaging(batch, plan, 16, layout, words);
  const auto equal = [&](std::size_t at, auto values) { return std::equal(values.begin(), values.end(), words.begin() + static_cast<std::ptrdiff_t>(at)); };
  CHECK(equal(layout.tokens, batch.tokens) && equal(layout.positions, batch.positions) && equal(layout.pages, batch.pages));
  CHECK(equal(layout.logitRows, batch.logitRows) && equal(layout.partialBegin, plan.partialBegin()));
  CHECK(equal(layout.mergeRows, plan.mergeRows()) && equal(layout.itemRows, plan.itemRows()));
  CHECK(layout.items % 4 == 0 && words[layout.items] == plan.items()[0].rowsBegin && words[layout.items + 7] == plan.items()[0].whole);
  for (std::size_t row = 0; row < batch.tokens.size(); ++row) {
    const int position = batch.positions[row];
    const int page = batch.pages[static_cast<std::size_t>(batch.pageStart[static_cast<std::size_t>(batch.blockOfRow[row])] + position / 16)];
    CHECK(words[layout.slots + row] == page * 16 + position % 16);
  }
}

TEST("a build without CUDA and a machine without a GPU say so instead of failing") {
  const CudaProbe probe = probeCuda();
  CHECK(probe.available == probe.reason.empty() && (probe.compiled || !probe.available));
}

}  // namespace
}  // namespace foretrace::cuda

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
