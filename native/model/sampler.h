// From one row of logits to one token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/sampling.h"

namespace foretrace {

/// A number in [0, 1) that depends on seed and position alone (SplitMix64 used as a counter-based generator).
[[nodiscard]] double uniformDraw(std::uint64_t seed, std::uint64_t position) noexcept;

/// Chooses among the legal tokens of one row. All sums run in ascending token order in double precision, so equal
/// logits give equal bits. Keeps scratch memory; one thread at a time.
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
    double weight;  ///< exp((logit - greatest) / temperature)
  };

  void collect(std::span<const float> logits, std::span<const std::uint32_t> mask);
  [[nodiscard]] std::size_t greatest() const;
  std::size_t draw(const Sampling& sampling, float top, std::uint64_t position);

  std::vector<Candidate> candidates_;
};

}  // namespace foretrace
