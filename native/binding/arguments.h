// Readers of JavaScript values: each checks type and range and copies, so that nothing keeps a pointer into a buffer
// the caller may detach. All throw `invalid_argument` naming the argument, what was expected and what was found.
#pragma once

#include <napi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/load.h"
#include "engine/types.h"
#include "grammar/grammar.h"

namespace foretrace::binding {

[[nodiscard]] std::int64_t readInteger(const Napi::Value& value, const std::string& name, std::int64_t low,
                                       std::int64_t high);
[[nodiscard]] std::int32_t readInt32(const Napi::Value& value, const std::string& name);
[[nodiscard]] double readNumber(const Napi::Value& value, const std::string& name);
[[nodiscard]] bool readBoolean(const Napi::Value& value, const std::string& name);
[[nodiscard]] std::string readString(const Napi::Value& value, const std::string& name);
[[nodiscard]] Napi::Object readObject(const Napi::Value& value, const std::string& name);

/// The elements of a typed array as they are now. `data` is null if it is empty or its buffer has been detached.
template <typename Element>
struct ArrayView {
  Element* data = nullptr;
  std::size_t length = 0;
};

/// A view into an Int32Array, Uint32Array, Float32Array or Uint8Array; valid until JavaScript runs again.
template <typename Element>
[[nodiscard]] ArrayView<Element> viewArray(const Napi::Value& value, const std::string& name);

/// A copy of such an array.
template <typename Element>
[[nodiscard]] std::vector<Element> readArray(const Napi::Value& value, const std::string& name) {
  const ArrayView<Element> view = viewArray<Element>(value, name);
  return view.length == 0 ? std::vector<Element>{} : std::vector<Element>(view.data, view.data + view.length);
}

/// The field `randomWeightsSeed` of an object of options.
[[nodiscard]] std::optional<std::uint64_t> readSeed(const Napi::Object& options);
[[nodiscard]] LoadOptions readLoadOptions(const Napi::Value& value);
[[nodiscard]] GrammarData readGrammar(const Napi::Value& value);
[[nodiscard]] GenerationOptions readGeneration(const Napi::Value& value);

/// StepOptions with the number of words that are filled.
struct StepArguments {
  std::int32_t words = 0;
  StepOptions options;
};
[[nodiscard]] StepArguments readStep(const Napi::Value& value);

}  // namespace foretrace::binding
