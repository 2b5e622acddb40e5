// The KV pool of the CPU device: address arithmetic in one place.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "core/config.h"
#include "core/error.h"
#include "core/aligned_buffer.h"
#include "cpu/kernels.h"

namespace foretrace::cpu {

/// [layers, kvHeads, {K, V}, pages, pageTokens * headDim] of fp32 or bf16: the pages of one head lie side by side, so that
/// they do not compete for the same sets of a cache, as they would at a large power of two from each other, and values of
/// neighbouring pages are one matrix. Keys of a page are [headDim, pageTokens], so
/// that one vector holds one dimension of many tokens and scores need no sums across lanes; values are [pageTokens,
/// headDim]. In bf16 two neighbours of the summed dimension lie side by side: keys [headDim / 2, pageTokens, 2], values
/// [pageTokens / 2, headDim, 2].
class KvPool {
 public:
  KvPool() = default;
  KvPool(const ModelConfig& config, const PoolConfig& pool, bool halves)
      : halves_(halves),
        elementBytes_(halves ? 2 : 4),
        layers_(config.layers),
        kvHeads_(config.kvHeads),
        headDim_(config.headDim),
        pageTokens_(pool.pageTokens),
        pageStride_(elementBytes_ * pool.pageTokens * config.headDim),
        sideStride_(pool.pages * pageStride_),
        data_(checkedSize(pool.pages, 2 * layers_ * kvHeads_ * pageStride_), "KV pool", Backing::resident) {}

  [[nodiscard]] bool halves() const noexcept { return halves_; }
  [[nodiscard]] std::int64_t bytesPerToken() const noexcept { return 2 * layers_ * kvHeads_ * pageStride_ / pageTokens_; }
  [[nodiscard]] std::int64_t pageStride() const noexcept { return pageStride_; }  ///< bytes
  /// Keys of one layer and head in page 0; page p lies p * pageStride() bytes further.
  [[nodiscard]] std::uint8_t* keys(std::int64_t layer, std::int64_t head) const noexcept {
    return data_.data() + 2 * (layer * kvHeads_ + head) * sideStride_;
  }
  [[nodiscard]] std::uint8_t* values(std::int64_t layer, std::int64_t head) const noexcept { return keys(layer, head) + sideStride_; }

  /// `key` is headDim elements of the pool's format.
  void writeKey(std::int64_t layer, std::int64_t head, std::int64_t page, std::int64_t slot, const void* key) noexcept {
    std::uint8_t* to = keys(layer, head) + page * pageStride_ + slot * 4;
    const auto* from = static_cast<const std::uint8_t*>(key);
    const std::int64_t words = headDim_ * elementBytes_ / 4;
    for (std::int64_t i = 0; i < words; ++i) std::memcpy(to + i * pageTokens_ * 4, from + i * 4, 4);
  }
  /// `value` is headDim elements of the pool's format.
  void writeValue(std::int64_t layer, std::int64_t head, std::int64_t page, std::int64_t slot, const void* value) noexcept {
    std::uint8_t* to = values(layer, head) + page * pageStride_;
    const auto* from = static_cast<const std::uint8_t*>(value);
    if (halves_) {
      to += slot / 2 * headDim_ * 4 + slot % 2 * 2;
      for (std::int64_t d = 0; d < headDim_; ++d) std::memcpy(to + d * 4, from + d * 2, 2);
    } else {
      std::memcpy(to + slot * headDim_ * 4, from, static_cast<std::size_t>(headDim_) * 4);
    }
  }

  /// The first `tokens` slots of all layers and heads.
  void copyPage(std::int64_t from, std::int64_t to, std::int64_t tokens) noexcept {
    const std::int64_t rows = halves_ ? headDim_ / 2 : headDim_;  // rows of keys, with four bytes a token
    // A pair of values is copied whole: what lies beside the last token of an odd number is not read as a number.
    const std::int64_t valueBytes = (halves_ ? (tokens + 1) / 2 : tokens) * headDim_ * 4;
    for (std::int64_t layer = 0; layer < layers_; ++layer) {
      for (std::int64_t head = 0; head < kvHeads_; ++head) {
        const std::uint8_t* source = keys(layer, head) + from * pageStride_;
        std::uint8_t* target = keys(layer, head) + to * pageStride_;
        for (std::int64_t row = 0; row < rows; ++row) {
          std::memcpy(target + row * pageTokens_ * 4, source + row * pageTokens_ * 4, static_cast<std::size_t>(tokens) * 4);
        }
        std::memcpy(target + sideStride_, source + sideStride_, static_cast<std::size_t>(valueBytes));
      }
    }
  }

 private:
  static std::int64_t checkedSize(std::int64_t pages, std::int64_t pageBytes) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    if (pages < 1 || pages > most / pageBytes) {
      throw Error(ErrorCode::invalid_argument, "pages", "1 to " + std::to_string(most / pageBytes), std::to_string(pages));
    }
    return pages * pageBytes + poolSlack;
  }

  bool halves_ = false;
  std::int64_t elementBytes_ = 0;
  std::int64_t layers_ = 0;
  std::int64_t kvHeads_ = 0;
  std::int64_t headDim_ = 0;
  std::int64_t pageTokens_ = 0;
  std::int64_t pageStride_ = 0;  ///< bytes of the keys (or values) of one page, layer and head
  std::int64_t sideStride_ = 0;  ///< bytes of the keys (or values) of one layer and head
  AlignedBuffer<std::uint8_t> data_;
};

}  // namespace foretrace::cpu
