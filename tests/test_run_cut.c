/*
 * test_run_cut.c - runs whose blocks several processes share: all cut alike, each makes some, and
 * together they make what one makes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/element.h"
#include "run/program.h"

#define SAMPLES 1500
#define MOST_ARRAYS 64

/* All that comes of all channels. */
typedef struct whole {
	int n;
	ws_array arrays[MOST_ARRAYS];
	char *data[MOST_ARRAYS];
	size_t bytes[MOST_ARRAYS];
	size_t process, processes; /* this one of so many, which take blocks by turns */
	size_t asked, blocks;
} whole;

static ws_status
read_channel(void *user, size_t channel, void *x)
{
	const double rate = 0.3 + 0.01 * (double)channel;
	(void)user;
	for (size_t k = 0; k < SAMPLES; ++k) {
		const double v = sin(rate * (double)k) + sin(0.0004 * (double)(k * k));
		((double *)x)[k] = v;
	}
	return WS_OK;
}

/* Puts a slab where it belongs in the array of all channels. */
static void
keep(whole *w, int i, size_t channel, const ws_slab *slab)
{
	const ws_array *a = &w->arrays[i];
	const int own = a->axis[0] == WS_AXIS_CHANNEL, axes = a->rank - own;
	const size_t size = wsi_type_size(a->type);
	size_t n = slab->data ? 1 : 0;
	for (int k = 0; k < axes; ++k)
		n *= slab->extent[k];
	for (size_t e = 0; e < n; ++e) {
		size_t at = own ? channel : 0, rest = e, index[WS_MOST_AXES];
		for (int k = axes - 1; k >= 0; --k) {
			index[k] = slab->first[k] + rest % slab->extent[k];
			rest /= slab->extent[k];
		}
		for (int k = 0; k < axes; ++k)
			at = at * a->extent[k + own] + index[k];
		assert_true((at + 1) * size <= w->bytes[i]);
		memcpy(w->data[i] + at * size, (const char *)slab->data + e * size, size);
	}
}

static ws_status
write_channel(void *user, const ws_channel_result *r)
{
	whole *w = user;
	assert_true(r->block < w->blocks && r->block % w->processes == w->process);
	for (int i = 0; i < w->n; ++i)
		keep(w, i, r->channel, &r->slabs[i]);
	return WS_OK;
}

static ws_status
next_block(void *user, size_t *block)
{
	whole *w = user;
	const size_t i = w->process + w->processes * w->asked++;
	*block = i < w->blocks ? i : w->blocks;
	return WS_OK;
}

static void
prepare(whole *w, const ws_run *run)
{
	*w = (whole){ .n = ws_run_arrays(run), .processes = 1, .blocks = ws_run_blocks(run) };
	assert_true(w->n <= MOST_ARRAYS);
	for (int i = 0; i < w->n; ++i) {
		w->arrays[i].size = sizeof *w->arrays;
		assert_int_equal(ws_run_array(run, i, &w->arrays[i]), WS_OK);
		w->bytes[i] = wsi_type_size(w->arrays[i].type);
		for (int k = 0; k < w->arrays[i].rank; ++k)
			w->bytes[i] *= w->arrays[i].extent[k];
		w->data[i] = calloc(w->bytes[i] + 1, 1);
	}
}

static void
release(whole *w)
{
	for (int i = 0; i < w->n; ++i)
		free(w->data[i]);
}

typedef struct job {
	const char *transform;
	const void *opts;
	ws_shape shape;
} job;

static ws_run *
create(ws_ctx *ctx, const job *j, size_t memory, wsi_run_cut cut)
{
	ws_run *run;
	assert_int_equal(wsi_run_create_cut(&run, ctx, j->transform, &j->shape, j->opts, memory,
	                                    &cut), WS_OK);
	return run;
}

static void
execute(ws_run *run, whole *w, size_t process, size_t processes)
{
	const ws_stream stream = { .size = sizeof stream, .read = read_channel,
		.write = write_channel, .next = next_block, .user = w };
	w->process = process;
	w->processes = processes;
	w->asked = 0;
	assert_int_equal(ws_run_execute(run, &stream), WS_OK);
}

static size_t
least(size_t a, size_t b)
{
	return a == 0 ? b : b == 0 || a < b ? a : b;
}

/* Processes with different memory cut as the one that has least must; each makes its blocks, and the
 * arrays of all together are those of one run. */
static void
check_shared(ws_ctx *ctx, const job *j, const whole *one, size_t processes, size_t memory)
{
	wsi_run_cut cut = { .processes = processes };
	ws_run *rich = create(ctx, j, 0, cut), *poor = create(ctx, j, memory, cut);
	const wsi_run_cut a = wsi_run_cut_of(rich), b = wsi_run_cut_of(poor);
	cut.block = least(a.block, b.block);
	cut.part = least(a.part, b.part);
	ws_run_destroy(rich);
	ws_run_destroy(poor);
	rich = create(ctx, j, 0, cut);
	poor = create(ctx, j, memory, cut);
	assert_int_equal(ws_run_blocks(rich), ws_run_blocks(poor));
	assert_true(ws_run_bytes(poor) <= memory);
	assert_true(wsi_run_result_bytes(poor) <= ws_run_bytes(poor));
	whole w;
	prepare(&w, rich);
	for (size_t p = 0; p < processes; ++p)
		execute(p % 2 ? poor : rich, &w, p, processes);
	for (int i = 0; i < w.n; ++i)
		assert_memory_equal(w.data[i], one->data[i], w.bytes[i]);
	release(&w);
	ws_run_destroy(rich);
	ws_run_destroy(poor);
}

static void
check_job(ws_ctx *ctx, const job *j)
{
	whole one;
	ws_run *run = create(ctx, j, 0, (wsi_run_cut){ .processes = 1 });
	const size_t bytes = ws_run_bytes(run);
	prepare(&one, run);
	execute(run, &one, 0, 1);
	ws_run_destroy(run);
	for (size_t processes = 1; processes <= 5; ++processes)
		check_shared(ctx, j, &one, processes, bytes - bytes / 4);
	release(&one);
}

static void
together_they_make_the_same(void **state)
{
	(void)state;
	ws_ctx *ctx;
	const ws_ctx_opts c = { .size = sizeof c, .threads = 2, .device = "cpu" };
	const ws_emd_opts emd = { .size = sizeof emd, .tag = WS_TAG_EMD, .modes = 4, .sifts = 5,
		.realizations = 3 };
	ws_emd_opts single = emd;
	single.realizations = 0;
	ws_cwt_opts cwt = { .size = sizeof cwt, .tag = WS_TAG_CWT };
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	for (size_t channels = 1; channels <= 7; channels += 3) {
		const ws_shape shape = { .size = sizeof shape, .channels = channels,
			.samples = SAMPLES, .type = WS_F64, .fs = 100 };
		check_job(ctx, &(job){ "cwt", &cwt, shape });
		if (channels > 1) {
			check_job(ctx, &(job){ "emd", &single, shape });
			check_job(ctx, &(job){ "eemd", &emd, shape });
		}
	}
	ws_ctx_destroy(ctx);
}

/* Few channels are cut, so that each process has something. */
static void
each_has_a_part(void **state)
{
	(void)state;
	ws_ctx *ctx;
	const ws_ctx_opts c = { .size = sizeof c, .threads = 1, .device = "cpu" };
	ws_cwt_opts cwt = { .size = sizeof cwt, .tag = WS_TAG_CWT };
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	for (size_t channels = 1; channels <= 5; ++channels)
		for (size_t processes = 1; processes <= 9; ++processes) {
			const job j = { "cwt", &cwt, { .size = sizeof j.shape,
				.channels = channels, .samples = SAMPLES, .type = WS_F64, .fs = 100 } };
			ws_run *run = create(ctx, &j, 0, (wsi_run_cut){ .processes = processes });
			assert_true(ws_run_blocks(run) >= least(processes, channels * 20));
			assert_true(channels >= processes || wsi_run_cut_of(run).part > 0);
			ws_run_destroy(run);
		}
	ws_ctx_destroy(ctx);
}

/* All rows of all channels, each once. */
static void
check_rows(const ws_run *run, size_t channels)
{
	wsi_run_rows before = { 0 }, r = { 0 };
	const size_t blocks = ws_run_blocks(run), all = wsi_run_rows_of(run, blocks - 1).row +
	                      wsi_run_rows_of(run, blocks - 1).rows;
	for (size_t b = 0; b < blocks; ++b, before = r) {
		r = wsi_run_rows_of(run, b);
		const bool next = before.row + before.rows == all || b == 0;
		assert_int_equal(r.row, next ? 0 : before.row + before.rows);
		assert_int_equal(r.channel, next ? before.channel + before.channels : before.channel);
		assert_true(r.channels > 0 && r.rows > 0);
	}
	assert_int_equal(r.channel + r.channels, channels);
}

/* Blocks that take no longer than asked for make what one makes. */
static void
blocks_are_bounded(void **state)
{
	(void)state;
	ws_ctx *ctx;
	const ws_ctx_opts c = { .size = sizeof c, .threads = 1, .device = "cpu" };
	const ws_emd_opts emd = { .size = sizeof emd, .tag = WS_TAG_EMD, .modes = 4, .sifts = 5,
		.realizations = 3 };
	ws_cwt_opts cwt = { .size = sizeof cwt, .tag = WS_TAG_CWT };
	const ws_shape shape = { .size = sizeof shape, .channels = 6, .samples = SAMPLES,
		.type = WS_F64, .fs = 100 };
	const job jobs[] = { { "eemd", &emd, shape }, { "cwt", &cwt, shape } };
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	for (int i = 0; i < 2; ++i) {
		whole one, w;
		ws_run *run = create(ctx, &jobs[i], 0, (wsi_run_cut){ .processes = 1 });
		const double seconds = ws_run_seconds(run);
		prepare(&one, run);
		execute(run, &one, 0, 1);
		ws_run_destroy(run);
		for (int share = 2; share <= 64; share *= 4) {
			const wsi_run_cut cut = { .processes = 1, .seconds = seconds / share };
			run = create(ctx, &jobs[i], 0, cut);
			const size_t blocks = ws_run_blocks(run);
			assert_true(blocks >= (size_t)share || (i == 0 && blocks == shape.channels));
			check_rows(run, shape.channels);
			prepare(&w, run);
			execute(run, &w, 0, 1);
			for (int k = 0; k < w.n; ++k)
				assert_memory_equal(w.data[k], one.data[k], w.bytes[k]);
			release(&w);
			ws_run_destroy(run);
		}
		release(&one);
	}
	ws_ctx_destroy(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(together_they_make_the_same),
		cmocka_unit_test(each_has_a_part),
		cmocka_unit_test(blocks_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
