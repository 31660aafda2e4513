/*
 * test_device_work.c - transforms that a GPU does as a whole, as far as that is the core's affair:
 * the transform `gain`, which only this test has, on fake_backend.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_test.h"
#include "fake_gain.h"
#include "transform/on_gpu.h"

#define CHANNELS 5
#define SAMPLES 400

/* ---- The transform ---------------------------------------------------------------------- */

typedef struct gain_opts { size_t size; double factor; } gain_opts;

typedef struct gain_plan {
	ws_plan base;
	gain_opts o;
	fake_gain_job job;
} gain_plan;

static ws_status
resolve(ws_plan *base, const void *asked)
{
	gain_plan *plan = (gain_plan *)base;
	plan->o = *(const gain_opts *)asked;
	plan->job = (fake_gain_job){ base->shape.channels, base->shape.samples, plan->o.factor };
	base->options = &plan->o;
	base->seconds = 1e3; /* worth a GPU */
	return WS_OK;
}

static ws_status
measure(ws_plan *base, bool aside)
{
	const gain_plan *plan = (const gain_plan *)base;
	return base->gpu ? wsi_gpu_measure(base, &plan->job, sizeof plan->job)
	                 : wsi_no_workspace(base, aside);
}

static ws_status
channel(const ws_plan *base, const wsi_io *io, size_t c)
{
	const double *x = (const double *)(io->x + c * io->x_stride);
	for (size_t i = 0; i < base->shape.samples; ++i)
		((double *)wsi_io_row(io, 0, c, 0))[i] = ((const gain_plan *)base)->o.factor * x[i];
	return WS_OK;
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	(void)workspace;
	return base->gpu ? wsi_gpu_run(base, &((const gain_plan *)base)->job, io, progress)
	                 : wsi_each_channel(base, io, progress, channel);
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	if (base->gpu)
		wsi_gpu_describe(base, &((const gain_plan *)base)->job, to);
	else
		wsi_line_put(to, "  kernels    cpu; %s\n", base->note);
}

static ws_status
on_gpu(const ws_shape *shape, const void *opts)
{
	(void)shape;
	(void)opts;
	return WS_OK;
}

static const ws_option *const options[] = { NULL };
static const wsi_array arrays[] = {
	{ "gained", "samples times a factor", WSI_REAL, { WS_AXIS_CHANNEL, WS_AXIS_TIME },
	  WS_ARRAY_MAIN, 0 },
};
static const wsi_transform gain = {
	.about = { .name = "gain", .title = "Gain", .summary = "times a factor",
		.options_size = sizeof(gain_opts) },
	.options = options, .options_name = "gain_opts", .arrays = arrays, .n_arrays = 1,
	.plan_size = sizeof(gain_plan), .resolve = resolve, .measure = measure, .run = run,
	.describe = describe, .on_gpu = on_gpu,
};

/* ---- Tests ------------------------------------------------------------------------------ */

static double x[CHANNELS * SAMPLES];
static double *const sample = &x[2 * SAMPLES + 33];
static const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES };
static const gain_opts twice = { sizeof twice, 2.0 };

static int
set_up(void **state)
{
	(void)state;
	wsi_transform_register(&gain);
	for (size_t i = 0; i < CHANNELS * SAMPLES; ++i)
		x[i] = (double)(i * 7919 % 1009);
	return 0;
}

static int
clear(void **state)
{
	(void)state;
	unsetenv("FAKE_FAIL");
	*sample = 5.0;
	return 0;
}

static ws_ctx *
context(const char *device, size_t memory)
{
	const ws_ctx_opts o = { .size = sizeof o, .device = device, .device_memory = memory };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	return ctx;
}

static ws_status
execute(const ws_plan *plan, double *y)
{
	const ws_buffer out = { .data = y };
	const ws_io io = { .size = sizeof io, .x = x, .arrays = &out, .n_arrays = 1 };
	return ws_execute(plan, &io, NULL);
}

static void
test_gpu_does_it(void **state)
{
	(void)state;
	ws_ctx *ctx = context("auto", 0);
	ws_plan *plan;
	double y[CHANNELS * SAMPLES];
	assert_int_equal(ws_plan_create(&plan, ctx, "gain", &shape, &twice), WS_OK);
	assert_string_equal(ws_plan_device(plan), "cuda:0");
	assert_non_null(strstr(ws_plan_describe(plan), "fake, times 2"));
	assert_int_equal(ws_plan_device_bytes(plan), 2 * SAMPLES * sizeof(double));
	assert_int_equal(ws_plan_workspace(plan), 0);
	assert_int_equal(execute(plan, y), WS_OK);
	for (size_t i = 0; i < CHANNELS * SAMPLES; ++i)
		assert_true(y[i] == 2.0 * x[i]);

	*sample = NAN;
	assert_int_equal(execute(plan, y), WS_E_FORMAT);
	assert_string_equal(ws_error_detail(), "channel 3, sample 34 is not finite");
	setenv("FAKE_FAIL", "work", 1);
	assert_int_equal(execute(plan, y), WS_E_BACKEND);
	assert_string_equal(ws_error_detail(), "device cuda:0: the device is lost");
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

/* What a GPU cannot do: told where it was asked for, else the CPU's. */
static void
refuse(const char *fail, size_t memory, ws_status status, const char *words)
{
	ws_plan *plan;
	setenv("FAKE_FAIL", fail, 1);
	ws_ctx *ctx = context("cuda", memory);
	assert_int_equal(ws_plan_create(&plan, ctx, "gain", &shape, &twice), status);
	expect_detail(words);
	ws_ctx_destroy(ctx);
	ctx = context("auto", memory);
	double y[CHANNELS * SAMPLES];
	assert_int_equal(ws_plan_create(&plan, ctx, "gain", &shape, &twice), WS_OK);
	assert_string_equal(ws_plan_device(plan), "cpu");
	assert_non_null(strstr(ws_plan_describe(plan), words));
	assert_int_equal(execute(plan, y), WS_OK);
	assert_true(y[1] == 2.0 * x[1]);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

static void
test_gpu_cannot(void **state)
{
	(void)state;
	refuse("row", 0, WS_E_BACKEND, "its library has no gain");
	refuse("library", 0, WS_E_BACKEND, "a library is missing; install it");
	refuse("nothing", 1000, WS_E_NOMEM, "take fewer samples");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_gpu_does_it, clear),
		cmocka_unit_test_teardown(test_gpu_cannot, clear),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
