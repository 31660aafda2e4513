/*
 * test_alignment.c - how far modes of multivariate EMD are one rhythm in all channels: known
 * answers, the same bits for any number of threads and block of epochs, and buffers that a caller does not
 * have are not looked at.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wavesift/wavesift.h"

enum { CHANNELS = 4, SAMPLES = 1024, MODES = 6, EPOCHS = 2 };

static double x[EPOCHS * CHANNELS][SAMPLES];
static double modes[EPOCHS * CHANNELS * MODES][SAMPLES], residue[EPOCHS * CHANNELS][SAMPLES];
static int32_t count[EPOCHS * CHANNELS];
static double alignment[EPOCHS * CHANNELS][MODES];

/* Two rhythms, the slow one not in the last channel, and a little noise. */
static void
make(void)
{
	uint32_t random = 1;
	for (int c = 0; c < EPOCHS * CHANNELS; ++c)
		for (int i = 0; i < SAMPLES; ++i) {
			random = random * 1664525u + 1013904223u;
			x[c][i] = 0.1 * ((double)(random >> 8) / (1 << 24) - 0.5) +
			          sin(0.9 * i + c) +
			          (c % CHANNELS < 3 ? 2 * sin(0.1 * i + 2 * c) : 0.0);
		}
}

/* Decomposes the first `channels` channels; n_arrays as in ws_io. */
static void
decompose(size_t channels, size_t together, int threads, int n_arrays, double *to)
{
	const ws_ctx_opts o = { .size = sizeof o, .device = "cpu", .threads = threads };
	const ws_shape shape = { .size = sizeof shape, .channels = channels, .samples = SAMPLES,
		.type = WS_F64, .fs = 100, .recording_channels = together };
	const ws_emd_opts opts = { .size = sizeof opts, .tag = WS_TAG_EMD, .modes = MODES };
	ws_ctx *ctx;
	ws_plan *plan;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, "memd", &shape, &opts), WS_OK);
	assert_int_equal(ws_plan_arrays(plan), WS_EMD_ARRAYS);
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	ws_buffer arrays[WS_EMD_ARRAYS] = { 0 };
	arrays[WS_EMD_MODES].data = modes;
	arrays[WS_EMD_RESIDUE].data = residue;
	arrays[WS_EMD_MODE_COUNT].data = count;
	arrays[WS_EMD_ALIGNMENT].data = to;
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays, .n_arrays = n_arrays };
	assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

static void
known(void **state)
{
	(void)state;
	make();
	decompose(CHANNELS, 0, 2, WS_EMD_ARRAYS, alignment[0]);
	/* By by_hand() of bindings/python/tests/test_alignment.py. */
	static const double want[] = { 0.99996197, 0.99878331, 0.99768617, 0.9908354, 0.99083634,
		0.99472971 };
	for (size_t k = 0; k < sizeof want / sizeof *want; ++k)
		for (int c = 0; c < CHANNELS; ++c)
			if (!(fabs(alignment[c][k] - want[k]) < 2e-5))
				fail_msg("mode %zu: %.9f, not %.9f", k + 1, alignment[c][k], want[k]);
}

static void
same_bits(void **state)
{
	static double other[EPOCHS * CHANNELS][MODES];
	(void)state;
	make();
	decompose(EPOCHS * CHANNELS, CHANNELS, 1, WS_EMD_ARRAYS, alignment[0]);
	decompose(EPOCHS * CHANNELS, CHANNELS, 3, WS_EMD_ARRAYS, other[0]);
	assert_memory_equal(alignment, other, sizeof other);
	decompose(CHANNELS, 0, 2, WS_EMD_ARRAYS, other[0]);
	assert_memory_equal(alignment, other, sizeof other / EPOCHS);
	/* The other epoch is another signal. */
	assert_true(alignment[0][0] != alignment[CHANNELS][0]);
}

static void
equal_and_flat(void **state)
{
	(void)state;
	make();
	for (int i = 0; i < SAMPLES; ++i) {
		x[1][i] = -1e-3 * x[0][i];
		x[2][i] = 8 * x[0][i];
		x[3][i] = 5;
	}
	decompose(CHANNELS, 0, 1, WS_EMD_ARRAYS, alignment[0]);
	assert_true(count[0] > 1);
	for (int k = 0; k < count[0]; ++k)
		assert_true(alignment[0][k] > 1 - 1e-6 && alignment[0][k] <= 1);
	/* Only one channel has any mode. */
	memset(x[1], 0, 3 * sizeof x[1]);
	decompose(CHANNELS, 0, 1, WS_EMD_ARRAYS, alignment[0]);
	assert_true(count[0] > 1);
	for (int k = 0; k < count[0]; ++k)
		assert_true(isnan(alignment[0][k]));
}

/* What lies behind as many buffers as the caller has is not looked at. */
static void
fewer_buffers(void **state)
{
	(void)state;
	make();
	memset(alignment, 0x55, sizeof alignment);
	decompose(CHANNELS, 0, 1, WS_EMD_ALIGNMENT, alignment[0]);
	for (size_t i = 0; i < sizeof alignment; ++i)
		assert_int_equal(((unsigned char *)alignment)[i], 0x55);
	decompose(CHANNELS, 0, 1, WS_EMD_ALIGNMENT + 1, alignment[0]);
	assert_true(alignment[0][0] > 0 && alignment[0][0] <= 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known), cmocka_unit_test(same_bits),
		cmocka_unit_test(equal_and_flat), cmocka_unit_test(fewer_buffers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
