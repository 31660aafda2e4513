/*
 * test_hht.c - Hilbert-Huang spectra: known frequencies and amplitudes, energy that is neither lost
 * nor made, the same bits for any number of threads, in any unit and by any cut.
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

#define TAU 6.283185307179586

/* ---- Known signals --------------------------------------------------------------------- */

enum { FS = 1000, LONG = 20 * FS };

/* A chirp from 5 to 45 Hz, an amplitude modulated tone, a frequency modulated one. */
static void
known_signal(int kind, double *x, double *a, double *f)
{
	for (int i = 0; i < LONG; ++i) {
		const double t = (double)i / FS;
		a[i] = kind == 1 ? 1 + 0.5 * cos(TAU * 2 * t) : 1;
		f[i] = kind == 0 ? 5 + 2 * t : kind == 1 ? 20 : 30 + 4 * cos(TAU * t);
		x[i] = a[i] * cos(kind == 0 ? TAU * (5 * t + t * t) : kind == 1 ? TAU * 20 * t
		                  : TAU * 30 * t + 4 * sin(TAU * t));
	}
}

static double
rms_error(const hht *h, int array, const double *want, size_t from, size_t to)
{
	double error = 0, sum = 0;
	for (size_t i = from; i < to; ++i) {
		const double d = hht_at(h, array, i) - want[i];
		error += d * d;
		sum += want[i] * want[i];
	}
	return sqrt(error / sum);
}

/* Outside 2 % at each end; bounds of the frequency's and the amplitude's error. */
static void
test_known(void **state)
{
	static double x[LONG], a[LONG], f[LONG];
	static const double bounds[3][3][2] = { /* [method][signal] */
		{ { 1e-4, 3e-4 }, { 1e-4, 1e-4 }, { 1e-4, 1e-4 } },
		{ { 1e-4, 1e-6 }, { 1e-3, 1e-3 }, { 1e-4, 1e-5 } },
		{ { 1e-4, 1e-6 }, { 2e-3, 1e-3 }, { 1e-4, 1e-5 } },
	};
	(void)state;
	for (int kind = 0; kind < 3; ++kind)
		for (int method = 0; method < 3; ++method) {
			known_signal(kind, x, a, f);
			hht h;
			const hht_job task = { .channels = 1, .samples = LONG, .fs = FS, .x = x,
				.o = { .modes_given = 1, .method = (ws_hht_method)(method + 1),
				       .parts = WS_HHT_PART_INSTANTANEOUS } };
			hht_must(&task, &h);
			const double *bound = bounds[method][kind];
			const double df = rms_error(&h, WS_HHT_INST_FREQUENCY, f, LONG / 50,
			                            LONG - LONG / 50);
			const double da = rms_error(&h, WS_HHT_INST_AMPLITUDE, a, LONG / 50,
			                            LONG - LONG / 50);
			if (df > bound[0] || da > bound[1])
				fail_msg("signal %d, method %d: %.2e, %.2e", kind, method + 1, df,
				         da);
			/* Amplitude and phase give the mode. */
			const size_t margin = method ? LONG / 50 : 0;
			for (size_t i = margin; i < LONG - margin; ++i) {
				const double y = hht_at(&h, WS_HHT_INST_AMPLITUDE, i) *
				                 cos(hht_at(&h, WS_HHT_INST_PHASE, i));
				if (method != 1 && fabs(y - x[i]) > (method ? 1e-3 : 1e-9))
					fail_msg("sample %zu: %g, not %g", i, y, x[i]);
			}
			hht_free(&h);
		}
}

/* ---- Energy -------------------------------------------------------------------------------- */

enum { CHANNELS = 3, SAMPLES = 1500, MODES = 5 };

/* Modes of noise and tones; those of the last channel end with two rows of zeros. */
static void
some_modes(double *x, uint64_t seed)
{
	rng r = { seed };
	for (size_t c = 0; c < CHANNELS; ++c)
		for (size_t k = 0; k < MODES; ++k)
			for (size_t i = 0; i < SAMPLES; ++i)
				x[(c * MODES + k) * SAMPLES + i] = c == 2 && k > 2 ? 0
					: k == 0 ? rng_normal(&r)
					: sin((double)i / (3.0 * (double)(k + c))) * (double)k +
					  0.01 * rng_normal(&r);
}

static double
sum_of(const hht *h, int array, size_t first, size_t n)
{
	double sum = 0;
	for (size_t i = first; i < first + n; ++i)
		sum += hht_at(h, array, i);
	return sum;
}

static void
near(double got, double want, double relative, const char *what)
{
	if (!(fabs(got - want) <= relative * (fabs(want) + 1e-300)))
		fail_msg("%s: %.17g, not %.17g", what, got, want);
}

/* Sum of a^2 of a mode, of a where !squares. */
static double
amplitudes_of(const hht *h, size_t row, bool squares)
{
	double sum = 0;
	for (size_t i = 0; i < SAMPLES; ++i) {
		const double a = hht_at(h, WS_HHT_INST_AMPLITUDE, row * SAMPLES + i);
		sum += squares ? a * a : a;
	}
	return sum;
}

/* What is in the bins and outside them is what there is; spectra of modes add up to that of all,
 * and over time to the marginal spectra. */
static void
check_energy(const hht *h)
{
	const bool squares = h->opts.quantity != WS_HHT_AMPLITUDE;
	const size_t cells = h->bins * h->times;
	for (size_t c = 0; c < h->channels; ++c) {
		double modes = 0;
		for (size_t k = 0; k < h->modes; ++k) {
			const size_t row = c * h->modes + k;
			const double all = amplitudes_of(h, row, squares);
			const double inside = sum_of(h, WS_HHT_MODE_MARGINAL, row * h->bins,
			                             h->bins);
			const double outside = hht_at(h, WS_HHT_OUTSIDE, row);
			if (squares)
				near(inside + all * outside, all, 1e-11, "energy of a mode");
			else
				assert_true(inside <= all * (1 + 1e-12));
			near(sum_of(h, WS_HHT_MODE_SPECTRUM, row * cells, cells), inside, 1e-12,
			     "spectrum of a mode");
			modes += inside;
		}
		near(sum_of(h, WS_HHT_MARGINAL, c * h->bins, h->bins), modes, 1e-12, "marginal");
		near(sum_of(h, WS_HHT_SPECTRUM, c * cells, cells), modes, 1e-12, "spectrum");
	}
}

static void
test_energy(void **state)
{
	static double x[CHANNELS * MODES * SAMPLES];
	static const double bins[] = { 1e-9, 0.3, 7, 100 }; /* s, at 100 Hz */
	(void)state;
	some_modes(x, 5);
	for (int i = 0; i < 48; ++i) {
		hht h;
		const hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100, .x = x,
			.o = { .modes_given = MODES, .method = (ws_hht_method)(1 + i % 3),
			       .time_bin = bins[i % 4], .freq_scale = (ws_hht_scale)(1 + i % 2),
			       .quantity = i % 5 ? WS_HHT_ENERGY : WS_HHT_AMPLITUDE, .parts = 255,
			       .freq_low = i % 7 ? 0 : 2, .freq_high = i % 7 ? 0 : 9,
			       .mask = (ws_hht_mask)(1 + i / 16), .wild = 1.5 } };
		hht_must(&task, &h);
		assert_int_equal(hht_at(&h, WS_HHT_MODE_COUNT, 1), MODES);
		assert_int_equal(hht_at(&h, WS_HHT_MODE_COUNT, 2), 3);
		check_energy(&h);
		hht_free(&h);
	}
}

/* Density integrated over frequency is half the mean of a^2; that is the mean square of a mode that
 * is its own period. */
static void
test_units(void **state)
{
	enum { N = 1000 };
	double x[N];
	(void)state;
	for (int i = 0; i < N; ++i)
		x[i] = 3 * cos(TAU * 40 * i / N) + 0.5 * cos(TAU * 41 * i / N);
	for (int quantity = WS_HHT_DENSITY; quantity <= WS_HHT_POWER; ++quantity) {
		hht h;
		const hht_job task = { .channels = 1, .samples = N, .fs = 250, .x = x,
			.o = { .modes_given = 1, .ends = WS_HHT_ENDS_PERIODIC, .time_bin = 0.3,
			       .quantity = (ws_hht_quantity)quantity, .parts = 255 } };
		hht_must(&task, &h);
		double marginal = 0, first = 0;
		for (size_t b = 0; b < h.bins; ++b) {
			const double width = quantity == WS_HHT_DENSITY
			                     ? h.edges[b + 1] - h.edges[b] : 1;
			marginal += hht_at(&h, WS_HHT_MARGINAL, b) * width;
			first += hht_at(&h, WS_HHT_SPECTRUM, b * h.times) * width;
		}
		near(marginal, 4.625, 1e-12, "marginal"); /* (9 + 1/4) / 2 */
		near(hht_at(&h, WS_HHT_MODE_ENERGY, 0), 4.625, 1e-12, "mean square");
		near(first, hht_at(&h, WS_HHT_TIME_POWER, 0), 1e-12, "instantaneous energy");
		/* 14 bins of 75 samples and one of 25. */
		assert_int_equal(h.times, 14);
		hht_free(&h);
	}
}

/* ---- Same bits ------------------------------------------------------------------------------- */

static void
noisy(double *x, size_t n, uint64_t seed)
{
	rng r = { seed };
	double walk = 0;
	for (size_t i = 0; i < n; ++i) {
		walk += 0.1 * rng_normal(&r);
		x[i] = rng_normal(&r) + walk + 2 * sin(0.05 * (double)i);
	}
}

static void
test_same_bits(void **state)
{
	static double x[CHANNELS * SAMPLES];
	const char *isa;
	(void)state;
	noisy(x, CHANNELS * SAMPLES, 9);
	for (int method = 1; method <= 3; ++method)
		for (int reference = 0; reference < 2; ++reference) {
			hht one, other;
			hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100,
				.x = x,
				.o = { .method = (ws_hht_method)method, .parts = 255,
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
	noisy(x, CHANNELS * SAMPLES, 2);
	hht made, given;
	hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100, .x = x,
		.o = { .parts = 255, .emd = { .max_modes = 6 } } };
	hht_must(&task, &made);
	task.x = made.array[WS_HHT_MODES];
	task.o.modes_given = (int)made.modes;
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
	const int arrays[] = { WS_HHT_INST_FREQUENCY, WS_HHT_SPECTRUM, WS_HHT_MARGINAL,
		WS_HHT_MODE_ENERGY };
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
		const size_t all = s->want->bytes[arrays[i]] / s->want->channels;
		const char *want = (const char *)s->want->array[arrays[i]] + r->channel * all;
		/* Rows beyond the channel's modes are left alone. */
		size_t bytes = all;
		if (arrays[i] == WS_HHT_INST_FREQUENCY || arrays[i] == WS_HHT_MODE_ENERGY)
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
	some_modes(x, 8);
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
	noisy(x, SAMPLES, 4);
	for (int k = -300; k <= 300; k += 300)
		for (int method = 1; method <= 3; ++method) {
			hht a, b;
			for (int i = 0; i < SAMPLES; ++i)
				y[i] = ldexp(x[i], k);
			hht_job task = { .channels = 1, .samples = SAMPLES, .fs = 100, .x = x,
				.o = { .method = (ws_hht_method)method } };
			hht_must(&task, &a);
			task.x = y;
			hht_must(&task, &b);
			const size_t n = (size_t)hht_at(&a, WS_HHT_MODE_COUNT, 0);
			for (size_t i = 0; i < n * SAMPLES; ++i) {
				assert_true(hht_at(&a, WS_HHT_INST_FREQUENCY, i) ==
				            hht_at(&b, WS_HHT_INST_FREQUENCY, i));
				assert_true(ldexp(hht_at(&a, WS_HHT_INST_AMPLITUDE, i), k) ==
				            hht_at(&b, WS_HHT_INST_AMPLITUDE, i));
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
		assert_float_equal(hht_at(&a, WS_HHT_INST_FREQUENCY, i),
		                   hht_at(&b, WS_HHT_INST_FREQUENCY, i), 1e-7);
		assert_true(hht_at(&a, WS_HHT_INST_PHASE, i) == hht_at(&b, WS_HHT_INST_PHASE, i));
	}
	hht_free(&a);
	hht_free(&b);
}

/* ---- Frequencies that are counted ----------------------------------------------------------- */

/* A weak fast tone on a strong slow one: where they oppose each other the frequency is negative. */
static void
test_masks(void **state)
{
	enum { N = 2000 };
	double x[N];
	(void)state;
	for (int i = 0; i < N; ++i)
		x[i] = cos(TAU * 0.01 * i) + 0.5 * cos(TAU * 0.05 * i);
	hht h[3];
	for (int k = 0; k < 3; ++k) {
		const hht_job task = { .channels = 1, .samples = N, .fs = 1, .x = x,
			.o = { .modes_given = 1, .mask = (ws_hht_mask)(k + 1), .wild = 1.2 } };
		hht_must(&task, &h[k]);
		double nan = 0, negative = 0;
		for (size_t i = 0; i < N; ++i) {
			nan += isnan(hht_at(&h[k], WS_HHT_INST_FREQUENCY, i));
			negative += hht_at(&h[k], WS_HHT_INST_FREQUENCY, i) < 0;
		}
		const double counted = hht_at(&h[k], WS_HHT_NEGATIVE, 0);
		const double wild = hht_at(&h[k], WS_HHT_WILD, 0);
		assert_true(counted > N / 10 && wild > N / 10);
		assert_int_equal(counted, hht_at(&h[0], WS_HHT_NEGATIVE, 0));
		assert_int_equal(nan, k == 0 ? 0 : k == 1 ? counted : counted + wild);
		assert_int_equal(negative, k == 0 ? counted : 0);
	}
	/* Weighted with the energy, frequencies average to those of the tones by theirs. */
	near(hht_at(&h[0], WS_HHT_MEAN_FREQUENCY, 0), (0.01 + 0.25 * 0.05) / 1.25, 0.01, "mean");
	assert_true(hht_at(&h[1], WS_HHT_MEAN_FREQUENCY, 0) >
	            hht_at(&h[0], WS_HHT_MEAN_FREQUENCY, 0));
	assert_true(hht_at(&h[2], WS_HHT_OUTSIDE, 0) > hht_at(&h[1], WS_HHT_OUTSIDE, 0));
	for (int k = 0; k < 3; ++k)
		hht_free(&h[k]);
}

/* ---- Figures ------------------------------------------------------------------------ */

/* A steady tone against one that is there for half of the time. */
static void
test_nonstationarity(void **state)
{
	enum { N = 4000 };
	double x[N];
	(void)state;
	for (int i = 0; i < N; ++i)
		x[i] = cos(TAU * 0.02 * i);
	hht h;
	hht_job task = { .channels = 1, .samples = N, .fs = 1, .x = x,
		.o = { .modes_given = 1, .ends = WS_HHT_ENDS_PERIODIC, .freq_low = 0.01,
		       .freq_high = 0.03, .freq_bins = 1, .time_bin = 50 } };
	hht_must(&task, &h);
	assert_float_equal(hht_at(&h, WS_HHT_NONSTATIONARITY, 0), 0, 1e-9);
	hht_free(&h);
	for (int i = N / 2; i < N; ++i)
		x[i] = 0;
	hht_must(&task, &h);
	/* Half the time twice the mean, half the time nothing. */
	assert_float_equal(hht_at(&h, WS_HHT_NONSTATIONARITY, 0), 1, 0.02);
	hht_free(&h);
}

/* The index of orthogonality by its definition; noise against its own lines. */
static void
test_figures(void **state)
{
	enum { N = 3000, SIGNALS = 20 };
	static double x[N];
	rng r = { 6 };
	int within = 0, all = 0, found = 0;
	(void)state;
	for (int s = 0; s < SIGNALS; ++s) {
		for (int i = 0; i < N; ++i)
			x[i] = rng_normal(&r) + (s == 0 ? 0.7 * sin(0.05 * i) : 0);
		hht h;
		const hht_job task = { .channels = 1, .samples = N, .fs = 2, .x = x,
			.o = { .confidence = 0.99 } };
		hht_must(&task, &h);
		const size_t n = (size_t)hht_at(&h, WS_HHT_MODE_COUNT, 0);
		double pairs = 0, squares = 0;
		for (size_t t = 0; t < N; ++t) {
			squares += x[t] * x[t];
			for (size_t i = 0; i <= n; ++i)
				for (size_t k = 0; k <= n; ++k) {
					const double *m = h.array[WS_HHT_MODES];
					const double *rest = h.array[WS_HHT_RESIDUE];
					const double a = i < n ? m[i * N + t] : rest[t];
					const double b = k < n ? m[k * N + t] : rest[t];
					pairs += i == k ? 0 : a * b;
				}
		}
		assert_float_equal(hht_at(&h, WS_HHT_ORTHOGONALITY, 0), pairs / squares, 1e-12);
		near(hht_at(&h, WS_HHT_NOISE_HIGH, 0) * hht_at(&h, WS_HHT_NOISE_LOW, 0),
		     pow(hht_at(&h, WS_HHT_MODE_ENERGY, 0), 2), 1e-12, "lines of mode 1");
		for (size_t k = 1; k < n; ++k) {
			const double e = hht_at(&h, WS_HHT_MODE_ENERGY, k);
			const bool above = e > hht_at(&h, WS_HHT_NOISE_HIGH, k);
			if (s == 0)
				found += above;
			const bool sharp = s > 0 && hht_at(&h, WS_HHT_MEAN_PERIOD, k) < N / 2 / 8;
			all += sharp;
			within += sharp && !above && e > hht_at(&h, WS_HHT_NOISE_LOW, k);
		}
		hht_free(&h);
	}
	assert_true(found >= 1); /* the tone */
	if (within < all * 85 / 100)
		fail_msg("%d of %d modes of noise lie between the lines", within, all);
}

/* A tone of 40 samples a wave with a pause: whole waves from a rising crossing to the next. */
static void
test_cycles(void **state)
{
	enum { N = 1000 };
	double x[N];
	(void)state;
	for (int i = 0; i < N; ++i)
		x[i] = i >= 400 && i < 600 ? 0 : sin(TAU * (i + 10.5) / 40);
	hht h;
	const hht_job task = { .channels = 1, .samples = N, .fs = 1, .x = x,
		.o = { .modes_given = 1, .parts = WS_HHT_PART_CYCLES,
		       .method = WS_HHT_QUADRATURE } };
	hht_must(&task, &h);
	size_t lengths[64] = { 0 };
	const int count = (int)hht_at(&h, WS_HHT_CYCLE_COUNT, 0);
	assert_in_range(count, 16, 20);
	for (size_t i = 0; i < N; ++i) {
		const int c = (int)hht_at(&h, WS_HHT_CYCLES, i);
		assert_true(c >= -1 && c < count);
		if (c >= 0)
			lengths[c]++;
		/* Numbers ascend, and begin where the tone rises through zero. */
		const int before = i ? (int)hht_at(&h, WS_HHT_CYCLES, i - 1) : -1;
		if (c > before && before >= 0)
			assert_int_equal(c, before + 1);
		if (c > before)
			assert_true(i == 0 || (x[i] >= 0 && x[i] < 0.16));
	}
	for (int c = 0; c < count; ++c)
		assert_int_equal(lengths[c], 40);
	hht_free(&h);
}

enum { P_N = 3000, P_GROUP = 3, P_ALL = 2 * P_GROUP, P_K = 2 };

/* Channels 0 and 1 of a group share a rhythm and its envelope, 2 has its own. */
static double
paired(size_t c, size_t k, double t)
{
	const bool own = c % P_GROUP == 2;
	const double a = 1 + 0.5 * sin(own ? 0.0071 * t : 0.01 * t);
	return a * sin(TAU * (own ? 0.0613 : 0.05) * t / (double)(k + 1) + (double)c);
}

/* Mode k of channels c and d by the definitions: phase locking, correlation of amplitudes. */
static void
pair_of(const hht *h, size_t c, size_t d, size_t k, double want[2])
{
	const double *a = (double *)h->array[WS_HHT_INST_AMPLITUDE];
	const double *phase = (double *)h->array[WS_HHT_INST_PHASE];
	const size_t x = (c * P_K + k) * P_N, y = (d * P_K + k) * P_N;
	double re = 0, im = 0, sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
	for (size_t i = 0; i < P_N; ++i) {
		const double u = a[x + i], v = a[y + i];
		re += cos(phase[x + i] - phase[y + i]);
		im += sin(phase[x + i] - phase[y + i]);
		sa += u, sb += v, saa += u * u, sbb += v * v, sab += u * v;
	}
	const bool absent = k && (c == 4 || d == 4);
	want[0] = absent ? 0 : hypot(re, im) / P_N;
	want[1] = absent ? 0 : (sab - sa * sb / P_N) /
	          sqrt((saa - sa * sa / P_N) * (sbb - sb * sb / P_N));
}

/* Of other white noise as much lies between lines by Monte Carlo as is asked for; a tone does
 * not. */
static void
test_noise_signals(void **state)
{
	enum { N = 1000, SIGNALS = 40 };
	static double x[SIGNALS * N];
	rng r = { 33 };
	(void)state;
	for (int i = 0; i < SIGNALS * N; ++i)
		x[i] = rng_normal(&r) + (i < N ? 0.7 * sin(0.05 * i) : 0);
	hht h, again;
	hht_job task = { .channels = SIGNALS, .samples = N, .fs = 2, .x = x,
		.o = { .confidence = 0.9, .noise_signals = 300, .parts = WS_HHT_PART_MARGINAL } };
	hht_must(&task, &h);
	int all = 0, within = 0, found = 0;
	for (size_t s = 0; s < SIGNALS; ++s)
		for (size_t k = 1; k < (size_t)hht_at(&h, WS_HHT_MODE_COUNT, s); ++k) {
			const size_t at = s * h.modes + k;
			const double e = hht_at(&h, WS_HHT_MODE_ENERGY, at);
			const bool above = e > hht_at(&h, WS_HHT_NOISE_HIGH, at);
			const bool sharp = s > 0 && hht_at(&h, WS_HHT_MEAN_PERIOD, at) < N / 2 / 8;
			found += s == 0 && above;
			all += sharp;
			within += sharp && !above && e >= hht_at(&h, WS_HHT_NOISE_LOW, at);
		}
	assert_true(found >= 1);
	if (within < all * 82 / 100 || within > all * 96 / 100)
		fail_msg("%d of %d modes of noise lie between lines of 90 %%", within, all);
	task.threads = 4;
	hht_must(&task, &again);
	hht_same(&h, &again, "threads");
	hht_free(&again);
	hht_free(&h);
}

/* Limits are the mean and the standard deviation of what each rule gives alone, and leave the rest
 * as it is. */
static void
test_limits(void **state)
{
	enum { FROM = 4, TO = 7, RULES = TO - FROM + 1 };
	static double x[CHANNELS * SAMPLES];
	(void)state;
	noisy(x, CHANNELS * SAMPLES, 21);
	hht with, plain, each[RULES];
	hht_job task = { .channels = CHANNELS, .samples = SAMPLES, .fs = 100, .x = x,
		.threads = 2, .o = { .limits_rule = WS_STOP_FIXED, .limits_from = FROM,
		                     .limits_to = TO } };
	hht_must(&task, &with);
	task.o = (ws_hht_opts){ .size = 0 };
	hht_must(&task, &plain);
	hht_same(&with, &plain, "limits");
	for (int i = 0; i < RULES; ++i) {
		task.o.emd.sifts = FROM + i;
		hht_must(&task, &each[i]);
	}
	double spread = 0;
	for (size_t b = 0; b < CHANNELS * with.bins; ++b) {
		double mean = 0, squares = 0;
		for (int i = 0; i < RULES; ++i)
			mean += hht_at(&each[i], WS_HHT_MARGINAL, b) / RULES;
		for (int i = 0; i < RULES; ++i)
			squares += pow(hht_at(&each[i], WS_HHT_MARGINAL, b) - mean, 2);
		near(hht_at(&with, WS_HHT_LIMITS_MEAN, b), mean, 1e-12, "mean");
		assert_float_equal(hht_at(&with, WS_HHT_LIMITS_DEVIATION, b),
		                   sqrt(squares / (RULES - 1)), 1e-9 * mean);
		spread += squares;
	}
	assert_true(spread > 0);
	for (int i = 0; i < RULES; ++i)
		hht_free(&each[i]);
	hht_free(&plain);
	hht_free(&with);
}

/* A tone of 40 Hz whose amplitude swings at 4 Hz: the energy of its modulation is there, and it is
 * what a second decomposition of the amplitude tells. */
static void
test_holospectrum(void **state)
{
	enum { N = 20000, RATE = 400 };
	static double x[2 * N];
	(void)state;
	for (int i = 0; i < N; ++i) {
		const double t = (double)i / RATE;
		x[i] = (1 + 0.5 * cos(TAU * 4 * t)) * cos(TAU * 40 * t);
		x[N + i] = (1 + 0.25 * cos(TAU * t)) * cos(TAU * 10 * t);
	}
	hht h, other;
	hht_job task = { .channels = 1, .samples = N, .fs = RATE, .x = x,
		.o = { .modes_given = 2, .parts = WS_HHT_PART_HOLOSPECTRUM,
		       .quantity = WS_HHT_POWER, .freq_low = 5, .freq_high = 80, .freq_bins = 16,
		       .modulation_low = 0.5, .modulation_high = 16, .modulation_bins = 20 } };
	hht_must(&task, &h);
	assert_int_equal(h.bytes[WS_HHT_HOLOSPECTRUM], 16 * 20 * sizeof(double));
	double all = 0, fast = 0, slow = 0;
	for (int b = 0; b < 16; ++b)
		for (int a = 0; a < 20; ++a) {
			const double v = hht_at(&h, WS_HHT_HOLOSPECTRUM, (size_t)(b * 20 + a));
			const double f = 5 * pow(2, (b + 0.5) / 4);
			const double am = 0.5 * pow(2, (a + 0.5) / 4);
			all += v;
			fast += fabs(log2(f / 40)) < 0.3 && fabs(log2(am / 4)) < 0.3 ? v : 0;
			slow += fabs(log2(f / 10)) < 0.3 && fabs(log2(am)) < 0.9 ? v : 0;
		}
	/* Half of 0.5 squared, and of 0.25 squared. */
	assert_float_equal(fast, 0.125, 0.004);
	assert_float_equal(slow, 0.03125, 0.003);
	assert_true(all < 1.05 * (fast + slow));
	task.threads = 3;
	hht_must(&task, &other);
	hht_same(&h, &other, "threads");
	hht_free(&other);
	/* Density is power over both widths. */
	task.o.quantity = WS_HHT_DENSITY;
	hht_must(&task, &other);
	double power = 0;
	for (int b = 0; b < 16; ++b)
		for (int a = 0; a < 20; ++a)
			power += hht_at(&other, WS_HHT_HOLOSPECTRUM, (size_t)(b * 20 + a)) *
			         5 * (pow(2, (b + 1) / 4.0) - pow(2, b / 4.0)) *
			         0.5 * (pow(2, (a + 1) / 4.0) - pow(2, a / 4.0));
	near(power, all, 1e-9, "density");
	hht_free(&other);
	hht_free(&h);
}

/* Phase locking and amplitude correlation by their definitions, of the amplitudes and phases that
 * come with them; channels of another epoch stay apart. */
static void
test_connectivity(void **state)
{
	static double x[P_ALL * P_K * P_N];
	rng r = { 12 };
	(void)state;
	for (size_t i = 0; i < P_ALL * P_K * P_N; ++i) {
		const size_t c = i / P_N / P_K, k = i / P_N % P_K;
		const double v = paired(c, k, (double)(i % P_N)) + 0.01 * rng_normal(&r);
		x[i] = k && c == 4 ? 0 : v;
	}
	hht h, other;
	hht_job task = { .channels = P_ALL, .together = P_GROUP, .samples = P_N, .fs = 1, .x = x,
		.o = { .modes_given = P_K, .parts = WS_HHT_PART_CONNECTIVITY |
		       WS_HHT_PART_INSTANTANEOUS } };
	hht_must(&task, &h);
	assert_int_equal(h.bytes[WS_HHT_PHASE_LOCKING], P_ALL * P_K * P_GROUP * sizeof(double));
	for (size_t i = 0; i < P_ALL * P_K * P_GROUP; ++i) {
		const size_t c = i / P_GROUP / P_K, k = i / P_GROUP % P_K, p = i % P_GROUP;
		const double got[] = { hht_at(&h, WS_HHT_PHASE_LOCKING, i),
			hht_at(&h, WS_HHT_AMPLITUDE_CORRELATION, i) };
		double want[2];
		pair_of(&h, c, c / P_GROUP * P_GROUP + p, k, want);
		assert_float_equal(got[0], want[0], 1e-9);
		assert_float_equal(got[1], want[1], 1e-9);
		if (k == 0 && c % P_GROUP == 0 && p == 1)
			assert_true(want[0] > 0.99 && want[1] > 0.99);
		if (k == 0 && c % P_GROUP == 0 && p == 2)
			assert_true(want[0] < 0.1 && want[1] < 0.5);
	}
	for (task.threads = 3; task.threads < 9; task.threads += 4) {
		hht_must(&task, &other);
		hht_same(&h, &other, "threads");
		hht_free(&other);
	}
	hht_free(&h);
}

/* The amplitudes, phases and frequencies that emd 0.8.1 gives two modes of noise, by its three
 * methods (tests/data/golden/hht_emd.npy). */
static void
test_golden(void **state)
{
	(void)state;
	const golden g = golden_read("hht_emd");
	assert_int_equal(g.rows, 20);
	const double unit[] = { std_of(g.v, g.n), std_of(g.v + g.n, g.n) };
	for (int method = 0; method < 3; ++method) {
		hht h;
		const hht_job task = { .channels = 1, .samples = g.n, .fs = 100, .x = g.v,
			.o = { .modes_given = 2, .method = (ws_hht_method)(method + 1),
			       .reference = WS_HHT_REF_EMD } };
		hht_must(&task, &h);
		for (size_t i = 0; i < 2 * g.n; ++i) {
			const double *want = g.v + (2 + 6 * (size_t)method) * g.n;
			const double a = hht_at(&h, WS_HHT_INST_AMPLITUDE, i) - want[i];
			double p = fmod(hht_at(&h, WS_HHT_INST_PHASE, i) - want[2 * g.n + i], TAU);
			const double f = hht_at(&h, WS_HHT_INST_FREQUENCY, i) - want[4 * g.n + i];
			p = p > TAU / 2 ? p - TAU : p < -TAU / 2 ? p + TAU : p;
			if (fabs(a) > 1e-12 * unit[i / g.n] || fabs(p) > 1e-10 || fabs(f) > 1e-10)
				fail_msg("method %d, number %zu: off by %.2e, %.2e, %.2e",
				         method + 1, i, a, p, f);
		}
		hht_free(&h);
	}
	free(g.v);
}

/* ---- Callers ------------------------------------------------------------------------ */

static int
stop(void *user, double done)
{
	(void)user;
	(void)done;
	return 1;
}

static void
test_refusals(void **state)
{
	static double x[4 * SAMPLES];
	hht h;
	(void)state;
	noisy(x, 4 * SAMPLES, 1);
	static const double edges[] = { 1, 3, 2 };
	const ws_hht_opts wrong[] = {
		{ .method = (ws_hht_method)4 }, { .reference = (ws_hht_reference)2 },
		{ .ends = (ws_hht_ends)4 }, { .mask = (ws_hht_mask)-1 }, { .smooth_phase = 4 },
		{ .smooth_phase = 33 }, { .smooth_frequency = 2 }, { .wild = 0.5 }, { .wild = NAN },
		{ .time_bin = -1 }, { .quantity = (ws_hht_quantity)5 }, { .confidence = 1 },
		{ .freq_low = 5, .freq_high = 4 }, { .freq_low = -1 }, { .freq_high = INFINITY },
		{ .freq_bins = 65537 }, { .edges = edges, .freq_bins = 2 }, { .edges = edges },
		{ .parts = 1024 },
		{ .noise_signals = 49 }, { .noise_signals = 100, .modes_given = 1 },
		{ .limits_rule = WS_STOP_FIXED, .limits_from = 3, .limits_to = 3 },
		{ .limits_rule = WS_STOP_RILLING, .limits_from = 3, .limits_to = 5 },
		{ .limits_rule = WS_STOP_FIXED, .limits_from = 3, .limits_to = 5,
		  .modes_given = 1 },
		{ .parts = WS_HHT_PART_HOLOSPECTRUM, .modulation_low = 3, .modulation_high = 2 },
		{ .emd = { .max_modes = -1 } }, { .emd_room = { 1 } },
		{ .emd = { .method = WS_MEMD, .realizations = -1 } }, { .modes_given = -1 },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
		const hht_job task = { .channels = 1, .samples = SAMPLES, .fs = 10, .x = x,
			.o = wrong[i] };
		if (hht_make(&task, &h) != WS_E_ARG)
			fail_msg("options %zu were taken", i);
	}
	hht_job task = { .channels = 2, .samples = SAMPLES, .fs = 10, .x = x,
		.o = { .modes_given = 2 } };
	x[3 * SAMPLES + 41] = NAN;
	assert_int_equal(hht_make(&task, &h), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel 2, mode 2, sample 42"));
	x[3 * SAMPLES + 41] = 0;
	task.progress = stop;
	assert_int_equal(hht_make(&task, &h), WS_E_CANCELLED);
	task.o.modes_given = 0;
	assert_int_equal(hht_make(&task, &h), WS_E_CANCELLED);
}

/* Rows of few samples, of none but zeros, without extrema. */
static void
test_small(void **state)
{
	double x[64];
	(void)state;
	for (size_t n = 1; n <= 64; n = n < 9 ? n + 1 : 2 * n)
		for (int method = 1; method <= 3; ++method)
			for (int kind = 0; kind < 12; ++kind) {
				for (size_t i = 0; i < n; ++i)
					x[i] = kind % 3 == 0 ? 0 : kind % 3 == 1 ? (double)i
					       : i % 2 ? -1 : 1;
				hht h;
				const hht_job task = { .channels = 1, .samples = n, .fs = 10,
					.x = x,
					.o = { .method = (ws_hht_method)method,
					       .reference = (ws_hht_reference)(kind / 3 % 2),
					       .modes_given = kind / 6 } };
				hht_must(&task, &h);
				const size_t modes = (size_t)hht_at(&h, WS_HHT_MODE_COUNT, 0);
				for (size_t i = 0; i < modes * n; ++i) {
					assert_true(isfinite(hht_at(&h, WS_HHT_INST_AMPLITUDE, i)));
					assert_true(isfinite(hht_at(&h, WS_HHT_INST_PHASE, i)));
					assert_true(isfinite(hht_at(&h, WS_HHT_INST_FREQUENCY, i)));
				}
				hht_free(&h);
			}
}

static void
test_options(void **state)
{
	static const struct { const char *name, *text, *told, *refused; } cases[] = {
		{ "freqs", "1:45:88", "1:45:88:log", "1:45" },
		{ "freqs", "0:50:100:lin", "0:50:100:lin", "5:4:10" },
		{ "limits", "s-number:3-12", "s-number:3-12", "s-number:12-3" },
		{ "modulation-freqs", "0.5:8:20", "0.5:8:20:log", "8:0.5:20" },
		{ "frequency-method", "nht", "nht", "direct" },
		{ "parts", "modes,mode-spectrum", "modes,mode-spectrum", "modes," },
		{ "reference", "emd", "emd", "matlab" },
		{ "reference", "rilling", "rilling", "" },
		{ "decomposition", "memd", "memd", "vmd" },
		{ "stop-rule", "rilling:0.5", "rilling:0.5", "fixed:0" },
		{ "sifts", "7", "7", "0" }, { "noise", "0", "0", "-1" },
		{ "ends", "zero", "zero", "x" },
		{ "decomposition", "none", "none", "" },
		{ "decomposition", "stored", "stored", "" },
		{ "quantity", "energy", "energy", "joule" },
		{ "smooth-phase", "5", "5", "0" }, { "time-bin", "0.5", "0.5", "0" },
	};
	const ws_transform *t = ws_transform_find("hht");
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		ws_hht_opts o = { .size = sizeof o }, again = o;
		char text[64];
		int k = 0;
		while (strcmp(ws_transform_option(t, k)->name, cases[i].name) != 0)
			++k;
		const ws_option *option = ws_transform_option(t, k);
		assert_string_equal(ws_option_text(option, &o, text, sizeof text), "");
		assert_int_equal(ws_option_set(option, &o, cases[i].text), WS_OK);
		assert_string_equal(ws_option_text(option, &o, text, sizeof text), cases[i].told);
		assert_int_equal(ws_option_set(option, &again, text), WS_OK);
		assert_memory_equal(&o, &again, sizeof o);
		assert_int_equal(ws_option_set(option, &o, cases[i].refused), WS_E_ARG);
	}
	/* Set through the table, they reach the decomposition. */
	static double x[SAMPLES];
	noisy(x, SAMPLES, 3);
	hht h;
	const hht_job task = { .channels = 1, .samples = SAMPLES, .x = x,
		.o = { .emd = { .method = WS_EEMD, .realizations = 4, .max_modes = 3 } } };
	hht_must(&task, &h);
	assert_int_equal(h.modes, 3);
	assert_int_equal(h.opts.emd.realizations, 4);
	assert_int_equal(h.opts.emd.method, WS_EEMD);
	hht_free(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known), cmocka_unit_test(test_energy),
		cmocka_unit_test(test_units), cmocka_unit_test(test_same_bits),
		cmocka_unit_test(test_given), cmocka_unit_test(test_run),
		cmocka_unit_test(test_unit), cmocka_unit_test(test_single),
		cmocka_unit_test(test_masks), cmocka_unit_test(test_nonstationarity),
		cmocka_unit_test(test_figures), cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_connectivity), cmocka_unit_test(test_holospectrum),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_noise_signals),
		 cmocka_unit_test(test_golden),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_small),
		cmocka_unit_test(test_options),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
