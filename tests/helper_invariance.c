/* helper_invariance.c - see invariance.h. */
#include "invariance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

void
quantise(double *x, size_t n, double levels)
{
	for (size_t i = 0; i < n; ++i)
		x[i] = rint(x[i] * levels) / levels;
}

/* Mean over channels. */
static double
std_of_channels(const subject *s)
{
	double sum = 0.0;
	for (size_t c = 0; c < s->channels; ++c)
		sum += std_of(s->x + c * s->n, s->n);
	return sum / (double)s->channels;
}

/* Largest difference of the rows of b, read backwards where that is asked for, to those of a,
 * less an offset of the residues; HUGE_VAL where their numbers differ. */
static double
distance(const result *a, const result *b, bool backwards, double offset)
{
	const size_t n = a->samples;
	double worst = a->count[0] == b->count[0] ? 0.0 : HUGE_VAL;
	for (size_t c = 0; c < a->channels && worst < HUGE_VAL; ++c)
		for (int k = 0; k <= a->count[0]; ++k) {
			const bool last = k == a->count[0];
			const void *p = last ? residue_row(a, c) : mode_row(a, c, k);
			const void *q = last ? residue_row(b, c) : mode_row(b, c, k);
			for (size_t i = 0; i < n; ++i) {
				const double v = get(b->type, q, backwards ? n - 1 - i : i);
				worst = fmax(worst,
				             fabs(v - (last ? offset : 0.0) - get(a->type, p, i)));
			}
		}
	return worst;
}

/* Of the results of x and of y, std. */
static double
moved(const subject *s, const double *y, bool backwards, double offset)
{
	const double std = std_of_channels(s);
	result a, b;
	s->run(s, s->x, false, &a);
	s->run(s, y, backwards, &b);
	const double d = distance(&a, &b, backwards, offset * std) / std;
	result_free(&a);
	result_free(&b);
	return d;
}

static double
moved_by(const subject *s, const change *c)
{
	const size_t n = s->n;
	const double std = std_of_channels(s);
	double *y = need(s->channels * n * sizeof *y);
	for (size_t i = 0; i < s->channels * n; ++i) {
		const size_t from = c->backwards ? i / n * n + n - 1 - i % n : i;
		y[i] = c->factor * s->x[from] + c->offset * std;
	}
	const double d = moved(s, y, c->backwards, c->offset);
	free(y);
	return d;
}

/* Does the result of x, with its samples changed at random by `hair` std, move about as much as
 * it did? */
static bool
near_decision(const subject *s, double hair, double d)
{
	const double std = std_of_channels(s);
	double *y = need(s->channels * s->n * sizeof *y), largest = 0.0;
	rng r = { s->seed };
	for (int draw = 0; draw < 8 && largest < 0.1 * d; ++draw) {
		for (size_t i = 0; i < s->channels * s->n; ++i)
			y[i] = s->x[i] + hair * std * (2.0 * rng_uniform(&r) - 1.0);
		largest = fmax(largest, moved(s, y, false, 0.0));
	}
	free(y);
	return largest >= 0.1 * d;
}

void
compare_changed(comparison *p, const subject *s)
{
	const double d = moved_by(s, &p->c);
	++p->all;
	if (d <= p->limit) {
		p->worst = fmax(p->worst, d);
		return;
	}
	const bool hair = near_decision(s, p->hair, d);
	printf("  %s: %s by %.2g std: %s\n", hair ? "a near decision" : "MOVED", p->what, d,
	       s->text);
	*(hair ? &p->near : &p->failed) += 1;
}

void
conclude(const comparison *p, int most_near)
{
	printf("%s: %d results, worst %.2g std, %d near decisions, %d moved\n", p->what, p->all,
	       p->worst, p->near, p->failed);
	assert_int_equal(p->failed, 0);
	assert_true(p->near <= most_near);
}
