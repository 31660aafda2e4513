/* test_hht_trials.c - averages of Hilbert spectra over epochs: against those of the epochs one by
 * one, against bursts that are known, baselines, threads. */
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
#include "core_test.h"
#include "hht_test.h"

enum { N = 300, EPOCHS = 7, CHANNELS = 2, BINS = 12, TIMES = 60, CELLS = BINS * TIMES };
enum { AVERAGES = 3 };

static const double fs = 100.0, start = -1.0, pi = 3.14159265358979323846;

static ws_hht_opts
options(ws_hht_opts o)
{
	o.size = sizeof o;
	o.tag = WS_TAG_HHT;
	o.emd.size = sizeof o.emd;
	o.emd.tag = WS_TAG_EMD;
	o.freqs.low = o.freqs.low > 0.0 ? o.freqs.low : 2.0;
	o.freqs.high = 48.0;
	o.freqs.count = BINS;
	o.time_bin = 0.05;
	return o;
}

typedef struct task {
	const double *x;        /* [channel][epoch][time] */
	ws_type type;
	ws_hht_opts o;
	int threads;
	const char *isa;
	ws_progress progress;
	void *user;
} task;

/* out[WS_HHTRIALS_ARRAYS], NULL: not wanted. */
static ws_status
run(const task *j, void *const *out)
{
	const size_t samples = CHANNELS * EPOCHS * N;
	const ws_ctx_opts c = { .size = sizeof c, .threads = j->threads, .isa = j->isa,
		.device = "cpu" };
	const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = N,
		.type = j->type, .fs = fs, .epochs = EPOCHS, .start = start };
	const ws_hht_opts o = options(j->o);
	ws_ctx *ctx;
	ws_plan *plan;
	ws_buffer buffers[WS_HHTRIALS_ARRAYS] = { 0 };
	float *narrow = need(samples * sizeof *narrow);
	for (size_t i = 0; i < samples; ++i)
		narrow[i] = (float)j->x[i];
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	if (ws_plan_create(&plan, ctx, "hhtrials", &shape, &o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	for (int i = 0; i < WS_HHTRIALS_ARRAYS; ++i)
		buffers[i].data = out[i];
	void *workspace = need(ws_plan_workspace(plan));
	memset(workspace, 0x7f, ws_plan_workspace(plan));
	const ws_io io = { .size = sizeof io, .arrays = buffers, .n_arrays = WS_HHTRIALS_ARRAYS,
		.progress = j->progress,
		.user = j->user, .x = j->type == WS_F64 ? (const void *)j->x : narrow };
	const ws_status status = ws_execute(plan, &io, workspace);
	free(workspace);
	free(narrow);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return status;
}

static size_t
bytes_of(int array, ws_type type)
{
	if (array == WS_HHTRIALS_CAPPED)
		return CHANNELS * sizeof(int32_t);
	return array < AVERAGES ? CHANNELS * CELLS * (size_t)(type == WS_F64 ? 8 : 4)
	       : CHANNELS * BINS * sizeof(double);
}

static void
take(void **out, ws_type type)
{
	for (int i = 0; i < WS_HHTRIALS_ARRAYS; ++i)
		out[i] = need(bytes_of(i, type));
}

static void
drop(void **out)
{
	for (int i = 0; i < WS_HHTRIALS_ARRAYS; ++i)
		free(out[i]);
}

static double
at(ws_type type, const void *row, size_t i)
{
	return type == WS_F64 ? ((const double *)row)[i] : (double)((const float *)row)[i];
}

/* Noise, and a burst that is the same in all epochs. */
static double *
noisy(void)
{
	double *x = need(CHANNELS * EPOCHS * N * sizeof *x);
	rng random = { 21 };
	for (int i = 0; i < CHANNELS * EPOCHS; ++i)
		for (int t = 0; t < N; ++t) {
			const double s = t / fs + start;
			x[i * N + t] = 0.5 * rng_normal(&random) +
				exp(-8 * s * s) * cos(2 * pi * 10 * s);
		}
	return x;
}

/* ---- Epochs one by one --------------------------------------------------------------------- */

/* The mean of the spectra, and of the marginal spectra, that "hht" gives of rows[n][N]. */
static void
mean_alone(const double *rows, int n, ws_type type, ws_hht_opts o, double *spectrum,
           double *marginal)
{
	hht h;
	float *narrow = need((size_t)(n * N) * sizeof *narrow);
	for (int i = 0; i < n * N; ++i)
		narrow[i] = (float)rows[i];
	const hht_job alone = { .channels = (size_t)n, .samples = N, .together = 1, .fs = fs,
		.type = type, .o = options(o), .x = type == WS_F64 ? (const void *)rows : narrow };
	hht_must(&alone, &h);
	assert_int_equal(h.bins, BINS);
	assert_int_equal(h.times, TIMES);
	memset(spectrum, 0, CELLS * sizeof *spectrum);
	memset(marginal, 0, BINS * sizeof *marginal);
	for (int e = 0; e < n; ++e) {
		for (int i = 0; i < CELLS; ++i)
			spectrum[i] += at(type, h.array[WS_HHT_SPECTRUM], (size_t)(e * CELLS + i));
		for (int b = 0; b < BINS; ++b)
			marginal[b] += ((double *)h.array[WS_HHT_MARGINAL])[e * BINS + b];
	}
	for (int i = 0; i < CELLS; ++i)
		spectrum[i] /= n;
	for (int b = 0; b < BINS; ++b)
		marginal[b] /= n;
	hht_free(&h);
	free(narrow);
}

static void
compare(const task *j, void *const *out, int channel, int average, const double *rows, int n)
{
	double spectrum[CELLS], marginal[BINS];
	mean_alone(rows, n, j->type, j->o, spectrum, marginal);
	for (int i = 0; i < CELLS; ++i) {
		const double got = at(j->type, out[average], (size_t)(channel * CELLS + i));
		const double want = j->type == WS_F64 ? spectrum[i] : (double)(float)spectrum[i];
		if (got != want)
			fail_msg("type %d, average %d, channel %d, cell %d: %g, not %g", j->type,
			         average, channel, i, got, want);
	}
	assert_memory_equal((double *)out[AVERAGES + average] + channel * BINS, marginal,
	                    sizeof marginal);
}

/* Bit for bit: the same spectra, added in the same order. */
static void
against_epochs_one_by_one(const task *j)
{
	void *out[WS_HHTRIALS_ARRAYS];
	take(out, j->type);
	assert_int_equal(run(j, out), WS_OK);
	for (int c = 0; c < CHANNELS; ++c) {
		double rows[EPOCHS * N], mean[N] = { 0 };
		const double *x = j->x + c * EPOCHS * N;
		/* What a plan of f32 is given. */
		for (int i = 0; i < EPOCHS * N; ++i)
			rows[i] = j->type == WS_F64 ? x[i] : (double)(float)x[i];
		for (int i = 0; i < EPOCHS * N; ++i)
			mean[i % N] += rows[i] / EPOCHS;
		compare(j, out, c, WS_HHTRIALS_TOTAL_SPECTRUM, rows, EPOCHS);
		for (int i = 0; i < EPOCHS * N; ++i)
			rows[i] -= mean[i % N];
		compare(j, out, c, WS_HHTRIALS_INDUCED_SPECTRUM, rows, EPOCHS);
		compare(j, out, c, WS_HHTRIALS_EVOKED_SPECTRUM, mean, 1);
	}
	drop(out);
}

static void
averages_are_those_of_the_epochs(void **state)
{
	(void)state;
	double *x = noisy();
	const ws_hht_opts ways[] = {
		{ .quantity = WS_HHT_QUANTITY_POWER },
		{ .frequency_method = WS_HHT_NHT, .emd = { .modes = 3 } },
		{ .frequency_method = WS_HHT_QUADRATURE, .quantity = WS_HHT_QUANTITY_AMPLITUDE, .modes_given = 1 },
		{ .emd = { .method = WS_METHOD_ICEEMDAN, .realizations = 4, .modes = 4 } },
	};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i)
		for (int type = WS_F64; type <= WS_F32; ++type)
			against_epochs_one_by_one(&(task){ .x = x, .type = type, .o = ways[i],
				.threads = 2 });
	free(x);
}

/* Batches of 2, 6 and all epochs; noise of ensembles that differs by channel, too. */
static void
threads_and_instruction_sets_change_no_bit(void **state)
{
	(void)state;
	double *x = noisy();
	void *out[WS_HHTRIALS_ARRAYS], *again[WS_HHTRIALS_ARRAYS];
	take(out, WS_F64);
	take(again, WS_F64);
	const ws_hht_opts ways[] = {
		{ .baseline = WS_BASELINE_Z, .baseline_from = -1, .baseline_to = -0.5 },
		{ .emd = { .method = WS_METHOD_EEMD, .realizations = 3, .modes = 4,
		           .channel_noise = WS_NOISE_INDEPENDENT } },
	};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
		task j = { .x = x, .o = ways[i], .threads = 1 };
		assert_int_equal(run(&j, out), WS_OK);
		for (int way = 0; way < 3; ++way) {
			j.threads = way == 0 ? 3 : way == 1 ? 5 : 2;
			j.isa = way == 2 ? "plain" : NULL;
			assert_int_equal(run(&j, again), WS_OK);
			for (int k = 0; k < WS_HHTRIALS_ARRAYS; ++k)
				assert_memory_equal(out[k], again[k], bytes_of(k, WS_F64));
		}
	}
	drop(out);
	drop(again);
	free(x);
}

/* An average is the same whichever others are made. */
static void
averages_may_be_left_out(void **state)
{
	(void)state;
	double *x = noisy();
	void *out[WS_HHTRIALS_ARRAYS], *again[WS_HHTRIALS_ARRAYS];
	take(out, WS_F64);
	take(again, WS_F64);
	task j = { .x = x, .threads = 2, .o.emd = { .method = WS_METHOD_EEMD, .realizations = 2,
		.modes = 3, .channel_noise = WS_NOISE_INDEPENDENT } };
	assert_int_equal(run(&j, out), WS_OK);
	for (int k = 0; k < AVERAGES; ++k) {
		void *some[WS_HHTRIALS_ARRAYS] = { NULL };
		some[k] = again[k];
		j.o.averages = 1 << k;
		assert_int_equal(run(&j, some), WS_OK);
		assert_memory_equal(out[k], again[k], bytes_of(k, WS_F64));
	}
	drop(out);
	drop(again);
	free(x);
}

/* ---- Bursts that are known --------------------------------------------------------------- */

static double
burst(double s, double middle)
{
	return exp(-0.5 * (s - middle) * (s - middle) / 0.04);
}

/* The power at time s of the bins from low to high Hz. */
static double
power_at(const double *spectrum, double s, double low, double high)
{
	const size_t t = (size_t)((s - start) / 0.05);
	const double step = log(48.0 / 4.0) / BINS;
	double sum = 0.0;
	for (int b = 0; b < BINS; ++b) {
		const double middle = 4.0 * exp((b + 0.5) * step);
		if (middle > low && middle < high)
			sum += spectrum[b * TIMES + (int)t];
	}
	return sum;
}

/*
 * A burst of 7 Hz about -0.18 s is the same in all epochs, one of 25 Hz about 1.22 s begins in
 * each an EPOCHS-th of a turn later, so that their mean has none of it.  The power of a wave of
 * amplitude a is a^2 / 2; sifting takes a few hundredths of a burst.
 */
static void
a_burst_is_evoked_or_induced(void **state)
{
	(void)state;
	double *x = need(CHANNELS * EPOCHS * N * sizeof *x);
	void *out[WS_HHTRIALS_ARRAYS];
	take(out, WS_F64);
	for (int i = 0; i < CHANNELS * EPOCHS; ++i)
		for (int t = 0; t < N; ++t) {
			const double s = t / fs + start, turn = (double)(i % EPOCHS) / EPOCHS;
			x[i * N + t] = (1 + i / EPOCHS) *
				(2.0 * burst(s, -0.18) * cos(2 * pi * 7.0 * s) +
				 burst(s, 1.22) * cos(2 * pi * (25.0 * s + turn)));
		}
	const task j = { .x = x, .threads = 2, .o = { .quantity = WS_HHT_QUANTITY_POWER, .freqs.low = 4.0 } };
	assert_int_equal(run(&j, out), WS_OK);
	for (int c = 0; c < CHANNELS; ++c) {
		const double unit = (1 + c) * (1 + c);
		const double evoked = 0.5 * unit * 4.0, induced = 0.5 * unit;
		const double *total = (double *)out[WS_HHTRIALS_TOTAL_SPECTRUM] + c * CELLS;
		const double *locked = (double *)out[WS_HHTRIALS_EVOKED_SPECTRUM] + c * CELLS;
		const double *rest = (double *)out[WS_HHTRIALS_INDUCED_SPECTRUM] + c * CELLS;
		const struct { const double *spectrum; double at_7, at_25; } all[] = {
			{ total, evoked, induced }, { locked, evoked, 0 }, { rest, 0, induced } };
		for (int k = 0; k < AVERAGES; ++k) {
			const double at_7 = power_at(all[k].spectrum, -0.18, 5.5, 9.0);
			const double at_25 = power_at(all[k].spectrum, 1.22, 20.0, 32.0);
			if (!(fabs(at_7 - all[k].at_7) < 0.05 * evoked) ||
			    !(fabs(at_25 - all[k].at_25) < 0.05 * induced))
				fail_msg("channel %d, average %d: %g at 7 Hz, not %g; %g at 25 Hz, "
				         "not %g", c, k, at_7, all[k].at_7, at_25, all[k].at_25);
		}
	}
	drop(out);
	free(x);
}

static void
baselines(void **state)
{
	(void)state;
	double *x = noisy();
	void *plain[WS_HHTRIALS_ARRAYS], *out[WS_HHTRIALS_ARRAYS];
	take(plain, WS_F64);
	take(out, WS_F64);
	task j = { .x = x, .threads = 2 };
	assert_int_equal(run(&j, plain), WS_OK);
	for (int how = WS_BASELINE_RATIO; how <= WS_BASELINE_Z; ++how) {
		/* Bins of 5 samples have their middles at -0.98, -0.93 ..: numbers 4 to 12. */
		j.o = (ws_hht_opts){ .baseline = how, .baseline_from = -0.78,
			.baseline_to = -0.35 };
		assert_int_equal(run(&j, out), WS_OK);
		for (int row = 0; row < AVERAGES * CHANNELS * BINS; ++row) {
			const int k = row / (CHANNELS * BINS), at_row = row % (CHANNELS * BINS);
			const double *p = (double *)plain[k] + at_row * TIMES;
			const double *q = (double *)out[k] + at_row * TIMES;
			double b = 0, s = 0;
			for (int t = 4; t <= 12; ++t)
				b += p[t] / 9;
			for (int t = 4; t <= 12; ++t)
				s += (p[t] - b) * (p[t] - b) / 9;
			for (int t = 0; t < TIMES; ++t) {
				const double want[] = { 0, p[t] / b, 10 * log10(p[t] / b),
					100 * (p[t] - b) / b, (p[t] - b) / sqrt(s) };
				const double off = fabs(q[t] - want[how]);
				if (off > 1e-9 * (1 + fabs(want[how])) ||
				    isnan(q[t]) != isnan(want[how]))
					fail_msg("baseline %d, row %d, bin %d: %g, not %g", how,
					         row, t, q[t], want[how]);
			}
		}
		for (int k = AVERAGES; k < WS_HHTRIALS_ARRAYS; ++k)
			assert_memory_equal(plain[k], out[k], bytes_of(k, WS_F64));
	}
	drop(plain);
	drop(out);
	free(x);
}

/* ---- What goes wrong ------------------------------------------------------------------------ */

static int
stop(void *user, double done)
{
	*(double *)user = done;
	return done > 0.0;
}

static void
work_can_be_stopped(void **state)
{
	(void)state;
	double *x = noisy(), done = -1.0;
	void *out[WS_HHTRIALS_ARRAYS];
	take(out, WS_F64);
	const task j = { .x = x, .threads = 1, .progress = stop, .user = &done,
		.o.emd = { .method = WS_METHOD_ICEEMDAN, .realizations = 100 } };
	assert_int_equal(run(&j, out), WS_E_CANCELLED);
	assert_true(done > 0.0 && done < 0.5);
	x[(EPOCHS + 2) * N + 4] = NAN;
	const task bad = { .x = x, .threads = 1 };
	assert_int_equal(run(&bad, out), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel 1, epoch 2, sample 4 is not finite"));
	drop(out);
	free(x);
}

static void
refuses(ws_hht_opts o, size_t epochs, const char *what)
{
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = N, .fs = fs,
		.epochs = epochs, .start = start };
	o.size = sizeof o;
	o.tag = WS_TAG_HHT;
	o.emd.size = sizeof o.emd;
	o.emd.tag = WS_TAG_EMD;
	expect_no_plan("hhtrials", &shape, &o, what);
}

static void
mistakes_are_named(void **state)
{
	(void)state;
	refuses((ws_hht_opts){ 0 }, 0, "two epochs");
	refuses((ws_hht_opts){ 0 }, 1, "two epochs");
	refuses((ws_hht_opts){ 0 }, (size_t)-1, "2^48");
	refuses((ws_hht_opts){ .averages = WS_AVERAGE_ITC }, 3, "averages 8");
	refuses((ws_hht_opts){ .baseline = 9 }, 3, "baseline 9");
	refuses((ws_hht_opts){ .baseline = 1, .baseline_from = 3, .baseline_to = 4 }, 3,
	        "too few");
	refuses((ws_hht_opts){ .baseline = 1, .baseline_from = 1, .baseline_to = 0 }, 3,
	        "before");
	refuses((ws_hht_opts){ .emd.method = WS_METHOD_MEMD }, 3, "single channels");
	refuses((ws_hht_opts){ .modes_given = 3 }, 3, "take a recording");
	refuses((ws_hht_opts){ .noise_signals = 50 }, 3, "no `noise_signals`");
	refuses((ws_hht_opts){ .freqs.count = SIZE_MAX }, 3, "freqs");
	refuses((ws_hht_opts){ .emd = { .max_sifts = -1 } }, 3, "max");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(averages_are_those_of_the_epochs),
		cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
		cmocka_unit_test(averages_may_be_left_out),
		cmocka_unit_test(a_burst_is_evoked_or_induced),
		cmocka_unit_test(baselines),
		cmocka_unit_test(work_can_be_stopped),
		cmocka_unit_test(mistakes_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
