#include "memory/host_tier.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace foretrace {

namespace {

constexpr std::uint64_t rootHash = 0x6a09e667f3bcc909ULL;

std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

}  // namespace

HostTier::HostTier(std::int32_t hostPages, std::int32_t pageTokens, PageHash hash) : pageTokens_(pageTokens), hash_(hash) {
  if (hostPages < 0) throw Error(ErrorCode::invalid_argument, "host pages", "at least 0", std::to_string(hostPages));
  nodeOf_.assign(index(hostPages), noNode);
  free_.reserve(index(hostPages));
  for (HostPage page = hostPages - 1; page >= 0; --page) free_.push_back(page);
}

std::span<const std::int32_t> HostTier::tokens(Node node) const {
  return std::span(tokens_).subspan(index(node) * index(pageTokens_), index(pageTokens_));
}

std::uint64_t HostTier::hashBelow(Node parent, std::span<const std::int32_t> tokens) const {
  return hash_(parent == noNode ? rootHash : at(parent).hash, tokens);
}

HostTier::Node HostTier::find(Node parent, std::span<const std::int32_t> wanted) const {
  const auto [first, last] = byHash_.equal_range(hashBelow(parent, wanted));
  for (auto entry = first; entry != last; ++entry) {
    const Node node = entry->second;
    if (at(node).parent == parent && std::ranges::equal(tokens(node), wanted)) return node;
  }
  return noNode;
}

HostTier::Node HostTier::make(Node parent, std::uint64_t hash, std::span<const std::int32_t> content) {
  ensure(content.size() == index(pageTokens_), "tier: a page is not full");
  if (unused_.empty()) {
    unused_.push_back(static_cast<Node>(entries_.size()));
    entries_.emplace_back();
    tokens_.resize(tokens_.size() + index(pageTokens_));
  }
  const Node node = unused_.back();
  unused_.pop_back();
  Entry& entry = at(node);
  entry = Entry{};
  entry.present = true;
  entry.parent = parent;
  entry.hash = hash;
  std::ranges::copy(content, tokens_.begin() + static_cast<std::ptrdiff_t>(node) * pageTokens_);
  byHash_.emplace(hash, node);
  if (parent != noNode) ++at(parent).children;
  return node;
}

HostTier::Node HostTier::intern(Node parent, std::span<const std::int32_t> content) {
  Node node = find(parent, content);
  if (node == noNode) node = make(parent, hashBelow(parent, content), content);
  retain(node);
  return node;
}

void HostTier::release(Node node) {
  ensure(at(node).references > 0, "tier: a node is released more often than it is held");
  --at(node).references;
  forgetUnused(node);
}

/// Forgets the node and those before it, as far as nobody needs them.
void HostTier::forgetUnused(Node node) {
  while (node != noNode) {
    Entry& entry = at(node);
    if (entry.references > 0 || entry.children > 0 || entry.hostPage != noHostPage) return;
    const auto [first, last] = byHash_.equal_range(entry.hash);
    const auto found = std::find_if(first, last, [&](const auto& item) { return item.second == node; });
    ensure(found != last, "tier: a node is missing in the hash index");
    byHash_.erase(found);
    const Node parent = entry.parent;
    entry = Entry{};
    unused_.push_back(node);
    if (parent != noNode) --at(parent).children;
    node = parent;
  }
}

HostPage HostTier::store(Node node) {
  ensure(at(node).hostPage == noHostPage, "tier: a page is stored twice");
  if (free_.empty()) {
    if (byUse_.empty()) {
      ++counts_.dropped;
      return noHostPage;
    }
    // The node about to be stored is held by its page, so forgetting another's copy does not forget it.
    takeHostPage(byUse_.begin()->second);
    ++counts_.dropped;
  }
  Entry& entry = at(node);
  entry.hostPage = free_.back();
  free_.pop_back();
  nodeOf_[index(entry.hostPage)] = node;
  entry.lastUse = ++clock_;
  if (droppable(entry)) byUse_.emplace(entry.lastUse, node);
  ++counts_.stored;
  return entry.hostPage;
}

/// The node's host page becomes free.
void HostTier::takeHostPage(Node node) {
  Entry& entry = at(node);
  ensure(entry.pins == 0, "tier: a pinned page is dropped");
  byUse_.erase({entry.lastUse, node});
  nodeOf_[index(entry.hostPage)] = noNode;
  free_.push_back(entry.hostPage);
  entry.hostPage = noHostPage;
  forgetUnused(node);
}

void HostTier::touch(Node node) {
  Entry& entry = at(node);
  if (droppable(entry)) byUse_.erase({entry.lastUse, node});
  entry.lastUse = ++clock_;
  if (droppable(entry)) byUse_.emplace(entry.lastUse, node);
}

void HostTier::pin(Node node) {
  Entry& entry = at(node);
  ensure(entry.hostPage != noHostPage, "tier: what is pinned has no host page");
  if (entry.pins++ == 0) byUse_.erase({entry.lastUse, node});
}

void HostTier::unpin(Node node) {
  Entry& entry = at(node);
  ensure(entry.pins > 0, "tier: a page is unpinned more often than it was pinned");
  if (--entry.pins == 0) byUse_.emplace(entry.lastUse, node);
}

void HostTier::drop(HostPage page) {
  const Node node = nodeOf_.at(index(page));
  if (node != noNode) takeHostPage(node);
}

void HostTier::clear() {
  for (HostPage page = 0; page < total(); ++page) drop(page);
}

void HostTier::checkInvariants() const {
  std::vector<std::int32_t> children(entries_.size(), 0);
  std::size_t present = 0;
  std::size_t hosted = 0;
  std::size_t droppables = 0;
  for (Node node = 0; node < static_cast<Node>(entries_.size()); ++node) {
    const Entry& entry = at(node);
    if (!entry.present) continue;
    ++present;
    ensure(entry.references >= 0 && entry.pins >= 0, "tier: a count is negative");
    ensure(entry.references > 0 || entry.children > 0 || entry.hostPage != noHostPage, "tier: a node is kept for nobody");
    ensure(entry.pins == 0 || entry.hostPage != noHostPage, "tier: what is pinned has no host page");
    if (entry.parent != noNode) {
      ensure(at(entry.parent).present, "tier: the node before a node is gone");
      ++children[index(entry.parent)];
    }
    ensure(entry.hash == hashBelow(entry.parent, tokens(node)), "tier: a hash does not fit its tokens");
    ensure(find(entry.parent, tokens(node)) == node, "tier: a node is not found, or there are two of it");
    if (entry.hostPage != noHostPage) {
      ++hosted;
      ensure(nodeOf_.at(index(entry.hostPage)) == node, "tier: a host page belongs to another node");
    }
    droppables += droppable(entry) ? 1U : 0U;
    ensure(byUse_.contains({entry.lastUse, node}) == droppable(entry), "tier: the list of pages that may be dropped is wrong");
  }
  for (Node node = 0; node < static_cast<Node>(entries_.size()); ++node) {
    ensure(at(node).children == children[index(node)], "tier: a count of children is wrong");
  }
  ensure(byHash_.size() == present && present + unused_.size() == entries_.size(), "tier: the hash index holds a node that is gone");
  ensure(hosted == index(used()) && byUse_.size() == droppables, "tier: the counter of used host pages is wrong");
  for (const HostPage page : free_) ensure(nodeOf_.at(index(page)) == noNode, "tier: a free host page belongs to a node");
}

}  // namespace foretrace
