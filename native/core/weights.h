// The tensors of a model, by role. Filled by io/ (files or a seed), read by a device when it packs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/tensor.h"

namespace foretrace {

/// Tensors of one layer; matrices are [outputs, inputs], as PyTorch's Linear stores them.
struct LayerWeights {
  TensorView attentionNorm;    ///< [hidden]
  TensorView query;            ///< [heads * headDim, hidden]
  TensorView key;              ///< [kvHeads * headDim, hidden]
  TensorView value;            ///< [kvHeads * headDim, hidden]
  TensorView queryBias;        ///< [heads * headDim]; this and the next two: with `attentionBias` alone
  TensorView keyBias;          ///< [kvHeads * headDim]
  TensorView valueBias;        ///< [kvHeads * headDim]
  TensorView queryNorm;        ///< [headDim]; this and the next one: with `headNorms` alone
  TensorView keyNorm;          ///< [headDim]
  TensorView attentionOutput;  ///< [hidden, heads * headDim]
  TensorView feedForwardNorm;  ///< [hidden]
  TensorView gate;             ///< [ffn, hidden]
  TensorView up;               ///< [ffn, hidden]
  TensorView down;             ///< [hidden, ffn]
};

/// All tensors of a model. Views point into `storage`, which lives as long as any copy of this struct.
struct Weights {
  TensorView embedding;  ///< [vocab, hidden]
  TensorView finalNorm;  ///< [hidden]
  TensorView head;       ///< [vocab, hidden]; the embedding again when tied
  std::vector<LayerWeights> layers;
  std::int64_t parameters = 0;  ///< number of distinct parameters (a tied head counts once)
  std::shared_ptr<const void> storage;
};

}  // namespace foretrace
