/*
 * boundary.h - the knots that a boundary rule adds beyond one end.
 *
 * Both ends are treated by the same code in ticks counted inwards from the
 * end sample: u = t at the left, u = 2 (n - 1) - t at the right.
 */
#ifndef WSI_MATH_BOUNDARY_H
#define WSI_MATH_BOUNDARY_H

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

/* Up to `most` knots near[from..] reflected about tick `about`. */
WSI_FN void
boundary_reflect(wsi_beyond *b, const wsi_near *near, int from, int most, int32_t about)
{
	int n = 0;
	for (int i = from; i < near->n && i < from + most; ++i, ++n) {
		b->u[n] = 2 * about - near->u[i];
		b->v[n] = near->v[i];
		b->from[n] = i;
	}
	b->n = n;
}

/*
 * Rilling & Flandrin's rule (emd.m, 2007), nbsym = 2.  `a` is the kind of the
 * extremum nearest the end, `o` the other kind; end is the end sample's value.
 * Either the signal is reflected about that extremum, or, if the end sample
 * lies beyond the nearest opposite extremum, about the end sample, which then
 * is itself a knot of the other kind.
 */
WSI_FN void
boundary_mirror(const wsi_near near[2], int a, double end, wsi_beyond out[2])
{
	enum { NBSYM = 2 };
	const int o = 1 - a;
	const bool inside = a == WSI_MAX ? end > near[o].v[0] : end < near[o].v[0];
	if (inside) {
		const int32_t about = near[a].u[0];
		boundary_reflect(&out[a], &near[a], 1, NBSYM, about);
		boundary_reflect(&out[o], &near[o], 0, NBSYM, about);
		bool reaches = out[a].n > 0 && out[o].n > 0 && out[a].u[out[a].n - 1] <= 0 &&
		               out[o].u[out[o].n - 1] <= 0;
		if (!reaches)
			for (int k = 0; k < 2; ++k)
				boundary_reflect(&out[k], &near[k], 0, NBSYM, 0);
	} else {
		boundary_reflect(&out[a], &near[a], 0, NBSYM, 0);
		out[o].n = 0;
		boundary_add(&out[o], 0, end, WSI_END_SAMPLE);
		for (int i = 0; i < near[o].n && i < NBSYM - 1; ++i)
			boundary_add(&out[o], -near[o].u[i], near[o].v[i], i);
	}
}

/*
 * The end sample is a knot of both envelopes; where at least `least` extrema
 * of the kind exist, the line through the two nearest replaces its value if
 * that is more extreme.
 */
WSI_FN void
boundary_extrapolate(const wsi_near *near, int kind, int least, double end, wsi_beyond *out)
{
	double v = end;
	if (near->n >= least && near->n >= 2) {
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
boundary_knots(ws_boundary rule, const wsi_near near[2], double end, wsi_beyond out[2])
{
	if (rule == WS_BOUNDARY_MIRROR)
		boundary_mirror(near, near[WSI_MAX].u[0] < near[WSI_MIN].u[0] ? WSI_MAX : WSI_MIN, end, out);
	else
		for (int kind = 0; kind < 2; ++kind)
			boundary_extrapolate(&near[kind], kind, rule == WS_BOUNDARY_SLOPE ? 4 : 2, end,
			                     &out[kind]);
}

/*
 * Knot i >= 0 beyond an end of a signal that is one period of n samples: the
 * extrema at the other end, n_far of them, far_u counting inwards from that
 * end, one period (2 n ticks) away, and again and again.  False where ticks
 * run out.
 */
WSI_FN bool
boundary_periodic(const int32_t *far_u, int n_far, int64_t n, int i, int32_t *u)
{
	/* The other end sample lies one sample beyond this one. */
	const int64_t away = -(int64_t)WSI_TICKS - far_u[i % n_far] - (int64_t)(i / n_far) * WSI_TICKS * n;
	*u = (int32_t)away;
	return away >= -((int64_t)1 << 29);
}

#endif
