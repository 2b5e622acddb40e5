#include "model/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace foretrace {

double uniformDraw(std::uint64_t seed, std::uint64_t position) noexcept {
  const auto mix = [](std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
  };
  return static_cast<double>(mix(mix(seed) ^ mix(~position)) >> 11) * 0x1.0p-53;
}

void Sampler::collect(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  candidates_.clear();
  const auto add = [&](std::size_t token) {
    if (std::isfinite(logits[token])) candidates_.push_back({static_cast<std::int32_t>(token), logits[token], 0});
  };
  if (mask.empty()) {
    for (std::size_t token = 0; token < logits.size(); ++token) add(token);
    return;
  }
  for (std::size_t word = 0; word < mask.size(); ++word) {
    for (std::uint32_t bits = mask[word]; bits != 0; bits &= bits - 1) {
      add(word * 32 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

std::size_t Sampler::greatest() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < candidates_.size(); ++i) {
    if (candidates_[i].logit > candidates_[best].logit) best = i;
  }
  return best;
}

std::size_t Sampler::draw(const Sampling& sampling, float top, std::uint64_t position) {
  double mass = 0;
  for (Candidate& candidate : candidates_) {
    candidate.weight = std::exp((double{candidate.logit} - double{top}) / sampling.temperature);
    mass += candidate.weight;
  }
  std::size_t kept = candidates_.size();
  if (sampling.topP < 1) {
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      return std::tuple(-a.weight, a.token) < std::tuple(-b.weight, b.token);
    });
    const double wanted = sampling.topP * mass;
    mass = 0;
    kept = 0;
    while (kept < candidates_.size() && (kept == 0 || mass < wanted)) mass += candidates_[kept++].weight;
  }
  const double point = uniformDraw(sampling.seed, position) * mass;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < kept; ++i) {
    sum += candidates_[i].weight;
    if (point < sum) return i;
  }
  return kept - 1;
}

Sample Sampler::sample(std::span<const float> logits, std::span<const std::uint32_t> mask, const Sampling& sampling,
                       std::uint64_t position) {
  collect(logits, mask);
  if (candidates_.empty()) return {};
  const std::size_t best = greatest();
  const float top = candidates_[best].logit;
  double total = 0;
  for (const Candidate& candidate : candidates_) total += std::exp(double{candidate.logit} - double{top});
  const Candidate chosen = sampling.temperature > 0 ? candidates_[draw(sampling, top, position)] : candidates_[best];
  return {chosen.token, static_cast<float>(double{chosen.logit} - double{top} - std::log(total))};
}

}  // namespace foretrace
