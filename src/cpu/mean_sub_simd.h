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

/* Both envelopes on the same LANES samples. */
typedef struct FN(pair) { FN(vec) of[2]; } FN(pair);

/* Each lane by the interval that its marks put it into. */
WSI_FN FN(pair)
FN(envelopes_ranked)(const FN(list) *const l[2], const int q[2], const unsigned m[2], FN(ticks) n)
{
	FN(pair) e;
	for (int k = 0; k < 2; ++k) {
		FN(rank) r = FN(vrank)(m[k]);
		e.of[k] = FN(cubic_at)(FN(vtake)(l[k]->v + q[k], r), FN(vtake)(l[k]->s + q[k], r),
		                       FN(vtake)(l[k]->c2 + q[k], r), FN(vtake)(l[k]->c3 + q[k], r),
		                       FN(ticks_since_ranked)(n, l[k]->t + q[k], r));
	}
	return e;
}

/* What a run of words writes: y, and with statistics the envelopes of a word. */
typedef struct FN(word_room) {
	REAL mean[WSI_WORD], amplitude[WSI_WORD], before[WSI_WORD];
} FN(word_room);

WSI_FN void
FN(store_lanes)(const REAL *x, REAL *y, FN(pair) e, FN(word_room) *room, int i)
{
	FN(vec) h = FN(vload)(x), sum = e.of[WSI_MAX] + e.of[WSI_MIN];
	FN(vstore)(y, FN(minus_half)(h, sum, FN(vset1)((REAL)-0.5)));
	if (room) {
		FN(vstore)(room->mean + i, sum);
		FN(vstore)(room->amplitude + i, e.of[WSI_MAX] - e.of[WSI_MIN]);
		FN(vstore)(room->before + i, h);
	}
}

/* Halves and magnitudes of what store_lanes left, zero past the signal's end. */
static void
FN(finish_word)(const wsi_mean_job *job, size_t w, FN(word_room) *room, wsi_mean_counts *counts)
{
	const size_t in_word = job->n - w * WSI_WORD;
	for (size_t i = 0; i < WSI_WORD; ++i) {
		bool valid = i < in_word;
		REAL s = (REAL)0.5 * room->mean[i], a = (REAL)0.5 * room->amplitude[i];
		room->mean[i] = valid ? (s < (REAL)0 ? -s : s) : (REAL)0;
		room->amplitude[i] = valid ? (a < (REAL)0 ? -a : a) : (REAL)0;
		room->before[i] = valid ? room->before[i] : (REAL)0;
	}
	FN(word_stats)(job, w, room->mean, room->amplitude, room->before, counts);
}

/* `count` samples from s0, all within interval q of each envelope. */
WSI_FN void
FN(run_without_knots)(const wsi_mean_job *job, size_t s0, size_t count,
                      const FN(list) *const l[2], const int q[2], FN(word_room) *room)
{
	const REAL *restrict x = (const REAL *)job->x + s0;
	REAL *restrict y = (REAL *)job->y + s0;
	FN(vec) c[2][4];
	for (int k = 0; k < 2; ++k) {
		c[k][0] = FN(vset1)(l[k]->v[q[k]]);
		c[k][1] = FN(vset1)(l[k]->s[q[k]]);
		c[k][2] = FN(vset1)(l[k]->c2[q[k]]);
		c[k][3] = FN(vset1)(l[k]->c3[q[k]]);
	}
	const int32_t t0 = l[0]->t[q[0]], t1 = l[1]->t[q[1]];
	FN(ticks) n = FN(ticks_at)((int32_t)s0 * WSI_TICKS);
	for (size_t i = 0; i < count; i += LANES, n = FN(ticks_next)(n)) {
		FN(pair) e;
		e.of[0] = FN(cubic_at)(c[0][0], c[0][1], c[0][2], c[0][3], FN(ticks_since)(n, t0));
		e.of[1] = FN(cubic_at)(c[1][0], c[1][1], c[1][2], c[1][3], FN(ticks_since)(n, t1));
		FN(store_lanes)(x + i, y + i, e, room, (int)i);
	}
}

/* One word with knots m; advances the intervals q. */
WSI_FN void
FN(word_with_knots)(const wsi_mean_job *job, size_t s0, const FN(list) *const l[2], int q[2],
                    const uint64_t m[2], FN(word_room) *room)
{
	const REAL *restrict x = (const REAL *)job->x + s0;
	REAL *restrict y = (REAL *)job->y + s0;
	FN(ticks) n = FN(ticks_at)((int32_t)s0 * WSI_TICKS);
	for (int i = 0; i < WSI_WORD; i += LANES, n = FN(ticks_next)(n)) {
		unsigned lanes[2];
		for (int k = 0; k < 2; ++k)
			lanes[k] = (unsigned)(m[k] >> i) & (unsigned)((1u << LANES) - 1);
		FN(store_lanes)(x + i, y + i, FN(envelopes_ranked)(l, q, lanes, n), room, i);
		for (int k = 0; k < 2; ++k)
			q[k] += __builtin_popcount(lanes[k]);
	}
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
	FN(word_room) words, *room = stats ? &words : NULL;
	int q[2] = { WSI_HALO - 1, WSI_HALO - 1 };  /* the interval in force */
	for (size_t w = w0; w < w1;) {
		uint64_t m[2] = { 0, 0 };
		size_t run = w;
		for (; run < w1; ++run) {
			for (int k = 0; k < 2; ++k)
				m[k] = FN(knots_of_word)(job, k, l[k], run);
			/* Statistics are finished word by word. */
			if ((m[0] | m[1]) || (stats && run > w))
				break;
		}
		if (run > w) {
			FN(run_without_knots)(job, w * WSI_WORD, (run - w) * WSI_WORD, l, q, room);
		} else {
			FN(word_with_knots)(job, w * WSI_WORD, l, q, m, room);
			run = w + 1;
		}
		if (stats)
			FN(finish_word)(job, w, room, counts);
		w = run;
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
