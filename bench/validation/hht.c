/*
 * hht.c - Hilbert analysis of given modes, for hht.py, which compares it with others.
 *
 *     hht MODES K FS METHOD REFERENCE EDGES TIME_BIN OUT [RUNS]
 *
 * MODES: numbers [mode][time] in double; METHOD: hilbert, nht, quadrature; REFERENCE: emd or none;
 * EDGES: of the frequency bins, in double.  OUT gets amplitude, phase, frequency [mode][time],
 * spectrum [bin][time bin] of the energy, marginal [bin], outside, energy [mode], all in double,
 * then the cycle [mode][time] of each sample as i32.  Prints the least
 * seconds of processor time of RUNS executions on one core.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wavesift/wavesift.h"

static void
need(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "hht: %s: %s\n", what, ws_error_detail());
	exit(1);
}

static double *
read_numbers(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	need(f != NULL, path);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f) / sizeof(double);
	rewind(f);
	double *x = malloc(*n * sizeof *x);
	need(x && fread(x, sizeof *x, *n, f) == *n, path);
	fclose(f);
	return x;
}

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other users of the machine do not count */
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
set(const char *name, void *opts, const char *text)
{
	const ws_transform *t = ws_transform_find("hht");
	const ws_option *o;
	for (int i = 0; (o = ws_transform_option(t, i)); ++i)
		if (strcmp(o->name, name) == 0)
			need(ws_option_set(o, opts, text) == WS_OK, name);
}

int
main(int argc, char **argv)
{
	if (argc < 9)
		return 2;
	size_t n, n_edges;
	double *x = read_numbers(argv[1], &n), *edges = read_numbers(argv[6], &n_edges);
	const size_t modes = (size_t)atoi(argv[2]);
	ws_hht_opts o = { .size = sizeof o, .tag = WS_TAG_HHT, .modes_given = (int)modes,
		.edges = edges,
		.freqs.count = n_edges - 1, .time_bin = atof(argv[7]),
		.quantity = WS_HHT_QUANTITY_ENERGY };
	/* Cycles are no part of what is timed against hilberthuang(). */
	o.parts = WS_HHT_PART_INSTANTANEOUS | WS_HHT_PART_SPECTRUM | WS_HHT_PART_MARGINAL |
	          (argc > 9 ? 0 : WS_HHT_PART_CYCLES);
	set("frequency-method", &o, argv[4]);
	if (strcmp(argv[5], "none") != 0)
		set("reference", &o, argv[5]);
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = n / modes,
		.fs = atof(argv[3]) };
	const ws_ctx_opts c = { .size = sizeof c, .threads = 1, .device = "cpu" };
	ws_ctx *ctx;
	ws_plan *plan;
	need(ws_ctx_create(&ctx, &c) == WS_OK, "context");
	need(ws_plan_create(&plan, ctx, "hht", &shape, &o) == WS_OK, "plan");
	ws_buffer buffers[WS_HHT_ARRAYS] = { 0 };
	int32_t count;
	buffers[WS_HHT_MODE_COUNT].data = &count;
	static const int wanted[] = { WS_HHT_AMPLITUDE, WS_HHT_PHASE,
		WS_HHT_INSTANTANEOUS_FREQUENCY, WS_HHT_SPECTRUM, WS_HHT_MARGINAL, WS_HHT_OUTSIDE,
		WS_HHT_MODE_ENERGY, WS_HHT_CYCLE };
	enum { WANTED = sizeof wanted / sizeof *wanted };
	size_t size[WANTED];
	for (int i = 0; i < WANTED; ++i) {
		ws_array a = { .size = sizeof a };
		need(ws_plan_array(plan, wanted[i], &a) == WS_OK, "array");
		size[i] = a.type == WS_I32 ? sizeof(int32_t) : sizeof(double);
		for (int k = 0; k < a.rank; ++k)
			size[i] *= a.extent[k];
		buffers[wanted[i]].data = calloc(size[i] ? size[i] : 1, 1);
	}
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_HHT_ARRAYS };
	double best = 1e99;
	for (int run = argc > 9 ? atoi(argv[9]) : 1; run > 0; --run) {
		const double start = now();
		need(ws_execute(plan, &io, workspace) == WS_OK, "execution");
		const double seconds = now() - start;
		best = seconds < best ? seconds : best;
	}
	FILE *f = fopen(argv[8], "wb");
	need(f != NULL, argv[8]);
	for (int i = 0; i < WANTED; ++i)
		need(fwrite(buffers[wanted[i]].data, 1, size[i], f) == size[i],
		     argv[8]);
	fclose(f);
	printf("%.9f\n", best);
	return 0;
}
