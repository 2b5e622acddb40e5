// Chooses a token from a row of logits: exactly what the host's Sampler (model/sampler.h) chooses, by the same arithmetic.
//
// A block has a row; the greatest logit of a long row and the sum of its weights are found by several blocks first, a part each.
// Weights are whole numbers, so their sums are the same in any order and need no care. A draw is a walk
// along the tokens until a certain weight has been passed; instead of walking, the block finds the place digit by digit: the
// weights of all tokens are added up by the first digit of their place, the digit in whose range the target falls is the
// first digit of the answer, and so on among the tokens that begin with it. A token's place is its id, or, with a nucleus,
// its distance from the greatest logit and then its id.
#pragma once

#include "cuda/intrinsics.cuh"
#include "cuda/sample_tasks.h"

#ifdef __CUDACC__
namespace foretrace::cuda {
__device__ __forceinline__ void addShared(std::uint64_t* to, std::uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
__device__ __forceinline__ void raiseShared(std::uint64_t* to, std::uint64_t value) {
  atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}
__device__ __forceinline__ std::uint64_t shuffleXor64(std::uint64_t value, int mask) {
  return __shfl_xor_sync(0xFFFFFFFFU, static_cast<unsigned long long>(value), mask);
}
}  // namespace foretrace::cuda
#else
namespace foretrace::cuda {
inline void addShared(std::uint64_t* to, std::uint64_t value) { *to += value; }
inline void raiseShared(std::uint64_t* to, std::uint64_t value) { *to = std::max(*to, value); }
inline std::uint64_t shuffleXor64(std::uint64_t value, int mask) {
  const std::uint32_t words[6] = {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
  const auto& other = emulator::exchange(words)[(threadIdx.x % 32) ^ static_cast<unsigned>(mask)];
  return static_cast<std::uint64_t>(other[1]) << 32 | other[0];
}
}  // namespace foretrace::cuda
#endif

namespace foretrace::cuda {

inline constexpr int sampleThreads = tokensPerStep / 4;  ///< a thread has four neighbours
inline constexpr int digitBits = 11;
inline constexpr int digits = 1 << digitBits;
inline constexpr int digitParts = 64;
/// Shift of the first digit of a place: of an id, and of a distance and an id.
inline constexpr int firstIdShift = weights::tokenBits - digitBits;
inline constexpr int firstDistanceShift = 4 * digitBits;
static_assert(weights::tokenBits == 2 * digitBits && 32 + weights::tokenBits <= 5 * digitBits);
static_assert(tokensPerStep == digits, "the first digit of an id is the number of its step");

/// Shared memory of a block.
struct SampleShared {
  std::uint64_t byDigit[digits];     ///< weight of the tokens of each digit
  std::uint64_t byPart[digitParts];  ///< of digits / digitParts digits
  std::uint64_t best;                ///< greatest logit and, inverted, the lowest id that has it; 0: no token
  std::uint64_t total;
  std::uint64_t mass;                ///< of the tokens that may be drawn
  std::uint64_t target;
  std::uint64_t before;              ///< weight before the digits found
  std::uint64_t place;               ///< the digits found
};

/// A thread's four tokens of a step.
struct StepTokens {
  Words4 logits;
  std::uint32_t legal;  ///< bits of those that are legal and exist
};

FORETRACE_DEVICE StepTokens readTokens(const SampleParameters& p, const SampleTask& task, int step) {
  const int first = step * tokensPerStep + 4 * static_cast<int>(threadIdx.x);
  StepTokens tokens{{}, 0};
  if (first >= p.vocab) return tokens;
  tokens.legal = first + 4 <= p.vocab ? 15U : (1U << (p.vocab - first)) - 1;
  if (task.maskBegin >= 0) tokens.legal &= p.masks[task.maskBegin + first / 32] >> (first % 32);
  if (tokens.legal != 0) tokens.logits = *reinterpret_cast<const Words4*>(p.logits + task.row * p.stride + first);
  return tokens;
}

/// Calls visit(token, logit) for the thread's tokens of the steps [begin, end) that are legal and have a finite logit, and
/// ended(step) after each step. The tokens of the next step are on their way meanwhile.
template <class Visit, class Ended>
FORETRACE_DEVICE void visitTokens(const SampleParameters& p, const SampleTask& task, int begin, int end, const Visit& visit, const Ended& ended) {
  StepTokens next = begin < end ? readTokens(p, task, begin) : StepTokens{{}, 0};
  for (int step = begin; step < end; ++step) {
    const StepTokens tokens = next;
    if (step + 1 < end) next = readTokens(p, task, step + 1);
    const std::uint32_t bits[4] = {tokens.logits.x, tokens.logits.y, tokens.logits.z, tokens.logits.w};
    FORETRACE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const float logit = weights::floatOf(bits[i]);
      if ((tokens.legal >> i & 1) != 0 && weights::isFinite(logit)) visit(step * tokensPerStep + 4 * static_cast<int>(threadIdx.x) + i, logit);
    }
    ended(step);
  }
}

/// Adds what the lanes of the warp have; the first of them adds it to `to`. All lanes take part.
FORETRACE_DEVICE void addFromWarp(std::uint64_t* to, std::uint64_t value) {
  for (int mask = 16; mask > 0; mask /= 2) value += shuffleXor64(value, mask);
  if (threadIdx.x % 32 == 0 && value > 0) addShared(to, value);
}

/// The steps of a part of the row.
struct StepRange {
  int begin;
  int end;

  FORETRACE_DEVICE static StepRange of(const SampleParameters& p, int part) {
    const int steps = sampleSteps(p.vocab);
    return {steps * part / p.parts, steps * (part + 1) / p.parts};
  }
};

/// shared.best = the greatest of the steps.
FORETRACE_DEVICE void findGreatest(const SampleParameters& p, const SampleTask& task, const StepRange& steps, SampleShared& shared) {
  std::uint64_t best = 0;
  const auto take = [&](int token, float logit) {
    const std::uint64_t key = static_cast<std::uint64_t>(weights::ascendingKey(logit)) << 32 | ~static_cast<std::uint32_t>(token);
    best = key > best ? key : best;
  };
  visitTokens(p, task, steps.begin, steps.end, take, [](int) {});
  for (int mask = 16; mask > 0; mask /= 2) {
    const std::uint64_t other = shuffleXor64(best, mask);
    best = other > best ? other : best;
  }
  if (threadIdx.x % 32 == 0) raiseShared(&shared.best, best);
  syncThreads();
}

/// The token and the logit of a greatest logit.
struct Greatest {
  std::int32_t token;
  float logit;
};

FORETRACE_DEVICE Greatest greatestOf(const SampleParameters& p, const SampleTask& task, std::uint64_t best) {
  const auto token = static_cast<std::int32_t>(~static_cast<std::uint32_t>(best));
  return {token, p.logits[task.row * p.stride + token]};
}

/// shared.total = the weights of the steps at a temperature of 1.
FORETRACE_DEVICE void addTotal(const SampleParameters& p, const SampleTask& task, const StepRange& steps, float top, SampleShared& shared) {
  std::uint64_t total = 0;
  const auto take = [&](int, float logit) { total += weights::weightOf(weights::scaledLogit(logit, top, 1.0F), p.fractionBits); };
  visitTokens(p, task, steps.begin, steps.end, take, [](int) {});
  addFromWarp(&shared.total, total);
  syncThreads();
}

/// shared.best = the greatest of all parts, which greatestKernel has found.
FORETRACE_DEVICE void joinGreatest(const SampleParameters& p, int task, SampleShared& shared) {
  if (static_cast<int>(threadIdx.x) < p.parts) raiseShared(&shared.best, p.found[task * p.parts + static_cast<int>(threadIdx.x)].best);
  syncThreads();
}

/// Adds up the weights of the tokens whose place begins with the digits found so far, by the digit at `shift`.
FORETRACE_DEVICE void addDigits(const SampleParameters& p, const SampleTask& task, float top, bool byDistance, int shift,
                                int firstShift, SampleShared& shared) {
  for (int digit = static_cast<int>(threadIdx.x); digit < digits; digit += sampleThreads) shared.byDigit[digit] = 0;
  syncThreads();
  const bool wholeSteps = !byDistance && shift == firstIdShift;  // all tokens of a step have the same digit
  std::uint64_t stepWeight = 0;
  const auto take = [&](int token, float logit) {
    const float x = weights::scaledLogit(logit, top, task.temperature);
    if (!(x > -weights::farthest)) return;
    const std::uint64_t place = byDistance ? weights::likelihoodKey(x, token) : static_cast<std::uint64_t>(token);
    if (shift < firstShift && place >> (shift + digitBits) != shared.place) return;
    const std::uint64_t weight = weights::weightOf(x, p.fractionBits);
    if (wholeSteps) {
      stepWeight += weight;
    } else if (weight > 0) {
      addShared(&shared.byDigit[place >> shift & (digits - 1)], weight);
    }
  };
  visitTokens(p, task, 0, sampleSteps(p.vocab), take, [&](int step) {
    if (!wholeSteps) return;
    addFromWarp(&shared.byDigit[step], stepWeight);
    stepWeight = 0;
  });
  syncThreads();
  constexpr int width = digits / digitParts;
  if (threadIdx.x < digitParts) {
    std::uint64_t part = 0;
    for (int i = 0; i < width; ++i) part += shared.byDigit[static_cast<int>(threadIdx.x) * width + i];
    shared.byPart[threadIdx.x] = part;
  }
  syncThreads();
}

/// The digit in whose range the target falls; one thread.
FORETRACE_DEVICE void takeDigit(SampleShared& shared) {
  int part = 0;
  while (part < digitParts - 1 && shared.before + shared.byPart[part] < shared.target) shared.before += shared.byPart[part++];
  constexpr int width = digits / digitParts;
  int digit = part * width;
  while (digit < (part + 1) * width - 1 && shared.before + shared.byDigit[digit] < shared.target) shared.before += shared.byDigit[digit++];
  shared.place = shared.place << digitBits | static_cast<std::uint64_t>(digit);
}

/// Finds the place at which the target is reached. The target is that of the nucleus, or of the draw from the mass known.
FORETRACE_DEVICE void findPlace(const SampleParameters& p, const SampleTask& task, float top, bool byDistance, bool ofNucleus,
                                SampleShared& shared) {
  const int firstShift = byDistance ? firstDistanceShift : firstIdShift;
  for (int shift = firstShift; shift >= 0; shift -= digitBits) {
    addDigits(p, task, top, byDistance, shift, firstShift, shared);
    if (threadIdx.x == 0) {
      if (shift == firstShift) {
        shared.place = 0;
        shared.before = 0;
        if (shared.mass == 0) {  // nothing was found before: all tokens
          for (int part = 0; part < digitParts; ++part) shared.mass += shared.byPart[part];
        }
        shared.target = ofNucleus ? weights::nucleusTarget(task.nucleus, shared.mass) : weights::drawTarget(task.draw, shared.mass);
      }
      takeDigit(shared);
      if (ofNucleus && shift == 0) shared.mass = shared.before + shared.byDigit[shared.place & (digits - 1)];
    }
    syncThreads();
  }
}

inline constexpr int sampleSharedBytes = static_cast<int>(sizeof(SampleShared));

FORETRACE_DEVICE SampleShared& beginSample() {
  auto& shared = *reinterpret_cast<SampleShared*>(sharedMemory());
  if (threadIdx.x == 0) shared.best = shared.total = shared.mass = 0;
  syncThreads();
  return shared;
}

/// Grid: (parts, count). The greatest logit of every part.
__global__ void __launch_bounds__(sampleThreads) greatestKernel(const SampleParameters p) {
  allowNextKernel();
  SampleShared& shared = beginSample();
  waitForEarlierKernels();
  findGreatest(p, p.tasks[blockIdx.y], StepRange::of(p, static_cast<int>(blockIdx.x)), shared);
  if (threadIdx.x == 0) p.found[static_cast<int>(blockIdx.y) * p.parts + static_cast<int>(blockIdx.x)].best = shared.best;
}

/// Grid: (parts, count). The weights of every part, once all greatest logits are known.
__global__ void __launch_bounds__(sampleThreads) totalKernel(const SampleParameters p) {
  allowNextKernel();
  SampleShared& shared = beginSample();
  waitForEarlierKernels();
  const auto index = static_cast<int>(blockIdx.y);
  const SampleTask task = p.tasks[index];
  joinGreatest(p, index, shared);
  if (shared.best != 0) addTotal(p, task, StepRange::of(p, static_cast<int>(blockIdx.x)), greatestOf(p, task, shared.best).logit, shared);
  if (threadIdx.x == 0) p.found[index * p.parts + static_cast<int>(blockIdx.x)].total = shared.total;
}

/// Grid: (count).
__global__ void __launch_bounds__(sampleThreads) sampleKernel(const SampleParameters p) {
  allowNextKernel();
  SampleShared& shared = beginSample();
  waitForEarlierKernels();
  const auto index = static_cast<int>(blockIdx.x);
  const SampleTask task = p.tasks[index];
  if (p.parts == 1) {
    findGreatest(p, task, StepRange::of(p, 0), shared);
  } else {
    joinGreatest(p, index, shared);
  }
  if (shared.best == 0) {
    if (threadIdx.x == 0) p.results[index] = weights::Chosen{};
    return;
  }
  const Greatest greatest = greatestOf(p, task, shared.best);
  if (p.parts == 1) {
    addTotal(p, task, StepRange::of(p, 0), greatest.logit, shared);
  } else {
    if (static_cast<int>(threadIdx.x) < p.parts) addShared(&shared.total, p.found[index * p.parts + static_cast<int>(threadIdx.x)].total);
    syncThreads();
  }
  std::int32_t token = greatest.token;
  if (task.temperature > 0) {
    const bool byDistance = task.nucleus != 0;
    if (byDistance) findPlace(p, task, greatest.logit, true, true, shared);
    findPlace(p, task, greatest.logit, byDistance, false, shared);
    token = static_cast<std::int32_t>(shared.place & ((1U << weights::tokenBits) - 1));
  }
  if (threadIdx.x == 0) p.results[index] = weights::Chosen{token, p.logits[task.row * p.stride + token], greatest.logit, shared.total};
}

}  // namespace foretrace::cuda
