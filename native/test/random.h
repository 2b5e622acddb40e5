// Deterministic random numbers for tests: the same on every platform and library.
#pragma once

#include <cstdint>

namespace foretrace::test {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t value = state_ += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
  }
  /// Uniform integer in [0, bound), bound >= 1.
  std::int32_t below(std::int64_t bound) noexcept {
    return static_cast<std::int32_t>(next() % static_cast<std::uint64_t>(bound));
  }
  /// Uniform in [-1, 1).
  double symmetric() noexcept { return static_cast<double>(static_cast<std::int64_t>(next() >> 11)) * 0x1p-52 - 1.0; }

 private:
  std::uint64_t state_;
};

}  // namespace foretrace::test
