// Builds safetensors files for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretrace::test {

/// The length field as the format stores it.
inline std::string littleEndian(std::uint64_t value) {
  std::string text;
  for (int i = 0; i < 8; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

/// A file with this header and `dataBytes` bytes 1, 2, 3, ..
inline std::string safetensorsFile(std::string_view header, std::size_t dataBytes) {
  std::string file = littleEndian(header.size()) + std::string(header);
  for (std::size_t i = 0; i < dataBytes; ++i) file.push_back(static_cast<char>(i + 1));
  return file;
}

}  // namespace foretrace::test
