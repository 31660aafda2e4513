/*
 * one_core.c - Hilbert analysis and binning of modes on one core, beside FFTW's round trip of the
 * same rows (real to complex and back, double precision, a measured plan) in the same run:
 *
 *     one_core [CHANNELS MODES SAMPLES]        4 12 102400
 *
 * Prints for each way the least of some executions in ns of processor time a sample of a mode, the
 * least of as many round trips, which take turns with them, and the ratio.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include <fftw3.h>

#include "check.h"

enum { RUNS = 7 };

typedef struct job { size_t channels, modes, n; } job;

/* A round trip of FFTW. */
typedef struct trip {
	fftw_plan there, back;
	double *x, *y;
	fftw_complex *z;
} trip;

/* Mode k of slowly changing amplitude and frequency, an octave below the one before; the first is
 * noise.  As in analysis.cu. */
static double
sample(size_t row, size_t k, size_t i)
{
	const double t = (double)i, w = 1.6 / (double)(1u << k), r = (double)row;
	unsigned hash = (unsigned)i * 2654435761u ^ (unsigned)row * 40503u;
	hash = (hash ^ hash >> 15) * 2246822519u;
	hash ^= hash >> 13;
	const double noise = (double)hash / 4294967296.0 - 0.5;
	if (k == 0)
		return noise;
	return (1.0 + 0.4 * sin(w * t / 37.0 + r)) * cos(w * t + 2.0 * sin(w * t / 53.0) + r) +
	       0.001 * noise;
}

/* Seconds of processor time: others who use the machine do not count. */
static double
processor(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static trip
begin_trip(size_t n)
{
	trip t = { .x = fftw_alloc_real(n), .y = fftw_alloc_real(n),
		   .z = fftw_alloc_complex(n / 2 + 1) };
	t.there = fftw_plan_dft_r2c_1d((int)n, t.x, t.z, FFTW_MEASURE);
	t.back = fftw_plan_dft_c2r_1d((int)n, t.z, t.y, FFTW_MEASURE);
	need(t.there && t.back, "fftw");
	return t;
}

static double
seconds_of_trips(const trip *t, const job *j, const double *x)
{
	const double start = processor();
	for (size_t r = 0; r < j->channels * j->modes; ++r) {
		/* A copy of x, as c2r alone may destroy what it reads, and x has no alignment. */
		fftw_execute_dft_r2c(t->there, (double *)(size_t)(x + r * j->n), t->z);
		fftw_execute_dft_c2r(t->back, t->z, t->y);
	}
	return processor() - start;
}

typedef struct way {
	const char *name;
	ws_hht_method method;
	ws_hht_ends ends;
	int parts;
} way;

static void
measure(const job *j, const double *x, const trip *t, const way *w)
{
	ws_ctx *ctx;
	ws_plan *plan;
	const ws_shape shape = { .size = sizeof shape, .channels = j->channels, .samples = j->n,
		                 .type = WS_F64, .fs = 1000.0 };
	const ws_ctx_opts co = { .size = sizeof co, .device = "cpu", .threads = 1 };
	const ws_hht_opts o = { .size = sizeof o, .tag = WS_TAG_HHT, .frequency_method = w->method,
		.ends = w->ends,
		                .parts = w->parts, .modes_given = (int)j->modes };
	need(ws_ctx_create(&ctx, &co) == WS_OK, "context");
	need(ws_plan_create(&plan, ctx, "hht", &shape, &o) == WS_OK, "plan");
	ws_buffer buffers[WS_HHT_ARRAYS] = { 0 };
	for (int i = 0; i < WS_HHT_ARRAYS; ++i) {
		ws_array a = { .size = sizeof a };
		need(ws_plan_array(plan, i, &a) == WS_OK, "array");
		size_t bytes = a.type == WS_F64 ? 8 : 4;
		for (int k = 0; k < a.rank; ++k)
			bytes *= a.extent[k];
		if (bytes)
			buffers[i].data = calloc(1, bytes);
	}
	/* In large pages where the system has them, as the program's is (src/base/block.h).  FFTW's
	 * rows have not: it is slower with them. */
	const size_t page = (size_t)2 << 20;
	const size_t bytes = (ws_plan_workspace(plan) + page - 1) / page * page;
	void *workspace = aligned_alloc(page, bytes);
	need(workspace != NULL, "memory");
	madvise(workspace, bytes, MADV_HUGEPAGE);
	const ws_io io = { .size = sizeof io, .x = x, .arrays = buffers,
		.n_arrays = WS_HHT_ARRAYS };
	double ours = HUGE_VAL, theirs = HUGE_VAL;
	for (int i = 0; i < RUNS; ++i) {
		const double fft = seconds_of_trips(t, j, x), start = processor();
		need(ws_execute(plan, &io, workspace) == WS_OK, "execution");
		const double s = processor() - start;
		ours = s < ours ? s : ours;
		theirs = fft < theirs ? fft : theirs;
	}
	const double ns = 1e9 / (double)(j->channels * j->modes * j->n);
	printf("%-36s %7.2f ns  FFTW %6.2f ns  %5.2f round trips\n", w->name, ns * ours, ns * theirs,
	       ours / theirs);
	for (int i = 0; i < WS_HHT_ARRAYS; ++i)
		free(buffers[i].data);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

int
main(int argc, char **argv)
{
	job j = { 4, 12, 102400 };
	if (argc == 4)
		j = (job){ (size_t)atol(argv[1]), (size_t)atol(argv[2]), (size_t)atol(argv[3]) };
	const size_t rows = j.channels * j.modes;
	double *x = fftw_alloc_real(rows * j.n);
	need(x != NULL, "memory");
	for (size_t r = 0; r < rows; ++r)
		for (size_t i = 0; i < j.n; ++i)
			x[r * j.n + i] = sample(r, r % j.modes, i);
	const trip t = begin_trip(j.n);
	printf("%zu channels of %zu modes of %zu samples, f64, one core\n", j.channels, j.modes,
	       j.n);
	const int spectra = WS_HHT_PART_SPECTRUM | WS_HHT_PART_MARGINAL;
	const way ways[] = {
		{ "hilbert, mirrored ends, spectra", WS_HHT_HILBERT, WS_HHT_ENDS_MIRROR, spectra },
		{ "hilbert, periodic, spectra", WS_HHT_HILBERT, WS_HHT_ENDS_PERIODIC, spectra },
		{ "hilbert, mirrored, and all samples", WS_HHT_HILBERT, WS_HHT_ENDS_MIRROR,
		  spectra | WS_HHT_PART_INSTANTANEOUS },
		{ "nht, spectra", WS_HHT_NHT, WS_HHT_ENDS_MIRROR, spectra },
		{ "quadrature, spectra", WS_HHT_QUADRATURE, WS_HHT_ENDS_MIRROR, spectra },
	};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i)
		measure(&j, x, &t, &ways[i]);
	fftw_destroy_plan(t.there);
	fftw_destroy_plan(t.back);
	fftw_free(t.x);
	fftw_free(t.y);
	fftw_free(t.z);
	fftw_free(x);
	return 0;
}
