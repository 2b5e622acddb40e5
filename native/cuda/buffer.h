// Owners of device and pinned host memory. For translation units that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cuda/error.h"

namespace foretrace::cuda {

/// Elements in device memory.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Throws `invalid_argument` if the memory cannot be had.
  DeviceBuffer(std::int64_t count, const char* what) : count_(count) {
    if (count > 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()), what);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~DeviceBuffer() { (void)cudaFree(data_); }

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return count_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(count_) * sizeof(T); }
  void clear(cudaStream_t stream, const char* what) {
    if (count_ > 0) check(cudaMemsetAsync(data_, 0, bytes(), stream), what);
  }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

/// Elements in page-locked host memory, which copies to and from the device read directly.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(std::int64_t count, const char* what) : count_(count) {
    if (count > 0) check(cudaMallocHost(reinterpret_cast<void**>(&data_), static_cast<std::size_t>(count) * sizeof(T)), what);
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~PinnedBuffer() { (void)cudaFreeHost(data_); }

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return count_; }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

/// A stream of its own.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }
  void synchronize(const char* what) const { check(cudaStreamSynchronize(stream_), what); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event, with timing or without.
class Event {
 public:
  explicit Event(bool timed = false) {
    check(cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming), "event");
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { (void)cudaEventDestroy(event_); }
  [[nodiscard]] cudaEvent_t get() const noexcept { return event_; }
  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "event record"); }
  void synchronize() const { check(cudaEventSynchronize(event_), "event wait"); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace foretrace::cuda
