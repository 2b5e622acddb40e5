#include "io/utf8.h"

namespace foretrace {
namespace {

[[nodiscard]] unsigned byteAt(std::string_view text, std::size_t offset) noexcept {
  return static_cast<unsigned char>(text[offset]);
}

}  // namespace

std::size_t utf8SequenceLength(std::string_view text, std::size_t offset) noexcept {
  if (offset >= text.size()) return 0;
  const unsigned lead = byteAt(text, offset);
  if (lead < 0x80) return 1;
  // The second byte is restricted after some leads: this is what excludes overlong forms and surrogates.
  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (text.size() - offset < length) return 0;
  if (byteAt(text, offset + 1) < low || byteAt(text, offset + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byteAt(text, offset + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void appendUtf8(std::string& text, std::uint32_t codePoint) {
  const auto push = [&text](std::uint32_t value) { text.push_back(static_cast<char>(value)); };
  if (codePoint < 0x80) {
    push(codePoint);
  } else if (codePoint < 0x800) {
    push(0xC0 | (codePoint >> 6));
    push(0x80 | (codePoint & 0x3F));
  } else if (codePoint < 0x10000) {
    push(0xE0 | (codePoint >> 12));
    push(0x80 | ((codePoint >> 6) & 0x3F));
    push(0x80 | (codePoint & 0x3F));
  } else {
    push(0xF0 | (codePoint >> 18));
    push(0x80 | ((codePoint >> 12) & 0x3F));
    push(0x80 | ((codePoint >> 6) & 0x3F));
    push(0x80 | (codePoint & 0x3F));
  }
}

}  // namespace foretrace
