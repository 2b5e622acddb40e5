// Reaches into the memory classes to break them on purpose: a check that never fails checks nothing.
#pragma once

#include <algorithm>

#include "memory/sequence_table.h"

namespace foretrace {

struct MemoryTestAccess {
  static BlockPool& pool(SequenceTable& table) { return table.pool_; }
  static PrefixTree& tree(SequenceTable& table) { return table.tree_; }
  static std::vector<Sequence>& sequences(SequenceTable& table) { return table.sequences_; }
  static std::int32_t& openSequences(SequenceTable& table) { return table.openSequences_; }
  static std::int32_t& cached(BlockPool& pool) { return pool.cached_; }
  static std::int32_t& used(BlockPool& pool) { return pool.used_; }
  static std::vector<PageId>& freeList(BlockPool& pool) { return pool.freeList_; }
  static std::int32_t& references(BlockPool& pool, PageId page) { return pool.at(page).references; }
  static PageState& state(BlockPool& pool, PageId page) { return pool.at(page).state; }
  static std::int32_t& token(PrefixTree& tree, PageId page, std::int32_t offset) {
    return tree.tokens_[static_cast<std::size_t>(page * tree.pageTokens_ + offset)];
  }
  static std::uint64_t& hash(PrefixTree& tree, PageId page) { return tree.node(page).hash; }
  static PageId& parent(PrefixTree& tree, PageId page) { return tree.node(page).parent; }
  static bool& referenced(PrefixTree& tree, PageId page) { return tree.node(page).referenced; }
  static void forgetEvictable(PrefixTree& tree) { tree.evictable_.clear(); }
  static void forgetHashes(PrefixTree& tree) { std::ranges::fill(tree.buckets_, noPage); }
};

}  // namespace foretrace
