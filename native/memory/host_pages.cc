// What SequenceTable does with pages in host memory: copies of pages that leave the pool, and their way back.
#include <algorithm>

#include "core/error.h"
#include "memory/sequence_table.h"

namespace foretrace {

/// The tier's node of a sealed page; made on demand, with those of the pages before it, and held until the page leaves the
/// tree.
HostTier::Node SequenceTable::nodeOf(PageId page) {
  std::vector<PageId> unknown;
  PageId known = page;
  while (known != noPage && nodeOfPage_[static_cast<std::size_t>(known)] == HostTier::noNode) {
    unknown.push_back(known);
    known = tree_.parent(known);
  }
  HostTier::Node node = known == noPage ? HostTier::noNode : nodeOfPage_[static_cast<std::size_t>(known)];
  for (auto next = unknown.rbegin(); next != unknown.rend(); ++next) {
    node = tier_.intern(node, tree_.tokens(*next));
    nodeOfPage_[static_cast<std::size_t>(*next)] = node;
  }
  return node;
}

/// Takes a cached page out of the tree and the pool; the page becomes free.
void SequenceTable::evict(PageId page) {
  HostTier::Node& node = nodeOfPage_[static_cast<std::size_t>(page)];
  tree_.remove(page);
  pool_.evict(page);
  if (node != HostTier::noNode) tier_.release(node);
  node = HostTier::noNode;
}

/// Has a page that is about to be evicted copied to host memory, unless it is there from an earlier time.
void SequenceTable::keepCopy(PageId page, std::vector<PageCopy>& copies) {
  if (tier_.total() == 0) return;
  const HostTier::Node node = nodeOf(page);
  if (tier_.hostPage(node) != noHostPage) {
    tier_.touch(node);
    return;
  }
  const HostPage hostPage = tier_.store(node);
  if (hostPage != noHostPage) copies.push_back({page, hostPage, options_.pageTokens, PageCopy::Kind::toHost});
}

/// Nodes in host memory that follow the first `pages` pages of `tokens`, pinned, the deepest used longest ago.
std::vector<HostTier::Node> SequenceTable::matchHosted(std::span<const std::int32_t> tokens, std::size_t pages) {
  std::vector<HostTier::Node> hosted;
  if (tier_.used() == 0) return hosted;
  const auto width = static_cast<std::size_t>(options_.pageTokens);
  HostTier::Node node = HostTier::noNode;
  for (std::size_t page = 0; (page + 1) * width <= tokens.size(); ++page) {
    node = tier_.find(node, tokens.subspan(page * width, width));
    if (node == HostTier::noNode) break;
    if (page < pages) continue;
    if (tier_.hostPage(node) == noHostPage) break;
    hosted.push_back(node);
  }
  for (auto next = hosted.rbegin(); next != hosted.rend(); ++next) {
    tier_.touch(*next);
    tier_.pin(*next);
  }
  return hosted;
}

/// Seals fresh pages of a sequence, from `first` on, as what the nodes hold, and has their content copied back.
void SequenceTable::restore(Sequence& sequence, std::size_t first, std::span<const HostTier::Node> hosted, std::vector<PageCopy>& copies) {
  if (!hosted.empty() && first > 0) static_cast<void>(nodeOf(sequence.pages[first - 1]));
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    const HostTier::Node node = hosted[i];
    const PageId page = sequence.pages[first + i];
    pool_.seal(page);
    tree_.insert(page, first + i == 0 ? noPage : sequence.pages[first + i - 1], tier_.tokens(node));
    tier_.retain(node);
    nodeOfPage_[static_cast<std::size_t>(page)] = node;
    copies.push_back({tier_.hostPage(node), page, options_.pageTokens, PageCopy::Kind::fromHost});
    tier_.countRestored();
    tier_.unpin(node);
  }
}

void SequenceTable::abandon(std::span<const PageCopy> failed) {
  for (auto copy = failed.rbegin(); copy != failed.rend(); ++copy) {
    if (copy->kind == PageCopy::Kind::toHost) tier_.drop(copy->to);
    if (copy->kind == PageCopy::Kind::fromHost && tree_.contains(copy->to)) {
      ensure(pool_.references(copy->to) == 0, "a page that was not copied back is in use");
      evict(copy->to);
    }
  }
}

void SequenceTable::clearCache() {
  for (PageId page = tree_.leastRecent(); page != noPage; page = tree_.leastRecent()) {
    evict(page);
    ++evictions_;
  }
  tier_.clear();
}

void SequenceTable::checkHosted() const {
  tier_.checkInvariants();
  std::vector<std::int32_t> holders;
  for (PageId page = 0; page < pool_.total(); ++page) {
    const HostTier::Node node = nodeOfPage_[static_cast<std::size_t>(page)];
    if (node == HostTier::noNode) continue;
    ensure(tree_.contains(page), "table: a page outside the tree has a node in the tier");
    const PageId parent = tree_.parent(page);
    ensure(tier_.parent(node) == (parent == noPage ? HostTier::noNode : nodeOfPage_[static_cast<std::size_t>(parent)]),
           "table: the node of a page does not follow that of the page before it");
    ensure(std::ranges::equal(tier_.tokens(node), tree_.tokens(page)), "table: the node of a page holds other tokens");
    holders.push_back(node);
  }
  std::ranges::sort(holders);
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const auto same = std::ranges::equal_range(holders, holders[i]);
    ensure(static_cast<std::int32_t>(same.size()) == tier_.references(holders[i]), "table: a node is held more or less often than counted");
  }
}

}  // namespace foretrace
