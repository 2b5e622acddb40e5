// The attention kernel over its work list, and the merge of partial results.
#pragma once

#include "cuda/attention.cuh"

namespace foretrace::cuda {

inline constexpr int mergeThreads = 128;
/// Partial results a thread of the merge has on their way at a time.
inline constexpr int mergeAtOnce = 8;

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

FORETRACE_DEVICE PackedWeights weighChunk(const AttentionParameters& p, const LaneSlots& slots, int lane, int chunk, float (&score)[scoreTiles][4]) {
  PackedWeights weights;
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    weights.state[i] = weighScores(score, i, lane, slots.first[i] - chunk * chunkTokens, slots.position[i] - chunk * chunkTokens, p.scale);
  }
  packWeights(score, weights);
  return weights;
}

/// The weights of 16 slots for the chunk in shared memory, which is there for all, by one warp.
template <int D>
FORETRACE_DEVICE PackedWeights weightsAlone(const AttentionParameters& p, const LaneSlots& slots, int lane, int chunk) {
  float score[scoreTiles][4];
  scoreChunk<D>([&](int part) { return readQuery<D>(p, slots, lane, part); }, lane, 0, score);
  return weighChunk(p, slots, lane, chunk, score);
}

/// The same as warp `warp` of those that share the slots; the values may still be on their way, and are there afterwards.
template <int D>
FORETRACE_DEVICE PackedWeights weightsTogether(const AttentionParameters& p, const LaneSlots& slots, const LaneQueries<D>& queries, int warp, int lane,
                                               int chunk) {
  float score[scoreTiles][4];
  float own[scoreTiles / sharingWarps][4];
  scoreChunk<D>([&](int part) { return queries.part[part]; }, lane, warp * (scoreTiles / sharingWarps), own);
  exchangeScores<D>(own, warp, lane, score);
  return weighChunk(p, slots, lane, chunk, score);
}

/// The tiles from `tile` on of a chunk, as partial results of a lane's two slots.
template <int D, int tiles>
FORETRACE_DEVICE void storePartial(const AttentionParameters& p, const LaneSlots& slots, int tile, int lane, int chunk,
                                   const SoftmaxState (&state)[2], const float (&output)[tiles][4]) {
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    if (slots.row[i] < 0) continue;
    const std::int64_t index = static_cast<std::int64_t>(p.partialBegin[slots.row[i]] + chunk) * p.heads + slots.head[i];
    if (lane % 4 == 0 && tile == 0) {
      p.partialState[2 * index] = state[i].maximum;
      p.partialState[2 * index + 1] = state[i].sum;
    }
    FORETRACE_UNROLL
    for (int t = 0; t < tiles; ++t) {
      float* to = p.partialOutput + index * D + (tile + t) * 8 + lane % 4 * 2;
      to[0] = output[t][2 * i];
      to[1] = output[t][2 * i + 1];
    }
  }
}

/// Mixes the values of a chunk, some tiles at a time; they join `total`, or are stored as partial results.
template <int D, int share>
FORETRACE_DEVICE void takeChunk(const AttentionParameters& p, const AttentionItem& item, const LaneSlots& slots, int firstTile, int lane, int chunk,
                                const PackedWeights& weights, SlotSums<D, share>& total) {
  constexpr int atOnce = SlotSums<D, share>::tilesAtOnce;
  MergeFactors factors[2] = {};
  if (item.whole != 0) {
    FORETRACE_UNROLL
    for (int i = 0; i < 2; ++i) factors[i] = mergeState(total.state[i], weights.state[i]);
  }
  FORETRACE_UNROLL
  for (int begin = 0; begin < SlotSums<D, share>::tiles; begin += atOnce) {
    float output[atOnce][4];
    mixValues<D>(weights, lane, firstTile + begin, output);
    if (item.whole == 0) {
      storePartial<D>(p, slots, firstTile + begin, lane, chunk, weights.state, output);
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
    FORETRACE_UNROLL
    for (int tile = 0; tile < SlotSums<D, share>::tiles; ++tile) {
      const int dimension = (firstTile + tile) * 8 + lane % 4 * 2;
      if (dimension >= p.headDim) continue;  // headDim is even
      storeMixed(p.mixed, slots.row[i], slots.head[i] * p.headDim + dimension, p.heads * p.headDim,
                 divide(sums.output[tile][2 * i], sums.state[i].sum), divide(sums.output[tile][2 * i + 1], sums.state[i].sum));
    }
  }
}

/// The first chunk that is not behind the windows of all rows of an item.
FORETRACE_DEVICE int firstChunkOf(const AttentionParameters& p, const AttentionItem& item) {
  const int behind = firstSeen(item.lowest, p.window) / chunkTokens;
  return item.firstChunk > behind ? item.firstChunk : behind;
}

/// Starts the copies of a chunk of an item.
template <int D>
FORETRACE_DEVICE void loadChunkOf(const AttentionParameters& p, const AttentionItem& item, int kvHead, int chunk) {
  const int left = item.tokens - chunk * chunkTokens;
  const std::int32_t* pages = p.pages + item.pagesBegin + (chunk - item.firstChunk) * (chunkTokens >> p.pageShift);
  loadChunk<D>(p, pages, kvHead, left < chunkTokens ? left : chunkTokens);
}

/// All chunks of an item; each warp takes 16 slots at a time.
template <int D>
FORETRACE_DEVICE void attendItem(const AttentionParameters& p, const AttentionItem& item, int kvHead, int warp, int lane) {
  const int firstSlot = warp * slotsPerWarp;
  SlotSums<D, 1> total{};
  total.state[0] = total.state[1] = {-infinity(), 0.0F};
  for (int chunk = firstChunkOf(p, item); chunk < item.firstChunk + item.chunkCount; ++chunk) {
    loadChunkOf<D>(p, item, kvHead, chunk);
    waitCopies<0>();
    syncThreads();
    for (int slot = firstSlot; slot < item.slotCount; slot += slotsPerPass) {
      const LaneSlots slots = laneSlots(p, item, kvHead, slot, lane);
      takeChunk<D, 1>(p, item, slots, 0, lane, chunk, weightsAlone<D>(p, slots, lane, chunk), total);
    }
    syncThreads();  // the next chunk overwrites this one
  }
  if (item.whole != 0 && firstSlot < item.slotCount) {
    storeWhole<D, 1>(p, laneSlots(p, item, kvHead, firstSlot, lane), 0, lane, total);
  }
}

/// All chunks of an item of no more than 16 slots, which all warps take together. Which slots they are, and their queries, is
/// looked up while the first chunk is on its way.
template <int D>
FORETRACE_DEVICE void attendItemTogether(const AttentionParameters& p, const AttentionItem& item, int kvHead, int warp, int lane) {
  const int firstTile = warp * SlotSums<D, sharingWarps>::tiles;
  SlotSums<D, sharingWarps> total{};
  total.state[0] = total.state[1] = {-infinity(), 0.0F};
  const int begin = firstChunkOf(p, item);
  if (begin >= item.firstChunk + item.chunkCount) return;  // one chunk, behind the windows
  loadChunkOf<D>(p, item, kvHead, begin);
  const LaneSlots slots = laneSlots(p, item, kvHead, 0, lane);
  const LaneQueries<D> queries = readQueries<D>(p, slots, lane);
  for (int chunk = begin; chunk < item.firstChunk + item.chunkCount; ++chunk) {
    if (chunk > begin) loadChunkOf<D>(p, item, kvHead, chunk);
    waitCopies<1>();  // the keys; exchangeScores waits for the values
    syncThreads();
    const PackedWeights weights = weightsTogether<D>(p, slots, queries, warp, lane, chunk);
    takeChunk<D, sharingWarps>(p, item, slots, firstTile, lane, chunk, weights, total);
    syncThreads();  // the next chunk overwrites this one
  }
  if (item.whole != 0) storeWhole<D, sharingWarps>(p, slots, firstTile, lane, total);
}

/// Grid: (items, kvHeads).
template <int D>
__global__ void __launch_bounds__(attentionThreads, 3) attentionKernel(const AttentionParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const AttentionItem item = p.items[blockIdx.x];
  const int kvHead = static_cast<int>(blockIdx.y);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (item.slotCount <= slotsPerWarp) {
    attendItemTogether<D>(p, item, kvHead, warp, lane);
  } else {
    attendItem<D>(p, item, kvHead, warp, lane);
  }
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
  SoftmaxState state{-infinity(), 0.0F};
  float first = 0;
  float second = 0;
  for (int begin = firstSeen(p.positions[row], p.window) / chunkTokens; begin < end; begin += mergeAtOnce) {
    SoftmaxState other[mergeAtOnce];
    float output[mergeAtOnce][2];
    FORETRACE_UNROLL
    for (int i = 0; i < mergeAtOnce; ++i) {
      const int chunk = begin + i < end ? begin + i : end - 1;
      const std::int64_t index = static_cast<std::int64_t>(p.partialBegin[row] + chunk) * p.heads + head;
      other[i] = {p.partialState[2 * index], p.partialState[2 * index + 1]};
      output[i][0] = p.partialOutput[index * p.paddedHeadDim + dimension];
      output[i][1] = p.partialOutput[index * p.paddedHeadDim + dimension + 1];
    }
    FORETRACE_UNROLL
    for (int i = 0; i < mergeAtOnce; ++i) {
      if (begin + i >= end) continue;
      const MergeFactors factors = mergeState(state, other[i]);
      first = mergeOutput(factors, first, output[i][0]);
      second = mergeOutput(factors, second, output[i][1]);
    }
  }
  storeMixed(p.mixed, row, head * p.headDim + dimension, p.heads * p.headDim, divide(first, state.sum), divide(second, state.sum));
}

}  // namespace foretrace::cuda
