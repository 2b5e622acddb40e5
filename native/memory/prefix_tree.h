// The tree of sealed pages: which tokens a page holds and which page comes before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "memory/block_pool.h"

namespace foretrace {

/// Hash of a page: of the hash of the page before it and its own tokens, so that it names the whole prefix.
using PageHash = std::uint64_t (*)(std::uint64_t parentHash, std::span<const std::int32_t> tokens);

/// The usual hash; tests pass a bad one to force collisions.
[[nodiscard]] std::uint64_t hashPage(std::uint64_t parentHash, std::span<const std::int32_t> tokens);

/// Sealed pages by (page before, tokens). A look-up goes through the chained hash and is verified by comparing
/// parent and tokens, never trusted. Also knows which pages may be evicted: leaves that nobody references, least
/// recently used first; parents become leaves when their last child goes.
class PrefixTree {
 public:
  /// The longest common beginning of some tokens with one child page.
  struct Partial {
    PageId page = noPage;
    std::int32_t tokens = 0;
  };

  PrefixTree(std::int32_t pages, std::int32_t pageTokens, PageHash hash = hashPage);

  /// The page below `parent` (noPage = the root) that holds exactly these pageTokens tokens, or noPage.
  [[nodiscard]] PageId find(PageId parent, std::span<const std::int32_t> tokens) const;
  /// The child of `parent` that shares the most first tokens with `tokens`; at most tokens.size() of them.
  [[nodiscard]] Partial findPartial(PageId parent, std::span<const std::int32_t> tokens) const;

  /// Appends at most `most` tokens that follow `tail` (less than a page) behind `parent`, along the newest branch that
  /// begins with it.
  void continuation(PageId parent, std::span<const std::int32_t> tail, std::size_t most,
                    std::vector<std::int32_t>& out) const;

  /// Adds a sealed page that is referenced.
  void insert(PageId page, PageId parent, std::span<const std::int32_t> tokens);
  /// Removes a page without children.
  void remove(PageId page);

  /// Tells that a page has a reference again, or lost its last one (and was used just now).
  void setReferenced(PageId page, bool referenced);
  /// The page to evict next, or noPage.
  [[nodiscard]] PageId leastRecent() const;

  [[nodiscard]] bool contains(PageId page) const { return node(page).present; }
  [[nodiscard]] PageId parent(PageId page) const { return node(page).parent; }
  [[nodiscard]] std::span<const std::int32_t> tokens(PageId page) const;

  /// Throws `internal` naming the first broken invariant; `pool` says which pages are sealed and referenced.
  void checkInvariants(const BlockPool& pool) const;

 private:
  friend struct MemoryTestAccess;

  struct Node {
    bool present = false;
    bool referenced = false;
    PageId parent = noPage;
    PageId firstChild = noPage;
    PageId nextSibling = noPage;
    PageId previousSibling = noPage;
    PageId nextOfBucket = noPage;
    std::uint64_t hash = 0;
    std::uint64_t lastUse = 0;
  };

  [[nodiscard]] const Node& node(PageId page) const { return nodes_.at(static_cast<std::size_t>(page)); }
  [[nodiscard]] Node& node(PageId page) { return nodes_.at(static_cast<std::size_t>(page)); }
  [[nodiscard]] PageId firstChild(PageId parent) const {
    return parent == noPage ? rootChild_ : node(parent).firstChild;
  }
  [[nodiscard]] std::uint64_t hashOf(PageId page) const;
  [[nodiscard]] PageId& bucketOf(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  [[nodiscard]] PageId bucketOf(std::uint64_t hash) const { return buckets_[hash & (buckets_.size() - 1)]; }
  [[nodiscard]] static bool evictable(const Node& entry) {
    return entry.present && !entry.referenced && entry.firstChild == noPage;
  }
  void link(PageId page, PageId parent);
  void unlink(PageId page);
  void checkNode(PageId page, const BlockPool& pool) const;

  std::int32_t pageTokens_;
  PageHash hash_;
  std::uint64_t clock_ = 0;
  PageId rootChild_ = noPage;
  std::vector<Node> nodes_;            ///< [pages]
  std::vector<std::int32_t> tokens_;   ///< [pages, pageTokens]
  std::vector<PageId> buckets_;        ///< first page of each bucket of the hash index; a power of two
  std::set<std::pair<std::uint64_t, PageId>> evictable_;  ///< (last use, page)
};

}  // namespace foretrace
