/*
 * test_gpu_threads.c - two threads of the host work on one GPU at once, each by a context of its
 * own and with plans of other sizes, whose kernels ask for other shares of shared memory: each call
 * succeeds, with the bits that it has alone.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_job.h"
#include "wavesift/cwt.h"

#define TIMES 200
#define FREQUENCIES 12
#define MODES 3

/* One of the two: what it works on, what came of it alone and beside the other. */
typedef struct worker {
	size_t samples;
	const float *x;
	float *alone, *beside;  /* of emd, then of cwt */
	int failed, differ;
} worker;

static size_t
numbers(const worker *w)
{
	return (MODES + 1 + 2 * FREQUENCIES) * w->samples;
}

static ws_status
run(ws_ctx *ctx, const char *name, const ws_shape *shape, const void *opts, const ws_io *io)
{
	ws_plan *plan;
	ws_status status = ws_plan_create(&plan, ctx, name, shape, opts);
	if (status != WS_OK)
		return status;
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 64) / 64 * 64);
	status = ws_execute(plan, io, workspace);
	free(workspace);
	ws_plan_destroy(plan);
	return status;
}

/* Modes, the residue and coefficients, behind each other; 0: all are there. */
static int
make(ws_ctx *ctx, const worker *w, float *to)
{
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = w->samples,
		.fs = 250.0, .type = WS_F32 };
	const ws_emd_opts e = { .size = sizeof e, .tag = WS_TAG_EMD, .modes = MODES, .sifts = 4 };
	const ws_cwt_opts c = { .size = sizeof c, .tag = WS_TAG_CWT,
		.freqs = { .low = 4.0, .high = 60.0, .count = FREQUENCIES } };
	int32_t count;
	const ws_buffer modes[WS_EMD_ARRAYS] = { [WS_EMD_MODES] = { .data = to },
		[WS_EMD_RESIDUE] = { .data = to + MODES * w->samples },
		[WS_EMD_MODE_COUNT] = { .data = &count } };
	const ws_buffer rows[WS_CWT_ARRAYS] = {
		[WS_CWT_COEFFICIENTS] = { .data = to + (MODES + 1) * w->samples } };
	ws_io io = { .size = sizeof io, .x = w->x, .arrays = modes, .n_arrays = WS_EMD_ARRAYS };
	memset(to, 0, numbers(w) * sizeof *to);
	int failed = run(ctx, "emd", &shape, &e, &io) != WS_OK;
	io.arrays = rows;
	io.n_arrays = WS_CWT_ARRAYS;
	return failed + (run(ctx, "cwt", &shape, &c, &io) != WS_OK);
}

static void *
work(void *of)
{
	worker *w = of;
	const ws_ctx_opts opts = { .size = sizeof opts, .device = "cuda:0" };
	ws_ctx *ctx;
	if (ws_ctx_create(&ctx, &opts) != WS_OK) {
		w->failed = 1;
		return NULL;
	}
	for (int i = 0; i < TIMES; ++i) {
		w->failed += make(ctx, w, w->beside);
		w->differ += memcmp(w->alone, w->beside, numbers(w) * sizeof(float)) != 0;
	}
	ws_ctx_destroy(ctx);
	return NULL;
}

static void
test_two_threads(void **state)
{
	(void)state;
	worker w[2] = { { .samples = 2500 }, { .samples = 70000 } };
	pthread_t thread[2];
	rng r = { 77 };
	const ws_ctx_opts opts = { .size = sizeof opts, .device = "cuda:0" };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &opts), WS_OK);
	for (int k = 0; k < 2; ++k) {
		float *x = need(w[k].samples * sizeof *x);
		for (size_t i = 0; i < w[k].samples; ++i)
			x[i] = (float)rng_normal(&r);
		w[k].x = x;
		w[k].alone = need(numbers(&w[k]) * sizeof(float));
		w[k].beside = need(numbers(&w[k]) * sizeof(float));
		assert_int_equal(make(ctx, &w[k], w[k].alone), 0);
	}
	ws_ctx_destroy(ctx);
	for (int k = 0; k < 2; ++k)
		assert_int_equal(pthread_create(&thread[k], NULL, work, &w[k]), 0);
	for (int k = 0; k < 2; ++k)
		pthread_join(thread[k], NULL);
	for (int k = 0; k < 2; ++k) {
		assert_int_equal(w[k].failed, 0);
		assert_int_equal(w[k].differ, 0);
		free((void *)w[k].x);
		free(w[k].alone);
		free(w[k].beside);
	}
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_two_threads) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
