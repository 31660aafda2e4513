/*
 * coherence.c - all pairs of channels: which ones share a rhythm, and how late each is.
 *
 *     cc coherence.c $(pkg-config --cflags --libs wavesift) -lm -o coherence
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavesift/wavesift.h>

enum { CHANNELS = 3, SAMPLES = 2000 };
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
	/* Two channels share 12 Hz, the second 20 ms late; the third has its own 12 Hz. */
	static double x[CHANNELS][SAMPLES];
	for (int n = 0; n < SAMPLES; ++n) {
		const double t = n / fs, drift = 3 * sin(1.3 * t), other = 4 * sin(2.1 * t + 1);
		x[0][n] = cos(2 * pi * 12 * t + drift);
		x[1][n] = cos(2 * pi * 12 * (t - 0.02) + drift) + 0.3 * sin(0.9 * n * n);
		x[2][n] = cos(2 * pi * 12 * t + other);
	}

	const double frequency = 12;
	const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES,
		.fs = fs };
	const ws_cwt_opts opts = { .size = sizeof opts, .tag = WS_TAG_CWT,
		.frequencies = &frequency,
		.frequency_count = 1, .smooth_time = 10, .against = WS_AGAINST_ALL };
	ws_ctx *ctx;
	ws_plan *plan;
	if (ws_ctx_create(&ctx, NULL) != WS_OK ||
	    ws_plan_create(&plan, ctx, "coherence", &shape, &opts) != WS_OK)
		return failed();

	static double locking[CHANNELS][CHANNELS][SAMPLES], pairs[CHANNELS][CHANNELS][SAMPLES];
	static double complex cross[CHANNELS][CHANNELS][SAMPLES];
	const ws_buffer arrays[WS_COHERENCE_ARRAYS] = {
		[WS_COHERENCE_COHERENCE_PAIRS] = { .data = pairs },
		[WS_COHERENCE_PHASE_LOCKING_PAIRS] = { .data = locking },
		[WS_COHERENCE_CROSS_SPECTRUM_PAIRS] = { .data = cross },
	};
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	if (!workspace)
		return 1;
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
		.n_arrays = WS_COHERENCE_ARRAYS };
	if (ws_execute(plan, &io, workspace) != WS_OK)
		return failed();

	const int middle = SAMPLES / 2;
	for (int c = 0; c < CHANNELS; ++c)
		for (int p = c + 1; p < CHANNELS; ++p)
			printf("channels %d and %d at %g Hz: coherence %.2f, %.0f ms late\n", c, p,
			       frequency, pairs[c][p][middle],
			       1000 * carg(cross[c][p][middle]) / (2 * pi * frequency));
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return 0;
}
