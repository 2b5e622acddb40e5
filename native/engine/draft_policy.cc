#include "engine/draft_policy.h"

#include <algorithm>

namespace foretrace {

namespace {

constexpr double forgetAt = 256;       ///< guesses of a kind after which old ones count half
constexpr double forgetting = 0.98;    ///< weight of a pass when the next one is measured
constexpr double priorRows = 8;        ///< rows that cost as much as the fixed part, until measured
constexpr double priorVariance = 16;   ///< rows squared: how soon measurements outweigh the prior
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

void PassCosts::measured(std::int32_t rows, double micros) noexcept {
  if (rows < 1 || rows > mostRows || !(micros > 0)) return;
  // A pass that something else on the machine held up says little about rows.
  if (weight_ > 8) micros = std::min(micros, 2 * (fixed() + perRow() * rows));
  weight_ = weight_ * forgetting + 1;
  variance_ *= forgetting;
  covariance_ *= forgetting;
  const double rowsApart = rows - rows_;
  rows_ += rowsApart / weight_;
  micros_ += (micros - micros_) / weight_;
  variance_ += rowsApart * (rows - rows_);
  covariance_ += rowsApart * (micros - micros_);
}

double PassCosts::perRow() const noexcept {
  if (weight_ == 0) return 1;
  const double prior = micros_ / (priorRows + rows_);
  const double slope = (covariance_ + priorVariance * prior) / (variance_ + priorVariance);
  return std::clamp(slope, 0.002 * micros_, micros_ / rows_);
}

double PassCosts::fixed() const noexcept {
  if (weight_ == 0) return priorRows;
  return std::max(0.0, micros_ - perRow() * rows_);
}

double PassCosts::leastProbability(std::int32_t sequences) const noexcept {
  const double row = margin * perRow();
  return row / (row + fixed() / std::max(sequences, 1));
}

void SequenceTrust::count(double expected, bool right) noexcept {
  expected_ += expected;
  right_ += right ? 1 : 0;
}

double SequenceTrust::factor() const noexcept { return std::clamp((right_ + 4) / (expected_ + 4), 0.25, 1.1); }

}  // namespace foretrace
