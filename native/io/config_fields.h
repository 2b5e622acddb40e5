// Typed access to the members of a config.json.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "io/json.h"

namespace foretrace {

/// Typed access to the members of one JSON object.
class Fields {
 public:
  Fields(const JsonValue& object, std::string what) : object_(object), what_(std::move(what)) {
    if (object.object() == nullptr) throw Error(ErrorCode::invalid_model, what_, "an object", object.describe());
  }

  [[noreturn]] void fail(std::string_view name, std::string_view expected) const {
    const JsonValue* value = object_.find(name);
    throw Error(ErrorCode::invalid_model, what_ + ": " + std::string(name), expected,
                value == nullptr ? "nothing" : value->describe());
  }

  /// The member, or nullptr if it is absent or null.
  [[nodiscard]] const JsonValue* optional(std::string_view name) const noexcept {
    const JsonValue* value = object_.find(name);
    return value == nullptr || value->isNull() ? nullptr : value;
  }

  [[nodiscard]] std::int32_t size(std::string_view name, std::int32_t most) const {
    const JsonValue* value = optional(name);
    const JsonNumber* number = value == nullptr ? nullptr : value->number();
    if (number == nullptr || !number->isInteger || number->integer < 1 || number->integer > most) {
      fail(name, "an integer from 1 to " + std::to_string(most));
    }
    return static_cast<std::int32_t>(number->integer);
  }

  [[nodiscard]] std::int32_t sizeOr(std::string_view name, std::int32_t most, std::int32_t otherwise) const {
    return optional(name) == nullptr ? otherwise : size(name, most);
  }

  [[nodiscard]] double number(std::string_view name, double least, double most) const {
    const JsonValue* value = optional(name);
    const JsonNumber* number = value == nullptr ? nullptr : value->number();
    if (number == nullptr || !(number->value >= least && number->value <= most)) {
      fail(name, "a number from " + JsonValue(JsonNumber{least}).describe() + " to " +
                     JsonValue(JsonNumber{most}).describe());
    }
    return number->value;
  }

  [[nodiscard]] float numberOr(std::string_view name, double least, double most, double otherwise) const {
    return static_cast<float>(optional(name) == nullptr ? otherwise : number(name, least, most));
  }

  [[nodiscard]] bool flagOr(std::string_view name, bool otherwise) const {
    const JsonValue* value = optional(name);
    if (value == nullptr) return otherwise;
    if (value->boolean() == nullptr) fail(name, "true or false");
    return *value->boolean();
  }

  /// A text member must be absent or have exactly this value.
  void requireText(std::string_view name, std::string_view only) const {
    const JsonValue* value = optional(name);
    if (value != nullptr && (value->string() == nullptr || *value->string() != only)) {
      fail(name, "\"" + std::string(only) + "\"");
    }
  }

  /// The member if it is one of `known`, or nothing if it is absent.
  [[nodiscard]] std::string textOr(std::string_view name, std::initializer_list<std::string_view> known) const {
    const JsonValue* value = optional(name);
    if (value == nullptr) return {};
    const std::string* text = value->string();
    if (text != nullptr && std::find(known.begin(), known.end(), *text) != known.end()) return *text;
    std::string expected;
    for (const std::string_view one : known) expected += (expected.empty() ? "\"" : " or \"") + std::string(one) + "\"";
    fail(name, expected);
  }

  [[nodiscard]] const std::string& what() const noexcept { return what_; }

 private:
  const JsonValue& object_;
  std::string what_;
};

}  // namespace foretrace
