// A forward pass on the CPU: what it is made of, however it is divided over the threads.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/device_state.h"

namespace foretrace::cpu {

void CpuDevice::begin(const ForwardBatch& batch) {
  batch_ = &batch;
  rows_ = passRows_ = batch.rows();
  split_ = choice_.choose(rows_);
  passStarted_ = std::chrono::steady_clock::now();
  planQueries();
}

void CpuDevice::layer(std::int32_t layer) {
  if (split_ == Split::columns) {
    layerByColumns(layer);
  } else {
    layerByRows(layer);
  }
  if (layer + 1 < config_.layers) return;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - passStarted_;
  choice_.measured(passRows_, took.count());
}

void CpuDevice::planQueries() {
  // Tiles of several groups of queries, but enough of them for all threads.
  const std::int32_t queries = kv_.halves() ? kernels_.groupQueriesBf16 : kernels_.groupQueries;
  const std::int32_t groupRows = rowsOfQueryGroup(config_.heads / config_.kvHeads, queries);
  const std::int32_t rowsOfTask = ceilDivide(rows_ * config_.kvHeads, split_ == Split::solo ? 1 : 2 * threads_.threads());
  queries_.plan(*batch_, groupRows * std::clamp(ceilDivide(rowsOfTask, groupRows), 1, maxQueryGroups));
}

void CpuDevice::embed() {
  each(ceilDivide(rows_, elementwiseRows), [this](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t end = std::min(rows_, (task + 1) * elementwiseRows);
    float* embedding = scratchOf(worker);
    std::fill_n(embedding, hiddenStride_, 0.0F);
    for (std::int32_t row = task * elementwiseRows; row < end; ++row) {
      readRow(weights_.embedding.data(), weights_.embeddingType, batch_->tokens[static_cast<std::size_t>(row)],
              config_.hidden, embedding);
      const PanelRows to = rowsOf(residual_, row, 0);
      kernels_.copyPanels(embedding, panelColumns, panelsOf(hiddenStride_), to.data, to.panelStride);
    }
  });
}

void CpuDevice::prepare(const InputSource& source, RowRange range, std::int32_t worker, const InputBuffer& to) noexcept {
  for (std::int32_t row = range.first; row < range.first + range.count; ++row) {
    const float* from = source.rows.at(source.order == nullptr ? row : source.order[row], 0);
    const RowSource whole{from, source.rows.panelStride, panelsOf(source.width), source.norm, config_.normEps, config_.hidden};
    if (type_ == WeightType::fp32) {
      float* floats = to.floats.data() + row * widest_;
      if (whole.norm != nullptr) {
        kernels_.rmsNorm(whole, floats);
      } else if (whole.panelStride != panelColumns) {
        kernels_.copyPanels(from, whole.panelStride, whole.panels, floats, panelColumns);
      }
      continue;
    }
    std::uint8_t* rounded = to.rounded.data() + row * inputStride_;
    if (type_ == WeightType::int8) {
      kernels_.roundInt8(whole, scratchOf(worker), rounded, to.scales.data() + row);
    } else {
      kernels_.roundBf16(whole, rounded);
    }
  }
}

InputRows CpuDevice::prepared(const InputSource& source, const InputBuffer& buffer) const noexcept {
  if (type_ != WeightType::fp32) return {buffer.rounded.data(), inputStride_, buffer.scales.data()};
  const bool stayed = source.norm == nullptr && source.rows.panelStride == panelColumns;
  const float* rows = stayed ? source.rows.data : buffer.floats.data();
  const std::int64_t stride = stayed ? source.rows.rowStride : widest_;
  return {reinterpret_cast<const std::uint8_t*>(rows), stride * static_cast<std::int64_t>(sizeof(float)), nullptr};
}

void CpuDevice::keepWantedRows() {
  wanted_.keepWanted(*batch_);
  const PanelRows rows = rowsOf(residual_, 0, 0);
  for (std::int32_t row = 0; row < wanted_.rows(); ++row) {
    const std::int32_t from = batch_->logitRows[static_cast<std::size_t>(row)];
    if (from == row) continue;
    kernels_.copyPanels(rows.at(from, 0), rows.panelStride, panelsOf(hiddenStride_), rows.at(row, 0), rows.panelStride);
  }
  batch_ = &wanted_;
  rows_ = wanted_.rows();
  planQueries();
}

void CpuDevice::project(std::int32_t layer, HeadRange heads, RowRange range, const InputRows& input, std::int32_t worker) noexcept {
  const PackedLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  const std::int32_t perHead = headPanels(config_.headDim);
  const std::int32_t together = headsTogether(range.count);
  for (std::int32_t first = heads.first; first < heads.end; first += together) {
    const std::int32_t count = std::min(together, heads.end - first);
    const HeadRows rows{scratchOf(worker), count * headStride_};
    product(input, weights.qkv, {worker, range.first, range.count, first * perHead, count * perHead},
            {{rows.data, rows.stride, panelColumns}, Outcome::stored});
    for (std::int32_t i = 0; i < count; ++i) {
      const HeadRows own{rows.data + i * headStride_, rows.stride};
      finishHeads(weights, first + i, range.count, own);
      if (first + i < config_.heads) {
        writeQueries(first + i, range, own);
      } else {
        writeKv(layer, first + i - config_.heads, range, own, worker);
      }
    }
  }
}

void CpuDevice::finishHeads(const PackedLayer& layer, std::int32_t head, std::int32_t count, const HeadRows& rows) const noexcept {
  if (config_.attentionBias) {
    const float* bias = layer.qkvBias.data() + head * headStride_;
    for (std::int32_t row = 0; row < count; ++row) {
      float* to = rows.data + row * rows.stride;
      for (std::int64_t i = 0; i < headStride_; ++i) to[i] += bias[i];
    }
  }
  if (config_.headNorms && head < config_.heads + config_.kvHeads) {
    const float* norm = (head < config_.heads ? layer.queryNorm : layer.keyNorm).data();
    for (std::int32_t row = 0; row < count; ++row) {
      float* to = rows.data + row * rows.stride;
      kernels_.rmsNorm({to, panelColumns, panelsOf(headStride_), norm, config_.normEps, config_.headDim}, to);
    }
  }
}

void CpuDevice::rotate(std::int32_t row, float* head) const noexcept {
  const std::int32_t position = batch_->positions[static_cast<std::size_t>(row)];
  kernels_.rope(head, rope_.cosine(position), rope_.sine(position), config_.headDim / 2);
}

void CpuDevice::rotateBf16(std::int32_t row, const float* head, std::uint8_t* to) const noexcept {
  const std::int32_t position = batch_->positions[static_cast<std::size_t>(row)];
  kernels_.ropeBf16(head, rope_.cosine(position), rope_.sine(position), config_.headDim / 2, to);
}

void CpuDevice::writeQueries(std::int32_t head, RowRange range, const HeadRows& rows) noexcept {
  for (std::int32_t i = 0; i < range.count; ++i) {
    const std::int32_t row = range.first + i;
    float* from = rows.data + i * rows.stride;
    if (kv_.halves()) {
      rotateBf16(row, from, queryOf(row, head));
    } else {
      rotate(row, from);
      std::memcpy(queryOf(row, head), from, static_cast<std::size_t>(headBytes_));
    }
  }
}

void CpuDevice::writeKv(std::int32_t layer, std::int32_t kvIndex, RowRange range, const HeadRows& rows, std::int32_t worker) noexcept {
  const bool areKeys = kvIndex < config_.kvHeads;
  const std::int32_t head = areKeys ? kvIndex : kvIndex - config_.kvHeads;
  std::int32_t count = 0;  // of rows that follow each other in one page
  for (std::int32_t i = 0; i < range.count; i += count) {
    const auto row = static_cast<std::size_t>(range.first + i);
    const std::int32_t position = batch_->positions[row];
    const std::int32_t block = batch_->blockOfRow[row];
    const std::int32_t slot = position % poolConfig_.pageTokens;
    const std::int32_t most = std::min(range.count - i, poolConfig_.pageTokens - slot);
    count = 1;
    while (count < most && batch_->blockOfRow[row + static_cast<std::size_t>(count)] == block) ++count;
    const std::int32_t firstPage = batch_->pageStart[static_cast<std::size_t>(block)];
    const std::int32_t page = batch_->pages[static_cast<std::size_t>(firstPage + position / poolConfig_.pageTokens)];
    const HeadRows some{rows.data + i * rows.stride, rows.stride};
    const KvPlace place{layer, head, page, slot};
    if (kv_.halves()) {
      writeHalves(place, areKeys, {range.first + i, count}, some, worker);
    } else {
      writeFloats(place, areKeys, {range.first + i, count}, some);
    }
  }
}

void CpuDevice::writeFloats(const KvPlace& place, bool areKeys, RowRange range, const HeadRows& rows) noexcept {
  for (std::int32_t i = 0; i < range.count; ++i) {
    float* row = rows.data + i * rows.stride;
    if (areKeys) {
      rotate(range.first + i, row);
      kv_.writeKey(place.layer, place.head, place.page, place.slot + i, row);
    } else {
      kv_.writeValue(place.layer, place.head, place.page, place.slot + i, row);
    }
  }
}

void CpuDevice::writeHalves(const KvPlace& place, bool areKeys, RowRange range, const HeadRows& rows, std::int32_t worker) noexcept {
  std::uint8_t* halves = pageRows_.data() + worker * poolConfig_.pageTokens * headBytes_;
  for (std::int32_t i = 0; i < range.count; ++i) {
    const float* row = rows.data + i * rows.stride;
    if (areKeys) {
      rotateBf16(range.first + i, row, halves + i * headBytes_);
    } else {
      kernels_.roundBf16(RowSource::plain(row, headStride_), halves + i * headBytes_);
    }
  }
  std::uint8_t* base = areKeys ? kv_.keys(place.layer, place.head) : kv_.values(place.layer, place.head);
  const KvRows task{halves, headBytes_, range.count, base + place.page * kv_.pageStride(), place.slot, poolConfig_.pageTokens, config_.headDim};
  (areKeys ? kernels_.storeKeys : kernels_.storeValues)(task);
}

void CpuDevice::attention(std::int32_t layer) {
  const std::int32_t group = config_.heads / config_.kvHeads;
  const auto tiles = static_cast<std::int32_t>(queries_.tiles().size());
  // Several calls a group where it has more heads than a call takes, and where there would be too few calls for all threads.
  const std::int32_t fewest = split_ == Split::solo ? 1 : ceilDivide(2 * threads_.threads(), std::max(1, config_.kvHeads * tiles));
  const std::int32_t parts = std::max(ceilDivide(group, maxQueries), std::min(group, fewest));
  const std::int32_t perPart = ceilDivide(group, parts);
  // Divided by columns, tiles that read the same keys and values follow each other, so that they find them in the cache; divided by
  // rows, what belongs to the same rows.
  const bool byHead = split_ == Split::columns;
  each(config_.kvHeads * tiles * parts, [=, this](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t call = task / parts;
    const std::int32_t kvHead = byHead ? call / tiles : call % config_.kvHeads;
    const std::int32_t tile = byHead ? call % tiles : call / config_.kvHeads;
    const std::int32_t firstOfGroup = task % parts * perPart;
    if (firstOfGroup >= group) return;
    attendTile(layer, queries_.tiles()[static_cast<std::size_t>(tile)], kvHead, kvHead * group + firstOfGroup,
               std::min(perPart, group - firstOfGroup), worker);
  });
}

void CpuDevice::attendHead(std::int32_t layer, std::int32_t kvHead, std::int32_t worker) noexcept {
  const std::int32_t group = config_.heads / config_.kvHeads;
  for (const QueryTile& tile : queries_.tiles()) {
    for (std::int32_t first = 0; first < group; first += maxQueries) {
      attendTile(layer, tile, kvHead, kvHead * group + first, std::min(maxQueries, group - first), worker);
    }
  }
}

void CpuDevice::attendTile(std::int32_t layer, const QueryTile& tile, std::int32_t kvHead, std::int32_t firstHead,
                           std::int32_t headCount, std::int32_t worker) noexcept {
  const ProfiledScope scope(profile_, worker, &Profile::Worker::attention);
  AttentionRow rows[maxQueryGroups * maxGroupQueries];
  const std::int32_t window = config_.windowOf(layer);
  for (std::int32_t i = 0; i < tile.count; ++i) {
    const std::int32_t row = queries_.row(tile.first + i);
    const auto block = static_cast<std::size_t>(batch_->blockOfRow[static_cast<std::size_t>(row)]);
    const std::int32_t position = batch_->positions[static_cast<std::size_t>(row)];
    rows[i] = {queryOf(row, firstHead),
               mixed_.data() + row * mixedStride_ + std::int64_t{firstHead} * config_.headDim,
               batch_->pages.data() + batch_->pageStart[block], position, window > 0 ? std::max(0, position - window + 1) : 0};
  }
  AttentionTask task{};
  task.rows = rows;
  task.rowCount = tile.count;
  task.group = headCount;
  task.sharedTokens = tile.sharedTokens;
  task.queryHeadBytes = headBytes_;
  task.outHeadStride = config_.headDim;
  task.headDim = config_.headDim;
  task.scale = 1.0F / std::sqrt(static_cast<float>(config_.headDim));
  task.keys = kv_.keys(layer, kvHead);
  task.values = kv_.values(layer, kvHead);
  task.pageStride = kv_.pageStride();
  task.pageTokens = poolConfig_.pageTokens;
  task.scratch = scratchOf(worker);
  (kv_.halves() ? kernels_.attentionBf16 : kernels_.attention)(task);
}

void CpuDevice::product(const InputRows& input, const PackedMatrix& matrix, const OutputBlock& block,
                        const Target& target) noexcept {
  const ProfiledScope scope(profile_, block.worker, &Profile::Worker::products);
  multiply(kernels_, input, block.firstRow, block.rows, matrix, block.panel, block.panels, target);
}

void CpuDevice::gateUp(std::int32_t layer, const InputRows& input, const OutputBlock& block) noexcept {
  const PackedMatrix& matrix = weights_.layers[static_cast<std::size_t>(layer)].gateUp;
  const PanelRows out = rowsOf(activation_, block.firstRow, block.panel / 2);
  const bool isRounded = type_ != WeightType::fp32;  // in the end
  if (isRounded && block.rows >= kernels_.gatedRows) return product(input, matrix, block, {out, Outcome::gated});
  const auto silu = isRounded ? kernels_.roughSiluPanels : kernels_.siluPanels;
  float* result = scratchOf(block.worker);
  for (std::int32_t done = 0; done < block.panels; done += mostPanels) {
    const std::int32_t panels = std::min(mostPanels, block.panels - done);
    const std::int64_t stride = panels * panelColumns;
    product(input, matrix, {block.worker, block.firstRow, block.rows, block.panel + done, panels},
            {{result, stride, panelColumns}, Outcome::stored});
    for (std::int32_t row = 0; row < block.rows; ++row) {
      silu(result + row * stride, panels / 2, out.at(row, done / 2), out.panelStride);
    }
  }
}

}  // namespace foretrace::cpu
