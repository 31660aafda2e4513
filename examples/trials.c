/*
 * trials.c - averages over epochs: power locked to an event, power that is not, and the coherence
 * of phases between trials.
 *
 *     cc trials.c $(pkg-config --cflags --libs wavesift) -lm -o trials
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavesift/wavesift.h>

enum { EPOCHS = 20, SAMPLES = 400, FREQUENCIES = 2 };
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
	/* After the event 10 Hz of the same phase in all epochs, and 25 Hz of any phase. */
	static double x[EPOCHS][SAMPLES];
	for (int e = 0; e < EPOCHS; ++e)
		for (int n = 0; n < SAMPLES; ++n) {
			const double t = n / fs - 0.5, burst = t > 0 ? t * exp(-5 * t) * 10 : 0;
			x[e][n] = burst * (sin(2 * pi * 10 * t) + sin(2 * pi * 25 * t + e * 2.4)) +
			          0.01 * sin(e * 7 + 1.7 * n);
		}

	/* An epoch begins half a second before its event; the baseline is what comes before it. */
	const double frequencies[FREQUENCIES] = { 10, 25 };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .epochs = EPOCHS,
		.samples = SAMPLES, .fs = fs, .start = -0.5 };
	const ws_cwt_opts opts = { .size = sizeof opts, .tag = WS_TAG_CWT,
		.frequencies = frequencies,
		.frequency_count = FREQUENCIES };
	ws_ctx *ctx;
	ws_plan *plan;
	if (ws_ctx_create(&ctx, NULL) != WS_OK ||
	    ws_plan_create(&plan, ctx, "trials", &shape, &opts) != WS_OK)
		return failed();

	static double evoked[FREQUENCIES][SAMPLES], induced[FREQUENCIES][SAMPLES],
		total[FREQUENCIES][SAMPLES], itc[FREQUENCIES][SAMPLES];
	const ws_buffer arrays[WS_TRIALS_ARRAYS] = {
		[WS_TRIALS_TOTAL_POWER] = { .data = total },
		[WS_TRIALS_EVOKED_POWER] = { .data = evoked },
		[WS_TRIALS_INDUCED_POWER] = { .data = induced }, [WS_TRIALS_ITC] = { .data = itc },
	};
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	if (!workspace)
		return 1;
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
		.n_arrays = WS_TRIALS_ARRAYS };
	if (ws_execute(plan, &io, workspace) != WS_OK)
		return failed();

	const int n = (int)((0.2 - shape.start) * fs);
	for (int k = 0; k < FREQUENCIES; ++k)
		printf("%g Hz, 0.2 s after the event: evoked %.0f %%, induced %.0f %%, "
		       "coherence %.2f\n", frequencies[k], 100 * evoked[k][n] / total[k][n],
		       100 * induced[k][n] / total[k][n], itc[k][n]);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return 0;
}
