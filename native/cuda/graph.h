// Captured passes. For translation units that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "cuda/buffer.h"
#include "cuda/error.h"
#include "cuda/pass_shape.h"

namespace foretrace::cuda {

/// Launches that can be repeated by one call.
class Graph {
 public:
  Graph() = default;
  explicit Graph(cudaGraphExec_t graph) : graph_(graph) {}
  Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~Graph() {
    if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
  }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(graph_, stream), "launch of a graph"); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// Decides for each pass whether its launches are made one by one, captured, or repeated from an earlier capture. A shape is
/// captured when it is seen for the second time: most shapes of long prompts never are, and what a kernel needs on its first
/// launch is not to be had during a capture.
class PassGraphs {
 public:
  enum class Mode : std::uint8_t { direct, capture, repeat };

  /// Graphs kept; the least recently used goes.
  static constexpr std::size_t most = 48;

  /// Begins a pass; after this its launches go to the stream, unless the mode is `repeat`: then there are none.
  void begin(const PassShape& shape, const Stream& stream) {
    if (!shape.padded) return;
    const auto [entry, isNew] = graphs_.try_emplace(shape);
    current_ = &entry->second;
    current_->lastUse = ++clock_;
    if (isNew) {
      if (graphs_.size() > most) forgetOldest(stream);
      return;
    }
    if (!current_->captured) check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture of a pass");
    mode_ = current_->captured ? Mode::repeat : Mode::capture;
  }

  /// Ends a pass that failed half-way; its capture may still be open.
  void abandon(const Stream& stream) {
    if (std::exchange(mode_, Mode::direct) != Mode::capture) return;
    cudaGraph_t graph = nullptr;
    (void)cudaStreamEndCapture(stream.get(), &graph);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    (void)cudaGetLastError();
  }

  /// Ends the launches of a pass: a captured or repeated one is launched.
  void end(const Stream& stream) {
    const Mode mode = std::exchange(mode_, Mode::direct);
    if (mode == Mode::direct) return;
    if (mode == Mode::capture) {
      cudaGraph_t graph = nullptr;
      check(cudaStreamEndCapture(stream.get(), &graph), "end of a capture");
      cudaGraphExec_t executable = nullptr;
      const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
      (void)cudaGraphDestroy(graph);
      check(status, "making of a graph");
      current_->graph = Graph(executable);
      current_->captured = true;
    }
    current_->graph.launch(stream.get());
  }

  /// Forgets all graphs: something they refer to has moved.
  void clear() noexcept { graphs_.clear(); }

  [[nodiscard]] Mode mode() const noexcept { return mode_; }

 private:
  struct Entry {
    Graph graph;
    bool captured = false;
    std::uint64_t lastUse = 0;
  };

  void forgetOldest(const Stream& stream) {
    const auto oldest = std::min_element(graphs_.begin(), graphs_.end(),
                                         [](const auto& a, const auto& b) { return a.second.lastUse < b.second.lastUse; });
    if (oldest->second.captured) stream.synchronize("forgetting a graph");
    graphs_.erase(oldest);
  }

  std::map<PassShape, Entry> graphs_;
  Entry* current_ = nullptr;
  Mode mode_ = Mode::direct;
  std::uint64_t clock_ = 0;
};

}  // namespace foretrace::cuda
