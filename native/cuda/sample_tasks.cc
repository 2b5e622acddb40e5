#include "cuda/sample_tasks.h"

#include <cstring>

namespace foretrace::cuda {
namespace {

bool sharesMask(const SampleRequest& a, const SampleRequest& b) noexcept {
  return a.mask.data() == b.mask.data() && a.mask.size() == b.mask.size();
}

}  // namespace

std::size_t sampleWords(std::span<const SampleRequest> requests) noexcept {
  std::size_t words = requests.size() * sampleTaskWords;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i == 0 || !sharesMask(requests[i - 1], requests[i])) words += requests[i].mask.size();
  }
  return words;
}

void fillSampleTasks(std::span<const SampleRequest> requests, std::span<std::int32_t> to) noexcept {
  std::size_t next = requests.size() * sampleTaskWords;
  std::int32_t mask = -1;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const SampleRequest& request = requests[i];
    if (i == 0 || !sharesMask(requests[i - 1], request)) {
      mask = request.mask.empty() ? -1 : static_cast<std::int32_t>(next);
      if (!request.mask.empty()) std::memcpy(to.data() + next, request.mask.data(), request.mask.size_bytes());
      next += request.mask.size();
    }
    const weights::Choice choice = weights::choiceOf(request.sampling, request.position);
    const SampleTask task{request.row, mask, choice.temperature, 0, choice.draw, choice.nucleus};
    std::memcpy(to.data() + i * sampleTaskWords, &task, sizeof task);
  }
}

}  // namespace foretrace::cuda
