// Cases of paged attention, for a GPU and for the emulator.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "cpu/reference.h"
#include "cuda/attention_plan.h"
#include "cuda/launch.h"
#include "cuda/products.h"
#include "cuda/staging.h"
#include "test/check.h"
#include "test/cuda_memory.h"

namespace foretrace::test::attention_cases {  // TEST names its functions by line: one namespace a file

struct AttentionModel {
  int heads;
  int kvHeads;
  int headDim;
  int padded;
  int pageTokens;
  int window = 0;

  [[nodiscard]] std::string text() const {
    return "heads " + std::to_string(heads) + "/" + std::to_string(kvHeads) + " x " + std::to_string(headDim) + ", pages of " +
           std::to_string(pageTokens) + (window > 0 ? ", window " + std::to_string(window) : "");
  }
};

/// New rows of one sequence: positions [first, first + rows), the first `shared` positions in the pages of sequence 0.
struct AttentionBlock {
  int first;
  int rows;
  int shared;
};

/// Whether there is the copy engine that pages are copied with.
inline bool copiesWholePages() { return cuda::usesWarpgroups("auto", testStream); }

/// Queries, a pool whose unused slots hold NaNs, and a batch over it.
class AttentionCase {
 public:
  AttentionCase(const AttentionModel& model, const std::vector<AttentionBlock>& blocks) : model_(model) {
    std::vector<std::int32_t> firstTable;
    for (std::size_t b = 0; b < blocks.size(); ++b) addBlock(blocks[b], b == 0 ? nullptr : &firstTable, firstTable);
    const std::size_t block = static_cast<std::size_t>(model.pageTokens * model.padded);
    keyValue_.assign(static_cast<std::size_t>(pages_) * static_cast<std::size_t>(model.kvHeads) * 2 * block, 0x7FC0);  // NaN
    for (std::size_t b = 0; b < blocks.size(); ++b) fillPages(b, blocks[b].first + blocks[b].rows);
    query_ = randomBf16(static_cast<std::size_t>(batch_.rows() * model.heads * model.padded), 2.0, 21);
    for (std::size_t i = 0; i < query_.size(); ++i) {
      if (static_cast<int>(i) % model.padded >= model.headDim) query_[i] = 0;
    }
  }

  [[nodiscard]] const ForwardBatch& batch() const { return batch_; }
  [[nodiscard]] int pages() const { return pages_; }

  /// Mixed values [rows, heads * headDim] of `batch`, whose row r has the query of row queryOfRow[r] of the whole.
  [[nodiscard]] std::vector<std::uint16_t> run(const ForwardBatch& batch, const std::vector<int>& queryOfRow, bool share, std::int64_t partialSlots, bool bulk, std::int32_t busyBlocks = cuda::manyBlocks) const {
    cuda::AttentionPlan plan({model_.heads / model_.kvHeads, model_.pageTokens, pages_, partialSlots, share, model_.kvHeads, busyBlocks});
    plan.build(batch);
    const cuda::StagingLayout layout = cuda::stagingLayout(batch, plan);
    std::vector<std::int32_t> words(layout.words, -1);
    cuda::fillStaging(batch, plan, model_.pageTokens, layout, words);
    const auto staged = onDevice(words);
    const auto width = static_cast<std::size_t>(model_.heads * model_.padded);
    std::vector<std::uint16_t> queries;
    for (const int row : queryOfRow) {
      queries.insert(queries.end(), query_.begin() + row * static_cast<std::ptrdiff_t>(width), query_.begin() + (row + 1) * static_cast<std::ptrdiff_t>(width));
    }
    const auto query = onDevice(queries);
    const auto keyValue = onDevice(keyValue_);
    std::int64_t partials = 1;
    for (std::int32_t row : plan.mergeRows()) partials += batch.positions[static_cast<std::size_t>(row)] / cuda::chunkTokens + 1;
    const auto output = onDevice(std::vector<float>(static_cast<std::size_t>(partials) * width, NAN));
    const auto state = onDevice(std::vector<float>(static_cast<std::size_t>(partials * model_.heads * 2), NAN));
    const int stride = model_.heads * model_.headDim;
    const int groups = cuda::rowGroups(batch.rows());
    const auto mixed = onDevice(std::vector<std::uint8_t>(static_cast<std::size_t>((stride / 64 + 1) * groups * cuda::groupBytes), 0xFF));
    const cuda::MixedTarget target{{mixed.data(), groups}, nullptr};
    const std::int32_t* base = staged.data();
    const auto scale = static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(model_.headDim)));
    cuda::launchAttention({query.data(), keyValue.data(), reinterpret_cast<const cuda::AttentionItem*>(base + layout.items), base + layout.itemRows,
                           base + layout.positions, base + layout.pages, base + layout.partialBegin, output.data(), state.data(), target,
                           model_.heads, model_.kvHeads, model_.headDim, std::countr_zero(static_cast<unsigned>(model_.pageTokens)), model_.window, scale, plan.fewSlots(), bulk},
                          static_cast<int>(plan.items().size()), model_.padded, testStream);
    cuda::launchMerge({base + layout.mergeRows, base + layout.partialBegin, base + layout.positions, output.data(), state.data(), target,
                       static_cast<int>(plan.mergeRows().size()), model_.heads, model_.headDim, model_.padded, model_.window}, testStream);
    const std::vector<std::uint8_t> stored = fromDevice(mixed);
    std::vector<std::uint16_t> rows(static_cast<std::size_t>(batch.rows() * stride));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto width = static_cast<std::size_t>(stride);
      std::memcpy(&rows[i], stored.data() + cuda::rowOffset(static_cast<std::int64_t>(i / width), static_cast<std::int64_t>(2 * (i % width)), groups), 2);
    }
    return rows;
  }

  [[nodiscard]] std::vector<std::uint16_t> runAll(bool share, std::int64_t partialSlots, bool bulk = copiesWholePages(), std::int32_t busyBlocks = cuda::manyBlocks) const {
    std::vector<int> all;
    for (int row = 0; row < batch_.rows(); ++row) all.push_back(row);
    return run(batch_, all, share, partialSlots, bulk, busyBlocks);
  }

  /// A batch of the rows [from, from + count) of block `block` alone, with the same pages.
  [[nodiscard]] std::vector<std::uint16_t> runPart(std::size_t block, int from, int count) const {
    const auto firstRow = static_cast<std::size_t>(batch_.rowStart[block] + from);
    const std::vector<std::int32_t> table(batch_.pages.begin() + batch_.pageStart[block], batch_.pages.begin() + batch_.pageStart[block + 1]);
    ForwardBatch part;
    const std::vector<std::int32_t> tokens(static_cast<std::size_t>(count), 0);
    part.add({0, batch_.positions[firstRow], tokens, table, LogitRows::none});
    std::vector<int> queries;
    for (int row = 0; row < count; ++row) queries.push_back(static_cast<int>(firstRow) + row);
    return run(part, queries, true, 1 << 20, copiesWholePages());
  }

  /// Softmax attention in double precision of one row and head.
  [[nodiscard]] reference::Vector expected(int row, int head) const {
    const auto block = static_cast<std::size_t>(batch_.blockOfRow[static_cast<std::size_t>(row)]);
    const int kvHead = head / (model_.heads / model_.kvHeads);
    reference::Vector query;
    for (int d = 0; d < model_.headDim; ++d) query.push_back(bf16ToDouble(query_[static_cast<std::size_t>((row * model_.heads + head) * model_.padded + d)]));
    std::vector<reference::Vector> keys;
    std::vector<reference::Vector> values;
    const int own = batch_.positions[static_cast<std::size_t>(row)];
    for (int position = model_.window > 0 ? std::max(0, own - model_.window + 1) : 0; position <= own; ++position) {
      keys.emplace_back();
      values.emplace_back();
      for (int d = 0; d < model_.headDim; ++d) {
        keys.back().push_back(bf16ToDouble(keyValue_[place(block, position, kvHead, d, true)]));
        values.back().push_back(bf16ToDouble(keyValue_[place(block, position, kvHead, d, false)]));
      }
    }
    return reference::attend(query, keys, values);
  }

 private:
  void addBlock(const AttentionBlock& block, const std::vector<std::int32_t>* prefix, std::vector<std::int32_t>& firstTable) {
    std::vector<std::int32_t> table;
    for (int token = 0; token < block.first + block.rows; token += model_.pageTokens) {
      const bool shared = prefix != nullptr && token + model_.pageTokens <= block.shared;
      table.push_back(shared ? (*prefix)[table.size()] : pages_++);
    }
    const std::vector<std::int32_t> tokens(static_cast<std::size_t>(block.rows), 0);
    batch_.add({0, block.first, tokens, table, LogitRows::none});
    if (prefix == nullptr) firstTable = table;
  }

  /// Index of dimension d of the key or value at a position.
  [[nodiscard]] std::size_t place(std::size_t block, int position, int kvHead, int d, bool key) const {
    const int page = batch_.pages[static_cast<std::size_t>(batch_.pageStart[block] + position / model_.pageTokens)];
    const int slot = position % model_.pageTokens;
    const int start = ((page * model_.kvHeads + kvHead) * 2 + (key ? 0 : 1)) * model_.pageTokens * model_.padded;
    return static_cast<std::size_t>(start + (key ? slot * model_.padded + cuda::keyElement(slot, d, model_.padded) : d * model_.pageTokens + slot));
  }

  void fillPages(std::size_t block, int tokens) {
    for (int position = 0; position < tokens; ++position) {
      for (int kvHead = 0; kvHead < model_.kvHeads; ++kvHead) {
        for (int d = 0; d < model_.padded; ++d) {
          for (const bool key : {false, true}) {
            const std::size_t at = place(block, position, kvHead, d, key);
            Random random(at * 2 + 1);
            keyValue_[at] = d < model_.headDim ? floatToBf16(static_cast<float>(2 * random.symmetric())) : std::uint16_t{0};
          }
        }
      }
    }
  }

  AttentionModel model_;
  ForwardBatch batch_;
  int pages_ = 0;
  std::vector<std::uint16_t> keyValue_;
  std::vector<std::uint16_t> query_;
};

inline std::vector<AttentionModel> attentionModels(bool emulated) {
  // A window within a chunk, one of whole chunks, one across a chunk, and none. 17 heads on one KV head fill more than a warp.
  if (emulated) {
    return {{4, 2, 16, 32, 16}, {3, 1, 18, 32, 8, 100}, {2, 2, 64, 64, 64, 128}, {4, 1, 128, 128, 32}, {4, 2, 16, 32, 16, 1}, {17, 1, 32, 32, 32, 150}};
  }
  return {{4, 2, 16, 32, 16},        {3, 1, 18, 32, 8},       {2, 2, 64, 64, 64},       {4, 1, 128, 128, 32},      {32, 8, 128, 128, 16},
          {9, 3, 64, 64, 16},        {71, 1, 64, 64, 32},     {48, 8, 128, 128, 16},    {4, 2, 16, 32, 16, 1},     {3, 1, 18, 32, 8, 100},
          {2, 2, 64, 64, 64, 128},   {4, 1, 128, 128, 32, 150}, {48, 8, 128, 128, 16, 1000}, {71, 1, 64, 64, 32, 257}};
}

/// Decode rows over a shared prefix (of whole chunks, and of part of one), extends that cross a chunk, a prefill from nothing, a single first token.
inline std::vector<AttentionBlock> attentionBlocks(bool emulated) {
  std::vector<AttentionBlock> blocks{{300, 1, 0}, {299, 3, 256}, {257, 1, 256}, {126, 5, 0}, {0, 30, 0}, {0, 1, 0}, {127, 1, 64}, {200, 1, 64}};
  if (!emulated) {
    blocks.insert(blocks.end(), {{0, 200, 0}, {1000, 140, 0}, {3000, 1, 0}, {2047, 2, 0}});
    for (int i = 0; i < 60; ++i) blocks.push_back({256 + i, 1, 256});
  }
  return blocks;
}

TEST("paged attention agrees with double precision over decode, extend, prefill and shared rows; unused slots hold NaNs") {
  for (const AttentionModel& model : attentionModels(emulated)) {
    const AttentionCase attention(model, attentionBlocks(emulated));
    const auto found = attention.runAll(true, 1 << 20);
    double worst = 0;
    const int rows = attention.batch().rows();
    for (int row = 0; row < rows; row += emulated || rows < 100 ? 1 : 7) {
      for (int head = 0; head < model.heads; head += model.heads > 8 ? 5 : 1) {
        const auto expected = attention.expected(row, head);
        for (int d = 0; d < model.headDim; ++d) {
          const double error = std::abs(bf16ToDouble(found[static_cast<std::size_t>((row * model.heads + head) * model.headDim + d)]) - expected[static_cast<std::size_t>(d)]);
          if (!(error <= worst)) worst = std::isnan(error) ? INFINITY : error;
        }
      }
    }
    // Values are below 2; weights and results are rounded to bf16.
    CHECK_THAT(worst <= 0.015, model.text() + ": " + std::to_string(worst));
  }
}

TEST("attention has the same bits with chunks shared or not, in one place or in parts, alone or in a batch, however pages are copied") {
  for (const AttentionModel& model : attentionModels(emulated)) {
    const AttentionCase attention(model, attentionBlocks(emulated));
    const auto shared = attention.runAll(true, 1 << 20);
    CHECK_THAT(shared == attention.runAll(true, 1 << 20, false), model.text() + " copied piece by piece");
    CHECK_THAT(shared == attention.runAll(false, 1 << 20), model.text() + " unshared");
    for (const bool bulk : {false, copiesWholePages()}) {
      CHECK_THAT(shared == attention.runAll(false, 1 << 20, bulk, 1), model.text() + " with chunks of a row in one item");
    }
    CHECK_THAT(shared == attention.runAll(true, 0), model.text() + " without partial results");
    CHECK_THAT(shared == attention.runAll(true, 8), model.text() + " with room for few partial results");
    const std::ptrdiff_t width = model.heads * model.headDim;
    const ForwardBatch& batch = attention.batch();
    for (std::size_t block = 0; block < batch.sequences.size(); block += emulated || block < 12 ? 1 : 9) {
      const int rows = batch.rowStart[block + 1] - batch.rowStart[block];
      const int step = rows > 20 ? rows / 3 : 1;
      for (int from = 0; from < rows; from += step) {
        const int count = std::min(step, rows - from);
        const auto part = attention.runPart(block, from, count);
        const auto begin = shared.begin() + (batch.rowStart[block] + from) * width;
        CHECK_THAT(std::equal(part.begin(), part.end(), begin, begin + count * width), model.text() + " block " + std::to_string(block));
      }
    }
  }
}

}  // namespace foretrace::test::attention_cases
