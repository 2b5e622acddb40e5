// A small test harness: TEST blocks register themselves, CHECK counts and reports, runTests() is what main() returns.
#pragma once

#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"

namespace foretrace::test {

struct Case {
  const char* name;
  void (*run)();
};

/// State of one test binary.
struct Registry {
  std::vector<Case> cases;
  long checks = 0;
  bool failed = false;  ///< of the case that runs
};

inline Registry& registry() {
  static Registry instance;
  return instance;
}

struct Registration {
  Registration(const char* name, void (*run)()) { registry().cases.push_back({name, run}); }
};

/// Counts one check and reports it if it does not hold. Returns `condition`.
inline bool check(bool condition, const char* file, int line, const std::string& text) {
  ++registry().checks;
  if (!condition) {
    registry().failed = true;
    std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, text.c_str());
  }
  return condition;
}

/// The code of the Error that `action` throws, "nothing" if it returns, "other" for any other exception.
inline std::string thrownCode(const std::function<void()>& action, std::string* message = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.message();
    return error.codeName();
  } catch (...) {
    return "other";
  }
  return "nothing";
}

/// Runs every case (or those whose name contains argv[1]); prints the counts; 0 if all passed and at least one ran.
inline int runTests(const char* filter = nullptr) {
  int passed = 0;
  int failed = 0;
  for (const Case& testCase : registry().cases) {
    if (filter != nullptr && std::strstr(testCase.name, filter) == nullptr) continue;
    registry().failed = false;
    try {
      testCase.run();
    } catch (const std::exception& error) {
      registry().failed = true;
      std::fprintf(stderr, "%s: unexpected exception: %s\n", testCase.name, error.what());
    }
    if (registry().failed) std::fprintf(stderr, "FAILED %s\n", testCase.name);
    ++(registry().failed ? failed : passed);
  }
  std::printf("%d passed, %d failed (%ld checks)\n", passed, failed, registry().checks);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace foretrace::test

#define FORETRACE_JOIN2(a, b) a##b
#define FORETRACE_JOIN(a, b) FORETRACE_JOIN2(a, b)
#define FORETRACE_TEST(name, function)                                                     \
  static void function();                                                                  \
  static const ::foretrace::test::Registration FORETRACE_JOIN(function, _entry)(name, function); \
  static void function()

/// Defines a test case: TEST("what must hold") { ... }
#define TEST(name) FORETRACE_TEST(name, FORETRACE_JOIN(testCase, __LINE__))
#define CHECK(condition) ::foretrace::test::check((condition), __FILE__, __LINE__, #condition)
/// CHECK with text that says which of many cases failed.
#define CHECK_THAT(condition, text) \
  ::foretrace::test::check((condition), __FILE__, __LINE__, std::string(#condition) + ": " + (text))
/// The action must throw an Error with this code, for example CHECK_ERROR("invalid_model", parse(text)).
#define CHECK_ERROR(code, action)                                                                         \
  ::foretrace::test::check(::foretrace::test::thrownCode([&] { (void)(action); }) == (code), __FILE__, __LINE__, \
                           std::string(#action) + " throws " + (code))
