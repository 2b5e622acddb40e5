// From a model directory to a running engine, and what the engine makes of a model whose numbers are corrupt.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"
#include "cpu/features.h"
#include "engine/device_choice.h"
#include "engine/load.h"
#include "engine/load_progress.h"
#include "io/model_files.h"
#include "test/model_directory.h"

using namespace foretrace;
using test::TemporaryDirectory;

namespace {

/// Without drafts, because how many a step has depends on measured times.
LoadOptions optionsFor(const TemporaryDirectory& directory) {
  return {.modelDir = directory.path().string(), .device = "cpu", .isa = "auto", .drafts = "off", .threads = 2, .pages = 8,
          .pageTokens = 8, .maxRows = 16, .maxSequences = 4, .randomWeightsSeed = {}};
}

/// Writes a random model; every element of the tensors whose name holds `corrupt` becomes the bf16 of these bits.
void writeModel(const TemporaryDirectory& directory, const std::string& corrupt = "", std::uint16_t bits = 0) {
  directory.write("config.json", test::configText);
  LoadedModel model = randomModel(loadConfig(directory.path()), 5);
  const auto tensors = expectedTensors(model.config, model.weights);
  for (const ExpectedTensor& tensor : tensors) {
    if (corrupt.empty() || tensor.name.find(corrupt) == std::string::npos) continue;
    auto* bytes = const_cast<std::byte*>(tensor.role->data);
    for (std::size_t i = 0; i < tensor.role->bytes(); ++i) bytes[i] = static_cast<std::byte>(i % 2 == 0 ? bits & 0xFF : bits >> 8);
  }
  directory.write("model.safetensors", test::fileOf(tensors, 0, tensors.size()));
}

StepResult answer(Engine& engine, double temperature) {
  const std::vector<std::int32_t> prompt{1, 2, 3};
  const std::int32_t sequence = engine.open(prompt, 0).sequence;
  GenerationOptions options;
  options.temperature = temperature;
  options.maxNewTokens = 4;
  engine.generate(sequence, options);
  const std::vector<std::int32_t> words{sequence, 3, 1};
  StepResult result = engine.run(engine.prepare(words, {.maxIterations = 10}, 64, 16));
  engine.close(sequence);
  return result;
}

bool mapsFile(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(path) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST("a loaded engine needs its files no more: they are not mapped and may be cut or removed") {
  const TemporaryDirectory directory;
  writeModel(directory);
  const std::string path = (directory.path() / "model.safetensors").string();
  {
    const LoadedModel mapped = loadModel(directory.path());
    CHECK(mapsFile(path));  // what the next check looks for can be seen
  }
  const auto engine = loadEngine(optionsFor(directory));
  CHECK(!mapsFile(path));
  const StepResult before = answer(*engine, 0);
  directory.write("model.safetensors", "");
  engine->clearCache();
  const StepResult after = answer(*engine, 0);
  CHECK(before.response == after.response && before.logProbabilities == after.logProbabilities);
  CHECK(before.response[1] == static_cast<std::int32_t>(StepStatus::length) && before.summary.failure.empty());
}

TEST("a model with an infinity or a NaN is refused by the name of the tensor") {
  for (const std::string corrupt : {"model.embed_tokens", "model.norm", "model.layers.0.mlp.up_proj"}) {
    for (const int bits : {0x7FC0, 0x7F81, 0xFFFF, 0x7F80, 0xFF80}) {
      const TemporaryDirectory directory;
      writeModel(directory, corrupt, static_cast<std::uint16_t>(bits));
      try {
        static_cast<void>(loadEngine(optionsFor(directory)));
        CHECK_THAT(false, corrupt + " loads");
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::invalid_model);
        CHECK_THAT(std::string(error.what()).find(corrupt) != std::string::npos, error.what());
      }
    }
  }
}

TEST("a model whose sums overflow fails the sequence with a reason, on every instruction set and number format, and the engine lives on") {
  for (const Isa isa : availableIsas()) {
    for (const char* corrupt : {"model.norm", "q_proj", "v_proj", "up_proj"}) {
      const TemporaryDirectory directory;
      writeModel(directory, corrupt, 0x7F7F);  // the largest finite number
      LoadOptions options = optionsFor(directory);
      options.isa = isaName(isa);
      for (const char* dtype : {"fp32", "bf16", "int8"}) {
        options.dtype = dtype;
        const auto engine = loadEngine(options);
        for (const double temperature : {0.0, 1.0}) {
          const StepResult result = answer(*engine, temperature);
          const std::string name = std::string(isaName(isa)) + " " + dtype + ", " + corrupt;
          CHECK_THAT(result.response[1] == static_cast<std::int32_t>(StepStatus::failed) && result.response[5] == 0, name);
          CHECK_THAT(result.summary.failure == "no legal token has a finite logit", name + ": " + result.summary.failure);
          engine->checkInvariants();
        }
      }
    }
  }
}

TEST("a Code World Model's directory loads, answers and is told from the Llama with the same weights") {
  const TemporaryDirectory directory;
  writeModel(directory);
  const EngineInfo plain = loadEngine(optionsFor(directory))->info();
  const std::string llama = "LlamaForCausalLM";
  std::string config = test::configText;
  config.replace(config.find(llama), llama.size(), "CwmForCausalLM");
  config.pop_back();
  directory.write("config.json", config + R"(,"model_type":"cwm","head_dim":4,"sliding_window":4,"layer_types":["sliding_attention"],"rope_scaling":{)"
                                          R"("rope_type":"llama3","factor":16.0,"low_freq_factor":1.0,"high_freq_factor":4.0,)"
                                          R"("original_max_position_embeddings":32}})");
  const auto engine = loadEngine(optionsFor(directory));
  CHECK(engine->info().architecture == "CwmForCausalLM" && plain.architecture == llama);
  CHECK(engine->info().parameters == plain.parameters && engine->info().modelDigest != plain.modelDigest);
  CHECK(answer(*engine, 0).response[1] == static_cast<std::int32_t>(StepStatus::length));
}

TEST("auto is the number format that the model says, or bf16; one that is asked for is what was asked for") {
  for (const std::string recommended : {"", "fp32", "bf16", "int8"}) {
    const TemporaryDirectory directory;
    writeModel(directory);
    const std::string about = R"(,"foretrace":{"cpu_dtype":")" + recommended + "\"}}";
    if (!recommended.empty()) directory.write("config.json", test::configText.substr(0, test::configText.size() - 1) + about);
    LoadOptions options = optionsFor(directory);
    for (const std::string asked : {"auto", "fp32", "bf16", "int8"}) {
      options.dtype = asked;
      const std::string expected = asked != "auto" ? asked : recommended.empty() ? "bf16" : recommended;
      const EngineInfo info = loadEngine(options)->info();
      CHECK_THAT(info.dtype == expected, recommended + ", " + asked + ": " + info.dtype);
      options.dtype = expected;
      const EngineInfo named = loadEngine(options)->info();
      CHECK(named.weightBytes == info.weightBytes && named.kvBytesPerToken == info.kvBytesPerToken && named.modelDigest == info.modelDigest);
    }
  }
}

TEST("auto is the CPU until the CUDA engine is proven, and where there is no GPU; one line says why") {
  CudaProbe none;
  none.reason = "no NVIDIA GPU was found";
  CudaProbe gpu;
  gpu.compiled = gpu.available = true;
  gpu.name = "NVIDIA H200";
  gpu.isa = "sm_90";
  for (const bool proven : {false, true}) {
    for (const char* named : {"cpu", "cuda"}) {
      const DeviceChoice choice = chooseDevice(named, none, proven);
      CHECK(choice.device == named && choice.reason.empty());
    }
    CHECK(chooseDevice("auto", none, proven).device == "cpu");
    CHECK(chooseDevice("auto", none, proven).reason == "runs on the CPU: no NVIDIA GPU was found");
    const DeviceChoice choice = chooseDevice("auto", gpu, proven);
    CHECK(choice.device == (proven ? "cuda" : "cpu") && choice.reason.find("NVIDIA H200 (sm_90)") != std::string::npos);
    CHECK((choice.reason.find("not been proven") != std::string::npos) != proven);
    CHECK(choice.reason.find('\n') == std::string::npos);
  }
}

TEST("the bar of loaded weights is one line that ends when all is done") {
  std::ostringstream out;
  const auto progress = loadProgressBar(out);
  for (std::int64_t done = 0; done <= 1000; ++done) progress(done, 1000);
  const std::string text = out.str();
  CHECK(std::ranges::count(text, '\r') == 101 && std::ranges::count(text, '\n') == 1 && text.back() == '\n');
  CHECK(text.find("] 0 %") < text.find("] 57 %") && text.find("] 57 %") < text.find("] 100 %"));
  std::ostringstream empty;
  loadProgressBar(empty)(0, 0);
  CHECK(empty.str().find("100 %\n") != std::string::npos);
}

TEST("a GPU that was asked for by name and is not there is an error, not another device") {
  if (probeCuda().available) return;
  const TemporaryDirectory directory;
  writeModel(directory);
  LoadOptions options = optionsFor(directory);
  options.device = "cuda";
  for (const std::int32_t pages : {0, 8}) {
    options.pages = pages;
    std::string message;
    CHECK(test::thrownCode([&] { (void)loadEngine(options); }, &message) == "unsupported_device");
    CHECK_THAT(message.find(probeCuda().reason) != std::string::npos, message);
  }
  options.device = "auto";
  CHECK(loadEngine(options)->info().device == "cpu");
}

TEST("host memory for pages is an option a CPU does without") {
  const TemporaryDirectory directory;
  writeModel(directory);
  LoadOptions options = optionsFor(directory);
  options.hostCacheBytes = 1 << 20;
  CHECK(loadEngine(options)->stats().hostPages == 0);
  options.hostCacheBytes = -1;
  CHECK_ERROR("invalid_argument", loadEngine(options));
  options.hostCacheBytes = 0;
  options.device = "auto";
  CHECK(loadEngine(options)->info().deviceReason.empty() == false);
}

int main(int, char** arguments) { return test::runTests(arguments[1]); }
