/* knots.h - the knots that cpu.c and gpu.cu solve, and a hash of their slopes. */
#ifndef SOLVER_KNOTS_H
#define SOLVER_KNOTS_H

#include "solver_math.h"

#include <stdlib.h>
#include <string.h>

struct knots {
	long n;
	int32_t *t;
	real *v;
	int not_a_knot;
};

enum { UNIFORM, NOISE, HEAVY, ALTERNATE, GEO13, GEO15, GEO174, LOGUNI, SPACINGS };
static const char *const spacing_names[SPACINGS] = {"uniform", "noise", "heavy", "2/1000",
						    "x1.3",    "x1.5",  "x1.74", "loguni"};

static uint64_t knots_state;

static double
knots_random(void)
{
	uint64_t z = (knots_state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Times as integers; a list ends early where they would pass 2^31 - 1. */
static struct knots
knots_make(int kind, long n)
{
	struct knots l = {0, (int32_t *)malloc((size_t)n * sizeof *l.t),
			  (real *)malloc((size_t)n * sizeof *l.v), 0};
	const double ratio = kind == GEO13 ? 1.3 : kind == GEO15 ? 1.5 : 1.74;
	/* Up and down again, spacings 2 .. 1e6. */
	const int leg = (int)(log(5e5) / log(ratio));
	int64_t t = 0;
	knots_state = 1;
	for (long j = 0; j < n && t < INT32_MAX; j++) {
		double u = knots_random(), h = 3;
		if (kind == NOISE)
			h = 2 + (int)(u * 7);
		else if (kind == HEAVY)
			h = fmin(fmax(2, 2 * pow(1 - u, -1 / 0.7)), 1e8);
		else if (kind == ALTERNATE)
			h = j & 1 ? 1000 : 2;
		else if (kind == LOGUNI)
			h = exp(9 * u) + 1;
		else if (kind >= GEO13 && kind <= GEO174) {
			int phase = (int)(j % (2 * leg));
			h = 2 * pow(ratio, phase < leg ? phase : 2 * leg - phase);
		}
		l.t[j] = (int32_t)t;
		l.v[j] = (real)(knots_random() + knots_random() - 1);
		l.n = j + 1;
		t += (int64_t)h;
	}
	return l;
}

static void
knots_free(struct knots *l)
{
	free(l->t);
	free(l->v);
}

/* FNV-1a over the slopes' bytes, continued from h. */
static const uint64_t hash_start = 0xcbf29ce484222325u;

static uint64_t
hash(uint64_t h, const real *slope, long n)
{
	const unsigned char *p = (const unsigned char *)slope;
	for (size_t i = 0; i < (size_t)n * sizeof *slope; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h;
}

/* Factors for step s among the last knots of chunks of K, coupled by 2^-K. */
HD int
chunk_terms(int K, int s)
{
	int bits = 2 * K << s, terms = 0;
	while (bits < (PRECISION == 32 ? 26 : 54)) {
		bits *= 2;
		terms++;
	}
	return terms;
}

#endif
