// One step of a GPT for B texts at once: embeddings, blocks with attention over the cache, final norm, output head.
//
// Weights are read once a step, a row at a time, in the format in which they are stored (fp32, fp16, or whole numbers of
// 16 or 8 bits with a scale for each row); sums and everything else are fp32. Threads share the rows of each product
// and meet after it. They sleep between steps. GCC's and Clang's vector extensions are the only ones used, so that the
// same text compiles for AVX2, AVX-512 and NEON. Ideas: rows shared by threads and quantised weights read as they are
// from llama.cpp, software prefetch from measurements here; no code is taken over.

#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX2__) || defined(__F16C__)
#include <immintrin.h>
#endif

#define LANES 16
#define AHEAD 4096 // bytes that are fetched ahead of their use
#define MOST_THREADS 64
#define SPINS 4000 // rounds of a wait within a step, after which a thread lets others run

typedef float vfloat __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef float vhalves __attribute__((vector_size(2 * LANES), aligned(4), may_alias));
typedef float vquarters __attribute__((vector_size(LANES), aligned(4), may_alias));
typedef int32_t vint __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int16_t vshort __attribute__((vector_size(2 * LANES), aligned(2), may_alias));
typedef int8_t vbyte __attribute__((vector_size(LANES), aligned(1), may_alias));

enum format { FP32 = 0, FP16 = 1, INT16 = 2, INT8 = 3 };
enum activation { GELU_TANH = 0, GELU = 1, RELU = 2 };

typedef struct {
  const void *weight; // [n, k], rows one after the other
  const float *scale; // [n], of INT16 and INT8
  const float *bias;  // [n], or NULL
  int64_t n, k, format;
} matrix;

typedef struct {
  const float *weight, *bias;
  float epsilon;
  int32_t present;
} norm;

typedef struct {
  norm norm_1, norm_2;
  matrix c_attn, attn_proj, c_fc, mlp_proj;
  int64_t has_mlp;
} layer;

typedef struct {
  int64_t n_layer, n_head, head_dim, n_embd, inner, pre_norm, activation;
  const float *wte, *wpe; // wpe may be NULL
  const layer *layers;
  norm final_norm;
  matrix lm_head;
} model;

typedef struct {
  const model *m;
  int64_t B;
  const int64_t *tokens, *lengths; // [B]; lengths: tokens before this one
  float *cache;                    // [n_layer, 2, rows, n_head, positions, head_dim]
  int64_t rows, positions;
  float *logits;                  // [B, V]
  float *x, *qkv, *mixed, *inner; // [B, C], [B, 3C], [B, C], [B, inner]
  float *own;                     // for each thread [B, C], then [positions]
  int64_t own_size;
  int64_t threads;
} step;

// --- vectors
static inline vfloat splat(float x) { return (vfloat){0} + x; }

static inline float sum(vfloat v) { // by halves: one after the other, sixteen additions would wait for each other
  vhalves eight = ((vhalves *)&v)[0] + ((vhalves *)&v)[1];
  vquarters four = ((vquarters *)&eight)[0] + ((vquarters *)&eight)[1];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

static inline vfloat choose(vint mask, vfloat yes, vfloat no) { return (vfloat)(((vint)yes & mask) | ((vint)no & ~mask)); }

// e to the x, relative error below 2e-7; Cephes' polynomial after a reduction by ln 2.
static inline vfloat exponential(vfloat x) {
  x = choose(x > 88.0f, splat(88.0f), x);
  x = choose(x < -87.0f, splat(-87.0f), x);
  vfloat turns = x * 1.44269504088896341f;
  turns += choose(turns < 0.0f, splat(-0.5f), splat(0.5f));
  vint whole = __builtin_convertvector(turns, vint);
  vfloat n = __builtin_convertvector(whole, vfloat);
  x = x - n * 0.693359375f + n * 2.12194440e-4f;
  vfloat y = splat(1.9875691500e-4f);
  y = y * x + 1.3981999507e-3f;
  y = y * x + 8.3334519073e-3f;
  y = y * x + 4.1665795894e-2f;
  y = y * x + 1.6666665459e-1f;
  y = y * x + 5.0000001201e-1f;
  y = y * x * x + x + 1.0f;
  return y * (vfloat)((whole + 127) << 23);
}

static void activate(float *x, int64_t n, int64_t kind) {
  if (kind == GELU) {
    for (int64_t i = 0; i < n; i++) x[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678118654752f));
    return;
  }
  if (kind == RELU) {
    for (int64_t i = 0; i < n; i++) x[i] = x[i] < 0 ? 0 : x[i]; // NaN stays
    return;
  }
  for (int64_t i = 0; i < n; i += LANES) {
    float part[LANES] = {0};
    int64_t here = n - i < LANES ? n - i : LANES;
    memcpy(part, x + i, here * sizeof(float));
    vfloat v = *(vfloat *)part;
    vfloat u = 1.5957691216057308f * (v + 0.044715f * v * v * v); // 2 sqrt(2/pi) times
    v = v / (1.0f + exponential(-u));
    *(vfloat *)part = v;
    memcpy(x + i, part, here * sizeof(float));
  }
}

static void normalise(float *to, const float *x, const norm *by, int64_t n) {
  if (!by->present) {
    if (to != x) memcpy(to, x, n * sizeof(float));
    return;
  }
  vfloat total = {0}, squares = {0};
  float mean = 0, variance = 0;
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) total += *(const vfloat *)(x + i);
  mean = sum(total);
  for (; i < n; i++) mean += x[i];
  mean /= n;
  for (i = 0; i + LANES <= n; i += LANES) {
    vfloat off = *(const vfloat *)(x + i) - mean;
    squares += off * off;
  }
  variance = sum(squares);
  for (; i < n; i++) variance += (x[i] - mean) * (x[i] - mean);
  float scale = 1.0f / sqrtf(variance / n + by->epsilon);
  for (i = 0; i < n; i++) to[i] = (x[i] - mean) * scale * by->weight[i] + by->bias[i];
}

// --- products
// Sixteen weights as floats. Compilers widen 16-bit numbers well; bytes and halves they take one by one on x86, which
// has instructions for sixteen or eight of them.
static inline vfloat widen_fp32(const float *w) { return *(const vfloat *)w; }
static inline vfloat widen_int16(const int16_t *w) { return __builtin_convertvector(*(const vshort *)w, vfloat); }
static inline vfloat widen_int8(const int8_t *w) {
#if defined(__AVX512F__)
  return (vfloat)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)w)));
#elif defined(__AVX2__)
  vfloat all;
  ((vhalves *)&all)[0] = (vhalves)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)w)));
  ((vhalves *)&all)[1] = (vhalves)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(w + 8))));
  return all;
#else
  return __builtin_convertvector(__builtin_convertvector(*(const vbyte *)w, vint), vfloat);
#endif
}
static inline float plain_fp32(float w) { return w; }
static inline float plain_int16(int16_t w) { return w; }
static inline float plain_int8(int8_t w) { return w; }

#if defined(__AVX512F__) || defined(__F16C__)
#define HAS_HALF 1
typedef uint16_t half;
static inline vfloat widen_fp16(const half *w) {
#if defined(__AVX512F__)
  return (vfloat)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)w));
#else
  vfloat all;
  ((vhalves *)&all)[0] = (vhalves)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)w));
  ((vhalves *)&all)[1] = (vhalves)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)w + 1));
  return all;
#endif
}
static inline float plain_fp16(half w) { return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(w))); }
#elif defined(__aarch64__)
#define HAS_HALF 1
typedef __fp16 half;
typedef half vhalf __attribute__((vector_size(2 * LANES), aligned(2), may_alias));
static inline vfloat widen_fp16(const half *w) { return __builtin_convertvector(*(const vhalf *)w, vfloat); }
static inline float plain_fp16(half w) { return w; }
#else
#define HAS_HALF 0
#endif

// A row of a format times one vector; and two rows, or one twice, times four vectors.
#define PRODUCTS(NAME, TYPE)                                                                                           \
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
  static void NAME##_four(const TYPE *w, const float *x, int64_t k, int64_t rows, float *to) {                         \
    vfloat a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};                                     \
    const TYPE *next = rows > 1 ? w + k : w;                                                                           \
    int64_t j = 0;                                                                                                     \
    for (; j + LANES <= k; j += LANES) {                                                                               \
      __builtin_prefetch((const char *)(w + j) + AHEAD), __builtin_prefetch((const char *)(next + j) + AHEAD);         \
      vfloat row = widen_##NAME(w + j), other = widen_##NAME(next + j);                                                \
      vfloat one = *(const vfloat *)(x + j), two = *(const vfloat *)(x + k + j);                                       \
      vfloat three = *(const vfloat *)(x + 2 * k + j), four = *(const vfloat *)(x + 3 * k + j);                        \
      a += row * one, b += row * two, c += row * three, d += row * four;                                               \
      e += other * one, f += other * two, g += other * three, h += other * four;                                       \
    }                                                                                                                  \
    float sums[8] = {sum(a), sum(b), sum(c), sum(d), sum(e), sum(f), sum(g), sum(h)};                                  \
    for (; j < k; j++)                                                                                                 \
      for (int i = 0; i < 8; i++) sums[i] += plain_##NAME((i < 4 ? w : next)[j]) * x[(i & 3) * k + j];                 \
    memcpy(to, sums, sizeof sums);                                                                                     \
  }

PRODUCTS(fp32, float)
PRODUCTS(int16, int16_t)
PRODUCTS(int8, int8_t)
#if HAS_HALF
PRODUCTS(fp16, half)
#endif

#define ROWS(NAME, TYPE)                                                                                               \
  {                                                                                                                    \
    const TYPE *w = (const TYPE *)m->weight + i * k;                                                                   \
    int64_t b = 0;                                                                                                     \
    for (; b + 4 <= B; b += 4) {                                                                                       \
      float both[8];                                                                                                   \
      NAME##_four(w, x + b * k, k, here, both);                                                                        \
      memcpy(found + b, both, 4 * sizeof(float)), memcpy(found + B + b, both + 4, 4 * sizeof(float));                  \
    }                                                                                                                  \
    for (; b < B; b++)                                                                                                 \
      for (int64_t r = 0; r < here; r++) found[r * B + b] = NAME##_one(w + r * k, x + b * k, k);                       \
  }

// This thread's share of x W^T + bias for B vectors; added to what stands there, or in its place.
static void multiply(const matrix *m, const float *x, int64_t B, float *to, int add, int64_t thread, int64_t threads) {
  int64_t n = m->n, k = m->k, share = (n + threads - 1) / threads;
  int64_t first = thread * share, last = first + share < n ? first + share : n;
  int64_t at_once = B < 4 ? 1 : 2;
  float found[2 * B];
  for (int64_t i = first; i < last; i += at_once) {
    int64_t here = last - i < at_once ? last - i : at_once;
    switch (m->format) {
    case FP32: ROWS(fp32, float) break;
    case INT16: ROWS(int16, int16_t) break;
    case INT8: ROWS(int8, int8_t) break;
#if HAS_HALF
    case FP16: ROWS(fp16, half) break;
#endif
    }
    for (int64_t r = 0; r < here; r++) {
      float scale = m->scale ? m->scale[i + r] : 1.0f, bias = m->bias ? m->bias[i + r] : 0.0f;
      for (int64_t b = 0; b < B; b++) {
        float value = found[r * B + b] * scale + bias, *there = to + b * n + i + r;
        *there = add ? *there + value : value;
      }
    }
  }
}

// --- attention of one head of one text, over its cache and the new token
static void attend(const step *s, int64_t at, int64_t b, int64_t h, float *scores) {
  const model *m = s->m;
  int64_t D = m->head_dim, C = m->n_embd, T = s->lengths[b] + 1;
  const float *q = s->qkv + b * 3 * C + h * D;
  int64_t block = s->rows * m->n_head * s->positions * D, place = (b * m->n_head + h) * s->positions * D;
  float *keys = s->cache + (2 * at) * block + place, *values = s->cache + (2 * at + 1) * block + place;
  memcpy(keys + (T - 1) * D, q + C, D * sizeof(float));
  memcpy(values + (T - 1) * D, q + 2 * C, D * sizeof(float));
  float most = -INFINITY, total = 0, scale = 1.0f / sqrtf((float)D);
  for (int64_t t = 0; t < T; t++) {
    scores[t] = fp32_one(keys + t * D, q, D) * scale;
    most = scores[t] > most ? scores[t] : most;
  }
  for (int64_t t = T; t % LANES; t++) scores[t] = -INFINITY;
  for (int64_t t = 0; t < T; t += LANES) *(vfloat *)(scores + t) = exponential(*(vfloat *)(scores + t) - most);
  for (int64_t t = 0; t < T; t++) total += scores[t];
  float *to = s->mixed + b * C + h * D;
  memset(to, 0, D * sizeof(float));
  for (int64_t t = 0; t < T; t++) {
    float weight = scores[t] / total;
    for (int64_t d = 0; d < D; d++) to[d] += weight * values[t * D + d];
  }
}

// --- threads
typedef struct {
  atomic_long arrived, round;
} meeting;

static meeting meet_at;

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

static void meet(int64_t threads) {
  if (threads == 1) return;
  long round = atomic_load_explicit(&meet_at.round, memory_order_acquire);
  if (atomic_fetch_add_explicit(&meet_at.arrived, 1, memory_order_acq_rel) == threads - 1) {
    atomic_store_explicit(&meet_at.arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&meet_at.round, round + 1, memory_order_release);
    return;
  }
  for (long spins = 0; atomic_load_explicit(&meet_at.round, memory_order_acquire) == round; spins++) {
    if (spins < SPINS) relax();
    else sched_yield();
  }
}

static void normalise_all(const step *s, const norm *by, float *to, const float *x) {
  int64_t C = s->m->n_embd;
  for (int64_t b = 0; b < s->B; b++) normalise(to + b * C, x + b * C, by, C);
}

static void share_of(const step *s, int64_t thread) {
  const model *m = s->m;
  int64_t B = s->B, C = m->n_embd, n = s->threads;
  float *read = s->own + thread * s->own_size, *scores = read + B * C;
  norm none = {0};
  for (int64_t b = thread; b < B; b += n)
    for (int64_t i = 0; i < C; i++)
      s->x[b * C + i] = m->wte[s->tokens[b] * C + i] + (m->wpe ? m->wpe[s->lengths[b] * C + i] : 0.0f);
  meet(n);
  for (int64_t at = 0; at < m->n_layer; at++) {
    const layer *l = m->layers + at;
    normalise_all(s, m->pre_norm ? &l->norm_1 : &none, read, s->x);
    multiply(&l->c_attn, read, B, s->qkv, 0, thread, n);
    meet(n);
    for (int64_t unit = thread; unit < B * m->n_head; unit += n) attend(s, at, unit / m->n_head, unit % m->n_head, scores);
    meet(n);
    multiply(&l->attn_proj, s->mixed, B, s->x, 1, thread, n);
    meet(n);
    if (!m->pre_norm) {
      if (!thread) normalise_all(s, &l->norm_1, s->x, s->x);
      meet(n);
    }
    if (!l->has_mlp) continue;
    normalise_all(s, m->pre_norm ? &l->norm_2 : &none, read, s->x);
    multiply(&l->c_fc, read, B, s->inner, 0, thread, n);
    int64_t share = (m->inner + n - 1) / n, first = thread * share;
    int64_t here = first + share < m->inner ? share : m->inner - first;
    for (int64_t b = 0; b < B && here > 0; b++) activate(s->inner + b * m->inner + first, here, m->activation);
    meet(n);
    multiply(&l->mlp_proj, s->inner, B, s->x, 1, thread, n);
    meet(n);
    if (!m->pre_norm) {
      if (!thread) normalise_all(s, &l->norm_2, s->x, s->x);
      meet(n);
    }
  }
  normalise_all(s, &m->final_norm, read, s->x);
  multiply(&m->lm_head, read, B, s->logits, 0, thread, n);
  meet(n);
}

static pthread_mutex_t one_step = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static const step *job;
static long number;
static int64_t started;

static void *worker(void *given) {
  int64_t thread = (int64_t)(intptr_t)given;
  long seen = 0;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (number == seen || !job || thread >= job->threads) {
      seen = number;
      pthread_cond_wait(&work, &lock);
    }
    seen = number;
    const step *mine = job;
    pthread_mutex_unlock(&lock);
    share_of(mine, thread);
  }
  return NULL;
}

// Runs a step; several threads may call it, one after the other.
void gptcore_step(const step *s) {
  pthread_mutex_lock(&one_step);
  step mine = *s;
  if (mine.threads > MOST_THREADS) mine.threads = MOST_THREADS;
  for (; started < mine.threads - 1; started++) {
    pthread_t made;
    if (pthread_create(&made, NULL, worker, (void *)(intptr_t)(started + 1))) break;
    pthread_detach(made);
  }
  if (started < mine.threads - 1) mine.threads = started + 1;
  if (mine.threads > 1) {
    pthread_mutex_lock(&lock);
    job = &mine;
    number++;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
  }
  share_of(&mine, 0);
  if (mine.threads > 1) {
    pthread_mutex_lock(&lock);
    job = NULL;
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_unlock(&one_step);
}

// The formats that this build can read, a bit each; and the sizes of the structures, to compare with the caller's.
int64_t gptcore_formats(void) { return 1 << FP32 | 1 << INT16 | 1 << INT8 | HAS_HALF << FP16; }
int64_t gptcore_sizes(int64_t which) { return which == 0 ? sizeof(model) : which == 1 ? sizeof(layer) : sizeof(step); }
