// The config reader on arbitrary bytes: what it accepts is a config every later step can rely on.
#include <string_view>

#include "io/model_config.h"
#include "test/mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foretrace;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ModelConfig config;
  if (test::returnsOrRefuses([&] { config = parseModelConfig(text, "fuzz"); })) {
    const bool sound = config.hidden > 0 && config.layers > 0 && config.heads > 0 && config.kvHeads > 0 &&
                       config.heads % config.kvHeads == 0 && config.headDim > 0 && config.headDim % 2 == 0 &&
                       config.ffn > 0 && config.vocab > 0 && config.maxContext > 0 && config.normEps > 0 &&
                       config.ropeTheta >= 1 && (!config.ropeScaling.scaled() ||
                                                 (config.ropeScaling.factor >= 1 && config.ropeScaling.lowFrequencyFactor > 0 &&
                                                  config.ropeScaling.highFrequencyFactor > config.ropeScaling.lowFrequencyFactor));
    if (!sound) test::violation("an accepted config is sound");
  }
  return 0;
}

#ifndef FORETRACE_LIBFUZZER
int main() {
  return foretrace::test::mutateSeeds(
      {R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
       R"("num_key_value_heads":2,"intermediate_size":160,"vocab_size":96,"max_position_embeddings":256,"rms_norm_eps":1e-5,)"
       R"("rope_theta":10000.0,"rope_scaling":null,"hidden_act":"silu","tie_word_embeddings":true,"head_dim":16})",
       R"({"architectures":["CwmForCausalLM"],"model_type":"cwm","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,)"
       R"("num_key_value_heads":2,"intermediate_size":160,"vocab_size":96,"max_position_embeddings":256,"rms_norm_eps":1e-5,)"
       R"("head_dim":16,"sliding_window":32,"layer_types":["full_attention","sliding_attention"],"rope_parameters":{)"
       R"("rope_theta":1e6,"rope_type":"llama3","factor":16.0,"low_freq_factor":1.0,"high_freq_factor":4.0,)"
       R"("original_max_position_embeddings":64}})"},
      {"0", "-", "1e9", "null", "true", "\"\"", "[]", "{}", ".5", "2147483648", "1e-300", "\"head_dim\":3,"}, 60000);
}
#endif
