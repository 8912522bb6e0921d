// What a training pass does besides matrix products, each in one pass over memory: GELU with its slopes, and the
// cross-entropy of logits with its slopes. Numbers are fp32 or bf16; everything is computed in fp32.
//
// The caller brings the threads: those of torch's own OpenMP, so that no second set of threads waits beside them.

#include <string.h>

#include "vectors.h"

enum type { FP32 = 0, BF16 = 1 };

typedef uint16_t bhalf;
typedef uint16_t vbhalf __attribute__((vector_size(2 * LANES), aligned(2), may_alias));
typedef uint32_t vuint __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline vfloat load_float(const float *from) { return *(const vfloat *)from; }
static inline void store_float(float *to, vfloat v) { *(vfloat *)to = v; }
static inline vfloat load_bhalf(const bhalf *from) {
  return (vfloat)(__builtin_convertvector(*(const vbhalf *)from, vuint) << 16);
}
static inline void store_bhalf(bhalf *to, vfloat v) { // rounded to the nearest, ties to even; NaN stays NaN
#if LANES == 16 && defined(__AVX512BF16__)
  _mm256_storeu_si256((__m256i *)to, (__m256i)_mm512_cvtneps_pbh((__m512)v));
#else
  vuint bits = (vuint)v, rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  vuint nan = (vuint)(v != v);
  *(vbhalf *)to = __builtin_convertvector((rounded & ~nan) | (0x7fc0 & nan), vbhalf);
#endif
}

// A call: its arguments, and how the caller runs threads (all three NULL for none).
typedef struct {
  int64_t type;
  const void *x, *slopes; // [n], or logits [n, columns]; slopes: of what comes after, [n]
  void *to;               // [n], or the slopes of the logits [n, columns]
  int64_t n, columns;
  const int64_t *targets; // [n]; below 0: no loss
  const float *weights;   // [n], of the losses; NULL: all 1
  float *losses;          // [n]
  float scale;            // of the slopes of the logits
  int32_t threads;
  void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
  int (*thread)(void), (*n_threads)(void);
} call;

typedef struct {
  int64_t first, last;
} range;

// This thread's part of n, in whole multiples of `unit`.
static range part_of(const call *c, int64_t n, int64_t unit) {
  int64_t thread = c->parallel ? c->thread() : 0, threads = c->parallel ? c->n_threads() : 1;
  int64_t each = ((n + threads - 1) / threads + unit - 1) / unit * unit, first = each * thread;
  return (range){first < n ? first : n, first + each < n ? first + each : n};
}

#define TWICE_ROOT 1.5957691216057308f // 2 sqrt(2 / pi)
static inline vfloat gate(vfloat x) { return sigmoid(TWICE_ROOT * x * (1.0f + 0.044715f * x * x)); }
static inline vfloat gelu(vfloat x) { return x * gate(x); }
static inline vfloat gelu_slope(vfloat x) {
  vfloat open = gate(x);
  return open + x * open * (1.0f - open) * TWICE_ROOT * (1.0f + 3 * 0.044715f * x * x);
}

static inline float highest(vfloat v) {
  float most = v[0];
  for (int lane = 1; lane < LANES; lane++) most = v[lane] > most ? v[lane] : most;
  return most;
}

// For each type: GELU, what its slopes become, and a row's loss with the slopes of its logits. The last numbers, fewer
// than a vector has lanes, are computed in a padded copy.
#define KERNELS(TYPE)                                                                                                  \
  static inline void TYPE##_gelu_some(const TYPE *x, TYPE *to) { store_##TYPE(to, gelu(load_##TYPE(x))); }             \
  static void TYPE##_gelu(const TYPE *x, TYPE *to, int64_t n) {                                                        \
    int64_t i = 0;                                                                                                     \
    for (; i + LANES <= n; i += LANES) TYPE##_gelu_some(x + i, to + i);                                                \
    TYPE rest[LANES] = {0};                                                                                            \
    memcpy(rest, x + i, (n - i) * sizeof(TYPE));                                                                       \
    TYPE##_gelu_some(rest, rest);                                                                                      \
    memcpy(to + i, rest, (n - i) * sizeof(TYPE));                                                                      \
  }                                                                                                                    \
  static inline void TYPE##_slopes_some(const TYPE *x, const TYPE *slopes, TYPE *to) {                                 \
    store_##TYPE(to, load_##TYPE(slopes) * gelu_slope(load_##TYPE(x)));                                                \
  }                                                                                                                    \
  static void TYPE##_gelu_slopes(const TYPE *x, const TYPE *slopes, TYPE *to, int64_t n) {                             \
    int64_t i = 0;                                                                                                     \
    for (; i + LANES <= n; i += LANES) TYPE##_slopes_some(x + i, slopes + i, to + i);                                  \
    TYPE rest[LANES] = {0}, of_rest[LANES] = {0};                                                                      \
    memcpy(rest, x + i, (n - i) * sizeof(TYPE));                                                                       \
    memcpy(of_rest, slopes + i, (n - i) * sizeof(TYPE));                                                               \
    TYPE##_slopes_some(rest, of_rest, rest);                                                                           \
    memcpy(to + i, rest, (n - i) * sizeof(TYPE));                                                                      \
  }                                                                                                                    \
  static vfloat TYPE##_padded(const TYPE *x, int64_t count) {                                                          \
    vfloat v = splat(-INFINITY);                                                                                       \
    TYPE rest[LANES] = {0};                                                                                            \
    memcpy(rest, x, count * sizeof(TYPE));                                                                             \
    vfloat read = load_##TYPE(rest);                                                                                   \
    for (int64_t lane = 0; lane < count; lane++) v[lane] = read[lane];                                                 \
    return v;                                                                                                          \
  }                                                                                                                    \
  static float TYPE##_entropy(const TYPE *x, TYPE *to, int64_t n, int64_t target, float scale) {                       \
    int64_t whole = n / LANES * LANES;                                                                                 \
    vfloat rest = TYPE##_padded(x + whole, n - whole), most = rest, total;                                             \
    for (int64_t i = 0; i < whole; i += LANES) most = larger(most, load_##TYPE(x + i));                                \
    float top = highest(most);                                                                                         \
    total = exponential(rest - top);                                                                                   \
    for (int64_t lane = n - whole; lane < LANES; lane++) total[lane] = 0;                                              \
    for (int64_t i = 0; i < whole; i += LANES) total += exponential(load_##TYPE(x + i) - top);                         \
    float log_total = top + logf(sum(total)), of_target = TYPE##_padded(x + target, 1)[0];                             \
    for (int64_t i = 0; i < whole; i += LANES)                                                                         \
      store_##TYPE(to + i, exponential(load_##TYPE(x + i) - log_total) * scale);                                       \
    TYPE last[LANES];                                                                                                  \
    store_##TYPE(last, exponential(rest - log_total) * scale);                                                         \
    memcpy(to + whole, last, (n - whole) * sizeof(TYPE));                                                              \
    store_##TYPE(last, splat((expf(of_target - log_total) - 1.0f) * scale));                                           \
    to[target] = last[0];                                                                                              \
    return log_total - of_target;                                                                                      \
  }                                                                                                                    \
  static void TYPE##_entropies(const call *c, range rows) {                                                            \
    for (int64_t row = rows.first; row < rows.last; row++) {                                                           \
      const TYPE *x = (const TYPE *)c->x + row * c->columns;                                                           \
      TYPE *to = (TYPE *)c->to + row * c->columns;                                                                     \
      float weight = c->weights ? c->weights[row] : 1.0f;                                                              \
      if (c->targets[row] < 0) {                                                                                       \
        memset(to, 0, c->columns * sizeof(TYPE));                                                                      \
        c->losses[row] = 0;                                                                                            \
      } else {                                                                                                         \
        c->losses[row] = weight * TYPE##_entropy(x, to, c->columns, c->targets[row], c->scale * weight);               \
      }                                                                                                                \
    }                                                                                                                  \
  }

KERNELS(float)
KERNELS(bhalf)

#define LINE 64 // numbers; threads share no cache line

static void gelu_part(void *given) {
  const call *c = given;
  range own = part_of(c, c->n, LINE);
  int64_t at = own.first, n = own.last - own.first;
  if (c->type == FP32) float_gelu((const float *)c->x + at, (float *)c->to + at, n);
  else bhalf_gelu((const bhalf *)c->x + at, (bhalf *)c->to + at, n);
}

static void gelu_slopes_part(void *given) {
  const call *c = given;
  range own = part_of(c, c->n, LINE);
  int64_t at = own.first, n = own.last - own.first;
  if (c->type == FP32) {
    float_gelu_slopes((const float *)c->x + at, (const float *)c->slopes + at, (float *)c->to + at, n);
  } else {
    bhalf_gelu_slopes((const bhalf *)c->x + at, (const bhalf *)c->slopes + at, (bhalf *)c->to + at, n);
  }
}

static void cross_entropy_part(void *given) {
  const call *c = given;
  range rows = part_of(c, c->n, 1);
  if (c->type == FP32) float_entropies(c, rows);
  else bhalf_entropies(c, rows);
}

static void run(void (*part)(void *), call *c) {
  if (c->parallel) c->parallel(part, c, c->threads, 0);
  else part(c);
}

void gptcore_gelu(call *c) { run(gelu_part, c); }
void gptcore_gelu_slopes(call *c) { run(gelu_slopes_part, c); }
void gptcore_cross_entropy(call *c) { run(cross_entropy_part, c); }
int64_t gptcore_call_size(void) { return sizeof(call); }
