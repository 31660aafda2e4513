/*
 * hilbert.c - instantaneous frequency of modes that one has already, from any decomposition.
 *
 *     cc hilbert.c $(pkg-config --cflags --libs wavesift) -lm -o hilbert
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavesift/wavesift.h>

enum { MODES = 2, SAMPLES = 1000 };
static const double fs = 200, pi = 3.141592653589793;

static int
failed(void)
{
	fprintf(stderr, "%s\n", ws_error_detail());
	return 1;
}

int
main(void)
{
	/* 30 Hz that swings by 5 Hz, and 4 Hz that grows. */
	static double modes[MODES][SAMPLES], frequency[MODES][SAMPLES], amplitude[MODES][SAMPLES];
	for (int n = 0; n < SAMPLES; ++n) {
		const double t = n / fs;
		modes[0][n] = cos(2 * pi * 30 * t + 5 * sin(2 * pi * t));
		modes[1][n] = (1 + t) * cos(2 * pi * 4 * t);
	}

	/* x is [channel][mode][time]; shape.channels counts channels, not modes. */
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = SAMPLES,
		.fs = fs };
	const ws_hht_opts opts = { .size = sizeof opts, .tag = WS_TAG_HHT, .modes_given = MODES,
		.parts = WS_HHT_PART_INSTANTANEOUS };
	ws_ctx *ctx;
	ws_plan *plan;
	if (ws_ctx_create(&ctx, NULL) != WS_OK ||
	    ws_plan_create(&plan, ctx, "hht", &shape, &opts) != WS_OK)
		return failed();

	int32_t count;
	double mean[MODES];
	const ws_buffer arrays[WS_HHT_ARRAYS] = {
		[WS_HHT_MODE_COUNT] = { .data = &count },
		[WS_HHT_INSTANTANEOUS_FREQUENCY] = { .data = frequency },
		[WS_HHT_AMPLITUDE] = { .data = amplitude },
		[WS_HHT_MEAN_FREQUENCY] = { .data = mean },
	};
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	if (!workspace)
		return 1;
	const ws_io io = { .size = sizeof io, .x = modes, .arrays = arrays,
		.n_arrays = WS_HHT_ARRAYS };
	if (ws_execute(plan, &io, workspace) != WS_OK)
		return failed();
	for (int k = 0; k < count; ++k)
		printf("mode %d: %.1f Hz on average; at 2 s %.1f Hz of amplitude %.2f\n", k,
		       mean[k], frequency[k][400], amplitude[k][400]);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return 0;
}
