// The attention kernel over its work list, and the merge of partial results.
#pragma once

#include "cuda/attention.cuh"

namespace foretrace::cuda {

inline constexpr int mergeThreads = 128;

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
  }
  return slots;
}

/// Attends 16 slots to the chunk in shared memory.
template <int D>
FORETRACE_DEVICE void attendChunk(const AttentionParameters& p, const LaneSlots& slots, int lane, int chunk, SlotSums<D>& sums) {
  float score[scoreTiles][4];
  scoreChunk<D>(p, slots, lane, score);
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    sums.state[i] = weighScores(score, i, lane, slots.position[i] - chunk * chunkTokens, p.scale);
  }
  mixValues<D>(packWeights(score), lane, sums.output);
}

template <int D>
FORETRACE_DEVICE void mergeSums(SlotSums<D>& total, const SlotSums<D>& chunk) {
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    const MergeFactors factors = mergeState(total.state[i], chunk.state[i]);
    FORETRACE_UNROLL
    for (int tile = 0; tile < D / 8; ++tile) {
      FORETRACE_UNROLL
      for (int e = 2 * i; e < 2 * i + 2; ++e) total.output[tile][e] = mergeOutput(factors, total.output[tile][e], chunk.output[tile][e]);
    }
  }
}

template <int D>
FORETRACE_DEVICE void storePartial(const AttentionParameters& p, const LaneSlots& slots, int lane, int chunk, const SlotSums<D>& sums) {
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    if (slots.row[i] < 0) continue;
    const std::int64_t index = static_cast<std::int64_t>(p.partialBegin[slots.row[i]] + chunk) * p.heads + slots.head[i];
    if (lane % 4 == 0) {
      p.partialState[2 * index] = sums.state[i].maximum;
      p.partialState[2 * index + 1] = sums.state[i].sum;
    }
    FORETRACE_UNROLL
    for (int tile = 0; tile < D / 8; ++tile) {
      float* to = p.partialOutput + index * D + tile * 8 + lane % 4 * 2;
      to[0] = sums.output[tile][2 * i];
      to[1] = sums.output[tile][2 * i + 1];
    }
  }
}

template <int D>
FORETRACE_DEVICE void storeWhole(const AttentionParameters& p, const LaneSlots& slots, int lane, const SlotSums<D>& sums) {
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    if (slots.row[i] < 0) continue;
    std::uint16_t* to = p.mixed + static_cast<std::int64_t>(slots.row[i]) * p.mixedStride + slots.head[i] * p.headDim;
    FORETRACE_UNROLL
    for (int tile = 0; tile < D / 8; ++tile) {
      const int dimension = tile * 8 + lane % 4 * 2;
      if (dimension >= p.headDim) continue;  // headDim is even
      *reinterpret_cast<std::uint32_t*>(to + dimension) = packBf16(divide(sums.output[tile][2 * i], sums.state[i].sum),
                                                                   divide(sums.output[tile][2 * i + 1], sums.state[i].sum));
    }
  }
}

/// Grid: (items, kvHeads).
template <int D>
__global__ void __launch_bounds__(attentionThreads, 2) attentionKernel(const AttentionParameters p) {
  const AttentionItem item = p.items[blockIdx.x];
  const int kvHead = static_cast<int>(blockIdx.y);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warpSlot = static_cast<int>(threadIdx.x) / 32 * slotsPerWarp;
  SlotSums<D> total{};
  total.state[0] = total.state[1] = {-infinity(), 0.0F};
  for (int chunk = item.firstChunk; chunk < item.firstChunk + item.chunkCount; ++chunk) {
    const int left = item.tokens - chunk * chunkTokens;
    const std::int32_t* pages = p.pages + item.pagesBegin + (chunk - item.firstChunk) * (chunkTokens >> p.pageShift);
    loadChunk<D>(p, pages, kvHead, left < chunkTokens ? left : chunkTokens);
    waitCopies<0>();
    syncThreads();
    for (int slot = warpSlot; slot < item.slotCount; slot += slotsPerPass) {
      const LaneSlots slots = laneSlots(p, item, kvHead, slot, lane);
      SlotSums<D> sums;
      attendChunk<D>(p, slots, lane, chunk, sums);
      if (item.whole == 0) {
        storePartial<D>(p, slots, lane, chunk, sums);
      } else {
        mergeSums<D>(total, sums);
      }
    }
    syncThreads();  // the next chunk overwrites this one
  }
  if (item.whole != 0 && warpSlot < item.slotCount) {
    storeWhole<D>(p, laneSlots(p, item, kvHead, warpSlot, lane), lane, total);
  }
}

/// Grid: (count, heads); a thread has two neighbouring dimensions, so half of paddedHeadDim threads work.
__global__ void __launch_bounds__(mergeThreads) mergeKernel(const MergeParameters p) {
  const int row = p.mergeRows[blockIdx.x];
  const int head = static_cast<int>(blockIdx.y);
  const int dimension = 2 * static_cast<int>(threadIdx.x);
  if (dimension >= p.headDim) return;
  const int chunks = p.positions[row] / chunkTokens + 1;
  SoftmaxState state{-infinity(), 0.0F};
  float first = 0;
  float second = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t index = static_cast<std::int64_t>(p.partialBegin[row] + chunk) * p.heads + head;
    const float* output = p.partialOutput + index * p.paddedHeadDim + dimension;
    const MergeFactors factors = mergeState(state, {p.partialState[2 * index], p.partialState[2 * index + 1]});
    first = mergeOutput(factors, first, output[0]);
    second = mergeOutput(factors, second, output[1]);
  }
  std::uint16_t* to = p.mixed + static_cast<std::int64_t>(row) * p.mixedStride + head * p.headDim + dimension;
  *reinterpret_cast<std::uint32_t*>(to) = packBf16(divide(first, state.sum), divide(second, state.sum));
}

}  // namespace foretrace::cuda
