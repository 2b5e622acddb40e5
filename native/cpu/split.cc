#include "cpu/split.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace foretrace::cpu {
namespace {

constexpr std::int32_t trialPasses = 5;   ///< in the first of them other threads wake
constexpr std::uint32_t retryAfter = 200; ///< passes
constexpr std::uint32_t rarely = 8;       ///< one in so many trials of a division that was far slower is made
constexpr double farSlower = 1.5;
constexpr double quantile = 0.25;
constexpr double rate = 0.1;              ///< most that one measurement changes a time, as a share of it
constexpr double passRows = 8;            ///< rows that cost about as much as a pass besides its rows

}  // namespace

SplitChoice::SplitChoice(std::int32_t threads) noexcept : alone_(threads == 1) {
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

void SplitChoice::endTrial(Bucket& bucket) noexcept {
  bucket.time[static_cast<std::size_t>(bucket.trial)] = bucket.trialTime;
  ++bucket.trials;
  const auto unknown = std::ranges::find(bucket.time, 0.0);
  if (unknown != bucket.time.end()) return startTrial(bucket, static_cast<Split>(unknown - bucket.time.begin()));
  bucket.best = static_cast<Split>(std::ranges::min_element(bucket.time) - bucket.time.begin());
}

Split SplitChoice::choose(std::int32_t rows) noexcept {
  if (alone_) return Split::solo;
  Bucket& bucket = buckets_[bucketOf(rows)];
  if (bucket.trialLeft == 0 && ++bucket.passes > retryAfter) {
    bucket.passes = 0;
    const auto other = static_cast<Split>((static_cast<std::uint32_t>(bucket.best) + 1 + bucket.trials % (splits - 1)) % splits);
    const bool isFar = bucket.time[static_cast<std::size_t>(other)] > farSlower * bucket.time[static_cast<std::size_t>(bucket.best)];
    if (isFar && bucket.trials / 2 % rarely != 0) {
      ++bucket.trials;
    } else {
      startTrial(bucket, other);
    }
  }
  return bucket.trialLeft > 0 ? bucket.trial : bucket.best;
}

void SplitChoice::measured(std::int32_t rows, double time) noexcept {
  if (alone_) return;
  Bucket& bucket = buckets_[bucketOf(rows)];
  const double cost = time / (passRows + rows);
  if (bucket.trialLeft == 0) {
    double& kept = bucket.time[static_cast<std::size_t>(bucket.best)];
    kept *= 1 + (cost > kept ? rate * quantile : rate * (quantile - 1));
    return;
  }
  bucket.trialTime = std::min(bucket.trialTime, cost);
  if (--bucket.trialLeft == 0) endTrial(bucket);
}

}  // namespace foretrace::cpu
