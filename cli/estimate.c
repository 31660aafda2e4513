/* estimate.c - what --dry-run expects of a whole command. */
#include "estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/clock.h"
#include "run/program.h"

/* s.  Start: the program, that of a GPU, and of each further one (bench/cuda/goals.py,
 * bench/scaling/measure.py).  Reading: a sample to the plan's type, and its share of the
 * checksum. */
#define START 0.02
#define START_GPU 0.35
#define START_FURTHER 0.25
#define READ_SAMPLE 3e-9
#define WRITE_BYTE 0.42e-9
#define WRITE_BYTE_TEXT 5e-9
#define WRITE_BYTE_DEFLATED 25e-9
/* Of the shorter of work and files, what the longer does not hide: they share memory. */
#define BESIDE 0.7

/* An HDF5 file beside its arrays: provenance, axes, checksums. */
#define FILE_BYTES 48e3

static double
file_bytes(const cli_outcome *o)
{
	const char *dot = strrchr(o->output, '.');
	return dot && strcmp(dot, ".h5") == 0 ? FILE_BYTES : 0;
}

static cli_stored
format_of(const cli_outcome *o)
{
	const char *dot = strrchr(o->output, '.');
	const bool text = strcmp(o->output, "-") == 0 || (dot && strcmp(dot, ".csv") == 0);
	return text ? CLI_STORED_TEXT : dot && strcmp(dot, ".npy") == 0 ? CLI_STORED_NPY
	       : CLI_STORED_ALL;
}

static double
write_byte(const cli_outcome *o)
{
	return format_of(o) == CLI_STORED_TEXT ? WRITE_BYTE_TEXT
	       : o->args->compress ? WRITE_BYTE_DEFLATED : WRITE_BYTE;
}

/* Seconds of one execution; 0: it failed. */
static double
timed(const ws_plan *plan, const ws_io *io, void *workspace)
{
	const double start = wsi_now();
	return ws_execute(plan, io, workspace) == WS_OK ? wsi_now() - start : 0.0;
}

/* How much longer a thread of this machine takes for a small EMD than the library expects of any,
 * by the best run of some ms, in which a processor at rest reaches its clock; 1 where that cannot
 * be had. */
static double
slowness(void)
{
	enum { SAMPLES = 8192, MODES = 6 };
	static const double some = 12e-3; /* s */
	static double x[SAMPLES], modes[MODES][SAMPLES], residue[SAMPLES];
	int32_t count;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = SAMPLES };
	const ws_emd_opts opts = { .size = sizeof opts, .tag = WS_TAG_EMD, .modes = MODES,
		.sifts = 10 }; /* of two, what a mode takes besides is a third */
	const ws_buffer arrays[] = { [WS_EMD_MODES] = { .data = modes },
		[WS_EMD_RESIDUE] = { .data = residue }, [WS_EMD_MODE_COUNT] = { .data = &count } };
	const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
		.n_arrays = WS_EMD_MODE_COUNT + 1 };
	const ws_ctx_opts one = { .size = sizeof one, .threads = 1, .device = "cpu" };
	ws_ctx *ctx = NULL;
	ws_plan *plan;
	if (ws_ctx_create(&ctx, &one) != WS_OK ||
	    ws_plan_create(&plan, ctx, "emd", &shape, &opts) != WS_OK) {
		ws_ctx_destroy(ctx);
		return 1.0;
	}
	for (int i = 0; i < SAMPLES; ++i)
		x[i] = fmod(43758.5453 * sin(12.9898 * i), 1.0); /* as good as noise */
	void *workspace = wsi_block_take(ws_plan_workspace(plan));
	const double begin = wsi_now();
	double best = workspace ? timed(plan, &io, workspace) : 0.0;
	while (best > 0.0 && wsi_now() - begin < some)
		best = fmin(best, timed(plan, &io, workspace));
	const double expected = ws_plan_seconds(plan);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return best > 0.0 ? best / expected : 1.0;
}

static double
start(const ws_run *run)
{
	int gpus = 0;
	while (wsi_run_gpu(run, gpus))
		++gpus;
	return gpus == 0 ? START : START_GPU + (gpus - 1) * START_FURTHER;
}

cli_estimate
cli_estimate_of(const cli_outcome *o)
{
	const double bytes = cli_outputs_bytes(o->outputs, (double)o->in->samples,
	                                       (ws_type)o->args->store, format_of(o))
	                     + file_bytes(o);
	const double samples = (double)o->in->n_channels * (double)o->in->n_epochs *
		(double)o->in->samples;
	const bool gpu = ws_run_device_bytes(o->run) > 0;
	const double work = ws_run_seconds(o->run) * (gpu ? 1.0 : slowness());
	const double files = samples * READ_SAMPLE + bytes * write_byte(o);
	/* A block is read, and another written, while those between are worked on. */
	const double alone = fmax(BESIDE, 1.0 / (double)ws_run_blocks(o->run));
	return (cli_estimate){ bytes, start(o->run) + fmax(work, files) +
		                       alone * fmin(work, files) };
}
