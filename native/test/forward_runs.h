// Small models and ways to run them: what the tests of the whole forward pass share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cpu/cpu_device.h"
#include "cpu/features.h"
#include "cpu/reference.h"
#include "io/model_files.h"
#include "model/transformer.h"
#include "test/check.h"
#include "test/random.h"

namespace foretrace::test {

using Rows = std::vector<std::vector<float>>;

inline ModelConfig smallConfig(std::int32_t heads, std::int32_t kvHeads, std::int32_t headDim, std::int32_t hidden,
                        std::int32_t ffn, std::int32_t vocab, bool tied) {
  ModelConfig config;
  config.hidden = hidden;
  config.layers = 2;
  config.heads = heads;
  config.kvHeads = kvHeads;
  config.headDim = headDim;
  config.ffn = ffn;
  config.vocab = vocab;
  config.maxContext = 256;
  config.tied = tied;
  return config;
}

/// With biases of queries, keys and values, as Qwen2 has them, or with norms of the heads of queries and keys, as Qwen3 has them.
inline ModelConfig withBiases(ModelConfig config) {
  config.attentionBias = true;
  return config;
}
inline ModelConfig withHeadNorms(ModelConfig config) {
  config.headNorms = true;
  return config;
}

inline std::vector<ModelConfig> configs() {
  return {smallConfig(4, 2, 16, 64, 160, 96, true), smallConfig(3, 1, 18, 50, 77, 41, false),
          smallConfig(9, 1, 8, 40, 33, 130, false), smallConfig(2, 2, 64, 128, 352, 256, true),
          withBiases(smallConfig(6, 2, 24, 48, 64, 100, true)), withHeadNorms(smallConfig(4, 2, 40, 64, 96, 70, false))};
}

/// A random model whose weights are large enough for attention and activations to matter.
inline LoadedModel strongModel(const ModelConfig& config) {
  LoadedModel model = randomModel(config, 11);
  auto values = std::make_shared<std::vector<float>>();
  values->reserve(static_cast<std::size_t>(model.weights.parameters));
  const auto scale = [&](TensorView& view, float factor) {
    const std::size_t start = values->size();
    values->resize(start + static_cast<std::size_t>(view.elements()));
    for (std::int64_t i = 0; i < view.elements(); ++i) {
      const auto wide = static_cast<float>(reference::readRow(view, i, 1)[0]);
      (*values)[start + static_cast<std::size_t>(i)] = wide * factor;
    }
    view.dtype = DType::f32;
    view.data = reinterpret_cast<const std::byte*>(values->data() + start);
  };
  scale(model.weights.embedding, 20.0F);
  if (config.tied) model.weights.head = model.weights.embedding; else scale(model.weights.head, 10.0F);
  for (LayerWeights& layer : model.weights.layers) {
    for (TensorView* view : {&layer.query, &layer.key, &layer.value, &layer.attentionOutput, &layer.gate, &layer.up,
                             &layer.down}) {
      scale(*view, 8.0F);
    }
  }
  model.weights.storage = std::make_shared<std::pair<std::shared_ptr<const void>, decltype(values)>>(
      model.weights.storage, values);
  return model;
}

inline constexpr PoolConfig pool{.pages = 64, .pageTokens = 8, .maxRows = 128, .maxLogitRows = 0};

inline std::unique_ptr<Backend> makeBackend(const LoadedModel& model, const std::string& isa, std::int32_t threads,
                                     const PoolConfig& sizes = pool, const char* dtype = "fp32", const char* split = "auto") {
  const CpuOptions options{.isa = isa, .threads = threads, .dtype = dtype, .split = split};
  return std::make_unique<Transformer>(model.config, sizes, createCpuDevice(model.config, model.weights, sizes, options));
}

/// Every instruction set of this machine with every number format.
struct Mode {
  std::string isa;
  const char* dtype;
  [[nodiscard]] std::string name() const { return isa + " " + dtype; }
};

inline std::vector<Mode> modes() {
  std::vector<Mode> list;
  for (const Isa isa : availableIsas()) {
    for (const char* dtype : {"fp32", "bf16", "int8"}) list.push_back({isaName(isa), dtype});
  }
  return list;
}

inline std::vector<std::int32_t> someTokens(std::int32_t count, std::int32_t vocab, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> tokens;
  for (std::int32_t i = 0; i < count; ++i) tokens.push_back(random.below(vocab));
  return tokens;
}

/// Page numbers first, first + step, ..: enough for `tokens`.
inline std::vector<std::int32_t> pagesFrom(std::int32_t first, std::int32_t step, std::size_t tokens, std::int32_t pageTokens = 8) {
  std::vector<std::int32_t> pages;
  for (std::size_t i = 0; i * static_cast<std::size_t>(pageTokens) < tokens; ++i) {
    pages.push_back(first + static_cast<std::int32_t>(i) * step);
  }
  return pages;
}

/// Logits after every token, computed in chunks of the given sizes (the last size repeats).
inline Rows runChunks(Backend& backend, const std::vector<std::int32_t>& tokens, const std::vector<std::int32_t>& pages,
               const std::vector<std::size_t>& sizes, std::size_t vocab) {
  Rows result;
  ForwardBatch batch;
  std::size_t position = 0;
  for (std::size_t chunk = 0; position < tokens.size(); ++chunk) {
    const std::size_t count = std::min(sizes[std::min(chunk, sizes.size() - 1)], tokens.size() - position);
    batch.clear();
    batch.add({1, static_cast<std::int32_t>(position), std::span(tokens).subspan(position, count), pages, LogitRows::all});
    const auto logits = backend.forward(batch);
    for (std::size_t row = 0; row < count; ++row) {
      result.emplace_back(logits.begin() + static_cast<std::ptrdiff_t>(row * vocab),
                          logits.begin() + static_cast<std::ptrdiff_t>((row + 1) * vocab));
    }
    position += count;
  }
  return result;
}

inline bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

inline bool sameBits(const Rows& a, const Rows& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return sameBits(x, y); });
}

}  // namespace foretrace::test
