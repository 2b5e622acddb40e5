// Non-owning views of dense row-major tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretrace {

enum class DType : std::uint8_t { f32, bf16, f16 };

/// Bytes of one element.
[[nodiscard]] constexpr std::size_t dtypeBytes(DType dtype) noexcept {
  return dtype == DType::f32 ? 4 : 2;
}

/// The name safetensors files use: "F32", "BF16", "F16".
[[nodiscard]] constexpr const char* dtypeName(DType dtype) noexcept {
  switch (dtype) {
    case DType::f32: return "F32";
    case DType::bf16: return "BF16";
    case DType::f16: return "F16";
  }
  return "?";
}

/// A shape as people write it: "[64, 128]".
[[nodiscard]] inline std::string shapeText(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

/// A dense row-major tensor in memory that somebody else owns. `data` need not be aligned to the element size:
/// safetensors files do not promise it, so elements are read with memcpy.
struct TensorView {
  const std::byte* data = nullptr;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;

  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return count;
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(elements()) * dtypeBytes(dtype);
  }
};

}  // namespace foretrace
