#include "model/transformer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"

namespace foretrace {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& expected, std::int64_t actual) {
  throw Error(ErrorCode::invalid_argument, what, expected, std::to_string(actual));
}

std::string below(std::int64_t end) { return "0 to " + std::to_string(end - 1); }

/// Flat arrays must agree before anything is indexed with them.
void validateLayout(const ForwardBatch& batch) {
  const auto rows = batch.tokens.size();
  const auto blocks = batch.sequences.size();
  const bool agrees = batch.positions.size() == rows && batch.blockOfRow.size() == rows &&
                      batch.rowStart.size() == blocks + 1 && batch.pageStart.size() == blocks + 1 &&
                      batch.rowStart.front() == 0 && batch.pageStart.front() == 0 &&
                      static_cast<std::size_t>(batch.rowStart.back()) == rows &&
                      static_cast<std::size_t>(batch.pageStart.back()) == batch.pages.size();
  if (!agrees) throw Error(ErrorCode::invalid_argument, "batch", "arrays of matching lengths", "others");
}

void validateBlock(const ForwardBatch& batch, std::size_t block, const ModelConfig& config, const PoolConfig& pool) {
  const std::string name = "sequence " + std::to_string(batch.sequences[block]);
  const std::int32_t firstRow = batch.rowStart[block];
  const std::int32_t endRow = batch.rowStart[block + 1];
  const std::int32_t firstPage = batch.pageStart[block];
  const std::int32_t endPage = batch.pageStart[block + 1];
  if (endRow <= firstRow || endRow > batch.rows()) fail(name + ": rows of a block", "at least 1", endRow - firstRow);
  if (endPage < firstPage || static_cast<std::size_t>(endPage) > batch.pages.size()) {
    fail(name + ": pages of a block", "at least 0", endPage - firstPage);
  }
  const std::int32_t firstPosition = batch.positions[static_cast<std::size_t>(firstRow)];
  for (std::int32_t row = firstRow; row < endRow; ++row) {
    const auto index = static_cast<std::size_t>(row);
    const std::int32_t token = batch.tokens[index];
    const std::int32_t position = batch.positions[index];
    if (token < 0 || token >= config.vocab) fail(name + ": token of row " + std::to_string(row), below(config.vocab), token);
    if (position < 0 || position >= config.maxContext) {
      fail(name + ": position of row " + std::to_string(row), below(config.maxContext), position);
    }
    if (position - firstPosition != row - firstRow) {
      fail(name + ": position of row " + std::to_string(row), std::to_string(firstPosition + row - firstRow), position);
    }
    if (batch.blockOfRow[index] != static_cast<std::int32_t>(block)) {
      fail(name + ": block of row " + std::to_string(row), std::to_string(block), batch.blockOfRow[index]);
    }
  }
  const std::int32_t needed = batch.positions[static_cast<std::size_t>(endRow - 1)] / pool.pageTokens + 1;
  if (endPage - firstPage < needed) fail(name + ": pages", "at least " + std::to_string(needed), endPage - firstPage);
  for (std::int32_t i = firstPage; i < endPage; ++i) {
    const std::int32_t page = batch.pages[static_cast<std::size_t>(i)];
    if (page < 0 || page >= pool.pages) fail(name + ": page number", below(pool.pages), page);
  }
}

}  // namespace

void validateBatch(const ForwardBatch& batch, const ModelConfig& config, const PoolConfig& pool) {
  validateLayout(batch);
  if (batch.rows() > pool.maxRows) fail("rows of a batch", "at most " + std::to_string(pool.maxRows), batch.rows());
  const std::int32_t mostWanted = pool.maxLogitRows > 0 ? pool.maxLogitRows : pool.maxRows;
  if (batch.wanted() > mostWanted) fail("rows with logits", "at most " + std::to_string(mostWanted), batch.wanted());
  for (std::size_t block = 0; block < batch.sequences.size(); ++block) validateBlock(batch, block, config, pool);
  std::int32_t previous = -1;
  for (const std::int32_t row : batch.logitRows) {
    if (row <= previous || row >= batch.rows()) fail("row with logits", "ascending row numbers", row);
    previous = row;
  }
}

Transformer::Transformer(const ModelConfig& config, const PoolConfig& pool, std::unique_ptr<Device> device)
    : config_(config), pool_(pool), device_(std::move(device)), sampler_(std::max(pool.maxRows, 0)) {
  ensure(device_ != nullptr, "a transformer has a device");
}

std::span<const float> Transformer::forward(const ForwardBatch& batch) {
  start(batch);
  return batch.rows() == 0 ? std::span<const float>{} : device_->logits();
}

void Transformer::start(const ForwardBatch& batch) {
  wanted_ = 0;
  validateBatch(batch, config_, pool_);
  if (batch.rows() == 0) return;
  device_->begin(batch);
  if (!device_->repeats()) computeLayers();
  device_->head();
  wanted_ = batch.wanted();
}

void Transformer::computeLayers() {
  device_->embed();
  for (std::int32_t layer = 0; layer < config_.layers; ++layer) device_->layer(layer);
}

std::span<const Sample> Transformer::sample(std::span<const SampleRequest> requests) {
  validateSampling(requests, wanted_, config_.vocab);
  if (device_->samples()) return device_->sample(requests);
  const std::span<const float> logits = wanted_ > 0 ? device_->logits() : std::span<const float>{};
  return sampler_.sample(logits, requests, config_.vocab);
}

void Transformer::copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) {
  for (const std::int32_t page : {from, to}) {
    if (page < 0 || page >= pool_.pages) fail("page number", below(pool_.pages), page);
  }
  if (tokens < 0 || tokens > pool_.pageTokens) fail("tokens to copy", "0 to " + std::to_string(pool_.pageTokens), tokens);
  device_->copyPage(from, to, tokens);
}

void Transformer::checkPages(std::int32_t page, std::int32_t hostPage) const {
  if (page < 0 || page >= pool_.pages) fail("page number", below(pool_.pages), page);
  const std::int32_t hostPages = device_->info().hostPages;
  if (hostPage < 0 || hostPage >= hostPages) fail("number of a host page", below(hostPages), hostPage);
}

void Transformer::copyPageOut(std::int32_t page, std::int32_t hostPage) {
  checkPages(page, hostPage);
  device_->copyPageOut(page, hostPage);
}

void Transformer::copyPageIn(std::int32_t hostPage, std::int32_t page) {
  checkPages(page, hostPage);
  device_->copyPageIn(hostPage, page);
}

}  // namespace foretrace
