// What a warp computes of paged attention: scores of queries and keys, weights by softmax, sums of weighted values.
//
// A warp attends 16 slots (row and head; the heads that share a KV head sit side by side) to a chunk of 128 tokens, or to a
// quarter of one. What is computed for a slot is a function of that slot's query and the chunk's keys and values alone, and
// chunks are merged in the order of their positions: which slots share a block, and so whether the pages of a common prefix
// are read once or by each sequence, changes no bit. Where a block has no more than 16 slots its four warps share them: each
// has the scores and weights of a quarter of the tokens and, with the weights of all, a quarter of the dimensions. A warp alone
// goes the same way: the weights of each quarter are added up apart, then the quarters in ascending order.
//
// Queries are operand A; keys and values are operand B and lie in shared memory so that a lane's registers for two steps
// are one 16-byte read. The scores that a lane holds after the first product are the operand A of the second as they are:
// token t of a block of 32 belongs to column 2 (t / 8) + t % 2 of score tile t % 8 / 2 (fragment.h: depthOf).
#pragma once

#include "cuda/attention_copies.cuh"
#include "cuda/attention_state.cuh"
#include "cuda/fragment.h"

namespace foretrace::cuda {

/// Quarters of a chunk: 32 tokens, four tiles of scores, two steps of the second product.
inline constexpr int quarters = chunkTokens / 32;
inline constexpr int quarterTiles = 4;
/// Warps that share the slots of a block if they are few, a quarter each.
inline constexpr int sharingWarps = attentionThreads / 32;
static_assert(sharingWarps == quarters);

/// Token of a chunk that column `column` of score tile `tile` stands for.
[[nodiscard]] FORETRACE_HD constexpr int tokenOfScore(int tile, int column) {
  return tile / 4 * 32 + column / 2 * 8 + tile % 4 * 2 + column % 2;
}

/// A lane's two slots.
struct LaneSlots {
  int row[2];  ///< -1: no slot
  int head[2];
  int position[2];
  int first[2];  ///< the first position the slot sees
};

/// 32 elements of the queries of a lane's two slots, as operand A of two steps.
struct QueryPart {
  Words4 words[2];
};

template <int D>
FORETRACE_DEVICE QueryPart readQuery(const AttentionParameters& p, const LaneSlots& slots, int lane, int part) {
  QueryPart query;
  FORETRACE_UNROLL
  for (int i = 0; i < 2; ++i) {
    query.words[i] = {0, 0, 0, 0};
    if (slots.row[i] < 0) continue;
    const std::int64_t from = (static_cast<std::int64_t>(slots.row[i]) * p.heads + slots.head[i]) * D + part * 32 + lane % 4 * 8;
    query.words[i] = *reinterpret_cast<const Words4*>(p.query + from);
  }
  return query;
}

/// score[i] = query * keys for the tokens of tile firstTile + i (a multiple of 4), ascending over the head; queryPart(part) is what
/// readQuery gives. Keys are found as keyElement says, at distances from two pointers that the compiler knows: as many pointers
/// as reads would not fit into registers.
template <int D, int tiles, class Query>
FORETRACE_DEVICE void scoreTokens(const char* keyMemory, const Query& queryPart, int lane, int firstTile, float (&score)[tiles][4]) {
  const int token = tokenOfScore(firstTile, lane / 4);
  const auto* keys = reinterpret_cast<const Words4*>(keyMemory) + token * (D / 8) + lane % 4;
  const int swapped = keyElement(token, 0, D) / 8;
  const Words4* ofEvenParts = keys + swapped;
  const Words4* ofOddParts = keys - swapped;
  FORETRACE_UNROLL
  for (int tile = 0; tile < tiles; ++tile) {
    FORETRACE_UNROLL
    for (int element = 0; element < 4; ++element) score[tile][element] = 0;
  }
  FORETRACE_UNROLL
  for (int part = 0; part < D / 32; ++part) {
    const QueryPart query = queryPart(part);
    FORETRACE_UNROLL
    for (int tile = 0; tile < tiles; ++tile) {
      const Words4 key = (part % 2 == 0 ? ofEvenParts : ofOddParts)[tokenOfScore(tile, 0) * (D / 8) + part * 4];
      mma(score[tile], query.words[0].x, query.words[1].x, query.words[0].y, query.words[1].y, key.x, key.y);
      mma(score[tile], query.words[0].z, query.words[1].z, query.words[0].w, query.words[1].w, key.z, key.w);
    }
  }
}

/// Scores of tokens that slot i of the lane does not see become -infinity: those after `last` (its own position) and before
/// `first` (the begin of its window), both from the begin of the chunk.
template <int tiles>
FORETRACE_DEVICE void hideTokens(float (&score)[tiles][4], int i, int lane, int firstTile, int first, int last) {
  if (first <= 0 && last >= chunkTokens - 1) return;
  const int lanes = tokenOfScore(firstTile, lane % 4 * 2);  // what the lane adds to the token of its column
  FORETRACE_UNROLL
  for (int tile = 0; tile < tiles; ++tile) {
    FORETRACE_UNROLL
    for (int e = 0; e < 2; ++e) {
      const int token = tokenOfScore(tile, e);
      if (token > last - lanes || token < first - lanes) score[tile][2 * i + e] = -infinity();
    }
  }
}

/// The largest score of slot i, which four lanes share.
template <int tiles>
FORETRACE_DEVICE float largestScore(const float (&score)[tiles][4], int i) {
  float largest = -infinity();
  FORETRACE_UNROLL
  for (int tile = 0; tile < tiles; ++tile) largest = maximum(largest, maximum(score[tile][2 * i], score[tile][2 * i + 1]));
  largest = maximum(largest, shuffleXor(largest, 1));
  return maximum(largest, shuffleXor(largest, 2));
}

/// What scaled scores are lowered by so that the largest weight is 1; a slot that sees no token has only weights of zero.
FORETRACE_DEVICE float loweredBy(float scaledLargest) { return scaledLargest == -infinity() ? 0.0F : scaledLargest; }

/// Scores of one quarter become weights 2^(scale * score - lowered); returns their sum, the same in the four lanes of a slot.
template <int tiles>
FORETRACE_DEVICE float weighQuarter(float (&score)[tiles][4], int i, int firstTile, float scale, float lowered) {
  float sum = 0;
  FORETRACE_UNROLL
  for (int tile = 0; tile < quarterTiles; ++tile) {
    FORETRACE_UNROLL
    for (int e = 0; e < 2; ++e) {
      float& value = score[firstTile + tile][2 * i + e];
      value = exponential2(multiplyAdd(value, scale, -lowered));
      sum = add(sum, value);
    }
  }
  sum = add(sum, shuffleXor(sum, 1));
  return add(sum, shuffleXor(sum, 2));
}

/// The weights of 16 slots for a quarter as operand A of the two steps of the second product.
struct QuarterWeights {
  Words4 step[2];
};

template <int tiles>
FORETRACE_DEVICE QuarterWeights packQuarter(const float (&weight)[tiles][4], int firstTile) {
  QuarterWeights packed;
  FORETRACE_UNROLL
  for (int step = 0; step < 2; ++step) {
    const float(&low)[4] = weight[firstTile + step * 2];
    const float(&high)[4] = weight[firstTile + step * 2 + 1];
    packed.step[step] = {packBf16(low[0], low[1]), packBf16(low[2], low[3]), packBf16(high[0], high[1]), packBf16(high[2], high[3])};
  }
  return packed;
}

/// output[i] = weights * values for the dimensions of tile firstTile + i, ascending over the quarters that have tokens;
/// weightsOf(quarter) gives QuarterWeights.
template <int D, int tiles, class Weights>
FORETRACE_DEVICE void mixValues(const ChunkMemory<D>& memory, const Weights& weightsOf, int tokens, int lane, int firstTile, float (&output)[tiles][4]) {
  FORETRACE_UNROLL
  for (int tile = 0; tile < tiles; ++tile) {
    FORETRACE_UNROLL
    for (int element = 0; element < 4; ++element) output[tile][element] = 0;
  }
  const int tileBytes = 8 * memory.dimensionBytes();
  FORETRACE_UNROLL
  for (int quarter = 0; quarter < quarters; ++quarter) {
    if (quarter * 32 >= tokens) break;
    const QuarterWeights weights = weightsOf(quarter);
    const char* values = memory.valueOctet(quarter * 4 + lane % 4, firstTile * 8 + lane / 4);
    FORETRACE_UNROLL
    for (int tile = 0; tile < tiles; ++tile) {
      const Words4 value = *reinterpret_cast<const Words4*>(values + tile * tileBytes);
      mma(output[tile], weights.step[0].x, weights.step[0].y, weights.step[0].z, weights.step[0].w, value.x, value.y);
      mma(output[tile], weights.step[1].x, weights.step[1].y, weights.step[1].z, weights.step[1].w, value.z, value.w);
    }
  }
}

}  // namespace foretrace::cuda
