/*
 * fft_simd.h - template: the inverse transform of ops/fft.h.
 *
 * Scratch holds the transposed array, two numbers a bin, and one group of LANES transforms along an
 * axis: 2 LANES n1 (or n2) numbers, which stay in the first cache up to some 320 of them (f32,
 * AVX-512).
 */

/* Complex vectors and the transforms of a few points. */
#undef VEC
#undef VEC_SET
#undef VEC_FMA
#define VEC FN(vec)
#define VEC_SET(c) FN(vset1)(c)
#define VEC_FMA(a, b, c) FN(vec_fma)((a), (b), (c))
#include "math/dft.h"

/* Where the first pass of LANES transforms reads: neighbouring bins from rows `stride` apart; with
 * response or taps (wsi_fft_in), k being the first bin's place.  im NULL: imaginary and real parts
 * alternate from re on. */
typedef struct FN(fft_source) {
	const REAL *re, *im;
	size_t stride;
	const REAL *response;
	size_t k, n, first, end; /* of the band's groups */
	ptrdiff_t ahead;        /* where later transforms read, from here: is asked for; or 0 */
	const double *taps_re, *taps_im;
} FN(fft_source);

/* Lanes 0, 2, .. of two vectors, and 1, 3, .. */
#if LANES == 16
#define WSI_EVEN(a, b) __builtin_shufflevector((a), (b), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, \
                                               22, 24, 26, 28, 30)
#define WSI_ODD(a, b) __builtin_shufflevector((a), (b), 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, \
                                              23, 25, 27, 29, 31)
#elif LANES == 8
#define WSI_EVEN(a, b) __builtin_shufflevector((a), (b), 0, 2, 4, 6, 8, 10, 12, 14)
#define WSI_ODD(a, b) __builtin_shufflevector((a), (b), 1, 3, 5, 7, 9, 11, 13, 15)
#elif LANES == 4
#define WSI_EVEN(a, b) __builtin_shufflevector((a), (b), 0, 2, 4, 6)
#define WSI_ODD(a, b) __builtin_shufflevector((a), (b), 1, 3, 5, 7)
#else
#define WSI_EVEN(a, b) __builtin_shufflevector((a), (b), 0, 2)
#define WSI_ODD(a, b) __builtin_shufflevector((a), (b), 1, 3)
#endif
WSI_FN FN(vec) FN(even_lanes)(FN(vec) a, FN(vec) b) { return WSI_EVEN(a, b); }
WSI_FN FN(vec) FN(odd_lanes)(FN(vec) a, FN(vec) b) { return WSI_ODD(a, b); }
#undef WSI_EVEN
#undef WSI_ODD

/* The last lane first. */
#if LANES == 16
#define WSI_BACKWARDS(a) __builtin_shufflevector((a), (a), 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, \
                                                 4, 3, 2, 1, 0)
#elif LANES == 8
#define WSI_BACKWARDS(a) __builtin_shufflevector((a), (a), 7, 6, 5, 4, 3, 2, 1, 0)
#elif LANES == 4
#define WSI_BACKWARDS(a) __builtin_shufflevector((a), (a), 3, 2, 1, 0)
#else
#define WSI_BACKWARDS(a) __builtin_shufflevector((a), (a), 1, 0)
#endif
WSI_FN FN(vec) FN(backwards)(FN(vec) a) { return WSI_BACKWARDS(a); }
#undef WSI_BACKWARDS

#if REAL_BITS == 64
/* Bins k .. k + LANES - 1 of x conj(taps) / n; n / 2 is the first lane of a vector. */
WSI_FN FN(cvec)
FN(fft_fetch_taps)(const FN(fft_source) *from, size_t k)
{
	static const REAL mirrored[9] = { 1, -1, -1, -1, -1, -1, -1, -1, -1 };
	const size_t n = from->n;
	const FN(vec) share = FN(vset1)((REAL)1 / (REAL)n);
	const FN(vec) c = FN(vload)(from->taps_re + k), d = FN(vload)(from->taps_im + k);
	FN(vec) a, b;
	if (k < n / 2) {
		a = FN(vload)(from->re + k);
		b = FN(vload)(from->im + k);
	} else {
		const size_t at = n - k - (LANES - 1);
		a = FN(backwards)(FN(vload)(from->re + at));
		b = FN(backwards)(FN(vload)(from->im + at)) *
			FN(vload)(mirrored + (k > n / 2));
	}
	return (FN(cvec)){ (a * c + b * d) * share, (b * c - a * d) * share };
}
#else
WSI_FN FN(cvec)
FN(fft_fetch_taps)(const FN(fft_source) *from, size_t k)
{
	(void)k;
	return (FN(cvec)){ FN(vset1)(from->re[0]), FN(vset1)(0) };
}
#endif

/* What the first pass reads: rows, or pairs. */
#define FFT_ROWS 0
#define FFT_PAIRS 1

/* Asks for a line into the second cache: lines of several rows may have one place in the first. */
#undef FFT_SOON
#define FFT_SOON(at) __builtin_prefetch((at), 0, 2)

/* Bin i of the transforms. */
WSI_FN FN(cvec)
FN(fft_fetch)(const FN(fft_source) *from, size_t i, const int kind)
{
	if (kind == FFT_PAIRS) {
		const REAL *at = from->re + i * from->stride;
		if (from->ahead)
			FFT_SOON(at + from->ahead);
		const FN(vec) a = FN(vload)(at), b = FN(vload)(at + LANES);
		return (FN(cvec)){ FN(odd_lanes)(a, b), FN(even_lanes)(a, b) };
	}
	const REAL *re = from->re + i * from->stride, *im = from->im + i * from->stride;
	if (from->ahead) {
		FFT_SOON(re + from->ahead);
		FFT_SOON(im + from->ahead);
	}
	return (FN(cvec)){ FN(vload)(re), FN(vload)(im) };
}

/* All bins of the transforms, in place: those of a band times the response, and zeros beside it. */
WSI_FN void
FN(fft_gather_band)(FN(cvec) *x, size_t n, const FN(fft_source) *from)
{
	const size_t apart = from->stride, k = from->k, first = from->first;
	size_t bin = first - first % apart + k, left = n;
	bin += bin < first ? apart : 0;
	size_t i = bin / apart % n;
	for (; bin < from->end; bin += apart, --left) {
		const REAL *re = from->re + bin, *im = from->im + bin;
		const REAL *response = from->response + (bin - first);
		/* Lines of the next LANES transforms, which are too far apart to be fetched by
		 * themselves. */
		__builtin_prefetch(re + LANES, 0, 3);
		__builtin_prefetch(im + LANES, 0, 3);
		__builtin_prefetch(response + LANES, 0, 3);
		const FN(vec) h = FN(vload)(response);
		x[i] = (FN(cvec)){ h * FN(vload)(re), h * FN(vload)(im) };
		i = i + 1 < n ? i + 1 : 0;
	}
	for (; left; --left) {
		x[i] = (FN(cvec)){ FN(vset1)(0), FN(vset1)(0) };
		i = i + 1 < n ? i + 1 : 0;
	}
}

/* Does the first pass read what it transforms by itself?  Else it is gathered first. */
WSI_FN bool
FN(fft_is_read)(const FN(fft_source) *from)
{
	return !from->response && !from->taps_re;
}

WSI_FN void
FN(fft_gather)(FN(cvec) *x, size_t n, const FN(fft_source) *from)
{
	if (from->response)
		FN(fft_gather_band)(x, n, from);
	for (size_t i = 0; from->taps_re && i < n; ++i)
		x[i] = FN(fft_fetch_taps)(from, from->k + i * from->stride);
}

/* The transform of `radix` points, in place. */
WSI_FN void
FN(fft_points)(FN(cvec) *v, const int radix)
{
	if (radix == 2)
		FN(dft2)(v);
	else if (radix == 3)
		FN(dft3)(v);
	else if (radix == 4)
		FN(dft4)(v);
	else if (radix == 5)
		FN(dft5)(v);
	else
		FN(dft8)(v);
}

/* Of points v of a block, whose places are p, p + q, ..: their transform, then e^{2 pi i j u /
 * (radix q)}, which are w[u - 1]. */
WSI_FN void
FN(fft_butterfly)(FN(cvec) *v, FN(cvec) *p, size_t q, const REAL *w, const int radix,
                  const bool twiddled)
{
	FN(fft_points)(v, radix);
	p[0] = v[0];
	for (int u = 1; u < radix; ++u)
		p[(size_t)u * q] = !twiddled ? v[u] : FN(cmul)(v[u], FN(vset1)(w[2 * u - 2]),
		                                               FN(vset1)(w[2 * u - 1]));
}

/* Point j of a block, and those q from each other after it. */
WSI_FN void
FN(fft_some)(FN(cvec) *p, size_t q, const REAL *w, const int radix, const bool twiddled,
             const FN(fft_source) *from, const int kind, size_t j)
{
	FN(cvec) v[8];
	for (int u = 0; u < radix; ++u)
		v[u] = from ? FN(fft_fetch)(from, j + (size_t)u * q, kind) : p[(size_t)u * q];
	FN(fft_butterfly)(v, p, q, w, radix, twiddled);
}

/* One pass over blocks of radix q points; from: the first. */
WSI_FN void
FN(fft_pass)(FN(cvec) *x, size_t n, size_t q, const REAL *twiddles, const int radix,
             const FN(fft_source) *from, const int kind)
{
	for (size_t block = 0; block < n; block += (size_t)radix * q) {
		FN(fft_some)(x + block, q, twiddles, radix, false, from, kind, 0);
		for (size_t j = 1; j < q; ++j)
			FN(fft_some)(x + block + j, q, twiddles + 2 * (size_t)(radix - 1) * j,
			             radix, true, from, kind, j);
	}
}

/* Passes first .. end - 1 of LANES transforms along an axis, in place. */
static void
FN(fft_passes)(const wsi_fft_axis *axis, const REAL *twiddles, FN(cvec) *x, int first, int end)
{
	const size_t n = axis->n;
	size_t q = n;
	for (int pass = 0; pass < end; ++pass) {
		const int radix = axis->radix[pass];
		const REAL *w = twiddles + axis->twiddle[pass];
		q /= (size_t)radix;
		switch (pass < first ? 0 : radix) {
		case 0: break;
		case 2: FN(fft_pass)(x, n, q, w, 2, NULL, FFT_ROWS); break;
		case 3: FN(fft_pass)(x, n, q, w, 3, NULL, FFT_ROWS); break;
		case 4: FN(fft_pass)(x, n, q, w, 4, NULL, FFT_ROWS); break;
		case 5: FN(fft_pass)(x, n, q, w, 5, NULL, FFT_ROWS); break;
		default: FN(fft_pass)(x, n, q, w, 8, NULL, FFT_ROWS); break;
		}
	}
}

/* The first pass of all, of `source`. */
static void
FN(fft_begin)(const wsi_fft_axis *axis, const REAL *twiddles, FN(cvec) *x,
              const FN(fft_source) *source)
{
	const FN(fft_source) copy = *source, *from = &copy;
	const int radix = axis->radix[0];
	const REAL *w = twiddles + axis->twiddle[0];
	const size_t n = axis->n, q = n / (size_t)radix;
	switch (radix + (from->im ? 0 : 16)) {
	case 2: FN(fft_pass)(x, n, q, w, 2, from, FFT_ROWS); break;
	case 3: FN(fft_pass)(x, n, q, w, 3, from, FFT_ROWS); break;
	case 4: FN(fft_pass)(x, n, q, w, 4, from, FFT_ROWS); break;
	case 5: FN(fft_pass)(x, n, q, w, 5, from, FFT_ROWS); break;
	case 8: FN(fft_pass)(x, n, q, w, 8, from, FFT_ROWS); break;
	case 16 + 2: FN(fft_pass)(x, n, q, w, 2, from, FFT_PAIRS); break;
	case 16 + 3: FN(fft_pass)(x, n, q, w, 3, from, FFT_PAIRS); break;
	case 16 + 4: FN(fft_pass)(x, n, q, w, 4, from, FFT_PAIRS); break;
	case 16 + 5: FN(fft_pass)(x, n, q, w, 5, from, FFT_PAIRS); break;
	default: FN(fft_pass)(x, n, q, w, 8, from, FFT_PAIRS); break;
	}
}

/* Of n points, in two passes or three: the same with lengths that are constants.  all: with the
 * last pass. */
WSI_FN void
FN(fft_short)(const wsi_fft_axis *axis, const REAL *twiddles, FN(cvec) *x,
              const FN(fft_source) *source, bool all, const size_t n, const int first,
              const int second, const int third)
{
	const size_t q = n / (size_t)first, after = q / (size_t)second;
	const REAL *w = twiddles + axis->twiddle[0];
	if (FN(fft_is_read)(source)) {
		FN(fft_source) from = *source;
		from.ahead = 0;
		FN(fft_pass)(x, n, q, w, first, &from, FFT_ROWS);
	} else {
		FN(fft_gather)(x, n, source);
		FN(fft_pass)(x, n, q, w, first, NULL, FFT_ROWS);
	}
	if (third > 1 || all)
		FN(fft_pass)(x, n, after, twiddles + axis->twiddle[1], second, NULL, FFT_ROWS);
	if (third > 1 && all)
		FN(fft_pass)(x, n, 1, twiddles + axis->twiddle[2], third, NULL, FFT_ROWS);
}

/* One function for each length: else compilers share what is to be constant. */
#define FFT_SHORT(n, first, second, third) \
	static void \
	FN(fft_##n)(const wsi_fft_axis *axis, const REAL *w, FN(cvec) *x, \
	            const FN(fft_source) *source, bool all) \
	{ \
		FN(fft_short)(axis, w, x, source, all, n, first, second, third); \
	}
FFT_SHORT(16, 4, 4, 1)
FFT_SHORT(32, 8, 4, 1)
FFT_SHORT(48, 3, 4, 4)
FFT_SHORT(64, 8, 8, 1)
FFT_SHORT(80, 5, 4, 4)
#undef FFT_SHORT

/* LANES transforms along an axis, but for the last pass where it is not `all`; out[t] is left at
 * x[axis->place[t]]. */
WSI_FN void
FN(fft_axis_passes)(const wsi_fft_axis *axis, const REAL *twiddles, FN(cvec) *x,
                    const FN(fft_source) *source, bool all)
{
	const bool read = FN(fft_is_read)(source), usual = !source->ahead && (source->im || !read);
	switch (usual ? axis->n : 0) {
	case 16: FN(fft_16)(axis, twiddles, x, source, all); return;
	case 32: FN(fft_32)(axis, twiddles, x, source, all); return;
	case 48: FN(fft_48)(axis, twiddles, x, source, all); return;
	case 64: FN(fft_64)(axis, twiddles, x, source, all); return;
	case 80: FN(fft_80)(axis, twiddles, x, source, all); return;
	default: break;
	}
	if (read)
		FN(fft_begin)(axis, twiddles, x, source);
	else
		FN(fft_gather)(x, axis->n, source);
	FN(fft_passes)(axis, twiddles, x, read ? 1 : 0, axis->passes - !all);
}

WSI_FN void
FN(fft_axis)(const wsi_fft_axis *axis, const REAL *twiddles, FN(cvec) *x,
             const FN(fft_source) *source)
{
	FN(fft_axis_passes)(axis, twiddles, x, source, true);
}

#if LANES == 16
#define WSI_LOW(a, b) __builtin_shufflevector((a), (b), 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, \
                                              6, 22, 7, 23)
#define WSI_HIGH(a, b) __builtin_shufflevector((a), (b), 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, \
                                               13, 29, 14, 30, 15, 31)
#elif LANES == 8
#define WSI_LOW(a, b) __builtin_shufflevector((a), (b), 0, 8, 1, 9, 2, 10, 3, 11)
#define WSI_HIGH(a, b) __builtin_shufflevector((a), (b), 4, 12, 5, 13, 6, 14, 7, 15)
#elif LANES == 4
#define WSI_LOW(a, b) __builtin_shufflevector((a), (b), 0, 4, 1, 5)
#define WSI_HIGH(a, b) __builtin_shufflevector((a), (b), 2, 6, 3, 7)
#else
#define WSI_LOW(a, b) __builtin_shufflevector((a), (b), 0, 2)
#define WSI_HIGH(a, b) __builtin_shufflevector((a), (b), 1, 3)
#endif

/* Lanes of two vectors in turn: the first LANES numbers and the last. */
#if defined(WSI_ISA_AVX2) && REAL_BITS == 64
WSI_FN FN(vec)
FN(zip_low)(FN(vec) a, FN(vec) b)
{
	return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x20);
}
WSI_FN FN(vec)
FN(zip_high)(FN(vec) a, FN(vec) b)
{
	return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x31);
}
#else
WSI_FN FN(vec) FN(zip_low)(FN(vec) a, FN(vec) b) { return WSI_LOW(a, b); }
WSI_FN FN(vec) FN(zip_high)(FN(vec) a, FN(vec) b) { return WSI_HIGH(a, b); }
#endif
#undef WSI_LOW
#undef WSI_HIGH

/* Lane i of v[k] becomes lane k of v[i].  With AVX2 within halves of vectors first, as compilers
 * do not find. */
#ifdef WSI_ISA_AVX2
WSI_FN void
FN(vtranspose)(FN(vec) v[LANES])
{
	FN(vec) w[LANES];
	for (int i = 0; i < LANES; i += LANES / 2) {
#if REAL_BITS == 64
		w[i] = _mm256_unpacklo_pd(v[i], v[i + 1]);
		w[i + 1] = _mm256_unpackhi_pd(v[i], v[i + 1]);
#else
		const __m256d a = (__m256d)_mm256_unpacklo_ps(v[i], v[i + 1]);
		const __m256d b = (__m256d)_mm256_unpackhi_ps(v[i], v[i + 1]);
		const __m256d c = (__m256d)_mm256_unpacklo_ps(v[i + 2], v[i + 3]);
		const __m256d d = (__m256d)_mm256_unpackhi_ps(v[i + 2], v[i + 3]);
		w[i] = (__m256)_mm256_unpacklo_pd(a, c);
		w[i + 1] = (__m256)_mm256_unpackhi_pd(a, c);
		w[i + 2] = (__m256)_mm256_unpacklo_pd(b, d);
		w[i + 3] = (__m256)_mm256_unpackhi_pd(b, d);
#endif
	}
	for (int i = 0; i < LANES / 2; ++i) {
		const __m256d a = (__m256d)w[i], b = (__m256d)w[i + LANES / 2];
		v[i] = (FN(vec))_mm256_permute2f128_pd(a, b, 0x20);
		v[i + LANES / 2] = (FN(vec))_mm256_permute2f128_pd(a, b, 0x31);
	}
}
#else
WSI_FN void
FN(vtranspose)(FN(vec) v[LANES])
{
	for (int step = 1; step < LANES; step *= 2) {
		FN(vec) w[LANES];
		for (int i = 0; i < LANES / 2; ++i) {
			w[2 * i] = FN(zip_low)(v[i], v[i + LANES / 2]);
			w[2 * i + 1] = FN(zip_high)(v[i], v[i + LANES / 2]);
		}
		for (int i = 0; i < LANES; ++i)
			v[i] = w[i];
	}
}
#endif

/* What follows the transforms of the first step for k1 = k .. k + LANES - 1: twiddles, and the
 * transpose. */
WSI_FN void
FN(fft_transpose)(const wsi_fft *fft, size_t k, const FN(cvec) *x, REAL *transposed_re,
                  REAL *transposed_im, size_t stride)
{
	const size_t n2 = fft->first.n;
	const uint32_t *place = fft->first.place;
	const REAL *lane = (const REAL *)fft->lane_twiddles + k % WSI_FFT_ACROSS;
	const REAL *group = (const REAL *)fft->group_twiddles + 2 * n2 * (k / WSI_FFT_ACROSS);
	for (size_t t = 0; t < n2; t += LANES) {
		FN(vec) a[LANES], b[LANES];
		for (int i = 0; i < LANES; ++i) {
			const REAL *l = lane + 2 * WSI_FFT_ACROSS * (t + (size_t)i);
			const REAL *g = group + 2 * (t + (size_t)i);
			FN(cvec) v = x[place[t + (size_t)i]];
			v = FN(cmul)(v, FN(vload)(l), FN(vload)(l + WSI_FFT_ACROSS));
			v = FN(cmul)(v, FN(vset1)(g[0]), FN(vset1)(g[1]));
			a[i] = v.re;
			b[i] = v.im;
		}
		FN(vtranspose)(a);
		for (int i = 0; i < LANES; ++i)
			FN(vstore)(transposed_re + (k + (size_t)i) * stride + t, a[i]);
		FN(vtranspose)(b);
		for (int i = 0; i < LANES; ++i)
			FN(vstore)(transposed_im + (k + (size_t)i) * stride + t, b[i]);
	}
}

/* The first step for k1 = k .. k + LANES - 1, and the transpose. */
WSI_FN void
FN(fft_first)(const wsi_fft *fft, const FN(fft_source) *source, size_t k, FN(cvec) *x,
              REAL *transposed_re, REAL *transposed_im, size_t stride)
{
	FN(fft_axis)(&fft->first, fft->twiddles[0], x, source);
	FN(fft_transpose)(fft, k, x, transposed_re, transposed_im, stride);
}

/* The transposed array of a scratch, and the transforms beside it. */
WSI_FN size_t FN(fft_stride)(const wsi_fft *fft) { return fft->first.n + WSI_FFT_SKEW; }

/* Of transforms that no second cache holds, how far ahead rows are asked for while numbers k on of
 * so many are transformed: the next line. */
WSI_FN ptrdiff_t
FN(fft_ahead)(const wsi_fft *fft, size_t k, size_t numbers)
{
	const size_t line = 64 / sizeof(REAL), large = ((size_t)1 << 18) / sizeof(REAL);
	return fft->n > large && k + line < numbers ? (ptrdiff_t)line : 0;
}

/* The first step for all bins. */
WSI_FN void
FN(fft_columns)(const wsi_fft *fft, const wsi_fft_in *in, void *scratch)
{
	const size_t n1 = fft->second.n, stride = FN(fft_stride)(fft);
	REAL *transposed_re = scratch, *transposed_im = transposed_re + n1 * stride;
	FN(cvec) *x = (FN(cvec) *)(transposed_im + n1 * stride);
	const size_t across = WSI_FFT_ACROSS;
	for (size_t k = 0; k < n1; k += LANES) {
		const bool gathered = in->response || in->taps_re;
		const size_t shift = gathered ? 0 : k;
		const FN(fft_source) source = { (const REAL *)in->re + shift,
			(const REAL *)in->im + shift, n1, in->response, k, fft->n,
			in->k0 / across * across, (in->k1 + across - 1) / across * across,
			gathered ? 0 : FN(fft_ahead)(fft, k, n1), in->taps_re, in->taps_im };
		FN(fft_first)(fft, &source, k, x, transposed_re, transposed_im, stride);
	}
}

/* Where samples go: `count` of them from sample `first` on, around the circle; others nowhere, or
 * beside them in the same vector. */
typedef struct FN(fft_sink) {
	REAL *re, *im;          /* [n]; im NULL: complex numbers times scale from re on, of the
	                           first count samples */
	size_t n, first, count;
	REAL scale;
	bool stream;
	const REAL *times_re, *times_im; /* of a convolution (wsi_fft_convolution) */
	bool back;
} FN(fft_sink);

#define FFT_PARTS 0
#define FFT_COMPLEX 1
#define FFT_TIMES 2

WSI_FN void FN(fft_put_complex)(const FN(fft_sink) *sink, size_t at, FN(cvec) v);

/* Samples at .. at + LANES - 1 of a convolution, by scale. */
WSI_FN void
FN(fft_put_times)(const FN(fft_sink) *sink, size_t at, FN(cvec) v)
{
	const size_t from = sink->back ? sink->n - at - (LANES - 1) : at;
	const FN(vec) share = FN(vset1)(sink->scale);
	FN(vec) c = FN(vload)(sink->times_re + from), d = FN(vload)(sink->times_im + from);
	if (sink->back) {
		c = FN(backwards)(c);
		d = FN(backwards)(d);
	}
	FN(vstore)(sink->re + at, share * (v.re * c - v.im * d));
	FN(vstore)(sink->im + at, -share * (v.re * d + v.im * c));
}

/* Is one of samples at .. at + LANES - 1 wanted? */
WSI_FN bool
FN(fft_wants)(const FN(fft_sink) *sink, size_t at)
{
	return at - sink->first < sink->count || at + sink->n - sink->first < sink->count;
}

/* Samples at .. at + LANES - 1. */
WSI_FN void
FN(fft_put)(const FN(fft_sink) *sink, size_t at, FN(cvec) v, const int kind)
{
	if (kind == FFT_COMPLEX) {
		FN(fft_put_complex)(sink, at, v);
	} else if (kind == FFT_TIMES) {
		FN(fft_put_times)(sink, at, v);
	} else if (FN(fft_wants)(sink, at)) {
		FN(vstore)(sink->re + at, v.re);
		FN(vstore)(sink->im + at, v.im);
	}
}

/* The last pass of an axis for outputs s, s + n / radix, .. into v; x as the others leave it. */
WSI_FN void
FN(fft_last_points)(const wsi_fft_axis *axis, const FN(cvec) *x, size_t s, FN(cvec) v[8],
                    const int radix)
{
	for (int u = 0; u < radix; ++u)
		v[u] = x[axis->place[s] + (size_t)u];
	FN(fft_points)(v, radix);
}

/* Outputs s, s + n / radix, .., of which the first `count` go where they are wanted. */
WSI_FN void
FN(fft_last_some)(const wsi_fft_axis *axis, const FN(cvec) *x, size_t t, size_t n2, size_t s,
                  const FN(fft_sink) *sink, const int kind, const int radix, const int count)
{
	const size_t q = axis->n / (size_t)radix;
	FN(cvec) v[8];
	FN(fft_last_points)(axis, x, s, v, radix);
	for (int u = 0; u < count; ++u)
		FN(fft_put)(sink, t + n2 * (s + (size_t)u * q), v[u], kind);
}

/* The last pass for samples t + n2 s + lane.  few: where others than the first so many of a
 * butterfly are not wanted, they are not made. */
WSI_FN void
FN(fft_last_pass)(const wsi_fft_axis *axis, const FN(cvec) *x, size_t t, size_t n2,
                  const FN(fft_sink) *sink, const int kind, const int radix, const int few)
{
	const size_t q = axis->n / (size_t)radix;
	for (size_t s = 0; s < q; ++s) {
		bool others = few == radix;
		for (int u = few; u < radix; ++u)
			others |= FN(fft_wants)(sink, t + n2 * (s + (size_t)u * q));
		if (others)
			FN(fft_last_some)(axis, x, t, n2, s, sink, kind, radix, radix);
		else
			FN(fft_last_some)(axis, x, t, n2, s, sink, kind, radix, few);
	}
}

/* Do vectors that the last pass makes together share few sets of a cache of 4096-byte ways?  Then
 * samples are stored in their order after it. */
WSI_FN bool
FN(fft_collides)(const wsi_fft_axis *axis, size_t n2)
{
	const int radix = axis->radix[axis->passes - 1];
	const size_t apart = n2 * (axis->n / (size_t)radix) * sizeof(REAL);
	return radix == 8 ? apart % 2048 == 0 : radix > 2 && apart % 4096 == 0;
}

/* The second step. */
WSI_FN void
FN(fft_lines)(const wsi_fft *fft, void *scratch, const FN(fft_sink) *sink, const int kind)
{
	const wsi_fft_axis *axis = &fft->second;
	const size_t n1 = axis->n, n2 = fft->first.n, stride = FN(fft_stride)(fft);
	const REAL *re = scratch, *im = re + n1 * stride;
	FN(cvec) *x = (FN(cvec) *)((REAL *)scratch + 2 * n1 * stride);
	const FN(fft_sink) to = *sink;
	/* Of complex numbers up to four that are wanted of those together have room; past the
	 * caches that gains nothing.  Of a butterfly of four or eight a quarter is wanted, as of
	 * signals between long gaps. */
	const size_t apart = n2 * (n1 / (size_t)axis->radix[axis->passes - 1]);
	const bool few = kind == FFT_COMPLEX && !sink->stream && sink->count <= 4 * apart;
	const bool quarter = kind != FFT_TIMES && sink->count <= fft->n / 16 * 5;
	const bool all = !few && !quarter && FN(fft_collides)(axis, n2);
	for (size_t t = 0; t < n2; t += LANES) {
		const FN(fft_source) from = { .re = re + t, .im = im + t, .stride = stride,
			.ahead = FN(fft_ahead)(fft, t, n2) };
		FN(fft_axis_passes)(axis, fft->twiddles[1], x, &from, all);
		for (size_t s = 0; all && s < n1; ++s)
			FN(fft_put)(&to, t + n2 * s, x[axis->place[s]], kind);
		switch (all ? 0 : axis->radix[axis->passes - 1] + (quarter ? 16 : 0)) {
		case 0: break;
		case 2: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 2, 2); break;
		case 3: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 3, 3); break;
		case 4: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 4, 4); break;
		case 5: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 5, 5); break;
		case 8: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 8, 8); break;
		case 16 + 2: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 2, 1); break;
		case 16 + 3: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 3, 1); break;
		case 16 + 4: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 4, 1); break;
		case 16 + 5: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 5, 2); break;
		default: FN(fft_last_pass)(axis, x, t, n2, &to, kind, 8, 2); break;
		}
	}
}

/* out = the inverse transform of in, which it may be. */
static void
FN(fft_inverse)(const wsi_fft *fft, const wsi_fft_in *in, void *out_re, void *out_im, void *scratch)
{
	const size_t first = in->wanted / LANES * LANES;
	const FN(fft_sink) sink = { .re = out_re, .im = out_im, .n = fft->n,
		.first = in->wanted_count ? first : 0,
		.count = in->wanted_count ? in->wanted_count + (in->wanted - first) : fft->n };
	FN(fft_columns)(fft, in, scratch);
	FN(fft_lines)(fft, scratch, &sink, FFT_PARTS);
}

static void
FN(fft_convolve)(const wsi_fft *fft, const wsi_fft_convolution *of, void *scratch)
{
	const wsi_fft_in in = { .re = of->re, .im = of->im, .wanted_count = of->wanted_count };
	const FN(fft_sink) sink = { .re = of->re, .im = of->im, .n = fft->n,
		.scale = (REAL)of->share, .times_re = of->times_re, .times_im = of->times_im,
		.back = of->back };
	FN(fft_columns)(fft, &in, scratch);
	FN(fft_lines)(fft, scratch, &sink, FFT_TIMES);
	FN(fft_inverse)(fft, &in, of->re, of->im, scratch);
}
