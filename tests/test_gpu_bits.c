/*
 * test_gpu_bits.c - a GPU gives the CPU's bits: every method, reference,
 * boundary, spline and stop rule, short and long signals, many and few, and
 * again when asked again.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_job.h"

static int differ, compared;

static void *
plateau_signals(rng *r, const ws_shape *shape, plateau_kind kind)
{
	const size_t n = shape->channels * shape->samples;
	double *d = need(n * sizeof *d);
	for (size_t c = 0; c < shape->channels; ++c)
		plateaus_make(kind, r, shape->samples, d + c * shape->samples);
	void *x = need(n * type_size(shape->type));
	to_type(shape->type, d, n, x);
	free(d);
	return x;
}

/* Row c of x becomes (x + offset) 2^exponent. */
static void
change_unit(const ws_shape *shape, void *x, size_t c, int exponent, double offset)
{
	for (size_t i = c * shape->samples; i < (c + 1) * shape->samples; ++i) {
		const double v = ldexp(get(shape->type, x, i) + offset, exponent);
		if (shape->type == WS_F64)
			((double *)x)[i] = v;
		else
			((float *)x)[i] = (float)v;
	}
}

static void
compare(job *j, signal_kind kind)
{
	compare_with_gpu(j, kind, &compared, &differ);
}

static void
random_cases(ws_method method, int cases)
{
	rng r = { 500 + (uint64_t)method };
	differ = compared = 0;
	for (int i = 0; i < cases && differ < 10; ++i) {
		signal_kind kind;
		job j = random_job(&r, method, i, &kind);
		compare(&j, kind);
		random_job_free(&j);
	}
	printf("%d of %d random configurations compared, %d differ\n", compared, cases, differ);
	assert_true(compared > cases / 2);
	assert_int_equal(differ, 0);
}

static void
test_emd(void **state)
{
	(void)state;
	random_cases(WS_METHOD_EMD, slow_tier() ? 4000 : 300);
}

static void
test_eemd(void **state)
{
	(void)state;
	random_cases(WS_METHOD_EEMD, slow_tier() ? 500 : 60);
}

static void
test_ceemdan(void **state)
{
	(void)state;
	random_cases(WS_METHOD_CEEMDAN, slow_tier() ? 500 : 60);
}

static void
test_iceemdan(void **state)
{
	(void)state;
	random_cases(WS_METHOD_ICEEMDAN, slow_tier() ? 500 : 60);
}

/* Every boundary x spline x stop rule of EMD, in both types. */
static void
test_all_combinations(void **state)
{
	(void)state;
	rng r = { 61 };
	int n = 0;
	differ = compared = 0;
	for (int boundary = 1; boundary <= 4; ++boundary)
		for (int spline = 1; spline <= 4; ++spline)
			for (int stop = 1; stop <= 7; ++stop)
				for (int type = 0; type < 2; ++type, ++n) {
					job j = {
						.shape = { .channels = 1,
						           .samples =
						                   1900 + (size_t)(n * 37) % 4000,
						           .type = (ws_type)type },
						.o = { .boundary = (ws_boundary)boundary,
						       .spline = (ws_spline)spline,
						       .stop_rule = (ws_stop)stop,
						       .max_sifts =
						               stop == WS_STOP_FIXED ? 0 : 15 },
					};
					signal_kind kind = (signal_kind)(n % SIGNAL_KINDS);
					j.x = random_signals(&r, &j.shape, kind);
					compare(&j, kind);
					random_job_free(&j);
				}
	printf("%d combinations of boundary, spline, stop rule and type, %d differ\n", compared,
	       differ);
	assert_int_equal(compared, n);
	assert_int_equal(differ, 0);
}

/* Rows of many tiles, the last of any size; every kind of signal. */
static void
test_long(void **state)
{
	(void)state;
	rng r = { 62 };
	static const size_t lengths[] = { 2048, 2049, 4095, 16400, 65536, 100003, 300001 };
	differ = compared = 0;
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l)
		for (int kind = 0; kind < SIGNAL_KINDS; ++kind) {
			if (!slow_tier() && lengths[l] > 20000 && (kind + (int)l) % 3)
				continue;
			job j = {
				.shape = { .channels = 1 + (size_t)(kind == 3),
				           .samples = lengths[l],
				           .type = (ws_type)((kind + (int)l) & 1) },
				.o = { .boundary = (ws_boundary)rng_int(&r, 1, 4),
				       .spline = (ws_spline)rng_int(&r, 1, 4),
				       .stop_rule = (ws_stop)rng_int(&r, 1, 7),
				       .reference =
				               rng_int(&r, 0, 3) ? WS_REF_NONE : WS_REF_LIBEEMD,
				       .max_sifts = 20,
				       .check_every = rng_int(&r, 1, 2) },
			};
			if (j.o.stop_rule == WS_STOP_FIXED)
				j.o.max_sifts = j.o.check_every = 0;
			j.x = random_signals(&r, &j.shape, (signal_kind)kind);
			compare(&j, (signal_kind)kind);
			random_job_free(&j);
		}
	printf("%d long signals, %d differ\n", compared, differ);
	assert_int_equal(differ, 0);
}

/* More rows than are worked on together, and ensembles of more than a chunk. */
static void
test_many(void **state)
{
	(void)state;
	rng r = { 63 };
	static const struct {
		size_t channels, samples;
		ws_method method;
		int realizations;
	} cases[] = {
		{ 3000, 100, WS_METHOD_EMD, 0 },      { 70, 3000, WS_METHOD_EMD, 0 },
		{ 2, 5000, WS_METHOD_ICEEMDAN, 100 }, { 3, 2000, WS_METHOD_EEMD, 64 },
		{ 2, 3000, WS_METHOD_CEEMDAN, 50 },
	};
	differ = compared = 0;
	for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; ++i) {
		job j = {
			.shape = { .channels = cases[i / 2].channels,
			           .samples = cases[i / 2].samples,
			           .type = (ws_type)(i & 1) },
			.o = { .method = cases[i / 2].method,
			       .realizations = cases[i / 2].realizations,
			       .sifts = i / 2 % 2 ? 5 : 0,
			       .seed = 5 },
		};
		j.x = random_signals(&r, &j.shape, SIGNAL_CHIRP_NOISE);
		compare(&j, SIGNAL_CHIRP_NOISE);
		random_job_free(&j);
	}
	printf("%d large jobs, %d differ\n", compared, differ);
	assert_int_equal(differ, 0);
}

/* Does the plan keep residues in host memory? */
static bool
has_host_rows(const job *j)
{
	ws_ctx_opts c = { .size = sizeof c, .device = "cuda", .device_memory = j->device_memory };
	ws_shape shape = j->shape;
	ws_emd_opts o = j->o;
	ws_ctx *ctx;
	ws_plan *plan;
	shape.size = sizeof shape;
	o.size = sizeof o;
	o.tag = WS_TAG_EMD;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, emd_fit(&o), &shape, &o), WS_OK);
	assert_true(ws_plan_device_bytes(plan) <= j->device_memory);
	const bool has = ws_plan_host_bytes(plan) > 0;
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return has;
}

/* Ensembles whose residues alone take what a plan may use of the GPU; noise
 * drawn or the caller's. */
static void
test_host_rows(void **state)
{
	(void)state;
	rng r = { 64 };
	static const size_t lengths[] = { 700, 1999, 5000, 40001 };
	enum { MEMBERS = 400 };
	differ = compared = 0;
	for (int method = WS_METHOD_EEMD; method <= WS_METHOD_ICEEMDAN; ++method)
		for (int i = 0; i < 8; ++i) {
			job j = {
				.shape = { .channels = 2,
				           .samples = lengths[i / 2],
				           .type = (ws_type)(i & 1) },
				.o = { .method = (ws_method)method,
				       .realizations = MEMBERS,
				       .modes = 3,
				       .sifts = 4,
				       .pairs = method == WS_METHOD_EEMD && i % 4 == 1,
				       .channel_noise = i % 4 == 2 ? WS_NOISE_INDEPENDENT : 0 },
			};
			j.device_memory = MEMBERS * j.shape.samples * type_size(j.shape.type);
			j.x = random_signals(&r, &j.shape, SIGNAL_TONES);
			const ws_shape members = { .channels = MEMBERS, .samples = j.shape.samples,
				                   .type = j.shape.type };
			if (i % 4 == 3)
				j.noise = random_signals(&r, &members, SIGNAL_WHITE);
			assert_true(has_host_rows(&j));
			compare(&j, SIGNAL_TONES);
			random_job_free(&j);
		}
	printf("%d ensembles with residues in host memory, %d differ\n", compared, differ);
	assert_int_equal(compared, 24);
	assert_int_equal(differ, 0);
}

/* Clean tones end in an overshoot, which is no mode: the rest stays as it was. */
static void
test_overshoot(void **state)
{
	(void)state;
	static const size_t lengths[] = { 700, 3001, 60000, 300000 };
	const double turn = 6.283185307179586;
	differ = compared = 0;
	for (int i = 0; i < 8; ++i) {
		job j = { .shape = { .channels = 3,
			             .samples = lengths[i / 2],
			             .type = (ws_type)(i & 1) } };
		double *x = need(j.shape.channels * j.shape.samples * sizeof *x);
		for (size_t k = 0; k < j.shape.channels * j.shape.samples; ++k) {
			const double t = (double)k / 1000.0;
			x[k] = sin(turn * 10.0 * t) + 0.5 * sin(turn * 100.0 * t);
			if (j.shape.type == WS_F32)
				((float *)x)[k] = (float)x[k];
		}
		j.x = x;
		compare(&j, SIGNAL_TONES);
		random_job_free(&j);
	}
	printf("%d jobs of clean tones, %d differ\n", compared, differ);
	assert_int_equal(compared, 8);
	assert_int_equal(differ, 0);
}

/* The last knots that a tile's slopes depend on, and that tell that there are no more. */
static void
test_far_ends(void **state)
{
	(void)state;
	rng r = { 65 };
	differ = compared = 0;
	for (int i = 0; i < (slow_tier() ? 400 : 60); ++i) {
		job j = {
			.shape = { .channels = i % 3 == 2 ? 24 : 1,
			           .samples = (size_t)rng_int(&r, 3000, 60000),
			           .type = (ws_type)(i & 1) },
			.o = { .spline = i % 5 == 4 ? WS_SPLINE_NATURAL : WS_SPLINE_NOT_A_KNOT,
			       .sifts = 3,
			       .modes = 2 },
		};
		j.x = random_signals(&r, &j.shape, SIGNAL_FADING);
		compare(&j, SIGNAL_FADING);
		random_job_free(&j);
	}
	printf("%d jobs of fading waves, %d differ\n", compared, differ);
	assert_int_equal(differ, 0);
}

/* Rows by teams: in wide tiles, three or four of them each; by turns, where these are too many for
 * the device at once (f64: all); and after a relay in the first modes (f32, a fixed number of
 * sifts); every kind of signal, every rule. */
static void
test_teams(void **state)
{
	(void)state;
	rng r = { 66 };
	static const struct { size_t rows; int least, most; } shapes[] = {
		{ 40, 10241, 12288 }, { 60, 12289, 16384 }, { 100, 12289, 16384 },
		{ 75, 20481, 24576 },
	};
	differ = compared = 0;
	for (int i = 0; i < 8 * SIGNAL_KINDS; ++i) {
		const int shape = i / 2 % 4;
		job j = {
			.shape = { .channels = shapes[shape].rows,
			           .type = (ws_type)(i & 1),
			           .samples = (size_t)rng_int(&r, shapes[shape].least,
			                                      shapes[shape].most) },
			.o = { .boundary = (ws_boundary)rng_int(&r, 1, 3),
			       .spline = (ws_spline)rng_int(&r, 1, 4),
			       .stop_rule = i % 3 ? WS_STOP_FIXED : (ws_stop)rng_int(&r, 1, 7),
			       .modes = 5 },
		};
		if (j.o.stop_rule != WS_STOP_FIXED)
			j.o.max_sifts = 12;
		j.x = random_signals(&r, &j.shape, (signal_kind)(i / 8));
		compare(&j, (signal_kind)(i / 8));
		random_job_free(&j);
	}
	printf("%d jobs of teams, %d differ\n", compared, differ);
	assert_int_equal(compared, 8 * SIGNAL_KINDS);
	assert_int_equal(differ, 0);
}

/* Rows that one block holds, as many as make that worth it, by every rule. */
static void
test_whole_rows(void **state)
{
	(void)state;
	static const int longest[] = { 1024, 2048, 3072, 4096, 5120, 8192, 10240 };
	enum { LENGTHS = sizeof longest / sizeof *longest };
	rng r = { 68 };
	differ = compared = 0;
	for (int i = 0; i < LENGTHS * 7 * 2; ++i) {
		const int n = longest[i / 14];
		job j = {
			.shape = { .channels = 140,
			           .type = i % 2 ? WS_F64 : WS_F32,
			           .samples = (size_t)rng_int(&r, n - 400, n) },
			.o = { .boundary = (ws_boundary)rng_int(&r, 1, 3),
			       .spline = (ws_spline)rng_int(&r, 1, 4),
			       .stop_rule = (ws_stop)(1 + i / 2 % 7),
			       .check_every = rng_int(&r, 1, 2),
			       .modes = rng_int(&r, 1, 4) },
		};
		if (j.o.stop_rule != WS_STOP_FIXED)
			j.o.max_sifts = 6;
		j.x = random_signals(&r, &j.shape, (signal_kind)(i % SIGNAL_KINDS));
		compare(&j, (signal_kind)(i % SIGNAL_KINDS));
		random_job_free(&j);
	}
	printf("%d jobs of whole rows, %d differ\n", compared, differ);
	assert_int_equal(compared, LENGTHS * 7 * 2);
	assert_int_equal(differ, 0);
}

/* Makes every second sample of some stretches of most channels a maximum, those between minima. */
static void
alternate(job *j, rng *r)
{
	const size_t n = j->shape.samples;
	for (size_t i = 0; i < j->shape.channels * n; ++i) {
		const double v = (i % 2 ? 1.0 : -1.0) * (1.0 + 0.5 * rng_uniform(r));
		if (i / 1700 % 3 == 2 || i / n % 4 == 1)
			continue;
		if (j->shape.type == WS_F64)
			((double *)j->x)[i] = v;
		else
			((float *)j->x)[i] = (float)v;
	}
}

/* More extrema than there usually is room for, in a tile or in a whole row. */
static void
test_crowded(void **state)
{
	(void)state;
	enum { JOBS = 60 };
	rng r = { 67 };
	differ = compared = 0;
	for (int i = 0; i < JOBS; ++i) {
		const int n = i % 3 ? rng_int(&r, 600, 10240) : rng_int(&r, 11000, 14000);
		job j = {
			.shape = { .channels = 230,
			           .type = i % 4 == 3 ? WS_F64 : WS_F32,
			           .samples = (size_t)n },
			.o = { .boundary = (ws_boundary)(1 + i / 4 % 4),
			       .spline = (ws_spline)rng_int(&r, 1, 4),
			       .stop_rule = i % 5 ? WS_STOP_FIXED : (ws_stop)rng_int(&r, 1, 7),
			       .modes = 2 },
		};
		if (j.o.stop_rule != WS_STOP_FIXED)
			j.o.max_sifts = 6;
		j.x = random_signals(&r, &j.shape, SIGNAL_CHIRP_NOISE);
		alternate(&j, &r);
		compare(&j, SIGNAL_CHIRP_NOISE);
		random_job_free(&j);
	}
	printf("%d crowded jobs, %d differ\n", compared, differ);
	assert_int_equal(compared, JOBS);
	assert_int_equal(differ, 0);
}

/* Rows whose sifts are made in a relay, beside others that have few knots from the start or are too
 * crowded; every kind of signal. */
static void
test_relays(void **state)
{
	(void)state;
	rng r = { 70 };
	differ = compared = 0;
	for (int i = 0; i < 2 * SIGNAL_KINDS; ++i) {
		const bool f64 = i & 1;
		job j = {
			.shape = { .channels = (size_t)(f64 ? rng_int(&r, 36, 60)
			                                    : rng_int(&r, 45, 130)),
			           .type = f64 ? WS_F64 : WS_F32,
			           .samples = (size_t)rng_int(&r, 42000, 50000) },
			.o = { .boundary = (ws_boundary)rng_int(&r, 1, 3),
			       .spline = (ws_spline)rng_int(&r, 1, 4),
			       .sifts = rng_int(&r, 1, 6),
			       .modes = rng_int(&r, 1, 5) },
		};
		j.x = random_signals(&r, &j.shape, (signal_kind)(i / 2));
		if (i % 7 == 3)
			alternate(&j, &r);
		compare(&j, (signal_kind)(i / 2));
		random_job_free(&j);
	}
	printf("%d jobs of relays, %d differ\n", compared, differ);
	assert_int_equal(compared, 2 * SIGNAL_KINDS);
	assert_int_equal(differ, 0);
}

/* Memory for one mode at a time, for some of the rows, or both. */
static void
test_short_memory(void **state)
{
	(void)state;
	static const struct { size_t rows, samples, megabytes;
	} shapes[] = {
		{ 1, 400000, 12 }, { 1, 400000, 60 }, { 300, 20000, 60 },
		{ 300, 8000, 20 }, { 300, 8000, 60 },
	};
	rng r = { 71 };
	differ = compared = 0;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
		job j = { .shape = { .channels = shapes[i].rows,
			             .samples = shapes[i].samples,
			             .type = WS_F32 },
			  .o = { .sifts = 3 },
			  .device_memory = shapes[i].megabytes << 20 };
		j.x = random_signals(&r, &j.shape, SIGNAL_CHIRP_NOISE);
		compare(&j, SIGNAL_CHIRP_NOISE);
		random_job_free(&j);
	}
	printf("%d jobs in little memory, %d differ\n", compared, differ);
	assert_int_equal(compared, sizeof shapes / sizeof *shapes);
	assert_int_equal(differ, 0);
}

/* Extrema between two samples, which lie in plateaus across the edges of threads, warps, tiles and
 * rows, on each way: short rows, whole rows, teams, a relay, steps. */
static void
test_plateaus(void **state)
{
	(void)state;
	static const struct { int rows, samples; bool fixed;
	} shapes[] = {
		{ 300, 512, false },  { 2, 333, false },    { 140, 2048, false },
		{ 140, 4000, false }, { 140, 10000, true }, { 1, 20000, false },
		{ 40, 11000, false }, { 60, 45000, true },  { 60, 45000, false },
	};
	rng r = { 72 };
	int n = 0;
	differ = compared = 0;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i)
		for (int boundary = 1; boundary <= 4; ++boundary)
			for (int kind = 0; kind < PLATEAU_KINDS; ++kind)
				for (int type = 0; type < 2; ++type, ++n) {
					job j = {
						.shape = { .channels = (size_t)shapes[i].rows,
						           .samples = (size_t)shapes[i].samples,
						           .type = (ws_type)type },
						.o = { .boundary = (ws_boundary)boundary,
						       .spline = (ws_spline)(1 + (n + n / 4) % 4),
						       .stop_rule = shapes[i].fixed || n % 3
						                       ? WS_STOP_FIXED
						                       : (ws_stop)rng_int(&r, 1, 7),
						       .modes = 2 },
					};
					if (j.o.stop_rule == WS_STOP_FIXED)
						j.o.sifts = rng_int(&r, 1, 4);
					else
						j.o.max_sifts = 6;
					if (!slow_tier() && shapes[i].rows >= 40 &&
					    (boundary + kind + type) % 2)
						continue;
					j.x = plateau_signals(&r, &j.shape, (plateau_kind)kind);
					compare(&j, SIGNAL_QUANTISED);
					random_job_free(&j);
				}
	printf("%d jobs of plateaus, %d differ\n", compared, differ);
	assert_int_equal(differ, 0);
}

/* Units and offsets far from 1 and 0, others in each channel and realization. */
static void
test_units(void **state)
{
	(void)state;
	static const int exponents[2][4] = { { -100, -43, 60, 117 }, { -960, -200, 500, 1000 } };
	rng r = { 73 };
	differ = compared = 0;
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_ICEEMDAN; ++method)
		for (int i = 0; i < 32; ++i) {
			const ws_type type = i & 1 ? WS_F64 : WS_F32;
			const int exponent = exponents[type == WS_F64][i / 2 % 4];
			job j = {
				.shape = { .channels = 1 + (size_t)(i % 3),
				           .samples =
				                   (size_t)rng_int(&r, 100, i % 5 ? 3000 : 20000),
				           .type = type },
				.o = { .method = (ws_method)method,
				       .boundary = (ws_boundary)(1 + i % 4),
				       .stop_rule = i % 3 ? (ws_stop)rng_int(&r, 1, 7) : 0,
				       .modes = 4,
				       .seed = 3 },
			};
			if (j.o.stop_rule == WS_STOP_FIXED)
				j.o.sifts = 4;
			else if (j.o.stop_rule)
				j.o.max_sifts = 10;
			j.o.realizations = method == WS_METHOD_EMD ? 0 : 10;
			j.o.snr = i % 8 == 1 ? WS_SNR_CONSTANT : WS_SNR_INCREASING;
			j.x = random_signals(&r, &j.shape,
			                     i % 2 ? SIGNAL_CHIRP_NOISE : SIGNAL_WALK);
			for (size_t c = 0; c < j.shape.channels; ++c)
				change_unit(&j.shape, (void *)j.x, c, exponent + 2 * (int)c,
				            i % 4 == 2 ? 100.0 : 0.0);
			const ws_shape members = { .channels = (size_t)j.o.realizations,
				                   .samples = j.shape.samples,
				                   .type = type };
			if (method != WS_METHOD_EMD && i % 4 == 1)
				j.noise = random_signals(&r, &members, SIGNAL_WHITE);
			/* At increasing SNR a stage's noise has the unit of the one before times
			 * that of w. */
			const int unit = j.o.snr == WS_SNR_CONSTANT && method >= WS_METHOD_CEEMDAN
			                         ? -exponent / 2
			                         : 0;
			for (size_t c = 0; j.noise && c < members.channels; ++c)
				change_unit(&members, (void *)j.noise, c, (int)(c % 3) + unit, 0.0);
			compare(&j, SIGNAL_WALK);
			random_job_free(&j);
		}
	printf("%d jobs in other units, %d differ\n", compared, differ);
	assert_true(compared > 100);
	assert_int_equal(differ, 0);
}

/* Noise of so large a unit that stages overflow: whatever comes of it, the next job knows nothing
 * of it. */
static void
test_overflow(void **state)
{
	(void)state;
	rng r = { 74 };
	for (int i = 0; i < 8; ++i) {
		job j = {
			.shape = { .channels = 2,
			           .samples = i / 2 % 2 ? 5000 : 469,
			           .type = i & 1 ? WS_F64 : WS_F32 },
			.o = { .method = i < 4 ? WS_METHOD_CEEMDAN : WS_METHOD_ICEEMDAN,
			       .realizations = 10,
			       .snr = WS_SNR_INCREASING,
			       .stop_rule = i % 3 ? WS_STOP_S_NUMBER : WS_STOP_FIXED },
			.device = "cuda",
		};
		const ws_shape members = { .channels = 10,
			                   .samples = j.shape.samples,
			                   .type = j.shape.type };
		result got;
		j.x = random_signals(&r, &j.shape, SIGNAL_WALK);
		j.noise = random_signals(&r, &members, SIGNAL_WHITE);
		for (size_t c = 0; c < members.channels; ++c)
			change_unit(&members, (void *)j.noise, c, i & 1 ? 480 : 60, 0.0);
		decompose(&j, &got);
		result_free(&got);
		random_job_free(&j);
		job next = { .shape = j.shape };
		next.x = random_signals(&r, &next.shape, SIGNAL_WALK);
		differ = compared = 0;
		compare(&next, SIGNAL_WALK);
		assert_int_equal(differ, 0);
		random_job_free(&next);
	}
}

/* Of calls until the user cancels. */
static int
count_down(void *left, double done)
{
	assert_true(done >= 0.0 && done <= 1.0);
	return (*(int *)left)-- == 0;
}

/* Whatever the device was at when the user cancelled, the next decomposition knows nothing of
 * it. */
static void
test_cancelled(void **state)
{
	(void)state;
	static const ws_shape shapes[] = {
		{ .channels = 1000, .samples = 8000, .type = WS_F32 },   /* whole rows, drawn */
		{ .channels = 20, .samples = 30000, .type = WS_F64 },    /* teams */
		{ .channels = 100, .samples = 100000, .type = WS_F32 },  /* a relay */
		{ .channels = 100, .samples = 20480, .type = WS_F32 },   /* a relay, then teams */
	};
	rng r = { 69 };
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
		job j = { .shape = shapes[i],
			  .o = { .sifts = 300, .modes = 3 },
			  .device = "cuda" };
		j.x = random_signals(&r, &j.shape, SIGNAL_WHITE);
		result want, got;
		must_decompose(&j, &want);
		for (int calls = 0; calls < 3; ++calls) {
			int left = calls;
			j.progress = count_down;
			j.user = &left;
			/* The last may come too late. */
			const ws_status status = decompose(&j, &got);
			assert_int_equal(status, left < 0 ? WS_E_CANCELLED : WS_OK);
			assert_true(calls > 0 || status == WS_E_CANCELLED);
			assert_true(left >= -1);
			result_free(&got);
			j.progress = NULL;
			must_decompose(&j, &got);
			assert_true(same_result(&want, &got));
			result_free(&got);
		}
		result_free(&want);
		random_job_free(&j);
	}
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_emd),
		cmocka_unit_test(test_eemd),
		cmocka_unit_test(test_ceemdan),
		cmocka_unit_test(test_iceemdan),
		cmocka_unit_test(test_all_combinations),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_host_rows),
		cmocka_unit_test(test_overshoot),
		cmocka_unit_test(test_far_ends),
		cmocka_unit_test(test_teams),
		cmocka_unit_test(test_whole_rows),
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_relays),
		cmocka_unit_test(test_plateaus),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_short_memory),
		cmocka_unit_test(test_cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
