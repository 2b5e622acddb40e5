// The safetensors format: a length (u64, little-endian), a JSON header of that length, then the data of all tensors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace foretrace {

/// One tensor of a file; the view points into the bytes that were parsed.
struct NamedTensor {
  std::string name;
  TensorView view;
};

/// Parses a whole safetensors file. Throws `invalid_model` unless every field is valid: header length inside the file,
/// strict JSON, known fields only, dtype F32, BF16 or F16, extents that are non-negative integers, offsets inside the
/// data that agree with dtype and shape and tile the data without gap or overlap. `what` names the file in messages.
[[nodiscard]] std::vector<NamedTensor> parseSafetensors(std::span<const std::byte> bytes, std::string_view what);

}  // namespace foretrace
