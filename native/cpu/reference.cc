#include "cpu/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cpu/packed_weights.h"

namespace foretrace::reference {
namespace {

/// Keys and values of one layer, [tokens][kvHeads * headDim].
struct LayerCache {
  std::vector<Vector> keys;
  std::vector<Vector> values;
};

Vector slice(const Vector& row, std::int64_t head, std::int64_t headDim) {
  const auto begin = row.begin() + static_cast<std::ptrdiff_t>(head * headDim);
  return {begin, begin + static_cast<std::ptrdiff_t>(headDim)};
}

/// One head of the last `window` rows, or of all if it is 0.
std::vector<Vector> slices(const std::vector<Vector>& rows, std::size_t window, std::int64_t head, std::int64_t headDim) {
  std::vector<Vector> result;
  const std::size_t first = window > 0 && rows.size() > window ? rows.size() - window : 0;
  for (std::size_t row = first; row < rows.size(); ++row) result.push_back(slice(rows[row], head, headDim));
  return result;
}

void add(Vector& to, const Vector& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

/// Each head of a row through the same norm.
Vector normHeads(const Vector& row, const Vector& weight, double epsilon) {
  const auto headDim = static_cast<std::int64_t>(weight.size());
  Vector result;
  for (std::int64_t head = 0; head * headDim < static_cast<std::int64_t>(row.size()); ++head) {
    const Vector normed = rmsNorm(slice(row, head, headDim), weight, epsilon);
    result.insert(result.end(), normed.begin(), normed.end());
  }
  return result;
}

Vector attentionBlock(const ModelConfig& config, const LayerWeights& layer, std::size_t window, const Vector& norm,
                      std::int64_t position, LayerCache& cache) {
  Vector query = product(layer.query, norm);
  Vector key = product(layer.key, norm);
  Vector value = product(layer.value, norm);
  if (config.attentionBias) {
    add(query, readRow(layer.queryBias, 0, config.queryWidth()));
    add(key, readRow(layer.keyBias, 0, config.kvWidth()));
    add(value, readRow(layer.valueBias, 0, config.kvWidth()));
  }
  if (config.headNorms) {
    const auto epsilon = static_cast<double>(config.normEps);
    query = normHeads(query, readRow(layer.queryNorm, 0, config.headDim), epsilon);
    key = normHeads(key, readRow(layer.keyNorm, 0, config.headDim), epsilon);
  }
  const auto theta = static_cast<double>(config.ropeTheta);
  for (std::int64_t head = 0; head < config.heads; ++head) {
    rotate(query.data() + head * config.headDim, config.headDim, position, theta, config.ropeScaling);
  }
  for (std::int64_t head = 0; head < config.kvHeads; ++head) {
    rotate(key.data() + head * config.headDim, config.headDim, position, theta, config.ropeScaling);
  }
  cache.keys.push_back(std::move(key));
  cache.values.push_back(std::move(value));
  Vector mixed;
  for (std::int64_t head = 0; head < config.heads; ++head) {
    const std::int64_t kvHead = head / (config.heads / config.kvHeads);
    const Vector part = attend(slice(query, head, config.headDim), slices(cache.keys, window, kvHead, config.headDim),
                               slices(cache.values, window, kvHead, config.headDim));
    mixed.insert(mixed.end(), part.begin(), part.end());
  }
  return product(layer.attentionOutput, mixed);
}

Vector feedForwardBlock(const LayerWeights& layer, const Vector& norm) {
  Vector activation = product(layer.gate, norm);
  const Vector up = product(layer.up, norm);
  for (std::size_t i = 0; i < up.size(); ++i) activation[i] = siluMultiply(activation[i], up[i]);
  return product(layer.down, activation);
}

/// What a frequency is divided by: 1 where it stays, the whole factor where it is low, in between what mixes the two quotients.
double divisor(double frequency, const RopeScaling& scaling) {
  if (!scaling.scaled()) return 1.0;
  const double turns = scaling.originalContext * frequency / (2 * std::numbers::pi);
  const double share = (turns - scaling.lowFrequencyFactor) / (scaling.highFrequencyFactor - scaling.lowFrequencyFactor);
  const double kept = std::clamp(share, 0.0, 1.0);
  return 1.0 / (kept + (1.0 - kept) / scaling.factor);
}

}  // namespace

Vector readRow(const TensorView& tensor, std::int64_t row, std::int64_t width) {
  std::vector<float> values(static_cast<std::size_t>(width));
  cpu::readRow(tensor.data, tensor.dtype, row, width, values.data());
  return {values.begin(), values.end()};
}

Vector product(const TensorView& matrix, const Vector& x) {
  Vector result;
  for (std::int64_t output = 0; output < matrix.shape[0]; ++output) {
    const Vector row = readRow(matrix, output, matrix.shape[1]);
    double sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) sum += row[k] * x[k];
    result.push_back(sum);
  }
  return result;
}

Vector rmsNorm(const Vector& x, const Vector& weight, double epsilon) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  Vector result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = x[i] * inverse * weight[i];
  return result;
}

void rotate(double* head, std::int64_t headDim, std::int64_t position, double theta, const RopeScaling& scaling) {
  const std::int64_t half = headDim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const double frequency = std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(headDim));
    const double angle = static_cast<double>(position) * frequency / divisor(frequency, scaling);
    const double first = head[i];
    const double second = head[half + i];
    head[i] = first * std::cos(angle) - second * std::sin(angle);
    head[half + i] = second * std::cos(angle) + first * std::sin(angle);
  }
}

double siluMultiply(double gate, double up) { return gate / (1.0 + std::exp(-gate)) * up; }

Vector attend(const Vector& query, const std::vector<Vector>& keys, const std::vector<Vector>& values) {
  Vector scores;
  for (const Vector& key : keys) {
    double score = 0;
    for (std::size_t d = 0; d < query.size(); ++d) score += query[d] * key[d];
    scores.push_back(score / std::sqrt(static_cast<double>(query.size())));
  }
  const double maximum = *std::max_element(scores.begin(), scores.end());
  Vector result(query.size(), 0.0);
  double total = 0;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const double weight = std::exp(scores[t] - maximum);
    total += weight;
    for (std::size_t d = 0; d < query.size(); ++d) result[d] += weight * values[t][d];
  }
  for (double& value : result) value /= total;
  return result;
}

std::vector<Vector> forward(const ModelConfig& config, const Weights& weights, const std::vector<std::int32_t>& tokens) {
  std::vector<LayerCache> caches(weights.layers.size());
  std::vector<Vector> logits;
  const auto epsilon = static_cast<double>(config.normEps);
  for (std::size_t position = 0; position < tokens.size(); ++position) {
    Vector residual = readRow(weights.embedding, tokens[position], config.hidden);
    for (std::size_t index = 0; index < weights.layers.size(); ++index) {
      const LayerWeights& layer = weights.layers[index];
      const Vector attentionNorm = readRow(layer.attentionNorm, 0, config.hidden);
      add(residual, attentionBlock(config, layer, static_cast<std::size_t>(config.windowOf(static_cast<std::int32_t>(index))),
                                   rmsNorm(residual, attentionNorm, epsilon), static_cast<std::int64_t>(position), caches[index]));
      const Vector feedForwardNorm = readRow(layer.feedForwardNorm, 0, config.hidden);
      add(residual, feedForwardBlock(layer, rmsNorm(residual, feedForwardNorm, epsilon)));
    }
    const Vector norm = rmsNorm(residual, readRow(weights.finalNorm, 0, config.hidden), epsilon);
    logits.push_back(product(weights.head, norm));
  }
  return logits;
}

}  // namespace foretrace::reference
