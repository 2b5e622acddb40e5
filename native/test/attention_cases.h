// Attention over pages: against the double-precision reference, and bit for bit against itself whatever is computed
// together, for keys and values of fp32 and of bf16.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/convert.h"
#include "core/aligned_buffer.h"
#include "cpu/kv_pool.h"
#include "cpu/reference.h"
#include "test/kernel_tables.h"

namespace foretrace::test {

using cpu::AlignedBuffer;
using cpu::KernelTable;
using Floats = std::vector<float>;

inline float rounded(float value) { return bf16ToFloat(floatToBf16(value)); }

inline std::vector<std::uint16_t> halvesOf(const Floats& values) {
  std::vector<std::uint16_t> halves;
  for (const float value : values) halves.push_back(floatToBf16(value));
  return halves;
}

inline ModelConfig oneHead(std::int32_t headDim) {
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
  std::int32_t first = 0;
};

/// The queries of all rows, [rows, group, headBytes], as attention takes them.
struct Queries {
  std::int64_t headBytes;
  AlignedBuffer<std::uint8_t> bytes;

  Queries(const std::vector<Row>& rows, std::int32_t group, const Pages& pages)
      : headBytes((pages.headDim * (pages.halves ? 2 : 4) + 63) / 64 * 64),
        bytes(static_cast<std::int64_t>(rows.size()) * group * headBytes, "queries") {
    const auto headDim = static_cast<std::size_t>(pages.headDim);
    std::uint8_t* to = bytes.data();
    for (const Row& row : rows) {
      for (std::size_t head = 0; head < static_cast<std::size_t>(group); ++head, to += headBytes) {
        const Floats query(row.query.begin() + static_cast<std::ptrdiff_t>(head * headDim),
                           row.query.begin() + static_cast<std::ptrdiff_t>((head + 1) * headDim));
        if (pages.halves) {
          std::memcpy(to, halvesOf(query).data(), headDim * sizeof(std::uint16_t));
        } else {
          std::memcpy(to, query.data(), headDim * sizeof(float));
        }
      }
    }
  }
};

/// Results [rows, group * headDim] of one call.
inline std::vector<Floats> attend(const KernelTable& kernels, const Pages& pages, const std::vector<Row>& rows, std::int32_t group,
                           std::int32_t sharedTokens) {
  std::vector<Floats> out(rows.size(), Floats(static_cast<std::size_t>(group * pages.headDim), -1.0F));
  std::vector<cpu::AttentionRow> list;
  const Queries queries(rows, group, pages);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    list.push_back({queries.bytes.data() + static_cast<std::int64_t>(i) * group * queries.headBytes, out[i].data(), rows[i].pages.data(), rows[i].position, rows[i].first});
  }
  AlignedBuffer<float> scratch(cpu::attentionScratch(pages.headDim), "scratch");
  Random garbage(3);
  fill(scratch.data(), scratch.size(), garbage, 1e30);  // what earlier calls left there must not matter
  cpu::AttentionTask task{};
  task.rows = list.data();
  task.rowCount = static_cast<std::int32_t>(rows.size());
  task.group = group;
  task.sharedTokens = sharedTokens;
  task.queryHeadBytes = queries.headBytes;
  task.outHeadStride = task.headDim = pages.headDim;
  task.scale = 1.0F / std::sqrt(static_cast<float>(pages.headDim));
  task.keys = pages.pool.keys(0, 0);
  task.values = pages.pool.values(0, 0);
  task.pageStride = pages.pool.pageStride();
  task.pageTokens = pages.pageTokens;
  task.scratch = scratch.data();
  (pages.halves ? kernels.attentionBf16 : kernels.attention)(task);
  return out;
}

inline Floats randomFloats(std::int32_t count, Random& random, double scale, bool round) {
  Floats values(static_cast<std::size_t>(count));
  fill(values.data(), count, random, scale);
  if (round) std::transform(values.begin(), values.end(), values.begin(), rounded);
  return values;
}

inline reference::Vector wide(const float* from, std::int32_t count) { return {from, from + count}; }

inline void checkCase(const NamedTable& table, std::int32_t pageTokens, std::int32_t headDim, std::int32_t tokens, bool halves) {
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
  // Inputs are exact in both formats. With bf16 the exponentials are rounded, by 2^-8 or (looked up) 2^-7 of each at most, of values below 1.
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

/// Attention agrees with the reference over page sizes, head widths, groups and lengths.
inline void checkReference(const std::vector<NamedTable>& tables) {
  for (const NamedTable& table : tables) {
    for (const bool halves : {false, true}) {
      for (const std::int32_t pageTokens : {4, 8, 16, 32, 64}) {
        for (const std::int32_t headDim : {2, 8, 18, 32, 64, 128}) {
          for (const std::int32_t tokens : {1, 5, 16, 63, 64, 65, 150}) {
            checkCase(table, pageTokens, headDim, tokens, halves);
          }
        }
      }
    }
  }
}

/// The weight of each position is near what the softmax says, relative to itself: of 192 positions whose scores lie 1/16 apart, by values
/// that are 1 for one position in one dimension.
inline void checkWeights(const NamedTable& table, bool halves) {
  constexpr std::int32_t headDim = 64;
  constexpr std::int32_t tokens = 192;
  const double bound = halves ? 0.01 : 1e-5;
  const double meanBound = halves ? 0.003 : 1e-5;
  Row row{Floats(headDim, 0.0F), {}, tokens - 1};
  row.query[0] = 8.0F;  // the square root of the width: the score is the key's first element
  double sum = 0.0;
  for (std::int32_t t = 0; t < tokens; ++t) sum += std::exp(-t / 16.0);
  double squares = 0.0;
  for (std::int32_t begin = 0; begin < tokens; begin += headDim) {
    Pages pages(tokens / 16, 16, headDim, halves);
    row.pages.clear();
    for (std::int32_t page = 0; page < tokens / 16; ++page) row.pages.push_back(page);
    for (std::int32_t t = 0; t < tokens; ++t) {
      Floats key(headDim, 0.0F);
      Floats value(headDim, 0.0F);
      key[0] = static_cast<float>(-t) / 16.0F;
      if (t >= begin && t < begin + headDim) value[static_cast<std::size_t>(t - begin)] = 1.0F;
      pages.write(t / 16, t % 16, key, value);
    }
    const auto out = attend(*table.kernels, pages, {row}, 1, tokens);
    for (std::int32_t d = 0; d < headDim; ++d) {
      const double error = static_cast<double>(out[0][static_cast<std::size_t>(d)]) * sum / std::exp(-(begin + d) / 16.0) - 1.0;
      checkNear(error, 0.0, bound, table.name + " position " + std::to_string(begin + d));
      squares += error * error;
    }
  }
  checkNear(std::sqrt(squares / tokens), 0.0, meanBound, table.name + " root mean square");
}

/// How wide the heads of a family are, and how many share a KV head.
struct Heads {
  std::int32_t dim;
  std::int32_t group;
};

inline constexpr Heads someHeads[] = {{24, 2}, {64, 3}, {128, 1}};

/// Which pages a sequence is given: no page number equals its place.
enum class PageOrder : std::uint8_t {
  descending,
  ascending,  ///< what follows in a sequence follows in memory
};

/// Four sequences that share 128 tokens and go on alone; the same content whatever the size and the order of the pages.
struct Family {
  static constexpr std::int32_t shared = 128;
  static constexpr std::int32_t lengths[] = {129, 150, 193, 261};

  Heads heads;
  Pages pages;
  std::vector<Row> rows;

  Family(std::int32_t pageTokens, bool halves, Heads heads, PageOrder order = PageOrder::descending)
      : heads(heads), pages(4 * 300 / pageTokens + 8, pageTokens, heads.dim, halves) {
    Random content(42);
    std::vector<std::int32_t> common;
    std::int32_t next = order == PageOrder::descending ? pages.count - 1 : 1;
    const std::int32_t step = order == PageOrder::descending ? -1 : 1;
    const auto take = [&] { return std::exchange(next, next + step); };
    for (std::int32_t t = 0; t < shared; t += pageTokens) common.push_back(take());
    for (std::int32_t t = 0; t < shared; ++t) writeToken(common, t, content);
    for (const std::int32_t length : lengths) {
      Row row{randomFloats(heads.group * heads.dim, content, 1.0, false), common, length - 1};
      for (std::int32_t t = shared; t < length; t += pageTokens) row.pages.push_back(take());
      for (std::int32_t t = shared; t < length; ++t) writeToken(row.pages, t, content);
      rows.push_back(row);
    }
  }
  void writeToken(const std::vector<std::int32_t>& table, std::int32_t t, Random& content) {
    const Floats key = randomFloats(heads.dim, content, 1.0, false);
    writeToken(table, t, key, randomFloats(heads.dim, content, 1.0, false));
  }
  void writeToken(const std::vector<std::int32_t>& table, std::int32_t t, const Floats& key, const Floats& value) {
    pages.write(table[static_cast<std::size_t>(t / pages.pageTokens)], t % pages.pageTokens, key, value);
  }
  /// The last `count` positions of the longest sequence; a window ends at each, of `window` positions (0: it sees all).
  [[nodiscard]] std::vector<Row> lastRows(std::int32_t count, std::int32_t window) const {
    std::vector<Row> out;
    for (std::int32_t i = 0; i < count; ++i) {
      Row row = rows.back();
      row.position -= count - 1 - i;
      if (window > 0) row.first = std::max(0, row.position - window + 1);
      out.push_back(row);
    }
    return out;
  }
  /// Most rows of one call.
  [[nodiscard]] std::int32_t mostRows(const KernelTable& kernels) const {
    const std::int32_t queries = pages.halves ? kernels.groupQueriesBf16 : kernels.groupQueries;
    return cpu::maxQueryGroups * cpu::rowsOfQueryGroup(heads.group, queries);
  }
};

inline bool sameBits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// A row has the same bits alone, beside sequences that share its beginning, and in pages of any size and order.
inline void checkCompany(const NamedTable& table, Heads heads, bool halves) {
  std::vector<Floats> alone;
  for (const std::int32_t pageTokens : {4, 16, 64}) {
    for (const PageOrder order : {PageOrder::descending, PageOrder::ascending}) {
      const Family family(pageTokens, halves, heads, order);
      for (std::size_t i = 0; i < family.rows.size(); ++i) {
        const Row& row = family.rows[i];
        const auto single = attend(*table.kernels, family.pages, {row}, heads.group, row.position + 1);
        if (alone.size() <= i) alone.push_back(single[0]);
        CHECK_THAT(sameBits(alone[i], single[0]), table.name);
      }
      for (const std::int32_t sharedTokens : {0, 64, 128}) {
        const auto together = attend(*table.kernels, family.pages, family.rows, heads.group, sharedTokens);
        for (std::size_t i = 0; i < together.size(); ++i) {
          CHECK_THAT(sameBits(alone[i], together[i]),
                     table.name + " row " + std::to_string(i) + " shared " + std::to_string(sharedTokens));
        }
      }
    }
  }
}

/// Rows of one sequence have the same bits one by one and in tiles of any height, with and without a window.
inline void checkHeights(const NamedTable& table, Heads heads, bool halves) {
  const Family family(16, halves, heads);
  for (const std::int32_t window : {0, 50}) {
    for (std::int32_t count = 1; count <= family.mostRows(*table.kernels); ++count) {
      const std::vector<Row> rows = family.lastRows(count, window);
      const auto together = attend(*table.kernels, family.pages, rows, heads.group, rows.back().position + 1);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto single = attend(*table.kernels, family.pages, {rows[i]}, heads.group, rows[i].position + 1);
        CHECK_THAT(sameBits(single[0], together[i]), table.name + " row " + std::to_string(i) + " of " + std::to_string(count));
      }
    }
  }
}

/// A row does not see what later rows hold, not even an infinity: the last position, and the first of a chunk that others see
/// nothing of.
inline void checkLater(const NamedTable& table, Heads heads, bool halves) {
  for (const std::int32_t back : {0, Family::lengths[3] - 1 - 256}) {
    Family family(16, halves, heads);
    const std::vector<Row> rows = family.lastRows(family.mostRows(*table.kernels), 0);
    const auto attendAll = [&] { return attend(*table.kernels, family.pages, rows, heads.group, rows.back().position + 1); };
    const auto before = attendAll();
    const std::size_t infinite = rows.size() - 1 - std::min<std::size_t>(static_cast<std::size_t>(back), rows.size() - 1);
    Random random(7);
    const Floats key = randomFloats(heads.dim, random, 1.0, false);
    const Floats values(static_cast<std::size_t>(heads.dim), std::numeric_limits<float>::infinity());
    family.writeToken(rows.back().pages, rows[infinite].position, key, values);
    const auto after = attendAll();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK_THAT(i < infinite ? sameBits(before[i], after[i]) : !std::isfinite(after[i][0]), table.name + " row " + std::to_string(i));
    }
  }
}

/// One of the checks above for every table, width and format.
inline void forAll(const std::vector<NamedTable>& tables, void (*check)(const NamedTable&, Heads, bool)) {
  for (const NamedTable& table : tables) {
    for (const Heads heads : someHeads) {
      for (const bool halves : {false, true}) check(table, heads, halves);
    }
  }
}

}  // namespace foretrace::test
