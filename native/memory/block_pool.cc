#include "memory/block_pool.h"

#include <string>

#include "core/error.h"

namespace foretrace {

BlockPool::BlockPool(std::int32_t pages) {
  if (pages < 1) throw Error(ErrorCode::invalid_argument, "pages", "at least 1", std::to_string(pages));
  pages_.resize(static_cast<std::size_t>(pages));
  freeList_.reserve(pages_.size());
  for (PageId page = pages - 1; page >= 0; --page) freeList_.push_back(page);
}

const BlockPool::Page& BlockPool::at(PageId page) const {
  ensure(page >= 0 && page < total(), "page number out of range");
  return pages_[static_cast<std::size_t>(page)];
}

BlockPool::Page& BlockPool::at(PageId page) {
  ensure(page >= 0 && page < total(), "page number out of range");
  return pages_[static_cast<std::size_t>(page)];
}

PageId BlockPool::take() {
  ensure(!freeList_.empty(), "a page is taken although none is free");
  const PageId page = freeList_.back();
  freeList_.pop_back();
  at(page) = {PageState::open, 1};
  ++used_;
  return page;
}

void BlockPool::retain(PageId page) {
  Page& entry = at(page);
  ensure(entry.state == PageState::sealed, "only sealed pages are shared");
  if (entry.references++ == 0) {
    --cached_;
    ++used_;
  }
}

std::int32_t BlockPool::release(PageId page) {
  Page& entry = at(page);
  ensure(entry.references > 0, "a page is released more often than it is held");
  if (--entry.references > 0) return entry.references;
  --used_;
  if (entry.state == PageState::sealed) {
    ++cached_;
  } else {
    entry.state = PageState::free;
    freeList_.push_back(page);
  }
  return 0;
}

void BlockPool::seal(PageId page) {
  Page& entry = at(page);
  ensure(entry.state == PageState::open && entry.references == 1, "only an open page is sealed");
  entry.state = PageState::sealed;
}

void BlockPool::evict(PageId page) {
  Page& entry = at(page);
  ensure(entry.state == PageState::sealed && entry.references == 0, "only a cached page is evicted");
  entry.state = PageState::free;
  --cached_;
  freeList_.push_back(page);
}

void BlockPool::checkInvariants() const {
  std::int32_t cached = 0;
  std::int32_t used = 0;
  for (const Page& page : pages_) {
    ensure(page.references >= 0, "pool: a reference count is negative");
    ensure(page.state != PageState::free || page.references == 0, "pool: a free page is referenced");
    ensure(page.state != PageState::open || page.references == 1, "pool: an open page has not exactly one holder");
    if (page.references > 0) ++used;
    if (page.state == PageState::sealed && page.references == 0) ++cached;
  }
  ensure(used == used_, "pool: the counter of used pages is wrong");
  ensure(cached == cached_, "pool: the counter of cached pages is wrong");
  ensure(free() + cached_ + used_ == total(), "pool: free + cached + used is not the number of pages");
  std::vector<bool> listed(pages_.size(), false);
  for (const PageId page : freeList_) {
    ensure(at(page).state == PageState::free, "pool: the free list holds a page in use");
    ensure(!listed[static_cast<std::size_t>(page)], "pool: the free list holds a page twice");
    listed[static_cast<std::size_t>(page)] = true;
  }
}

}  // namespace foretrace
