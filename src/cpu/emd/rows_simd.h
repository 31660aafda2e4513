/*
 * rows_simd.h - template: slots of level 0, the passes over whole rows.  Twins:
 * ops/ref/rows_ref.h.  Loops that the compiler makes vectors of; the order of every sum is fixed.
 */

static void
FN(subtract)(void *y, const void *a, const void *b, size_t n)
{
	REAL *yr = y;
	const REAL *ar = a, *br = b;
	for (size_t i = 0; i < n; ++i)
		yr[i] = ar[i] - br[i];
}

static void
FN(add_scaled)(void *y, const void *a, const void *b, double scale, size_t n)
{
	REAL *yr = y;
	const REAL *ar = a, *br = b;
	const REAL s = (REAL)scale;
	for (size_t i = 0; i < n; ++i)
		yr[i] = FMA(s, br[i], ar[i]);
}

static void
FN(add)(void *y, const void *a, const void *b, size_t n)
{
	REAL *yr = y;
	const REAL *ar = a, *br = b;
	for (size_t i = 0; i < n; ++i)
		yr[i] = ar[i] + br[i];
}

static void
FN(sum_rows)(void *y, const void *rows, size_t stride, int k, size_t n)
{
	REAL *restrict yr = y;
	const REAL *r = rows;
	for (size_t i0 = 0; i0 < n; i0 += 512) {
		size_t m = n - i0 < 512 ? n - i0 : 512;
		REAL acc[512];
		memcpy(acc, r + i0, m * sizeof(REAL));
		for (int j = 1; j < k; ++j)
			for (size_t i = 0; i < m; ++i)
				acc[i] += r[(size_t)j * stride + i0 + i];
		memcpy(yr + i0, acc, m * sizeof(REAL));
	}
}

static void
FN(shift)(void *y, const void *a, double by, size_t n)
{
	REAL *yr = y;
	const REAL *ar = a;
	const REAL s = (REAL)by;
	for (size_t i = 0; i < n; ++i)
		yr[i] = ar[i] + s;
}

static void
FN(scale)(void *y, const void *a, int exponent, double offset, size_t n)
{
	REAL *yr = y;
	const REAL *ar = a, o = (REAL)offset;
	const FN(power) f = FN(power_of_two)(exponent);
	for (size_t i = 0; i < n; ++i)
		yr[i] = ar[i] * f.one * f.two - o;
}

static void
FN(divide)(void *y, const void *a, double divisor, size_t n)
{
	REAL *yr = y;
	const REAL *ar = a;
	const REAL d = (REAL)divisor;
	for (size_t i = 0; i < n; ++i)
		yr[i] = ar[i] / d;
}

/* Samples 0 .. n - 1 of one realization, drawn in f64 whatever the type. */
static void
FN(noise)(uint64_t seed, uint32_t stream, uint32_t realization, size_t n, void *out)
{
	enum { PAIRS = 64 }; /* at a time, in loops that can be vectors */
	REAL *o = out;
	for (size_t i = 0; i < n; i += 2 * PAIRS) {
		uint64_t a[PAIRS], b[PAIRS];
		double z0[PAIRS], z1[PAIRS];
		for (size_t k = 0; k < PAIRS; ++k) {
			uint64_t bits[2];
			gaussian_bits(seed, stream, realization, i / 2 + k, bits);
			a[k] = bits[0];
			b[k] = bits[1];
		}
		for (size_t k = 0; k < PAIRS; ++k)
			gaussian_from_bits(a[k], b[k], &z0[k], &z1[k]);
		for (size_t k = 0; k < 2 * PAIRS && i + k < n; ++k)
			o[i + k] = (REAL)(k & 1 ? z1[k / 2] : z0[k / 2]);
	}
}

static void
FN(minmax)(const void *x, size_t n, double *min, double *max)
{
	/* Many running extremes, so that they can be vectors: any order will do. */
	enum { RUNNING = 64 };
	const REAL *xr = x;
	REAL lo[RUNNING], hi[RUNNING];
	size_t i = 0;
	for (size_t k = 0; k < RUNNING; ++k)
		lo[k] = hi[k] = xr[0];
	for (; i + RUNNING <= n; i += RUNNING)
		for (size_t k = 0; k < RUNNING; ++k) {
			lo[k] = xr[i + k] < lo[k] ? xr[i + k] : lo[k];
			hi[k] = xr[i + k] > hi[k] ? xr[i + k] : hi[k];
		}
	for (; i < n; ++i) {
		lo[0] = xr[i] < lo[0] ? xr[i] : lo[0];
		hi[0] = xr[i] > hi[0] ? xr[i] : hi[0];
	}
	for (size_t k = 1; k < RUNNING; ++k) {
		lo[0] = lo[k] < lo[0] ? lo[k] : lo[0];
		hi[0] = hi[k] > hi[0] ? hi[k] : hi[0];
	}
	*min = (double)lo[0];
	*max = (double)hi[0];
}

/* In f64 whatever the type: these sums decide about the scale of noise. */
static void
FN(block_sums)(const void *x, size_t n, const double *mean, double *sums)
{
	const REAL *xr = x;
	for (size_t i0 = 0; i0 < n; i0 += 32) {
		double v[32];
		size_t m = n - i0 < 32 ? n - i0 : 32;
		for (size_t i = 0; i < 32; ++i) {
			double e = i < m ? (double)xr[i0 + i] - (mean ? *mean : 0.0) : 0.0;
			v[i] = mean ? e * e : e;
		}
		sums[i0 / 32] = sum32_f64(v);
	}
}
