/*
 * mean_sub_simd.h - template: slot mean_sub.  Twin: ops/ref/mean_sub_ref.h.
 *
 * Tile by tile: knots and cubics of both envelopes, then the samples by words of
 * 64.  A word without a knot has one cubic of each; in others each lane of a
 * vector takes its own, by the rank of its mark.
 * Reads x and the marks once, writes y once.
 */

typedef struct FN(mean_scratch) {
	FN(list) list[2];
	FN(solver) solver;
} FN(mean_scratch);

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

/* Where statistics go while a run of words is worked on; parts that the args
 * does not want are not touched. */
typedef struct FN(stats) {
	wsi_mean_counts counts;
	FN(vec) sd, sd2;
	size_t n;                                /* samples of the signal */
	REAL twice_mean[WSI_WORD], before[WSI_WORD];  /* of one word, for its sums */
} FN(stats);

/* LANES samples from s, lane 0 being sample i of its word. */
WSI_FN void
FN(store_lanes)(const wsi_mean_args *args, size_t s, FN(pair) e, bool above, bool sums,
                FN(stats) *stats)
{
	FN(vec) h = FN(vload)((const REAL *)args->x + s), sum = e.of[WSI_MAX] + e.of[WSI_MIN];
	FN(vstore)((REAL *)args->y + s, FN(minus_half)(h, sum, FN(vset1)((REAL)-0.5)));
	if (above) {
		/* Mean and amplitude are the halves of sum and difference, exactly. */
		FN(vec) mean = FN(vec_abs)(sum);
		FN(vec) amplitude = FN(vec_abs)(e.of[WSI_MAX] - e.of[WSI_MIN]);
		unsigned valid = s + LANES <= stats->n ? ~0u
		                 : s < stats->n ? (1u << (stats->n - s)) - 1 : 0u;
		stats->counts.above_sd +=
			__builtin_popcount(FN(vgreater)(mean, stats->sd * amplitude) & valid);
		stats->counts.above_sd2 +=
			__builtin_popcount(FN(vgreater)(mean, stats->sd2 * amplitude) & valid);
	}
	if (sums) {
		FN(vstore)(stats->twice_mean + s % WSI_WORD, sum);
		FN(vstore)(stats->before + s % WSI_WORD, h);
	}
}

/* Block sums of word w from what store_lanes left. */
static void
FN(sum_word)(const wsi_mean_args *args, size_t w, const FN(stats) *stats)
{
	const size_t blocks = 2 * WSI_WORDS(args->n), in_word = args->n - w * WSI_WORD;
	for (size_t b = 0; b < 2; ++b) {
		REAL m2[32], h2[32], q2[32];
		for (size_t i = 0; i < 32; ++i) {
			bool valid = 32 * b + i < in_word;
			REAL m = valid ? (REAL)0.5 * stats->twice_mean[32 * b + i] : (REAL)0;
			REAL h = valid ? stats->before[32 * b + i] : (REAL)0;
			m2[i] = m * m;
			h2[i] = h * h;
			q2[i] = h2[i] > (REAL)0 ? m2[i] / h2[i] : (REAL)0;
		}
		args->block_sums[2 * w + b] = (double)FN(sum32)(m2);
		args->block_sums[blocks + 2 * w + b] = (double)FN(sum32)(h2);
		args->block_sums[2 * blocks + 2 * w + b] = (double)FN(sum32)(q2);
	}
}

/* `count` samples from s0, all within interval q of each envelope. */
WSI_FN void
FN(run_without_knots)(const wsi_mean_args *args, size_t s0, size_t count,
                      const FN(list) *const l[2], const int q[2], bool above, bool sums,
                      FN(stats) *stats)
{
	FN(vec) c[2][4];
	for (int k = 0; k < 2; ++k) {
		c[k][0] = FN(vset1)(l[k]->v[q[k]]);
		c[k][1] = FN(vset1)(l[k]->s[q[k]]);
		c[k][2] = FN(vset1)(l[k]->c2[q[k]]);
		c[k][3] = FN(vset1)(l[k]->c3[q[k]]);
	}
	const int32_t t0 = l[0]->t[q[0]], t1 = l[1]->t[q[1]];
	FN(ticks) n = FN(ticks_at)((int32_t)s0 * WSI_TICKS);
	for (size_t s = s0; s < s0 + count; s += LANES, n = FN(ticks_next)(n)) {
		FN(pair) e;
		e.of[0] = FN(cubic_at)(c[0][0], c[0][1], c[0][2], c[0][3], FN(ticks_since)(n, t0));
		e.of[1] = FN(cubic_at)(c[1][0], c[1][1], c[1][2], c[1][3], FN(ticks_since)(n, t1));
		FN(store_lanes)(args, s, e, above, sums, stats);
	}
}

/* One word with knots m; advances the intervals q. */
WSI_FN void
FN(word_with_knots)(const wsi_mean_args *args, size_t s0, const FN(list) *const l[2], int q[2],
                    const uint64_t m[2], bool above, bool sums, FN(stats) *stats)
{
	FN(ticks) n = FN(ticks_at)((int32_t)s0 * WSI_TICKS);
	for (int i = 0; i < WSI_WORD; i += LANES, n = FN(ticks_next)(n)) {
		unsigned lanes[2];
		for (int k = 0; k < 2; ++k)
			lanes[k] = (unsigned)(m[k] >> i) & (unsigned)((1u << LANES) - 1);
		FN(store_lanes)(args, s0 + (size_t)i, FN(envelopes_ranked)(l, q, lanes, n), above,
		                sums, stats);
		for (int k = 0; k < 2; ++k)
			q[k] += __builtin_popcount(lanes[k]);
	}
}

/* Marks of word w with the extras that lie in it. */
WSI_FN uint64_t
FN(knots_of_word)(const wsi_mean_args *args, int kind, const FN(list) *l, size_t w)
{
	uint64_t m = args->marks[kind][w];
	for (int i = 0; i < l->n_inside; ++i)
		if ((size_t)l->inside[i] / WSI_WORD == w)
			m |= (uint64_t)1 << (l->inside[i] % WSI_WORD);
	return m;
}

WSI_FN void
FN(mean_sub_words)(const wsi_mean_args *args, size_t w0, size_t w1, const FN(list) *const l[2],
                   bool above, bool sums, FN(stats) *stats)
{
	int q[2] = { WSI_HALO - 1, WSI_HALO - 1 };  /* the interval in force */
	for (size_t w = w0; w < w1;) {
		uint64_t m[2] = { 0, 0 };
		size_t run = w;
		for (; run < w1; ++run) {
			for (int k = 0; k < 2; ++k)
				m[k] = FN(knots_of_word)(args, k, l[k], run);
			/* Sums are finished word by word. */
			if ((m[0] | m[1]) || (sums && run > w))
				break;
		}
		if (run > w) {
			FN(run_without_knots)(args, w * WSI_WORD, (run - w) * WSI_WORD, l, q, above,
			                      sums, stats);
		} else {
			FN(word_with_knots)(args, w * WSI_WORD, l, q, m, above, sums, stats);
			run = w + 1;
		}
		if (sums)
			FN(sum_word)(args, w, stats);
		w = run;
	}
}

static void
FN(mean_sub)(const wsi_mean_args *args, wsi_mean_counts *counts)
{
	FN(mean_scratch) *scratch = args->scratch;
	const FN(list) *const lists[2] = { &scratch->list[WSI_MAX], &scratch->list[WSI_MIN] };
	FN(stats) stats;
	stats.counts = (wsi_mean_counts){ 0, 0 };
	stats.sd = FN(vset1)((REAL)args->sd);
	stats.sd2 = FN(vset1)((REAL)args->sd2);
	stats.n = args->n;
	for (size_t w = args->word0; w < args->word1;) {
		size_t w1 = FN(tile_end)(args, w);
		for (int k = 0; k < 2; ++k) {
			FN(collect)(args, k, w, w1, &scratch->list[k]);
			FN(spline)(&scratch->list[k], args->spline, &scratch->solver);
		}
		/* Constants make a loop of its own for each. */
		if (args->want_sums)
			FN(mean_sub_words)(args, w, w1, lists, true, true, &stats);
		else if (args->want_above)
			FN(mean_sub_words)(args, w, w1, lists, true, false, &stats);
		else
			FN(mean_sub_words)(args, w, w1, lists, false, false, &stats);
		w = w1;
	}
	counts->above_sd += stats.counts.above_sd;
	counts->above_sd2 += stats.counts.above_sd2;
}
