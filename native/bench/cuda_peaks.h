// What a GPU can do at most: the denominators of its benchmark.
#pragma once

#include <functional>

#include "cuda/buffer.h"

namespace foretrace::bench {

/// Seconds of one call of `queue`, which queues work on the stream: the median of `repeats`, after one call unmeasured.
[[nodiscard]] double deviceSeconds(cudaStream_t stream, int repeats, const std::function<void()>& queue);

/// Bytes per second read and written together by a copy far larger than the cache.
[[nodiscard]] double copyBandwidth(cudaStream_t stream);

/// Operations per second (a multiplication and an addition count as two) of mma.sync on bf16 with fp32 sums, from registers.
[[nodiscard]] double matrixPeak(cudaStream_t stream, int multiprocessors);

}  // namespace foretrace::bench
