/*
 * emd.c - wavesift's side of the race (race.h): EMD on the GPU's engine, rows
 * resident on the device.
 *
 *     emd SAMPLES ROWS f32|f64 [sifts | rilling] [BITSbit] [modes=K] [verbose]
 *
 * A time is of all that the engine does: start, sifts, what it tells the host, the subtraction
 * from the rest, which may still be under way when the host has been told: a time ends when the
 * device has nothing left to do.  The first mode is asked for alone, all as an EMD asks for
 * them: as many together as the engine makes at once.  verbose: a line for each mode, asked for
 * alone, and how many sifts rows take in all.  12bit: samples as a converter of 12 bits has
 * them, so that some extrema are plateaus.  modes=K: at most K modes, so that versions which
 * make different numbers of modes do the same work.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/backend.h"
#include "base/clock.h"
#include "transform/emd/emd.h"
#include "race.h"

enum { MOST_MODES = 64 };

static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "emd: %s: %s\n", what, why);
	exit(1);
}

typedef struct bench {
	wsi_params params;
	wsi_engine *e;
	wsi_rows source, r, modes;
	wsi_extent *input;
	wsi_sifted *sifted;     /* [mode][row] */
	bool *active;
	double *taken;          /* [row] sifts so far */
	int rows, bits;         /* of a sample, 0: as they are */
	int most;               /* modes */
	double idle;            /* seconds of wait_for_device() where there is nothing to wait for */
} bench;

static void
take_all(bench *b, wsi_arena *host)
{
	b->source = b->e->take(b->e, b->rows, WSI_USED_OFTEN);
	b->r = b->e->take(b->e, b->rows, WSI_USED_OFTEN);
	b->modes = b->e->take(b->e, b->e->modes_at_once * b->rows, WSI_USED_OFTEN);
	b->input = wsi_arena_take(host, (size_t)b->rows * sizeof *b->input);
	b->sifted = wsi_arena_take(host, (size_t)b->modes.n * sizeof *b->sifted);
	b->active = wsi_arena_take(host, (size_t)b->rows * sizeof *b->active);
	b->taken = wsi_arena_take(host, (size_t)b->rows * sizeof *b->taken);
}

static void
put_rows(bench *b)
{
	const size_t n = b->params.samples;
	double *x = malloc(n * sizeof *x);
	float *f = malloc(n * sizeof *f);
	if (!x || !f)
		fail("input", "no memory");
	for (int i = 0; i < b->rows; ++i) {
		race_row(x, n, (size_t)i);
		const double levels = ldexp(1.0, b->bits) / 16.0; /* of a unit: all lies within 8 */
		for (size_t k = 0; k < n && b->bits; ++k)
			x[k] = floor(x[k] * levels) / levels;
		for (size_t k = 0; k < n; ++k)
			f[k] = (float)x[k];
		void *const host = b->params.type == WS_F64 ? (void *)x : (void *)f;
		const wsi_rows row = wsi_some_rows(b->source, i, 1);
		b->e->put(b->e, row, host, 0, NULL);
		/* Copies may still be under way: this one waits for them. */
		b->e->get(b->e, host, 0, row, NULL, NULL);
	}
	free(x);
	free(f);
	b->e->extent(b->e, b->source, b->input);
}

/* Rows that still have modes after a job. */
static bool
note_rows(bench *b, int some, double *sifts)
{
	bool any = false;
	*sifts = 0.0;
	for (int i = 0; i < b->rows; ++i) {
		for (int k = 0; k < some; ++k) {
			const wsi_sifted *s = &b->sifted[k * b->rows + i];
			*sifts += s->sifts;
			b->taken[i] += s->sifts;
			b->active[i] = b->active[i] && s->oscillates;
		}
		any = any || b->active[i];
	}
	return any;
}

typedef struct timed {
	double seconds, sifts;  /* of a job, all its rows and modes */
} timed;

/* Waits until the device has done all that it was asked for; returns the time that takes beyond
 * what the call takes on an idle device, if that is known. */
static double
wait_for_device(bench *b)
{
	const double start = wsi_now();
	wsi_extent one;
	b->e->extent(b->e, wsi_some_rows(b->source, 0, 1), &one); /* which is always there */
	const double seconds = wsi_now() - start;
	return seconds > b->idle ? seconds - b->idle : 0.0;
}

/* One decomposition, so many modes a job, `most` at most; apart: the device is waited for after
 * each, not only after all.  Returns how many jobs that took. */
static int
decompose(bench *b, int at_once, int most, bool apart, timed *jobs)
{
	b->e->copy(b->e, b->r, b->source);
	for (int i = 0; i < b->rows; ++i) {
		b->active[i] = true;
		b->taken[i] = 0.0;
	}
	wait_for_device(b);
	int n = 0;
	bool any = true;
	for (int k = 0; any && k < most; k += at_once, ++n) {
		const int some = most - k < at_once ? most - k : at_once;
		wsi_sift_job job = { .r = b->r,
			             .out = wsi_some_rows(b->modes, 0, some * b->rows),
			             .deflate = true,
			             .active = b->active,
			             .input = b->input,
			             .again = k > 0,
			             .max_sifts = b->params.o.max_sifts,
			             .step = true,
			             .mode = k,
			             .bounded = true,
			             .more = some - 1,
			             .sifted = b->sifted };
		const double start = wsi_now();
		b->e->sift(b->e, &job);
		jobs[n].seconds = wsi_now() - start;
		any = note_rows(b, some, &jobs[n].sifts);
		const bool last = !any || k + at_once >= most || jobs[n].sifts == 0.0;
		if (apart || last)
			jobs[n].seconds += wait_for_device(b);
		if (jobs[n].sifts == 0.0)
			break;
	}
	return n;
}

static double
picoseconds(const bench *b, timed t)
{
	return t.seconds * 1e12 / ((double)b->params.samples * t.sifts);
}

static void
race(bench *b, bool verbose)
{
	timed one[MOST_MODES], all[MOST_MODES];
	double first[RACE_RUNS], mean[RACE_RUNS];
	int modes = 0;
	for (int run = -1; run < RACE_RUNS; ++run) {
		modes = decompose(b, 1, b->most, true, one);
		const int jobs = decompose(b, b->e->modes_at_once, b->most, false, all);
		timed sum = { 0.0, 0.0 };
		for (int k = 0; k < jobs; ++k) {
			sum.seconds += all[k].seconds;
			sum.sifts += all[k].sifts;
		}
		if (run < 0)
			continue;
		first[run] = picoseconds(b, one[0]);
		mean[run] = picoseconds(b, sum);
	}
	for (int k = 0; verbose && k < modes; ++k)
		fprintf(stderr, "mode %2d: %8.0f sifts, %10.1f us, %7.2f ps\n", k + 1, one[k].sifts,
		        one[k].seconds * 1e6, picoseconds(b, one[k]));
	double sum = 0.0, most = 0.0;
	for (int i = 0; i < b->rows; ++i) {
		sum += b->taken[i];
		most = fmax(most, b->taken[i]);
	}
	if (verbose)
		fprintf(stderr, "a row takes %.1f sifts by the mean, %.0f at most\n", sum / b->rows,
		        most);
	race_line("wavesift", b->params.samples, (size_t)b->rows,
	          b->params.type == WS_F64 ? "f64" : "f32", race_median(first, RACE_RUNS),
	          race_median(mean, RACE_RUNS), modes, NAN);
}

int
main(int argc, char **argv)
{
	if (argc < 4)
		fail("usage",
		     "emd SAMPLES ROWS f32|f64 [sifts | rilling] [BITSbit] [modes=K] [verbose]");
	const ws_shape shape = { .size = sizeof shape,
		                 .channels = (size_t)atol(argv[2]),
		                 .samples = (size_t)atol(argv[1]),
		                 .type = strcmp(argv[3], "f64") ? WS_F32 : WS_F64 };
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .sifts = RACE_SIFTS };
	bool verbose = false;
	int bits = 0, most = race_modes(shape.samples);
	for (int i = 4; i < argc; ++i)
		if (strcmp(argv[i], "verbose") == 0) {
			verbose = true;
		} else if (strncmp(argv[i], "modes=", 6) == 0) {
			most = atoi(argv[i] + 6);
		} else if (strstr(argv[i], "bit")) {
			bits = atoi(argv[i]);
		} else if (strcmp(argv[i], "rilling") == 0) {
			o.sifts = 0;
			o.stop_rule = WS_STOP_RILLING;
		} else {
			o.sifts = atoi(argv[i]);
		}
	bench b = { .rows = atoi(argv[2]), .bits = bits, .most = most };
	if (wsi_params_resolve(&b.params, &shape, &o) != WS_OK)
		fail("options", ws_error_detail());
	wsi_loaded loaded;
	wsi_backend_load(&loaded, NULL);
	if (!loaded.backend)
		fail("backend", loaded.why.text);
	const wsi_backend *gpu = loaded.backend;
	wsi_device *device;
	wsi_why why;
	if (gpu->open(0, &device, &why) != WS_OK)
		fail("device", why.text);
	b.e = aligned_alloc(WSI_ALIGN, (gpu->engine_bytes / WSI_ALIGN + 1) * WSI_ALIGN);
	wsi_progress progress;
	wsi_progress_init(&progress, NULL, NULL);
	wsi_arena host = { 0 }, memory = { 0 };
	for (int real = 0; real < 2; ++real) {
		void *block = NULL;
		if (real &&
		    gpu->borrow(device, WSI_DEVICE_MEMORY, memory.used, &block, &why) != WS_OK)
			fail("memory", why.text);
		host = (wsi_arena){ real ? aligned_alloc(WSI_ALIGN, host.used) : NULL, 0 };
		memory = (wsi_arena){ block, 0 };
		gpu->layout(b.e, device, &b.params, b.rows, 0, &progress, &host, &memory, NULL);
		if (real && gpu->start(b.e, &why) != WS_OK)
			fail("start", why.text);
		take_all(&b, &host);
	}
	put_rows(&b);
	wait_for_device(&b);
	b.idle = wait_for_device(&b);
	race(&b, verbose);
	if (gpu->stop(b.e, &why) != WS_OK)
		fail("sifting", why.text);
	return 0;
}
