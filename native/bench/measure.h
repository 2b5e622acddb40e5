// Prefill and decode of one model in one number format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/timed_device.h"
#include "core/step.h"
#include "cpu/profile.h"
#include "cpu/weight_type.h"
#include "io/model_files.h"

namespace foretrace::bench {

/// The model of a directory, or random weights of its config.json.
[[nodiscard]] LoadedModel modelOf(const std::string& directory, std::optional<std::uint64_t> seed);

/// One configuration. Prefill: a chunk of `context` tokens of one fresh sequence, logits of the last. Decode: `rows` more
/// tokens for each of `batch` sequences that have `context` tokens, all logits; more than one is a draft that is verified.
struct Workload {
  bool prefill = false;
  std::int32_t batch = 1;
  std::int32_t context = 0;
  std::int32_t rows = 1;
  bool shared = false;  ///< decode: all sequences read the same pages

  bool operator==(const Workload&) const = default;
};

struct Measurement {
  double seconds = 0;  ///< median of the repeats
  std::int32_t repeats = 0;
  std::int64_t rows = 0;
  double bytes = 0;       ///< weights and distinct keys and values that a forward must read
  double operations = 0;  ///< of the matrix products and attention
  PhaseSeconds phases{};  ///< seconds of one forward, means
  double productShare = 0;    ///< of the threads' time, inside matrix products
  double attentionShare = 0;  ///< of the threads' time, inside attention; the rest is everything else, waiting included
};

/// A model on the CPU, ready to be measured.
class Bench {
 public:
  Bench(const LoadedModel& model, const std::string& isa, WeightType type, std::int32_t threads, std::int32_t maxTokens,
        std::int32_t maxRows, const std::string& split = "auto");
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  [[nodiscard]] const BackendInfo& info() const { return backend_->info(); }
  [[nodiscard]] std::int32_t maxContext() const noexcept { return config_.maxContext; }
  /// Repeats for about `seconds`, at least five times.
  [[nodiscard]] Measurement measure(const Workload& workload, double seconds);
  /// Forward passes, one after the other; returns their seconds.
  [[nodiscard]] double run(const Workload& workload, std::int32_t passes);

 private:
  void fillPages();
  /// Passes before any of a workload counts: caches fill, and the device tries how to divide them.
  void settle(const Workload& workload, const ForwardBatch& batch);
  /// Runs the batch once more under the profile and fills in the shares.
  void profile(const ForwardBatch& batch, Measurement& result);

  ModelConfig config_;
  WeightType type_;
  PoolConfig pool_;
  PhaseSeconds phases_{};
  std::vector<Workload> settled_;
  cpu::Profile profile_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace foretrace::bench
