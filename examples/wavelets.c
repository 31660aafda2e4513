/*
 * wavelets.c - power over time and frequency: a chirp, and where the ends of the signal reach.
 *
 *     cc wavelets.c $(pkg-config --cflags --libs wavesift) -lm -o wavelets
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavesift/wavesift.h>

enum { SAMPLES = 2000, FREQUENCIES = 40 };
static const double fs = 200;

static int
failed(void)
{
	fprintf(stderr, "%s\n", ws_error_detail());
	return 1;
}

int
main(void)
{
	/* From 5 Hz to 45 Hz in ten seconds. */
	static float x[SAMPLES], power[FREQUENCIES][SAMPLES];
	for (int n = 0; n < SAMPLES; ++n) {
		const double t = n / fs;
		x[n] = (float)sin(6.283185307179586 * (5 * t + 2 * t * t));
	}

	ws_ctx *ctx;
	ws_plan *plan;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = SAMPLES, .fs = fs,
		.type = WS_F32 };
	const ws_cwt_opts opts = { .size = sizeof opts, .tag = WS_TAG_CWT,
		.quantity = WS_QUANTITY_POWER,
		.freqs = { .low = 2, .high = 60, .count = FREQUENCIES } };
	if (ws_ctx_create(&ctx, NULL) != WS_OK ||
	    ws_plan_create(&plan, ctx, "cwt", &shape, &opts) != WS_OK)
		return failed();

	double frequency[FREQUENCIES], cone[FREQUENCIES];
	if (ws_plan_axis(plan, WS_CWT_POWER, WS_AXIS_FREQUENCY, frequency, FREQUENCIES) != WS_OK)
		return failed();
	const ws_buffer arrays[WS_CWT_ARRAYS] = {
		[WS_CWT_POWER] = { .data = power }, [WS_CWT_CONE] = { .data = cone },
	};
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	if (!workspace)
		return 1;
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
		.n_arrays = WS_CWT_ARRAYS };
	if (ws_execute(plan, &io, workspace) != WS_OK)
		return failed();

	/* Closer to an end than the cone of influence a coefficient depends on the padding. */
	for (int second = 1; second < 10; second += 2) {
		const int n = (int)(second * fs);
		int peak = 0;
		for (int k = 1; k < FREQUENCIES; ++k)
			if (power[k][n] > power[peak][n])
				peak = k;
		printf("%d s: %.1f Hz%s\n", second, frequency[peak],
		       cone[peak] > second || cone[peak] > 10 - second ? ", near an end" : "");
	}
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return 0;
}
