// From one row of logits to one token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/sample_weight.h"
#include "core/sampling.h"

namespace foretrace {

/// A number in [0, 1) that depends on seed and position alone.
[[nodiscard]] double uniformDraw(std::uint64_t seed, std::uint64_t position) noexcept;

/// Chooses among the legal tokens of one row: the greatest logit (ties to the lowest id) when greedy; else a draw that
/// walks the tokens in ascending order, or, with a nucleus, from the likeliest on (ties to the lowest id). Weights are
/// fixed-point numbers (core/sample_weight.h), so equal logits give equal bits here and on every device; a token less
/// likely than the likeliest by a factor of 2^fractionBits is not drawn. Keeps scratch memory; one thread at a time.
class Sampler {
 public:
  /// `mask` has a bit for each legal token ([ceil(vocab / 32)] words), or is empty: all are legal. `position` is that of
  /// the token to be drawn. Tokens with NaN or infinite logits are never chosen and have probability 0.
  Sample sample(std::span<const float> logits, std::span<const std::uint32_t> mask, const Sampling& sampling,
                std::uint64_t position);

 private:
  struct Candidate {
    std::int32_t token;
    float logit;
    std::uint64_t weight;  ///< at the temperature asked for
    std::uint64_t key;     ///< from the likeliest on; of no use where the weight is 0
  };

  void collect(std::span<const float> logits, std::span<const std::uint32_t> mask);
  [[nodiscard]] const Candidate& greatest() const;
  const Candidate& draw(const weights::Choice& choice, float top, int fractionBits);

  std::vector<Candidate> candidates_;
};

}  // namespace foretrace
