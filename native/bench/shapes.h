// Models by name, for benchmarks without weights.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "io/model_files.h"

namespace foretrace::bench {

inline ModelConfig shape(std::int32_t vocab, std::int32_t hidden, std::int32_t layers, std::int32_t heads, std::int32_t kvHeads,
                         std::int32_t ffn, std::int32_t context, bool tied) {
  ModelConfig config;
  config.vocab = vocab;
  config.hidden = hidden;
  config.layers = layers;
  config.heads = heads;
  config.kvHeads = kvHeads;
  config.headDim = hidden / heads;
  config.ffn = ffn;
  config.maxContext = context;
  config.tied = tied;
  return config;
}

/// The Code World Model's windows and rotary frequencies: three of four layers see 8192 positions.
inline ModelConfig asCodeWorldModel(ModelConfig config) {
  config.ropeTheta = 1e6F;
  config.ropeScaling = {.factor = 16, .lowFrequencyFactor = 1, .highFrequencyFactor = 4, .originalContext = 8192};
  config.slidingWindow = 8192;
  for (std::int32_t layer = 0; layer < config.layers; ++layer) config.windowedLayers.push_back(layer % 4 == 0 ? 0 : 1);
  return config;
}

struct NamedShape {
  const char* name;
  ModelConfig config;
};

/// All shapes with a name: "4M" is that of the model that ships, "32B" that of the Code World Model.
inline std::vector<NamedShape> namedShapes() {
  ModelConfig four = shape(1025, 256, 6, 4, 2, 640, 2048, true);
  ModelConfig cwm = asCodeWorldModel(shape(128256, 6144, 64, 48, 8, 21504, 131072, false));
  return {{"4M", four},
          {"S30", shape(8192, 512, 8, 8, 4, 1408, 4096, true)},
          {"S135", shape(49152, 576, 30, 9, 3, 1536, 8192, true)},
          {"S1B8", shape(32000, 2048, 24, 16, 16, 5632, 4096, false)},
          {"1B", shape(128256, 2048, 16, 32, 8, 8192, 131072, true)},
          {"8B", shape(128256, 4096, 32, 32, 8, 14336, 131072, false)},
          {"32B", cwm}};
}

inline std::optional<ModelConfig> namedShape(const std::string& name) {
  for (NamedShape& each : namedShapes()) {
    if (name == each.name) return std::move(each.config);
  }
  return std::nullopt;
}

/// Random weights of a named shape, or the model of a directory.
inline LoadedModel namedModel(const std::string& name) {
  if (const auto config = namedShape(name)) return randomModel(*config, 1);
  if (std::filesystem::is_directory(name)) return loadModel(name);
  throw Error(ErrorCode::invalid_argument, "shape", "4M, S30, S135, S1B8, 1B, 8B, 32B or a model directory", name);
}

}  // namespace foretrace::bench
