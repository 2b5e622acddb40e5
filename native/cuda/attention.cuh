// Paged attention of any mixture of decode, extend and prefill rows, driven by a work list in device memory.
//
// A warp attends 16 slots (row and head; the heads that share a KV head sit side by side) to one chunk of 128 tokens.
// What it computes for a slot is a function of that slot's query and the chunk's keys and values alone, and chunks are
// merged in the order of their positions: which slots share a block, and so whether the pages of a common prefix are
// read once or by each sequence, changes no bit. Where a block has no more than 16 slots its four warps share them: each
// computes the scores of a quarter of the tokens and, from the scores of all, a quarter of the dimensions. Every score, every
// softmax and every output element is the same chain of operations as that of a single warp.
//
// Queries are operand A; keys and values are operand B and lie in shared memory so that a lane's registers for two steps
// are one 16-byte read. The scores that a lane holds after the first product are the operand A of the second as they are:
// token t of a block of 32 belongs to column 2 (t / 8) + t % 2 of score tile t % 8 / 2 (fragment.h: depthOf).
#pragma once

#include "cuda/attention_state.cuh"
#include "cuda/fragment.h"
#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

inline constexpr int attentionThreads = 128;
inline constexpr int tokenBlocks = chunkTokens / 32;
inline constexpr int scoreTiles = chunkTokens / 8;

/// Warps that share the slots of a block if they are few.
inline constexpr int sharingWarps = attentionThreads / 32;
/// The scores of 16 slots: [tile][lane][element] fp32.
inline constexpr int scoreBytes = scoreTiles * 32 * 16;

/// Shared memory for the keys and values of a chunk and the scores that warps exchange.
[[nodiscard]] FORETRACE_HD constexpr int attentionSharedBytes(int paddedHeadDim) { return 2 * chunkTokens * paddedHeadDim * 2 + scoreBytes; }

/// Token of a chunk that column `column` of score tile `tile` stands for.
[[nodiscard]] FORETRACE_HD constexpr int tokenOfScore(int tile, int column) {
  return tile / 4 * 32 + column / 2 * 8 + tile % 4 * 2 + column % 2;
}

/// Place of the 16-byte piece `piece` of a token's key, in pieces. Neighbouring tokens are read together; where a key is
/// a multiple of 128 bytes they would meet in the same banks, so odd tokens swap the halves of 128 bytes.
[[nodiscard]] FORETRACE_HD constexpr int keyPiece(int token, int piece, int paddedHeadDim) {
  return token * (paddedHeadDim / 8) + (paddedHeadDim >= 64 ? piece ^ (token % 2 * 4) : piece);
}

/// Place of the piece with tokens 8 i .. 8 i + 7 of dimension d: [32-token block][d][piece 4].
[[nodiscard]] FORETRACE_HD constexpr int valuePiece(int i, int dimension, int paddedHeadDim) {
  return (i / 4 * paddedHeadDim + dimension) * 4 + i % 4;
}

/// What one warp gathered for its 16 slots: [dimension tile][element], two rows of states (slots lane / 4 and lane / 4 + 8).
/// With `share` warps for the same slots, warp i has the tiles from i * tiles on.
template <int D, int share>
struct SlotSums {
  static constexpr int tiles = D / 8 / share;
  /// Tiles that are mixed at a time: those of a whole chunk beside those of the chunks before would not fit into registers.
  static constexpr int tilesAtOnce = tiles < 4 ? tiles : 4;
  float output[tiles][4];
  SoftmaxState state[2];
};

/// A lane's two slots.
struct LaneSlots {
  int row[2];  ///< -1: no slot
  int head[2];
  int position[2];
  int first[2];  ///< the first position the slot sees
};

/// Starts copying the keys and values of `count` (1 .. 128) tokens; the rest of the chunk becomes zero, so that what a
/// page held before cannot spread through 0 * NaN.
template <int D>
FORETRACE_DEVICE void loadChunk(const AttentionParameters& p, const std::int32_t* pages, int kvHead, int count) {
  constexpr int pieces = D / 8;  // of a key
  char* keys = sharedMemory();
  char* values = keys + chunkTokens * D * 2;
  const int pageTokens = 1 << p.pageShift;
  const std::int64_t block = pageBlock(pageTokens, D);
  const std::int64_t head = 2 * block * kvHead;
  const std::int64_t pageStride = 2 * block * p.kvHeads;
  // A thread copies one piece of every tokensAtOnce-th token; their number is even, so that the place of the piece is the same in all.
  constexpr int tokensAtOnce = attentionThreads / pieces;
  static_assert(tokensAtOnce % 2 == 0);
  const int piece = static_cast<int>(threadIdx.x) % pieces;
  const int firstToken = static_cast<int>(threadIdx.x) / pieces;
  char* to = keys + keyPiece(firstToken, piece, D) * 16;
  FORETRACE_UNROLL_4
  for (int token = firstToken; token < chunkTokens; token += tokensAtOnce, to += tokensAtOnce * D * 2) {
    const bool exists = token < count;
    const std::uint16_t* page = p.keyValue + pages[exists ? token >> p.pageShift : 0] * pageStride + head;
    copyAsync16(to, page + (token & (pageTokens - 1)) * D + piece * 8, exists ? 16 : 0);
  }
  commitCopies();  // keys are a group of their own: scores begin while values are on their way
  const int rowShift = p.pageShift - 3;  // a row of values in a page is 1 << rowShift pieces
  FORETRACE_UNROLL_4
  for (int index = static_cast<int>(threadIdx.x); index < chunkTokens * pieces; index += attentionThreads) {
    const int row = index >> rowShift;
    const int dimension = row % D;
    const int token = row / D * pageTokens + (index & ((1 << rowShift) - 1)) * 8;
    const int left = count - token;
    const std::uint16_t* page = p.keyValue + pages[left > 0 ? row / D : 0] * pageStride + head + block;
    copyAsync16(values + valuePiece(token / 8, dimension, D) * 16, page + dimension * pageTokens + (token & (pageTokens - 1)),
                left >= 8 ? 16 : left > 0 ? 2 * left : 0);
  }
  commitCopies();
}

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
/// readQuery gives. Keys are found as keyPiece says, at distances from two pointers that the compiler knows: as many pointers
/// as reads would not fit into registers.
template <int D, int tiles, class Query>
FORETRACE_DEVICE void scoreChunk(const Query& queryPart, int lane, int firstTile, float (&score)[tiles][4]) {
  const int token = tokenOfScore(firstTile, lane / 4);
  const auto* keys = reinterpret_cast<const Words4*>(sharedMemory()) + token * (D / 8) + lane % 4;
  const int swapped = D >= 64 ? token % 2 * 4 : 0;
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

/// The scores of all tiles from those that `sharingWarps` warps computed, a quarter each, through shared memory.
template <int D>
FORETRACE_DEVICE void exchangeScores(const float (&own)[scoreTiles / sharingWarps][4], int warp, int lane, float (&score)[scoreTiles][4]) {
  auto* shared = reinterpret_cast<Words4*>(sharedMemory() + 2 * chunkTokens * D * 2) + lane;
  FORETRACE_UNROLL
  for (int tile = 0; tile < scoreTiles / sharingWarps; ++tile) {
    shared[(warp * (scoreTiles / sharingWarps) + tile) * 32] = {bitsOf(own[tile][0]), bitsOf(own[tile][1]), bitsOf(own[tile][2]), bitsOf(own[tile][3])};
  }
  waitCopies<0>();
  syncThreads();  // scores and values are there for all
  FORETRACE_UNROLL
  for (int tile = 0; tile < scoreTiles; ++tile) {
    const Words4 words = shared[tile * 32];
    score[tile][0] = floatOf(words.x);
    score[tile][1] = floatOf(words.y);
    score[tile][2] = floatOf(words.z);
    score[tile][3] = floatOf(words.w);
  }
}

/// Scores become weights 2^(score - maximum), zero for tokens the slot does not see: those after `lastToken` (its own
/// position) and before `firstToken` (the begin of its window). The four lanes of a slot share maximum and sum.
FORETRACE_DEVICE SoftmaxState weighScores(float (&score)[scoreTiles][4], int i, int lane, int firstToken, int lastToken, float scale) {
  const int lanes = tokenOfScore(0, lane % 4 * 2);  // what the lane adds to the token of its column
  const int last = lastToken - lanes;
  const int first = firstToken - lanes;
  float largest = -infinity();
  FORETRACE_UNROLL
  for (int tile = 0; tile < scoreTiles; ++tile) {
    FORETRACE_UNROLL
    for (int e = 0; e < 2; ++e) {
      float& value = score[tile][2 * i + e];
      const int token = tokenOfScore(tile, e);
      value = token <= last && token >= first ? multiply(value, scale) : -infinity();
      largest = maximum(largest, value);
    }
  }
  largest = maximum(largest, shuffleXor(largest, 1));
  largest = maximum(largest, shuffleXor(largest, 2));
  float sum = 0;
  FORETRACE_UNROLL
  for (int tile = 0; tile < scoreTiles; ++tile) {
    FORETRACE_UNROLL
    for (int e = 0; e < 2; ++e) {
      float& value = score[tile][2 * i + e];
      value = largest == -infinity() ? 0.0F : exponential2(add(value, -largest));
      sum = add(sum, value);
    }
  }
  sum = add(sum, shuffleXor(sum, 1));
  sum = add(sum, shuffleXor(sum, 2));
  return {largest, sum};
}

/// The weights of 16 slots as operand A of the second product, [16-token step][register]: half the registers of the scores. And
/// the states of a lane's two slots.
struct PackedWeights {
  std::uint32_t a[scoreTiles / 2][4];
  SoftmaxState state[2];
};

FORETRACE_DEVICE void packWeights(const float (&weight)[scoreTiles][4], PackedWeights& packed) {
  FORETRACE_UNROLL
  for (int step = 0; step < scoreTiles / 2; ++step) {
    const float(&low)[4] = weight[step * 2];
    const float(&high)[4] = weight[step * 2 + 1];
    packed.a[step][0] = packBf16(low[0], low[1]);
    packed.a[step][1] = packBf16(low[2], low[3]);
    packed.a[step][2] = packBf16(high[0], high[1]);
    packed.a[step][3] = packBf16(high[2], high[3]);
  }
}

/// output[i] = weights * values for the dimensions of tile firstTile + i, ascending over the chunk's blocks of 32 tokens.
template <int D, int tiles>
FORETRACE_DEVICE void mixValues(const PackedWeights& weights, int lane, int firstTile, float (&output)[tiles][4]) {
  const auto* values = reinterpret_cast<const Words4*>(sharedMemory() + chunkTokens * D * 2) + valuePiece(lane % 4, firstTile * 8 + lane / 4, D);
  FORETRACE_UNROLL
  for (int tile = 0; tile < tiles; ++tile) {
    FORETRACE_UNROLL
    for (int element = 0; element < 4; ++element) output[tile][element] = 0;
  }
  FORETRACE_UNROLL
  for (int block = 0; block < tokenBlocks; ++block) {
    const std::uint32_t(&first)[4] = weights.a[block * 2];
    const std::uint32_t(&second)[4] = weights.a[block * 2 + 1];
    FORETRACE_UNROLL
    for (int tile = 0; tile < tiles; ++tile) {
      const Words4 value = values[valuePiece(block * 4, tile * 8, D)];
      mma(output[tile], first[0], first[1], first[2], first[3], value.x, value.y);
      mma(output[tile], second[0], second[1], second[2], second[3], value.z, value.w);
    }
  }
}

}  // namespace foretrace::cuda
