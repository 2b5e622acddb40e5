// The forward pass of a Llama-architecture decoder over a device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/backend.h"
#include "core/config.h"
#include "core/device.h"
#include "model/host_sampler.h"

namespace foretrace {

/// Checks a batch against model and pool. Throws `invalid_argument` naming the row or block, what was expected and
/// what was found. Does not look for rows that write the same slot.
void validateBatch(const ForwardBatch& batch, const ModelConfig& config, const PoolConfig& pool);

/// Backend that runs the phases of `Device` in order, a line per phase.
class Transformer final : public Backend {
 public:
  Transformer(const ModelConfig& config, const PoolConfig& pool, std::unique_ptr<Device> device);

  [[nodiscard]] const BackendInfo& info() const noexcept override { return device_->info(); }
  std::span<const float> forward(const ForwardBatch& batch) override;
  void start(const ForwardBatch& batch) override;
  std::span<const Sample> sample(std::span<const SampleRequest> requests) override;
  void copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) override;
  void copyPageOut(std::int32_t page, std::int32_t hostPage) override;
  void copyPageIn(std::int32_t hostPage, std::int32_t page) override;

 private:
  void computeLayers();
  void checkPages(std::int32_t page, std::int32_t hostPage) const;

  ModelConfig config_;
  PoolConfig pool_;
  std::unique_ptr<Device> device_;
  std::int32_t wanted_ = 0;  ///< rows of the pass that was started last; 0 once its results are gone
  HostSampler sampler_;
};

}  // namespace foretrace
