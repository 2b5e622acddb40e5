// Where the workers of a CPU device spend their time: for benchmarks.
#pragma once

#include <cstdint>
#include <ctime>
#include <vector>

namespace foretrace::cpu {

/// A clock that is cheap to read; only shares of its differences mean anything.
[[nodiscard]] inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
#endif
}

/// Ticks inside the kernels, by worker. A device that is given one adds to it while `enabled`; who owns it changes it
/// between forward passes only.
struct Profile {
  struct alignas(64) Worker {
    std::uint64_t products = 0;   ///< matrix products
    std::uint64_t attention = 0;
  };

  explicit Profile(std::int32_t threads) : workers(static_cast<std::size_t>(threads)) {}

  bool enabled = false;
  std::vector<Worker> workers;
};

/// Adds the time until its end to one counter of a worker; does nothing without a profile.
class ProfiledScope {
 public:
  ProfiledScope(Profile* profile, std::int32_t worker, std::uint64_t Profile::Worker::*counter) noexcept
      : counter_(profile != nullptr && profile->enabled ? &(profile->workers[static_cast<std::size_t>(worker)].*counter) : nullptr),
        start_(counter_ != nullptr ? ticks() : 0) {}
  ProfiledScope(const ProfiledScope&) = delete;
  ProfiledScope& operator=(const ProfiledScope&) = delete;
  ~ProfiledScope() {
    if (counter_ != nullptr) *counter_ += ticks() - start_;
  }

 private:
  std::uint64_t* counter_;
  std::uint64_t start_;
};

}  // namespace foretrace::cpu
