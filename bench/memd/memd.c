/*
 * memd.c - multivariate EMD by the public interface, or, by 0 directions, EMD of each channel:
 * everything counted, from the samples in host memory to the modes in host memory.
 *
 *     memd CHANNELS DIRECTIONS SAMPLES f32|f64 [MODES [SIFTS [DEVICE]]]
 *
 * prints one line of JSON; seconds: median of five after one to warm up; ps: a sample,
 * channel, direction and sift.  The channels are those of race.h.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../cuda/race.h"
#include "../cuda/runner.h"

static void
fill(void *x, size_t channels, size_t n, bool f64)
{
	double *row = need(n * sizeof *row);
	for (size_t c = 0; c < channels; ++c) {
		race_row(row, n, c);
		for (size_t i = 0; i < n; ++i)
			if (f64)
				((double *)x)[c * n + i] = row[i];
			else
				((float *)x)[c * n + i] = (float)row[i];
	}
	free(row);
}

int
main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: memd CHANNELS DIRECTIONS SAMPLES f32|f64 [MODES [SIFTS [DEVICE]]]\n");
		return 2;
	}
	const size_t channels = (size_t)atol(argv[1]), n = (size_t)atol(argv[3]);
	const bool f64 = strcmp(argv[4], "f64") == 0;
	const size_t element = f64 ? sizeof(double) : sizeof(float);
	const ws_shape shape = { .size = sizeof shape, .channels = channels, .samples = n,
		                 .type = f64 ? WS_F64 : WS_F32 };
	const int directions = atoi(argv[2]);
	const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = directions > 0
		? WS_METHOD_MEMD : WS_METHOD_EMD,
		                .directions = directions, .modes = argc > 5 ? atoi(argv[5]) : 8,
		                .sifts = argc > 6 ? atoi(argv[6]) : RACE_SIFTS };
	const ws_ctx_opts c = { .size = sizeof c, .device = argc > 7 ? argv[7] : "cuda" };
	ws_ctx *ctx;
	ws_plan *plan;
	must(ws_ctx_create(&ctx, &c));
	must(ws_plan_create(&plan, ctx, directions > 0 ? "memd" : "emd", &shape, &o));
	void *x = need(channels * n * element), *residue = need(channels * n * element);
	void *modes = need(channels * (size_t)ws_plan_modes(plan) * n * element);
	int32_t *count = need(channels * sizeof *count);
	int32_t *sifts = need(channels * (size_t)ws_plan_modes(plan) * sizeof *sifts);
	fill(x, channels, n, f64);
	const ws_buffer arrays[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { .data = modes }, [WS_EMD_RESIDUE] = { .data = residue },
		[WS_EMD_MODE_COUNT] = { .data = count }, [WS_EMD_SIFTS] = { .data = sifts },
	};
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays, .n_arrays = WS_EMD_ARRAYS };
	void *workspace = need(ws_plan_workspace(plan));
	double seconds[RACE_RUNS], made = 0.0;
	must(ws_execute(plan, &io, workspace));
	for (int i = 0; i < RACE_RUNS; ++i) {
		const double start = wsi_now();
		must(ws_execute(plan, &io, workspace));
		seconds[i] = wsi_now() - start;
	}
	const size_t signals = directions > 0 ? 1 : channels; /* that are sifted by themselves */
	for (size_t i = 0; i < signals; ++i)
		for (int k = 0; k < count[i]; ++k)
			made += sifts[i * (size_t)ws_plan_modes(plan) + (size_t)k] / (double)signals;
	const double median = race_median(seconds, RACE_RUNS);
	printf("{\"what\": \"%s\", \"device\": \"%s\", \"channels\": %zu, \"directions\": %d, \"n\": %zu, "
	       "\"type\": \"%s\", \"modes\": %d, \"sifts\": %g, \"seconds\": %.6f, \"ps\": %.3f}\n",
	       directions > 0 ? "memd" : "emd", ws_plan_device(plan), channels, directions, n, argv[4],
	       count[0], made, median,
	       1e12 * median / ((double)channels * fmax(directions, 1) * (double)n * made));
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return 0;
}
