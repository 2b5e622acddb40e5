// Which sealed pages have a copy in host memory, and what they hold. Knows neither device nor pool: the owner of the pages
// carries out the copies.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memory/prefix_tree.h"

namespace foretrace {

/// Number of a page of host memory, from 0.
using HostPage = std::int32_t;
inline constexpr HostPage noHostPage = -1;

/// A tree of page contents, one node for each distinct beginning of tokens that a page in host memory or a page of the pool
/// (as far as it has been asked for) ends. A node is found through the chained hash and verified by comparing tokens and
/// the node before it, never by the hash alone. A node has a host page or none; if all are taken, the least recently used one
/// is given to another. A node nobody needs is forgotten.
class HostTier {
 public:
  using Node = std::int32_t;
  static constexpr Node noNode = -1;  ///< also the node before the first page

  struct Counts {
    std::int64_t stored = 0;    ///< pages copied to host memory
    std::int64_t restored = 0;  ///< pages copied back
    std::int64_t dropped = 0;   ///< copies given up for want of room
  };

  HostTier(std::int32_t hostPages, std::int32_t pageTokens, PageHash hash = hashPage);

  [[nodiscard]] std::int32_t total() const noexcept { return static_cast<std::int32_t>(nodeOf_.size()); }
  [[nodiscard]] std::int32_t used() const noexcept { return total() - static_cast<std::int32_t>(free_.size()); }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

  /// The node below `parent` with these pageTokens tokens, or noNode.
  [[nodiscard]] Node find(Node parent, std::span<const std::int32_t> tokens) const;
  /// The same, made if there is none, with one reference more.
  Node intern(Node parent, std::span<const std::int32_t> tokens);
  void retain(Node node) { ++at(node).references; }
  void release(Node node);

  [[nodiscard]] HostPage hostPage(Node node) const { return at(node).hostPage; }
  [[nodiscard]] Node parent(Node node) const { return at(node).parent; }
  [[nodiscard]] std::span<const std::int32_t> tokens(Node node) const;
  [[nodiscard]] std::int32_t references(Node node) const { return at(node).references; }

  /// Gives the node a host page that must be filled now; noHostPage if every one of them is pinned. The node must have none.
  HostPage store(Node node);
  /// Tells that the copy of a node was used, or would have been.
  void touch(Node node);
  /// While a node is pinned its host page stays. It must have one.
  void pin(Node node);
  void unpin(Node node);
  /// Counts a copy back to the pool.
  void countRestored() noexcept { ++counts_.restored; }
  /// Forgets what a host page holds; nothing if it holds nothing.
  void drop(HostPage page);
  /// Forgets what all of them hold. None may be pinned.
  void clear();

  /// Throws `internal` naming the first broken invariant.
  void checkInvariants() const;

 private:
  friend struct MemoryTestAccess;

  struct Entry {
    bool present = false;
    Node parent = noNode;
    std::uint64_t hash = 0;
    std::int32_t children = 0;
    std::int32_t references = 0;
    std::int32_t pins = 0;
    HostPage hostPage = noHostPage;
    std::uint64_t lastUse = 0;
  };

  [[nodiscard]] const Entry& at(Node node) const { return entries_.at(static_cast<std::size_t>(node)); }
  [[nodiscard]] Entry& at(Node node) { return entries_.at(static_cast<std::size_t>(node)); }
  [[nodiscard]] std::uint64_t hashBelow(Node parent, std::span<const std::int32_t> tokens) const;
  [[nodiscard]] static bool droppable(const Entry& entry) { return entry.hostPage != noHostPage && entry.pins == 0; }
  Node make(Node parent, std::uint64_t hash, std::span<const std::int32_t> tokens);
  void takeHostPage(Node node);
  void forgetUnused(Node node);

  std::int32_t pageTokens_;
  PageHash hash_;
  std::uint64_t clock_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> tokens_;  ///< [entries, pageTokens]
  std::vector<Node> unused_;          ///< entries that are not present
  std::unordered_multimap<std::uint64_t, Node> byHash_;
  std::vector<Node> nodeOf_;          ///< [host pages]
  std::vector<HostPage> free_;        ///< taken from the back
  std::set<std::pair<std::uint64_t, Node>> byUse_;  ///< (last use, node) of those that may be dropped
  Counts counts_;
};

}  // namespace foretrace
