// From a model directory to a running engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"

namespace foretrace {

/// EngineOptions of src/native/addon-types.ts; defaults are set there and nowhere else.
struct LoadOptions {
  std::string modelDir;
  std::string device;
  std::string isa;
  std::string dtype = "auto";
  std::string drafts = "auto";
  std::int32_t threads = 0;
  std::int32_t pages = 0;
  std::int32_t pageTokens = 0;
  std::int32_t maxRows = 0;
  std::int32_t maxSequences = 0;
  std::int64_t hostCacheBytes = 0;
  std::optional<std::uint64_t> randomWeightsSeed;
};

/// Loads model and backend. Throws `model_not_found`, `invalid_model`, `invalid_argument` or `unsupported_device`.
[[nodiscard]] std::unique_ptr<Engine> loadEngine(const LoadOptions& options);

}  // namespace foretrace
