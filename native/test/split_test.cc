// How passes are divided over threads: what is chosen, whatever the times are.
#include <array>

#include "cpu/split.h"
#include "test/check.h"

namespace foretrace {
namespace {

using cpu::Split;
using cpu::SplitChoice;

/// Seconds of a pass by its division.
using Times = std::array<double, 3>;

/// Runs passes of `rows` rows; returns how many each division had.
std::array<int, 3> run(SplitChoice& choice, std::int32_t rows, const Times& times, int passes) {
  std::array<int, 3> count{};
  for (int pass = 0; pass < passes; ++pass) {
    const auto split = static_cast<std::size_t>(choice.choose(rows));
    ++count[split];
    choice.measured(rows, times[split]);
  }
  return count;
}

TEST("every division is tried, and then the fastest is taken but for a few passes") {
  for (std::size_t fastest = 0; fastest < 3; ++fastest) {
    SplitChoice choice(2);
    Times times{10e-4, 11e-4, 12e-4};
    times[fastest] = 7e-4;
    const auto first = run(choice, 20, times, 20);
    for (std::size_t split = 0; split < 3; ++split) CHECK(first[split] == (static_cast<Split>(split) == Split::columns ? 10 : 5));
    const auto then = run(choice, 20, times, 2000);
    CHECK(then[fastest] > 1900);
  }
}

TEST("numbers of rows are judged apart") {
  SplitChoice choice(2);
  (void)run(choice, 1, {5e-5, 9e-5, 9e-5}, 20);
  (void)run(choice, 40, {9e-4, 5e-4, 6e-4}, 20);
  CHECK(choice.choose(1) == Split::solo);
  CHECK(choice.choose(40) == Split::rows);
}

TEST("the first passes, for which caches are cold, decide nothing") {
  SplitChoice choice(2);
  (void)run(choice, 1, {9e-4, 9e-4, 10e-4}, 5);
  (void)run(choice, 1, {8e-4, 9e-4, 4e-4}, 20);
  CHECK(choice.choose(1) == Split::columns);
}

TEST("a division that becomes the fastest is found") {
  SplitChoice choice(4);
  (void)run(choice, 8, {10e-5, 11e-5, 12e-5}, 500);
  const auto changed = run(choice, 8, {30e-5, 11e-5, 12e-5}, 1000);
  CHECK(changed[0] < 300 && changed[1] > 250);
  CHECK(run(choice, 8, {30e-5, 11e-5, 12e-5}, 400)[1] > 380);
}

TEST("passes that something disturbed decide nothing") {
  SplitChoice choice(2);
  (void)run(choice, 8, {10e-5, 11e-5, 12e-5}, 20);
  int solo = 0;
  for (int pass = 0; pass < 1000; ++pass) {
    const Split split = choice.choose(8);
    solo += split == Split::solo ? 1 : 0;
    const Times times{10e-5, 11e-5, 12e-5};
    choice.measured(8, times[static_cast<std::size_t>(split)] * (pass % 3 == 0 ? 5 : 1));
  }
  CHECK(solo > 900);
}

TEST("long passes are never left to one thread, and trials of them are short") {
  SplitChoice choice(2);
  const auto count = run(choice, 512, {1, 0.06, 0.05}, 3000);
  CHECK(count[0] == 0);
  CHECK(count[1] < 40);
  CHECK(count[1] >= 2);
}

TEST("fewer rows than threads are not divided by rows") {
  SplitChoice choice(4);
  CHECK(run(choice, 3, {2e-4, 1e-4, 3e-4}, 1000)[1] == 0);
}

TEST("one thread is alone, and rows of any number have a place") {
  SplitChoice alone(1);
  for (const std::int32_t rows : {1, 5, 512}) {
    CHECK(alone.choose(rows) == Split::solo);
    alone.measured(rows, 1e-3);
  }
  SplitChoice choice(2);
  for (const std::int32_t rows : {0, 1, 2, 3, 511, 512, 65536}) choice.measured(rows, 1e-3 * static_cast<double>(choice.choose(rows)));
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
