#include <string>

#include "io/json.h"
#include "test/check.h"

namespace foretrace {
namespace {

std::string codeOf(const std::string& text, std::string* message = nullptr, const JsonLimits& limits = {}) {
  return test::thrownCode([&] { (void)parseJson(text, "test.json", limits); }, message);
}

TEST("values of every kind are read") {
  const JsonValue value = parseJson(" {\"n\": -12, \"f\": 2.5e-1, \"t\": true, \"z\": null, \"s\": \"a\", \"l\": [1, []]} ", "t");
  CHECK(value.find("n")->number()->isInteger && value.find("n")->number()->integer == -12);
  CHECK(!value.find("f")->number()->isInteger && value.find("f")->number()->value == 0.25);
  CHECK(*value.find("t")->boolean());
  CHECK(value.find("z")->isNull());
  CHECK(*value.find("s")->string() == "a");
  CHECK(value.find("l")->array()->size() == 2);
  CHECK(value.find("missing") == nullptr);
  CHECK(value.find("s")->find("x") == nullptr);
}

TEST("strings are decoded to UTF-8") {
  CHECK(*parseJson(R"("\u0041\u00e9\u20AC\ud83d\ude00\"\\\/\b\f\n\r\t")", "t").string() ==
        "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"\\/\b\f\n\r\t");
  CHECK(*parseJson("\"\xF0\x9F\x98\x80\"", "t").string() == "\xF0\x9F\x98\x80");
  CHECK(parseJson("\"\\u0000\"", "t").string()->size() == 1);
}

TEST("integers keep all 64 bits and larger numbers are no integers") {
  CHECK(parseJson("9223372036854775807", "t").number()->integer == INT64_MAX);
  CHECK(parseJson("-9223372036854775808", "t").number()->integer == INT64_MIN);
  CHECK(!parseJson("9223372036854775808", "t").number()->isInteger);
  CHECK(!parseJson("1.0", "t").number()->isInteger);
}

TEST("what RFC 8259 does not allow is refused") {
  const std::string bad[] = {
      "", " ", "{", "}", "[", "[1", "[1,", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "[1 2]", "1 2", "nul",
      "True", "'a'", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "NaN", "Infinity", "1e999", "-1e999", "\"", "\"a", "\"\\\"",
      "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"",
      std::string("\"\0\"", 3), std::string("1\0", 2), "\"\xC0\xAF\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"", "\"\xE2\x82\"", "\"\xFF\"",
      "\"\x80\"", "\xEF\xBB\xBF{}", "// x\n1", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}"};
  for (const std::string& text : bad) CHECK_THAT(codeOf(text) == "invalid_model", text);
}

TEST("messages name the source, the place, expected and found") {
  std::string message;
  CHECK(codeOf("{\"a\": x}", &message) == "invalid_model");
  CHECK_THAT(message == "test.json: JSON at byte 6: expected a value, found 'x'", message);
  CHECK(codeOf("[1", &message) == "invalid_model");
  CHECK_THAT(message == "test.json: JSON at byte 2: expected ']', found end of text", message);
}

TEST("depth and size are limited") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(codeOf(nested(33)) == "nothing");  // the innermost array has 32 around it
  CHECK(codeOf(nested(34)) == "invalid_model");
  CHECK(codeOf(nested(1000000)) == "invalid_model");
  CHECK(codeOf("[1,2]", nullptr, {.maxBytes = 5}) == "nothing");
  CHECK(codeOf("[1,2] ", nullptr, {.maxBytes = 5}) == "invalid_model");
}

TEST("a text cut anywhere is refused") {
  const std::string text = R"({"a": [1.5e3, true, null, "x\u00e9\ud83d\ude00"], "b": {"c": false}})";
  CHECK(codeOf(text) == "nothing");
  for (std::size_t size = 0; size < text.size(); ++size) CHECK_THAT(codeOf(text.substr(0, size)) == "invalid_model", std::to_string(size));
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
