/*
 * fft_simd.h - template: the inverse transform of ops/fft.h.
 *
 * Scratch holds the transposed array, two numbers a bin, and one group of LANES transforms along an
 * axis: 2 LANES n1 (or n2) numbers, which stay in the first cache up to some 320 of them (f32,
 * AVX-512).  Of the transposed array the numbers of a group are together, in the order in which the
 * second step reads them: [t2 / LANES][k1][2][LANES].
 */

#include "cpu/fft/fft_axis_simd.h"

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

/* Numbers of a group of the transposed array; one vector more than it has, so that groups differ in
 * their places in a cache of 4096-byte ways. */
WSI_FN size_t FN(fft_group)(const wsi_fft *fft) { return 2 * LANES * (fft->second.n + 1); }

/* Of the transposed array what the transforms for samples t .. t + LANES - 1 begin with. */
WSI_FN FN(fft_source)
FN(fft_transposed)(const wsi_fft *fft, const REAL *transposed, size_t t)
{
	const REAL *re = transposed + t / LANES * FN(fft_group)(fft);
	return (FN(fft_source)){ .re = re, .im = re + LANES, .stride = 2 * LANES };
}

/* What follows the transforms of the first step for k1 = k .. k + LANES - 1: twiddles, and the
 * transpose. */
WSI_FN void
FN(fft_transpose)(const wsi_fft *fft, size_t k, const FN(cvec) *x, REAL *transposed)
{
	const size_t n2 = fft->first.n;
	const uint32_t *place = fft->first.place;
	const REAL *lane = (const REAL *)fft->lane_twiddles + k % WSI_FFT_ACROSS;
	const REAL *group = (const REAL *)fft->group_twiddles + 2 * n2 * (k / WSI_FFT_ACROSS);
	const size_t apart = FN(fft_group)(fft);
	REAL *to = transposed + 2 * LANES * k;
	for (size_t t = 0; t < n2; t += LANES, to += apart) {
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
			FN(vstore)(to + 2 * LANES * i, a[i]);
		FN(vtranspose)(b);
		for (int i = 0; i < LANES; ++i)
			FN(vstore)(to + 2 * LANES * i + LANES, b[i]);
	}
}

/* The first step for k1 = k .. k + LANES - 1, and the transpose. */
WSI_FN void
FN(fft_first)(const wsi_fft *fft, const FN(fft_source) *source, size_t k, FN(cvec) *x,
              REAL *transposed)
{
	FN(fft_axis)(&fft->first, fft->twiddles[0], x, source);
	FN(fft_transpose)(fft, k, x, transposed);
}

/* Numbers of the transposed array of a scratch; the transforms are beside it. */
WSI_FN size_t
FN(fft_numbers)(const wsi_fft *fft)
{
	return fft->first.n / LANES * FN(fft_group)(fft);
}

/* Of transforms that no second cache holds, how far ahead rows are asked for while numbers k on of
 * so many are transformed: the next line. */
WSI_FN ptrdiff_t
FN(fft_ahead)(const wsi_fft *fft, size_t k, size_t numbers)
{
	const size_t line = 64 / sizeof(REAL), large = ((size_t)1 << 18) / sizeof(REAL);
	return fft->n > large && k + line < numbers ? (ptrdiff_t)line : 0;
}

/* Where the first step reads bins k .. k + LANES - 1 of n that lie in its order, [k1 / LANES][k2]
 * [2][LANES]. */
WSI_FN FN(fft_source)
FN(fft_ordered)(const wsi_fft *fft, const REAL *bins, size_t k)
{
	const REAL *re = bins + 2 * k * fft->first.n;
	return (FN(fft_source)){ .re = re, .im = re + LANES, .stride = 2 * LANES };
}

/* The first step for these. */
WSI_FN void
FN(fft_ordered_columns)(const wsi_fft *fft, const REAL *bins, void *scratch)
{
	FN(cvec) *x = (FN(cvec) *)((REAL *)scratch + FN(fft_numbers)(fft));
	for (size_t k = 0; k < fft->second.n; k += LANES) {
		const FN(fft_source) source = FN(fft_ordered)(fft, bins, k);
		FN(fft_first)(fft, &source, k, x, scratch);
	}
}

/* All zeros, or those in vectors that have others, too. */
WSI_FN void
FN(fft_put_zeros)(REAL *x, size_t zero, size_t end, bool all)
{
	for (size_t k = zero; k < end && (all || k % LANES); ++k)
		x[k] = 0;
	for (size_t k = end; k > zero && k % LANES; --k)
		x[k - 1] = 0;
}

/* The first step for bins one after the other, which are 0 from `zero` on to `end`.  Zeros are
 * written only where a vector has others, too, and where loops of constant lengths read all. */
WSI_FN void
FN(fft_gap_columns)(const wsi_fft *fft, REAL *re, REAL *im, size_t zero, size_t end, void *scratch)
{
	const size_t n1 = fft->second.n;
	const bool all = FN(fft_is_short)(&fft->first);
	FN(fft_put_zeros)(re, zero, end, all);
	FN(fft_put_zeros)(im, zero, end, all);
	FN(cvec) *x = (FN(cvec) *)((REAL *)scratch + FN(fft_numbers)(fft));
	for (size_t k = 0; k < n1; k += LANES) {
		/* Rows whose vector begins from zero on, and ends up to end. */
		const size_t first = zero > k ? (zero - k + n1 - 1) / n1 : 0;
		const size_t last = end >= k + LANES ? (end - k - LANES) / n1 + 1 : 0;
		const FN(fft_source) source = { .re = re + k, .im = im + k, .stride = n1,
			.ahead = FN(fft_ahead)(fft, k, n1), .zero = first,
			.zeros = !all && last > first ? last - first : 0 };
		FN(fft_first)(fft, &source, k, x, scratch);
	}
}

/* The first step for all bins. */
WSI_FN void
FN(fft_columns)(const wsi_fft *fft, const wsi_fft_in *in, void *scratch)
{
	const size_t n1 = fft->second.n;
	FN(cvec) *x = (FN(cvec) *)((REAL *)scratch + FN(fft_numbers)(fft));
	const size_t across = WSI_FFT_ACROSS;
	for (size_t k = 0; k < n1; k += LANES) {
		const bool gathered = in->response || in->taps_re;
		const size_t shift = gathered ? 0 : k;
		const FN(fft_source) source = { .re = (const REAL *)in->re + shift,
			.im = (const REAL *)in->im + shift, .stride = n1,
			.response = in->response, .k = k, .n = fft->n,
			.first = in->k0 / across * across,
			.end = (in->k1 + across - 1) / across * across,
			.ahead = gathered ? 0 : FN(fft_ahead)(fft, k, n1),
			.taps_re = in->taps_re, .taps_im = in->taps_im };
		FN(fft_first)(fft, &source, k, x, scratch);
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
	/* Of a convolution (wsi_fft_convolution), whose numbers go to re as fft_ordered() wants. */
	const REAL *times_re, *times_im;
	bool back;
	size_t n1, n2;
	double rows;            /* 1 / n1 */
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
	/* at / n1: halfway between its multiples a product has no error that matters. */
	const int64_t k2 = (int64_t)(((double)(int64_t)at + 0.5) * sink->rows);
	const size_t k1 = at - (size_t)k2 * sink->n1;
	REAL *to = sink->re + 2 * (k1 * sink->n2 + (size_t)k2 * LANES);
	FN(vstore)(to, share * (v.re * c - v.im * d));
	FN(vstore)(to + LANES, -share * (v.re * d + v.im * c));
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
	const size_t n1 = axis->n, n2 = fft->first.n;
	FN(cvec) *x = (FN(cvec) *)((REAL *)scratch + FN(fft_numbers)(fft));
	const FN(fft_sink) to = *sink;
	/* Of complex numbers up to four that are wanted of those together have room; past the
	 * caches that gains nothing.  Of a butterfly of four or eight a quarter is wanted, as of
	 * signals between long gaps. */
	const size_t apart = n2 * (n1 / (size_t)axis->radix[axis->passes - 1]);
	const bool few = kind == FFT_COMPLEX && !sink->stream && sink->count <= 4 * apart;
	const bool quarter = kind != FFT_TIMES && sink->count <= fft->n / 16 * 5;
	const bool all = !few && !quarter && FN(fft_collides)(axis, n2);
	for (size_t t = 0; t < n2; t += LANES) {
		const FN(fft_source) from = FN(fft_transposed)(fft, scratch, t);
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
	REAL *re = of->parts, *im = re + fft->n;
	const FN(fft_sink) between = { .re = re, .n = fft->n, .scale = (REAL)of->share,
		.times_re = of->times_re, .times_im = of->times_im, .back = of->back,
		.n1 = fft->second.n, .n2 = fft->first.n, .rows = 1.0 / (double)fft->second.n };
	const FN(fft_sink) sink = { .re = re, .im = im, .n = fft->n,
		.count = of->wanted_count ? of->wanted_count : fft->n };
	FN(fft_gap_columns)(fft, re, im, of->zero, of->end, scratch);
	FN(fft_lines)(fft, scratch, &between, FFT_TIMES);
	FN(fft_ordered_columns)(fft, re, scratch);
	FN(fft_lines)(fft, scratch, &sink, FFT_PARTS);
}
