/*
 * test_memd_invariance.c - what results of multivariate EMD must not depend on: the direction
 * of time, an offset, the last digit.  Over every boundary, spline and stop rule, on signals
 * with plateaus of all kinds.  test_memd.c asks for the unit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "invariance.h"

enum { CHANNELS = 3, N = 600 };

/* ---- Signals ------------------------------------------------------------------------- */

static const char *const names[] = {
	"white noise", "noise of 12 bits", "noise of 6 bits", "clipped noise", "constant stretches",
	"an EEG", "each sample held for a while", "slow waves of 8 bits", "one channel of 4 bits",
};
enum { SIGNALS = sizeof names / sizeof *names };

static int
channels_of(int signal)
{
	return signal == 8 ? 1 : signal == 2 || signal == 7 ? 2 : CHANNELS;
}

/* Each sample stays for `least` to `most` samples, now and then for many, in all channels. */
static void
hold(rng *r, double *x, int channels, int least, int most, int many)
{
	for (int i = 0, to; i < N; i = to) {
		to = i + rng_int(r, least, most);
		if (many && rng_int(r, 0, 20) == 0)
			to += rng_int(r, 2, many);
		for (int k = i; k < to && k < N; ++k)
			for (int c = 0; c < channels; ++c)
				x[c * N + k] = x[c * N + i];
	}
}

/* channels_of(signal) rows of N. */
static void
make_signal(int signal, double *x)
{
	static const double levels[SIGNALS] = { 0, 400, 8, 0, 0, 0, 0, 30, 3 };
	const int channels = channels_of(signal);
	rng r = { 600 + (uint64_t)signal };
	for (int c = 0; c < channels; ++c)
		signal_make(signal == 7 ? SIGNAL_WALK : SIGNAL_WHITE, &r, N, x + c * N);
	if (levels[signal] > 0.0)
		quantise(x, (size_t)(channels * N), levels[signal]);
	for (int i = 0; signal == 3 && i < channels * N; ++i)
		x[i] = fmax(-0.4, fmin(0.5, x[i]));
	if (signal == 4)
		hold(&r, x, channels, 1, 1, 40);
	if (signal == 6)
		hold(&r, x, channels, 1, 4, 0);
	if (signal == 5) {
		golden g = golden_read("memd_eeg4_x");
		for (int c = 0; c < channels; ++c)
			memcpy(x + c * N, g.v + (size_t)c * g.n, N * sizeof *x);
		free(g.v);
	}
}

/* ---- Comparisons ------------------------------------------------------------------------ */

/* How a signal is decomposed, and which. */
typedef struct setup {
	ws_emd_opts o;
	ws_type type;
	int signal;
} setup;

static void
run_subject(const subject *of, const double *x, bool backwards, result *r)
{
	const setup *s = of->setup;
	(void)backwards;
	void *t = need(of->channels * N * type_size(s->type));
	to_type(s->type, x, of->channels * N, t);
	job j = { .shape = { .channels = of->channels, .samples = N, .type = s->type }, .o = s->o,
		  .x = t };
	must_decompose(&j, r);
	free(t);
}

static void
compare(comparison *p, const setup *s)
{
	double x[CHANNELS * N];
	make_signal(s->signal, x);
	subject of = { .x = x, .channels = (size_t)channels_of(s->signal), .n = N,
		.run = run_subject,
		       .setup = s, .seed = 700 };
	snprintf(of.text, sizeof of.text, "%s, %s, boundary %d, spline %d, stop rule %d",
	         names[s->signal], s->type == WS_F64 ? "f64" : "f32", s->o.boundary, s->o.spline,
	         s->o.stop_rule);
	compare_changed(p, &of);
}

/*
 * Every signal, boundary, spline and stop rule; without the slow tier every `step`-th.  f32 by
 * fixed sifts, and its first modes only: the steps of later, smooth ones are as small as what
 * rounding has left of them, and where a knot lies half a sample off because of that, so do
 * the values that all other channels have there.
 */
static void
compare_all(comparison *p, ws_type type, int step)
{
	static const ws_stop rules[] = { WS_STOP_FIXED, WS_STOP_RILLING, WS_STOP_FIX_H,
		WS_STOP_CAUCHY,
		WS_STOP_TOLERANCE, WS_STOP_ENERGY };
	for (int i = 0, n = SIGNALS * 8 * (type == WS_F64 ? 6 : 1); i < n; ++i) {
		if (thinned_out(i) || (!slow_tier() && i % step))
			continue;
		const setup s = { .o = { .method = WS_METHOD_MEMD,
			.boundary = (ws_boundary)(1 + i % 4),
				   .spline = (ws_spline)(1 + i / 4 % 2),
				   .stop_rule = rules[i / 8 / SIGNALS], .directions = 11,
				   .max_sifts = rules[i / 8 / SIGNALS] == WS_STOP_FIXED ? 0 : 60,
				   .modes = type == WS_F32 ? 3 : 0 },
				  .type = type, .signal = i / 8 % SIGNALS };
		compare(p, &s);
	}
	conclude(p, p->all / 20);
}

static void
test_backwards(void **state)
{
	(void)state;
	comparison p = { .what = "backwards, f64", .c = { true, 1.0, 0.0 }, .limit = 1e-9,
		.hair = 1e-12 };
	comparison q = { .what = "backwards, f32", .c = { true, 1.0, 0.0 }, .limit = 1e-4,
		.hair = 1e-7 };
	compare_all(&p, WS_F64, 5);
	compare_all(&q, WS_F32, 1);
}

static void
test_offset(void **state)
{
	(void)state;
	static const double offsets[] = { -33.3, 1000.0 };
	for (size_t i = 0; i < sizeof offsets / sizeof *offsets; ++i) {
		char what[32];
		snprintf(what, sizeof what, "offset %g std", offsets[i]);
		comparison p = { .what = what, .c = { false, 1.0, offsets[i] }, .limit = 1e-9,
				 .hair = 1e-12 };
		compare_all(&p, WS_F64, 7);
	}
}

static void
test_last_digits(void **state)
{
	(void)state;
	comparison p = { .what = "times 1 + 1e-12", .c = { false, 1.0 + 1e-12, 0.0 }, .limit = 1e-8,
			 .hair = 1e-12 };
	compare_all(&p, WS_F64, 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_offset),
		cmocka_unit_test(test_last_digits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
