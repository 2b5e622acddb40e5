// The fused phases of one forward pass that a device provides. `Transformer` calls them in order; a device owns the
// packed weights, the KV pool and all activations, so nothing but the batch and the logits crosses this interface.
#pragma once

#include <cstdint>
#include <span>

#include "core/backend.h"
#include "core/config.h"
#include "core/error.h"
#include "core/sampling.h"
#include "core/step.h"

namespace foretrace {

/// A device that holds one model. Phases run in the order begin, embed, (per layer) attentionInput, attention,
/// attentionOutput, feedForwardInput, feedForwardOutput, head, then logits or sample; a device may run those of the layers in
/// another way that comes to the same (`layer`). The batch has been validated and does
/// not change between begin and head. R = batch.rows(); in the last layer a device may go on with the rows that want logits
/// alone once all keys and values are written. A device may queue the work of all phases but the last.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual const BackendInfo& info() const noexcept = 0;

  /// Takes the batch for the phases that follow (a device with its own memory uploads it here).
  virtual void begin(const ForwardBatch& batch) = 0;
  /// After `begin`: the launches of this pass are at hand from an earlier one, so the phases up to `head` are left out.
  [[nodiscard]] virtual bool repeats() const noexcept { return false; }
  /// residual[R, hidden] = embedding[tokens].
  virtual void embed() = 0;
  /// norm = rmsnorm(residual); query, key, value = norm * Wqkv; rotates query and key by position; writes key and value
  /// to the pages.
  virtual void attentionInput(std::int32_t layer) = 0;
  /// mixed[R, heads * headDim] = softmax(query * keys / sqrt(headDim)) * values over positions 0 .. own position.
  virtual void attention(std::int32_t layer) = 0;
  /// residual += mixed * Wo.
  virtual void attentionOutput(std::int32_t layer) = 0;
  /// norm = rmsnorm(residual); activation[R, ffn] = silu(norm * Wgate) * (norm * Wup).
  virtual void feedForwardInput(std::int32_t layer) = 0;
  /// residual += activation * Wdown.
  virtual void feedForwardOutput(std::int32_t layer) = 0;
  /// The five phases of a layer. Layers come in ascending order, all of them.
  virtual void layer(std::int32_t layer) {
    attentionInput(layer);
    attention(layer);
    attentionOutput(layer);
    feedForwardInput(layer);
    feedForwardOutput(layer);
  }
  /// Queues rmsnorm(residual[wanted rows]) * Whead. A device that queues nothing leaves it to `logits`.
  virtual void head() {}
  /// Returns what `head` computes: [batch.wanted(), vocab] fp32 on the host, valid until the next begin. Blocks until it is
  /// there.
  virtual std::span<const float> logits() = 0;

  /// Whether `sample` chooses tokens where the logits are; if not, they are chosen on the host from `logits`.
  [[nodiscard]] virtual bool samples() const noexcept { return false; }
  /// Chooses a token for each request, exactly as the host would from `logits`; see Backend::sample. Requests have been
  /// checked.
  virtual std::span<const Sample> sample(std::span<const SampleRequest> requests) {
    static_cast<void>(requests);
    throw Error(ErrorCode::internal, "the device does not choose tokens");
  }

  /// See Backend::copyPage; arguments have been checked.
  virtual void copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) = 0;
  /// See Backend; arguments have been checked. Devices without host pages need neither.
  virtual void copyPageOut(std::int32_t page, std::int32_t hostPage) {
    static_cast<void>(page);
    static_cast<void>(hostPage);
    throw Error(ErrorCode::internal, "the device has no host pages");
  }
  virtual void copyPageIn(std::int32_t hostPage, std::int32_t page) { copyPageOut(page, hostPage); }
};

}  // namespace foretrace
