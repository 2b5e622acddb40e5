// What the engine needs of a loaded model on some device. `Transformer` (model/transformer.h) implements it over a
// `Device`; tests implement it with a fake model.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/config.h"
#include "core/sampling.h"
#include "core/step.h"

namespace foretrace {

/// What a backend runs on and what it holds.
struct BackendInfo {
  std::string device;              ///< "cpu" or "cuda"
  std::string isa;                 ///< instruction set of the kernels: "portable", "avx2", "avx512", "sm_90", ..
  std::int32_t threads = 1;        ///< worker threads, the calling thread included
  std::int64_t weightBytes = 0;    ///< bytes of the packed weights on the device
  std::int64_t kvBytesPerToken = 0;
  std::int32_t hostPages = 0;      ///< pages that can be kept in host memory; 0: none, copyPageOut and copyPageIn are not called
};

/// A model with its weights and its KV pool ([pages, layers, {K, V}, kvHeads, pageTokens, headDim]; the order inside
/// a page is the backend's own). One thread calls it at a time. A pass is `forward`, which blocks until the logits are
/// there, or `start` and then `sample`, after which only the chosen tokens need leave the device.
///
/// The result of a row depends on the tokens and positions of its own sequence and on the weights alone, bit for
/// bit: never on the other rows, the number of rows, page numbers, chunking or the number of threads.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual const BackendInfo& info() const noexcept = 0;

  /// Computes keys, values and logits of a batch. Returns [batch.wanted(), vocab] fp32, row i belonging to
  /// batch.logitRows[i]; the memory is the backend's, on the host, valid until the next forward. Throws
  /// `invalid_argument` (and changes nothing) when a token, position, page number or a size is out of range. An
  /// empty batch is valid and returns nothing.
  virtual std::span<const float> forward(const ForwardBatch& batch) = 0;

  /// Begins the same pass and may return before it has been computed, so that masks can be made meanwhile. Throws as
  /// `forward` does.
  virtual void start(const ForwardBatch& batch) = 0;
  /// Chooses tokens from logits of the pass that was started last; blocks. Results come in the order of the requests and
  /// are valid until the next pass. May be called again, for the same rows or others, until then. Without requests it waits
  /// for the pass.
  virtual std::span<const Sample> sample(std::span<const SampleRequest> requests) = 0;

  /// Copies keys and values of the first `tokens` slots of page `from` to page `to`, in all layers. Ordered with
  /// `forward`: what was forwarded before is copied, what comes after sees the copy.
  virtual void copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) = 0;

  /// Copies keys and values of a whole page to a page of host memory (0 .. info().hostPages - 1) and back, in all layers,
  /// ordered with everything else. May return before the copy has been made.
  virtual void copyPageOut(std::int32_t page, std::int32_t hostPage) = 0;
  virtual void copyPageIn(std::int32_t hostPage, std::int32_t page) = 0;
};

}  // namespace foretrace
