// When drafting pays: measured acceptance of each kind of guess against the measured cost of a row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace foretrace {

/// Where a guess comes from.
enum class GuessSource : std::uint8_t { sibling, answer, answerLeft, expected, suffix };

/// Where in its grammar a token stands: outside every sub-automaton, inside one that cannot end yet, inside one that may.
enum class GuessPlace : std::uint8_t { outside, inside, mayEnd };

/// A guess for one token, and what kind of guess it is.
struct Guess {
  std::int32_t token = -1;
  std::uint8_t kind = 0;

  [[nodiscard]] explicit operator bool() const noexcept { return token >= 0; }
};

/// How often each kind of guess was right, recent ones counting more.
class GuessRates {
 public:
  /// Kinds of a source whose guesses differ in nothing but the place, and those of a suffix match of some length.
  [[nodiscard]] static std::uint8_t kindOf(GuessSource source, GuessPlace place, std::int32_t matched = 0) noexcept;

  GuessRates();

  /// Probability that a guess of this kind is right, 0..1.
  [[nodiscard]] double of(std::uint8_t kind) const { return rates_[kind].share(); }
  void count(std::uint8_t kind, bool right);

 private:
  static constexpr std::size_t places = 3;
  static constexpr std::size_t lengths = 5;  ///< of a suffix match: 1, 2, 3, 4 to 7, 8 and more
  static constexpr std::size_t sources = 4;  ///< but the suffix
  static constexpr std::size_t kinds = sources * places + places * lengths;

  struct Rate {
    double right = 0;
    double total = 0;
    double prior = 0.5;

    [[nodiscard]] double share() const noexcept { return (right + 4 * prior) / (total + 4); }
  };

  std::array<Rate, kinds> rates_;
};

/// What else a sequence that generates has met in its passes, on the average of late: prompts and other sequences that
/// generate. Drafts are not counted, for whether they are made is what this decides.
struct Company {
  double rows = 0;       ///< of others
  double sequences = 0;  ///< others

  /// A sequence generates in a pass with so much else.
  void met(double otherRows, double otherSequences) noexcept;
};

/// Cost of a forward pass by its rows, measured as the engine runs, at some numbers of rows. What is kept there is a low
/// quantile of the times, because whatever else runs on the machine only ever makes a pass longer.
class PassCosts {
 public:
  /// A pass costs `fixed + row * rows`, near some number of rows; microseconds, before the first measurement in a unit of its own.
  struct Line {
    double fixed = 0;
    double row = 0;

    [[nodiscard]] double at(double rows) const noexcept { return fixed + row * rows; }
  };

  void measured(std::int32_t rows, double micros) noexcept;
  /// The line through what was measured within a factor of four of `rows`, by least squares of relative errors. A row is
  /// never free: measurements that were disturbed may say so, but no machine is as fast as that.
  [[nodiscard]] Line near(double rows) const noexcept;
  /// Least probability with which a drafted row pays in a pass of `rows` other rows. It costs a row of this pass; a right
  /// one saves a row of a later pass with `company`, and its sequence's share of what such a pass costs without rows.
  [[nodiscard]] double leastProbability(std::int32_t rows, const Company& company) const noexcept;

 private:
  static constexpr std::array<double, 9> nodes{1, 2, 4, 8, 16, 32, 64, 128, 256};

  struct Cost {
    double micros = 0;
    double passes = 0;  ///< measured
  };

  std::array<Cost, nodes.size()> costs_;
};

/// How far the guesses for one sequence do better or worse than their kinds do on the whole.
class SequenceTrust {
 public:
  /// `expected`: the probability of the guess.
  void count(double expected, bool right) noexcept;
  /// Factor for the probability of a guess.
  [[nodiscard]] double factor() const noexcept;

 private:
  double right_ = 0;
  double expected_ = 0;
};

}  // namespace foretrace
