// What is said where the number of pages is left open and a model does not fit.
#include <string>

#include "cuda/shapes.h"
#include "test/check.h"

namespace foretrace::cuda {
namespace {

TEST("one page and the driver's reserve must fit, or the message says how much is missing") {
  ModelConfig config;
  config.hidden = 2048;
  config.layers = 16;
  config.heads = 32;
  config.kvHeads = 8;
  config.headDim = 64;
  config.ffn = 8192;
  config.vocab = 128256;
  config.maxContext = 131072;
  const PoolConfig pool{.pages = 0, .pageTokens = 16, .maxRows = 512, .maxLogitRows = 64};
  const std::int64_t available = std::int64_t{40} << 30;
  std::string message;
  CHECK(requiredPages(config, pool, WeightFormat::bf16, available) == affordablePages(config, pool, WeightFormat::bf16, available));
  std::int64_t enough = 0;
  for (std::int64_t step = std::int64_t{1} << 40; step > 0; step /= 2) {
    if (affordablePages(config, pool, WeightFormat::bf16, enough + step) == 0) enough += step;
  }
  CHECK(requiredPages(config, pool, WeightFormat::bf16, enough + 1) == 1);
  const auto without = [&](std::int64_t bytes) {
    return test::thrownCode([&] { (void)requiredPages(config, pool, WeightFormat::bf16, enough + 1 - bytes); }, &message);
  };
  CHECK(without(1) == "invalid_argument");
  CHECK(without(std::int64_t{2} << 30) == "invalid_argument");
  CHECK_THAT(message.find("2.00 GiB too little") != std::string::npos, message);
}

}  // namespace
}  // namespace foretrace::cuda

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
