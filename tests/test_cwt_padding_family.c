/*
 * test_cwt_padding_family.c - superlets, trials and coherence of signals that are shorter than
 * their wavelets, between zeros and mirror images, by their definitions on the sums of cwt_sums.h.
 *
 * Coefficients may be wrong by 1e-12 (f32: 1e-6) of their row's largest; what is made of them by as
 * much as follows from that.
 */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cwt_sums.h"
#include "cwt_test.h"

enum { MOST = 40, COUNT = 4, CHANNELS = 2, EPOCHS = 3, MOST_WAVELETS = 8 };

/* Cycles a sample: the wavelets of the last two are far longer than the signal. */
static const double frequencies[COUNT] = { 0.43, 0.11, 0.013, 0.0006 };

typedef struct problem {
	size_t n, every;
	ws_padding padding;
	ws_type type;
	ws_wavelet kind;
	double tolerance;
} problem;

/* All lengths, paddings and types of a number of cases; false past the last. */
static bool
problem_at(int i, problem *p)
{
	static const size_t lengths[] = { 1, 2, 23, MOST };
	static const ws_wavelet kinds[] = { WS_WAVELET_MORLET, WS_WAVELET_MORLET_ZERO_MEAN,
		WS_WAVELET_MORLET_FULL };
	*p = (problem){ .n = lengths[i / 4 % 4], .every = i / 4 == 2 ? 3 : 1,
		.padding = i / 2 % 2 ? WS_PADDING_ZERO : WS_PADDING_REFLECT,
		.type = i % 2 ? WS_F32 : WS_F64, .kind = kinds[i / 4 % 3],
		.tolerance = i % 2 ? 1e-6 : 1e-12 };
	return i < 16;
}

static size_t
outputs_of(const problem *p)
{
	return (p->n + p->every - 1) / p->every;
}

/* Numbers of both types; *common: what epochs share. */
static void
fill(double *x, size_t rows, size_t n, double common)
{
	rng random = { 5 }, again = { 6 };
	double shared[MOST];
	for (size_t t = 0; t < n; ++t)
		shared[t] = common * rng_normal(&again);
	for (size_t i = 0; i < rows * n; ++i)
		x[i] = (float)(rng_normal(&random) + shared[i % n]);
}

static double
largest(const double complex *w, size_t count)
{
	double most = 0.0;
	for (size_t i = 0; i < count; ++i)
		most = fmax(most, cabs(w[i]));
	return most;
}

/* Coefficients of a row of samples by the wavelet of so many cycles; gives how wrong they may be.
 * Where a signal of few samples has nothing to hear rounding is by that of its samples, about 1. */
static double
add_up(const problem *p, double cycles, double f, const double *x, double complex *w)
{
	const known v = known_wavelet(p->kind, cycles, 0.0);
	(p->padding == WS_PADDING_ZERO ? between_zeros : between_mirrors)
		(&v, f, x, p->n, p->every, w);
	return p->tolerance * fmax(largest(w, outputs_of(p)), f);
}

static void
execute(const problem *p, const char *name, const double *x, size_t epochs, ws_cwt_opts o,
        int arrays, void *const *out)
{
	o.wavelet = p->kind;
	o.padding = p->padding;
	o.decimate = p->every;
	o.frequencies = frequencies;
	o.frequency_count = COUNT;
	const cwt_task task = { .name = name, .x = x, .type = p->type, .channels = CHANNELS,
		.epochs = epochs, .samples = p->n, .fs = 1.0, .o = o, .threads = 2 };
	assert_int_equal(cwt_execute(&task, arrays, out), WS_OK);
}

static void
within(const problem *p, const char *what, double got, double want, double error)
{
	if (!(fabs(got - want) <= error))
		fail_msg("%s, %zu samples by %zu, padding %d, type %d, wavelet %d: %.17g for %.17g,"
		         " off by %g of %g", what, p->n, p->every, p->padding, p->type, p->kind, got,
		         want, fabs(got - want), error);
}

/* ---- Superlets ----------------------------------------------------------------------------- */

/* Least and most that the mean of |w[k]|, each as wrong as it may be, can be. */
static void
mean_between(const double complex *const *w, const double *error, size_t count, double order,
             size_t t, double bounds[2])
{
	bounds[0] = bounds[1] = 1.0;
	for (size_t k = 0; k < count; ++k) {
		const double share = fmin(order - (double)k, 1.0) / order;
		bounds[0] *= pow(fmax(cabs(w[k][t]) - error[k], 0.0), share);
		bounds[1] *= pow(cabs(w[k][t]) + error[k], share);
	}
}

static void
check_superlet(const problem *p, const ws_cwt_opts *o, size_t f, const double *x, const void *got,
               size_t row)
{
	const double cycles = o->cycles[0], low = frequencies[COUNT - 1], high = frequencies[0];
	const double order = o->order[0] + (frequencies[f] - low) / (high - low) *
		(o->order[1] - o->order[0]);
	const size_t count = (size_t)ceil(order - 1e-9), outputs = outputs_of(p);
	double complex w[MOST_WAVELETS][MOST], *const rows[MOST_WAVELETS] = { w[0], w[1], w[2],
		w[3], w[4], w[5], w[6], w[7] };
	double error[MOST_WAVELETS], bounds[2], peak = 0.0;
	assert_true(count <= MOST_WAVELETS);
	for (size_t k = 0; k < count; ++k)
		error[k] = add_up(p, o->set == WS_SUPERLET_ADDITIVE ? cycles + (double)k
		                  : cycles * (double)(k + 1), frequencies[f], x, w[k]);
	for (size_t t = 0; t < outputs; ++t) {
		mean_between((const double complex *const *)rows, error, count, order, t, bounds);
		peak = fmax(peak, bounds[1]);
	}
	for (size_t t = 0; t < outputs; ++t) {
		mean_between((const double complex *const *)rows, error, count, order, t, bounds);
		const double value = get(p->type, got, row * outputs + t);
		within(p, "superlets", value, 0.5 * (bounds[0] + bounds[1]),
		       0.5 * (bounds[1] - bounds[0]) + p->tolerance * peak);
	}
}

static void
superlets(void **state)
{
	(void)state;
	static const double cycles[] = { 3.0, 4.5 };
	double x[CHANNELS * MOST], out[CHANNELS * COUNT * MOST];
	problem p;
	for (int i = 0; problem_at(i, &p); ++i) {
		if (thinned_out(i))
			continue;
		const ws_cwt_opts o = { .quantity = WS_QUANTITY_MAGNITUDE,
			.cycles = &cycles[i / 4 % 2],
			.cycle_count = 1, .order = { 2.0, i % 3 ? 4.5 : 3.0 },
			.set = i % 3 ? WS_SUPERLET_ADDITIVE : WS_SUPERLET_MULTIPLICATIVE };
		void *const to[] = { NULL, out };
		fill(x, CHANNELS, p.n, 0.0);
		execute(&p, "superlets", x, 0, o, 2, to);
		for (size_t row = 0; row < CHANNELS * COUNT; ++row)
			check_superlet(&p, &o, row % COUNT, x + row / COUNT * p.n, out, row);
	}
}

/* ---- Over epochs --------------------------------------------------------------------------- */

/* Coefficients of the epochs of a channel at a frequency, and how wrong they may be. */
typedef struct epochs {
	double complex w[EPOCHS][MOST];
	double error[EPOCHS];
} epochs;

/* x: [epoch][time] */
static epochs
epochs_of(const problem *p, const double *x, double f)
{
	epochs e;
	for (size_t k = 0; k < EPOCHS; ++k)
		e.error[k] = add_up(p, 6.0, f, x + k * p->n, e.w[k]);
	return e;
}

/* w by its size; of 0 none. */
static double complex
direction(double complex w)
{
	return cabs(w) > 0.0 ? w / cabs(w) : 0.0;
}

/* How wrong that can be. */
static double
turn(double size, double error)
{
	return size > 0.0 ? fmin(2.0, 2.0 * error / size) : 2.0;
}

/* Total, evoked, induced power, inter-trial coherence at an output, and how wrong they may be. */
static void
average(const problem *p, const epochs *e, size_t t, double value[4], double error[4])
{
	double complex mean = 0.0, unit = 0.0;
	double wrong = 0.0, size = 0.0;
	memset(value, 0, 4 * sizeof *value);
	error[3] = p->tolerance;
	for (size_t k = 0; k < EPOCHS; ++k) {
		const double complex w = e->w[k][t];
		mean += w / EPOCHS;
		unit += direction(w) / EPOCHS;
		value[0] += cabs(w) * cabs(w) / EPOCHS;
		wrong = fmax(wrong, e->error[k]);
		size = fmax(size, cabs(w) + 10.0 * e->error[k] + e->error[k] / p->tolerance);
		error[3] += turn(cabs(w), e->error[k]) / EPOCHS;
	}
	for (size_t k = 0; k < EPOCHS; ++k)
		value[2] += pow(cabs(e->w[k][t] - mean), 2.0) / EPOCHS;
	value[1] = cabs(mean) * cabs(mean);
	value[3] = cabs(unit);
	error[0] = error[1] = error[2] = 4.0 * wrong * size;
}

static void
trials(void **state)
{
	(void)state;
	static const char *const names[] = { "total", "evoked", "induced", "itc" };
	double x[CHANNELS * EPOCHS * MOST], out[4][CHANNELS * COUNT * MOST];
	problem p;
	for (int i = 0; problem_at(i, &p); ++i) {
		if (thinned_out(i))
			continue;
		void *const to[] = { out[0], out[1], out[2], out[3] };
		const size_t outputs = outputs_of(&p);
		fill(x, CHANNELS * EPOCHS, p.n, 1.0);
		execute(&p, "trials", x, EPOCHS, (ws_cwt_opts){ .param = { 6.0 } }, 4, to);
		for (size_t row = 0; row < CHANNELS * COUNT; ++row) {
			const epochs e = epochs_of(&p, x + row / COUNT * EPOCHS * p.n,
			                           frequencies[row % COUNT]);
			for (size_t t = 0; t < outputs; ++t) {
				double value[4], error[4];
				average(&p, &e, t, value, error);
				for (int k = 0; k < 4; ++k)
					within(&p, names[k], get(p.type, out[k], row * outputs + t),
					       value[k], error[k]);
			}
		}
	}
}

/* ---- Coherence ----------------------------------------------------------------------------- */

/* All arrays of a channel, a, with another, b, at a frequency.  out: coherence, locking, cross. */
static void
check_coherence(const problem *p, const epochs *a, const epochs *b, void *const *out, size_t row)
{
	const size_t outputs = outputs_of(p);
	for (size_t t = 0; t < outputs; ++t) {
		double complex cross = 0.0, unit = 0.0;
		double pa = 0.0, pb = 0.0, wrong_a = 0.0, wrong_b = 0.0, locking = p->tolerance;
		double most_a = 0.0, most_b = 0.0;
		for (size_t k = 0; k < EPOCHS; ++k) {
			const double complex v = a->w[k][t], w = b->w[k][t];
			cross += v * conj(w) / EPOCHS;
			unit += direction(v) * conj(direction(w)) / EPOCHS;
			pa += cabs(v) * cabs(v) / EPOCHS;
			pb += cabs(w) * cabs(w) / EPOCHS;
			wrong_a = fmax(wrong_a, a->error[k]);
			wrong_b = fmax(wrong_b, b->error[k]);
			most_a = fmax(most_a, a->error[k] / p->tolerance);
			most_b = fmax(most_b, b->error[k] / p->tolerance);
			locking += (turn(cabs(v), a->error[k]) + turn(cabs(w), b->error[k])) /
				EPOCHS;
		}
		const size_t at = row * outputs + t;
		const double complex got = get(p->type, out[2], 2 * at) +
			I * get(p->type, out[2], 2 * at + 1);
		if (pa > wrong_a * wrong_a && pb > wrong_b * wrong_b)
			within(p, "coherence", get(p->type, out[0], at),
			       cabs(cross) * cabs(cross) / pa / pb,
			       8.0 * (p->tolerance + wrong_a / sqrt(pa) + wrong_b / sqrt(pb)));
		within(p, "locking", get(p->type, out[1], at), cabs(unit), locking);
		within(p, "cross", cabs(got - cross), 0.0,
		       2.0 * (wrong_a * most_b + wrong_b * most_a));
	}
}

static void
coherence(void **state)
{
	(void)state;
	double x[CHANNELS * EPOCHS * MOST], out[3][2 * CHANNELS * COUNT * MOST];
	problem p;
	for (int i = 0; problem_at(i, &p); ++i) {
		if (thinned_out(i))
			continue;
		void *const to[] = { out[0], out[1], out[2] };
		fill(x, CHANNELS * EPOCHS, p.n, 1.0);
		execute(&p, "coherence", x, EPOCHS, (ws_cwt_opts){ .param = { 6.0 } }, 3, to);
		for (size_t f = 0; f < COUNT; ++f) {
			epochs e[CHANNELS];
			for (size_t c = 0; c < CHANNELS; ++c)
				e[c] = epochs_of(&p, x + c * EPOCHS * p.n, frequencies[f]);
			for (size_t c = 0; c < CHANNELS; ++c)
				check_coherence(&p, &e[c], &e[0], to, c * COUNT + f);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(superlets),
		cmocka_unit_test(trials),
		cmocka_unit_test(coherence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
