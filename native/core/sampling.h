// What is asked of a row of logits and what comes back.
#pragma once

#include <cstdint>
#include <span>

namespace foretrace {

struct Sampling {
  double temperature = 0;  ///< 0 = greedy, ties to the lowest token id
  double topP = 1;         ///< nucleus mass in (0, 1]; 1 = off (Holtzman et al. 2020)
  std::uint64_t seed = 0;
};

struct Sample {
  std::int32_t token = -1;      ///< -1: no legal token has a finite logit
  float logProbability = 0;     ///< of the legal tokens' distribution at temperature 1, natural logarithm
};

/// One token to choose from one row of a pass. Rows of one sequence may be asked for together, each with the mask and
/// position of its own: what a row gives depends on that row alone.
struct SampleRequest {
  std::int32_t row = 0;                  ///< index into ForwardBatch::logitRows
  std::span<const std::uint32_t> mask;   ///< [ceil(vocab / 32)] a bit for each legal token; empty: all are legal
  Sampling sampling;
  std::uint64_t position = 0;            ///< of the token to be chosen
};

}  // namespace foretrace
