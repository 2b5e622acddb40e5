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

/// Attends 16 slots to the chunk in shared memory, whose keys are there for all; alone, or as warp `warp` of those that share
/// the slots.
template <int D, int share>
FORETRACE_DEVICE void attendChunk(const AttentionParameters& p, const LaneSlots& slots, int warp, int lane, int chunk, SlotSums<D, share>& sums) {
  float score[scoreTiles][4];
  if constexpr (share == 1) {
    scoreChunk<D>(p, slots, lane, 0, score);
  } else {
    float own[scoreTiles / share][4];
    scoreChunk<D>(p, slots, lane, warp * (scoreTiles / share), own);
    exchangeScores<D>(own, warp, lane, score);
  }
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    sums.state[i] = weighScores(score, i, lane, slots.first[i] - chunk * chunkTokens, slots.position[i] - chunk * chunkTokens, p.scale);
  }
  mixValues<D>(packWeights(score), lane, share == 1 ? 0 : warp * SlotSums<D, share>::tiles, sums.output);
}

template <int D, int share>
FORETRACE_DEVICE void mergeSums(SlotSums<D, share>& total, const SlotSums<D, share>& chunk) {
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    const MergeFactors factors = mergeState(total.state[i], chunk.state[i]);
    FORETRACE_UNROLL
    for (int tile = 0; tile < SlotSums<D, share>::tiles; ++tile) {
      FORETRACE_UNROLL
      for (int e = 2 * i; e < 2 * i + 2; ++e) total.output[tile][e] = mergeOutput(factors, total.output[tile][e], chunk.output[tile][e]);
    }
  }
}

template <int D, int share>
FORETRACE_DEVICE void storePartial(const AttentionParameters& p, const LaneSlots& slots, int firstTile, int lane, int chunk, const SlotSums<D, share>& sums) {
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    if (slots.row[i] < 0) continue;
    const std::int64_t index = static_cast<std::int64_t>(p.partialBegin[slots.row[i]] + chunk) * p.heads + slots.head[i];
    if (lane % 4 == 0 && firstTile == 0) {
      p.partialState[2 * index] = sums.state[i].maximum;
      p.partialState[2 * index + 1] = sums.state[i].sum;
    }
    FORETRACE_UNROLL
    for (int tile = 0; tile < SlotSums<D, share>::tiles; ++tile) {
      float* to = p.partialOutput + index * D + (firstTile + tile) * 8 + lane % 4 * 2;
      to[0] = sums.output[tile][2 * i];
      to[1] = sums.output[tile][2 * i + 1];
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

/// All chunks of an item. share == 1: each warp takes 16 slots at a time; otherwise all warps take the item's 16 slots together.
template <int D, int share>
FORETRACE_DEVICE void attendItem(const AttentionParameters& p, const AttentionItem& item, int kvHead) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int firstSlot = share == 1 ? warp * slotsPerWarp : 0;
  const int firstTile = share == 1 ? 0 : warp * SlotSums<D, share>::tiles;
  const int behind = firstSeen(item.lowest, p.window) / chunkTokens;  // earlier chunks are behind every row's window
  SlotSums<D, share> total{};
  total.state[0] = total.state[1] = {-infinity(), 0.0F};
  for (int chunk = item.firstChunk > behind ? item.firstChunk : behind; chunk < item.firstChunk + item.chunkCount; ++chunk) {
    const int left = item.tokens - chunk * chunkTokens;
    const std::int32_t* pages = p.pages + item.pagesBegin + (chunk - item.firstChunk) * (chunkTokens >> p.pageShift);
    loadChunk<D>(p, pages, kvHead, left < chunkTokens ? left : chunkTokens);
    if constexpr (share == 1) {
      waitCopies<0>();
    } else {
      waitCopies<1>();
    }
    syncThreads();
    for (int slot = firstSlot; slot < item.slotCount; slot += slotsPerPass) {
      const LaneSlots slots = laneSlots(p, item, kvHead, slot, lane);
      SlotSums<D, share> sums;
      attendChunk<D, share>(p, slots, warp, lane, chunk, sums);
      if (item.whole == 0) {
        storePartial<D, share>(p, slots, firstTile, lane, chunk, sums);
      } else {
        mergeSums<D, share>(total, sums);
      }
    }
    syncThreads();  // the next chunk overwrites this one
  }
  if (item.whole != 0 && firstSlot < item.slotCount) {
    storeWhole<D, share>(p, laneSlots(p, item, kvHead, firstSlot, lane), firstTile, lane, total);
  }
}

/// Grid: (items, kvHeads).
template <int D>
__global__ void __launch_bounds__(attentionThreads, 3) attentionKernel(const AttentionParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const AttentionItem item = p.items[blockIdx.x];
  if (item.slotCount <= slotsPerWarp) {
    attendItem<D, sharingWarps>(p, item, static_cast<int>(blockIdx.y));
  } else {
    attendItem<D, 1>(p, item, static_cast<int>(blockIdx.y));
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
