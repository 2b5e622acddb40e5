#include "memory/sequence_table.h"

#include <functional>
#include <numeric>
#include <vector>

#include "check.h"
#include "memory_access.h"

using namespace foretrace;

namespace {

using Tokens = std::vector<std::int32_t>;

Tokens counting(std::int32_t count, std::int32_t first = 1) {
  Tokens tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

/// Eight pages of four tokens.
struct Fixture {
  explicit Fixture(bool reuse = true, std::int32_t pages = 8)
      : table({.pages = pages, .pageTokens = 4, .maxSequences = 6, .reusePrefixes = reuse}) {}

  SequenceTable::Opened open(const Tokens& tokens, std::int32_t reserve = 0) {
    const auto opened = table.open(tokens, reserve, copies);
    table.checkInvariants();
    return opened;
  }
  /// Opens and computes everything.
  std::int32_t computed(const Tokens& tokens) {
    const auto opened = open(tokens);
    finish(opened.sequence);
    return opened.sequence;
  }
  void finish(std::int32_t sequence) {
    table.commit(sequence, table.at(sequence).known() - table.at(sequence).computed);
    table.checkInvariants();
  }
  void close(std::int32_t sequence) {
    table.close(sequence);
    table.checkInvariants();
  }

  SequenceTable table;
  std::vector<PageCopy> copies;
};

}  // namespace

TEST("pages are shared by sequences that begin alike, and one token is left to compute") {
  Fixture f;
  const std::int32_t first = f.computed(counting(8));
  const auto second = f.open(counting(8));
  CHECK(second.cachedTokens == 7);
  CHECK(f.table.at(first).pages[0] == f.table.at(second.sequence).pages[0]);
  CHECK(f.copies.size() == 1 && f.copies[0].tokens == 3 && f.copies[0].from == f.table.at(first).pages[1]);
  const auto third = f.open(counting(9));
  CHECK(third.cachedTokens == 8);
  CHECK(f.table.stats().usedPages == 4);
}

TEST("the common tokens of the best next page are copied") {
  Fixture f;
  const std::int32_t first = f.computed(counting(8));
  f.close(first);
  Tokens other = counting(8);
  other[6] = 99;
  const auto opened = f.open(other);
  CHECK(opened.cachedTokens == 6);
  CHECK(f.copies.size() == 1 && f.copies[0].tokens == 2);
  CHECK(f.table.stats().copiedTokens == 2);
}

TEST("equal pages computed twice are merged when they are sealed") {
  Fixture f;
  const auto a = f.open(counting(6));
  const auto b = f.open(counting(6));
  CHECK(b.cachedTokens == 0);
  f.finish(a.sequence);
  f.finish(b.sequence);
  CHECK(f.table.stats().mergedPages == 1);
  CHECK(f.table.at(a.sequence).pages[0] == f.table.at(b.sequence).pages[0]);
  CHECK(f.table.at(a.sequence).pages[1] != f.table.at(b.sequence).pages[1]);
}

TEST("without reuse every open misses and nothing is merged") {
  Fixture f(false);
  f.computed(counting(8));
  const auto second = f.open(counting(8));
  CHECK(second.cachedTokens == 0 && f.copies.empty());
  f.finish(second.sequence);
  CHECK(f.table.stats().mergedPages == 0 && f.table.stats().usedPages == 4);
}

TEST("a fork shares full pages and copies an open tail") {
  Fixture f;
  const std::int32_t parent = f.computed(counting(6));
  const std::int32_t child = f.table.fork(parent, 6, 0, f.copies);
  f.table.checkInvariants();
  CHECK(f.copies.size() == 1 && f.copies[0].tokens == 2);
  CHECK(f.table.at(child).pages[0] == f.table.at(parent).pages[0]);
  CHECK(f.table.at(child).pages[1] != f.table.at(parent).pages[1]);
  CHECK(f.table.at(child).computed == 6 && f.table.at(child).known() == 6);
}

TEST("a fork into a sealed page shares it until it is written") {
  Fixture f;
  const std::int32_t parent = f.computed(counting(8));
  const std::int32_t child = f.table.fork(parent, 6, 0, f.copies);
  f.table.checkInvariants();
  CHECK(f.copies.empty() && f.table.stats().usedPages == 2);
  CHECK(f.table.at(child).pages[1] == f.table.at(parent).pages[1]);
  f.table.append(child, Tokens{50}, 0, f.copies);
  f.table.checkInvariants();
  CHECK(f.copies.size() == 1 && f.copies[0].tokens == 2);
  CHECK(f.table.at(child).pages[1] != f.table.at(parent).pages[1]);
}

TEST("a truncation into a sealed page copies it before it is written again") {
  Fixture f;
  const std::int32_t sequence = f.computed(counting(8));
  const PageId sealed = f.table.at(sequence).pages[1];
  f.table.truncate(sequence, 5);
  f.table.checkInvariants();
  f.table.append(sequence, Tokens{70, 71}, 4, f.copies);
  f.table.checkInvariants();
  CHECK(f.copies.size() == 1 && f.copies[0].from == sealed && f.copies[0].tokens == 1);
  CHECK(f.table.at(sequence).pages.size() == 3);
  f.finish(sequence);
  CHECK(f.table.stats().cachedPages == 1);
}

TEST("recomputing the last token of a full page leaves the sealed page alone") {
  Fixture f;
  const std::int32_t sequence = f.computed(counting(4));
  const PageId sealed = f.table.at(sequence).pages[0];
  f.table.rewind(sequence);
  f.table.reserve(sequence, 4, f.copies);
  f.table.checkInvariants();
  CHECK(f.table.at(sequence).pages[0] != sealed);
  f.finish(sequence);
  CHECK(f.table.at(sequence).pages[0] == sealed && f.table.stats().mergedPages == 1);
}

TEST("the pool evicts what nobody uses and then refuses, unchanged") {
  Fixture f(true, 4);
  f.close(f.computed(counting(8, 1)));
  const auto held = f.open(counting(8, 100));
  CHECK(f.table.stats().cachedPages == 2 && f.table.stats().freePages == 0);
  f.open(counting(4, 200));
  CHECK(f.table.stats().evictions == 1 && f.table.stats().cachedPages == 1);
  const MemoryStats before = f.table.stats();
  CHECK_ERROR("out_of_pages", f.open(counting(8, 300)));
  CHECK_ERROR("out_of_pages", f.table.append(held.sequence, counting(8), 0, f.copies));
  f.table.checkInvariants();
  CHECK(f.table.stats().usedPages == before.usedPages && f.table.at(held.sequence).known() == 8);
  f.table.clearCache();
  CHECK(f.table.stats().cachedPages == 0 && f.table.stats().freePages == 1);
}

TEST("the source of a partial copy gives way when its own page is needed") {
  Fixture f(true, 1);
  f.close(f.computed(counting(4)));
  const auto opened = f.open(counting(4));
  CHECK(opened.cachedTokens == 0 && f.copies.empty());
}

TEST("closing everything leaves every page free or cached") {
  Fixture f;
  const std::int32_t a = f.computed(counting(10));
  const std::int32_t b = f.table.fork(a, 9, 7, f.copies);
  f.close(a);
  f.close(b);
  CHECK(f.table.stats().usedPages == 0 && f.table.stats().openSequences == 0);
  CHECK(f.table.stats().cachedPages == 2 && f.table.stats().freePages == 6);
}

TEST("arguments out of range are refused") {
  Fixture f;
  const std::int32_t a = f.computed(counting(6));
  CHECK_ERROR("invalid_argument", f.open({}));
  CHECK_ERROR("invalid_argument", f.open(counting(3), -1));
  CHECK_ERROR("invalid_argument", f.table.fork(a, 7, 0, f.copies));
  CHECK_ERROR("invalid_argument", f.table.fork(a, 0, 0, f.copies));
  CHECK_ERROR("invalid_argument", f.table.truncate(a, 7));
  CHECK_ERROR("invalid_argument", f.table.truncate(a, -1));
  CHECK_ERROR("invalid_argument", f.table.close(a + 1));
  CHECK_ERROR("invalid_argument", f.table.close(-1));
  CHECK_ERROR("invalid_argument", f.table.close(6));
  CHECK_ERROR("invalid_argument", SequenceTable({.pages = 4, .pageTokens = 12}));
  CHECK_ERROR("invalid_argument", SequenceTable({.pages = 4, .pageTokens = 4, .maxSequences = 0}));
  for (int i = 0; i < 5; ++i) f.open(counting(1, 500 + i));
  CHECK_ERROR("invalid_argument", f.open(counting(1)));
  f.table.checkInvariants();
}

TEST("each corruption of table or tree is found") {
  using Access = MemoryTestAccess;
  const auto corrupted = [](const std::function<void(Fixture&, std::int32_t)>& corrupt) {
    Fixture f;
    const std::int32_t a = f.computed(counting(9));
    f.close(f.computed(counting(6, 50)));
    corrupt(f, a);
    return test::thrownCode([&] { f.table.checkInvariants(); });
  };
  const auto page = [](Fixture& f, std::int32_t a, std::size_t i) { return f.table.at(a).pages[i]; };
  CHECK(corrupted([](Fixture&, std::int32_t) {}) == "nothing");
  CHECK(corrupted([](Fixture& f, std::int32_t) { ++Access::openSequences(f.table); }) == "internal");
  CHECK(corrupted([&](Fixture& f, std::int32_t a) {
          Access::references(Access::pool(f.table), page(f, a, 0)) = 2;
        }) == "internal");
  CHECK(corrupted([&](Fixture& f, std::int32_t a) { Access::token(Access::tree(f.table), page(f, a, 1), 2) = 77; }) ==
        "internal");
  CHECK(corrupted([&](Fixture& f, std::int32_t a) { ++Access::hash(Access::tree(f.table), page(f, a, 0)); }) ==
        "internal");
  CHECK(corrupted([&](Fixture& f, std::int32_t a) {
          Access::parent(Access::tree(f.table), page(f, a, 1)) = noPage;
        }) == "internal");
  CHECK(corrupted([](Fixture& f, std::int32_t) { Access::forgetEvictable(Access::tree(f.table)); }) == "internal");
  CHECK(corrupted([](Fixture& f, std::int32_t) { Access::forgetHashes(Access::tree(f.table)); }) == "internal");
  CHECK(corrupted([](Fixture& f, std::int32_t a) {
          ++Access::sequences(f.table)[static_cast<std::size_t>(a)].computed;
        }) == "internal");
  CHECK(corrupted([](Fixture& f, std::int32_t a) {
          Access::sequences(f.table)[static_cast<std::size_t>(a)].tokens[1] = 1234;
        }) == "internal");
  CHECK(corrupted([](Fixture& f, std::int32_t a) {
          Access::sequences(f.table)[static_cast<std::size_t>(a)].pages.pop_back();
        }) == "internal");
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
