// Reference counts and the free list of KV pages. Knows page numbers only, neither device nor tokens.
#pragma once

#include <cstdint>
#include <vector>

namespace foretrace {

/// Number of a page in the pool, from 0.
using PageId = std::int32_t;
inline constexpr PageId noPage = -1;

/// Lifecycle of a page: free -> open (one writer, unsealed) -> sealed (immutable, shareable) -> free.
enum class PageState : std::uint8_t { free, open, sealed };

/// Who holds how many pages. A page is free, cached (sealed, referenced by nobody) or used (referenced), so that
/// free + cached + used == total at all times. The counters are kept by each operation and recounted by
/// `checkInvariants`.
class BlockPool {
 public:
  /// All pages start free; lower numbers are handed out first.
  explicit BlockPool(std::int32_t pages);

  [[nodiscard]] std::int32_t total() const noexcept { return static_cast<std::int32_t>(pages_.size()); }
  [[nodiscard]] std::int32_t free() const noexcept { return static_cast<std::int32_t>(freeList_.size()); }
  [[nodiscard]] std::int32_t cached() const noexcept { return cached_; }
  [[nodiscard]] std::int32_t used() const noexcept { return used_; }

  [[nodiscard]] bool sealed(PageId page) const { return at(page).state == PageState::sealed; }
  [[nodiscard]] std::int32_t references(PageId page) const { return at(page).references; }
  [[nodiscard]] PageState state(PageId page) const { return at(page).state; }

  /// Takes a free page: open, one reference. There must be one.
  PageId take();
  /// One more reference; an open page has one holder only, so the page must be sealed.
  void retain(PageId page);
  /// One reference less. An open page becomes free; a sealed one stays cached. Returns the references left.
  std::int32_t release(PageId page);
  /// Makes an open page immutable.
  void seal(PageId page);
  /// Gives a cached page back to the free list.
  void evict(PageId page);

  /// Throws `internal` naming the first broken invariant.
  void checkInvariants() const;

 private:
  friend struct MemoryTestAccess;

  struct Page {
    PageState state = PageState::free;
    std::int32_t references = 0;
  };

  [[nodiscard]] const Page& at(PageId page) const;
  [[nodiscard]] Page& at(PageId page);

  std::vector<Page> pages_;
  std::vector<PageId> freeList_;  ///< taken from the back
  std::int32_t cached_ = 0;
  std::int32_t used_ = 0;
};

}  // namespace foretrace
