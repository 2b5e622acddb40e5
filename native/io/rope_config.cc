#include "io/rope_config.h"

#include <cmath>
#include <optional>
#include <string>

namespace foretrace {
namespace {

constexpr double leastTheta = 1.0;
constexpr double mostTheta = 1e12;
/// Far beyond published models (factors to 32, bands from 1 to 4), and so bounded that no quotient of them overflows in fp32.
constexpr double mostFactor = 1e6;
constexpr double leastBand = 1e-6;
constexpr double mostBand = 1e6;

/// What one object says.
struct Rotation {
  std::optional<float> theta;
  RopeScaling scaling;
};

bool isLlama3(const Fields& rope) {
  const std::string type = rope.textOr("rope_type", {"default", "llama3"});
  const std::string older = rope.textOr("type", {"default", "llama3"});
  if (!type.empty() && !older.empty() && type != older) rope.fail("type", "\"" + type + "\", as rope_type is");
  // A factor without a type is that of some scaling, and not of none, which is what a type left out stands for.
  if (type.empty() && older.empty() && rope.optional("factor") != nullptr) rope.fail("rope_type", "\"default\" or \"llama3\"");
  return type == "llama3" || older == "llama3";
}

Rotation readRotation(const Fields& fields, const char* name, std::int32_t mostPositions) {
  const JsonValue* object = fields.optional(name);
  if (object == nullptr) return {};
  const Fields rope(*object, fields.what() + ": " + name);
  for (const char* kind : {"full_attention", "sliding_attention"}) {
    if (rope.optional(kind) != nullptr) rope.fail(kind, "nothing (rotations that differ between layers are not supported)");
  }
  if (rope.numberOr("partial_rotary_factor", 0.0, 1.0, 1.0) != 1.0F) {
    rope.fail("partial_rotary_factor", "1 (partial rotation is not supported)");
  }
  Rotation found;
  if (rope.optional("rope_theta") != nullptr) found.theta = static_cast<float>(rope.number("rope_theta", leastTheta, mostTheta));
  if (!isLlama3(rope)) return found;
  RopeScaling& scaling = found.scaling;
  scaling.factor = rope.number("factor", 1.0, mostFactor);
  scaling.lowFrequencyFactor = rope.number("low_freq_factor", leastBand, mostBand);
  scaling.highFrequencyFactor = rope.number("high_freq_factor", leastBand, mostBand);
  if (!(scaling.highFrequencyFactor > scaling.lowFrequencyFactor)) rope.fail("high_freq_factor", "a number above low_freq_factor");
  scaling.originalContext = rope.size("original_max_position_embeddings", mostPositions);
  return found;
}

void require(bool holds, std::string_view what, const char* name, std::string_view expected, double found) {
  if (!holds) throw Error(ErrorCode::invalid_model, std::string(what) + ": " + name, expected, std::to_string(found));
}

}  // namespace

void readRope(const Fields& fields, std::int32_t mostPositions, ModelConfig& config) {
  const Rotation older = readRotation(fields, "rope_scaling", mostPositions);
  const Rotation newer = readRotation(fields, "rope_parameters", mostPositions);
  const bool both = fields.optional("rope_scaling") != nullptr && fields.optional("rope_parameters") != nullptr;
  const bool otherTheta = older.theta && newer.theta && *older.theta != *newer.theta;
  if (both && (otherTheta || older.scaling != newer.scaling)) {
    throw Error(ErrorCode::invalid_model, fields.what() + ": rope_parameters", "what rope_scaling says", "another rotation");
  }
  const float outer = fields.numberOr("rope_theta", leastTheta, mostTheta, 10000.0);
  config.ropeTheta = newer.theta.value_or(older.theta.value_or(outer));
  config.ropeScaling = newer.scaling.scaled() ? newer.scaling : older.scaling;
}

void validateRope(const ModelConfig& config, std::int32_t mostPositions, std::string_view what) {
  const auto theta = static_cast<double>(config.ropeTheta);
  require(theta >= leastTheta && std::isfinite(theta), what, "rope_theta", "a number of at least 1", theta);
  const RopeScaling& scaling = config.ropeScaling;
  require(scaling.originalContext >= 0 && scaling.originalContext <= mostPositions, what, "original_max_position_embeddings",
          "0 to " + std::to_string(mostPositions), scaling.originalContext);
  if (!scaling.scaled()) return;
  require(scaling.factor >= 1.0 && scaling.factor <= mostFactor, what, "factor", "a number from 1 to a million", scaling.factor);
  require(scaling.lowFrequencyFactor >= leastBand, what, "low_freq_factor", "a number above 0", scaling.lowFrequencyFactor);
  require(scaling.highFrequencyFactor > scaling.lowFrequencyFactor && scaling.highFrequencyFactor <= mostBand, what,
          "high_freq_factor", "a number above low_freq_factor, at most a million", scaling.highFrequencyFactor);
}

}  // namespace foretrace
