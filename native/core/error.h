// Coded errors: the only exceptions that leave native code on purpose.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace foretrace {

/// Kinds of failure, spelled as in src/errors.ts. Names of enumerators and of codes are the same text.
enum class ErrorCode {
  model_not_found,     ///< the model directory or one of its files is missing
  invalid_model,       ///< a model file is corrupt, truncated or of an unsupported kind
  invalid_argument,    ///< a value handed to the engine is out of range
  out_of_pages,        ///< the KV pool has too few free pages
  engine_busy,         ///< a step is in flight
  engine_closed,       ///< the engine has been disposed
  unsupported_device,  ///< the device or instruction set is not available on this machine
  internal,            ///< a defect in foretrace
};

/// The code as the caller sees it, for example "invalid_model".
[[nodiscard]] constexpr const char* errorCodeName(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::model_not_found: return "model_not_found";
    case ErrorCode::invalid_model: return "invalid_model";
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::out_of_pages: return "out_of_pages";
    case ErrorCode::engine_busy: return "engine_busy";
    case ErrorCode::engine_closed: return "engine_closed";
    case ErrorCode::unsupported_device: return "unsupported_device";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

/// An error with a code, the thing it is about, what was expected and what was found instead.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  /// Message "what: expected E, found A".
  Error(ErrorCode code, std::string_view what, std::string_view expected, std::string_view actual)
      : code_(code), expected_(expected), actual_(actual) {
    message_.append(what).append(": expected ").append(expected).append(", found ").append(actual);
  }

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const char* codeName() const noexcept { return errorCodeName(code_); }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  /// What was expected, as text for people; empty if the message says it all.
  [[nodiscard]] const std::string& expected() const noexcept { return expected_; }
  /// What was found instead; empty if the message says it all.
  [[nodiscard]] const std::string& actual() const noexcept { return actual_; }
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
  std::string expected_;
  std::string actual_;
};

/// Throws `internal` if a condition that only a defect can break does not hold.
inline void ensure(bool condition, const char* what) {
  if (!condition) throw Error(ErrorCode::internal, what);
}

}  // namespace foretrace
