/* test_run.c - runs in blocks: who is called, in which order, and what ends them. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emd_rows.h"
#include "base/clock.h"
#include "wavesift/wavesift.h"

#define CHANNELS 24
#define SAMPLES 3000

typedef struct caller {
	pthread_t thread;
	int inside;             /* calls under way */
	int fails_at_read, fails_at_write; /* channel, or -1 */
	int cancel_after;       /* calls of progress, or -1 */
	double slow;            /* seconds a write takes */
	size_t reads, writes;
	size_t read_before_write; /* reads when the first write came */
	size_t progress_calls, calls_after_failure;
	bool failed;
	double *rows;           /* [channel] sum of all that came of it */
} caller;

static void
enter(caller *c)
{
	assert_true(pthread_equal(c->thread, pthread_self()));
	assert_int_equal(c->inside++, 0);
	c->calls_after_failure += c->failed;
}

static ws_status
leave(caller *c, ws_status status)
{
	c->inside--;
	c->failed |= status != WS_OK;
	return status;
}

static ws_status
read_channel(void *user, size_t channel, void *x)
{
	caller *c = user;
	enter(c);
	assert_int_equal(channel, c->reads);
	c->reads++;
	for (size_t k = 0; k < SAMPLES; ++k)
		((double *)x)[k] = sin(0.3 * (double)k + (double)channel) +
			sin(0.002 * (double)(k * k));
	return leave(c, (int)channel == c->fails_at_read ? WS_E_IO : WS_OK);
}

static ws_status
write_channel(void *user, const ws_channel_result *result)
{
	const emd_rows rows = emd_rows_of(result), *r = &rows;
	caller *c = user;
	enter(c);
	if (c->writes == 0)
		c->read_before_write = c->reads;
	assert_int_equal(r->channel, c->writes);
	c->writes++;
	for (double end = wsi_now() + c->slow; wsi_now() < end;)
		continue;
	double sum = 0;
	for (size_t k = 0; k < (size_t)r->modes * SAMPLES; ++k)
		sum += ((const double *)r->mode_rows)[k] * (double)(1 + k % 7);
	if (c->rows)
		c->rows[r->channel] = sum;
	return leave(c, (int)r->channel == c->fails_at_write ? WS_E_NOSPACE : WS_OK);
}

static int
progress(void *user, double done)
{
	caller *c = user;
	enter(c);
	assert_true(done >= 0.0 && done <= 1.0);
	const bool stop = c->cancel_after >= 0 && (int)c->progress_calls++ == c->cancel_after;
	leave(c, stop ? WS_E_CANCELLED : WS_OK);
	return stop;
}

/* memory: in blocks' worth of a single channel; 0: no limit. */
static ws_status
run(caller *c, int threads, size_t memory, size_t *bytes, const char *words)
{
	ws_ctx *ctx;
	ws_run *r;
	const ws_ctx_opts ctx_opts = { .size = sizeof ctx_opts, .threads = threads,
		.device = "cpu" };
	const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES };
	const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .modes = 5, .sifts = 8 };
	const ws_stream stream = { .size = sizeof stream, .read = read_channel,
		.write = write_channel,
		                   .progress = progress, .user = c };
	c->thread = pthread_self();
	assert_int_equal(ws_ctx_create(&ctx, &ctx_opts), WS_OK);
	ws_status status = ws_run_create(&r, ctx, "emd", &shape, &o, memory);
	if (status == WS_OK) {
		if (bytes)
			*bytes = ws_run_bytes(r);
		if (words)
			assert_non_null(strstr(ws_run_describe(r), words));
		status = ws_run_execute(r, &stream);
		assert_true(ws_run_worked(r) >= 0.0);
	}
	assert_int_equal(c->calls_after_failure, 0);
	ws_run_destroy(r);
	ws_ctx_destroy(ctx);
	return status;
}

#define CALLER { .fails_at_read = -1, .fails_at_write = -1, .cancel_after = -1 }

/* Blocks of any size, with two slots or one, give the same; writing may be slower than
 * the work, or the work than it. */
static void
test_same_results(void **state)
{
	(void)state;
	double whole[CHANNELS], rows[CHANNELS];
	size_t bytes, tried = 0;
	caller c = CALLER;
	c.rows = whole;
	assert_int_equal(run(&c, 2, 0, &bytes, "1 of 24 channels"), WS_OK);
	for (size_t memory = bytes; ; memory -= memory / 6, ++tried) {
		caller d = CALLER;
		d.rows = rows;
		d.slow = tried % 2 ? 1e-3 : 0;
		memset(rows, 0, sizeof rows);
		size_t used;
		if (run(&d, 1 + (int)(tried % 3), memory, &used, NULL) == WS_E_NOMEM)
			break;
		assert_true(used <= memory);
		assert_int_equal(d.writes, CHANNELS);
		assert_memory_equal(rows, whole, sizeof whole);
	}
	assert_true(tried > 5);
}

/* The second block is there before anything of the first is written. */
static void
test_beside(void **state)
{
	(void)state;
	size_t bytes;
	caller c = CALLER, d = CALLER, e = CALLER;
	assert_int_equal(run(&c, 1, 0, &bytes, NULL), WS_OK);
	assert_int_equal(c.read_before_write, CHANNELS);
	assert_int_equal(run(&d, 1, bytes / 2, NULL, "beside the work"), WS_OK);
	assert_true(d.read_before_write > 1);
	assert_true(d.read_before_write < CHANNELS);
	/* Memory for one channel at a time. */
	size_t least = bytes / 2, used = least;
	while (run(&(caller)CALLER, 1, least - 1, &used, NULL) == WS_OK)
		least = used;
	assert_int_equal(run(&e, 1, least, NULL, "between the work"), WS_OK);
	assert_int_equal(e.read_before_write, 1);
}

/* Plans keep to the memory there is, also where rows are so long that a block of half the
 * channels would be wanted, twice. */
static void
test_memory(void **state)
{
	(void)state;
	for (size_t channels = 5; channels < 12; ++channels) {
		ws_ctx *ctx;
		ws_run *r;
		const ws_ctx_opts ctx_opts = { .size = sizeof ctx_opts, .threads = 1,
			.device = "cpu" };
		const ws_shape shape = { .size = sizeof shape, .channels = channels,
			                 .samples = 1 << 21 };
		const ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .modes = 3,
			.sifts = 8 };
		assert_int_equal(ws_ctx_create(&ctx, &ctx_opts), WS_OK);
		assert_int_equal(ws_run_create(&r, ctx, "emd", &shape, &o, 0), WS_OK);
		size_t memory = 2 * ws_run_bytes(r);
		ws_run_destroy(r);
		bool one = false;
		for (;; memory -= memory / 32) {
			if (ws_run_create(&r, ctx, "emd", &shape, &o, memory) == WS_E_NOMEM) {
				assert_true(one);
				break;
			}
			assert_non_null(r);
			assert_true(ws_run_bytes(r) <= memory);
			one = strstr(ws_run_describe(r),
			             " of 1 channel, read and written between") != NULL;
			ws_run_destroy(r);
		}
		ws_ctx_destroy(ctx);
	}
}

/* The first failure ends all, once; nobody is called after it. */
static void
test_failures(void **state)
{
	(void)state;
	size_t bytes;
	caller c = CALLER;
	assert_int_equal(run(&c, 2, 0, &bytes, NULL), WS_OK);
	for (int at = 0; at < CHANNELS; at += 5)
		for (size_t part = 1; part < 6; part += 2) {
			caller reader = CALLER, writer = CALLER, user = CALLER;
			reader.fails_at_read = at;
			assert_int_equal(run(&reader, 2, bytes / part, NULL, NULL), WS_E_IO);
			assert_int_equal(reader.reads, at + 1);
			assert_true((int)reader.writes <= at);
			writer.fails_at_write = at;
			assert_int_equal(run(&writer, 2, bytes / part, NULL, NULL), WS_E_NOSPACE);
			assert_int_equal(writer.writes, at + 1);
			user.cancel_after = at / 10;
			user.slow = 0.06;
			assert_int_equal(run(&user, 2, bytes / part, NULL, NULL), WS_E_CANCELLED);
			assert_true(user.writes < CHANNELS);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_results),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_failures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
