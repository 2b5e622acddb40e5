#include "bench/cuda_steps.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <span>

#include "core/error.h"
#if __has_include("core/sampling.h")
#include "core/sampling.h"
#endif
#include "cuda/cuda_device.h"
#include "cuda/shapes.h"
#include "io/model_files.h"
#include "model/transformer.h"

namespace foretrace::bench {
namespace {

constexpr std::int32_t pageTokens = 16;
constexpr std::int32_t prefillRows = 512;
/// Tokens before the one that a decode step computes: a program and a few states.
constexpr std::int32_t context = 128;
constexpr std::int32_t mostSequences = 64;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The most likely token of every wanted row, chosen where the logits are if the backend can do that.
template <class Chooser>
void greedy(Chooser& backend, const ForwardBatch& batch, std::int32_t vocab, std::vector<std::int32_t>& tokens) {
  tokens.clear();
#if __has_include("core/sampling.h")
  std::vector<SampleRequest> requests(static_cast<std::size_t>(batch.wanted()));
  for (std::size_t row = 0; row < requests.size(); ++row) requests[row].row = static_cast<std::int32_t>(row);
  backend.start(batch);
  for (const Sample& sample : backend.sample(requests)) tokens.push_back(sample.token);
  static_cast<void>(vocab);
#else
  const std::span<const float> logits = backend.forward(batch);
  for (std::int32_t row = 0; row < batch.wanted(); ++row) {
    const auto begin = logits.begin() + std::int64_t{row} * vocab;
    tokens.push_back(static_cast<std::int32_t>(std::max_element(begin, begin + vocab) - begin));
  }
#endif
}

/// Median wall-clock seconds of a step, from the batch on the host to the chosen tokens on the host.
double stepSeconds(Backend& backend, const ForwardBatch& batch, std::int32_t vocab, int repeats) {
  std::vector<double> seconds;
  std::vector<std::int32_t> tokens;
  for (int i = 0; i <= repeats + 2; ++i) {
    const double begin = now();
    greedy(backend, batch, vocab, tokens);
    if (i > 2) seconds.push_back(now() - begin);
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return seconds[seconds.size() / 2];
}

std::vector<std::int32_t> pagesOf(std::int32_t sequence, std::int32_t tokens) {
  const std::int32_t count = (tokens + pageTokens - 1) / pageTokens;
  std::vector<std::int32_t> pages(static_cast<std::size_t>(count));
  std::iota(pages.begin(), pages.end(), sequence * count);
  return pages;
}

/// `rows` sequences that decode at position `context`, each with pages of its own.
ForwardBatch decodeBatch(std::int32_t rows) {
  ForwardBatch batch;
  for (std::int32_t s = 0; s < rows; ++s) batch.add({s, context, std::vector<std::int32_t>{s}, pagesOf(s, context + 1), LogitRows::last});
  return batch;
}

ForwardBatch prefillBatch() {
  ForwardBatch batch;
  batch.add({0, 0, std::vector<std::int32_t>(static_cast<std::size_t>(prefillRows), 1), pagesOf(0, prefillRows), LogitRows::last});
  return batch;
}

/// Bytes a step must read, beside keys and values.
double weightsRead(const ModelConfig& config, const cuda::ModelShapes& shapes) {
  double bytes = static_cast<double>(shapes.head.packedBytes());
  for (const cuda::GemmShape* shape : {&shapes.qkv, &shapes.attentionOutput, &shapes.gateUp, &shapes.down}) {
    bytes += config.layers * static_cast<double>(shape->packedBytes());
  }
  return bytes;
}

/// Multiplications and additions of the layers for a row.
double operationsOfRow(const ModelConfig& config) {
  const double attention = 2.0 * config.hidden * (config.queryWidth() + config.kvWidth());
  return 2.0 * config.layers * (attention + 3.0 * config.hidden * config.ffn);
}

}  // namespace

std::vector<StepResult> benchSteps(const std::string& name, const ModelConfig& config, const std::string& dtype, const Peaks& peaks) {
  const PoolConfig pool{.pages = std::max(mostSequences * (context / pageTokens + 1), prefillRows / pageTokens), .pageTokens = pageTokens,
                        .maxRows = prefillRows, .maxLogitRows = mostSequences};
  CudaOptions options;
  options.dtype = dtype;
  Transformer backend(config, pool, createRandomCudaDevice(config, 1, pool, options));
  const cuda::ModelShapes shapes(config, cuda::resolveWeightFormat(dtype));
  const double weights = weightsRead(config, shapes);
  const auto kvBytes = static_cast<double>(backend.info().kvBytesPerToken);
  const std::string prefix = name + " " + dtype + " ";
  std::vector<StepResult> results;
  for (const std::int32_t rows : {1, mostSequences}) {
    const double seconds = stepSeconds(backend, decodeBatch(rows), config.vocab, 25);
    results.push_back({prefix + "decode " + std::to_string(rows), seconds, (weights + rows * context * kvBytes) / seconds / peaks.bandwidth, 0});
  }
  const double seconds = stepSeconds(backend, prefillBatch(), config.vocab, 7);
  results.push_back({prefix + "prefill " + std::to_string(prefillRows), seconds, weights / seconds / peaks.bandwidth,
                     prefillRows * operationsOfRow(config) / seconds / peaks.operations});
  return results;
}

double generatedPerSecond(const std::string& directory, const Generation& generation, int repeats) {
  const LoadedModel model = loadModel(directory);
  const std::int32_t tokens = generation.promptTokens + generation.generatedTokens;
  const auto pagesEach = static_cast<std::int32_t>(pagesOf(0, tokens).size());
  const PoolConfig pool{.pages = generation.sequences * pagesEach, .pageTokens = pageTokens, .maxRows = 2048, .maxLogitRows = generation.sequences};
  Transformer backend(model.config, pool, createCudaDevice(model.config, model.weights, pool, {}));
  const std::int32_t atOnce = std::max(1, pool.maxRows / generation.promptTokens);
  double best = 0;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    const double begin = now();
    std::vector<std::int32_t> next;
    std::vector<std::int32_t> chosen;
    for (std::int32_t first = 0; first < generation.sequences; first += atOnce) {
      ForwardBatch batch;
      for (std::int32_t s = first; s < std::min(generation.sequences, first + atOnce); ++s) {
        std::vector<std::int32_t> prompt(static_cast<std::size_t>(generation.promptTokens));
        for (std::size_t i = 0; i < prompt.size(); ++i) prompt[i] = (s * 7919 + static_cast<std::int32_t>(i) * 31 + 3) % model.config.vocab;
        batch.add({s, 0, prompt, pagesOf(s, tokens), LogitRows::last});
      }
      greedy(backend, batch, model.config.vocab, chosen);
      next.insert(next.end(), chosen.begin(), chosen.end());
    }
    for (std::int32_t step = 1; step < generation.generatedTokens; ++step) {
      ForwardBatch batch;
      for (std::int32_t s = 0; s < generation.sequences; ++s) {
        batch.add({s, generation.promptTokens + step - 1, std::span(next).subspan(static_cast<std::size_t>(s), 1), pagesOf(s, tokens), LogitRows::last});
      }
      greedy(backend, batch, model.config.vocab, chosen);
      next = chosen;
    }
    const double rate = generation.sequences * static_cast<double>(generation.generatedTokens) / (now() - begin);
    if (repeat > 0) best = std::max(best, rate);
  }
  return best;
}

}  // namespace foretrace::bench
