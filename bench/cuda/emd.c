/*
 * emd.c - wavesift's side of the race (race.h): EMD on the GPU's engine, rows
 * resident on the device.
 *
 *     emd SAMPLES ROWS f32|f64 [sifts | rilling] [verbose]
 *
 * A mode's time is all that the engine does for it: start, sifts, what it
 * tells the host, the subtraction from the rest.  verbose: a line a mode.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/backend.h"
#include "base/clock.h"
#include "plan/plan.h"
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
	wsi_rows source, r, mode;
	wsi_extent *input;
	wsi_sifted *sifted;
	bool *active;
	int rows;
} bench;

static void
take_all(bench *b, wsi_arena *host)
{
	b->source = b->e->take(b->e, b->rows, WSI_USED_OFTEN);
	b->r = b->e->take(b->e, b->rows, WSI_USED_OFTEN);
	b->mode = b->e->take(b->e, b->rows, WSI_USED_OFTEN);
	b->input = wsi_arena_take(host, (size_t)b->rows * sizeof *b->input);
	b->sifted = wsi_arena_take(host, (size_t)b->rows * sizeof *b->sifted);
	b->active = wsi_arena_take(host, (size_t)b->rows * sizeof *b->active);
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
		for (size_t k = 0; k < n; ++k)
			f[k] = (float)x[k];
		void *const host = b->params.type == WS_F64 ? (void *)x : (void *)f;
		const wsi_rows row = wsi_some_rows(b->source, i, 1);
		b->e->put(b->e, row, host, 0);
		/* Copies may still be under way: this one waits for them. */
		b->e->get(b->e, host, 0, row, NULL);
	}
	free(x);
	free(f);
	b->e->extent(b->e, b->source, b->input);
}

/* One decomposition; seconds and sifts of all rows by mode. */
static int
decompose(bench *b, double *seconds, double *sifts)
{
	b->e->copy(b->e, b->r, b->source);
	for (int i = 0; i < b->rows; ++i)
		b->active[i] = true;
	int modes = 0;
	b->e->extent(b->e, wsi_some_rows(b->r, 0, 1), b->input); /* waits for the copy */
	for (bool any = true; any && modes < race_modes(b->params.samples); ++modes) {
		wsi_sift_job job = { .r = b->r, .out = b->mode, .deflate = true, .active = b->active,
			             .input = b->input, .again = modes > 0,
			             .max_sifts = b->params.o.max_sifts, .step = true, .sifted = b->sifted };
		const double start = wsi_now();
		b->e->sift(b->e, &job);
		seconds[modes] = wsi_now() - start;
		sifts[modes] = 0.0;
		any = false;
		for (int i = 0; i < b->rows; ++i) {
			b->active[i] = b->active[i] && b->sifted[i].oscillates;
			sifts[modes] += b->sifted[i].sifts;
			any = any || b->active[i];
		}
		if (sifts[modes] == 0.0)
			break;
	}
	return modes;
}

static void
race(bench *b, bool verbose)
{
	double seconds[MOST_MODES], sifts[MOST_MODES], first[RACE_RUNS], all[RACE_RUNS];
	const double n = (double)b->params.samples;
	int modes = 0;
	for (int run = -1; run < RACE_RUNS; ++run) {
		modes = decompose(b, seconds, sifts);
		double s = 0.0, t = 0.0;
		for (int k = 0; k < modes; ++k) {
			t += seconds[k];
			s += sifts[k];
			if (verbose && run == RACE_RUNS - 1)
				fprintf(stderr, "mode %2d: %8.0f sifts, %10.1f us, %7.2f ps\n", k + 1, sifts[k],
				        seconds[k] * 1e6, seconds[k] * 1e12 / (n * sifts[k]));
		}
		if (run < 0)
			continue;
		first[run] = seconds[0] * 1e12 / (n * sifts[0]);
		all[run] = t * 1e12 / (n * s);
	}
	race_line("wavesift", b->params.samples, (size_t)b->rows,
	          b->params.type == WS_F64 ? "f64" : "f32", race_median(first, RACE_RUNS),
	          race_median(all, RACE_RUNS), modes, NAN);
}

int
main(int argc, char **argv)
{
	if (argc < 4)
		fail("usage", "emd SAMPLES ROWS f32|f64 [sifts | rilling] [verbose]");
	const ws_shape shape = { .size = sizeof shape, .channels = (size_t)atol(argv[2]),
		.samples = (size_t)atol(argv[1]), .type = strcmp(argv[3], "f64") ? WS_F32 : WS_F64 };
	ws_emd_opts o = { .size = sizeof o, .sifts = RACE_SIFTS };
	bool verbose = false;
	for (int i = 4; i < argc; ++i)
		if (strcmp(argv[i], "verbose") == 0) {
			verbose = true;
		} else if (strcmp(argv[i], "rilling") == 0) {
			o.sifts = 0;
			o.stop = WS_STOP_RILLING;
		} else {
			o.sifts = atoi(argv[i]);
		}
	bench b = { .rows = atoi(argv[2]) };
	if (wsi_params_resolve(&b.params, &shape, &o) != WS_OK)
		fail("options", ws_error_detail());
	wsi_loaded loaded;
	wsi_backend_load(&loaded);
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
		if (real && gpu->borrow(device, WSI_DEVICE_MEMORY, memory.used, &block, &why) != WS_OK)
			fail("memory", why.text);
		host = (wsi_arena){ real ? aligned_alloc(WSI_ALIGN, host.used) : NULL, 0 };
		memory = (wsi_arena){ block, 0 };
		gpu->layout(b.e, device, &b.params, b.rows, &progress, &host, &memory, NULL);
		if (real && gpu->start(b.e, &why) != WS_OK)
			fail("start", why.text);
		take_all(&b, &host);
	}
	put_rows(&b);
	race(&b, verbose);
	if (gpu->stop(b.e, &why) != WS_OK)
		fail("sifting", why.text);
	return 0;
}
