/*
 * joint_rows_simd.h - template: the small slots of several channels, and the statistics of
 * joint_mean.  Twins: ops/ref/joint_rows_ref.h.  Loops that the compiler makes vectors of.
 */

/* Correctly rounded in f32 too. */
static REAL
FN(square_root)(REAL x)
{
	return (REAL)__builtin_sqrt((double)x);
}

/* Sum over channels of squares: 32 at a time by halves, as sum32 (math/sum.h)
 * where absent channels are zeros; then one after the other. */
static REAL
FN(square_sum)(const REAL *x, size_t channels)
{
	REAL total = (REAL)0;
	for (size_t c0 = 0; c0 < channels; c0 += 32) {
		REAL v[32];
		size_t m = channels - c0 < 32 ? channels - c0 : 32, width = 1;
		while (width < m)
			width *= 2;
		for (size_t i = 0; i < width; ++i)
			v[i] = i < m ? x[c0 + i] * x[c0 + i] : (REAL)0;
		for (size_t half = width / 2; half > 0; half /= 2)
			for (size_t i = 0; i < half; ++i)
				v[i] += v[i + half];
		total = c0 == 0 ? v[0] : total + v[0];
	}
	return total;
}

/* Adds a tile to the counts of samples over a threshold, and writes its sums of
 * blocks of 32.  For each of the tile's samples: the squared lengths of mean (m2)
 * and signal (h2) over channels, and the amplitude. */
static void
FN(joint_statistics)(const wsi_joint_mean_args *args, size_t tile, const REAL *m2, const REAL *h2,
                     const REAL *amplitude, wsi_mean_counts *counts)
{
	const size_t first = tile * WSI_JOINT_TILE, left = args->n - first;
	const size_t count = left < WSI_JOINT_TILE ? left : WSI_JOINT_TILE;
	const REAL sd = (REAL)args->sd, sd2 = (REAL)args->sd2;
	for (size_t i = 0; args->want_above && i < count; ++i) {
		const REAL m = FN(square_root)(m2[i]);
		counts->above_sd += m > sd * amplitude[i];
		counts->above_sd2 += m > sd2 * amplitude[i];
	}
	const size_t blocks = 2 * WSI_WORDS(args->n);
	for (size_t b = 0; args->want_sums && b < WSI_JOINT_TILE / 32 && first / 32 + b < blocks;
	     ++b) {
		REAL m[32], h[32];
		for (size_t i = 0; i < 32; ++i) {
			const bool valid = 32 * b + i < count;
			m[i] = valid ? m2[32 * b + i] : (REAL)0;
			h[i] = valid ? h2[32 * b + i] : (REAL)0;
		}
		args->block_sums[first / 32 + b] = (double)FN(sum32)(m);
		args->block_sums[blocks + first / 32 + b] = (double)FN(sum32)(h);
	}
}

static void
FN(interleave)(void *h, const void *rows, size_t stride, size_t channels, size_t lanes, size_t n)
{
	REAL *to = h;
	for (size_t c = 0; c < lanes; ++c) {
		const REAL *from = (const REAL *)((const char *)rows + c * stride);
		for (size_t i = 0; i < n; ++i)
			to[i * lanes + c] = c < channels ? from[i] : (REAL)0;
	}
}

static void
FN(deinterleave)(void *rows, size_t stride, const void *h, size_t channels, size_t lanes, size_t n)
{
	const REAL *from = h;
	for (size_t c = 0; c < channels; ++c) {
		REAL *to = (REAL *)((char *)rows + c * stride);
		for (size_t i = 0; i < n; ++i)
			to[i] = from[i * lanes + c];
	}
}

static void
FN(extrapolate)(void *y, const void *a, const void *b, double ahead, bool larger, size_t n)
{
	REAL *yr = y;
	const REAL *ar = a, *br = b, f = (REAL)ahead;
	for (size_t i = 0; i < n; ++i)
		yr[i] = FN(joint_line)(yr[i], ar[i], br[i], f, larger);
}
