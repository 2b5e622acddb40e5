#include "bench/machine.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "bench/clock.h"
#include "core/aligned_buffer.h"

namespace foretrace::bench {
namespace {

/// Runs body(thread) on that many threads and returns the seconds until the last is done.
template <typename Body>
double runOnThreads(std::int32_t threads, const Body& body) {
  const double start = now();
  std::vector<std::thread> workers;
  for (std::int32_t thread = 1; thread < threads; ++thread) workers.emplace_back([&body, thread] { body(thread); });
  body(0);
  for (std::thread& worker : workers) worker.join();
  return now() - start;
}

/// The sum of one word of every cache line: what has to come from memory is lines.
std::uint64_t sumOf(const std::uint8_t* from, std::int64_t bytes) {
  constexpr std::int64_t line = 64;
  const auto word = [from](std::int64_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, from + at, sizeof value);
    return value;
  };
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  std::uint64_t fourth = 0;
  for (std::int64_t i = 0; i + 4 * line <= bytes; i += 4 * line) {
    first += word(i);
    second += word(i + line);
    third += word(i + 2 * line);
    fourth += word(i + 3 * line);
  }
  return first + second + third + fourth;
}

constexpr std::int64_t loops = 4'000'000;

#if defined(__x86_64__)
// Twelve independent accumulators hide the latency; the compiler must not see through them, hence the assembly.
#define FORETRACE_TWELVE(op, a, r) \
  op a r "0\n" op a r "1\n" op a r "2\n" op a r "3\n" op a r "4\n" op a r "5\n" op a r "6\n" op a r "7\n" op a r "8\n" \
  op a r "9\n" op a r "10\n" op a r "11\n"
#define FORETRACE_LOOP(body)                                                                                           \
  for (std::int64_t i = 0; i < loops; ++i) {                                                                           \
    __asm__ __volatile__(body ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",       \
                         "xmm10", "xmm11", "xmm12", "xmm13");                                                          \
  }

void vnniLoop() { FORETRACE_LOOP(FORETRACE_TWELVE("vpdpbusd ", "%%zmm12, %%zmm13, ", "%%zmm")) }
void halvesLoop() { FORETRACE_LOOP(FORETRACE_TWELVE("vdpbf16ps ", "%%zmm12, %%zmm13, ", "%%zmm")) }
void fmaWideLoop() { FORETRACE_LOOP(FORETRACE_TWELVE("vfmadd231ps ", "%%zmm12, %%zmm13, ", "%%zmm")) }
void fmaLoop() { FORETRACE_LOOP(FORETRACE_TWELVE("vfmadd231ps ", "%%ymm12, %%ymm13, ", "%%ymm")) }
/// VPMADDUBSW, VPMADDWD and VPADDD: what one product of 32 bytes takes without VNNI.
void bytesLoop() { FORETRACE_LOOP(FORETRACE_TWELVE("vpmaddubsw ", "%%ymm12, %%ymm13, ", "%%ymm") FORETRACE_TWELVE("vpmaddwd ", "%%ymm12, %%ymm13, ", "%%ymm") FORETRACE_TWELVE("vpaddd ", "%%ymm12, %%ymm13, ", "%%ymm")) }
void bytesWideLoop() { FORETRACE_LOOP(FORETRACE_TWELVE("vpmaddwd ", "%%zmm12, %%zmm13, ", "%%zmm") FORETRACE_TWELVE("vpaddd ", "%%zmm12, %%zmm13, ", "%%zmm")) }
#endif

#if defined(__x86_64__)
/// Four sums from two tiles of rows and two of weights, as in the kernels.
template <bool Halves>
void tileLoop() {
  struct alignas(64) {
    std::uint8_t bytes[64] = {1};
  } configuration;
  for (int tile = 0; tile < 8; ++tile) {
    configuration.bytes[16 + 2 * tile] = 64;
    configuration.bytes[48 + tile] = 16;
  }
  __asm__ __volatile__("ldtilecfg %0" : : "m"(configuration));
  for (std::int64_t i = 0; i < loops; ++i) {
    if constexpr (Halves) {
      __asm__ __volatile__("tdpbf16ps %%tmm2, %%tmm0, %%tmm4\ntdpbf16ps %%tmm3, %%tmm0, %%tmm5\n"
                           "tdpbf16ps %%tmm2, %%tmm1, %%tmm6\ntdpbf16ps %%tmm3, %%tmm1, %%tmm7" ::);
    } else {
      __asm__ __volatile__("tdpbusd %%tmm2, %%tmm0, %%tmm4\ntdpbusd %%tmm3, %%tmm0, %%tmm5\n"
                           "tdpbusd %%tmm2, %%tmm1, %%tmm6\ntdpbusd %%tmm3, %%tmm1, %%tmm7" ::);
    }
  }
  __asm__ __volatile__("tilerelease");
}
#endif

struct Peak {
  const char* instruction = "none";
  void (*loop)() = nullptr;
  double operations = 0;  ///< of one pass of the loop body
};

Peak peakOf(Isa isa, WeightType type) {
#if defined(__x86_64__)
  const bool wide = isa >= Isa::avx512;
  if (isa == Isa::portable) return {};
  if (isa == Isa::amx && type == WeightType::int8) return {"TDPBUSD", tileLoop<false>, 4.0 * 2 * 16 * 16 * 64};
  if (isa == Isa::amx && type == WeightType::bf16) return {"TDPBF16PS", tileLoop<true>, 4.0 * 2 * 16 * 16 * 32};
  if (type == WeightType::int8) {
    if (isa >= Isa::avx512vnni) return {"VPDPBUSD zmm", vnniLoop, 12 * 128};
    return wide ? Peak{"VPMADDWD + VPADDD zmm", bytesWideLoop, 12 * 64} : Peak{"VPMADDUBSW + VPMADDWD + VPADDD ymm", bytesLoop, 12 * 64};
  }
  if (type == WeightType::bf16 && isa >= Isa::avx512bf16) return {"VDPBF16PS zmm", halvesLoop, 12 * 64};
  return wide ? Peak{"VFMADD231PS zmm", fmaWideLoop, 12 * 32} : Peak{"VFMADD231PS ymm", fmaLoop, 12 * 16};
#else
  (void)isa;
  (void)type;
  return {};
#endif
}

}  // namespace

double readBandwidth(std::int32_t threads) {
  constexpr std::int64_t bytes = std::int64_t{512} << 20;
  const cpu::AlignedBuffer<std::uint8_t> memory(bytes, "memory to read");
  std::memset(memory.data(), 1, static_cast<std::size_t>(bytes));
  const std::int64_t share = bytes / threads;
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads));
  double best = 0;
  for (int pass = 0; pass < 7; ++pass) {
    const double seconds = runOnThreads(threads, [&](std::int32_t thread) {
      sums[static_cast<std::size_t>(thread)] = sumOf(memory.data() + thread * share, share);
    });
    best = std::max(best, static_cast<double>(bytes) / seconds);
  }
  volatile std::uint64_t keep = sums[0];  // the reads must not be optimised away
  (void)keep;
  return best;
}

std::string peakInstruction(Isa isa, WeightType type) { return peakOf(isa, type).instruction; }

double peakOperations(Isa isa, WeightType type, std::int32_t threads) {
  const Peak peak = peakOf(isa, type);
  if (peak.loop == nullptr) return 0;
  double best = 0;
  for (int pass = 0; pass < 5; ++pass) {
    const double seconds = runOnThreads(threads, [&peak](std::int32_t) { peak.loop(); });
    best = std::max(best, peak.operations * static_cast<double>(loops) * threads / seconds);
  }
  return best;
}

MachineLimits measureLimits(Isa isa, std::int32_t threads) {
  MachineLimits limits;
  limits.readBytesPerSecond = readBandwidth(threads);
  for (const WeightType type : {WeightType::fp32, WeightType::bf16, WeightType::int8}) {
    limits.operationsPerSecond[static_cast<std::size_t>(type)] = peakOperations(isa, type, threads);
  }
  return limits;
}

}  // namespace foretrace::bench
