/*
 * mean_sub_simd.h - template: slot mean_sub.  Twin: ops/ref/mean_sub_ref.c.
 *
 * Tile by tile: knots and cubics of both envelopes, then per word of 64
 * samples either the two cubics in force (no knot in the word) or, a vector
 * at a time, each lane its own, taken by the rank of its mark.
 * Reads x and the marks once, writes y once.
 */

typedef struct FN(mean_scratch) {
	FN(list) list[2];
	FN(solver) solver;
} FN(mean_scratch);

/* Statistics of one word: what stop rules consume.  Samples past the end of
 * the signal were given mean, amplitude and x of zero. */
static void
FN(word_stats)(const wsi_mean_job *job, size_t w, REAL *mean, REAL *amplitude, REAL *x,
               wsi_mean_counts *counts)
{
	const REAL sd = (REAL)job->sd, sd2 = (REAL)job->sd2;
	int64_t above = 0, above2 = 0;
	for (int i = 0; i < WSI_WORD; ++i) {
		above += mean[i] > sd * amplitude[i];
		above2 += mean[i] > sd2 * amplitude[i];
	}
	counts->above_sd += above;
	counts->above_sd2 += above2;
	const size_t blocks = 2 * WSI_WORDS(job->n);
	for (int b = 0; b < 2; ++b) {
		REAL m2[32], h2[32], q2[32];
		for (int i = 0; i < 32; ++i) {
			REAL m = mean[32 * b + i], h = x[32 * b + i];
			m2[i] = m * m;
			h2[i] = h * h;
			q2[i] = h2[i] > (REAL)0 ? m2[i] / h2[i] : (REAL)0;
		}
		job->block_sums[2 * w + b] = (double)FN(sum32)(m2);
		job->block_sums[blocks + 2 * w + b] = (double)FN(sum32)(h2);
		job->block_sums[2 * blocks + 2 * w + b] = (double)FN(sum32)(q2);
	}
}

typedef struct FN(cubics) { FN(vec) c0, c1, c2, c3; } FN(cubics);

/* Upper plus lower envelope on LANES samples; `same`: no knot among them. */
WSI_FN FN(vec)
FN(envelope_sum)(const FN(list) *const l[2], const int q[2], const unsigned m[2], int32_t tick,
                 FN(vec) *difference)
{
	FN(vec) e[2];
	for (int k = 0; k < 2; ++k) {
		FN(rank) r = FN(vrank)(m[k]);
		e[k] = FN(cubic_at)(FN(vtake)(l[k]->v + q[k], r), FN(vtake)(l[k]->s + q[k], r),
		                    FN(vtake)(l[k]->c2 + q[k], r), FN(vtake)(l[k]->c3 + q[k], r),
		                    FN(vtake_ticks)(tick, l[k]->t + q[k], r));
	}
	*difference = e[WSI_MAX] - e[WSI_MIN];
	return e[WSI_MAX] + e[WSI_MIN];
}

/* Marks of word w with the extras that lie in it. */
WSI_FN uint64_t
FN(knots_of_word)(const wsi_mean_job *job, int kind, const FN(list) *l, size_t w)
{
	uint64_t m = job->marks[kind][w];
	for (int i = 0; i < l->n_inside; ++i)
		if ((size_t)l->inside[i] / WSI_WORD == w)
			m |= (uint64_t)1 << (l->inside[i] % WSI_WORD);
	return m;
}

WSI_FN void
FN(mean_sub_words)(const wsi_mean_job *job, size_t w0, size_t w1, const FN(list) *const l[2],
                   bool stats, wsi_mean_counts *counts)
{
	const REAL *restrict x = job->x;
	REAL *restrict y = job->y;
	const FN(vec) minus_half = FN(vset1)((REAL)-0.5);
	int q[2] = { WSI_HALO - 1, WSI_HALO - 1 };  /* the interval in force */
	for (size_t w = w0; w < w1; ++w) {
		REAL mean[WSI_WORD], amplitude[WSI_WORD], before[WSI_WORD];
		uint64_t m[2];
		for (int k = 0; k < 2; ++k)
			m[k] = FN(knots_of_word)(job, k, l[k], w);
		const size_t s0 = w * WSI_WORD;
		FN(cubics) c[2];
		if (!(m[0] | m[1]))
			for (int k = 0; k < 2; ++k) {
				c[k].c0 = FN(vset1)(l[k]->v[q[k]]);
				c[k].c1 = FN(vset1)(l[k]->s[q[k]]);
				c[k].c2 = FN(vset1)(l[k]->c2[q[k]]);
				c[k].c3 = FN(vset1)(l[k]->c3[q[k]]);
			}
		for (int i = 0; i < WSI_WORD; i += LANES) {
			const int32_t tick = (int32_t)(s0 + (size_t)i) * WSI_TICKS;
			FN(vec) sum, difference;
			if (!(m[0] | m[1])) {
				FN(vec) e[2];
				for (int k = 0; k < 2; ++k)
					e[k] = FN(cubic_at)(c[k].c0, c[k].c1, c[k].c2, c[k].c3,
					                    FN(vticks)(tick, l[k]->t[q[k]]));
				sum = e[WSI_MAX] + e[WSI_MIN];
				difference = e[WSI_MAX] - e[WSI_MIN];
			} else {
				unsigned lane_marks[2];
				for (int k = 0; k < 2; ++k)
					lane_marks[k] = (unsigned)(m[k] >> i) & (unsigned)((1u << LANES) - 1);
				sum = FN(envelope_sum)(l, q, lane_marks, tick, &difference);
				for (int k = 0; k < 2; ++k)
					q[k] += __builtin_popcount(lane_marks[k]);
			}
			FN(vec) h = FN(vload)(x + s0 + i);
			FN(vstore)(y + s0 + i, FN(minus_half)(h, sum, minus_half));
			if (stats) {
				FN(vstore)(mean + i, sum);
				FN(vstore)(amplitude + i, difference);
				FN(vstore)(before + i, h);
			}
		}
		if (stats) {
			for (int i = 0; i < WSI_WORD; ++i) {
				bool valid = s0 + (size_t)i < job->n;
				REAL s = (REAL)0.5 * mean[i], a = (REAL)0.5 * amplitude[i];
				mean[i] = valid ? (s < (REAL)0 ? -s : s) : (REAL)0;
				amplitude[i] = valid ? (a < (REAL)0 ? -a : a) : (REAL)0;
				before[i] = valid ? before[i] : (REAL)0;
			}
			FN(word_stats)(job, w, mean, amplitude, before, counts);
		}
	}
}

static void
FN(mean_sub)(const wsi_mean_job *job, wsi_mean_counts *counts)
{
	FN(mean_scratch) *scratch = job->scratch;
	const FN(list) *const lists[2] = { &scratch->list[WSI_MAX], &scratch->list[WSI_MIN] };
	for (size_t w = job->word0; w < job->word1;) {
		size_t w1 = FN(tile_end)(job, w);
		for (int k = 0; k < 2; ++k) {
			FN(collect)(job, k, w, w1, &scratch->list[k]);
			FN(spline)(&scratch->list[k], job->spline, &scratch->solver);
		}
		if (job->stats)
			FN(mean_sub_words)(job, w, w1, lists, true, counts);
		else
			FN(mean_sub_words)(job, w, w1, lists, false, counts);
		w = w1;
	}
}
