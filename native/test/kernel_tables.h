// What the tests of kernels share.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/features.h"
#include "cpu/kernels.h"
#include "test/check.h"
#include "test/random.h"

namespace foretrace::test {

struct NamedTable {
  std::string name;
  const cpu::KernelTable* kernels;
};

/// The kernels of every instruction set this machine has.
inline std::vector<NamedTable> tables() {
  std::vector<NamedTable> list;
  for (const Isa isa : availableIsas()) list.push_back({isaName(isa), kernelsOf(isa)});
  return list;
}

/// Uniform numbers in [-scale, scale).
inline void fill(float* to, std::int64_t count, Random& random, double scale = 1.0) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(scale * random.symmetric());
}

/// |found - expected| <= bound, with a message that names the case.
inline void checkNear(double found, double expected, double bound, const std::string& text) {
  const bool near = std::abs(found - expected) <= bound;
  if (near) {
    CHECK(near);
  } else {
    CHECK_THAT(near, text + " found " + std::to_string(found) + " expected " + std::to_string(expected));
  }
}

}  // namespace foretrace::test
