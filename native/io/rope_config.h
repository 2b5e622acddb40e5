// Reads how a config.json rotates positions.
#pragma once

#include <string_view>

#include "core/config.h"
#include "io/config_fields.h"

namespace foretrace {

/// Sets `ropeTheta` and `ropeScaling` from rope_theta, `rope_scaling` and `rope_parameters`: the older and the newer name of one
/// object, which may hold rope_theta as well. Its rope_type (`type` in the oldest files) is "default" or "llama3"; any other is
/// refused, and so are two objects that differ. `mostPositions` bounds original_max_position_embeddings. Throws `invalid_model`.
void readRope(const Fields& fields, std::int32_t mostPositions, ModelConfig& config);

/// Checks base and scaling however they were made. Throws `invalid_model`.
void validateRope(const ModelConfig& config, std::int32_t mostPositions, std::string_view what);

}  // namespace foretrace
