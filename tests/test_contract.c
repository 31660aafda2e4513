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
#include <stdio.h>
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
		.fs = FS, .epochs = t->takes_epochs ? EPOCHS : 0 };
}

/* Options by which a transform works on the shape; most need none. */
static const void *
options_for(const ws_transform *t)
{
	static const ws_emd_opts ensemble = { .size = sizeof ensemble, .tag = WS_TAG_EMD,
		.realizations = 2,
		.max_sifts = 3 };
	static const double taps[3] = { 0.25, 0.5, 0.25 };
	static const size_t three = 3;
	static const ws_masks masks = { .size = sizeof masks, .count = 1, .lengths = &three,
		.values = taps };
	static const ws_conv_opts smooth = { .size = sizeof smooth, .tag = WS_TAG_CONV,
		.masks = &masks };
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
	assert_int_equal(ws_plan_axis(plan, i, a->axis[k], values, n), WS_OK);
	assert_true(!n || ws_plan_axis(plan, i, a->axis[k], values, n - 1) == WS_E_ARG);
	for (size_t v = 0; v < n; ++v)
		if (!isfinite(values[v]))
			fail_msg("%s: value %zu of axis %d was not filled", a->name, v,
			         (int)a->axis[k]);
	assert_true(isnan(values[n]));
	if (n && (a->axis[k] == WS_AXIS_CHANNEL || a->axis[k] == WS_AXIS_MODE ||
	          a->axis[k] == WS_AXIS_PARTNER))
		assert_true(values[0] == 0.0 && values[n - 1] == (double)(n - 1));
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
		shape.start = t->takes_epochs == 1 ? -0.5 : 0.0;
		ws_plan_destroy(plan_of(t, &shape));
		shape.recording_channels = CHANNELS + 1;
		refused(t, &shape, "of one recording");
		shape.recording_channels = 0;
		shape.start = t->takes_epochs == 1 ? INFINITY : 1.0;
		refused(t, &shape, "start must be");
		shape.start = 0.0;
		if (!t->takes_epochs) {
			shape.epochs = EPOCHS;
			refused(t, &shape, "takes no epochs");
			shape.epochs = 0;
		}
		if (!t->takes_context) {
			shape.before = 1;
			refused(t, &shape, "before and after must be 0");
		}
	}
}

/* How many there are says nothing without the list. */
static void
counts_need_their_lists(void **state)
{
	(void)state;
	const struct { size_t at; const char *words; } counts[] = {
		{ offsetof(ws_cwt_opts, frequency_count),
			"`frequency_count` is 3, but `frequencies` is" },
		{ offsetof(ws_cwt_opts, scale_count), "`scale_count` is 3, but `scales` is" },
		{ offsetof(ws_cwt_opts, cycle_count), "`cycle_count` is 3, but `cycles` is" },
		{ offsetof(ws_cwt_opts, band_count), "`band_count` is 3, but `bands` is" },
	};
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k)
		for (int i = 0; t->options_tag == WS_TAG_CWT && i < 4; ++i) {
			const ws_shape shape = shape_for(t);
			ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT };
			*(size_t *)(void *)((char *)&o + counts[i].at) = 3;
			expect_no_plan(t->name, &shape, &o, counts[i].words);
		}
}

/* ---- Fields of an execution ------------------------------------------------------------- */

static void
refused_io(const ws_plan *plan, const ws_io *io, void *workspace, const char *words)
{
	assert_int_equal(ws_execute(plan, io, workspace), WS_E_ARG);
	expect_detail(words);
}

/* All arrays of a plan, by calloc. */
static ws_buffer *
take_arrays(const ws_plan *plan)
{
	const int n = ws_plan_arrays(plan);
	ws_buffer *b = calloc((size_t)n + 1, sizeof *b);
	for (int i = 0; i < n; ++i) {
		ws_array a = { .size = sizeof a };
		assert_int_equal(ws_plan_array(plan, i, &a), WS_OK);
		size_t bytes = 16;
		for (int k = 0; k < a.rank; ++k)
			bytes *= a.extent[k];
		if (bytes && !(a.flags & WS_ARRAY_SIGNAL))
			b[i].data = calloc(1, bytes);
	}
	return b;
}

static void
arrays_have_a_count(void **state)
{
	(void)state;
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		const ws_shape shape = shape_for(t);
		ws_plan *plan = plan_of(t, &shape);
		const int n = ws_plan_arrays(plan);
		ws_buffer *b = take_arrays(plan);
		void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 64) / 64 * 64);
		ws_io io = { .size = sizeof io, .x = x, .arrays = b };
		refused_io(plan, &io, workspace, "n_arrays is 0: set it");
		io.n_arrays = -1;
		refused_io(plan, &io, workspace, "n_arrays is -1: set it");
		io.n_arrays = n + 1;
		assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
		b[n].data = x;
		refused_io(plan, &io, workspace, "has data, but");
		b[n].data = NULL;
		io.n_arrays = n;
		assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
		io.cuda_stream = x;
		refused_io(plan, &io, workspace, "leave it NULL");
		io.cuda_stream = NULL;
		const bool draws = !strcmp(t->name, "eemd") || strstr(t->name, "ceemdan");
		io.noise = x;
		assert_int_equal(ws_execute(plan, &io, workspace), draws ? WS_OK : WS_E_ARG);
		for (int i = 0; i < n; ++i)
			free(b[i].data);
		free(b);
		free(workspace);
		ws_plan_destroy(plan);
	}
}

/* Each array that has elements is written, and has no more than zeros by chance. */
static void
arrays_are_written(void **state)
{
	(void)state;
	enum { UNTOUCHED = 0x27, WORD = 4 };
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		const ws_shape shape = shape_for(t);
		ws_plan *plan = plan_of(t, &shape);
		const int n = ws_plan_arrays(plan);
		ws_buffer *b = take_arrays(plan);
		void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 64) / 64 * 64);
		const ws_io io = { .size = sizeof io, .x = x, .arrays = b, .n_arrays = n };
		for (int i = 0; i < n; ++i)
			if (b[i].data)
				memset(b[i].data, UNTOUCHED, WORD);
		assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
		for (int i = 0; i < n; ++i) {
			ws_array a = { .size = sizeof a };
			assert_int_equal(ws_plan_array(plan, i, &a), WS_OK);
			if (b[i].data && ((const char *)b[i].data)[0] == UNTOUCHED &&
			    memcmp(b[i].data, (const char *)b[i].data + 1, WORD - 1) == 0)
				fail_msg("%s: %s is not written", t->name, a.name);
			free(b[i].data);
		}
		free(b);
		free(workspace);
		ws_plan_destroy(plan);
	}
}

/* ---- Options structs -------------------------------------------------------------------- */

/* Options of another family are refused by name, and those without a tag. */
static void
options_have_a_tag(void **state)
{
	(void)state;
	const ws_emd_opts emd = { .size = sizeof emd, .tag = WS_TAG_EMD };
	const ws_hht_opts hht = { .size = sizeof hht, .tag = WS_TAG_HHT };
	const ws_cwt_opts cwt = { .size = sizeof cwt, .tag = WS_TAG_CWT };
	const ws_conv_opts conv = { .size = sizeof conv, .tag = WS_TAG_CONV };
	const struct { const void *opts; unsigned tag; const char *name; } all[] = {
		{ &emd, WS_TAG_EMD, "WS_TAG_EMD" }, { &hht, WS_TAG_HHT, "WS_TAG_HHT" },
		{ &cwt, WS_TAG_CWT, "WS_TAG_CWT" }, { &conv, WS_TAG_CONV, "WS_TAG_CONV" },
	};
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		const ws_shape shape = shape_for(t);
		char line[8], words[64];
		for (int i = 0; i < 4; ++i) {
			if (all[i].tag == t->options_tag)
				continue;
			snprintf(words, sizeof words,
			         "options tagged %s are given where ws_%s_opts",
			         all[i].name, t->family);
			expect_no_plan(t->name, &shape, all[i].opts, words);
			assert_int_equal(ws_options_check(t, all[i].opts, NULL), WS_E_ARG);
			assert_int_equal(ws_options_line(t, all[i].opts, NULL, line, 8), 0);
		}
		unsigned char *none = calloc(1, t->options_size);
		memcpy(none, &t->options_size, sizeof t->options_size);
		snprintf(words, sizeof words, "ws_%s_opts.tag is 0: set it to WS_TAG_", t->family);
		expect_no_plan(t->name, &shape, none, words);
		free(none);
	}
}

static void
options_within_have_their_size(void **state)
{
	(void)state;
	const ws_transform *t = ws_transform_find("hht");
	const ws_shape shape = shape_for(t);
	ws_hht_opts o = { .size = sizeof o, .tag = WS_TAG_HHT };
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, ctx, "hht", &shape, &o), WS_OK);
	const ws_hht_opts *resolved = ws_plan_options(plan);
	assert_int_equal(resolved->emd.size, sizeof o.emd);
	assert_int_equal(resolved->emd.tag, WS_TAG_EMD);
	ws_plan_destroy(plan);
	const size_t wrong[] = { 0, 8, 100000, 513 };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
		o.emd = (ws_emd_opts){ .size = wrong[i], .tag = WS_TAG_EMD, .sifts = 3 };
		expect_no_plan("hht", &shape, &o, "ws_emd_opts.size is");
	}
	o.emd = (ws_emd_opts){ .size = sizeof o.emd, .tag = WS_TAG_CWT };
	expect_no_plan("hht", &shape, &o, "options tagged WS_TAG_CWT are given where ws_emd_opts");
	o.emd = (ws_emd_opts){ .size = sizeof o.emd, .sifts = 3 };
	expect_no_plan("hht", &shape, &o, "ws_emd_opts.tag is 0");
	o.emd.tag = WS_TAG_EMD;
	o.emd_room[sizeof o.emd_room - 1] = 1;
	expect_no_plan("hht", &shape, &o, "leave what is behind it 0");
	o.emd_room[sizeof o.emd_room - 1] = 0;
	assert_int_equal(ws_plan_create(&plan, ctx, "hht", &shape, &o), WS_OK);
	assert_int_equal(((const ws_hht_opts *)ws_plan_options(plan))->emd.sifts, 3);
	ws_plan_destroy(plan);
}

/* What ws_NAME_opts_init() makes is all defaults, of any version's size. */
static void
options_are_begun(void **state)
{
	(void)state;
	ws_emd_opts emd;
	ws_hht_opts hht;
	ws_cwt_opts cwt;
	ws_conv_opts conv;
	ws_ctx_opts context;
	const struct { void *opts; size_t size; unsigned tag; } all[] = {
		{ &emd, sizeof emd, WS_TAG_EMD }, { &hht, sizeof hht, WS_TAG_HHT },
		{ &cwt, sizeof cwt, WS_TAG_CWT }, { &conv, sizeof conv, WS_TAG_CONV },
	};
	memset(&context, 0x55, sizeof context);
	for (size_t i = 0; i < 4; ++i)
		memset(all[i].opts, 0x55, all[i].size);
	ws_emd_opts_init(&emd, sizeof emd);
	ws_hht_opts_init(&hht, sizeof hht);
	ws_cwt_opts_init(&cwt, sizeof cwt);
	ws_conv_opts_init(&conv, sizeof conv);
	ws_ctx_opts_init(&context, sizeof context);
	const ws_ctx_opts none = { .size = sizeof none };
	assert_memory_equal(&context, &none, sizeof none);
	assert_true(hht.emd.size == sizeof emd && hht.emd.tag == WS_TAG_EMD);
	const ws_transform *t;
	for (int k = 0; (t = ws_transform_at(k)); ++k)
		for (size_t i = 0; i < 4; ++i) {
			if (all[i].tag != t->options_tag)
				continue;
			const ws_shape shape = shape_for(t);
			unsigned char *room = malloc(all[i].size + 1);
			memset(room, 0x55, all[i].size + 1);
			ws_options_init(t, room, all[i].size);
			assert_memory_equal(room, all[i].opts, all[i].size);
			assert_int_equal(room[all[i].size], 0x55);
			free(room);
			ws_plan *plan = NULL;
			const bool masks = all[i].tag == WS_TAG_CONV;
			assert_int_equal(ws_plan_create(&plan, ctx, t->name, &shape, all[i].opts),
			                 masks ? WS_E_ARG : WS_OK);
			ws_plan_destroy(plan);
		}
	unsigned char few[4] = { 1, 1, 1, 1 };
	ws_options_init(ws_transform_find("emd"), few, 3);
	assert_int_equal(few[3], 1);
	ws_options_init(ws_transform_find("emd"), few, 0);
	ws_options_init(NULL, few, 4);
	ws_options_init(ws_transform_find("emd"), NULL, 4);
}

/* Nothing at the end of a struct of the caller's, where a later version's field would come to lie
 * that the caller never set.  Who appends a field names it here. */
#define ENDS(type, last) \
	_Static_assert(offsetof(type, last) + sizeof ((type *)0)->last == sizeof(type), #type)
ENDS(ws_ctx_opts, backend);
ENDS(ws_shape, after);
ENDS(ws_io, cuda_stream);
ENDS(ws_stream, next);
ENDS(ws_emd_opts, noise_power);
ENDS(ws_hht_opts, averages);
ENDS(ws_cwt_opts, seed);
ENDS(ws_conv_opts, error_values);
ENDS(ws_masks, frequencies);
ENDS(ws_device, why);
ENDS(ws_array, extent);
ENDS(ws_slab, extent);
ENDS(ws_channel_result, n_slabs);
ENDS(ws_mode_figures, end_share);
ENDS(ws_fact, real);

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
	ws_slab slab = { .size = sizeof slab };
	for (size_t i = 0; i < r->n_slabs; ++i)
		if (ws_result_slab(r, (int)i, &slab) != WS_OK || slab.size != sizeof slab ||
		    slab.data != r->slabs[i].data)
			return WS_E_INTERNAL;
	assert_int_equal(ws_result_slab(r, (int)r->n_slabs, &slab), WS_E_ARG);
	assert_int_equal(ws_result_slab(r, -1, &slab), WS_E_ARG);
	slab.size = 0;
	assert_int_equal(ws_result_slab(r, 0, &slab), WS_E_ARG);
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
		cmocka_unit_test(fields_have_effect), cmocka_unit_test(counts_need_their_lists),
		cmocka_unit_test(arrays_have_a_count), cmocka_unit_test(arrays_are_written),
		cmocka_unit_test(options_have_a_tag),
		cmocka_unit_test(options_within_have_their_size),
		cmocka_unit_test(options_are_begun),
		cmocka_unit_test(progress_ends_at_one),
		cmocka_unit_test(successes_leave_the_detail),
		cmocka_unit_test(failures_tell_their_own),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
