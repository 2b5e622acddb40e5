// The JSON reader on arbitrary bytes: a value or invalid_model, never anything else.
#include <string_view>

#include "io/json.h"
#include "test/mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foretrace;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  JsonValue value;
  if (test::returnsOrRefuses([&] { value = parseJson(text, "fuzz"); })) {
    // What was accepted has a first byte that begins a value: nothing else may slip through.
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) test::violation("an empty text is refused");
    if (std::string_view("{[\"tfn-0123456789").find(text[first]) == std::string_view::npos) test::violation("a value begins here");
    if ((text[first] == '{') != (value.object() != nullptr)) test::violation("braces make objects");
  }
  return 0;
}

#ifndef FORETRACE_LIBFUZZER
int main() {
  return foretrace::test::mutateSeeds(
      {R"({"a": [1, -2.5e3, true, false, null], "b": {"c": "x\u00e9\ud83d\ude00\n"}})", R"([[[[]]],{},"",0,1e-5])",
       "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"", R"({"weight_map": {"a.weight": "model-00001-of-00002.safetensors"}})"},
      {"[", "]", "{", "}", "\"", ",", ":", "\\u", "\\uD800", "\xED\xA0\x80", "1e999", "-", "0", "99999999999999999999", "\""},
      60000);
}
#endif
