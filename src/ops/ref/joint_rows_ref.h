/*
 * joint_rows_ref.h - template: the small slots of several channels as they are defined, and the
 * statistics of joint_mean, one sample after the other.  Fast twins: cpu/emd/joint_rows_simd.h.
 */

static double
FN(project_sample)(const wsi_project_args *args, size_t direction, size_t sample)
{
	const REAL *h = (const REAL *)args->h + sample * wsi_lanes(args->channels, sizeof(REAL));
	const REAL *u = args->u;
	REAL p = FN(project_first)(h[0], u[direction]);
	for (size_t c = 1; c < args->channels; ++c)
		p = FN(project_next)(p, h[c], u[c * args->directions + direction]);
	return (double)p;
}

static void
FN(interleave)(void *h, const void *rows, size_t stride, size_t channels, size_t lanes, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		for (size_t c = 0; c < lanes; ++c)
			FN(set)(h, i * lanes + c,
			        c < channels ? FN(at)((const char *)rows + c * stride, i)
			        : (REAL)0);
}

static void
FN(deinterleave)(void *rows, size_t stride, const void *h, size_t channels, size_t lanes, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		for (size_t c = 0; c < channels; ++c)
			FN(set)((char *)rows + c * stride, i, FN(at)(h, i * lanes + c));
}

static void
FN(extrapolate)(void *y, const void *a, const void *b, double ahead, bool larger, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		FN(set)(y, i, FN(joint_line)(FN(at)(y, i), FN(at)(a, i), FN(at)(b, i), (REAL)ahead,
		                             larger));
}

/* Sum of the squares of all channels: 32 at a time, of which absent ones are zeros. */
static REAL
FN(square_sum)(const REAL *x, size_t channels)
{
	REAL total = (REAL)0;
	for (size_t first = 0; first < channels; first += WSI_SUM_BLOCK) {
		REAL v[WSI_SUM_BLOCK] = { 0 };
		for (size_t c = first; c < channels && c < first + WSI_SUM_BLOCK; ++c)
			v[c - first] = x[c] * x[c];
		total += FN(sum32)(v);
	}
	return total;
}

/* Of a tile: its samples over a threshold, added to counts, and its sums of blocks, those past the
 * signal's end 0.  m2, h2, amplitude: of each sample, 0 past the end. */
static void
FN(joint_statistics)(const wsi_joint_mean_args *args, size_t tile, REAL *m2, REAL *h2,
                     const REAL *amplitude, wsi_mean_counts *counts)
{
	const size_t first = tile * WSI_JOINT_TILE, blocks = 2 * WSI_WORDS(args->n);
	for (size_t i = 0; args->want_above && i < WSI_JOINT_TILE && first + i < args->n; ++i) {
		counts->above_sd += FN(scalar_sqrt)(m2[i]) > (REAL)args->sd * amplitude[i];
		counts->above_sd2 += FN(scalar_sqrt)(m2[i]) > (REAL)args->sd2 * amplitude[i];
	}
	for (size_t i = 0; args->want_sums && i < WSI_JOINT_TILE; i += WSI_SUM_BLOCK) {
		const size_t block = (first + i) / WSI_SUM_BLOCK;
		if (block >= blocks)
			break;
		args->block_sums[block] = (double)FN(sum32)(m2 + i);
		args->block_sums[blocks + block] = (double)FN(sum32)(h2 + i);
	}
}
