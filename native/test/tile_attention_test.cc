// Attention on an emulated tile unit: the source is the one that runs on processors that have it.
#include "test/attention_cases.h"
#include "test/emulated_table.h"

namespace foretrace {
namespace {

using test::EmulatedTiles;

std::vector<test::NamedTable> tiles() {
  static const cpu::KernelTable table = cpu::emulatedTable();
  return {{"tiles", &table}};
}

void checkUnit() {
  CHECK(EmulatedTiles::faults == 0 && !EmulatedTiles::configured && EmulatedTiles::multiplications > 100);
  EmulatedTiles::multiplications = 0;
}

TEST("attention on tiles agrees with the reference over page sizes, head widths, groups and lengths, and no instruction faults") {
  test::checkReference(tiles());
  checkUnit();
}

TEST("a row on tiles has the same bits alone, beside sequences that share its beginning, and in pages of any size and order") {
  test::forAll(tiles(), test::checkCompany);
  checkUnit();
}

TEST("rows of one sequence on tiles have the same bits one by one and in any number, with and without a window") {
  test::forAll(tiles(), test::checkHeights);
  checkUnit();
}

TEST("a row on tiles does not see what later rows hold, not even an infinity") {
  test::forAll(tiles(), test::checkLater);
  checkUnit();
}

TEST("the weight of a position is near what the softmax says, relative to itself") {
  for (const auto& table : tiles()) {
    for (const bool halves : {false, true}) test::checkWeights(table, halves);
  }
  checkUnit();
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
