// Stands in for the CUDA runtime in tests of the device's host code on the processor: memory is host memory, streams are
// synchronous. Only what native/cuda calls outside its launches.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

enum cudaError_t {
  cudaSuccess,
  cudaErrorMemoryAllocation,
  cudaErrorInitializationError,
  cudaErrorInsufficientDriver,
  cudaErrorNoDevice,
  cudaErrorInvalidDevice,
  cudaErrorNoKernelImageForDevice,
  cudaErrorSystemDriverMismatch,
  cudaErrorSystemNotReady,
  cudaErrorDevicesUnavailable,
  cudaErrorLaunchFailure,
  cudaErrorStreamCaptureUnsupported
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
inline constexpr unsigned cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDefault = 0;
inline constexpr unsigned cudaEventDisableTiming = 2;

using cudaStream_t = struct EmulatedStream*;
using cudaEvent_t = struct EmulatedEvent*;

struct cudaDeviceProp {
  char name[256];
  int major;
  int minor;
  int multiProcessorCount;
};

/// What the emulated driver answers; tests change it to see errors.
struct EmulatedDriver {
  cudaError_t countStatus = cudaSuccess;
  int devices = 1;
  int major = 9;
  int driverVersion = 13000;
  std::size_t freeBytes = std::size_t{1} << 34;
  cudaError_t allocation = cudaSuccess;
  cudaError_t synchronization = cudaSuccess;
  cudaError_t instantiation = cudaSuccess;
  long allocations = 0;  ///< device and pinned allocations that have not been freed
  long graphs = 0;       ///< graphs that have not been destroyed, executable or not
  long graphLaunches = 0;
};

inline EmulatedDriver& emulatedDriver() {
  static EmulatedDriver driver;
  return driver;
}

/// A graph is the list of its launches, and its executable the same list.
struct EmulatedGraph {
  std::vector<std::function<void()>> launches;
};
using cudaGraph_t = EmulatedGraph*;
using cudaGraphExec_t = EmulatedGraph*;
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };

/// The capture in progress; there is one stream.
struct EmulatedCapture {
  cudaGraph_t graph = nullptr;
};
inline EmulatedCapture& emulatedCapture() {
  static EmulatedCapture capture;
  return capture;
}

/// What may not be called while launches are captured.
inline cudaError_t unlessCapturing(cudaError_t status) {
  return emulatedCapture().graph == nullptr ? status : cudaErrorStreamCaptureUnsupported;
}

inline cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  if (emulatedCapture().graph != nullptr) return cudaErrorStreamCaptureUnsupported;
  emulatedCapture().graph = new EmulatedGraph;
  ++emulatedDriver().graphs;
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = emulatedCapture().graph;
  emulatedCapture().graph = nullptr;
  return *graph == nullptr ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  if (emulatedDriver().instantiation != cudaSuccess) return emulatedDriver().instantiation;
  *executable = new EmulatedGraph(*graph);
  ++emulatedDriver().graphs;
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  --emulatedDriver().graphs;
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { return cudaGraphDestroy(executable); }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  if (emulatedCapture().graph != nullptr) return cudaErrorStreamCaptureUnsupported;
  ++emulatedDriver().graphLaunches;
  for (const auto& launch : executable->launches) launch();
  return cudaSuccess;
}

inline cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  if (emulatedCapture().graph != nullptr) return cudaErrorStreamCaptureUnsupported;
  if (emulatedDriver().allocation != cudaSuccess) return emulatedDriver().allocation;
  *to = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*to == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*to, 0xFF, bytes);  // fresh memory holds NaNs
  ++emulatedDriver().allocations;
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) {
  if (memory != nullptr) --emulatedDriver().allocations;
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaMallocHost(void** to, std::size_t bytes) { return cudaMalloc(to, bytes); }
inline cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  if (emulatedCapture().graph != nullptr) return cudaErrorStreamCaptureUnsupported;
  std::memset(to, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  if (emulatedCapture().graph != nullptr) return cudaErrorStreamCaptureUnsupported;
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy2DAsync(void* to, std::size_t toPitch, const void* from, std::size_t fromPitch, std::size_t width,
                                     std::size_t height, cudaMemcpyKind, cudaStream_t) {
  if (emulatedCapture().graph != nullptr) return cudaErrorStreamCaptureUnsupported;
  for (std::size_t row = 0; row < height; ++row) {
    std::memcpy(static_cast<char*>(to) + row * toPitch, static_cast<const char*>(from) + row * fromPitch, width);
  }
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return unlessCapturing(emulatedDriver().synchronization); }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorName(cudaError_t) { return "cudaErrorLaunchFailure"; }
inline const char* cudaGetErrorString(cudaError_t) { return "unspecified launch failure"; }
inline cudaError_t cudaDriverGetVersion(int* version) {
  *version = emulatedDriver().driverVersion;
  return cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = emulatedDriver().devices;
  return emulatedDriver().countStatus;
}
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strcpy(properties->name, "emulated");
  properties->major = emulatedDriver().major;
  properties->minor = 0;
  properties->multiProcessorCount = 1;
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = emulatedDriver().freeBytes;
  *total = emulatedDriver().freeBytes;
  return cudaSuccess;
}
