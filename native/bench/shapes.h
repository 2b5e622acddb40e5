// Models by name, for benchmarks without weights.
#pragma once

#include <filesystem>
#include <string>

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

/// Random weights of the shape "S30", "S135" or "S1B8", or the model of a directory.
inline LoadedModel namedModel(const std::string& name) {
  if (name == "S30") return randomModel(shape(8192, 512, 8, 8, 4, 1408, 4096, true), 1);
  if (name == "S135") return randomModel(shape(49152, 576, 30, 9, 3, 1536, 8192, true), 1);
  if (name == "S1B8") return randomModel(shape(32000, 2048, 24, 16, 16, 5632, 4096, false), 1);
  if (std::filesystem::is_directory(name)) return loadModel(name);
  throw Error(ErrorCode::invalid_argument, "shape", "S30, S135, S1B8 or a model directory", name);
}

}  // namespace foretrace::bench
