// Attention over documents: a program followed by branches; a branch sees the program and itself (causally).
// Rotary embedding is applied while reading q and k and undone while writing their gradients. Head size 64.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "common.h"

using namespace foretrace;

namespace {

constexpr int HEAD = 64;
constexpr int WORDS = HEAD / 2;
constexpr int CHUNK = 48;  // queries at a time: scores of a chunk stay in the second-level cache; even, for pairs

int padded(int n) { return (n + 15) / 16 * 16; }

struct Shape {
  int heads, kv_heads;
  int width() const { return (heads + 2 * kv_heads) * HEAD; }
};

// One contiguous piece of a document, and where its packed keys and values lie.
struct Piece {
  int start, length, columns, offset;  // offset: first column in the packed arrays
};

void rotate(const bf16* x, const float* cosine, const float* sine, float scale, bf16* out) {
  for (int i = 0; i < 32; i += 16) {
    const __m512 a = load_bf16(x + i), b = load_bf16(x + 32 + i), s = _mm512_set1_ps(scale);
    const __m512 c = _mm512_mul_ps(_mm512_loadu_ps(cosine + i), s), d = _mm512_mul_ps(_mm512_loadu_ps(sine + i), s);
    store_bf16(out + i, _mm512_fmsub_ps(a, c, _mm512_mul_ps(b, d)));
    store_bf16(out + 32 + i, _mm512_fmadd_ps(b, c, _mm512_mul_ps(a, d)));
  }
}

void rotate_back(const float* x, const float* cosine, const float* sine, float scale, bf16* out) {
  for (int i = 0; i < 32; i += 16) {
    const __m512 a = _mm512_loadu_ps(x + i), b = _mm512_loadu_ps(x + 32 + i), s = _mm512_set1_ps(scale);
    const __m512 c = _mm512_mul_ps(_mm512_loadu_ps(cosine + i), s), d = _mm512_mul_ps(_mm512_loadu_ps(sine + i), s);
    store_bf16(out + i, _mm512_fmadd_ps(a, c, _mm512_mul_ps(b, d)));
    store_bf16(out + 32 + i, _mm512_fmsub_ps(b, c, _mm512_mul_ps(a, d)));
  }
}

// rows[n][64] -> words [32][columns]: summed index is the head dimension.
void pack_transposed(const bf16* rows, long stride, int n, int columns, std::uint32_t* out) {
  for (int i = 0; i < n; ++i) {
    const std::uint32_t* row = (const std::uint32_t*)(rows + i * stride);
    for (int k = 0; k < WORDS; ++k) out[(long)k * columns + i] = row[k];
  }
  for (int k = 0; k < WORDS; ++k)
    for (int i = n; i < columns; ++i) out[(long)k * columns + i] = 0;
}

// rows[n][64] -> words [slots/2][64]: summed index is the row. Missing rows are zero.
void pack_pairs(const bf16* rows, long stride, int n, int slots, std::uint32_t* out) {
  const __m512i zero = _mm512_setzero_si512();
  for (int i = 0; i < slots; i += 2)
    for (int d = 0; d < HEAD; d += 16) {
      const auto read = [&](int r) {
        return r < n ? _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)(rows + r * stride + d))) : zero;
      };
      _mm512_storeu_si512(out + (i / 2) * HEAD + d, _mm512_or_si512(read(i), _mm512_slli_epi32(read(i + 1), 16)));
    }
}

// What one thread keeps for one (document, key/value head).
struct Work {
  std::vector<Piece> pieces;
  std::vector<bf16> keys;                                              // [n][64], rotated
  std::vector<std::uint32_t> keys_transposed, values_transposed;       // per piece [32][columns]
  std::vector<std::uint32_t> keys_paired, values_paired;               // per piece [columns/2][64]
  std::vector<float> scores, slopes, key_slope, value_slope, query_slope;
  std::vector<std::uint32_t> pairs, weights;
  bf16 query[CHUNK * HEAD];

  void read(const bf16* qkv, const std::int32_t* positions, const std::int32_t* segments, int count, Shape s, int head,
            const float* cosine, const float* sine, bool backward) {
    pieces.clear();
    int offset = 0;
    for (int i = 0; i < count; ++i) {
      const int length = segments[2 * i + 1];
      pieces.push_back({segments[2 * i], length, padded(length), offset});
      offset += padded(length);
    }
    const int first = pieces[0].start, n = pieces.back().start + pieces.back().length - first;
    keys.resize((long)n * HEAD);
    for (int i = 0; i < n; ++i) {
      const long at = (long)(first + i);
      rotate(qkv + at * s.width() + (s.heads + head) * HEAD, cosine + positions[at] * 32L, sine + positions[at] * 32L,
             1.0f, keys.data() + i * HEAD);
    }
    keys_transposed.resize((long)offset * WORDS);
    values_paired.resize((long)offset * WORDS);
    if (backward) {
      values_transposed.resize((long)offset * WORDS);
      keys_paired.resize((long)offset * WORDS);
    }
    for (const Piece& p : pieces) {
      const bf16* k = keys.data() + (long)(p.start - first) * HEAD;
      const bf16* v = qkv + (long)p.start * s.width() + (s.heads + s.kv_heads + head) * HEAD;
      const long at = (long)p.offset * WORDS;
      pack_transposed(k, HEAD, p.length, p.columns, keys_transposed.data() + at);
      pack_pairs(v, s.width(), p.length, p.columns, values_paired.data() + at);
      if (!backward) continue;
      pack_transposed(v, s.width(), p.length, p.columns, values_transposed.data() + at);
      pack_pairs(k, HEAD, p.length, p.columns, keys_paired.data() + at);
    }
    int widest = 0;
    for (const Piece& p : pieces) widest = std::max(widest, p.columns);
    widest += pieces[0].columns;
    scores.resize((long)CHUNK * widest);
    slopes.resize((long)CHUNK * widest);
    weights.resize((long)CHUNK * widest);
    pairs.resize((long)CHUNK * widest);
  }
};

// The columns a query chunk sees: all of the program (unless it is the program), then its own piece up to itself.
struct View {
  const Piece* program;  // null for the program itself
  const Piece* own;
  int program_columns, own_columns, columns;
};

View view_of(const Work& w, int piece, int query_end) {
  View v{piece ? &w.pieces[0] : nullptr, &w.pieces[piece], 0, 0, 0};
  v.program_columns = piece ? w.pieces[0].columns : 0;
  v.own_columns = padded(query_end);
  v.columns = v.program_columns + v.own_columns;
  return v;
}

void products(const Work& w, const View& v, const std::vector<std::uint32_t>& packed, const std::uint32_t* left,
              int rows, float* out) {
  if (v.program)
    multiply(left, WORDS, 1, packed.data() + (long)v.program->offset * WORDS, v.program->columns, out, v.columns, rows,
             v.program_columns, WORDS, false);
  multiply(left, WORDS, 1, packed.data() + (long)v.own->offset * WORDS, v.own->columns, out + v.program_columns,
           v.columns, rows, v.own_columns, WORDS, false);
}

void mask_row(float* row, const View& v, int query) {
  if (v.program) std::fill(row + v.program->length, row + v.program_columns, -1e30f);
  std::fill(row + v.program_columns + query + 1, row + v.columns, -1e30f);
}

// out[rows][64] = weights (bf16 words along columns) * packed rows of the program and of the own piece.
void combine(const View& v, const std::vector<std::uint32_t>& packed, const std::uint32_t* weights, int rows,
             float* out) {
  const long stride = v.columns / 2;
  if (v.program)
    multiply(weights, stride, 1, packed.data() + (long)v.program->offset * WORDS, HEAD, out, HEAD, rows, HEAD,
             v.program_columns / 2, false);
  multiply(weights + v.program_columns / 2, stride, 1, packed.data() + (long)v.own->offset * WORDS, HEAD, out, HEAD,
           rows, HEAD, v.own_columns / 2, v.program != nullptr);
}

void round_row(const float* row, int columns, bf16* out) {
  for (int j = 0; j < columns; j += 16) store_bf16(out + j, _mm512_loadu_ps(row + j));
}

}  // namespace

extern "C" {

// qkv [tokens][(heads + 2 kv_heads) * 64]; segments (start, length) pairs, a document's first is its program;
// documents [n + 1] index segments; out [tokens][heads * 64]; lse [tokens][heads].
void attention_forward(const bf16* qkv, const std::int32_t* positions, const std::int32_t* segments,
                       const std::int32_t* documents, int document_count, int heads, int kv_heads, const float* cosine,
                       const float* sine, bf16* out, float* lse) {
  const Shape shape{heads, kv_heads};
  const int group = heads / kv_heads;
#pragma omp parallel
  {
    Work w;
    float result[CHUNK * HEAD];
#pragma omp for schedule(dynamic)
    for (int task = 0; task < document_count * kv_heads; ++task) {
      const int document = task / kv_heads, kv = task % kv_heads, begin = documents[document];
      w.read(qkv, positions, segments + 2 * begin, documents[document + 1] - begin, shape, kv, cosine, sine, false);
      for (int p = 0; p < (int)w.pieces.size(); ++p)
        for (int from = 0; from < w.pieces[p].length; from += CHUNK)
          for (int head = kv * group; head < (kv + 1) * group; ++head) {
            const int rows = std::min(CHUNK, w.pieces[p].length - from);
            const long first = w.pieces[p].start + from;
            const View v = view_of(w, p, from + rows);
            for (int i = 0; i < rows; ++i) {
              const long at = positions[first + i] * 32L;
              rotate(qkv + (first + i) * shape.width() + head * HEAD, cosine + at, sine + at, 0.125f, w.query + i * HEAD);
            }
            products(w, v, w.keys_transposed, (const std::uint32_t*)w.query, rows, w.scores.data());
            float total[CHUNK];
            for (int i = 0; i < rows; ++i) {
              float* row = w.scores.data() + (long)i * v.columns;
              mask_row(row, v, from + i);
              __m512 top = _mm512_loadu_ps(row);
              for (int j = 16; j < v.columns; j += 16) top = _mm512_max_ps(top, _mm512_loadu_ps(row + j));
              const float highest = _mm512_reduce_max_ps(top);
              __m512 sum = _mm512_setzero_ps();
              for (int j = 0; j < v.columns; j += 16) {
                const __m512 e = exponential(_mm512_sub_ps(_mm512_loadu_ps(row + j), _mm512_set1_ps(highest)));
                sum = _mm512_add_ps(sum, e);
                store_bf16((bf16*)w.weights.data() + (long)i * v.columns + j, e);
              }
              total[i] = _mm512_reduce_add_ps(sum);
              lse[(first + i) * heads + head] = highest + std::log(total[i]);
            }
            combine(v, w.values_paired, w.weights.data(), rows, result);
            for (int i = 0; i < rows; ++i)
              for (int d = 0; d < HEAD; d += 16)
                store_bf16(out + ((first + i) * heads + head) * HEAD + d,
                           _mm512_mul_ps(_mm512_loadu_ps(result + i * HEAD + d), _mm512_set1_ps(1.0f / total[i])));
          }
    }
  }
}

// out_slope and out [tokens][heads * 64]; qkv_slope like qkv, written in full for every token of a document.
void attention_backward(const bf16* qkv, const std::int32_t* positions, const std::int32_t* segments,
                        const std::int32_t* documents, int document_count, int heads, int kv_heads,
                        const float* cosine, const float* sine, const bf16* out, const float* lse,
                        const bf16* out_slope, bf16* qkv_slope) {
  const Shape shape{heads, kv_heads};
  const int group = heads / kv_heads;
#pragma omp parallel
  {
    Work w;
    std::vector<std::uint32_t> query_pairs(CHUNK / 2 * HEAD), slope_pairs(CHUNK / 2 * HEAD);
    std::vector<bf16> slope_rows(CHUNK * HEAD);
    float result[CHUNK * HEAD];
#pragma omp for schedule(dynamic)
    for (int task = 0; task < document_count * kv_heads; ++task) {
      const int document = task / kv_heads, kv = task % kv_heads, begin = documents[document];
      w.read(qkv, positions, segments + 2 * begin, documents[document + 1] - begin, shape, kv, cosine, sine, true);
      const long slots = w.pieces.back().offset + w.pieces.back().columns;
      w.key_slope.assign(slots * HEAD, 0.0f);
      w.value_slope.assign(slots * HEAD, 0.0f);
      for (int p = 0; p < (int)w.pieces.size(); ++p)
        for (int from = 0; from < w.pieces[p].length; from += CHUNK)
          for (int head = kv * group; head < (kv + 1) * group; ++head) {
            const int rows = std::min(CHUNK, w.pieces[p].length - from), even = (rows + 1) / 2 * 2;
            const long first = w.pieces[p].start + from;
            const View v = view_of(w, p, from + rows);
            float inner[CHUNK];
            for (int i = 0; i < rows; ++i) {
              const long at = positions[first + i] * 32L, cell = ((first + i) * heads + head) * HEAD;
              rotate(qkv + (first + i) * shape.width() + head * HEAD, cosine + at, sine + at, 0.125f, w.query + i * HEAD);
              __m512 dot = _mm512_setzero_ps();
              for (int d = 0; d < HEAD; d += 16)
                dot = _mm512_fmadd_ps(load_bf16(out + cell + d), load_bf16(out_slope + cell + d), dot);
              inner[i] = _mm512_reduce_add_ps(dot);
              std::copy(out_slope + cell, out_slope + cell + HEAD, slope_rows.data() + i * HEAD);
            }
            pack_pairs(w.query, HEAD, rows, even, query_pairs.data());
            pack_pairs(slope_rows.data(), HEAD, rows, even, slope_pairs.data());
            products(w, v, w.keys_transposed, (const std::uint32_t*)w.query, rows, w.scores.data());
            products(w, v, w.values_transposed, (const std::uint32_t*)slope_rows.data(), rows, w.slopes.data());
            for (int i = 0; i < even; ++i) {
              float* row = w.scores.data() + (long)i * v.columns;
              float* slope = w.slopes.data() + (long)i * v.columns;
              if (i >= rows) {
                std::fill(row, row + v.columns, 0.0f);
                std::fill(slope, slope + v.columns, 0.0f);
                continue;
              }
              mask_row(row, v, from + i);
              const __m512 shift = _mm512_set1_ps(lse[(first + i) * heads + head]), dot = _mm512_set1_ps(inner[i]);
              for (int j = 0; j < v.columns; j += 16) {
                const __m512 weight = exponential(_mm512_sub_ps(_mm512_loadu_ps(row + j), shift));
                _mm512_storeu_ps(row + j, weight);
                _mm512_storeu_ps(slope + j, _mm512_mul_ps(weight, _mm512_sub_ps(_mm512_loadu_ps(slope + j), dot)));
              }
              round_row(slope, v.columns, (bf16*)w.weights.data() + (long)i * v.columns);
            }
            combine(v, w.keys_paired, w.weights.data(), rows, result);
            for (int i = 0; i < rows; ++i) {
              const long at = positions[first + i] * 32L;
              rotate_back(result + i * HEAD, cosine + at, sine + at, 0.125f,
                          qkv_slope + (first + i) * shape.width() + head * HEAD);
            }
            const auto add = [&](const std::vector<float>& matrix, const std::vector<std::uint32_t>& right,
                                 std::vector<float>& sums) {
              for (int i = 0; i < even; i += 2)
                for (int j = 0; j < v.columns; j += 16)
                  _mm512_storeu_si512(w.pairs.data() + (long)(i / 2) * v.columns + j,
                                      pair_bf16(_mm512_loadu_ps(matrix.data() + (long)i * v.columns + j),
                                                _mm512_loadu_ps(matrix.data() + (long)(i + 1) * v.columns + j)));
              if (v.program)
                multiply(w.pairs.data(), 1, v.columns, right.data(), HEAD, sums.data() + (long)v.program->offset * HEAD,
                         HEAD, v.program->length, HEAD, even / 2, true);
              multiply(w.pairs.data() + v.program_columns, 1, v.columns, right.data(), HEAD,
                       sums.data() + (long)v.own->offset * HEAD, HEAD, std::min(v.own_columns, v.own->length), HEAD,
                       even / 2, true);
            };
            add(w.slopes, query_pairs, w.key_slope);
            add(w.scores, slope_pairs, w.value_slope);
          }
      for (const Piece& p : w.pieces)
        for (int i = 0; i < p.length; ++i) {
          const long at = positions[p.start + i] * 32L, cell = (long)(p.start + i) * shape.width();
          // The query already carries the scale, so the key's gradient does too.
          rotate_back(w.key_slope.data() + (long)(p.offset + i) * HEAD, cosine + at, sine + at, 1.0f,
                      qkv_slope + cell + (heads + kv) * HEAD);
          for (int d = 0; d < HEAD; d += 16)
            store_bf16(qkv_slope + cell + (heads + kv_heads + kv) * HEAD + d,
                       _mm512_loadu_ps(w.value_slope.data() + (long)(p.offset + i) * HEAD + d));
        }
    }
  }
}

}  // extern "C"
