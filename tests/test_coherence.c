/* test_coherence.c - coherence, phase locking and cross-spectra against their definition on the
 * transforms of the epochs. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cwt_test.h"

enum { N = 260, EPOCHS = 6, CHANNELS = 3, COUNT = 4, SIZE = CHANNELS * COUNT * N };

static void
run(const char *name, const double *x, ws_type type, size_t channels, size_t epochs, ws_cwt_opts o,
    int threads, void *const *out)
{
	o.f_min = 4.0;
	o.f_max = 30.0;
	o.count = COUNT;
	const cwt_task task = { .name = name, .x = x, .type = type, .channels = channels,
		.epochs = epochs, .samples = N, .fs = 100.0, .o = o, .threads = threads };
	assert_int_equal(cwt_execute(&task, 3, out), WS_OK);
}

/* [channel][epoch][time]: channel 2 follows channel 1, channel 3 is alone. */
static double *
recording(void)
{
	double *x = need(CHANNELS * EPOCHS * N * sizeof *x);
	rng random = { 4 };
	for (int e = 0; e < EPOCHS; ++e)
		for (int t = 0; t < N; ++t) {
			double *at = x + e * N + t;
			at[0] = rng_normal(&random);
			at[EPOCHS * N] = (t >= 3 ? at[-3] : 0) + 0.05 * rng_normal(&random);
			at[2 * EPOCHS * N] = rng_normal(&random);
		}
	return x;
}

/* Largest error of out[3] beside the definition on the epochs' transforms w. */
static double
error(const double complex *w, int with, ws_type type, void *const *out)
{
	double most = 0;
	for (int c = 0; c < CHANNELS; ++c)
		for (int i = 0; i < COUNT * N; ++i) {
			double complex cross = 0, unit = 0;
			double pw = 0, pv = 0;
			for (int e = 0; e < EPOCHS; ++e) {
				const double complex a = w[(c * EPOCHS + e) * COUNT * N + i];
				const double complex b =
					w[((with - 1) * EPOCHS + e) * COUNT * N + i];
				cross += a * conj(b) / EPOCHS;
				unit += a * conj(b) / cabs(a * b) / EPOCHS;
				pw += cabs(a) * cabs(a) / EPOCHS;
				pv += cabs(b) * cabs(b) / EPOCHS;
			}
			const size_t at = (size_t)(c * COUNT * N + i);
			const double coherence = get(type, out[0], at);
			const double complex mean = get(type, out[2], 2 * at) +
				I * get(type, out[2], 2 * at + 1);
			assert_true(coherence >= 0 && coherence <= 1.000001);
			most = fmax(most, fabs(coherence - cabs(cross) * cabs(cross) / pw / pv));
			most = fmax(most, fabs(get(type, out[1], at) - cabs(unit)));
			most = fmax(most, cabs(mean - cross));
		}
	return most;
}

static void
it_is_its_definition(void **state)
{
	(void)state;
	double *x = recording();
	double complex *w = need(EPOCHS * CHANNELS * COUNT * N * sizeof *w);
	run("cwt", x, WS_F64, CHANNELS * EPOCHS, 0, (ws_cwt_opts){ 0 }, 1,
	    (void *const[]){ w, 0, 0 });
	for (int with = 1; with <= CHANNELS; with += 2)
		for (int type = WS_F64; type <= WS_F32; ++type) {
			const size_t bytes = 2 * SIZE * type_size(type);
			void *out[3], *again[3];
			for (int k = 0; k < 3; ++k) {
				out[k] = need(bytes);
				again[k] = need(bytes);
				memset(out[k], 0, bytes);
				memset(again[k], 0, bytes);
			}
			const ws_cwt_opts o = { .with = with };
			run("coherence", x, type, CHANNELS, EPOCHS, o, 1, out);
			run("coherence", x, type, CHANNELS, EPOCHS, o, 3, again);
			const double most = error(w, with, type, out);
			if (!(most < (type == WS_F64 ? 1e-12 : 1e-5)))
				fail_msg("with %d, type %d: %g", with, type, most);
			for (int k = 0; k < 3; ++k) {
				assert_memory_equal(out[k], again[k], bytes);
				free(out[k]);
				free(again[k]);
			}
		}
	free(w);
	free(x);
}

static void
who_follows_is_coherent(void **state)
{
	(void)state;
	double *x = recording(), *coherence = need(SIZE * sizeof *coherence);
	double *locking = need(SIZE * sizeof *locking);
	run("coherence", x, WS_F64, CHANNELS, EPOCHS, (ws_cwt_opts){ 0 }, 1,
	    (void *const[]){ coherence, locking, NULL });
	double alone = 0;
	for (int i = COUNT * N / 4; i < COUNT * N; ++i) {
		assert_true(coherence[i] > 1 - 1e-12);
		alone += coherence[2 * COUNT * N + i] / (0.75 * COUNT * N);
	}
	assert_true(coherence[COUNT * N + 2 * N + N / 2] > 0.9);
	/* Of independent noise 1 / EPOCHS. */
	assert_true(fabs(alone - 1.0 / EPOCHS) < 0.06);
	free(x);
	free(coherence);
	free(locking);
}

static void
mistakes_are_named(void **state)
{
	(void)state;
	ws_ctx *ctx;
	ws_plan *plan;
	ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = N, .fs = 100.0,
		.epochs = 3 };
	const ws_cwt_opts third = { .size = sizeof third, .with = 3 };
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, "coherence", &shape, &third), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "no channel 3"));
	shape.epochs = 0;
	assert_int_equal(ws_plan_create(&plan, ctx, "coherence", &shape, NULL), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "two epochs"));
	ws_ctx_destroy(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_its_definition),
		cmocka_unit_test(who_follows_is_coherent),
		cmocka_unit_test(mistakes_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
