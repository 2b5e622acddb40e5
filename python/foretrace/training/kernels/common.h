// Shared pieces of the training kernels: bf16 conversion, a vector exponential, one bf16 matrix product.
#pragma once
#include <immintrin.h>

#include <cstdint>

namespace foretrace {

using bf16 = std::uint16_t;  // upper half of an IEEE float

inline __m512 load_bf16(const bf16* p) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)p)), 16));
}

inline void store_bf16(bf16* p, __m512 v) {
  _mm256_storeu_si256((__m256i*)p, (__m256i)_mm512_cvtneps_pbh(v));
}

// Word i of the result holds (low[i], high[i]) as bf16: the operand layout of the pairwise dot product.
inline __m512i pair_bf16(__m512 low, __m512 high) {
  const __m512i l = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(low));
  const __m512i h = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(high));
  return _mm512_or_si512(l, _mm512_slli_epi32(h, 16));
}

// e^x, relative error below 2e-7 for x in [-87, 88]; smaller x gives 0.
inline __m512 exponential(__m512 x) {
  const __m512 clamped = _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(-100.0f)), _mm512_set1_ps(88.0f));
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(clamped, _mm512_set1_ps(1.44269504f)), 0);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), clamped);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4f), r);
  __m512 p = _mm512_set1_ps(1.9875691500e-4f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.3981999507e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3334519073e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1665795894e-2f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666665459e-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.0000001201e-1f));
  p = _mm512_fmadd_ps(_mm512_mul_ps(r, r), p, _mm512_add_ps(r, _mm512_set1_ps(1.0f)));
  const __m512 y = _mm512_scalef_ps(p, n);
  return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, _mm512_set1_ps(-87.0f), _CMP_LT_OQ), y, _mm512_setzero_ps());
}

template <int ROWS, int VECTORS>
inline void multiply_tile(const std::uint32_t* a, long a_row, long a_k, const std::uint32_t* b, long b_k, float* c,
                          long c_row, int pairs, bool accumulate) {
  __m512 sum[ROWS][VECTORS];
#pragma GCC unroll 8
  for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < VECTORS; ++j)
      sum[i][j] = accumulate ? _mm512_loadu_ps(c + i * c_row + 16 * j) : _mm512_setzero_ps();
  for (int k = 0; k < pairs; ++k) {
    __m512bh right[VECTORS];
#pragma GCC unroll 4
    for (int j = 0; j < VECTORS; ++j) right[j] = (__m512bh)_mm512_loadu_si512(b + k * b_k + 16 * j);
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; ++i) {
      const __m512bh left = (__m512bh)_mm512_set1_epi32((int)a[i * a_row + k * a_k]);
#pragma GCC unroll 4
      for (int j = 0; j < VECTORS; ++j) sum[i][j] = _mm512_dpbf16_ps(sum[i][j], left, right[j]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < VECTORS; ++j) _mm512_storeu_ps(c + i * c_row + 16 * j, sum[i][j]);
}

template <int VECTORS>
inline void multiply_columns(const std::uint32_t* a, long a_row, long a_k, const std::uint32_t* b, long b_k, float* c,
                             long c_row, int rows, int pairs, bool accumulate) {
  int i = 0;
  for (; i + 6 <= rows; i += 6)
    multiply_tile<6, VECTORS>(a + i * a_row, a_row, a_k, b, b_k, c + i * c_row, c_row, pairs, accumulate);
  for (; i + 2 <= rows; i += 2)
    multiply_tile<2, VECTORS>(a + i * a_row, a_row, a_k, b, b_k, c + i * c_row, c_row, pairs, accumulate);
  for (; i < rows; ++i)
    multiply_tile<1, VECTORS>(a + i * a_row, a_row, a_k, b, b_k, c + i * c_row, c_row, pairs, accumulate);
}

// c[rows][columns] (+)= a[rows][2*pairs] * b[2*pairs][columns]. Words of a and b hold two neighbours along the summed
// index; a is addressed by word strides (a_row, a_k), b is [pairs][b_k]. columns is a multiple of 16.
inline void multiply(const std::uint32_t* a, long a_row, long a_k, const std::uint32_t* b, long b_k, float* c,
                     long c_row, int rows, int columns, int pairs, bool accumulate) {
  int j = 0;
  for (; j + 64 <= columns; j += 64)
    multiply_columns<4>(a, a_row, a_k, b + j, b_k, c + j, c_row, rows, pairs, accumulate);
  for (; j + 32 <= columns; j += 32)
    multiply_columns<2>(a, a_row, a_k, b + j, b_k, c + j, c_row, rows, pairs, accumulate);
  for (; j < columns; j += 16)
    multiply_columns<1>(a, a_row, a_k, b + j, b_k, c + j, c_row, rows, pairs, accumulate);
}

}  // namespace foretrace
