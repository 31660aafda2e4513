/*
 * conv.c - convolution with Morlet masks of 16 s + 1 taps, s = 1 .. SCALES, on one core: direct, in
 * multiply-adds beside what the core can do in registers at that moment, and by whatever method
 * plans choose.
 *
 *     conv [SAMPLES SCALES]
 *
 * The signal is sqrt(t (1 - t)) sin(2.1 pi / (t + 0.05)).  Times are this thread's own, the least of
 * seven.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNS 7

typedef struct job {
	ws_plan *plan;
	ws_io io;
	void *workspace;
} job;

static ws_plan *
plan_of(ws_ctx *ctx, const ws_shape *shape, const ws_conv_opts *o)
{
	ws_plan *plan;
	if (ws_plan_create(&plan, ctx, "conv", shape, o) != WS_OK)
		bench_die("%s", ws_error_detail());
	return plan;
}

static void
run(void *arg)
{
	const job *j = arg;
	if (ws_execute(j->plan, &j->io, j->workspace) != WS_OK)
		bench_die("%s", ws_error_detail());
}

/* Seconds, the least of RUNS; *peak: the largest rate of multiply-adds measured in between. */
static double
least(const ws_ctx *ctx, job *j, ws_type type, double *peak)
{
	double best = HUGE_VAL;
	*peak = 0;
	for (int i = 0; i < RUNS; ++i) {
		const double rate = bench_fma_rate(ws_ctx_isa(ctx), type);
		const double start = bench_cpu();
		run(j);
		const double seconds = bench_cpu() - start;
		best = seconds < best ? seconds : best;
		*peak = rate > *peak ? rate : *peak;
	}
	return best;
}

static void
measure(ws_ctx *ctx, const ws_shape *shape, int scales, ws_sums sums, ws_conv_method method,
        const char *name)
{
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV,
		.mask_formula = WS_MASK_MORLET,
		.scale_count = (size_t)scales, .sums = sums, .method = method };
	const size_t n = shape->samples, element = shape->type == WS_F32 ? 4 : 8;
	ws_plan *plan = plan_of(ctx, shape, &o);
	void *x = bench_alloc(n * element), *y = bench_alloc(n * (size_t)scales * element);
	void *workspace = bench_alloc(ws_plan_workspace(plan) + 64);
	for (size_t i = 0; i < n; ++i) {
		const double t = ((double)i + 0.5) / (double)n;
		const double v = sqrt(t * (1 - t)) * sin(2.1 * M_PI / (t + 0.05));
		if (shape->type == WS_F32)
			((float *)x)[i] = (float)v;
		else
			((double *)x)[i] = v;
	}
	const ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { y, { 0 } } };
	job j = { plan, { .size = sizeof j.io, .x = x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS }, workspace };
	double peak, products = 0;
	const double seconds = least(ctx, &j, shape->type, &peak);
	/* At offset d n - |d| outputs find a sample. */
	for (double s = 1; s <= scales; ++s)
		for (double d = -8 * s; d <= 8 * s; ++d)
			products += fmax((double)n - fabs(d), 0.0);
	const double rate = products / seconds * 1e-9;
	printf("%-4s %-12s %9.4f s", shape->type == WS_F32 ? "f32" : "f64", name, seconds);
	if (method == WS_CONV_DIRECT && sums == WS_SUMS_PLAIN)
		printf("  %6.1f of %6.1f multiply-adds/ns: %3.0f %%", rate, peak,
		       100 * rate / peak);
	printf("\n");
	free(x);
	free(y);
	free(workspace);
	ws_plan_destroy(plan);
}

int
main(int argc, char **argv)
{
	const size_t samples = argc > 1 ? strtoull(argv[1], NULL, 10) : 102400;
	const int scales = argc > 2 ? atoi(argv[2]) : 200;
	const ws_ctx_opts c = { .size = sizeof c, .threads = 1, .device = "cpu" };
	ws_ctx *ctx;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (ws_ctx_create(&ctx, &c) != WS_OK)
		bench_die("%s", ws_error_detail());
	printf("%zu samples, %d masks, one core, %s\n", samples, scales, ws_ctx_isa(ctx));
	for (ws_type type = WS_F64; type <= WS_F32; ++type) {
		const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = samples,
			.type = type };
		measure(ctx, &shape, scales, WS_SUMS_PLAIN, WS_CONV_DIRECT, "direct");
		if (type == WS_F32)
			measure(ctx, &shape, scales, WS_SUMS_F64, WS_CONV_DIRECT, "f64 sums");
		measure(ctx, &shape, scales, WS_SUMS_COMPENSATED, WS_CONV_DIRECT, "compensated");
		measure(ctx, &shape, scales, WS_SUMS_PLAIN, WS_CONV_FFT, "fft");
		measure(ctx, &shape, scales, WS_SUMS_PLAIN, WS_CONV_OVERLAP_SAVE, "overlap-save");
		measure(ctx, &shape, scales, WS_SUMS_PLAIN, 0, "chosen");
	}
	ws_ctx_destroy(ctx);
	return 0;
}
