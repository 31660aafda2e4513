/* test_trials.c - averages over epochs against averages of the epochs' transforms; baselines. */
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

#include "api_test.h"
#include "cwt_test.h"

enum { N = 300, EPOCHS = 7, CHANNELS = 2, COUNT = 5, SIZE = CHANNELS * COUNT * N };

static const double fs = 100.0, start = -1.0;

static void
run(const char *name, const double *x, ws_type type, size_t channels, size_t epochs, ws_cwt_opts o,
    int threads, void *const *out)
{
	o.freqs.low = 4.0;
	o.freqs.high = 30.0;
	o.freqs.count = COUNT;
	const cwt_task task = { .name = name, .x = x, .type = type, .channels = channels,
		.epochs = epochs, .samples = N, .fs = fs, .start = epochs ? start : 0.0,
		.o = o, .threads = threads };
	assert_int_equal(cwt_execute(&task, 4, out), WS_OK);
}

/* Epochs [channel][epoch][time] with a burst whose phase is the same in all, and noise. */
static double *
recording(void)
{
	double *x = need(CHANNELS * EPOCHS * N * sizeof *x);
	rng random = { 21 };
	for (int i = 0; i < CHANNELS * EPOCHS; ++i)
		for (int t = 0; t < N; ++t) {
			const double s = t / fs + start;
			x[i * N + t] = 0.5 * rng_normal(&random) +
				exp(-8 * s * s) * cos(2 * 3.14159265358979 * 10 * s);
		}
	return x;
}

/* out[4][SIZE] */
static void
average_alone(const double *x, double *out)
{
	double complex *w = need(EPOCHS * CHANNELS * COUNT * N * sizeof *w);
	void *const to[4] = { w, NULL, NULL, NULL };
	run("cwt", x, WS_F64, CHANNELS * EPOCHS, 0, (ws_cwt_opts){ 0 }, 1, to);
	for (int c = 0; c < CHANNELS; ++c)
		for (int i = 0; i < COUNT * N; ++i) {
			double complex mean = 0, unit = 0;
			double total = 0, rest = 0;
			for (int e = 0; e < EPOCHS; ++e) {
				const double complex v = w[(c * EPOCHS + e) * COUNT * N + i];
				mean += v / EPOCHS;
				unit += v / cabs(v) / EPOCHS;
				total += cabs(v) * cabs(v) / EPOCHS;
			}
			for (int e = 0; e < EPOCHS; ++e)
				rest += pow(cabs(w[(c * EPOCHS + e) * COUNT * N + i] - mean), 2) /
					EPOCHS;
			const double values[] = { total, cabs(mean) * cabs(mean), rest,
				cabs(unit) };
			for (int k = 0; k < 4; ++k)
				out[k * SIZE + c * COUNT * N + i] = values[k];
		}
	free(w);
}

static void
averages_are_those_of_the_transforms(void **state)
{
	(void)state;
	double *x = recording(), *want = need(4 * SIZE * sizeof *want);
	average_alone(x, want);
	for (int type = WS_F64; type <= WS_F32; ++type) {
		void *out[4], *again[4];
		for (int k = 0; k < 4; ++k) {
			out[k] = need(SIZE * type_size(type));
			again[k] = need(SIZE * type_size(type));
		}
		run("trials", x, type, CHANNELS, EPOCHS, (ws_cwt_opts){ 0 }, 1, out);
		run("trials", x, type, CHANNELS, EPOCHS, (ws_cwt_opts){ 0 }, 3, again);
		for (int k = 0; k < 4; ++k) {
			double most = 0;
			for (size_t i = 0; i < SIZE; ++i)
				most = fmax(most, fabs(get(type, out[k], i) - want[k * SIZE + i]));
			if (!(most < (type == WS_F64 ? 1e-12 : 2e-6)))
				fail_msg("type %d, average %d: %g", type, k, most);
			assert_memory_equal(out[k], again[k], SIZE * type_size(type));
			free(out[k]);
			free(again[k]);
		}
	}
	/* The burst is locked, and the noise is not. */
	const double *itc = want + 3 * SIZE;
	const int at_10_hz = 2 * N;
	assert_true(itc[at_10_hz + 100] > 0.9 && itc[at_10_hz + 100] <= 1.0 + 1e-12);
	free(x);
	free(want);
}

static void
baselines(void **state)
{
	(void)state;
	double *x = recording(), *plain = need(SIZE * sizeof *plain);
	double *out = need(SIZE * sizeof *out);
	const ws_cwt_opts o = { .averages = WS_AVERAGE_TOTAL };
	run("trials", x, WS_F64, CHANNELS, EPOCHS, o, 1, (void *const[]){ plain, 0, 0, 0 });
	for (int how = WS_BASELINE_RATIO; how <= WS_BASELINE_Z; ++how) {
		ws_cwt_opts with = o;
		with.baseline = how;
		with.baseline_from = -0.8; /* samples 20 .. 60 */
		with.baseline_to = -0.4;
		run("trials", x, WS_F64, CHANNELS, EPOCHS, with, 2,
		    (void *const[]){ out, 0, 0, 0 });
		for (int row = 0; row < CHANNELS * COUNT; ++row) {
			const double *p = plain + row * N;
			double b = 0, s = 0;
			for (int t = 20; t <= 60; ++t)
				b += p[t] / 41;
			for (int t = 20; t <= 60; ++t)
				s += (p[t] - b) * (p[t] - b) / 41;
			for (int t = 0; t < N; ++t) {
				const double want[] = { 0, p[t] / b, 10 * log10(p[t] / b),
					100 * (p[t] - b) / b, (p[t] - b) / sqrt(s) };
				assert_true(fabs(out[row * N + t] - want[how]) <
				            1e-10 * (1 + fabs(want[how])));
			}
		}
	}
	free(x);
	free(plain);
	free(out);
}

/* Stops at the first look at the user, and keeps how much was done by then. */
static int
stop_at_once(void *user, double done)
{
	*(double *)user = done;
	return 1;
}

/* Not only between channels: the first look comes well before half of two channels is done. */
static void
long_work_can_be_stopped(void **state)
{
	enum { LONG = 2048, MANY = 256, FREQUENCIES = 400, OUTPUTS = 4 * LONG };
	static const char *const names[] = { "trials", "coherence", "cwt", "bands" };
	(void)state;
	double *x = need(2 * MANY * LONG * sizeof *x);
	rng random = { 8 };
	for (int i = 0; i < 2 * MANY * LONG; ++i)
		x[i] = rng_normal(&random);
	for (int i = 0; i < 4; ++i) {
		double done = -1.0;
		cwt_task task = { .name = names[i], .x = x, .type = WS_F64, .channels = 2,
			.epochs = MANY, .samples = LONG, .fs = fs, .threads = 1,
			.o = { .freqs.low = 1, .freqs.high = 40, .freqs.count = FREQUENCIES },
			.progress = stop_at_once, .user = &done };
		if (i >= 2) { /* one epoch with the same numbers */
			task.epochs = 0;
			task.samples *= MANY;
			task.o.decimate = LONG * MANY / OUTPUTS;
		}
		if (i == 3)
			task.o.quantity = WS_QUANTITY_POWER;
		void *out[4];
		for (int k = 0; k < 4; ++k)
			out[k] = need((size_t)2 * FREQUENCIES * OUTPUTS * 2 * sizeof(double));
		if (cwt_execute(&task, i == 2 ? 1 : i == 1 ? 3 : 4, out) != WS_E_CANCELLED ||
		    !(done >= 0.0 && done < 0.45))
			fail_msg("%s: first asked when %g was done", names[i], done);
		for (int k = 0; k < 4; ++k)
			free(out[k]);
	}
	free(x);
}

static void
refuses(ws_cwt_opts o, size_t epochs, const char *what)
{
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = N, .fs = fs,
		.epochs = epochs, .start = start };
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	expect_no_plan("trials", &shape, &o, what);
}

static void
mistakes_are_named(void **state)
{
	(void)state;
	refuses((ws_cwt_opts){ 0 }, 0, "two epochs");
	refuses((ws_cwt_opts){ 0 }, 1, "two epochs");
	refuses((ws_cwt_opts){ .averages = 16 }, 3, "averages 16");
	refuses((ws_cwt_opts){ .baseline = 9 }, 3, "baseline 9");
	refuses((ws_cwt_opts){ .baseline = 1, .baseline_from = 3, .baseline_to = 4 }, 3, "too few");
	refuses((ws_cwt_opts){ .baseline = 4, .baseline_from = 0, .baseline_to = 0 }, 3, "too few");
	refuses((ws_cwt_opts){ .baseline = 1, .baseline_from = 1, .baseline_to = 0 }, 3, "before");
	refuses((ws_cwt_opts){ .freqs.low = 1, .freqs.high = 99 }, 3, "above half");
	refuses((ws_cwt_opts){ 0 }, (size_t)-1, "2^48");
}

/* Induced power of epochs that are nearly the same: that of what differs, 2e13 times weaker. */
static void
little_differs_from_much(void **state)
{
	(void)state;
	double *x = need(EPOCHS * N * sizeof *x), *rest = need(EPOCHS * N * sizeof *rest);
	double got[COUNT * N], want[COUNT * N];
	rng random = { 33 };
	for (int e = 0; e < EPOCHS; ++e)
		for (int t = 0; t < N; ++t) {
			/* Both are numbers of few bits, so that their sum is exact. */
			rest[e * N + t] = ldexp(rint(ldexp(rng_normal(&random), 12)), -12);
			x[e * N + t] = rest[e * N + t] +
				ldexp(rint(1024.0 * cos(0.63 * t)), 13);
		}
	void *const of_all[4] = { NULL, NULL, got, NULL };
	void *const of_rest[4] = { NULL, NULL, want, NULL };
	const ws_cwt_opts o = { .averages = WS_AVERAGE_INDUCED };
	run("trials", x, WS_F64, 1, EPOCHS, o, 1, of_all);
	run("trials", rest, WS_F64, 1, EPOCHS, o, 1, of_rest);
	double most = 0.0, error = 0.0;
	for (int i = 0; i < COUNT * N; ++i) {
		most = fmax(most, want[i]);
		error = fmax(error, fabs(got[i] - want[i]));
	}
	assert_true(error < 1e-7 * most);
	free(x);
	free(rest);
}

/* ---- Kernels ---------------------------------------------------------------------------- */

enum { LENGTH = 137, SUMS = 6 };

/* Both slots on some epochs, of which one is silent, as doubles in sums[2][SUMS][LENGTH]. */
static void
add_all(const wsi_cwt_ops *ops, ws_type type, double *sums)
{
	static double wide[2][2 * LENGTH];
	static float narrow[2][2 * LENGTH];
	rng random = { 5 };
	memset(sums, 0, 2 * SUMS * LENGTH * sizeof *sums);
	double *s[2 * SUMS];
	for (int i = 0; i < 2 * SUMS; ++i)
		s[i] = sums + i * LENGTH;
	for (size_t k = 0; k < 5; ++k) {
		for (int i = 0; i < 4 * LENGTH; ++i) {
			const double v = k == 3 ? 0.0 : rng_uniform(&random) - 0.5;
			wide[i % 2][i / 2] = narrow[i % 2][i / 2] = (float)v;
		}
		const void *w = type == WS_F64 ? (void *)wide[0] : narrow[0];
		const void *v = type == WS_F64 ? (void *)wide[1] : narrow[1];
		ops->add_epoch(&(wsi_cwt_epoch){ w, LENGTH, k, s[0], s[1], s[2], s[3], s[4], s[5] });
		ops->add_pair(&(wsi_cwt_pair){ w, v, LENGTH, s[6], s[7], s[8], s[9], s[10], s[11] });
	}
}

static void
sums_have_the_bits_of_their_twins(void **state)
{
	(void)state;
	static double want[2 * SUMS * LENGTH], got[2 * SUMS * LENGTH];
	const char *isa;
	for (int type = WS_F64; type <= WS_F32; ++type) {
		add_all(wsi_ops_find("ref", (ws_type)type)->cwt, (ws_type)type, want);
		for (int i = 1; (isa = isa_to_test(i)); ++i) {
			add_all(wsi_ops_find(isa, (ws_type)type)->cwt, (ws_type)type, got);
			if (memcmp(want, got, sizeof want) != 0)
				fail_msg("%s differs from ref in type %d", isa, type);
		}
	}
	assert_true(want[0] > 0.0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_differs_from_much),
		cmocka_unit_test(averages_are_those_of_the_transforms),
		cmocka_unit_test(baselines),
		cmocka_unit_test(long_work_can_be_stopped),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(sums_have_the_bits_of_their_twins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
