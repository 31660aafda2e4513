/*
 * emd.c - whole decompositions of white noise, S = 10, all modes: time on one
 * core by instruction set and type, gain of two threads against that of pure
 * arithmetic, memory of Improved CEEMDAN.
 *
 *     emd FOLDER       writes FOLDER/emd.json
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pool.h"
#include "bench.h"

static const char *const type_names[] = { "f64", "f32" };

static const ws_emd_opts emd = { .size = sizeof emd, .tag = WS_TAG_EMD, .method = WS_METHOD_EMD,
	.sifts = 10 };
static const ws_emd_opts iceemdan = { .size = sizeof iceemdan, .tag = WS_TAG_EMD,
	.method = WS_METHOD_ICEEMDAN,
	                              .sifts = 10, .realizations = 100, .seed = 1 };

/* ---- Memory ----------------------------------------------------------------- */

/* KiB that a process of its own has held at most; modes 0: without a decomposition. */
static long
held_by(size_t n, int modes, size_t *workspace)
{
	int ends[2];
	if (pipe(ends) != 0)
		bench_die("no pipe");
	pid_t pid = fork();
	if (pid < 0)
		bench_die("no process");
	if (pid == 0) {
		size_t bytes = 0;
		if (modes > 0) {
			ws_emd_opts o = iceemdan;
			o.modes = modes;
			bench_ours *b = bench_ours_create(&o, WS_F64, n, NULL, 1, false);
			bench_ours_run(b);
			bytes = b->workspace_bytes;
		}
		_exit(write(ends[1], &bytes, sizeof bytes) == sizeof bytes ? 0 : 1);
	}
	int status;
	struct rusage usage;
	if (read(ends[0], workspace, sizeof *workspace) != sizeof *workspace ||
	    wait4(pid, &status, 0, &usage) != pid || status != 0)
		bench_die("the process whose memory was to be measured failed");
	close(ends[0]);
	close(ends[1]);
	return usage.ru_maxrss;
}

/* First in the program, while it holds little itself: a fork starts with that. */
static void
memory(json_t *rows)
{
	const size_t sizes[] = { 10000, 100000 };
	size_t none;
	const long empty = held_by(0, 0, &none);
	for (int s = 0; s < 2; ++s)
		for (int modes = 1; modes <= 13; modes += 4) {
			const size_t n = sizes[s];
			size_t workspace;
			double mib = (double)(held_by(n, modes, &workspace) - empty) / 1024.0;
			double in = (double)iceemdan.realizations * (double)n * 8.0 / 1048576.0;
			double out = (double)n * 8.0 * (modes + 2) / 1048576.0;
			printf("memory   iceemdan %zu x %d, K = %2d: workspace %.1f MiB, in and out %.1f, "
			       "held %.1f; I x N %.1f, K x I x N %.1f\n", n, iceemdan.realizations, modes,
			       (double)workspace / 1048576.0, out, mib, in, in * modes);
			json_array_append_new(rows, json_pack(
				"{s:s, s:I, s:i, s:i, s:f, s:f, s:f, s:f}", "what", "memory", "samples",
				(json_int_t)n, "realizations", iceemdan.realizations, "modes", modes,
				"workspace_mib", (double)workspace / 1048576.0, "held_mib", mib,
				"in_and_out_mib", out, "one_state_mib", in));
		}
}

/* ---- One core ----------------------------------------------------------------- */

static void
one_core(json_t *rows, const ws_emd_opts *o, size_t n, const char *isa, ws_type type, int runs)
{
	bench_ours *b = bench_ours_create(o, type, n, isa, 1, true);
	double seconds[runs];
	for (int i = 0; i < runs; ++i) {
		double t0 = bench_cpu();
		bench_ours_run(b);
		seconds[i] = bench_cpu() - t0;
	}
	const double to_ns = 1e9 / ((double)n * b->sifts);
	const double least = bench_least(seconds, runs) * to_ns;
	const double median = bench_median(seconds, runs);
	printf("one core %-8s %7zu %-6s %s: %.3f ns per sample per sift (least %.3f), %.4f s, "
	       "%d modes, %.0f sifts\n", bench_method(o), n, isa, type_names[type], median * to_ns,
	       least, median, (int)b->mode_count, b->sifts);
	json_array_append_new(rows, json_pack(
		"{s:s, s:s, s:I, s:i, s:s, s:s, s:f, s:f, s:f, s:f, s:i}", "what", "one core",
		"method", bench_method(o), "samples", (json_int_t)n, "realizations",
		o->method == WS_METHOD_EMD ? 1 : o->realizations, "isa", isa, "type",
			type_names[type], "ns",
		median * to_ns, "least_ns", least, "seconds", median, "sifts", b->sifts, "modes",
		(int)b->mode_count));
	bench_ours_destroy(b);
}

/* ---- Threads -------------------------------------------------------------------- */

enum { PAIRS = 45, PATIENCE = 20 /* seconds */ };
/* Pairs in the same memory: which pages the system hands out decides by some per cent
 * how well they lie in the caches, for one as for all. */
enum { PAIRS_A_PLACE = 5 };
/* Seconds of a timing: the system takes a while to move a woken thread to a
 * core of its own, whatever it computes. */
#define LONG_ENOUGH 0.1

typedef struct fma_work { const char *isa; long rounds; } fma_work;

static void
fma_job(void *arg, int rank, int size)
{
	const fma_work *w = arg;
	(void)rank;
	bench_fma(w->isa, WS_F64, w->rounds / size);
}

/* The yardstick: the same multiply-adds, shared out evenly, nothing shared. */
static double
arithmetic(const char *isa, int threads, long rounds)
{
	fma_work w = { isa, rounds };
	wsi_worker workers[threads];
	wsi_pool pool;
	double t0 = bench_now();
	wsi_pool_start(&pool, threads, workers, NULL);
	wsi_pool_run(&pool, fma_job, &w);
	wsi_pool_stop(&pool);
	return bench_now() - t0;
}

static double
decompositions(bench_ours *b, int count)
{
	double t0 = bench_now();
	for (int i = 0; i < count; ++i)
		bench_ours_run(b);
	return bench_now() - t0;
}

/* The same decomposition on one thread and on all, each in memory of its own. */
typedef struct place { bench_ours *one, *all; } place;

static place
place_create(const ws_emd_opts *o, size_t n, ws_type type, int threads)
{
	const char *isa = ws_isa_name(0);
	place p = { bench_ours_create(o, type, n, isa, 1, false),
	            bench_ours_create(o, type, n, isa, threads, false) };
	bench_ours_run(p.one);
	bench_ours_run(p.all);
	return p;
}

static void
place_destroy(place p)
{
	bench_ours_destroy(p.one);
	bench_ours_destroy(p.all);
}

/* Runs go yardstick, ours on one thread, then on all, again and again; what is
 * reported is the median of the pairs' ratios. */
static void
with_threads(json_t *rows, const ws_emd_opts *o, size_t n, ws_type type, int threads)
{
	const char *isa = ws_isa_name(0);
	place p = place_create(o, n, type, threads);
	/* As long as ours: the machine's other guests come and go by milliseconds. */
	const long probe = 1000000;
	arithmetic(isa, threads, probe);
	const double once = decompositions(p.one, 1);
	const int count = 1 + (int)(LONG_ENOUGH / once);
	const long rounds = (long)(count * once / arithmetic(isa, 1, probe) * (double)probe);
	double yardstick[PAIRS], gain[PAIRS], efficiency[PAIRS], t[4][PAIRS];
	/* Where others crowd the machine out, a few pairs must do. */
	const double until = bench_now() + PATIENCE;
	int done = 0;
	for (; done < PAIRS && (done < 3 || bench_now() < until); ++done) {
		const int i = done;
		if (i > 0 && i % PAIRS_A_PLACE == 0) {
			place_destroy(p);
			p = place_create(o, n, type, threads);
		}
		t[0][i] = arithmetic(isa, 1, rounds);
		t[1][i] = decompositions(p.one, count);
		t[2][i] = arithmetic(isa, threads, rounds);
		t[3][i] = decompositions(p.all, count);
		yardstick[i] = t[0][i] / t[2][i];
		gain[i] = t[1][i] / t[3][i];
		efficiency[i] = gain[i] / yardstick[i];
	}
	const int pairs = done;
	double best = bench_least(t[1], pairs) / bench_least(t[3], pairs);
	double best_yardstick = bench_least(t[0], pairs) / bench_least(t[2], pairs);
	double y = bench_median(yardstick, pairs), g = bench_median(gain, pairs);
	double e = bench_median(efficiency, pairs);
	printf("threads  %-8s %7zu %-6s %s: %d threads gain %.3f, arithmetic %.3f: %.1f %% "
	       "(of the shortest times: %.3f, %.3f: %.1f %%)\n", bench_method(o), n, isa,
	       type_names[type], threads, g, y, 100.0 * e, best, best_yardstick,
	       100.0 * best / best_yardstick);
	json_array_append_new(rows, json_pack(
		"{s:s, s:s, s:I, s:i, s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f}", "what", "threads",
		"method", bench_method(o), "samples", (json_int_t)n, "realizations",
		o->method == WS_METHOD_EMD ? 1 : o->realizations, "isa", isa, "type",
			type_names[type],
		"threads", threads, "pairs", pairs, "gain", g, "yardstick", y, "efficiency", e,
		"least_efficiency", best / best_yardstick));
	place_destroy(p);
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		bench_die("usage: emd FOLDER");
	setvbuf(stdout, NULL, _IOLBF, 0);
	json_t *rows = json_array();
	memory(rows);
	const char *best = ws_isa_name(0), *isa;
	for (int i = 0; (isa = ws_isa_name(i)) != NULL; ++i)
		for (int type = WS_F64; type <= WS_F32; ++type)
			one_core(rows, &emd, 100000, isa, type, i == 0 ? 15 : 5);
	for (int type = WS_F64; type <= WS_F32; ++type) {
		one_core(rows, &emd, 1000000, best, type, 5);
		one_core(rows, &iceemdan, 10000, best, type, 5);
	}
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		puts("threads  NOT RUN: one processor");
	} else {
		with_threads(rows, &emd, 100000, WS_F64, 2);
		with_threads(rows, &emd, 100000, WS_F32, 2);
		with_threads(rows, &emd, 1000000, WS_F64, 2);
		with_threads(rows, &iceemdan, 10000, WS_F64, 2);
	}
	bench_write(argv[1], "emd", rows);
	return 0;
}
