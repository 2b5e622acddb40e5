// Rotary positions (Su et al., arXiv 2104.09864) and the append of keys and values to their pages.
#pragma once

#include "cuda/partial_sums.cuh"

namespace foretrace::cuda {

inline constexpr int ropeThreads = 128;

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

/// Grid: (rows, ceil((heads + 2 kvHeads) * headDim / 2 / ropeThreads)); a thread has elements i and i + headDim / 2 of a
/// head.
__global__ void __launch_bounds__(ropeThreads) ropeKernel(const RopeParameters p) {
  allowNextKernel();
  waitForEarlierKernels();
  const int row = static_cast<int>(blockIdx.x);
  const int half = p.headDim / 2;
  const int index = static_cast<int>(blockIdx.y) * ropeThreads + static_cast<int>(threadIdx.x);
  const int head = index / half;
  if (head >= p.heads + 2 * p.kvHeads) return;
  const int i = index % half;
  const int position = p.positions[row];
  const int slot = p.slots[row];
  float first = 0;
  float second = 0;
  withReader(p.product, [&](const auto& reader) {
    first = reader(row, head * p.headDim + i);
    second = reader(row, head * p.headDim + i + half);
  });
  if (head < p.heads + p.kvHeads) {
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

}  // namespace foretrace::cuda
