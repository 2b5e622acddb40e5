// The operations of compute capability 9.0 (cuda/warpgroup.cuh) on the emulator, by the definitions of the PTX ISA: barriers
// that count bytes, copies of blocks, and products whose operands are found through matrix descriptors. What is asynchronous
// happens as late as the waits allow, or at once (Arrival): a stage that is overwritten too early or read too early gives a
// wrong product in one of the two.
#pragma once

#include "cuda_emulator.h"

#define FORETRACE_WARPGROUPS 1

namespace foretrace::cuda {
namespace emulator {

inline Barrier& barrierAt(const std::uint64_t* address) {
  const std::uint32_t at = sharedAddress(address);
  const auto found = activeBlock()->barriers.find(at);
  if (at % 8 != 0 || found == activeBlock()->barriers.end()) fail("a barrier that was not initialised");
  return found->second;
}

/// Ends the phase if nothing is awaited any more.
inline void settlePhase(Barrier& barrier) {
  if (barrier.awaited != 0 || barrier.bytes != 0) return;
  barrier.awaited = barrier.arrivals;
  ++barrier.phase;
  ++activeBlock()->progress;
}

inline void complete(Barrier& barrier, const BlockCopy& copy) {
  std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.bytes));
  barrier.bytes -= copy.bytes;
}

/// A matrix in shared memory as its descriptor tells, without a swizzle: core matrices of 8 rows x 16 contiguous bytes; the
/// next along the depth is one leading offset away, the next along the rows one stride offset.
class DescribedMatrix {
 public:
  explicit DescribedMatrix(std::uint64_t descriptor) : start_(field(descriptor, 0)), leading_(field(descriptor, 16)), stride_(field(descriptor, 32)) {
    if (descriptor >> 62 != 0 || (descriptor >> 49 & 7) != 0) fail("a descriptor with a swizzle, which is not emulated");
    if ((descriptor & (std::uint64_t{3} << 14 | std::uint64_t{3} << 30 | std::uint64_t{7} << 46)) != 0) fail("a descriptor with reserved bits");
  }

  /// Byte `byte` (0 .. 31) of the depth of a row.
  [[nodiscard]] const char* at(int row, int byte) const {
    const std::uint32_t offset = start_ + static_cast<std::uint32_t>(byte / 16) * leading_ + static_cast<std::uint32_t>(row / 8) * stride_ +
                                 static_cast<std::uint32_t>(row % 8 * 16 + byte % 16);
    if (offset >= activeBlock()->sharedBytes) fail("a matrix reaches beyond shared memory");
    return activeBlock()->shared + offset;
  }

  /// The 32 bytes of depth of a row as numbers.
  template <WeightFormat format>
  void read(int row, double (&to)[stepBytes / elementBytes(format)]) const {
    for (int byte = 0; byte < stepBytes; byte += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, at(row, byte), 4);
      for (int e = 0; e < 4 / elementBytes(format); ++e) to[byte / elementBytes(format) + e] = elementOf(format, word, e);
    }
  }

 private:
  static std::uint32_t field(std::uint64_t descriptor, int shift) { return static_cast<std::uint32_t>(descriptor >> shift & 0x3FFF) << 4; }

  std::uint32_t start_;
  std::uint32_t leading_;
  std::uint32_t stride_;
};

/// One thread's share of wgmma.mma_async: the accumulators it holds, each summed in double and rounded once.
template <class Format, int rows>
void multiplyDescribed(typename Format::Sum (&sum)[rows / 2], std::uint64_t a, std::uint64_t b, bool accumulate, int thread) {
  constexpr int depth = stepBytes / elementBytes(Format::format);
  const DescribedMatrix weights(a);
  const DescribedMatrix inputs(b);
  double out[2][depth];
  for (int i = 0; i < 2; ++i) weights.read<Format::format>(warpgroupAccumulator(thread, 2 * i).row, out[i]);
  for (int i = 0; i < rows / 2; ++i) {
    double row[depth];
    inputs.read<Format::format>(warpgroupAccumulator(thread, i).column, row);
    double total = accumulate ? static_cast<double>(sum[i]) : 0.0;
    double product = 0;
    for (int k = 0; k < depth; ++k) product += out[i % 4 / 2][k] * row[k];
    total += product;
    sum[i] = static_cast<typename Format::Sum>(total);
  }
}

}  // namespace emulator

inline void initBarrier(std::uint64_t* barrier, int arrivals) {
  emulator::activeBlock()->barriers[sharedAddress(barrier)] = {arrivals, arrivals, 0, 0, {}};
}
inline void publishBarriers() {}

inline void arrive(std::uint64_t* barrier) {
  emulator::Barrier& state = emulator::barrierAt(barrier);
  if (state.awaited == 0) emulator::fail("more arrivals at a barrier than it awaits");
  --state.awaited;
  emulator::settlePhase(state);
}

inline void arriveExpecting(std::uint64_t* barrier, int bytes) {
  emulator::barrierAt(barrier).bytes += bytes;
  arrive(barrier);
}

inline void waitBarrier(std::uint64_t* barrier, int parity) {
  emulator::Block& block = *emulator::activeBlock();
  for (;;) {
    emulator::Barrier& state = emulator::barrierAt(barrier);
    // The phase of this parity has ended once the current one has the other.
    if (static_cast<int>(state.phase % 2) != parity) return;
    if (state.awaited == 0 && !state.copies.empty()) {  // somebody waits for nothing but bytes: they come now
      for (const emulator::BlockCopy& copy : state.copies) emulator::complete(state, copy);
      state.copies.clear();
      ++block.progress;
      emulator::settlePhase(state);
      continue;
    }
    block.yield();
  }
}

inline void copyBlock(void* shared, const void* global, int bytes, std::uint64_t* barrier) {
  if (bytes <= 0 || bytes % 16 != 0 || sharedAddress(shared) % 16 != 0 || reinterpret_cast<std::uintptr_t>(global) % 16 != 0) {
    emulator::fail("a copy of a block is not aligned to 16 bytes");
  }
  (void)sharedAddress(static_cast<char*>(shared) + bytes - 1);
  emulator::Barrier& state = emulator::barrierAt(barrier);
  const emulator::BlockCopy copy{static_cast<char*>(shared), static_cast<const char*>(global), bytes};
  if (emulator::arrival() == emulator::Arrival::late) {
    state.copies.push_back(copy);
    return;
  }
  emulator::complete(state, copy);
  emulator::settlePhase(state);
}

inline void beginProducts() { emulator::activeBlock()->thread().productsBegun = true; }

inline void commitProducts() {
  emulator::Thread& thread = emulator::activeBlock()->thread();
  thread.productGroups.push_back(std::move(thread.openProducts));
  thread.openProducts.clear();
}

template <int pending>
inline void waitProducts() {
  emulator::Thread& thread = emulator::activeBlock()->thread();
  while (thread.productGroups.size() > static_cast<std::size_t>(pending)) {
    for (const auto& product : thread.productGroups.front()) product();
    thread.productGroups.erase(thread.productGroups.begin());
  }
  thread.productsBegun = false;
}

template <class Format, int rows>
inline void startProduct(typename Format::Sum (&sum)[rows / 2], std::uint64_t a, std::uint64_t b, bool accumulate) {
  emulator::Thread& thread = emulator::activeBlock()->thread();
  if (!thread.productsBegun) emulator::fail("a product of a warpgroup without the fence before it");
  const int index = static_cast<int>(threadIdx.x % 128);
  auto* target = &sum;
  const auto product = [target, a, b, accumulate, index] { emulator::multiplyDescribed<Format, rows>(*target, a, b, accumulate, index); };
  if (emulator::arrival() == emulator::Arrival::early) {
    product();
  } else {
    thread.openProducts.push_back(product);
  }
}

template <int count>
inline void settle(float (&)[count]) {}
template <int count>
inline void settle(std::int32_t (&)[count]) {}

}  // namespace foretrace::cuda
