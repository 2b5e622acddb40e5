#include "model/host_sampler.h"

#include <string>

#include "core/error.h"

namespace foretrace {

void validateSampling(std::span<const SampleRequest> requests, std::int32_t wanted, std::int32_t vocab) {
  const auto words = (static_cast<std::size_t>(vocab) + 31) / 32;
  for (const SampleRequest& request : requests) {
    if (request.row < 0 || request.row >= wanted) {
      throw Error(ErrorCode::invalid_argument, "row to choose a token from", "a row with logits (of " + std::to_string(wanted) + ")",
                  std::to_string(request.row));
    }
    if (!request.mask.empty() && request.mask.size() != words) {
      throw Error(ErrorCode::invalid_argument, "words of a mask", std::to_string(words), std::to_string(request.mask.size()));
    }
  }
}

std::span<const Sample> HostSampler::sample(std::span<const float> logits, std::span<const SampleRequest> requests,
                                            std::int32_t vocab) {
  const auto width = static_cast<std::size_t>(vocab);
  results_.clear();
  for (const SampleRequest& request : requests) {
    const auto row = logits.subspan(static_cast<std::size_t>(request.row) * width, width);
    results_.push_back(sampler_.sample(row, request.mask, request.sampling, request.position));
  }
  return results_;
}

void HostSamplingBackend::start(const ForwardBatch& batch) {
  wanted_ = 0;
  logits_ = forward(batch);
  wanted_ = batch.wanted();
}

std::span<const Sample> HostSamplingBackend::sample(std::span<const SampleRequest> requests) {
  validateSampling(requests, wanted_, vocabulary_);
  return sampler_.sample(logits_, requests, vocabulary_);
}

}  // namespace foretrace
