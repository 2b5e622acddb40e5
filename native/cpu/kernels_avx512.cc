// Kernels for AVX-512F: vectors of sixteen floats, thirty-two registers.
#include "cpu/kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace foretrace::cpu {
namespace {

struct Simd {
  using Vector = __m512;

  static constexpr int width = 16;
  static constexpr int maxRows = 12;
  static constexpr int panelsFor(int rows) { return rows <= 2 ? 8 : rows <= 6 ? 4 : 2; }

  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector broadcast(float value) { return _mm512_set1_ps(value); }
  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Vector value) { _mm512_storeu_ps(to, value); }
  static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static Vector multiply(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
  static Vector divide(Vector a, Vector b) { return _mm512_div_ps(a, b); }
  static Vector multiplyAdd(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  static Vector minimum(Vector a, Vector b) { return _mm512_min_ps(a, b); }
  static Vector maximum(Vector a, Vector b) { return _mm512_max_ps(a, b); }
  static Vector round(Vector a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static Vector scaleByPowerOfTwo(Vector a, Vector n) {
    const __m512i exponent = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
    return _mm512_mul_ps(a, _mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23)));
  }
  static Vector zeroBelow(Vector a, Vector bound, Vector value) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, bound, _CMP_GE_OQ), value);
  }
  static float sum(Vector a) { return _mm512_reduce_add_ps(a); }
  static float largest(Vector a) { return _mm512_reduce_max_ps(a); }
};

#include "cpu/kernels_elementwise.inc"
#include "cpu/kernels_gemm.inc"
#include "cpu/kernels_attention.inc"

constexpr KernelTable table = {gemm, rmsNorm, rope, siluMultiply, attention, exponential};

}  // namespace

const KernelTable* avx512Kernels() { return &table; }

}  // namespace foretrace::cpu

#else

namespace foretrace::cpu {
const KernelTable* avx512Kernels() { return nullptr; }
}  // namespace foretrace::cpu

#endif
