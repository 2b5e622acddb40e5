// The host side of the CUDA engine, which needs neither GPU nor nvcc: layouts, splits, memory and work lists.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "cuda/attention_plan.h"
#include "cuda/cuda_device.h"
#include "cuda/float8.h"
#include "cuda/fragment.h"
#include "cuda/kernel_parameters.h"
#include "cuda/pass_shape.h"
#include "cuda/sample_tasks.h"
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

TEST("a packed matrix and a buffer of rows hold every byte once, in core matrices of 8 rows x 16 bytes") {
  constexpr std::int64_t depthBlocks = 3;
  constexpr std::int64_t bytes = depthBlocks * depthBytes;
  std::set<std::int64_t> weights;
  std::set<std::int64_t> rows;
  for (std::int64_t line = 0; line < 256; ++line) {
    for (std::int64_t byte = 0; byte < bytes; ++byte) {
      const std::int64_t packed = packedOffset(line, byte, depthBlocks);
      const std::int64_t row = rowOffset(line, byte, 32);
      weights.insert(packed);
      rows.insert(row);
      CHECK(packed / weightBlockBytes == line / 128 * depthBlocks + byte / 128 && packed % weightBlockBytes / groupBytes == line % 128 / 8);
      CHECK(row / groupBytes == byte / 128 * 32 + line / 8);
      for (const std::int64_t offset : {packed, row}) {
        CHECK(offset % groupBytes / coreBytes == byte % 128 / 16 && offset % coreBytes / 16 == line % 8 && offset % 16 == byte % 16);
      }
    }
  }
  for (const auto& offsets : {weights, rows}) {
    CHECK(offsets.size() == static_cast<std::size_t>(256 * bytes) && *offsets.begin() == 0 && *offsets.rbegin() == 256 * bytes - 1);
  }
}

TEST("lanes that ldmatrix gives the words of core matrices hold the operands of mma, for two bytes an element and for one") {
  for (int lane = 0; lane < 32; ++lane) {
    // Register i of operand A: matrix i, whose rows are those from 8 (i % 2) on and whose bytes those from 16 (i / 2) on.
    for (int i = 0; i < 4; ++i) {
      for (int e = 0; e < 2; ++e) {
        const FragmentIndex at = operandA(lane, 2 * i + e);
        CHECK(at.row == i % 2 * 8 + lane / 4 && 2 * at.column == i / 2 * 16 + lane % 4 * 4 + 2 * e);
      }
      for (int e = 0; e < 4; ++e) {
        const FragmentIndex at = operandA8(lane, 4 * i + e);
        CHECK(at.row == i % 2 * 8 + lane / 4 && at.column == i / 2 * 16 + lane % 4 * 4 + e);
      }
    }
    // Register i of operand B: the bytes from 16 i on of the row lane / 4.
    for (int i = 0; i < 2; ++i) {
      for (int e = 0; e < 2; ++e) CHECK(operandB(lane, 2 * i + e).column == lane / 4 && 2 * operandB(lane, 2 * i + e).row == 16 * i + lane % 4 * 4 + 2 * e);
      for (int e = 0; e < 4; ++e) CHECK(operandB8(lane, 4 * i + e).column == lane / 4 && operandB8(lane, 4 * i + e).row == 16 * i + lane % 4 * 4 + e);
    }
  }
}

TEST("one 16-byte read of a row fills operand B of two steps of attention") {
  for (int lane = 0; lane < 32; ++lane) {
    for (int step = 0; step < 2; ++step) {
      for (int element = 0; element < 4; ++element) {
        const FragmentIndex at = operandB(lane, element);
        CHECK(depthOf(step, at.row) == lane % 4 * 8 + step * 4 + element && at.column == lane / 4);
      }
    }
  }
}

TEST("fp8: every code comes back, the nearest is found, ties go to even, nothing is lost above 448") {
  double previous = -1;
  for (int code = 0; code < 0x7F; ++code) {
    const float value = float8ToFloat(static_cast<std::uint8_t>(code));
    CHECK(floatToFloat8(value) == code && floatToFloat8(-value) == (code | 0x80) && static_cast<double>(value) > previous);
    if (code > 0) {
      const double middle = (previous + static_cast<double>(value)) / 2;  // exact
      CHECK(floatToFloat8(static_cast<float>(middle)) == (code % 2 == 0 ? code : code - 1));
      CHECK(floatToFloat8(std::nextafter(static_cast<float>(middle), 1e9F)) == code);
      CHECK(floatToFloat8(std::nextafter(static_cast<float>(middle), 0.0F)) == code - 1);
    }
    previous = static_cast<double>(value);
  }
  CHECK(previous == 448.0 && float8ToFloat(0x08) == 0x1p-6F && float8ToFloat(0x01) == 0x1p-9F);
  CHECK(floatToFloat8(1e30F) == 0x7E && floatToFloat8(-449.0F) == 0xFE && floatToFloat8(std::numeric_limits<float>::infinity()) == 0x7E);
  CHECK(std::isnan(float8ToFloat(0x7F)) && (floatToFloat8(std::numeric_limits<float>::quiet_NaN()) & 0x7F) == 0x7F);
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

TEST("formats: bytes of depth decide blocks and splits, one byte an element takes half the memory and scales") {
  const GemmShape wide = gemmShape(4096, 14336, WeightFormat::bf16);
  const GemmShape narrow = gemmShape(4096, 14336, WeightFormat::int8);
  CHECK(wide.depthBlocks == 224 && narrow.depthBlocks == 112 && narrow.packedBytes() * 2 == wide.packedBytes());
  CHECK(wide.scales() == 0 && narrow.scales() == 4096 && narrow.inputBytes(9) == 16 * 14336 && wide.inputBytes(8) == 8 * 28672);
  const PoolConfig pool{.pages = 1000, .pageTokens = 16, .maxRows = 512, .maxLogitRows = 64};
  ModelConfig config = largeModel();
  const auto bytes = [&](WeightFormat format) { return planMemory(config, pool, ModelShapes(config, format)).weightBytes; };
  CHECK(bytes(WeightFormat::int8) < bytes(WeightFormat::bf16) * 6 / 10 && bytes(WeightFormat::int8) == bytes(WeightFormat::fp8));
  config.tied = true;
  CHECK(ModelShapes(config, WeightFormat::int8).ownEmbedding && !ModelShapes(config, WeightFormat::bf16).ownEmbedding);
  for (const char* name : {"bf16", "int8", "fp8"}) CHECK(std::string(weightFormatName(resolveWeightFormat(name))) == name);
  CHECK(resolveWeightFormat("auto") == WeightFormat::bf16);
  for (const char* name : {"fp32", "", "INT8"}) CHECK_ERROR("invalid_argument", (void)resolveWeightFormat(name));
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
  const std::int32_t pages = affordablePages(config, pool, WeightFormat::bf16, available);
  PoolConfig sized = pool;
  sized.pages = pages;
  CHECK(planMemory(config, sized, shapes).total() <= available);
  sized.pages = pages + pages / 4;
  CHECK(planMemory(config, sized, shapes).total() > available);
  CHECK(affordablePages(config, pool, WeightFormat::bf16, std::int64_t{8} << 30) == 0);
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
    CHECK(item.whole != 0 ? item.firstChunk == 0 : item.chunkCount >= 1 && item.chunkCount <= mostJoinedChunks);
    CHECK(item.whole != 0 || item.chunkCount == 1 || item.slotCount <= slotsPerWarp);
    for (int slot = item.slotBegin; slot < item.slotBegin + item.slotCount; ++slot) {
      const int row = plan.itemRows()[static_cast<std::size_t>(item.rowsBegin + slot / shape.group)];
      const auto index = static_cast<std::size_t>(row);
      const int position = batch.positions[index];
      CHECK((plan.partialBegin()[index] < 0) == (item.whole != 0));
      CHECK_THAT(item.lowest <= position && item.lowest >= 0, name + ": a chunk is passed over that a row's window reaches");
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
  int fewer = 0;
  for (const std::int32_t pageTokens : {8, 16, 64}) {
    for (const std::int64_t partialSlots : {std::int64_t{0}, std::int64_t{30}, std::int64_t{100000}}) {
      for (const std::int32_t group : {1, 3, 8}) {
        const AttentionShape shape{group, pageTokens, 20000, partialSlots, true};
        AttentionShape joining = shape;
        joining.busyBlocks = 1;
        AttentionPlan plan(shape);
        AttentionPlan joined(joining);
        for (int round = 0; round < 12; ++round) {
          std::int32_t pages = 0;
          const ForwardBatch batch = randomBatch(random, pageTokens, pages);
          for (AttentionPlan* each : {&plan, &joined}) {
            each->build(batch);
            checkPlan(batch, *each, shape, "tokens " + std::to_string(pageTokens) + " round " + std::to_string(round));
          }
          fewer += plan.items().size() > joined.items().size() ? 1 : 0;
        }
      }
    }
  }
  CHECK(fewer > 20);  // chunks that only one sequence sees are joined
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

/// Every part of a staged batch where the layout says, items on 16-byte boundaries, and padding that does nothing.
void checkStaging(const ForwardBatch& batch, const AttentionPlan& plan, const PassShape& shape) {
  const StagingLayout layout = stagingLayout(batch, plan, shape);
  std::vector<std::int32_t> words(layout.words, -7);
  fillStaging(batch, plan, shape, 16, layout, words);
  const auto part = [&](std::size_t at) { return words.begin() + static_cast<std::ptrdiff_t>(at); };
  const auto holds = [&](std::size_t at, auto values) { return std::equal(values.begin(), values.end(), part(at)); };
  CHECK(holds(layout.tokens, batch.tokens) && holds(layout.positions, batch.positions) && holds(layout.pageList, batch.pages));
  CHECK(holds(layout.logitRows, batch.logitRows) && holds(layout.partialBegin, plan.partialBegin()));
  CHECK(holds(layout.mergeRows, plan.mergeRows()) && holds(layout.itemRows, plan.itemRows()));
  CHECK(layout.items % 4 == 0);
  for (std::int32_t i = 0; i < shape.items; ++i) {
    AttentionItem item;
    std::memcpy(&item, words.data() + layout.items + static_cast<std::size_t>(i) * (sizeof item / 4), sizeof item);
    if (static_cast<std::size_t>(i) >= plan.items().size()) {
      CHECK(item.slotCount == 0 && item.chunkCount == 0 && item.whole == 0);
      continue;
    }
    const AttentionItem& planned = plan.items()[static_cast<std::size_t>(i)];
    CHECK(item.rowsBegin == planned.rowsBegin);
    CHECK(words[layout.pages + static_cast<std::size_t>(item.pagesBegin)] == batch.pages[static_cast<std::size_t>(planned.pagesBegin)]);
    CHECK(item.slotCount == planned.slotCount && item.tokens == planned.tokens && item.whole == planned.whole);
  }
  for (std::int32_t row = 0; row < shape.rows; ++row) {
    const std::int32_t slot = words[layout.slots + static_cast<std::size_t>(row)];
    if (row >= batch.rows()) {
      CHECK(slot == -1 && words[layout.tokens + static_cast<std::size_t>(row)] == 0 && words[layout.positions + static_cast<std::size_t>(row)] == 0);
      continue;
    }
    const auto index = static_cast<std::size_t>(row);
    const int position = batch.positions[index];
    CHECK(slot == batch.pages[static_cast<std::size_t>(batch.pageStart[static_cast<std::size_t>(batch.blockOfRow[index])] + position / 16)] * 16 + position % 16);
  }
  const std::set<std::int32_t> logitRows(part(layout.logitRows), part(layout.logitRows) + shape.wanted);
  CHECK(logitRows.size() == static_cast<std::size_t>(shape.wanted));  // no row twice: the last norm adds to it
  CHECK(logitRows.empty() || (*logitRows.begin() >= 0 && *logitRows.rbegin() < shape.rows));
  for (std::int32_t i = 0; i < shape.merges; ++i) {
    const std::int32_t row = words[layout.mergeRows + static_cast<std::size_t>(i)];
    CHECK(row >= 0 && row < batch.rows() && plan.partialBegin()[static_cast<std::size_t>(row)] >= 0);
  }
}

TEST("staging of random batches, as they are and padded") {
  Random random(5);
  AttentionPlan plan({2, 16, 20000, 1000, true});
  int padded = 0;
  for (int round = 0; round < 60; ++round) {
    std::int32_t pages = 0;
    const ForwardBatch batch = randomBatch(random, 16, pages);
    plan.build(batch);
    for (const bool pad : {false, true}) {
      const PassShape shape = passShape(batch, plan, pad, 512, 512);
      padded += shape.padded;
      checkStaging(batch, plan, shape);
    }
  }
  CHECK(padded > 10 && padded < 60);
}

ForwardBatch rowsOf(std::int32_t rows, std::int32_t position, LogitRows wanted) {
  ForwardBatch batch;
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::vector<std::int32_t> table(static_cast<std::size_t>(position / 16 + 1), row);
    batch.add({row, position, std::vector<std::int32_t>{1}, table, wanted});
  }
  return batch;
}

TEST("passes of few rows have few shapes; padding fits the buffers or is left out") {
  AttentionPlan plan({2, 16, 20000, 10000, false});
  const auto shapeOf = [&](std::int32_t rows, std::int32_t position, LogitRows wanted, std::int32_t most, std::int32_t mostWanted) {
    const ForwardBatch batch = rowsOf(rows, position, wanted);
    plan.build(batch);
    return passShape(batch, plan, true, most, mostWanted);
  };
  CHECK((shapeOf(1, 5, LogitRows::last, 512, 64) == PassShape{1, 1, 1, 0, true, true}));
  CHECK((shapeOf(5, 5, LogitRows::last, 512, 64) == PassShape{8, 8, 8, 0, true, true}));
  CHECK((shapeOf(5, 5, LogitRows::none, 512, 64) == PassShape{8, 0, 8, 0, true, true}));
  CHECK((shapeOf(5, 300, LogitRows::last, 512, 64) == PassShape{8, 8, 16, 8, true, true}));
  CHECK((shapeOf(64, 5, LogitRows::last, 512, 64) == PassShape{64, 64, 64, 0, true, true}));
  CHECK((shapeOf(65, 5, LogitRows::last, 512, 512) == PassShape{65, 65, 65, 0, true, false}));
  CHECK((shapeOf(5, 5, LogitRows::last, 7, 64) == PassShape{5, 5, 5, 0, true, false}));
  CHECK((shapeOf(5, 5, LogitRows::last, 512, 7) == PassShape{5, 5, 5, 0, true, false}));
  CHECK((shapeOf(5, 5, LogitRows::none, 512, 7) == PassShape{8, 0, 8, 0, true, true}));
  std::set<PassShape> shapes;
  for (std::int32_t rows = 1; rows <= 64; ++rows) {
    for (std::int32_t position = 0; position < 1000; position += 50) shapes.insert(shapeOf(rows, position, LogitRows::last, 512, 64));
  }
  CHECK_THAT(shapes.size() <= 7 * 6, std::to_string(shapes.size()));
}

TEST("sampling requests as words: tasks, then masks, one that neighbours share once") {
  const std::vector<std::uint32_t> a{1, 2, 3};
  const std::vector<std::uint32_t> b{4, 5, 6};
  const Sampling warm{.temperature = 0.5, .topP = 0.25, .seed = 7};
  const std::vector<SampleRequest> requests{{3, a, {}, 1}, {1, a, warm, 2}, {0, {}, {}, 3}, {2, b, {.temperature = 1, .topP = 1, .seed = 1}, 4}};
  std::vector<std::int32_t> words(sampleWords(requests), -7);
  CHECK(words.size() == 4 * sampleTaskWords + 6);
  fillSampleTasks(requests, words);
  std::vector<SampleTask> tasks(4);
  std::memcpy(tasks.data(), words.data(), 4 * sizeof(SampleTask));
  const auto maskAt = [&](const SampleTask& task) { return static_cast<std::uint32_t>(words[static_cast<std::size_t>(task.maskBegin)]); };
  CHECK(tasks[0].row == 3 && tasks[1].row == 1 && tasks[0].maskBegin == tasks[1].maskBegin && maskAt(tasks[1]) == 1);
  CHECK(tasks[2].maskBegin == -1 && maskAt(tasks[3]) == 4);
  CHECK(tasks[0].temperature == 0 && tasks[1].temperature == 0.5F && tasks[1].nucleus == std::uint64_t{1} << 62 && tasks[3].nucleus == 0);
  CHECK(tasks[1].draw != 0 && tasks[1].draw == weights::drawBits(7, 2) << 11);
}

TEST("a build without CUDA and a machine without a GPU say so instead of failing") {
  const CudaProbe probe = probeCuda();
  CHECK(probe.available == probe.reason.empty() && (probe.compiled || !probe.available));
}

}  // namespace
}  // namespace foretrace::cuda

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
