// From a Hugging Face model directory, or from a config and a seed, to weights by role.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/config.h"
#include "core/weights.h"

namespace foretrace {

/// A model as read from disk, before a device packs it.
struct LoadedModel {
  ModelConfig config;
  Weights weights;
  std::string digest;  ///< 32 hexadecimal digits over config and weights, independent of file and tensor order
};

/// Reads <directory>/config.json. Throws `model_not_found` or `invalid_model`.
[[nodiscard]] ModelConfig loadConfig(const std::filesystem::path& directory);

/// Reads config.json and model.safetensors (or model.safetensors.index.json and its shards). Tensors stay mapped, not
/// copied. Throws `model_not_found` or `invalid_model`; the message names file, field, expected and actual.
[[nodiscard]] LoadedModel loadModel(const std::filesystem::path& directory);

/// Weights drawn from a seed, scaled as at initialisation; the same seed and config give the same bits everywhere.
[[nodiscard]] LoadedModel randomModel(const ModelConfig& config, std::uint64_t seed);

}  // namespace foretrace
