#include "memory/prefix_tree.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/error.h"

namespace foretrace {

namespace {

constexpr std::uint64_t rootHash = 0x9e3779b97f4a7c15ULL;

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

std::uint64_t hashPage(std::uint64_t parentHash, std::span<const std::int32_t> tokens) {
  std::uint64_t hash = parentHash;
  for (const std::int32_t token : tokens) hash = mix(hash + rootHash + static_cast<std::uint32_t>(token));
  return hash;
}

PrefixTree::PrefixTree(std::int32_t pages, std::int32_t pageTokens, PageHash hash)
    : pageTokens_(pageTokens), hash_(hash), nodes_(static_cast<std::size_t>(pages)),
      tokens_(static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageTokens)),
      buckets_(std::bit_ceil(static_cast<std::size_t>(std::max(pages, 1))), noPage) {}

std::uint64_t PrefixTree::hashOf(PageId page) const { return page == noPage ? rootHash : node(page).hash; }

std::span<const std::int32_t> PrefixTree::tokens(PageId page) const {
  const auto width = static_cast<std::size_t>(pageTokens_);
  return std::span(tokens_).subspan(static_cast<std::size_t>(page) * width, width);
}

PageId PrefixTree::find(PageId parent, std::span<const std::int32_t> wanted) const {
  const std::uint64_t hash = hash_(hashOf(parent), wanted);
  for (PageId page = bucketOf(hash); page != noPage; page = node(page).nextOfBucket) {
    const Node& entry = node(page);
    if (entry.hash == hash && entry.parent == parent && std::ranges::equal(tokens(page), wanted)) return page;
  }
  return noPage;
}

PrefixTree::Partial PrefixTree::findPartial(PageId parent, std::span<const std::int32_t> wanted) const {
  Partial best;
  for (PageId child = firstChild(parent); child != noPage; child = node(child).nextSibling) {
    const auto held = tokens(child);
    const auto difference = std::ranges::mismatch(held, wanted);
    const auto common = static_cast<std::int32_t>(difference.in1 - held.begin());
    if (common > best.tokens) best = {child, common};
  }
  return best;
}

void PrefixTree::continuation(PageId parent, std::span<const std::int32_t> tail, std::size_t most,
                              std::vector<std::int32_t>& out) const {
  constexpr int mostSearched = 64;  // a program that many ask about has many branches
  const std::size_t end = out.size() + most;
  PageId page = firstChild(parent);
  for (int searched = 0; page != noPage && searched < mostSearched; ++searched, page = node(page).nextSibling) {
    const auto held = tokens(page);
    if (std::ranges::equal(held.first(tail.size()), tail)) break;
  }
  if (page == noPage || !std::ranges::equal(tokens(page).first(tail.size()), tail)) return;
  for (auto rest = tokens(page).subspan(tail.size()); page != noPage && out.size() < end; rest = tokens(page)) {
    const auto next = rest.first(std::min(rest.size(), end - out.size()));
    out.insert(out.end(), next.begin(), next.end());
    page = node(page).firstChild;
    if (page == noPage) return;
  }
}

void PrefixTree::link(PageId page, PageId parent) {
  PageId& head = parent == noPage ? rootChild_ : node(parent).firstChild;
  Node& entry = node(page);
  entry.previousSibling = noPage;
  entry.nextSibling = head;
  if (head != noPage) node(head).previousSibling = page;
  head = page;
}

void PrefixTree::unlink(PageId page) {
  Node& entry = node(page);
  if (entry.nextSibling != noPage) node(entry.nextSibling).previousSibling = entry.previousSibling;
  if (entry.previousSibling != noPage) {
    node(entry.previousSibling).nextSibling = entry.nextSibling;
  } else if (entry.parent != noPage) {
    node(entry.parent).firstChild = entry.nextSibling;
  } else {
    rootChild_ = entry.nextSibling;
  }
}

void PrefixTree::insert(PageId page, PageId parent, std::span<const std::int32_t> pageContent) {
  ensure(!contains(page), "a page is inserted into the prefix tree twice");
  ensure(parent == noPage || node(parent).present, "the page before a sealed page is not sealed");
  ensure(pageContent.size() == static_cast<std::size_t>(pageTokens_), "a sealed page is not full");
  Node& entry = node(page);
  entry = Node{};
  entry.present = true;
  entry.referenced = true;
  entry.parent = parent;
  entry.hash = hash_(hashOf(parent), pageContent);
  std::ranges::copy(pageContent, tokens_.begin() + static_cast<std::ptrdiff_t>(page) * pageTokens_);
  if (parent != noPage && evictable(node(parent))) evictable_.erase({node(parent).lastUse, parent});
  link(page, parent);
  entry.nextOfBucket = std::exchange(bucketOf(entry.hash), page);
}

void PrefixTree::remove(PageId page) {
  Node& entry = node(page);
  ensure(evictable(entry), "only unreferenced leaves leave the prefix tree");
  evictable_.erase({entry.lastUse, page});
  unlink(page);
  PageId* link = &bucketOf(entry.hash);
  while (*link != noPage && *link != page) link = &node(*link).nextOfBucket;
  ensure(*link == page, "a sealed page is missing in the hash index");
  *link = entry.nextOfBucket;
  const PageId parent = entry.parent;
  entry = Node{};
  if (parent != noPage && evictable(node(parent))) evictable_.emplace(node(parent).lastUse, parent);
}

void PrefixTree::setReferenced(PageId page, bool referenced) {
  Node& entry = node(page);
  if (evictable(entry)) evictable_.erase({entry.lastUse, page});
  entry.referenced = referenced;
  if (!referenced) entry.lastUse = ++clock_;
  if (evictable(entry)) evictable_.emplace(entry.lastUse, page);
}

PageId PrefixTree::leastRecent() const { return evictable_.empty() ? noPage : evictable_.begin()->second; }

void PrefixTree::checkNode(PageId page, const BlockPool& pool) const {
  const Node& entry = node(page);
  ensure(pool.sealed(page), "tree: a page in the tree is not sealed");
  ensure(entry.referenced == (pool.references(page) > 0), "tree: a page is wrongly marked as referenced");
  ensure(entry.hash == hash_(hashOf(entry.parent), tokens(page)), "tree: a hash does not fit its tokens");
  if (entry.parent != noPage) {
    ensure(node(entry.parent).present, "tree: the page before a sealed page is not sealed");
    ensure(pool.references(entry.parent) >= pool.references(page), "tree: a page has more references than its parent");
  }
  PageId indexed = bucketOf(entry.hash);
  while (indexed != noPage && indexed != page) indexed = node(indexed).nextOfBucket;
  ensure(indexed == page, "tree: a sealed page is missing in the hash index");
  ensure(evictable_.contains({entry.lastUse, page}) == evictable(entry), "tree: the list of evictable pages is wrong");
}

void PrefixTree::checkInvariants(const BlockPool& pool) const {
  std::size_t present = 0;
  std::size_t evictables = 0;
  std::size_t linked = 0;
  std::size_t indexed = 0;
  for (PageId page : buckets_) {
    for (; page != noPage; page = node(page).nextOfBucket) {
      ensure(++indexed <= nodes_.size(), "tree: a bucket of the hash index has a ring");
    }
  }
  const auto countChildren = [&](PageId parent) {
    for (PageId child = firstChild(parent); child != noPage; child = node(child).nextSibling) {
      ensure(node(child).present && node(child).parent == parent, "tree: a child has another parent");
      ensure(++linked <= nodes_.size(), "tree: the list of children has a ring");
    }
  };
  countChildren(noPage);
  for (PageId page = 0; page < static_cast<PageId>(nodes_.size()); ++page) {
    ensure(contains(page) == pool.sealed(page), "tree: sealed pages and pages of the tree differ");
    if (!contains(page)) continue;
    ++present;
    evictables += evictable(node(page)) ? 1U : 0U;
    checkNode(page, pool);
    countChildren(page);
  }
  ensure(indexed == present, "tree: the hash index holds a page that is not sealed");
  ensure(linked == present, "tree: a sealed page is not linked to its parent");
  ensure(evictable_.size() == evictables, "tree: the list of evictable pages has foreign entries");
}

}  // namespace foretrace
