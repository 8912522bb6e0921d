// One step of a GPT for B texts at once: embeddings, blocks with attention over the cache, final norm, output head.
//
// Weights are read once a step, a row at a time, in the format in which they are stored (fp32, fp16, or whole numbers of
// 16 bits with a scale for each row); sums and everything else are fp32. Threads share the rows of each product
// and meet after it. They sleep between steps. Ideas: rows shared by threads and quantised weights read as they are
// from llama.cpp, software prefetch from measurements here; no code is taken over.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "products.h"

#define MOST_THREADS 64
#define SPINS 4000 // rounds of a wait within a step, after which a thread lets others run

enum activation { GELU_TANH = 0, GELU = 1, RELU = 2 };

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
  float *x, *qkv, *mixed, *inner; // in groups of S texts: C, 3C, C and `inner` numbers of each
  float *own;                     // for each thread C numbers of each text, then [positions]
  int64_t own_size;
  int64_t threads;
} step;

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
    *(vfloat *)part = v * sigmoid(u);
    memcpy(x + i, part, here * sizeof(float));
  }
}

// The norm of n numbers of each of S texts. Each text's mean and variance are summed by themselves; S is a constant
// where this is called, so that the loops over texts become vectors.
static inline __attribute__((always_inline)) void normalise_group(float *to, const float *x, const norm *by, int64_t n,
                                                                  const int S) {
  float mean[16] = {0}, scale[16] = {0};
  for (int64_t i = 0; i < n; i++)
    for (int l = 0; l < S; l++) mean[l] += x[i * S + l];
  for (int l = 0; l < S; l++) mean[l] /= n;
  for (int64_t i = 0; i < n; i++)
    for (int l = 0; l < S; l++) scale[l] += (x[i * S + l] - mean[l]) * (x[i * S + l] - mean[l]);
  for (int l = 0; l < S; l++) scale[l] = 1.0f / sqrtf(scale[l] / n + by->epsilon);
  for (int64_t i = 0; i < n; i++)
    for (int l = 0; l < S; l++) to[i * S + l] = (x[i * S + l] - mean[l]) * scale[l] * by->weight[i] + by->bias[i];
}

static void normalise_one(float *to, const float *x, const norm *by, int64_t n) {
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

static void normalise(const step *s, const norm *by, float *to, const float *x) {
  int64_t C = s->m->n_embd, S = group_size(s->B), groups = (s->B + S - 1) / S;
  if (!by->present) {
    if (to != x) memcpy(to, x, groups * S * C * sizeof(float));
    return;
  }
  for (int64_t g = 0, at = 0; g < groups; g++, at += S * C) {
    if (S == 1) normalise_one(to + at, x + at, by, C);
    else if (S == 4) normalise_group(to + at, x + at, by, C, 4);
    else if (S == 8) normalise_group(to + at, x + at, by, C, 8);
    else normalise_group(to + at, x + at, by, C, 16);
  }
}

// --- attention of one head of one text, over its cache and the new token
static void attend(const step *s, int64_t at, int64_t b, int64_t h, float *scores) {
  const model *m = s->m;
  int64_t D = m->head_dim, C = m->n_embd, T = s->lengths[b] + 1, S = group_size(s->B);
  const float *qkv = s->qkv + b / S * S * 3 * C + b % S + h * D * S;
  float *mixed = s->mixed + b / S * S * C + b % S + h * D * S, q[D], to[D];
  int64_t block = s->rows * m->n_head * s->positions * D, place = (b * m->n_head + h) * s->positions * D;
  float *keys = s->cache + (2 * at) * block + place, *values = s->cache + (2 * at + 1) * block + place;
  for (int64_t d = 0; d < D; d++) {
    q[d] = qkv[d * S];
    keys[(T - 1) * D + d] = qkv[(C + d) * S];
    values[(T - 1) * D + d] = qkv[(2 * C + d) * S];
    to[d] = 0;
  }
  float most = -INFINITY, total = 0, scale = 1.0f / sqrtf((float)D);
  for (int64_t t = 0; t < T; t++) {
    scores[t] = fp32_one(keys + t * D, q, D) * scale;
    most = scores[t] > most ? scores[t] : most;
  }
  for (int64_t t = T; t % LANES; t++) scores[t] = -INFINITY;
  for (int64_t t = 0; t < T; t += LANES) *(vfloat *)(scores + t) = exponential(*(vfloat *)(scores + t) - most);
  for (int64_t t = 0; t < T; t++) total += scores[t];
  for (int64_t t = 0; t < T; t++) {
    float weight = scores[t] / total;
    for (int64_t d = 0; d < D; d++) to[d] += weight * values[t * D + d];
  }
  for (int64_t d = 0; d < D; d++) mixed[d * S] = to[d];
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

static void share_of(const step *s, int64_t thread) {
  const model *m = s->m;
  int64_t B = s->B, S = group_size(B), padded = (B + S - 1) / S * S, C = m->n_embd, n = s->threads;
  float *read = s->own + thread * s->own_size, *scores = read + padded * C;
  norm none = {0};
  for (int64_t b = thread; b < B; b += n)
    for (int64_t i = 0; i < C; i++)
      s->x[(b / S * C + i) * S + b % S] =
          m->wte[s->tokens[b] * C + i] + (m->wpe ? m->wpe[s->lengths[b] * C + i] : 0.0f);
  meet(n);
  for (int64_t at = 0; at < m->n_layer; at++) {
    const layer *l = m->layers + at;
    normalise(s, m->pre_norm ? &l->norm_1 : &none, read, s->x);
    multiply(&l->c_attn, read, B, S, s->qkv, REPLACE, thread, n);
    meet(n);
    for (int64_t unit = thread; unit < B * m->n_head; unit += n) attend(s, at, unit / m->n_head, unit % m->n_head, scores);
    meet(n);
    multiply(&l->attn_proj, s->mixed, B, S, s->x, ADD, thread, n);
    meet(n);
    if (!m->pre_norm) {
      if (!thread) normalise(s, &l->norm_1, s->x, s->x);
      meet(n);
    }
    if (!l->has_mlp) continue;
    normalise(s, m->pre_norm ? &l->norm_2 : &none, read, s->x);
    multiply(&l->c_fc, read, B, S, s->inner, REPLACE, thread, n);
    rows_of share = share_of_rows(m->inner, thread, n);
    for (int64_t g = 0; g < padded / S; g++)
      activate(s->inner + (g * m->inner + share.first) * S, (share.last - share.first) * S, m->activation);
    meet(n);
    multiply(&l->mlp_proj, s->inner, B, S, s->x, ADD, thread, n);
    meet(n);
    if (!m->pre_norm) {
      if (!thread) normalise(s, &l->norm_2, s->x, s->x);
      meet(n);
    }
  }
  normalise(s, &m->final_norm, read, s->x);
  multiply(&m->lm_head, read, B, S, s->logits, OUT, thread, n);
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

// The formats that this build can read, a bit each; the texts that room must be made for; and the sizes of the structures, to compare with the caller's.
int64_t gptcore_formats(void) { return 1 << FP32 | 1 << INT16 | HAS_HALF << FP16; }
int64_t gptcore_padded(int64_t B) { return (B + group_size(B) - 1) / group_size(B) * group_size(B); }
int64_t gptcore_sizes(int64_t which) { return which == 0 ? sizeof(model) : which == 1 ? sizeof(layer) : sizeof(step); }
