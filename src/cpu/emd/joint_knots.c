/*
 * joint_knots.c - extrema of one projection, as bits and as lists of knots,
 * with those that the boundary rule adds beyond the ends.
 */
#include <string.h>

#include "cpu/emd/joint_knots.h"
#include "math/boundary.h"

/* One direction at work. */
typedef struct finder {
	wsi_joint *j;
	char *h;
	size_t d;
	uint64_t *rise, *fall, *bits[2];
	uint64_t *half;         /* bits of knots at half samples; valid only if halves is set */
	bool halves;
} finder;

static bool
has(const uint64_t *bits, size_t i)
{
	return bits[i / WSI_WORD] >> (i % WSI_WORD) & 1;
}

static void
mark(uint64_t *bits, size_t i)
{
	bits[i / WSI_WORD] |= (uint64_t)1 << (i % WSI_WORD);
}

/* Notes that the knot marked at a sample lies half a sample before it. */
static void
mark_half(finder *f, size_t sample)
{
	if (!f->halves)
		memset(f->half, 0, f->j->words * sizeof *f->half);
	f->halves = true;
	mark(f->half, sample);
}

static size_t
row_bytes(const wsi_joint *j)
{
	return j->lanes * j->ops->element;
}

/* The values at a tick: of a sample, or the mean of two. */
static const char *
values_at(const finder *f, int32_t tick)
{
	const char *rows = tick % WSI_TICKS ? f->j->middle : f->h;
	return rows + (size_t)(tick + 1) / WSI_TICKS * row_bytes(f->j);
}

/* The projection at a tick. */
static double
project_at(const finder *f, int32_t tick)
{
	const wsi_project_args *p = &f->j->steps;
	const size_t sample = (size_t)tick / WSI_TICKS;
	const double x = f->j->ops->project_sample(p, f->d, sample);
	return tick % WSI_TICKS ? (x + f->j->ops->project_sample(p, f->d, sample + 1)) * 0.5 : x;
}

/* ---- Extrema ------------------------------------------------------------------ */

/* The last sample of the plateau that begins with sample `first`. */
static size_t
plateau_end(const finder *f, size_t first)
{
	size_t i = first + 1;
	const size_t n = f->j->n;
	while (i < n) {
		const size_t w = i / WSI_WORD;
		const uint64_t steps = (f->rise[w] | f->fall[w]) >> (i % WSI_WORD);
		if (steps)
			return i + (size_t)__builtin_ctzll(steps) - 1;
		i = (w + 1) * WSI_WORD;
	}
	return n - 1;
}

/* One extremum in the middle of a plateau that has a step before and after. */
static void
mark_plateau(finder *f, size_t first, size_t last)
{
	const size_t middle = (first + last + !f->j->params->lower_middle) / 2;
	if (last + 1 == f->j->n)
		return;
	const bool max = has(f->rise, first) && has(f->fall, last + 1);
	const bool min = has(f->fall, first) && has(f->rise, last + 1);
	if (max)
		mark(f->bits[WSI_MAX], middle);
	if (min)
		mark(f->bits[WSI_MIN], middle);
	if ((max || min) && f->half && (first + last) % 2)
		mark_half(f, middle);
}

/* The plateaus whose first level step is in word w; those that go on from the
 * word before were seen there. */
static void
mark_plateaus(finder *f, size_t w, uint64_t level)
{
	while (level) {
		const int bit = __builtin_ctzll(level);
		const size_t first = w * WSI_WORD + (size_t)bit - 1;
		if (first > 0 && (has(f->rise, first) || has(f->fall, first)))
			mark_plateau(f, first, plateau_end(f, first));
		const uint64_t steps = ~level & ~(uint64_t)0 << bit;
		if (!steps)
			return;
		level &= ~(uint64_t)0 << __builtin_ctzll(steps);
	}
}

static void
find_extrema(finder *f)
{
	const wsi_joint *j = f->j;
	const size_t n = j->n, words = WSI_WORDS(n);
	const bool cyclic = j->params->cyclic;
	for (size_t w = 0; w < j->words; ++w)
		f->bits[WSI_MAX][w] = f->bits[WSI_MIN][w] = 0;
	for (size_t w = 0; w < words; ++w) {
		const bool final = w + 1 == words;
		const uint64_t rise = f->rise[w], fall = f->fall[w];
		uint64_t rise_next = rise >> 1, fall_next = fall >> 1;
		if (!final) {
			rise_next |= f->rise[w + 1] << 63;
			fall_next |= f->fall[w + 1] << 63;
		} else if (cyclic) {
			rise_next |= (f->rise[0] & 1) << ((n - 1) % WSI_WORD);
			fall_next |= (f->fall[0] & 1) << ((n - 1) % WSI_WORD);
		}
		f->bits[WSI_MAX][w] |= rise & fall_next;
		f->bits[WSI_MIN][w] |= fall & rise_next;
		uint64_t steps = final && n % WSI_WORD ? ((uint64_t)1 << n % WSI_WORD) - 1
		                 : ~(uint64_t)0;
		if (w == 0)
			steps &= ~(uint64_t)1;
		const uint64_t level = steps & ~(rise | fall);
		if (j->params->plateaus && level)
			mark_plateaus(f, w, level);
	}
}

static int64_t
count_crossings(const finder *f)
{
	const wsi_joint *j = f->j;
	const uint64_t *above = j->steps.above + f->d * j->words;
	const uint64_t *below = j->steps.below + f->d * j->words;
	uint64_t a = 0, b = 0, nil = 0; /* of the sample before, in bit 63 */
	int64_t crossings = 0;
	for (size_t w = 0; w < WSI_WORDS(j->n); ++w) {
		const size_t in_word = j->n - w * WSI_WORD;
		const uint64_t valid = in_word < WSI_WORD ? ((uint64_t)1 << in_word) - 1
		                       : ~(uint64_t)0;
		const uint64_t zero = valid & ~(above[w] | below[w]);
		const uint64_t flips = (above[w] & (below[w] << 1 | b >> 63)) |
		                       (below[w] & (above[w] << 1 | a >> 63));
		/* A run of zeros counts once. */
		crossings += __builtin_popcountll(flips) +
		             __builtin_popcountll(zero & ~(zero << 1 | nil >> 63));
		a = above[w], b = below[w], nil = zero;
	}
	return crossings;
}

static int64_t
count_bits(const finder *f, int kind)
{
	int64_t n = 0;
	for (size_t w = 0; w < WSI_WORDS(f->j->n); ++w)
		n += __builtin_popcountll(f->bits[kind][w]);
	return n;
}

/* ---- Knots beyond the ends ------------------------------------------------------- */

/* The tick of the knot marked at a sample. */
static int32_t
tick_of(const finder *f, size_t sample)
{
	return WSI_TICKS * (int32_t)sample - (f->halves && has(f->half, sample));
}

/* Ticks of up to `most` extrema of a kind, from one end inwards. */
static int
look_inwards(const finder *f, int kind, int side, int most, int32_t *tick)
{
	const size_t words = WSI_WORDS(f->j->n);
	int n = 0;
	for (size_t i = 0; i < words && n < most; ++i) {
		const size_t w = side == WSI_LEFT ? i : words - 1 - i;
		for (uint64_t m = f->bits[kind][w]; m && n < most;) {
			const int bit = side == WSI_LEFT ? __builtin_ctzll(m)
			                : 63 - __builtin_clzll(m);
			m &= ~((uint64_t)1 << bit);
			tick[n++] = tick_of(f, w * WSI_WORD + (size_t)bit);
		}
	}
	return n;
}

/* Knots of one envelope beyond one side, from the end outwards.  u: their ticks, counted
 * inwards from the end sample; from: the tick whose value the knot has. */
typedef struct beyond {
	int n;
	int32_t u[WSI_JOINT_REACH_64];
	int32_t from[WSI_JOINT_REACH_64];
	bool line;              /* the value is the more extreme of from's and that of a line */
	int32_t on_line[2];     /* the extrema that this line goes through */
} beyond;

static int32_t
end_tick(const finder *f, int side)
{
	return side == WSI_LEFT ? 0 : WSI_TICKS * ((int32_t)f->j->n - 1);
}

/* From a tick of the signal to one from the end sample inwards, and back. */
static int32_t
from_end(const finder *f, int side, int32_t tick)
{
	return side == WSI_LEFT ? tick : end_tick(f, side) - tick;
}

/* Rilling's rule, decided on the projection (math/boundary.h). */
static void
mirror(const finder *f, int side, beyond out[2])
{
	wsi_near near[2];
	wsi_beyond made[2];
	int32_t tick[2][WSI_NEAR];
	const int32_t end = end_tick(f, side);
	for (int kind = 0; kind < 2; ++kind) {
		near[kind].n = look_inwards(f, kind, side, WSI_NEAR, tick[kind]);
		for (int i = 0; i < near[kind].n; ++i) {
			near[kind].u[i] = from_end(f, side, tick[kind][i]);
			near[kind].v[i] = project_at(f, tick[kind][i]);
		}
	}
	boundary_knots(WS_BOUNDARY_MIRROR, near, project_at(f, end), boundary_tie(f->j->steps.flat),
	               made);
	for (int kind = 0; kind < 2; ++kind) {
		out[kind].n = made[kind].n;
		for (int i = 0; i < made[kind].n; ++i) {
			const int from = made[kind].from[i];
			out[kind].u[i] = made[kind].u[i];
			out[kind].from[i] = from == WSI_END_SAMPLE ? end : tick[kind][from];
		}
	}
}

/* The end sample, or the line through the two nearest extrema where that is
 * more extreme, channel by channel. */
static void
extrapolate(const finder *f, int side, int kind, beyond *out)
{
	int32_t tick[4];
	const int least = boundary_least(f->j->params->o.boundary);
	*out = (beyond){ .n = 1, .u = { 0 }, .from = { end_tick(f, side) } };
	if (look_inwards(f, kind, side, least, tick) < least)
		return;
	out->line = true;
	out->on_line[0] = tick[0];
	out->on_line[1] = tick[1];
}

static void
continue_period(const finder *f, int side, int kind, beyond *out)
{
	int32_t far[WSI_JOINT_REACH_64], far_u[WSI_JOINT_REACH_64];
	const int n_far = look_inwards(f, kind, 1 - side, WSI_JOINT_REACH_64, far);
	for (int i = 0; i < n_far; ++i)
		far_u[i] = from_end(f, 1 - side, far[i]);
	out->line = false;
	for (out->n = 0; n_far > 0 && out->n < WSI_JOINT_REACH_64; ++out->n) {
		if (!boundary_periodic(far_u, n_far, (int64_t)f->j->n, out->n, &out->u[out->n]))
			break;
		out->from[out->n] = far[out->n % n_far];
	}
}

/* The value of knot i, for every channel, into a row of h. */
static void
set_row(const finder *f, const beyond *b, int i, int kind, int side, size_t row)
{
	const wsi_joint *j = f->j;
	const size_t bytes = row_bytes(j);
	char *to = f->h + row * bytes;
	memcpy(to, values_at(f, b->from[i]), bytes);
	if (b->line)
		j->ops->extrapolate(to, values_at(f, b->on_line[0]), values_at(f, b->on_line[1]),
		                    boundary_ahead(end_tick(f, side), b->on_line[0], b->on_line[1]),
		                    kind == WSI_MAX, j->lanes);
}

/* ---- Lists ------------------------------------------------------------------------- */

/* Marks a knot of a boundary rule that lies inside the signal. */
static void
mark_inside(finder *f, int kind, int32_t tick)
{
	const size_t sample = (size_t)(tick + 1) / WSI_TICKS;
	mark(f->bits[kind], sample);
	if (tick % WSI_TICKS)
		mark_half(f, sample);
}

static void
make_list(finder *f, int kind, int32_t *t, const beyond b[2])
{
	const wsi_joint *j = f->j;
	const int32_t last = end_tick(f, WSI_RIGHT);
	const size_t first_row = wsi_joint_rows(j->n);
	wsi_knots *k = &j->knots[f->d][kind];
	int32_t *before = j->before + (2 * f->d + (size_t)kind) * j->tiles, n = 0;
	*k = (wsi_knots){ .t = t, .n_left = b[WSI_LEFT].n, .n_right = b[WSI_RIGHT].n,
		.bits = f->bits[kind], .before = before };
	for (int side = 0; side < 2; ++side) {
		const size_t row = first_row +
		                   ((f->d * 2 + (size_t)kind) * 2 + (size_t)side) * j->extras;
		*(side == WSI_LEFT ? &k->row_left : &k->row_right) = row;
		for (int i = 0; i < b[side].n; ++i) {
			/* Ascending: on the left the outermost comes first. */
			const int at = side == WSI_LEFT ? b[side].n - 1 - i : i;
			const int32_t tick = from_end(f, side, b[side].u[i]);
			set_row(f, &b[side], i, kind, side, row + (size_t)at);
			if (tick >= 0 && tick <= last)
				mark_inside(f, kind, tick);
		}
	}
	for (int i = b[WSI_LEFT].n - 1; i >= 0; --i)
		if (b[WSI_LEFT].u[i] < 0)
			t[n++] = b[WSI_LEFT].u[i];
	for (size_t w = 0; w < WSI_WORDS(j->n); ++w) {
		uint64_t m = f->bits[kind][w];
		if (w % (WSI_JOINT_TILE / WSI_WORD) == 0)
			before[w / (WSI_JOINT_TILE / WSI_WORD)] = n + (int32_t)(m & 1);
		const uint64_t half = f->halves ? f->half[w] : 0;
		for (; m; m &= m - 1) {
			const int bit = __builtin_ctzll(m);
			t[n++] = WSI_TICKS * ((int32_t)(w * WSI_WORD) + bit) -
			         (int32_t)(half >> bit & 1);
		}
	}
	for (int i = 0; i < b[WSI_RIGHT].n; ++i)
		if (b[WSI_RIGHT].u[i] < 0)
			t[n++] = last - b[WSI_RIGHT].u[i];
	k->n = n;
}

/* memd.m takes a projection that stays below some small number for zero. */
static bool
vanishes(const finder *f)
{
	const wsi_project_args *p = &f->j->steps;
	const double least = f->j->vanished;
	if (f->j->ops->project_sample(p, f->d, 0) >= least ||
	    f->j->ops->project_sample(p, f->d, f->j->n - 1) >= least)
		return false;
	for (size_t w = 0; w < WSI_WORDS(f->j->n); ++w)
		for (uint64_t m = f->bits[WSI_MAX][w]; m; m &= m - 1) {
			const size_t sample = w * WSI_WORD + (size_t)__builtin_ctzll(m);
			if (f->j->ops->project_sample(p, f->d, sample) >= least)
				return false;
		}
	return true;
}

void
wsi_joint_find_knots(wsi_joint *j, char *h, size_t direction)
{
	finder f = { .j = j, .h = h, .d = direction, .rise = j->steps.rise + direction * j->words,
		.fall = j->steps.fall + direction * j->words,
		.half = j->half ? j->half + direction * j->words : NULL };
	for (size_t kind = 0; kind < 2; ++kind)
		f.bits[kind] = j->bits + (2 * direction + kind) * j->words;
	find_extrema(&f);
	wsi_direction *found = &j->found[direction];
	for (int kind = 0; kind < 2; ++kind)
		found->extrema[kind] = count_bits(&f, kind);
	found->zero_crossings = j->steps.above ? count_crossings(&f) : 0;
	if (j->params->vanishing && vanishes(&f))
		found->extrema[WSI_MAX] = found->extrema[WSI_MIN] = 0;
	const int64_t max = found->extrema[WSI_MAX], min = found->extrema[WSI_MIN];
	const int64_t fewer = max < min ? max : min;
	j->active[direction] = max + min >= 3 && fewer >= j->params->min_each;
	if (!j->active[direction])
		return;
	beyond made[2][2]; /* [side][kind] */
	for (int side = 0; side < 2; ++side) {
		if (j->params->o.boundary == WS_BOUNDARY_MIRROR) {
			mirror(&f, side, made[side]);
			for (int kind = 0; kind < 2; ++kind)
				made[side][kind].line = false;
			continue;
		}
		for (int kind = 0; kind < 2; ++kind)
			if (j->params->cyclic)
				continue_period(&f, side, kind, &made[side][kind]);
			else
				extrapolate(&f, side, kind, &made[side][kind]);
	}
	int32_t *t = j->t + direction * j->t_stride;
	for (int kind = 0; kind < 2; ++kind) {
		const beyond sides[2] = { made[WSI_LEFT][kind], made[WSI_RIGHT][kind] };
		make_list(&f, kind, t, sides);
		t += j->knots[direction][kind].n;
	}
}
