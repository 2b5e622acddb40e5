// A forward pass divided by columns: each thread computes some of the columns of every product, for all rows.
#include <algorithm>
#include <cstring>
#include <limits>

#include "cpu/device_state.h"

namespace foretrace::cpu {

void CpuDevice::layerByColumns(std::int32_t layer) {
  if (!keepsHeads(layer)) return Device::layer(layer);
  attendHeads(layer);
  attentionOutput(layer);
  feedForwardInput(layer);
  feedForwardOutput(layer);
}

template <typename Body>
void CpuDevice::eachOfInput(std::int32_t tasks, std::int32_t rows, const InputSource& source, const Body& body) {
  if (rows > elementwiseRows || split_ == Split::solo) {
    each(ceilDivide(rows, elementwiseRows), [&, this](std::int32_t task, std::int32_t worker) noexcept {
      const std::int32_t first = task * elementwiseRows;
      prepare(source, {first, std::min(elementwiseRows, rows - first)}, worker, input_);
    });
    const InputRows input = prepared(source, input_);
    return each(tasks, [&](std::int32_t task, std::int32_t worker) noexcept { body(task, worker, input); });
  }
  // Each thread for itself, so that nobody waits for one and nothing is handed over. With a task in its hands: while that is not
  // done, nobody goes on to the phase that changes what the source reads.
  ++phase_;
  each(tasks, [&, this](std::int32_t task, std::int32_t worker) noexcept {
    OwnInput& own = ownInputs_[static_cast<std::size_t>(worker)];
    if (own.phase != phase_) prepare(source, {0, rows}, worker, own.buffer);
    own.phase = phase_;
    body(task, worker, prepared(source, own.buffer));
  });
}

bool CpuDevice::keepsHeads(std::int32_t layer) const noexcept {
  const bool isNarrow = layer + 1 == config_.layers && narrows();
  return rows_ <= elementwiseRows && config_.kvHeads % threads_.threads() == 0 && !isNarrow;
}

void CpuDevice::attendHeads(std::int32_t layer) {
  const std::int32_t group = config_.heads / config_.kvHeads;
  const InputSource source = normed(weights_.layers[static_cast<std::size_t>(layer)].attentionNorm);
  eachOfInput(config_.kvHeads, rows_, source, [=, this](std::int32_t kvHead, std::int32_t worker, const InputRows& input) noexcept {
    const std::int32_t key = config_.heads + kvHead;
    const std::int32_t value = key + config_.kvHeads;
    for (const HeadRange heads : {HeadRange{kvHead * group, (kvHead + 1) * group}, {key, key + 1}, {value, value + 1}}) {
      project(layer, heads, {0, rows_}, input, worker);
    }
    attendHead(layer, kvHead, worker);
  });
}

void CpuDevice::attentionInput(std::int32_t layer) {
  const std::int32_t all = config_.heads + 2 * config_.kvHeads;
  if (layer + 1 < config_.layers || !narrows()) return projectHeads(layer, {0, all});
  projectHeads(layer, {config_.heads, all});
  keepWantedRows();
  projectHeads(layer, {0, config_.heads});
}

void CpuDevice::projectHeads(std::int32_t layer, HeadRange heads) {
  const PackedLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  const InputSource source = normed(weights.attentionNorm);
  const RowBlocks blocks(rows_, kernels_.rowShape, weights.qkv);
  const std::int32_t count = heads.end - heads.first;
  const std::int32_t perTask = isShort(weights.qkv, count * headPanels(config_.headDim), rows_) ? ceilDivide(count, threads_.threads()) : 1;
  eachOfInput(ceilDivide(count, perTask) * blocks.count, rows_, source, [=, this](std::int32_t task, std::int32_t worker, const InputRows& input) noexcept {
    const std::int32_t block = task % blocks.count;
    const std::int32_t head = heads.first + task / blocks.count * perTask;
    project(layer, {head, std::min(head + perTask, heads.end)}, {blocks.first(block), blocks.size(block)}, input, worker);
  });
}

std::int32_t CpuDevice::panelsPerTask(const PackedMatrix& matrix, const RowBlocks& blocks) const noexcept {
  const std::int32_t threads = threads_.threads();
  const std::int32_t panels = matrix.panels;
  if (isShort(matrix, panels, blocks.total)) return ceilDivide(ceilDivide(panels, threads), 2) * 2;
  // Several tasks a thread, so that nobody waits long for the last; of those sizes one that threads share evenly.
  const std::int32_t target = std::clamp(ceilDivide(panels * blocks.count, 4 * threads), 1, mostPanels);
  std::int32_t best = mostPanels;
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  for (std::int32_t perTask = ceilDivide(target, 2) * 2; perTask > 0; perTask -= 2) {
    const std::int32_t mostOfThread = ceilDivide(ceilDivide(panels, perTask) * blocks.count, threads) * perTask;
    if (mostOfThread >= least) continue;
    least = mostOfThread;
    best = perTask;
  }
  return best;
}

template <typename Body>
void CpuDevice::eachBlock(const PackedMatrix& matrix, std::int32_t rows, const InputSource& source, const Body& body) {
  const RowBlocks blocks(rows, kernels_.rowShape, matrix);
  const std::int32_t perTask = panelsPerTask(matrix, blocks);
  const std::int32_t tasks = ceilDivide(matrix.panels, perTask) * blocks.count;
  eachOfInput(tasks, rows, source, [&](std::int32_t task, std::int32_t worker, const InputRows& input) noexcept {
    const std::int32_t row = task % blocks.count;
    const std::int32_t panel = task / blocks.count * perTask;
    body({worker, blocks.first(row), blocks.size(row), panel, std::min(perTask, matrix.panels - panel)}, input);
  });
}

void CpuDevice::addProduct(const PackedMatrix& matrix, const InputSource& source) {
  eachBlock(matrix, rows_, source, [=, this, &matrix](const OutputBlock& block, const InputRows& input) noexcept {
    product(input, matrix, block, {rowsOf(residual_, block.firstRow, block.panel), Outcome::added});
  });
}

void CpuDevice::attentionOutput(std::int32_t layer) {
  addProduct(weights_.layers[static_cast<std::size_t>(layer)].attentionOutput, mixed());
}

void CpuDevice::feedForwardInput(std::int32_t layer) {
  const PackedLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  eachBlock(weights.gateUp, rows_, normed(weights.feedForwardNorm),
            [=, this](const OutputBlock& block, const InputRows& input) noexcept { gateUp(layer, input, block); });
}

void CpuDevice::feedForwardOutput(std::int32_t layer) {
  addProduct(weights_.layers[static_cast<std::size_t>(layer)].down, activation());
}

std::span<const float> CpuDevice::logits() {
  const std::int32_t wanted = batch_->wanted();
  const std::int64_t vocab = config_.vocab;
  InputSource source = normed(weights_.finalNorm);
  source.order = batch_->logitRows.data();
  const PackedMatrix& matrix = weights_.head;
  eachBlock(matrix, wanted, source, [=, this, &matrix](const OutputBlock& block, const InputRows& input) noexcept {
    float* out = logits_.data() + block.firstRow * vocab;
    const std::int32_t whole = std::min(block.panels, panelsOf(vocab) - block.panel);
    const OutputBlock fitting{block.worker, block.firstRow, block.rows, block.panel, whole};
    if (whole > 0) product(input, matrix, fitting, {{out + block.panel * panelColumns, vocab, panelColumns}, Outcome::stored});
    if (whole == block.panels) return;
    // Rows of logits are not padded and the last panels are: they go through the scratch.
    const OutputBlock rest{block.worker, block.firstRow, block.rows, block.panel + whole, block.panels - whole};
    float* result = scratchOf(block.worker);
    const std::int64_t stride = rest.panels * panelColumns;
    product(input, matrix, rest, {{result, stride, panelColumns}, Outcome::stored});
    const auto columns = static_cast<std::size_t>(vocab - rest.panel * panelColumns);
    for (std::int32_t row = 0; row < block.rows; ++row) {
      std::memcpy(out + row * vocab + rest.panel * panelColumns, result + row * stride, columns * sizeof(float));
    }
  });
  return {logits_.data(), static_cast<std::size_t>(wanted * vocab)};
}

}  // namespace foretrace::cpu
