/*
 * fft_axis_simd.h - template: LANES transforms along an axis (wsi_fft_axis), of what a source has.
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
	size_t zero, zeros;     /* FFT_GAP: of rows these, so many, are 0 */
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

/* What the first pass reads: rows, pairs, or rows with a gap. */
#define FFT_ROWS 0
#define FFT_PAIRS 1
#define FFT_GAP 2

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
	if (kind == FFT_GAP && i - from->zero < from->zeros)
		return (FN(cvec)){ FN(vset1)(0), FN(vset1)(0) };
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
	switch (radix + (from->zeros ? 32 : from->im ? 0 : 16)) {
	case 2: FN(fft_pass)(x, n, q, w, 2, from, FFT_ROWS); break;
	case 3: FN(fft_pass)(x, n, q, w, 3, from, FFT_ROWS); break;
	case 4: FN(fft_pass)(x, n, q, w, 4, from, FFT_ROWS); break;
	case 5: FN(fft_pass)(x, n, q, w, 5, from, FFT_ROWS); break;
	case 8: FN(fft_pass)(x, n, q, w, 8, from, FFT_ROWS); break;
	case 16 + 2: FN(fft_pass)(x, n, q, w, 2, from, FFT_PAIRS); break;
	case 16 + 3: FN(fft_pass)(x, n, q, w, 3, from, FFT_PAIRS); break;
	case 16 + 4: FN(fft_pass)(x, n, q, w, 4, from, FFT_PAIRS); break;
	case 16 + 5: FN(fft_pass)(x, n, q, w, 5, from, FFT_PAIRS); break;
	case 16 + 8: FN(fft_pass)(x, n, q, w, 8, from, FFT_PAIRS); break;
	case 32 + 2: FN(fft_pass)(x, n, q, w, 2, from, FFT_GAP); break;
	case 32 + 3: FN(fft_pass)(x, n, q, w, 3, from, FFT_GAP); break;
	case 32 + 4: FN(fft_pass)(x, n, q, w, 4, from, FFT_GAP); break;
	case 32 + 5: FN(fft_pass)(x, n, q, w, 5, from, FFT_GAP); break;
	default: FN(fft_pass)(x, n, q, w, 8, from, FFT_GAP); break;
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

/* Has an axis such a function? */
WSI_FN bool
FN(fft_is_short)(const wsi_fft_axis *axis)
{
	return axis->n <= 80 && axis->n % 16 == 0;
}

/* LANES transforms along an axis, but for the last pass where it is not `all`; out[t] is left at
 * x[axis->place[t]]. */
WSI_FN void
FN(fft_axis_passes)(const wsi_fft_axis *axis, const REAL *twiddles, FN(cvec) *x,
                    const FN(fft_source) *source, bool all)
{
	const bool read = FN(fft_is_read)(source);
	const bool usual = !source->ahead && !source->zeros && (source->im || !read);
	switch (usual && FN(fft_is_short)(axis) ? axis->n : 0) {
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
