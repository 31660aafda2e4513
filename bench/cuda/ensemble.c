/*
 * ensemble.c - Improved CEEMDAN on the GPU by the public interface: everything
 * counted, from the samples in host memory to the modes in host memory, noise
 * and its decomposition, transfers and means.
 *
 *     ensemble SAMPLES REALIZATIONS f32|f64 [MODES [SIFTS [CHANNELS [DEVICE]]]]
 *
 * prints one line of JSON; seconds: median of three after one to warm up.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "runner.h"

enum { RUNS = 3 };

int
main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr,
		        "usage: ensemble SAMPLES REALIZATIONS f32|f64 [MODES [SIFTS [CHANNELS "
		        "[DEVICE]]]]\n");
		return 2;
	}
	const bool f64 = strcmp(argv[3], "f64") == 0;
	const size_t n = (size_t)atol(argv[1]), channels = argc > 6 ? (size_t)atol(argv[6]) : 1;
	const size_t row = n * (f64 ? sizeof(double) : sizeof(float));
	ws_shape shape = { .size = sizeof shape, .channels = channels, .samples = n,
		           .type = f64 ? WS_F64 : WS_F32 };
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = WS_METHOD_ICEEMDAN,
		.realizations = atoi(argv[2]),
		          .modes = argc > 4 ? atoi(argv[4]) : 12,
		          .sifts = argc > 5 ? atoi(argv[5]) : RACE_SIFTS };
	ws_ctx_opts ctx_opts = { .size = sizeof ctx_opts, .device = argc > 7 ? argv[7] : "cuda" };
	ws_ctx *ctx;
	ws_plan *plan;
	must(ws_ctx_create(&ctx, &ctx_opts));
	must(ws_plan_create(&plan, ctx, "iceemdan", &shape, &o));
	const size_t modes = (size_t)ws_plan_modes(plan);
	char *x = need(channels * row);
	double *d = need(n * sizeof *d);
	for (size_t c = 0; c < channels; ++c) {
		race_row(d, n, c);
		for (size_t i = 0; i < n; ++i)
			if (f64)
				((double *)(x + c * row))[i] = d[i];
			else
				((float *)(x + c * row))[i] = (float)d[i];
	}
	int32_t *count = need(channels * sizeof *count);
	const ws_buffer arrays[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { .data = need(channels * modes * row) },
		[WS_EMD_RESIDUE] = { .data = need(channels * row) },
		[WS_EMD_MODE_COUNT] = { .data = count },
	};
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays, .n_arrays = WS_EMD_ARRAYS };
	memset(arrays[WS_EMD_MODES].data, 0, channels * modes * row);
	void *workspace = need(ws_plan_workspace(plan));
	double seconds[RUNS];
	for (int run = -1; run < RUNS; ++run) {
		const double start = wsi_now();
		must(ws_execute(plan, &io, workspace));
		if (run >= 0)
			seconds[run] = wsi_now() - start;
	}
	const double median = race_median(seconds, RUNS);
	printf("{\"what\": \"iceemdan\", \"device\": \"%s\", \"n\": %zu, \"realizations\": %d, "
	       "\"channels\": %zu, \"type\": \"%s\", \"sifts\": %d, \"modes\": %d, \"seconds\": "
	       "%.4f, "
	       "\"seconds_per_channel\": %.4f}\n",
	       ws_plan_device(plan), n, o.realizations, channels, f64 ? "f64" : "f32", o.sifts,
	       count[0], median, median / (double)channels);
	return 0;
}
