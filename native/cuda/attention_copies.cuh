// Brings the keys and values of a chunk to shared memory, as they lie in their pages: whole pages by the copy engine, or 16-byte
// pieces by all threads where there is none. Both leave the same bytes in the same places.
#pragma once

#include "cuda/bulk_copy.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

inline constexpr int attentionThreads = 128;

/// Bytes by which the values of a page lie further from those of the page before than they are long: without, the pieces that
/// a warp reads together from small pages would meet in the same banks.
[[nodiscard]] FORETRACE_HD constexpr int valueSkew(int pageShift) { return pageShift < 5 ? 4 << pageShift : 0; }
inline constexpr int valueSkewBytes = 512;  ///< of all pages of a chunk
static_assert(valueSkewBytes >= (chunkTokens >> 3) * valueSkew(3) && valueSkewBytes >= (chunkTokens >> 4) * valueSkew(4));

/// A chunk of a sequence.
struct Chunk {
  const std::int32_t* pages;
  int tokens;  ///< that exist, 1 .. chunkTokens
};

/// Where a chunk lies in shared memory: keys [token][piece as keyElement says], then values page by page [dimension][token].
template <int D>
struct ChunkMemory {
  static constexpr int keyBytes = chunkTokens * D * 2;
  static constexpr int bytes = 2 * keyBytes + valueSkewBytes;

  char* keys;
  char* values;
  int pageShift;

  FORETRACE_DEVICE static ChunkMemory at(char* shared, int pageShift) { return {shared, shared + keyBytes, pageShift}; }
  [[nodiscard]] FORETRACE_DEVICE int pageBytes() const { return D * 2 << pageShift; }  ///< of keys, or of values
  [[nodiscard]] FORETRACE_DEVICE int valueStride() const { return pageBytes() + valueSkew(pageShift); }
  [[nodiscard]] FORETRACE_DEVICE int pages(const Chunk& chunk) const { return (chunk.tokens + (1 << pageShift) - 1) >> pageShift; }
  /// The tokens 8 octet .. 8 octet + 7 of a dimension, 16 bytes.
  [[nodiscard]] FORETRACE_DEVICE char* valueOctet(int octet, int dimension) const {
    const int token = octet * 8;
    return values + (token >> pageShift) * valueStride() + (dimension << (pageShift + 1)) + (token & ((1 << pageShift) - 1)) * 2;
  }
  /// Bytes from the values of a dimension to those of the next.
  [[nodiscard]] FORETRACE_DEVICE int dimensionBytes() const { return 2 << pageShift; }
};

/// Keys of a page and KV head in the pool; values follow after pageBlock elements.
template <int D>
FORETRACE_DEVICE const char* poolPage(const AttentionParameters& p, int page, int kvHead) {
  const std::int64_t block = pageBlock(1 << p.pageShift, D);
  return reinterpret_cast<const char*>(p.keyValue + (static_cast<std::int64_t>(page) * p.kvHeads + kvHead) * 2 * block);
}

/// Zeroes the values of the tokens from `tokens` to the next multiple of 32: what a page held before could be NaN, and a weight
/// of zero does not silence it. All threads must meet afterwards.
template <int D>
FORETRACE_DEVICE void clearTail(const ChunkMemory<D>& memory, int tokens) {
  const int firstOctet = tokens / 8;
  const int octets = (tokens + 31) / 32 * 4 - firstOctet;
  for (int index = static_cast<int>(threadIdx.x); index < octets * D; index += attentionThreads) {
    const int octet = firstOctet + index / D;
    auto* words = reinterpret_cast<std::uint32_t*>(memory.valueOctet(octet, index % D));
    const int left = tokens - octet * 8;  // of the octet; not above 0 for all but the first
    FORETRACE_UNROLL
    for (int word = 0; word < 4; ++word) {
      if (2 * word >= left) {
        words[word] = 0;
      } else if (2 * word + 1 >= left) {
        words[word] &= 0xFFFF;
      }
    }
  }
}

/// Copies by all threads. Keys and values are begun in turn and waited for in turn: when the values of a chunk are waited for,
/// the keys of the next may have been begun.
template <int D>
class PieceCopies {
 public:
  static constexpr bool byAllThreads = true;

  FORETRACE_DEVICE PieceCopies(const AttentionParameters& p, const ChunkMemory<D>& memory, int kvHead, char* /*shared*/)
      : p_(p), memory_(memory), kvHead_(kvHead) {}

  /// `wanted`: whether there is a chunk to copy. All threads call it all the same.
  FORETRACE_DEVICE void startKeys(bool wanted, const Chunk& chunk) { start(wanted, chunk, 0, memory_.keys, memory_.pageBytes()); }
  FORETRACE_DEVICE void startValues(bool wanted, const Chunk& chunk) {
    start(wanted, chunk, memory_.pageBytes(), memory_.values, memory_.valueStride());
  }
  /// The keys of the block's `use`-th chunk are there for all threads.
  FORETRACE_DEVICE void waitKeys(int /*use*/) {
    waitCopies<1>();
    syncThreads();
  }
  /// The values of the block's `use`-th chunk are there for all threads once they have met.
  FORETRACE_DEVICE void waitValues(int /*use*/) { waitCopies<1>(); }

 private:
  FORETRACE_DEVICE void start(bool wanted, const Chunk& chunk, int offset, char* to, int stride) {
    constexpr int dimensionShift = D == 32 ? 2 : D == 64 ? 3 : 4;  // pieces of a token
    const int shift = p_.pageShift + dimensionShift;
    const int pieces = wanted ? memory_.pages(chunk) << shift : 0;
    FORETRACE_UNROLL_4
    for (int piece = static_cast<int>(threadIdx.x); piece < pieces; piece += attentionThreads) {
      const int page = piece >> shift;
      const int within = (piece & ((1 << shift) - 1)) * 16;
      copyAsync16(to + page * stride + within, poolPage<D>(p_, chunk.pages[page], kvHead_) + offset + within, 16);
    }
    commitCopies();
  }

  const AttentionParameters& p_;
  ChunkMemory<D> memory_;
  int kvHead_;
};

#ifdef FORETRACE_WARPGROUPS

/// Copies of whole pages, each begun by one thread of the first warp, and counted by two barriers.
template <int D>
class BulkCopies {
 public:
  static constexpr bool byAllThreads = false;

  /// `shared`: 16 bytes for the barriers.
  FORETRACE_DEVICE BulkCopies(const AttentionParameters& p, const ChunkMemory<D>& memory, int kvHead, char* shared)
      : p_(p), memory_(memory), kvHead_(kvHead), barriers_(reinterpret_cast<std::uint64_t*>(shared)) {
    if (threadIdx.x == 0) {
      initBarrier(barriers_, 1);
      initBarrier(barriers_ + 1, 1);
      publishBarriers();
    }
    syncThreads();
  }

  FORETRACE_DEVICE void startKeys(bool wanted, const Chunk& chunk) {
    if (wanted) start(chunk, 0, memory_.keys, memory_.pageBytes(), barriers_);
  }
  FORETRACE_DEVICE void startValues(bool wanted, const Chunk& chunk) {
    if (wanted) start(chunk, memory_.pageBytes(), memory_.values, memory_.valueStride(), barriers_ + 1);
  }
  FORETRACE_DEVICE void waitKeys(int use) { waitBarrier(barriers_, use % 2); }
  FORETRACE_DEVICE void waitValues(int use) { waitBarrier(barriers_ + 1, use % 2); }

 private:
  FORETRACE_DEVICE void start(const Chunk& chunk, int offset, char* to, int stride, std::uint64_t* barrier) {
    if (threadIdx.x >= 32) return;
    const int pages = memory_.pages(chunk);
    const int page = static_cast<int>(threadIdx.x);
    if (page == 0) arriveExpecting(barrier, pages * memory_.pageBytes());
    syncWarp();  // the bytes are expected before the first of them come
    if (page < pages) copyBlock(to + page * stride, poolPage<D>(p_, chunk.pages[page], kvHead_) + offset, memory_.pageBytes(), barrier);
  }

  const AttentionParameters& p_;
  ChunkMemory<D> memory_;
  int kvHead_;
  std::uint64_t* barriers_;
};

#endif  // FORETRACE_WARPGROUPS

}  // namespace foretrace::cuda
