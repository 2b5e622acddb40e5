// Choosing tokens on the device. For translation units that nvcc compiles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/sample_weight.h"
#include "core/sampling.h"
#include "cuda/buffer.h"
#include "cuda/launch.h"
#include "cuda/ring.h"
#include "cuda/sample_tasks.h"

namespace foretrace::cuda {

/// Throws `invalid_argument` for a vocabulary with more tokens than a place has bits for.
inline void checkVocabulary(std::int32_t vocab) {
  constexpr std::int32_t most = 1 << weights::tokenBits;
  if (vocab <= most) return;
  throw Error(ErrorCode::invalid_argument, "vocabulary of a model on a GPU", "at most " + std::to_string(most), std::to_string(vocab));
}

/// Brings requests to the device, chooses there and brings back the tokens and what their probabilities are made of: the one
/// copy from the device an iteration has.
class DeviceSampler {
 public:
  explicit DeviceSampler(std::int32_t vocab) : vocab_(vocab), fractionBits_(weights::fractionBits(vocab)) {}

  /// `logits` is [rows, stride] on the device. Blocks until the stream is done, also without requests.
  std::span<const Sample> sample(std::span<const SampleRequest> requests, const float* logits, std::int64_t stride, const Stream& stream) {
    results_.clear();
    if (!requests.empty()) choose(requests, logits, stride, stream);
    stream.synchronize("choice of tokens");
    for (std::size_t i = 0; i < requests.size(); ++i) results_.push_back(weights::conclude(hostChosen_.data()[i], fractionBits_));
    return results_;
  }

 private:
  void choose(std::span<const SampleRequest> requests, const float* logits, std::int64_t stride, const Stream& stream) {
    bool moved = false;
    fillSampleTasks(requests, tasks_.acquire(sampleWords(requests), stream, moved));
    tasks_.submit(stream);
    const auto count = static_cast<std::int64_t>(requests.size());
    if (chosen_.size() < count) {
      chosen_ = DeviceBuffer<weights::Chosen>(2 * count, "chosen tokens");
      hostChosen_ = PinnedBuffer<weights::Chosen>(2 * count, "chosen tokens on the host");
      found_ = DeviceBuffer<SamplePart>(2 * count * sampleParts(vocab_), "parts of rows");
    }
    const std::int32_t* words = tasks_.device();
    launchSample({logits, stride, reinterpret_cast<const SampleTask*>(words), reinterpret_cast<const std::uint32_t*>(words),
                  chosen_.data(), found_.data(), static_cast<int>(count), vocab_, fractionBits_, sampleParts(vocab_)}, stream.get());
    check(cudaMemcpyAsync(hostChosen_.data(), chosen_.data(), requests.size() * sizeof(weights::Chosen), cudaMemcpyDeviceToHost,
                          stream.get()), "copy of chosen tokens");
  }

  std::int32_t vocab_;
  int fractionBits_;
  UploadRing tasks_{"sampling requests"};
  DeviceBuffer<weights::Chosen> chosen_;
  PinnedBuffer<weights::Chosen> hostChosen_;
  DeviceBuffer<SamplePart> found_;
  std::vector<Sample> results_;
};

}  // namespace foretrace::cuda
