// Vectors to device memory and back, and random bf16 values, for tests of CUDA kernels on a GPU and on the emulator alike.
#pragma once

#include <cstdint>
#include <vector>

#include "core/convert.h"
#include "cuda/buffer.h"
#include "test/random.h"

namespace foretrace::test {

/// Stream of all test launches: the default stream, which synchronous copies wait for.
inline constexpr cudaStream_t testStream = nullptr;

/// A copy of `values` on the device; at least one element, so that its pointer is never null.
template <class T>
cuda::DeviceBuffer<T> onDevice(const std::vector<T>& values) {
  cuda::DeviceBuffer<T> buffer(static_cast<std::int64_t>(values.size()) + (values.empty() ? 1 : 0), "test values");
  cuda::check(cudaMemcpyAsync(buffer.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, testStream), "test copy");
  cuda::check(cudaStreamSynchronize(testStream), "test copy");
  return buffer;
}

template <class T>
std::vector<T> fromDevice(const cuda::DeviceBuffer<T>& buffer) {
  std::vector<T> values(static_cast<std::size_t>(buffer.size()));
  cuda::check(cudaMemcpyAsync(values.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost, testStream), "test copy");
  cuda::check(cudaStreamSynchronize(testStream), "test copy");
  return values;
}

/// `count` bf16 values, uniform in [-width, width).
inline std::vector<std::uint16_t> randomBf16(std::size_t count, double width, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint16_t> values(count);
  for (std::uint16_t& value : values) value = floatToBf16(static_cast<float>(width * random.symmetric()));
  return values;
}

inline std::vector<float> randomFloats(std::size_t count, double width, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(width * random.symmetric());
  return values;
}

inline double bf16ToDouble(std::uint16_t bits) { return static_cast<double>(bf16ToFloat(bits)); }

}  // namespace foretrace::test
