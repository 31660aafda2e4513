/*
 * test_plan_light.c - what a run takes is told without making its tables: every transform over a
 * grid of shapes, in little memory; and tables are work of the run that hears its user.
 *
 *     test_plan_light [TRANSFORM]
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/status.h"
#include "core_test.h"
#include "run/blocks.h"
#include "wavesift/cwt.h"
#include "wavesift/wavesift.h"

/* What a plan may take, in bytes, and seconds of a processor: some hundred times what it does. */
#define MOST_MEMORY ((rlim_t)64 << 20)
#define MOST_SECONDS 20

/* What the allocator keeps for itself. */
#define SLACK ((size_t)32768)

static const char *wanted;

/* Address space that is taken, in bytes. */
static rlim_t
address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &pages), 1);
	fclose(f);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Options of a transform: those that it cannot do without, and others that make tables. */
typedef struct variant {
	const char *transform;
	const char *options[6]; /* name, value, .. */
} variant;

static const variant variants[] = {
	{ "conv", { "mask-formula", "gabor", "scales", "1:50:20" } },
	{ "conv", { "mask-formula", "morlet", "scales", "1:200:20000" } },
	{ "conv", { "mask-formula", "mexican-hat", "scales", "1:1000000:20" } },
	{ "conv", { "mask-expression", "exp(-x^2/(2*s^2))", "scales", "1:5000:40", "method",
	            "overlap-save" } },
	{ "cwt", { "reference", "mne", "freqs", "40:100:20" } },
	{ "cwt", { "reference", "pywt" } },
	{ "cwt", { "reference", "superlets" } },
	{ "cwt", { "wavelet", "paul" } },
	{ "memd", { "directions", "100000" } },
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* What a transform needs; it has no other options where it is not among the variants. */
static const variant *
first_of(const ws_transform *t)
{
	return strcmp(t->name, "conv") == 0 ? &variants[0] : NULL;
}

static void
take_options(const ws_transform *t, const variant *v, char opts[4096])
{
	const ws_option *o;
	assert_true(t->options_size <= 4096);
	ws_options_init(t, opts, t->options_size);
	for (int k = 0; v && k < 6 && v->options[k]; k += 2) {
		bool found = false;
		for (int i = 0; (o = ws_transform_option(t, i)); ++i)
			if (strcmp(o->name, v->options[k]) == 0) {
				found = true;
				assert_int_equal(ws_option_set(o, opts, v->options[k + 1]), WS_OK);
			}
		assert_true(found);
	}
}

static void
plan(const ws_transform *t, const variant *v, const ws_shape *shape, size_t memory)
{
	ws_ctx *ctx;
	ws_run *run;
	_Alignas(16) char opts[4096];
	take_options(t, v, opts);
	const ws_ctx_opts asked = { .size = sizeof asked, .device = "cpu", .threads = 2 };
	assert_int_equal(ws_ctx_create(&ctx, &asked), WS_OK);
	const ws_status status = ws_run_create(&run, ctx, t->name, shape, opts, memory);
	/* It is told to fit, or what to do so that it does. */
	if (status != WS_OK && status != WS_E_NOMEM && status != WS_E_ARG)
		fail_msg("status %d: %s", status, ws_error_detail());
	if (status == WS_E_NOMEM && strstr(ws_error_detail(), "no memory for"))
		fail_msg("%s", ws_error_detail());
	/* Tables alone forbid nothing. */
	if (status == WS_OK && memory && ws_run_bytes(run) > memory + ((size_t)32 << 20))
		fail_msg("%zu bytes, where %zu may be used", ws_run_bytes(run), memory);
	if (status == WS_OK)
		ws_run_destroy(run);
	ws_options_free(t, opts);
	ws_ctx_destroy(ctx);
}

/* In a process of its own, that may take so much and no more. */
static void
try_shape(const ws_transform *t, const variant *v, const ws_shape *shape, size_t memory)
{
	int end;
	fflush(stdout);
	const pid_t pid = fork();
	if (pid == 0) {
		const rlim_t most = address_space() + MOST_MEMORY;
		/* Sanitizers map terabytes that they do not use. */
		if (!SANITIZED)
			setrlimit(RLIMIT_AS, &(struct rlimit){ most, most });
		setrlimit(RLIMIT_CPU, &(struct rlimit){ MOST_SECONDS, MOST_SECONDS });
		plan(t, v, shape, memory);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &end, 0), pid);
	if (end != 0)
		fail_msg("%s %s of %zu x %zu x %zu samples, memory %zu: ends by %x", t->name,
		         v ? v->options[1] : "", shape->channels, shape->epochs, shape->samples, memory, (unsigned)end);
}

static void
try_shapes(const ws_transform *t, const variant *v)
{
	static const size_t channels[] = { 1, 3, 1000, 100000 };
	static const size_t samples[] = { 1, 2, 7, 1000, 65536, 1000003, (size_t)1 << 24,
		((size_t)1 << 29) - 1 };
	for (size_t c = 0; c < sizeof channels / sizeof *channels; ++c)
		for (size_t n = 0; n < sizeof samples / sizeof *samples; ++n)
			for (int few = 0; few < 2; ++few) {
				ws_shape shape = { .size = sizeof shape, .channels = channels[c],
					.samples = samples[n], .type = t->type,
					.recording_channels = channels[c], .fs = 250,
					.epochs = t->takes_epochs ? 5 : 0 };
				/* Of the variants every other. */
				if (v && v != first_of(t) && (c + n) % 2)
					continue;
				try_shape(t, v, &shape, few ? (size_t)256 << 20 : 0);
			}
}

static void
every_shape(void **state)
{
	const ws_transform *t;
	(void)state;
	for (int i = 0; (t = ws_transform_at(i)); ++i) {
		if (wanted && strcmp(wanted, t->name) != 0)
			continue;
		try_shapes(t, first_of(t));
		for (int v = 0; v < VARIANTS; ++v)
			if (strcmp(variants[v].transform, t->name) == 0 && &variants[v] != first_of(t))
				try_shapes(t, &variants[v]);
	}
}

/* ---- Tables ----------------------------------------------------------------------------- */

/* Bytes that are allocated. */
static size_t
allocated(void)
{
	const struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}

static int
stop(void *user, double done)
{
	(void)done;
	++*(int *)user;
	return 1;
}

/* A plan tells what its tables take, stops where the user does, and can be completed then. */
static void
tables(const ws_transform *t, const variant *v, size_t samples)
{
	wsi_asked asked;
	wsi_progress progress;
	const wsi_place cpu = { .gpu = NULL };
	ws_ctx *ctx;
	ws_plan *plan;
	int calls = 0;
	_Alignas(16) char opts[4096];
	take_options(t, v, opts);
	const ws_ctx_opts one = { .size = sizeof one, .device = "cpu", .threads = 1 };
	const ws_shape shape = { .size = sizeof shape, .channels = 2, .samples = samples,
		.type = t->type, .fs = 250, .recording_channels = 2,
		.epochs = t->takes_epochs ? 5 : 0 };
	assert_int_equal(ws_ctx_create(&ctx, &one), WS_OK);
	assert_int_equal(wsi_asked_take(&asked, t->name, &shape, opts), WS_OK);
	assert_int_equal(wsi_plan_at(&plan, ctx, &asked, 2, 0, &cpu), WS_OK);
	wsi_progress_init(&progress, stop, &calls);
	const size_t before = allocated(), told = plan->tables;
	if (told) {
		assert_int_equal(wsi_plan_complete(plan, &progress), WS_E_CANCELLED);
		assert_int_equal(calls, 1);
	}
	assert_true(SANITIZED || allocated() <= before + SLACK);
	assert_int_equal(wsi_plan_complete(plan, NULL), WS_OK);
	const size_t taken = allocated() - before;
	if (!SANITIZED && (taken > told + told / 100 + SLACK || told > taken + told / 100 + SLACK))
		fail_msg("%s %s of %zu samples: tables take %zu bytes, not %zu", t->name,
		         v ? v->options[1] : "", samples, taken, told);
	wsi_plan_empty(plan);
	assert_true(SANITIZED || allocated() <= before + SLACK);
	assert_int_equal(wsi_plan_complete(plan, NULL), WS_OK);
	ws_plan_destroy(plan);
	wsi_asked_free(&asked);
	ws_ctx_destroy(ctx);
}

static void
every_table(void **state)
{
	static const size_t samples[] = { 300, 4999, 65536, 100003 };
	const ws_transform *t;
	(void)state;
	for (int i = 0; (t = ws_transform_at(i)); ++i)
		for (size_t n = 0; n < sizeof samples / sizeof *samples; ++n) {
			if (wanted && strcmp(wanted, t->name) != 0)
				continue;
			tables(t, first_of(t), samples[n]);
			for (int v = 0; v < 7; ++v)
				if (strcmp(variants[v].transform, t->name) == 0 && n < 3 && v != 1 &&
				    v != 2 && &variants[v] != first_of(t))
					tables(t, &variants[v], samples[n]);
		}
}

/* ---- Runs ------------------------------------------------------------------------------- */

static ws_status
give(void *user, size_t channel, void *x)
{
	const size_t n = *(const size_t *)user;
	for (size_t k = 0; k < n; ++k)
		((float *)x)[k] = (float)((k * (channel + 3)) % 29);
	return WS_OK;
}

typedef struct taker {
	size_t samples;         /* first */
	double sum;
} taker;

static ws_status
take(void *user, const ws_channel_result *r)
{
	taker *t = user;
	const ws_slab *s = &r->slabs[WS_CWT_POWER];
	for (size_t k = 0; k < s->extent[0] * s->extent[1]; ++k)
		t->sum += (double)((const float *)s->data)[k] * (double)(r->channel + 1);
	return WS_OK;
}

/* The last block is smaller and has a plan of its own, whose tables take the place of the others';
 * and the run can be executed again. */
static void
blocks_of_two_sizes(void **state)
{
	const ws_ctx_opts one = { .size = sizeof one, .device = "cpu", .threads = 1 };
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .quantity = WS_QUANTITY_POWER,
		.freqs.low = 5, .freqs.high = 50 };
	taker t = { .samples = 20000 };
	const ws_shape shape = { .size = sizeof shape, .channels = 7, .samples = t.samples,
		.type = WS_F32, .fs = 250 };
	const ws_stream stream = { .size = sizeof stream, .read = give, .write = take, .user = &t };
	ws_ctx *ctx;
	ws_run *run;
	double whole = 0;
	(void)state;
	assert_int_equal(ws_ctx_create(&ctx, &one), WS_OK);
	for (int parted = 0; parted < 2; ++parted) {
		assert_int_equal(ws_run_create(&run, ctx, "cwt", &shape, &o,
		                               parted ? (size_t)24 << 20 : 0), WS_OK);
		if (parted)
			assert_non_null(run->lanes[0].last);
		for (int time = 0; time < 2; ++time) {
			t.sum = 0;
			assert_int_equal(ws_run_execute(run, &stream), WS_OK);
			assert_true(t.sum > 0 && (t.sum == whole || (!parted && !time)));
			whole = t.sum;
		}
		ws_run_destroy(run);
	}
	ws_ctx_destroy(ctx);
}

int
main(int argc, char **argv)
{
	wanted = argc > 1 ? argv[1] : NULL;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape), cmocka_unit_test(every_table),
		cmocka_unit_test(blocks_of_two_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
