#include "io/weights.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/error.h"

namespace foretrace {
namespace {

std::string describe(const std::vector<std::int64_t>& shape, DType dtype) {
  return shapeText(shape) + " " + dtypeName(dtype);
}

bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

/// Tensors that old exporters write and that carry no information: precomputed rotary frequencies, and the head of a
/// tied model.
bool isRedundant(std::string_view name, const ModelConfig& config) {
  return endsWith(name, ".rotary_emb.inv_freq") || (config.tied && name == "lm_head.weight");
}

[[noreturn]] void failOnStranger(const TensorMap& tensors, const std::vector<ExpectedTensor>& expected,
                                 const ModelConfig& config, std::string_view what) {
  TensorMap rest = tensors;
  for (const ExpectedTensor& tensor : expected) rest.erase(tensor.name);
  std::string name;  // the first in order, so that the message does not depend on hashing
  for (const auto& entry : rest) {
    if (!isRedundant(entry.first, config) && (name.empty() || entry.first < name)) name = entry.first;
  }
  throw Error(ErrorCode::invalid_model, std::string(what) + ": tensor \"" + name + "\"",
              "no tensor of this name in a " + config.architecture + " of this config",
              describe(rest.at(name).shape, rest.at(name).dtype));
}

/// Index of the first element whose exponent has all bits set, or -1.
template <typename Bits>
std::int64_t firstNotFinite(const TensorView& tensor, Bits exponent) {
  constexpr std::int64_t step = 1024;  // looked at together, so that the loop can be vectorised
  const std::int64_t count = tensor.elements();
  Bits bits[step];
  for (std::int64_t begin = 0; begin < count; begin += step) {
    const std::int64_t size = std::min(step, count - begin);
    std::memcpy(bits, tensor.data + begin * static_cast<std::int64_t>(sizeof(Bits)), static_cast<std::size_t>(size) * sizeof(Bits));
    bool found = false;
    for (std::int64_t i = 0; i < size; ++i) found |= (bits[i] & exponent) == exponent;
    for (std::int64_t i = 0; found; ++i) {
      if ((bits[i] & exponent) == exponent) return begin + i;
    }
  }
  return -1;
}

std::int64_t firstNotFinite(const TensorView& tensor) {
  switch (tensor.dtype) {
    case DType::f32: return firstNotFinite<std::uint32_t>(tensor, 0x7F800000U);
    case DType::bf16: return firstNotFinite<std::uint16_t>(tensor, 0x7F80U);
    case DType::f16: return firstNotFinite<std::uint16_t>(tensor, 0x7C00U);
  }
  return -1;
}

}  // namespace

std::vector<ExpectedTensor> expectedTensors(const ModelConfig& config, Weights& weights) {
  const std::int64_t hidden = config.hidden;
  const std::int64_t queryWidth = config.queryWidth();
  const std::int64_t kvWidth = config.kvWidth();
  const std::int64_t ffn = config.ffn;
  std::vector<ExpectedTensor> list;
  list.push_back({"model.embed_tokens.weight", {config.vocab, hidden}, &weights.embedding});
  list.push_back({"model.norm.weight", {hidden}, &weights.finalNorm});
  if (!config.tied) list.push_back({"lm_head.weight", {config.vocab, hidden}, &weights.head});
  weights.layers.resize(static_cast<std::size_t>(config.layers));
  for (std::size_t index = 0; index < weights.layers.size(); ++index) {
    LayerWeights& layer = weights.layers[index];
    const std::string prefix = "model.layers." + std::to_string(index) + ".";
    const auto add = [&](const char* name, std::vector<std::int64_t> shape, TensorView* role, const char* kind = ".weight") {
      list.push_back({prefix + name + kind, std::move(shape), role});
    };
    add("input_layernorm", {hidden}, &layer.attentionNorm);
    add("self_attn.q_proj", {queryWidth, hidden}, &layer.query);
    add("self_attn.k_proj", {kvWidth, hidden}, &layer.key);
    add("self_attn.v_proj", {kvWidth, hidden}, &layer.value);
    if (config.attentionBias) {
      add("self_attn.q_proj", {queryWidth}, &layer.queryBias, ".bias");
      add("self_attn.k_proj", {kvWidth}, &layer.keyBias, ".bias");
      add("self_attn.v_proj", {kvWidth}, &layer.valueBias, ".bias");
    }
    if (config.headNorms) {
      add("self_attn.q_norm", {config.headDim}, &layer.queryNorm);
      add("self_attn.k_norm", {config.headDim}, &layer.keyNorm);
    }
    add("self_attn.o_proj", {hidden, queryWidth}, &layer.attentionOutput);
    add("post_attention_layernorm", {hidden}, &layer.feedForwardNorm);
    add("mlp.gate_proj", {ffn, hidden}, &layer.gate);
    add("mlp.up_proj", {ffn, hidden}, &layer.up);
    add("mlp.down_proj", {hidden, ffn}, &layer.down);
  }
  return list;
}

Weights assembleWeights(const ModelConfig& config, const TensorMap& tensors, std::string_view what) {
  Weights weights;
  const std::vector<ExpectedTensor> expected = expectedTensors(config, weights);
  const auto embedding = tensors.find(expected.front().name);
  const DType dtype = embedding == tensors.end() ? DType::bf16 : embedding->second.dtype;
  for (const ExpectedTensor& tensor : expected) {
    const std::string label = std::string(what) + ": tensor \"" + tensor.name + "\"";
    const auto found = tensors.find(tensor.name);
    if (found == tensors.end()) {
      throw Error(ErrorCode::invalid_model, label, describe(tensor.shape, dtype), "nothing");
    }
    if (found->second.shape != tensor.shape || found->second.dtype != dtype) {
      throw Error(ErrorCode::invalid_model, label, describe(tensor.shape, dtype),
                  describe(found->second.shape, found->second.dtype));
    }
    *tensor.role = found->second;
    weights.parameters += found->second.elements();
  }
  std::size_t known = expected.size();
  for (const auto& entry : tensors) known += isRedundant(entry.first, config) ? 1 : 0;
  if (tensors.size() != known) failOnStranger(tensors, expected, config, what);
  if (config.tied) weights.head = weights.embedding;
  return weights;
}

void checkFinite(const ModelConfig& config, const Weights& weights, std::string_view what) {
  Weights copy = weights;  // expectedTensors needs places to point at; views are cheap to copy
  for (const ExpectedTensor& tensor : expectedTensors(config, copy)) {
    const std::int64_t place = firstNotFinite(*tensor.role);
    if (place < 0) continue;
    throw Error(ErrorCode::invalid_model, std::string(what) + ": tensor \"" + tensor.name + "\"", "finite numbers",
                "an infinity or a NaN at element " + std::to_string(place));
  }
}

}  // namespace foretrace
