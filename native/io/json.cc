#include "io/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "io/utf8.h"

namespace foretrace {
namespace {

/// Recursive-descent reader over one text; depth is bounded by the limits.
class Reader {
 public:
  Reader(std::string_view text, std::string_view what, const JsonLimits& limits)
      : text_(text), what_(what), limits_(limits) {}

  JsonValue document() {
    if (text_.size() > limits_.maxBytes) {
      throw Error(ErrorCode::invalid_model, std::string(what_) + ": JSON size",
                  "at most " + std::to_string(limits_.maxBytes) + " bytes", std::to_string(text_.size()));
    }
    JsonValue result = value(0);
    skipSpace();
    if (offset_ != text_.size()) fail("end of text");
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    std::string found = "end of text";
    if (offset_ < text_.size()) {
      const auto byte = static_cast<unsigned char>(text_[offset_]);
      found = byte >= 0x21 && byte < 0x7F ? std::string("'") + text_[offset_] + "'" : "byte " + std::to_string(byte);
    }
    throw Error(ErrorCode::invalid_model, std::string(what_) + ": JSON at byte " + std::to_string(offset_), expected,
                found);
  }

  [[nodiscard]] bool atEnd() const noexcept { return offset_ >= text_.size(); }
  [[nodiscard]] char peek() const noexcept { return atEnd() ? '\0' : text_[offset_]; }

  void skipSpace() noexcept {
    while (!atEnd() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++offset_;
  }

  void expect(char character) {
    if (atEnd() || peek() != character) fail(std::string("'") + character + "'");
    ++offset_;
  }

  void expectWord(std::string_view word) {
    if (text_.substr(offset_, word.size()) != word) fail("'" + std::string(word) + "'");
    offset_ += word.size();
  }

  JsonValue value(std::size_t depth) {
    if (depth > limits_.maxDepth) fail("at most " + std::to_string(limits_.maxDepth) + " nested values");
    skipSpace();
    switch (peek()) {
      case '{': return JsonValue(object(depth));
      case '[': return JsonValue(array(depth));
      case '"': return JsonValue(string());
      case 't': expectWord("true"); return JsonValue(true);
      case 'f': expectWord("false"); return JsonValue(false);
      case 'n': expectWord("null"); return JsonValue();
      default: return JsonValue(number());
    }
  }

  JsonObject object(std::size_t depth) {
    JsonObject members;
    expect('{');
    skipSpace();
    if (peek() == '}') {
      ++offset_;
      return members;
    }
    while (true) {
      skipSpace();
      if (peek() != '"') fail("a member name");
      std::string name = string();
      skipSpace();
      expect(':');
      members.emplace_back(std::move(name), value(depth + 1));
      skipSpace();
      if (peek() != ',') break;
      ++offset_;
    }
    expect('}');
    refuseDuplicates(members);
    return members;
  }

  void refuseDuplicates(const JsonObject& members) const {
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const auto& member : members) names.emplace_back(member.first);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) {
      throw Error(ErrorCode::invalid_model, std::string(what_) + ": JSON object ending at byte " + std::to_string(offset_),
                  "distinct member names", "\"" + std::string(*twice) + "\" twice");
    }
  }

  JsonArray array(std::size_t depth) {
    JsonArray items;
    expect('[');
    skipSpace();
    if (peek() == ']') {
      ++offset_;
      return items;
    }
    while (true) {
      items.push_back(value(depth + 1));
      skipSpace();
      if (peek() != ',') break;
      ++offset_;
    }
    expect(']');
    return items;
  }

  std::string string() {
    std::string result;
    expect('"');
    while (true) {
      if (atEnd()) fail("'\"'");
      const char character = peek();
      if (character == '"') break;
      if (character == '\\') {
        escape(result);
        continue;
      }
      if (static_cast<unsigned char>(character) < 0x20) fail("an escaped control character");
      const std::size_t length = utf8SequenceLength(text_, offset_);
      if (length == 0) fail("UTF-8");
      result.append(text_.substr(offset_, length));
      offset_ += length;
    }
    ++offset_;
    return result;
  }

  void escape(std::string& result) {
    ++offset_;
    const char kind = peek();
    constexpr std::string_view kinds = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t index = atEnd() ? std::string_view::npos : kinds.find(kind); index != std::string_view::npos) {
      result.push_back(meanings[index]);
      ++offset_;
      return;
    }
    if (kind != 'u') fail("an escape character");
    ++offset_;
    std::uint32_t unit = hexUnit();
    if (unit >= 0xDC00 && unit <= 0xDFFF) fail("a high surrogate before a low one");
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      expect('\\');
      expect('u');
      const std::uint32_t low = hexUnit();
      if (low < 0xDC00 || low > 0xDFFF) fail("a low surrogate after a high one");
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    appendUtf8(result, unit);
  }

  std::uint32_t hexUnit() {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
      const char digit = peek();
      std::uint32_t nibble = 0;
      if (digit >= '0' && digit <= '9') {
        nibble = static_cast<std::uint32_t>(digit - '0');
      } else if (digit >= 'a' && digit <= 'f') {
        nibble = static_cast<std::uint32_t>(digit - 'a' + 10);
      } else if (digit >= 'A' && digit <= 'F') {
        nibble = static_cast<std::uint32_t>(digit - 'A' + 10);
      } else {
        fail("a hexadecimal digit");
      }
      unit = unit * 16 + nibble;
      ++offset_;
    }
    return unit;
  }

  void digits() {
    if (peek() < '0' || peek() > '9') fail("a digit");
    while (peek() >= '0' && peek() <= '9') ++offset_;
  }

  JsonNumber number() {
    const std::size_t start = offset_;
    bool integral = true;
    if (peek() == '-') {
      ++offset_;
    } else if (peek() < '0' || peek() > '9') {
      fail("a value");
    }
    if (peek() == '0') {
      ++offset_;
    } else {
      digits();
    }
    if (peek() == '.') {
      integral = false;
      ++offset_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      integral = false;
      ++offset_;
      if (peek() == '+' || peek() == '-') ++offset_;
      digits();
    }
    return convert(text_.substr(start, offset_ - start), integral);
  }

  JsonNumber convert(std::string_view token, bool integral) const {
    JsonNumber result;
    const char* end = token.data() + token.size();
    if (std::from_chars(token.data(), end, result.value).ec != std::errc() || !std::isfinite(result.value)) {
      throw Error(ErrorCode::invalid_model, std::string(what_) + ": JSON before byte " + std::to_string(offset_),
                  "a number in the range of a double", std::string(token.substr(0, 40)));
    }
    result.isInteger = integral && std::from_chars(token.data(), end, result.integer).ec == std::errc();
    return result;
  }

  std::string_view text_;
  std::string_view what_;
  JsonLimits limits_;
  std::size_t offset_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const noexcept {
  const JsonObject* members = object();
  if (members == nullptr) return nullptr;
  for (const auto& member : *members) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

std::string JsonValue::describe() const {
  if (isNull()) return "null";
  if (const bool* flag = boolean()) return *flag ? "true" : "false";
  if (const JsonNumber* numeric = number()) {
    if (numeric->isInteger) return std::to_string(numeric->integer);
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, numeric->value).ptr;
    return std::string(text, end);
  }
  if (const std::string* text = string()) return "\"" + text->substr(0, 60) + (text->size() > 60 ? "..\"" : "\"");
  if (const JsonArray* items = array()) return "an array of " + std::to_string(items->size());
  return "an object";
}

JsonValue parseJson(std::string_view text, std::string_view what, const JsonLimits& limits) {
  return Reader(text, what, limits).document();
}

}  // namespace foretrace
