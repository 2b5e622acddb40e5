// The work between matrix products: normalisation, gated activation, cross entropy, embedding sums, AdamW.
#include <omp.h>

#include <cmath>
#include <vector>

#include "common.h"

using namespace foretrace;

extern "C" {

// sum[t][d] = x[t][d] + added[t][d] (added may be null); out = sum / rms(sum) * weight; inverse[t] = 1 / rms.
void norm_forward(const float* x, const bf16* added, const float* weight, float epsilon, int tokens, int width,
                  float* sum, bf16* out, float* inverse) {
#pragma omp parallel for schedule(static)
  for (int t = 0; t < tokens; ++t) {
    const long at = (long)t * width;
    __m512 squares = _mm512_setzero_ps();
    for (int d = 0; d < width; d += 16) {
      __m512 v = _mm512_loadu_ps(x + at + d);
      if (added) v = _mm512_add_ps(v, load_bf16(added + at + d));
      _mm512_storeu_ps(sum + at + d, v);
      squares = _mm512_fmadd_ps(v, v, squares);
    }
    const float scale = 1.0f / std::sqrt(_mm512_reduce_add_ps(squares) / width + epsilon);
    inverse[t] = scale;
    for (int d = 0; d < width; d += 16)
      store_bf16(out + at + d, _mm512_mul_ps(_mm512_mul_ps(_mm512_loadu_ps(sum + at + d), _mm512_set1_ps(scale)),
                                             _mm512_loadu_ps(weight + d)));
  }
}

// slope[t][d] (fp32, gradient of the residual stream) += gradient through the norm; rounded = bf16 copy of slope;
// weight_slope[d] += gradient of the weight. Partial sums are added in thread order, so a run repeats exactly.
void norm_backward(const bf16* out_slope, const float* sum, const float* weight, const float* inverse, int tokens,
                   int width, float* slope, bf16* rounded, float* weight_slope) {
  std::vector<float> partial((long)omp_get_max_threads() * width, 0.0f);
#pragma omp parallel
  {
    float* mine = partial.data() + (long)omp_get_thread_num() * width;
#pragma omp for schedule(static)
    for (int t = 0; t < tokens; ++t) {
      const long at = (long)t * width;
      const __m512 scale = _mm512_set1_ps(inverse[t]);
      __m512 dot = _mm512_setzero_ps();
      for (int d = 0; d < width; d += 16) {
        const __m512 normal = _mm512_mul_ps(_mm512_loadu_ps(sum + at + d), scale), g = load_bf16(out_slope + at + d);
        dot = _mm512_fmadd_ps(_mm512_mul_ps(g, _mm512_loadu_ps(weight + d)), normal, dot);
        _mm512_storeu_ps(mine + d, _mm512_fmadd_ps(g, normal, _mm512_loadu_ps(mine + d)));
      }
      const __m512 mean = _mm512_set1_ps(_mm512_reduce_add_ps(dot) / width);
      for (int d = 0; d < width; d += 16) {
        const __m512 normal = _mm512_mul_ps(_mm512_loadu_ps(sum + at + d), scale);
        const __m512 g = _mm512_mul_ps(load_bf16(out_slope + at + d), _mm512_loadu_ps(weight + d));
        const __m512 total = _mm512_fmadd_ps(scale, _mm512_fnmadd_ps(normal, mean, g), _mm512_loadu_ps(slope + at + d));
        _mm512_storeu_ps(slope + at + d, total);
        store_bf16(rounded + at + d, total);
      }
    }
  }
  for (std::size_t i = 0; i < partial.size(); ++i) weight_slope[i % width] += partial[i];
}

// gate_up [tokens][2 * width] = (gate, up); out = gate * sigmoid(gate) * up.
void gated_forward(const bf16* gate_up, int tokens, int width, bf16* out) {
#pragma omp parallel for schedule(static)
  for (int t = 0; t < tokens; ++t)
    for (int d = 0; d < width; d += 16) {
      const __m512 g = load_bf16(gate_up + 2L * t * width + d), u = load_bf16(gate_up + (2L * t + 1) * width + d);
      const __m512 one = _mm512_set1_ps(1.0f);
      const __m512 s = _mm512_div_ps(one, _mm512_add_ps(one, exponential(_mm512_sub_ps(_mm512_setzero_ps(), g))));
      store_bf16(out + (long)t * width + d, _mm512_mul_ps(_mm512_mul_ps(g, s), u));
    }
}

void gated_backward(const bf16* gate_up, const bf16* out_slope, int tokens, int width, bf16* slope) {
#pragma omp parallel for schedule(static)
  for (int t = 0; t < tokens; ++t)
    for (int d = 0; d < width; d += 16) {
      const long at = 2L * t * width + d;
      const __m512 g = load_bf16(gate_up + at), u = load_bf16(gate_up + at + width), one = _mm512_set1_ps(1.0f);
      const __m512 s = _mm512_div_ps(one, _mm512_add_ps(one, exponential(_mm512_sub_ps(_mm512_setzero_ps(), g))));
      const __m512 o = load_bf16(out_slope + (long)t * width + d), gs = _mm512_mul_ps(g, s);
      const __m512 turn = _mm512_fmadd_ps(gs, _mm512_sub_ps(one, s), s);  // d(g * s) / dg
      store_bf16(slope + at, _mm512_mul_ps(_mm512_mul_ps(o, u), turn));
      store_bf16(slope + at + width, _mm512_mul_ps(o, gs));
    }
}

// logits [rows][stride] become their gradient in place, scaled by scale[row]; loss[row] unscaled; hit[row] = 1 if the
// target has the highest logit. Columns from `vocabulary` on are padding: their gradient is zero.
void cross_entropy(bf16* logits, const std::int64_t* targets, const float* scale, int rows, int vocabulary, int stride,
                   float* loss, std::uint8_t* hit) {
#pragma omp parallel
  {
    std::vector<float> values(stride + 16);
#pragma omp for schedule(static)
    for (int r = 0; r < rows; ++r) {
      bf16* row = logits + (long)r * stride;
      __m512 top = _mm512_set1_ps(-1e30f);
      for (int j = 0; j < stride; j += 16) {
        __m512 v = load_bf16(row + j);
        if (j + 16 > vocabulary)
          v = _mm512_mask_blend_ps(j >= vocabulary ? 0 : (1u << (vocabulary - j)) - 1, _mm512_set1_ps(-1e30f), v);
        _mm512_storeu_ps(values.data() + j, v);
        top = _mm512_max_ps(top, v);
      }
      const float highest = _mm512_reduce_max_ps(top), target = values[targets[r]];
      __m512 sum = _mm512_setzero_ps();
      for (int j = 0; j < stride; j += 16) {
        const __m512 e = exponential(_mm512_sub_ps(_mm512_loadu_ps(values.data() + j), _mm512_set1_ps(highest)));
        _mm512_storeu_ps(values.data() + j, e);
        sum = _mm512_add_ps(sum, e);
      }
      const float total = _mm512_reduce_add_ps(sum);
      loss[r] = std::log(total) + highest - target;
      hit[r] = target == highest;
      const float factor = scale[r] / total;
      values[targets[r]] -= total;
      for (int j = 0; j < stride; j += 16)
        store_bf16(row + j, _mm512_mul_ps(_mm512_loadu_ps(values.data() + j), _mm512_set1_ps(factor)));
    }
  }
}

// table_slope[token[t]] += slope[t]. Threads share columns, not rows, so the order of sums is fixed.
void embedding_backward(const float* slope, const std::int64_t* token, int tokens, int width, float* table_slope) {
#pragma omp parallel for schedule(static)
  for (int d = 0; d < width; d += 16)
    for (int t = 0; t < tokens; ++t) {
      float* to = table_slope + token[t] * width + d;
      _mm512_storeu_ps(to, _mm512_add_ps(_mm512_loadu_ps(to), _mm512_loadu_ps(slope + (long)t * width + d)));
    }
}

// AdamW (Loshchilov and Hutter, 2019) on one flat tensor. `first` and `second` are the bias corrections 1 - beta^t.
void adamw(float* value, const float* slope, float* mean, float* square, long count, float rate, float beta1,
           float beta2, float epsilon, float decay, float first, float second, float slope_scale) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) {
    const float g = slope[i] * slope_scale;
    mean[i] = beta1 * mean[i] + (1 - beta1) * g;
    square[i] = beta2 * square[i] + (1 - beta2) * g * g;
    const float step = (mean[i] / first) / (std::sqrt(square[i] / second) + epsilon);
    value[i] -= rate * (step + decay * value[i]);
  }
}

}  // extern "C"
