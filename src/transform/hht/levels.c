/*
 * levels.c - how far a mode stands out among modes of noise of the same period.
 *
 * A mode of the data is compared with its peers: modes of signals of noise, half as many as there
 * are signals, that are nearest in period (Kolotkov et al. 2016 compare modes at equal period).
 * One of another number counts as an octave further off, and is none where enough have the number:
 * at one period fast modes of a number and slow ones of the number before differ in energy.  The
 * peers' values (noise.c) follow a line over the logarithm of the period; what lies above it is
 * compared.  Modes of few periods have no p: the low end of a spectrum, which no more than those
 * periods tell of, is not sharp enough for it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/rising.h"
#include "math/logarithm.h"
#include "transform/hht/work.h"

/* The fewest peers, and the most, which are enough for p of 0.001. */
#define FEWEST_PEERS 40
#define MOST_PEERS 1000
/* What another number counts, in the logarithm of the period: an octave. */
#define OTHER_NUMBER 0.6931471805599453

/* Points between two questions to the user: each looks at all of its peers. */
#define HEAR_EVERY 64

typedef struct peers {
	const wsi_hht_point *of[MOST_PEERS];
	size_t n;
	double low, high;       /* the range of their periods, ln */
	double at, value, slope; /* of the line: its middle */
	double spread;          /* root of the mean square of what lies above it */
} peers;

static double
above(const peers *g, double at, double value)
{
	const double near = at < g->low ? g->low : at > g->high ? g->high : at;
	/* Beyond all peers the line goes on level. */
	return value - (g->value + g->slope * (near - g->at));
}

/* ---- Peers ----------------------------------------------------------------------------------- */

/* The next point of mode k that is nearest to `at`, and how far off it is; NULL: there are none. */
static const wsi_hht_point *
nearest(const wsi_hht_null *null, const wsi_hht_sides *s, size_t k, double at, double *distance,
        bool *left)
{
	const wsi_hht_point *a = s->left > null->first[k] ? &null->points[s->left - 1] : NULL;
	const wsi_hht_point *b = s->right < null->first[k + 1] ? &null->points[s->right] : NULL;
	*left = a && (!b || at - a->at <= b->at - at);
	*distance = *left ? at - a->at : b ? b->at - at : HUGE_VAL;
	return *left ? a : b;
}

/* The first point of mode k whose period is as long. */
static size_t
first_at(const wsi_hht_null *null, size_t k, double at)
{
	size_t low = null->first[k], high = null->first[k + 1];
	while (low < high) {
		const size_t i = low + (high - low) / 2;
		if (null->points[i].at < at)
			low = i + 1;
		else
			high = i;
	}
	return low;
}

/* Finds the peers of mode k with a period, ln; self: a point that is none of them, or NULL. */
static void
gather(const wsi_hht_null *null, size_t signals, size_t k, double at, const wsi_hht_point *self,
       peers *g)
{
	size_t want = signals / 2 < FEWEST_PEERS ? FEWEST_PEERS : signals / 2;
	want = want > MOST_PEERS ? MOST_PEERS : want;
	for (size_t m = 0; m < null->modes; ++m)
		null->sides[m].left = null->sides[m].right = first_at(null, m, at);
	bool own = true;
	for (g->n = 0; g->n < want;) {
		const wsi_hht_point *best = NULL;
		double least = HUGE_VAL;
		size_t from = 0;
		bool from_left = false;
		for (size_t m = 0; m < null->modes; ++m) {
			double distance;
			bool left;
			const wsi_hht_point *p = nearest(null, &null->sides[m], m, at, &distance,
			                                 &left);
			distance += m == k ? 0.0 : OTHER_NUMBER;
			if (!p || !(distance < least))
				continue;
			best = p;
			least = distance;
			from = m;
			from_left = left;
		}
		/* Rather fewer of the mode's own number than some of others among them. */
		if (!best || (from != k && own && g->n >= FEWEST_PEERS))
			break;
		own = own && from == k;
		if (from_left)
			--null->sides[from].left;
		else
			++null->sides[from].right;
		if (best != self)
			g->of[g->n++] = best;
	}
}

/* The line through the peers, and how far they lie above it. */
static void
fit_line(peers *g)
{
	const double n = (double)g->n;
	double squares = 0.0, products = 0.0, sum = 0.0;
	size_t higher = 0;
	g->at = g->value = 0.0;
	g->low = HUGE_VAL;
	g->high = -HUGE_VAL;
	for (size_t i = 0; i < g->n; ++i) {
		g->at += g->of[i]->at / n;
		g->value += g->of[i]->value / n;
		g->low = g->of[i]->at < g->low ? g->of[i]->at : g->low;
		g->high = g->of[i]->at > g->high ? g->of[i]->at : g->high;
	}
	for (size_t i = 0; i < g->n; ++i) {
		squares += (g->of[i]->at - g->at) * (g->of[i]->at - g->at);
		products += (g->of[i]->at - g->at) * (g->of[i]->value - g->value);
	}
	g->slope = squares > 1e-9 * n ? products / squares : 0.0;
	for (size_t i = 0; i < g->n; ++i) {
		const double e = above(g, g->of[i]->at, g->of[i]->value);
		higher += e > 0.0;
		sum += e > 0.0 ? e * e : 0.0;
	}
	g->spread = higher ? sqrt(sum / (double)higher) : 1.0;
}

/* ---- All modes of all signals ---------------------------------------------------------------- */

/* By number, period and signal; those that are none last. */
static int
by_period(const void *a, const void *b)
{
	const wsi_hht_point *x = a, *y = b;
	if (x->mode != y->mode)
		return x->mode < y->mode ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->signal > y->signal) - (x->signal < y->signal);
}

void
wsi_hht_levels_make(wsi_hht_null *null, size_t signals, wsi_progress *progress, int rank)
{
	size_t n = 0;
	for (size_t s = 0; s < signals; ++s)
		null->largest[s] = -HUGE_VAL;
	for (size_t k = 0; k <= null->modes; ++k)
		null->first[k] = 0;
	if (!null->best)
		return;
	qsort(null->points, signals * null->modes, sizeof *null->points, by_period);
	for (size_t k = 0; k < null->modes; ++k) {
		null->first[k] = n;
		while (n < signals * null->modes && null->points[n].mode == (int32_t)k)
			++n;
	}
	null->first[null->modes] = n;
	for (size_t i = 0; i < n; ++i) {
		if (i % HEAR_EVERY == 0 && !wsi_goes_on(progress, rank))
			return;
		const wsi_hht_point *p = &null->points[i];
		double *largest = &null->largest[p->signal];
		peers g;
		if (p->at > null->longest)
			continue;
		gather(null, signals, (size_t)p->mode, p->at, p, &g);
		fit_line(&g);
		const double e = above(&g, p->at, p->value) / g.spread;
		*largest = e > *largest ? e : *largest;
	}
	qsort(null->largest, signals, sizeof *null->largest, wsi_rising);
}

/* ---- A mode of the data ---------------------------------------------------------------------- */

/* Below which a share p of v[n], ascending, lies. */
static double
quantile(const double *v, size_t n, double p)
{
	const double at = p * (double)(n - 1);
	const size_t i = (size_t)at < n - 1 ? (size_t)at : n - 1;
	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[i];
}

/* The share of v[n], ascending, and x that is as large as x.  Between two of v it goes evenly from
 * the share of one to that of the other, so that it is below any level as often as that says. */
static double
share_above(const double *v, size_t n, double x)
{
	size_t low = 0, high = n;
	while (low < high) {
		const size_t i = low + (high - low) / 2;
		if (v[i] <= x)
			low = i + 1;
		else
			high = i;
	}
	/* Of signals without modes v is -infinity. */
	const double between = low == 0 || low == n || !isfinite(v[low - 1]) ? 0.0
	                       : (x - v[low - 1]) / (v[low] - v[low - 1]);
	return ((double)(n - low) + 1.0 - between) / (double)(n + 1);
}

wsi_hht_level
wsi_hht_levels_at(const wsi_hht_null *null, size_t signals, size_t k, double energy, double period,
                  double confidence)
{
	wsi_hht_level level = { NAN, NAN, 0.0, 0.0 };
	if (!null->best || !null->first[null->modes] || !(energy > 0.0))
		return level;
	const wsi_background *b = &null->of[null->best];
	const double at = portable_log(period), value = wsi_background_excess(b, energy, period);
	double sorted[MOST_PEERS];
	peers g;
	gather(null, signals, k, at, NULL, &g);
	fit_line(&g);
	for (size_t i = 0; i < g.n; ++i)
		sorted[i] = above(&g, g.of[i]->at, g.of[i]->value);
	qsort(sorted, g.n, sizeof *sorted, wsi_rising);
	const double e = above(&g, at, value);
	if (at <= null->longest) {
		level.p = share_above(sorted, g.n, e);
		level.p_any = share_above(null->largest, signals, e / g.spread);
		level.p_any = level.p_any > level.p ? level.p_any : level.p;
	}
	/* Where the line is: value - e. */
	const double line = portable_log(energy) - e;
	level.low = portable_exp(line + quantile(sorted, g.n, 0.5 * (1.0 - confidence)));
	level.high = portable_exp(line + quantile(sorted, g.n, 0.5 * (1.0 + confidence)));
	return level;
}
