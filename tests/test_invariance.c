/*
 * test_invariance.c - what results must not depend on: the unit, an offset, the direction of
 * time, the last digit.  Over every method, boundary, spline and stop rule, on signals with
 * plateaus of all kinds.
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

enum { N = 1200 };

/* ---- Signals ------------------------------------------------------------------------- */

static const char *const names[] = {
	"white noise", "noise of 12 bits", "noise of 6 bits", "clipped noise", "constant stretches",
	"an EEG of 16 bits", "two tones of 8 bits", "slow waves of 12 bits",
};
enum { SIGNALS = sizeof names / sizeof *names };

static void
make_signal(int k, size_t n, double *x)
{
	rng r = { 300 + (uint64_t)k };
	static const signal_kind kinds[SIGNALS] = {
		SIGNAL_WHITE, SIGNAL_WHITE, SIGNAL_WHITE, SIGNAL_WHITE, SIGNAL_STRETCHES,
			SIGNAL_WHITE,
		SIGNAL_TONES, SIGNAL_WALK,
	};
	signal_make(kinds[k], &r, n, x);
	if (k == 1 || k == 7)
		quantise(x, n, 400.0);
	if (k == 2)
		quantise(x, n, 8.0);
	if (k == 6)
		quantise(x, n, 30.0);
	for (size_t i = 0; k == 3 && i < n; ++i)
		x[i] = fmax(-0.7, fmin(1.0, x[i]));
	if (k == 5) {
		golden g = golden_read("emd_eeg_x");
		memcpy(x, g.v, n * sizeof *x);
		free(g.v);
	}
}

/* ---- Decompositions ---------------------------------------------------------------------- */

typedef struct setup {
	ws_emd_opts o;
	ws_type type;
	size_t n;
} setup;

static void
run(const setup *s, const double *x, const double *noise, result *r)
{
	void *t = need(s->n * type_size(s->type)), *w = NULL;
	to_type(s->type, x, s->n, t);
	if (noise) {
		const size_t all = s->n * (size_t)s->o.realizations;
		w = need(all * type_size(s->type));
		to_type(s->type, noise, all, w);
	}
	job j = { .shape = { .channels = 1, .samples = s->n, .type = s->type }, .o = s->o, .x = t,
		  .noise = w };
	must_decompose(&j, r);
	free(t);
	free(w);
}

/* Sample i of row k, the residue after the modes. */
static double
sample(const result *r, int k, size_t i)
{
	return get(r->type, k < r->count[0] ? mode_row(r, 0, k) : residue_row(r, 0), i);
}

static void
describe(const setup *s, int signal, char *text, size_t size)
{
	snprintf(text, size, "%s, %s, method %d, boundary %d, spline %d, stop rule %d",
	         names[signal],
	         s->type == WS_F64 ? "f64" : "f32", s->o.method, s->o.boundary, s->o.spline,
		s->o.stop_rule);
}

/* ---- Comparisons ------------------------------------------------------------------------ */

/* Realizations of white noise, or NULL for a method that takes none. */
static double *
make_noise(const setup *s, bool backwards)
{
	if (s->o.method == WS_METHOD_EMD || s->o.method == 0)
		return NULL;
	const size_t n = s->n, rows = (size_t)s->o.realizations;
	double *w = need(rows * n * sizeof *w);
	rng r = { 400 };
	for (size_t i = 0; i < rows; ++i)
		for (size_t k = 0; k < n; ++k)
			w[i * n + (backwards ? n - 1 - k : k)] = rng_normal(&r);
	return w;
}

static void
run_subject(const subject *s, const double *y, bool backwards, result *r)
{
	double *w = make_noise(s->setup, backwards);
	run(s->setup, y, w, r);
	free(w);
}

static void
compare(comparison *p, const setup *s, int signal)
{
	double *x = need(s->n * sizeof *x);
	make_signal(signal, s->n, x);
	subject of = { .x = x, .channels = 1, .n = s->n, .run = run_subject, .setup = s,
		.seed = 500 };
	describe(s, signal, of.text, sizeof of.text);
	compare_changed(p, &of);
	free(x);
}

/* Few may hang on a hair. */
static int
few_near(const comparison *p)
{
	return 1 + p->all / (p->limit < 1e-5 ? 20 : 6);
}

/* The fast tier takes a fourth of the cases, other ones for each signal. */
static bool
left_out(int i, int signal)
{
	return SANITIZED ? i % 32 != signal : !slow_tier() &&
		(i + i / 4 + i / 16) % 4 != signal % 4;
}

/* Every boundary, spline and stop rule of EMD; f32 by fixed sifts, and the faster modes only:
 * crests of slow waves are level in f32 to its last digits, and every other decision is near. */
static void
compare_emd(comparison *p, ws_type type, int signal)
{
	for (int i = 0, rules = type == WS_F64 ? 7 : 1; i < 16 * rules; ++i) {
		if (left_out(i, signal))
			continue;
		const setup s = { .o = { .method = WS_METHOD_EMD,
			.boundary = (ws_boundary)(1 + i % 4),
				   .spline = (ws_spline)(1 + i / 4 % 4),
					.stop_rule = (ws_stop)(1 + i / 16),
				   .modes = type == WS_F64 ? 0 : 5 },
				  .type = type, .n = N };
		compare(p, &s, signal);
	}
}

/* Every ensemble, by fixed sifts and by the default rule, at either SNR. */
static void
compare_ensembles(comparison *p, int signal)
{
	for (int i = 0; i < 12; ++i) {
		if (left_out(i, signal))
			continue;
		const setup s = { .o = { .method = (ws_method)(WS_METHOD_EEMD + i % 3),
			.realizations = 3,
				   .stop_rule = i / 3 % 2 ? WS_STOP_FIXED : WS_STOP_RILLING, .seed = 7,
				   .boundary = (ws_boundary)(1 + i % 4),
					.snr = (ws_snr)(1 + i / 6) },
				  .type = WS_F64, .n = 600 };
		compare(p, &s, signal);
	}
}

/* ---- Direction of time ---------------------------------------------------------------- */

static void
test_backwards(void **state)
{
	(void)state;
	comparison p = { .what = "backwards, f64", .c = { true, 1.0, 0.0 }, .limit = 1e-9,
		.hair = 1e-12 };
	comparison q = { .what = "backwards, f32", .c = { true, 1.0, 0.0 }, .limit = 1e-4,
		.hair = 1e-6 };
	for (int signal = 0; signal < SIGNALS; ++signal) {
		compare_emd(&p, WS_F64, signal);
		compare_ensembles(&p, signal);
		compare_emd(&q, WS_F32, signal);
	}
	conclude(&p, few_near(&p));
	conclude(&q, few_near(&q));
}

/* ---- Offset, last digit ------------------------------------------------------------------ */

static void
test_offset(void **state)
{
	(void)state;
	static const double offsets[] = { 1.0, -33.3, 1000.0, -1000.0 };
	for (size_t i = 0; i < sizeof offsets / sizeof *offsets; ++i) {
		char what[32];
		snprintf(what, sizeof what, "offset %g std", offsets[i]);
		comparison p = { .what = what, .c = { false, 1.0, offsets[i] }, .limit = 1e-9,
				 .hair = 1e-12 };
		for (int signal = 0; signal < SIGNALS; ++signal) {
			compare_emd(&p, WS_F64, signal);
			compare_ensembles(&p, signal);
		}
		conclude(&p, few_near(&p));
	}
}

static void
test_last_digits(void **state)
{
	(void)state;
	comparison p = { .what = "times 1 + 1e-12", .c = { false, 1.0 + 1e-12, 0.0 }, .limit = 1e-8,
			 .hair = 1e-12 };
	for (int signal = 0; signal < SIGNALS; ++signal) {
		compare_emd(&p, WS_F64, signal);
		compare_ensembles(&p, signal);
	}
	conclude(&p, few_near(&p));
}

/* ---- Scale --------------------------------------------------------------------------------- */

/* Is b all of a times 2^power, rounded once? */
static bool
same_but_exponent(const result *a, const result *b, int power)
{
	bool same = a->count[0] == b->count[0];
	for (int k = 0; same && k <= a->count[0]; ++k)
		for (size_t i = 0; same && i < a->samples; ++i) {
			const double want = ldexp(sample(a, k, i), power), got = sample(b, k, i);
			same = a->type == WS_F64 ? got == want : (float)got == (float)want;
		}
	return same;
}

static void
check_scale(const setup *s, int signal, int power)
{
	const size_t n = s->n;
	double *x = need(2 * n * sizeof *x), *y = x + n, *w = make_noise(s, false);
	make_signal(signal, n, x);
	for (size_t i = 0; i < n; ++i) {
		x[i] = s->type == WS_F64 ? x[i] : (double)(float)x[i];
		y[i] = ldexp(x[i], power);
	}
	result a, b;
	run(s, x, w, &a);
	run(s, y, w, &b);
	if (!same_but_exponent(&a, &b, power)) {
		char text[160];
		describe(s, signal, text, sizeof text);
		fail_msg("times 2^%d: %d and %d modes: %s", power, a.count[0], b.count[0], text);
	}
	result_free(&a);
	result_free(&b);
	free(x);
	free(w);
}

static void
test_scale(void **state)
{
	(void)state;
	static const int powers[2][4] = { { -960, -530, 520, 1000 }, { -100, -57, 66, 120 } };
	int all = 0;
	for (int type = 0; type < 2; ++type)
		for (int i = 0; i < 4 * 16 * 7; ++i) {
			if (SANITIZED ? i % 32 : !slow_tier() && i % 4)
				continue;
			const int signal = i / 4 % SIGNALS, power = powers[type][(i + i / 16) % 4];
			setup s = { .o = { .method = WS_METHOD_EMD,
				.boundary = (ws_boundary)(1 + i / 16 % 4),
				     .spline = (ws_spline)(1 + i / 4 % 4),
					.stop_rule = (ws_stop)(1 + i / 64) },
				    .type = (ws_type)type, .n = N };
			check_scale(&s, signal, power);
			s.o.method = (ws_method)(WS_METHOD_EEMD + i % 3);
			s.o.realizations = 2;
			s.o.snr = (ws_snr)(1 + i / 3 % 2);
			s.n = 300;
			check_scale(&s, signal, power);
			all += 2;
		}
	printf("%d decompositions from 2^-960 (f32: 2^-100) to 2^1000 (2^120), the same but the "
	       "exponent\n", all);
}

/* Does the caller's noise times 2^power, with `noise` times 2^-share, give the same bits? */
static void
check_noise_unit(ws_method method, ws_snr snr, ws_type type, int power, int share)
{
	enum { SAMPLES = 600, ROWS = 2 };
	setup s = { .o = { .method = method, .realizations = ROWS, .noise = 0.25, .snr = snr },
		    .type = type, .n = SAMPLES };
	double x[SAMPLES], *w = make_noise(&s, false), scaled[ROWS * SAMPLES];
	make_signal(0, SAMPLES, x);
	for (size_t i = 0; i < ROWS * SAMPLES; ++i) {
		w[i] = type == WS_F64 ? w[i] : (double)(float)w[i];
		scaled[i] = ldexp(w[i], power);
	}
	result a, b;
	run(&s, x, w, &a);
	s.o.noise = ldexp(s.o.noise, -share);
	run(&s, x, scaled, &b);
	assert_true(same_but_exponent(&a, &b, 0));
	result_free(&a);
	result_free(&b);
	free(w);
}

/* A noise file's unit is divided out at constant SNR, and a factor of `noise` else. */
static void
test_noise_unit(void **state)
{
	(void)state;
	for (int type = 0; type < 2; ++type) {
		const int power = type == WS_F64 ? -900 : -90;
		check_noise_unit(WS_METHOD_CEEMDAN, WS_SNR_CONSTANT, (ws_type)type, power, 0);
		check_noise_unit(WS_METHOD_ICEEMDAN, WS_SNR_CONSTANT, (ws_type)type, power, 0);
		check_noise_unit(WS_METHOD_CEEMDAN, WS_SNR_INCREASING, (ws_type)type, 5, 5);
		check_noise_unit(WS_METHOD_EEMD, WS_SNR_INCREASING, (ws_type)type, 5, 5);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scale),       cmocka_unit_test(test_noise_unit),
		cmocka_unit_test(test_last_digits), cmocka_unit_test(test_offset),
		cmocka_unit_test(test_backwards),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
