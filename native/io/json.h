// A strict JSON reader (RFC 8259) for model files, which are untrusted input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace foretrace {

class JsonValue;
using JsonArray = std::vector<JsonValue>;
/// Members in file order; names are unique.
using JsonObject = std::vector<std::pair<std::string, JsonValue>>;

/// A number; `integer` is meaningful only when `isInteger` (no fraction, no exponent, fits 64 bits).
struct JsonNumber {
  double value = 0;
  std::int64_t integer = 0;
  bool isInteger = false;
};

/// One JSON value.
class JsonValue {
 public:
  JsonValue() = default;
  explicit JsonValue(bool value) : value_(value) {}
  explicit JsonValue(JsonNumber value) : value_(value) {}
  explicit JsonValue(std::string value) : value_(std::move(value)) {}
  explicit JsonValue(JsonArray value) : value_(std::move(value)) {}
  explicit JsonValue(JsonObject value) : value_(std::move(value)) {}

  [[nodiscard]] bool isNull() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  /// The value if it is of this kind, else nullptr.
  [[nodiscard]] const bool* boolean() const noexcept { return std::get_if<bool>(&value_); }
  [[nodiscard]] const JsonNumber* number() const noexcept { return std::get_if<JsonNumber>(&value_); }
  [[nodiscard]] const std::string* string() const noexcept { return std::get_if<std::string>(&value_); }
  [[nodiscard]] const JsonArray* array() const noexcept { return std::get_if<JsonArray>(&value_); }
  [[nodiscard]] const JsonObject* object() const noexcept { return std::get_if<JsonObject>(&value_); }
  /// Member of an object by name, or nullptr; also nullptr if this is no object.
  [[nodiscard]] const JsonValue* find(std::string_view name) const noexcept;
  /// "null", "true", "a string", "an array", ..: for messages.
  [[nodiscard]] std::string describe() const;

 private:
  std::variant<std::monostate, bool, JsonNumber, std::string, JsonArray, JsonObject> value_;
};

/// Bounds on what the reader accepts.
struct JsonLimits {
  std::size_t maxBytes = std::size_t{100} << 20;
  std::size_t maxDepth = 32;
};

/// Reads one JSON document. `what` names the source in messages ("config.json"). Throws `invalid_model` with the byte
/// offset on any departure from RFC 8259, on invalid UTF-8, duplicate names, lone surrogates, numbers beyond a double,
/// and when a limit is exceeded.
[[nodiscard]] JsonValue parseJson(std::string_view text, std::string_view what, const JsonLimits& limits = {});

}  // namespace foretrace
