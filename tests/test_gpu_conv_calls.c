/*
 * test_gpu_conv_calls.c - calls of convolution on a GPU: arrays in the device's memory, what is
 * refused, cancelled work, and the least memory.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cuda_driver.h"
#include "gpu_conv.h"

/* ---- Arrays in the device's memory ---------------------------------------------------------- */

/* Rows with gaps; the samples come only once the stream has come so far. */
static void
check_on_device(rng *r, size_t n, ws_type type, bool complex, const ws_conv_opts *opts, size_t gap,
                size_t memory)
{
	conv_set s = conv_set_draw(r, 3, n, 70, LONG, 2000, type, complex);
	ws_ctx *gpu = gpu_conv_context("cuda:0", memory);
	responses want = gpu_convolve(&s, gpu, opts, 0), got = { 0 };
	ws_plan *plan = gpu_conv_plan(gpu, &s, opts, &got);
	const size_t row = s.shape.samples * type_size(type), wide = row + gap;
	const size_t rows = s.shape.channels * s.masks.count, out = got.bytes + gap;
	const address from = on_device(s.shape.channels * wide);
	const address late = on_device(s.shape.channels * wide);
	const address y = on_device(rows * out);
	void *stream;
	assert_int_equal(cu.stream(&stream, 1), 0);
	/* The gaps, too: what is copied was written. */
	char *padded = need(s.shape.channels * wide);
	memset(padded, 0x55, s.shape.channels * wide);
	for (size_t c = 0; c < s.shape.channels; ++c)
		memcpy(padded + c * wide, (char *)s.x + c * row, row);
	assert_int_equal(cu.to_device(from, padded, s.shape.channels * wide), 0);
	free(padded);
	assert_int_equal(cu.copy(late, from, s.shape.channels * wide, stream), 0);
	ws_buffer buffers[WS_CONV_ARRAYS] = { 0 };
	buffers[WS_CONV_RESPONSES] = (ws_buffer){ (void *)y, { s.masks.count * out, out } };
	const ws_io io = { .size = sizeof io, .x = (void *)late, .x_stride = wide,
		.arrays = buffers, .n_arrays = WS_CONV_ARRAYS, .memory = WS_MEMORY_DEVICE,
			.cuda_stream = stream };
	assert_int_equal(gpu_conv_execute(plan, &io), WS_OK);
	assert_int_equal(cu.wait(stream), 0);
	got.y = need(rows * got.bytes);
	for (size_t i = 0; i < rows; ++i)
		assert_int_equal(cu.to_host(got.y + i * got.bytes, y + i * out, got.bytes), 0);
	if (!same_responses(&s, &want, &got)) {
		describe_convolution(&s, opts, -1);
		fail_msg("arrays on the device and in the host's memory differ");
	}
	cu.free(from);
	cu.free(late);
	cu.free(y);
	ws_plan_destroy(plan);
	ws_ctx_destroy(gpu);
	responses_free(&want);
	responses_free(&got);
	conv_set_free(&s);
}

static void
test_device_arrays(void **state)
{
	rng r = { 79 };
	(void)state;
	open_driver();
	for (int trial = 0; trial < 12; ++trial) {
		const ws_conv_opts o = { .decimate = trial < 6 ? 1 : 7,
			.method = trial % 5 ? WS_CONV_DIRECT : WS_CONV_OVERLAP_SAVE,
			.accumulators = trial % 5 && trial > 7 ? 3 : 1,
			.narrow = trial % 2 && trial > 6 ? WS_NARROW_BF16 : (ws_narrow)0,
			.extent = trial % 2 ? WS_EXTENT_SAME : WS_EXTENT_FULL };
		check_on_device(&r, 5003, (ws_type)(trial % 2), trial % 4 > 1, &o,
		                trial % 3 ? 48 : 0, 0);
	}
}

/* Signals that the GPU oversamples beside those that the CPU does. */
static void
test_oversampled_there(void **state)
{
	rng r = { 82 };
	(void)state;
	open_driver();
	double taps[4 * 9];
	size_t taps_of[4] = { 1, 9, 4, 6 };
	for (int i = 0; i < 4 * 9; ++i)
		taps[i] = rng_normal(&r);
	ws_masks kernel = { .size = sizeof kernel, .type = WS_F64, .lengths = taps_of,
		.values = taps };
	static const size_t samples[] = { 5003, 1, 2, 3, 4, 5, 70 };
	for (int trial = 0; trial < 28; ++trial) {
		ws_conv_opts o = { .oversample = trial % 2 ? 2 : 4,
			.interpolation = (ws_interpolation)(1 + trial % 3),
			.decimate = trial % 7 ? 1 : 3,
			.method = trial % 5 ? WS_CONV_DIRECT : WS_CONV_OVERLAP_SAVE };
		if (trial % 4 == 3) {
			kernel.count = (size_t)o.oversample;
			o.interpolation = (ws_interpolation)0;
			o.interpolation_kernel = &kernel;
		}
		check_on_device(&r, samples[trial % 7], (ws_type)(trial / 2 % 2), trial % 8 == 1,
		                &o, trial % 3 ? 48 : 0, trial % 2 ? 0 : (size_t)40 << 20);
	}
	/* What is not done there is refused. */
	conv_set s = conv_set_draw(&r, 1, 100, 3, SHORT, 40, WS_F64, false);
	const ws_conv_opts o = { .oversample = 2, .method = WS_CONV_DIRECT,
		.interpolation = WS_INTERPOLATE_AUTOREGRESSIVE };
	ws_ctx *gpu = gpu_conv_context("cuda:0", 0);
	responses rows = { 0 };
	ws_plan *plan = gpu_conv_plan(gpu, &s, &o, &rows);
	const address memory = on_device((size_t)1 << 20);
	ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { (void *)memory, { 0 } } };
	const ws_io io = { .size = sizeof io, .x = (void *)memory, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS,
		.memory = WS_MEMORY_DEVICE };
	assert_int_equal(gpu_conv_execute(plan, &io), WS_E_UNSUPPORTED);
	assert_non_null(strstr(ws_error_detail(), "autoregressive"));
	cu.free(memory);
	ws_plan_destroy(plan);
	ws_ctx_destroy(gpu);
	conv_set_free(&s);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void
test_refused(void **state)
{
	rng r = { 80 };
	(void)state;
	ws_ctx *ctx[2] = { gpu_conv_context("cpu", 0), gpu_conv_context("cuda", 0) };
	conv_set s = conv_set_draw(&r, 3, 3000, 20, MIXED, 900, WS_F64, false);
	responses rows = { 0 };
	const ws_conv_opts o = { .method = WS_CONV_DIRECT };
	char line[2][512];
	double *x = s.x;
	for (int kind = 0; kind < 2; ++kind) {
		for (int i = 0; i < 2; ++i) {
			ws_plan *plan = gpu_conv_plan(ctx[i], &s, &o, &rows);
			ws_buffer buffers[WS_CONV_ARRAYS] = {
				[WS_CONV_RESPONSES] = { need(60 * rows.bytes), { 0 } } };
			const ws_io io = { .size = sizeof io, .x = s.x, .arrays = buffers,
				.n_arrays = WS_CONV_ARRAYS,
				.first_channel = 4 };
			const double kept = x[3000 + 1234];
			x[3000 + 1234] = kind ? 1e308 : (double)NAN;
			if (kind == 0)
				x[2 * 3000 + 7] = INFINITY;
			assert_int_equal(gpu_conv_execute(plan, &io), WS_E_FORMAT);
			x[3000 + 1234] = kept;
			x[2 * 3000 + 7] = 0.5;
			snprintf(line[i], sizeof line[i], "%s", ws_error_detail());
			free(buffers[WS_CONV_RESPONSES].data);
			ws_plan_destroy(plan);
		}
		assert_string_equal(line[0], line[1]);
	}
	ws_ctx_destroy(ctx[0]);
	ws_ctx_destroy(ctx[1]);
	conv_set_free(&s);
}

typedef struct striker { int calls; struct timespec asked; } striker;

/* Asks to stop as soon as there has been some work. */
static int
strike(void *user, double done)
{
	striker *s = user;
	(void)done;
	if (++s->calls < 3)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &s->asked);
	return 1;
}

/* Sums of masks so long that an item of them takes most of a second are left in the middle; what
 * comes next is as it would be. */
static void
test_cancel(void **state)
{
	rng r = { 82 };
	(void)state;
	if (fast_tier())
		return;
	ws_ctx *cpu = gpu_conv_context("cpu", 0), *gpu = gpu_conv_context("cuda", 0);
	enum { MASKS = 32, TAPS = 400000 };
	conv_set s = conv_set_draw(&r, 1, 1000000, MASKS, SHORT, 1, WS_F64, false);
	free(s.values);
	s.masks.offsets = NULL;
	s.masks.values = s.values = need((size_t)MASKS * TAPS * sizeof *s.values);
	for (size_t k = 0; k < (size_t)MASKS * TAPS; ++k)
		s.values[k] = sin(1e-3 * (double)k);
	for (size_t m = 0; m < MASKS; ++m)
		s.lengths[m] = TAPS;
	const ws_conv_opts o = { .method = WS_CONV_DIRECT, .sums = WS_SUMS_COMPENSATED,
		.decimate = 16 };
	responses rows = { 0 };
	ws_plan *plan = gpu_conv_plan(gpu, &s, &o, &rows);
	ws_buffer buffers[WS_CONV_ARRAYS] = {
		[WS_CONV_RESPONSES] = { need(MASKS * rows.bytes), { 0 } } };
	striker user = { 0 };
	const ws_io io = { .size = sizeof io, .x = s.x, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS, .progress = strike,
		.user = &user };
	struct timespec now;
	for (int times = 0; times < 3; ++times) {
		user.calls = 0;
		assert_int_equal(gpu_conv_execute(plan, &io), WS_E_CANCELLED);
		clock_gettime(CLOCK_MONOTONIC, &now);
		const double waited = (double)(now.tv_sec - user.asked.tv_sec) +
		                      1e-9 * (double)(now.tv_nsec - user.asked.tv_nsec);
		printf("cancelled: back after %.0f ms\n", 1e3 * waited);
		assert_true(waited < 0.2);
	}
	ws_plan_destroy(plan);
	free(buffers[WS_CONV_RESPONSES].data);
	conv_set_free(&s);
	s = conv_set_draw(&r, 2, 30000, 9, MIXED, 900, WS_F64, false);
	responses want = gpu_convolve(&s, cpu, &o, 0), got = gpu_convolve(&s, gpu, &o, 0);
	assert_true(same_responses(&s, &want, &got));
	responses_free(&want);
	responses_free(&got);
	conv_set_free(&s);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
}

/* The least memory that is asked for suffices; what does not is refused by one line. */
static void
test_memory(void **state)
{
	rng r = { 81 };
	(void)state;
	conv_set s = conv_set_draw(&r, 2, 300000, 6, ALIKE, 100, WS_F32, false);
	ws_ctx *cpu = gpu_conv_context("cpu", 0), *gpu = gpu_conv_context("cuda", (size_t)1 << 20);
	const ws_conv_opts o = { .size = sizeof o, .tag = WS_TAG_CONV, .method = WS_CONV_DIRECT,
		.masks = &s.masks };
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, gpu, "conv", &s.shape, &o), WS_E_NOMEM);
	double least = 0;
	assert_int_equal(sscanf(strstr(ws_error_detail(), ": "), ": %lf MiB", &least), 1);
	assert_true(least > 1.0 && least < 64.0);
	ws_ctx_destroy(gpu);
	gpu = gpu_conv_context("cuda", (size_t)((least + 0.1) * 1048576.0));
	responses want = gpu_convolve(&s, cpu, &o, 0), got = gpu_convolve(&s, gpu, &o, 0);
	assert_true(same_responses(&s, &want, &got));
	responses_free(&want);
	responses_free(&got);
	ws_ctx_destroy(cpu);
	ws_ctx_destroy(gpu);
	conv_set_free(&s);
}

int
main(void)
{
	const int skipped = gpu_or_skip();
	if (skipped)
		return skipped;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_device_arrays),
		cmocka_unit_test(test_oversampled_there),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
