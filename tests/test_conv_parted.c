/*
 * test_conv_parted.c - convolution with accumulators by magnitude, and with numbers of 16 bits:
 * bits by the letter of wavesift/conv.h and math/conv.h, for any instruction set and threads.
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
#include "math/conv.h"

typedef struct set {
	ws_masks masks;
	size_t lengths[16], offsets[16];
	double *values, *x;     /* both f32 in f32 sets */
	size_t n;
	ws_type type;
} set;

/* Magnitudes over many powers of two. */
static double
draw(rng *r, ws_type type)
{
	const double v = ldexp(rng_normal(r), rng_int(r, -25, 9));
	return type == WS_F32 ? (float)v : v;
}

static set
draw_set(rng *r, ws_type type, int longest, bool complex)
{
	set s = { .n = (size_t)rng_int(r, 1, 1500), .type = type };
	const size_t masks = (size_t)rng_int(r, 1, 16), parts = complex ? 2 : 1;
	size_t taps = 0;
	for (size_t i = 0; i < masks; ++i) {
		s.lengths[i] = (size_t)rng_int(r, 1, longest);
		s.offsets[i] = taps;
		taps += s.lengths[i];
	}
	s.values = need(taps * parts * sizeof *s.values);
	s.x = need(s.n * sizeof *s.x);
	for (size_t k = 0; k < taps * parts; ++k)
		s.values[k] = draw(r, type);
	for (size_t i = 0; i < s.n; ++i)
		s.x[i] = draw(r, type);
	s.masks = (ws_masks){ .size = sizeof s.masks, .count = masks, .values = s.values,
		.type = complex ? WS_C128 : WS_F64 };
	return s;
}

/* [mask][time][part] from either type. */
static double *
convolve(set *s, const char *isa, int threads, ws_conv_opts o)
{
	const ws_ctx_opts c = { .size = sizeof c, .device = "cpu", .isa = isa, .threads = threads };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = s->n,
		.type = s->type };
	const bool complex = s->masks.type == WS_C128;
	const size_t numbers = s->masks.count * s->n * (complex ? 2 : 1);
	ws_ctx *ctx;
	ws_plan *plan;
	s->masks.lengths = s->lengths;
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.masks = &s->masks;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	if (ws_plan_create(&plan, ctx, "conv", &shape, &o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	double *x = need(s->n * sizeof *x), *y = need(numbers * sizeof *y);
	for (size_t i = 0; i < s->n; ++i)
		if (s->type == WS_F32)
			((float *)x)[i] = (float)s->x[i];
		else
			x[i] = s->x[i];
	ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { NULL, { 0 } } };
	buffers[WS_CONV_RESPONSES].data = y;
	void *workspace = need(ws_plan_workspace(plan));
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
	for (size_t i = numbers; s->type == WS_F32 && i-- > 0;) {
		float v;
		memcpy(&v, (char *)y + i * sizeof v, sizeof v);
		y[i] = v;
	}
	free(workspace);
	free(x);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return y;
}

/* ---- Accumulators by the letter ------------------------------------------------------------ */

typedef struct letter {
	const double *x, *m;
	int64_t n, length, parts, part, at;
	int accumulators;
	double least[8];
	bool f32;
} letter;

static double
largest(const double *v, size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; ++i)
		most = fmax(most, fabs(v[i]));
	return most;
}

/* The power of two above v; of 0 it is 1. */
static double
above(double v)
{
	double p = 1;
	while (v > 0 && p <= v)
		p *= 2;
	while (v > 0 && p / 2 > v)
		p /= 2;
	return p;
}

static double
plus(const letter *l, double a, double b)
{
	return l->f32 ? (double)(float)(a + b) : a + b;
}

/* sums[accumulators] of sections index 2^level .. (index + 1) 2^level - 1. */
static void
tree(const letter *l, int64_t index, int level, double *sums)
{
	const int64_t first = index * ((int64_t)1 << level), end = first + ((int64_t)1 << level);
	const int64_t low = -(l->length / 2), high = l->length - 1 + low;
	memset(sums, 0, 8 * sizeof *sums);
	if (512 * end - 256 <= low || 512 * first - 256 > high)
		return;
	if (level > 0) {
		double other[8];
		tree(l, 2 * index, level - 1, sums);
		tree(l, 2 * index + 1, level - 1, other);
		for (int k = 0; k < 8; ++k)
			sums[k] = plus(l, sums[k], other[k]);
		return;
	}
	for (int64_t d = 512 * index - 256; d < 512 * index + 256; ++d) {
		const int64_t tap = d + l->length / 2, i = l->at + d;
		if (tap < 0 || tap >= l->length || i < 0 || i >= l->n)
			continue;
		const double x = l->x[i], m = l->m[tap * l->parts + l->part];
		const double p = fabs(l->f32 ? (double)((float)x * (float)m) : x * m);
		int k = 0;
		while (p < l->least[k])
			k++;
		sums[k] = l->f32 ? (double)fmaf((float)x, (float)m, (float)sums[k])
		          : fma(x, m, sums[k]);
	}
}

static double
by_the_letter(const letter *l)
{
	double sums[8], other[8];
	tree(l, -1, WSI_CONV_LEVELS, sums);
	tree(l, 0, WSI_CONV_LEVELS, other);
	for (int k = 0; k < 8; ++k)
		sums[k] = plus(l, sums[k], other[k]);
	double y = sums[l->accumulators - 1];
	for (int k = l->accumulators - 2; k >= 0; --k)
		y = plus(l, sums[k], y);
	return y + 0.0;
}

static void
test_accumulators(void **state)
{
	rng r = { 8 };
	(void)state;
	for (int trial = 0; trial < (SANITIZED ? 12 : 42); ++trial) {
		const ws_type type = trial % 2 ? WS_F32 : WS_F64;
		const bool complex = trial % 3 == 0;
		set s = draw_set(&r, type, trial % 4 ? 900 : 5000, complex);
		ws_conv_opts o = { .accumulators = 2 + trial % 7 };
		double *y = convolve(&s, NULL, 1, o);
		const size_t parts = complex ? 2 : 1, numbers = s.masks.count * s.n * parts;
		const char *isa;
		for (int i = 0; (isa = ws_isa_name(i)); ++i) {
			double *other = convolve(&s, isa, 1 + 2 * (i % 2), o);
			if (memcmp(y, other, numbers * sizeof *y) != 0)
				fail_msg("trial %d: %s has other bits", trial, isa);
			free(other);
		}
		const int width = ((type ? 24 : 53) + o.accumulators - 1) / o.accumulators;
		for (int i = 0; i < 60; ++i) {
			const size_t m = rng_next(&r) % s.masks.count, at = rng_next(&r) % s.n;
			const size_t part = rng_next(&r) % parts;
			letter l = { s.x, s.values + s.offsets[m] * parts, (int64_t)s.n,
				(int64_t)s.lengths[m], (int64_t)parts, (int64_t)part, (int64_t)at,
				o.accumulators, { 0 }, type == WS_F32 };
			const double top = above(largest(s.x, s.n)) *
			                   above(largest(l.m, s.lengths[m] * parts));
			for (int k = 0; k < o.accumulators - 1; ++k)
				l.least[k] = top * ldexp(1, -(k + 1) * width);
			const double want = by_the_letter(&l);
			const double got = y[(m * s.n + at) * parts + part];
			if (memcmp(&want, &got, sizeof got) != 0)
				fail_msg("trial %d, mask %zu of %zu taps, output %zu: %a, not %a",
				         trial, m, s.lengths[m], at, got, want);
		}
		free(y);
		free(s.values);
		free(s.x);
	}
}

/* Small ripples beside a few large samples: what one f32 sum loses, two keep. */
static void
test_gain(void **state)
{
	set s = { .n = 4000, .type = WS_F32 };
	double error[2] = { 0, 0 };
	(void)state;
	s.lengths[0] = 3001;
	s.values = need(s.lengths[0] * sizeof *s.values);
	s.x = need(s.n * sizeof *s.x);
	for (size_t k = 0; k < s.lengths[0]; ++k)
		s.values[k] = 1;
	for (size_t i = 0; i < s.n; ++i)
		s.x[i] = i % 700 == 350 ? 1000 : (float)(1e-3 + 1e-4 * sin((double)i));
	s.masks = (ws_masks){ .size = sizeof s.masks, .count = 1, .values = s.values };
	for (int k = 0; k < 2; ++k) {
		double *y = convolve(&s, NULL, 1, (ws_conv_opts){ .accumulators = 1 + k,
			.method = WS_CONV_DIRECT });
		for (size_t at = 1500; at < 2500; ++at) {
			double want = 0;
			for (size_t d = 0; d < 3001; ++d)
				want += s.x[at + d - 1500];
			error[k] = fmax(error[k], fabs(y[at] - want));
		}
		free(y);
	}
	/* The result itself is rounded to half a unit of 4000, 1.2e-4. */
	assert_true(error[1] < 2.5e-4);
	assert_true(error[0] > 4 * error[1]);
	free(s.values);
	free(s.x);
}

/* ---- Sixteen bits --------------------------------------------------------------------------- */

/* To bits significant, ties to even; least: of the steps. */
static double
round_to(double v, double top, int bits, int least)
{
	double step = top, w = fabs(v);
	while (step > w && step > top * ldexp(1, least))
		step /= 2;
	/* step <= w < 2 step, or the least. */
	step = fmax(step * ldexp(1, 1 - bits), top * ldexp(1, least));
	return rint(v / step) * step;
}

/* The same as with samples and masks that were rounded before. */
static void
test_narrow(void **state)
{
	rng r = { 3 };
	(void)state;
	for (int trial = 0; trial < 30; ++trial) {
		const ws_narrow narrow = trial % 2 ? WS_NARROW_F16 : WS_NARROW_BF16;
		const int bits = narrow == WS_NARROW_F16 ? 11 : 8;
		const int least = narrow == WS_NARROW_F16 ? -39 : -133;
		set s = draw_set(&r, WS_F32, 700, trial % 3 == 0);
		const size_t parts = trial % 3 ? 1 : 2, numbers = s.masks.count * s.n * parts;
		ws_conv_opts o = { .narrow = narrow, .accumulators = trial % 4,
			.sums = trial % 4 < 2 ? (ws_sums)(trial % 3 + 1) : WS_SUMS_PLAIN,
			.method = trial % 5 == 0 && trial % 4 < 2 && trial % 3 == 0
			          ? WS_CONV_OVERLAP_SAVE : WS_CONV_DIRECT };
		double *got = convolve(&s, NULL, 2, o), *ref = convolve(&s, "plain", 1, o);
		assert_memory_equal(got, ref, numbers * sizeof *got);
		const double top = above(largest(s.x, s.n));
		for (size_t i = 0; i < s.n; ++i)
			s.x[i] = round_to(s.x[i], top, bits, least);
		for (size_t m = 0; m < s.masks.count; ++m) {
			double *v = s.values + s.offsets[m] * parts;
			const double most = above(largest(v, s.lengths[m] * parts));
			for (size_t k = 0; k < s.lengths[m] * parts; ++k)
				v[k] = round_to(v[k], most, bits, least);
		}
		/* Rounding up to a power of two would move the accumulators' limits. */
		if (o.accumulators < 2) {
			o.narrow = 0;
			double *want = convolve(&s, NULL, 1, o);
			assert_memory_equal(got, want, numbers * sizeof *got);
			free(want);
		}
		free(got);
		free(ref);
		free(s.values);
		free(s.x);
	}
}

/* Masks of 16 bits are rounded up, down and at random, too: between their neighbours. */
static void
test_rounded_masks(void **state)
{
	double x[] = { 1 }, values[] = { 1.0 / 3, -1.0 / 3, 0.75 };
	size_t n = 1;
	(void)state;
	for (int mode = WS_ROUND_NEAREST; mode <= WS_ROUND_DITHER; ++mode)
		for (int k = 0; k < 3; ++k) {
			set s = { .n = n, .values = &values[k], .x = x, .type = WS_F32,
				.lengths = { 1 } };
			s.masks = (ws_masks){ .size = sizeof s.masks, .count = 1,
				.values = s.values };
			double *y = convolve(&s, NULL, 1, (ws_conv_opts){
				.narrow = WS_NARROW_BF16,
				.mask_rounding = (ws_mask_rounding)mode });
			/* 1/3 lies between 170/512 and 171/512, nearer to the second. */
			const double low = k == 0 ? 170.0 / 512 : k == 1 ? -171.0 / 512 : 0.75;
			const double high = k == 0 ? 171.0 / 512 : k == 1 ? -170.0 / 512 : 0.75;
			const double nearest = k == 1 ? low : high, zero = k == 1 ? high : low;
			if (mode == WS_ROUND_DITHER)
				assert_true(*y == low || *y == high);
			else
				assert_true(*y == (mode == WS_ROUND_NEAREST ? nearest
				            : mode == WS_ROUND_ZERO ? zero
				            : mode == WS_ROUND_UP ? high : low));
			free(y);
		}
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void
refuse(ws_conv_opts o, ws_type type, const char *word)
{
	const ws_ctx_opts c = { .size = sizeof c, .device = "cpu" };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 100,
		.type = type };
	ws_ctx *ctx;
	ws_plan *plan;
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.mask_formula = WS_MASK_MORLET;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, "conv", &shape, &o), WS_E_ARG);
	if (!strstr(ws_error_detail(), word))
		fail_msg("\"%s\" does not have \"%s\"", ws_error_detail(), word);
	ws_ctx_destroy(ctx);
}

static void
test_refused(void **state)
{
	(void)state;
	refuse((ws_conv_opts){ .accumulators = 9 }, WS_F64, "from 1 to 8");
	refuse((ws_conv_opts){ .accumulators = -1 }, WS_F64, "from 1 to 8");
	refuse((ws_conv_opts){ .accumulators = 2, .sums = WS_SUMS_F64 }, WS_F32, "plain sums");
	refuse((ws_conv_opts){ .accumulators = 2, .method = WS_CONV_FFT }, WS_F32, "direct method");
	refuse((ws_conv_opts){ .narrow = WS_NARROW_F16 }, WS_F64, "signals in f32");
	refuse((ws_conv_opts){ .narrow = (ws_narrow)3 }, WS_F32, "none of those documented");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accumulators), cmocka_unit_test(test_gain),
		cmocka_unit_test(test_narrow), cmocka_unit_test(test_rounded_masks),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
