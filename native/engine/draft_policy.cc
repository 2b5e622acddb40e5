#include "engine/draft_policy.h"

#include <algorithm>

namespace foretrace {

namespace {

constexpr double forgetAt = 256;       ///< guesses of a kind after which old ones count half
constexpr double priorRows = 8;        ///< rows that cost as much as the fixed part, until measured
constexpr double quantile = 0.25;      ///< of the times of a pass, kept as its cost
constexpr double rate = 0.08;          ///< most that one measurement changes a cost, as a share of it
constexpr double typicalDraft = 6;     ///< rows over which the cost of a row is taken
constexpr double margin = 1.1;         ///< drafts must pay by this much

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

PassCosts::PassCosts() {
  for (std::size_t i = 0; i < nodes.size(); ++i) micros_[i] = priorRows + nodes[i];
}

std::size_t PassCosts::nodeBefore(double rows) const noexcept {
  std::size_t before = 0;
  while (before + 2 < nodes.size() && nodes[before + 1] <= rows) ++before;
  return before;
}

double PassCosts::of(double rows) const noexcept {
  const std::size_t i = nodeBefore(rows);
  return micros_[i] + (micros_[i + 1] - micros_[i]) * (rows - nodes[i]) / (nodes[i + 1] - nodes[i]);
}

void PassCosts::measured(std::int32_t rows, double micros) noexcept {
  if (rows < 1 || rows > static_cast<std::int32_t>(nodes.back()) || !(micros > 0)) return;
  const double known = of(rows);
  const std::size_t before = nodeBefore(rows);
  const double part = (rows - nodes[before]) / (nodes[before + 1] - nodes[before]);
  const std::size_t nearest = before + (part > 0.5 ? 1 : 0);
  if (!anySeen_) {
    for (double& cost : micros_) cost *= micros / known;
  } else if (!seen_[nearest]) {
    micros_[nearest] *= micros / known;
  } else {
    const double step = micros > known ? rate * quantile : rate * (quantile - 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      // Numbers of rows that were never met go along.
      const double weight = !seen_[i] ? 1 : i == before ? 1 - part : i == before + 1 ? part : 0;
      micros_[i] *= 1 + weight * step;
    }
  }
  anySeen_ = seen_[nearest] = true;
}

double PassCosts::leastProbability(std::int32_t sequences, std::int32_t rows) const noexcept {
  const double share = of(std::max(sequences, 1)) / std::max(sequences, 1);
  const double row = std::max((of(rows + typicalDraft) - of(rows)) / typicalDraft, 0.01 * share);
  return std::min(margin * row / share, 1.0);
}

void SequenceTrust::count(double expected, bool right) noexcept {
  expected_ += expected;
  right_ += right ? 1 : 0;
}

double SequenceTrust::factor() const noexcept { return std::clamp((right_ + 4) / (expected_ + 4), 0.25, 1.1); }

}  // namespace foretrace
