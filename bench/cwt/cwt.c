/*
 * cwt.c - the continuous wavelet transform on the CPU: ns a coefficient.
 *
 *     cwt [SAMPLES [SCALES [f32|f64 [GRID]]]]      one grid, or all
 *
 * White noise at 1000 Hz, complex output in memory that was touched before.  Each grid on one
 * thread and on two; planning and the forward transform apart.  Least of some runs: seconds of the
 * core for one thread, of the clock for two.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "transform/cwt/cwt.h"

typedef struct grid {
	const char *name;
	double fs, f_min, f_max;
} grid;

static const grid grids[] = {
	{ "EEG, 1 to 100 Hz at 1024 Hz", 1024.0, 1.0, 100.0 },
	{ "1 to 450 Hz at 1000 Hz", 1000.0, 1.0, 450.0 },
	{ "narrow, 1 to 20 Hz at 1000 Hz", 1000.0, 1.0, 20.0 },
	{ "wide, 100 to 450 Hz at 1000 Hz", 1000.0, 100.0, 450.0 },
};

/* How many scales go each way. */
static void
print_ways(const wsi_cwt *cwt)
{
	size_t by_way[WSI_CWT_WAYS] = { 0 };
	for (size_t i = 0; i < cwt->count; ++i)
		by_way[cwt->scale[i].way]++;
	const char *between = "";
	for (int i = 0; i < WSI_CWT_WAYS; ++i) {
		if (by_way[i] == 0)
			continue;
		printf("%s%zu by %s", between, by_way[i], wsi_cwt_ways[i].name);
		between = ", ";
	}
}

typedef struct timing { double forward, run; } timing;

static double
now(int threads)
{
	return threads == 1 ? bench_cpu() : bench_now();
}

static timing
measure(const wsi_cwt *cwt, const void *x, void *out, int threads)
{
	const size_t row = cwt->outputs * wsi_cwt_numbers(cwt->o.quantity) * cwt->ops->element;
	void *spectrum = bench_alloc(wsi_cwt_spectrum_bytes(cwt));
	void *workspace = bench_alloc(wsi_cwt_workspace(cwt, 1, threads));
	wsi_worker *workers = bench_alloc((size_t)threads * sizeof *workers);
	wsi_pool pool;
	wsi_pool_start(&pool, threads, workers, NULL);
	timing least = { HUGE_VAL, HUGE_VAL };
	for (int i = 0; i < 7; ++i) {
		const double t0 = now(threads);
		if (wsi_cwt_forward(cwt, x, 0, 1, spectrum, &pool, NULL, workspace) != WS_OK)
			bench_die("%s", ws_error_detail());
		const double t1 = now(threads);
		const wsi_cwt_part job = { .spectra = spectrum, .channels = 1, .f1 = cwt->count,
			.t1 = cwt->outputs, .out = out, .frequency_stride = row };
		wsi_cwt_run(cwt, &job, &pool, NULL, workspace);
		const double t2 = now(threads);
		least.forward = fmin(least.forward, t1 - t0);
		least.run = fmin(least.run, t2 - t1);
	}
	wsi_pool_stop(&pool);
	free(workers);
	free(workspace);
	free(spectrum);
	return least;
}

int
main(int argc, char **argv)
{
	const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
	const size_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 300;
	const ws_type type = argc > 3 && strcmp(argv[3], "f64") == 0 ? WS_F64 : WS_F32;
	void *x = bench_alloc(n * sizeof(double));
	void *out = bench_alloc(n * count * 2 * (type == WS_F64 ? sizeof(double) : sizeof(float)));
	bench_white(type, n, x);
	const int only = argc > 4 ? atoi(argv[4]) : -1;
	for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
		if (only >= 0 && only != (int)g)
			continue;
		const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT,
			.freqs.low = grids[g].f_min,
			.freqs.high = grids[g].f_max,
			.freqs.count = count };
		wsi_cwt *cwt;
		const double t0 = bench_now();
		if (wsi_cwt_create(&cwt, n, grids[g].fs, type, &o, getenv("BENCH_ISA")) != WS_OK)
			bench_die("%s", ws_error_detail());
		const double planning = bench_now() - t0, all = 1e-9 * (double)n * (double)count;
		printf("%s:\n  scales     ", grids[g].name);
		print_ways(cwt);
		printf("\n  planning %.4f s", planning);
		for (int threads = 1; threads <= 2; ++threads) {
			const timing t = measure(cwt, x, out, threads);
			printf("; %d thread%s %.3f ns a coefficient (forward %.3f)", threads,
			       threads > 1 ? "s" : "", (t.forward + t.run) / all, t.forward / all);
		}
		printf("\n");
		wsi_cwt_destroy(cwt);
	}
	free(out);
	free(x);
	return 0;
}
