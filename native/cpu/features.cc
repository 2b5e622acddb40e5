#include "cpu/features.h"

#include <algorithm>
#include <cstdio>
#include <sched.h>
#include <string>
#include <thread>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "core/error.h"
#include "cpu/kernels.h"

namespace foretrace {
namespace {

constexpr Isa allIsas[] = {Isa::portable, Isa::avx2, Isa::avx512, Isa::avx512vnni, Isa::avx512bf16, Isa::amx};

/// Processors a cgroup v2 quota grants, rounded up; 0 if there is no quota.
std::int32_t quotaProcessors() noexcept {
  std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (file == nullptr) return 0;
  long long quota = 0;
  long long period = 0;
  const int fields = std::fscanf(file, "%lld %lld", &quota, &period);  // "max 100000" reads no number
  std::fclose(file);
  if (fields != 2 || quota <= 0 || period <= 0) return 0;
  return static_cast<std::int32_t>(std::min<long long>((quota + period - 1) / period, 4096));
}

#if defined(__x86_64__)
/// Whether processor and operating system have AMX tiles of int8 and bf16 and this process may use them: Linux gives the
/// 8 KiB of state to processes that ask (Documentation/arch/x86/xstate.rst).
bool tilesUsable() noexcept {
  static const bool usable = [] {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned features = (1U << 22) | (1U << 24) | (1U << 25);  // AMX-BF16, AMX-TILE, AMX-INT8
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (edx & features) != features) return false;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & (1U << 27)) == 0) return false;  // OSXSAVE
    constexpr unsigned states = (1U << 17) | (1U << 18);  // XTILECFG, XTILEDATA
    unsigned low = 0;
    unsigned high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & states) != states) return false;
    constexpr long requestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long tileData = 18;
    return ::syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  }();
  return usable;
}
#endif

/// The built-in asks CPUID and, through XGETBV, whether the operating system saves the registers.
bool processorHas(Isa isa) noexcept {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni") != 0;
  // Whatever has instructions for bf16 permutes bytes, but for Cooper Lake, which goes without both.
  const bool bf16 = vnni && __builtin_cpu_supports("avx512bf16") != 0 && __builtin_cpu_supports("avx512vbmi") != 0;
  switch (isa) {
    case Isa::portable: return true;
    case Isa::avx2: return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case Isa::avx512: return avx512;
    case Isa::avx512vnni: return vnni;
    case Isa::avx512bf16: return bf16;
    case Isa::amx: return bf16 && tilesUsable();
  }
  return false;
#else
  return isa == Isa::portable;
#endif
}

std::string isaNames() {
  std::string names = "auto";
  for (const Isa isa : allIsas) names += std::string(", ") + isaName(isa);
  return names;
}

}  // namespace

const char* isaName(Isa isa) noexcept {
  switch (isa) {
    case Isa::portable: return "portable";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
    case Isa::avx512vnni: return "avx512vnni";
    case Isa::avx512bf16: return "avx512bf16";
    case Isa::amx: return "amx";
  }
  return "portable";
}

const cpu::KernelTable* kernelsOf(Isa isa) noexcept {
  switch (isa) {
    case Isa::portable: return cpu::portableKernels();
    case Isa::avx2: return cpu::avx2Kernels();
    case Isa::avx512: return cpu::avx512Kernels();
    case Isa::avx512vnni: return cpu::avx512vnniKernels();
    case Isa::avx512bf16: return cpu::avx512bf16Kernels();
    case Isa::amx: return cpu::amxKernels();
  }
  return nullptr;
}

bool isaAvailable(Isa isa) noexcept { return processorHas(isa) && kernelsOf(isa) != nullptr; }

std::vector<Isa> availableIsas() {
  std::vector<Isa> list;
  for (const Isa isa : allIsas) {
    if (isaAvailable(isa)) list.push_back(isa);
  }
  return list;
}

Isa resolveIsa(std::string_view name) {
  if (name == "auto") return availableIsas().back();
  for (const Isa isa : allIsas) {
    if (name != isaName(isa)) continue;
    if (isaAvailable(isa)) return isa;
    std::string have;
    for (const Isa other : availableIsas()) have += (have.empty() ? "" : ", ") + std::string(isaName(other));
    throw Error(ErrorCode::unsupported_device, "isa " + std::string(name), "one this machine can run", "only " + have);
  }
  throw Error(ErrorCode::invalid_argument, "isa", "one of " + isaNames(), "\"" + std::string(name) + "\"");
}

std::int32_t availableProcessors() noexcept {
  auto count = static_cast<std::int32_t>(std::thread::hardware_concurrency());
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  if (const std::int32_t quota = quotaProcessors(); quota > 0) count = std::min(count, quota);
  return std::max(count, 1);
}

}  // namespace foretrace
