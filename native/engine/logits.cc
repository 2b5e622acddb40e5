// Logits of a whole token sequence: what the model itself says, for tests and evaluation.
#include <algorithm>
#include <string>

#include "core/error.h"
#include "engine/engine.h"

namespace foretrace {

namespace {

/// Closes a sequence when it goes out of scope.
class ScopedSequence {
 public:
  ScopedSequence(SequenceTable& table, std::int32_t sequence) : table_(table), sequence_(sequence) {}
  ScopedSequence(const ScopedSequence&) = delete;
  ScopedSequence& operator=(const ScopedSequence&) = delete;
  ~ScopedSequence() { table_.close(sequence_); }

 private:
  SequenceTable& table_;
  std::int32_t sequence_;
};

}  // namespace

std::vector<float> Engine::logits(std::span<const std::int32_t> tokens) {
  requireIdle();
  if (tokens.empty()) throw Error(ErrorCode::invalid_argument, "tokens", "at least 1", "0");
  requireContext(static_cast<std::int64_t>(tokens.size()));
  checkTokens(tokens);
  const std::int32_t sequence = table_.open(tokens, 0, copies_, false).sequence;
  const ScopedSequence closing(table_, sequence);
  const Sequence& entry = table_.at(sequence);
  const auto chunk = static_cast<std::size_t>(config_.maxRows);
  std::vector<float> all;
  all.reserve(tokens.size() * static_cast<std::size_t>(config_.vocab));
  ForwardBatch batch;
  // Nothing is committed: the pages are thrown away with the sequence.
  for (std::size_t first = 0; first < tokens.size(); first += chunk) {
    batch.clear();
    batch.add({.sequence = sequence,
               .firstPosition = static_cast<std::int32_t>(first),
               .tokens = tokens.subspan(first, std::min(chunk, tokens.size() - first)),
               .pageTable = entry.pages,
               .logits = LogitRows::all});
    const std::span<const float> rows = backend_->forward(batch);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace foretrace
