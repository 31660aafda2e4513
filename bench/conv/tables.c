/*
 * tables.c - the tables of Jerome & Yan 2021 on one core: masks of 16 .. 4096 scales, made by a
 * plan's code and by a plain loop over libm; convolutions of 1024 .. 102 400 samples with 16 .. 200
 * masks, by each method, by what plans choose, and by a plain loop in C; and how far the responses
 * in f32 and f64 lie from those with compensated sums in f64.
 *
 *     tables [masks | convolutions | grid] [f64 | f32] [SAMPLES MASKS]
 *
 * With SAMPLES and MASKS convolutions have that one row (peers.py table).  grid: a finer grid of
 * what plans choose beside the better of direct and FFT.  Morlet masks of
 * 16 s + 1 taps, s = 1 .. SCALES; the signal is sqrt(t (1 - t)) sin(2.1 pi / (t + 0.05)).  Times
 * are this thread's own; methods are measured in turn, the least of several.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wavesift/conv.h"

static ws_ctx *ctx;

/* ---- Masks ---------------------------------------------------------------------------------- */

/* As a straightforward program has it; noinline, so that it stays one. */
static __attribute__((noinline)) double
plain_masks(int scales, double *to)
{
	double sum = 0;
	for (int s = 1; s <= scales; ++s)
		for (int x = -8 * s; x <= 8 * s; ++x) {
			const double t = (double)x / s;
			*to = exp(-0.5 * t * t) * cos(5 * t) / sqrt(s);
			sum += *to++;
		}
	return sum;
}

static void
measure_masks(int scales)
{
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV,
		.mask_formula = WS_MASK_MORLET,
		.scale_count = (size_t)scales };
	const size_t taps = 8 * (size_t)scales * ((size_t)scales + 1) + (size_t)scales;
	double ours = HUGE_VAL, plain = HUGE_VAL, off = 0;
	double *to = bench_alloc(taps * sizeof *to);
	for (int i = 0; i < (scales > 1000 ? 3 : 9); ++i) {
		ws_masks *m;
		double start = bench_cpu();
		if (ws_masks_create(&m, ctx, &o, 1) != WS_OK)
			bench_die("%s", ws_error_detail());
		ours = fmin(ours, bench_cpu() - start);
		start = bench_cpu();
		plain_masks(scales, to);
		plain = fmin(plain, bench_cpu() - start);
		for (size_t k = 0; i == 0 && k < taps; ++k)
			off = fmax(off, fabs(to[k] - ((double *)m->values)[k]));
		ws_masks_destroy(m);
	}
	printf("%6d  %11zu  %9.2f  %9.2f  %6.1f  %8.1e\n", scales, taps, 1e3 * plain, 1e3 * ours,
	       plain / ours, off);
	free(to);
}

static void
tell_masks(void)
{
	printf("masks   taps        serial C ms    ours ms  ratio  largest difference\n");
	for (int scales = 16; scales <= 4096; scales *= 2)
		measure_masks(scales);
}

/* ---- Convolutions --------------------------------------------------------------------------- */

typedef struct job {
	ws_plan *plan;
	void *workspace, *y;
	double seconds;         /* the least so far */
} job;

static void
doppler(ws_type type, size_t n, void *x)
{
	for (size_t i = 0; i < n; ++i) {
		const double t = ((double)i + 0.5) / (double)n;
		const double v = sqrt(t * (1 - t)) * sin(2.1 * M_PI / (t + 0.05));
		if (type == WS_F32)
			((float *)x)[i] = (float)v;
		else
			((double *)x)[i] = v;
	}
}

static job
job_of(ws_type type, size_t n, int scales, ws_conv_method method, ws_sums sums, void *y)
{
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV,
		.mask_formula = WS_MASK_MORLET,
		.scale_count = (size_t)scales, .method = method, .sums = sums };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = n, .type = type };
	job j = { .y = y, .seconds = HUGE_VAL };
	if (ws_plan_create(&j.plan, ctx, "conv", &shape, &o) != WS_OK)
		bench_die("%s", ws_error_detail());
	j.workspace = bench_alloc(ws_plan_workspace(j.plan) + 64);
	return j;
}

static void
run(job *j, const void *x)
{
	const ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { j->y, { 0 } } };
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	const double start = bench_cpu();
	if (ws_execute(j->plan, &io, j->workspace) != WS_OK)
		bench_die("%s", ws_error_detail());
	j->seconds = fmin(j->seconds, bench_cpu() - start);
}

static void
free_job(job *j)
{
	ws_plan_destroy(j->plan);
	free(j->workspace);
}

static __attribute__((noinline)) void
plain_f64(const double *x, long n, const double *m, long length, double *y)
{
	for (long i = 0; i < n; ++i) {
		double sum = 0;
		for (long k = 0; k < length; ++k) {
			const long at = i + k - length / 2;
			if (at >= 0 && at < n)
				sum += x[at] * m[k];
		}
		y[i] = sum;
	}
}

static __attribute__((noinline)) void
plain_f32(const float *x, long n, const float *m, long length, float *y)
{
	for (long i = 0; i < n; ++i) {
		float sum = 0;
		for (long k = 0; k < length; ++k) {
			const long at = i + k - length / 2;
			if (at >= 0 && at < n)
				sum += x[at] * m[k];
		}
		y[i] = sum;
	}
}

/* Seconds of the plain loops over all masks, once. */
static double
plain(ws_type type, const void *x, size_t n, int scales, void *y)
{
	const size_t taps = 8 * (size_t)scales * ((size_t)scales + 1) + (size_t)scales;
	double *masks = bench_alloc(taps * sizeof *masks);
	plain_masks(scales, masks);
	const double *m = masks;
	const double start = bench_cpu();
	for (int s = 1; s <= scales; m += 16 * s++ + 1) {
		const long length = 16L * s + 1;
		if (type == WS_F64) {
			plain_f64(x, (long)n, m, length, (double *)y + (size_t)(s - 1) * n);
			continue;
		}
		float narrow[16 * 4096 + 1];
		for (long k = 0; k < length; ++k)
			narrow[k] = (float)m[k];
		plain_f32(x, (long)n, narrow, length, (float *)y + (size_t)(s - 1) * n);
	}
	const double seconds = bench_cpu() - start;
	free(masks);
	return seconds;
}

/* The largest difference of a response from what it should be, over the largest of its mask. */
static double
difference(ws_type type, const void *y, const double *want, size_t n, int scales)
{
	double most = 0;
	for (int s = 0; s < scales; ++s) {
		double size = 0, off = 0;
		for (size_t i = (size_t)s * n; i < (size_t)(s + 1) * n; ++i) {
			const double v = type == WS_F32 ? (double)((const float *)y)[i]
			                 : ((const double *)y)[i];
			size = fmax(size, fabs(want[i]));
			off = fmax(off, fabs(v - want[i]));
		}
		most = fmax(most, off / size);
	}
	return most;
}

static void
measure_convolutions(ws_type type, size_t n, int scales)
{
	const size_t numbers = n * (size_t)scales;
	double *x = bench_alloc(n * 8), *wide = bench_alloc(n * 8);
	double *want = bench_alloc(numbers * 8), *y = bench_alloc(numbers * 8);
	doppler(type, n, x);
	doppler(WS_F64, n, wide);
	for (size_t i = 0; type == WS_F32 && i < n; ++i)
		wide[i] = (double)((float *)x)[i];
	job exact = job_of(WS_F64, n, scales, WS_CONV_DIRECT, WS_SUMS_COMPENSATED, want);
	run(&exact, wide);
	free_job(&exact);
	job jobs[4];
	double off[4];
	for (int k = 0; k < 4; ++k)
		jobs[k] = job_of(type, n, scales, (ws_conv_method)k, WS_SUMS_PLAIN, y);
	for (int i = 0; i < (numbers > 4000000 ? 5 : 15); ++i)
		for (int k = 0; k < 4; ++k) {
			run(&jobs[k], x);
			if (i == 0)
				off[k] = difference(type, y, want, n, scales);
		}
	const double naive = plain(type, x, n, scales, y);
	const double plainly = difference(type, y, want, n, scales);
	printf("%s %7zu %5d  %9.2f  %8.2f  %8.2f  %8.2f  %8.2f  %5.1f  %7.1e %7.1e %7.1e\n",
	       type == WS_F32 ? "f32" : "f64", n, scales, 1e3 * naive, 1e3 * jobs[1].seconds,
	       1e3 * jobs[2].seconds, 1e3 * jobs[3].seconds, 1e3 * jobs[0].seconds,
	       naive / jobs[0].seconds, plainly, off[1], off[0]);
	fflush(stdout);
	for (int k = 0; k < 4; ++k)
		free_job(&jobs[k]);
	free(x);
	free(wide);
	free(want);
	free(y);
}

static void
tell_convolutions(ws_type type, size_t samples, int masks)
{
	static const int scales[] = { 16, 64, 200 };
	printf("type      N masks  serial C ms direct ms    fft ms overlap ms chosen ms  ratio  "
	       "differences: serial, direct, chosen\n");
	if (samples) {
		measure_convolutions(type, samples, masks);
		return;
	}
	for (size_t n = 1024; n <= 102400; n *= 10)
		for (int k = 0; k < 3; ++k)
			measure_convolutions(type, n, scales[k]);
}

/* ---- What plans choose ---------------------------------------------------------------------- */

static double
measure_choice(ws_type type, size_t n, int scales)
{
	double *x = bench_alloc(n * 8), *y = bench_alloc(n * (size_t)scales * 8);
	job jobs[3];
	doppler(type, n, x);
	for (int k = 0; k < 3; ++k)
		jobs[k] = job_of(type, n, scales, (ws_conv_method)k, WS_SUMS_PLAIN, y);
	for (int i = 0; i < (n * (size_t)scales > 2000000 ? 7 : 25); ++i)
		for (int k = 0; k < 3; ++k)
			run(&jobs[k], x);
	const double best = fmin(jobs[1].seconds, jobs[2].seconds);
	printf("%s %7zu %5d  %9.3f  %9.3f  %9.3f  %6.2f%s\n", type == WS_F32 ? "f32" : "f64", n,
	       scales, 1e3 * jobs[1].seconds, 1e3 * jobs[2].seconds, 1e3 * jobs[0].seconds,
	       jobs[0].seconds / best, jobs[0].seconds > 1.1 * best ? "  SLOWER" : "");
	fflush(stdout);
	for (int k = 0; k < 3; ++k)
		free_job(&jobs[k]);
	free(x);
	free(y);
	return jobs[0].seconds / best;
}

static void
tell_grid(ws_type type)
{
	static const int scales[] = { 16, 32, 64, 128, 200 };
	double worst = 0;
	printf("type      N masks  direct ms     fft ms  chosen ms  over the better\n");
	for (size_t n = 1024; n <= 131072; n *= 2)
		for (int k = 0; k < 5; ++k) {
			if (n > 40000 && k == 4)
				continue;
			/* Other sizes than powers of two, too. */
			const size_t odd = k % 2 ? n + n / 3 : n;
			worst = fmax(worst, measure_choice(type, odd, scales[k]));
		}
	printf("at worst %.2f times the better of direct and FFT\n", worst);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const ws_ctx_opts c = { .size = sizeof c, .threads = 1, .device = "cpu" };
	if (ws_ctx_create(&ctx, &c) != WS_OK)
		bench_die("%s", ws_error_detail());
	printf("one core, %s\n", ws_ctx_isa(ctx));
	if (!*what || strcmp(what, "masks") == 0)
		tell_masks();
	for (ws_type type = WS_F64; type <= WS_F32; ++type) {
		if (argc > 2 && strcmp(argv[2], type == WS_F32 ? "f32" : "f64") != 0)
			continue;
		if (!*what || strcmp(what, "convolutions") == 0)
			tell_convolutions(type, argc > 4 ? strtoull(argv[3], NULL, 10) : 0,
			                  argc > 4 ? atoi(argv[4]) : 0);
		if (!*what || strcmp(what, "grid") == 0)
			tell_grid(type);
	}
	ws_ctx_destroy(ctx);
	return 0;
}
