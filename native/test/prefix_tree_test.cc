#include "memory/prefix_tree.h"

#include <numeric>
#include <vector>

#include "check.h"

using namespace foretrace;

namespace {

using Tokens = std::vector<std::int32_t>;

std::uint64_t sameForAll(std::uint64_t, std::span<const std::int32_t>) { return 42; }

/// A pool and a tree with pages of four tokens.
struct Fixture {
  explicit Fixture(PageHash hash = hashPage) : pool(16), tree(16, 4, hash) {}

  PageId add(PageId parent, const Tokens& tokens) {
    const PageId page = pool.take();
    pool.seal(page);
    tree.insert(page, parent, tokens);
    return page;
  }
  void release(PageId page) {
    if (pool.release(page) == 0) tree.setReferenced(page, false);
  }
  void evict(PageId page) {
    tree.remove(page);
    pool.evict(page);
  }

  BlockPool pool;
  PrefixTree tree;
};

}  // namespace

TEST("a page is found by parent and tokens") {
  Fixture f;
  const PageId first = f.add(noPage, {1, 2, 3, 4});
  const PageId second = f.add(first, {5, 6, 7, 8});
  CHECK(f.tree.find(noPage, Tokens{1, 2, 3, 4}) == first);
  CHECK(f.tree.find(first, Tokens{5, 6, 7, 8}) == second);
  CHECK(f.tree.find(noPage, Tokens{5, 6, 7, 8}) == noPage);
  CHECK(f.tree.find(first, Tokens{5, 6, 7, 9}) == noPage);
  f.tree.checkInvariants(f.pool);
}

TEST("colliding hashes never give a wrong page") {
  Fixture f(sameForAll);
  const PageId a = f.add(noPage, {1, 2, 3, 4});
  const PageId b = f.add(noPage, {1, 2, 3, 5});
  const PageId below = f.add(a, {1, 2, 3, 5});
  CHECK(f.tree.find(noPage, Tokens{1, 2, 3, 4}) == a);
  CHECK(f.tree.find(noPage, Tokens{1, 2, 3, 5}) == b);
  CHECK(f.tree.find(a, Tokens{1, 2, 3, 5}) == below);
  CHECK(f.tree.find(b, Tokens{1, 2, 3, 5}) == noPage);
  CHECK(f.tree.find(noPage, Tokens{9, 9, 9, 9}) == noPage);
  f.tree.checkInvariants(f.pool);
}

TEST("the child with the longest common beginning is found") {
  Fixture f;
  const PageId a = f.add(noPage, {1, 2, 3, 4});
  const PageId b = f.add(noPage, {1, 2, 9, 9});
  CHECK(f.tree.findPartial(noPage, Tokens{1, 2, 3}).page == a);
  CHECK(f.tree.findPartial(noPage, Tokens{1, 2, 3}).tokens == 3);
  CHECK(f.tree.findPartial(noPage, Tokens{1, 2, 9, 8}).page == b);
  CHECK(f.tree.findPartial(noPage, Tokens{7}).page == noPage);
  CHECK(f.tree.findPartial(noPage, Tokens{}).page == noPage);
  CHECK(f.tree.findPartial(a, Tokens{1}).page == noPage);
}

TEST("eviction takes unreferenced leaves, least recently used first, children before parents") {
  Fixture f;
  const PageId root = f.add(noPage, {1, 1, 1, 1});
  const PageId left = f.add(root, {2, 2, 2, 2});
  const PageId right = f.add(root, {3, 3, 3, 3});
  CHECK(f.tree.leastRecent() == noPage);
  f.release(root);
  CHECK(f.tree.leastRecent() == noPage);
  f.release(right);
  f.release(left);
  CHECK(f.tree.leastRecent() == right);
  f.pool.retain(right);
  f.tree.setReferenced(right, true);
  CHECK(f.tree.leastRecent() == left);
  f.release(right);
  f.evict(left);
  CHECK(f.tree.leastRecent() == right);
  CHECK_ERROR("internal", f.tree.remove(root));
  f.evict(right);
  CHECK(f.tree.leastRecent() == root);
  f.evict(root);
  CHECK(f.tree.find(noPage, Tokens{1, 1, 1, 1}) == noPage);
  f.tree.checkInvariants(f.pool);
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
