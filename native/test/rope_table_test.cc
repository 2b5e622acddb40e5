// Rotary frequencies: those of Llama 3.1 against PyTorch's, those of others unchanged, and whole models against the
// double-precision reference.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/rope_table.h"
#include "test/forward_runs.h"

namespace foretrace::test {
namespace {

struct Published {
  const char* name;
  float theta;
  std::int32_t headDim;
  RopeScaling scaling;
  std::vector<std::pair<std::int32_t, float>> frequencies;  ///< of some pairs
};

/// Made with PyTorch 1.13 in fp32: f = 1 / theta ** (arange(0, d, 2).float() / d), w = 2 pi / f, and with o, l, h the original
/// length, the low and the high factor: f / factor where w > o / l, f where w < o / h, else (1 - s) * f / factor + s * f
/// with s = (o / w - l) / (h - l). The first four pairs of each are as they were, mixed, mixed and divided.
const std::vector<Published> published = {
    {"Code World Model", 1e6F, 128, {16, 1, 4, 8192},
     {{26, 0x1.dea41cp-9F}, {27, 0x1.6e073ep-9F}, {33, 0x1.08c006p-14F}, {34, 0x1.547688p-15F}, {0, 1.0F}, {30, 0x1.30b7bcp-11F}, {63, 0x1.4d1c98p-24F}}},
    {"Llama 3.1", 5e5F, 128, {8, 1, 4, 8192},
     {{28, 0x1.a4ee4p-9F}, {29, 0x1.1bfa0cp-9F}, {34, 0x1.765ba4p-13F}, {35, 0x1.90d10cp-14F}, {32, 0x1.132ba4p-11F}}},
    {"Llama 3.2 1B", 5e5F, 64, {32, 1, 4, 8192},
     {{14, 0x1.a4ee4p-9F}, {15, 0x1.524f36p-10F}, {17, 0x1.9731eep-14F}, {18, 0x1.46831ap-16F}, {16, 0x1.c26c4p-12F}, {31, 0x1.94836p-24F}}},
    {"numbers that fp32 rounds", 1e4F, 64, {7.3, 1.1, 3.7, 1000},
     {{13, 0x1.84869ep-6F}, {14, 0x1.9e79fap-7F}, {17, 0x1.4a4b1p-10F}, {18, 0x1.93e004p-11F}, {15, 0x1.a04a22p-8F}, {16, 0x1.89681cp-9F}, {31, 0x1.3279f6p-16F}}},
};

ModelConfig configOf(float theta, std::int32_t headDim, const RopeScaling& scaling = {}) {
  ModelConfig config;
  config.ropeTheta = theta;
  config.headDim = headDim;
  config.ropeScaling = scaling;
  return config;
}

TEST("scaled frequencies are PyTorch's but for the last bit") {
  for (const Published& model : published) {
    const ModelConfig config = configOf(model.theta, model.headDim, model.scaling);
    for (const auto& [i, expected] : model.frequencies) {
      const float found = cpu::rotaryFrequency(config, i);
      // PyTorch's power need not be the nearest fp32 to the true one, ours is.
      const bool near = found >= std::nextafter(expected, 0.0F) && found <= std::nextafter(expected, 2.0F);
      CHECK_THAT(near, std::string(model.name) + ", pair " + std::to_string(i) + ": " + std::to_string(found / expected - 1.0F));
    }
  }
}

TEST("scaled frequencies fall from pair to pair, from those that stay to those divided by the factor") {
  for (const Published& model : published) {
    const ModelConfig config = configOf(model.theta, model.headDim, model.scaling);
    const ModelConfig plain = configOf(model.theta, model.headDim);
    std::int32_t kept = 0;
    std::int32_t divided = 0;
    for (std::int32_t i = 0; i < model.headDim / 2; ++i) {
      const float found = cpu::rotaryFrequency(config, i);
      const float whole = cpu::rotaryFrequency(plain, i);
      const float part = whole / static_cast<float>(model.scaling.factor);
      kept += found == whole ? 1 : 0;
      divided += found == part ? 1 : 0;
      CHECK_THAT(found <= whole && found >= part && (i == 0 || found < cpu::rotaryFrequency(config, i - 1)), std::to_string(i));
    }
    CHECK_THAT(kept > 0 && divided > 0 && kept + divided < model.headDim / 2, model.name);
  }
}

TEST("without scaling angles have the bits they had, and the table has the frequencies' angles") {
  for (const std::int32_t headDim : {2, 16, 18, 64, 128}) {
    for (const float theta : {500.0F, 10000.0F, 500000.0F}) {
      const cpu::RopeTable plain(configOf(theta, headDim), 40);
      const ModelConfig stretched = configOf(theta, headDim, {8, 1, 4, 64});
      const cpu::RopeTable scaled(stretched, 40);
      for (std::int32_t i = 0; i < headDim / 2; ++i) {
        const float exponent = static_cast<float>(2 * i) / static_cast<float>(headDim);
        const float frequency = 1.0F / static_cast<float>(std::pow(static_cast<double>(theta), static_cast<double>(exponent)));
        for (std::int64_t position : {0, 1, 39}) {
          const float angle = static_cast<float>(position) * frequency;
          CHECK(plain.cosine(position)[i] == static_cast<float>(std::cos(static_cast<double>(angle))));
          CHECK(plain.sine(position)[i] == static_cast<float>(std::sin(static_cast<double>(angle))));
          const float other = static_cast<float>(position) * cpu::rotaryFrequency(stretched, i);
          CHECK(scaled.cosine(position)[i] == static_cast<float>(std::cos(static_cast<double>(other))));
          CHECK(scaled.sine(position)[i] == static_cast<float>(std::sin(static_cast<double>(other))));
        }
      }
    }
  }
}

TEST("models with scaled positions and windows agree with the reference in every instruction set and number format") {
  ModelConfig config = configs()[0];
  config.architecture = "CwmForCausalLM";
  config.ropeScaling = {8, 1, 4, 128};
  config.slidingWindow = 100;
  config.windowedLayers = {0, 1};
  const LoadedModel model = strongModel(config);
  const auto vocab = static_cast<std::size_t>(config.vocab);
  const auto tokens = someTokens(170, config.vocab, 3);
  const auto expected = reference::forward(config, model.weights, tokens);
  LoadedModel plain = model;
  plain.config.ropeScaling = {};
  const auto unscaled = reference::forward(plain.config, model.weights, tokens);
  const auto apart = [&](const auto& found) {
    double squares = 0;
    double errors = 0;
    for (std::size_t row = 0; row < expected.size(); ++row) {
      for (std::size_t i = 0; i < vocab; ++i) {
        const double error = static_cast<double>(found[row][i]) - expected[row][i];
        squares += expected[row][i] * expected[row][i];
        errors += error * error;
      }
    }
    return errors / squares;
  };
  CHECK_THAT(apart(unscaled) > 0.05, std::to_string(apart(unscaled)));
  for (const Mode& mode : modes()) {
    const auto backend = makeBackend(model, mode.isa, 2, pool, mode.dtype);
    const double error = apart(runChunks(*backend, tokens, pagesFrom(0, 1, tokens.size()), {100}, vocab));
    const std::string dtype = mode.dtype;
    CHECK_THAT(error <= (dtype == "fp32" ? 1e-9 : dtype == "bf16" ? 1e-3 : 1e-2), mode.name() + ": " + std::to_string(error));
  }
}

}  // namespace
}  // namespace foretrace::test

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
