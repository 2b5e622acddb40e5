// A device that adds up where the time of its phases goes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "bench/clock.h"
#include "core/device.h"

namespace foretrace::bench {

enum class Phase : std::uint8_t { begin, embed, layers, logits };

inline constexpr std::array<const char*, 4> phaseNames = {"begin", "embed", "layers", "logits"};

/// Seconds spent in every phase since the last reset.
using PhaseSeconds = std::array<double, phaseNames.size()>;

class TimedDevice final : public Device {
 public:
  TimedDevice(std::unique_ptr<Device> device, PhaseSeconds& seconds) : device_(std::move(device)), seconds_(seconds) {}

  [[nodiscard]] const BackendInfo& info() const noexcept override { return device_->info(); }
  void begin(const ForwardBatch& batch) override { timed(Phase::begin, [&] { device_->begin(batch); }); }
  [[nodiscard]] bool repeats() const noexcept override { return device_->repeats(); }
  void embed() override { timed(Phase::embed, [&] { device_->embed(); }); }
  void layer(std::int32_t layer) override { timed(Phase::layers, [&] { device_->layer(layer); }); }
  void attentionInput(std::int32_t layer) override { device_->attentionInput(layer); }
  void attention(std::int32_t layer) override { device_->attention(layer); }
  void attentionOutput(std::int32_t layer) override { device_->attentionOutput(layer); }
  void feedForwardInput(std::int32_t layer) override { device_->feedForwardInput(layer); }
  void feedForwardOutput(std::int32_t layer) override { device_->feedForwardOutput(layer); }
  void head() override { timed(Phase::logits, [&] { device_->head(); }); }
  std::span<const float> logits() override {
    std::span<const float> result;
    timed(Phase::logits, [&] { result = device_->logits(); });
    return result;
  }
  [[nodiscard]] bool samples() const noexcept override { return device_->samples(); }
  std::span<const Sample> sample(std::span<const SampleRequest> requests) override { return device_->sample(requests); }
  void copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) override { device_->copyPage(from, to, tokens); }

 private:
  template <typename Action>
  void timed(Phase phase, const Action& action) {
    const double start = now();
    action();
    seconds_[static_cast<std::size_t>(phase)] += now() - start;
  }

  std::unique_ptr<Device> device_;
  PhaseSeconds& seconds_;
};

}  // namespace foretrace::bench
