/*
 * mark_simd.h - template: slot mark.  Twin: ops/ref/mark_ref.h.
 *
 * Two comparisons of the step to each sample give a word of "rises" and one of
 * "falls"; extrema are then bit logic.  Only words that touch a
 * plateau take the slow way.  Reads x once, one sample beyond the range.
 */

/* The last plateau met, so that one longer than many words is walked once. */
typedef struct FN(plateau) { size_t first, last; } FN(plateau);

WSI_FN bool
FN(rises)(REAL from, REAL to, REAL flat)
{
	return to - from > flat;
}

/* The run of flat steps around sample `inside`. */
static void
FN(find_plateau)(const REAL *x, size_t n, REAL flat, size_t inside, FN(plateau) *p)
{
	if (inside >= p->first && inside <= p->last)
		return;
	size_t i = inside, k = inside;
	while (i > 0 && !FN(rises)(x[i - 1], x[i], flat) && !FN(rises)(x[i], x[i - 1], flat))
		--i;
	while (k + 1 < n && !FN(rises)(x[k], x[k + 1], flat) && !FN(rises)(x[k + 1], x[k], flat))
		++k;
	p->first = i;
	p->last = k;
}

/* Extrema in the middles of plateaus, for those marked in word w.
 * level: bit i set where the step to sample i is flat. */
static void
FN(mark_plateaus)(const REAL *x, size_t n, REAL flat, size_t w, uint64_t level, FN(plateau) *p,
                  uint64_t *max, uint64_t *min, uint64_t *half)
{
	while (level) {
		size_t s = w * WSI_WORD + (size_t)__builtin_ctzll(level);
		FN(find_plateau)(x, n, flat, s, p);
		size_t middle = (p->first + p->last + 1) / 2;
		if (middle / WSI_WORD == w && p->first > 0 && p->last + 1 < n) {
			bool up_in = FN(rises)(x[p->first - 1], x[p->first], flat);
			bool up_out = FN(rises)(x[p->last], x[p->last + 1], flat);
			uint64_t bit = (uint64_t)1 << (middle % WSI_WORD);
			if (up_in && !up_out)
				*max |= bit;
			if (!up_in && up_out)
				*min |= bit;
			if ((p->first + p->last) & 1)
				*half |= bit & (*max | *min);
		}
		size_t next = p->last + 1;
		if (next >= (w + 1) * WSI_WORD)
			break;
		level &= ~(uint64_t)0 << (next % WSI_WORD);
	}
}

/* Bit i: the step to sample 64 w + i rises, falls; none to the first sample. */
WSI_FN void
FN(steps_of_word)(const REAL *x, size_t w, REAL flat, uint64_t *rise, uint64_t *fall)
{
	const REAL *p = x + w * WSI_WORD;
	const FN(vec) up = FN(vset1)(flat), down = FN(vset1)(-flat);
	uint64_t r = 0, f = 0;
	for (int i = 0; i < WSI_WORD; i += LANES) {
		FN(vec) now = FN(vload)(p + i);
		FN(vec) step = w == 0 && i == 0 ? now - now : now - FN(vload)(p + i - 1);
		r |= (uint64_t)FN(vgreater)(step, up) << i;
		f |= (uint64_t)FN(vgreater)(down, step) << i;
	}
	for (int i = 1; w == 0 && i < LANES; ++i) {
		r |= (uint64_t)FN(rises)(p[i - 1], p[i], flat) << i;
		f |= (uint64_t)FN(rises)(p[i], p[i - 1], flat) << i;
	}
	*rise = r;
	*fall = f;
}

WSI_FN void
FN(count_signs)(const REAL *x, size_t n, size_t w, uint64_t max, uint64_t min, wsi_counts *c)
{
	const REAL *p = x + w * WSI_WORD;
	size_t in_word = n - w * WSI_WORD < WSI_WORD ? n - w * WSI_WORD : WSI_WORD;
	uint64_t valid = in_word == WSI_WORD ? ~(uint64_t)0 : ((uint64_t)1 << in_word) - 1;
	FN(vec) zero = FN(vset1)((REAL)0);
	uint64_t pos = 0, neg = 0;
	for (int i = 0; i < WSI_WORD; i += LANES) {
		FN(vec) v = FN(vload)(p + i);
		pos |= (uint64_t)FN(vgreater)(v, zero) << i;
		neg |= (uint64_t)FN(vgreater)(zero, v) << i;
	}
	uint64_t nil = ~(pos | neg) & valid;
	REAL before = w > 0 ? p[-1] : (REAL)0;
	uint64_t pos1 = pos << 1 | (uint64_t)(w > 0 && before > (REAL)0);
	uint64_t neg1 = neg << 1 | (uint64_t)(w > 0 && before < (REAL)0);
	uint64_t nil1 = nil << 1 | (uint64_t)(w > 0 && before == (REAL)0);
	uint64_t flips = ((pos & neg1) | (neg & pos1)) & valid;
	c->zero_crossings += __builtin_popcountll(flips) + __builtin_popcountll(nil & ~nil1);
	c->wrong_sign += __builtin_popcountll(max & ~pos) + __builtin_popcountll(min & ~neg);
}

static void
FN(mark)(const wsi_mark_job *job, wsi_counts *counts)
{
	const REAL *x = job->x, flat = (REAL)job->flat;
	const size_t n = job->n;
	FN(plateau) plateau = { 1, 0 };
	wsi_counts c = { { 0, 0 }, 0, 0 };
	for (size_t w = job->word0; w < job->word1; ++w) {
		const size_t s0 = w * WSI_WORD;
		const size_t last = n - 1 - s0; /* of the signal, counted from s0 */
		uint64_t rise, fall;
		FN(steps_of_word)(x, w, flat, &rise, &fall);
		uint64_t valid = last < WSI_WORD - 1 ? ((uint64_t)2 << last) - 1 : ~(uint64_t)0;
		if (w == 0)
			valid &= ~(uint64_t)1;
		rise &= valid;
		fall &= valid;
		const uint64_t level = valid & ~(rise | fall);
		/* The step that follows each sample; across the word's end from the next. */
		uint64_t rise_next = rise >> 1, fall_next = fall >> 1;
		const bool seam = job->cyclic && last < WSI_WORD;
		if (last >= WSI_WORD || seam) {
			const int bit = seam ? (int)last : WSI_WORD - 1;
			const REAL here = x[s0 + (size_t)bit];
			const REAL there = seam ? x[0] : x[s0 + WSI_WORD];
			rise_next |= (uint64_t)FN(rises)(here, there, flat) << bit;
			fall_next |= (uint64_t)FN(rises)(there, here, flat) << bit;
		}
		if (w == 0 && job->cyclic) {
			rise |= (uint64_t)FN(rises)(x[n - 1], x[0], flat);
			fall |= (uint64_t)FN(rises)(x[0], x[n - 1], flat);
		}
		uint64_t max = rise & fall_next, min = fall & rise_next, half = 0;
		if (job->plateaus && level)
			FN(mark_plateaus)(x, n, flat, w, level, &plateau, &max, &min, &half);
		job->marks[WSI_MAX][w] = max;
		job->marks[WSI_MIN][w] = min;
		if (job->half)
			job->half[w] = half;
		c.extrema[WSI_MAX] += __builtin_popcountll(max);
		c.extrema[WSI_MIN] += __builtin_popcountll(min);
		if (job->signs)
			FN(count_signs)(x, n, w, max, min, &c);
	}
	for (int k = 0; k < 2; ++k)
		counts->extrema[k] += c.extrema[k];
	counts->zero_crossings += c.zero_crossings;
	counts->wrong_sign += c.wrong_sign;
}
