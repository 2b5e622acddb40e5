#include "cuda/attention_plan.h"

#include <algorithm>
#include <limits>

namespace foretrace::cuda {

AttentionPlan::AttentionPlan(const AttentionShape& shape)
    : shape_(shape),
      chunkPages_(chunkTokens / shape.pageTokens),
      groupOfPage_(static_cast<std::size_t>(shape.pages), -1) {}

void AttentionPlan::build(const ForwardBatch& batch) {
  items_.clear();
  itemRows_.clear();
  mergeRows_.clear();
  groups_.clear();
  entries_.clear();
  partials_ = 0;
  partialBegin_.assign(static_cast<std::size_t>(batch.rows()), -1);
  for (std::size_t block = 0; block < batch.sequences.size(); ++block) {
    const std::int32_t rows = batch.rowStart[block + 1] - batch.rowStart[block];
    const std::int32_t last = batch.positions[static_cast<std::size_t>(batch.rowStart[block + 1] - 1)];
    const std::int64_t needed = std::int64_t{rows} * (last / chunkTokens + 1);  // an upper bound
    const bool whole = last < wholeChunks * chunkTokens || rows >= wholeBlockRows || partials_ + needed > shape_.partialSlots;
    if (whole) {
      planWhole(batch, block);
    } else {
      planChunks(batch, block);
    }
  }
  emitGroups();
}

void AttentionPlan::planWhole(const ForwardBatch& batch, std::size_t block) {
  const std::int32_t firstRow = batch.rowStart[block];
  const std::int32_t rows = batch.rowStart[block + 1] - firstRow;
  const auto rowsBegin = static_cast<std::int32_t>(itemRows_.size());
  for (std::int32_t row = 0; row < rows; ++row) itemRows_.push_back(firstRow + row);
  const std::int32_t slots = rows * shape_.group;
  for (std::int32_t slot = 0; slot < slots; slot += slotsPerPass) {
    const std::int32_t count = std::min(slotsPerPass, slots - slot);
    const std::int32_t lastRow = firstRow + (slot + count - 1) / shape_.group;
    const std::int32_t last = batch.positions[static_cast<std::size_t>(lastRow)];
    const std::int32_t lowest = batch.positions[static_cast<std::size_t>(firstRow + slot / shape_.group)];
    items_.push_back({rowsBegin, slot, count, batch.pageStart[block], 0, last / chunkTokens + 1, last + 1, 1, lowest, {}});
  }
}

void AttentionPlan::planChunks(const ForwardBatch& batch, std::size_t block) {
  const std::int32_t firstRow = batch.rowStart[block];
  const std::int32_t endRow = batch.rowStart[block + 1];
  const std::int32_t firstPosition = batch.positions[static_cast<std::size_t>(firstRow)];
  const std::int32_t last = batch.positions[static_cast<std::size_t>(endRow - 1)];
  for (std::int32_t row = firstRow; row < endRow; ++row) {
    const auto index = static_cast<std::size_t>(row);
    partialBegin_[index] = static_cast<std::int32_t>(partials_);
    partials_ += batch.positions[index] / chunkTokens + 1;
    mergeRows_.push_back(row);
  }
  for (std::int32_t chunk = 0; chunk <= last / chunkTokens; ++chunk) {
    const std::int32_t begin = chunk * chunkTokens;
    const std::int32_t end = begin + chunkTokens;
    const bool allSeeAll = firstPosition >= end - 1;
    const std::int32_t group = groupFor(batch, chunk, batch.pageStart[block] + chunk * chunkPages_,
                                        allSeeAll && shape_.shareChunks, std::min(end, last + 1));
    const std::int32_t from = firstRow + std::max(0, begin - firstPosition);  // earlier rows end before the chunk
    entries_.push_back({group, from, endRow - from});
    Group& members = groups_[static_cast<std::size_t>(group)];
    if (members.entries++ == 0) members.firstRow = from;
    members.rows += endRow - from;
    members.lowest = std::min(members.lowest, batch.positions[static_cast<std::size_t>(from)]);
  }
}

std::int32_t AttentionPlan::groupFor(const ForwardBatch& batch, std::int32_t chunk, std::int32_t pagesBegin, bool shareable,
                                     std::int32_t tokens) {
  const auto fresh = static_cast<std::int32_t>(groups_.size());
  if (shareable) {
    const std::int32_t* pages = batch.pages.data() + pagesBegin;
    std::int32_t& known = groupOfPage_[static_cast<std::size_t>(pages[0])];
    // The entry may be of an earlier batch: it counts only if this batch's group of that number has these pages.
    if (known >= 0 && known < fresh) {
      const Group& group = groups_[static_cast<std::size_t>(known)];
      if (group.chunk == chunk && group.tokens == tokens &&
          std::equal(pages, pages + chunkPages_, batch.pages.data() + group.pagesBegin)) {
        return known;
      }
    }
    known = fresh;
  }
  groups_.push_back({chunk, pagesBegin, tokens, 0, 0, std::numeric_limits<std::int32_t>::max(), 0, 0});
  return fresh;
}

void AttentionPlan::emitGroups() {
  auto rowsBegin = static_cast<std::int32_t>(itemRows_.size());
  for (Group& group : groups_) {
    group.rowsBegin = rowsBegin;
    rowsBegin += group.rows;
  }
  const std::int32_t most = joinedChunks();
  for (std::size_t next = 0; next < groups_.size();) {
    const Group& first = groups_[next++];
    std::int32_t chunks = 1;
    while (chunks < most && next < groups_.size() && continues(groups_[next - 1], groups_[next])) {
      ++chunks;
      ++next;
    }
    const std::int32_t slots = first.rows * shape_.group;
    for (std::int32_t slot = 0; slot < slots; slot += partialItemSlots) {
      items_.push_back({first.rowsBegin, slot, std::min(partialItemSlots, slots - slot), first.pagesBegin, first.chunk, chunks,
                        groups_[next - 1].tokens, 0, first.lowest, {}});
    }
  }
  for (Group& group : groups_) group.rows = 0;  // counts again while the rows are written
  itemRows_.resize(static_cast<std::size_t>(rowsBegin));
  for (const Entry& entry : entries_) {
    Group& group = groups_[static_cast<std::size_t>(entry.group)];
    for (std::int32_t row = 0; row < entry.rows; ++row) {
      itemRows_[static_cast<std::size_t>(group.rowsBegin + group.rows++)] = entry.firstRow + row;
    }
  }
}

bool AttentionPlan::fewSlots() const noexcept {
  return std::ranges::all_of(items_, [](const AttentionItem& item) { return item.slotCount <= slotsPerWarp; });
}

std::int32_t AttentionPlan::joinedChunks() const noexcept {
  const auto blocks = static_cast<std::int64_t>(groups_.size()) * shape_.kvHeads;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(blocks / shape_.busyBlocks, 1, mostJoinedChunks));
}

bool AttentionPlan::continues(const Group& a, const Group& b) const noexcept {
  return a.rows * shape_.group <= slotsPerWarp && a.entries == 1 && b.entries == 1 && a.firstRow == b.firstRow && a.rows == b.rows &&
         b.chunk == a.chunk + 1 && b.pagesBegin == a.pagesBegin + chunkPages_;
}

}  // namespace foretrace::cuda
