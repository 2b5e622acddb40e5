// Attention over pages: against the double-precision reference, and bit for bit against itself whatever is computed
// together, for keys and values of fp32 and of bf16.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/convert.h"
#include "core/aligned_buffer.h"
#include "cpu/kv_pool.h"
#include "cpu/reference.h"
#include "test/kernel_tables.h"

namespace foretrace {
namespace {

using cpu::AlignedBuffer;
using cpu::KernelTable;
using test::checkNear;
using test::fill;
using test::NamedTable;
using test::Random;
using test::tables;
using Floats = std::vector<float>;

float rounded(float value) { return bf16ToFloat(floatToBf16(value)); }

std::vector<std::uint16_t> halvesOf(const Floats& values) {
  std::vector<std::uint16_t> halves;
  for (const float value : values) halves.push_back(floatToBf16(value));
  return halves;
}

ModelConfig oneHead(std::int32_t headDim) {
  ModelConfig config;
  config.layers = config.kvHeads = config.heads = 1;
  config.headDim = headDim;
  return config;
}

/// A pool of one layer and one KV head whose unwritten slots hold what must never be read as a number.
struct Pages {
  std::int32_t headDim;
  std::int32_t pageTokens;
  bool halves;
  std::int32_t count;
  cpu::KvPool pool;

  Pages(std::int32_t pages, std::int32_t width, std::int32_t dim, bool bf16)
      : headDim(dim), pageTokens(width), halves(bf16), count(pages),
        pool(oneHead(dim), {.pages = pages, .pageTokens = width}, bf16) {
    const Floats garbage(static_cast<std::size_t>(dim), std::numeric_limits<float>::quiet_NaN());
    for (std::int32_t token = 0; token < pages * width; ++token) write(token / width, token % width, garbage, garbage);
  }
  void write(std::int32_t page, std::int32_t slot, const Floats& key, const Floats& value) {
    if (halves) {
      pool.writeKey(0, 0, page, slot, halvesOf(key).data());
      pool.writeValue(0, 0, page, slot, halvesOf(value).data());
    } else {
      pool.writeKey(0, 0, page, slot, key.data());
      pool.writeValue(0, 0, page, slot, value.data());
    }
  }
};

/// One row of queries [group, headDim] and where it reads.
struct Row {
  Floats query;
  std::vector<std::int32_t> pages;
  std::int32_t position;
};

/// Results [rows, group * headDim] of one call.
std::vector<Floats> attend(const KernelTable& kernels, const Pages& pages, const std::vector<Row>& rows, std::int32_t group,
                           std::int32_t sharedTokens) {
  std::vector<Floats> out(rows.size(), Floats(static_cast<std::size_t>(group * pages.headDim), -1.0F));
  std::vector<cpu::AttentionRow> list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    list.push_back({rows[i].query.data(), out[i].data(), rows[i].pages.data(), rows[i].position});
  }
  AlignedBuffer<float> scratch(cpu::attentionScratch(pages.headDim), "scratch");
  Random garbage(3);
  fill(scratch.data(), scratch.size(), garbage, 1e30);  // what earlier calls left there must not matter
  cpu::AttentionTask task{};
  task.rows = list.data();
  task.rowCount = static_cast<std::int32_t>(rows.size());
  task.group = group;
  task.sharedTokens = sharedTokens;
  task.queryHeadStride = task.outHeadStride = task.headDim = pages.headDim;
  task.scale = 1.0F / std::sqrt(static_cast<float>(pages.headDim));
  task.keys = pages.pool.keys(0, 0);
  task.values = pages.pool.values(0, 0);
  task.pageStride = pages.pool.pageStride();
  task.pageTokens = pages.pageTokens;
  task.scratch = scratch.data();
  (pages.halves ? kernels.attentionBf16 : kernels.attention)(task);
  return out;
}

Floats randomFloats(std::int32_t count, Random& random, double scale, bool round) {
  Floats values(static_cast<std::size_t>(count));
  fill(values.data(), count, random, scale);
  if (round) std::transform(values.begin(), values.end(), values.begin(), rounded);
  return values;
}

reference::Vector wide(const float* from, std::int32_t count) { return {from, from + count}; }

void checkCase(const NamedTable& table, std::int32_t pageTokens, std::int32_t headDim, std::int32_t tokens, bool halves) {
  Random random(static_cast<std::uint64_t>(pageTokens * 10000 + headDim * 200 + tokens));
  const std::int32_t pageCount = (tokens + pageTokens - 1) / pageTokens;
  Pages pages(pageCount + 3, pageTokens, headDim, halves);
  std::vector<std::int32_t> pageTable;
  for (std::int32_t page = pageCount; page >= 1; --page) pageTable.push_back(page);
  std::vector<reference::Vector> keys;
  std::vector<reference::Vector> values;
  for (std::int32_t t = 0; t < tokens; ++t) {
    const Floats key = randomFloats(headDim, random, 1.0, halves);
    const Floats value = randomFloats(headDim, random, 1.0, halves);
    pages.write(pageTable[static_cast<std::size_t>(t / pageTokens)], t % pageTokens, key, value);
    keys.push_back(wide(key.data(), headDim));
    values.push_back(wide(value.data(), headDim));
  }
  const std::int32_t count = std::min(tokens, 1 + tokens % 3);
  const std::int32_t group = 1 + tokens % 2;
  std::vector<Row> rows;
  for (std::int32_t row = 0; row < count; ++row) {
    rows.push_back({randomFloats(group * headDim, random, 2.0, halves), pageTable, tokens - count + row});
  }
  const auto out = attend(*table.kernels, pages, rows, group, tokens);
  // Inputs are exact in both formats. With bf16 the exponentials are rounded: a relative 2^-8 each, of values below 1.
  const double bound = halves ? 0x1p-8 : 4e-6;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto seen = static_cast<std::ptrdiff_t>(rows[row].position + 1);
    for (std::int32_t head = 0; head < group; ++head) {
      const auto expected = reference::attend(wide(rows[row].query.data() + head * headDim, headDim),
                                              {keys.begin(), keys.begin() + seen}, {values.begin(), values.begin() + seen});
      for (std::int32_t d = 0; d < headDim; ++d) {
        checkNear(static_cast<double>(out[row][static_cast<std::size_t>(head * headDim + d)]),
                  expected[static_cast<std::size_t>(d)], bound, table.name + (halves ? " bf16" : " fp32"));
      }
    }
  }
}

TEST("attention agrees with the reference over page sizes, head widths, groups and lengths") {
  for (const NamedTable& table : tables()) {
    for (const bool halves : {false, true}) {
      for (const std::int32_t pageTokens : {4, 8, 16, 32, 64}) {
        for (const std::int32_t headDim : {2, 8, 18, 32, 64}) {
          for (const std::int32_t tokens : {1, 5, 16, 63, 64, 65, 150}) {
            checkCase(table, pageTokens, headDim, tokens, halves);
          }
        }
      }
    }
  }
}

/// Four sequences that share 128 tokens and go on alone; the same content whatever the size of the pages.
struct Family {
  static constexpr std::int32_t headDim = 24;
  static constexpr std::int32_t group = 2;
  static constexpr std::int32_t shared = 128;
  static constexpr std::int32_t lengths[] = {129, 150, 193, 261};

  Pages pages;
  std::vector<Row> rows;

  Family(std::int32_t pageTokens, bool halves) : pages(4 * 300 / pageTokens + 8, pageTokens, headDim, halves) {
    Random content(42);
    std::vector<std::int32_t> common;
    std::int32_t next = pages.count - 1;  // pages in descending order: no page number equals its place
    for (std::int32_t t = 0; t < shared; t += pageTokens) common.push_back(next--);
    for (std::int32_t t = 0; t < shared; ++t) writeToken(common, t, content);
    for (const std::int32_t length : lengths) {
      Row row{randomFloats(group * headDim, content, 1.0, false), common, length - 1};
      for (std::int32_t t = shared; t < length; t += pageTokens) row.pages.push_back(next--);
      for (std::int32_t t = shared; t < length; ++t) writeToken(row.pages, t, content);
      rows.push_back(row);
    }
  }
  void writeToken(const std::vector<std::int32_t>& table, std::int32_t t, Random& content) {
    const Floats key = randomFloats(headDim, content, 1.0, false);
    pages.write(table[static_cast<std::size_t>(t / pages.pageTokens)], t % pages.pageTokens, key,
                randomFloats(headDim, content, 1.0, false));
  }
};

TEST("a row has the same bits alone, beside sequences that share its beginning, and in pages of any size") {
  for (const NamedTable& table : tables()) {
    for (const bool halves : {false, true}) {
      std::vector<Floats> alone;
      for (const std::int32_t pageTokens : {4, 16, 64}) {
        const Family family(pageTokens, halves);
        for (std::size_t i = 0; i < family.rows.size(); ++i) {
          const Row& row = family.rows[i];
          const auto single = attend(*table.kernels, family.pages, {row}, Family::group, row.position + 1);
          if (alone.size() <= i) alone.push_back(single[0]);
          CHECK_THAT(std::memcmp(alone[i].data(), single[0].data(), alone[i].size() * sizeof(float)) == 0, table.name);
        }
        for (const std::int32_t sharedTokens : {0, 64, 128}) {
          const auto together = attend(*table.kernels, family.pages, family.rows, Family::group, sharedTokens);
          for (std::size_t i = 0; i < together.size(); ++i) {
            CHECK_THAT(std::memcmp(alone[i].data(), together[i].data(), alone[i].size() * sizeof(float)) == 0,
                       table.name + " row " + std::to_string(i) + " shared " + std::to_string(sharedTokens));
          }
        }
      }
    }
  }
}

TEST("rows of one sequence have the same bits one by one and in tiles of any height") {
  for (const NamedTable& table : tables()) {
    for (const bool halves : {false, true}) {
      const Family family(16, halves);
      const Row& last = family.rows.back();
      const std::int32_t most = cpu::maxQueryGroups * cpu::rowsOfQueryGroup(Family::group);
      for (std::int32_t count = 1; count <= most; ++count) {
        std::vector<Row> rows;
        for (std::int32_t i = 0; i < count; ++i) rows.push_back({last.query, last.pages, last.position - count + 1 + i});
        const auto together = attend(*table.kernels, family.pages, rows, Family::group, last.position + 1);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const auto single = attend(*table.kernels, family.pages, {rows[i]}, Family::group, rows[i].position + 1);
          CHECK_THAT(std::memcmp(single[0].data(), together[i].data(), single[0].size() * sizeof(float)) == 0,
                     table.name + " row " + std::to_string(i) + " of " + std::to_string(count));
        }
      }
    }
  }
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
