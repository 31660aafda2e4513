/*
 * simd.h - template: the few vector operations that compilers do not find by
 * themselves, for one element type and one instruction set.
 *
 * Before inclusion: REAL, REAL_BITS, FN (see math/real.h) and WSI_ISA_AVX512,
 * WSI_ISA_AVX2 or neither.  Provides
 *     LANES, FN(vec)                the vector
 *     FN(vload|vstore|vset1|vec_fma)
 *     FN(vec_abs)
 *     FN(vgreater)                  a bit per lane
 *     FN(rank)                      lane -> number of mask bits at or below it
 *     FN(vrank|vtake)               p[rank(lane)] for every lane
 *     FN(ticks_at|ticks_next)       ticks of LANES samples, of the next LANES
 *     FN(ticks_since|ticks_since_ranked)  ticks since t, or t[rank(lane)], as REAL
 *     FN(vpack)                     marked lanes and their ticks to the front (AVX-512)
 * Only data moves here: the arithmetic is in src/math.
 */
#include <stdint.h>
#include <string.h>

#ifndef WSI_SIMD_ONCE
#define WSI_SIMD_ONCE
#if defined(WSI_ISA_AVX512) || defined(WSI_ISA_AVX2)
#include <immintrin.h>
#endif
#ifdef __ARM_NEON
#include <arm_neon.h>
#endif

/* rank_table[m][i]: bits of m at or below bit i. */
#define RANK_1(m, i) (uint8_t)__builtin_popcount((m) & ((2u << (i)) - 1))
#define RANK_8(m) { RANK_1(m, 0), RANK_1(m, 1), RANK_1(m, 2), RANK_1(m, 3), \
		    RANK_1(m, 4), RANK_1(m, 5), RANK_1(m, 6), RANK_1(m, 7) }
#define RANK_X4(m) RANK_8(m), RANK_8((m) + 1), RANK_8((m) + 2), RANK_8((m) + 3)
#define RANK_X16(m) RANK_X4(m), RANK_X4((m) + 4), RANK_X4((m) + 8), RANK_X4((m) + 12)
#define RANK_X64(m) RANK_X16(m), RANK_X16((m) + 16), RANK_X16((m) + 32), RANK_X16((m) + 48)
static const uint8_t rank_table[256][8] __attribute__((aligned(64))) = {
	RANK_X64(0), RANK_X64(64), RANK_X64(128), RANK_X64(192)
};

/* Without FMA hardware this is slow, and as exact. */
WSI_FN double scalar_fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
WSI_FN float scalar_fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

#if defined(WSI_ISA_AVX512) || defined(WSI_ISA_AVX2)
/* Ticks of eight samples. */
WSI_FN __m256i
eight_ticks_at(int32_t first)
{
	return _mm256_add_epi32(_mm256_set1_epi32(first),
	                        _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14));
}
WSI_FN __m256i
eight_ticks_next(__m256i n)
{
	return _mm256_add_epi32(n, _mm256_set1_epi32(2 * 8));
}
#endif
#endif

#if defined(WSI_ISA_AVX512) && REAL_BITS == 64

#define LANES 8
typedef __m512d FN(vec);
typedef struct FN(rank) { __m512i wide; __m256i narrow; } FN(rank);
WSI_FN FN(vec) FN(vload)(const REAL *p) { return _mm512_loadu_pd(p); }
WSI_FN void FN(vstore)(REAL *p, FN(vec) v) { _mm512_storeu_pd(p, v); }
WSI_FN FN(vec) FN(vset1)(REAL x) { return _mm512_set1_pd(x); }
WSI_FN FN(vec) FN(vec_fma)(FN(vec) a, FN(vec) b, FN(vec) c) { return _mm512_fmadd_pd(a, b, c); }
WSI_FN FN(vec) FN(vec_abs)(FN(vec) a) { return _mm512_abs_pd(a); }
WSI_FN unsigned FN(vgreater)(FN(vec) a, FN(vec) b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ); }
WSI_FN FN(rank)
FN(vrank)(unsigned m)
{
	__m128i bytes = _mm_loadl_epi64((const __m128i *)rank_table[m]);
	return (FN(rank)){ _mm512_cvtepu8_epi64(bytes), _mm256_cvtepu8_epi32(bytes) };
}
WSI_FN FN(vec)
FN(vtake)(const REAL *p, FN(rank) r)
{
	return _mm512_permutexvar_pd(r.wide, _mm512_loadu_pd(p));
}
typedef __m256i FN(ticks);
WSI_FN FN(ticks) FN(ticks_at)(int32_t first) { return eight_ticks_at(first); }
WSI_FN FN(ticks) FN(ticks_next)(FN(ticks) n) { return eight_ticks_next(n); }

WSI_FN FN(vec)
FN(ticks_since)(FN(ticks) n, int32_t t)
{
	return _mm512_cvtepi32_pd(_mm256_sub_epi32(n, _mm256_set1_epi32(t)));
}
WSI_FN FN(vec)
FN(ticks_since_ranked)(FN(ticks) n, const int32_t *t, FN(rank) r)
{
	__m256i taken = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)t),
	                                            r.narrow);
	return _mm512_cvtepi32_pd(_mm256_sub_epi32(n, taken));
}

/* LANES samples and their ticks, where marked, to the front of t and v. */
WSI_FN void
FN(vpack)(unsigned m, const REAL *x, FN(ticks) n, int32_t *t, REAL *v)
{
	_mm512_storeu_pd(v, _mm512_maskz_compress_pd((__mmask8)m, _mm512_loadu_pd(x)));
	_mm256_storeu_si256((__m256i *)t, _mm256_maskz_compress_epi32((__mmask8)m, n));
}

#elif defined(WSI_ISA_AVX512) && REAL_BITS == 32

#define LANES 16
typedef __m512 FN(vec);
typedef struct FN(rank) { __m512i wide; } FN(rank);
WSI_FN FN(vec) FN(vload)(const REAL *p) { return _mm512_loadu_ps(p); }
WSI_FN void FN(vstore)(REAL *p, FN(vec) v) { _mm512_storeu_ps(p, v); }
WSI_FN FN(vec) FN(vset1)(REAL x) { return _mm512_set1_ps(x); }
WSI_FN FN(vec) FN(vec_fma)(FN(vec) a, FN(vec) b, FN(vec) c) { return _mm512_fmadd_ps(a, b, c); }
WSI_FN FN(vec) FN(vec_abs)(FN(vec) a) { return _mm512_abs_ps(a); }
WSI_FN unsigned FN(vgreater)(FN(vec) a, FN(vec) b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
WSI_FN FN(rank)
FN(vrank)(unsigned m)
{
	__m128i low = _mm_loadl_epi64((const __m128i *)rank_table[m & 255]);
	__m128i high = _mm_loadl_epi64((const __m128i *)rank_table[m >> 8]);
	high = _mm_add_epi8(high, _mm_set1_epi8((char)__builtin_popcount(m & 255)));
	return (FN(rank)){ _mm512_cvtepu8_epi32(_mm_unpacklo_epi64(low, high)) };
}
WSI_FN FN(vec)
FN(vtake)(const REAL *p, FN(rank) r)
{
	return _mm512_permutexvar_ps(r.wide, _mm512_loadu_ps(p));
}
typedef __m512i FN(ticks);
WSI_FN FN(ticks)
FN(ticks_at)(int32_t first)
{
	return _mm512_add_epi32(_mm512_set1_epi32(first),
	                        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
	                                          26, 28, 30));
}
WSI_FN FN(ticks)
FN(ticks_next)(FN(ticks) n)
{
	return _mm512_add_epi32(n, _mm512_set1_epi32(2 * LANES));
}

WSI_FN FN(vec)
FN(ticks_since)(FN(ticks) n, int32_t t)
{
	return _mm512_cvtepi32_ps(_mm512_sub_epi32(n, _mm512_set1_epi32(t)));
}
WSI_FN FN(vec)
FN(ticks_since_ranked)(FN(ticks) n, const int32_t *t, FN(rank) r)
{
	__m512i taken = _mm512_permutexvar_epi32(r.wide, _mm512_loadu_si512(t));
	return _mm512_cvtepi32_ps(_mm512_sub_epi32(n, taken));
}

WSI_FN void
FN(vpack)(unsigned m, const REAL *x, FN(ticks) n, int32_t *t, REAL *v)
{
	_mm512_storeu_ps(v, _mm512_maskz_compress_ps((__mmask16)m, _mm512_loadu_ps(x)));
	_mm512_storeu_si512(t, _mm512_maskz_compress_epi32((__mmask16)m, n));
}

#elif defined(WSI_ISA_AVX2) && REAL_BITS == 64

#define LANES 4
typedef __m256d FN(vec);
typedef struct FN(rank) { __m256i wide; __m128i narrow; } FN(rank);
WSI_FN FN(vec) FN(vload)(const REAL *p) { return _mm256_loadu_pd(p); }
WSI_FN void FN(vstore)(REAL *p, FN(vec) v) { _mm256_storeu_pd(p, v); }
WSI_FN FN(vec) FN(vset1)(REAL x) { return _mm256_set1_pd(x); }
WSI_FN FN(vec) FN(vec_fma)(FN(vec) a, FN(vec) b, FN(vec) c) { return _mm256_fmadd_pd(a, b, c); }
WSI_FN FN(vec) FN(vec_abs)(FN(vec) a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
WSI_FN unsigned
FN(vgreater)(FN(vec) a, FN(vec) b)
{
	return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ));
}

WSI_FN FN(rank)
FN(vrank)(unsigned m)
{
	int32_t four;
	memcpy(&four, rank_table[m], sizeof four);
	__m128i narrow = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(four));
	/* A double is two 32-bit lanes: 2 r and 2 r + 1. */
	__m256i twice = _mm256_slli_epi32(_mm256_cvtepu32_epi64(narrow), 1);
	__m256i next = _mm256_add_epi64(twice, _mm256_set1_epi64x(1));
	__m256i wide = _mm256_or_si256(twice, _mm256_slli_epi64(next, 32));
	return (FN(rank)){ wide, narrow };
}
WSI_FN FN(vec)
FN(vtake)(const REAL *p, FN(rank) r)
{
	__m256i bits = _mm256_castpd_si256(_mm256_loadu_pd(p));
	return _mm256_castsi256_pd(_mm256_permutevar8x32_epi32(bits, r.wide));
}
typedef __m128i FN(ticks);
WSI_FN FN(ticks)
FN(ticks_at)(int32_t first)
{
	return _mm_add_epi32(_mm_set1_epi32(first), _mm_setr_epi32(0, 2, 4, 6));
}
WSI_FN FN(ticks) FN(ticks_next)(FN(ticks) n) { return _mm_add_epi32(n, _mm_set1_epi32(2 * LANES)); }
WSI_FN FN(vec)
FN(ticks_since)(FN(ticks) n, int32_t t)
{
	return _mm256_cvtepi32_pd(_mm_sub_epi32(n, _mm_set1_epi32(t)));
}
WSI_FN FN(vec)
FN(ticks_since_ranked)(FN(ticks) n, const int32_t *t, FN(rank) r)
{
	__m128 four = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)t));
	__m128i taken = _mm_castps_si128(_mm_permutevar_ps(four, r.narrow));
	return _mm256_cvtepi32_pd(_mm_sub_epi32(n, taken));
}

#elif defined(WSI_ISA_AVX2) && REAL_BITS == 32

#define LANES 8
typedef __m256 FN(vec);
typedef struct FN(rank) { __m256i wide; } FN(rank);
WSI_FN FN(vec) FN(vload)(const REAL *p) { return _mm256_loadu_ps(p); }
WSI_FN void FN(vstore)(REAL *p, FN(vec) v) { _mm256_storeu_ps(p, v); }
WSI_FN FN(vec) FN(vset1)(REAL x) { return _mm256_set1_ps(x); }
WSI_FN FN(vec) FN(vec_fma)(FN(vec) a, FN(vec) b, FN(vec) c) { return _mm256_fmadd_ps(a, b, c); }
WSI_FN FN(vec) FN(vec_abs)(FN(vec) a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
WSI_FN unsigned
FN(vgreater)(FN(vec) a, FN(vec) b)
{
	return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ));
}

WSI_FN FN(rank)
FN(vrank)(unsigned m)
{
	return (FN(rank)){ _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)rank_table[m])) };
}
WSI_FN FN(vec)
FN(vtake)(const REAL *p, FN(rank) r)
{
	return _mm256_permutevar8x32_ps(_mm256_loadu_ps(p), r.wide);
}
typedef __m256i FN(ticks);
WSI_FN FN(ticks) FN(ticks_at)(int32_t first) { return eight_ticks_at(first); }
WSI_FN FN(ticks) FN(ticks_next)(FN(ticks) n) { return eight_ticks_next(n); }

WSI_FN FN(vec)
FN(ticks_since)(FN(ticks) n, int32_t t)
{
	return _mm256_cvtepi32_ps(_mm256_sub_epi32(n, _mm256_set1_epi32(t)));
}
WSI_FN FN(vec)
FN(ticks_since_ranked)(FN(ticks) n, const int32_t *t, FN(rank) r)
{
	__m256i taken = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)t), r.wide);
	return _mm256_cvtepi32_ps(_mm256_sub_epi32(n, taken));
}

#else /* any machine: 16-byte vectors, lane by lane where it must be */

#define LANES (128 / REAL_BITS)
typedef REAL FN(vec) __attribute__((vector_size(16)));
typedef struct FN(rank) { const uint8_t *of; } FN(rank);
WSI_FN FN(vec) FN(vload)(const REAL *p) { FN(vec) v; memcpy(&v, p, sizeof v); return v; }
WSI_FN void FN(vstore)(REAL *p, FN(vec) v) { memcpy(p, &v, sizeof v); }
WSI_FN FN(vec)
FN(vset1)(REAL x)
{
	FN(vec) v;
	for (int i = 0; i < LANES; ++i)
		v[i] = x;
	return v;
}
WSI_FN FN(vec)
FN(vec_fma)(FN(vec) a, FN(vec) b, FN(vec) c)
{
#if defined(__ARM_NEON) && REAL_BITS == 64
	return (FN(vec))vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#elif defined(__ARM_NEON)
	return (FN(vec))vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
	FN(vec) v;
	for (int i = 0; i < LANES; ++i)
		v[i] = FN(scalar_fma)(a[i], b[i], c[i]);
	return v;
#endif
}
WSI_FN FN(vec)
FN(vec_abs)(FN(vec) a)
{
	for (int i = 0; i < LANES; ++i)
		a[i] = a[i] < (REAL)0 ? -a[i] : a[i];
	return a;
}
WSI_FN unsigned
FN(vgreater)(FN(vec) a, FN(vec) b)
{
	unsigned m = 0;
	for (int i = 0; i < LANES; ++i)
		m |= (unsigned)(a[i] > b[i]) << i;
	return m;
}
WSI_FN FN(rank) FN(vrank)(unsigned m) { return (FN(rank)){ rank_table[m] }; }
WSI_FN FN(vec)
FN(vtake)(const REAL *p, FN(rank) r)
{
	FN(vec) v;
	for (int i = 0; i < LANES; ++i)
		v[i] = p[r.of[i]];
	return v;
}
typedef int32_t FN(ticks); /* of the first lane */
WSI_FN FN(ticks) FN(ticks_at)(int32_t first) { return first; }
WSI_FN FN(ticks) FN(ticks_next)(FN(ticks) n) { return n + 2 * LANES; }
WSI_FN FN(vec)
FN(ticks_since)(FN(ticks) n, int32_t t)
{
	FN(vec) v;
	for (int i = 0; i < LANES; ++i)
		v[i] = (REAL)(n - t + 2 * i);
	return v;
}
WSI_FN FN(vec)
FN(ticks_since_ranked)(FN(ticks) n, const int32_t *t, FN(rank) r)
{
	FN(vec) v;
	for (int i = 0; i < LANES; ++i)
		v[i] = (REAL)(n + 2 * i - t[r.of[i]]);
	return v;
}

#endif
