#include "engine/draft_policy.h"

#include <algorithm>

namespace foretrace {

namespace {

constexpr double forgetAt = 256;       ///< guesses of a kind after which old ones count half
constexpr double priorRows = 8;        ///< rows that cost as much as the fixed part, until measured
constexpr double quantile = 0.25;      ///< of the times of a pass, kept as its cost
constexpr double rate = 0.08;          ///< most that one measurement changes a cost, as a share of it
constexpr double freeRows = 32;        ///< the fixed part of a pass costs what so many rows do, at most
constexpr double typicalDraft = 6;     ///< rows over which the cost of a row is taken
constexpr double margin = 1.1;         ///< drafts must pay by this much

/// What a pass costs in comparison with others, as far as nothing is measured.
double shape(double rows) { return priorRows + rows; }

}  // namespace

std::uint8_t GuessRates::kindOf(GuessSource source, GuessPlace place, std::int32_t matched) noexcept {
  const auto at = static_cast<std::size_t>(place);
  if (source != GuessSource::suffix) return static_cast<std::uint8_t>(static_cast<std::size_t>(source) * places + at);
  const std::size_t length = matched >= 8 ? 4 : matched >= 4 ? 3 : static_cast<std::size_t>(std::max(matched, 1) - 1);
  return static_cast<std::uint8_t>(3 * places + at * lengths + length);
}

GuessRates::GuessRates() {
  // Shares measured on walks of the model that ships; where they are wrong for another one, counting soon corrects them.
  const std::array<double, 3> priors{0.95, 0.85, 0.4};
  for (std::size_t source = 0; source < priors.size(); ++source) {
    for (std::size_t place = 0; place < places; ++place) rates_[source * places + place].prior = priors[source];
  }
  const std::array<double, lengths> bySuffix{0.3, 0.5, 0.6, 0.75, 0.85};
  for (std::size_t i = 0; i < places * lengths; ++i) rates_[3 * places + i].prior = bySuffix[i % lengths];
}

void GuessRates::count(std::uint8_t kind, bool right) {
  Rate& rate = rates_[kind];
  rate.total += 1;
  rate.right += right ? 1 : 0;
  if (rate.total < forgetAt) return;
  rate.total /= 2;
  rate.right /= 2;
}

double PassCosts::of(double rows) const noexcept {
  std::size_t above = 0;
  std::size_t below = nodes.size();
  std::size_t beforeBelow = nodes.size();
  for (; above < nodes.size() && (nodes[above] <= rows || micros_[above] == 0); ++above) {
    if (micros_[above] == 0) continue;
    beforeBelow = below;
    below = above;
  }
  if (below == nodes.size()) {
    return above == nodes.size() ? shape(rows) : micros_[above] * shape(rows) / shape(nodes[above]);
  }
  const double known = micros_[below];
  const double slope = above < nodes.size()         ? (micros_[above] - known) / (nodes[above] - nodes[below])
                       : beforeBelow < nodes.size() ? (known - micros_[beforeBelow]) / (nodes[below] - nodes[beforeBelow])
                                                    : known / shape(nodes[below]);
  return known + slope * (rows - nodes[below]);
}

void PassCosts::measured(std::int32_t rows, double micros) noexcept {
  if (rows < 1 || rows > static_cast<std::int32_t>(nodes.back()) || !(micros > 0)) return;
  std::size_t nearest = 0;
  while (nearest + 1 < nodes.size() && nodes[nearest] + nodes[nearest + 1] < 2.0 * rows) ++nearest;
  if (micros_[nearest] == 0) {
    micros_[nearest] = micros * shape(nodes[nearest]) / shape(rows);
  } else {
    micros_[nearest] *= 1 + (micros > of(rows) ? rate * quantile : rate * (quantile - 1));
  }
}

double PassCosts::leastProbability(std::int32_t sequences, std::int32_t rows) const noexcept {
  const double share = of(std::max(sequences, 1)) / std::max(sequences, 1);
  // Two measurements that were disturbed may say that rows cost nothing: no machine is as fast as that.
  const double least = of(rows) / (freeRows + rows);
  const double row = std::max((of(rows + typicalDraft) - of(rows)) / typicalDraft, least);
  return std::min(margin * row / share, 1.0);
}

void SequenceTrust::count(double expected, bool right) noexcept {
  expected_ += expected;
  right_ += right ? 1 : 0;
}

double SequenceTrust::factor() const noexcept { return std::clamp((right_ + 4) / (expected_ + 4), 0.25, 1.1); }

}  // namespace foretrace
