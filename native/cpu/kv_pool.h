// The fp32 KV pool of the CPU device: address arithmetic in one place.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "core/config.h"
#include "core/error.h"
#include "cpu/aligned_buffer.h"
#include "cpu/kernels.h"

namespace foretrace::cpu {

/// [pages, layers, kvHeads, {K, V}, pageTokens * headDim]. Keys of a page are [headDim, pageTokens], so that one vector
/// holds one dimension of many tokens and scores need no sums across lanes; values are [pageTokens, headDim].
class KvPool {
 public:
  KvPool() = default;
  KvPool(const ModelConfig& config, const PoolConfig& pool)
      : layers_(config.layers),
        kvHeads_(config.kvHeads),
        headDim_(config.headDim),
        pageTokens_(pool.pageTokens),
        block_(std::int64_t{pool.pageTokens} * config.headDim),
        pageStride_(std::int64_t{2} * config.layers * config.kvHeads * block_),
        data_(checkedSize(pool.pages, pageStride_), "KV pool") {}

  [[nodiscard]] std::int64_t pageStride() const noexcept { return pageStride_; }
  /// Keys of one layer and head in page 0; page p lies p * pageStride() further.
  [[nodiscard]] float* keys(std::int64_t layer, std::int64_t head) const noexcept {
    return data_.data() + (layer * kvHeads_ + head) * 2 * block_;
  }
  [[nodiscard]] float* values(std::int64_t layer, std::int64_t head) const noexcept { return keys(layer, head) + block_; }

  void writeKey(std::int64_t layer, std::int64_t head, std::int64_t page, std::int64_t slot, const float* key) noexcept {
    float* to = keys(layer, head) + page * pageStride_ + slot;
    for (std::int64_t d = 0; d < headDim_; ++d) to[d * pageTokens_] = key[d];
  }
  void writeValue(std::int64_t layer, std::int64_t head, std::int64_t page, std::int64_t slot, const float* value) noexcept {
    float* to = values(layer, head) + page * pageStride_ + slot * headDim_;
    for (std::int64_t d = 0; d < headDim_; ++d) to[d] = value[d];
  }

  /// The first `tokens` slots of all layers and heads.
  void copyPage(std::int64_t from, std::int64_t to, std::int64_t tokens) noexcept {
    for (std::int64_t layer = 0; layer < layers_; ++layer) {
      for (std::int64_t head = 0; head < kvHeads_; ++head) {
        const float* source = keys(layer, head) + from * pageStride_;
        float* target = keys(layer, head) + to * pageStride_;
        for (std::int64_t d = 0; d < headDim_; ++d) {
          for (std::int64_t t = 0; t < tokens; ++t) target[d * pageTokens_ + t] = source[d * pageTokens_ + t];
        }
        for (std::int64_t i = 0; i < tokens * headDim_; ++i) target[block_ + i] = source[block_ + i];
      }
    }
  }

 private:
  static std::int64_t checkedSize(std::int64_t pages, std::int64_t pageStride) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
    if (pages < 1 || pages > most / pageStride) {
      throw Error(ErrorCode::invalid_argument, "pages", "1 to " + std::to_string(most / pageStride), std::to_string(pages));
    }
    return pages * pageStride + poolSlack;
  }

  std::int64_t layers_ = 0;
  std::int64_t kvHeads_ = 0;
  std::int64_t headDim_ = 0;
  std::int64_t pageTokens_ = 0;
  std::int64_t block_ = 0;  ///< floats of the keys (or values) of one page, layer and head
  std::int64_t pageStride_ = 0;
  AlignedBuffer<float> data_;
};

}  // namespace foretrace::cpu
