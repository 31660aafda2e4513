/*
 * run.c - drives a plan over a recording of any size: blocks of channels that
 * fit in memory, fetched and delivered by callback.
 *
 * A block holds its input, modes and residue and the plan's workspace.
 * Shared noise is decomposed anew for each block, which changes no bit.
 *
 * A lane works on one block at a time: the CPU, or one of several GPUs, each
 * with a thread.  Lanes take blocks in order and wait for their turn to
 * deliver; one lock is held by whoever takes, fetches or delivers.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/place.h"
#include "base/arena.h"
#include "base/status.h"

typedef struct lane {
	ws_plan *plan;          /* of a full block */
	ws_plan *last;          /* of the last, shorter one; or NULL */
} lane;

struct ws_run {
	ws_ctx *ctx;
	ws_shape shape;
	size_t block;           /* channels */
	int n_lanes;
	lane lanes[WSI_MOST_GPUS];
	size_t lane_bytes;
	char device[96];
	char describe[1536];
};

/* What one block of a plan holds. */
typedef struct block_arrays {
	void *x, *modes, *residue, *workspace;
	int32_t *mode_count, *sifts, *unfinished;
} block_arrays;

static block_arrays
lay_out(const ws_plan *plan, wsi_arena *arena)
{
	const size_t rows = plan->channels, k = (size_t)plan->params.o.max_modes;
	const size_t row = plan->params.samples * plan->ops->element;
	block_arrays b;
	b.x = wsi_arena_take(arena, rows * row);
	b.modes = wsi_arena_take(arena, rows * k * row);
	b.residue = wsi_arena_take(arena, rows * row);
	b.mode_count = wsi_arena_take(arena, rows * sizeof(int32_t));
	b.sifts = wsi_arena_take(arena, rows * k * sizeof(int32_t));
	b.unfinished = wsi_arena_take(arena, rows * sizeof(int32_t));
	b.workspace = wsi_arena_take(arena, plan->workspace);
	return b;
}

static size_t
bytes_of(const ws_plan *plan)
{
	wsi_arena measure = { 0 };
	lay_out(plan, &measure);
	return measure.used + WSI_ALIGN;
}

/* ---- Plan --------------------------------------------------------------------------- */

/* Plans blocks of `channels` channels and tells whether they fit. */
static ws_status
try_block(ws_run *run, const ws_emd_opts *opts, const wsi_place *place, size_t channels,
          size_t memory, bool *fits)
{
	lane *l = &run->lanes[0];
	ws_shape shape = run->shape;
	shape.channels = channels;
	ws_plan_destroy(l->plan);
	ws_status status = wsi_plan_at(&l->plan, run->ctx, &shape, opts, place);
	*fits = false;
	/* Fewer channels take less of a GPU's memory. */
	if (status == WS_E_NOMEM && place->gpu && channels > 1)
		return WS_OK;
	WSI_TRY(status);
	run->block = channels;
	run->lane_bytes = bytes_of(l->plan);
	*fits = memory == 0 || run->lane_bytes <= memory;
	return WS_OK;
}

/* The largest block of at most `most` channels.  memory: of one lane. */
static ws_status
choose_block(ws_run *run, const ws_emd_opts *opts, const wsi_place *place, size_t most,
             size_t memory)
{
	bool fits;
	WSI_TRY(try_block(run, opts, place, most, memory, &fits));
	if (fits)
		return WS_OK;
	size_t low = 1, high = most; /* high does not fit */
	WSI_TRY(try_block(run, opts, place, 1, memory, &fits));
	if (!fits)
		return WSI_FAIL(WS_E_NOMEM, "one channel of %zu samples needs %.1f MiB and %.1f MiB may "
		                "be used: allow more memory, or fewer realizations or modes",
		                run->shape.samples, (double)run->lane_bytes / 1048576.0,
		                (double)memory / 1048576.0);
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		WSI_TRY(try_block(run, opts, place, middle, memory, &fits));
		if (fits)
			low = middle;
		else
			high = middle;
	}
	return try_block(run, opts, place, low, memory, &fits);
}

/* A lane with blocks of run->block channels; lane 0 has its plan. */
static ws_status
plan_lane(ws_run *run, const ws_emd_opts *opts, const wsi_place *place, lane *l)
{
	ws_shape shape = run->shape;
	shape.channels = run->block;
	if (!l->plan)
		WSI_TRY(wsi_plan_at(&l->plan, run->ctx, &shape, opts, place));
	shape.channels = run->shape.channels % run->block;
	if (shape.channels)
		WSI_TRY(wsi_plan_at(&l->last, run->ctx, &shape, opts, place));
	const ws_plan *plans[] = { l->plan, l->last };
	for (int i = 0; i < 2 && plans[i]; ++i) {
		size_t bytes = bytes_of(plans[i]);
		run->lane_bytes = bytes > run->lane_bytes ? bytes : run->lane_bytes;
	}
	const size_t used = strlen(run->device);
	const char *name = ws_plan_device(l->plan);
	snprintf(run->device + used, sizeof run->device - used, "%s%s", used ? "," : "",
	         used ? strchr(name, ':') + 1 : name);
	return WS_OK;
}

static size_t
count_blocks(const ws_run *run)
{
	return (run->shape.channels + run->block - 1) / run->block;
}

static ws_status
plan_blocks(ws_run *run, const ws_emd_opts *opts, size_t memory)
{
	wsi_place place;
	WSI_TRY(wsi_place_choose(&place, run->ctx, &run->shape, opts));
	const size_t channels = run->shape.channels, gpus = (size_t)run->ctx->n_slots;
	const size_t lanes = gpus < channels ? gpus : channels;
	const size_t most = (channels + lanes - 1) / lanes;
	memory /= lanes;
	ws_status status = choose_block(run, opts, &place, most, memory);
	if (status == WS_E_NOMEM && place.gpu && place.or_cpu) {
		wsi_place_leave_gpu(&place);
		status = choose_block(run, opts, &place, most, memory);
	}
	WSI_TRY(status);
	WSI_TRY(plan_lane(run, opts, &place, &run->lanes[run->n_lanes++]));
	for (size_t i = 1; i < lanes && i < count_blocks(run); ++i) {
		WSI_TRY(wsi_ctx_gpu(run->ctx, (int)i, &place.gpu));
		WSI_TRY(plan_lane(run, opts, &place, &run->lanes[run->n_lanes++]));
	}
	snprintf(run->describe, sizeof run->describe,
	         "%s  blocks     %zu of %zu channel%s%s%s, %.1f MiB in all\n",
	         ws_plan_describe(run->lanes[0].plan), count_blocks(run), run->block,
	         run->block == 1 ? "" : "s", run->n_lanes > 1 ? " on " : "",
	         run->n_lanes > 1 ? run->device : "", (double)ws_run_bytes(run) / 1048576.0);
	return WS_OK;
}

ws_status
ws_run_create(ws_run **out, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts,
              size_t memory)
{
	if (!out || !ctx || !shape)
		return WSI_FAIL(WS_E_ARG, "ws_run_create: run, ctx and shape must not be NULL");
	*out = NULL;
	if (shape->size < sizeof *shape)
		return WSI_FAIL(WS_E_ARG, "ws_shape.size is %zu: set it to sizeof(ws_shape)", shape->size);
	ws_run *run = calloc(1, sizeof *run);
	if (!run)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a run");
	run->ctx = ctx;
	run->shape = *shape;
	ws_status status = plan_blocks(run, opts, memory);
	if (status != WS_OK) {
		ws_run_destroy(run);
		return status;
	}
	*out = run;
	return WS_OK;
}

void
ws_run_destroy(ws_run *run)
{
	if (!run)
		return;
	for (int i = 0; i < WSI_MOST_GPUS; ++i) {
		ws_plan_destroy(run->lanes[i].plan);
		ws_plan_destroy(run->lanes[i].last);
	}
	free(run);
}

const char *
ws_run_describe(const ws_run *run)
{
	return run->describe;
}

size_t
ws_run_bytes(const ws_run *run)
{
	return run->lane_bytes * (size_t)run->n_lanes;
}

const char *
ws_run_device(const ws_run *run)
{
	return run->device;
}

size_t
ws_run_device_bytes(const ws_run *run)
{
	return ws_plan_device_bytes(run->lanes[0].plan);
}

double
ws_run_seconds(const ws_run *run)
{
	const size_t full = run->shape.channels / run->block;
	const lane *l = &run->lanes[0];
	double seconds = (double)full * ws_plan_seconds(l->plan) +
	                 (l->last ? ws_plan_seconds(l->last) : 0.0);
	return seconds / run->n_lanes;
}

const ws_emd_opts *
ws_run_options(const ws_run *run)
{
	return ws_plan_options(run->lanes[0].plan);
}

int
ws_run_modes(const ws_run *run)
{
	return ws_plan_modes(run->lanes[0].plan);
}

/* ---- Run ------------------------------------------------------------------------------ */

typedef struct drive drive;

/* A lane at work. */
typedef struct worker {
	drive *d;
	int lane;
	void *memory;
	double channels, done;  /* of the block at hand */
	pthread_t thread;
} worker;

struct drive {
	const ws_run *run;
	const ws_stream *stream;
	pthread_mutex_t lock;   /* of what follows, and of the caller's functions */
	pthread_cond_t turn;    /* delivered or status changed */
	size_t taken, delivered; /* blocks */
	double done;            /* channels delivered */
	ws_status status;       /* the first failure ends all lanes.. */
	char detail[1024];      /* ..and this is its word */
	worker workers[WSI_MOST_GPUS];
};

static void
fail(drive *d, ws_status status)
{
	if (d->status != WS_OK || status == WS_OK)
		return;
	d->status = status;
	snprintf(d->detail, sizeof d->detail, "%s", ws_error_detail());
}

/* Nonzero stops the lane. */
static int
report(void *user, double done)
{
	worker *w = user;
	drive *d = w->d;
	/* Whoever holds the lock is busy with the caller: the next report tells. */
	if (pthread_mutex_trylock(&d->lock) != 0)
		return 0;
	double sum = d->done;
	w->done = done * w->channels;
	for (int i = 0; i < d->run->n_lanes; ++i)
		sum += d->workers[i].done;
	const double share = sum / (double)d->run->shape.channels;
	int stop = d->status != WS_OK;
	if (!stop && d->stream->progress)
		stop = d->stream->progress(d->stream->user, share < 1.0 ? share : 1.0);
	pthread_mutex_unlock(&d->lock);
	return stop;
}

static ws_status
fetch(const drive *d, const ws_plan *plan, const block_arrays *b, size_t first)
{
	const size_t row = plan->params.samples * plan->ops->element;
	for (size_t c = 0; c < plan->channels; ++c)
		WSI_TRY(d->stream->read(d->stream->user, first + c, (char *)b->x + c * row));
	return WS_OK;
}

static ws_status
deliver(const drive *d, const ws_plan *plan, const block_arrays *b, size_t first)
{
	const size_t row = plan->params.samples * plan->ops->element;
	const size_t modes = (size_t)plan->params.o.max_modes;
	for (size_t c = 0; c < plan->channels; ++c) {
		ws_channel_result result = {
			.channel = first + c, .modes = b->mode_count[c], .x = (char *)b->x + c * row,
			.mode_rows = (char *)b->modes + c * modes * row,
			.residue = (char *)b->residue + c * row, .sifts = b->sifts + c * modes,
			.unfinished = b->unfinished[c],
		};
		WSI_TRY(d->stream->write(d->stream->user, &result));
	}
	return WS_OK;
}

static ws_status
execute(worker *w, const ws_plan *plan, const block_arrays *b, size_t first)
{
	const drive *d = w->d;
	const bool reports = d->stream->progress || d->run->n_lanes > 1;
	const ws_emd_io io = {
		.size = sizeof io, .x = b->x, .first_channel = first, .noise = d->stream->noise,
		.modes = b->modes, .residue = b->residue, .mode_count = b->mode_count,
		.sifts = b->sifts, .unfinished = b->unfinished, .progress = reports ? report : NULL,
		.user = w,
	};
	return ws_execute_emd(plan, &io, b->workspace);
}

/* The lock is held at both ends. */
static void
run_block(worker *w, size_t block)
{
	drive *d = w->d;
	const lane *l = &d->run->lanes[w->lane];
	const size_t first = block * d->run->block;
	const ws_plan *plan = d->run->shape.channels - first < d->run->block ? l->last : l->plan;
	wsi_arena arena = { .base = w->memory };
	const block_arrays b = lay_out(plan, &arena);
	fail(d, fetch(d, plan, &b, first));
	if (d->status != WS_OK)
		return;
	w->channels = (double)plan->channels;
	pthread_mutex_unlock(&d->lock);
	const ws_status status = execute(w, plan, &b, first);
	pthread_mutex_lock(&d->lock);
	fail(d, status);
	while (d->status == WS_OK && d->delivered != block)
		pthread_cond_wait(&d->turn, &d->lock);
	if (d->status == WS_OK)
		fail(d, deliver(d, plan, &b, first));
	d->done += w->channels;
	w->done = 0.0;
	d->delivered++;
}

static void *
work(void *arg)
{
	worker *w = arg;
	drive *d = w->d;
	pthread_mutex_lock(&d->lock);
	while (d->status == WS_OK && d->taken < count_blocks(d->run)) {
		run_block(w, d->taken++);
		pthread_cond_broadcast(&d->turn);
	}
	pthread_cond_broadcast(&d->turn);
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* Lane 0 is the caller's thread; signals are the caller's affair. */
static void
run_lanes(drive *d, char *memory)
{
	int started = 1;
	sigset_t all, before;
	sigfillset(&all);
	for (int i = 0; i < d->run->n_lanes; ++i)
		d->workers[i] = (worker){ .d = d, .lane = i,
			.memory = memory + (size_t)i * d->run->lane_bytes };
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; started < d->run->n_lanes; ++started) {
		worker *w = &d->workers[started];
		if (pthread_create(&w->thread, NULL, work, w) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	work(&d->workers[0]);
	for (int i = 1; i < started; ++i)
		pthread_join(d->workers[i].thread, NULL);
}

ws_status
ws_run_execute(ws_run *run, const ws_stream *stream)
{
	if (!run || !stream)
		return WSI_FAIL(WS_E_ARG, "ws_run_execute: run and stream must not be NULL");
	if (stream->size < sizeof *stream)
		return WSI_FAIL(WS_E_ARG, "ws_stream.size is %zu: set it to sizeof(ws_stream)",
		                stream->size);
	if (!stream->read || !stream->write)
		return WSI_FAIL(WS_E_ARG, "ws_run_execute: read and write must be given");
	char *memory = aligned_alloc(WSI_ALIGN, ws_run_bytes(run));
	if (!memory)
		return WSI_FAIL(WS_E_NOMEM, "%.1f MiB could not be allocated: lower the memory limit, so "
		                "that channels go in smaller blocks",
		                (double)ws_run_bytes(run) / 1048576.0);
	drive d = { .run = run, .stream = stream };
	pthread_mutex_init(&d.lock, NULL);
	pthread_cond_init(&d.turn, NULL);
	run_lanes(&d, memory);
	pthread_cond_destroy(&d.turn);
	pthread_mutex_destroy(&d.lock);
	free(memory);
	/* The detail of a failure is its thread's own. */
	if (d.status != WS_OK && strcmp(d.detail, ws_error_detail()) != 0)
		return WSI_FAIL(d.status, "%s", d.detail);
	return d.status;
}
