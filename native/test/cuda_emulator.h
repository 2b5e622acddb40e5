// Runs the source of CUDA kernels on the processor, for tests where no GPU is at hand: every thread of a block is a fibre,
// warp operations and barriers meet as on the device, asynchronous copies arrive as late as their waits allow (or at once,
// Arrival), and shared memory starts as NaNs. A copy or access outside a buffer is for the address sanitizer to find; a missing barrier shows as
// a result that depends on the order in which threads run (Order).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <ucontext.h>
#include <vector>

#include "core/convert.h"
#include "cuda/float8.h"
#include "cuda/fragment.h"

#define __global__ inline
#define __launch_bounds__(...)

namespace foretrace::cuda::emulator {

struct Dim3 {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};

/// The order in which the threads of a block run between two barriers.
enum class Order : std::uint8_t { ascending, descending };

/// When asynchronous copies write: at the wait that allows no later, or when they are started. A result must not care.
enum class Arrival : std::uint8_t { late, early };

inline Arrival& arrival() {
  static Arrival current = Arrival::late;
  return current;
}

struct Copy {
  char* to;
  const char* from;
  int bytes;

  void run() const {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    std::memset(to + bytes, 0, static_cast<std::size_t>(16 - bytes));
  }
};

inline constexpr std::size_t stackBytes = 128 * 1024;

/// A copy of a whole block that a barrier counts.
struct BlockCopy {
  char* to;
  const char* from;
  int bytes;
};

/// A barrier in shared memory (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"): a phase ends when
/// nobody is awaited any more and all expected bytes have come.
struct Barrier {
  int arrivals = 0;   ///< of a phase
  int awaited = 0;    ///< arrivals still awaited
  long bytes = 0;     ///< expected and not yet there; less than zero if they came before they were expected
  std::uint64_t phase = 0;
  std::vector<BlockCopy> copies;  ///< under way
};

struct Thread {
  ucontext_t context{};
  std::jmp_buf jump{};
  bool started = false;
  Dim3 index;
  bool done = false;
  std::uint64_t warpSteps = 0;   ///< warp operations this thread has entered
  std::uint64_t blockSteps = 0;  ///< barriers this thread has entered
  std::vector<Copy> open;        ///< copies of the group not yet closed
  std::vector<std::vector<Copy>> groups;
  bool productsBegun = false;                            ///< the fence before products of a warpgroup
  std::vector<std::function<void()>> openProducts;       ///< of the group not yet closed
  std::vector<std::vector<std::function<void()>>> productGroups;
};

/// What the lanes of a warp bring to an operation; two sets, because a lane may enter the next operation while others
/// still read this one.
struct Exchange {
  std::uint32_t words[2][32][6];
  double products[16][8];             ///< (exact also for int8) of the matrix product of step `productStep`
  std::uint64_t productStep = 0;
  std::uint64_t entered = 0;  ///< warp operations its lanes have entered, all together
};

struct Block {
  Dim3 blockIndex;
  std::vector<Thread> threads;
  std::vector<Exchange> warps;
  std::vector<char> sharedStorage;
  char* shared = nullptr;
  std::size_t sharedBytes = 0;
  std::map<std::uint32_t, Barrier> barriers;  ///< by address
  ucontext_t scheduler{};
  std::jmp_buf jump{};
  std::size_t current = 0;
  std::function<void()> body;
  std::uint64_t progress = 0;
  std::uint64_t entered = 0;  ///< barriers the threads have entered, all together

  Thread& thread() { return threads[current]; }

  // swapcontext asks the kernel for the signal mask every time; jumps do not, and are ten times faster. The address
  // sanitizer only follows the former.
#ifdef __SANITIZE_ADDRESS__
  void yield() { swapcontext(&thread().context, &scheduler); }
  void resume() { swapcontext(&scheduler, &thread().context); }
#else
  void yield() {
    if (_setjmp(thread().jump) == 0) _longjmp(jump, 1);
  }
  __attribute__((noinline)) void resume() {
    if (_setjmp(jump) != 0) return;
    if (thread().started) _longjmp(thread().jump, 1);
    thread().started = true;
    setcontext(&thread().context);
  }
#endif
};

inline Block*& activeBlock() {
  static Block* block = nullptr;
  return block;
}

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "emulator: %s\n", what);
  std::abort();
}

/// Waits until all `threads` that share `entered` have entered as many operations of the kind as this one. None of them enters
/// the next before all have entered this one, so a count of entries tells. If one has ended instead, nothing goes on (launch).
inline void meet(std::uint64_t Thread::*steps, std::uint64_t& entered, std::uint64_t threads) {
  Block& block = *activeBlock();
  const std::uint64_t own = ++(block.thread().*steps);
  ++entered;
  ++block.progress;
  while (entered < own * threads) block.yield();
}

/// All lanes of the calling thread's warp deposit words; returns those of all, valid until the warp's next but one operation.
inline const std::uint32_t (&exchange(const std::uint32_t (&words)[6]))[32][6] {
  Block& block = *activeBlock();
  const std::size_t warp = block.current / 32;
  auto& all = block.warps[warp].words[block.thread().warpSteps % 2];
  std::memcpy(all[block.current % 32], words, sizeof words);
  meet(&Thread::warpSteps, block.warps[warp].entered, 32);
  return all;
}

/// Stacks are kept, for a block starts as often as a test has blocks.
inline char* stackOf(std::size_t thread) {
  static std::vector<std::unique_ptr<char[]>> stacks;
  while (stacks.size() <= thread) stacks.push_back(std::make_unique<char[]>(stackBytes));
  return stacks[thread].get();
}

inline void runThread() {
  Block& block = *activeBlock();
  block.body();
  block.thread().done = true;
  ++block.progress;
  block.yield();
}

/// Apart from its loop, because getcontext may return twice as far as the compiler knows.
__attribute__((noinline)) inline void prepareThread(Thread& thread, char* stack) {
  getcontext(&thread.context);
  thread.context.uc_stack.ss_sp = stack;
  thread.context.uc_stack.ss_size = stackBytes;
  thread.context.uc_link = nullptr;
  makecontext(&thread.context, runThread, 0);
}

/// Runs the threads [begin, end) of a warp as far as they get without other warps, so that warps run as far apart as
/// barriers allow. Returns whether any is left.
inline bool runWarp(Block& block, std::size_t begin, std::size_t end, Order order) {
  for (;;) {
    const std::uint64_t before = block.progress;
    bool left = false;
    for (std::size_t i = begin; i < end; ++i) {
      block.current = order == Order::ascending ? i : end - 1 - (i - begin);
      if (!block.thread().done) block.resume();
      left = left || !block.thread().done;
    }
    if (!left || block.progress == before) return left;
  }
}

inline void runBlock(Block& block, Order order) {
  activeBlock() = &block;
  const std::size_t count = block.threads.size();
  for (std::size_t i = 0; i < count; ++i) prepareThread(block.threads[i], stackOf(i));
  const std::size_t warps = (count + 31) / 32;
  for (bool left = true; left;) {
    const std::uint64_t before = block.progress;
    left = false;
    for (std::size_t i = 0; i < warps; ++i) {
      const std::size_t warp = order == Order::ascending ? i : warps - 1 - i;
      left = runWarp(block, warp * 32, std::min(count, warp * 32 + 32), order) || left;
    }
    if (left && block.progress == before) fail("threads wait for each other");
  }
  activeBlock() = nullptr;
}

/// Runs `body` for every thread of every block, one block after the other.
inline void launch(Dim3 grid, unsigned threads, std::size_t sharedBytes, Order order, const std::function<void()>& body) {
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        Block block;
        block.blockIndex = {x, y, z};
        block.threads.resize(threads);
        block.warps.resize((threads + 31) / 32);
        for (unsigned i = 0; i < threads; ++i) block.threads[i].index = {i, 0, 0};
        block.sharedStorage.assign(sharedBytes + 128, static_cast<char>(0xFF));
        const auto address = reinterpret_cast<std::uintptr_t>(block.sharedStorage.data());
        block.shared = block.sharedStorage.data() + (128 - address % 128) % 128;
        block.sharedBytes = sharedBytes;
        block.body = body;
        runBlock(block, order);
      }
    }
  }
}

}  // namespace foretrace::cuda::emulator

#define threadIdx (::foretrace::cuda::emulator::activeBlock()->thread().index)
#define blockIdx (::foretrace::cuda::emulator::activeBlock()->blockIndex)

namespace foretrace::cuda {

inline void syncThreads() {
  emulator::Block& block = *emulator::activeBlock();
  emulator::meet(&emulator::Thread::blockSteps, block.entered, block.threads.size());
}

inline void syncWarp() { emulator::exchange({0}); }

inline float shuffleXor(float value, int mask) {
  const std::uint32_t words[6] = {std::bit_cast<std::uint32_t>(value)};
  const std::size_t lane = threadIdx.x % 32;
  return std::bit_cast<float>(emulator::exchange(words)[lane ^ static_cast<std::size_t>(mask)][0]);
}
inline std::uint32_t shuffleXor(std::uint32_t value, int mask) {
  return emulator::exchange({value})[threadIdx.x % 32 ^ static_cast<std::size_t>(mask)][0];
}

/// Number `element` of a word: bf16, int8 or e4m3.
inline double elementOf(WeightFormat format, std::uint32_t word, int element) {
  if (format == WeightFormat::bf16) return static_cast<double>(bf16ToFloat(static_cast<std::uint16_t>(word >> (16 * element))));
  const auto byte = static_cast<std::uint8_t>(word >> (8 * element));
  if (format == WeightFormat::int8) return static_cast<double>(static_cast<std::int8_t>(byte));
  return static_cast<double>(float8ToFloat(byte));
}

/// Operands from the registers of all lanes, multiplied in double.
template <WeightFormat format>
inline void multiplyFragments(const std::uint32_t (&all)[32][6], double (&products)[16][8]) {
  constexpr int perWord = 4 / elementBytes(format);
  constexpr int depth = stepBytes / elementBytes(format);
  double a[16][depth];
  double b[depth][8];
  for (int lane = 0; lane < 32; ++lane) {
    for (int e = 0; e < 4 * perWord; ++e) {
      const FragmentIndex at = perWord == 2 ? operandA(lane, e) : operandA8(lane, e);
      a[at.row][at.column] = elementOf(format, all[lane][e / perWord], e % perWord);
    }
    for (int e = 0; e < 2 * perWord; ++e) {
      const FragmentIndex at = perWord == 2 ? operandB(lane, e) : operandB8(lane, e);
      b[at.row][at.column] = elementOf(format, all[lane][4 + e / perWord], e % perWord);
    }
  }
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      double total = 0;
      for (int k = 0; k < depth; ++k) total += a[row][k] * b[k][column];
      products[row][column] = total;
    }
  }
}

/// The product of one step is summed in double and rounded once, unlike any device (int8: exact, as on all): close, and a
/// function of row and column alone.
template <WeightFormat format, class Sum>
inline void multiplyAndAdd(Sum (&sum)[4], const std::uint32_t (&words)[6]) {
  emulator::Block& block = *emulator::activeBlock();
  const auto& all = emulator::exchange(words);
  emulator::Exchange& warp = block.warps[block.current / 32];
  if (warp.productStep != block.thread().warpSteps) {  // the first lane that comes by multiplies for all
    multiplyFragments<format>(all, warp.products);
    warp.productStep = block.thread().warpSteps;
  }
  for (int e = 0; e < 4; ++e) {
    const FragmentIndex at = accumulator(static_cast<int>(threadIdx.x % 32), e);
    sum[e] = static_cast<Sum>(static_cast<double>(sum[e]) + warp.products[at.row][at.column]);
  }
}

inline void mma(float (&sum)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  multiplyAndAdd<WeightFormat::bf16>(sum, {a0, a1, a2, a3, b0, b1});
}
inline void mma(std::int32_t (&sum)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3, std::uint32_t b0,
                std::uint32_t b1) {
  multiplyAndAdd<WeightFormat::int8>(sum, {a0, a1, a2, a3, b0, b1});
}
inline void mmaFloat8(float (&sum)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3, std::uint32_t b0,
                      std::uint32_t b1) {
  multiplyAndAdd<WeightFormat::fp8>(sum, {a0, a1, a2, a3, b0, b1});
}

/// An address of shared memory as the device counts them.
inline std::uint32_t sharedAddress(const void* pointer) {
  const emulator::Block& block = *emulator::activeBlock();
  const auto* at = static_cast<const char*>(pointer);
  if (at < block.shared || at >= block.shared + block.sharedBytes) emulator::fail("an address outside shared memory");
  return static_cast<std::uint32_t>(at - block.shared);
}

/// ldmatrix.x4: lane l names row l % 8 of matrix l / 8, and gets of matrix i the word l % 4 of row l / 4.
inline void loadMatrices(std::uint32_t (&words)[4], const void* row) {
  const std::uint32_t own = sharedAddress(row);
  if (own % 16 != 0) emulator::fail("a row of a matrix is not aligned to 16 bytes");
  const auto& all = emulator::exchange({own});
  const std::size_t lane = threadIdx.x % 32;
  for (std::size_t i = 0; i < 4; ++i) {
    std::memcpy(&words[i], emulator::activeBlock()->shared + all[8 * i + lane / 4][0] + lane % 4 * 4, 4);
  }
}

/// Kernels run one after the other.
inline void waitForEarlierKernels() {}
inline void allowNextKernel() {}

inline void copyAsync16(void* shared, const void* global, int bytes) {
  emulator::Block& block = *emulator::activeBlock();
  auto* to = static_cast<char*>(shared);
  if (reinterpret_cast<std::uintptr_t>(shared) % 16 != 0 || reinterpret_cast<std::uintptr_t>(global) % 16 != 0) {
    emulator::fail("an asynchronous copy is not aligned to 16 bytes");
  }
  if (to < block.shared || to + 16 > block.shared + block.sharedBytes) emulator::fail("an asynchronous copy leaves shared memory");
  if (bytes < 0 || bytes > 16) emulator::fail("an asynchronous copy of a size that does not exist");
  const emulator::Copy copy{to, static_cast<const char*>(global), bytes};
  if (emulator::arrival() == emulator::Arrival::early) {
    copy.run();
  } else {
    block.thread().open.push_back(copy);
  }
}

inline void commitCopies() {
  emulator::Thread& thread = emulator::activeBlock()->thread();
  thread.groups.push_back(std::move(thread.open));
  thread.open.clear();
}

template <int pending>
inline void waitCopies() {
  auto& groups = emulator::activeBlock()->thread().groups;
  while (groups.size() > static_cast<std::size_t>(pending)) {
    for (const emulator::Copy& copy : groups.front()) copy.run();
    groups.erase(groups.begin());
  }
}

inline std::uint32_t packBf16(float first, float second) {
  return floatToBf16(first) | static_cast<std::uint32_t>(floatToBf16(second)) << 16;
}
inline float multiply(float a, float b) { return a * b; }
inline float multiplyAdd(float a, float b, float c) { return std::fma(a, b, c); }
inline float add(float a, float b) { return a + b; }
inline float divide(float a, float b) { return a / b; }
inline float exponential2(float value) { return std::exp2(value); }
inline float exponential(float value) { return std::exp(value); }
inline float toFloat(std::int32_t value) { return static_cast<float>(value); }
inline std::uint32_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }
inline float floatOf(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline float reciprocalRoot(float value) { return 1.0F / std::sqrt(value); }
inline float maximum(float a, float b) { return std::fmax(a, b); }
inline float infinity() { return std::numeric_limits<float>::infinity(); }
inline char* sharedMemory() { return emulator::activeBlock()->shared; }

}  // namespace foretrace::cuda
