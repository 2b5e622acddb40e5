// What comes between the projection of queries, keys and values and attention: biases, norms of heads, rotary positions (Su et al.,
// arXiv 2104.09864) and the append of keys and values to their pages.
#pragma once

#include "cuda/block_sums.cuh"
#include "cuda/partial_sums.cuh"

namespace foretrace::cuda {

inline constexpr int ropeThreads = 128;
/// Threads that share a head which is normalised: one for each pair of the widest.
inline constexpr int headNormThreads = 64;
inline constexpr int headNormSharedBytes = headNormThreads / 32 * 4;

/// Elements i and i + headDim / 2 of a head, which are rotated together.
struct HeadPair {
  float first;
  float second;
};

/// Writes elements i and j of a key ([pageTokens, padded]) or value ([padded, pageTokens]) of KV head `head`.
FORETRACE_DEVICE void writeKeyValue(const RopeParameters& p, int slot, int head, bool isKey, int i, int j, float first,
                                    float second) {
  const std::int64_t block = pageBlock(p.pageTokens, p.paddedHeadDim);
  const int page = slot / p.pageTokens;
  const int place = slot % p.pageTokens;
  std::uint16_t* to = p.keyValue + (static_cast<std::int64_t>(page) * p.kvHeads + head) * 2 * block + (isKey ? 0 : block);
  to[isKey ? place * p.paddedHeadDim + keyElement(place, i, p.paddedHeadDim) : i * p.pageTokens + place] = toBf16(first);
  to[isKey ? place * p.paddedHeadDim + keyElement(place, j, p.paddedHeadDim) : j * p.pageTokens + place] = toBf16(second);
}

/// The pair as it was projected, with its biases.
FORETRACE_DEVICE HeadPair readPair(const RopeParameters& p, int row, int head, int i) {
  const int column = head * p.headDim + i;
  const int half = p.headDim / 2;
  HeadPair pair{};
  withReader(p.product, [&](const auto& reader) { pair = {reader(row, column), reader(row, column + half)}; });
  return p.bias == nullptr ? pair : HeadPair{add(pair.first, p.bias[column]), add(pair.second, p.bias[column + half])};
}

/// Rotates the pair and writes it where it belongs.
FORETRACE_DEVICE void placePair(const RopeParameters& p, int row, int head, int i, HeadPair pair) {
  auto [first, second] = pair;
  const int half = p.headDim / 2;
  const int slot = p.slots[row];
  if (head < p.heads + p.kvHeads) {
    const int position = p.positions[row];
    const std::int64_t angle = static_cast<std::int64_t>(position) * half + i;
    const float cosine = p.cosine[angle];
    const float sine = p.sine[angle];
    const float rotated = multiplyAdd(first, cosine, -multiply(second, sine));
    second = multiplyAdd(second, cosine, multiply(first, sine));
    first = rotated;
  }
  if (head < p.heads) {
    std::uint16_t* query = p.query + (static_cast<std::int64_t>(row) * p.heads + head) * p.paddedHeadDim;
    query[i] = toBf16(first);
    query[i + half] = toBf16(second);
  } else if (slot >= 0) {
    const int kvIndex = head - p.heads;
    const bool isKey = kvIndex < p.kvHeads;
    writeKeyValue(p, slot, isKey ? kvIndex : kvIndex - p.kvHeads, isKey, i, i + half, first, second);
  }
}

/// Grid: (rows, ceil((heads + 2 kvHeads) * headDim / 2 / ropeThreads)); a thread has one pair of a head, of a model without norms of
/// heads.
__global__ void __launch_bounds__(ropeThreads) ropeKernel(const RopeParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const int half = p.headDim / 2;
  const int index = static_cast<int>(blockIdx.y) * ropeThreads + static_cast<int>(threadIdx.x);
  const int head = index / half;
  if (head >= p.heads + 2 * p.kvHeads) return;
  placePair(p, row, head, index % half, readPair(p, row, head, index % half));
}

/// Grid: (rows, heads + 2 kvHeads); the same with norms of heads, for heads of at most 2 * headNormThreads elements.
__global__ void __launch_bounds__(headNormThreads) headNormRopeKernel(const RopeParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const int head = static_cast<int>(blockIdx.y);
  const int i = static_cast<int>(threadIdx.x);
  const int half = p.headDim / 2;
  HeadPair pair{};
  if (i < half) pair = readPair(p, row, head, i);
  if (head < p.heads + p.kvHeads) {
    const float squares = multiplyAdd(pair.second, pair.second, multiply(pair.first, pair.first));
    const float meanSquare = divide(blockSum<headNormThreads>(squares), static_cast<float>(p.headDim));
    const float inverse = reciprocalRoot(add(meanSquare, p.epsilon));
    const float* weight = head < p.heads ? p.queryNorm : p.keyNorm;
    if (i < half) pair = {multiply(multiply(pair.first, inverse), weight[i]), multiply(multiply(pair.second, inverse), weight[i + half])};
  }
  if (i < half) placePair(p, row, head, i, pair);
}

}  // namespace foretrace::cuda
