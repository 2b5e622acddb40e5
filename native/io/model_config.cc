#include "io/model_config.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "io/json.h"

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

/// Typed access to the members of one JSON object.
class Fields {
 public:
  Fields(const JsonValue& object, std::string what) : object_(object), what_(std::move(what)) {
    if (object.object() == nullptr) throw Error(ErrorCode::invalid_model, what_, "an object", object.describe());
  }

  [[noreturn]] void fail(std::string_view name, std::string_view expected) const {
    const JsonValue* value = object_.find(name);
    throw Error(ErrorCode::invalid_model, what_ + ": " + std::string(name), expected,
                value == nullptr ? "nothing" : value->describe());
  }

  /// The member, or nullptr if it is absent or null.
  [[nodiscard]] const JsonValue* optional(std::string_view name) const noexcept {
    const JsonValue* value = object_.find(name);
    return value == nullptr || value->isNull() ? nullptr : value;
  }

  [[nodiscard]] std::int32_t size(std::string_view name, std::int32_t most) const {
    const JsonValue* value = optional(name);
    const JsonNumber* number = value == nullptr ? nullptr : value->number();
    if (number == nullptr || !number->isInteger || number->integer < 1 || number->integer > most) {
      fail(name, "an integer from 1 to " + std::to_string(most));
    }
    return static_cast<std::int32_t>(number->integer);
  }

  [[nodiscard]] std::int32_t sizeOr(std::string_view name, std::int32_t most, std::int32_t otherwise) const {
    return optional(name) == nullptr ? otherwise : size(name, most);
  }

  [[nodiscard]] float numberOr(std::string_view name, double least, double most, double otherwise) const {
    const JsonValue* value = optional(name);
    if (value == nullptr) return static_cast<float>(otherwise);
    const JsonNumber* number = value->number();
    if (number == nullptr || !(number->value >= least && number->value <= most)) {
      fail(name, "a number from " + JsonValue(JsonNumber{least}).describe() + " to " +
                     JsonValue(JsonNumber{most}).describe());
    }
    return static_cast<float>(number->value);
  }

  [[nodiscard]] bool flagOr(std::string_view name, bool otherwise) const {
    const JsonValue* value = optional(name);
    if (value == nullptr) return otherwise;
    if (value->boolean() == nullptr) fail(name, "true or false");
    return *value->boolean();
  }

  /// A text member must be absent or have exactly this value.
  void requireText(std::string_view name, std::string_view only) const {
    const JsonValue* value = optional(name);
    if (value != nullptr && (value->string() == nullptr || *value->string() != only)) {
      fail(name, "\"" + std::string(only) + "\"");
    }
  }

  /// The member if it is one of `known`, or nothing if it is absent.
  [[nodiscard]] std::string textOr(std::string_view name, std::initializer_list<std::string_view> known) const {
    const JsonValue* value = optional(name);
    if (value == nullptr) return {};
    const std::string* text = value->string();
    if (text != nullptr && std::find(known.begin(), known.end(), *text) != known.end()) return *text;
    std::string expected;
    for (const std::string_view one : known) expected += (expected.empty() ? "\"" : " or \"") + std::string(one) + "\"";
    fail(name, expected);
  }

  [[nodiscard]] const std::string& what() const noexcept { return what_; }

 private:
  const JsonValue& object_;
  std::string what_;
};

constexpr double leastTheta = 1.0;
constexpr double mostTheta = 1e12;

void checkArchitecture(const Fields& fields) {
  const JsonValue* value = fields.optional("architectures");
  const JsonArray* names = value == nullptr ? nullptr : value->array();
  const bool isLlama = names != nullptr && names->size() == 1 && (*names)[0].string() != nullptr &&
                       *(*names)[0].string() == "LlamaForCausalLM";
  if (!isLlama) {
    const bool one = names != nullptr && names->size() == 1;
    throw Error(ErrorCode::invalid_model, fields.what() + ": architectures", "[\"LlamaForCausalLM\"]",
                one ? (*names)[0].describe() : (value == nullptr ? "nothing" : value->describe()));
  }
  fields.requireText("model_type", "llama");
}

/// Refuses what changes the arithmetic and is not computed here.
void refuseUnsupported(const Fields& fields) {
  fields.requireText("hidden_act", "silu");
  for (const char* name : {"attention_bias", "mlp_bias"}) {
    if (fields.flagOr(name, false)) fields.fail(name, "false (biases are not supported)");
  }
  for (const char* name : {"rope_scaling", "quantization_config"}) {
    if (fields.optional(name) != nullptr) fields.fail(name, "null (not supported)");
  }
  if (fields.numberOr("partial_rotary_factor", 0.0, 1.0, 1.0) != 1.0F) {
    fields.fail("partial_rotary_factor", "1 (partial rotation is not supported)");
  }
}

/// The rotary base: rope_theta, or rope_parameters.rope_theta as newer files spell it.
float ropeTheta(const Fields& fields) {
  const float theta = fields.numberOr("rope_theta", leastTheta, mostTheta, 10000.0);
  const JsonValue* parameters = fields.optional("rope_parameters");
  if (parameters == nullptr) return theta;
  const Fields rope(*parameters, fields.what() + ": rope_parameters");
  rope.requireText("rope_type", "default");
  if (rope.numberOr("partial_rotary_factor", 0.0, 1.0, 1.0) != 1.0F) {
    rope.fail("partial_rotary_factor", "1 (partial rotation is not supported)");
  }
  return rope.numberOr("rope_theta", leastTheta, mostTheta, static_cast<double>(theta));
}

/// The window of attention and the layers that have it, as newer Hugging Face files write them: `sliding_window` positions on
/// the layers that `layer_types` calls "sliding_attention"; without `layer_types` all but every `sliding_window_pattern`-th,
/// or all. `use_sliding_window` false turns it off.
void readWindow(const Fields& fields, ModelConfig& config) {
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
  const std::int32_t pattern = fields.sizeOr("sliding_window_pattern", maxLayers, 0);
  for (std::int32_t layer = 0; types == nullptr && pattern > 0 && layer < config.layers; ++layer) {
    windowed.push_back((layer + 1) % pattern == 0 ? 0 : 1);
  }
  const bool any = windowed.empty() || std::find(windowed.begin(), windowed.end(), std::uint8_t{1}) != windowed.end();
  if (!any || !fields.flagOr("use_sliding_window", true)) config.slidingWindow = 0;
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
  if (!(config.ropeTheta >= 1) || !std::isfinite(config.ropeTheta)) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": rope_theta", "a number of at least 1",
                std::to_string(config.ropeTheta));
  }
  if (config.slidingWindow < 0 || config.slidingWindow > maxContext) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": sliding_window", "0 to " + std::to_string(maxContext),
                std::to_string(config.slidingWindow));
  }
  if (!config.windowedLayers.empty() && config.windowedLayers.size() != static_cast<std::size_t>(config.layers)) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": layer_types", std::to_string(config.layers) + " layers",
                std::to_string(config.windowedLayers.size()));
  }
  if (config.attentionBias) {
    throw Error(ErrorCode::invalid_model, std::string(what) + ": attention_bias", "false", "true");
  }
}

ModelConfig parseModelConfig(std::string_view text, std::string_view what) {
  const JsonValue document = parseJson(text, what, JsonLimits{std::size_t{1} << 20, 16});
  const Fields fields(document, std::string(what));
  checkArchitecture(fields);
  refuseUnsupported(fields);
  ModelConfig config;
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
  config.ropeTheta = ropeTheta(fields);
  config.normEps = fields.numberOr("rms_norm_eps", 1e-12, 1.0, 1e-6);
  config.tied = fields.flagOr("tie_word_embeddings", false);
  readWindow(fields, config);
  if (const JsonValue* about = fields.optional("foretrace")) {
    config.cpuDtype = Fields(*about, fields.what() + ": foretrace").textOr("cpu_dtype", {"fp32", "bf16", "int8"});
  }
  validateModelConfig(config, what);
  return config;
}

}  // namespace foretrace
