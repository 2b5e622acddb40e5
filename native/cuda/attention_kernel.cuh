// The attention kernel over its work list, and the merge of partial results.
#pragma once

#include "cuda/attention.cuh"

namespace foretrace::cuda {

inline constexpr int mergeThreads = 128;
/// Partial results a thread of the merge has on their way at a time.
inline constexpr int mergeAtOnce = 8;

/// What the warps that share slots tell each other of a chunk.
struct SharedWeights {
  QuarterWeights packed[quarters][32];  ///< [quarter][lane]
  float largest[quarters][slotsPerWarp];
  float sum[quarters][slotsPerWarp];
};

/// Shared memory of a block: a chunk, what warps exchange, barriers.
template <int D>
[[nodiscard]] FORETRACE_HD constexpr int attentionSharedBytes() {
  return ChunkMemory<D>::bytes + static_cast<int>(sizeof(SharedWeights)) + 16;
}

/// The first position a row at `position` sees.
FORETRACE_DEVICE int firstSeen(int position, int window) { return window > 0 && position >= window ? position - window + 1 : 0; }

/// Two neighbouring results, columns `column` (even) and column + 1 of a row.
FORETRACE_DEVICE void storeMixed(const MixedTarget& to, int row, int column, int width, float first, float second) {
  if (to.wide != nullptr) {
    float* wide = to.wide + static_cast<std::int64_t>(row) * width + column;
    wide[0] = first;
    wide[1] = second;
  } else {
    *reinterpret_cast<std::uint32_t*>(to.rows.data + rowOffset(row, 2 * column, to.rows.groups)) = packBf16(first, second);
  }
}

/// The slots of a lane in the 16 slots that begin at `firstSlot` of the item.
FORETRACE_DEVICE LaneSlots laneSlots(const AttentionParameters& p, const AttentionItem& item, int kvHead, int firstSlot, int lane) {
  LaneSlots slots{};
  const int group = p.heads / p.kvHeads;
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    const int index = firstSlot + lane / 4 + 8 * i;
    const int slot = item.slotBegin + index;
    const bool exists = index < item.slotCount;
    slots.row[i] = exists ? p.itemRows[item.rowsBegin + slot / group] : -1;
    slots.head[i] = exists ? kvHead * group + slot % group : 0;
    slots.position[i] = exists ? p.positions[slots.row[i]] : -1;
    slots.first[i] = firstSeen(slots.position[i], p.window);
  }
  return slots;
}

/// The queries of a lane's two slots.
template <int D>
struct LaneQueries {
  QueryPart part[D / 32];
};

template <int D>
FORETRACE_DEVICE LaneQueries<D> readQueries(const AttentionParameters& p, const LaneSlots& slots, int lane) {
  LaneQueries<D> queries;
  FORETRACE_UNROLL
  for (int part = 0; part < D / 32; ++part) queries.part[part] = readQuery<D>(p, slots, lane, part);
  return queries;
}

/// The weights of 16 slots for a whole chunk, and the states of a lane's two slots.
struct ChunkWeights {
  QuarterWeights quarter[quarters];
  SoftmaxState state[2];
};

/// The weights of a warp's 16 slots for the chunk in shared memory.
template <int D>
FORETRACE_DEVICE ChunkWeights weigh(const AttentionParameters& p, const char* keys, const LaneSlots& slots, int lane, int chunk) {
  ChunkWeights weights;
  float score[quarters * quarterTiles][4];
  scoreTokens<D>(keys, [&](int part) { return readQuery<D>(p, slots, lane, part); }, lane, 0, score);
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    hideTokens(score, i, lane, 0, slots.first[i] - chunk * chunkTokens, slots.position[i] - chunk * chunkTokens);
    const float largest = multiply(largestScore(score, i), p.scale);
    float sum = 0;
    FORETRACE_UNROLL
    for (int quarter = 0; quarter < quarters; ++quarter) {
      sum = add(sum, weighQuarter(score, i, quarter * quarterTiles, p.scale, loweredBy(largest)));
    }
    weights.state[i] = {largest, sum};
  }
  FORETRACE_UNROLL
  for (int quarter = 0; quarter < quarters; ++quarter) weights.quarter[quarter] = packQuarter(score, quarter * quarterTiles);
  return weights;
}

/// The tiles from `tile` on of a chunk, as partial results of a lane's two slots.
template <int D, int tiles>
FORETRACE_DEVICE void storePartial(const AttentionParameters& p, const LaneSlots& slots, int tile, int lane, int chunk,
                                   const SoftmaxState (&state)[2], const float (&output)[tiles][4]) {
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    if (slots.row[i] < 0) continue;
    const std::int64_t index = static_cast<std::int64_t>(p.partialBegin[slots.row[i]] + chunk) * p.heads + slots.head[i];
    if (lane % 4 == 0 && tile == 0) *reinterpret_cast<Words2*>(p.partialState + 2 * index) = {bitsOf(state[i].maximum), bitsOf(state[i].sum)};
    float* to = p.partialOutput + index * D + tile * 8 + lane % 4 * 2;
    FORETRACE_UNROLL
    for (int t = 0; t < tiles; ++t) *reinterpret_cast<Words2*>(to + t * 8) = {bitsOf(output[t][2 * i]), bitsOf(output[t][2 * i + 1])};
  }
}

/// What one warp gathers for its 16 slots over chunks: [dimension tile][element], two rows of states (slots lane / 4 and
/// lane / 4 + 8). With `share` warps for the same slots, warp i has the tiles from i * tiles on.
template <int D, int share>
struct SlotSums {
  static constexpr int tiles = D / 8 / share;
  /// Tiles that are mixed at a time: those of a whole chunk beside those of the chunks before would not fit into registers.
  static constexpr int tilesAtOnce = tiles < 4 ? tiles : 4;
  float output[tiles][4];
  SoftmaxState state[2];
};

/// Mixes the values of a chunk, some tiles at a time; they join `total`, or are stored as partial results.
template <int D, int share, class Weights>
FORETRACE_DEVICE void takeChunk(const AttentionParameters& p, const AttentionItem& item, const ChunkMemory<D>& memory, const LaneSlots& slots,
                                int firstTile, int lane, int chunk, int tokens, const Weights& weightsOf, const SoftmaxState (&state)[2],
                                SlotSums<D, share>& total) {
  constexpr int atOnce = SlotSums<D, share>::tilesAtOnce;
  MergeFactors factors[2] = {};
  if (item.whole != 0) {
    FORETRACE_UNROLL
    for (int i = 0; i < 2; ++i) factors[i] = mergeState(total.state[i], state[i]);
  }
  FORETRACE_UNROLL
  for (int begin = 0; begin < SlotSums<D, share>::tiles; begin += atOnce) {
    float output[atOnce][4];
    mixValues<D>(memory, weightsOf, tokens, lane, firstTile + begin, output);
    if (item.whole == 0) {
      storePartial<D>(p, slots, firstTile + begin, lane, chunk, state, output);
      continue;
    }
    FORETRACE_UNROLL
    for (int t = 0; t < atOnce; ++t) {
      FORETRACE_UNROLL
      for (int e = 0; e < 4; ++e) total.output[begin + t][e] = mergeOutput(factors[e / 2], total.output[begin + t][e], output[t][e]);
    }
  }
}

template <int D, int share>
FORETRACE_DEVICE void storeWhole(const AttentionParameters& p, const LaneSlots& slots, int firstTile, int lane, const SlotSums<D, share>& sums) {
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    if (slots.row[i] < 0) continue;
    const float factor = finalFactor(sums.state[i]);
    FORETRACE_UNROLL
    for (int tile = 0; tile < SlotSums<D, share>::tiles; ++tile) {
      const int dimension = (firstTile + tile) * 8 + lane % 4 * 2;
      if (dimension >= p.headDim) continue;  // headDim is even
      storeMixed(p.mixed, slots.row[i], slots.head[i] * p.headDim + dimension, p.heads * p.headDim, multiply(sums.output[tile][2 * i], factor),
                 multiply(sums.output[tile][2 * i + 1], factor));
    }
  }
}

/// The chunks of an item that are not behind the windows of all its rows.
struct ItemChunks {
  int begin;
  int end;

  FORETRACE_DEVICE static ItemChunks of(const AttentionParameters& p, const AttentionItem& item) {
    const int behind = firstSeen(item.lowest, p.window) / chunkTokens;
    return {item.firstChunk > behind ? item.firstChunk : behind, item.firstChunk + item.chunkCount};
  }
};

FORETRACE_DEVICE Chunk chunkOf(const AttentionParameters& p, const AttentionItem& item, int chunk) {
  const int left = item.tokens - chunk * chunkTokens;
  return {p.pages + item.pagesBegin + (chunk - item.firstChunk) * (chunkTokens >> p.pageShift), left < chunkTokens ? left : chunkTokens};
}

/// The values of a chunk are there for all threads, and zero behind its tokens.
template <int D, class Copies>
FORETRACE_DEVICE void awaitValues(const ChunkMemory<D>& memory, Copies& copies, int use, int tokens) {
  copies.waitValues(use);
  if (tokens % 32 != 0) {
    if constexpr (Copies::byAllThreads) syncThreads();  // what other threads have copied is cleared too
    clearTail<D>(memory, tokens);
  }
  syncThreads();
}

/// All chunks of an item; each warp takes 16 slots at a time. The keys of the next chunk are on their way while the values of this
/// one are mixed, and its values while it is scored.
template <int D, class Copies>
FORETRACE_DEVICE void attendAlone(const AttentionParameters& p, const AttentionItem& item, const ChunkMemory<D>& memory, Copies& copies, int kvHead,
                                  int warp, int lane) {
  const int firstSlot = warp * slotsPerWarp;
  const ItemChunks chunks = ItemChunks::of(p, item);
  if (chunks.begin >= chunks.end) return;  // one chunk, behind the windows
  Chunk next = chunkOf(p, item, chunks.begin);
  copies.startKeys(true, next);
  copies.startValues(true, next);
  SlotSums<D, 1> total{};
  total.state[0] = total.state[1] = {-infinity(), 0.0F};
  for (int chunk = chunks.begin; chunk < chunks.end; ++chunk) {
    const int tokens = next.tokens;
    const bool more = chunk + 1 < chunks.end;
    if (more) next = chunkOf(p, item, chunk + 1);
    copies.waitKeys(chunk - chunks.begin);
    for (int pass = 0; pass < item.slotCount; pass += slotsPerPass) {  // only items of one chunk take more than one
      const LaneSlots slots = laneSlots(p, item, kvHead, pass + firstSlot, lane);
      const ChunkWeights weights = weigh<D>(p, memory.keys, slots, lane, chunk);
      if (pass == 0) {
        syncThreads();  // the keys have been read
        copies.startKeys(more, next);
        awaitValues<D>(memory, copies, chunk - chunks.begin, tokens);
      }
      takeChunk<D, 1>(p, item, memory, slots, 0, lane, chunk, tokens, [&](int quarter) { return weights.quarter[quarter]; }, weights.state, total);
    }
    syncThreads();  // the next chunk overwrites the values
    copies.startValues(more, next);
  }
  if (item.whole != 0 && firstSlot < item.slotCount) {
    storeWhole<D, 1>(p, laneSlots(p, item, kvHead, firstSlot, lane), 0, lane, total);
  }
}

/// All chunks of an item of no more than 16 slots, which all warps take together. The keys of the next chunk are on their way
/// while the values of this one are mixed, and its values while it is scored.
template <int D, class Copies>
FORETRACE_DEVICE void attendTogether(const AttentionParameters& p, const AttentionItem& item, const ChunkMemory<D>& memory, Copies& copies,
                                     SharedWeights& shared, int kvHead, int warp, int lane) {
  const ItemChunks chunks = ItemChunks::of(p, item);
  if (chunks.begin >= chunks.end) return;  // one chunk, behind the windows; or no slot at all
  Chunk next = chunkOf(p, item, chunks.begin);
  copies.startKeys(true, next);
  copies.startValues(true, next);
  const LaneSlots slots = laneSlots(p, item, kvHead, 0, lane);
  const LaneQueries<D> queries = readQueries<D>(p, slots, lane);
  SlotSums<D, sharingWarps> total{};
  total.state[0] = total.state[1] = {-infinity(), 0.0F};
  for (int chunk = chunks.begin; chunk < chunks.end; ++chunk) {
    const int tokens = next.tokens;
    const bool more = chunk + 1 < chunks.end;
    if (more) next = chunkOf(p, item, chunk + 1);
    copies.waitKeys(chunk - chunks.begin);
    float score[quarterTiles][4] = {};
    if (warp * 32 < tokens) scoreTokens<D>(memory.keys, [&](int part) { return queries.part[part]; }, lane, warp * quarterTiles, score);
    FORETRACE_UNROLL
    for (int i = 0; i < 2; ++i) {
      hideTokens(score, i, lane, warp * quarterTiles, slots.first[i] - chunk * chunkTokens, slots.position[i] - chunk * chunkTokens);
      const float largest = largestScore(score, i);
      if (lane % 4 == 0) shared.largest[warp][lane / 4 + 8 * i] = largest;
    }
    syncThreads();  // the keys have been read, the largest scores are known
    copies.startKeys(more, next);
    SoftmaxState state[2];
    FORETRACE_UNROLL
    for (int i = 0; i < 2; ++i) {
      const int slot = lane / 4 + 8 * i;
      float largest = shared.largest[0][slot];
      FORETRACE_UNROLL
      for (int quarter = 1; quarter < quarters; ++quarter) largest = maximum(largest, shared.largest[quarter][slot]);
      state[i].maximum = multiply(largest, p.scale);
      const float sum = weighQuarter(score, i, 0, p.scale, loweredBy(state[i].maximum));
      if (lane % 4 == 0) shared.sum[warp][slot] = sum;
    }
    shared.packed[warp][lane] = packQuarter(score, 0);
    awaitValues<D>(memory, copies, chunk - chunks.begin, tokens);  // and weights and sums
    FORETRACE_UNROLL
    for (int i = 0; i < 2; ++i) {
      float sum = 0;
      FORETRACE_UNROLL
      for (int quarter = 0; quarter < quarters; ++quarter) sum = add(sum, shared.sum[quarter][lane / 4 + 8 * i]);
      state[i].sum = sum;
    }
    takeChunk<D, sharingWarps>(p, item, memory, slots, warp * SlotSums<D, sharingWarps>::tiles, lane, chunk, tokens,
                               [&](int quarter) { return shared.packed[quarter][lane]; }, state, total);
    syncThreads();  // the next chunk overwrites the values
    copies.startValues(more, next);
  }
  if (item.whole != 0) storeWhole<D, sharingWarps>(p, slots, warp * SlotSums<D, sharingWarps>::tiles, lane, total);
}

/// Grid: (items, kvHeads). `Copies` is how keys and values come; `few`: no item has more than 16 slots.
template <int D, template <int> class Copies, bool few>
FORETRACE_DEVICE void attend(const AttentionParameters& p) {
  const int kvHead = static_cast<int>(blockIdx.y);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const auto memory = ChunkMemory<D>::at(sharedMemory(), p.pageShift);
  auto& shared = *reinterpret_cast<SharedWeights*>(sharedMemory() + ChunkMemory<D>::bytes);
  Copies<D> copies(p, memory, kvHead, sharedMemory() + ChunkMemory<D>::bytes + sizeof(SharedWeights));
  waitForEarlierKernels();
  const AttentionItem item = p.items[blockIdx.x];
  if constexpr (!few) {
    if (item.slotCount > slotsPerWarp) return attendAlone<D>(p, item, memory, copies, kvHead, warp, lane);
  }
  attendTogether<D>(p, item, memory, copies, shared, kvHead, warp, lane);
}

/// Blocks for which a multiprocessor has registers (and, but for the widest heads, shared memory): warps that share their slots
/// need fewer.
template <int D, bool few>
inline constexpr int attentionBlocks = few && D < 128 ? 4 : 3;

template <int D, bool few>
__global__ void __launch_bounds__(attentionThreads, (attentionBlocks<D, few>)) attentionKernel(const AttentionParameters p) {
  allowNextKernel();
  attend<D, PieceCopies, few>(p);
}

/// The same with copies of whole pages. Empty on targets without them.
template <int D, bool few>
__global__ void __launch_bounds__(attentionThreads, (attentionBlocks<D, few>)) bulkAttentionKernel(const AttentionParameters p) {
#ifdef FORETRACE_WARPGROUPS
  allowNextKernel();
  attend<D, BulkCopies, few>(p);
#endif
}

/// Grid: (count, heads); a thread has two neighbouring dimensions, so half of paddedHeadDim threads work.
__global__ void __launch_bounds__(mergeThreads) mergeKernel(const MergeParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const int row = p.mergeRows[blockIdx.x];
  const int head = static_cast<int>(blockIdx.y);
  const int dimension = 2 * static_cast<int>(threadIdx.x);
  if (dimension >= p.headDim) return;
  const int end = p.positions[row] / chunkTokens + 1;
  const std::int64_t partial = static_cast<std::int64_t>(p.partialBegin[row]) * p.heads + head;
  const float* states = p.partialState + 2 * partial;
  const float* outputs = p.partialOutput + partial * p.paddedHeadDim + dimension;
  SoftmaxState state{-infinity(), 0.0F};
  float first = 0;
  float second = 0;
  for (int begin = firstSeen(p.positions[row], p.window) / chunkTokens; begin < end; begin += mergeAtOnce) {
    Words2 other[mergeAtOnce];
    Words2 output[mergeAtOnce];
    FORETRACE_UNROLL
    for (int i = 0; i < mergeAtOnce; ++i) {
      const std::int64_t chunk = begin + i < end ? begin + i : end - 1;
      other[i] = *reinterpret_cast<const Words2*>(states + 2 * chunk * p.heads);
      output[i] = *reinterpret_cast<const Words2*>(outputs + chunk * p.heads * p.paddedHeadDim);
    }
    FORETRACE_UNROLL
    for (int i = 0; i < mergeAtOnce; ++i) {
      if (begin + i >= end) break;
      const MergeFactors factors = mergeState(state, {floatOf(other[i].x), floatOf(other[i].y)});
      first = mergeOutput(factors, first, floatOf(output[i].x));
      second = mergeOutput(factors, second, floatOf(output[i].y));
    }
  }
  const float factor = finalFactor(state);
  storeMixed(p.mixed, row, head * p.headDim + dimension, p.heads * p.headDim, multiply(first, factor), multiply(second, factor));
}

}  // namespace foretrace::cuda
