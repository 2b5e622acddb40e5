#include "model/sampler.h"

#include <algorithm>
#include <bit>

#include "core/error.h"

namespace foretrace {

double uniformDraw(std::uint64_t seed, std::uint64_t position) noexcept {
  return static_cast<double>(weights::drawBits(seed, position)) * 0x1.0p-53;
}

void Sampler::collect(std::span<const float> logits, std::span<const std::uint32_t> mask) {
  candidates_.clear();
  const auto add = [&](std::size_t token) {
    if (token < logits.size() && weights::isFinite(logits[token])) {
      candidates_.push_back({static_cast<std::int32_t>(token), logits[token], 0, 0});
    }
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

const Sampler::Candidate& Sampler::greatest() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < candidates_.size(); ++i) {
    if (candidates_[i].logit > candidates_[best].logit) best = i;
  }
  return candidates_[best];
}

const Sampler::Candidate& Sampler::draw(const weights::Choice& choice, float top, int fractionBits) {
  std::uint64_t mass = 0;
  for (Candidate& candidate : candidates_) {
    const float x = weights::scaledLogit(candidate.logit, top, choice.temperature);
    candidate.weight = weights::weightOf(x, fractionBits);
    candidate.key = candidate.weight > 0 ? weights::likelihoodKey(x, candidate.token) : 0;
    mass += candidate.weight;
  }
  // The first candidate at which the weights so far reach `target`.
  const auto reach = [this](std::uint64_t target, std::uint64_t& reached) -> const Candidate& {
    reached = 0;
    for (const Candidate& candidate : candidates_) {
      reached += candidate.weight;
      if (reached >= target) return candidate;
    }
    throw Error(ErrorCode::internal, "a draw leaves the distribution");
  };
  if (choice.nucleus > 0) {
    std::erase_if(candidates_, [](const Candidate& candidate) { return candidate.weight == 0; });
    std::ranges::sort(candidates_, {}, &Candidate::key);
    const std::uint64_t wanted = weights::nucleusTarget(choice.nucleus, mass);
    static_cast<void>(reach(wanted, mass));
  }
  std::uint64_t reached = 0;
  return reach(weights::drawTarget(choice.draw, mass), reached);
}

Sample Sampler::sample(std::span<const float> logits, std::span<const std::uint32_t> mask, const Sampling& sampling,
                       std::uint64_t position) {
  collect(logits, mask);
  if (candidates_.empty()) return {};
  const int fractionBits = weights::fractionBits(static_cast<std::int32_t>(logits.size()));
  const Candidate best = greatest();
  weights::Chosen chosen{best.token, best.logit, best.logit, 0};
  for (const Candidate& candidate : candidates_) {
    chosen.total += weights::weightOf(weights::scaledLogit(candidate.logit, best.logit, 1.0F), fractionBits);
  }
  const weights::Choice choice = weights::choiceOf(sampling, position);
  if (choice.temperature > 0) {
    const Candidate& drawn = draw(choice, best.logit, fractionBits);
    chosen.token = drawn.token;
    chosen.logit = drawn.logit;
  }
  return weights::conclude(chosen, fractionBits);
}

}  // namespace foretrace
