// What this machine can do at most: the denominators of a benchmark.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cpu/features.h"
#include "cpu/weight_type.h"

namespace foretrace::bench {

/// Bytes per second that `threads` threads read together from memory, far beyond any cache; the best of several passes.
[[nodiscard]] double readBandwidth(std::int32_t threads);

/// The multiplying instruction that products of this type use on this instruction set.
[[nodiscard]] std::string peakInstruction(Isa isa, WeightType type);

/// Operations per second (a multiplication and an addition count as two) of that instruction on `threads` threads, from
/// registers alone; 0 where it cannot be measured.
[[nodiscard]] double peakOperations(Isa isa, WeightType type, std::int32_t threads);

/// The limits of a machine for one instruction set and number of threads.
struct MachineLimits {
  double readBytesPerSecond = 0;
  std::array<double, 3> operationsPerSecond{};  ///< by WeightType
};

[[nodiscard]] MachineLimits measureLimits(Isa isa, std::int32_t threads);

}  // namespace foretrace::bench
