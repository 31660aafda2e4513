/* cwt_edge.c - tables, and the six transforms of a channel that cwt_edge.h tells of. */
#include "cpu/cwt/cwt_edge.h"

#include <string.h>

#include "ops/cwt_ops.h"

/* Of doubles, so that arrays behind it are aligned. */
static size_t
rounded(size_t n)
{
	return (n + 7) / 8 * 8;
}

/* Arrays of convolutions, of the line, and what is beyond; the rest is scratch of transforms. */
typedef struct parts {
	double *a_re, *a_im;               /* [chirps->n] */
	double *u, *h;                     /* [count]; u: bins too, [2 out + 1] */
	double *v_re, *v_im;               /* [line->n] */
	double *beyond;
	void *rest;
} parts;

static parts
take_parts(const wsi_cwt_edge *e, double *scratch)
{
	const size_t m = e->chirps->n, n = rounded(e->count + 2 * e->out + 1), t = e->line->n;
	parts p = { .a_re = scratch, .a_im = scratch + m, .u = scratch + 2 * m };
	p.h = p.u + n;
	p.v_re = p.h + n;
	p.v_im = p.v_re + t;
	p.beyond = p.v_im + t;
	p.rest = p.beyond + 4 * rounded(e->out + 1);
	return p;
}

size_t
wsi_cwt_edge_scratch(const wsi_cwt_edge *e)
{
	const size_t m = wsi_fft_scratch(e->chirps), t = wsi_fft_scratch(e->line);
	return 2 * e->chirps->n + 2 * rounded(e->count + 2 * e->out + 1) + 2 * e->line->n +
	       4 * rounded(e->out + 1) + rounded((m > t ? m : t) / sizeof(double) + 1);
}

/* a = x e^{i (phase + chirp)}: number j of a convolution's input.  phase: cosines, then sines. */
static void
put(const wsi_cwt_edge *e, const parts *p, size_t j, double x, double y, double c, double s)
{
	const double d = e->chirp[j], f = e->chirp[e->chirps->n / 2 + 1 + j];
	const double re = x * c - y * s, im = x * s + y * c;
	p->a_re[j] = re * d - im * f;
	p->a_im[j] = re * f + im * d;
}

/* a, of which so many are put, becomes its convolution with the conjugate chirps, conjugated, of
 * which so many are wanted. */
static void
convolve(const wsi_cwt_edge *e, const parts *p, size_t count, size_t wanted)
{
	const size_t n = e->chirps->n;
	const wsi_fft_convolution of = { .parts = p->a_re, .zero = count, .end = n,
		.times_re = e->response,
		.times_im = e->response + n, .share = 1.0 / (double)n, .wanted_count = wanted };
	e->ops->cwt->convolve(e->chirps, &of, p->rest);
}

/* Result j of a convolution, turned by its chirp. */
static void
get(const wsi_cwt_edge *e, const parts *p, size_t j, double *re, double *im)
{
	const double c = e->chirp[j], s = e->chirp[e->chirps->n / 2 + 1 + j];
	const double x = p->a_re[j], y = -p->a_im[j];
	*re = x * c - y * s;
	*im = x * s + y * c;
}

/* u and the circle's h, from bins. */
static void
make_points(const wsi_cwt_edge *e, const parts *p, const double *re, const double *im, bool at_half)
{
	const ptrdiff_t step = at_half ? -1 : 1;
	const size_t sines = e->in + 2 * e->out + 2;
	for (size_t d = 0; d <= e->in; ++d) { /* bins above half the rate are conjugates */
		const double x = e->b[d] * re[step * (ptrdiff_t)d];
		const double y = e->b[d] * (at_half ? -im[-(ptrdiff_t)d] : im[d]);
		put(e, p, d, x, y, e->begin[d], e->begin[sines + d]);
	}
	convolve(e, p, e->in + 1, e->count);
	const double share = 2.0 / (double)e->length;
	for (size_t k = 0; k < e->count; ++k) {
		get(e, p, k, &p->u[k], &p->h[k]);
		p->u[k] *= share;
		p->h[k] *= share;
	}
}

/* The line's h of u, v_re; gives the mean of u. */
static double
go_along_the_line(const wsi_cwt_edge *e, const parts *p)
{
	const size_t n = e->line->n, before = (size_t)-e->first, after = e->count - before;
	const double *zero = p->u + before, share = 1.0 / (double)n;
	memset(p->v_re, 0, n * sizeof *p->v_re);
	memset(p->v_im, 0, n * sizeof *p->v_im);
	if (e->mirrored) {
		memcpy(p->v_re, zero, (n / 2 + 1) * sizeof *zero);
		for (size_t i = 1; i < n / 2; ++i)
			p->v_re[n - i] = zero[i];
	} else {
		memcpy(p->v_re, zero, after * sizeof *zero);
		memcpy(p->v_re + n - before, p->u, before * sizeof *zero);
	}
	const wsi_fft_in in = { .re = p->v_re, .im = p->v_im };
	e->ops->cwt->inverse(e->line, &in, p->v_re, p->v_im, p->rest);
	const double mean = share * p->v_re[0];
	/* The conjugate of i times the side, on the way back. */
	for (size_t q = 0; q < n; ++q) {
		const double s = share * e->side[q], re = p->v_re[q];
		p->v_re[q] = -s * p->v_im[q];
		p->v_im[q] = -s * re;
	}
	e->ops->cwt->inverse(e->line, &in, p->v_re, p->v_im, p->rest);
	return mean;
}

/* Bins -out .. out, [d + out], of w (i e - mean) / 2, into u and h. */
static void
make_bins(const wsi_cwt_edge *e, const parts *p, double mean)
{
	const size_t n = e->line->n, bins = 2 * e->out + 1, sines = e->in + 1 + bins;
	const double share = 0.5 * (double)e->period / (double)n;
	for (size_t k = 0; k < e->count; ++k) {
		/* Of a long gap the points go around more than once. */
		const int64_t around = (e->first + (int64_t)k) % (int64_t)n;
		const size_t at = (size_t)(around < 0 ? around + (int64_t)n : around);
		const double w = share * e->w[k], rest = p->v_re[at] - p->h[k];
		/* Of the conjugate. */
		put(e, p, k, -w * mean, -w * rest, e->end[k], e->end[e->count + k]);
	}
	convolve(e, p, e->count, bins);
	for (size_t m = 0; m < bins; ++m) {
		const double c = e->begin[e->in + 1 + m], s = e->begin[sines + e->in + 1 + m];
		double x, y;
		get(e, p, m, &x, &y);
		p->u[m] = x * c - y * s;
		p->h[m] = -(x * s + y * c);
	}
}

/* One edge: bins from it on.  The side that stays is above that of 0, and below half the rate. */
static void
apply(const wsi_cwt_edge *e, const parts *p, double *re, double *im, bool at_half, double *far_re,
      double *far_im)
{
	make_points(e, p, re, im, at_half);
	const double mean = go_along_the_line(e, p);
	make_bins(e, p, e->mirrored && !at_half ? mean : 0.0);
	const ptrdiff_t out = (ptrdiff_t)e->out, step = at_half ? -1 : 1;
	const double sign = (double)step;
	re[0] *= 0.5;
	im[0] *= 0.5;
	for (ptrdiff_t d = 0; d <= out; ++d) {
		const ptrdiff_t near = out + step * d, beyond = out - step * d;
		re[step * d] += sign * p->u[near];
		im[step * d] += sign * p->h[near];
		far_re[d] = sign * p->u[beyond];
		far_im[d] = sign * p->h[beyond];
	}
}

wsi_cwt_beyond
wsi_cwt_edge_apply(const wsi_cwt_edge *e, double *re, double *im, double *scratch)
{
	const parts p = take_parts(e, scratch);
	const size_t row = rounded(e->out + 1), half = e->length / 2;
	const wsi_cwt_beyond beyond = { p.beyond, p.beyond + row, p.beyond + 2 * row,
		p.beyond + 3 * row };
	if (e->at_zero)
		apply(e, &p, re, im, false, beyond.zero_re, beyond.zero_im);
	if (e->at_half)
		apply(e, &p, re + half, im + half, true, beyond.half_re, beyond.half_im);
	return beyond;
}
