// A forward pass divided by rows: between two attentions a thread takes its rows through everything.
#include <algorithm>

#include "cpu/device_state.h"

namespace foretrace::cpu {
namespace {

/// Rows that one row of weights in the cache should serve at least.
constexpr std::int32_t fewRangeRows = 24;

/// Ranges of about equal size: whole tiles where there are many rows.
struct RowRanges {
  std::int32_t rows;
  std::int32_t count;
  std::int32_t unit;

  RowRanges(std::int32_t allRows, std::int32_t threads, const RowShape& shape, std::int64_t layerBytes) noexcept : rows(allRows) {
    // Two ranges a thread, so that one who is disturbed can be helped, but not so small that weights are read for little: each
    // range reads all of a layer's, from far away where they are many.
    const bool halves = allRows >= 2 * threads * fewRangeRows && layerBytes <= shape.cacheBytes;
    count = std::min(allRows, halves ? 2 * threads : threads);
    if (ceilDivide(allRows, std::max(1, count)) > shape.most) count = ceilDivide(ceilDivide(allRows, shape.most), threads) * threads;
    unit = allRows > count * fewRangeRows ? shape.unit : 1;
  }
  [[nodiscard]] std::int32_t begin(std::int32_t range) const noexcept {
    const auto units = static_cast<std::int64_t>(ceilDivide(rows, unit));
    return std::min(rows, static_cast<std::int32_t>(units * range / count) * unit);
  }
  [[nodiscard]] RowRange at(std::int32_t range) const noexcept { return {begin(range), begin(range + 1) - begin(range)}; }
};

}  // namespace

template <typename Body>
void CpuDevice::eachRange(const Body& body) {
  const RowRanges ranges(rows_, split_ == Split::solo ? 1 : threads_.threads(), kernels_.rowShape, weights_.layers.front().bytes());
  each(ranges.count, [&](std::int32_t task, std::int32_t worker) noexcept { body(ranges.at(task), worker); });
}

void CpuDevice::layerByRows(std::int32_t layer) {
  const std::int32_t queries = config_.heads;
  const std::int32_t all = queries + 2 * config_.kvHeads;
  const auto isNarrow = [&](std::int32_t of) { return of + 1 == config_.layers && narrows(); };
  // Queries come first among the heads; in the last layer they can wait until the rows are fewer.
  const auto project = [&, this](std::int32_t of, RowRange range, std::int32_t worker) {
    projectRange(of, {isNarrow(of) ? queries : 0, all}, range, worker);
  };
  if (layer == 0) eachRange([&](RowRange range, std::int32_t worker) { project(0, range, worker); });
  if (isNarrow(layer)) {
    keepWantedRows();
    eachRange([&, this](RowRange range, std::int32_t worker) { projectRange(layer, {0, queries}, range, worker); });
  }
  attention(layer);
  eachRange([&, this](RowRange range, std::int32_t worker) {
    finishRange(layer, range, worker);
    if (layer + 1 < config_.layers) project(layer + 1, range, worker);
  });
}

void CpuDevice::projectRange(std::int32_t layer, HeadRange heads, RowRange range, std::int32_t worker) noexcept {
  const InputSource source = normed(weights_.layers[static_cast<std::size_t>(layer)].attentionNorm);
  prepare(source, range, worker, input_);
  project(layer, heads, range, prepared(source, input_), worker);
}

void CpuDevice::finishRange(std::int32_t layer, RowRange range, std::int32_t worker) noexcept {
  const PackedLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  const auto addProductOf = [&, this](const InputSource& source, const PackedMatrix& matrix) {
    prepare(source, range, worker, input_);
    product(prepared(source, input_), matrix, {worker, range.first, range.count, 0, matrix.panels},
            {rowsOf(residual_, range.first, 0), Outcome::added});
  };
  addProductOf(mixed(), weights.attentionOutput);
  const InputSource source = normed(weights.feedForwardNorm);
  prepare(source, range, worker, input_);
  gateUp(layer, prepared(source, input_), {worker, range.first, range.count, 0, weights.gateUp.panels});
  addProductOf(activation(), weights.down);
}

}  // namespace foretrace::cpu
