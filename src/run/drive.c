/*
 * drive.c - drives a run: blocks are fetched, worked on and delivered, side by side.
 *
 * The caller's thread reads, writes and reports, so that no function of the caller is
 * called from two threads.  Lanes have threads of their own; each takes the first
 * slot that is ready.  With one slot there is nothing to do side by side, and the
 * caller's thread is the lane.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "run/run.h"

/* Between two looks at whether the caller wants to stop, s. */
#define TICK 0.05

typedef struct drive drive;

/* A slot goes round: FREE, READING, READY, AT_WORK, DONE, FREE. */
typedef enum slot_state { FREE, READING, READY, AT_WORK, DONE } slot_state;

typedef struct slot {
	slot_state state;
	size_t block;
	size_t moved;           /* channels that were read, or written */
	char *memory;
} slot;

/* A lane at work. */
typedef struct worker {
	drive *d;
	int lane;
	void *workspace;
	double done;            /* channels of the block at hand */
	double channels;        /* that it has */
	pthread_t thread;
} worker;

struct drive {
	const ws_run *run;
	const ws_stream *stream;
	bool alone;             /* the caller's thread does the work, too */
	pthread_mutex_t lock;   /* of what follows; not held while the caller is called */
	pthread_cond_t moved;   /* a slot has another state, or the run ends */
	slot slots[WSI_MOST_SLOTS];
	size_t fetched, taken, delivered; /* blocks */
	double done;            /* channels that were worked on */
	double worked;          /* seconds, of all lanes */
	double told;            /* time of the last report */
	ws_status status;       /* the first failure ends all.. */
	char detail[1024];      /* ..and this is its word */
	worker workers[WSI_MOST_GPUS];
};

/* The lock is held. */
static void
fail(drive *d, ws_status status)
{
	if (d->status != WS_OK || status == WS_OK)
		return;
	d->status = status;
	snprintf(d->detail, sizeof d->detail, "%s", ws_error_detail());
	pthread_cond_broadcast(&d->moved);
}

static const ws_plan *
plan_of(const drive *d, int lane, size_t block)
{
	const wsi_lane *l = &d->run->lanes[lane];
	return d->run->shape.channels - block * d->run->block < d->run->block ? l->last : l->plan;
}

/* Its arrays; all lanes lay them out alike. */
static wsi_block
arrays_of(const drive *d, const slot *s)
{
	wsi_arena arena = { .base = s->memory };
	return wsi_run_lay_out(plan_of(d, 0, s->block), &arena);
}

/* ---- Reports ----------------------------------------------------------------------- */

/* By the caller's thread, which holds the lock at both ends. */
static void
tell(drive *d)
{
	if (!d->stream->progress || d->status != WS_OK)
		return;
	double sum = d->done;
	for (int i = 0; i < d->run->n_lanes; ++i)
		sum += d->workers[i].done;
	const double share = sum / (double)d->run->shape.channels;
	d->told = wsi_now();
	pthread_mutex_unlock(&d->lock);
	const int stop = d->stream->progress(d->stream->user, share < 1.0 ? share : 1.0);
	pthread_mutex_lock(&d->lock);
	if (stop)
		fail(d, WSI_FAIL(WS_E_CANCELLED, "cancelled"));
}

/* From the work of a lane.  Nonzero stops it. */
static int
report(void *user, double done)
{
	worker *w = user;
	drive *d = w->d;
	pthread_mutex_lock(&d->lock);
	w->done = done * w->channels;
	if (d->alone)
		tell(d);
	const int stop = d->status != WS_OK;
	pthread_mutex_unlock(&d->lock);
	return stop;
}

/* ---- Lanes ------------------------------------------------------------------------- */

static ws_status
execute(worker *w, const slot *s)
{
	const drive *d = w->d;
	const ws_plan *plan = plan_of(d, w->lane, s->block);
	const wsi_block b = arrays_of(d, s);
	const ws_emd_io io = {
		.size = sizeof io, .x = b.x, .first_channel = s->block * d->run->block,
		.noise = d->stream->noise, .modes = b.modes, .residue = b.residue,
		.mode_count = b.mode_count, .sifts = b.sifts, .unfinished = b.unfinished,
		.progress = report, .user = w,
	};
	return ws_execute_emd(plan, &io, w->workspace);
}

/* The first block that is ready; or NULL. */
static slot *
ready_slot(drive *d)
{
	for (int i = 0; i < d->run->n_slots; ++i)
		if (d->slots[i].state == READY && d->slots[i].block == d->taken)
			return &d->slots[i];
	return NULL;
}

/* The lock is held at both ends. */
static void
work_on(worker *w, slot *s)
{
	drive *d = w->d;
	s->state = AT_WORK;
	d->taken++;
	w->channels = (double)plan_of(d, w->lane, s->block)->channels;
	pthread_mutex_unlock(&d->lock);
	const double start = wsi_now();
	const ws_status status = execute(w, s);
	pthread_mutex_lock(&d->lock);
	fail(d, status);
	d->worked += wsi_now() - start;
	d->done += w->channels;
	w->done = 0.0;
	s->state = DONE;
	s->moved = 0;
	pthread_cond_broadcast(&d->moved);
}

static void *
work(void *arg)
{
	worker *w = arg;
	drive *d = w->d;
	wsi_fpenv_set();
	pthread_mutex_lock(&d->lock);
	while (d->status == WS_OK && d->taken < wsi_run_blocks(d->run)) {
		slot *s = ready_slot(d);
		if (s)
			work_on(w, s);
		else
			pthread_cond_wait(&d->moved, &d->lock);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* ---- The caller's thread ----------------------------------------------------------- */

static ws_status
read_channel(const drive *d, const slot *s)
{
	const ws_plan *plan = plan_of(d, 0, s->block);
	const wsi_block b = arrays_of(d, s);
	const size_t row = plan->params.samples * plan->ops->element;
	return d->stream->read(d->stream->user, s->block * d->run->block + s->moved,
	                       (char *)b.x + s->moved * row);
}

static ws_status
write_channel(const drive *d, const slot *s)
{
	const ws_plan *plan = plan_of(d, 0, s->block);
	const wsi_block b = arrays_of(d, s);
	const size_t row = plan->params.samples * plan->ops->element, c = s->moved;
	const size_t modes = (size_t)plan->params.o.max_modes;
	const ws_channel_result result = {
		.channel = s->block * d->run->block + c, .modes = b.mode_count[c],
		.x = (char *)b.x + c * row, .mode_rows = (char *)b.modes + c * modes * row,
		.residue = (char *)b.residue + c * row, .sifts = b.sifts + c * modes,
		.unfinished = b.unfinished[c],
	};
	return d->stream->write(d->stream->user, &result);
}

/* The slot that is being read, or that can be; or NULL. */
static slot *
slot_to_read(drive *d)
{
	slot *free = NULL;
	for (int i = 0; i < d->run->n_slots; ++i) {
		if (d->slots[i].state == READING)
			return &d->slots[i];
		if (d->slots[i].state == FREE)
			free = &d->slots[i];
	}
	return d->fetched < wsi_run_blocks(d->run) ? free : NULL;
}

/* The slot whose results come next, once they are there; or NULL. */
static slot *
slot_to_write(drive *d)
{
	for (int i = 0; i < d->run->n_slots; ++i)
		if (d->slots[i].state == DONE && d->slots[i].block == d->delivered)
			return &d->slots[i];
	return NULL;
}

/* Reads or writes one channel of a slot.  The lock is held at both ends. */
static void
move_channel(drive *d, slot *s, ws_status (*move)(const drive *d, const slot *s))
{
	const size_t channels = plan_of(d, 0, s->block)->channels;
	pthread_mutex_unlock(&d->lock);
	const ws_status status = move(d, s);
	pthread_mutex_lock(&d->lock);
	fail(d, status);
	if (++s->moved < channels)
		return;
	d->delivered += s->state == DONE;
	s->state = s->state == DONE ? FREE : READY;
	pthread_cond_broadcast(&d->moved);
}

static void
read_some(drive *d, slot *s)
{
	if (s->state == FREE)
		*s = (slot){ .state = READING, .block = d->fetched++, .memory = s->memory };
	move_channel(d, s, read_channel);
}

static void
wait_a_tick(drive *d)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(TICK * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&d->moved, &d->lock, &until);
}

/* Until all is delivered, or something fails.  The lock is held. */
static void
serve(drive *d)
{
	tell(d);
	while (d->status == WS_OK && d->delivered < wsi_run_blocks(d->run)) {
		slot *in = slot_to_read(d), *out = slot_to_write(d), *ready = ready_slot(d);
		/* Nobody waits for what is written, but a lane may for what is read. */
		if (in && (!ready || !out))
			read_some(d, in);
		else if (out)
			move_channel(d, out, write_channel);
		else if (ready && d->alone)
			work_on(&d->workers[0], ready);
		else
			wait_a_tick(d);
		if (wsi_now() - d->told >= TICK)
			tell(d);
	}
}

/* Signals are the caller's affair. */
static int
start_lanes(drive *d)
{
	int started = 0;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; !d->alone && started < d->run->n_lanes; ++started) {
		worker *w = &d->workers[started];
		if (pthread_create(&w->thread, NULL, work, w) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

static void
run_lanes(drive *d, char *memory)
{
	const ws_run *run = d->run;
	for (int i = 0; i < run->n_slots; ++i, memory += run->slot_bytes)
		d->slots[i].memory = memory;
	for (int i = 0; i < run->n_lanes; ++i, memory += run->lane_bytes)
		d->workers[i] = (worker){ .d = d, .lane = i, .workspace = memory };
	pthread_mutex_lock(&d->lock);
	d->alone = run->n_slots == 1;
	const int started = start_lanes(d);
	d->alone = started == 0;
	serve(d);
	pthread_mutex_unlock(&d->lock);
	for (int i = 0; i < started; ++i)
		pthread_join(d->workers[i].thread, NULL);
}

static ws_status
execute_run(ws_run *run, const ws_stream *stream)
{
	if (!run || !stream)
		return WSI_FAIL(WS_E_ARG, "ws_run_execute: run and stream must not be NULL");
	if (stream->size < sizeof *stream)
		return WSI_FAIL(WS_E_ARG, "ws_stream.size is %zu: set it to sizeof(ws_stream)",
		                stream->size);
	if (!stream->read || !stream->write)
		return WSI_FAIL(WS_E_ARG, "ws_run_execute: read and write must be given");
	const size_t bytes = run->slot_bytes * (size_t)run->n_slots +
	                     run->lane_bytes * (size_t)run->n_lanes;
	char *memory = aligned_alloc(WSI_ALIGN, bytes);
	if (!memory)
		return WSI_FAIL(WS_E_NOMEM, "%.1f MiB could not be allocated: lower the memory limit, so "
		                "that channels go in smaller blocks", (double)bytes / 1048576.0);
	drive d = { .run = run, .stream = stream };
	pthread_condattr_t clock;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&d.lock, NULL);
	pthread_cond_init(&d.moved, &clock);
	run_lanes(&d, memory);
	pthread_cond_destroy(&d.moved);
	pthread_mutex_destroy(&d.lock);
	pthread_condattr_destroy(&clock);
	free(memory);
	run->worked = d.worked / run->n_lanes;
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
