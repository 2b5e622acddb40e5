// The oracle: every operation of the model as a plain loop in double precision. Slow, readable, used by tests only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/config.h"
#include "core/weights.h"

namespace foretrace::reference {

using Vector = std::vector<double>;

/// Row `row` of a [.., width] tensor.
[[nodiscard]] Vector readRow(const TensorView& tensor, std::int64_t row, std::int64_t width);

/// matrix * x for a [outputs, inputs] tensor.
[[nodiscard]] Vector product(const TensorView& matrix, const Vector& x);

/// x / sqrt(mean(x^2) + epsilon) * weight.
[[nodiscard]] Vector rmsNorm(const Vector& x, const Vector& weight, double epsilon);

/// Rotates the pairs (i, i + d / 2) of one head [d] by position * theta^(-2 i / d), the frequencies scaled if `scaling` is.
void rotate(double* head, std::int64_t headDim, std::int64_t position, double theta, const RopeScaling& scaling = {});

/// gate / (1 + exp(-gate)) * up.
[[nodiscard]] double siluMultiply(double gate, double up);

/// Softmax attention of one query [d] over keys and values [tokens][d], scaled by 1 / sqrt(d).
[[nodiscard]] Vector attend(const Vector& query, const std::vector<Vector>& keys, const std::vector<Vector>& values);

/// Logits after every token of one sequence that starts at position 0: [tokens][vocab].
[[nodiscard]] std::vector<Vector> forward(const ModelConfig& config, const Weights& weights,
                                          const std::vector<std::int32_t>& tokens);

}  // namespace foretrace::reference
