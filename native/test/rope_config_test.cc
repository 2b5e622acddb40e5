// How a config.json scales rotary positions, and the Code World Model, whose file does.
#include <cmath>
#include <string>

#include "test/config_members.h"

namespace foretrace {
namespace {

using test::codeWith;
using test::configWith;
using test::Members;
using test::textOf;
using test::valid;

const std::string llama3 =
    R"({"rope_type":"llama3","factor":8.0,"low_freq_factor":1,"high_freq_factor":4.0,"original_max_position_embeddings":64})";

/// `llama3` with the text of one member replaced.
std::string llama3With(const std::string& replace, const std::string& with) {
  std::string text = llama3;
  return text.replace(text.find(replace), replace.size(), with);
}

TEST("scaled rotary frequencies are read from either object, under either name of their type") {
  const RopeScaling expected{.factor = 8, .lowFrequencyFactor = 1, .highFrequencyFactor = 4, .originalContext = 64};
  CHECK(!configWith({}).ropeScaling.scaled() && configWith({}).ropeScaling == RopeScaling{});
  const std::string older = llama3With("rope_type", "type");
  const std::string doubled = llama3With("{", R"({"type":"llama3",)");
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    for (const std::string& text : {llama3, older, doubled}) {
      const ModelConfig config = configWith({{name, text}});
      CHECK_THAT(config.ropeScaling == expected && config.ropeTheta == 500000.0F, text);
    }
    for (const char* text : {"null", "{}", R"({"rope_type":"default"})", R"({"type":"default"})"}) {
      CHECK_THAT(configWith({{name, text}}).ropeScaling == RopeScaling{}, text);
    }
    CHECK(configWith({{name, llama3With("{", R"({"rope_theta":25,)")}}).ropeTheta == 25.0F);
  }
}

TEST("two objects of rotary positions have to agree") {
  const auto both = [](const std::string& older, const std::string& newer, std::string* message = nullptr) {
    Members members = valid();
    members["rope_scaling"] = older;
    members["rope_parameters"] = newer;
    return test::thrownCode([&] { (void)parseModelConfig(textOf(members), "config.json"); }, message);
  };
  const std::string newer = llama3With("{", R"({"rope_theta":25,)");
  CHECK(configWith({{"rope_scaling", llama3}, {"rope_parameters", newer}}).ropeTheta == 25.0F);
  CHECK(both(llama3, llama3) == "nothing" && both("null", llama3) == "nothing" && both(llama3, "null") == "nothing");
  CHECK(both("{}", R"({"rope_type":"default"})") == "nothing");
  for (const std::string& other : {std::string("{}"), llama3With("8.0", "16"), llama3With(":1,", ":2,"), llama3With("4.0", "5"), llama3With("64", "65")}) {
    std::string message;
    CHECK_THAT(both(llama3, other, &message) == "invalid_model" && both(other, llama3) == "invalid_model", other);
    CHECK_THAT(message == "config.json: rope_parameters: expected what rope_scaling says, found another rotation", message);
  }
  CHECK(both(llama3With("{", R"({"rope_theta":24,)"), newer) == "invalid_model");
}

TEST("a scaling that is not known, incomplete or out of range is refused by name") {
  for (const std::string name : {"rope_scaling", "rope_parameters"}) {
    const auto refused = [&](const std::string& text, const std::string& why) {
      std::string message;
      CHECK_THAT(codeWith(name, text, &message) == "invalid_model", text);
      CHECK_THAT(message == "config.json: " + name + ": " + why, message);
    };
    for (const char* type : {"linear", "dynamic", "yarn", "longrope", ""}) {
      const std::string why = std::string(R"(: expected "default" or "llama3", found ")") + type + "\"";
      refused(llama3With("\"llama3", std::string("\"") + type), "rope_type" + why);
      refused(std::string(R"({"type":")") + type + "\"}", "type" + why);
    }
    refused(R"({"rope_type":3})", R"(rope_type: expected "default" or "llama3", found 3)");
    refused(R"({"factor":8})", R"(rope_type: expected "default" or "llama3", found nothing)");
    refused(llama3With("{", R"({"type":"default",)"), R"(type: expected "llama3", as rope_type is, found "default")");
    refused(R"({"rope_type":"llama3"})", "factor: expected a number from 1 to 1e+06, found nothing");
    for (const std::string value : {"0.99", "0", "-8", "2e+06", "1e+300", "\"8\"", "true"}) {
      refused(llama3With("8.0", value), "factor: expected a number from 1 to 1e+06, found " + value);
    }
    for (const std::string value : {"0", "-1", "null", "[]"}) {
      const std::string found = value == "[]" ? "an array of 0" : value;
      refused(llama3With(":1,", ":" + value + ","), "low_freq_factor: expected a number from 1e-06 to 1e+06, found " + found);
      refused(llama3With("4.0", value), "high_freq_factor: expected a number from 1e-06 to 1e+06, found " + found);
    }
    for (const std::string value : {"1", "0.5"}) {
      refused(llama3With("4.0", value), "high_freq_factor: expected a number above low_freq_factor, found " + value);
    }
    for (const std::string value : {"0", "-1", "0.5", "16777217", "\"64\"", "null"}) {
      refused(llama3With("64", value), "original_max_position_embeddings: expected an integer from 1 to 16777216, found " + value);
    }
    refused(R"({"rope_theta":0})", "rope_theta: expected a number from 1 to 1e+12, found 0");
    refused(R"({"partial_rotary_factor":0.5})", "partial_rotary_factor: expected 1 (partial rotation is not supported), found 0.5");
    refused(R"({"full_attention":{"rope_theta":10000}})",
            "full_attention: expected nothing (rotations that differ between layers are not supported), found an object");
  }
}

TEST("a scaling made in code is checked as well") {
  const auto code = [](const RopeScaling& scaling) {
    ModelConfig config = configWith({});
    config.ropeScaling = scaling;
    return test::thrownCode([&] { validateModelConfig(config, "a config"); });
  };
  CHECK(code({}) == "nothing" && code({8, 1, 4, 64}) == "nothing");
  for (const RopeScaling& wrong : {RopeScaling{0.5, 1, 4, 64}, RopeScaling{std::nan(""), 1, 4, 64}, RopeScaling{8, 0, 4, 64}, RopeScaling{8, 4, 4, 64},
                                   RopeScaling{8, 1, std::nan(""), 64}, RopeScaling{8, 1, INFINITY, 64}, RopeScaling{8, 1, 4, -1}}) {
    CHECK(code(wrong) == "invalid_model");
  }
}

/// A Code World Model of two layers, as Hugging Face writes it.
Members codeWorldModel() {
  Members members = valid();
  members["architectures"] = "[\"CwmForCausalLM\"]";
  members["model_type"] = "\"cwm\"";
  members["head_dim"] = "16";
  members["sliding_window"] = "32";
  members["layer_types"] = R"(["full_attention", "sliding_attention"])";
  members["rope_scaling"] = llama3;
  return members;
}

TEST("a Code World Model is read if its file leaves nothing to defaults, which differ from a Llama's") {
  const auto code = [](const Members& members, std::string* message = nullptr) {
    return test::thrownCode([&] { (void)parseModelConfig(textOf(members), "config.json"); }, message);
  };
  const ModelConfig config = parseModelConfig(textOf(codeWorldModel()), "config.json");
  CHECK(config.architecture == "CwmForCausalLM" && config.ropeScaling.factor == 8 && config.ropeTheta == 500000.0F);
  CHECK(config.windowOf(0) == 0 && config.windowOf(1) == 32);
  for (const char* name : {"num_key_value_heads", "head_dim", "rms_norm_eps", "layer_types", "rope_theta", "sliding_window", "rope_scaling"}) {
    Members members = codeWorldModel();
    members[name] = "null";
    CHECK_THAT(code(members) == "invalid_model", name);
    members.erase(name);
    CHECK_THAT(code(members) == "invalid_model", name);
  }
  Members members = codeWorldModel();
  members.erase("rope_theta");
  members.erase("rope_scaling");
  members["rope_parameters"] = llama3With("{", R"({"rope_theta":1000000.0,)");
  CHECK(parseModelConfig(textOf(members), "config.json").ropeTheta == 1e6F);
  members["rope_parameters"] = llama3;
  std::string message;
  CHECK(code(members, &message) == "invalid_model");
  CHECK_THAT(message == "config.json: rope_theta: expected a number (a cwm has to state it), found nothing", message);
  members = codeWorldModel();
  members["model_type"] = "\"llama\"";
  CHECK(code(members, &message) == "invalid_model");
  CHECK_THAT(message == R"(config.json: model_type: expected "cwm", found "llama")", message);
  members.erase("model_type");
  CHECK(code(members) == "nothing");
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
