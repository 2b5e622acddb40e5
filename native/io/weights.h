// Tensors by name and shape, assembled into weights by role.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/config.h"
#include "core/tensor.h"
#include "core/weights.h"

namespace foretrace {

/// Tensors of a model by their Hugging Face names.
using TensorMap = std::unordered_map<std::string, TensorView>;

/// One tensor a model of this config must have.
struct ExpectedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  TensorView* role;  ///< where it belongs
};

/// Names, shapes and roles of all tensors; sizes `weights.layers`. A tied head is not listed.
[[nodiscard]] std::vector<ExpectedTensor> expectedTensors(const ModelConfig& config, Weights& weights);

/// Fills the roles. Throws `invalid_model` if a tensor is missing, has another shape or another dtype than the
/// embedding, or has no place in a model of this config (a bias, for example). `what` names the source.
[[nodiscard]] Weights assembleWeights(const ModelConfig& config, const TensorMap& tensors, std::string_view what);

/// Throws `invalid_model` if an element of a tensor is an infinity or a NaN: no answer of such a model means anything.
void checkFinite(const ModelConfig& config, const Weights& weights, std::string_view what);

/// 32 hexadecimal digits over the config and the name, dtype, shape and bytes of every tensor, in an order that does not
/// depend on files. Names the model in caches; not meant to resist an attacker.
[[nodiscard]] std::string digestModel(const ModelConfig& config, const Weights& weights);

}  // namespace foretrace
