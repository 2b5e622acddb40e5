// After the first step a forward pass takes no memory from the heap: counted by replacing the global allocator.
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "cpu/cpu_device.h"
#include "engine/engine.h"
#include "io/model_files.h"
#include "model/transformer.h"
#include "test/check.h"
#include "test/grammar_builder.h"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  allocations.fetch_add(1);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace foretrace {
namespace {

TEST("a warm forward pass does not allocate, whatever the batch") {
  ModelConfig config;
  config.hidden = 48;
  config.layers = 3;
  config.heads = 4;
  config.kvHeads = 2;
  config.headDim = 12;
  config.ffn = 100;
  config.vocab = 70;
  config.maxContext = 64;
  const LoadedModel model = randomModel(config, 1);
  const PoolConfig pool{.pages = 16, .pageTokens = 8, .maxRows = 40};
  for (const char* dtype : {"fp32", "bf16", "int8"}) {
    Transformer backend(config, pool, createCpuDevice(config, model.weights, pool, CpuOptions{"auto", 3, dtype}));
    const std::vector<std::int32_t> tokens(40, 7);
    const std::vector<std::int32_t> first = {0, 1, 2, 3, 4};
    const std::vector<std::int32_t> second = {5, 6, 7, 8, 9};
    ForwardBatch batch;
    // The batch belongs to the caller: fill it to its largest once, as a warm engine has.
    batch.add({1, 0, std::span(tokens).first(20), first, LogitRows::all});
    batch.add({2, 0, std::span(tokens).first(20), second, LogitRows::all});
    (void)backend.forward(batch);
    const long before = allocations.load();
    for (std::size_t count = 1; count <= 20; ++count) {
      batch.clear();
      batch.add({1, 3, std::span(tokens).first(count), first, LogitRows::all});
      batch.add({2, 7, std::span(tokens).first(21 - count), second, LogitRows::last});
      (void)backend.forward(batch);
      backend.copyPage(0, 12, 5);
    }
    const long after = allocations.load();
    CHECK_THAT(after == before, std::to_string(after - before) + " allocations");
    const std::vector<int> seen(3);
    CHECK(allocations.load() > after);  // the counter counts
    CHECK(seen.size() == 3);
  }
}

/// Heap allocations of a step of so many passes, with drafts; the sequences go on where they are.
long allocationsOf(Engine& engine, const std::vector<std::int32_t>& words, std::int32_t passes, StepResult& result) {
  const StepRequest request = engine.prepare(words, {.maxIterations = passes}, 8192, 4096);
  const long before = allocations.load();
  result = engine.run(request);
  return allocations.load() - before;
}

TEST("a pass of the generation loop does not allocate once the engine is warm") {
  ModelConfig config;
  config.hidden = 48;
  config.layers = 2;
  config.heads = 4;
  config.kvHeads = 2;
  config.headDim = 12;
  config.ffn = 100;
  config.vocab = test::recordVocab;
  config.maxContext = 512;
  const LoadedModel model = randomModel(config, 1);
  const PoolConfig pool{.pages = 256, .pageTokens = 8, .maxRows = 64};
  for (const DraftMode drafts : {DraftMode::off, DraftMode::always}) {
    Engine engine({.vocab = config.vocab, .maxContext = 512, .pages = 256, .pageTokens = 8, .maxRows = 64,
                   .maxSequences = 8, .drafts = drafts},
                  EngineInfo{},
                  std::make_unique<Transformer>(config, pool, createCpuDevice(config, model.weights, pool, CpuOptions{"auto", 1, "int8"})));
    std::vector<std::int32_t> words;
    for (std::int32_t i = 0; i < 4; ++i) {
      const std::vector<std::int32_t> prompt(20, i);
      const std::int32_t sequence = engine.open(prompt, 300).sequence;
      engine.generate(sequence, {.grammar = -1, .state = 0, .frames = {}, .temperature = 1.5, .topP = 1, .seed = i,
                                 .maxNewTokens = 300, .stopToken = -1});
      words.insert(words.end(), {sequence, 20, 1});
    }
    StepResult result;
    static_cast<void>(allocationsOf(engine, words, 30, result));
    for (std::size_t i = 1; i < words.size(); i += 3) words[i] = 0;
    // The same for one pass as for twenty, in which pages are sealed and drafts come and go: what is left is the result.
    const long one = allocationsOf(engine, words, 1, result);
    const long twenty = allocationsOf(engine, words, 20, result);
    CHECK_THAT(twenty == one, std::to_string(twenty) + " allocations, " + std::to_string(one) + " of one pass");
    CHECK(result.summary.iterations == 20 && one > 0);
    if (drafts == DraftMode::always) CHECK(result.response[3] > 0);
  }
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
