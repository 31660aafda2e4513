/*
 * test_gpu_arrays.c - arrays in a GPU's own memory: the same bits as from the host's, rows with
 * gaps, work of the caller's stream that must come first, samples that are not finite.
 *
 * It asks CUDA's driver for memory, as a program beside wavesift would.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_driver.h"
#include "random_job.h"

/* ---- Tests --------------------------------------------------------------------------------- */

#define CHANNELS 6
#define SAMPLES 70001
#define MODES 5

typedef struct arrays {
	char *modes, *residue;  /* [channel][mode][time], [channel][time] */
	int32_t count[CHANNELS];
} arrays;

static double x[CHANNELS * SAMPLES];

static ws_plan *
plan_of(ws_ctx *ctx, ws_method method, ws_type type)
{
	const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES,
		.type = type };
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = method,
		.realizations = 10,
		.modes = MODES, .sifts = 6, .directions = 16 };
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, ctx, emd_fit(&o), &shape, &o), WS_OK);
	return plan;
}

static ws_status
execute(const ws_plan *plan, const ws_io *io)
{
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	const ws_status status = ws_execute(plan, io, workspace);
	free(workspace);
	return status;
}

static arrays
in_host_memory(const ws_plan *plan, const void *samples, size_t element)
{
	arrays a = { .modes = need(CHANNELS * MODES * SAMPLES * element),
		.residue = need(CHANNELS * SAMPLES * element) };
	const ws_buffer buffers[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { .data = a.modes }, [WS_EMD_RESIDUE] = { .data = a.residue },
		[WS_EMD_MODE_COUNT] = { .data = a.count } };
	const ws_io io = { .size = sizeof io, .x = samples, .arrays = buffers,
		.n_arrays = WS_EMD_ARRAYS };
	assert_int_equal(execute(plan, &io), WS_OK);
	return a;
}

/* The samples are on the device, `gap` bytes apart, and only once the stream has come so far. */
static void
check_on_device(ws_method method, ws_type type, size_t gap)
{
	const size_t element = type == WS_F64 ? 8 : 4, row = SAMPLES * element, wide = row + gap;
	const ws_ctx_opts opts = { .size = sizeof opts, .device = "cuda:0" };
	ws_ctx *ctx;
	void *samples = need(CHANNELS * row), *stream;
	to_type(type, x, CHANNELS * SAMPLES, samples);
	assert_int_equal(ws_ctx_create(&ctx, &opts), WS_OK);
	ws_plan *plan = plan_of(ctx, method, type);
	arrays host = in_host_memory(plan, samples, element);
	address from = on_device(CHANNELS * wide), late = on_device(CHANNELS * wide);
	address modes = on_device(CHANNELS * MODES * wide), residue = on_device(CHANNELS * wide);
	/* Gaps, too. */
	assert_int_equal(cu.fill(late, 0, CHANNELS * wide / 4, NULL), 0);
	for (size_t c = 0; c < CHANNELS; ++c)
		assert_int_equal(cu.to_device(late + c * wide, (char *)samples + c * row, row), 0);
	assert_int_equal(cu.stream(&stream, 1), 0);
	assert_int_equal(cu.fill(modes, 0, CHANNELS * MODES * wide / 4, NULL), 0);
	/* Much work first: who does not wait for it finds ones of all bits, which are no number. */
	for (int i = 0; i < 200; ++i)
		assert_int_equal(cu.fill(from, ~0u, CHANNELS * wide / 4, stream), 0);
	assert_int_equal(cu.copy(from, late, CHANNELS * wide, stream), 0);
	int32_t count[CHANNELS];
	const ws_buffer buffers[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { (void *)modes, { MODES * wide, wide } },
		[WS_EMD_RESIDUE] = { (void *)residue, { wide } },
		[WS_EMD_MODE_COUNT] = { .data = count } };
	ws_io io = { .size = sizeof io, .x = (void *)from, .x_stride = wide, .arrays = buffers,
		.n_arrays = WS_EMD_ARRAYS,
		.memory = WS_MEMORY_DEVICE, .cuda_stream = stream };
	assert_int_equal(execute(plan, &io), WS_OK);
	assert_memory_equal(count, host.count, sizeof count);
	char *got = need(row);
	for (size_t c = 0; c < CHANNELS; ++c) {
		assert_true(count[c] > 1);
		for (size_t k = 0; k < (size_t)count[c]; ++k) {
			assert_int_equal(cu.to_host(got, modes + (c * MODES + k) * wide, row), 0);
			assert_memory_equal(got, host.modes + (c * MODES + k) * row, row);
		}
		assert_int_equal(cu.to_host(got, residue + c * wide, row), 0);
		assert_memory_equal(got, host.residue + c * row, row);
	}
	/* A number that is none, far into the third channel. */
	assert_int_equal(cu.fill(from + 2 * wide + (row - 16) / 8 * 8, ~0u, 2, NULL), 0);
	io.cuda_stream = NULL;
	assert_int_equal(execute(plan, &io), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "channel 2, sample "));
	const address all[] = { from, late, modes, residue };
	for (size_t i = 0; i < 4; ++i)
		cu.free(all[i]);
	free(got);
	free(host.modes);
	free(host.residue);
	free(samples);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

static void
test_device_arrays(void **state)
{
	(void)state;
	rng r = { 77 };
	open_driver();
	for (size_t c = 0; c < CHANNELS; ++c)
		signal_make((signal_kind)(c % SIGNAL_WALK), &r, SAMPLES, x + c * SAMPLES);
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_MEMD; ++method)
		for (int type = WS_F64; type <= WS_F32; ++type)
			check_on_device((ws_method)method, (ws_type)type, method % 2 ? 0 : 1040);
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_device_arrays) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
