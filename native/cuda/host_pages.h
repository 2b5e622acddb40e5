// Page-locked host memory for pages that leave the pool. For translation units that nvcc compiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/buffer.h"

namespace foretrace::cuda {

/// As many whole pages as a number of bytes holds. A page lies there as [layers, elements of a page in a layer]. Copies are
/// queued on the stream, so they are ordered with the kernels that write and read the pool.
class HostPages {
 public:
  HostPages(std::int64_t bytes, std::int32_t layers, std::int64_t layerElements)
      : layers_(layers),
        layerElements_(layerElements),
        count_(static_cast<std::int32_t>(std::clamp<std::int64_t>(bytes / (pageElements() * elementBytes), 0, mostPages))),
        memory_(count_ * pageElements(), "host memory for pages (a smaller host cache may fit)") {}

  [[nodiscard]] std::int32_t count() const noexcept { return count_; }

  /// `page` is the page's place in the first layer, `stride` the elements from one layer to the next.
  void copyOut(const std::uint16_t* page, std::int64_t stride, std::int32_t hostPage, cudaStream_t stream) const {
    copy(at(hostPage), layerElements_, page, stride, cudaMemcpyDeviceToHost, stream);
  }
  void copyIn(std::int32_t hostPage, std::uint16_t* page, std::int64_t stride, cudaStream_t stream) const {
    copy(page, stride, at(hostPage), layerElements_, cudaMemcpyHostToDevice, stream);
  }

 private:
  static constexpr std::int64_t elementBytes = sizeof(std::uint16_t);
  static constexpr std::int64_t mostPages = 1 << 22;
  static constexpr std::int64_t widestStride = 0x7FFFFFFF;  ///< bytes between rows that a copy of rows can have

  [[nodiscard]] std::int64_t pageElements() const noexcept { return layers_ * layerElements_; }
  [[nodiscard]] std::uint16_t* at(std::int32_t hostPage) const noexcept { return memory_.data() + hostPage * pageElements(); }

  void copy(std::uint16_t* to, std::int64_t toStride, const std::uint16_t* from, std::int64_t fromStride, cudaMemcpyKind kind,
            cudaStream_t stream) const {
    const auto bytes = [](std::int64_t elements) { return static_cast<std::size_t>(elements * elementBytes); };
    constexpr const char* what = "copy of a page to or from host memory";
    if (std::max(toStride, fromStride) * elementBytes > widestStride) {
      for (std::int32_t layer = 0; layer < layers_; ++layer) {
        check(cudaMemcpyAsync(to + layer * toStride, from + layer * fromStride, bytes(layerElements_), kind, stream), what);
      }
      return;
    }
    check(cudaMemcpy2DAsync(to, bytes(toStride), from, bytes(fromStride), bytes(layerElements_), static_cast<std::size_t>(layers_),
                            kind, stream), what);
  }

  std::int32_t layers_;
  std::int64_t layerElements_;
  std::int32_t count_;
  PinnedBuffer<std::uint16_t> memory_;
};

}  // namespace foretrace::cuda
