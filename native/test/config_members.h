// The config.json of a small model as a table of members, for tests that change some.
#pragma once

#include <map>
#include <string>

#include "io/model_config.h"
#include "test/check.h"

namespace foretrace::test {

using Members = std::map<std::string, std::string>;

inline Members valid() {
  return {{"architectures", "[\"LlamaForCausalLM\"]"}, {"model_type", "\"llama\""}, {"hidden_size", "64"},
          {"num_hidden_layers", "2"}, {"num_attention_heads", "4"}, {"num_key_value_heads", "2"},
          {"intermediate_size", "160"}, {"vocab_size", "96"}, {"max_position_embeddings", "256"},
          {"rms_norm_eps", "1e-5"}, {"rope_theta", "500000.0"}, {"hidden_act", "\"silu\""}, {"tie_word_embeddings", "true"},
          {"torch_dtype", "\"bfloat16\""}, {"rope_scaling", "null"}, {"unknown_field", "[1]"}};
}

inline std::string textOf(const Members& members) {
  std::string text = "{";
  for (const auto& [name, value] : members) text += (text.size() > 1 ? "," : "") + ("\"" + name + "\":" + value);
  return text + "}";
}

/// Error code after setting one member; an empty value removes it.
inline std::string codeWith(const std::string& name, const std::string& value, std::string* message = nullptr) {
  Members members = valid();
  members.erase(name);
  if (!value.empty()) members[name] = value;
  return thrownCode([&] { (void)parseModelConfig(textOf(members), "config.json"); }, message);
}

inline ModelConfig configWith(const Members& more) {
  Members members = valid();
  for (const auto& [name, value] : more) members[name] = value;
  return parseModelConfig(textOf(members), "config.json");
}

}  // namespace foretrace::test
