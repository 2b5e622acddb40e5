// Reads a Hugging Face config.json.
#pragma once

#include <string_view>

#include "core/config.h"

namespace foretrace {

/// Parses the text of a config.json of a LlamaForCausalLM, of a CwmForCausalLM (the Code World Model: a Llama with windows), of a
/// Qwen2ForCausalLM (with biases of queries, keys and values) or of a Qwen3ForCausalLM (with norms of the heads of queries and keys).
/// Every field is checked for type and range; what this engine does not compute (other biases, rotary positions scaled in another way
/// than Llama 3.1's, other activations, quantised weights) is refused, never ignored.
/// Throws `invalid_model` with file, field, expected and actual. `what` names the file.
[[nodiscard]] ModelConfig parseModelConfig(std::string_view text, std::string_view what);

/// Checks a config however it was made (also one built in code). Throws `invalid_model`.
void validateModelConfig(const ModelConfig& config, std::string_view what);

}  // namespace foretrace
