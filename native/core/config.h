// Sizes of a model and of the pool that serves it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretrace {

/// How rotary frequencies are scaled for sequences longer than a model was first trained on, as Llama 3.1 does it
/// (rotaryFrequency in rope_table.h); by default not at all. Doubles, because the sums and quotients of these numbers are rounded
/// to fp32 only when they meet a frequency.
struct RopeScaling {
  double factor = 1.0;               ///< low frequencies are divided by it
  double lowFrequencyFactor = 1.0;   ///< frequencies with fewer turns than this in `originalContext` positions are low
  double highFrequencyFactor = 4.0;  ///< those with more turns than this are high and stay
  std::int32_t originalContext = 0;  ///< positions of the first training; 0 = no frequency is scaled

  [[nodiscard]] bool scaled() const noexcept { return originalContext != 0; }
  bool operator==(const RopeScaling&) const = default;
};

/// Hyperparameters of a Llama-architecture decoder: grouped-query attention, rotary positions (halves rotated,
/// as Hugging Face stores weights), RMSNorm before each block, SwiGLU feed-forward; biases only where Qwen2 has them.
struct ModelConfig {
  std::string architecture = "LlamaForCausalLM";
  std::int32_t hidden = 0;      ///< width of the residual stream
  std::int32_t layers = 0;
  std::int32_t heads = 0;       ///< query heads
  std::int32_t kvHeads = 0;     ///< key/value heads; divides `heads`
  std::int32_t headDim = 0;     ///< width of one head, even; heads * headDim need not be `hidden`
  std::int32_t ffn = 0;         ///< width of the feed-forward block
  std::int32_t vocab = 0;       ///< number of token ids
  float ropeTheta = 10000.0F;   ///< base of the rotary frequencies
  RopeScaling ropeScaling;
  float normEps = 1e-5F;        ///< added to the mean square in RMSNorm
  std::int32_t maxContext = 0;  ///< most tokens of one sequence
  bool tied = false;            ///< the output head is the embedding table
  std::string cpuDtype;         ///< number format of the weights that `auto` means on a CPU; empty = the engine's own choice
  bool attentionBias = false;   ///< queries, keys and values have biases (Qwen2)
  bool headNorms = false;       ///< each head of a query or key goes through an RMSNorm of its own before it is rotated (Qwen3)
  std::int32_t slidingWindow = 0;            ///< positions a row of a windowed layer sees, its own included; 0 = no layer has a window
  std::vector<std::uint8_t> windowedLayers;  ///< [layers] 1 = the layer has the window; empty = all layers if there is one

  /// Positions a row of the layer sees, its own included; 0 = all up to its own.
  [[nodiscard]] std::int32_t windowOf(std::int32_t layer) const noexcept {
    const bool windowed = windowedLayers.empty() || windowedLayers[static_cast<std::size_t>(layer)] != 0;
    return windowed ? slidingWindow : 0;
  }

  /// Elements of one row of queries.
  [[nodiscard]] std::int32_t queryWidth() const noexcept { return heads * headDim; }
  /// Elements of one row of keys (or of values).
  [[nodiscard]] std::int32_t kvWidth() const noexcept { return kvHeads * headDim; }
};

/// Capacity of the KV pool and of one forward pass.
struct PoolConfig {
  std::int32_t pages = 0;        ///< number of pages
  std::int32_t pageTokens = 16;  ///< tokens of one page, a power of two from 4 to 64
  std::int32_t maxRows = 256;    ///< most rows (tokens) of one forward pass
  std::int32_t maxLogitRows = 0; ///< most rows with logits in one forward pass; 0 = maxRows
};

/// Bytes one token takes in the pool with fp32 keys and values.
[[nodiscard]] inline std::int64_t kvBytesPerToken(const ModelConfig& config) noexcept {
  return std::int64_t{2} * config.layers * config.kvWidth() * std::int64_t{sizeof(float)};
}

}  // namespace foretrace
