/*
 * masks.c - convolution with masks of one's own: a smoother and a slope, of different lengths, each
 * output on the signal's time axis.
 *
 *     cc masks.c $(pkg-config --cflags --libs wavesift) -lm -o masks
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavesift/wavesift.h>

enum { SAMPLES = 100, MASKS = 2 };

static int
failed(void)
{
	fprintf(stderr, "%s\n", ws_error_detail());
	return 1;
}

int
main(void)
{
	/* A ramp of 2 a sample, with one sample that is off by 3. */
	double x[SAMPLES], responses[MASKS][SAMPLES];
	for (int n = 0; n < SAMPLES; ++n)
		x[n] = 2.0 * n + (n == 50 ? 3 : 0);

	/* One after the other; a tap k of L meets sample n + k - L / 2 (correlation). */
	const double taps[] = { 0.2, 0.2, 0.2, 0.2, 0.2, -0.5, 0, 0.5 };
	const size_t lengths[MASKS] = { 5, 3 };
	const ws_masks masks = { .size = sizeof masks, .count = MASKS, .lengths = lengths,
		.values = taps, .type = WS_F64 };
	const ws_conv_opts opts = { .size = sizeof opts, .tag = WS_TAG_CONV, .masks = &masks };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = SAMPLES };
	ws_ctx *ctx;
	ws_plan *plan;
	if (ws_ctx_create(&ctx, NULL) != WS_OK ||
	    ws_plan_create(&plan, ctx, "conv", &shape, &opts) != WS_OK)
		return failed();

	const ws_buffer arrays[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { .data = responses } };
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	if (!workspace)
		return 1;
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
		.n_arrays = WS_CONV_ARRAYS };
	if (ws_execute(plan, &io, workspace) != WS_OK)
		return failed();
	for (int n = 48; n <= 52; ++n)
		printf("sample %d: mean of five %.1f, slope %.1f\n", n, responses[0][n],
		       responses[1][n]);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return 0;
}
