// Chooses a token from a row of logits: exactly what the host's Sampler (model/sampler.h) chooses, by the same arithmetic.
//
// A block has a row. Weights are whole numbers, so their sums are the same in any order and need no care. A draw is a walk
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

inline constexpr int sampleThreads = 512;
inline constexpr int tokensPerStep = 4 * sampleThreads;  ///< a thread has four neighbours
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

/// Calls visit(token, logit) for those of the thread's four tokens of a step that are legal and have a finite logit.
template <class Visit>
FORETRACE_DEVICE void visitTokens(const SampleParameters& p, const SampleTask& task, int step, const Visit& visit) {
  const int first = step * tokensPerStep + 4 * static_cast<int>(threadIdx.x);
  if (first >= p.vocab) return;
  std::uint32_t legal = 15;
  if (task.maskBegin >= 0) legal = p.masks[task.maskBegin + first / 32] >> (first % 32) & 15;
  if (legal == 0) return;
  const Words4 words = *reinterpret_cast<const Words4*>(p.logits + task.row * p.stride + first);
  const std::uint32_t bits[4] = {words.x, words.y, words.z, words.w};
  FORETRACE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const float logit = weights::floatOf(bits[i]);
    if ((legal >> i & 1) != 0 && first + i < p.vocab && weights::isFinite(logit)) visit(first + i, logit);
  }
}

FORETRACE_DEVICE int sampleSteps(const SampleParameters& p) { return (p.vocab + tokensPerStep - 1) / tokensPerStep; }

/// Adds what the lanes of the warp have; the first of them adds it to `to`. All lanes take part.
FORETRACE_DEVICE void addFromWarp(std::uint64_t* to, std::uint64_t value) {
  for (int mask = 16; mask > 0; mask /= 2) value += shuffleXor64(value, mask);
  if (threadIdx.x % 32 == 0 && value > 0) addShared(to, value);
}

FORETRACE_DEVICE void findGreatest(const SampleParameters& p, const SampleTask& task, SampleShared& shared) {
  std::uint64_t best = 0;
  for (int step = 0; step < sampleSteps(p); ++step) {
    visitTokens(p, task, step, [&](int token, float logit) {
      const std::uint64_t key = static_cast<std::uint64_t>(weights::ascendingKey(logit)) << 32 | ~static_cast<std::uint32_t>(token);
      best = key > best ? key : best;
    });
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    const std::uint64_t other = shuffleXor64(best, mask);
    best = other > best ? other : best;
  }
  if (threadIdx.x % 32 == 0) raiseShared(&shared.best, best);
  syncThreads();
}

FORETRACE_DEVICE void addTotal(const SampleParameters& p, const SampleTask& task, float top, SampleShared& shared) {
  std::uint64_t total = 0;
  for (int step = 0; step < sampleSteps(p); ++step) {
    visitTokens(p, task, step, [&](int, float logit) {
      total += weights::weightOf(weights::scaledLogit(logit, top, 1.0F), p.fractionBits);
    });
  }
  addFromWarp(&shared.total, total);
  syncThreads();
}

/// Adds up the weights of the tokens whose place begins with the digits found so far, by the digit at `shift`.
FORETRACE_DEVICE void addDigits(const SampleParameters& p, const SampleTask& task, float top, bool byDistance, int shift,
                                int firstShift, SampleShared& shared) {
  for (int digit = static_cast<int>(threadIdx.x); digit < digits; digit += sampleThreads) shared.byDigit[digit] = 0;
  syncThreads();
  const bool wholeSteps = !byDistance && shift == firstIdShift;  // all tokens of a step have the same digit
  for (int step = 0; step < sampleSteps(p); ++step) {
    std::uint64_t stepWeight = 0;
    visitTokens(p, task, step, [&](int token, float logit) {
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
    });
    if (wholeSteps) addFromWarp(&shared.byDigit[step], stepWeight);
  }
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

/// Grid: (count).
__global__ void __launch_bounds__(sampleThreads) sampleKernel(const SampleParameters p) {
  auto& shared = *reinterpret_cast<SampleShared*>(sharedMemory());
  const SampleTask task = p.tasks[blockIdx.x];
  if (threadIdx.x == 0) shared.best = shared.total = shared.mass = 0;
  syncThreads();
  findGreatest(p, task, shared);
  if (shared.best == 0) {
    if (threadIdx.x == 0) p.results[blockIdx.x] = weights::Chosen{};
    return;
  }
  const float* row = p.logits + task.row * p.stride;
  auto token = static_cast<std::int32_t>(~static_cast<std::uint32_t>(shared.best));
  const float top = row[token];
  addTotal(p, task, top, shared);
  if (task.temperature > 0) {
    const bool byDistance = task.nucleus != 0;
    if (byDistance) findPlace(p, task, top, true, true, shared);
    findPlace(p, task, top, byDistance, false, shared);
    token = static_cast<std::int32_t>(shared.place & ((1U << weights::tokenBits) - 1));
  }
  if (threadIdx.x == 0) p.results[blockIdx.x] = weights::Chosen{token, row[token], top, shared.total};
}

}  // namespace foretrace::cuda
