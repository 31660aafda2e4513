/*
 * test_transform.c - what holds for any transform of the table: arrays as declared, buffers with
 * gaps, runs in blocks of channels and of an output axis, options from text and back.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "transform/transform.h"

/* ---- A transform that is cut by frequency ------------------------------------------------ */

#define CHANNELS 5
#define SAMPLES 200
#define BANDS 7

/* levels[channel][frequency][time] = (frequency + 1) x; peaks[channel][frequency] of it. */
enum { LEVELS, PEAKS, COMPLEX, N_ARRAYS };

static const wsi_array bank_arrays[N_ARRAYS] = {
	[LEVELS] = { "levels", "multiples of the samples", WSI_REAL,
		{ WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, WS_ARRAY_MAIN },
	[PEAKS] = { "peaks", "their largest", WSI_F64,
		{ WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY }, WS_ARRAY_OPTIONAL },
	[COMPLEX] = { "turned", "samples, every other one", WSI_COMPLEX,
		{ WS_AXIS_CHANNEL, WS_AXIS_TIME }, WS_ARRAY_OPTIONAL },
};

static size_t
bank_extent(const ws_plan *plan, int array, ws_axis axis)
{
	return axis == WS_AXIS_FREQUENCY ? BANDS
	       : array == COMPLEX ? plan->shape.samples / 2 : plan->shape.samples;
}

static bool
bank_values(const ws_plan *plan, int array, ws_axis axis, double *values)
{
	(void)array;
	for (int i = 0; axis == WS_AXIS_FREQUENCY && i < BANDS; ++i)
		values[i] = plan->shape.fs / (i + 2);
	return axis == WS_AXIS_FREQUENCY;
}

static ws_status
bank_resolve(ws_plan *plan, const void *opts)
{
	plan->options = opts;
	plan->seconds = 1e-6;
	return WS_OK;
}

static ws_status
bank_channel(const ws_plan *plan, const wsi_io *io, size_t c)
{
	const double *x = (const double *)(io->x + c * io->x_stride);
	const size_t count = io->count ? io->count : BANDS;
	for (size_t f = 0; f < count; ++f) {
		double *y = wsi_io_row(io, LEVELS, c, f), peak = 0;
		for (size_t i = 0; i < plan->shape.samples; ++i) {
			y[i] = (double)(io->first + f + 1) * x[i];
			peak = fmax(peak, fabs(y[i]));
		}
		if (wsi_io_wants(io, PEAKS))
			*(double *)wsi_io_row(io, PEAKS, c, f) = peak;
	}
	double *z = wsi_io_wants(io, COMPLEX) ? wsi_io_row(io, COMPLEX, c, 0) : NULL;
	for (size_t i = 0; z && i < plan->shape.samples / 2; ++i) {
		z[2 * i] = x[2 * i];
		z[2 * i + 1] = -x[2 * i];
	}
	return WS_OK;
}

static ws_status
bank_run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	(void)workspace;
	return wsi_each_channel(plan, io, progress, bank_channel);
}

static void
bank_describe(const ws_plan *plan, wsi_line *to)
{
	wsi_line_put(to, "  method     %s\n", plan->transform->about.name);
}

static const ws_option *const no_options[] = { NULL };

static const wsi_transform bank = {
	{ .name = "bank", .title = "Bank", .summary = "multiples of the samples",
	  .text = "For tests.", .examples = (const char *const[]){ NULL },
	  .options_size = sizeof(size_t) },
	.options = no_options, .options_name = "bank_opts", .arrays = bank_arrays,
	.n_arrays = N_ARRAYS, .plan_size = sizeof(ws_plan), .resolve = bank_resolve,
	.extent = bank_extent, .axis_values = bank_values, .measure = wsi_no_workspace,
	.run = bank_run, .describe = bank_describe, .cut = WS_AXIS_FREQUENCY,
};

/* ---- Helpers ----------------------------------------------------------------------------- */

static double x[CHANNELS * SAMPLES];
static const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES,
	                        .fs = 100 };

static int
set_up(void **state)
{
	(void)state;
	wsi_transform_register(&bank);
	for (size_t i = 0; i < CHANNELS * SAMPLES; ++i)
		x[i] = sin(0.1 * (double)i) + 0.3 * sin(1.7 * (double)i) + 1e-3 * (double)(i % 17);
	return 0;
}

static ws_ctx *
context(int threads)
{
	const ws_ctx_opts o = { .size = sizeof o, .device = "cpu", .threads = threads };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	return ctx;
}

/* What a run delivered. */
typedef struct sink {
	double levels[CHANNELS][BANDS][SAMPLES], peaks[CHANNELS][BANDS];
	size_t parts[CHANNELS];  /* that came */
	size_t channel, first;   /* where the next part begins */
	size_t block, stop_at;   /* block that is refused; 0: none */
	size_t reads;
	size_t begin, end, every; /* of the blocks that are asked for; end 0: all in order */
	bool backwards;
	size_t n_blocks;
} sink;

static ws_status
read_channel(void *user, size_t channel, void *to)
{
	((sink *)user)->reads++;
	memcpy(to, x + channel * SAMPLES, SAMPLES * sizeof *x);
	return WS_OK;
}

static ws_status
take(void *user, const ws_channel_result *r)
{
	sink *s = user;
	const ws_slab *levels = &r->slabs[LEVELS], *peaks = &r->slabs[PEAKS];
	if (s->stop_at && r->block >= s->stop_at)
		return WS_E_NOSPACE;
	assert_true(s->backwards ? r->block <= s->block : r->block >= s->block);
	s->block = r->block;
	const size_t first = levels->first[0], count = levels->extent[0];
	assert_int_equal(peaks->first[0], first);
	assert_int_equal(peaks->extent[0], count);
	assert_int_equal(levels->extent[1], SAMPLES);
	assert_int_equal(r->slabs[COMPLEX].extent[0], SAMPLES / 2);
	assert_true(first + count <= BANDS);
	memcpy(s->levels[r->channel][first], levels->data, count * SAMPLES * sizeof(double));
	memcpy(&s->peaks[r->channel][first], peaks->data, count * sizeof(double));
	s->parts[r->channel]++;
	return WS_OK;
}

/* ws_stream.next: s->begin, s->begin + s->every .., or those from the last on. */
static ws_status
next(void *user, size_t *block)
{
	sink *s = user;
	if (s->begin >= s->end)
		*block = s->n_blocks;
	else
		*block = s->backwards ? s->end - 1 - s->begin : s->begin;
	s->begin += s->every;
	return WS_OK;
}

/* ---- Tests ------------------------------------------------------------------------------- */

static void
test_arrays(void **state)
{
	(void)state;
	ws_ctx *ctx = context(2);
	ws_plan *plan;
	ws_array a = { .size = sizeof a };
	double values[BANDS];
	assert_int_equal(ws_plan_create(&plan, ctx, "bank", &shape, NULL), WS_OK);
	assert_int_equal(ws_plan_arrays(plan), N_ARRAYS);
	assert_int_equal(ws_plan_array(plan, LEVELS, &a), WS_OK);
	assert_string_equal(a.name, "levels");
	assert_int_equal(a.rank, 3);
	assert_int_equal(a.extent[0], CHANNELS);
	assert_int_equal(a.extent[1], BANDS);
	assert_int_equal(a.extent[2], SAMPLES);
	assert_int_equal(a.type, WS_F64);
	assert_int_equal(ws_plan_array(plan, COMPLEX, &a), WS_OK);
	assert_int_equal(a.type, WS_C128);
	assert_int_equal(a.extent[1], SAMPLES / 2);
	assert_int_equal(ws_plan_array(plan, N_ARRAYS, &a), WS_E_ARG);
	assert_int_equal(ws_plan_axis(plan, LEVELS, WS_AXIS_FREQUENCY, values, BANDS), WS_OK);
	assert_float_equal(values[1], 100.0 / 3, 1e-12);
	assert_int_equal(ws_plan_axis(plan, COMPLEX, WS_AXIS_FREQUENCY, values, BANDS), WS_E_ARG);
	ws_plan_destroy(plan);
	assert_int_equal(ws_plan_create(&plan, ctx, "nonsense", &shape, NULL), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "nonsense"));
	ws_ctx_destroy(ctx);
}

/* Rows with gaps get the bits of rows without, and gaps stay as they were. */
/* A row tells the arrays that its plans have, but for extents and the type of the samples. */
static void
test_declared_arrays(void **state)
{
	(void)state;
	ws_shape two = { .size = sizeof two, .channels = 2, .samples = 64, .fs = 100.0 };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	const ws_transform *t;
	int compared = 0;
	for (int k = 0; (t = ws_transform_at(k)); ++k) {
		ws_plan *plan;
		two.epochs = t->takes_epochs ? 2 : 0;
		if (ws_plan_create(&plan, ctx, t->name, &two, NULL) != WS_OK)
			continue;
		for (int i = 0; i < ws_plan_arrays(plan); ++i) {
			ws_array of_row = { .size = sizeof of_row }, of_plan = { .size = sizeof of_plan };
			assert_int_equal(ws_transform_array(t, i, &of_row), WS_OK);
			assert_int_equal(ws_plan_array(plan, i, &of_plan), WS_OK);
			assert_string_equal(of_row.name, of_plan.name);
			assert_int_equal(of_row.flags, of_plan.flags);
			assert_int_equal(of_row.rank, of_plan.rank);
			assert_memory_equal(of_row.axis, of_plan.axis, sizeof of_row.axis);
			++compared;
		}
		ws_plan_destroy(plan);
	}
	assert_true(compared > 100);
	ws_ctx_destroy(ctx);
}

static void
test_strides(void **state)
{
	enum { MODES = 4, ROW = SAMPLES + 3 };
	static double wide_x[CHANNELS][ROW], wide[CHANNELS][MODES + 2][ROW],
		wide_residue[CHANNELS][2 * ROW], modes[CHANNELS][MODES][SAMPLES],
		residue[CHANNELS][SAMPLES];
	int32_t count[CHANNELS], wide_count[CHANNELS];
	(void)state;
	ws_ctx *ctx = context(2);
	ws_plan *plan;
	const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .modes = MODES };
	assert_int_equal(ws_plan_create(&plan, ctx, "emd", &shape, &o), WS_OK);
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	ws_buffer plain[WS_EMD_ARRAYS] = { 0 }, gaps[WS_EMD_ARRAYS] = { 0 };
	plain[WS_EMD_MODES].data = modes;
	plain[WS_EMD_RESIDUE].data = residue;
	plain[WS_EMD_MODE_COUNT].data = count;
	for (size_t c = 0; c < CHANNELS; ++c)
		memcpy(wide_x[c], x + c * SAMPLES, SAMPLES * sizeof *x);
	memset(wide, 0x55, sizeof wide);
	gaps[WS_EMD_MODES] = (ws_buffer){ wide, { sizeof wide[0], sizeof wide[0][0] } };
	gaps[WS_EMD_RESIDUE] = (ws_buffer){ wide_residue, { sizeof wide_residue[0] } };
	gaps[WS_EMD_MODE_COUNT].data = wide_count;
	ws_io io = { .size = sizeof io, .x = x, .arrays = plain, .n_arrays = WS_EMD_ARRAYS };
	assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
	io = (ws_io){ .size = sizeof io, .x = wide_x, .x_stride = sizeof wide_x[0],
		.arrays = gaps,
		.n_arrays = (int)(sizeof gaps / sizeof *gaps) };
	assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
	assert_memory_equal(count, wide_count, sizeof count);
	double gap;
	memset(&gap, 0x55, sizeof gap);
	for (size_t c = 0; c < CHANNELS; ++c) {
		assert_true(count[c] > 1);
		for (size_t k = 0; k < (size_t)count[c]; ++k) {
			assert_memory_equal(modes[c][k], wide[c][k], sizeof modes[c][k]);
			assert_memory_equal(&wide[c][k][SAMPLES], &gap, sizeof gap);
		}
		assert_memory_equal(residue[c], wide_residue[c], sizeof residue[c]);
	}
	gaps[WS_EMD_MODES].stride[2] = 16;
	assert_int_equal(ws_execute(plan, &io, workspace), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "modes"));
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

/* A run in so much memory that gives what the formula says, of the blocks that s asks for.  Returns
 * its blocks. */
static size_t
run_in(size_t memory, int threads, sink *s)
{
	ws_ctx *ctx = context(threads);
	ws_run *run;
	const size_t stop_at = s->stop_at;
	*s = (sink){ .stop_at = stop_at, .begin = s->begin, .end = s->end, .every = s->every,
		.backwards = s->backwards };
	assert_int_equal(ws_run_create(&run, ctx, "bank", &shape, NULL, memory), WS_OK);
	const size_t blocks = s->n_blocks = ws_run_blocks(run);
	s->block = s->backwards ? blocks : 0;
	assert_true(memory == 0 || ws_run_bytes(run) <= memory);
	const ws_stream stream = { .size = sizeof stream, .read = read_channel, .write = take,
		.user = s, .next = s->every ? next : NULL };
	assert_int_equal(ws_run_execute(run, &stream), stop_at ? WS_E_NOSPACE : WS_OK);
	ws_run_destroy(run);
	ws_ctx_destroy(ctx);
	return blocks;
}

static void
check_all(const sink *s)
{
	for (size_t c = 0; c < CHANNELS; ++c)
		for (size_t f = 0; f < BANDS; ++f) {
			double peak = 0;
			for (size_t i = 0; i < SAMPLES; ++i) {
				const double y = (double)(f + 1) * x[c * SAMPLES + i];
				assert_true(s->levels[c][f][i] == y);
				peak = fmax(peak, fabs(y));
			}
			assert_true(s->peaks[c][f] == peak);
		}
}

static void
test_cut(void **state)
{
	static sink s, all;
	const size_t row = SAMPLES * sizeof(double);
	size_t most = 0;
	(void)state;
	assert_int_equal(run_in(0, 1, &all), 1);
	check_all(&all);
	/* From all at once to a channel's frequency alone. */
	for (size_t rows = 5; rows < CHANNELS * (BANDS + 3); ++rows)
		for (int threads = 1; threads < 3; ++threads) {
			const size_t blocks = run_in(rows * row, threads, &s);
			most = blocks > most ? blocks : most;
			check_all(&s);
			assert_int_equal(s.reads, CHANNELS);
		}
	assert_true(most > CHANNELS);
}

/* What two runs delivered is all of one, once. */
static void
check_both(const sink *s, const sink *rest, const sink *one)
{
	static sink both;
	both = *s;
	for (size_t c = 0; c < CHANNELS; ++c) {
		assert_int_equal(s->parts[c] + rest->parts[c], one->parts[c]);
		for (size_t f = 0; f < BANDS; ++f)
			if (rest->peaks[c][f] != 0) {
				memcpy(both.levels[c][f], rest->levels[c][f],
				       sizeof both.levels[c][f]);
				both.peaks[c][f] = rest->peaks[c][f];
			}
	}
	check_all(&both);
}

/* A run that was stopped goes on at any block. */
static void
test_cursor(void **state)
{
	static sink s, rest, one;
	const size_t memory = 5 * SAMPLES * sizeof(double);
	(void)state;
	const size_t blocks = run_in(memory, 1, &one);
	assert_true(blocks > CHANNELS + 2);
	for (size_t stop = 1; stop < blocks; ++stop) {
		s.stop_at = stop;
		run_in(memory, 1, &s);
		rest = (sink){ .begin = stop, .end = blocks, .every = 1 };
		run_in(memory, 1, &rest);
		check_both(&s, &rest, &one);
	}
}

/* Blocks are shared out among runs, and come in any order; a channel is read once for each of two
 * sets of buffers. */
static void
test_shares(void **state)
{
	static sink one, even, odd, back;
	(void)state;
	for (size_t rows = 5; rows < CHANNELS * (BANDS + 3); rows += 3) {
		const size_t memory = rows * SAMPLES * sizeof(double);
		const size_t blocks = run_in(memory, 1, &one);
		even = (sink){ .begin = 0, .end = blocks, .every = 2 };
		odd = (sink){ .begin = 1, .end = blocks, .every = 2 };
		run_in(memory, 2, &even);
		run_in(memory, 1, &odd);
		check_both(&even, &odd, &one);
		back = (sink){ .end = blocks, .every = 1, .backwards = true };
		run_in(memory, 1, &back);
		check_all(&back);
		assert_true(back.reads <= 2 * CHANNELS);
	}
}

static ws_status
beyond(void *user, size_t *block)
{
	(void)user;
	*block = SIZE_MAX;
	return WS_OK;
}

static ws_status
unlucky(void *user, size_t *block)
{
	(void)user, (void)block;
	return WS_E_IO;
}

static void
test_next_refused(void **state)
{
	(void)state;
	static sink s;
	ws_ctx *ctx = context(1);
	ws_run *run;
	assert_int_equal(ws_run_create(&run, ctx, "bank", &shape, NULL, 0), WS_OK);
	ws_stream stream = { .size = sizeof stream, .read = read_channel, .write = take, .user = &s,
		.next = beyond };
	assert_int_equal(ws_run_execute(run, &stream), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "no block"));
	stream.next = unlucky;
	assert_int_equal(ws_run_execute(run, &stream), WS_E_IO);
	assert_string_equal(ws_error_detail(), "the caller's next gave up: WS_E_IO");
	ws_run_destroy(run);
	ws_ctx_destroy(ctx);
}

/* What an option is told as sets it to the same; what it is not is refused. */
static void
test_options(void **state)
{
	static const struct { const char *transform, *name, *text, *told, *refused; } cases[] = {
		{ "emd", "modes", "7", "7", "0" }, { "emd", "modes", "1000", "1000", "1001" },
		{ "emd", "stop-rule", "rilling:0.1", "rilling:0.1", "fix-h" },
		{ "emd", "stop-rule", "fixed:12", "fixed:12", "fixed:1.5" },
		{ "memd", "stop-rule", "fix-h:3", "fix-h:3", "sd" },
		{ "eemd", "noise", "0", "0", "-1" }, { "eemd", "noise", "0.25", "0.25", "x" },
		{ "eemd", "seed", "12345678901", "12345678901", "-1" },
		{ "eemd", "pairs", "", "1", NULL },
		{ "emd", "spline", "akima", "akima", "cubic" },
		{ "memd", "spline", "natural", "natural", "akima" },
		{ "memd", "noise-power", "0.5", "0.5", "0" },
		{ "emd", "reference", "libeemd", "libeemd", "torres" },
		{ "ceemdan", "reference", "torres", "torres", "memd" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		const ws_transform *t = ws_transform_find(cases[i].transform);
		ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD }, again = o;
		char text[64];
		int k = 0;
		while (strcmp(ws_transform_option(t, k)->name, cases[i].name) != 0)
			++k;
		const ws_option *option = ws_transform_option(t, k);
		ws_option_text(option, &o, text, sizeof text);
		assert_string_equal(text, "");
		assert_int_equal(ws_option_set(option, &o, cases[i].text), WS_OK);
		ws_option_text(option, &o, text, sizeof text);
		assert_string_equal(text, cases[i].told);
		assert_int_equal(ws_option_set(option, &again, text), WS_OK);
		assert_memory_equal(&o, &again, sizeof o);
		if (cases[i].refused)
			assert_int_equal(ws_option_set(option, &o, cases[i].refused), WS_E_ARG);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrays), cmocka_unit_test(test_declared_arrays),
		cmocka_unit_test(test_strides),
		cmocka_unit_test(test_cut), cmocka_unit_test(test_cursor),
		cmocka_unit_test(test_shares), cmocka_unit_test(test_next_refused),
		cmocka_unit_test(test_options),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
