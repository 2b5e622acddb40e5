// Pages in host memory: found by their whole beginning, given up least recently used first, copied back when a prompt
// matches them again.
#include "memory/host_tier.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "check.h"
#include "memory/sequence_table.h"

using namespace foretrace;

namespace {

using Tokens = std::vector<std::int32_t>;

Tokens counting(std::int32_t count, std::int32_t first = 1) {
  Tokens tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

/// Every page collides with every other.
std::uint64_t worstHash(std::uint64_t, std::span<const std::int32_t>) { return 7; }

/// A table whose pages are simulated: a copy command moves what a page holds, so that a wrong one is seen.
struct Pool {
  Pool(std::int32_t pages, std::int32_t hostPages, PageHash hash = hashPage)
      : table({.pages = pages, .pageTokens = 4, .maxSequences = 6, .hash = hash, .hostPages = hostPages}),
        content(static_cast<std::size_t>(pages)), host(static_cast<std::size_t>(hostPages)) {}

  void apply() {
    for (const PageCopy& copy : std::exchange(copies, {})) {
      if (copy.kind == PageCopy::Kind::toHost) host.at(index(copy.to)) = content.at(index(copy.from));
      if (copy.kind == PageCopy::Kind::fromHost) content.at(index(copy.to)) = host.at(index(copy.from));
      if (copy.kind == PageCopy::Kind::withinPool) {
        content.at(index(copy.to)).assign(content.at(index(copy.from)).begin(), content.at(index(copy.from)).begin() + copy.tokens);
      }
    }
    table.checkInvariants();
  }

  /// Opens a sequence, computes what is left of it and closes it; returns how many of its tokens were there.
  std::int32_t visit(const Tokens& tokens) {
    const auto opened = table.open(tokens, 0, copies);
    apply();
    const Sequence& entry = table.at(opened.sequence);
    for (std::size_t page = 0; page < entry.pages.size(); ++page) {
      Tokens& held = content.at(index(entry.pages[page]));
      const std::size_t begin = 4 * page;
      const std::size_t there = std::min<std::size_t>(4, std::max(begin, static_cast<std::size_t>(entry.computed)) - begin);
      CHECK(held.size() >= there && std::equal(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(there), tokens.begin() + static_cast<std::ptrdiff_t>(begin)));
      held.assign(tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 4, tokens.size())));
    }
    table.commit(opened.sequence, entry.known() - entry.computed);
    table.close(opened.sequence);
    table.checkInvariants();
    return opened.cachedTokens;
  }

  static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

  SequenceTable table;
  std::vector<PageCopy> copies;
  std::vector<Tokens> content;
  std::vector<Tokens> host;
};

}  // namespace

TEST("a node is its tokens and all tokens before it, also where every hash collides") {
  for (const PageHash hash : {hashPage, worstHash}) {
    HostTier tier(4, 4, hash);
    const Tokens a = counting(4);
    const Tokens b = counting(4, 9);
    const HostTier::Node first = tier.intern(HostTier::noNode, a);
    const HostTier::Node below = tier.intern(first, b);
    const HostTier::Node other = tier.intern(HostTier::noNode, b);
    CHECK(below != other && tier.find(first, b) == below && tier.find(HostTier::noNode, b) == other);
    CHECK(tier.find(other, b) == HostTier::noNode && tier.find(below, a) == HostTier::noNode);
    CHECK(tier.intern(first, b) == below);
    tier.checkInvariants();
    tier.release(below);
    tier.release(first);  // still before `below`
    CHECK(tier.find(first, b) == below);
    tier.release(below);
    CHECK(tier.find(HostTier::noNode, a) == HostTier::noNode);
    tier.checkInvariants();
  }
}

TEST("the least recently used copy is given up, never a pinned one") {
  HostTier tier(2, 4);
  std::vector<HostTier::Node> nodes;
  for (int i = 0; i < 4; ++i) nodes.push_back(tier.intern(HostTier::noNode, counting(4, 10 * i)));
  const HostPage first = tier.store(nodes[0]);
  const HostPage second = tier.store(nodes[1]);
  CHECK(first != second && tier.used() == 2);
  tier.touch(nodes[0]);
  CHECK(tier.store(nodes[2]) == second && tier.hostPage(nodes[1]) == noHostPage);
  tier.pin(nodes[0]);
  tier.pin(nodes[2]);
  CHECK(tier.store(nodes[3]) == noHostPage);
  tier.unpin(nodes[2]);
  CHECK(tier.store(nodes[3]) == second && tier.hostPage(nodes[0]) == first);
  CHECK(tier.counts().stored == 4 && tier.counts().dropped == 3);
  tier.checkInvariants();
  tier.unpin(nodes[0]);
  tier.drop(first);
  tier.drop(first);
  CHECK(tier.used() == 1);
  tier.clear();
  CHECK(tier.used() == 0);
  CHECK_ERROR("internal", tier.unpin(nodes[0]));
  tier.checkInvariants();
}

TEST("a program that was evicted comes back from host memory, without being computed or copied out again") {
  for (const PageHash hash : {hashPage, worstHash}) {
    Pool pool(4, 8, hash);
    const Tokens first = counting(13);
    const Tokens second = counting(13, 100);
    CHECK(pool.visit(first) == 0 && pool.visit(second) == 0);
    CHECK(pool.visit(first) == 12);
    const MemoryStats once = pool.table.stats();
    CHECK(once.restoredPages == 3 && once.storedPages >= 6 && once.droppedPages == 0 && once.hostPages == 8);
    CHECK(pool.visit(second) == 12 && pool.visit(first) == 12);
    CHECK(pool.table.stats().storedPages == once.storedPages);  // they are there already
    Tokens longer = first;
    longer[5] = 99;  // parts in the second page
    CHECK(pool.visit(longer) == 4);  // the pool has no room to keep the page a part could be copied from
  }
}

TEST("a tier smaller than a program restores what it kept, and nothing else") {
  Pool pool(4, 2);
  const Tokens first = counting(13);
  CHECK(pool.visit(first) == 0 && pool.visit(counting(13, 100)) == 0);
  // Leaves go first: the two kept last are the first two pages.
  CHECK(pool.visit(first) == 8);
  CHECK(pool.table.stats().usedHostPages == 2 && pool.table.stats().droppedPages > 0);
}

TEST("a copy back that failed leaves nothing that could be shared; one to host memory is not trusted") {
  Pool pool(4, 8);
  const Tokens first = counting(13);
  const Tokens second = counting(13, 100);
  pool.visit(first);
  pool.visit(second);
  const auto opened = pool.table.open(first, 0, pool.copies);
  std::vector<PageCopy> failed = std::exchange(pool.copies, {});
  long back = 0;
  for (const PageCopy& copy : failed) back += copy.kind == PageCopy::Kind::fromHost;
  CHECK(back == 3 && failed.front().kind == PageCopy::Kind::toHost);
  pool.table.close(opened.sequence);
  pool.table.abandon(failed);
  pool.table.checkInvariants();
  CHECK(pool.visit(first) == 12);    // its copies are still good
  CHECK(pool.visit(second) < 12);    // of this one some were never made
}

TEST("without host pages, without reuse and after clearCache nothing is kept") {
  Pool none(4, 0);
  none.visit(counting(13));
  none.visit(counting(13, 100));
  CHECK(none.visit(counting(13)) == 0 && none.table.stats().storedPages == 0);
  SequenceTable cold({.pages = 4, .pageTokens = 4, .maxSequences = 2, .reusePrefixes = false, .hostPages = 8});
  CHECK(cold.stats().hostPages == 0);
  Pool pool(4, 8);
  pool.visit(counting(13));
  pool.visit(counting(13, 100));
  pool.table.clearCache();
  pool.table.checkInvariants();
  CHECK(pool.table.stats().usedHostPages == 0 && pool.visit(counting(13)) == 0);
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
