// Page-locked words on their way to the device, and the words there. For translation units that nvcc compiles.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cuda/buffer.h"

namespace foretrace::cuda {

/// Host buffers used in turn, so that the next batch is written while the last one is still being copied, and the one
/// buffer on the device they are copied to: the stream keeps a copy from overtaking the kernels that read the last one.
class UploadRing {
 public:
  explicit UploadRing(const char* what) : what_(what) {}

  /// Room for `words` words in the buffer whose turn it is, once its last copy has been made. Tells by `moved` whether the
  /// device buffer has been replaced by a larger one.
  [[nodiscard]] std::span<std::int32_t> acquire(std::size_t words, const Stream& stream, bool& moved) {
    turn_ = (turn_ + 1) % slots_.size();
    Slot& slot = slots_[turn_];
    slot.copied.synchronize();
    const auto needed = static_cast<std::int64_t>(words);
    moved = device_.size() < needed;
    if (moved) {
      stream.synchronize(what_);  // kernels may still read the old one
      device_ = DeviceBuffer<std::int32_t>(std::max(needed, 2 * device_.size()), what_);
    }
    if (slot.host.size() < needed) slot.host = PinnedBuffer<std::int32_t>(device_.size(), what_);
    words_ = words;
    return {slot.host.data(), words};
  }

  /// Queues the copy of what `acquire` gave.
  void submit(const Stream& stream) {
    const Slot& slot = slots_[turn_];
    check(cudaMemcpyAsync(device_.data(), slot.host.data(), words_ * sizeof(std::int32_t), cudaMemcpyHostToDevice, stream.get()), what_);
    slot.copied.record(stream.get());
  }

  [[nodiscard]] const std::int32_t* device() const noexcept { return device_.data(); }

 private:
  struct Slot {
    PinnedBuffer<std::int32_t> host;
    Event copied;
  };

  const char* what_;
  std::array<Slot, 2> slots_;
  DeviceBuffer<std::int32_t> device_;
  std::size_t turn_ = 0;
  std::size_t words_ = 0;
};

}  // namespace foretrace::cuda
