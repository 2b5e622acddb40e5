#include "memory/block_pool.h"

#include "memory_access.h"
#include "check.h"

using namespace foretrace;

TEST("a page is free, open, sealed, cached and free again") {
  BlockPool pool(2);
  const PageId page = pool.take();
  CHECK(pool.free() == 1 && pool.used() == 1 && pool.cached() == 0);
  pool.seal(page);
  pool.retain(page);
  CHECK(pool.references(page) == 2);
  CHECK(pool.release(page) == 1);
  CHECK(pool.release(page) == 0);
  CHECK(pool.free() == 1 && pool.used() == 0 && pool.cached() == 1);
  pool.retain(page);
  CHECK(pool.cached() == 0 && pool.used() == 1);
  pool.release(page);
  pool.evict(page);
  CHECK(pool.free() == 2 && pool.cached() == 0);
  pool.checkInvariants();
}

TEST("an open page goes straight back to the free list") {
  BlockPool pool(1);
  const PageId page = pool.take();
  pool.release(page);
  CHECK(pool.free() == 1 && pool.state(page) == PageState::free);
  pool.checkInvariants();
}

TEST("misuse is an internal error and changes nothing") {
  BlockPool pool(2);
  const PageId page = pool.take();
  CHECK_ERROR("internal", pool.retain(page));
  CHECK_ERROR("internal", pool.evict(page));
  CHECK_ERROR("internal", pool.release(1));
  CHECK_ERROR("internal", pool.seal(1));
  CHECK_ERROR("internal", pool.release(2));
  CHECK_ERROR("internal", pool.release(-1));
  static_cast<void>(pool.take());
  CHECK_ERROR("internal", pool.take());
  CHECK_ERROR("invalid_argument", BlockPool(0));
  pool.checkInvariants();
}

TEST("each corrupted counter is found") {
  const auto corrupted = [](auto corrupt) {
    BlockPool pool(4);
    const PageId open = pool.take();
    const PageId sealed = pool.take();
    pool.seal(sealed);
    pool.release(sealed);
    pool.checkInvariants();
    corrupt(pool, open, sealed);
    return test::thrownCode([&] { pool.checkInvariants(); });
  };
  CHECK(corrupted([](BlockPool& pool, PageId, PageId) { ++MemoryTestAccess::cached(pool); }) == "internal");
  CHECK(corrupted([](BlockPool& pool, PageId, PageId) { --MemoryTestAccess::used(pool); }) == "internal");
  CHECK(corrupted([](BlockPool& pool, PageId, PageId) { MemoryTestAccess::freeList(pool).pop_back(); }) == "internal");
  CHECK(corrupted([](BlockPool& pool, PageId open, PageId) { MemoryTestAccess::references(pool, open) = 2; }) == "internal");
  CHECK(corrupted([](BlockPool& pool, PageId open, PageId) { MemoryTestAccess::freeList(pool).back() = open; }) ==
        "internal");
  CHECK(corrupted([](BlockPool& pool, PageId, PageId) {
          auto& list = MemoryTestAccess::freeList(pool);
          list.front() = list.back();
        }) == "internal");
  CHECK(corrupted([](BlockPool& pool, PageId, PageId sealed) {
          MemoryTestAccess::state(pool, sealed) = PageState::free;
        }) == "internal");
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
