#include "cuda/staging.h"

#include <cstring>

namespace foretrace::cuda {
namespace {

constexpr std::size_t itemWords = sizeof(AttentionItem) / sizeof(std::int32_t);
static_assert(itemWords % 4 == 0);

template <class T>
void write(std::span<std::int32_t> to, std::size_t at, std::span<const T> values) noexcept {
  if (!values.empty()) std::memcpy(to.data() + at, values.data(), values.size_bytes());
}

}  // namespace

StagingLayout stagingLayout(const ForwardBatch& batch, const AttentionPlan& plan) noexcept {
  StagingLayout layout;
  const auto part = [&layout](std::size_t words) {
    const std::size_t begin = layout.words;
    layout.words += (words + 3) / 4 * 4;
    return begin;
  };
  layout.tokens = part(batch.tokens.size());
  layout.positions = part(batch.tokens.size());
  layout.slots = part(batch.tokens.size());
  layout.partialBegin = part(batch.tokens.size());
  layout.logitRows = part(batch.logitRows.size());
  layout.pages = part(batch.pages.size());
  layout.mergeRows = part(plan.mergeRows().size());
  layout.itemRows = part(plan.itemRows().size());
  layout.items = part(plan.items().size() * itemWords);
  return layout;
}

void fillStaging(const ForwardBatch& batch, const AttentionPlan& plan, std::int32_t pageTokens, const StagingLayout& layout,
                 std::span<std::int32_t> to) noexcept {
  using Words = std::span<const std::int32_t>;
  write(to, layout.tokens, Words(batch.tokens));
  write(to, layout.positions, Words(batch.positions));
  write(to, layout.partialBegin, plan.partialBegin());
  write(to, layout.logitRows, Words(batch.logitRows));
  write(to, layout.pages, Words(batch.pages));
  write(to, layout.mergeRows, plan.mergeRows());
  write(to, layout.itemRows, plan.itemRows());
  write(to, layout.items, plan.items());
  for (std::size_t row = 0; row < batch.tokens.size(); ++row) {
    const std::int32_t position = batch.positions[row];
    const std::int32_t firstPage = batch.pageStart[static_cast<std::size_t>(batch.blockOfRow[row])];
    const std::int32_t page = batch.pages[static_cast<std::size_t>(firstPage + position / pageTokens)];
    to[layout.slots + row] = page * pageTokens + position % pageTokens;
  }
}

}  // namespace foretrace::cuda
