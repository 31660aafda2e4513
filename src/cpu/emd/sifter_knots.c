/*
 * sifter_knots.c - the marks of a signal that a team sifts: of each member's words by the kernels,
 * at the seams once all are there; the knots on both sides of them, which a boundary rule
 * (math/boundary.h) makes beyond the ends of the signal.
 */
#include "cpu/emd/sifter_knots.h"

#include <math.h>
#include <string.h>

#include "base/element.h"
#include "math/boundary.h"

static double
value(const wsi_sifter *s, const void *row, size_t sample)
{
	return wsi_real_at(row, s->ops->type, sample);
}

/* ---- Marks --------------------------------------------------------------------------------- */

/* Marks words word0 .. word1 - 1 of x, and adds to this rank's counts.  The
 * kernel looks at words first .. end - 1 and takes them for the signal. */
static void
mark_words(wsi_sifter *s, int rank, const void *x, double flat, int set, size_t word0, size_t word1,
           size_t first, size_t end)
{
	const wsi_params *p = s->params;
	const size_t n = end * WSI_WORD < s->n ? end * WSI_WORD : s->n;
	wsi_mark_args args = {
		.x = at(s, x, first * WSI_WORD), .n = n - first * WSI_WORD,
		.marks = { s->marks[set][WSI_MAX] + first, s->marks[set][WSI_MIN] + first },
		.half = p->half_ticks ? s->half[set] + first : NULL,
		.word0 = word0 - first, .word1 = word1 - first, .flat = flat,
		.plateaus = p->plateaus, .lone = p->lone_steps, .cyclic = p->cyclic,
		.signs = stop_needs_signs(p->o.stop_rule),
	};
	s->ops->mark(&args, &share_of(s, rank)->counts[set]);
}

/* All of this rank's words of x, which is there already. */
void
wsi_sifter_mark(wsi_sifter *s, int rank, const void *x, double flat, int set)
{
	size_t word0, word1;
	word_range(s, rank, &word0, &word1);
	memset(&share_of(s, rank)->counts[set], 0, sizeof(wsi_counts));
	mark_words(s, rank, x, flat, set, word0, word1, 0, WSI_WORDS(s->n));
}

/* The part of them whose marks follow from this rank's own samples; it is
 * marked while the others may still be busy with theirs. */
void
wsi_sifter_mark_own(wsi_sifter *s, int rank, const void *x, double flat, int set)
{
	size_t word0, word1;
	word_range(s, rank, &word0, &word1);
	if (s->size == 1) {
		wsi_sifter_mark(s, rank, x, flat, set);
		return;
	}
	memset(&share_of(s, rank)->counts[set], 0, sizeof(wsi_counts));
	if (word1 - word0 > 2)
		mark_words(s, rank, x, flat, set, word0 + 1, word1 - 1, word0, word1);
}

/* Is a word of x one plateau?  Rather yes than no: kernels round steps to the type. */
static bool
is_level(const wsi_sifter *s, const void *x, double flat, size_t word)
{
	const size_t first = word * WSI_WORD;
	for (size_t i = first + 1; i < first + WSI_WORD && i < s->n; ++i)
		if (fabs(value(s, x, i) - value(s, x, i - 1)) > flat * (1.0 + 1e-6))
			return false;
	return true;
}

/* The rest, once all of x is there: the words at the seams; or all, where one of
 * these is a plateau, which may reach from the own part to another member's. */
void
wsi_sifter_mark_rest(wsi_sifter *s, int rank, const void *x, double flat, int set)
{
	const size_t words = WSI_WORDS(s->n);
	size_t word0, word1;
	word_range(s, rank, &word0, &word1);
	if (s->size == 1)
		return;
	if (word1 - word0 > 2) {
		mark_words(s, rank, x, flat, set, word0, word0 + 1, 0, words);
		mark_words(s, rank, x, flat, set, word1 - 1, word1, 0, words);
		const bool through = (word0 > 0 && is_level(s, x, flat, word0)) ||
		                     (word1 < words && is_level(s, x, flat, word1 - 1));
		if (!through || !s->params->plateaus)
			return;
	}
	wsi_sifter_mark(s, rank, x, flat, set);
}

/* ---- Knots --------------------------------------------------------------------------------- */

/* As the kernels hold it. */
static double
knot_value(const wsi_sifter *s, double v)
{
	return s->ops->type == WS_F64 ? v : (double)(float)v;
}

/* Adds the knot of the extremum marked at bit `bit` of word w. */
static void
note_knot(const wsi_sifter *s, const void *x, int set, size_t w, int bit, wsi_walk *out)
{
	const bool half = s->half[set] && s->half[set][w] >> bit & 1;
	const size_t p = w * WSI_WORD + (size_t)bit;
	const double v = value(s, x, p);
	out->t[out->n] = (int32_t)p * WSI_TICKS - half;
	/* A sum of two numbers of 24 bits loses nothing by being rounded to 53 first. */
	out->v[out->n++] = half ? knot_value(s, 0.5 * (value(s, x, p - 1) + v)) : v;
}

/* The `most` extrema of a kind, which there are, nearest one side of words word0 ..
 * word1 - 1. */
static void
look_inwards(const wsi_sifter *s, const void *x, int set, int kind, int side, size_t word0,
             size_t word1, int most, wsi_walk *out)
{
	const uint64_t *marks = s->marks[set][kind];
	out->n = 0;
	for (size_t i = 0; out->n < most; ++i) {
		size_t w = side == WSI_LEFT ? word0 + i : word1 - 1 - i;
		for (uint64_t m = marks[w]; m && out->n < most;) {
			int bit = side == WSI_LEFT ? __builtin_ctzll(m) : 63 - __builtin_clzll(m);
			m &= ~((uint64_t)1 << bit);
			note_knot(s, x, set, w, bit, out);
		}
	}
}

/* Notes the outermost of this rank's extrema, as many as anybody may want: the next
 * rank its whole halo, a boundary rule less. */
void
wsi_sifter_note_edges(wsi_sifter *s, int rank, const void *x, int set)
{
	const bool periodic = s->params->o.boundary == WS_BOUNDARY_PERIODIC;
	wsi_share *mine = share_of(s, rank);
	size_t word0, word1;
	word_range(s, rank, &word0, &word1);
	for (int i = 0; i < 4; ++i) {
		const int kind = i / 2, side = i % 2;
		const bool outer = rank == (side == WSI_LEFT ? 0 : s->size - 1);
		const int64_t wanted = !outer || periodic ? WSI_BEYOND : WSI_NEAR;
		const int64_t all = mine->counts[set].extrema[kind];
		look_inwards(s, x, set, kind, side, word0, word1,
		             (int)(all < wanted ? all : wanted), &mine->edge[kind][side]);
	}
}

/* The extrema of a kind met on the way through a rank's words, from one side, and
 * through those that follow; `most` at most. */
static void
walk(const wsi_sifter *s, int rank, int side, int kind, int most, wsi_walk *out)
{
	out->n = 0;
	for (; rank >= 0 && rank < s->size; rank += side == WSI_LEFT ? 1 : -1) {
		const wsi_walk *edge = &share_of(s, rank)->edge[kind][side];
		for (int i = 0; i < edge->n && out->n < most; ++i, ++out->n) {
			out->t[out->n] = edge->t[i];
			out->v[out->n] = edge->v[i];
		}
	}
}

/* The extrema of a kind from one end of the signal inwards. */
static void
walk_from_end(const wsi_sifter *s, int side, int kind, int most, wsi_walk *out)
{
	walk(s, side == WSI_LEFT ? 0 : s->size - 1, side, kind, most, out);
}

/* Ticks counted inwards from one end, and back. */
static int32_t
from_end(const wsi_sifter *s, int side, int32_t t)
{
	return side == WSI_LEFT ? t : (int32_t)(s->n - 1) * WSI_TICKS - t;
}

static void
add_knot(const wsi_sifter *s, int side, int32_t u, double v, wsi_walk *out)
{
	if (out->n == WSI_BEYOND)
		return;
	out->t[out->n] = from_end(s, side, u);
	out->v[out->n++] = knot_value(s, v);
}

/* Adds the knots of a kind beyond one end of a signal that is one period. */
static void
continue_period(const wsi_sifter *s, int side, int kind, wsi_walk *out)
{
	wsi_walk far;
	walk_from_end(s, 1 - side, kind, WSI_BEYOND, &far);
	for (int i = 0; i < far.n; ++i)
		far.t[i] = from_end(s, 1 - side, far.t[i]);
	for (int i = 0; far.n > 0 && i < WSI_BEYOND; ++i) {
		int32_t u;
		if (!boundary_periodic(far.t, far.n, (int64_t)s->n, i, &u))
			break;
		add_knot(s, side, u, far.v[i % far.n], out);
	}
}

/* Adds the knots of both kinds beyond one end of x, from the end outwards. */
static void
continue_signal(const wsi_sifter *s, const void *x, int side, double flat, wsi_walk out[2])
{
	const ws_boundary rule = s->params->o.boundary;
	wsi_near near[2];
	wsi_beyond beyond[2];
	for (int kind = 0; kind < 2; ++kind) {
		if (rule == WS_BOUNDARY_PERIODIC) {
			continue_period(s, side, kind, &out[kind]);
			continue;
		}
		wsi_walk first;
		walk_from_end(s, side, kind, WSI_NEAR, &first);
		near[kind].n = first.n;
		for (int i = 0; i < first.n; ++i) {
			near[kind].u[i] = from_end(s, side, first.t[i]);
			near[kind].v[i] = first.v[i];
		}
	}
	if (rule == WS_BOUNDARY_PERIODIC)
		return;
	boundary_knots(rule, near, value(s, x, side == WSI_LEFT ? 0 : s->n - 1), boundary_tie(flat),
	               beyond);
	for (int kind = 0; kind < 2; ++kind)
		for (int i = 0; i < beyond[kind].n; ++i)
			add_knot(s, side, beyond[kind].u[i], beyond[kind].v[i], &out[kind]);
}

/* The knots on both sides of this rank's words of x, from the edges that all noted. */
void
wsi_sifter_make_ends(const wsi_sifter *s, int rank, const void *x, double flat, wsi_ends *ends)
{
	for (int side = 0; side < 2; ++side) {
		wsi_walk out[2];
		for (int kind = 0; kind < 2; ++kind)
			walk(s, side == WSI_LEFT ? rank - 1 : rank + 1, 1 - side, kind, WSI_BEYOND,
			     &out[kind]);
		if (out[WSI_MAX].n < WSI_BEYOND || out[WSI_MIN].n < WSI_BEYOND)
			continue_signal(s, x, side, flat, out);
		for (int kind = 0; kind < 2; ++kind) {
			wsi_extras *e = &ends->extra[kind][side];
			e->n = out[kind].n;
			for (int i = 0; i < e->n; ++i) {
				int from = side == WSI_LEFT ? e->n - 1 - i : i;
				e->t[i] = out[kind].t[from];
				e->v[i] = out[kind].v[from];
			}
		}
	}
}
