/*
 * test_octaves.c - one array an octave: each holds what the transform at every sample has at its
 * times, for any wavelet, quantity, padding, axis and length, however the work is cut; nothing
 * folds; what makes no sense is refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cwt_test.h"
#include "octaves_test.h"

enum { MOST = 3 * 40000 };
static double x[MOST];

static void
fill(uint64_t seed)
{
	rng r = { seed };
	double walk = 0.0;
	for (size_t i = 0; i < MOST; ++i) {
		walk = 0.999 * walk + rng_normal(&r);
		x[i] = 0.2 * walk + rng_normal(&r);
	}
}

/* Paul wavelets hear slow waves at all scales, and both transforms round. */
static double
bound(const octaves_task *task)
{
	return task->shape.type == WS_F64 ? 1e-12 : task->o.wavelet == WS_WAVELET_PAUL ? 2e-6
		: 1e-6;
}

static octaves_task
task_of(size_t channels, size_t samples, ws_type type, ws_cwt_opts o)
{
	return (octaves_task){ .shape = { .channels = channels, .samples = samples, .fs = 500.0,
		.type = type }, .o = o, .x = x, .device = "cpu" };
}

static octaves_result
equals(const octaves_task *task, const char *what)
{
	const octaves_result r = octaves_compare(task);
	if (!(r.error <= bound(task)))
		fail_msg("%s, %zu samples: %g of the peak\n%s", what, task->shape.samples, r.error,
		         r.plan);
	return r;
}

/* Any wavelet, quantity, padding, length and base, both types. */
static void
octaves_are_the_transform_sampled(void **state)
{
	(void)state;
	static const ws_cwt_opts kinds[] = {
		{ .freqs.low = 1.0, .freqs.high = 180.0 },
		{ .freqs.low = 2.0, .freqs.high = 100.0, .quantity = WS_QUANTITY_POWER,
			.voices = 3 },
		{ .freqs.low = 2.0, .freqs.high = 100.0, .quantity = WS_QUANTITY_MAGNITUDE,
			.decimate = 5 },
		{ .freqs.low = 2.0, .freqs.high = 100.0, .quantity = WS_QUANTITY_PHASE,
			.freqs.count = 20 },
		{ .freqs.low = 2.0, .freqs.high = 90.0, .wavelet = WS_WAVELET_MORSE,
			.padding = WS_PADDING_ZERO },
		{ .freqs.low = 4.0, .freqs.high = 60.0, .wavelet = WS_WAVELET_DOG, .voices = 4 },
		{ .freqs.low = 4.0, .freqs.high = 90.0, .wavelet = WS_WAVELET_BUMP,
			.padding = WS_PADDING_PERIODIC },
		{ .freqs.low = 2.0, .freqs.high = 60.0, .fwhm = 0.3, .voices = 5 },
		{ .freqs.low = 4.0, .freqs.high = 100.0, .reference = WS_CWT_REF_TC, .voices = 4 },
		{ .freqs.low = 8.0, .freqs.high = 100.0, .reference = WS_CWT_REF_MNE, .voices = 4 },
		{ .freqs.low = 4.0, .freqs.high = 60.0, .wavelet = WS_WAVELET_PAUL, .voices = 4 },
	};
	static const size_t lengths[] = { 2000, 3001, 20000, 40000 };
	fill(1);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
		for (int wide = 0; wide < 2; ++wide)
			for (size_t n = 0; n < 2 + 2 * (k < 2); ++n) {
				char what[32];
				const octaves_task task = task_of(2, lengths[n], wide ? WS_F64
				                                  : WS_F32, kinds[k]);
				snprintf(what, sizeof what, "kind %zu", k);
				const octaves_result r = equals(&task, what);
				assert_true(r.octaves >= 3 && r.octaves <= 8);
			}
}

/* The default axis: every octave has half the outputs of the one before, as far as any are. */
static void
octaves_get_sparser(void **state)
{
	(void)state;
	fill(2);
	const octaves_task task = task_of(1, 40000, WS_F32, (ws_cwt_opts){ .freqs.low = 0.7 });
	const octaves_result r = equals(&task, "default");
	size_t sum = 0;
	assert_int_equal(r.octaves, 9);
	for (int o = 0; o < r.octaves; ++o) {
		assert_int_equal(r.decimate[o], (size_t)1 << o);
		sum += r.outputs[o];
	}
	assert_true(sum < 2 * 40000 + 10);
}

/* Threads, blocks of channels, parts of the frequencies: the same bits. */
static void
bits_do_not_depend_on_the_cut(void **state)
{
	(void)state;
	fill(3);
	for (int wide = 0; wide < 2; ++wide) {
		octaves_task task = task_of(3, 30011, wide ? WS_F64 : WS_F32,
		                            (ws_cwt_opts){ .freqs.low = 0.5, .freqs.high = 190.0 });
		const uint64_t bits = equals(&task, "whole").bits;
		static const size_t memory[] = { 0, (size_t)1 << 30, 32 << 20, 20 << 20 };
		size_t most = 0;
		for (int threads = 1; threads <= 3; ++threads)
			for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) {
				/* f32 needs half as much. */
				task.memory = wide ? memory[i] : memory[i] / 2;
				task.threads = threads;
				const octaves_result r = equals(&task, "cut");
				assert_true(r.bits == bits);
				most = r.blocks > most ? r.blocks : most;
			}
		assert_true(most > 3);
	}
}

/* Frequencies in any order, twice, with octaves between them that have none. */
static void
axis_unsorted(void **state)
{
	(void)state;
	fill(4);
	const double f[] = { 30.0, 2.0, 170.0, 2.1, 41.0, 30.5, 90.0, 2.9 };
	octaves_task task = task_of(2, 9000, WS_F64, (ws_cwt_opts){ .frequencies = f,
		.frequency_count = 8, .quantity = WS_QUANTITY_POWER });
	octaves_result r = equals(&task, "unsorted");
	/* 170, 90; none down to 42.5; 30, 41, 30.5; 2.9; 2, 2.1 */
	assert_int_equal(r.octaves, 4);
	const double cycles[] = { 3.0, 9.0, 5.0, 4.0, 6.0, 7.0, 8.0, 5.5 };
	task.o.cycles = cycles;
	task.o.cycle_count = 8;
	r = equals(&task, "cycles of their own");
	task.o.frequency_count = 1;
	task.o.cycle_count = 1;
	assert_int_equal(equals(&task, "one").octaves, 1);
}

/* What the decimation folds into the band of an octave is below 1e-3 of the peak: a tone's power
 * between the samples is that which interpolation by all samples tells. */
static void
nothing_folds(void **state)
{
	(void)state;
	enum { N = 8192 };
	for (int tone = 0; tone < 40; ++tone) {
		/* Two tones of one octave beat: the fastest change that power can have. */
		const double a = 12.0 * pow(2.0, tone / 10.0), b = a * 1.4;
		for (size_t t = 0; t < N; ++t)
			x[t] = cos(2 * PI * a * (double)t / 500.0) +
			       cos(2 * PI * b * (double)t / 500.0);
		const double middle = sqrt(a * b);
		const octaves_task task = task_of(1, N, WS_F64, (ws_cwt_opts){
			.frequencies = &middle, .frequency_count = 1,
				.quantity = WS_QUANTITY_POWER });
		const octaves_result r = equals(&task, "tones");
		/* The beat is sampled more than twice a period. */
		assert_true(500.0 / (double)r.decimate[0] > 2.0 * (b - a));
		/* ..and with no more than twice what the wavelet's band needs: of omega0 6 it
		 * reaches 0.876 of its frequency at -30 dB. */
		const double rate = 2.0 * 0.876 * middle;
		assert_true(500.0 / (double)r.decimate[0] >= rate * 0.999);
		assert_true(r.decimate[0] == 1 || 250.0 / (double)r.decimate[0] < rate * 1.001);
	}
}

/* Signals shorter than a step, scales beyond the signal. */
static void
short_signals(void **state)
{
	(void)state;
	fill(5);
	for (size_t n = 1; n < 40; ++n) {
		const octaves_task task = task_of(2, n, WS_F64, (ws_cwt_opts){ .freqs.low = 100.0,
			.freqs.high = 200.0, .padding = WS_PADDING_PERIODIC,
			.decimate = n > 3 ? 3 : 1 });
		const octaves_result r = equals(&task, "short");
		for (int o = 0; o < r.octaves; ++o)
			assert_true(r.outputs[o] >= 1);
	}
	const double scale[] = { 1000.0, 0.01 };
	octaves_task task = task_of(1, 300, WS_F64, (ws_cwt_opts){ .scales = scale,
		.scale_count = 2, .padding = WS_PADDING_ZERO });
	const octaves_result r = octaves_compare(&task);
	assert_int_equal(r.octaves, 2);
	assert_true(r.outputs[1] >= 8);
}

static void
refuses(const char *name, const ws_cwt_opts *o, size_t n, const char *what)
{
	ws_ctx *ctx;
	ws_plan *plan;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = n, .fs = 500.0,
		.epochs = strcmp(name, "trials") == 0 ? 3 : 0, .type = WS_F32 };
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, name, &shape, o), WS_E_ARG);
	if (!strstr(ws_error_detail(), what))
		fail_msg("%s: \"%s\" lacks \"%s\"", name, ws_error_detail(), what);
	ws_ctx_destroy(ctx);
}

static void
nonsense_is_refused(void **state)
{
	(void)state;
	static const char *const others[] = { "bands", "superlets", "trials", "coherence" };
	ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .octave_arrays = 1 };
	for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
		refuses(others[i], &o, 1000, "has no `octave_arrays`");
	o.decimate = 1001;
	refuses("cwt", &o, 1000, "decimate by less");
	o = (ws_cwt_opts){ .size = sizeof o, .tag = WS_TAG_CWT, .octave_arrays = 2 };
	refuses("cwt", &o, 1000, "`octave_arrays` must");
	double f[40];
	for (int i = 0; i < 40; ++i)
		f[i] = 200.0 * pow(0.5, i);
	o = (ws_cwt_opts){ .size = sizeof o, .tag = WS_TAG_CWT, .octave_arrays = 1, .frequencies = f,
		.frequency_count = 40 };
	refuses("cwt", &o, 1000, "more than 32 octaves");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(octaves_are_the_transform_sampled),
		cmocka_unit_test(octaves_get_sparser),
		cmocka_unit_test(bits_do_not_depend_on_the_cut), cmocka_unit_test(axis_unsorted),
		cmocka_unit_test(nothing_folds), cmocka_unit_test(short_signals),
		cmocka_unit_test(nonsense_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
