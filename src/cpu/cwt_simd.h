/*
 * cwt_simd.h - template: slots of the wavelet transform but for the inverse transform itself
 * (fft_simd.h).  Twins: ops/ref/cwt_ref.h.
 */

/* e^{2 pi i a / n} */
#ifndef WSI_CWT_ONCE
#define WSI_CWT_ONCE
WSI_FN void
cwt_turn(uint64_t a, uint64_t n, double *c, double *s)
{
	gaussian_turn((double)(a % n) / (double)n, c, s);
}
#endif

/* A wavelet's kind is a constant in each call, so that the loop becomes one over vectors. */
WSI_FN void
FN(cwt_shapes)(const wsi_cwt_filter *f, const ws_wavelet kind, int64_t first, size_t count,
               double *out)
{
	wsi_wavelet v = f->wavelet;
	v.kind = kind;
	const double step = f->step, gain = f->gain;
	for (size_t i = 0; i < count; ++i)
		out[i] = gain * wavelet_shape(&v, step * (double)(int)((int64_t)i + first));
}

static void
FN(cwt_hat)(const wsi_cwt_hat_job *job)
{
	const wsi_cwt_filter *f = job->filter;
	REAL *hat = job->hat;
	enum { CHUNK = 512 };
	double shape[CHUNK];
	for (int64_t k = f->k0; k < f->k1; k += CHUNK) {
		const size_t count = f->k1 - k < CHUNK ? (size_t)(f->k1 - k) : CHUNK;
		switch (f->wavelet.kind) {
		case WS_MORLET:
			FN(cwt_shapes)(f, WS_MORLET, k, count, shape);
			break;
		case WS_MORLET_FULL:
			FN(cwt_shapes)(f, WS_MORLET_FULL, k, count, shape);
			break;
		case WS_MORLET_ZERO_MEAN:
			FN(cwt_shapes)(f, WS_MORLET_ZERO_MEAN, k, count, shape);
			break;
		default:
			FN(cwt_shapes)(f, f->wavelet.kind, k, count, shape);
		}
		if (f->halve_nyquist && k <= (int64_t)job->n / 2 && (int64_t)job->n / 2 < k + (int64_t)count)
			shape[(int64_t)job->n / 2 - k] *= 0.5;
		if (job->flatten)
			for (size_t i = 0; i < count; ++i) {
				const int64_t q = k + (int64_t)i - job->centre;
				shape[i] *= job->flatten[q < 0 ? -q : q];
			}
		for (size_t i = 0; i < count; ++i)
			hat[k - f->k0 + (int64_t)i] = (REAL)shape[i];
	}
}

/* y[at ..] += (or, where fresh, =) i^quarters hat x, or hat conj(x) with x going backwards. */
WSI_FN void
FN(cwt_product_run)(REAL *restrict y_re, REAL *restrict y_im, const REAL *hat, const REAL *x_re,
                    const REAL *x_im, size_t count, int quarters, bool backwards)
{
	for (size_t i = 0; i < count; ++i) {
		const ptrdiff_t at = backwards ? -(ptrdiff_t)i : (ptrdiff_t)i;
		REAL re = hat[i] * x_re[at], im = backwards ? -(hat[i] * x_im[at]) : hat[i] * x_im[at];
		if (quarters & 1) {
			const REAL turned = -im;
			im = re;
			re = turned;
		}
		if (quarters & 2) {
			re = -re;
			im = -im;
		}
		y_re[i] += re;
		y_im[i] += im;
	}
}

static void
FN(cwt_product)(const wsi_cwt_product_job *job)
{
	const wsi_cwt_filter *f = job->filter;
	const int64_t n = (int64_t)job->n, m = (int64_t)job->m, half = n / 2;
	REAL *y_re = job->y_re, *y_im = job->y_im;
	const REAL *x_re = job->x_re, *x_im = job->x_im;
	memset(y_re, 0, job->m * sizeof(REAL));
	memset(y_im, 0, job->m * sizeof(REAL));
	for (int64_t k = f->k0, next; k < f->k1; k = next) {
		/* Up to where bins turn, the output starts anew, or the band ends. */
		const int64_t at = ((k % m) + m) % m;
		next = k < 0 ? 0 : k <= half ? half + 1 : n;
		next = next - k < m - at ? next : k + (m - at);
		next = next < f->k1 ? next : f->k1;
		const bool backwards = k < 0 || k > half;
		const int64_t bin = k < 0 ? -k : k <= half ? k : n - k;
		const REAL *hat = (const REAL *)job->hat + (k - f->k0);
		const size_t count = (size_t)(next - k);
		if (!backwards && f->quarters == 0)
			FN(cwt_product_run)(y_re + at, y_im + at, hat, x_re + bin, x_im + bin, count, 0,
			                    false);
		else
			FN(cwt_product_run)(y_re + at, y_im + at, hat, x_re + bin, x_im + bin, count,
			                    f->quarters, backwards);
	}
}

/* ---- Stores ------------------------------------------------------------- */

WSI_FN REAL
FN(cwt_sqrt)(REAL x)
{
	return REAL_BITS == 64 ? (REAL)__builtin_sqrt((double)x) : (REAL)__builtin_sqrtf((float)x);
}

WSI_FN void
FN(cwt_store_complex)(REAL scale, const REAL *re, const REAL *im, size_t count, REAL *out)
{
	const FN(vec) s = FN(vset1)(scale);
	size_t i = 0;
	for (; i + LANES <= count; i += LANES) {
		const FN(vec) a = FN(vload)(re + i) * s, b = FN(vload)(im + i) * s;
		FN(vstore)(out + 2 * i, FN(zip_low)(a, b));
		FN(vstore)(out + 2 * i + LANES, FN(zip_high)(a, b));
	}
	for (; i < count; ++i) {
		out[2 * i] = re[i] * scale;
		out[2 * i + 1] = im[i] * scale;
	}
}

static void
FN(cwt_store)(const wsi_cwt_store *how, const void *re_, const void *im_, size_t count, void *out_)
{
	const REAL *re = re_, *im = im_;
	REAL *restrict out = out_;
	const REAL scale = (REAL)how->scale;
	switch (how->quantity) {
	case WS_MAGNITUDE:
		for (size_t i = 0; i < count; ++i)
			out[i] = FN(cwt_sqrt)(FMA(re[i], re[i], im[i] * im[i])) * scale;
		break;
	case WS_POWER:
		for (size_t i = 0; i < count; ++i)
			out[i] = FMA(re[i], re[i], im[i] * im[i]) * scale * scale;
		break;
	case WS_PHASE:
		for (size_t i = 0; i < count; ++i)
			out[i] = FN(angle_of)(im[i], re[i]);
		break;
	default:
		FN(cwt_store_complex)(scale, re, im, count, out);
	}
}

/* ---- Interpolation -------------------------------------------------------- */

/* What all blocks of an interpolation share. */
typedef struct FN(cwt_turns) {
	REAL grid_re[WSI_CWT_BLOCK + WSI_CWT_TAPS], grid_im[WSI_CWT_BLOCK + WSI_CWT_TAPS];
	REAL out_re[WSI_CWT_BLOCK], out_im[WSI_CWT_BLOCK];
} FN(cwt_turns);

/* e^{i sign kappa (step i - first)}: two tables of some 24 turns, and their products. */
WSI_FN void
FN(cwt_carrier)(uint64_t turn, uint64_t turns, bool back, uint64_t first, size_t count, REAL *re,
                REAL *im)
{
	enum { INNER = 32 };
	double c[INNER], s[INNER];
	const uint64_t one = back ? turns - turn % turns : turn % turns;
	for (uint64_t i = 0; i < INNER; ++i)
		cwt_turn((uint64_t)((unsigned __int128)one * i % turns), turns, &c[i], &s[i]);
	const uint64_t start = turns - (uint64_t)((unsigned __int128)one * first % turns);
	for (size_t i = 0; i < count; i += INNER) {
		double a, b;
		cwt_turn((start + (uint64_t)((unsigned __int128)one * i % turns)) % turns, turns, &a, &b);
		for (size_t k = 0; k < INNER && i + k < count; ++k) {
			re[i + k] = (REAL)fma(a, c[k], -(b * s[k]));
			im[i + k] = (REAL)fma(a, s[k], b * c[k]);
		}
	}
}

/* LANES grid points or more: outputs of one phase are neighbours, and are woven together. */
WSI_FN void
FN(cwt_weave)(FN(vec) *v, const int ratio)
{
	for (int step = 1; step < ratio; step *= 2) {
		FN(vec) w[8];
		for (int i = 0; i < ratio / 2; ++i) {
			w[2 * i] = FN(zip_low)(v[i], v[i + ratio / 2]);
			w[2 * i + 1] = FN(zip_high)(v[i], v[i + ratio / 2]);
		}
		for (int i = 0; i < ratio; ++i)
			v[i] = w[i];
	}
}

/* sums[t] of a block, for one of the two parts; ratio at most 8. */
WSI_FN void
FN(cwt_sums_by_phase)(const REAL *u, const REAL *weights, const int ratio, const int taps, REAL *sums)
{
	for (int g = 0; g < WSI_CWT_BLOCK / ratio; g += LANES) {
		FN(vec) v[8];
		for (int p = 0; p < ratio; ++p)
			v[p] = FN(vload)(u + g) * FN(vset1)(weights[p]);
		for (int j = 1; j < taps; ++j) {
			const FN(vec) x = FN(vload)(u + g + j);
			for (int p = 0; p < ratio; ++p)
				v[p] = FN(vec_fma)(x, FN(vset1)(weights[j * ratio + p]), v[p]);
		}
		FN(cwt_weave)(v, ratio);
		for (int p = 0; p < ratio; ++p)
			FN(vstore)(sums + g * ratio + p * LANES, v[p]);
	}
}

/* The same by grid points, whose outputs are neighbours; ratio at least LANES. */
WSI_FN void
FN(cwt_sums_by_point)(const REAL *u, const REAL *weights, int ratio, const int taps, REAL *sums)
{
	for (int p = 0; p < ratio; p += LANES) {
		FN(vec) w[WSI_CWT_TAPS];
		for (int j = 0; j < taps; ++j)
			w[j] = FN(vload)(weights + j * ratio + p);
		for (int g = 0; g < WSI_CWT_BLOCK / ratio; ++g) {
			FN(vec) v = FN(vset1)(u[g]) * w[0];
			for (int j = 1; j < taps; ++j)
				v = FN(vec_fma)(FN(vset1)(u[g + j]), w[j], v);
			FN(vstore)(sums + g * ratio + p, v);
		}
	}
}

WSI_FN void
FN(cwt_sums)(const REAL *u, const REAL *weights, int ratio, const int taps, REAL *sums)
{
	if (ratio >= 16 || ratio >= LANES)
		FN(cwt_sums_by_point)(u, weights, ratio, taps, sums);
	else if (ratio == 8)
		FN(cwt_sums_by_phase)(u, weights, 8, taps, sums);
	else if (ratio == 4)
		FN(cwt_sums_by_phase)(u, weights, 4, taps, sums);
	else
		FN(cwt_sums_by_phase)(u, weights, 2, taps, sums);
}

/* u of the block that begins at grid point `first`. */
WSI_FN void
FN(cwt_points)(const wsi_cwt_interpolation *job, const FN(cwt_turns) *turns, size_t first,
               size_t count, REAL *u_re, REAL *u_im)
{
	const size_t m = job->m;
	size_t at = (first + m - (size_t)(job->taps / 2 - 1) % m) % m;
	for (size_t i = 0; i < count;) {
		const size_t run = count - i < m - at ? count - i : m - at;
		const REAL *restrict re = (const REAL *)job->z_re + at, *restrict im = (const REAL *)job->z_im + at;
		for (size_t k = 0; k < run; ++k) {
			const REAL c = turns->grid_re[i + k], s = turns->grid_im[i + k];
			u_re[i + k] = FMA(re[k], c, -(im[k] * s));
			u_im[i + k] = FMA(re[k], s, im[k] * c);
		}
		i += run;
		at = 0;
	}
}

static void
FN(cwt_interpolate)(const wsi_cwt_interpolation *job)
{
	FN(cwt_turns) turns;
	REAL u_re[WSI_CWT_BLOCK + 2 * WSI_CWT_TAPS], u_im[WSI_CWT_BLOCK + 2 * WSI_CWT_TAPS];
	REAL re[WSI_CWT_BLOCK], im[WSI_CWT_BLOCK];
	const size_t ratio = (size_t)job->ratio, points = WSI_CWT_BLOCK / ratio;
	const size_t count = points + (size_t)job->taps - 1;
	const uint64_t across = (uint64_t)((unsigned __int128)job->turn * ratio % job->turns);
	FN(cwt_carrier)(across, job->turns, true, (uint64_t)job->taps / 2 - 1, count, turns.grid_re,
	                turns.grid_im);
	FN(cwt_carrier)(job->turn, job->turns, false, 0, WSI_CWT_BLOCK, turns.out_re, turns.out_im);
	const size_t number = wsi_cwt_numbers(job->store.quantity);
	for (size_t t = job->t0 / WSI_CWT_BLOCK * WSI_CWT_BLOCK; t < job->t1; t += WSI_CWT_BLOCK) {
		FN(cwt_points)(job, &turns, t / ratio, count, u_re, u_im);
		if (job->taps == 8) {
			FN(cwt_sums)(u_re, job->weights, job->ratio, 8, re);
			FN(cwt_sums)(u_im, job->weights, job->ratio, 8, im);
		} else {
			FN(cwt_sums)(u_re, job->weights, job->ratio, 16, re);
			FN(cwt_sums)(u_im, job->weights, job->ratio, 16, im);
		}
		for (size_t i = 0; i < WSI_CWT_BLOCK; ++i) {
			const REAL a = re[i], b = im[i], c = turns.out_re[i], s = turns.out_im[i];
			re[i] = FMA(a, c, -(b * s));
			im[i] = FMA(a, s, b * c);
		}
		const size_t from = t < job->t0 ? job->t0 - t : 0;
		const size_t to = job->t1 - t < WSI_CWT_BLOCK ? job->t1 - t : WSI_CWT_BLOCK;
		FN(cwt_store)(&job->store, re + from, im + from, to - from,
		              (REAL *)job->out + (t + from - job->t0) * number);
	}
}

static const wsi_cwt_ops FN(cwt_ops) = {
	.inverse = FN(fft_inverse),
	.hat = FN(cwt_hat),
	.product = FN(cwt_product),
	.interpolate = FN(cwt_interpolate),
	.store = FN(cwt_store),
};
