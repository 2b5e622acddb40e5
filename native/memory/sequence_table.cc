#include "memory/sequence_table.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/error.h"

namespace foretrace {

namespace {

MemoryOptions checked(const MemoryOptions& options) {
  const auto tokens = static_cast<std::uint32_t>(options.pageTokens);
  if (options.pageTokens < 4 || options.pageTokens > 64 || !std::has_single_bit(tokens)) {
    throw Error(ErrorCode::invalid_argument, "pageTokens", "a power of two from 4 to 64",
                std::to_string(options.pageTokens));
  }
  if (options.maxSequences < 1) {
    throw Error(ErrorCode::invalid_argument, "maxSequences", "at least 1", std::to_string(options.maxSequences));
  }
  return options;
}

void checkRange(const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::invalid_argument, what, std::to_string(low) + " to " + std::to_string(high),
              std::to_string(value));
}

constexpr std::int64_t maxReserve = 1 << 30;

}  // namespace

SequenceTable::SequenceTable(const MemoryOptions& options)
    : options_(checked(options)), pool_(options.pages), tree_(options.pages, options.pageTokens, options.hash),
      tier_(options.reusePrefixes ? options.hostPages : 0, options.pageTokens, options.hash),
      nodeOfPage_(static_cast<std::size_t>(options.pages), HostTier::noNode),
      sequences_(static_cast<std::size_t>(options.maxSequences)) {}

const Sequence& SequenceTable::at(std::int32_t sequence) const {
  const bool known = sequence >= 0 && sequence < options_.maxSequences;
  if (!known || !sequences_[static_cast<std::size_t>(sequence)].open) {
    throw Error(ErrorCode::invalid_argument, "sequence", "an open sequence", std::to_string(sequence));
  }
  return sequences_[static_cast<std::size_t>(sequence)];
}

Sequence& SequenceTable::get(std::int32_t sequence) {
  static_cast<void>(at(sequence));
  return sequences_[static_cast<std::size_t>(sequence)];
}

std::int32_t SequenceTable::freeSlot() const {
  for (std::int32_t slot = 0; slot < options_.maxSequences; ++slot) {
    if (!sequences_[static_cast<std::size_t>(slot)].open) return slot;
  }
  throw Error(ErrorCode::invalid_argument, "open sequences", "at most " + std::to_string(options_.maxSequences),
              "one more");
}

std::int32_t SequenceTable::pagesFor(std::int64_t tokens) const {
  return static_cast<std::int32_t>((tokens + options_.pageTokens - 1) / options_.pageTokens);
}

void SequenceTable::requirePages(std::int32_t needed) const {
  if (needed <= available()) return;
  throw Error(ErrorCode::out_of_pages, "free or cached KV pages", "at least " + std::to_string(needed),
              std::to_string(available()));
}

PageId SequenceTable::take(std::vector<PageCopy>& copies) {
  if (pool_.free() == 0) {
    const PageId victim = tree_.leastRecent();
    ensure(victim != noPage, "cached pages exist but none can be evicted");
    keepCopy(victim, copies);
    evict(victim);
    ++evictions_;
  }
  return pool_.take();
}

void SequenceTable::retain(PageId page) {
  if (pool_.references(page) == 0) tree_.setReferenced(page, true);
  pool_.retain(page);
}

void SequenceTable::release(PageId page) {
  const bool sealed = pool_.sealed(page);
  if (pool_.release(page) == 0 && sealed) tree_.setReferenced(page, false);
}

void SequenceTable::copy(PageId from, PageId to, std::int32_t tokens, std::vector<PageCopy>& copies) {
  if (tokens == 0) return;
  copies.push_back({from, to, tokens});
  copiedTokens_ += tokens;
}

SequenceTable::Match SequenceTable::match(std::span<const std::int32_t> tokens) const {
  Match found;
  if (!options_.reusePrefixes) return found;
  const auto width = static_cast<std::size_t>(options_.pageTokens);
  std::span<const std::int32_t> rest = tokens.first(tokens.size() - 1);
  PageId parent = noPage;
  while (rest.size() >= width) {
    const PageId page = tree_.find(parent, rest.first(width));
    if (page == noPage) break;
    found.pages.push_back(page);
    parent = page;
    rest = rest.subspan(width);
  }
  found.partial = tree_.findPartial(parent, rest);
  return found;
}

SequenceTable::Opened SequenceTable::open(std::span<const std::int32_t> tokens, std::int32_t reserve,
                                          std::vector<PageCopy>& copies, bool reuse) {
  checkRange("tokens of a sequence", static_cast<std::int64_t>(tokens.size()), 1, maxReserve);
  checkRange("reserve", reserve, 0, maxReserve);
  const std::int32_t slot = freeSlot();
  Match found = reuse ? match(tokens) : Match{};
  for (const PageId page : found.pages) retain(page);
  const auto shared = static_cast<std::int32_t>(found.pages.size());
  const auto hosted = reuse ? matchHosted(tokens.first(tokens.size() - 1), found.pages.size()) : std::vector<HostTier::Node>{};
  if (!hosted.empty()) found.partial = {};
  const std::int32_t needed = pagesFor(static_cast<std::int64_t>(tokens.size()) + reserve) - shared;
  // The source of a partial copy must survive until the copy is made; if it is the very page that is needed, it goes.
  if (found.partial.page != noPage) retain(found.partial.page);
  if (needed > available() && found.partial.page != noPage) {
    release(found.partial.page);
    found.partial = {};
  }
  try {
    requirePages(needed);
  } catch (...) {
    for (const PageId page : found.pages) release(page);
    for (const HostTier::Node node : hosted) tier_.unpin(node);
    throw;
  }
  Sequence& sequence = sequences_[static_cast<std::size_t>(slot)];
  sequence.open = true;
  sequence.tokens.reserve(tokens.size() + static_cast<std::size_t>(reserve));  // so that generating takes no memory
  sequence.tokens.assign(tokens.begin(), tokens.end());
  sequence.pages = std::move(found.pages);
  for (std::int32_t i = 0; i < needed; ++i) sequence.pages.push_back(take(copies));
  restore(sequence, static_cast<std::size_t>(shared), hosted, copies);
  sequence.computed = (shared + static_cast<std::int32_t>(hosted.size())) * options_.pageTokens + found.partial.tokens;
  if (found.partial.page != noPage) {
    copy(found.partial.page, sequence.pages[static_cast<std::size_t>(shared)], found.partial.tokens, copies);
    release(found.partial.page);
  }
  ++openSequences_;
  return {slot, sequence.computed};
}

std::int32_t SequenceTable::fork(std::int32_t parentSequence, std::int32_t length, std::int32_t reserve,
                                 std::vector<PageCopy>& copies) {
  const Sequence& parent = at(parentSequence);
  checkRange("length of a fork (computed tokens)", length, 1, parent.computed);
  checkRange("reserve", reserve, 0, maxReserve);
  const std::int32_t slot = freeSlot();
  const std::int32_t full = length / options_.pageTokens;
  const std::int32_t tail = length % options_.pageTokens;
  const bool sharesTail = tail > 0 && pool_.sealed(parent.pages[static_cast<std::size_t>(full)]);
  const std::int32_t own = pagesFor(std::int64_t{length} + reserve) - full;
  requirePages(sharesTail && reserve == 0 ? 0 : own);
  Sequence& child = sequences_[static_cast<std::size_t>(slot)];
  child.open = true;
  ++openSequences_;
  child.tokens.assign(parent.tokens.begin(), parent.tokens.begin() + length);
  child.computed = length;
  child.pages.assign(parent.pages.begin(), parent.pages.begin() + full + (sharesTail ? 1 : 0));
  for (const PageId page : child.pages) retain(page);
  if (tail > 0 && !sharesTail) {
    child.pages.push_back(take(copies));
    copy(parent.pages[static_cast<std::size_t>(full)], child.pages.back(), tail, copies);
  }
  if (reserve > 0) this->reserve(slot, length + reserve, copies);
  return slot;
}

void SequenceTable::append(std::int32_t sequence, std::span<const std::int32_t> tokens, std::int32_t reserve,
                           std::vector<PageCopy>& copies) {
  Sequence& entry = get(sequence);
  checkRange("reserve", reserve, 0, maxReserve);
  checkRange("appended tokens", static_cast<std::int64_t>(tokens.size()), 0, maxReserve);
  const std::int64_t total = std::int64_t{entry.known()} + static_cast<std::int64_t>(tokens.size()) + reserve;
  checkRange("tokens of a sequence", total, 0, maxReserve);
  this->reserve(sequence, static_cast<std::int32_t>(total), copies);
  entry.tokens.insert(entry.tokens.end(), tokens.begin(), tokens.end());
}

bool SequenceTable::tailNeedsCopy(const Sequence& sequence, std::int32_t tokens) const {
  const auto index = static_cast<std::size_t>(sequence.computed / options_.pageTokens);
  return tokens > sequence.computed && index < sequence.pages.size() && pool_.sealed(sequence.pages[index]);
}

void SequenceTable::reserve(std::int32_t sequence, std::int32_t tokens, std::vector<PageCopy>& copies) {
  Sequence& entry = get(sequence);
  const auto held = static_cast<std::int32_t>(entry.pages.size());
  const std::int32_t missing = std::max(0, pagesFor(tokens) - held);
  const bool copyTail = tailNeedsCopy(entry, tokens);
  requirePages(missing + (copyTail ? 1 : 0));
  for (std::int32_t i = 0; i < missing; ++i) entry.pages.push_back(take(copies));
  if (!copyTail) return;
  const PageId fresh = take(copies);
  PageId& tail = entry.pages[static_cast<std::size_t>(entry.computed / options_.pageTokens)];
  copy(tail, fresh, entry.computed % options_.pageTokens, copies);
  release(tail);
  tail = fresh;
}

std::int32_t SequenceTable::reserveSpare(std::int32_t sequence, std::int32_t tokens) {
  Sequence& entry = get(sequence);
  while (static_cast<std::int32_t>(entry.pages.size()) < pagesFor(tokens) && pool_.free() > 0) {
    entry.pages.push_back(pool_.take());
  }
  return static_cast<std::int32_t>(entry.pages.size()) * options_.pageTokens;
}

void SequenceTable::releaseSpare(std::int32_t sequence, std::size_t pages) {
  Sequence& entry = get(sequence);
  const std::size_t kept = std::max(pages, static_cast<std::size_t>(pagesFor(entry.computed)));
  while (entry.pages.size() > kept) {
    release(entry.pages.back());
    entry.pages.pop_back();
  }
}

void SequenceTable::continuation(std::int32_t sequence, std::size_t most, std::vector<std::int32_t>& out) const {
  if (!options_.reusePrefixes) return;
  const Sequence& own = at(sequence);
  const std::span<const std::int32_t> known(own.tokens);
  std::int32_t seen = 0;
  for (const Sequence& other : sequences_) {
    if (seen == openSequences_) break;
    if (!other.open) continue;
    ++seen;
    const std::span<const std::int32_t> tokens(other.tokens);
    if (tokens.size() <= known.size() || tokens[known.size() - 1] != known.back()) continue;
    if (!std::ranges::equal(tokens.first(known.size()), known)) continue;
    const auto rest = tokens.subspan(known.size());
    const auto next = rest.first(std::min(most, rest.size()));
    out.insert(out.end(), next.begin(), next.end());
    return;
  }
  const auto width = static_cast<std::size_t>(options_.pageTokens);
  const std::size_t full = known.size() / width;
  std::size_t index = std::min(full, static_cast<std::size_t>(own.computed) / width);
  PageId parent = index == 0 ? noPage : own.pages[index - 1];
  for (; index < full; ++index) {
    parent = tree_.find(parent, known.subspan(index * width, width));
    if (parent == noPage) return;
  }
  tree_.continuation(parent, known.subspan(full * width), most, out);
}

void SequenceTable::truncate(std::int32_t sequence, std::int32_t length) {
  Sequence& entry = get(sequence);
  checkRange("length of a truncation", length, 0, entry.known());
  entry.tokens.resize(static_cast<std::size_t>(length));
  entry.computed = std::min(entry.computed, length);
  const auto kept = static_cast<std::size_t>(pagesFor(length));
  while (entry.pages.size() > kept) {
    release(entry.pages.back());
    entry.pages.pop_back();
  }
}

void SequenceTable::close(std::int32_t sequence) {
  truncate(sequence, 0);
  get(sequence) = Sequence{};
  --openSequences_;
}

void SequenceTable::push(std::int32_t sequence, std::int32_t token) { get(sequence).tokens.push_back(token); }

void SequenceTable::commit(std::int32_t sequence, std::int32_t count) {
  Sequence& entry = get(sequence);
  const std::int32_t firstPage = entry.computed / options_.pageTokens;
  const std::int32_t computed = entry.computed + count;
  ensure(count >= 0 && computed <= entry.known(), "more tokens are committed than are known");
  ensure(pagesFor(computed) <= static_cast<std::int32_t>(entry.pages.size()), "committed tokens have no page");
  entry.computed = computed;
  for (std::int32_t index = firstPage; index < computed / options_.pageTokens; ++index) seal(entry, index);
}

void SequenceTable::seal(Sequence& sequence, std::int32_t index) {
  const auto width = static_cast<std::size_t>(options_.pageTokens);
  PageId& page = sequence.pages[static_cast<std::size_t>(index)];
  const PageId parent = index == 0 ? noPage : sequence.pages[static_cast<std::size_t>(index) - 1];
  const auto content = std::span<const std::int32_t>(sequence.tokens).subspan(static_cast<std::size_t>(index) * width, width);
  const PageId equal = options_.reusePrefixes ? tree_.find(parent, content) : noPage;
  if (equal == noPage) {
    pool_.seal(page);
    tree_.insert(page, parent, content);
    return;
  }
  retain(equal);
  release(page);
  page = equal;
  ++mergedPages_;
}

void SequenceTable::rewind(std::int32_t sequence) {
  Sequence& entry = get(sequence);
  ensure(entry.computed > 0, "nothing to rewind");
  --entry.computed;
}

void SequenceTable::forgetTail(std::int32_t sequence) {
  Sequence& entry = get(sequence);
  entry.computed -= entry.computed % options_.pageTokens;
}

MemoryStats SequenceTable::stats() const {
  return {pool_.total(),   pool_.free(), pool_.cached(), pool_.used(),
          openSequences_, evictions_,   copiedTokens_,  mergedPages_,
          tier_.total(),  tier_.used(), tier_.counts().stored, tier_.counts().restored,
          tier_.counts().dropped};
}

}  // namespace foretrace
