/*
 * test_execution.c - executions and runs under good and bad use: samples that are not finite, errors
 * of callbacks come through, cancelling works at any time, plans serve several threads.
 */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_test.h"

/* ---- Input that is not finite --------------------------------------------------------- */

static void
test_not_finite(void **state)
{
	(void)state;
	enum { C = 3, N = 200, R = 4 };
	rng r = { 50 };
	for (int type = 0; type < 2; ++type)
		for (int i = 0; i < 12; ++i) {
			double x[C * N], noise[R * N];
			char tx[C * N * 8], tn[R * N * 8], words[64];
			for (int k = 0; k < C * N; ++k)
				x[k] = rng_normal(&r);
			for (int k = 0; k < R * N; ++k)
				noise[k] = rng_normal(&r);
			const bool in_noise = i % 4 == 3;
			int row = rng_int(&r, 0, (in_noise ? R : C) - 1),
				at = i == 0 ? 0 : rng_int(&r, 0, N - 1);
			if (i == 1)
				at = N - 1;
			(in_noise ? noise : x)[row * N + at] = i % 3 == 0 ? NAN : i % 3 == 1
				? INFINITY : -INFINITY;
			to_type((ws_type)type, x, C * N, tx);
			to_type((ws_type)type, noise, R * N, tn);
			job j = { .shape = { .channels = C, .samples = N, .type = (ws_type)type },
				  .o = { .method = WS_METHOD_ICEEMDAN, .realizations = R },
					.first_channel = 20,
				  .x = tx, .noise = tn };
			result got;
			assert_int_equal(decompose(&j, &got), WS_E_FORMAT);
			if (in_noise)
				snprintf(words, sizeof words, "noise realization %d, sample %d ",
				         row, at);
			else
				snprintf(words, sizeof words, "channel %d, sample %d ",
				         20 + row, at);
			expect_detail(words);
		}
}

/* The largest samples are decomposed, unless their modes are more than the type holds. */
static void
test_largest(void **state)
{
	(void)state;
	enum { N = 600 };
	int refused = 0, done = 0;
	for (int type = WS_F64; type <= WS_F32; ++type)
		for (int kind = 0; kind < SIGNAL_KINDS; ++kind) {
			double x[N], largest = 0.0;
			char tx[N * sizeof *x];
			rng r = { 90 };
			signal_make((signal_kind)kind, &r, N, x);
			for (int k = 0; k < N; ++k)
				largest = fmax(largest, fabs(x[k]));
			for (int k = 0; k < N; ++k)
				x[k] = x[k] / largest *
					(type == WS_F64 ? DBL_MAX : (double)FLT_MAX);
			to_type((ws_type)type, x, N, tx);
			job j = { .shape = { .channels = 1, .samples = N, .type = (ws_type)type },
				.x = tx };
			result got;
			if (decompose(&j, &got) != WS_OK) {
				expect_detail("channel 0: its modes are more than f");
				++refused;
				continue;
			}
			for (int k = 0; k < got.count[0] * N; ++k)
				assert_true(isfinite(get((ws_type)type, got.modes, (size_t)k)));
			++done;
			result_free(&got);
		}
	printf("the largest samples: %d decomposed, %d refused\n", done, refused);
	assert_true(done > 0 && refused > 0);
}

/* ---- Cancelling -------------------------------------------------------------------------- */

typedef struct countdown {
	int left;
	double last;
	bool backwards;
} countdown;

static int
count_down(void *user, double done)
{
	countdown *c = user;
	assert_true(done >= 0.0 && done <= 1.0);
	c->backwards |= done < c->last;
	c->last = done;
	return c->left-- <= 0;
}

/* Cancels at the k-th call of the callback, for as many k as there are. */
static void
test_cancel(void **state)
{
	(void)state;
	rng r = { 51 };
	const struct { ws_method method; size_t channels, samples; int realizations; } cases[] = {
		{ WS_METHOD_EMD, 1, 300000, 0 },   /* threads share the signal */
		{ WS_METHOD_EMD, 40, 20000, 0 },
		{ WS_METHOD_EEMD, 2, 4000, 60 },
		{ WS_METHOD_CEEMDAN, 2, 4000, 40 },
		{ WS_METHOD_ICEEMDAN, 2, 4000, 40 },
		{ WS_METHOD_MEMD, 5, 20000, 0 },
	};
	int cancelled = 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		const ws_shape shape = { .size = sizeof shape, .channels = cases[i].channels,
					 .samples = cases[i].samples };
		ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD,
			.method = cases[i].method,
					.realizations = cases[i].realizations, .sifts = 30 };
		const size_t total = shape.channels * shape.samples;
		double *x = need(total * sizeof *x);
		signal_make(SIGNAL_WHITE, &r, total, x);
		ws_ctx *ctx = cpu_context(3);
		ws_plan *plan;
		assert_int_equal(ws_plan_create(&plan, ctx, emd_fit(&o), &shape, &o), WS_OK);
		const size_t k = (size_t)ws_plan_modes(plan);
		double *modes = need(total * k * sizeof *modes),
			*residue = need(total * sizeof *residue);
		int32_t *count = need(shape.channels * sizeof *count);
		void *w = need(ws_plan_workspace(plan));
		/* At once, a little later, later. */
		for (int left = 0; left < 6; left += 1 + left) {
			countdown c = { .left = left };
			const ws_buffer arrays[] = EMD_BUFFERS(modes, residue, count);
			const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
				.n_arrays = sizeof arrays / sizeof *arrays,
				.progress = count_down, .user = &c };
			ws_status status = ws_execute(plan, &io, w);
			/* Not called again once it has said stop. */
			assert_int_equal(status, c.left < 0 ? WS_E_CANCELLED : WS_OK);
			if (c.left < -1 || c.backwards)
				fail_msg("case %zu: %d calls too many, backwards %d", i,
				         -1 - c.left, c.backwards);
			cancelled += status == WS_E_CANCELLED;
		}
		free(modes);
		free(residue);
		free(count);
		free(w);
		free(x);
		ws_plan_destroy(plan);
		ws_ctx_destroy(ctx);
	}
	printf("%d executions cancelled\n", cancelled);
	assert_true(cancelled >= 5);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

typedef struct script {
	ws_status read_status, write_status;
	size_t fails_at;        /* channel */
	size_t reads, writes;
	int cancel_after;       /* calls of progress; negative: never */
} script;

static ws_status
scripted_read(void *user, size_t channel, void *x)
{
	script *s = user;
	rng r = { channel };
	signal_make(SIGNAL_WHITE, &r, 500, x);
	s->reads++;
	return channel == s->fails_at ? s->read_status : WS_OK;
}

static ws_status
scripted_write(void *user, const ws_channel_result *done)
{
	script *s = user;
	assert_int_equal(done->channel, s->writes);
	s->writes++;
	return done->channel == s->fails_at ? s->write_status : WS_OK;
}

static int
scripted_progress(void *user, double done)
{
	script *s = user;
	(void)done;
	return s->cancel_after >= 0 && s->cancel_after-- == 0;
}

static void
test_run_errors(void **state)
{
	(void)state;
	const ws_shape shape = { .size = sizeof shape, .channels = 6, .samples = 500 };
	ws_ctx *ctx = cpu_context(2);
	ws_run *run;
	assert_int_equal(ws_run_create(&run, ctx, "emd", &shape, NULL, 0), WS_OK);
	const size_t whole = ws_run_bytes(run);
	ws_run_destroy(run);
	/* Too little for all at once. */
	assert_int_equal(ws_run_create(&run, ctx, "emd", &shape, NULL, whole - 1), WS_OK);
	assert_non_null(strstr(ws_run_describe(run), "blocks"));
	assert_true(ws_run_seconds(run) > 0.0);
	assert_int_equal(ws_run_modes(run), ((const ws_emd_opts *)ws_run_options(run))->modes);
	script s = { .fails_at = 4, .read_status = WS_E_IO, .cancel_after = -1 };
	ws_stream stream = { .size = sizeof stream, .read = scripted_read, .write = scripted_write,
			     .progress = scripted_progress, .user = &s };
	assert_int_equal(ws_run_execute(run, &stream), WS_E_IO);
	assert_int_equal(s.reads, 5);
	assert_true(s.writes <= 4);
	s = (script){ .fails_at = 4, .write_status = WS_E_NOSPACE, .cancel_after = -1 };
	assert_int_equal(ws_run_execute(run, &stream), WS_E_NOSPACE);
	assert_int_equal(s.writes, 5);
	s = (script){ .fails_at = 99, .cancel_after = 0 };
	assert_int_equal(ws_run_execute(run, &stream), WS_E_CANCELLED);
	assert_true(s.writes < 6);
	s = (script){ .fails_at = 99, .cancel_after = -1 };
	assert_int_equal(ws_run_execute(run, &stream), WS_OK);
	assert_int_equal(s.writes, 6);

	assert_int_equal(ws_run_execute(NULL, &stream), WS_E_ARG);
	assert_int_equal(ws_run_execute(run, NULL), WS_E_ARG);
	ws_stream bad = stream;
	bad.read = NULL;
	assert_int_equal(ws_run_execute(run, &bad), WS_E_ARG);
	bad = stream;
	bad.write = NULL;
	assert_int_equal(ws_run_execute(run, &bad), WS_E_ARG);
	bad = stream;
	bad.size = 16;
	assert_int_equal(ws_run_execute(run, &bad), WS_E_ARG);
	expect_detail("ws_stream.size is 16");
	ws_run_destroy(run);

	/* What belongs together goes together: a block is one signal. */
	ws_shape epochs = { .size = sizeof epochs, .channels = 6, .samples = 500,
		.recording_channels = 3 };
	ws_emd_opts joint = { .size = sizeof joint, .tag = WS_TAG_EMD, .method = WS_METHOD_MEMD,
		.sifts = 2 };
	assert_int_equal(ws_run_create(&run, ctx, "memd", &epochs, &joint, 0), WS_OK);
	assert_non_null(strstr(ws_run_describe(run), "2 of 3 channels"));
	const size_t signal = ws_run_bytes(run);
	s = (script){ .fails_at = 99, .cancel_after = -1 };
	assert_int_equal(ws_run_execute(run, &stream), WS_OK);
	assert_int_equal(s.writes, 6);
	ws_run_destroy(run);
	assert_int_equal(ws_run_create(&run, ctx, "memd", &epochs, &joint, signal), WS_OK);
	assert_non_null(strstr(ws_run_describe(run), "beside the work"));
	ws_run_destroy(run);
	/* Memory for one block only. */
	assert_int_equal(ws_run_create(&run, ctx, "memd", &epochs, &joint, signal - 1), WS_OK);
	assert_non_null(strstr(ws_run_describe(run), "between the work"));
	const size_t least = ws_run_bytes(run);
	assert_true(least < signal);
	s = (script){ .fails_at = 99, .cancel_after = -1 };
	assert_int_equal(ws_run_execute(run, &stream), WS_OK);
	assert_int_equal(s.writes, 6);
	ws_run_destroy(run);
	assert_int_equal(ws_run_create(&run, ctx, "memd", &epochs, &joint, least / 2), WS_E_NOMEM);
	assert_null(run);
	expect_detail("3 channels of 500 samples need ");
	expect_detail("may be used: allow more memory");

	/* Not even one channel fits: the figures are named. */
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = WS_METHOD_ICEEMDAN,
		.realizations = 1000 };
	assert_int_equal(ws_run_create(&run, ctx, "iceemdan", &shape, &o, 1 << 20), WS_E_NOMEM);
	assert_null(run);
	expect_detail("500 samples needs");
	expect_detail("1.0 MiB may be used");
	ws_ctx_destroy(ctx);
}

/* ---- Threads
 * -------------------------------------------------------------------------------------- */

/* More threads than work, for signals of a sample upwards. */
static void
test_many_threads(void **state)
{
	(void)state;
	rng r = { 52 };
	double x[300];
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_MEMD; ++method)
		for (size_t n = 1; n <= 100; n += n < 8 ? 1 : 46) {
			signal_make(SIGNAL_WHITE, &r, 3 * n, x);
			job j = { .shape = { .channels = 3, .samples = n },
				  .o = { .method = (ws_method)method, .realizations = 3 }, .x = x };
			result one, many;
			j.threads = 1;
			must_decompose(&j, &one);
			j.threads = 64;
			must_decompose(&j, &many);
			assert_true(same_result(&one, &many));
			result_free(&one);
			result_free(&many);
		}
}

typedef struct worker {
	const ws_plan *plan;
	const double *x;
	double *modes, *residue;
	ws_status status;
} worker;

static void *
work(void *user)
{
	worker *w = user;
	int32_t count[2];
	void *workspace = need(ws_plan_workspace(w->plan));
	const ws_buffer arrays[] = EMD_BUFFERS(w->modes, w->residue, count);
	const ws_io io = { .size = sizeof io, .x = w->x, .arrays = arrays,
		.n_arrays = sizeof arrays / sizeof *arrays };
	w->status = WS_OK;
	for (int i = 0; i < 3 && w->status == WS_OK; ++i)
		w->status = ws_execute(w->plan, &io, workspace);
	free(workspace);
	return NULL;
}

/* One plan, two threads of the caller's, each with its own workspace. */
static void
test_shared_plan(void **state)
{
	(void)state;
	enum { C = 2 };
	rng r = { 53 };
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_MEMD; ++method) {
		const size_t n = method == WS_METHOD_EMD ? 20000 : 700;
		const ws_shape shape = { .size = sizeof shape, .channels = C, .samples = n };
		ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD,
			.method = (ws_method)method,
					.realizations = 6 };
		ws_ctx *ctx = cpu_context(method == WS_METHOD_EMD ? 3 : 2);
		ws_plan *plan;
		assert_int_equal(ws_plan_create(&plan, ctx, emd_fit(&o), &shape, &o), WS_OK);
		const size_t k = (size_t)ws_plan_modes(plan);
		double *x = need(C * n * sizeof *x);
		signal_make(SIGNAL_CHIRP_NOISE, &r, C * n, x);
		worker w[2];
		pthread_t thread[2];
		for (int i = 0; i < 2; ++i) {
			w[i] = (worker){ .plan = plan, .x = x, .modes = need(C * k * n * sizeof *x),
					 .residue = need(C * n * sizeof *x) };
			memset(w[i].modes, 0, C * k * n * sizeof *x);
			assert_int_equal(pthread_create(&thread[i], NULL, work, &w[i]), 0);
		}
		for (int i = 0; i < 2; ++i) {
			pthread_join(thread[i], NULL);
			assert_int_equal(w[i].status, WS_OK);
		}
		assert_memory_equal(w[0].modes, w[1].modes, C * k * n * sizeof *x);
		assert_memory_equal(w[0].residue, w[1].residue, C * n * sizeof *x);
		for (int i = 0; i < 2; ++i) {
			free(w[i].modes);
			free(w[i].residue);
		}
		free(x);
		ws_plan_destroy(plan);
		ws_ctx_destroy(ctx);
	}
}

/* The detail belongs to the thread that failed. */
static void *
fail_elsewhere(void *user)
{
	ws_ctx_create(NULL, NULL);
	*(bool *)user = strstr(ws_error_detail(), "ctx is NULL") != NULL;
	return NULL;
}

static void
test_detail_per_thread(void **state)
{
	(void)state;
	ws_plan_create(NULL, NULL, "emd", NULL, NULL);
	pthread_t thread;
	bool said = false;
	assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &said), 0);
	pthread_join(thread, NULL);
	assert_true(said);
	expect_detail("ws_plan_create");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_finite), cmocka_unit_test(test_largest),
		cmocka_unit_test(test_cancel), cmocka_unit_test(test_run_errors),
		cmocka_unit_test(test_many_threads), cmocka_unit_test(test_shared_plan),
		cmocka_unit_test(test_detail_per_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
