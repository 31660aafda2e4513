/*
 * test_cancel.c - how much a run does between two questions to its user, and after the answer stop.
 *
 * Nothing is timed: the clock leaps at every look, so that a run that may ask does, and kernels
 * count the samples that they pass over.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "api_test.h"
#include "base/items.h"
#include "base/pool.h"
#include "cpu/cpu.h"
#include "ops/conv_ops.h"
#include "ops/cwt_ops.h"
#include "ops/fft.h"
#include "ops/hht_ops.h"
#include "ops/ref/ref.h"

/* ---- A clock that leaps ------------------------------------------------------------------- */

static atomic_bool leaps;
static _Atomic int64_t leapt;   /* ns */

/* The library's too. */
int
clock_gettime(clockid_t clock, struct timespec *t)
{
	if (syscall(SYS_clock_gettime, clock, t) != 0)
		return -1;
	if ((clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE) || !atomic_load(&leaps))
		return 0;
	const int64_t ahead = atomic_fetch_add(&leapt, 60000000) + t->tv_nsec;
	t->tv_sec += ahead / 1000000000;
	t->tv_nsec = ahead % 1000000000;
	return 0;
}

/* ---- Kernels that count ------------------------------------------------------------------ */

static _Atomic int64_t work;    /* samples passed over; sums of products */

static const wsi_ops *kernels;  /* what is counted */

static void
count(size_t samples)
{
	atomic_fetch_add_explicit(&work, (int64_t)samples, memory_order_relaxed);
}

static void
subtract(void *y, const void *a, const void *b, size_t n)
{
	count(n);
	kernels->subtract(y, a, b, n);
}

static void
add_scaled(void *y, const void *a, const void *b, double scale, size_t n)
{
	count(n);
	kernels->add_scaled(y, a, b, scale, n);
}

static void
sum_rows(void *y, const void *rows, size_t stride, int k, size_t n)
{
	count((size_t)k * n);
	kernels->sum_rows(y, rows, stride, k, n);
}

static void
noise(uint64_t seed, uint32_t stream, uint32_t realization, size_t n, void *out)
{
	count(n);
	kernels->noise(seed, stream, realization, n, out);
}

static void
minmax(const void *x, size_t n, double *min, double *max)
{
	count(n);
	kernels->minmax(x, n, min, max);
}

static void
block_sums(const void *x, size_t n, const double *mean, double *sums)
{
	count(n);
	kernels->block_sums(x, n, mean, sums);
}

static void
half_waves(const void *x, size_t n, double scale, double mean, struct wsi_half_waves *h)
{
	count(n);
	kernels->half_waves(x, n, scale, mean, h);
}

static void
mark(const wsi_mark_args *todo, wsi_counts *counts)
{
	count(WSI_WORD * (todo->word1 - todo->word0));
	kernels->mark(todo, counts);
}

static void
mean_sub(const wsi_mean_args *todo, wsi_mean_counts *counts)
{
	count(WSI_WORD * (todo->word1 - todo->word0));
	kernels->mean_sub(todo, counts);
}

/* Samples of all projections. */
static void
project(const wsi_project_args *todo)
{
	count(WSI_WORD * (todo->word1 - todo->word0) * todo->used);
	kernels->project(todo);
}

static void
joint_mean(const wsi_joint_mean_args *todo, wsi_mean_counts *counts)
{
	count(WSI_JOINT_TILE * (todo->tile1 - todo->tile0) * todo->directions);
	kernels->joint_mean(todo, counts);
}

static void
section(const wsi_conv_args *todo)
{
	count((size_t)todo->n_taps * (size_t)todo->rows * todo->outputs);
	kernels->conv->section(todo);
}

static void
stage(const wsi_conv_stage *todo)
{
	count(todo->count);
	kernels->conv->stage(todo);
}

static void
multiply(void *y_re, void *y_im, const void *a_re, const void *a_im, const void *b_re,
         const void *b_im, size_t n)
{
	count(n);
	kernels->conv->multiply(y_re, y_im, a_re, a_im, b_re, b_im, n);
}

static void
inverse(const wsi_fft *fft, const wsi_fft_in *in, void *out_re, void *out_im, void *scratch)
{
	count(fft->n);
	kernels->cwt->inverse(fft, in, out_re, out_im, scratch);
}

static void
inverse_store(const wsi_fft *fft, const wsi_fft_in *in, const wsi_cwt_store *how, size_t n,
              void *out, void *scratch)
{
	count(fft->n);
	kernels->cwt->inverse_store(fft, in, how, n, out, scratch);
}

static void
convolve(const wsi_fft *fft, const wsi_fft_convolution *of, void *scratch)
{
	count(2 * fft->n);
	kernels->cwt->convolve(fft, of, scratch);
}

static double
facts(const double *x, size_t n, size_t *maxima)
{
	count(n);
	return kernels->hht->facts(x, n, maxima);
}

static void
polar(const double *x, const double *y, size_t n, double *modulus, double *angle)
{
	count(n);
	kernels->hht->polar(x, y, n, modulus, angle);
}

static void
unwrap(double *angle, size_t n, int numpy)
{
	count(n);
	kernels->hht->unwrap(angle, n, numpy);
}

static double
peak(const void *row, ws_type type, size_t n, int *finite)
{
	count(n);
	return kernels->hht->peak(row, type, n, finite);
}

/* Instead of the library's: whatever machine, kernels of any, which count. */
const wsi_ops *
wsi_ops_find(const char *isa, ws_type type)
{
	static wsi_ops counted;
	static wsi_conv_ops conv;
	static wsi_cwt_ops cwt;
	static wsi_hht_ops hht;
	if (strcmp(isa, "ref") == 0)
		return wsi_ops_ref(type);
	if (type == WS_F32)
		return wsi_cpu_plain(type);
	if (kernels)
		return &counted;
	const wsi_ops *k = wsi_cpu_plain(type);
	conv = *k->conv, cwt = *k->cwt, hht = *k->hht;
	conv.section = section, conv.stage = stage, conv.multiply = multiply;
	cwt.inverse = inverse, cwt.inverse_store = inverse_store, cwt.convolve = convolve;
	hht.facts = facts, hht.polar = polar, hht.unwrap = unwrap, hht.peak = peak;
	hht.follow = NULL, hht.hilbert = NULL; /* composed of the others */
	counted = *k;
	counted.subtract = subtract, counted.add_scaled = add_scaled, counted.sum_rows = sum_rows;
	counted.noise = noise, counted.minmax = minmax, counted.block_sums = block_sums;
	counted.half_waves = half_waves, counted.mark = mark, counted.mean_sub = mean_sub;
	counted.project = project, counted.joint_mean = joint_mean;
	counted.conv = &conv, counted.cwt = &cwt, counted.hht = &hht;
	kernels = k;
	return &counted;
}

/* ---- A user ------------------------------------------------------------------------------ */

typedef struct user {
	int stop_at;            /* question that is answered by stop; negative: none */
	int asked;
	int64_t before, longest; /* work at the last question; most between two */
	double done;
	bool backwards;
} user;

static int
answer(void *arg, double done)
{
	user *u = arg;
	const int64_t now = atomic_load(&work);
	u->longest = now - u->before > u->longest ? now - u->before : u->longest;
	u->before = now;
	u->backwards |= done < u->done;
	u->done = done;
	return u->asked++ == u->stop_at;
}

/* ---- Every transform ------------------------------------------------------------------------- */

/* PADDED: a quarter of the longest padded row of a wavelet transform. */
enum { N = SANITIZED ? 10000 : 20000, ROW = N, PADDED = N + N / 8 };

typedef struct task {
	const char *what, *transform;
	size_t channels;
	const void *opts;
	int64_t most;           /* work between two questions */
} task;

#define SMALL_ENSEMBLE .realizations = 9, .sifts = 5, .modes = 2
#define EMD .size = sizeof(ws_emd_opts), .tag = WS_TAG_EMD
#define HHT .size = sizeof(ws_hht_opts), .tag = WS_TAG_HHT
static const double frequencies[] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.21, 0.22, 0.23, 0.24, 0.25 };

/* A sift passes over a row twice; what comes before the first, or after the last, a few times, and
 * so does the analysis of a mode, which is one item.  A sum passes over a stretch of every
 * realization.  Of several channels together: tiles of all directions; of convolution, eight pieces
 * of six masks, and their samples. */
#define SUM (4096 * 24)
#define SIFTS (8 * ROW + SUM)
#define TILES (WSI_JOINT_TILE * 64 + 4 * ROW)
#define MODE (8 * ROW + SUM)

static const task tasks[] = {
	{ "emd", "emd", 3, &(ws_emd_opts){ .size = sizeof(ws_emd_opts), .tag = WS_TAG_EMD,
		.sifts = 10 }, SIFTS },
	{ "eemd", "eemd", 2, &(ws_emd_opts){ .size = sizeof(ws_emd_opts), .tag = WS_TAG_EMD,
		.method = WS_METHOD_EEMD,
		SMALL_ENSEMBLE }, SIFTS },
	{ "ceemdan", "ceemdan", 2, &(ws_emd_opts){ .size = sizeof(ws_emd_opts), .tag = WS_TAG_EMD,
		.method = WS_METHOD_CEEMDAN, SMALL_ENSEMBLE }, SIFTS },
	{ "iceemdan", "iceemdan", 2, &(ws_emd_opts){ .size = sizeof(ws_emd_opts), .tag = WS_TAG_EMD,
		.method = WS_METHOD_ICEEMDAN, SMALL_ENSEMBLE }, SIFTS },
	{ "memd", "memd", 3, &(ws_emd_opts){ .size = sizeof(ws_emd_opts), .tag = WS_TAG_EMD,
		.method = WS_METHOD_MEMD,
		.sifts = 2, .modes = 2 }, TILES },
	{ "cwt", "cwt", 4, &(ws_cwt_opts){ .size = sizeof(ws_cwt_opts), .tag = WS_TAG_CWT,
		.frequencies = frequencies, .frequency_count = 10 }, 4 * PADDED },
	{ "superlets", "superlets", 2, &(ws_cwt_opts){ .size = sizeof(ws_cwt_opts),
		.tag = WS_TAG_CWT,
		.frequencies = frequencies, .frequency_count = 10 }, 4 * PADDED },
	{ "conv, direct", "conv", 2, &(ws_conv_opts){ .size = sizeof(ws_conv_opts),
		.tag = WS_TAG_CONV,
		.mask_formula = WS_MASK_MORLET, .scale_count = 24, .method = WS_CONV_DIRECT },
	  9 * WSI_CONV_OUTPUTS * WSI_CONV_ROWS * 385 },
	{ "conv by transforms", "conv", 2, &(ws_conv_opts){ .size = sizeof(ws_conv_opts),
		.tag = WS_TAG_CONV,
		.mask_formula = WS_MASK_MORLET, .scale_count = 64, .method = WS_CONV_FFT }, 6 * ROW },
	{ "hht", "hht", 4, &(ws_hht_opts){ HHT, .emd = { EMD, .sifts = 6, .modes = 4 } }, MODE },
	{ "hht by eemd", "hht", 2, &(ws_hht_opts){ HHT, .emd = { EMD, .method = WS_METHOD_EEMD,
		SMALL_ENSEMBLE } }, MODE },
	{ "hht of modes", "hht", 8, &(ws_hht_opts){ HHT, .modes_given = 8 }, MODE },
	{ "holospectra", "hht", 1, &(ws_hht_opts){ HHT, .parts = WS_HHT_PART_HOLOSPECTRUM,
		.emd = { EMD, .sifts = 4, .modes = 4 } }, MODE },
	{ "hht, limits", "hht", 2, &(ws_hht_opts){ HHT, .limits_rule = WS_STOP_FIXED,
		.limits_from = 3, .limits_to = 8, .emd = { EMD, .modes = 3 } }, MODE },
};

/* after: work after the last question. */
static ws_status
execute(const task *t, int threads, user *u, int64_t *after)
{
	const size_t rows = t->channels * (strcmp(t->what, "hht of modes") ? 1 : 8);
	const ws_shape shape = { .size = sizeof shape, .channels = t->channels, .samples = N,
		.type = WS_F64, .fs = 1.0 };
	rng r = { 7 };
	double *x = need(rows * N * sizeof *x);
	signal_make(SIGNAL_WHITE, &r, rows * N, x);
	ws_ctx *ctx = cpu_context(threads);
	ws_plan *plan;
	if (ws_plan_create(&plan, ctx, t->transform, &shape, t->opts) != WS_OK)
		fail_msg("%s: %s", t->what, ws_error_detail());
	const int n = ws_plan_arrays(plan);
	ws_buffer buffers[64] = { { 0 } };
	for (int i = 0; i < n; ++i) {
		ws_array a = { .size = sizeof a };
		size_t elements = 1;
		assert_int_equal(ws_plan_array(plan, i, &a), WS_OK);
		for (int k = 0; k < a.rank; ++k)
			elements *= a.extent[k];
		if (elements && !(a.flags & WS_ARRAY_SIGNAL))
			buffers[i].data = need(elements * 16);
	}
	void *workspace = need(ws_plan_workspace(plan));
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers, .n_arrays = 64,
		.progress = answer,
		.user = u };
	u->before = atomic_load(&work);
	atomic_store(&leaps, true);
	const ws_status status = ws_execute(plan, &io, workspace);
	atomic_store(&leaps, false);
	*after = atomic_load(&work) - u->before;
	for (int i = 0; i < n; ++i)
		free(buffers[i].data);
	free(workspace);
	free(x);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return status;
}

static void
test_transforms(void **state)
{
	(void)state;
	/* Quarters of the run; in the fast tier its middle alone. */
	const int first = fast_tier() ? 2 : 0, last = fast_tier() ? 3 : 4;
	for (size_t i = 0; i < sizeof tasks / sizeof *tasks; ++i) {
		const task *t = &tasks[i];
		const int64_t begin = atomic_load(&work);
		user all = { .stop_at = -1 };
		int64_t after, most_after = 0;
		assert_int_equal(execute(t, 1, &all, &after), WS_OK);
		const int64_t total = atomic_load(&work) - begin;
		const int64_t longest = after > all.longest ? after : all.longest;
		if (longest > t->most || all.backwards)
			fail_msg("%s: %lld of %lld between two questions, backwards %d", t->what,
			         (long long)longest, (long long)total, all.backwards);
		/* Work enough for the limit to mean something. */
		assert_true(total > 8 * t->most);
		/* Stopped at moments throughout the run, by one thread and by several. */
		for (int threads = 1; threads <= 3; threads += 2)
			for (int k = first; k < last; ++k) {
				user u = { .stop_at = k == 0 ? 0 : all.asked * k / 4 };
				const ws_status status = execute(t, threads, &u, &after);
				/* Several may ask less often. */
				if (threads > 1 && u.asked <= u.stop_at)
					continue;
				assert_int_equal(status, WS_E_CANCELLED);
				assert_int_equal(u.asked, u.stop_at + 1);
				most_after = after > most_after ? after : most_after;
				if (after > threads * t->most)
					fail_msg("%s, %d threads: %lld of %lld after stop", t->what,
					         threads, (long long)after, (long long)total);
			}
		printf("%-20s %9lld of work, %5d questions; %8lld between two, %8lld after stop\n",
		       t->what, (long long)total, all.asked, (long long)longest,
		       (long long)most_after);
	}
}

/* ---- The pool ---------------------------------------------------------------------------- */

typedef struct waiting {
	wsi_progress progress;
	int asked;
	bool stopped;
} waiting;

static int
third_time(void *arg, double done)
{
	waiting *w = arg;
	(void)done;
	return ++w->asked == 3;
}

/* The caller is done at once; the other thread works until somebody stops it, or for 20 s. */
static void
one_works(void *arg, int rank, int size)
{
	waiting *w = arg;
	(void)size;
	for (int i = 0; rank == 1 && !w->stopped && i < 20000; ++i) {
		const struct timespec a_little = { .tv_nsec = 1000000 };
		nanosleep(&a_little, NULL);
		w->stopped = wsi_cancelled(&w->progress);
	}
}

static void
test_caller_waits(void **state)
{
	(void)state;
	wsi_worker workers[2];
	wsi_pool pool;
	waiting w = { .asked = 0 };
	wsi_progress_init(&w.progress, third_time, &w);
	wsi_pool_start(&pool, 2, workers, &w.progress);
	assert_int_equal(pool.size, 2);
	wsi_pool_run(&pool, one_works, &w);
	wsi_pool_stop(&pool);
	assert_true(w.stopped);
	assert_int_equal(w.asked, 3);
}

/* Work within other work tells its share, and who stops one stops both. */
static void
test_within(void **state)
{
	(void)state;
	wsi_progress outer, inner, silent;
	user u = { .stop_at = 3 };
	atomic_store(&leaps, true);
	wsi_progress_init(&outer, answer, &u);
	wsi_progress_step(&outer, 0.5, 1.0);
	wsi_progress_within(&inner, &outer, 0.2, 0.6);
	wsi_progress_step(&inner, 0.0, 1.0);
	assert_true(u.done == 0.5 + 0.5 * 0.2);
	wsi_progress_part(&inner, 0.5);
	assert_true(u.done == 0.5 + 0.5 * 0.4);
	assert_false(wsi_cancelled(&inner));
	wsi_progress_within(&silent, &outer, 0.0, 0.0);
	wsi_progress_part(&silent, 0.9);
	assert_true(u.done == 0.5 + 0.5 * 0.4);
	assert_int_equal(u.asked, 4);
	assert_true(wsi_cancelled(&silent) && wsi_cancelled(&outer));
	assert_false(wsi_goes_on(&inner, 0));
	assert_int_equal(u.asked, 4);
	atomic_store(&leaps, false);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transforms), cmocka_unit_test(test_caller_waits),
		cmocka_unit_test(test_within),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
