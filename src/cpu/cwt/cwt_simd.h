/*
 * cwt_simd.h - template: slots of the wavelet transform but for the inverse transform itself
 * (fft_simd.h) and sums over epochs (sums_simd.h).  Twins: ops/ref/cwt_ref.h.
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

/* ---- Interpolation -------------------------------------------------------- */

/* What all blocks of an interpolation share, and all rows of a scale. */
typedef struct FN(cwt_carriers) {
	REAL out_re[WSI_CWT_BLOCK], out_im[WSI_CWT_BLOCK];
	REAL grid_re[WSI_CWT_BLOCK + WSI_CWT_TAPS], grid_im[WSI_CWT_BLOCK + WSI_CWT_TAPS];
} FN(cwt_carriers);
_Static_assert(sizeof(FN(cwt_carriers)) == WSI_CWT_CARRIERS * sizeof(REAL), "no gaps");

/* e^{i sign kappa (step i - first)}: two tables of some 24 period, and their products. */
WSI_FN void
FN(cwt_carrier)(uint64_t rotation, uint64_t period, bool back, uint64_t first, size_t count,
                REAL *re, REAL *im)
{
	enum { INNER = 32 };
	double c[INNER], s[INNER];
	const uint64_t one = back ? period - rotation % period : rotation % period;
	for (uint64_t i = 0; i < INNER; ++i)
		cwt_root((uint64_t)((unsigned __int128)one * i % period), period, &c[i], &s[i]);
	const uint64_t start = period - (uint64_t)((unsigned __int128)one * first % period);
	for (size_t i = 0; i < count; i += INNER) {
		double a, b;
		cwt_root((start + (uint64_t)((unsigned __int128)one * i % period)) % period, period,
		         &a, &b);
		for (size_t k = 0; k < INNER && i + k < count; ++k) {
			re[i + k] = (REAL)fma(a, c[k], -(b * s[k]));
			im[i + k] = (REAL)fma(a, s[k], b * c[k]);
		}
	}
}

/* Where a block's outputs go: to two arrays; or, where complex numbers from the block's first on
 * are wanted, to their place. */
typedef struct FN(cwt_sink) {
	const FN(cwt_carriers) *carriers;
	REAL *re, *im;          /* [WSI_CWT_BLOCK] */
	REAL *out;              /* or NULL */
	int count;              /* of the block's outputs; a few more may be made */
	REAL scale;
	bool stream;
} FN(cwt_sink);

/* Outputs at .. at + LANES - 1 of the block, before the rotation. */
WSI_FN void
FN(cwt_emit)(const FN(cwt_sink) *sink, size_t at, FN(vec) a, FN(vec) b, const bool direct)
{
	const FN(vec) c = FN(vload)(sink->carriers->out_re + at),
		s = FN(vload)(sink->carriers->out_im + at);
	const FN(vec) re = FN(vec_fma)(a, c, -(b * s)), im = FN(vec_fma)(a, s, b * c);
	const size_t left = (size_t)sink->count - at;
	if (direct && at + LANES <= (size_t)sink->count) {
		FN(cwt_put)(sink->out + 2 * at, re, im, FN(vset1)(sink->scale), sink->stream);
	} else if (direct && at < (size_t)sink->count) {
		FN(cwt_put_some)(sink->out + 2 * at, re, im, FN(vset1)(sink->scale), left);
	} else if (!direct) {
		FN(vstore)(sink->re + at, re);
		FN(vstore)(sink->im + at, im);
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

/* Points from p on are read anew in each step: compilers would carry those of the step before
 * along, through memory, where registers are few. */
#undef CWT_ANEW
#define CWT_ANEW(p) __asm__("" : "+r"(p))

/* A block, phase by phase; ratio at most 8. */
WSI_FN void
FN(cwt_by_phase)(const FN(cwt_sink) *sink, const REAL *u_re, const REAL *u_im, const REAL *weights,
                 const int ratio, const int taps, const bool direct)
{
	for (int g = 0; g * ratio < sink->count; g += LANES) {
		const REAL *re = u_re + g, *im = u_im + g;
		CWT_ANEW(re);
		CWT_ANEW(im);
		FN(vec) a[8], b[8];
		FN(vec) x = FN(vload)(re), y = FN(vload)(im);
		for (int p = 0; p < ratio; ++p) {
			const FN(vec) w = FN(vset1)(weights[p]);
			a[p] = x * w;
			b[p] = y * w;
		}
		for (int j = 1; j < taps; ++j) {
			x = FN(vload)(re + j);
			y = FN(vload)(im + j);
			for (int p = 0; p < ratio; ++p) {
				const FN(vec) w = FN(vset1)(weights[j * ratio + p]);
				a[p] = FN(vec_fma)(x, w, a[p]);
				b[p] = FN(vec_fma)(y, w, b[p]);
			}
		}
		FN(cwt_weave)(a, ratio);
		FN(cwt_weave)(b, ratio);
		for (int p = 0; p < ratio; ++p)
			FN(cwt_emit)(sink, (size_t)(g * ratio + p * LANES), a[p], b[p], direct);
	}
}

#if defined(WSI_ISA_AVX2) && REAL_BITS == 64
/* All taps of so many groups of LANES points, of some phases and of one part of the numbers. */
WSI_FN void
FN(cwt_taps)(const REAL *u, const REAL *weights, int ratio, const int phases, const int groups,
             int taps, FN(vec) *a)
{
	/* What a product is added to without a change, even to 0. */
	for (int i = 0; i < groups * phases; ++i)
		a[i] = FN(vset1)(-(REAL)0);
	for (int j = 0; j < taps; ++j) {
		FN(vec) x[4];
		for (int k = 0; k < groups; ++k) {
			x[k] = FN(vload)(u + k * LANES + j);
			/* Compilers would read it once more for each phase. */
			__asm__("" : "+x"(x[k]));
		}
		for (int p = 0; p < phases; ++p) {
			const FN(vec) w = FN(vset1)(weights[j * ratio + p]);
			for (int k = 0; k < groups; ++k)
				a[k * phases + p] = FN(vec_fma)(x[k], w, a[k * phases + p]);
		}
	}
	for (int k = 0; k < groups; ++k)
		if (phases == LANES)
			FN(vtranspose)(a + k * phases);
		else
			FN(cwt_weave)(a + k * phases, phases);
}

/* A block by so many groups of LANES points, which share each weight, LANES phases at a time or
 * both of two, one part after the other: no more sums at a time than there are registers. */
WSI_FN void
FN(cwt_by_part)(const FN(cwt_sink) *sink, const REAL *u_re, const REAL *u_im, const REAL *weights,
                int ratio, const int phases, const int groups, int taps, const bool direct)
{
	const int apart = phases == LANES ? ratio : LANES;
	for (int g = 0; g * ratio < sink->count; g += groups * LANES)
		for (int p = 0; p < ratio; p += phases) {
			FN(vec) a[8], b[8];
			FN(cwt_taps)(u_re + g, weights + p, ratio, phases, groups, taps, a);
			FN(cwt_taps)(u_im + g, weights + p, ratio, phases, groups, taps, b);
			for (int i = 0; i < groups * phases; ++i)
				FN(cwt_emit)(sink, (size_t)(g * ratio + p + i * apart), a[i],
				             b[i], direct);
		}
}

/* In functions of their own, whose registers compilers then share out well. */
#define CWT_BY_PART(name, phases, groups, direct) \
	static __attribute__((noinline)) void \
	FN(name)(const FN(cwt_sink) *sink, const REAL *u_re, const REAL *u_im, \
	         const REAL *weights, int ratio, int taps) \
	{ \
		FN(cwt_by_part)(sink, u_re, u_im, weights, ratio, phases, groups, taps, direct); \
	}
CWT_BY_PART(cwt_by_two_direct, 2, 4, true)
CWT_BY_PART(cwt_by_two, 2, 4, false)
CWT_BY_PART(cwt_by_four_direct, 4, 2, true)
CWT_BY_PART(cwt_by_four, 4, 2, false)
#undef CWT_BY_PART
#endif

/* The same by grid points, whose outputs are neighbours; ratio at least LANES. */
WSI_FN void
FN(cwt_by_point)(const FN(cwt_sink) *sink, const REAL *u_re, const REAL *u_im, const REAL *weights,
                 int ratio, const int taps, const bool direct)
{
	for (int p = 0; p < ratio; p += LANES) {
		FN(vec) w[WSI_CWT_TAPS];
		for (int j = 0; j < taps; ++j)
			w[j] = FN(vload)(weights + j * ratio + p);
		for (int g = 0; g * ratio < sink->count; ++g) {
			const REAL *re = u_re + g, *im = u_im + g;
			CWT_ANEW(re);
			CWT_ANEW(im);
			FN(vec) a = FN(vset1)(re[0]) * w[0], b = FN(vset1)(im[0]) * w[0];
			for (int j = 1; j < taps; ++j) {
				a = FN(vec_fma)(FN(vset1)(re[j]), w[j], a);
				b = FN(vec_fma)(FN(vset1)(im[j]), w[j], b);
			}
			FN(cwt_emit)(sink, (size_t)(g * ratio + p), a, b, direct);
		}
	}
}

WSI_FN void
FN(cwt_block)(const FN(cwt_sink) *sink, const REAL *u_re, const REAL *u_im, const REAL *weights,
              int ratio, const int taps, const bool direct)
{
#if defined(WSI_ISA_AVX2) && REAL_BITS == 64
	if (ratio == 2)
		(direct ? FN(cwt_by_two_direct)
		 : FN(cwt_by_two))(sink, u_re, u_im, weights, ratio, taps);
	else
		(direct ? FN(cwt_by_four_direct)
		 : FN(cwt_by_four))(sink, u_re, u_im, weights, ratio, taps);
#else
	if (ratio >= LANES)
		FN(cwt_by_point)(sink, u_re, u_im, weights, ratio, taps, direct);
	else if (ratio == 8)
		FN(cwt_by_phase)(sink, u_re, u_im, weights, 8, taps, direct);
	else if (ratio == 4)
		FN(cwt_by_phase)(sink, u_re, u_im, weights, 4, taps, direct);
	else
		FN(cwt_by_phase)(sink, u_re, u_im, weights, 2, taps, direct);
#endif
}

/* The two numbers of taps that a type has: for twice as many grid points as bins, and for fewer. */
WSI_FN void
FN(cwt_block_of)(const FN(cwt_sink) *sink, const REAL *u_re, const REAL *u_im,
                 const wsi_cwt_interpolation *args)
{
	enum { FEW = WSI_CWT_FEW_TAPS(REAL_BITS), MANY = WSI_CWT_MANY_TAPS(REAL_BITS) };
	const bool few = args->taps == FEW;
	if (few && sink->out)
		FN(cwt_block)(sink, u_re, u_im, args->weights, args->ratio, FEW, true);
	else if (few)
		FN(cwt_block)(sink, u_re, u_im, args->weights, args->ratio, FEW, false);
	else if (sink->out)
		FN(cwt_block)(sink, u_re, u_im, args->weights, args->ratio, MANY, true);
	else
		FN(cwt_block)(sink, u_re, u_im, args->weights, args->ratio, MANY, false);
}

/* u of the block that begins at grid point `first`. */
WSI_FN void
FN(cwt_points)(const wsi_cwt_interpolation *args, const FN(cwt_carriers) *carriers, size_t first,
               size_t count, REAL *u_re, REAL *u_im)
{
	const size_t m = args->m;
	size_t at = (first + m - (size_t)(args->taps / 2 - 1) % m) % m;
	for (size_t i = 0; i < count;) {
		const size_t run = count - i < m - at ? count - i : m - at;
		const REAL *restrict re = (const REAL *)args->z_re + at,
			*restrict im = (const REAL *)args->z_im + at;
		for (size_t k = 0; k < run; ++k) {
			const REAL c = carriers->grid_re[i + k], s = carriers->grid_im[i + k];
			u_re[i + k] = FMA(re[k], c, -(im[k] * s));
			u_im[i + k] = FMA(re[k], s, im[k] * c);
		}
		i += run;
		at = 0;
	}
}

WSI_FN void
FN(cwt_carry)(const wsi_cwt_interpolation *args, FN(cwt_carriers) *carriers)
{
	const uint64_t ratio = (uint64_t)args->ratio, taps = (uint64_t)args->taps;
	const uint64_t across =
		(uint64_t)((unsigned __int128)args->rotation * ratio % args->period);
	FN(cwt_carrier)(across, args->period, true, taps / 2 - 1, WSI_CWT_BLOCK / ratio + taps - 1,
	                carriers->grid_re, carriers->grid_im);
	FN(cwt_carrier)(args->rotation, args->period, false, 0, WSI_CWT_BLOCK, carriers->out_re,
	                carriers->out_im);
}

/* Points that are worked on together at most, a divisor of a block's. */
#undef CWT_POINTS
#define CWT_POINTS (size_t)(REAL_BITS == 64 ? 4 * LANES : LANES)

static void
FN(cwt_interpolate)(const wsi_cwt_interpolation *args)
{
	FN(cwt_carriers) *const carriers = args->carriers;
	REAL u_re[WSI_CWT_BLOCK + 2 * WSI_CWT_TAPS], u_im[WSI_CWT_BLOCK + 2 * WSI_CWT_TAPS];
	REAL re[WSI_CWT_BLOCK], im[WSI_CWT_BLOCK];
	FN(cwt_sink) sink = { .carriers = carriers, .re = re, .im = im,
		.scale = (REAL)args->store.scale };
	const size_t ratio = (size_t)args->ratio, points = WSI_CWT_BLOCK / ratio;
	if (!args->carried)
		FN(cwt_carry)(args, carriers);
	const size_t bytes = wsi_cwt_stored_bytes(&args->store, sizeof(REAL));
	for (size_t t = args->t0 / WSI_CWT_BLOCK * WSI_CWT_BLOCK; t < args->t1;
	     t += WSI_CWT_BLOCK) {
		const size_t from = t < args->t0 ? args->t0 - t : 0;
		const size_t to = args->t1 - t < WSI_CWT_BLOCK ? args->t1 - t : WSI_CWT_BLOCK;
		REAL *out = (REAL *)(void *)((char *)args->out + (t + from - args->t0) * bytes);
		const bool direct = args->store.quantity == WS_QUANTITY_COMPLEX && from == 0;
		/* Points come so many at a time. */
		const size_t some = (to / ratio + CWT_POINTS) / CWT_POINTS * CWT_POINTS;
		sink.out = direct ? out : NULL;
		sink.count = (int)to;
		sink.stream = args->store.stream && FN(cwt_aligned)(out);
		FN(cwt_points)(args, carriers, t / ratio, (some < points ? some : points) +
		               (size_t)args->taps - 1, u_re, u_im);
		FN(cwt_block_of)(&sink, u_re, u_im, args);
		if (!direct)
			FN(cwt_store)(&args->store, re + from, im + from, to - from, out);
	}
	FN(cwt_fence)();
}

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
