// Merging softmax-weighted sums of disjoint sets of tokens (Dao et al., arXiv 2205.14135; Ye et al., arXiv 2501.01005).
#pragma once

#include "cuda/intrinsics.cuh"

namespace foretrace::cuda {

/// Softmax over some tokens: the largest score (base 2) and the sum of 2^(score - maximum).
struct SoftmaxState {
  float maximum;
  float sum;
};

/// How the weighted sums of a merge combine: output = kept * output + taken * other.
struct MergeFactors {
  float kept;
  float taken;
};

/// state = state merged with `other`. A side without tokens (maximum -infinity) leaves the other as it is, bit for bit.
/// Both ways of summing chunks, within a block and over partial results, use this and mergeOutput alone.
FORETRACE_DEVICE MergeFactors mergeState(SoftmaxState& state, const SoftmaxState& other) {
  if (other.maximum == -infinity()) return {1.0F, 0.0F};
  if (state.maximum == -infinity()) {
    state = other;
    return {0.0F, 1.0F};
  }
  const float largest = maximum(state.maximum, other.maximum);
  const MergeFactors factors{exponential2(add(state.maximum, -largest)), exponential2(add(other.maximum, -largest))};
  state = {largest, multiplyAdd(state.sum, factors.kept, multiply(other.sum, factors.taken))};
  return factors;
}

/// One element of the weighted sum; `first` is what was summed before, `other` what is merged into it.
FORETRACE_DEVICE float mergeOutput(const MergeFactors& factors, float first, float other) {
  if (factors.taken == 0.0F && factors.kept == 1.0F) return first;
  if (factors.kept == 0.0F && factors.taken == 1.0F) return other;
  return multiplyAdd(first, factors.kept, multiply(other, factors.taken));
}

}  // namespace foretrace::cuda
