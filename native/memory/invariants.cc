// Whole-table invariants of SequenceTable; the list is that of the accounting rules in its header.
#include <algorithm>
#include <string>

#include "core/error.h"
#include "memory/sequence_table.h"

namespace foretrace {

void SequenceTable::checkSequence(const Sequence& sequence, std::vector<std::int32_t>& references) const {
  const auto width = static_cast<std::size_t>(options_.pageTokens);
  ensure(sequence.computed >= 0 && sequence.computed <= sequence.known(), "table: more tokens computed than known");
  ensure(pagesFor(sequence.computed) <= static_cast<std::int32_t>(sequence.pages.size()),
         "table: computed tokens have no page");
  PageId parent = noPage;
  for (std::size_t index = 0; index < sequence.pages.size(); ++index) {
    const PageId page = sequence.pages[index];
    ensure(page >= 0 && page < pool_.total(), "table: a page number is out of range");
    ensure(pool_.state(page) != PageState::free, "table: a sequence holds a free page");
    ++references[static_cast<std::size_t>(page)];
    const auto first = index * width;
    const auto computed = static_cast<std::size_t>(sequence.computed);
    const bool full = first + width <= computed;
    ensure(!full || pool_.sealed(page), "table: a full page is not sealed");
    if (pool_.sealed(page)) {
      ensure(first < sequence.tokens.size(), "table: a sealed page is reserved");
      ensure(tree_.parent(page) == parent, "table: a sealed page does not follow the page before it");
      const auto held = tree_.tokens(page);
      const auto count = std::min(width, computed > first ? computed - first : 0);
      ensure(std::equal(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(count),
                        sequence.tokens.begin() + static_cast<std::ptrdiff_t>(first)),
             "table: a sealed page holds other tokens than its sequence");
    }
    parent = page;
  }
}

void SequenceTable::checkInvariants() const {
  pool_.checkInvariants();
  tree_.checkInvariants(pool_);
  checkHosted();
  std::vector<std::int32_t> references(static_cast<std::size_t>(pool_.total()), 0);
  std::int32_t open = 0;
  for (const Sequence& sequence : sequences_) {
    if (!sequence.open) {
      ensure(sequence.pages.empty() && sequence.tokens.empty(), "table: a closed sequence holds something");
      continue;
    }
    ++open;
    checkSequence(sequence, references);
  }
  ensure(open == openSequences_, "table: the counter of open sequences is wrong");
  for (PageId page = 0; page < pool_.total(); ++page) {
    const std::int32_t counted = references[static_cast<std::size_t>(page)];
    if (counted == pool_.references(page)) continue;
    throw Error(ErrorCode::internal, "references of page " + std::to_string(page), std::to_string(counted) + " holders",
                std::to_string(pool_.references(page)));
  }
}

}  // namespace foretrace
