// The number format of the weights on the CPU.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretrace {

/// fp32 is the reference: weights, activations, keys and values in fp32. bf16 rounds weights, the inputs of products,
/// keys and values to bf16 and sums in fp32. int8 has a scale for each output column of a weight matrix and for each row of
/// activations, sums exactly in int32, and keeps keys and values in bf16. Norms, softmax and the residual stream are fp32
/// in all of them.
enum class WeightType : std::uint8_t { fp32, bf16, int8 };

/// "fp32", "bf16" or "int8".
[[nodiscard]] const char* weightTypeName(WeightType type) noexcept;

/// "auto" is `recommended`, what those who measured the model say (ModelConfig::cpuDtype), or else bf16, which answers as well as
/// fp32 with half the memory (docs/training.md). Throws `invalid_argument` for an unknown name.
[[nodiscard]] WeightType resolveWeightType(std::string_view name, std::string_view recommended = {});

/// Bytes of one element of a weight matrix.
[[nodiscard]] constexpr std::int64_t weightBytes(WeightType type) noexcept {
  return type == WeightType::fp32 ? 4 : type == WeightType::bf16 ? 2 : 1;
}

}  // namespace foretrace
