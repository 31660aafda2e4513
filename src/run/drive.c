/*
 * drive.c - drives a run: blocks are fetched, worked on and delivered.  Lanes
 * take blocks in order and wait for their turn to deliver; one lock is held by
 * whoever takes, fetches or delivers.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/sized.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "run/run.h"

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
fetch(const drive *d, const ws_plan *plan, const wsi_block *b, size_t first)
{
	const size_t row = plan->params.samples * plan->ops->element;
	for (size_t c = 0; c < plan->channels; ++c)
		WSI_TRY(d->stream->read(d->stream->user, first + c, (char *)b->x + c * row));
	return WS_OK;
}

static ws_status
deliver(const drive *d, const ws_plan *plan, const wsi_block *b, size_t first)
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
execute(worker *w, const ws_plan *plan, const wsi_block *b, size_t first)
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
	const wsi_lane *l = &d->run->lanes[w->lane];
	const size_t first = block * d->run->block;
	const ws_plan *plan = d->run->shape.channels - first < d->run->block ? l->last : l->plan;
	wsi_arena arena = { .base = w->memory };
	const wsi_block b = wsi_run_lay_out(plan, &arena);
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
	wsi_fpenv_set();
	pthread_mutex_lock(&d->lock);
	while (d->status == WS_OK && d->taken < wsi_run_blocks(d->run)) {
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

static ws_status
execute_run(ws_run *run, const ws_stream *asked)
{
	if (!run || !asked)
		return WSI_FAIL(WS_E_ARG, "ws_run_execute: run and stream must not be NULL");
	ws_stream stream;
	WSI_TRY(WSI_SIZED_COPY(ws_stream, &stream, write, asked));
	if (!stream.read || !stream.write)
		return WSI_FAIL(WS_E_ARG, "ws_run_execute: read and write must be given");
	const size_t bytes = run->lane_bytes * (size_t)run->n_lanes;
	char *memory = aligned_alloc(WSI_ALIGN, bytes);
	if (!memory)
		return WSI_FAIL(WS_E_NOMEM, "%.1f MiB could not be allocated: lower the memory limit, so "
		                "that channels go in smaller blocks", (double)bytes / 1048576.0);
	drive d = { .run = run, .stream = &stream };
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

ws_status
ws_run_execute(ws_run *run, const ws_stream *stream)
{
	wsi_fpenv before;
	wsi_fpenv_enter(&before);
	const ws_status status = execute_run(run, stream);
	wsi_fpenv_leave(&before);
	return status;
}
