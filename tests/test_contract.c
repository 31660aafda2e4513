/*
 * test_contract.c - what wavesift.h promises of every transform: each field of what a caller hands
 * over has its effect or is refused, each value that is asked for is filled, a run tells its
 * progress to the end, and the detail of a failure is that failure's.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_test.h"

#define CHANNELS 2
#define SAMPLES 256
#define EPOCHS 3
#define FS 100.0

static ws_ctx *ctx;
static double x[CHANNELS * EPOCHS * SAMPLES];

static ws_shape
shape_for(const ws_transform *t)
{
	return (ws_shape){ .size = sizeof(ws_shape), .channels = CHANNELS, .samples = SAMPLES,
		.fs = FS, .epochs = t->gathers ? EPOCHS : 0 };
}

/* Options by which a transform works on the shape; most need none. */
static const void *
options_for(const ws_transform *t)
{
	static const ws_emd_opts ensemble = { .size = sizeof ensemble, .realizations = 2,
		.max_sifts = 3 };
	static const double taps[3] = { 0.25, 0.5, 0.25 };
	static const size_t three = 3;
	static const ws_masks masks = { .size = sizeof masks, .count = 1, .lengths = &three,
		.values = taps };
	static const ws_conv_opts smooth = { .size = sizeof smooth, .masks = &masks };
	const bool many = !strcmp(t->name, "eemd") || strstr(t->name, "ceemdan");
	return many ? (const void *)&ensemble : !strcmp(t->name, "conv") ? &smooth : NULL;
}

static ws_plan *
plan_of(const ws_transform *t, const ws_shape *shape)
{
	ws_plan *plan;
	if (ws_plan_create(&plan, ctx, t->name, shape, options_for(t)) != WS_OK)
		fail_msg("%s: %s", t->name, ws_error_detail());
	return plan;
}

static int
set_up(void **state)
{
	(void)state;
	ctx = cpu_context(2);
	for (size_t i = 0; i < sizeof x / sizeof *x; ++i)
		x[i] = sin(0.3 * (double)i) + 0.5 * sin(1.9 * (double)i) +
		       0.1 * sin((double)(i * i % 101));
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	ws_ctx_destroy(ctx);
	return 0;
}

/* ---- Axes ------------------------------------------------------------------------------- */

static void
check_axis(const ws_plan *plan, int i, const ws_array *a, int k)
{
	const size_t n = a->extent[k];
	double *values = malloc((n + 1) * sizeof *values);
	for (size_t v = 0; v <= n; ++v)
		values[v] = NAN;
	assert_int_equal(ws_plan_axis(plan, i, a->axis[k], values), WS_OK);
	for (size_t v = 0; v < n; ++v)
		if (!isfinite(values[v]))
			fail_msg("%s: value %zu of axis %d was not filled", a->name, v,
			         (int)a->axis[k]);
	assert_true(isnan(values[n]));
	free(values);
}

/* The array that is found by its name has it, and elements. */
static void
arrays_are_found(void **state)
{
	(void)state;
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		const ws_shape shape = shape_for(t);
		ws_plan *plan = plan_of(t, &shape);
		for (int i = 0; i < ws_plan_arrays(plan); ++i) {
			ws_array a = { .size = sizeof a };
			assert_int_equal(ws_plan_array(plan, i, &a), WS_OK);
			bool empty = false;
			for (int axis = 0; axis < a.rank; ++axis)
				empty |= a.extent[axis] == 0;
			const int found = ws_plan_find(plan, a.name);
			assert_true(empty ? found != i : found == i);
		}
		ws_plan_destroy(plan);
	}
}

static void
axes_are_filled(void **state)
{
	(void)state;
	const ws_transform *t;
	int checked = 0;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		const ws_shape shape = shape_for(t);
		ws_plan *plan = plan_of(t, &shape);
		for (int i = 0; i < ws_plan_arrays(plan); ++i) {
			ws_array a = { .size = sizeof a };
			assert_int_equal(ws_plan_array(plan, i, &a), WS_OK);
			for (int axis = 0; axis < a.rank; ++axis, ++checked)
				check_axis(plan, i, &a, axis);
		}
		ws_plan_destroy(plan);
	}
	assert_true(checked > 200);
}

/* ---- Fields of the shape ---------------------------------------------------------------- */

static void
refused(const ws_transform *t, const ws_shape *shape, const char *words)
{
	expect_no_plan(t->name, shape, options_for(t), words);
}

/* What a transform does not look at is refused; what it looks at is not. */
static void
fields_have_effect(void **state)
{
	(void)state;
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		ws_shape shape = shape_for(t);
		shape.start = t->gathers ? -0.5 : 0.0;
		ws_plan_destroy(plan_of(t, &shape));
		shape.together = CHANNELS + 1;
		refused(t, &shape, "belong together");
		shape.together = 0;
		shape.start = t->gathers ? INFINITY : 1.0;
		refused(t, &shape, "start must be");
		shape.start = 0.0;
		if (!t->gathers) {
			shape.epochs = EPOCHS;
			refused(t, &shape, "gathers no epochs");
			shape.epochs = 0;
		}
		if (!t->hears_beyond) {
			shape.before = 1;
			refused(t, &shape, "before and behind must be 0");
		}
	}
}

/* ---- Progress --------------------------------------------------------------------------- */

typedef struct listener {
	double first, last;
	int calls;
	bool back;              /* it went back */
	size_t x_bytes;
} listener;

static int
hear(void *user, double done)
{
	listener *l = user;
	if (l->calls++ == 0)
		l->first = done;
	l->back |= done < l->last;
	l->last = done;
	return 0;
}

static ws_status
give(void *user, size_t channel, void *to)
{
	const size_t bytes = ((const listener *)user)->x_bytes;
	memcpy(to, (const char *)x + channel * bytes, bytes);
	return WS_OK;
}

static ws_status
take(void *user, const ws_channel_result *r)
{
	(void)user;
	return r->size == sizeof *r ? WS_OK : WS_E_INTERNAL;
}

static void
progress_ends_at_one(void **state)
{
	(void)state;
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		const ws_shape shape = shape_for(t);
		listener l = { .first = -1,
			.x_bytes = (shape.epochs ? shape.epochs : 1) * SAMPLES * sizeof *x };
		const ws_stream stream = { .size = sizeof stream, .read = give, .write = take,
			.progress = hear, .user = &l };
		ws_run *run;
		assert_int_equal(ws_run_create(&run, ctx, t->name, &shape, options_for(t), 0),
		                 WS_OK);
		assert_int_equal(ws_run_execute(run, &stream), WS_OK);
		assert_true(l.first == 0.0 && l.last == 1.0 && !l.back);
		ws_run_destroy(run);
	}
}

/* ---- Details ---------------------------------------------------------------------------- */

#define EARLIER "of an earlier failure"

/* Fails with a detail of this test's own. */
static int
mislead(void *user, double done)
{
	(void)user, (void)done;
	ws_ctx *none;
	const ws_ctx_opts o = { .size = sizeof o, .isa = EARLIER };
	assert_int_equal(ws_ctx_create(&none, &o), WS_E_UNSUPPORTED);
	return 0;
}

static ws_status
fail_silently(void *user, const ws_channel_result *r)
{
	(void)user, (void)r;
	return WS_E_IO;
}

static ws_status
fail_by_a_call(void *user, const ws_channel_result *r)
{
	(void)r;
	mislead(user, 0.0);
	return WS_E_NOSPACE;
}

static void
successes_leave_the_detail(void **state)
{
	(void)state;
	const ws_transform *t = ws_transform_find("emd");
	const ws_shape shape = shape_for(t);
	listener l = { .x_bytes = SAMPLES * sizeof *x };
	ws_stream stream = { .size = sizeof stream, .read = give, .write = take, .user = &l,
		.progress = mislead };
	ws_run *run;
	ws_ctx *automatic;
	const ws_shape none = { .size = sizeof none };
	expect_no_plan("emd", &none, NULL, "0 channels of 0 samples");
	/* Looks for a GPU, and says why it found none. */
	assert_int_equal(ws_ctx_create(&automatic, NULL), WS_OK);
	assert_int_equal(ws_run_create(&run, automatic, "emd", &shape, NULL, 0), WS_OK);
	expect_detail("0 channels of 0 samples");
	assert_int_equal(ws_run_execute(run, &stream), WS_OK);
	expect_detail("0 channels of 0 samples");
	ws_run_destroy(run);
	ws_ctx_destroy(automatic);
}

static void
failures_tell_their_own(void **state)
{
	(void)state;
	const ws_shape shape = shape_for(ws_transform_find("emd"));
	listener l = { .x_bytes = SAMPLES * sizeof *x };
	ws_stream stream = { .size = sizeof stream, .read = give, .write = fail_silently,
		.user = &l };
	ws_run *run;
	assert_int_equal(ws_run_create(&run, ctx, "emd", &shape, NULL, 0), WS_OK);
	mislead(NULL, 0.0);
	assert_int_equal(ws_run_execute(run, &stream), WS_E_IO);
	expect_detail("the caller's write gave up: WS_E_IO");
	stream.write = fail_by_a_call;
	assert_int_equal(ws_run_execute(run, &stream), WS_E_NOSPACE);
	expect_detail(EARLIER);
	ws_run_destroy(run);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_found), cmocka_unit_test(axes_are_filled),
		cmocka_unit_test(fields_have_effect),
		cmocka_unit_test(progress_ends_at_one),
		cmocka_unit_test(successes_leave_the_detail),
		cmocka_unit_test(failures_tell_their_own),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
