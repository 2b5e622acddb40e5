// The clock of a benchmark: wall time, or on a machine shared with other work the processor time of the measuring thread.
#pragma once

#include <ctime>

namespace foretrace::bench {

/// True: processor time of the calling thread, meaningful with one thread only.
inline bool& countsProcessorTime() {
  static bool value = false;
  return value;
}

/// Seconds since some point in the past.
inline double now() {
  timespec time{};
  ::clock_gettime(countsProcessorTime() ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace foretrace::bench
