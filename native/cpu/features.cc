#include "cpu/features.h"

#include <algorithm>
#include <cstdio>
#include <sched.h>
#include <thread>

#include "core/error.h"
#include "cpu/kernels.h"

namespace foretrace {
namespace {

constexpr Isa allIsas[] = {Isa::portable, Isa::avx2, Isa::avx512};

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

}  // namespace

const char* isaName(Isa isa) noexcept {
  switch (isa) {
    case Isa::portable: return "portable";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
  }
  return "portable";
}

bool isaAvailable(Isa isa) noexcept {
  switch (isa) {
    case Isa::portable: return true;
#if defined(__x86_64__)
    // The built-in asks CPUID and, through XGETBV, whether the operating system saves the registers.
    case Isa::avx2:
      return cpu::avx2Kernels() != nullptr && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case Isa::avx512: return cpu::avx512Kernels() != nullptr && __builtin_cpu_supports("avx512f") != 0;
#else
    default: return false;
#endif
  }
  return false;
}

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
  throw Error(ErrorCode::invalid_argument, "isa", "auto, portable, avx2 or avx512", "\"" + std::string(name) + "\"");
}

std::int32_t availableProcessors() noexcept {
  auto count = static_cast<std::int32_t>(std::thread::hardware_concurrency());
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  if (const std::int32_t quota = quotaProcessors(); quota > 0) count = std::min(count, quota);
  return std::max(count, 1);
}

}  // namespace foretrace
