/*
 * test_conv_masks.c - masks by formula: their values, the same bits for any instruction set and
 * threads; scales as exact ratios; options from text; how masks are rounded to f32.
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
#include "math/rounding.h"

static ws_ctx *
context(const char *isa, int threads)
{
	const ws_ctx_opts o = { .size = sizeof o, .device = "cpu", .isa = isa, .threads = threads };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	return ctx;
}

static ws_masks *
masks_of(const char *isa, int threads, const ws_conv_opts *opts)
{
	ws_ctx *ctx = context(isa, threads);
	ws_conv_opts o = *opts;
	ws_masks *m;
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	if (ws_masks_create(&m, ctx, &o, 1000.0) != WS_OK)
		fail_msg("%s", ws_error_detail());
	ws_ctx_destroy(ctx);
	return m;
}

/* The formulae of the header in long double. */
static long double
formula(ws_mask_formula f, long double w, long double x, long double s, long double *imaginary)
{
	const long double t = x / s, pi = 3.14159265358979323846264338327950288L;
	const long double bell = expl(-t * t / 2) / sqrtl(s), u = 0.5L + t / 16;
	*imaginary = f == WS_MASK_GABOR ? bell * sinl(w * t) : 0;
	switch (f) {
	case WS_MASK_MEXICAN_HAT: return bell * 2 / (sqrtl(3) * sqrtl(sqrtl(pi))) * (1 - t * t);
	case WS_MASK_DOPPLER:
		return sqrtl(fmaxl(u * (1 - u), 0)) * sinl(2.1L * pi / (u + 0.05L)) / sqrtl(s);
	default: return bell * cosl(w * t);
	}
}

static void
test_values(void **state)
{
	(void)state;
	for (ws_mask_formula f = WS_MASK_MORLET; f <= WS_MASK_DOPPLER; ++f) {
		const double w = f == WS_MASK_GABOR ? 7.5 : 5.0;
		const ws_conv_opts o = { .mask_formula = f, .mask_formula_param = w, .scale_count = 40,
			.scale_low = { 1, 3 }, .scale_high = { 70, 1 } };
		ws_masks *m = masks_of(NULL, 2, &o);
		const size_t parts = f == WS_MASK_GABOR ? 2 : 1;
		assert_int_equal(m->type, parts == 2 ? WS_C128 : WS_F64);
		for (size_t i = 0; i < m->count; ++i) {
			/* 1/3 + i (70 - 1/3) / 39 */
			const long double s = 1 / 3.0L + (long double)i * (209 / 3.0L) / 39;
			const int64_t half = (int64_t)floorl(8 * s + 1e-15L);
			assert_int_equal(m->lengths[i], 2 * half + 1);
			assert_true(fabsl(m->scales[i] - s) <= 1e-16L * s);
			for (int64_t x = -half; x <= half; ++x) {
				long double want[2];
				want[0] = formula(f, w, x, s, &want[1]);
				for (size_t part = 0; part < parts; ++part) {
					const double *values = m->values;
					const double got = values[(m->offsets[i] +
					                           (size_t)(x + half)) *
					                          parts + part];
					/* The argument is rounded to f64, and is up to 8 w. */
					if (fabsl(got - want[part]) > 1.2e-14L / sqrtl(s))
						fail_msg("formula %d, scale %zu, x %lld: %.17g, "
						         "not %.17Lg",
						         (int)f, i, (long long)x, got, want[part]);
				}
			}
		}
		if (f == WS_MASK_DOPPLER)
			assert_null(m->frequencies);
		else if (f == WS_MASK_GABOR)
			assert_float_equal(m->frequencies[39], 7.5 * 1000 / (2 * M_PI * 70), 1e-9);
		ws_masks_destroy(m);
	}
}

static size_t
taps_of(const ws_masks *m)
{
	return m->offsets[m->count - 1] + m->lengths[m->count - 1];
}

static void
test_same_bits(void **state)
{
	(void)state;
	for (ws_mask_formula f = WS_MASK_MORLET; f <= WS_MASK_DOPPLER; ++f) {
		const ws_conv_opts o = { .mask_formula = f, .scale_count = 120 };
		ws_masks *first = masks_of("plain", 1, &o);
		const size_t bytes = taps_of(first) * (f == WS_MASK_GABOR ? 16 : 8);
		const char *isa;
		for (int i = 0; (isa = ws_isa_name(i)); ++i) {
			ws_masks *m = masks_of(isa, 3, &o);
			assert_memory_equal(m->lengths, first->lengths, 120 * sizeof *m->lengths);
			assert_memory_equal(m->values, first->values, bytes);
			ws_masks_destroy(m);
		}
		ws_masks_destroy(first);
	}
}

/* L = 2 floor(8 s) + 1 by integers: 8 * 7/8 is 7, whatever 7/8 is in f64; 8 * 29/10 is 23.2. */
static void
test_scales(void **state)
{
	const ws_ratio scales[] = { { 1, 8 }, { 7, 8 }, { 29, 10 }, { 200, 1 }, { 1, 100 } };
	const size_t lengths[] = { 3, 15, 47, 3201, 1 };
	ws_conv_opts o = { .mask_formula = WS_MASK_MORLET, .scales = scales, .scale_count = 5 };
	(void)state;
	ws_masks *m = masks_of(NULL, 1, &o);
	assert_memory_equal(m->lengths, lengths, sizeof lengths);
	ws_masks_destroy(m);
	o = (ws_conv_opts){ .mask_formula = WS_MASK_MORLET, .scale_count = 5, .scale_low = { 2, 1 },
		.scale_high = { 32, 1 }, .scale_spacing = WS_SPACING_LOG };
	m = masks_of(NULL, 1, &o);
	for (int i = 0; i < 5; ++i)
		assert_true(m->scales[i] == 2 << i);
	ws_masks_destroy(m);
	/* Downwards, too. */
	o = (ws_conv_opts){ .mask_formula = WS_MASK_MORLET, .scale_count = 3, .scale_low = { 2, 1 },
		.scale_high = { 1, 1 } };
	m = masks_of(NULL, 1, &o);
	assert_true(m->scales[0] == 2 && m->scales[1] == 1.5 && m->scales[2] == 1);
	ws_masks_destroy(m);
}

static const ws_option *
option(const char *name)
{
	const ws_transform *t = ws_transform_find("conv");
	for (int i = 0;; ++i) {
		const ws_option *o = ws_transform_option(t, i);
		assert_non_null(o);
		if (strcmp(o->name, name) == 0)
			return o;
	}
}

/* A list is the array of its ratios, to the last bit, in any form of the numbers. */
static void
test_scale_list(void **state)
{
	static const ws_ratio ratios[] = { { 1, 1 }, { 3, 2 }, { 7, 3 }, { 3, 4 }, { 29, 10 },
		{ 1, 1 } };
	const ws_conv_opts array = { .mask_formula = WS_MASK_GABOR, .scales = ratios, .scale_count = 6 };
	ws_conv_opts list = { .size = sizeof list, .tag = WS_TAG_CONV,
		.mask_formula = WS_MASK_GABOR };
	(void)state;
	assert_int_equal(ws_option_set(option("scales"), &list, "1,3/2,7/3,0.75,2.9,1"), WS_OK);
	ws_masks *a = masks_of(NULL, 1, &array), *b = masks_of(NULL, 1, &list);
	assert_int_equal(a->count, 6);
	assert_int_equal(b->count, 6);
	assert_memory_equal(a->scales, b->scales, 6 * sizeof *a->scales);
	const size_t taps = a->offsets[5] + a->lengths[5];
	assert_memory_equal(a->lengths, b->lengths, 6 * sizeof *a->lengths);
	assert_memory_equal(a->values, b->values, 2 * taps * sizeof(double));
	ws_masks_destroy(a);
	ws_masks_destroy(b);
	ws_options_free(ws_transform_find("conv"), &list);
}

/* A plan tells the list whole, however it came, when what it came from is gone. */
static void
test_list_told(void **state)
{
	ws_ratio ratios[400];
	char text[16 * 400] = "", told[16 * 400];
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 100,
		.type = WS_F64, .fs = 1 };
	ws_ctx *ctx = context(NULL, 1);
	(void)state;
	for (int i = 0; i < 400; ++i) {
		ratios[i] = (ws_ratio){ i + 1, 401 };
		sprintf(text + strlen(text), "%s%d/401", i ? "," : "", i + 1);
	}
	char *list = strdup(text);
	for (int as_array = 0; as_array < 2; ++as_array) {
		ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV,
			.mask_formula = WS_MASK_MORLET };
		ws_plan *plan;
		if (as_array) {
			o.scales = ratios;
			o.scale_count = 400;
		} else {
			assert_int_equal(ws_option_set(option("scales"), &o, list), WS_OK);
		}
		assert_int_equal(ws_plan_create(&plan, ctx, "conv", &shape, &o), WS_OK);
		memset(ratios, 0, sizeof ratios * (size_t)as_array);
		memset(list, '!', strlen(list));
		if (!as_array)
			ws_options_free(ws_transform_find("conv"), &o);
		assert_int_equal(ws_option_text(option("scales"), ws_plan_options(plan), told,
		                                sizeof told), strlen(text));
		assert_string_equal(told, text);
		ws_plan_destroy(plan);
	}
	free(list);
	ws_ctx_destroy(ctx);
}

static void
test_options(void **state)
{
	static const struct { const char *name, *text, *told; } cases[] = {
		{ "scales", "1:200:200", "1:200:200" },
		{ "scales", "0.25:3/4:3:log", "25/100:3/4:3:log" },
		{ "scales", "4:1:4:lin", "4:1:4:lin" },
		{ "scales", "1,3/2,0.75,7/3", "1,3/2,3/4,7/3" }, { "scales", "3", "3" },
		{ "scales", "1,", NULL }, { "scales", ",1", NULL }, { "scales", "1,,2", NULL },
		{ "scales", "1,0", NULL }, { "scales", "1,-2", NULL }, { "scales", "1, 2", NULL },
		{ "scales", "1,2/0", NULL }, { "scales", "1,1e3", NULL },
		{ "scales", "1:2", NULL }, { "scales", "0:2:3", NULL }, { "scales", "1:2:0", NULL },
		{ "scales", "1:2:3:4", NULL }, { "scales", "1:2:3:lin:", NULL },
		{ "scales", "1:-2:3", NULL }, { "scales", "1:2/0:3", NULL },
			{ "scales", "1:1e3:3", NULL },
		{ "scales", "1:2:16777217", NULL }, { "scales", "1:9999999999999999:3", NULL },
		{ "scales", ".:2:3", NULL }, { "scales", "1:2:3x", NULL }, { "scales", "", NULL },
		{ "mask-formula", "morlet", "morlet" },
			{ "mask-formula", "gabor:6.5", "gabor:6.5" },
		{ "mask-formula", "doppler:3", NULL }, { "mask-formula", "morlet:", NULL },
		{ "mask-formula", "morlet:0", NULL }, { "mask-formula", "haar", NULL },
		{ "sums", "compensated", "compensated" }, { "sums", "f32", NULL },
		{ "extent", "valid", "valid" }, { "decimate", "16", "16" },
			{ "decimate", "0", NULL },
		{ "mask-rounding", "dither", "dither" }, { "flip", "", "1" },
			{ "masks", "x", NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV }, again = o;
		const ws_conv_opts before = o;
		char text[128];
		const ws_option *p = option(cases[i].name);
		const ws_status status = ws_option_set(p, &o, cases[i].text);
		if (!cases[i].told) {
			if (status != WS_E_ARG)
				fail_msg("--%s %s is taken", cases[i].name, cases[i].text);
			assert_memory_equal(&o, &before, sizeof o);
			continue;
		}
		if (status != WS_OK)
			fail_msg("--%s %s: %s", cases[i].name, cases[i].text, ws_error_detail());
		ws_option_text(p, &o, text, sizeof text);
		assert_string_equal(text, cases[i].told);
		assert_int_equal(ws_option_set(p, &again, text), WS_OK);
		assert_int_equal(o.scales != NULL, again.scales != NULL);
		if (o.scales) {
			ws_options_free(ws_transform_find("conv"), &o);
			ws_options_free(ws_transform_find("conv"), &again);
		}
		assert_memory_equal(&o, &again, sizeof o);
	}
}

/* Scales that would take more than there is are refused before memory is taken. */
static void
test_too_many(void **state)
{
	ws_ctx *ctx = context(NULL, 1);
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV,
		.mask_formula = WS_MASK_MORLET,
		.scale_count = 1000000 };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 100 };
	ws_run *run;
	(void)state;
	assert_int_equal(ws_run_create(&run, ctx, "conv", &shape, &o, (size_t)1 << 30), WS_E_NOMEM);
	assert_non_null(strstr(ws_error_detail(), "fewer or smaller scales"));
	ws_ctx_destroy(ctx);
}

/* ---- Rounding ---------------------------------------------------------------------------- */

/* A unit sample shows the masks as they are used. */
static void
taps_as_used(ws_mask_rounding how, uint64_t seed, const double *values, size_t n, float *out)
{
	ws_ctx *ctx = context(NULL, 1);
	const ws_masks m = { .size = sizeof m, .count = 1, .lengths = &n, .values = values };
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .masks = &m,
		.mask_rounding = how, .seed = how == WS_ROUND_DITHER ? seed : 0,
		.method = WS_CONV_DIRECT, .flip = 1 };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = n,
		.type = WS_F32 };
	ws_plan *plan;
	float *x = need(n * sizeof *x);
	memset(x, 0, n * sizeof *x);
	x[n / 2] = 1;
	assert_int_equal(ws_plan_create(&plan, ctx, "conv", &shape, &o), WS_OK);
	const ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { out, { 0 } } };
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	void *workspace = need(ws_plan_workspace(plan));
	assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
	free(workspace);
	free(x);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

static void
test_rounding(void **state)
{
	enum { N = 4001 };
	static double v[N];
	static float got[6][N], again[N];
	rng r = { 3 };
	double mean = 0;
	(void)state;
	for (int i = 0; i < N; ++i)
		v[i] = i % 9 ? rng_normal(&r) : (float)rng_normal(&r);
	for (ws_mask_rounding how = WS_ROUND_NEAREST; how <= WS_ROUND_DITHER; ++how)
		taps_as_used(how, 1, v, N, got[how]);
	for (int i = 0; i < N; ++i) {
		const float down = got[WS_ROUND_DOWN][i], up = got[WS_ROUND_UP][i];
		assert_true((double)down <= v[i] && (double)up >= v[i]);
		assert_true(down == up ? (double)up == v[i] : nextafterf(down, HUGE_VALF) == up);
		assert_true(got[WS_ROUND_NEAREST][i] == (float)v[i]);
		assert_true(got[WS_ROUND_ZERO][i] == (v[i] < 0 ? up : down));
		assert_true(got[WS_ROUND_DITHER][i] == up || got[WS_ROUND_DITHER][i] == down);
		if (up > down)
			mean += ((double)got[WS_ROUND_DITHER][i] - v[i]) / ((double)up -
			                                                    (double)down);
	}
	/* Independent errors of variance 1 / 6 on average: four standard deviations. */
	assert_true(fabs(mean) < 4 * sqrt(N / 6.0));
	taps_as_used(WS_ROUND_DITHER, 1, v, N, again);
	assert_memory_equal(again, got[WS_ROUND_DITHER], sizeof again);
	taps_as_used(WS_ROUND_DITHER, 2, v, N, again);
	assert_memory_not_equal(again, got[WS_ROUND_DITHER], sizeof again);
}

/* ---- Expressions -------------------------------------------------------------------------- */

static void
refuse_expression(const char *real, const char *imaginary, const char *constants, const char *word)
{
	ws_ctx *ctx = context(NULL, 2);
	ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .scale_count = 3 };
	ws_masks *m;
	snprintf(o.mask_expression, sizeof o.mask_expression, "%s", real);
	snprintf(o.mask_imaginary, sizeof o.mask_imaginary, "%s", imaginary);
	snprintf(o.mask_constants, sizeof o.mask_constants, "%s", constants);
	assert_int_equal(ws_masks_create(&m, ctx, &o, 1000.0), WS_E_ARG);
	assert_null(m);
	if (!strstr(ws_error_detail(), word))
		fail_msg("\"%s\" does not have \"%s\"", ws_error_detail(), word);
	assert_null(strchr(ws_error_detail(), '\n'));
	ws_ctx_destroy(ctx);
}

/* The formula of gabor, written out, is its masks to rounding, for any threads; f is fs / s. */
static void
test_expressions(void **state)
{
	const ws_conv_opts formula = { .mask_formula = WS_MASK_GABOR, .mask_formula_param = 5,
		.scale_count = 60, .scale_low = { 1, 3 }, .scale_high = { 200, 1 } };
	ws_conv_opts o = formula;
	ws_ctx *ctx = context(NULL, 1);
	ws_masks *m;
	(void)state;
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.mask_formula = 0;
	strcpy(o.mask_expression, "exp(-(x/s)^2/2)*cos(2*pi*a*f*x/fs)/s^0.5");
	strcpy(o.mask_imaginary, "exp(-(x/s)^2/2)*sin(w*x/s)/sqrt(s)");
	strcpy(o.mask_constants, "a=0.79577471545947673,w=5");
	const ws_status status = ws_masks_create(&m, ctx, &o, 1000.0);
	ws_ctx_destroy(ctx);
	if (status == WS_E_UNSUPPORTED) {
		printf("SKIPPED: %s\n", ws_error_detail());
		skip();
	}
	assert_int_equal(status, WS_OK);
	ws_masks *want = masks_of(NULL, 1, &formula), *other = masks_of(NULL, 3, &o);
	assert_int_equal(m->type, WS_C128);
	for (size_t i = 0; i < m->count; ++i) {
		assert_int_equal(m->lengths[i], want->lengths[i]);
		for (size_t k = 2 * m->offsets[i]; k < 2 * (m->offsets[i] + m->lengths[i]); ++k) {
			const double a = ((double *)m->values)[k], b = ((double *)want->values)[k];
			if (fabs(a - b) > 2e-14 / sqrt(m->scales[i]))
				fail_msg("mask %zu, number %zu: %.17g, not %.17g", i, k, a, b);
			assert_true(a == ((double *)other->values)[k]);
		}
	}
	ws_masks_destroy(m);
	ws_masks_destroy(other);
	ws_masks_destroy(want);
	refuse_expression("x+", "", "", "does not parse");
	refuse_expression("x", "sin(", "", "\"sin(\" does not parse");
	refuse_expression("b", "", "w=5", "does not parse");
	refuse_expression("1/(s-2)", "", "", "of mask 1, scale 2");
	refuse_expression("x", "log(x)", "", "of mask 0, scale 1");
	refuse_expression("x", "", "w", "NAME=NUMBER");
	refuse_expression("x", "", "w=inf", "NAME=NUMBER");
	refuse_expression("x", "", "w=1,,v=2", "NAME=NUMBER");
	refuse_expression("x", "", "pi=3", "NAME=NUMBER");
	refuse_expression("x", "", "2w=3", "NAME=NUMBER");
	refuse_expression("", "x", "", "belongs to an expression");
	/* What one assigns does not stay. */
	strcpy(o.mask_expression, "x+(s=7)*0");
	o.mask_imaginary[0] = o.mask_constants[0] = '\0';
	m = masks_of(NULL, 1, &o);
	for (size_t k = 0; k < m->lengths[9]; ++k)
		assert_true(((double *)m->values)[m->offsets[9] + k] ==
		            (double)k - (double)(m->lengths[9] / 2));
	ws_masks_destroy(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_same_bits),
		cmocka_unit_test(test_scales),
		cmocka_unit_test(test_scale_list), cmocka_unit_test(test_list_told),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_too_many), cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_expressions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
