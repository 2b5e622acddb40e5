// Attention of every instruction set this machine has.
#include "test/attention_cases.h"

namespace foretrace {
namespace {

TEST("attention agrees with the reference over page sizes, head widths, groups and lengths") {
  test::checkReference(test::tables());
}

TEST("a row has the same bits alone, beside sequences that share its beginning, and in pages of any size and order") {
  test::forAll(test::tables(), test::checkCompany);
}

TEST("rows of one sequence have the same bits one by one and in tiles of any height") {
  test::forAll(test::tables(), test::checkHeights);
}

TEST("a row does not see what later rows hold, whatever it is") {
  test::forAll(test::tables(), test::checkLater);
}

TEST("the weight of a position is near what the softmax says, relative to itself") {
  for (const auto& table : test::tables()) {
    for (const bool halves : {false, true}) test::checkWeights(table, halves);
  }
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
