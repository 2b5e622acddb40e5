// Merging softmax-weighted sums of disjoint sets of tokens (Dao et al., arXiv 2205.14135; Ye et al., arXiv 2501.01005).
#pragma once

#include "cuda/intrinsics.cuh"

namespace foretrace::cuda {

/// Softmax over some tokens: the largest score (base 2) and the sum of 2^(score - maximum).
struct SoftmaxState {
  float maximum;
  float sum;
};

/// How the weighted sums of a merge combine: output = kept * output + taken * other; nothing changes if `taken` is zero.
struct MergeFactors {
  float kept;
  float taken;
};

/// state = state merged with `other`. A side without tokens (maximum -infinity) leaves the other as it is, bit for bit.
/// Both ways of summing chunks, within a block and over partial results, use this, mergeOutput and finalFactor alone.
FORETRACE_DEVICE MergeFactors mergeState(SoftmaxState& state, const SoftmaxState& other) {
  const float largest = maximum(state.maximum, other.maximum);
  const float lowered = largest == -infinity() ? 0.0F : largest;
  const MergeFactors factors{exponential2(add(state.maximum, -lowered)), exponential2(add(other.maximum, -lowered))};
  state.maximum = largest;
  state.sum = factors.taken == 0.0F ? state.sum : multiplyAdd(state.sum, factors.kept, multiply(other.sum, factors.taken));
  return factors;
}

/// One element of the weighted sum; `first` is what was summed before, `other` what is merged into it.
FORETRACE_DEVICE float mergeOutput(const MergeFactors& factors, float first, float other) {
  const float merged = multiplyAdd(first, factors.kept, multiply(other, factors.taken));
  return factors.taken == 0.0F ? first : merged;
}

/// What weighted sums are multiplied by in the end.
FORETRACE_DEVICE float finalFactor(const SoftmaxState& state) { return divide(1.0F, state.sum); }

}  // namespace foretrace::cuda
