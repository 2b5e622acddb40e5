// A model that is easy to predict and cannot forgive: the pages hold the token ids written into them, and the logits of a
// row are a hash of the whole prefix read back from the pages. A wrong page is a wrong token.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/backend.h"
#include "core/error.h"
#include "model/host_sampler.h"

namespace foretrace::test {

/// The logits that follow a prefix.
inline std::vector<float> fakeLogits(std::span<const std::int32_t> prefix, std::int32_t vocab) {
  std::uint64_t state = 0x243f6a8885a308d3ULL;
  for (const std::int32_t token : prefix) {
    state = (state ^ static_cast<std::uint32_t>(token)) * 0x9e3779b97f4a7c15ULL;
    state ^= state >> 29;
  }
  std::vector<float> logits(static_cast<std::size_t>(vocab));
  for (float& logit : logits) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    logit = static_cast<float>(state >> 40) * 0x1.0p-20F;
  }
  return logits;
}

class FakeBackend final : public HostSamplingBackend {
 public:
  FakeBackend(std::int32_t vocab, std::int32_t pages, std::int32_t pageTokens, std::int32_t hostPages = 0)
      : HostSamplingBackend(vocab), vocab_(vocab), pageTokens_(pageTokens),
        slots_(static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageTokens), -1),
        hostSlots_(static_cast<std::size_t>(hostPages) * static_cast<std::size_t>(pageTokens), -1) {
    info_.hostPages = hostPages;
    info_.device = "fake";
    info_.isa = "none";
  }

  [[nodiscard]] const BackendInfo& info() const noexcept override { return info_; }

  std::span<const float> forward(const ForwardBatch& batch) override {
    if (onForward) onForward();
    if (failures > 0) {
      --failures;
      // A failing pass may have written anything to the pages of its rows.
      for (std::int32_t row = 0; row < batch.rows(); ++row) slot(batch, row) = -7;
      throw std::runtime_error("forward failed on request");
    }
    for (std::int32_t row = 0; row < batch.rows(); ++row) slot(batch, row) = batch.tokens[index(row)];
    logits_.clear();
    for (const std::int32_t row : batch.logitRows) {
      std::vector<std::int32_t> prefix;
      for (std::int32_t position = 0; position <= batch.positions[index(row)]; ++position) {
        prefix.push_back(slots_[slotIndex(batch, batch.blockOfRow[index(row)], position)]);
      }
      auto logits = fakeLogits(prefix, vocab_);
      // On request the result depends on the batch, as a kernel must never let it.
      if (dependsOnBatch) logits[index(batch.rows() % vocab_)] += 100.0F;
      logits_.insert(logits_.end(), logits.begin(), logits.end());
    }
    ++passes;
    return logits_;
  }

  void copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) override {
    mayFail();
    for (std::int32_t i = 0; i < tokens; ++i) slots_[at(to, i)] = slots_[at(from, i)];
  }
  void copyPageOut(std::int32_t page, std::int32_t hostPage) override {
    mayFail();
    for (std::int32_t i = 0; i < pageTokens_; ++i) hostSlots_.at(at(hostPage, i)) = slots_[at(page, i)];
  }
  void copyPageIn(std::int32_t hostPage, std::int32_t page) override {
    mayFail();
    for (std::int32_t i = 0; i < pageTokens_; ++i) slots_[at(page, i)] = hostSlots_.at(at(hostPage, i));
  }

  int failures = 0;      ///< forward passes that will fail
  int copyFailures = 0;  ///< page copies that will fail
  std::function<void()> onForward;  ///< called first in every forward pass, on the thread that runs it
  bool dependsOnBatch = false;
  long passes = 0;

 private:
  void mayFail() {
    if (copyFailures == 0) return;
    --copyFailures;
    throw Error(ErrorCode::internal, "copy failed on request");
  }
  static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }
  [[nodiscard]] std::size_t at(std::int32_t page, std::int32_t offset) const {
    return index(page) * index(pageTokens_) + index(offset);
  }
  [[nodiscard]] std::size_t slotIndex(const ForwardBatch& batch, std::int32_t block, std::int32_t position) const {
    const std::int32_t entry = batch.pageStart[index(block)] + position / pageTokens_;
    ensure(entry < batch.pageStart[index(block) + 1], "a position has no page");
    return at(batch.pages[index(entry)], position % pageTokens_);
  }
  std::int32_t& slot(const ForwardBatch& batch, std::int32_t row) {
    return slots_.at(slotIndex(batch, batch.blockOfRow[index(row)], batch.positions[index(row)]));
  }

  std::int32_t vocab_;
  std::int32_t pageTokens_;
  std::vector<std::int32_t> slots_;  ///< [pages, pageTokens] token ids
  std::vector<std::int32_t> hostSlots_;  ///< [host pages, pageTokens]
  std::vector<float> logits_;
  BackendInfo info_;
};

}  // namespace foretrace::test
