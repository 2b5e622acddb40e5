// How passes are divided over threads: what is chosen, whatever the times are.
#include <array>

#include "cpu/split.h"
#include "test/check.h"

namespace foretrace {
namespace {

using cpu::Split;
using cpu::SplitChoice;

/// Microseconds of a pass by its division.
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
    Times times{10, 11, 12};
    times[fastest] = 7;
    const auto first = run(choice, 20, times, 15);
    for (const int count : first) CHECK(count == 5);
    const auto then = run(choice, 20, times, 2000);
    CHECK(then[fastest] > 1900);
  }
}

TEST("numbers of rows are judged apart") {
  SplitChoice choice(2);
  (void)run(choice, 1, {5, 9, 9}, 15);
  (void)run(choice, 40, {90, 50, 60}, 15);
  CHECK(choice.choose(1) == Split::solo);
  CHECK(choice.choose(40) == Split::rows);
}

TEST("a division that becomes the fastest is found") {
  SplitChoice choice(4);
  (void)run(choice, 8, {10, 11, 12}, 500);
  const auto changed = run(choice, 8, {30, 11, 12}, 600);
  CHECK(changed[1] > 250);
  CHECK(run(choice, 8, {30, 11, 12}, 400)[1] > 380);
}

TEST("passes that something disturbed decide nothing") {
  SplitChoice choice(2);
  (void)run(choice, 8, {10, 11, 12}, 15);
  int solo = 0;
  for (int pass = 0; pass < 1000; ++pass) {
    const Split split = choice.choose(8);
    solo += split == Split::solo ? 1 : 0;
    const Times times{10, 11, 12};
    choice.measured(8, times[static_cast<std::size_t>(split)] * (pass % 3 == 0 ? 5 : 1));
  }
  CHECK(solo > 900);
}

TEST("one thread is alone, and rows of any number have a place") {
  SplitChoice alone(1);
  for (const std::int32_t rows : {1, 5, 512}) {
    CHECK(alone.choose(rows) == Split::solo);
    alone.measured(rows, 1);
  }
  SplitChoice choice(2);
  for (const std::int32_t rows : {0, 1, 2, 3, 511, 512, 65536}) choice.measured(rows, static_cast<double>(choice.choose(rows)));
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
