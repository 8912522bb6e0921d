// Products of a matrix, in the format in which it is stored, with the vectors of B texts.
//
// Vectors stand in groups of S texts: number i of the text in lane l of a group at [i * S + l]. A few texts stand by
// themselves (S = 1), and a row of weights is multiplied with one after the other: reading memory is all the work.
// From four on, the texts of a group are the lanes of a processor's vectors: a block of rows is widened once, into a
// buffer that stays in the nearest cache, and each weight multiplies a whole group; nothing is summed across lanes.

#include <string.h>

#include "vectors.h"

#define AHEAD 4096 // bytes that are fetched ahead of their use
#define BLOCK 8    // rows that are widened together
#define CHUNK 256  // weights of each of them

enum format { FP32 = 0, FP16 = 1, INT16 = 2 };

typedef struct {
  const void *weight; // [n, k], rows one after the other
  const float *scale; // [n], of INT16
  const float *bias;  // [n], or NULL
  int64_t n, k, format;
} matrix;

// What becomes of a product: it replaces what stands there, is added to it, or goes out as [B, n].
enum purpose { REPLACE = 0, ADD = 1, OUT = 2 };

// The size of a group for B texts: 1, or the lanes of a vector, or of half of one where that is enough.
static int64_t group_size(int64_t B) { return B < 4 ? 1 : LANES == 16 && B <= 8 ? 8 : LANES; }

// A row of a format times one vector; and a part of a row as floats, zeros behind its end.
#define FORMAT(NAME, TYPE)                                                                                             \
  static float NAME##_one(const TYPE *w, const float *x, int64_t k) {                                                  \
    vfloat a = {0}, b = {0}, c = {0}, d = {0};                                                                         \
    int64_t j = 0;                                                                                                     \
    for (; j + 4 * LANES <= k; j += 4 * LANES) {                                                                       \
      for (unsigned line = 0; line < 4 * LANES * sizeof(TYPE); line += 64)                                             \
        __builtin_prefetch((const char *)(w + j) + AHEAD + line);                                                      \
      a += widen_##NAME(w + j) * *(const vfloat *)(x + j);                                                             \
      b += widen_##NAME(w + j + LANES) * *(const vfloat *)(x + j + LANES);                                             \
      c += widen_##NAME(w + j + 2 * LANES) * *(const vfloat *)(x + j + 2 * LANES);                                     \
      d += widen_##NAME(w + j + 3 * LANES) * *(const vfloat *)(x + j + 3 * LANES);                                     \
    }                                                                                                                  \
    for (; j + LANES <= k; j += LANES) a += widen_##NAME(w + j) * *(const vfloat *)(x + j);                            \
    float total = sum(a + b + (c + d));                                                                                \
    for (; j < k; j++) total += plain_##NAME(w[j]) * x[j];                                                             \
    return total;                                                                                                      \
  }                                                                                                                    \
  static void NAME##_row(const TYPE *w, int64_t count, float *to) {                                                    \
    int64_t j = 0;                                                                                                     \
    for (; j + LANES <= count; j += LANES) {                                                                           \
      __builtin_prefetch((const char *)(w + j) + AHEAD);                                                               \
      *(vfloat *)(to + j) = widen_##NAME(w + j);                                                                       \
    }                                                                                                                  \
    for (; j < count; j++) to[j] = plain_##NAME(w[j]);                                                                 \
  }

FORMAT(fp32, float)
FORMAT(int16, int16_t)
#if HAS_HALF
FORMAT(fp16, half)
#endif

static float one(const matrix *m, int64_t row, const float *x) {
  int64_t k = m->k;
  switch (m->format) {
  case INT16: return int16_one((const int16_t *)m->weight + row * k, x, k);
#if HAS_HALF
  case FP16: return fp16_one((const half *)m->weight + row * k, x, k);
#endif
  default: return fp32_one((const float *)m->weight + row * k, x, k);
  }
}

static void widen(const matrix *m, int64_t row, int64_t from, int64_t count, float *to) {
  int64_t at = row * m->k + from;
  switch (m->format) {
  case INT16: int16_row((const int16_t *)m->weight + at, count, to); break;
#if HAS_HALF
  case FP16: fp16_row((const half *)m->weight + at, count, to); break;
#endif
  default: fp32_row((const float *)m->weight + at, count, to);
  }
}

// Adds BLOCK rows [BLOCK, CHUNK] times a group [count, S] to sums [BLOCK, S].
#define TILE(S, VECTOR)                                                                                                \
  static void tile_##S(const float *w, const float *x, int64_t count, float *sums) {                                   \
    VECTOR *to = (VECTOR *)sums, a = to[0], b = to[1], c = to[2], d = to[3], e = to[4], f = to[5], g = to[6],          \
           h = to[7];                                                                                                  \
    for (int64_t j = 0; j < count; j++, w++, x += S) {                                                                 \
      VECTOR v = *(const VECTOR *)x;                                                                                   \
      a += w[0] * v, b += w[CHUNK] * v, c += w[2 * CHUNK] * v, d += w[3 * CHUNK] * v;                                  \
      e += w[4 * CHUNK] * v, f += w[5 * CHUNK] * v, g += w[6 * CHUNK] * v, h += w[7 * CHUNK] * v;                      \
    }                                                                                                                  \
    to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f, to[6] = g, to[7] = h;                            \
  }

TILE(4, vfour)
#if LANES >= 8
TILE(8, veight)
#endif
#if LANES >= 16
TILE(16, vfloat)
#endif

static void tile(int64_t S, const float *w, const float *x, int64_t count, float *sums) {
#if LANES >= 16
  if (S == 16) return tile_16(w, x, count, sums);
#endif
#if LANES >= 8
  if (S == 8) return tile_8(w, x, count, sums);
#endif
  if (S == 4) tile_4(w, x, count, sums);
}

typedef struct {
  int64_t first, last;
} rows_of;

// Which of n rows are a thread's: whole blocks, maybe none.
static rows_of share_of_rows(int64_t n, int64_t thread, int64_t threads) {
  int64_t share = ((n + threads - 1) / threads + BLOCK - 1) / BLOCK * BLOCK, first = thread * share;
  if (first > n) first = n;
  return (rows_of){first, first + share < n ? first + share : n};
}

// A thread's rows of x W^T + bias for B texts that stand by themselves.
static void multiply_alone(const matrix *m, const float *x, int64_t B, float *to, enum purpose purpose, rows_of mine) {
  for (int64_t i = mine.first; i < mine.last; i++) {
    float scale = m->scale ? m->scale[i] : 1.0f, bias = m->bias ? m->bias[i] : 0.0f;
    for (int64_t b = 0; b < B; b++) {
      float value = one(m, i, x + b * m->k) * scale + bias, *there = to + b * m->n + i;
      *there = purpose == ADD ? *there + value : value;
    }
  }
}

// The same for texts in groups of S.
static void multiply_grouped(const matrix *m, const float *x, int64_t B, int64_t S, float *to, enum purpose purpose,
                             rows_of mine) {
  int64_t n = m->n, k = m->k, groups = (B + S - 1) / S;
  float rows[BLOCK * CHUNK], sums[groups * BLOCK * S];
  memset(rows, 0, sizeof rows);
  for (int64_t i = mine.first; i < mine.last; i += BLOCK) {
    int64_t here = mine.last - i < BLOCK ? mine.last - i : BLOCK;
    memset(sums, 0, sizeof sums);
    for (int64_t from = 0; from < k; from += CHUNK) {
      int64_t count = k - from < CHUNK ? k - from : CHUNK;
      for (int64_t r = 0; r < here; r++) widen(m, i + r, from, count, rows + r * CHUNK);
      for (int64_t g = 0; g < groups; g++) tile(S, rows, x + (g * k + from) * S, count, sums + g * BLOCK * S);
    }
    for (int64_t r = 0; r < here; r++) {
      float scale = m->scale ? m->scale[i + r] : 1.0f, bias = m->bias ? m->bias[i + r] : 0.0f;
      for (int64_t g = 0; g < groups; g++) {
        const float *found = sums + (g * BLOCK + r) * S;
        float *there = to + (g * n + i + r) * S;
        int64_t texts = B - g * S < S ? B - g * S : S;
        if (purpose == REPLACE)
          for (int64_t lane = 0; lane < S; lane++) there[lane] = found[lane] * scale + bias;
        else if (purpose == ADD)
          for (int64_t lane = 0; lane < S; lane++) there[lane] += found[lane] * scale + bias;
        else
          for (int64_t lane = 0; lane < texts; lane++) to[(g * S + lane) * n + i + r] = found[lane] * scale + bias;
      }
    }
  }
}

static void multiply(const matrix *m, const float *x, int64_t B, int64_t S, float *to, enum purpose purpose,
                     int64_t thread, int64_t threads) {
  rows_of mine = share_of_rows(m->n, thread, threads);
  if (S == 1) multiply_alone(m, x, B, to, purpose, mine);
  else multiply_grouped(m, x, B, S, to, purpose, mine);
}
