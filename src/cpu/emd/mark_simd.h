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

/* The direction of a step, 0 where it is flat. */
WSI_FN int
FN(direction)(REAL from, REAL to, REAL flat)
{
	return FN(rises)(from, to, flat) - FN(rises)(to, from, flat);
}

/* What word w has of the marks of a row. */
typedef struct FN(found) {
	const REAL *x;
	size_t n, w;
	REAL flat;
	bool lone;              /* see wsi_mark_args */
	uint64_t max, min, half;
} FN(found);

/* Marks sample s, if it is one of the word's; sign: 1 a maximum, -1 a minimum, 0 neither. */
WSI_FN void
FN(put_mark)(FN(found) *f, size_t s, int sign, bool half)
{
	if (sign == 0 || s / WSI_WORD != f->w)
		return;
	const uint64_t bit = (uint64_t)1 << (s % WSI_WORD);
	*(sign > 0 ? &f->max : &f->min) |= bit;
	f->half |= half ? bit : 0;
}

/* The extrema of a plateau. */
static void
FN(mark_plateau)(FN(found) *f, size_t first, size_t last)
{
	const REAL *x = f->x, flat = f->flat;
	const int in = first > 0 ? FN(direction)(x[first - 1], x[first], flat) : 0;
	const int out = last + 1 < f->n ? FN(direction)(x[last], x[last + 1], flat) : 0;
	const int lone = f->lone && last == first + 1
	                 ? FN(direction)(x[first], x[last], (REAL)0) : 0;
	const wsi_plateau p = plateau_between(in, lone, out);
	FN(put_mark)(f, first, p.first, false);
	FN(put_mark)(f, (first + last + 1) / 2, p.middle, (first + last) & 1);
	FN(put_mark)(f, last, p.last, false);
}

/* Those of all plateaus.  level: bit i set where the step to sample i of the word is flat; so is,
 * if `goes_on`, the step to the sample after it. */
static void
FN(mark_plateaus)(FN(found) *f, uint64_t level, bool goes_on, FN(plateau) *p)
{
	const size_t end = (f->w + 1) * WSI_WORD;
	while (level) {
		const size_t s = f->w * WSI_WORD + (size_t)__builtin_ctzll(level);
		FN(find_plateau)(f->x, f->n, f->flat, s, p);
		FN(mark_plateau)(f, p->first, p->last);
		const size_t next = p->last + 1;
		if (next >= end)
			return;
		level &= ~(uint64_t)0 << (next % WSI_WORD);
	}
	/* Then the word's last sample is the first of a plateau. */
	if (goes_on) {
		FN(find_plateau)(f->x, f->n, f->flat, end, p);
		FN(mark_plateau)(f, p->first, p->last);
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
FN(mark)(const wsi_mark_args *args, wsi_counts *counts)
{
	const REAL *x = args->x, flat = (REAL)args->flat;
	const size_t n = args->n;
	FN(plateau) plateau = { 1, 0 };
	wsi_counts c = { { 0, 0 }, 0, 0 };
	for (size_t w = args->word0; w < args->word1; ++w) {
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
		const bool seam = args->cyclic && last < WSI_WORD;
		if (last >= WSI_WORD || seam) {
			const int bit = seam ? (int)last : WSI_WORD - 1;
			const REAL here = x[s0 + (size_t)bit];
			const REAL there = seam ? x[0] : x[s0 + WSI_WORD];
			rise_next |= (uint64_t)FN(rises)(here, there, flat) << bit;
			fall_next |= (uint64_t)FN(rises)(there, here, flat) << bit;
		}
		if (w == 0 && args->cyclic) {
			rise |= (uint64_t)FN(rises)(x[n - 1], x[0], flat);
			fall |= (uint64_t)FN(rises)(x[0], x[n - 1], flat);
		}
		uint64_t max = rise & fall_next, min = fall & rise_next, half = 0;
		const bool goes_on = args->lone && last >= WSI_WORD &&
		                     !((rise_next | fall_next) >> (WSI_WORD - 1));
		if (args->plateaus && (level || goes_on)) {
			FN(found) f = { x, n, w, flat, args->lone, max, min, 0 };
			FN(mark_plateaus)(&f, level, goes_on, &plateau);
			max = f.max;
			min = f.min;
			half = f.half;
		}
		args->marks[WSI_MAX][w] = max;
		args->marks[WSI_MIN][w] = min;
		if (args->half)
			args->half[w] = half;
		c.extrema[WSI_MAX] += __builtin_popcountll(max);
		c.extrema[WSI_MIN] += __builtin_popcountll(min);
		if (args->signs)
			FN(count_signs)(x, n, w, max, min, &c);
	}
	for (int k = 0; k < 2; ++k)
		counts->extrema[k] += c.extrema[k];
	counts->zero_crossings += c.zero_crossings;
	counts->wrong_sign += c.wrong_sign;
}
