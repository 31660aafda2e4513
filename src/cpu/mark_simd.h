/*
 * mark_simd.h - template: slot mark.  Twin: ops/ref/mark_ref.c.
 *
 * Two comparisons a sample with its predecessor give a word of "greater" and
 * one of "equal"; extrema are then bit logic.  Only words that touch a
 * plateau take the slow way.  Reads x once, one sample beyond the range.
 */

/* The last plateau met, so that one longer than many words is walked once. */
typedef struct FN(plateau) { size_t first, last; } FN(plateau);

static void
FN(find_plateau)(const REAL *x, size_t n, size_t inside, FN(plateau) *p)
{
	if (inside >= p->first && inside <= p->last)
		return;
	size_t i = inside, k = inside;
	while (i > 0 && x[i - 1] == x[inside])
		--i;
	while (k + 1 < n && x[k + 1] == x[inside])
		++k;
	p->first = i;
	p->last = k;
}

/* Extrema at the rounded middles of plateaus, for the middles in word w.
 * equal: bit i set where sample i equals its predecessor. */
static void
FN(mark_plateaus)(const REAL *x, size_t n, size_t w, uint64_t equal, FN(plateau) *p,
                  uint64_t *max, uint64_t *min)
{
	while (equal) {
		size_t s = w * WSI_WORD + (size_t)__builtin_ctzll(equal);
		FN(find_plateau)(x, n, s, p);
		size_t middle = (p->first + p->last + 1) / 2;
		if (middle / WSI_WORD == w && p->first > 0 && p->last + 1 < n) {
			bool up = x[p->first] > x[p->first - 1];
			bool down = x[p->last + 1] < x[p->last];
			uint64_t bit = (uint64_t)1 << (middle % WSI_WORD);
			if (up && down)
				*max |= bit;
			if (!up && !down)
				*min |= bit;
		}
		size_t next = p->last + 1;
		if (next >= (w + 1) * WSI_WORD)
			break;
		equal &= ~(uint64_t)0 << (next % WSI_WORD);
	}
}

/* Bit i: sample 64 w + i compared with its predecessor (with itself at 0). */
WSI_FN void
FN(compare_word)(const REAL *x, size_t w, uint64_t *greater, uint64_t *equal)
{
	const REAL *p = x + w * WSI_WORD;
	uint64_t g = 0, e = 0;
	for (int i = 0; i < WSI_WORD; i += LANES) {
		FN(vec) now = FN(vload)(p + i);
		FN(vec) before = w == 0 && i == 0 ? now : FN(vload)(p + i - 1);
		g |= (uint64_t)FN(vgreater)(now, before) << i;
		e |= (uint64_t)FN(vequal)(now, before) << i;
	}
	if (w == 0) {
		/* The first vector was compared with itself. */
		g &= ~(((uint64_t)1 << LANES) - 1);
		e &= ~(((uint64_t)1 << LANES) - 1);
		for (int i = 1; i < LANES; ++i) {
			g |= (uint64_t)(p[i] > p[i - 1]) << i;
			e |= (uint64_t)(p[i] == p[i - 1]) << i;
		}
	}
	*greater = g;
	*equal = e;
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
	const REAL *x = job->x;
	const size_t n = job->n;
	FN(plateau) plateau = { 1, 0 };
	wsi_counts c = { { 0, 0 }, 0, 0 };
	for (size_t w = job->word0; w < job->word1; ++w) {
		size_t s0 = w * WSI_WORD;
		uint64_t greater, equal;
		FN(compare_word)(x, w, &greater, &equal);
		uint64_t less = ~(greater | equal);
		if (w == 0 && !job->cyclic)
			less &= ~(uint64_t)1;
		size_t last = n - 1 - s0;    /* of the signal, as a bit of this word */
		if (last < WSI_WORD - 1) {
			uint64_t valid = ((uint64_t)2 << last) - 1;
			greater &= valid;
			equal &= valid;
			less &= valid;
		}
		/* The step from each sample to its successor. */
		uint64_t up = greater >> 1, down = less >> 1;
		if (last >= WSI_WORD) {
			up |= (uint64_t)(x[s0 + WSI_WORD] > x[s0 + WSI_WORD - 1]) << (WSI_WORD - 1);
			down |= (uint64_t)(x[s0 + WSI_WORD] < x[s0 + WSI_WORD - 1]) << (WSI_WORD - 1);
		} else if (job->cyclic) {
			up |= (uint64_t)(x[0] > x[n - 1]) << last;
			down |= (uint64_t)(x[0] < x[n - 1]) << last;
		}
		if (w == 0) {
			greater &= ~(uint64_t)1;
			less &= ~(uint64_t)1;
			if (job->cyclic) {
				greater |= (uint64_t)(x[0] > x[n - 1]);
				less |= (uint64_t)(x[0] < x[n - 1]);
			}
			equal &= ~(uint64_t)1;
		}
		uint64_t max = greater & down, min = less & up;
		if (job->plateaus && equal)
			FN(mark_plateaus)(x, n, w, equal, &plateau, &max, &min);
		job->marks[WSI_MAX][w] = max;
		job->marks[WSI_MIN][w] = min;
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
