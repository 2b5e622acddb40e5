#include "bench/measure.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "bench/clock.h"
#include "cpu/cpu_device.h"
#include "model/transformer.h"

namespace foretrace::bench {
namespace {

constexpr std::int32_t pageTokens = 16;

std::int32_t pagesFor(std::int32_t tokens) { return (tokens + pageTokens - 1) / pageTokens; }

std::vector<std::int32_t> tokensOf(std::int32_t count, std::int32_t vocab) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) tokens[static_cast<std::size_t>(i)] = (i * 7919 + 13) % vocab;
  return tokens;
}

ForwardBatch batchOf(const Workload& workload, std::int32_t vocab) {
  ForwardBatch batch;
  if (workload.prefill) {
    std::vector<std::int32_t> pages(static_cast<std::size_t>(pagesFor(workload.context)));
    std::iota(pages.begin(), pages.end(), 0);
    batch.add({0, 0, tokensOf(workload.context, vocab), pages, LogitRows::last});
    return batch;
  }
  const std::int32_t before = pagesFor(workload.context);
  const std::int32_t own = pagesFor(workload.rows);
  for (std::int32_t sequence = 0; sequence < workload.batch; ++sequence) {
    std::vector<std::int32_t> pages(static_cast<std::size_t>(before + own));
    const auto ownPages = pages.begin() + before;
    std::iota(pages.begin(), ownPages, workload.shared ? 0 : sequence * (before + own));
    std::iota(ownPages, pages.end(), workload.shared ? before + sequence * own : sequence * (before + own) + before);
    std::vector<std::int32_t> tokens = tokensOf(workload.rows, vocab);
    tokens.front() = (sequence * 31 + 5) % vocab;
    batch.add({sequence, before * pageTokens, tokens, pages, LogitRows::all});
  }
  return batch;
}

/// Elements of the matrices of a layer.
double layerElements(const ModelConfig& config) {
  const double hidden = config.hidden;
  const double attention = hidden * (2.0 * config.queryWidth() + 2.0 * config.kvWidth());
  return attention + 3.0 * hidden * config.ffn;
}

/// What a pass has to compute: matrix products, and query times key and weight times value for every position a row sees. Two
/// operations for each multiplication. In the last layer rows without logits need nothing but their keys and values.
double operationsOf(const ModelConfig& config, const Workload& workload, double rows, double wanted) {
  const double keysAndValues = 2.0 * config.hidden * config.kvWidth();
  const double products = (config.layers - 1) * layerElements(config) * rows + keysAndValues * rows +
                          (layerElements(config) - keysAndValues) * wanted + static_cast<double>(config.vocab) * config.hidden * wanted;
  const double added = workload.prefill ? 0.0 : workload.rows;
  const double seenByLast = workload.context + added;
  const double seen = workload.prefill ? workload.context * (workload.context + 1.0) / 2
                                       : (workload.context + (added + 1) / 2) * added * workload.batch;
  return 2 * products + 4.0 * config.queryWidth() * ((config.layers - 1) * seen + seenByLast * wanted);
}

}  // namespace

LoadedModel modelOf(const std::string& directory, std::optional<std::uint64_t> seed) {
  return seed ? randomModel(loadConfig(directory), *seed) : loadModel(directory);
}

Bench::Bench(const LoadedModel& model, const std::string& isa, WeightType type, std::int32_t threads, std::int32_t maxTokens,
             std::int32_t maxRows, const std::string& split)
    : config_(model.config), type_(type), profile_(threads) {
  pool_.pages = pagesFor(maxTokens);
  pool_.pageTokens = pageTokens;
  pool_.maxRows = maxRows;
  pool_.maxLogitRows = std::min(maxRows, 64);
  auto device = createCpuDevice(config_, model.weights, pool_, {.isa = isa, .threads = threads, .dtype = weightTypeName(type), .split = split, .profile = &profile_});
  backend_ = std::make_unique<Transformer>(config_, pool_, std::make_unique<TimedDevice>(std::move(device), phases_));
  fillPages();
}

/// Untouched pages would all be the one zero page of the system, which is always in the cache.
void Bench::fillPages() {
  (void)backend_->forward(batchOf({.prefill = true, .context = pageTokens}, config_.vocab));
  for (std::int32_t page = 1; page < pool_.pages; ++page) backend_->copyPage(0, page, pageTokens);
}

void Bench::profile(const ForwardBatch& batch, Measurement& result) {
  for (cpu::Profile::Worker& worker : profile_.workers) worker = {};
  profile_.enabled = true;
  const std::uint64_t start = cpu::ticks();
  const int passes = std::clamp(result.repeats / 4, 3, 50);
  for (int pass = 0; pass < passes; ++pass) (void)backend_->forward(batch);
  const double total = static_cast<double>(cpu::ticks() - start) * static_cast<double>(profile_.workers.size());
  profile_.enabled = false;
  for (const cpu::Profile::Worker& worker : profile_.workers) {
    result.productShare += static_cast<double>(worker.products) / total;
    result.attentionShare += static_cast<double>(worker.attention) / total;
  }
}

void Bench::settle(const Workload& workload, const ForwardBatch& batch) {
  if (std::ranges::find(settled_, workload) != settled_.end()) return;
  settled_.push_back(workload);
  const double start = now();
  for (int pass = 0; pass < 20 && (pass < 6 || now() - start < 0.5); ++pass) (void)backend_->forward(batch);
}

double Bench::run(const Workload& workload, std::int32_t passes) {
  const ForwardBatch batch = batchOf(workload, config_.vocab);
  settle(workload, batch);
  const double start = now();
  for (std::int32_t pass = 0; pass < passes; ++pass) (void)backend_->forward(batch);
  return now() - start;
}

Measurement Bench::measure(const Workload& workload, double seconds) {
  const ForwardBatch batch = batchOf(workload, config_.vocab);
  settle(workload, batch);
  phases_.fill(0);
  std::vector<double> times;
  for (double total = 0; total < seconds || times.size() < 5; total += times.back()) {
    const double start = now();
    (void)backend_->forward(batch);
    times.push_back(now() - start);
  }
  Measurement result;
  result.repeats = static_cast<std::int32_t>(times.size());
  for (std::size_t i = 0; i < phases_.size(); ++i) result.phases[i] = phases_[i] / result.repeats;
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  result.seconds = times[times.size() / 2];
  result.rows = batch.rows();
  profile(batch, result);
  const double elements = config_.layers * layerElements(config_) + static_cast<double>(config_.vocab) * config_.hidden;
  const double weights = elements * static_cast<double>(weightBytes(type_));
  const double own = static_cast<double>(workload.rows) * workload.batch;
  const double distinct = workload.prefill ? workload.context
                          : own + static_cast<double>(workload.context) * (workload.shared ? 1 : workload.batch);
  result.bytes = weights + distinct * static_cast<double>(backend_->info().kvBytesPerToken);
  result.operations = operationsOf(config_, workload, static_cast<double>(result.rows), batch.wanted());
  return result;
}

}  // namespace foretrace::bench
