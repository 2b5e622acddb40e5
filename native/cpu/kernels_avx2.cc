// Kernels for AVX2 with FMA: vectors of eight floats, sixteen registers.
#include "cpu/kernels.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

namespace foretrace::cpu {
namespace {

struct Simd {
  using Vector = __m256;
  using Integers = __m256i;

  static constexpr int width = 8;
  static constexpr int maxRows = 6;
  static constexpr int panelsFor(int rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }
  static constexpr int chainedRows = 2;  ///< most rows whose int8 sums take turns over the depth
  static constexpr int tallestTile = 6;  ///< most rows of a product that one tile takes
  static constexpr int twoTiles = 6;     ///< most rows that two equal tiles take
  static constexpr int tileRows = 6;     ///< of the tiles of a product with more rows
  static constexpr int panelsOfTile(int) { return 1; }
  static constexpr bool packsBytes = false;      ///< whether there are instructions for it: storeBytes
  static constexpr bool roundsToHalves = false;  ///< whether there is an instruction for it: storeHalves

  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector broadcast(float value) { return _mm256_set1_ps(value); }
  static Vector load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Vector value) { _mm256_storeu_ps(to, value); }
  static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  static Vector multiply(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
  static Vector quotient(Vector a, Vector b) { return _mm256_div_ps(a, b); }
  static Vector multiplyAdd(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  static Vector minimum(Vector a, Vector b) { return _mm256_min_ps(a, b); }
  static Vector maximum(Vector a, Vector b) { return _mm256_max_ps(a, b); }
  static Vector round(Vector a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  /// a * 2^n where x >= bound and a * 2^n is normal, else 0.
  static Vector scaledOrZero(Vector a, Vector n, Vector x, Vector bound) {
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    const Vector scaled = _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)));
    return _mm256_and_ps(_mm256_cmp_ps(x, bound, _CMP_GE_OQ), scaled);
  }
  static constexpr bool transposes = false;    ///< whether rows are turned into columns in registers: transpose
  static constexpr bool splitsPowers = false;  ///< whether there are instructions for it: aboveFloor and scaledByFloor
  static constexpr bool looksUpPowers = false;  ///< whether there are instructions for it: powersAsHalves
  static constexpr bool reducesEight = false;  ///< whether eight at a time are faster than one by one: largestOfEight
  static Integers noMagnitude() { return _mm256_setzero_si256(); }
  /// The larger of each element of `largest` and |a[i]|, as bits.
  static Integers largerMagnitude(Integers largest, Vector a) {
    return _mm256_max_epu32(largest, _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(0x7FFFFFFF)));
  }
  static std::uint32_t largestOfMagnitudes(Integers magnitudes) {
    const __m128i four = _mm_max_epu32(_mm256_castsi256_si128(magnitudes), _mm256_extracti128_si256(magnitudes, 1));
    const __m128i two = _mm_max_epu32(four, _mm_shuffle_epi32(four, 0x4E));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_max_epu32(two, _mm_shuffle_epi32(two, 0xB1))));
  }
  /// Whether a[i] > b[i] for any i.
  static bool anyAbove(Vector a, Vector b) { return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)) != 0; }
  static float sum(Vector a) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  static float largest(Vector a) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }
};

#include "cpu/kernels_elementwise.inc"
#include "cpu/kernels_gemm.inc"
#include "cpu/kernels_product.inc"

/// VPMADDUBSW multiplies unsigned by signed bytes and adds pairs in 16 bits: |w| * (sign(w) a) is at most 127 * 127, two of
/// them fit.
struct Int8Dot {
  using Sum = __m256i;
  struct Weights {
    __m256i value;
    __m256i magnitude;
  };
  using Activations = __m256i;
  static constexpr bool unsignedActivations = false;
  static constexpr bool anyOrder = true;

  static Sum zero() { return _mm256_setzero_si256(); }
  static Sum add(Sum a, Sum b) { return _mm256_add_epi32(a, b); }
  static Weights weights(const std::uint8_t* from) {
    const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return {value, _mm256_abs_epi8(value)};
  }
  static Activations activations(std::int32_t bytes) { return _mm256_set1_epi32(bytes); }
  static Sum accumulate(Sum sum, Activations a, const Weights& w) {
    const __m256i pairs = _mm256_maddubs_epi16(w.magnitude, _mm256_sign_epi8(a, w.value));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  static Simd::Vector finish(Sum sum, const ProductTask& task, std::int64_t row, std::int64_t column) {
    return scaled(_mm256_cvtepi32_ps(sum), task, row, column);
  }
};

/// Two bf16 of depth by eight columns, widened exactly; the even element is added first.
struct Bf16Dot {
  using Sum = __m256;
  struct Pair {
    __m256 even;
    __m256 odd;
  };
  using Weights = Pair;
  using Activations = Pair;
  static constexpr bool anyOrder = false;

  static Pair widen(__m256i pairs) {
    return {_mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16)),
            _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(-65536)))};
  }
  static Sum zero() { return _mm256_setzero_ps(); }
  static Weights weights(const std::uint8_t* from) {
    return widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static Weights firstOfPairs(const std::uint8_t* from) {
    const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return widen(_mm256_and_si256(pairs, _mm256_set1_epi32(0xFFFF)));
  }
  static Activations activations(std::int32_t bytes) { return widen(_mm256_set1_epi32(bytes)); }
  static Sum accumulate(Sum sum, const Activations& a, const Weights& w) {
    return _mm256_fmadd_ps(a.odd, w.odd, _mm256_fmadd_ps(a.even, w.even, sum));
  }
  static Simd::Vector finish(Sum sum, const ProductTask&, std::int64_t, std::int64_t) { return sum; }
};

#include "cpu/kernels_table.inc"

}  // namespace

const KernelTable* avx2Kernels() { return &table; }

}  // namespace foretrace::cpu

#else

namespace foretrace::cpu {
const KernelTable* avx2Kernels() { return nullptr; }
}  // namespace foretrace::cpu

#endif
