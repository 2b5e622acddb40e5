// Cases of loading a model onto the GPU, for a GPU and for the emulator: what was asked for reaches the device.
#pragma once

#include <string>
#include <vector>

#include "engine/load.h"
#include "test/check.h"
#include "test/model_directory.h"

namespace foretrace::test::load_cases {  // TEST names its functions by line: one namespace a file

TEST("number format, host memory and progress of a load reach the device") {
  const TemporaryDirectory directory;
  directory.write("config.json",
                  R"({"architectures":["LlamaForCausalLM"],"hidden_size":64,"num_hidden_layers":1,"num_attention_heads":4,)"
                  R"("num_key_value_heads":2,"intermediate_size":160,"vocab_size":96,"max_position_embeddings":64,)"
                  R"("tie_word_embeddings":false,"rms_norm_eps":1e-6,"rope_theta":10000})");
  LoadOptions options{.modelDir = directory.path().string(), .device = "cuda", .isa = "auto", .dtype = "auto", .pages = 8,
                      .pageTokens = 16, .maxRows = 16, .maxSequences = 2, .hostCacheBytes = 1 << 20, .randomWeightsSeed = 3};
  std::vector<std::int64_t> weightBytes;
  for (const char* dtype : {"auto", "bf16", "int8"}) {
    std::int64_t copied = 0;
    std::int64_t total = -1;
    options.dtype = dtype;
    options.progress = [&](std::int64_t done, std::int64_t all) {
      CHECK(done > copied && done <= all);
      copied = done;
      total = all;
    };
    const auto engine = loadEngine(options);
    CHECK_THAT(copied == total, std::to_string(copied) + " of " + std::to_string(total));
    CHECK(engine->info().device == "cuda" && engine->stats().hostPages > 0);
    weightBytes.push_back(engine->info().weightBytes);
    const std::vector<std::int32_t> prompt{1, 2, 3};
    const std::int32_t sequence = engine->open(prompt, 0).sequence;
    engine->generate(sequence, {.grammar = -1, .state = 0, .frames = {}, .temperature = 0, .topP = 1, .seed = 0, .maxNewTokens = 2,
                                .stopToken = -1});
    const std::vector<std::int32_t> words{sequence, 3, 1};
    CHECK(engine->run(engine->prepare(words, {.maxIterations = 4}, 64, 16)).response[1] == static_cast<std::int32_t>(StepStatus::length));
  }
  CHECK(weightBytes[0] == weightBytes[1] && weightBytes[2] < weightBytes[1]);
  for (const char* dtype : {"fp32", "int4"}) {
    options.dtype = dtype;
    CHECK_ERROR("invalid_argument", (void)loadEngine(options));
  }
}

}  // namespace foretrace::test::load_cases
