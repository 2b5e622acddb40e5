#include "bench/cuda_peaks.h"

#include <algorithm>
#include <vector>

#include "cuda/intrinsics.cuh"

namespace foretrace::bench {
namespace {

constexpr int peakThreads = 256;
constexpr int peakRounds = 4096;
constexpr int peakSums = 8;  ///< independent products a warp has in flight

__global__ void __launch_bounds__(peakThreads) peakKernel(float* out) {
  float sum[peakSums][4] = {};
  const unsigned a = threadIdx.x * 0x01010101U & 0x3F803F80U;
  for (int round = 0; round < peakRounds; ++round) {
#pragma unroll
    for (int i = 0; i < peakSums; ++i) cuda::mma(sum[i], a, a + 1, a + 2, a + 3, a + static_cast<unsigned>(i), a);
  }
  float total = 0;
  for (const auto& each : sum) total += each[0] + each[1] + each[2] + each[3];
  if (total == 1.5F) *out = total;  // never, but the compiler cannot know
}

}  // namespace

double deviceSeconds(cudaStream_t stream, int repeats, const std::function<void()>& queue) {
  const cuda::Event begin(true);
  const cuda::Event end(true);
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    begin.record(stream);
    queue();
    end.record(stream);
    end.synchronize();
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "time between events");
    if (i > 0) seconds.push_back(static_cast<double>(milliseconds) / 1e3);
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return seconds[seconds.size() / 2];
}

double copyBandwidth(cudaStream_t stream) {
  const std::int64_t bytes = std::int64_t{2} << 30;
  const cuda::DeviceBuffer<char> from(bytes, "source of the copy");
  const cuda::DeviceBuffer<char> to(bytes, "target of the copy");
  const double seconds = deviceSeconds(stream, 9, [&] {
    cuda::check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream), "copy");
  });
  return 2.0 * static_cast<double>(bytes) / seconds;
}

double matrixPeak(cudaStream_t stream, int multiprocessors) {
  const cuda::DeviceBuffer<float> out(1, "peak");
  const int blocks = multiprocessors * 8;
  const double seconds = deviceSeconds(stream, 5, [&] {
    peakKernel<<<static_cast<unsigned>(blocks), peakThreads, 0, stream>>>(out.data());
    cuda::checkLaunch("matrix peak");
  });
  return static_cast<double>(blocks) * (peakThreads / 32) * peakRounds * peakSums * (2.0 * 16 * 8 * 16) / seconds;
}

}  // namespace foretrace::bench
