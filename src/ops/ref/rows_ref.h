/*
 * rows_ref.h - template: slots of level 0 as they are defined, one sample after the other.  Fast
 * twins: cpu/emd/rows_simd.h.
 */

static REAL
FN(at)(const void *x, size_t i)
{
	return ((const REAL *)x)[i];
}

static void
FN(set)(void *y, size_t i, REAL v)
{
	((REAL *)y)[i] = v;
}

static void
FN(subtract)(void *y, const void *a, const void *b, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		FN(set)(y, i, FN(at)(a, i) - FN(at)(b, i));
}

static void
FN(add)(void *y, const void *a, const void *b, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		FN(set)(y, i, FN(at)(a, i) + FN(at)(b, i));
}

static void
FN(add_scaled)(void *y, const void *a, const void *b, double scale, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		FN(set)(y, i, FMA((REAL)scale, FN(at)(b, i), FN(at)(a, i)));
}

static void
FN(shift)(void *y, const void *a, double by, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		FN(set)(y, i, FN(at)(a, i) + (REAL)by);
}

static void
FN(divide)(void *y, const void *a, double divisor, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		FN(set)(y, i, FN(at)(a, i) / (REAL)divisor);
}

/* By the C library, whose ldexp rounds once. */
static void
FN(scale)(void *y, const void *a, int exponent, double offset, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		FN(set)(y, i, FN(scalar_ldexp)(FN(at)(a, i), exponent) - (REAL)offset);
}

static void
FN(sum_rows)(void *y, const void *rows, size_t stride, int k, size_t n)
{
	for (size_t i = 0; i < n; ++i) {
		REAL sum = FN(at)(rows, i);
		for (int row = 1; row < k; ++row)
			sum += FN(at)(rows, (size_t)row * stride + i);
		FN(set)(y, i, sum);
	}
}

static void
FN(noise)(uint64_t seed, uint32_t stream, uint32_t realization, size_t n, void *out)
{
	for (size_t i = 0; i < n; ++i) {
		double pair[2];
		gaussian_pair(seed, stream, realization, i / 2, pair);
		FN(set)(out, i, (REAL)pair[i % 2]);
	}
}

static void
FN(minmax)(const void *x, size_t n, double *min, double *max)
{
	*min = *max = (double)FN(at)(x, 0);
	for (size_t i = 1; i < n; ++i) {
		*min = fmin(*min, (double)FN(at)(x, i));
		*max = fmax(*max, (double)FN(at)(x, i));
	}
}

static void
FN(block_sums)(const void *x, size_t n, const double *mean, double *sums)
{
	double v[WSI_SUM_BLOCK] = { 0.0 };
	for (size_t i = 0; i < n; ++i) {
		const size_t k = i % WSI_SUM_BLOCK;
		v[k] = (double)FN(at)(x, i);
		if (mean)
			v[k] = (v[k] - *mean) * (v[k] - *mean);
		if (k + 1 < WSI_SUM_BLOCK && i + 1 < n)
			continue;
		sums[i / WSI_SUM_BLOCK] = sum32_f64(v);
		memset(v, 0, sizeof v);
	}
}
