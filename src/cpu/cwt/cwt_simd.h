/*
 * cwt_simd.h - template: slots of the wavelet transform but for the inverse transform itself
 * (fft_simd.h), interpolation (interpolate_simd.h) and sums over epochs (sums_simd.h).  Twins:
 * ops/ref/cwt_ref.h.
 */

#ifndef WSI_CWT_ONCE
#define WSI_CWT_ONCE
/* Outputs that are worked on at once. */
#define CWT_SOME 256

/* e^{2 pi i a / n} */
WSI_FN void
cwt_root(uint64_t a, uint64_t n, double *c, double *s)
{
	gaussian_turn((double)(a % n) / (double)n, c, s);
}
#endif

/* A wavelet's kind is a constant in each call, so that the loop becomes one over vectors. */
WSI_FN void
FN(cwt_shapes)(const wsi_cwt_response *f, const ws_wavelet kind, int64_t first, size_t count,
               double *out)
{
	wsi_wavelet v = f->wavelet;
	v.kind = kind;
	const double step = f->step, gain = f->gain;
	for (size_t i = 0; i < count; ++i)
		out[i] = gain * wavelet_shape(&v, step * (double)(int)((int64_t)i + first));
}

/*
 * The Gaussian of single precision by its own recurrence, 16 bins apart: values v and quotients q,
 *     v(k + 16) = v(k) q(k),   q(k + 16) = q(k) e^{-(16 step)^2},
 * begun anew for each chunk, in double, so that after 32 steps 1e-13 is lost.
 */
WSI_FN void
FN(cwt_gaussians)(const wsi_cwt_response *f, int64_t first, size_t count, double *out)
{
	enum { APART = 16, EACH = LANES * REAL_BITS / 64 };
	typedef double some __attribute__((vector_size(EACH * sizeof(double)), aligned(8)));
	const double step = f->step, far = APART * step, last = exponential(-far * far);
	const double begin = (double)first;
	double v[APART], q[APART];
	for (int i = 0; i < APART; ++i) {
		const double d = step * (begin + (double)i) - f->wavelet.a;
		v[i] = f->gain * exponential(-0.5 * d * d);
	}
	for (int i = 0; i < APART; ++i) {
		const double d = step * (begin + (double)i) - f->wavelet.a;
		q[i] = exponential(-far * (d + 0.5 * far));
	}
	/* Two registers at a time: more are kept in memory by compilers. */
	const size_t whole = count / APART * APART;
	for (int k = 0; k < APART; k += 2 * EACH) {
		some a, b, c, d;
		memcpy(&a, v + k, sizeof a);
		memcpy(&b, v + k + EACH, sizeof b);
		memcpy(&c, q + k, sizeof c);
		memcpy(&d, q + k + EACH, sizeof d);
		for (double *to = out + k; to < out + whole; to += APART) {
			memcpy(to, &a, sizeof a);
			memcpy(to + EACH, &b, sizeof b);
			a *= c;
			b *= d;
			c *= last;
			d *= last;
		}
		memcpy(v + k, &a, sizeof a);
		memcpy(v + k + EACH, &b, sizeof b);
	}
	memcpy(out + whole, v, (count - whole) * sizeof *v);
}

WSI_FN void
FN(cwt_formula)(const wsi_cwt_response *f, int64_t first, size_t count, double *out)
{
	/* All bins of an analytic wavelet are above 0, or the formula is the whole one's. */
	const bool fast = REAL_BITS == 32 && f->wavelet.kind <= WS_WAVELET_MORLET_FULL;
	const ws_wavelet kind = f->whole ? WS_WAVELET_MORLET_FULL : f->wavelet.kind;
	switch (fast ? 0 : (int)kind) {
	case 0:
		FN(cwt_gaussians)(f, first, count, out);
		break;
	case WS_WAVELET_MORLET:
		FN(cwt_shapes)(f, WS_WAVELET_MORLET, first, count, out);
		break;
	case WS_WAVELET_MORLET_FULL:
		FN(cwt_shapes)(f, WS_WAVELET_MORLET_FULL, first, count, out);
		break;
	case WS_WAVELET_MORLET_ZERO_MEAN:
		FN(cwt_shapes)(f, WS_WAVELET_MORLET_ZERO_MEAN, first, count, out);
		break;
	default:
		FN(cwt_shapes)(f, f->wavelet.kind, first, count, out);
	}
}

/* By the table in front of the bins that the formula has, and behind them. */
static void
FN(cwt_bins)(const wsi_cwt_response *f, int64_t first, size_t count, double *out)
{
	const int64_t end = first + (int64_t)count;
	const int64_t plain0 = f->table ? f->plain0 : f->k0, plain1 = f->table ? f->plain1 : f->k1;
	const int64_t left = plain0 < first ? first : plain0 < end ? plain0 : end;
	const int64_t right = plain1 < left ? left : plain1 < end ? plain1 : end;
	if (left > first)
		memcpy(out, f->table + (first - f->k0), (size_t)(left - first) * sizeof *out);
	if (right > left)
		FN(cwt_formula)(f, left, (size_t)(right - left), out + (left - first));
	if (end > right)
		memcpy(out + (right - first), f->table + (plain0 - f->k0) + (right - plain1),
		       (size_t)(end - right) * sizeof *out);
}

static void
FN(cwt_response)(const wsi_cwt_response_args *args)
{
	const wsi_cwt_response *f = args->response;
	REAL *values = args->values;
	enum { CHUNK = 512 };
	double shape[CHUNK];
	for (int64_t k = f->k0; k < f->k1; k += CHUNK) {
		const size_t count = f->k1 - k < CHUNK ? (size_t)(f->k1 - k) : CHUNK;
		FN(cwt_bins)(f, k, count, shape);
		for (int side = f->halve_nyquist ? -1 : 2; side < 2; side += 2) {
			const int64_t at = side * ((int64_t)args->n / 2) - k;
			if (at >= 0 && at < (int64_t)count)
				shape[at] *= 0.5;
		}
		/* Away from the centre to the left, and to the right. */
		const int64_t middle = args->centre - k;
		const size_t left = middle <= 0 ? 0 : middle < (int64_t)count ? (size_t)middle
			: count;
		const double *flatten = args->flatten;
		REAL *restrict to = values + (k - f->k0);
		for (size_t i = 0; !flatten && i < count; ++i)
			to[i] = (REAL)shape[i];
		for (size_t i = 0; flatten && i < left; ++i)
			to[i] = (REAL)(shape[i] * flatten[middle - (int64_t)i]);
		for (size_t i = left; flatten && i < count; ++i)
			to[i] = (REAL)(shape[i] * flatten[(int64_t)i - middle]);
	}
}

/* y[at ..] += (or, where the bins are met once, =) i^quarters values x, or values conj(x) with x
 * going backwards. */
WSI_FN void
FN(cwt_product_run)(REAL *restrict y_re, REAL *restrict y_im, const REAL *values, const REAL *x_re,
                    const REAL *x_im, size_t count, int quarters, const bool backwards,
                    const bool once)
{
	for (size_t i = 0; i < count; ++i) {
		const ptrdiff_t at = backwards ? -(ptrdiff_t)i : (ptrdiff_t)i;
		REAL re = values[i] * x_re[at],
			im = backwards ? -(values[i] * x_im[at]) : values[i] * x_im[at];
		if (quarters & 1) {
			const REAL rotated = -im;
			im = re;
			re = rotated;
		}
		if (quarters & 2) {
			re = -re;
			im = -im;
		}
		y_re[i] = once ? re : y_re[i] + re;
		y_im[i] = once ? im : y_im[i] + im;
	}
}

/* Zeros to all bins that a band shorter than m does not meet. */
WSI_FN void
FN(cwt_clear)(REAL *y, size_t m, size_t first, size_t count)
{
	const size_t end = first + count;
	if (end <= m) {
		memset(y, 0, first * sizeof *y);
		memset(y + end, 0, (m - end) * sizeof *y);
	} else {
		memset(y + (end - m), 0, (first - (end - m)) * sizeof *y);
	}
}

static void
FN(cwt_product)(const wsi_cwt_product_args *args)
{
	const wsi_cwt_response *f = args->response;
	const int64_t n = (int64_t)args->n, m = (int64_t)args->m;
	const int64_t low = -(int64_t)args->below, high = n / 2 + (int64_t)args->above;
	REAL *y_re = args->y_re, *y_im = args->y_im;
	const REAL *x_re = args->x_re, *x_im = args->x_im;
	const bool once = f->k1 - f->k0 <= m;
	const size_t first = once ? (size_t)(((f->k0 % m) + m) % m) : 0;
	FN(cwt_clear)(y_re, args->m, first, once ? (size_t)(f->k1 - f->k0) : 0);
	FN(cwt_clear)(y_im, args->m, first, once ? (size_t)(f->k1 - f->k0) : 0);
	for (int64_t k = f->k0, next; k < f->k1; k = next) {
		/* Up to where bins change their half, the output starts anew, or the band ends. */
		const int64_t at = ((k % m) + m) % m;
		next = k < low ? low : k <= high ? high + 1 : n;
		next = next - k < m - at ? next : k + (m - at);
		next = next < f->k1 ? next : f->k1;
		const bool backwards = k < low || k > high;
		const int64_t bin = k < low ? -k : k <= high ? k : n - k;
		const REAL *values = (const REAL *)args->values + (k - f->k0);
		const size_t count = (size_t)(next - k);
		if (once && !backwards && f->quarters == 0)
			FN(cwt_product_run)(y_re + at, y_im + at, values, x_re + bin, x_im + bin,
			                    count, 0, false, true);
		else if (backwards)
			FN(cwt_product_run)(y_re + at, y_im + at, values, x_re + bin, x_im + bin,
			                    count, f->quarters, true, once);
		else
			FN(cwt_product_run)(y_re + at, y_im + at, values, x_re + bin, x_im + bin,
			                    count, f->quarters, false, once);
	}
}

/* ---- Stores ------------------------------------------------------------- */

WSI_FN REAL
FN(cwt_sqrt)(REAL x)
{
	return REAL_BITS == 64 ? (REAL)__builtin_sqrt((double)x) : (REAL)__builtin_sqrtf((float)x);
}

/* Stores that do not fetch what they overwrite, for results larger than any cache. */
WSI_FN bool FN(cwt_aligned)(const REAL *p) { return (uintptr_t)p % 64 == 0; }
#if defined(WSI_ISA_AVX512) && REAL_BITS == 64
WSI_FN void FN(vstream)(REAL *p, FN(vec) v) { _mm512_stream_pd(p, v); }
#elif defined(WSI_ISA_AVX512)
WSI_FN void FN(vstream)(REAL *p, FN(vec) v) { _mm512_stream_ps(p, v); }
#elif defined(WSI_ISA_AVX2) && REAL_BITS == 64
WSI_FN void FN(vstream)(REAL *p, FN(vec) v) { _mm256_stream_pd(p, v); }
#elif defined(WSI_ISA_AVX2)
WSI_FN void FN(vstream)(REAL *p, FN(vec) v) { _mm256_stream_ps(p, v); }
#else
WSI_FN void FN(vstream)(REAL *p, FN(vec) v) { FN(vstore)(p, v); }
#endif
/* Other threads see streamed stores from here on. */
WSI_FN void
FN(cwt_fence)(void)
{
#if defined(WSI_ISA_AVX512) || defined(WSI_ISA_AVX2)
	_mm_sfence();
#endif
}

/* LANES complex numbers times scale. */
WSI_FN void
FN(cwt_put)(REAL *out, FN(vec) re, FN(vec) im, FN(vec) scale, bool stream)
{
	re = re * scale;
	im = im * scale;
	const FN(vec) low = FN(zip_low)(re, im), high = FN(zip_high)(re, im);
	if (stream) {
		FN(vstream)(out, low);
		FN(vstream)(out + LANES, high);
	} else {
		FN(vstore)(out, low);
		FN(vstore)(out + LANES, high);
	}
}

/* The first `count` of them. */
WSI_FN void
FN(cwt_put_some)(REAL *out, FN(vec) re, FN(vec) im, FN(vec) scale, size_t count)
{
	REAL all[2 * LANES];
	FN(cwt_put)(all, re, im, scale, false);
	memcpy(out, all, 2 * count * sizeof *all);
}

WSI_FN void
FN(cwt_store_complex)(REAL scale, const REAL *re, const REAL *im, size_t count, REAL *out)
{
	const FN(vec) s = FN(vset1)(scale);
	size_t i = 0;
	for (; i + LANES <= count; i += LANES)
		FN(cwt_put)(out + 2 * i, FN(vload)(re + i), FN(vload)(im + i), s, false);
	for (; i < count; ++i) {
		out[2 * i] = re[i] * scale;
		out[2 * i + 1] = im[i] * scale;
	}
}

/* Adds weight times powers to sums. */
WSI_FN void
FN(cwt_add_powers)(const wsi_cwt_store *how, const REAL *re, const REAL *im, size_t count,
                   double *restrict sums)
{
	const REAL scale = (REAL)how->scale;
	const double weight = how->weight;
	for (size_t i = 0; i < count; ++i)
		sums[i] += weight * (double)(FMA(re[i], re[i], im[i] * im[i]) * scale * scale);
}

static void
FN(cwt_store)(const wsi_cwt_store *how, const void *re_, const void *im_, size_t count, void *out_)
{
	const REAL *re = re_, *im = im_;
	REAL *restrict out = out_;
	const REAL scale = (REAL)how->scale;
	if (how->weight != 0.0) {
		FN(cwt_add_powers)(how, re, im, count, out_);
		return;
	}
	switch (how->quantity) {
	case WS_QUANTITY_MAGNITUDE:
		for (size_t i = 0; i < count; ++i)
			out[i] = FN(cwt_sqrt)(FMA(re[i], re[i], im[i] * im[i])) * scale;
		break;
	case WS_QUANTITY_POWER:
		for (size_t i = 0; i < count; ++i)
			out[i] = FMA(re[i], re[i], im[i] * im[i]) * scale * scale;
		break;
	case WS_QUANTITY_PHASE:
		for (size_t i = 0; i < count; ++i)
			out[i] = FN(angle_of)(im[i], re[i]);
		break;
	case WS_QUANTITY_COMPLEX:
		FN(cwt_store_complex)(scale, re, im, count, out);
		break;
	default:
		for (size_t i = 0; i < count; ++i)
			out[i] = (REAL)quantity_value(how->quantity, how->scale * (double)re[i],
			                              how->scale * (double)im[i]);
	}
}

WSI_FN void
FN(fft_put_complex)(const FN(fft_sink) *sink, size_t at, FN(cvec) v)
{
	const FN(vec) scale = FN(vset1)(sink->scale);
	if (at + LANES <= sink->count)
		FN(cwt_put)(sink->re + 2 * at, v.re, v.im, scale, sink->stream);
	else if (at < sink->count)
		FN(cwt_put_some)(sink->re + 2 * at, v.re, v.im, scale, sink->count - at);
}

/* The inverse transform whose first `count` samples go where complex numbers are wanted. */
static void
FN(cwt_inverse_store)(const wsi_fft *fft, const wsi_fft_in *in, const wsi_cwt_store *how,
                      size_t count, void *out, void *scratch)
{
	const FN(fft_sink) sink = { .re = out, .n = fft->n, .count = count,
		.scale = (REAL)how->scale,
		.stream = how->stream && FN(cwt_aligned)(out) };
	FN(fft_columns)(fft, in, scratch);
	FN(fft_lines)(fft, scratch, &sink, FFT_COMPLEX);
	FN(cwt_fence)();
}

#include "cpu/cwt/interpolate_simd.h"

/* ---- Means ---------------------------------------------------------------- */

/* May all of a row be multiplied as they are (GEOMETRIC_FACTORS)?  Floats may, unless one is
 * infinite. */
WSI_FN bool
FN(cwt_is_plain)(const REAL *row, size_t count)
{
	const REAL most = REAL_BITS == 64 ? (REAL)GEOMETRIC_MOST : (REAL)0x1.fffffep127;
	const REAL least = (REAL)GEOMETRIC_LEAST;
	unsigned other = 0;
	size_t t = 0;
	for (; t + LANES <= count; t += LANES) {
		const FN(vec) x = FN(vload)(row + t);
		other |= FN(vgreater)(x, FN(vset1)(most));
		if (REAL_BITS == 64)
			other |= FN(vgreater)(FN(vset1)(least), x) &
				FN(vgreater)(x, FN(vset1)((REAL)0));
	}
	for (; t < count; ++t)
		other |= row[t] > most || (row[t] > (REAL)0 && row[t] < least);
	return other == 0;
}

static void
FN(cwt_multiply)(const void *row, size_t count, size_t before, double *restrict share,
                 double *restrict exponent)
{
	const REAL *x = row;
	const bool plain = FN(cwt_is_plain)(x, count);
	const bool settles = !plain || (before && before % GEOMETRIC_FACTORS == 0);
	for (size_t t = 0; settles && t < count; ++t)
		geometric_settle(&share[t], &exponent[t]);
	for (size_t t = 0; !plain && t < count; ++t)
		geometric_take(&share[t], &exponent[t], x[t]);
	for (size_t t = 0; plain && t < count; ++t)
		share[t] *= x[t];
}

/* Logarithms of up to CWT_SOME products, and weight times those of their last factors added. */
WSI_FN void
FN(cwt_logs)(const double *shares, const double *exponents, size_t count, double *restrict log)
{
	double e[CWT_SOME], s[CWT_SOME];
	for (size_t t = 0; t < count; ++t) {
		double share = shares[t], exponent = exponents[t];
		geometric_settle(&share, &exponent);
		s[t] = gaussian_log_ratio(share == 0.0 ? 1.0 : share, &e[t]);
		log[t] = share == 0.0 ? -HUGE_VAL : exponent * GEOMETRIC_LN2;
	}
	for (size_t t = 0; t < count; ++t)
		log[t] = gaussian_log_of(s[t], e[t]) + log[t];
}

WSI_FN void
FN(cwt_last_logs)(const REAL *last, double weight, size_t count, double *restrict log)
{
	double e[CWT_SOME], s[CWT_SOME];
	for (size_t t = 0; t < count; ++t) {
		s[t] = gaussian_log_ratio(last[t] == (REAL)0 ? 1.0 : (double)last[t], &e[t]);
		log[t] = last[t] == (REAL)0 ? -HUGE_VAL : log[t];
	}
	for (size_t t = 0; t < count; ++t)
		log[t] += weight * gaussian_log_of(s[t], e[t]);
}

/* geometric_mean() in short loops, one after another: of these a processor has more steps at work
 * at a time than of a long one. */
static void
FN(cwt_mean)(const wsi_cwt_mean_args *args)
{
	double log[CWT_SOME];
	const double power = args->power;
	for (size_t first = 0; first < args->count; first += CWT_SOME) {
		const size_t left = args->count - first, count = left < CWT_SOME ? left : CWT_SOME;
		REAL *restrict out = (REAL *)args->out + first;
		FN(cwt_logs)(args->share + first, args->exponent + first, count, log);
		if (args->last)
			FN(cwt_last_logs)((const REAL *)args->last + first, args->weight, count,
			                  log);
		for (size_t t = 0; t < count; ++t)
			out[t] = (REAL)exponential(power * log[t]);
	}
}

#include "cpu/cwt/sums_simd.h"

static const wsi_cwt_ops FN(cwt_ops) = {
	.inverse = FN(fft_inverse),
	.inverse_store = FN(cwt_inverse_store),
	.convolve = FN(fft_convolve),
	.response = FN(cwt_response),
	.product = FN(cwt_product),
	.interpolate = FN(cwt_interpolate),
	.store = FN(cwt_store),
	.multiply = FN(cwt_multiply),
	.mean = FN(cwt_mean),
	.add_epoch = FN(cwt_add_epoch),
	.add_pair = FN(cwt_add_pair),
};
