/*
 * decompose.c - the library in one page: two tones, Improved CEEMDAN, and what
 * each mode holds.
 *
 *     cc decompose.c $(pkg-config --cflags --libs wavesift) -lm -o decompose
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavesift/wavesift.h>

enum { SAMPLES = 1000 };

static int
failed(void)
{
	fprintf(stderr, "%s\n", ws_error_detail());
	return 1;
}

int
main(void)
{
	/* A steady tone, and a faster one that comes and goes (Colominas et al. 2014). */
	double x[SAMPLES];
	for (int n = 0; n < SAMPLES; ++n) {
		x[n] = sin(6.283185307179586 * 0.065 * n);
		if (n >= 500 && n < 750)
			x[n] += sin(6.283185307179586 * 0.255 * (n - 500));
	}

	/* A plan says what will happen and how much room it takes. */
	ws_ctx *ctx;
	ws_plan *plan;
	ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = SAMPLES };
	ws_emd_opts opts = { .size = sizeof opts, .tag = WS_TAG_EMD, .modes = 4 };
	if (ws_ctx_create(&ctx, NULL) != WS_OK ||
	    ws_plan_create(&plan, ctx, "iceemdan", &shape, &opts) != WS_OK)
		return failed();
	printf("%s", ws_plan_describe(plan));

	/* All memory is ours; the call allocates none. */
	const int rows = ws_plan_modes(plan);
	int32_t modes;
	double *mode = malloc(sizeof x * (size_t)rows), residue[SAMPLES];
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	if (!mode || !workspace)
		return 1;
	const ws_buffer arrays[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { .data = mode }, [WS_EMD_RESIDUE] = { .data = residue },
		[WS_EMD_MODE_COUNT] = { .data = &modes },
	};
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
		.n_arrays = WS_EMD_ARRAYS };
	if (ws_execute(plan, &io, workspace) != WS_OK)
		return failed();

	/* Without a sampling rate frequencies are in cycles per sample. */
	for (int k = 0; k < modes; ++k) {
		ws_mode_figures f = { .size = sizeof f };
		if (ws_mode_stats(mode + k * SAMPLES, WS_F64, SAMPLES, 1.0, &f) != WS_OK)
			return failed();
		printf("mode %d: %.3f cycles per sample (%.3f to %.3f, %zu half waves), "
		       "std %.3f\n", k + 1, f.frequency, f.band_low, f.band_high, f.half_waves,
		       f.deviation);
	}
	free(workspace);
	free(mode);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return 0;
}
