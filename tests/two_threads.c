/*
 * two_threads.c - two threads with one plan, each with arrays and a workspace of its own, as the
 * contract allows; what check_races.sh runs beneath tools that look for races.
 *
 *     two_threads [shared]    shared: with one array, which it forbids, and tools must report
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wavesift/wavesift.h>

enum { CHANNELS = 2, SAMPLES = 200, MOST = 64 };
static double x[CHANNELS][SAMPLES];

typedef struct caller {
	pthread_t thread;
	const ws_plan *plan;
	ws_buffer arrays[MOST];
	void *workspace;
	int times;
	ws_status status;
} caller;

static pthread_barrier_t together;

static void *
call(void *arg)
{
	caller *c = arg;
	const ws_io io = { .size = sizeof io, .x = x, .arrays = c->arrays,
		.n_arrays = ws_plan_arrays(c->plan) };
	for (int i = 0; i < c->times && c->status == WS_OK; ++i) {
		pthread_barrier_wait(&together);
		c->status = ws_execute(c->plan, &io, c->workspace);
	}
	return NULL;
}

/* Every array of the plan and a workspace; zeros. */
static void
take(caller *c)
{
	for (int i = 0; i < ws_plan_arrays(c->plan); ++i) {
		ws_array a = { .size = sizeof a };
		size_t bytes = 16;
		ws_plan_array(c->plan, i, &a);
		for (int k = 0; k < a.rank; ++k)
			bytes *= a.extent[k];
		if (bytes && !(a.flags & WS_ARRAY_SIGNAL))
			c->arrays[i].data = calloc(1, bytes);
	}
	c->workspace = aligned_alloc(64, (ws_plan_workspace(c->plan) + 127) / 64 * 64);
}

static int
try_transform(ws_ctx *ctx, const char *name, const void *opts, int shared)
{
	const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES };
	static caller callers[2];
	void *one = NULL;
	ws_plan *plan;
	memset(callers, 0, sizeof callers);
	if (ws_plan_create(&plan, ctx, name, &shape, opts) != WS_OK) {
		fprintf(stderr, "%s: %s\n", name, ws_error_detail());
		return 1;
	}
	for (int i = 0; i < 2; ++i) {
		callers[i].plan = plan;
		callers[i].times = shared ? 3 : 1;
		take(&callers[i]);
	}
	if (shared) {
		const int i = ws_plan_find(plan, "modes");
		one = callers[1].arrays[i].data;
		callers[1].arrays[i].data = callers[0].arrays[i].data;
	}
	for (int i = 0; i < 2; ++i)
		if (pthread_create(&callers[i].thread, NULL, call, &callers[i]) != 0)
			abort();
	int failed = 0;
	for (int i = 0; i < 2; ++i) {
		pthread_join(callers[i].thread, NULL);
		failed |= callers[i].status != WS_OK;
	}
	for (int k = 0; k < MOST; ++k) {
		free(callers[0].arrays[k].data);
		if (callers[1].arrays[k].data != callers[0].arrays[k].data)
			free(callers[1].arrays[k].data);
	}
	free(one);
	free(callers[0].workspace);
	free(callers[1].workspace);
	ws_plan_destroy(plan);
	return failed;
}

int
main(int argc, char **argv)
{
	const int shared = argc > 1 && strcmp(argv[1], "shared") == 0;
	const ws_ctx_opts two = { .size = sizeof two, .threads = 2, .device = "cpu" };
	const ws_emd_opts few = { .size = sizeof few, .tag = WS_TAG_EMD, .realizations = 4,
		.max_sifts = 5, .modes = 3 };
	ws_ctx *ctx;
	for (int c = 0; c < CHANNELS; ++c)
		for (int n = 0; n < SAMPLES; ++n)
			x[c][n] = sin(0.2 * n + c) + 0.4 * sin(1.3 * n) + 0.01 * n;
	if (ws_ctx_create(&ctx, &two) != WS_OK || pthread_barrier_init(&together, NULL, 2) != 0)
		return 1;
	static const char *const plain[] = { "emd", "memd", "hht", "cwt", "bands", "superlets",
		"coherence" };
	int failed = try_transform(ctx, "iceemdan", &few, shared);
	for (size_t i = 0; !shared && i < sizeof plain / sizeof *plain; ++i)
		failed |= try_transform(ctx, plain[i], NULL, 0);
	ws_ctx_destroy(ctx);
	return failed;
}
