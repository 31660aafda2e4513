/*
 * test_hht_bits.c - Hilbert-Huang spectra have the same bits for any number of threads and
 * instruction set, by any cut, of modes that are given and of those that are decomposed here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_test.h"
#include "hht_test.h"

enum { CHANNELS = 3, SAMPLES = 1500, MODES = 5 };

static void
test_same_bits(void **state)
{
	static double x[CHANNELS * SAMPLES];
	const char *isa;
	(void)state;
	hht_noisy(x, CHANNELS * SAMPLES, 9);
	for (int method = 1; method <= 3; ++method)
		for (int reference = 0; reference < 2; ++reference) {
			hht one, other;
			hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100,
				.x = x,
				.o = { .frequency_method = (ws_hht_method)method, .parts = 255,
				       .reference = (ws_hht_reference)reference } };
			hht_must(&task, &one);
			assert_true(hht_at(&one, WS_HHT_MODE_COUNT, 0) > 3);
			for (task.threads = 2; task.threads < 9; task.threads += 3) {
				hht_must(&task, &other);
				hht_same(&one, &other, "threads");
				hht_free(&other);
			}
			task.threads = 1;
			for (int i = 0; (isa = isa_to_test(i)); ++i) {
				/* Plain twins of transforms go by their definition. */
				if (i == 0 && method != WS_HHT_QUADRATURE)
					continue;
				task.isa = isa;
				hht_must(&task, &other);
				hht_same(&one, &other, isa);
				hht_free(&other);
			}
			task.isa = NULL;
			task.o.parts = WS_HHT_PART_SPECTRUM;
			hht_must(&task, &other);
			hht_same(&one, &other, "fewer arrays");
			hht_free(&other);
			hht_free(&one);
		}
}

/* Modes that are given, and the same modes as the decomposition makes them. */
static void
test_given(void **state)
{
	static double x[CHANNELS * SAMPLES];
	(void)state;
	hht_noisy(x, CHANNELS * SAMPLES, 2);
	hht made, given;
	hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100, .x = x,
		.o = { .parts = 255, .emd = { .modes = 6 } } };
	hht_must(&task, &made);
	task.x = made.array[WS_HHT_MODES];
	task.o.modes_given = (int)made.modes;
	task.o.emd.modes = 0;
	hht_must(&task, &given);
	assert_null(given.array[WS_HHT_MODES]);
	assert_null(given.array[WS_HHT_RESIDUE]);
	/* The signal, its modes and the residue: as if decomposed here. */
	static double whole[CHANNELS][8][SAMPLES];
	for (size_t c = 0; c < CHANNELS; ++c) {
		memcpy(whole[c][0], x + c * SAMPLES, sizeof whole[c][0]);
		memcpy(whole[c][1], (double *)made.array[WS_HHT_MODES] + c * 6 * SAMPLES,
		       6 * sizeof whole[c][0]);
		memcpy(whole[c][7], (double *)made.array[WS_HHT_RESIDUE] + c * SAMPLES,
		       sizeof whole[c][0]);
	}
	assert_int_equal(made.modes, 6);
	hht_job all = task;
	all.x = whole;
	all.o.whole_given = 1;
	hht again;
	hht_must(&all, &again);
	assert_non_null(again.array[WS_HHT_RESIDUE]);
	assert_non_null(again.array[WS_HHT_ORTHOGONALITY]);
	hht_same(&made, &again, "whole");
	hht_free(&again);
	all.o.modes_given = 0;
	assert_int_equal(hht_make(&all, &again), WS_E_ARG);
	free(made.array[WS_HHT_ORTHOGONALITY]);   /* of x, which the given ones do not know */
	made.array[WS_HHT_ORTHOGONALITY] = NULL;
	hht_same(&made, &given, "given");
	hht_free(&given);
	/* Modes of another length beside each other. */
	hht_free(&made);
}

/* A run in so little memory that channels go one by one delivers what a plan gives. */
typedef struct sink {
	const double *x;
	size_t row;             /* numbers of x of a channel */
	hht *want;
	size_t channels;
} sink;

static ws_status
read_channel(void *user, size_t channel, void *to)
{
	const sink *s = user;
	memcpy(to, s->x + channel * s->row, s->row * sizeof(double));
	return WS_OK;
}

static ws_status
write_channel(void *user, const ws_channel_result *r)
{
	sink *s = user;
	const int arrays[] = { WS_HHT_INSTANTANEOUS_FREQUENCY, WS_HHT_SPECTRUM, WS_HHT_MARGINAL,
		WS_HHT_MODE_ENERGY };
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
		const size_t all = s->want->bytes[arrays[i]] / s->want->channels;
		const char *want = (const char *)s->want->array[arrays[i]] + r->channel * all;
		/* Rows beyond the channel's modes are left alone. */
		size_t bytes = all;
		if (arrays[i] == WS_HHT_INSTANTANEOUS_FREQUENCY || arrays[i] == WS_HHT_MODE_ENERGY)
			bytes = all / s->want->modes * r->slabs[arrays[i]].extent[0];
		assert_memory_equal(r->slabs[arrays[i]].data, want, bytes);
	}
	s->channels++;
	return WS_OK;
}

static void
test_run(void **state)
{
	static double x[CHANNELS * MODES * SAMPLES];
	(void)state;
	hht_some_modes(x, CHANNELS, MODES, SAMPLES, 8);
	for (int given = 0; given < 2; ++given) {
		hht h;
		const hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100, .x = x,
			.o = { .modes_given = given ? MODES : 0 } };
		hht_must(&task, &h);
		sink s = { .x = x, .row = given ? MODES * SAMPLES : SAMPLES, .want = &h };
		const ws_ctx_opts c = { .size = sizeof c, .threads = 1, .device = "cpu" };
		const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS,
			.samples = SAMPLES, .fs = 100 };
		ws_hht_opts o = task.o;
		ws_ctx *ctx;
		ws_run *run;
		o.size = sizeof o;
		o.tag = WS_TAG_HHT;
		assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
		assert_int_equal(ws_run_create(&run, ctx, "hht", &shape, &o, 0), WS_OK);
		const size_t bytes = ws_run_bytes(run);
		ws_run_destroy(run);
		assert_int_equal(ws_run_create(&run, ctx, "hht", &shape, &o, bytes - 1), WS_OK);
		assert_true(ws_run_blocks(run) > 1);
		const ws_stream stream = { .size = sizeof stream, .read = read_channel,
			.write = write_channel, .user = &s };
		assert_int_equal(ws_run_execute(run, &stream), WS_OK);
		assert_int_equal(s.channels, CHANNELS);
		ws_run_destroy(run);
		ws_ctx_destroy(ctx);
		hht_free(&h);
	}
}

/* A unit of 2^k scales amplitudes, and squares it where energy is meant. */
static void
test_unit(void **state)
{
	static double x[SAMPLES], y[SAMPLES];
	(void)state;
	hht_noisy(x, SAMPLES, 4);
	for (int k = -300; k <= 300; k += 300)
		for (int method = 1; method <= 3; ++method) {
			hht a, b;
			for (int i = 0; i < SAMPLES; ++i)
				y[i] = ldexp(x[i], k);
			hht_job task = { .channels = 1, .samples = SAMPLES, .fs = 100, .x = x,
				.o = { .frequency_method = (ws_hht_method)method,
				       .significance = WS_HHT_WU_HUANG } };
			hht_must(&task, &a);
			task.x = y;
			hht_must(&task, &b);
			const size_t n = (size_t)hht_at(&a, WS_HHT_MODE_COUNT, 0);
			for (size_t i = 0; i < n * SAMPLES; ++i) {
				assert_true(hht_at(&a, WS_HHT_INSTANTANEOUS_FREQUENCY, i) ==
				            hht_at(&b, WS_HHT_INSTANTANEOUS_FREQUENCY, i));
				assert_true(ldexp(hht_at(&a, WS_HHT_AMPLITUDE, i), k) ==
				            hht_at(&b, WS_HHT_AMPLITUDE, i));
			}
			for (size_t i = 0; i < a.bins * a.times; ++i)
				assert_true(ldexp(hht_at(&a, WS_HHT_SPECTRUM, i), 2 * k) ==
				            hht_at(&b, WS_HHT_SPECTRUM, i));
			for (size_t i = 0; i < n; ++i) {
				assert_true(hht_at(&a, WS_HHT_OUTSIDE, i) ==
				            hht_at(&b, WS_HHT_OUTSIDE, i));
				assert_true(ldexp(hht_at(&a, WS_HHT_NOISE_HIGH, i), 2 * k) ==
				            hht_at(&b, WS_HHT_NOISE_HIGH, i));
			}
			hht_free(&a);
			hht_free(&b);
		}
}

/* Power that the type does not hold, at either end, is refused by name. */
static void
test_power_of_the_type(void **state)
{
	static double x[SAMPLES], y[SAMPLES];
	static float z[SAMPLES];
	static const struct { double by; ws_type type; bool good; } cases[] = {
		{ 1e150, WS_F64, true }, { 1e-150, WS_F64, true }, { 1e300, WS_F64, false },
		{ 1e-300, WS_F64, false }, { 1e155, WS_F64, false }, { 1e-155, WS_F64, false },
		{ 1e16, WS_F32, true }, { 1e-17, WS_F32, true }, { 1e30, WS_F32, false },
		{ 1e-30, WS_F32, false },
	};
	(void)state;
	hht_noisy(x, SAMPLES, 4);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		for (int k = 0; k < SAMPLES; ++k) {
			y[k] = cases[i].by * x[k];
			z[k] = (float)(cases[i].type == WS_F32 ? y[k] : 0.0);
		}
		hht h;
		hht_job task = { .channels = 1, .samples = SAMPLES, .fs = 100,
			.type = cases[i].type,
			.x = cases[i].type == WS_F32 ? (void *)z : (void *)y };
		const ws_status status = hht_make(&task, &h);
		assert_int_equal(status, cases[i].good ? WS_OK : WS_E_FORMAT);
		if (status != WS_OK) {
			assert_non_null(strstr(ws_error_detail(), "channel 0: the power"));
			assert_non_null(strstr(ws_error_detail(), cases[i].by > 1 ? "more" : "less"));
			continue;
		}
		double sum = 0.0;
		for (size_t k = 0; k < h.bins * h.times; ++k)
			sum += hht_at(&h, WS_HHT_SPECTRUM, k);
		assert_true(sum > 0.0 && sum < HUGE_VAL);
		hht_free(&h);
	}
	/* Of f32 the arrays of f64 alone. */
	for (int k = 0; k < SAMPLES; ++k)
		z[k] = (float)(1e-30 * x[k]);
	hht h;
	hht_job task = { .channels = 1, .samples = SAMPLES, .fs = 100, .type = WS_F32, .x = z,
		.o = { .parts = WS_HHT_PART_MARGINAL } };
	hht_must(&task, &h);
	assert_true(hht_at(&h, WS_HHT_MODE_ENERGY, 0) > 0.0);
	hht_free(&h);
}

/* Amplitudes of any magnitude are brought to scale: the same bits, moved by a power of two.  Squares
 * that f64 does not hold are infinite or 0, never NaN. */
static void
test_amplitudes_of_any_size(void **state)
{
	static double x[SAMPLES], y[SAMPLES];
	static const int scaled[] = { WS_HHT_AMPLITUDE, WS_HHT_SPECTRUM, WS_HHT_MARGINAL,
		WS_HHT_MODE_MARGINAL, WS_HHT_HOLOSPECTRUM };
	static const int squares[] = { WS_HHT_MODE_ENERGY, WS_HHT_NOISE_LOW, WS_HHT_NOISE_HIGH,
		WS_HHT_POWER };
	(void)state;
	hht_noisy(x, SAMPLES, 4);
	for (int k = -990; k <= 1000; k += 1990) {
		for (int i = 0; i < SAMPLES; ++i)
			y[i] = ldexp(x[i], k);
		hht_job task = { .channels = 1, .samples = SAMPLES, .fs = 100, .x = x,
			.o = { .quantity = WS_HHT_QUANTITY_AMPLITUDE, .significance = WS_HHT_WU_HUANG,
			       .parts = WS_HHT_PARTS_DEFAULT | WS_HHT_PART_HOLOSPECTRUM } };
		hht a, b;
		hht_must(&task, &a);
		task.x = y;
		hht_must(&task, &b);
		for (size_t s = 0; s < sizeof scaled / sizeof *scaled; ++s)
			for (size_t i = 0; i < a.bytes[scaled[s]] / 8; ++i)
				assert_true(ldexp(hht_at(&a, scaled[s], i), k) ==
				            hht_at(&b, scaled[s], i));
		for (size_t i = 0; i < a.bytes[WS_HHT_ORTHOGONALITY] / 8; ++i)
			assert_true(hht_at(&a, WS_HHT_ORTHOGONALITY, i) ==
			            hht_at(&b, WS_HHT_ORTHOGONALITY, i));
		for (size_t s = 0; s < sizeof squares / sizeof *squares; ++s)
			for (size_t i = 0; i < a.bytes[squares[s]] / 8; ++i) {
				const double one = hht_at(&a, squares[s], i);
				assert_true(hht_at(&b, squares[s], i) ==
				            (one > 0.0 && k > 0 ? HUGE_VAL : 0.0));
			}
		hht_free(&a);
		hht_free(&b);
	}
}

/* One thread adds modes to the spectrum one by one, unless their own spectra are wanted; several do
 * time bin by time bin.  Some modes are zero. */
static void
test_one_by_one(void **state)
{
	enum { N = 6000 };
	static double x[CHANNELS * MODES * N];
	const int parts[] = { WS_HHT_PART_SPECTRUM | WS_HHT_PART_MARGINAL,
		              WS_HHT_PART_SPARSE, WS_HHT_PART_SPECTRUM | WS_HHT_PART_SPARSE |
		              WS_HHT_PART_INSTANTANEOUS };
	(void)state;
	hht_some_modes(x, CHANNELS, MODES, N, 4);
	for (int i = 0; i < 12; ++i) {
		hht one, other;
		hht_job task = { .channels = CHANNELS, .samples = N, .fs = 100, .x = x,
			.o = { .parts = parts[i % 3], .modes_given = MODES,
			       .time_bin = i < 6 ? 0.83 : 7.0,
			       .sparse_cells = parts[i % 3] & WS_HHT_PART_SPARSE ? 2 : 0,
			       .exclude = i % 2 ? WS_HHT_EXCLUDE_OUTLIERS : WS_HHT_EXCLUDE_NONE,
			       .quantity = i % 4 ? WS_HHT_QUANTITY_DENSITY : WS_HHT_QUANTITY_AMPLITUDE } };
		hht_must(&task, &one);
		task.threads = 3;
		hht_must(&task, &other);
		hht_same(&one, &other, "threads");
		hht_free(&other);
		task.threads = 1;
		task.o.parts |= WS_HHT_PART_MODE_SPECTRUM;
		hht_must(&task, &other);
		hht_same(&one, &other, "spectra of modes");
		hht_free(&other);
		hht_free(&one);
	}
}

/* f32 is f64 to rounding, however long the phase has become. */
static void
test_single(void **state)
{
	enum { N = 40000 };
	static double x[N];
	static float y[N];
	(void)state;
	for (int i = 0; i < N; ++i)
		x[i] = y[i] = (float)cos(1.9 * i + sin(0.01 * i));
	hht a, b;
	hht_job task = { .channels = 1, .samples = N, .fs = 1, .x = x,
		.o = { .modes_given = 1 } };
	hht_must(&task, &a);
	task.x = y;
	task.type = WS_F32;
	hht_must(&task, &b);
	for (size_t i = 0; i < N; ++i) {
		assert_float_equal(hht_at(&a, WS_HHT_INSTANTANEOUS_FREQUENCY, i),
		                   hht_at(&b, WS_HHT_INSTANTANEOUS_FREQUENCY, i), 1e-7);
		assert_true(hht_at(&a, WS_HHT_PHASE, i) == hht_at(&b, WS_HHT_PHASE, i));
	}
	hht_free(&a);
	hht_free(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bits), cmocka_unit_test(test_given),
		cmocka_unit_test(test_run), cmocka_unit_test(test_unit),
		cmocka_unit_test(test_power_of_the_type),
		cmocka_unit_test(test_amplitudes_of_any_size),
		cmocka_unit_test(test_one_by_one), cmocka_unit_test(test_single),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
