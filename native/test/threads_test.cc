#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "cpu/threads.h"
#include "test/check.h"

namespace foretrace {
namespace {

using cpu::ThreadPool;

/// Runs `tasks` tasks that each add to their own counter; true if each ran exactly once with a valid worker number.
bool runsEachOnce(ThreadPool& pool, std::int32_t tasks) {
  std::vector<int> counts(static_cast<std::size_t>(tasks), 0);  // plain ints: run() must order them before it returns
  std::atomic<bool> valid{true};
  pool.run(tasks, [&](std::int32_t task, std::int32_t worker) noexcept {
    ++counts[static_cast<std::size_t>(task)];
    if (worker < 0 || worker >= pool.threads()) valid = false;
  });
  for (const int count : counts) valid = valid && count == 1;
  return valid;
}

TEST("every task runs exactly once, with fewer and with far more threads than processors") {
  for (const std::int32_t threads : {1, 2, 3, 16, 50}) {
    ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
    for (const std::int32_t tasks : {0, 1, 2, 3, 7, 100, 1000}) CHECK(runsEachOnce(pool, tasks));
  }
}

TEST("thousands of short loops in a row neither lose nor repeat a task") {
  ThreadPool pool(4);
  bool all = true;
  for (std::int32_t loop = 0; loop < 20000; ++loop) all = runsEachOnce(pool, 1 + loop % 9) && all;
  CHECK(all);
}

TEST("workers that fell asleep wake for the next loop") {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    // The tasks need two threads at the same time: without a worker awake this would never end.
    std::atomic<int> arrived{0};
    pool.run(2, [&](std::int32_t, std::int32_t) noexcept {
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
    });
    CHECK(arrived.load() == 2);
  }
}

TEST("results written by one loop are seen by the next on any worker") {
  ThreadPool pool(4);
  constexpr std::int32_t size = 64;
  std::vector<long> values(size, 1);
  for (int loop = 0; loop < 500; ++loop) {
    std::vector<long> next(size, 0);
    pool.run(size, [&](std::int32_t task, std::int32_t) noexcept {
      next[static_cast<std::size_t>(task)] = values[static_cast<std::size_t>((task + 1) % size)] + 1;
    });
    values = next;
  }
  for (const long value : values) CHECK(value == 501);
}

TEST("pools start and stop at any time, also unused") {
  for (int round = 0; round < 200; ++round) {
    ThreadPool pool(1 + round % 5);
    if (round % 3 == 0) CHECK(runsEachOnce(pool, 5));
  }
}

TEST("a number of threads out of range is refused") {
  CHECK_ERROR("invalid_argument", std::make_unique<ThreadPool>(0));
  CHECK_ERROR("invalid_argument", std::make_unique<ThreadPool>(-3));
  CHECK_ERROR("invalid_argument", std::make_unique<ThreadPool>(1025));
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
