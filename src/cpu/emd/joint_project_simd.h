/*
 * joint_project_simd.h - template: slots project and project_sample.  Twins: ops/ref/joint_ref.h,
 * ops/ref/joint_rows_ref.h.
 *
 * Vectors of directions: a sample's projections are one product a channel, and
 * their steps from the sample before are compared as vectors.  The bits of
 * eight samples and eight directions are then transposed.
 */

#define GROUP_VECS (WSI_DIRECTION_GROUP / LANES)

/* Projections of one row on so many vectors of directions, from u on. */
WSI_FN void
FN(project_row)(const REAL *h, const REAL *u, size_t channels, size_t directions, int vecs,
                FN(vec) *p)
{
	FN(vec) x = FN(vset1)(h[0]);
	for (int k = 0; k < vecs; ++k)
		p[k] = FN(project_first)(x, FN(vload)(u + k * LANES));
	for (size_t c = 1; c < channels; ++c) {
		x = FN(vset1)(h[c]);
		for (int k = 0; k < vecs; ++k)
			p[k] = FN(project_next)(p[k], x, FN(vload)(u + c * directions + k * LANES));
	}
}

static double
FN(project_sample)(const wsi_project_args *args, size_t direction, size_t sample)
{
	const REAL *h = (const REAL *)args->h + sample * wsi_lanes(args->channels, sizeof(REAL));
	const REAL *u = (const REAL *)args->u + direction / LANES * LANES;
	FN(vec) p;
	REAL lanes[LANES];
	FN(project_row)(h, u, args->channels, args->directions, 1, &p);
	FN(vstore)(lanes, p);
	return (double)lanes[direction % LANES];
}

/* A bit for each direction of a group where a > b. */
WSI_FN uint32_t
FN(group_greater)(const FN(vec) *a, const FN(vec) *b, int step)
{
	uint32_t m = 0;
	for (int k = 0; k < GROUP_VECS; ++k)
		m |= (uint32_t)FN(vgreater)(a[k], b[k * step]) << (k * LANES);
	return m;
}

#ifndef WSI_PROJECT_ONCE
#define WSI_PROJECT_ONCE
/* 8 x 8 bits: bit j of byte i becomes bit i of byte j. */
WSI_FN uint64_t
transpose_bits(uint64_t x)
{
	uint64_t t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aaull;
	x ^= t ^ (t << 7);
	t = (x ^ (x >> 14)) & 0x0000cccc0000ccccull;
	x ^= t ^ (t << 14);
	t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0ull;
	return x ^ t ^ (t << 28);
}

/* One word of each direction of a group from its samples' bits. */
WSI_FN void
transpose_group(const uint32_t samples[WSI_WORD], uint64_t valid, uint64_t *out, size_t words)
{
	for (int octet = 0; octet < WSI_DIRECTION_GROUP / 8; ++octet) {
		uint64_t word[8] = { 0 };
		for (int i = 0; i < WSI_WORD; i += 8) {
			uint64_t block = 0;
			for (int k = 0; k < 8; ++k)
				block |= (uint64_t)(samples[i + k] >> (8 * octet) & 255) << (8 * k);
			block = transpose_bits(block);
			for (int d = 0; d < 8; ++d)
				word[d] |= (block >> (8 * d) & 255) << i;
		}
		for (int d = 0; d < 8; ++d)
			out[(size_t)(8 * octet + d) * words] = word[d] & valid;
	}
}
#endif

/* Rows of `middle` for the samples of a word, from `begin` to `end`, to which a step is level
 * on a direction of `used`. */
static void
FN(fill_middle)(const wsi_project_args *args, size_t first, size_t begin, size_t end, uint32_t used,
                const uint32_t rise[WSI_WORD], const uint32_t fall[WSI_WORD])
{
	const size_t lanes = wsi_lanes(args->channels, sizeof(REAL));
	for (size_t i = begin; i < end; ++i) {
		const REAL *h = (const REAL *)args->h + (first + i) * lanes;
		REAL *to = (REAL *)args->middle + (first + i) * lanes;
		for (size_t c = 0; c < lanes && ~(rise[i] | fall[i]) & used; c += LANES)
			FN(vstore)(to + c, (FN(vload)(h + c - lanes) + FN(vload)(h + c)) *
			           FN(vset1)((REAL)0.5));
	}
}

/* Word w of the directions of one group from direction d0 on. */
static void
FN(project_word)(const wsi_project_args *args, size_t w, size_t d0)
{
	const size_t n = args->n, first = w * WSI_WORD;
	const size_t lanes = wsi_lanes(args->channels, sizeof(REAL));
	const size_t in_word = n - first < WSI_WORD ? n - first : WSI_WORD;
	const uint64_t samples = in_word == WSI_WORD ? ~(uint64_t)0 : ((uint64_t)1 << in_word) - 1;
	const REAL *h = args->h, *u = (const REAL *)args->u + d0;
	const FN(vec) flat = FN(vset1)((REAL)args->flat), zero = FN(vset1)((REAL)0);
	uint32_t rise[WSI_WORD], fall[WSI_WORD], above[WSI_WORD], below[WSI_WORD];
	FN(vec) before[GROUP_VECS], p[GROUP_VECS], step[GROUP_VECS], down[GROUP_VECS];
	/* The sample before the word; for the first the last, or none. */
	const bool seam = w == 0 && args->cyclic;
	const size_t previous = w ? first - 1 : seam ? n - 1 : 0;
	FN(project_row)(h + previous * lanes, u, args->channels, args->directions, GROUP_VECS,
	                before);
	for (size_t i = 0; i < WSI_WORD; ++i) {
		if (i >= in_word) {
			rise[i] = fall[i] = above[i] = below[i] = 0;
			continue;
		}
		FN(project_row)(h + (first + i) * lanes, u, args->channels, args->directions,
		                GROUP_VECS, p);
		for (int k = 0; k < GROUP_VECS; ++k) {
			step[k] = p[k] - before[k];
			down[k] = before[k] - p[k];
			before[k] = p[k];
		}
		rise[i] = FN(group_greater)(step, &flat, 0);
		fall[i] = FN(group_greater)(down, &flat, 0);
		if (args->above) {
			above[i] = FN(group_greater)(p, &zero, 0);
			below[i] = 0;
			for (int k = 0; k < GROUP_VECS; ++k)
				below[i] |= (uint32_t)FN(vgreater)(zero, p[k]) << (k * LANES);
		}
	}
	if (args->middle) {
		const size_t left = args->used - d0;
		const uint32_t used = left < WSI_DIRECTION_GROUP ? ((uint32_t)1 << left) - 1
		                      : ~(uint32_t)0;
		uint32_t level = 0;
		for (size_t i = 0; i < WSI_WORD; ++i)
			level |= ~(rise[i] | fall[i]);
		if (level & used)
			FN(fill_middle)(args, first, w == 0, in_word, used, rise, fall);
	}
	const uint64_t steps = w == 0 && !seam ? samples & ~(uint64_t)1 : samples;
	const size_t at = d0 * args->words + w;
	transpose_group(rise, steps, args->rise + at, args->words);
	transpose_group(fall, steps, args->fall + at, args->words);
	if (args->above) {
		transpose_group(above, samples, args->above + at, args->words);
		transpose_group(below, samples, args->below + at, args->words);
	}
}

static void
FN(project)(const wsi_project_args *args)
{
	for (size_t w = args->word0; w < args->word1; ++w)
		for (size_t d = 0; d < args->directions; d += WSI_DIRECTION_GROUP)
			FN(project_word)(args, w, d);
}

#undef GROUP_VECS
