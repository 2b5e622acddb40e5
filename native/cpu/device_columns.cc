// A forward pass divided by columns: each thread computes some of the columns of every product, for all rows.
#include <algorithm>
#include <cstring>
#include <limits>

#include "cpu/device_state.h"

namespace foretrace::cpu {

InputRows CpuDevice::normRows(const float* weight, std::int32_t count, const std::int32_t* order) {
  each(ceilDivide(count, elementwiseRows), [=, this](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t first = task * elementwiseRows;
    normRange(weight, {first, std::min(elementwiseRows, count - first)}, worker, order);
  });
  return normed();
}

InputRows CpuDevice::inputRows(const float* rows, std::int64_t stride) {
  each(ceilDivide(rows_, elementwiseRows), [=, this](std::int32_t task, std::int32_t) noexcept {
    const std::int32_t first = task * elementwiseRows;
    roundRange(rows, stride, {first, std::min(elementwiseRows, rows_ - first)});
  });
  return rounded(rows, stride);
}

void CpuDevice::attentionInput(std::int32_t layer) {
  const std::int32_t keysAndValues = 2 * config_.kvHeads;
  if (layer + 1 < config_.layers || !narrows()) return projectHeads(layer, 0, config_.heads + keysAndValues);
  projectHeads(layer, config_.heads, keysAndValues);
  keepWantedRows();
  projectHeads(layer, 0, config_.heads);
}

void CpuDevice::projectHeads(std::int32_t layer, std::int32_t firstHead, std::int32_t heads) {
  const InputRows input = normRows(weights_.layers[static_cast<std::size_t>(layer)].attentionNorm.data(), rows_);
  const RowBlocks blocks(rows_);
  each(heads * blocks.count, [=, this, &input](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t block = task % blocks.count;
    projectHead(layer, firstHead + task / blocks.count, {blocks.first(block), blocks.size(block)}, input, worker);
  });
}

std::int32_t CpuDevice::panelsPerTask(std::int32_t panels, const RowBlocks& blocks) const noexcept {
  // Several tasks a thread, so that nobody waits long for the last; of those sizes one that threads share evenly.
  const std::int32_t threads = threads_.threads();
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
void CpuDevice::eachBlock(const PackedMatrix& matrix, const RowBlocks& blocks, const Body& body) {
  const std::int32_t perTask = panelsPerTask(matrix.panels, blocks);
  each(ceilDivide(matrix.panels, perTask) * blocks.count, [&](std::int32_t task, std::int32_t worker) noexcept {
    const std::int32_t row = task % blocks.count;
    const std::int32_t panel = task / blocks.count * perTask;
    body({worker, blocks.first(row), blocks.size(row), panel, std::min(perTask, matrix.panels - panel)});
  });
}

void CpuDevice::addProduct(const PackedMatrix& matrix, const InputRows& input) {
  eachBlock(matrix, RowBlocks(rows_), [=, this, &matrix, &input](const OutputBlock& block) noexcept {
    float* out = residual_.data() + block.firstRow * hiddenStride_ + block.panel * panelColumns;
    product(input, matrix, block, {out, hiddenStride_, true});
  });
}

void CpuDevice::attentionOutput(std::int32_t layer) {
  addProduct(weights_.layers[static_cast<std::size_t>(layer)].attentionOutput, inputRows(mixed_.data(), mixedStride_));
}

void CpuDevice::feedForwardInput(std::int32_t layer) {
  const PackedLayer& weights = weights_.layers[static_cast<std::size_t>(layer)];
  const InputRows input = normRows(weights.feedForwardNorm.data(), rows_);
  eachBlock(weights.gateUp, RowBlocks(rows_), [=, this, &input](const OutputBlock& block) noexcept { gateUp(layer, input, block); });
}

void CpuDevice::feedForwardOutput(std::int32_t layer) {
  addProduct(weights_.layers[static_cast<std::size_t>(layer)].down, inputRows(activation_.data(), ffnStride_));
}

std::span<const float> CpuDevice::logits() {
  const std::int32_t wanted = batch_->wanted();
  const std::int64_t vocab = config_.vocab;
  const InputRows input = normRows(weights_.finalNorm.data(), wanted, batch_->logitRows.data());
  const PackedMatrix& matrix = weights_.head;
  eachBlock(matrix, RowBlocks(wanted), [=, this, &matrix, &input](const OutputBlock& block) noexcept {
    // Rows of logits are not padded and the last panel may be: it goes through the scratch.
    const bool fits = (block.panel + block.panels) * panelColumns <= vocab;
    float* out = logits_.data() + block.firstRow * vocab + block.panel * panelColumns;
    float* result = fits ? out : scratchOf(block.worker);
    const std::int64_t stride = fits ? vocab : block.panels * panelColumns;
    product(input, matrix, block, {result, stride, false});
    if (fits) return;
    const auto columns = static_cast<std::size_t>(vocab - block.panel * panelColumns);
    for (std::int32_t row = 0; row < block.rows; ++row) {
      std::memcpy(out + row * vocab, result + row * stride, columns * sizeof(float));
    }
  });
  return {logits_.data(), static_cast<std::size_t>(wanted * vocab)};
}

}  // namespace foretrace::cpu
