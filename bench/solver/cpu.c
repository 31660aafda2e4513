/*
 * cpu.c - accuracy and one-core speed of the spline solvers of solver_math.h.
 *
 * Every solver works on blocks of 512 own knots with the halo that its support
 * asks for, builds its rows from knot times and values, and writes slopes.
 * Prints the error against an elimination in long double for nasty spacings, ns per
 * own knot, and a hash of the slopes that gpu.cu must print too.
 * Names: pcrS_mixed = S steps, the first with a division; pcrS_tailT = S steps and
 * T Neumann terms; chunkK = chunks of K knots; tileH = elimination with a halo of H.
 */
#include "knots.h"
#include "solver_math.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OWN = 512, PAD = 64, ROOM = OWN + 2 * PAD + 32, BUF = ROOM + 2 * PAD };

static _Alignas(64) real hh[BUF], dd[BUF], rr[BUF];
static _Alignas(64) real soa[2][3][BUF];

static real
spacing(const struct knots *l, long j)
{
	return (real)(l->t[j + 1] - l->t[j]);
}

static real
slope_of(const struct knots *l, long j)
{
	return chord(l->v[j], l->v[j + 1], spacing(l, j));
}

/* Row j of a list. */
static struct raw
raw_at(const struct knots *l, long j)
{
	const long n = l->n, ends = l->not_a_knot ? 1 : 0;
	if (j < ends || j >= n - ends)
		return raw_outside();
	if (j > ends && j < n - 1 - ends)
		return raw_row(spacing(l, j - 1), spacing(l, j), slope_of(l, j - 1),
			       slope_of(l, j));
	if (!ends)
		return j ? raw_natural_last(slope_of(l, n - 2)) : raw_natural_first(slope_of(l, 0));
	if (j == 1)
		return raw_not_a_knot(spacing(l, 0), spacing(l, 1), slope_of(l, 0), slope_of(l, 1));
	struct raw e = raw_not_a_knot(spacing(l, n - 2), spacing(l, n - 3), slope_of(l, n - 2),
				      slope_of(l, n - 3));
	e.a = e.c;
	e.c = 0;
	return e;
}

/* Slopes of the knots that not-a-knot ends took out. */
static void
finish(const struct knots *l, real *s)
{
	const long n = l->n;
	if (!l->not_a_knot)
		return;
	real h0 = spacing(l, 0), h1 = spacing(l, 1);
	s[0] = mad(-(h0 + h1) * recip(h1), s[1],
		   not_a_knot_r(h0, h1, slope_of(l, 0), slope_of(l, 1)));
	h0 = spacing(l, n - 2);
	h1 = spacing(l, n - 3);
	s[n - 1] = mad(-(h0 + h1) * recip(h1), s[n - 2],
		       not_a_knot_r(h0, h1, slope_of(l, n - 2), slope_of(l, n - 3)));
}

static inline __attribute__((always_inline)) void
step_pass(int from, int rows, int step, int terms)
{
	const int S = 1 << step;
	const real *restrict a = soa[from][0] + PAD, *restrict c = soa[from][1] + PAD,
			     *restrict d = soa[from][2] + PAD;
	real *restrict ao = soa[!from][0] + PAD, *restrict co = soa[!from][1] + PAD,
		       *restrict out = soa[!from][2] + PAD;
	for (int i = 0; i < rows; i++) {
		struct row q = pcr((struct row){a[i - S], c[i - S], d[i - S]},
				   (struct row){a[i], c[i], d[i]},
				   (struct row){a[i + S], c[i + S], d[i + S]}, terms);
		ao[i] = q.a;
		co[i] = q.c;
		out[i] = q.d;
	}
}

/* The last PCR step: d only. */
static inline __attribute__((always_inline)) void
last_pass(int from, int rows, int step, int terms, real *restrict out)
{
	const int S = 1 << step;
	const real *restrict a = soa[from][0] + PAD, *restrict c = soa[from][1] + PAD,
			     *restrict d = soa[from][2] + PAD;
	for (int i = 0; i < rows; i++)
		out[i] = pcr_last((struct row){a[i - S], c[i - S], d[i - S]},
				  (struct row){a[i], c[i], d[i]},
				  (struct row){a[i + S], c[i + S], d[i + S]}, terms);
}

static inline __attribute__((always_inline)) void
neumann_pass(int from, int rows, int step, const real *restrict x, real *restrict out)
{
	const int S = 1 << step;
	const real *restrict a = soa[from][0] + PAD, *restrict c = soa[from][1] + PAD,
			     *restrict d = soa[from][2] + PAD;
	for (int i = 0; i < rows; i++)
		out[i] = neumann((struct row){a[i], c[i], d[i]}, x[i - S], x[i + S]);
}

/*
 * Truncated PCR.  full: steps that update all of a row, the first at stride 1;
 * light: Neumann terms at stride 2^full.  fused: the first step takes rows not
 * normalised.  divide: 0 series, 1 division at stride 1, 2 division everywhere.
 * light == 0: the last of `full` steps computes d only.
 */
static inline __attribute__((always_inline)) void
pcr_block(const struct knots *l, long own, int full, int light, int fused, int divide, real *slope)
{
	const int whole = light ? full : full - 1;
	const int halo = light ? (1 << full) - 1 + (light << full) : (1 << full) - 1;
	long lo = own - halo < 0 ? 0 : own - halo;
	long hi = own + OWN + halo > l->n ? l->n : own + OWN + halo;
	long end = own + OWN > l->n ? l->n : own + OWN;
	const int rows = (int)(hi - lo);
	/* Inner rows whose neighbours are inner rows too; the others one by one. */
	const int f = fused ? 1 : 0;
	const int e0 = l->not_a_knot ? 2 : 1;
	int i0 = lo == 0 ? e0 + f : 0, i1 = hi == l->n ? rows - e0 - f : rows;
	const int32_t *restrict t = l->t + lo;
	const real *restrict v = l->v + lo;
	real *restrict h = hh + PAD, *restrict d = dd + PAD, *restrict r = rr + PAD;
	real *restrict a = soa[0][0] + PAD, *restrict c = soa[0][1] + PAD,
		       *restrict q = soa[0][2] + PAD;

	for (int i = i0 - 1 - f; i < i1 + f; i++) {
		h[i] = (real)(t[i + 1] - t[i]);
		d[i] = chord(v[i], v[i + 1], h[i]);
	}
	int at = 0, step = 0;
	if (fused) {
		for (int i = i0 - 1; i < i1 + 1; i++)
			r[i] = raw_row(h[i - 1], h[i], d[i - 1], d[i]).r;
		for (int i = i0; i < i1; i++) {
			struct raw el = raw_row(h[i - 2], h[i - 1], 0, 0),
				   em = raw_row(h[i - 1], h[i], 0, 0),
				   er = raw_row(h[i], h[i + 1], 0, 0);
			el.r = r[i - 1];
			em.r = r[i];
			er.r = r[i + 1];
			struct row e = pcr_first(el, em, er);
			a[i] = e.a;
			c[i] = e.c;
			q[i] = e.d;
		}
		step = 1;
	} else {
		for (int i = i0; i < i1; i++) {
			struct row e = normalise(raw_row(h[i - 1], h[i], d[i - 1], d[i]));
			a[i] = e.a;
			c[i] = e.c;
			q[i] = e.d;
		}
	}
	for (int i = 0; i < rows; i++) {
		if (i == i0)
			i = i1;
		if (i == rows)
			break;
		struct row e = fused ? pcr_first(raw_at(l, lo + i - 1), raw_at(l, lo + i),
						 raw_at(l, lo + i + 1))
				     : normalise(raw_at(l, lo + i));
		a[i] = e.a;
		c[i] = e.c;
		q[i] = e.d;
	}
	if (hi == l->n)
		for (int s = 0; s < 2; s++)
			for (int k = 0; k < 3; k++)
				memset(soa[s][k] + PAD + rows, 0, PAD * sizeof(real));

#define TERMS(s) (divide == 2 ? DIVIDE_ANY : divide == 1 && (s) == 0 ? DIVIDE_FIRST : terms_of(s))
	if (step < 1 && whole > 0) {
		step_pass(at, rows, 0, TERMS(0));
		at = !at;
		step = 1;
	}
	if (step < 2 && whole > 1) {
		step_pass(at, rows, 1, TERMS(1));
		at = !at;
		step = 2;
	}
	if (step < 3 && whole > 2) {
		step_pass(at, rows, 2, TERMS(2));
		at = !at;
		step = 3;
	}
	if (step < 4 && whole > 3) {
		step_pass(at, rows, 3, TERMS(3));
		at = !at;
		step = 4;
	}
	if (step < 5 && whole > 4) {
		step_pass(at, rows, 4, TERMS(4));
		at = !at;
		step = 5;
	}
	if (!light) {
		last_pass(at, rows, whole, TERMS(whole), rr + PAD);
		memcpy(slope + own, rr + PAD + (own - lo), (size_t)(end - own) * sizeof(real));
		return;
	}
	/* x = d is the first term; rr and dd are free by now. */
	real *from = soa[at][2], *to = rr;
	if (lo == 0) {
		memset(rr, 0, PAD * sizeof(real));
		memset(dd, 0, PAD * sizeof(real));
	}
	memset(rr + PAD + rows, 0, PAD * sizeof(real));
	memset(dd + PAD + rows, 0, PAD * sizeof(real));
	for (int k = 0; k < light; k++) {
		neumann_pass(at, rows, full, from + PAD, to + PAD);
		from = to;
		to = to == rr ? dd : rr;
	}
	memcpy(slope + own, from + PAD + (own - lo), (size_t)(end - own) * sizeof(real));
}

/* Chunks of K knots counted from the list's first; steps of PCR on chunk ends. */
static inline __attribute__((always_inline)) void
chunk_block(const struct knots *l, long own, int K, int steps, real *slope)
{
	enum { NC = 256, P = 32 };
	static _Alignas(64) int32_t T[17][NC];
	static _Alignas(64) real V[17][NC], h[17][NC], d[17][NC], a[16][NC], c[16][NC], q[16][NC];
	static _Alignas(64) real E[2][3][NC + 2 * P], F[3][NC + 1];
	const int halo = 1 << steps;
	long first = own / K - halo;
	int nc = OWN / K + 2 * halo;
	/* Columns 1..nc are chunks; 0 and nc + 1 give neighbours' times and values. */
	const bool clear = first > 1 && (first + nc + 2) * K <= l->n;
	for (int i = 0; i < nc + 2; i++)
		for (int k = 0; k < K; k++) {
			long j = (first + i - 1) * K + k;
			if (!clear)
				j = j < 0 ? 0 : j >= l->n ? l->n - 1 : j;
			T[k][i] = l->t[j];
			V[k][i] = l->v[j];
		}
	for (int k = 0; k < K; k++)
		for (int i = 0; i < nc + 1; i++) {
			int32_t tn = k + 1 < K ? T[k + 1][i] : T[0][i + 1];
			real vn = k + 1 < K ? V[k + 1][i] : V[0][i + 1];
			h[k][i] = (real)(tn - T[k][i]);
			d[k][i] = chord(V[k][i], vn, h[k][i]);
		}
	for (int k = 0; k < K; k++) {
		const real *hl = k ? h[k - 1] : h[K - 1] - 1, *dl = k ? d[k - 1] : d[K - 1] - 1;
		for (int i = 1; i <= nc; i++) {
			struct row e = normalise(raw_row(hl[i], h[k][i], dl[i], d[k][i]));
			a[k][i] = e.a;
			c[k][i] = e.c;
			q[k][i] = e.d;
		}
	}
	for (int i = 1; i <= nc && !clear; i++) {
		long j0 = (first + i - 1) * K;
		if (j0 > 1 && j0 + K < l->n - 1)
			continue;
		for (int k = 0; k < K; k++)
			if (j0 + k <= l->not_a_knot || j0 + k >= l->n - 1 - l->not_a_knot) {
				struct row e = normalise(raw_at(l, j0 + k));
				a[k][i] = e.a;
				c[k][i] = e.c;
				q[k][i] = e.d;
			}
	}
	for (int k = 1; k < K; k++)
		for (int i = 1; i <= nc; i++) {
			struct row e =
				chunk_forward((struct row){a[k - 1][i], c[k - 1][i], q[k - 1][i]},
					      (struct row){a[k][i], c[k][i], q[k][i]});
			a[k][i] = e.a;
			c[k][i] = e.c;
			q[k][i] = e.d;
		}
	for (int i = 1; i <= nc; i++) {
		struct row e = {0, 1, 0};
		for (int k = K - 2; k >= 0; k--)
			e = chunk_backward((struct row){a[k][i], c[k][i], q[k][i]}, e);
		F[0][i - 1] = e.a;
		F[1][i - 1] = e.c;
		F[2][i - 1] = e.d;
	}
	F[0][nc] = F[1][nc] = F[2][nc] = 0;
	for (int s = 0; s < 2; s++)
		for (int k = 0; k < 3; k++) {
			memset(E[s][k], 0, P * sizeof(real));
			memset(E[s][k] + P + nc, 0, P * sizeof(real));
		}
	for (int i = 0; i < nc; i++) {
		struct row e =
			chunk_join((struct row){a[K - 1][i + 1], c[K - 1][i + 1], q[K - 1][i + 1]},
				   (struct row){F[0][i + 1], F[1][i + 1], F[2][i + 1]});
		E[0][0][P + i] = e.a;
		E[0][1][P + i] = e.c;
		E[0][2][P + i] = e.d;
	}
	int at = 0;
	for (int s = 0; s < steps; s++, at = !at) {
		int S = 1 << s, terms = chunk_terms(K, s);
		const real *restrict ea = E[at][0] + P, *restrict ec = E[at][1] + P,
				     *restrict ed = E[at][2] + P;
		real *restrict oa = E[!at][0] + P, *restrict oc = E[!at][1] + P,
			       *restrict od = E[!at][2] + P;
		for (int i = 0; i < nc; i++) {
			struct row e = pcr((struct row){ea[i - S], ec[i - S], ed[i - S]},
					   (struct row){ea[i], ec[i], ed[i]},
					   (struct row){ea[i + S], ec[i + S], ed[i + S]}, terms);
			oa[i] = e.a;
			oc[i] = e.c;
			od[i] = e.d;
		}
	}
	const real *x = E[at][2] + P - 1;
	for (int i = 1; i <= nc; i++)
		d[K - 1][i] = x[i];
	for (int k = K - 2; k >= 0; k--)
		for (int i = 1; i <= nc; i++)
			d[k][i] = neumann((struct row){a[k][i], c[k][i], q[k][i]}, x[i - 1],
					  d[k + 1][i]);
	const long stop = own + OWN < l->n ? own + OWN : l->n;
	for (int i = halo; i < halo + OWN / K; i++)
		for (int k = 0; k < K && (first + i) * K + k < stop; k++)
			slope[(first + i) * K + k] = d[k][i + 1];
}

/* Elimination knot after knot over a tile and its halo. */
static inline __attribute__((always_inline)) void
tile_block(const struct knots *l, long own, int halo, real *slope)
{
	long lo = own - halo < 0 ? 0 : own - halo;
	long hi = own + OWN + halo > l->n ? l->n : own + OWN + halo;
	long end = own + OWN > l->n ? l->n : own + OWN;
	static real c[BUF], d[BUF];
	struct row last = {0, 0, 0};
	real hl = 1, dl = 0;
	if (lo > 0) {
		hl = spacing(l, lo - 1);
		dl = slope_of(l, lo - 1);
	}
	for (long j = lo; j < hi; j++) {
		struct row e;
		if (j > l->not_a_knot && j < l->n - 1 - l->not_a_knot) {
			real h = spacing(l, j), g = chord(l->v[j], l->v[j + 1], h);
			e = normalise(raw_row(hl, h, dl, g));
			hl = h;
			dl = g;
		} else {
			e = normalise(raw_at(l, j));
			if (j < l->n - 1) {
				hl = spacing(l, j);
				dl = slope_of(l, j);
			}
		}
		last = chunk_forward(last, e);
		c[j - lo] = last.c;
		d[j - lo] = last.d;
	}
	real x = 0;
	for (long j = hi - 1; j >= own; j--) {
		x = mad(c[j - lo], x, d[j - lo]);
		if (j < end)
			slope[j] = x;
	}
}

#define SOLVER(name, call)                                             \
	static void name(const struct knots *l, long own, real *slope) \
	{                                                              \
		call;                                                  \
	}
#if PRECISION == 32
SOLVER(pcr4_mixed, pcr_block(l, own, 4, 0, 0, 1, slope))
SOLVER(pcr5_divide, pcr_block(l, own, 5, 0, 0, 2, slope))
SOLVER(pcr5_mixed, pcr_block(l, own, 5, 0, 0, 1, slope))
SOLVER(pcr5_series, pcr_block(l, own, 5, 0, 0, 0, slope))
SOLVER(pcr5_fused, pcr_block(l, own, 5, 0, 1, 0, slope))
SOLVER(pcr3_tail2, pcr_block(l, own, 3, 2, 0, 1, slope))
SOLVER(pcr3_tail3, pcr_block(l, own, 3, 3, 0, 1, slope))
SOLVER(chunk4, chunk_block(l, own, 4, 3, slope))
SOLVER(chunk8, chunk_block(l, own, 8, 2, slope))
SOLVER(chunk16, chunk_block(l, own, 16, 1, slope))
SOLVER(tile16, tile_block(l, own, 16, slope))
SOLVER(tile32, tile_block(l, own, 32, slope))
#define ALL                                                                                \
	S(pcr4_mixed), S(pcr5_divide), S(pcr5_mixed), S(pcr5_series), S(pcr5_fused),       \
		S(pcr3_tail2), S(pcr3_tail3), S(chunk4), S(chunk8), S(chunk16), S(tile16), \
		S(tile32)
#else
SOLVER(pcr5_mixed, pcr_block(l, own, 5, 0, 0, 1, slope))
SOLVER(pcr6_divide, pcr_block(l, own, 6, 0, 0, 2, slope))
SOLVER(pcr6_mixed, pcr_block(l, own, 6, 0, 0, 1, slope))
SOLVER(pcr6_series, pcr_block(l, own, 6, 0, 0, 0, slope))
SOLVER(pcr6_fused, pcr_block(l, own, 6, 0, 1, 0, slope))
SOLVER(pcr4_tail2, pcr_block(l, own, 4, 2, 0, 1, slope))
SOLVER(pcr3_tail6, pcr_block(l, own, 3, 6, 0, 1, slope))
SOLVER(chunk4, chunk_block(l, own, 4, 4, slope))
SOLVER(chunk8, chunk_block(l, own, 8, 3, slope))
SOLVER(chunk16, chunk_block(l, own, 16, 2, slope))
SOLVER(tile32, tile_block(l, own, 32, slope))
SOLVER(tile64, tile_block(l, own, 64, slope))
#define ALL                                                                                \
	S(pcr5_mixed), S(pcr6_divide), S(pcr6_mixed), S(pcr6_series), S(pcr6_fused),       \
		S(pcr4_tail2), S(pcr3_tail6), S(chunk4), S(chunk8), S(chunk16), S(tile32), \
		S(tile64)
#endif
#define S(name)             \
	{                   \
#name, name \
	}
static const struct {
	const char *name;
	void (*run)(const struct knots *, long, real *);
} solvers[] = {ALL};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

/* Slopes by elimination in long double. */
static void
exact(const struct knots *l, long double *s)
{
	const long n = l->n, ends = l->not_a_knot ? 1 : 0;
	long double *c = malloc((size_t)n * sizeof *c), *h = malloc((size_t)n * sizeof *h),
		    *d = malloc((size_t)n * sizeof *d);
	for (long j = 0; j + 1 < n; j++) {
		h[j] = l->t[j + 1] - l->t[j];
		d[j] = ((long double)l->v[j + 1] - l->v[j]) / h[j];
	}
#define R0(h0, h1, d0, d1) \
	(((3 * (h0) + 2 * (h1)) * (h1) * (d0) + (h0) * (h0) * (d1)) / (((h0) + (h1)) * (h1)))
	const long double first = R0(h[0], h[1], d[0], d[1]),
			  last = R0(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
	for (long j = ends; j < n - ends; j++) {
		long double a = 0, b = 2, e = 0, r;
		if (j == 0)
			e = 1, r = 3 * d[0];
		else if (j == n - 1)
			a = 1, r = 3 * d[n - 2];
		else {
			a = h[j], b = 2 * (h[j - 1] + h[j]), e = h[j - 1],
			r = 3 * (h[j] * d[j - 1] + h[j - 1] * d[j]);
			if (ends && j == 1)
				r -= a * first, b = h[0] + h[1], a = 0;
			if (ends && j == n - 2)
				r -= e * last, b = h[n - 2] + h[n - 3], e = 0;
		}
		long double k = 1 / (b - (j > ends ? a * c[j - 1] : 0));
		c[j] = e * k;
		s[j] = (r - (j > ends ? a * s[j - 1] : 0)) * k;
	}
	for (long j = n - 2 - ends; j >= ends; j--)
		s[j] -= c[j] * s[j + 1];
	if (ends) {
		s[0] = first - (1 + h[0] / h[1]) * s[1];
		s[n - 1] = last - (1 + h[n - 2] / h[n - 3]) * s[n - 2];
	}
	free(c);
	free(h);
	free(d);
}

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
solve(int k, const struct knots *l, real *slope)
{
	for (long own = 0; own < l->n; own += OWN)
		solvers[k].run(l, own, slope);
	finish(l, slope);
}

/* Largest error of the envelope over its largest value; a slope adds at most
 * 4/27 h times itself to an interval. */
static double
error(int k, const struct knots *l, uint64_t *h)
{
	long double *x = malloc((size_t)l->n * sizeof *x), worst = 0, top = 0;
	real *slope = malloc((size_t)l->n * sizeof *slope);
	exact(l, x);
	solve(k, l, slope);
	*h = hash(*h, slope, l->n);
	for (long j = 0; j < l->n; j++) {
		long double reach =
			4.0L / 27 *
			fmaxl(j + 1 < l->n ? spacing(l, j) : 0, j ? spacing(l, j - 1) : 0);
		long double e = reach * fabsl(x[j] - (long double)slope[j]);
		worst = e > worst || e != e ? e : worst;
		top = fmaxl(top, fmaxl(fabsl((long double)l->v[j]), reach * fabsl(x[j])));
	}
	free(x);
	free(slope);
	return (double)(worst / top);
}

/* The worst of many short lists: geometric spacings 1 to 5e7 of every ratio
 * from 1.05 to 8, or log-uniform ones between not-a-knot ends. */
static double
worst_of(int k, bool not_a_knot)
{
	double worst = 0;
	uint64_t ignored = 0;
	for (int i = 0; i < 140; i++) {
		struct knots l = knots_make(UNIFORM, 1024);
		knots_state = (uint64_t)i + 7;
		l.not_a_knot = not_a_knot;
		const double ratio = 1.05 + i * 0.05;
		const int leg = (int)(log(5e7) / log(ratio));
		l.n = not_a_knot ? 40 : 2 * leg + 2 < 1024 ? 2 * leg + 2 : 1024;
		int64_t t = 0;
		for (long j = 0; j < l.n; j++) {
			l.t[j] = (int32_t)t;
			t += not_a_knot ? (int64_t)exp(7 * knots_random())
					: (int64_t)pow(ratio,
						       j < leg ? (double)j : 2.0 * leg - (double)j);
			t += t == l.t[j];
			if (t > INT32_MAX)
				l.n = j + 1;
		}
		double e = error(k, &l, &ignored);
		worst = e > worst ? e : worst;
		knots_free(&l);
	}
	return worst;
}

int
main(void)
{
	uint64_t hashes[SOLVERS];
	printf("# f%d\n# largest envelope error / largest envelope\n%-12s", PRECISION, "");
	for (int s = 0; s < SPACINGS; s++)
		printf(" %8s", spacing_names[s]);
	printf(" %8s %8s\n", "geom.", "n-a-k");
	for (int k = 0; k < SOLVERS; k++) {
		printf("%-12s", solvers[k].name);
		hashes[k] = hash_start;
		for (int s = 0; s < SPACINGS; s++) {
			struct knots l = knots_make(s, 4000);
			printf(" %8.1e", error(k, &l, &hashes[k]));
			knots_free(&l);
		}
		printf(" %8.1e %8.1e\n", worst_of(k, false), worst_of(k, true));
	}
	struct knots l = knots_make(NOISE, 1 << 16);
	real *slope = malloc((size_t)l.n * sizeof *slope);
	printf("# noise maxima, %ld knots: ns per knot (best of 15), hash of slopes\n", l.n);
	for (int k = 0; k < SOLVERS; k++) {
		double best = 1;
		for (int r = 0; r < 15; r++) {
			double t = now();
			solve(k, &l, slope);
			t = now() - t;
			best = t < best ? t : best;
		}
		printf("%-12s %7.3f   %016llx\n", solvers[k].name, best * 1e9 / (double)l.n,
		       (unsigned long long)hash(hashes[k], slope, l.n));
	}
	free(slope);
	knots_free(&l);
	return 0;
}
