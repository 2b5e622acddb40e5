// Weights from a seed, for tests and benchmarks without a trained model.
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/convert.h"
#include "io/model_config.h"
#include "io/model_files.h"
#include "io/weights.h"

namespace foretrace {
namespace {

/// Standard deviation of embeddings and input projections, as GPT-2 and Llama initialise them.
constexpr double baseDeviation = 0.02;

/// A bijective mixer of 64 bits (the finaliser of SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t scramble(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

/// Element `index` of stream `stream`: uniform in [-1, 1), from integers alone so that it is equal everywhere.
float uniform(std::uint64_t stream, std::uint64_t index) noexcept {
  const std::uint64_t bits = scramble(stream + 0x9E3779B97F4A7C15 * (index + 1));
  return static_cast<float>(static_cast<std::int64_t>(bits >> 40) - (std::int64_t{1} << 23)) * 0x1p-23F;
}

/// The interval [middle - halfWidth, middle + halfWidth) that elements of a tensor are drawn from.
struct Draw {
  float middle;
  float halfWidth;
};

/// How a tensor of a model with so many layers begins. A uniform draw of half-width a has the deviation a / sqrt(3). Projections back
/// into the residual stream are scaled by 1 / sqrt(2 * layers) so that its variance does not grow with depth. Norms are 1; those of
/// heads are not, and biases are as large as what they are added to, as in trained models, so that one that is left out shows.
Draw drawOf(std::string_view name, std::int32_t layers) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has(".bias")) return {0.0F, 0.5F};
  if (has("q_norm") || has("k_norm")) return {1.0F, 0.5F};
  if (has("norm")) return {1.0F, 0.0F};
  const auto halfWidth = static_cast<float>(baseDeviation * std::sqrt(3.0));
  const auto residualScale = static_cast<float>(1.0 / std::sqrt(2.0 * layers));
  return {0.0F, has("o_proj") || has("down_proj") ? halfWidth * residualScale : halfWidth};
}

}  // namespace

LoadedModel randomModel(const ModelConfig& config, std::uint64_t seed) {
  validateModelConfig(config, "random model");
  LoadedModel model;
  model.config = config;
  const std::vector<ExpectedTensor> tensors = expectedTensors(config, model.weights);
  std::vector<std::size_t> starts;
  std::size_t total = 0;
  for (const ExpectedTensor& tensor : tensors) {
    tensor.role->dtype = DType::bf16;
    tensor.role->shape = tensor.shape;
    starts.push_back(total);
    total += static_cast<std::size_t>(tensor.role->elements());
  }
  auto storage = std::make_shared<std::vector<std::uint16_t>>(total);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ExpectedTensor& tensor = tensors[i];
    std::uint16_t* values = storage->data() + starts[i];
    const auto count = static_cast<std::size_t>(tensor.role->elements());
    const Draw draw = drawOf(tensor.name, config.layers);
    const std::uint64_t stream = scramble(seed ^ scramble(i + 1));
    for (std::size_t j = 0; j < count; ++j) values[j] = floatToBf16(draw.middle + draw.halfWidth * uniform(stream, j));
    tensor.role->data = reinterpret_cast<const std::byte*>(values);
    model.weights.parameters += static_cast<std::int64_t>(count);
  }
  if (config.tied) model.weights.head = model.weights.embedding;
  model.weights.storage = std::move(storage);
  model.digest = digestModel(config, model.weights);
  return model;
}

}  // namespace foretrace
