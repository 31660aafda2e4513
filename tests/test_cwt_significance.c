/* test_cwt_significance.c - noise exceeds its significance as seldom as it says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_test.h"

enum { N = 200000, COUNT = 6 };

/* The share of power[COUNT][N] above levels[COUNT]. */
static void
run(const double *x, ws_cwt_opts o, double power[], double levels[])
{
	ws_ctx *ctx;
	ws_plan *plan;
	const ws_ctx_opts c = { .size = sizeof c, .threads = 2, .device = "cpu" };
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = N, .fs = 100.0 };
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	o.quantity = WS_QUANTITY_POWER;
	o.freqs.low = 1.0;
	o.freqs.high = 40.0;
	o.freqs.count = COUNT;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	if (ws_plan_create(&plan, ctx, "cwt", &shape, &o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	ws_buffer buffers[WS_CWT_ARRAYS] = { [WS_CWT_POWER] = { .data = power },
		[WS_CWT_SIGNIFICANCE] = { .data = levels } };
	void *workspace = aligned_alloc(64, ws_plan_workspace(plan));
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_CWT_ARRAYS };
	assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

static void
noise_exceeds_it_seldom(void **state)
{
	(void)state;
	double *x = need(N * sizeof *x), *power = need(COUNT * N * sizeof *power), levels[COUNT];
	const ws_wavelet wavelets[] = { WS_WAVELET_MORLET, WS_WAVELET_MORSE, WS_WAVELET_DOG,
		WS_WAVELET_PAUL };
	const double lags[] = { 0, 0.7, -0.7 };
	for (int red = 0; red < 3; ++red)
		for (int norm = WS_NORM_L1; norm <= WS_NORM_TC; ++norm)
			for (int w = 0; w < 4; ++w) {
				rng random = { (uint64_t)(40 + w) };
				double last = 0.0;
				for (int t = 0; t < N; ++t) {
					last = lags[red] * last + rng_normal(&random);
					x[t] = 5.0 * last + 300.0;
				}
				const double level = w % 2 ? 0.9 : 0.95;
				/* lag1 is estimated: white noise has nearly none. */
				const ws_cwt_opts o = { .wavelet = wavelets[w], .norm = norm,
					.level = level, .significance = red || w % 2 ?
						WS_SIGNIFICANCE_AR1 : WS_SIGNIFICANCE_WHITE };
				run(x, o, power, levels);
				for (int f = 0; f < COUNT; ++f) {
					size_t above = 0;
					for (int t = 0; t < N; ++t)
						above += power[f * N + t] > levels[f];
					const double share = (double)above / N, want = 1 - level;
					/* Of 1 Hz there are few cycles. */
					const double slack = f < COUNT - 1 ? 0.15 : 0.3;
					if (!(fabs(share - want) < slack * want))
						fail_msg("red %d, norm %d, wavelet %d, %d: %g, not "
						         "%g", red, norm, w, f, share, want);
				}
			}
	free(x);
	free(power);
}

/* T&C (17), (18): NINO3 has lag1 0.72; here by its definition. */
static void
the_formula(void **state)
{
	(void)state;
	double *x = need(N * sizeof *x), *power = need(COUNT * N * sizeof *power), levels[COUNT];
	double mean = 0.0, variance = 0.0;
	rng random = { 9 };
	for (int t = 0; t < N; ++t)
		mean += (x[t] = rng_normal(&random)) / N;
	for (int t = 0; t < N; ++t)
		variance += (x[t] - mean) * (x[t] - mean) / N;
	run(x, (ws_cwt_opts){ .reference = WS_CWT_REF_TC, .lag1 = 0.72,
	        .significance = WS_SIGNIFICANCE_AR1 }, power, levels);
	for (int f = 0; f < COUNT; ++f) {
		const double hz = 40.0 * pow(40.0, -f / (COUNT - 1.0));
		const double noise = (1 - 0.72 * 0.72) /
			(1 + 0.72 * 0.72 - 2 * 0.72 * cos(2 * 3.14159265358979323846 * hz / 100));
		assert_true(fabs(levels[f] / (variance * noise * -log(0.05)) - 1) < 1e-12);
	}
	free(x);
	free(power);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_exceeds_it_seldom),
		cmocka_unit_test(the_formula),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
