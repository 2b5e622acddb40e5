// Zeroed memory on 64-byte boundaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "core/error.h"

namespace foretrace::cpu {

/// How the system may back a large array.
enum class Backing {
  huge,      ///< pages of 2 MiB where it can: for what is touched once and then read in long streams
  resident,  ///< the same, all of them at once: for what fills bit by bit in many places, where finding a page each time is a pause
};

/// A zeroed array whose first element lies on a 64-byte boundary. Large ones take memory as it is touched.
template <typename Element>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;

  /// Throws `invalid_argument` naming `what` if the memory cannot be had.
  AlignedBuffer(std::int64_t size, const char* what, Backing backing = Backing::huge) : size_(size) {
    constexpr std::size_t alignment = 64;
    const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(Element);
    block_.reset(std::calloc(bytes + alignment, 1));
    if (block_ == nullptr) {
      throw Error(ErrorCode::invalid_argument, what, "memory for it", "no " + std::to_string(bytes) + " bytes left");
    }
    const auto address = reinterpret_cast<std::uintptr_t>(block_.get());
    const std::size_t shift = (alignment - address % alignment) % alignment;
    data_ = reinterpret_cast<Element*>(static_cast<std::byte*>(block_.get()) + shift);
    askForHugePages(address, bytes);
    if (backing == Backing::resident) takePages(reinterpret_cast<std::uintptr_t>(data_), static_cast<std::size_t>(size) * sizeof(Element));
  }

  [[nodiscard]] Element* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return size_ * static_cast<std::int64_t>(sizeof(Element)); }

 private:
  /// Large memory is read in long streams: with pages of 2 MiB the processor translates and prefetches across more of it.
  /// A hint, which a system may ignore.
  static void askForHugePages([[maybe_unused]] std::uintptr_t address, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
    constexpr std::size_t hugePage = std::size_t{2} << 20;
    if (bytes < 4 * hugePage) return;
    const std::uintptr_t first = (address + hugePage - 1) / hugePage * hugePage;
    const std::uintptr_t end = (address + bytes) / hugePage * hugePage;
    (void)::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
  }

  /// Has the system find and clear the memory now. What it cannot do, it does when the memory is touched.
  static void takePages([[maybe_unused]] std::uintptr_t address, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_POPULATE_WRITE)
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = address / page * page;
    (void)::madvise(reinterpret_cast<void*>(first), address + bytes - first, MADV_POPULATE_WRITE);
#endif
  }

  struct Free {
    void operator()(void* pointer) const noexcept { std::free(pointer); }
  };
  std::unique_ptr<void, Free> block_;
  Element* data_ = nullptr;
  std::int64_t size_ = 0;
};

/// The smallest multiple of 16 that is not below `length`.
[[nodiscard]] constexpr std::int64_t padded(std::int64_t length) noexcept { return (length + 15) / 16 * 16; }

}  // namespace foretrace::cpu
