// A grammar: a deterministic pushdown automaton over tokens, as flat arrays that have been validated.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foretrace {

enum class EdgeOperation : std::uint8_t { go = 0, call = 1, leave = 2 };

/// The arrays of GrammarData in src/native/addon-types.ts, which says what they mean. S states, E edges, M masks.
struct GrammarData {
  std::int32_t vocabSize = 0;
  std::vector<std::int32_t> edgeStart;      ///< [S + 1]
  std::vector<std::int32_t> edgeToken;      ///< [E] token id or -1
  std::vector<std::int32_t> edgeMask;       ///< [E] mask index, read if the token is -1
  std::vector<std::int32_t> edgeNext;       ///< [E]
  std::vector<std::uint8_t> edgeOperation;  ///< [E]
  std::vector<std::int32_t> edgeReturn;     ///< [E] read by calls
  std::vector<std::int32_t> edgeLimit;      ///< [E] read by calls
  std::vector<std::uint8_t> stateFlags;     ///< [S] 1 = returnable, 2 = accept
  std::vector<std::int32_t> stateClose;     ///< [S]
  std::vector<std::int32_t> stateDistance;  ///< [S]
  std::vector<std::uint32_t> masks;         ///< [M, ceil(vocabSize / 32)]
};

/// A validated grammar. Construction throws `invalid_argument` naming the state or edge if
/// - array sizes, indices, operations or flags are out of range, or a mask has bits beyond the vocabulary;
/// - a state is a dead end: neither accepting nor returnable and without edges or closing token;
/// - a call enters or returns to an accepting state;
/// - a closing token is accepted by no edge of its state, or the closing distances do not add up (goto:
///   1 + distance of the next state; call: that + distance of the return state), or a call on it does not return.
///   Where the closing way leaves through the frame stack the distance is only known at run time, and the cursor
///   computes it.
class Grammar {
 public:
  Grammar(GrammarData data, std::int32_t vocabSize);

  [[nodiscard]] std::int32_t vocabSize() const noexcept { return data_.vocabSize; }
  [[nodiscard]] std::int32_t states() const noexcept { return static_cast<std::int32_t>(data_.stateFlags.size()); }
  /// Words of one mask.
  [[nodiscard]] std::size_t words() const noexcept { return words_; }

  [[nodiscard]] bool returnable(std::int32_t state) const { return (data_.stateFlags[index(state)] & 1U) != 0; }
  [[nodiscard]] bool accepting(std::int32_t state) const { return (data_.stateFlags[index(state)] & 2U) != 0; }
  [[nodiscard]] std::int32_t distance(std::int32_t state) const { return data_.stateDistance[index(state)]; }
  /// The edge that starts the closing way; -1 for accepting and returnable states.
  [[nodiscard]] std::int32_t closeEdge(std::int32_t state) const { return closeEdge_[index(state)]; }
  [[nodiscard]] std::int32_t closeToken(std::int32_t state) const { return data_.stateClose[index(state)]; }
  /// True if the closing way from here leaves through the frame stack, so that `distance` is not exact.
  [[nodiscard]] bool closesThroughFrames(std::int32_t state) const { return closesThroughFrames_[index(state)] != 0; }

  /// True if the closing way from here ends in a returnable state, not in acceptance (where it does not leave through
  /// the frame stack).
  [[nodiscard]] bool closesByReturning(std::int32_t state) const { return closesByReturning_[index(state)] != 0; }
  /// Calls in progress at once on the closing way (where it does not leave through the frame stack).
  [[nodiscard]] std::int32_t closeCalls(std::int32_t state) const { return closeCalls_[index(state)]; }

  [[nodiscard]] std::int32_t firstEdge(std::int32_t state) const { return data_.edgeStart[index(state)]; }
  [[nodiscard]] std::int32_t endEdge(std::int32_t state) const { return data_.edgeStart[index(state) + 1]; }
  [[nodiscard]] EdgeOperation operation(std::int32_t edge) const {
    return static_cast<EdgeOperation>(data_.edgeOperation[index(edge)]);
  }
  [[nodiscard]] std::int32_t next(std::int32_t edge) const { return data_.edgeNext[index(edge)]; }
  [[nodiscard]] std::int32_t returnState(std::int32_t edge) const { return data_.edgeReturn[index(edge)]; }
  [[nodiscard]] std::int32_t limit(std::int32_t edge) const { return data_.edgeLimit[index(edge)]; }
  [[nodiscard]] bool accepts(std::int32_t edge, std::int32_t token) const;
  /// Sets the bits of the tokens this edge accepts.
  void addTokens(std::int32_t edge, std::span<std::uint32_t> mask) const;
  /// Calls visit(token) for each token this edge accepts, until it returns true; says whether it did.
  template <typename Visit>
  bool visitTokens(std::int32_t edge, Visit visit) const {
    const std::int32_t own = data_.edgeToken[index(edge)];
    if (own != -1) return visit(own);
    const std::size_t first = index(data_.edgeMask[index(edge)]) * words_;
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint32_t bits = data_.masks[first + word]; bits != 0; bits &= bits - 1) {
        if (visit(static_cast<std::int32_t>(word) * 32 + std::countr_zero(bits))) return true;
      }
    }
    return false;
  }
  /// Hash of the whole automaton: equal grammars have equal ones, whenever they are registered.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }

 private:
  static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

  void checkSizes() const;
  void checkEdge(std::int32_t edge) const;
  void checkState(std::int32_t state) const;
  void checkMasks() const;
  void findCloseEdges();
  void markFrameClosing();
  void checkDistance(std::int32_t state) const;
  void followCloseEdges();
  void computeDigest();

  GrammarData data_;
  std::size_t words_ = 0;
  std::uint64_t digest_ = 0;
  std::vector<std::int32_t> closeEdge_;            ///< [S]
  std::vector<std::int32_t> closeCalls_;           ///< [S]
  std::vector<std::uint8_t> closesThroughFrames_;  ///< [S]
  std::vector<std::uint8_t> closesByReturning_;    ///< [S]
};

}  // namespace foretrace
