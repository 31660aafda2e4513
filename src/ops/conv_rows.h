/*
 * conv_rows.h - template: slots of direct convolution that are plain passes over rows; compiled
 * into every table, the reference too.  Before inclusion: REAL, FN, FMA.
 */

static void
FN(conv_stage)(const wsi_conv_stage *args)
{
	REAL *to = args->to;
	const int64_t every = args->every;
	/* Outputs i0 .. i1 - 1 lie in the signal. */
	int64_t i0 = args->first < 0 ? (-args->first + every - 1) / every : 0;
	int64_t i1 = args->first < args->n ? (args->n - 1 - args->first) / every + 1 : 0;
	const int64_t count = (int64_t)args->count;
	i0 = i0 < count ? i0 : count;
	i1 = i1 < count ? i1 : count;
	i1 = i1 > i0 ? i1 : i0;
	for (int64_t i = 0; i < i0; ++i)
		to[i] = (REAL)0;
	if (args->type == WS_F32) {
		const float *x = (const float *)args->x;
		for (int64_t i = i0; i < i1; ++i)
			to[i] = (REAL)x[args->first + i * every];
	} else {
		const REAL *x = (const REAL *)args->x;
		for (int64_t i = i0; i < i1; ++i)
			to[i] = x[args->first + i * every];
	}
	for (int64_t i = i1; i < count; ++i)
		to[i] = (REAL)0;
}

static void
FN(conv_add)(void *a, const void *b, size_t n)
{
	REAL *to = a;
	const REAL *from = b;
	for (size_t i = 0; i < n; ++i)
		to[i] = from[i] + to[i];
}

/* Type and step are constants in each call, so that loops become those over vectors. */
WSI_FN bool
FN(conv_store_as)(const REAL *sums, const REAL *rest, size_t n, void *out, const size_t step,
                  const ws_type type)
{
	int bad = 0;
	for (size_t i = 0; i < n; ++i) {
		const REAL y = (rest ? sums[i] + rest[i] : sums[i]) + (REAL)0;
		if (type == WS_F32) {
			const float z = (float)y;
			bad |= !(z - z == 0.0f);
			((float *)out)[i * step] = z;
		} else {
			bad |= !(y - y == (REAL)0);
			((double *)out)[i * step] = (double)y;
		}
	}
	return !bad;
}

static bool
FN(conv_store)(const void *sums, const void *rest, size_t n, void *out, size_t step, ws_type type)
{
	if (type == WS_F32)
		return step == 1 ? FN(conv_store_as)(sums, rest, n, out, 1, WS_F32)
		       : FN(conv_store_as)(sums, rest, n, out, 2, WS_F32);
	return step == 1 ? FN(conv_store_as)(sums, rest, n, out, 1, WS_F64)
	       : FN(conv_store_as)(sums, rest, n, out, 2, WS_F64);
}

static void
FN(conv_scale)(void *a, double by, size_t n)
{
	REAL *to = a;
	for (size_t i = 0; i < n; ++i)
		to[i] *= (REAL)by;
}

static void
FN(conv_multiply)(void *y_re, void *y_im, const void *a_re, const void *a_im, const void *b_re,
                  const void *b_im, size_t n)
{
	REAL *restrict u = y_re, *restrict v = y_im;
	const REAL *a = a_re, *b = a_im, *c = b_re, *d = b_im;
	for (size_t i = 0; i < n; ++i) {
		u[i] = FMA(a[i], c[i], -(b[i] * d[i]));
		v[i] = FMA(a[i], d[i], b[i] * c[i]);
	}
}

/* ---- Accumulators by magnitude ----------------------------------------------------------- */

/* Outputs that are worked on together; they divide those of a args. */
#define PARTED_WIDE 32

/* One row at outputs j .. j + PARTED_WIDE - 1; N is a constant in each call. */
WSI_FN void
FN(conv_parted)(const wsi_conv_args *args, int r, size_t j, const int N)
{
	REAL s[WS_MOST_ACCUMULATORS][PARTED_WIDE], least[WS_MOST_ACCUMULATORS];
	const REAL *m = (const REAL *)args->taps + r, *x = (const REAL *)args->x + j;
	size_t phase = 0;
	for (int k = 0; k < N; ++k) {
		least[k] = (REAL)args->least[r * WS_MOST_ACCUMULATORS + k];
		for (int i = 0; i < PARTED_WIDE; ++i)
			s[k][i] = (REAL)0;
	}
	for (int t = 0; t < args->n_taps; ++t, m += args->rows) {
		for (int k = 0; k < N; ++k)
			for (int i = 0; i < PARTED_WIDE; ++i) {
				const REAL p = x[i] * *m, size = p < (REAL)0 ? -p : p;
				const int mine = (size >= least[k]) & (k == 0 ||
				                                       !(size >= least[k - 1]));
				const REAL sum = FMA(x[i], *m, s[k][i]);
				s[k][i] = mine ? sum : s[k][i];
			}
		x += args->every == 1 ? 1 : args->stride;
		if (args->every > 1 && ++phase == args->every) {
			x -= args->every * args->stride - 1;
			phase = 0;
		}
	}
	for (int k = 0; k < N; ++k)
		for (int i = 0; i < PARTED_WIDE; ++i)
			((REAL *)args->sums)[((size_t)(k * args->rows + r)) * WSI_CONV_OUTPUTS + j +
			                     (size_t)i] = s[k][i];
}

static void
FN(conv_section_parted)(const wsi_conv_args *args)
{
	for (int r = 0; r < args->rows; ++r)
		for (size_t j = 0; j < args->outputs; j += PARTED_WIDE)
			switch (args->accumulators) {
			case 2: FN(conv_parted)(args, r, j, 2); break;
			case 3: FN(conv_parted)(args, r, j, 3); break;
			case 4: FN(conv_parted)(args, r, j, 4); break;
			default: FN(conv_parted)(args, r, j, args->accumulators); break;
			}
}
#undef PARTED_WIDE

static void
FN(conv_narrow)(void *x, size_t n, ws_narrow type, int exponent)
{
	REAL *to = x;
	const double down = ldexp(1.0, -exponent), up = ldexp(1.0, exponent);
	for (size_t i = 0; i < n; ++i)
		to[i] = (REAL)(narrow_nearest((double)to[i] * down, type) * up);
}

static double
FN(conv_largest)(const void *x, size_t n)
{
	const REAL *from = x;
	REAL most = (REAL)0;
	for (size_t i = 0; i < n; ++i) {
		const REAL size = from[i] < (REAL)0 ? -from[i] : from[i];
		most = size > most ? size : most;
	}
	return (double)most;
}

static size_t
FN(conv_not_finite)(const void *samples, size_t n)
{
	const REAL *x = samples;
	enum { BLOCK = 4096 };
	for (size_t i = 0; i < n; i += BLOCK) {
		const size_t end = n - i < BLOCK ? n : i + BLOCK;
		int bad = 0;
		for (size_t k = i; k < end; ++k)
			bad |= !(x[k] - x[k] == (REAL)0);
		for (size_t k = i; bad && k < end; ++k)
			if (!(x[k] - x[k] == (REAL)0))
				return k;
	}
	return n;
}

/* A formula is a constant in each call, so that the loop becomes one over vectors. */
WSI_FN void
FN(mask_values)(const wsi_mask_args *args, const ws_mask_formula formula)
{
	wsi_mask m = args->mask;
	m.formula = formula;
	const int n = (int)(args->b - args->a), first = (int)(args->a - m.half);
	double *to = args->values;
	for (int i = 0; i < n; ++i) {
		double imaginary;
		const double value = mask_value(&m, first + i, &imaginary);
		if (formula == WS_MASK_GABOR) {
			to[2 * i] = value;
			to[2 * i + 1] = imaginary;
		} else {
			to[i] = value;
		}
	}
}

static void
FN(conv_mask)(const wsi_mask_args *args)
{
	switch (args->mask.formula) {
	case WS_MASK_MORLET: FN(mask_values)(args, WS_MASK_MORLET); break;
	case WS_MASK_MEXICAN_HAT: FN(mask_values)(args, WS_MASK_MEXICAN_HAT); break;
	case WS_MASK_GABOR: FN(mask_values)(args, WS_MASK_GABOR); break;
	default: FN(mask_values)(args, WS_MASK_DOPPLER); break;
	}
}

static const wsi_conv_ops FN(conv_ops) = {
	.section = FN(conv_section),
	.section_carried = FN(conv_section_carried),
	.section_parted = FN(conv_section_parted),
	.stage = FN(conv_stage),
	.add = FN(conv_add),
	.add_carried = FN(conv_add_carried),
	.store = FN(conv_store),
	.scale = FN(conv_scale),
	.multiply = FN(conv_multiply),
	.narrow = FN(conv_narrow),
	.largest = FN(conv_largest),
	.not_finite = FN(conv_not_finite),
	.mask = FN(conv_mask),
};
