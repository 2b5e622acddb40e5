#include "model/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.h"
#include "random.h"
#include "model/host_sampler.h"

using namespace foretrace;

namespace {

const std::vector<float> logits{1.0F, 3.0F, 2.0F, 3.0F, -1.0F};
const std::vector<std::uint32_t> withoutBest{0b10101U};

bool close(double a, double b) { return std::abs(a - b) < 1e-6; }

}  // namespace

TEST("greedy takes the greatest logit, the lowest id among equals") {
  Sampler sampler;
  CHECK(sampler.sample(logits, {}, {}, 0).token == 1);
  CHECK(sampler.sample(logits, withoutBest, {}, 0).token == 2);
}

TEST("the log-probability is that of the legal tokens at temperature 1, whatever the temperature") {
  Sampler sampler;
  const double all = std::exp(1.0) + 2 * std::exp(3.0) + std::exp(2.0) + std::exp(-1.0);
  CHECK(close(sampler.sample(logits, {}, {}, 0).logProbability, 3.0 - std::log(all)));
  const double some = std::exp(1.0) + std::exp(2.0) + std::exp(-1.0);
  CHECK(close(sampler.sample(logits, withoutBest, {}, 0).logProbability, 2.0 - std::log(some)));
  const Sample warm = sampler.sample(logits, {}, {.temperature = 0.5, .topP = 1, .seed = 9}, 4);
  CHECK(close(warm.logProbability, static_cast<double>(logits[static_cast<std::size_t>(warm.token)]) - std::log(all)));
  const std::vector<std::uint32_t> one{0b1U};
  CHECK(sampler.sample(logits, one, {}, 0).logProbability == 0.0F);
}

TEST("a draw depends on seed and position alone") {
  Sampler sampler;
  const Sampling warm{.temperature = 1, .topP = 1, .seed = 5};
  int differences = 0;
  for (std::uint64_t position = 0; position < 50; ++position) {
    const Sample once = sampler.sample(logits, {}, warm, position);
    static_cast<void>(sampler.sample(logits, {}, warm, position + 7));
    CHECK(sampler.sample(logits, {}, warm, position).token == once.token);
    differences += sampler.sample(logits, {}, {.temperature = 1, .topP = 1, .seed = 6}, position).token != once.token;
  }
  CHECK(differences > 5);
  CHECK(uniformDraw(1, 2) != uniformDraw(2, 1));
}

TEST("draws follow the distribution") {
  Sampler sampler;
  std::vector<int> counts(logits.size());
  const int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    const Sample sample = sampler.sample(logits, {}, {.temperature = 2, .topP = 1, .seed = 11}, static_cast<std::uint64_t>(i));
    ++counts[static_cast<std::size_t>(sample.token)];
  }
  double mass = 0;
  for (const float logit : logits) mass += std::exp(logit / 2.0);
  for (std::size_t token = 0; token < logits.size(); ++token) {
    const double expected = std::exp(logits[token] / 2.0) / mass;
    CHECK(std::abs(counts[token] / static_cast<double>(draws) - expected) < 0.015);
  }
}

TEST("the nucleus is the smallest set of likeliest tokens that reaches the mass") {
  Sampler sampler;
  bool seen[5] = {};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    seen[sampler.sample(logits, {}, {.temperature = 1, .topP = 0.9, .seed = 3}, i).token] = true;
  }
  CHECK(!seen[0] && seen[1] && seen[2] && seen[3] && !seen[4]);
  for (std::uint64_t i = 0; i < 200; ++i) {
    CHECK(sampler.sample(logits, {}, {.temperature = 1, .topP = 1e-9, .seed = 3}, i).token == 1);
  }
}

TEST("tokens without a finite logit are never chosen") {
  Sampler sampler;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> bad{nan, 1.0F, infinity, -infinity};
  CHECK(sampler.sample(bad, {}, {}, 0).token == 1);
  CHECK(sampler.sample(bad, {}, {.temperature = 1, .topP = 0.5, .seed = 1}, 0).token == 1);
  const std::vector<std::uint32_t> onlyBad{0b1101U};
  CHECK(sampler.sample(bad, onlyBad, {}, 0).token == -1);
}

TEST("extreme temperatures stay finite") {
  Sampler sampler;
  CHECK(sampler.sample(logits, {}, {.temperature = 1e-300, .topP = 1, .seed = 2}, 1).token >= 0);
  CHECK(sampler.sample(logits, {}, {.temperature = 1000, .topP = 0.5, .seed = 2}, 1).token >= 0);
}

/// Logits as a model has them: most of them far below a few.
std::vector<float> spread(std::uint64_t seed, std::size_t vocab) {
  test::Random random(seed);
  std::vector<float> values;
  for (std::size_t i = 0; i < vocab; ++i) values.push_back(static_cast<float>(5 * random.symmetric() + (random.below(40) == 0 ? 6 : 0)));
  return values;
}

/// The same choice in double precision, as textbooks have it.
std::int32_t referenceToken(const std::vector<float>& row, const Sampling& sampling, std::uint64_t position) {
  std::vector<std::pair<double, std::int32_t>> list;
  double mass = 0;
  const double top = *std::ranges::max_element(row);
  for (std::size_t i = 0; i < row.size(); ++i) {
    list.emplace_back(-std::exp((static_cast<double>(row[i]) - top) / sampling.temperature), static_cast<std::int32_t>(i));
    mass -= list.back().first;
  }
  if (sampling.topP < 1) {
    std::ranges::sort(list);
    double kept = 0;
    std::size_t count = 0;
    while (count < list.size() && kept < sampling.topP * mass) kept -= list[count++].first;
    list.resize(std::max<std::size_t>(count, 1));
    mass = kept;
  }
  double point = uniformDraw(sampling.seed, position) * mass;
  for (const auto& [weight, token] : list) {
    point += weight;
    if (point < 0) return token;
  }
  return list.back().second;
}

TEST("weights are exponentials, log-probabilities and choices those of double precision") {
  for (const int bits : {40, 46, 53}) {
    for (double x = 0; x > -64; x -= 0.0137) {
      const double expected = std::exp(static_cast<double>(static_cast<float>(x)));
      const double found = std::ldexp(static_cast<double>(weights::weightOf(static_cast<float>(x), bits)), -bits);
      CHECK(std::abs(found - expected) <= std::ldexp(expected, -22) + std::ldexp(1.0, -bits));
    }
    CHECK(weights::weightOf(0, bits) == std::uint64_t{1} << bits && weights::weightOf(-64, bits) == 0);
    CHECK(weights::weightOf(-std::numeric_limits<float>::infinity(), bits) == 0);
  }
  Sampler sampler;
  int agreeing = 0;
  int all = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto row = spread(seed, 700);
    double total = 0;
    for (const float logit : row) total += std::exp(static_cast<double>(logit));
    for (const Sampling& sampling : {Sampling{1, 1, seed}, Sampling{0.6, 0.9, seed}, Sampling{3, 0.5, seed}}) {
      for (std::uint64_t position = 0; position < 20; ++position, ++all) {
        const Sample sample = sampler.sample(row, {}, sampling, position);
        agreeing += sample.token == referenceToken(row, sampling, position);
        const double expected = static_cast<double>(row[static_cast<std::size_t>(sample.token)]) - std::log(total);
        CHECK(std::abs(static_cast<double>(sample.logProbability) - expected) < 1e-6 * (1 + std::abs(expected)));
      }
    }
  }
  CHECK(all == 2400 && agreeing >= 2399);  // a draw may fall within 2^-23 of a boundary
}

TEST("products of 64 bits have both halves") {
  const weights::Wide wide = weights::multiplyWide(0xFFFFFFFFFFFFFFFFU, 0xFFFFFFFFFFFFFFFFU);
  CHECK(wide.high == 0xFFFFFFFFFFFFFFFEU && wide.low == 1);
  CHECK(weights::multiplyWide(std::uint64_t{1} << 40, std::uint64_t{3} << 30).high == 3 * 64);
  CHECK(weights::drawTarget(~std::uint64_t{0}, 5) == 5 && weights::drawTarget(0, 5) == 1);
  CHECK(weights::nucleusTarget(std::uint64_t{1} << 63, 8) == 4 && weights::nucleusTarget(std::uint64_t{1} << 63, 9) == 5);
  CHECK(weights::nucleusTarget(1, 8) == 1);
}

TEST("rows are chosen from one by one: requests give what each of them alone gives, in their order") {
  HostSampler together;
  Sampler alone;
  std::vector<float> rows;
  for (int row = 0; row < 3; ++row) {
    for (const float logit : logits) rows.push_back(logit * (row == 1 ? -1.0F : 1.0F));
  }
  const Sampling warm{.temperature = 1, .topP = 0.9, .seed = 4};
  const std::vector<SampleRequest> requests{{2, {}, warm, 9}, {0, withoutBest, {}, 1}, {1, {}, warm, 9}, {2, withoutBest, warm, 10}};
  const auto found = together.sample(rows, requests, 5);
  CHECK(found.size() == requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto row = std::span(rows).subspan(static_cast<std::size_t>(requests[i].row) * 5, 5);
    const Sample expected = alone.sample(row, requests[i].mask, requests[i].sampling, requests[i].position);
    CHECK(found[i].token == expected.token && found[i].logProbability == expected.logProbability);
  }
}

TEST("requests for rows without logits and masks of another vocabulary are refused") {
  const auto refused = [](const SampleRequest& request) {
    return test::thrownCode([&] { validateSampling(std::vector<SampleRequest>{request}, 2, 40); });
  };
  const std::vector<std::uint32_t> two(2);
  CHECK(refused({1, two, {}, 0}) == "nothing" && refused({0, {}, {}, 0}) == "nothing");
  CHECK(refused({2, {}, {}, 0}) == "invalid_argument" && refused({-1, {}, {}, 0}) == "invalid_argument");
  CHECK(refused({0, withoutBest, {}, 0}) == "invalid_argument");
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
