/*
 * interpolate_simd.h - template: slot interpolate of the wavelet transform, outputs between the
 * points of a grid.  Twin: ops/ref/cwt_ref.h.
 */

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
