// Open sequences: their tokens, how many of them are computed, and the pages that hold the computed ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/block_pool.h"
#include "memory/host_tier.h"
#include "memory/prefix_tree.h"

namespace foretrace {

/// Copy of the first `tokens` slots of one page to another, or of a whole page to a page of host memory or back; to be
/// carried out, in the order given, before anything is computed.
struct PageCopy {
  enum class Kind : std::uint8_t { withinPool, toHost, fromHost };

  PageId from = noPage;
  PageId to = noPage;
  std::int32_t tokens = 0;
  Kind kind = Kind::withinPool;
};

struct MemoryOptions {
  std::int32_t pages = 0;
  std::int32_t pageTokens = 16;    ///< a power of two from 4 to 64
  std::int32_t maxSequences = 256;
  bool reusePrefixes = true;       ///< false: every open misses and nothing is merged (to compare cached with cold)
  PageHash hash = hashPage;
  std::int32_t hostPages = 0;      ///< pages of host memory for what is evicted from the pool
};

/// Counts for people and schedulers; see PoolStats in src/native/addon-types.ts.
struct MemoryStats {
  std::int32_t totalPages = 0;
  std::int32_t freePages = 0;
  std::int32_t cachedPages = 0;
  std::int32_t usedPages = 0;
  std::int32_t openSequences = 0;
  std::int64_t evictions = 0;
  std::int64_t copiedTokens = 0;
  std::int64_t mergedPages = 0;
  std::int32_t hostPages = 0;       ///< of the tier in host memory
  std::int32_t usedHostPages = 0;
  std::int64_t storedPages = 0;     ///< copied to host memory when they were evicted
  std::int64_t restoredPages = 0;   ///< copied back because a prompt matched them
  std::int64_t droppedPages = 0;    ///< given up by the tier for want of room
};

/// One open sequence. Tokens 0 .. computed - 1 have keys and values in the pages; `pages` may reach further (they are
/// reserved). A page whose tokens are all computed is sealed and shared; the page of position `computed` may be a
/// sealed one after a truncation and is then replaced by a copy before it is written.
struct Sequence {
  bool open = false;
  std::vector<std::int32_t> tokens;  ///< known tokens: prompt and generated
  std::int32_t computed = 0;
  std::vector<PageId> pages;

  [[nodiscard]] std::int32_t known() const noexcept { return static_cast<std::int32_t>(tokens.size()); }
};

/// The only owner of page references. Knows neither device nor model: what must be copied is appended to `copies`. A page
/// that is evicted may be copied to host memory; a prompt that begins with it later has it copied back.
/// An operation that throws has changed nothing. Unknown sequences and lengths out of range throw `invalid_argument`,
/// too few pages `out_of_pages`.
class SequenceTable {
 public:
  struct Opened {
    std::int32_t sequence = -1;
    std::int32_t cachedTokens = 0;
  };

  explicit SequenceTable(const MemoryOptions& options);

  /// Opens a sequence over at least one token and takes pages for tokens.size() + reserve tokens. Sealed pages that
  /// match are shared, those that follow in host memory are copied back, else the common tokens of the best next page are
  /// copied; at least the last token is left to compute.
  /// With `reuse` false nothing is shared or copied.
  Opened open(std::span<const std::int32_t> tokens, std::int32_t reserve, std::vector<PageCopy>& copies,
              bool reuse = true);
  /// A sequence that shares the first `length` (1 .. computed) tokens of another. A tail page that is still written is
  /// copied at once, a sealed one when it is first written.
  std::int32_t fork(std::int32_t sequence, std::int32_t length, std::int32_t reserve, std::vector<PageCopy>& copies);
  /// Appends known tokens and takes pages for them and `reserve` more.
  void append(std::int32_t sequence, std::span<const std::int32_t> tokens, std::int32_t reserve,
              std::vector<PageCopy>& copies);
  /// Forgets all tokens after the first `length` (0 .. known), and the pages reserved after them.
  void truncate(std::int32_t sequence, std::int32_t length);
  void close(std::int32_t sequence);

  /// Makes the pages of the positions computed .. tokens - 1 present and writable.
  void reserve(std::int32_t sequence, std::int32_t tokens, std::vector<PageCopy>& copies);
  /// Takes free pages, evicting none, for positions up to `tokens` as far as there are any; returns how many tokens the
  /// pages of the sequence hold then. For tokens that may not stay.
  std::int32_t reserveSpare(std::int32_t sequence, std::int32_t tokens);
  /// Gives back the pages behind the first `pages` that hold nothing computed.
  void releaseSpare(std::int32_t sequence, std::size_t pages);
  /// What followed the known tokens of a sequence elsewhere: in an open sequence that begins with them, else in the
  /// prefix tree. Appends at most `most` tokens.
  void continuation(std::int32_t sequence, std::size_t most, std::vector<std::int32_t>& out) const;
  /// Appends one generated token; takes no page.
  void push(std::int32_t sequence, std::int32_t token);
  /// Tells that the next `count` known tokens have been computed; seals full pages and merges equal ones.
  void commit(std::int32_t sequence, std::int32_t count);
  /// Marks the last computed token as not computed, so that its logits can be had again.
  void rewind(std::int32_t sequence);
  /// Marks the tokens of the open page at `computed` as not computed: its content is not to be trusted.
  void forgetTail(std::int32_t sequence);

  /// Tells that copies of an operation have not been made, after the sequence that needed them has been closed or made to
  /// forget their tokens: what they would have filled holds nothing.
  void abandon(std::span<const PageCopy> failed);

  /// Throws `invalid_argument` if the sequence is not open.
  [[nodiscard]] const Sequence& at(std::int32_t sequence) const;
  /// Evicts every cached page and forgets what host memory holds.
  void clearCache();
  [[nodiscard]] MemoryStats stats() const;
  [[nodiscard]] const MemoryOptions& options() const noexcept { return options_; }

  /// Recounts everything: page states, counters, references, hashes, tokens. Throws `internal` naming the first
  /// invariant that does not hold.
  void checkInvariants() const;

 private:
  friend struct MemoryTestAccess;

  struct Match {
    std::vector<PageId> pages;
    PrefixTree::Partial partial;
  };

  [[nodiscard]] Sequence& get(std::int32_t sequence);
  [[nodiscard]] std::int32_t freeSlot() const;
  [[nodiscard]] std::int32_t pagesFor(std::int64_t tokens) const;
  [[nodiscard]] std::int32_t available() const { return pool_.free() + pool_.cached(); }
  [[nodiscard]] Match match(std::span<const std::int32_t> tokens) const;
  [[nodiscard]] bool tailNeedsCopy(const Sequence& sequence, std::int32_t tokens) const;
  void requirePages(std::int32_t needed) const;
  PageId take(std::vector<PageCopy>& copies);
  void retain(PageId page);
  void release(PageId page);
  void copy(PageId from, PageId to, std::int32_t tokens, std::vector<PageCopy>& copies);
  void seal(Sequence& sequence, std::int32_t index);
  [[nodiscard]] HostTier::Node nodeOf(PageId page);
  void evict(PageId page);
  void keepCopy(PageId page, std::vector<PageCopy>& copies);
  [[nodiscard]] std::vector<HostTier::Node> matchHosted(std::span<const std::int32_t> tokens, std::size_t pages);
  void restore(Sequence& sequence, std::size_t first, std::span<const HostTier::Node> hosted, std::vector<PageCopy>& copies);
  void checkHosted() const;
  void checkSequence(const Sequence& sequence, std::vector<std::int32_t>& references) const;

  MemoryOptions options_;
  BlockPool pool_;
  PrefixTree tree_;
  HostTier tier_;
  std::vector<HostTier::Node> nodeOfPage_;  ///< [pages] of sealed pages, as far as they have been asked for
  std::vector<Sequence> sequences_;  ///< [maxSequences]
  std::int32_t openSequences_ = 0;
  std::int64_t evictions_ = 0;
  std::int64_t copiedTokens_ = 0;
  std::int64_t mergedPages_ = 0;
};

}  // namespace foretrace
