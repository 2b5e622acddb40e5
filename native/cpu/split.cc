#include "cpu/split.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "core/error.h"

namespace foretrace::cpu {
namespace {

constexpr std::int32_t trialPasses = 5;    ///< in the first of them other threads wake
constexpr std::uint32_t retryAfter = 200;  ///< passes
constexpr std::uint32_t rarely = 8;        ///< one in so many trials of a division that was far slower is made
constexpr double farSlower = 1.5;
constexpr double quantile = 0.25;
constexpr double rate = 0.1;               ///< most that one measurement changes a time, as a share of it
constexpr double passRows = 8;             ///< rows that cost about as much as a pass besides its rows
/// A longer pass is one in which waking and meeting threads take no part that counts: one look tells, and one thread cannot win.
constexpr double longPass = 3e-3;

}  // namespace

std::optional<Split> splitNamed(std::string_view name) {
  if (name == "auto") return {};
  if (name == "solo") return Split::solo;
  if (name == "rows") return Split::rows;
  if (name == "columns") return Split::columns;
  throw Error(ErrorCode::invalid_argument, "division of a pass", "auto, solo, rows or columns", std::string(name));
}

SplitChoice::SplitChoice(std::int32_t threads, std::optional<Split> forced) noexcept
    : threads_(threads), forced_(threads == 1 ? Split::solo : forced) {
  for (Bucket& bucket : buckets_) startTrial(bucket, Split::columns);
}

std::size_t SplitChoice::bucketOf(std::int32_t rows) noexcept {
  const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(std::max(rows, 1) - 1)));
  return std::min(width, std::tuple_size_v<decltype(buckets_)> - 1);
}

void SplitChoice::startTrial(Bucket& bucket, Split split) noexcept {
  bucket.trial = split;
  bucket.trialLeft = trialPasses;
  bucket.trialTime = std::numeric_limits<double>::infinity();
  bucket.passes = 0;
}

bool SplitChoice::isWorthTrying(const Bucket& bucket, Split split, std::int32_t rows) const noexcept {
  if (split == Split::rows) return rows >= threads_;
  const double known = bucket.time[static_cast<std::size_t>(Split::columns)] * (passRows + rows);
  return split == Split::columns || known < longPass;
}

void SplitChoice::endTrial(Bucket& bucket, std::int32_t rows) const noexcept {
  bucket.trialLeft = 0;
  // The first passes of all read weights from memory that later ones find in caches: they are not compared with anything.
  if (++bucket.trials == 1) return startTrial(bucket, bucket.trial);
  double& time = bucket.time[static_cast<std::size_t>(bucket.trial)];
  time = bucket.trialTime;
  if (time < bucket.time[static_cast<std::size_t>(bucket.best)]) bucket.best = bucket.trial;
  for (const Split split : {Split::rows, Split::solo}) {
    if (bucket.time[static_cast<std::size_t>(split)] == 0 && isWorthTrying(bucket, split, rows)) return startTrial(bucket, split);
  }
}

Split SplitChoice::choose(std::int32_t rows) noexcept {
  if (forced_) return *forced_;
  Bucket& bucket = buckets_[bucketOf(rows)];
  if (bucket.trialLeft == 0 && ++bucket.passes > retryAfter) {
    bucket.passes = 0;
    const auto other = static_cast<Split>((static_cast<std::uint32_t>(bucket.best) + 1 + bucket.trials % (splits - 1)) % splits);
    const bool isFar = bucket.time[static_cast<std::size_t>(other)] > farSlower * bucket.time[static_cast<std::size_t>(bucket.best)];
    if (!isWorthTrying(bucket, other, rows) || (isFar && bucket.trials / 2 % rarely != 0)) {
      ++bucket.trials;
    } else {
      startTrial(bucket, other);
    }
  }
  return bucket.trialLeft > 0 ? bucket.trial : bucket.best;
}

void SplitChoice::measured(std::int32_t rows, double seconds) noexcept {
  if (forced_) return;
  Bucket& bucket = buckets_[bucketOf(rows)];
  const double cost = seconds / (passRows + rows);
  if (bucket.trialLeft == 0) {
    double& kept = bucket.time[static_cast<std::size_t>(bucket.best)];
    kept *= 1 + (cost > kept ? rate * quantile : rate * (quantile - 1));
    return;
  }
  bucket.trialTime = std::min(bucket.trialTime, cost);
  const bool isFirst = bucket.trialLeft == trialPasses;
  if (--bucket.trialLeft == 0 || (!isFirst && seconds > longPass)) endTrial(bucket, rows);
}

}  // namespace foretrace::cpu
