// Vectors of floats, as wide as the processor's, and weights of any format as floats. They are GCC's and Clang's vector
// extensions, so that the same text compiles for AVX-512, AVX2 and NEON; wider ones than the processor has would pass
// through memory. Intrinsics stand only where compilers take numbers one by one, or miss what AVX-512 has an instruction
// for.

#include <math.h>
#include <stdint.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__) && defined(__F16C__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float vfour __attribute__((vector_size(16), aligned(4), may_alias));
typedef float veight __attribute__((vector_size(32), aligned(4), may_alias));
typedef float vfloat __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t vint __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int16_t vshort __attribute__((vector_size(2 * LANES), aligned(2), may_alias));

static inline vfloat splat(float x) { return (vfloat){0} + x; }

static inline float sum(vfloat v) { // by halves: one after the other, the additions would wait for each other
#if LANES == 16
  veight eight = ((veight *)&v)[0] + ((veight *)&v)[1];
#elif LANES == 8
  veight eight = v;
#endif
#if LANES > 4
  vfour four = ((vfour *)&eight)[0] + ((vfour *)&eight)[1];
#else
  vfour four = v;
#endif
  return (four[0] + four[2]) + (four[1] + four[3]);
}

static inline vfloat choose(vint mask, vfloat yes, vfloat no) { return (vfloat)(((vint)yes & mask) | ((vint)no & ~mask)); }

static inline vfloat larger(vfloat a, vfloat b) { // NaN in b stays
#if LANES == 16
  return (vfloat)_mm512_max_ps((__m512)a, (__m512)b);
#else
  return choose(a > b, a, b);
#endif
}

// e to the x, relative error below 2e-7; Cephes' polynomial after a reduction by ln 2.
static inline vfloat exponential(vfloat x) {
  x = larger(splat(-87.0f), choose(x > 88.0f, splat(88.0f), x));
  vfloat turns = x * 1.44269504088896341f;
#if LANES == 16
  vfloat n = (vfloat)_mm512_roundscale_ps((__m512)turns, 0);
#else
  turns += choose(turns < 0.0f, splat(-0.5f), splat(0.5f));
  vint whole = __builtin_convertvector(turns, vint);
  vfloat n = __builtin_convertvector(whole, vfloat);
#endif
  x = x - n * 0.693359375f + n * 2.12194440e-4f;
  vfloat y = splat(1.9875691500e-4f);
  y = y * x + 1.3981999507e-3f;
  y = y * x + 8.3334519073e-3f;
  y = y * x + 4.1665795894e-2f;
  y = y * x + 1.6666665459e-1f;
  y = y * x + 5.0000001201e-1f;
  y = y * x * x + x + 1.0f;
#if LANES == 16
  return (vfloat)_mm512_scalef_ps((__m512)y, (__m512)n);
#else
  return y * (vfloat)((whole + 127) << 23);
#endif
}

// 1 / (1 + e to the -x), relative error below 1e-6.
static inline vfloat sigmoid(vfloat x) {
  vfloat below = 1.0f + exponential(-x);
#if LANES == 16 // dividing takes as long as all the rest: an estimate of 14 bits, and a step of Newton's
  vfloat inverse = (vfloat)_mm512_rcp14_ps((__m512)below);
  return inverse * (2.0f - below * inverse);
#else
  return 1.0f / below;
#endif
}

// --- as many weights as floats. Compilers widen 16-bit numbers well; halves they take one by one on x86, which has
// instructions for a vector of them.
static inline vfloat widen_fp32(const float *w) { return *(const vfloat *)w; }
static inline vfloat widen_int16(const int16_t *w) { return __builtin_convertvector(*(const vshort *)w, vfloat); }
static inline float plain_fp32(float w) { return w; }
static inline float plain_int16(int16_t w) { return w; }

#if LANES == 16 || LANES == 8
#define HAS_HALF 1
typedef uint16_t half;
static inline vfloat widen_fp16(const half *w) {
#if LANES == 16
  return (vfloat)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)w));
#else
  return (vfloat)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)w));
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
