#include "engine/draft_policy.h"

#include <algorithm>

namespace foretrace {

namespace {

constexpr double forgetAt = 256;       ///< guesses of a kind after which old ones count half
constexpr double priorRows = 8;        ///< rows that cost as much as the fixed part, until measured
constexpr double quantile = 0.25;      ///< of the times of a pass, kept as its cost
constexpr double leastRate = 0.04;     ///< most that a measurement changes a cost that is known well, as a share of it
constexpr double firstRate = 1;        ///< the same at the beginning, divided by the passes measured
constexpr double nearFactor = 4;       ///< numbers of rows that tell about each other
constexpr double freeRows = 32;        ///< the fixed part of a pass costs what so many rows do, at most
constexpr double companyRate = 0.02;   ///< what one pass of one sequence counts for the average
constexpr double margin = 1.5;         ///< drafts must pay by this much: ends of calls and waiting of others cost, too

/// What a pass costs in comparison with others, as far as nothing is measured.
constexpr PassCosts::Line unmeasured{.fixed = priorRows, .row = 1};

}  // namespace

std::uint8_t GuessRates::kindOf(GuessSource source, GuessPlace place, std::int32_t matched) noexcept {
  const auto at = static_cast<std::size_t>(place);
  if (source != GuessSource::suffix) return static_cast<std::uint8_t>(static_cast<std::size_t>(source) * places + at);
  const std::size_t length = matched >= 8 ? 4 : matched >= 4 ? 3 : static_cast<std::size_t>(std::max(matched, 1) - 1);
  return static_cast<std::uint8_t>(sources * places + at * lengths + length);
}

GuessRates::GuessRates() {
  // Shares measured on walks of the model that ships; where they are wrong for another one, counting soon corrects them.
  const std::array<double, sources> priors{0.95, 0.85, 0.4, 0.95};
  for (std::size_t source = 0; source < sources; ++source) {
    for (std::size_t place = 0; place < places; ++place) rates_[source * places + place].prior = priors[source];
  }
  const std::array<double, lengths> bySuffix{0.3, 0.5, 0.6, 0.75, 0.85};
  for (std::size_t i = 0; i < places * lengths; ++i) rates_[sources * places + i].prior = bySuffix[i % lengths];
}

void GuessRates::count(std::uint8_t kind, bool right) {
  Rate& rate = rates_[kind];
  rate.total += 1;
  rate.right += right ? 1 : 0;
  if (rate.total < forgetAt) return;
  rate.total /= 2;
  rate.right /= 2;
}

PassCosts::Line PassCosts::near(double rows) const noexcept {
  double weights = 0;
  double meanRows = 0;
  double meanMicros = 0;
  const auto forEachNear = [&](double factor, auto&& add) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (costs_[i].passes == 0 || nodes[i] > factor * rows || factor * nodes[i] < rows) continue;
      add(nodes[i], costs_[i].micros, 1 / (costs_[i].micros * costs_[i].micros));
    }
  };
  double reach = nearFactor;
  const auto count = [&](double node, double micros, double weight) {
    weights += weight;
    meanRows += weight * node;
    meanMicros += weight * micros;
  };
  forEachNear(reach, count);
  if (weights == 0) forEachNear(reach = 2 * nodes.back(), count);
  if (weights == 0) return unmeasured;
  meanRows /= weights;
  meanMicros /= weights;
  double square = 0;
  double product = 0;
  forEachNear(reach, [&](double node, double micros, double weight) {
    square += weight * (node - meanRows) * (node - meanRows);
    product += weight * (node - meanRows) * (micros - meanMicros);
  });
  const double slope = square > 0 ? product / square : meanMicros / unmeasured.at(meanRows);
  const double row = std::clamp(slope, meanMicros / (freeRows + meanRows), meanMicros / meanRows);
  return {.fixed = meanMicros - row * meanRows, .row = row};
}

void PassCosts::measured(std::int32_t rows, double micros) noexcept {
  if (rows < 1 || rows > static_cast<std::int32_t>(nodes.back()) || !(micros > 0)) return;
  std::size_t nearest = 0;
  while (nearest + 1 < nodes.size() && nodes[nearest] + nodes[nearest + 1] < 2.0 * rows) ++nearest;
  Cost& cost = costs_[nearest];
  // What the pass would have taken with the rows of the node.
  const Line line = cost.passes == 0 ? unmeasured : near(nodes[nearest]);
  const double there = micros * line.at(nodes[nearest]) / line.at(rows);
  cost.passes += 1;
  if (cost.passes == 1) {
    cost.micros = there;
    return;
  }
  const double rate = std::max(leastRate, firstRate / cost.passes);
  cost.micros *= 1 + rate * (there > cost.micros ? quantile : quantile - 1);
}

void Company::met(double otherRows, double otherSequences) noexcept {
  rows += companyRate * (otherRows - rows);
  sequences += companyRate * (otherSequences - sequences);
}

double PassCosts::leastProbability(std::int32_t rows, const Company& company) const noexcept {
  const Line later = near(1 + company.rows);
  const double saved = later.row + later.fixed / (1 + company.sequences);
  return std::min(margin * near(rows).row / saved, 1.0);
}

void SequenceTrust::count(double expected, bool right) noexcept {
  expected_ += expected;
  right_ += right ? 1 : 0;
}

double SequenceTrust::factor() const noexcept { return std::clamp((right_ + 4) / (expected_ + 4), 0.25, 1.1); }

}  // namespace foretrace
