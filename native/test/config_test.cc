#include <string>
#include <utility>
#include <vector>

#include "test/config_members.h"

namespace foretrace {
namespace {

using test::codeWith;
using test::Members;
using test::textOf;
using test::valid;

TEST("every field is read") {
  const ModelConfig config = parseModelConfig(textOf(valid()), "config.json");
  CHECK(config.hidden == 64 && config.layers == 2 && config.heads == 4 && config.kvHeads == 2 && config.headDim == 16);
  CHECK(config.ffn == 160 && config.vocab == 96 && config.maxContext == 256 && config.tied);
  CHECK(config.ropeTheta == 500000.0F && config.normEps == 1e-5F && config.architecture == "LlamaForCausalLM");
}

TEST("optional fields have the defaults of the format") {
  Members members = valid();
  for (const char* name : {"num_key_value_heads", "rms_norm_eps", "rope_theta", "hidden_act", "tie_word_embeddings", "model_type"}) {
    members.erase(name);
  }
  members["head_dim"] = "null";
  const ModelConfig config = parseModelConfig(textOf(members), "config.json");
  CHECK(config.kvHeads == 4 && config.normEps == 1e-6F && config.ropeTheta == 10000.0F && !config.tied && config.headDim == 16);
  members["head_dim"] = "32";
  members["rope_parameters"] = R"({"rope_type": "default", "rope_theta": 7.5})";
  const ModelConfig wide = parseModelConfig(textOf(members), "config.json");
  CHECK(wide.headDim == 32 && wide.queryWidth() == 128 && wide.ropeTheta == 7.5F);
}

TEST("sizes that are missing, of another type or out of range are refused") {
  const char* sizes[] = {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
                         "intermediate_size", "vocab_size", "max_position_embeddings", "head_dim"};
  for (const char* name : sizes) {
    for (const char* value : {"0", "-1", "1.5", "64.0", "\"64\"", "true", "[]", "{}", "4294967296", "1e30", "99999999999999999999"}) {
      CHECK_THAT(codeWith(name, value) == "invalid_model", std::string(name) + " = " + value);
    }
  }
  for (const char* name : {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size",
                           "max_position_embeddings", "architectures"}) {
    CHECK_THAT(codeWith(name, "") == "invalid_model", std::string(name) + " missing");
    CHECK_THAT(codeWith(name, "null") == "invalid_model", std::string(name) + " null");
  }
}

TEST("sizes that do not fit each other are refused") {
  CHECK(codeWith("num_key_value_heads", "3") == "invalid_model");
  CHECK(codeWith("num_key_value_heads", "8") == "invalid_model");
  CHECK(codeWith("hidden_size", "66") == "invalid_model");
  CHECK(codeWith("head_dim", "15") == "invalid_model");
  CHECK(codeWith("hidden_size", "60") == "invalid_model");  // a head of 15 would be odd
}

TEST("positions that would fill the memory with rotary angles are refused") {
  const auto with = [](const char* positions, const char* headDim, std::string* message = nullptr) {
    Members members = valid();
    members["max_position_embeddings"] = positions;
    members["head_dim"] = headDim;
    return test::thrownCode([&] { (void)parseModelConfig(textOf(members), "config.json"); }, message);
  };
  CHECK(with("1048576", "64") == "nothing");
  CHECK(with("131072", "512") == "nothing");
  std::string message;
  CHECK(with("1048577", "64", &message) == "invalid_model");
  CHECK_THAT(message == "config.json: max_position_embeddings: expected at most 1048576 for heads of 64, found 1048577", message);
  CHECK(with("131073", "512") == "invalid_model");
  CHECK(with("16777216", "128") == "invalid_model");
}

TEST("what is not computed is refused, not ignored") {
  const std::pair<const char*, const char*> table[] = {
      {"architectures", "[\"MistralForCausalLM\"]"}, {"architectures", "[]"}, {"architectures", "\"LlamaForCausalLM\""},
      {"architectures", "[\"LlamaForCausalLM\",\"LlamaForCausalLM\"]"}, {"model_type", "\"qwen2\""}, {"hidden_act", "\"gelu\""},
      {"hidden_act", "1"}, {"model_type", "\"cwm\""}, {"architectures", "[\"CwmForCausalLM\"]"}, {"attention_bias", "true"}, {"mlp_bias", "true"},
      {"attention_bias", "1"}, {"tie_word_embeddings", "\"yes\""}, {"quantization_config", "{}"},
      {"partial_rotary_factor", "0.5"}, {"rope_theta", "0"}, {"rope_theta", "\"x\""}, {"rms_norm_eps", "0"}, {"rms_norm_eps", "-1"},
      {"rms_norm_eps", "2"}, {"rope_scaling", "[]"}, {"rope_scaling", "8"}, {"rope_parameters", "[]"}};
  for (const auto& [name, value] : table) CHECK_THAT(codeWith(name, value) == "invalid_model", std::string(name) + " = " + value);
  std::string message;
  (void)codeWith("architectures", "[\"MistralForCausalLM\"]", &message);
  CHECK_THAT(message == R"(config.json: architectures: expected ["LlamaForCausalLM"] or ["CwmForCausalLM"] or ["Qwen2ForCausalLM"] or ["Qwen3ForCausalLM"], found "MistralForCausalLM")", message);
  (void)codeWith("hidden_act", "\"gelu\"", &message);
  CHECK_THAT(message == "config.json: hidden_act: expected \"silu\", found \"gelu\"", message);
}

/// Windows of the two layers with some members set.
std::vector<std::int32_t> windowsWith(const Members& more) {
  const ModelConfig config = test::configWith(more);
  return {config.windowOf(0), config.windowOf(1)};
}

TEST("windows of attention are read, on all layers, on those that are named, or by a pattern") {
  using Windows = std::vector<std::int32_t>;
  const std::string mixed = R"(["sliding_attention", "full_attention"])";
  CHECK(windowsWith({}) == Windows({0, 0}) && windowsWith({{"sliding_window", "null"}}) == Windows({0, 0}));
  CHECK(windowsWith({{"sliding_window", "128"}}) == Windows({128, 128}));
  CHECK(windowsWith({{"sliding_window", "128"}, {"layer_types", mixed}}) == Windows({128, 0}));
  CHECK(windowsWith({{"sliding_window", "128"}, {"layer_types", R"(["full_attention", "full_attention"])"}}) == Windows({0, 0}));
  CHECK(windowsWith({{"sliding_window", "128"}, {"sliding_window_pattern", "2"}}) == Windows({128, 0}));
  CHECK(windowsWith({{"sliding_window", "128"}, {"sliding_window_pattern", "4"}}) == Windows({128, 128}));
  CHECK(windowsWith({{"sliding_window", "128"}, {"layer_types", mixed}, {"use_sliding_window", "false"}}) == Windows({0, 0}));
  for (const char* value : {"0", "-1", "1.5", "\"8\"", "true", "[]", "4294967296"}) CHECK_THAT(codeWith("sliding_window", value) == "invalid_model", value);
  for (const char* value : {"1", "[]", R"(["full_attention"])", R"(["full_attention", 1])", R"(["full_attention", "other"])", mixed.c_str()}) {
    CHECK_THAT(codeWith("layer_types", value) == "invalid_model", value);  // the last: no window is given
  }
  CHECK(codeWith("sliding_window_pattern", "0") == "invalid_model" && codeWith("use_sliding_window", "1") == "invalid_model");
  std::string message;
  (void)codeWith("layer_types", R"(["full_attention"])", &message);
  CHECK_THAT(message == "config.json: layer_types: expected an array with one name for each of 2 layers, found an array of 1", message);
}

/// Members of a Qwen of a version as its published files are, changed by some.
Members qwen(const std::string& version, const Members& more = {}) {
  Members members = valid();
  members["architectures"] = "[\"Qwen" + version + "ForCausalLM\"]";
  members["model_type"] = "\"qwen" + version + "\"";
  members["use_sliding_window"] = "false";
  members["sliding_window"] = "128";
  members["max_window_layers"] = "1";
  if (version == "3") members["head_dim"] = "24";
  for (const auto& [name, value] : more) members[name] = value;
  return members;
}

TEST("a Qwen2 has biases, a Qwen3 norms of heads, and neither has windows unless they are turned on") {
  const auto read = [](const Members& members) { return parseModelConfig(textOf(members), "config.json"); };
  const ModelConfig second = read(qwen("2"));
  CHECK(second.architecture == "Qwen2ForCausalLM" && second.attentionBias && !second.headNorms && second.windowOf(0) == 0);
  const ModelConfig third = read(qwen("3"));
  CHECK(third.architecture == "Qwen3ForCausalLM" && !third.attentionBias && third.headNorms && third.headDim == 24 && third.windowOf(1) == 0);
  CHECK(!read(valid()).attentionBias && !read(valid()).headNorms);
  Members silent = qwen("2");
  silent.erase("use_sliding_window");
  CHECK(read(silent).windowOf(1) == 0);
  const ModelConfig windowed = read(qwen("2", {{"use_sliding_window", "true"}}));
  CHECK(windowed.windowOf(0) == 0 && windowed.windowOf(1) == 128);
  const std::string types = R"(["sliding_attention", "full_attention"])";
  const ModelConfig named = read(qwen("3", {{"use_sliding_window", "true"}, {"layer_types", types}}));
  CHECK(named.windowOf(0) == 128 && named.windowOf(1) == 0);
}

TEST("what a Qwen has to state, and biases that are not computed, are asked for by name") {
  const auto codeOf = [](Members members, const char* removed, std::string* message = nullptr) {
    members.erase(removed);
    return test::thrownCode([&] { (void)parseModelConfig(textOf(members), "config.json"); }, message);
  };
  std::string message;
  CHECK(codeOf(qwen("2"), "num_key_value_heads", &message) == "invalid_model");
  CHECK_THAT(message == "config.json: num_key_value_heads: expected a value (a qwen2 has to state it), found nothing", message);
  CHECK(codeOf(qwen("3"), "head_dim") == "invalid_model" && codeOf(qwen("2"), "head_dim") == "nothing");
  CHECK(codeOf(qwen("3", {{"attention_bias", "true"}}), "") == "invalid_model");
  CHECK(codeOf(qwen("2", {{"attention_bias", "true"}}), "") == "nothing" && codeOf(qwen("2", {{"attention_bias", "false"}}), "") == "nothing");
  CHECK(codeOf(qwen("2", {{"use_sliding_window", "true"}}), "max_window_layers") == "invalid_model");
  CHECK(codeOf(qwen("3", {{"model_type", "\"qwen2\""}}), "") == "invalid_model");
}

TEST("a model may say which number format it was measured in on a CPU") {
  const auto recommended = [](const char* about) {
    Members members = valid();
    members["foretrace"] = about;
    return parseModelConfig(textOf(members), "config.json").cpuDtype;
  };
  CHECK(parseModelConfig(textOf(valid()), "config.json").cpuDtype.empty());
  CHECK(recommended("{}").empty() && recommended("null").empty() && recommended(R"({"cpu_dtype":null,"recipe":"x"})").empty());
  for (const std::string dtype : {"fp32", "bf16", "int8"}) CHECK(recommended((R"({"cpu_dtype":")" + dtype + "\"}").c_str()) == dtype);
  std::string message;
  CHECK(codeWith("foretrace", R"({"cpu_dtype":"fp8"})", &message) == "invalid_model");
  CHECK_THAT(message == R"(config.json: foretrace: cpu_dtype: expected "fp32" or "bf16" or "int8", found "fp8")", message);
  for (const char* about : {R"({"cpu_dtype":8})", R"({"cpu_dtype":"auto"})", R"({"cpu_dtype":""})", "[]", "\"int8\"", "8"}) {
    CHECK_THAT(codeWith("foretrace", about) == "invalid_model", about);
  }
}

TEST("a document that is no object, or is cut, is refused") {
  for (const char* text : {"", "[]", "1", "null", "\"x\""}) CHECK_ERROR("invalid_model", parseModelConfig(text, "config.json"));
  const std::string text = textOf(valid());
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_THAT(test::thrownCode([&] { (void)parseModelConfig(text.substr(0, size), "config.json"); }) == "invalid_model",
               std::to_string(size));
  }
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
