// UTF-8, as RFC 3629 defines it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretrace {

/// Bytes of the well-formed UTF-8 sequence at `offset` (1 to 4), or 0 if there is none: overlong forms, surrogates and
/// values above U+10FFFF are not well formed.
[[nodiscard]] std::size_t utf8SequenceLength(std::string_view text, std::size_t offset) noexcept;

/// Appends a code point; the caller guarantees that it is a Unicode scalar value.
void appendUtf8(std::string& text, std::uint32_t codePoint);

}  // namespace foretrace
