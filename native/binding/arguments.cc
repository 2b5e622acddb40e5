#include "binding/arguments.h"

#include <cmath>
#include <iostream>
#include <limits>

#include "core/error.h"
#include "engine/load_progress.h"

namespace foretrace::binding {

namespace {

constexpr double mostSafe = 9007199254740991.0;  // 2^53 - 1

const char* typeName(const Napi::Value& value) {
  switch (value.Type()) {
    case napi_undefined: return "undefined";
    case napi_null: return "null";
    case napi_boolean: return "a boolean";
    case napi_number: return "a number";
    case napi_string: return "a string";
    case napi_symbol: return "a symbol";
    case napi_object: return "an object";
    case napi_function: return "a function";
    case napi_bigint: return "a bigint";
    default: return "another value";
  }
}

[[noreturn]] void refuse(const std::string& name, const std::string& expected, const std::string& actual) {
  throw Error(ErrorCode::invalid_argument, name, expected, actual);
}

template <typename Element>
struct ArrayKind;
template <>
struct ArrayKind<std::int32_t> {
  static constexpr napi_typedarray_type type = napi_int32_array;
  static constexpr const char* name = "an Int32Array";
};
template <>
struct ArrayKind<std::uint32_t> {
  static constexpr napi_typedarray_type type = napi_uint32_array;
  static constexpr const char* name = "a Uint32Array";
};
template <>
struct ArrayKind<std::uint8_t> {
  static constexpr napi_typedarray_type type = napi_uint8_array;
  static constexpr const char* name = "a Uint8Array";
};
template <>
struct ArrayKind<float> {
  static constexpr napi_typedarray_type type = napi_float32_array;
  static constexpr const char* name = "a Float32Array";
};

std::int32_t integerField(const Napi::Object& object, const char* name) { return readInt32(object.Get(name), name); }

}  // namespace

double readNumber(const Napi::Value& value, const std::string& name) {
  if (!value.IsNumber()) refuse(name, "a number", typeName(value));
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!std::isfinite(number)) refuse(name, "a finite number", std::isnan(number) ? "NaN" : "infinity");
  return number;
}

std::int64_t readInteger(const Napi::Value& value, const std::string& name, std::int64_t low, std::int64_t high) {
  const double number = readNumber(value, name);
  const std::string expected = "an integer from " + std::to_string(low) + " to " + std::to_string(high);
  if (number != std::floor(number) || std::abs(number) > mostSafe) refuse(name, expected, std::to_string(number));
  const auto integer = static_cast<std::int64_t>(number);
  if (integer < low || integer > high) refuse(name, expected, std::to_string(integer));
  return integer;
}

std::int32_t readInt32(const Napi::Value& value, const std::string& name) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(readInteger(value, name, Limits::min(), Limits::max()));
}

bool readBoolean(const Napi::Value& value, const std::string& name) {
  if (!value.IsBoolean()) refuse(name, "a boolean", typeName(value));
  return value.As<Napi::Boolean>().Value();
}

std::string readString(const Napi::Value& value, const std::string& name) {
  if (!value.IsString()) refuse(name, "a string", typeName(value));
  std::string text = value.As<Napi::String>().Utf8Value();
  if (text.find('\0') != std::string::npos) refuse(name, "a string without NUL", "one with NUL");
  return text;
}

Napi::Object readObject(const Napi::Value& value, const std::string& name) {
  if (!value.IsObject()) refuse(name, "an object", typeName(value));
  return value.As<Napi::Object>();
}

template <typename Element>
ArrayView<Element> viewArray(const Napi::Value& value, const std::string& name) {
  using Kind = ArrayKind<Element>;
  if (!value.IsTypedArray()) refuse(name, Kind::name, typeName(value));
  napi_typedarray_type type{};
  ArrayView<Element> view;
  void* data = nullptr;
  const napi_status status =
      napi_get_typedarray_info(value.Env(), value, &type, &view.length, &data, nullptr, nullptr);
  if (status != napi_ok || type != Kind::type) refuse(name, Kind::name, "another typed array");
  view.data = static_cast<Element*>(data);
  if (view.data == nullptr) view.length = 0;
  return view;
}

template ArrayView<std::int32_t> viewArray(const Napi::Value&, const std::string&);
template ArrayView<std::uint32_t> viewArray(const Napi::Value&, const std::string&);
template ArrayView<std::uint8_t> viewArray(const Napi::Value&, const std::string&);
template ArrayView<float> viewArray(const Napi::Value&, const std::string&);

std::optional<std::uint64_t> readSeed(const Napi::Object& options) {
  const Napi::Value seed = options.Get("randomWeightsSeed");
  if (seed.IsUndefined()) return std::nullopt;
  return static_cast<std::uint64_t>(readInteger(seed, "randomWeightsSeed", 0, static_cast<std::int64_t>(mostSafe)));
}

LoadOptions readLoadOptions(const Napi::Value& value) {
  const Napi::Object object = readObject(value, "options");
  LoadOptions options;
  options.modelDir = readString(object.Get("modelDir"), "modelDir");
  options.device = readString(object.Get("device"), "device");
  options.isa = readString(object.Get("isa"), "isa");
  options.dtype = readString(object.Get("dtype"), "dtype");
  options.drafts = readString(object.Get("drafts"), "drafts");
  options.threads = integerField(object, "threads");
  options.pages = integerField(object, "pages");
  options.pageTokens = integerField(object, "pageTokens");
  options.maxRows = integerField(object, "maxRows");
  options.maxSequences = integerField(object, "maxSequences");
  options.hostCacheBytes = readInteger(object.Get("hostCacheBytes"), "hostCacheBytes", 0, static_cast<std::int64_t>(mostSafe));
  options.randomWeightsSeed = readSeed(object);
  const Napi::Value showProgress = object.Get("showProgress");
  if (!showProgress.IsUndefined() && readBoolean(showProgress, "showProgress")) options.progress = loadProgressBar(std::cerr);
  return options;
}

GrammarData readGrammar(const Napi::Value& value) {
  const Napi::Object object = readObject(value, "grammar data");
  GrammarData data;
  data.vocabSize = integerField(object, "vocabSize");
  data.edgeStart = readArray<std::int32_t>(object.Get("edgeStart"), "edgeStart");
  data.edgeToken = readArray<std::int32_t>(object.Get("edgeToken"), "edgeToken");
  data.edgeMask = readArray<std::int32_t>(object.Get("edgeMask"), "edgeMask");
  data.edgeNext = readArray<std::int32_t>(object.Get("edgeNext"), "edgeNext");
  data.edgeOperation = readArray<std::uint8_t>(object.Get("edgeOperation"), "edgeOperation");
  data.edgeReturn = readArray<std::int32_t>(object.Get("edgeReturn"), "edgeReturn");
  data.edgeLimit = readArray<std::int32_t>(object.Get("edgeLimit"), "edgeLimit");
  data.stateFlags = readArray<std::uint8_t>(object.Get("stateFlags"), "stateFlags");
  data.stateClose = readArray<std::int32_t>(object.Get("stateClose"), "stateClose");
  data.stateDistance = readArray<std::int32_t>(object.Get("stateDistance"), "stateDistance");
  data.masks = readArray<std::uint32_t>(object.Get("masks"), "masks");
  return data;
}

GenerationOptions readGeneration(const Napi::Value& value) {
  const Napi::Object object = readObject(value, "generation");
  GenerationOptions options;
  options.grammar = integerField(object, "grammar");
  if (options.grammar != -1) {
    options.state = integerField(object, "state");
    options.frames = readArray<std::int32_t>(object.Get("frames"), "frames");
  }
  options.temperature = readNumber(object.Get("temperature"), "temperature");
  options.topP = readNumber(object.Get("topP"), "topP");
  constexpr auto most = static_cast<std::int64_t>(mostSafe);
  options.seed = readInteger(object.Get("seed"), "seed", -most, most);
  options.maxNewTokens = integerField(object, "maxNewTokens");
  options.stopToken = integerField(object, "stopToken");
  const Napi::Value expected = object.Get("expected");
  if (!expected.IsUndefined()) options.expected = readArray<std::int32_t>(expected, "expected");
  return options;
}

StepArguments readStep(const Napi::Value& value) {
  const Napi::Object object = readObject(value, "step options");
  StepArguments step;
  step.words = static_cast<std::int32_t>(readInteger(object.Get("words"), "words", 0, INT32_MAX));
  step.options.maxIterations = integerField(object, "maxIterations");
  step.options.deadlineMicros =
      readInteger(object.Get("deadlineMicros"), "deadlineMicros", 0, static_cast<std::int64_t>(1) << 50);
  step.options.returnOnFinish = readBoolean(object.Get("returnOnFinish"), "returnOnFinish");
  return step;
}

}  // namespace foretrace::binding
