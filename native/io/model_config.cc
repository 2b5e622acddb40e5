#include "io/model_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "io/config_fields.h"
#include "io/json.h"
#include "io/rope_config.h"

namespace foretrace {
namespace {

/// Largest sizes accepted; far above any published model and small enough that no product overflows 64 bits.
constexpr std::int32_t maxHidden = 1 << 16;
constexpr std::int32_t maxLayers = 512;
constexpr std::int32_t maxHeads = 1024;
constexpr std::int32_t maxHeadDim = 512;
constexpr std::int32_t maxFfn = 1 << 20;
constexpr std::int32_t maxVocab = 1 << 22;
constexpr std::int32_t maxContext = 1 << 24;
/// Bytes of the rotary cosines and sines, which are made for all positions at once: a million positions of 64-wide heads.
constexpr std::int64_t maxRotaryBytes = std::int64_t{256} << 20;

/// The kinds of model that are computed here, by the two names a file gives each, and what the kind alone says.
struct Architecture {
  const char* name;
  const char* modelType;
  bool isQwen = false;  ///< windows are off unless they are turned on, and count layers in their way
  bool attentionBias = false;
  bool headNorms = false;
  /// What a file has to state, because Hugging Face would fill in other sizes than a Llama's: with those in their place the answers
  /// would be wrong without a word.
  std::array<const char*, 4> stated{};
};
constexpr Architecture codeWorldModel{
    .name = "CwmForCausalLM", .modelType = "cwm", .stated = {"num_key_value_heads", "head_dim", "rms_norm_eps", "layer_types"}};
constexpr Architecture architectures[] = {
    {.name = "LlamaForCausalLM", .modelType = "llama"},
    codeWorldModel,
    {.name = "Qwen2ForCausalLM", .modelType = "qwen2", .isQwen = true, .attentionBias = true, .stated = {"num_key_value_heads"}},
    {.name = "Qwen3ForCausalLM", .modelType = "qwen3", .isQwen = true, .headNorms = true, .stated = {"num_key_value_heads", "head_dim"}}};

const Architecture& architectureOf(const Fields& fields) {
  const JsonValue* value = fields.optional("architectures");
  const JsonArray* names = value == nullptr ? nullptr : value->array();
  const bool one = names != nullptr && names->size() == 1;
  const std::string* name = one ? (*names)[0].string() : nullptr;
  std::string expected;
  for (const Architecture& known : architectures) {
    if (name != nullptr && *name == known.name) {
      fields.requireText("model_type", known.modelType);
      return known;
    }
    expected += (expected.empty() ? "[\"" : " or [\"") + std::string(known.name) + "\"]";
  }
  throw Error(ErrorCode::invalid_model, fields.what() + ": architectures", expected,
              one ? (*names)[0].describe() : (value == nullptr ? "nothing" : value->describe()));
}

void requireStated(const Fields& fields, const Architecture& architecture) {
  for (const char* name : architecture.stated) {
    if (name != nullptr && fields.optional(name) == nullptr) {
      fields.fail(name, "a value (a " + std::string(architecture.modelType) + " has to state it)");
    }
  }
  if (std::string_view(architecture.name) != codeWorldModel.name) return;
  bool rope = false;  // its rotation is scaled
  bool theta = fields.optional("rope_theta") != nullptr;
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    const JsonValue* object = fields.optional(name);
    if (object == nullptr) continue;
    rope = true;
    theta = theta || Fields(*object, fields.what() + ": " + name).optional("rope_theta") != nullptr;
  }
  if (!rope) fields.fail("rope_parameters", "an object (a cwm has to state it)");
  if (!theta) fields.fail("rope_theta", "a number (a cwm has to state it)");
}

/// Refuses what changes the arithmetic and is not computed here. A Qwen2's biases are no matter of `attention_bias`, which elsewhere
/// stands for one of the output, too.
void refuseUnsupported(const Fields& fields, const Architecture& architecture) {
  fields.requireText("hidden_act", "silu");
  for (const char* name : {"attention_bias", "mlp_bias"}) {
    if (fields.flagOr(name, false) && !architecture.attentionBias) fields.fail(name, "false (biases are not supported)");
  }
  if (fields.optional("quantization_config") != nullptr) fields.fail("quantization_config", "null (not supported)");
  if (fields.numberOr("partial_rotary_factor", 0.0, 1.0, 1.0) != 1.0F) {
    fields.fail("partial_rotary_factor", "1 (partial rotation is not supported)");
  }
}

/// Which layers have the window where `layer_types` does not say: those of a Qwen from the `max_window_layers`-th on, of others all
/// but every `sliding_window_pattern`-th. None: all.
std::vector<std::uint8_t> windowsByRule(const Fields& fields, bool isQwen, std::int32_t layers) {
  std::vector<std::uint8_t> windowed;
  const std::int32_t pattern = fields.sizeOr("sliding_window_pattern", maxLayers, 0);
  const std::int32_t first = isQwen ? fields.size("max_window_layers", maxLayers) : 0;
  for (std::int32_t layer = 0; (isQwen || pattern > 0) && layer < layers; ++layer) {
    windowed.push_back(isQwen ? (layer >= first ? 1 : 0) : ((layer + 1) % pattern == 0 ? 0 : 1));
  }
  return windowed;
}

/// The window of attention and the layers that have it, as newer Hugging Face files write them: `sliding_window` positions on
/// the layers that `layer_types` calls "sliding_attention". `use_sliding_window` false turns it off; a Qwen's is off unless it is true.
void readWindow(const Fields& fields, bool isQwen, ModelConfig& config) {
  if (!fields.flagOr("use_sliding_window", !isQwen)) return;
  config.slidingWindow = fields.sizeOr("sliding_window", maxContext, 0);
  const JsonValue* types = fields.optional("layer_types");
  std::vector<std::uint8_t> windowed;
  if (types != nullptr) {
    const JsonArray* names = types->array();
    if (names == nullptr || names->size() != static_cast<std::size_t>(config.layers)) {
      fields.fail("layer_types", "an array with one name for each of " + std::to_string(config.layers) + " layers");
    }
    for (const JsonValue& name : *names) {
      const bool sliding = name.string() != nullptr && *name.string() == "sliding_attention";
      if (!sliding && (name.string() == nullptr || *name.string() != "full_attention")) {
        throw Error(ErrorCode::invalid_model, fields.what() + ": layer_types", "\"full_attention\" or \"sliding_attention\"", name.describe());
      }
      if (sliding && config.slidingWindow == 0) fields.fail("sliding_window", "the size of the window that layer_types names");
      windowed.push_back(sliding ? 1 : 0);
    }
  }
  if (types == nullptr) windowed = windowsByRule(fields, isQwen, config.layers);
  const bool any = windowed.empty() || std::find(windowed.begin(), windowed.end(), std::uint8_t{1}) != windowed.end();
  if (!any) config.slidingWindow = 0;
  if (config.slidingWindow > 0) config.windowedLayers = std::move(windowed);
}

void requireRange(std::string_view what, const char* name, std::int64_t value, std::int64_t most) {
  if (value < 1 || value > most) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": " + name, "an integer from 1 to " + std::to_string(most),
                std::to_string(value));
  }
}

}  // namespace

void validateModelConfig(const ModelConfig& config, std::string_view what) {
  requireRange(what, "hidden_size", config.hidden, maxHidden);
  requireRange(what, "num_hidden_layers", config.layers, maxLayers);
  requireRange(what, "num_attention_heads", config.heads, maxHeads);
  requireRange(what, "num_key_value_heads", config.kvHeads, config.heads);
  requireRange(what, "head_dim", config.headDim, maxHeadDim);
  requireRange(what, "intermediate_size", config.ffn, maxFfn);
  requireRange(what, "vocab_size", config.vocab, maxVocab);
  requireRange(what, "max_position_embeddings", config.maxContext, maxContext);
  if (config.heads % config.kvHeads != 0) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": num_key_value_heads",
                "a divisor of num_attention_heads " + std::to_string(config.heads), std::to_string(config.kvHeads));
  }
  if (config.headDim % 2 != 0) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": head_dim", "an even number",
                std::to_string(config.headDim));
  }
  const std::int64_t bytesPerPosition = std::int64_t{config.headDim} * static_cast<std::int64_t>(sizeof(float));
  if (config.maxContext > maxRotaryBytes / bytesPerPosition) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": max_position_embeddings",
                "at most " + std::to_string(maxRotaryBytes / bytesPerPosition) + " for heads of " +
                    std::to_string(config.headDim),
                std::to_string(config.maxContext));
  }
  if (!(config.normEps > 0) || !std::isfinite(config.normEps)) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": rms_norm_eps", "a positive number",
                std::to_string(config.normEps));
  }
  validateRope(config, maxContext, what);
  if (config.slidingWindow < 0 || config.slidingWindow > maxContext) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": sliding_window", "0 to " + std::to_string(maxContext),
                std::to_string(config.slidingWindow));
  }
  if (!config.windowedLayers.empty() && config.windowedLayers.size() != static_cast<std::size_t>(config.layers)) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": layer_types", std::to_string(config.layers) + " layers",
                std::to_string(config.windowedLayers.size()));
  }
}

ModelConfig parseModelConfig(std::string_view text, std::string_view what) {
  const JsonValue document = parseJson(text, what, JsonLimits{std::size_t{1} << 20, 16});
  const Fields fields(document, std::string(what));
  const Architecture& architecture = architectureOf(fields);
  requireStated(fields, architecture);
  refuseUnsupported(fields, architecture);
  ModelConfig config;
  config.architecture = architecture.name;
  config.attentionBias = architecture.attentionBias;
  config.headNorms = architecture.headNorms;
  config.hidden = fields.size("hidden_size", maxHidden);
  config.layers = fields.size("num_hidden_layers", maxLayers);
  config.heads = fields.size("num_attention_heads", maxHeads);
  config.kvHeads = fields.sizeOr("num_key_value_heads", maxHeads, config.heads);
  if (fields.optional("head_dim") == nullptr && config.hidden % config.heads != 0) {
    fields.fail("num_attention_heads", "a divisor of hidden_size " + std::to_string(config.hidden));
  }
  config.headDim = fields.sizeOr("head_dim", maxHeadDim, config.hidden / config.heads);
  config.ffn = fields.size("intermediate_size", maxFfn);
  config.vocab = fields.size("vocab_size", maxVocab);
  config.maxContext = fields.size("max_position_embeddings", maxContext);
  readRope(fields, maxContext, config);
  config.normEps = fields.numberOr("rms_norm_eps", 1e-12, 1.0, 1e-6);
  config.tied = fields.flagOr("tie_word_embeddings", false);
  readWindow(fields, architecture.isQwen, config);
  if (const JsonValue* about = fields.optional("foretrace")) {
    config.cpuDtype = Fields(*about, fields.what() + ": foretrace").textOr("cpu_dtype", {"fp32", "bf16", "int8"});
  }
  validateModelConfig(config, what);
  return config;
}

}  // namespace foretrace
