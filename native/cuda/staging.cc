#include "cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace foretrace::cuda {
namespace {

constexpr std::size_t itemWords = sizeof(AttentionItem) / sizeof(std::int32_t);
static_assert(sizeof(AttentionItem) % (4 * sizeof(std::int32_t)) == 0);

/// Writes values and then, up to `count` of them, `padding`.
void write(std::span<std::int32_t> to, std::size_t at, std::span<const std::int32_t> values, std::int32_t count, std::int32_t padding) noexcept {
  const auto part = to.subspan(at, std::max(values.size(), static_cast<std::size_t>(count)));
  std::ranges::fill(std::ranges::copy(values, part.begin()).out, part.end(), padding);
}

void writeSlots(const ForwardBatch& batch, std::int32_t pageTokens, std::span<std::int32_t> to) noexcept {
  std::ranges::fill(to, -1);
  for (std::size_t row = 0; row < batch.tokens.size(); ++row) {
    const std::int32_t position = batch.positions[row];
    const std::int32_t firstPage = batch.pageStart[static_cast<std::size_t>(batch.blockOfRow[row])];
    const std::int32_t page = batch.pages[static_cast<std::size_t>(firstPage + position / pageTokens)];
    to[row] = page * pageTokens + position % pageTokens;
  }
}

/// The wanted rows, then all others: a row may not be there twice, for the last norm adds to the residual stream.
void writeLogitRows(const ForwardBatch& batch, std::span<std::int32_t> to) noexcept {
  auto next = std::ranges::copy(batch.logitRows, to.begin()).out;
  auto wanted = batch.logitRows.begin();
  for (std::int32_t row = 0; next != to.end(); ++row) {
    if (wanted != batch.logitRows.end() && *wanted == row) {
      ++wanted;
    } else {
      *next++ = row;
    }
  }
}

void writeItems(const AttentionPlan& plan, const StagingLayout& layout, std::span<std::int32_t> to) noexcept {
  std::ranges::fill(to, 0);
  for (std::size_t i = 0; i < plan.items().size(); ++i) {
    AttentionItem item = plan.items()[i];
    item.pagesBegin += static_cast<std::int32_t>(layout.pageList - layout.pages);
    std::memcpy(to.data() + i * itemWords, &item, sizeof item);
  }
}

}  // namespace

StagingLayout stagingLayout(const ForwardBatch& batch, const AttentionPlan& plan, const PassShape& shape) noexcept {
  StagingLayout layout;
  const auto part = [&layout](std::size_t words) {
    const std::size_t begin = layout.words;
    layout.words += (words + 3) / 4 * 4;
    return begin;
  };
  const auto rows = static_cast<std::size_t>(shape.rows);
  layout.tokens = part(rows);
  layout.positions = part(rows);
  layout.slots = part(rows);
  layout.partialBegin = part(rows);
  layout.logitRows = part(static_cast<std::size_t>(shape.wanted));
  layout.mergeRows = part(static_cast<std::size_t>(shape.merges));
  layout.items = part(static_cast<std::size_t>(shape.items) * itemWords);
  layout.itemRows = part(plan.itemRows().size());
  layout.pages = layout.itemRows;
  layout.pageList = part(batch.pages.size());
  return layout;
}

void fillStaging(const ForwardBatch& batch, const AttentionPlan& plan, const PassShape& shape, std::int32_t pageTokens,
                 const StagingLayout& layout, std::span<std::int32_t> to) noexcept {
  write(to, layout.tokens, batch.tokens, shape.rows, 0);
  write(to, layout.positions, batch.positions, shape.rows, 0);
  write(to, layout.partialBegin, plan.partialBegin(), shape.rows, -1);
  writeSlots(batch, pageTokens, to.subspan(layout.slots, static_cast<std::size_t>(shape.rows)));
  writeLogitRows(batch, to.subspan(layout.logitRows, static_cast<std::size_t>(shape.wanted)));
  write(to, layout.mergeRows, plan.mergeRows(), shape.merges, plan.mergeRows().empty() ? 0 : plan.mergeRows().front());
  writeItems(plan, layout, to.subspan(layout.items, static_cast<std::size_t>(shape.items) * itemWords));
  write(to, layout.itemRows, plan.itemRows(), 0, 0);
  write(to, layout.pageList, batch.pages, 0, 0);
}

}  // namespace foretrace::cuda
