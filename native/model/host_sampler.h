// Choosing the tokens of a pass on the host, for devices and backends that leave it to the caller.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/backend.h"
#include "core/sampling.h"
#include "model/sampler.h"

namespace foretrace {

/// Throws `invalid_argument` unless every request names one of `wanted` rows and has a mask of the vocabulary's size or
/// none.
void validateSampling(std::span<const SampleRequest> requests, std::int32_t wanted, std::int32_t vocab);

/// Many requests over one pass's logits. Keeps its results until the next call.
class HostSampler {
 public:
  /// `most` requests need no further memory.
  explicit HostSampler(std::int32_t most = 0) { results_.reserve(static_cast<std::size_t>(most)); }

  /// `logits` is [rows, vocab]; requests have been checked.
  std::span<const Sample> sample(std::span<const float> logits, std::span<const SampleRequest> requests, std::int32_t vocab);

 private:
  Sampler sampler_;
  std::vector<Sample> results_;
};

/// A backend that has `forward` only: the other way of running a pass, made of it.
class HostSamplingBackend : public Backend {
 public:
  explicit HostSamplingBackend(std::int32_t vocab) : vocabulary_(vocab) {}

  void start(const ForwardBatch& batch) override;
  std::span<const Sample> sample(std::span<const SampleRequest> requests) override;

 private:
  std::int32_t vocabulary_;
  std::int32_t wanted_ = 0;
  std::span<const float> logits_;
  HostSampler sampler_;
};

}  // namespace foretrace
