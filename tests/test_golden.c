/*
 * test_golden.c - the named references against what the reference codes
 * themselves produced (tests/data/golden).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core_test.h"

/* Row k of a channel, the residue last, as the golden files have it. */
static const double *
channel_row(const result *r, size_t channel, int k)
{
	return k < r->count[channel] ? mode_row(r, channel, k) : residue_row(r, channel);
}

static const double *
row_of(const result *r, int k)
{
	return channel_row(r, 0, k);
}

static void
run(const golden *x, const golden *noise, ws_emd_opts o, result *r)
{
	job j = { .shape = { .channels = 1, .samples = x->n }, .o = o, .x = x->v,
		  .noise = noise ? noise->v : NULL };
	must_decompose(&j, r);
}

static void
fixed_sifts(const char *x_name, const char *rows_name)
{
	golden x = golden_read(x_name), want = golden_read(rows_name);
	result r;
	run(&x, NULL, (ws_emd_opts){ .reference = WS_REF_RILLING, .sifts = 10 }, &r);
	assert_int_equal(r.count[0] + 1, want.rows);
	const double std = std_of(x.v, x.n);
	double worst = 0.0;
	for (int k = 0; k < (int)want.rows; ++k) {
		double d = largest_difference(row_of(&r, k), want.v + (size_t)k * x.n, x.n) / std;
		worst = fmax(worst, d);
		if (!(d < 1e-9))
			fail_msg("%s: row %d differs by %.3g std", rows_name, k + 1, d);
	}
	printf("%s: %zu rows, largest difference %.2g std\n", rows_name, want.rows, worst);
	result_free(&r);
	free(x.v);
	free(want.v);
}

static void
test_fixed_sifts(void **state)
{
	(void)state;
	fixed_sifts("emd_synth_x", "emd_synth_fix10");
	fixed_sifts("emd_eeg_x", "emd_eeg_fix10");
}

/* The same number of rows, each similar to the golden one. */
static void
similar_rows(const char *name, const result *r, const golden *want, double least)
{
	assert_int_equal(r->count[0] + 1, want->rows);
	double worst = 1.0;
	for (int k = 0; k < (int)want->rows; ++k) {
		double s = similarity(row_of(r, k), want->v + (size_t)k * want->n, want->n);
		worst = fmin(worst, s);
		if (!(s >= least))
			fail_msg("%s: row %d has similarity %.8f", name, k + 1, s);
	}
	printf("%s: %zu rows, least similarity 1 - %.2g\n", name, want->rows, 1.0 - worst);
}

static void
stop_rule(const char *x_name, const char *rows_name)
{
	golden x = golden_read(x_name), want = golden_read(rows_name);
	result r;
	run(&x, NULL, (ws_emd_opts){ .reference = WS_REF_RILLING }, &r);
	similar_rows(rows_name, &r, &want, 0.99999);
	result_free(&r);
	free(x.v);
	free(want.v);
}

static void
test_stop_rule(void **state)
{
	(void)state;
	stop_rule("emd_synth_x", "emd_synth_rilling");
	stop_rule("emd_eeg_x", "emd_eeg_rilling");
}

static void
colominas(const char *set, int max_sifts, ws_snr snr, result *r, golden *want)
{
	char name[64];
	snprintf(name, sizeof name, "%s_x", set);
	golden x = golden_read(name);
	snprintf(name, sizeof name, "%s_noise", set);
	golden noise = golden_read(name);
	snprintf(name, sizeof name, "%s_modes", set);
	*want = golden_read(name);
	run(&x, &noise,
	    (ws_emd_opts){ .reference = WS_REF_COLOMINAS, .noise = 0.2, .max_sifts = max_sifts,
			   .realizations = (int)noise.rows, .snr = snr },
	    r);
	similar_rows(name, r, want, 0.9999);
	free(x.v);
	free(noise.v);
}

static void
test_colominas(void **state)
{
	(void)state;
	result r;
	golden want;
	colominas("iceemdan_eeg", 100, WS_SNR_CONSTANT, &r, &want);
	result_free(&r);
	free(want.v);
}

/* The two-tone signal: as near to its true components as ceemdan.m itself. */
static void
test_two_tone(void **state)
{
	(void)state;
	enum { N = 1000 };
	const double two_pi = 6.283185307179586;
	double truth[2][N];
	for (int i = 0; i < N; ++i) {
		truth[0][i] = i >= 500 && i < 750 ? sin(two_pi * 0.255 * (i - 500)) : 0.0;
		truth[1][i] = sin(two_pi * 0.065 * i);
	}
	result r;
	golden want;
	colominas("iceemdan_synth", 300, WS_SNR_INCREASING, &r, &want);
	for (int k = 0; k < 2; ++k) {
		double ours = similarity(row_of(&r, k), truth[k], N);
		double theirs = similarity(want.v + k * N, truth[k], N);
		printf("component %d: similarity %.6f, ceemdan.m %.6f\n", k + 1, ours, theirs);
		assert_true(fabs(ours - theirs) <= 1e-4);
		assert_true(theirs > 0.99);
	}
	result_free(&r);
	free(want.v);
}

/* CEEMDAN's authors' own code: every row to rounding. */
static void
torres(const char *set)
{
	char name[64];
	snprintf(name, sizeof name, "torres_%s_x", set);
	golden x = golden_read(name);
	snprintf(name, sizeof name, "torres_%s_noise", set);
	golden noise = golden_read(name);
	snprintf(name, sizeof name, "torres_%s_modes", set);
	golden want = golden_read(name);
	result r;
	run(&x, &noise,
	    (ws_emd_opts){ .reference = WS_REF_TORRES, .noise = 0.2, .realizations = (int)noise.rows },
	    &r);
	assert_int_equal(r.count[0] + 1, want.rows);
	const double std = std_of(x.v, x.n);
	double worst = 0.0;
	for (int k = 0; k < (int)want.rows; ++k) {
		const double d = largest_difference(row_of(&r, k), want.v + (size_t)k * x.n, x.n) / std;
		worst = fmax(worst, d);
		if (!(d < 1e-10))
			fail_msg("%s: row %d differs by %.3g std", name, k + 1, d);
	}
	printf("%s: %zu rows, largest difference %.2g std\n", name, want.rows, worst);
	result_free(&r);
	free(x.v);
	free(noise.v);
	free(want.v);
}

static void
test_torres(void **state)
{
	(void)state;
	torres("short33a");
	torres("step_noise");
}

/* memd.m: all channels have the same number of modes, all rows its values. */
static void
memd(const char *rows_name, ws_stop stop)
{
	golden x = golden_read("memd_eeg4_x"), want = golden_read(rows_name);
	job j = { .shape = { .channels = x.rows, .samples = x.n },
		  .o = { .reference = WS_REF_MEMD, .stop_rule = stop }, .x = x.v };
	result r;
	must_decompose(&j, &r);
	const size_t rows = want.rows / x.rows;
	double worst = 0.0, least = 1.0;
	for (size_t c = 0; c < x.rows; ++c) {
		assert_int_equal(r.count[c] + 1, rows);
		const double std = std_of(x.v + c * x.n, x.n);
		for (size_t k = 0; k < rows; ++k) {
			const double *ours = channel_row(&r, c, (int)k);
			const double *theirs = want.v + (c * rows + k) * x.n;
			const double d = largest_difference(ours, theirs, x.n) / std;
			worst = fmax(worst, d);
			least = fmin(least, similarity(ours, theirs, x.n));
			if (!(d < 1e-9))
				fail_msg("%s: channel %zu, row %zu differs by %.3g std", rows_name, c + 1, k + 1,
				         d);
		}
	}
	printf("%s: %zu rows of %zu channels, largest difference %.2g std, least similarity 1 - %.2g\n",
	       rows_name, rows, x.rows, worst, 1.0 - least);
	assert_true(least >= 0.9999);
	result_free(&r);
	free(x.v);
	free(want.v);
}

static void
test_memd(void **state)
{
	(void)state;
	memd("memd_eeg4_fixh2", WS_STOP_FIX_H);
	memd("memd_eeg4_default", 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed_sifts),
		cmocka_unit_test(test_stop_rule),
		cmocka_unit_test(test_colominas),
		cmocka_unit_test(test_two_tone),
		cmocka_unit_test(test_torres),
		cmocka_unit_test(test_memd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
