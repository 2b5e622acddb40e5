// How a forward pass is divided over the threads: measured as the device runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foretrace::cpu {

/// Handing results from one processor to another takes a time of its own, so the fastest division depends on the model, the
/// rows and the machine. All of them give the same bits.
enum class Split : std::uint8_t {
  solo,     ///< the calling thread alone
  rows,     ///< every thread takes some rows through a whole layer, and so reads all weights
  columns,  ///< every thread takes some columns of each product, and so meets the others after each
};

/// "solo", "rows" or "columns"; nothing for "auto". Throws `invalid_argument` for another name.
[[nodiscard]] std::optional<Split> splitNamed(std::string_view name);

/// Chooses a division for each pass: the one that has been fastest for such a number of rows. Now and then another is tried for
/// some passes, because what else a machine does changes.
class SplitChoice {
 public:
  /// `forced`: always this one.
  explicit SplitChoice(std::int32_t threads, std::optional<Split> forced = {}) noexcept;

  /// For a pass of `rows` rows; solo where there is one thread.
  [[nodiscard]] Split choose(std::int32_t rows) noexcept;
  /// A pass of `rows` rows with the division that was chosen for it took so long.
  void measured(std::int32_t rows, double seconds) noexcept;

 private:
  static constexpr std::size_t splits = 3;

  struct Bucket {
    /// Seconds per row, what a pass costs besides its rows counted as some rows more. Of the best one a low quantile, because
    /// whatever disturbs a pass only ever makes it longer; of others the least of their last trial; 0 = never tried.
    std::array<double, splits> time{};
    Split best = Split::columns;
    Split trial = Split::columns;
    std::int32_t trialLeft = 0;   ///< passes left of the trial; 0: the best one runs
    double trialTime = 0;
    std::uint32_t passes = 0;     ///< since the last trial
    std::uint32_t trials = 0;
  };

  [[nodiscard]] static std::size_t bucketOf(std::int32_t rows) noexcept;
  static void startTrial(Bucket& bucket, Split split) noexcept;
  void endTrial(Bucket& bucket, std::int32_t rows) const noexcept;
  /// Whether a division may be the fastest of passes like these.
  [[nodiscard]] bool isWorthTrying(const Bucket& bucket, Split split, std::int32_t rows) const noexcept;

  std::int32_t threads_;
  std::optional<Split> forced_;
  std::array<Bucket, 10> buckets_{};  ///< of 1, 2, 3 to 4, 5 to 8, .. rows
};

}  // namespace foretrace::cpu
