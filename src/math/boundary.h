/*
 * boundary.h - the knots that a boundary rule adds beyond one end.
 *
 * Both ends are treated by the same code in ticks counted inwards from the
 * end sample: u = t at the left, u = 2 (n - 1) - t at the right.
 */
#ifndef WSI_MATH_BOUNDARY_H
#define WSI_MATH_BOUNDARY_H

#include "base/element.h"
#include "math/real.h"
#include "math/marks.h"
#include "wavesift/wavesift.h"

/* How many extrema a rule looks at, and the most knots that it makes of them;
 * a periodic signal is another matter. */
#define WSI_NEAR 4

/* The extrema of one kind nearest an end, from the end inwards. */
typedef struct wsi_near {
	int n;
	int32_t u[WSI_NEAR];
	double v[WSI_NEAR];
} wsi_near;

/* Knots in u, from the end outwards. */
typedef struct wsi_beyond {
	int n;
	int32_t u[WSI_NEAR];
	double v[WSI_NEAR];
	int from[WSI_NEAR];      /* which extremum of its kind, counted inwards from 0, the
	                            value is; WSI_END_SAMPLE: the end sample's */
} wsi_beyond;

#define WSI_END_SAMPLE (-1)

WSI_FN void
boundary_add(wsi_beyond *b, int32_t u, double v, int from)
{
	b->u[b->n] = u;
	b->v[b->n] = v;
	b->from[b->n] = from;
	b->n++;
}

/*
 * How extrema become the knots beyond an end: knot i of a kind is its extremum number first + i,
 * reflected about tick `about`; number -1 is the end sample, which is a knot at the end itself.
 */
typedef struct wsi_mirror {
	int32_t about;
	int first[2], n[2];      /* [kind] */
} wsi_mirror;

/*
 * Rilling & Flandrin's rule (emd.m, 2007), nbsym = 2.  `a` is the kind of the extremum nearest the
 * end.  If the end sample does not lie beyond the nearest extremum of the other kind (inside), the
 * signal is reflected about the nearest extremum of kind a.  If that reflection does not reach the
 * end, it is reflected about the end sample instead.  If the end sample does lie beyond, the signal
 * is reflected about it, and it is itself a knot of the other kind.
 * n: number of extrema of each kind; u: the three nearest of each.
 */
WSI_FN wsi_mirror
boundary_mirror_of(const int n[2], const int32_t u[2][3], int a, bool inside)
{
	const bool max = a == WSI_MAX;
	const int na = max ? n[WSI_MAX] : n[WSI_MIN], no = max ? n[WSI_MIN] : n[WSI_MAX];
	const int32_t about = max ? u[WSI_MAX][0] : u[WSI_MIN][0];
	/* The reflected extrema must reach the end. */
	const int32_t a1 = max ? u[WSI_MAX][1] : u[WSI_MIN][1];
	const int32_t a2 = max ? u[WSI_MAX][2] : u[WSI_MIN][2];
	const int32_t o0 = max ? u[WSI_MIN][0] : u[WSI_MAX][0];
	const int32_t o1 = max ? u[WSI_MIN][1] : u[WSI_MAX][1];
	const bool reaches = inside && na > 1 && no > 0 && 2 * about <= (na > 2 ? a2 : a1) &&
	                     2 * about <= (no > 1 ? o1 : o0);
	const int first_a = reaches ? 1 : 0, first_o = inside ? 0 : -1;
	const int n_a = na - first_a < 2 ? na - first_a : 2;
	const int n_o = no - first_o < 2 ? no - first_o : 2;
	const wsi_mirror m = { reaches ? about : 0,
		               { max ? first_a : first_o, max ? first_o : first_a },
		               { max ? n_a : n_o, max ? n_o : n_a } };
	return m;
}

/* The kind of the extremum nearest an end. */
WSI_FN int
boundary_nearest(int32_t max, int32_t min)
{
	return max < min ? WSI_MAX : WSI_MIN;
}

/*
 * False if the end sample lies beyond `other`, the nearest extremum of the kind that is not a, by
 * more than tie.  The tie keeps rounding out of the decision: reflecting about an extremum makes
 * the samples on either side of it equal but for rounding, and the next sift compares them.
 */
WSI_FN bool
boundary_inside(int a, double end, double other, double tie)
{
	return (a == WSI_MAX ? end - other : other - end) > -tie;
}

/* The tie for signals whose steps of at most `flat` count as level; 0 for references, which
 * compare exactly. */
WSI_FN double
boundary_tie(double flat)
{
	return 16.0 * flat;
}

WSI_FN void
boundary_mirror(const wsi_near near[2], int a, double end, double tie, wsi_beyond out[2])
{
	const int n[2] = { near[0].n, near[1].n };
	const int32_t u[2][3] = { { near[0].u[0], near[0].u[1], near[0].u[2] },
		                  { near[1].u[0], near[1].u[1], near[1].u[2] } };
	const bool inside = boundary_inside(a, end, near[1 - a].v[0], tie);
	const wsi_mirror m = boundary_mirror_of(n, u, a, inside);
	for (int kind = 0; kind < 2; ++kind) {
		out[kind].n = 0;
		for (int i = m.first[kind]; i < m.first[kind] + m.n[kind]; ++i)
			if (i == WSI_END_SAMPLE)
				boundary_add(&out[kind], 0, end, i);
			else
				boundary_add(&out[kind], 2 * m.about - near[kind].u[i],
				             near[kind].v[i], i);
	}
}

/* Extrema of a kind that the rules which extrapolate want before they draw a line. */
WSI_FN int
boundary_least(ws_boundary rule)
{
	return rule == WS_BOUNDARY_SLOPE ? 4 : 2;
}

/*
 * How far an end lies ahead of the nearest extremum, in units of the way from the next one to it:
 * the line through both, a and b, is a + ahead (a - b) there.  Ticks.
 */
WSI_FN double
boundary_ahead(int32_t end, int32_t nearest, int32_t next)
{
	return (double)(nearest - end) / (double)(next - nearest);
}

/*
 * The knots of one kind by the rules that extrapolate instead of reflecting.  The end sample is a
 * knot of both envelopes; where there are enough extrema of the kind, the line through the two
 * nearest replaces its value if that is more extreme.
 */
WSI_FN void
boundary_extrapolated(ws_boundary rule, const wsi_near *near, int kind, double end, wsi_beyond *out)
{
	double v = end;
	if (near->n >= boundary_least(rule)) {
		double slope = (near->v[1] - near->v[0]) / (double)(near->u[1] - near->u[0]);
		double line = near->v[0] - slope * (double)near->u[0];
		if (kind == WSI_MAX ? line > v : line < v)
			v = line;
	}
	out->n = 0;
	boundary_add(out, 0, v, WSI_END_SAMPLE);
}

/* The knots of both kinds beyond one end, but for a periodic signal. */
WSI_FN void
boundary_knots(ws_boundary rule, const wsi_near near[2], double end, double tie, wsi_beyond out[2])
{
	if (rule == WS_BOUNDARY_MIRROR)
		boundary_mirror(near, boundary_nearest(near[WSI_MAX].u[0], near[WSI_MIN].u[0]), end,
		                tie, out);
	else
		for (int kind = 0; kind < 2; ++kind)
			boundary_extrapolated(rule, &near[kind], kind, end, &out[kind]);
}

/*
 * Knot i >= 0 beyond an end, where the n samples are one period of the signal:
 * the extrema at the other end come again, moved by a period (2 n ticks), and
 * again and again.  far_u[n_far]: those extrema, counted inwards from that end.
 * False where ticks run out.
 */
WSI_FN bool
boundary_periodic(const int32_t *far_u, int n_far, int64_t n, int i, int32_t *u)
{
	const int64_t periods = i / n_far;
	/* The other end sample lies one sample beyond this one. */
	const int64_t away = -(int64_t)WSI_TICKS - far_u[i % n_far] - periods * WSI_TICKS * n;
	*u = (int32_t)away;
	return away >= -(int64_t)WSI_SAMPLES_BOUND;
}

#endif
