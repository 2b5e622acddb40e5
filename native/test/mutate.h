// Deterministic random mutation of inputs for the parsers: what libFuzzer does with a compiler that has it, without one.
// Each fuzz_*.cc defines LLVMFuzzerTestOneInput and the seeds; with FORETRACE_LIBFUZZER defined main() is libFuzzer's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "core/error.h"
#include "test/random.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace foretrace::test {

/// Stops the program, as a sanitizer would, when a parser breaks its promise.
[[noreturn]] inline void violation(const char* promise) {
  std::fprintf(stderr, "fuzz: broken promise: %s\n", promise);
  std::abort();
}

/// Runs a parser: it may return or throw Error with the code invalid_model, nothing else. True if it returned.
template <typename Parse>
bool returnsOrRefuses(Parse&& parse) {
  try {
    parse();
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_model) violation("only invalid_model is thrown");
  } catch (const std::exception&) {
    violation("only Error is thrown");
  }
  return false;
}

/// One of a few edits at a random place.
inline void mutate(std::string& input, Random& random, const std::vector<std::string>& tokens) {
  const auto place = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(input.size()) + 1));
  const auto rest = static_cast<std::int64_t>(input.size() - place);
  switch (random.below(6)) {
    case 0:
      if (rest > 0) input[place] = static_cast<char>(random.next());
      break;
    case 1:
      if (rest > 0) input[place] = static_cast<char>(input[place] ^ (1 << random.below(8)));
      break;
    case 2: input.erase(place, static_cast<std::size_t>(random.below(8))); break;
    case 3: input.insert(place, tokens[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(tokens.size())))]); break;
    case 4: input.insert(place, input.substr(place, static_cast<std::size_t>(random.below(40)))); break;
    default: input.resize(place); break;
  }
}

/// Mutates the seeds `rounds` times and feeds every result to the parser.
inline int mutateSeeds(const std::vector<std::string>& seeds, const std::vector<std::string>& tokens, int rounds) {
  Random random(2026);
  const auto feed = [](const std::string& input) {
    // A copy of exact size, so that AddressSanitizer sees a read of one byte past the end.
    const std::vector<std::uint8_t> copy(input.begin(), input.end());
    LLVMFuzzerTestOneInput(copy.data(), copy.size());
  };
  for (const std::string& seed : seeds) feed(seed);
  for (int round = 0; round < rounds; ++round) {
    std::string input = seeds[static_cast<std::size_t>(round) % seeds.size()];
    for (int edits = 1 + random.below(5); edits > 0; --edits) mutate(input, random, tokens);
    feed(input);
  }
  std::printf("%d inputs, no promise broken\n", rounds);
  return 0;
}

}  // namespace foretrace::test
