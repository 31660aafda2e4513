/*
 * test_conv_errors.c - errors of an instrument built into masks: gains as numbers, powers and
 * tables, delays, jitter and phase noise; responses become those without the errors.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"
#include "math/band_limited.h"

#define FS 100.0

static ws_ctx *
context(void)
{
	const ws_ctx_opts c = { .size = sizeof c, .device = "cpu", .threads = 2 };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	return ctx;
}

static ws_status
make(ws_masks **m, ws_conv_opts o)
{
	ws_ctx *ctx = context();
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	const ws_status status = ws_masks_create(m, ctx, &o, FS);
	ws_ctx_destroy(ctx);
	return status;
}

static ws_masks *
masks_of(ws_conv_opts o)
{
	ws_masks *m;
	if (make(&m, o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	return m;
}

/* Five Morlet masks, scales 2 .. 10, 5 fs / (2 pi s) Hz. */
static ws_conv_opts
morlet(void)
{
	return (ws_conv_opts){ .mask_formula = WS_MASK_MORLET, .scale_count = 5, .scale_low = { 2, 1 },
		.scale_high = { 10, 1 } };
}

/* ---- Gains --------------------------------------------------------------------------------- */

/* Each mask is the one without errors times factor(s, f). */
static void
check_factor(ws_conv_opts o, double (*factor)(double s, double f))
{
	ws_masks *m = masks_of(o), *plain = masks_of(morlet());
	for (size_t i = 0; i < m->count; ++i) {
		const double f = 5 * FS / (2 * M_PI * m->scales[i]), want = factor(m->scales[i], f);
		for (size_t k = m->offsets[i]; k < m->offsets[i] + m->lengths[i]; ++k) {
			const double a = ((double *)m->values)[k], b = ((double *)plain->values)[k];
			if (fabs(a - want * b) > 1e-13 * fabs(want * b))
				fail_msg("scale %g: %.17g, not %.17g", m->scales[i], a, want * b);
		}
	}
	ws_masks_destroy(m);
	ws_masks_destroy(plain);
}

static double constant(double s, double f) { (void)s; (void)f; return 1 / 0.8; }
static double power_of_s(double s, double f) { (void)f; return 1 / (0.5 * pow(s, -0.25)); }
static double power_of_f(double s, double f) { (void)s; return 1 / (0.9 * pow(f, 1.5)); }
/* 1 up to 4, 0.5 from 8 on. */
static double
table_of_s(double s, double f)
{
	(void)f;
	return 1 / (s <= 4 ? 1 : s >= 8 ? 0.5 : 1 - 0.125 * (s - 4));
}
static double jitter(double s, double f) { (void)s; return exp(pow(2 * M_PI * f * 2e-3, 2) / 2); }
/* -50 dBc/Hz from 10 to 1010 Hz: sqrt(2 * 1000 * 1e-5) / (2 pi 200) s. */
static double
flat_noise(double s, double f)
{
	const double sigma = sqrt(2 * 1000 * 1e-5) / (2 * M_PI * 200);
	(void)s;
	return exp(pow(2 * M_PI * f * sigma, 2) / 2);
}
/* Falling as 1 / f^2 from -20 dBc/Hz at 1 Hz: 2 * 0.01 (1 - 1 / 100). */
static double
falling_noise(double s, double f)
{
	const double sigma = sqrt(2 * 0.01 * (1 - 1 / 100.0)) / (2 * M_PI * 200);
	(void)s;
	return exp(pow(2 * M_PI * f * sigma, 2) / 2);
}
/* As 1 / f: 2 * 0.01 ln(100). */
static double
pink_noise(double s, double f)
{
	const double sigma = sqrt(2 * 0.01 * log(100)) / (2 * M_PI * 200);
	(void)s;
	return exp(pow(2 * M_PI * f * sigma, 2) / 2);
}

static void
test_gains(void **state)
{
	static const struct {
		bool jitter;
		const char *text;
		double (*factor)(double s, double f);
	} cases[] = {
		{ false, "0.8", constant }, { false, "scale^-0.25:0.5", power_of_s },
		{ false, "frequency^1.5:0.9", power_of_f },
		{ false, "scale:4=1,8=0.5", table_of_s },
		{ true, "2e-3", jitter }, { true, "phase-noise:200:10=-50,1010=-50", flat_noise },
		{ true, "phase-noise:200:1=-20,10=-40,100=-60", falling_noise },
		{ true, "phase-noise:200:1=-20,100=-40", pink_noise },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		ws_conv_opts o = morlet();
		strcpy(cases[i].jitter ? o.timing_jitter : o.amplitude_error, cases[i].text);
		check_factor(o, cases[i].factor);
	}
}

/* ---- Expressions ----------------------------------------------------------------------------- */

static double low_pass(double s, double f) { (void)s; return sqrt(1 + pow(f / 7, 2)); }
static double of_both(double s, double f) { return 1 / (0.9 - 0.001 * s * f / FS + 1 / FS); }
static double level(double s, double f) { (void)s; (void)f; return 1 / 0.75; }
/* A jitter of 2e-3 s / (1 + s). */
static double
jitter_of_s(double s, double f)
{
	return exp(pow(2 * M_PI * f * 2e-3 / (1 + s), 2) / 2);
}

/* Is there a muParser? */
static void
need_parser(void)
{
	ws_conv_opts o = morlet();
	ws_masks *m;
	strcpy(o.amplitude_error, "expression:1");
	const ws_status status = make(&m, o);
	ws_masks_destroy(m);
	if (status == WS_E_UNSUPPORTED)
		skip();
	assert_int_equal(status, WS_OK);
}

static void
test_expressions(void **state)
{
	static const struct {
		bool jitter;
		const char *text, *constants;
		double (*factor)(double s, double f);
	} cases[] = {
		{ false, "expression:1/sqrt(1+(f/7)^2)", "", low_pass },
		{ false, "expression:1/sqrt(1+(f/corner)^2)", "corner=7", low_pass },
		{ false, "expression:a-0.001*s*f/fs+1/fs", "a=0.9", of_both },
		{ false, "expression:0.75", "", level },
		{ true, "expression:2e-3/(1+s)", "", jitter_of_s },
	};
	(void)state;
	need_parser();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		ws_conv_opts o = morlet();
		strcpy(cases[i].jitter ? o.timing_jitter : o.amplitude_error, cases[i].text);
		strcpy(o.mask_constants, cases[i].constants);
		check_factor(o, cases[i].factor);
	}
	/* A delay by an expression has the bits of the number. */
	ws_conv_opts number = morlet(), words = morlet();
	strcpy(number.timing_error, "0.00375");
	strcpy(words.timing_error, "expression:0.375/fs");
	ws_masks *a = masks_of(number), *b = masks_of(words);
	assert_memory_equal(a->values, b->values,
	                    (a->offsets[4] + a->lengths[4]) * sizeof(double));
	ws_masks_destroy(a);
	ws_masks_destroy(b);
}

/* ---- Functions, and values of each mask ------------------------------------------------------ */

static double
low_pass_gain(void *user, double s, double f)
{
	(void)s;
	return 1 / sqrt(1 + pow(f / *(double *)user, 2));
}

static const ws_option *
amplitude_option(void)
{
	const ws_transform *t = ws_transform_find("conv");
	for (int i = 0;; ++i)
		if (strcmp(ws_transform_option(t, i)->name, "amplitude-error") == 0)
			return ws_transform_option(t, i);
}

/* A plan tells what a function gave, and that gives the same masks again. */
static void
test_functions(void **state)
{
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 90,
		.type = WS_F64, .fs = FS };
	double corner = 7;
	char text[400];
	ws_conv_opts o = morlet();
	ws_plan *plan;
	ws_ctx *ctx = context();
	(void)state;
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.error_function[WS_ERROR_AMPLITUDE] = low_pass_gain;
	o.error_user = &corner;
	check_factor(o, low_pass);
	assert_int_equal(ws_plan_create(&plan, ctx, "conv", &shape, &o), WS_OK);
	ws_option_text(amplitude_option(), ws_plan_options(plan), text, sizeof text);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	assert_int_equal(strncmp(text, "masks:0.", 8), 0);
	ws_conv_opts again = morlet();
	assert_int_equal(ws_option_set(amplitude_option(), &again, text), WS_OK);
	ws_masks *a = masks_of(o), *b = masks_of(again);
	assert_memory_equal(a->values, b->values,
	                    (a->offsets[4] + a->lengths[4]) * sizeof(double));
	ws_masks_destroy(a);
	/* What is given otherwise, in number or in ways. */
	again.scale_count = 4;
	assert_int_equal(make(&a, again), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "5 values for 4 masks"));
	strcpy(o.amplitude_error, "1");
	assert_int_equal(make(&a, o), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "in two ways"));
	assert_int_equal(ws_option_set(amplitude_option(), &o, "masks:1,"), WS_E_ARG);
	assert_int_equal(ws_option_set(amplitude_option(), &o, "masks:"), WS_E_ARG);
	ws_masks_destroy(b);
}

/* A jitter of independent normal times takes that much from the mean response. */
static void
test_jitter_simulated(void **state)
{
	const double sigma = 0.004, f = 30;
	rng r = { 12 };
	double mean = 0;
	const int n = 200000;
	(void)state;
	for (int i = 0; i < n; ++i)
		mean += cos(2 * M_PI * f * sigma * rng_normal(&r)) / n;
	assert_true(fabs(mean * exp(pow(2 * M_PI * f * sigma, 2) / 2) - 1) < 5e-3);
}

/* ---- Delays -------------------------------------------------------------------------------- */

/* The response of mask i to a tone of 8 Hz that is sampled `late` s too late, at time t. */
static double
response(const ws_masks *m, size_t i, double late, double t)
{
	const size_t half = m->lengths[i] / 2;
	double sum = 0;
	for (size_t k = 0; k < m->lengths[i]; ++k)
		sum += sin(2 * M_PI * 8 * (t + ((double)k - (double)half) / FS + late)) *
		       ((double *)m->values)[m->offsets[i] + k];
	return sum;
}

static void
check_delay(ws_conv_opts o, double late, double tolerance)
{
	ws_masks *plain = masks_of(o);
	snprintf(o.timing_error, sizeof o.timing_error, "%.17g", late);
	ws_masks *m = masks_of(o);
	for (size_t i = 0; i < m->count; ++i)
		for (int k = 0; k < 20; ++k) {
			const double t = 0.0137 * k, want = response(plain, i, 0, t);
			const double got = response(m, i, late, t);
			if (fabs(got - want) > tolerance)
				fail_msg("%g s late, mask %zu: %.12g, not %.12g", late, i, got,
				         want);
		}
	ws_masks_destroy(m);
	ws_masks_destroy(plain);
}

static void
test_delays(void **state)
{
	static const double late[] = { 0.003, -0.0042, 0.01, 0.037 };
	(void)state;
	for (int k = 0; k < 4; ++k) {
		ws_conv_opts o = morlet();
		check_delay(o, late[k], 1e-8);
		/* Given ones, in f32, by interpolation: they have a smooth spectrum. */
		ws_masks *m = masks_of(morlet());
		ws_masks given = *m;
		float *narrow = need((m->offsets[4] + m->lengths[4]) * sizeof *narrow);
		for (size_t i = 0; i < m->offsets[4] + m->lengths[4]; ++i)
			narrow[i] = (float)((double *)m->values)[i];
		given.values = narrow;
		given.type = WS_F32;
		given.count = 4;
		given.lengths = m->lengths + 1;
		given.offsets = m->offsets + 1;
		check_delay((ws_conv_opts){ .masks = &given }, late[k], 1e-6);
		free(narrow);
		ws_masks_destroy(m);
	}
}

/* Tones between samples, as the header promises. */
static void
test_band_limited(void **state)
{
	double worst[2] = { 0, 0 };
	(void)state;
	for (int band = 0; band < 2; ++band)
		for (double w = 0.02; w <= (band ? 0.9 : 0.8); w += 0.013)
			for (double at = 0.05; at < 1; at += 0.1) {
				double sum = 0;
				for (int j = -WSI_BAND_HALF; j <= WSI_BAND_HALF + 1; ++j)
					sum += cos(M_PI * w * j + 0.3) * band_weight(j - at);
				worst[band] = fmax(worst[band],
				                   fabs(sum - cos(M_PI * w * at + 0.3)));
			}
	if (worst[0] > 1e-7 || worst[1] > 3e-4)
		fail_msg("%g and %g", worst[0], worst[1]);
	printf("interpolation to 0.8 within %.1e, to 0.9 within %.1e\n", worst[0], worst[1]);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void
refuse(const char *amplitude, const char *timing, const char *jitter_text, bool given,
       const char *word)
{
	double values[] = { 1, 2 };
	size_t lengths[] = { 2 };
	const ws_masks m = { .size = sizeof m, .count = 1, .lengths = lengths, .values = values };
	ws_conv_opts o = given ? (ws_conv_opts){ .masks = &m } : morlet();
	ws_masks *made;
	snprintf(o.amplitude_error, sizeof o.amplitude_error, "%s", amplitude);
	snprintf(o.timing_error, sizeof o.timing_error, "%s", timing);
	snprintf(o.timing_jitter, sizeof o.timing_jitter, "%s", jitter_text);
	assert_int_equal(make(&made, o), WS_E_ARG);
	assert_null(made);
	if (!strstr(ws_error_detail(), word))
		fail_msg("\"%s\" does not have \"%s\"", ws_error_detail(), word);
	assert_null(strchr(ws_error_detail(), '\n'));
}

static void
test_refused(void **state)
{
	static const char *const bad[] = { "x", "scale", "scale:", "scale:1", "scale:1=2,1=3",
		"scale:2=1,1=1", "scale^:2", "scale^2", "scale^2:", "scale^9:1", "frequency:0=1",
		"nan", "1,2", "phase-noise:1:1=2,3=4" };
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
		refuse(bad[i], "", "", false, "a number, scale^P:C");
	refuse("", "", "phase-noise:0:1=2,3=4", false, "phase-noise:CARRIER");
	refuse("", "", "phase-noise:5:1=2", false, "phase-noise:CARRIER");
	refuse("0", "", "", false, "a gain of 0 for mask 0");
	refuse("scale^8:-1", "", "", false, "for mask 0");
	refuse("", "99", "", false, "out of itself");
	refuse("", "1e9", "", true, "1e6 are the most");
	refuse("", "", "-1", false, "0 or more");
	refuse("", "", "9", false, "too little");
	refuse("scale^1:1", "", "", true, "depends on the scale, and mask 0 has none");
	refuse("frequency:1=1", "", "", true, "depends on the frequency, and mask 0 has none");
	refuse("", "", "1e-3", true, "depends on the frequency");
}

static void
test_refused_expressions(void **state)
{
	(void)state;
	need_parser();
	refuse("expression:", "", "", false, "expression:TEXT");
	refuse("expression:  ", "", "", false, "expression:TEXT");
	refuse("expression:f+", "", "", false, "`amplitude_error`: the expression \"f+\" does not");
	refuse("", "expression:x", "", false,
	       "`timing_error`: the expression \"x\" does not parse");
	refuse("expression:1/(s-2)", "", "", false, "a gain of inf for mask 0");
	refuse("expression:4-s", "", "", false, "a gain of 0 for mask 1");
	refuse("expression:sqrt(3-s)", "", "", false, "a gain of nan for mask 1");
	refuse("", "expression:s==4 ? 1/(s-4) : 0", "", false, "inf samples for mask 1");
	refuse("", "", "expression:s==6 ? -2 : 0", false, "`timing_jitter`: -2 s for mask 2");
	refuse("", "", "expression:sqrt(1-s)", false, "nan s for mask 0");
	/* Even where its value would not tell. */
	refuse("expression:f>9 ? 2 : 1", "", "", true, "depends on the frequency, and mask 0");
	refuse("expression:s>9 ? 2 : 1", "", "", true, "depends on the scale, and mask 0 has none");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gains), cmocka_unit_test(test_jitter_simulated),
		cmocka_unit_test(test_delays), cmocka_unit_test(test_band_limited),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_refused_expressions), cmocka_unit_test(test_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
