/*
 * drive.c - drives a run: blocks are fetched, worked on and delivered, side by side.
 *
 * The caller's thread reads, writes and reports, so that no function of the caller is
 * called from two threads.  Lanes have threads of their own; each takes the first
 * slot that is ready.  With one slot there is nothing to do side by side, and the
 * caller's thread is the lane.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/call.h"
#include "base/clock.h"
#include "base/condition.h"
#include "base/fpenv.h"
#include "base/new.h"
#include "base/sized.h"
#include "base/thread.h"
#include "run/blocks.h"

_Static_assert(WSI_MOST_GPUS <= WSI_MOST_PEERS, "all GPUs of a run may work together");

/* Seconds between two calls of the caller's progress function. */
#define TICK 0.05

typedef struct drive drive;

/* A slot goes round: FREE, READING, READY, AT_WORK, DONE, FREE. */
typedef enum slot_state { FREE, READING, READY, AT_WORK, DONE } slot_state;

/* Parts of a block of channels, which a slot takes one after the other. */
typedef struct task {
	size_t block;
	size_t part, end;
} task;

typedef struct slot {
	slot_state state;
	task task;              /* its part is that at hand */
	size_t order;           /* among the tasks that were begun */
	size_t moved;           /* channels that were read, or written */
	bool has_x;             /* of the block of the task */
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
	size_t upcoming;        /* the block that is begun next, as ws_run_blocks() counts, where
	                           the caller has no ws_stream.next to say so */
	size_t begun, delivered; /* tasks */
	bool all_begun;
	double done;            /* channels that were worked on; a part is a share of one */
	double worked;          /* seconds, of all lanes */
	double told;            /* time of the last report */
	ws_status status;       /* the first failure, which ends the run */
	char detail[WSI_DETAIL]; /* ws_error_detail() of that failure */
	worker workers[WSI_MOST_GPUS];
};

/* Notes a failure and wakes all who wait.  The lock is held. */
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

/* The arrays of the block in a slot; all lanes lay them out alike. */
static wsi_block
arrays_of(const drive *d, const slot *s)
{
	wsi_arena arena = { .base = s->memory };
	return wsi_run_lay_out(plan_of(d, 0, s->task.block), &arena);
}

/* ---- Reports ----------------------------------------------------------------------- */

/* Reports progress to the caller, on the caller's thread.  The lock is held before and after,
 * not during the call. */
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
	wsi_detail detail;
	wsi_callback_enter(&detail);
	const int stop = d->stream->progress(d->stream->user, share < 1.0 ? share : 1.0);
	wsi_callback_leave(&detail, WS_OK, "progress");
	pthread_mutex_lock(&d->lock);
	if (stop)
		fail(d, WSI_FAIL(WS_E_CANCELLED, "cancelled"));
}

/* The progress callback of a lane's execution.  Nonzero stops the execution. */
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

/* How many of the axis that is cut the slot's part has; 0: it is not cut. */
static size_t
part_count(const drive *d, const slot *s)
{
	const ws_run *run = d->run;
	if (!run->part || s->task.part + 1 < run->parts)
		return run->part;
	return wsi_run_cut_extent(plan_of(d, 0, s->task.block)) - s->task.part * run->part;
}

/* Makes the tables of the plan that a slot's block has, if they are not there.  A lane has those of
 * one plan at a time. */
static ws_status
complete(worker *w, int lane, const slot *s)
{
	const wsi_lane *l = &w->d->run->lanes[lane];
	const bool last = plan_of(w->d, lane, s->task.block) == l->last;
	wsi_progress progress;
	wsi_progress_init(&progress, report, w);
	wsi_plan_empty(last ? l->plan : l->last);
	return wsi_plan_complete(last ? l->last : l->plan, &progress);
}

/* The slot's part, on the GPU of a lane; peers: of those who work on it together, or NULL. */
static ws_status
execute_on(worker *w, int lane, const slot *s, const ws_io *io, wsi_peers *peers, void *workspace)
{
	const drive *d = w->d;
	const ws_plan *plan = plan_of(d, lane, s->task.block);
	/* A callback of the caller may have changed it on this thread. */
	wsi_fpenv before;
	wsi_fpenv_enter(&before);
	ws_status status = complete(w, lane, s);
	if (status == WS_OK)
		status = wsi_execute(plan, io, s->task.part * d->run->part, part_count(d, s), peers,
		                     workspace);
	wsi_fpenv_leave(&before);
	if (status != WS_OK && peers)
		wsi_peers_break(peers);
	return status;
}

/* One of several lanes that work on a slot, beside the worker itself. */
typedef struct mate {
	worker *w;
	int lane;
	const slot *s;
	ws_io io;
	wsi_peers *peers;
	ws_status status;
	char detail[WSI_DETAIL];
	bool started;
	pthread_t thread;
} mate;

static void *
assist(void *arg)
{
	mate *m = arg;
	char *workspace = (char *)m->w->workspace + (size_t)m->lane * m->w->d->run->lane_bytes;
	m->status = execute_on(m->w, m->lane, m->s, &m->io, m->peers, workspace);
	snprintf(m->detail, sizeof m->detail, "%s", ws_error_detail());
	return NULL;
}

/* Is a run to stop?  Mates tell no progress. */
static int
stops(void *user, double done)
{
	drive *d = user;
	(void)done;
	pthread_mutex_lock(&d->lock);
	const int stop = d->status != WS_OK;
	pthread_mutex_unlock(&d->lock);
	return stop;
}

/* The slot's part by all lanes together. */
static ws_status
execute_by_all(worker *w, const slot *s, const ws_io *io)
{
	const int size = w->d->run->peers;
	mate mates[WSI_MOST_GPUS];
	wsi_peers peers;
	wsi_peers_init(&peers, size);
	for (int i = 1; i < size; ++i) {
		mate *m = &mates[i];
		*m = (mate){ .w = w, .lane = i, .s = s, .io = *io, .peers = &peers };
		m->io.progress = stops;
		m->io.user = w->d;
		m->started = wsi_thread_start(&m->thread, assist, m);
		if (!m->started) {
			m->status = WSI_FAIL(WS_E_NOMEM, "no thread for GPU %d of a run", i);
			snprintf(m->detail, sizeof m->detail, "%s", ws_error_detail());
			wsi_peers_break(&peers);
		}
	}
	ws_status status = execute_on(w, w->lane, s, io, &peers, w->workspace);
	for (int i = 1; i < size; ++i)
		if (mates[i].started)
			pthread_join(mates[i].thread, NULL);
	wsi_peers_destroy(&peers);
	/* Who stops because of another counts as cancelled. */
	for (int i = 1; i < size; ++i)
		if (mates[i].status != WS_OK && mates[i].status != WS_E_CANCELLED &&
		    (status == WS_OK || status == WS_E_CANCELLED))
			status = WSI_FAIL(mates[i].status, "%s", mates[i].detail);
	return status;
}

static ws_status
execute(worker *w, const slot *s)
{
	const drive *d = w->d;
	const wsi_block b = arrays_of(d, s);
	const ws_io io = {
		.size = sizeof io, .x = b.x, .first_channel = s->task.block * d->run->block,
		.noise = d->stream->noise, .arrays = b.arrays,
		.n_arrays = wsi_plan_arrays(plan_of(d, 0, s->task.block)), .progress = report,
		.user = w,
	};
	return d->run->peers > 1 ? execute_by_all(w, s, &io)
		: execute_on(w, w->lane, s, &io, NULL, w->workspace);
}

/* Of the slots that are ready the one that was begun first; or NULL. */
static slot *
ready_slot(drive *d)
{
	slot *first = NULL;
	for (int i = 0; i < d->run->n_slots; ++i) {
		slot *s = &d->slots[i];
		if (s->state == READY && (!first || s->order < first->order))
			first = s;
	}
	return first;
}

static bool
goes_on(const drive *d)
{
	return d->status == WS_OK && (!d->all_begun || d->delivered < d->begun);
}

/* The lock is held at both ends. */
static void
work_on(worker *w, slot *s)
{
	drive *d = w->d;
	s->state = AT_WORK;
	w->channels = (double)plan_of(d, w->lane, s->task.block)->shape.channels /
	              (double)d->run->parts;
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
	while (goes_on(d)) {
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
	const wsi_block b = arrays_of(d, s);
	const size_t channel = s->task.block * d->run->block + s->moved,
		bytes = wsi_plan_x_bytes(plan_of(d, 0, s->task.block));
	wsi_detail detail;
	wsi_callback_enter(&detail);
	const ws_status status =
		d->stream->read(d->stream->user, channel, b.x + s->moved * bytes);
	return wsi_callback_leave(&detail, status, "read");
}

/* Channel s->moved of array i, *a, which lies at data; modes: that it has. */
static ws_slab
slab_of(const drive *d, const slot *s, int i, const ws_array *a, const void *data, size_t modes)
{
	const ws_plan *plan = plan_of(d, 0, s->task.block);
	const wsi_transform *t = plan->transform;
	ws_slab slab = { .size = sizeof slab };
	size_t bytes = wsi_type_size(a->type);
	/* All channels share an array that has no axis of them. */
	const int channel = a->axis[0] == WS_AXIS_CHANNEL;
	for (int k = channel; k < a->rank; ++k) {
		const int n = k - channel;
		bytes *= a->extent[k];
		const bool found = a->axis[k] == WS_AXIS_MODE && modes < a->extent[k];
		slab.extent[n] = found ? modes : a->extent[k];
		/* What these options do not make has no part either. */
		if (a->axis[k] != t->cut || !d->run->part || a->extent[k] == 0)
			continue;
		slab.first[n] = s->task.part * d->run->part;
		slab.extent[n] = part_count(d, s);
		if (t->part)
			t->part(plan, i, &slab.first[n], &slab.extent[n]);
	}
	/* The input of a channel may have rows after the signal. */
	if (a->flags & WS_ARRAY_SIGNAL)
		bytes = wsi_plan_x_bytes(plan);
	slab.data = (const char *)data + (channel ? s->moved * bytes : 0);
	return slab;
}

static ws_status
write_channel(const drive *d, const slot *s)
{
	const ws_plan *plan = plan_of(d, 0, s->task.block);
	const wsi_block b = arrays_of(d, s);
	ws_slab slabs[WSI_MOST_ARRAYS];
	size_t modes = 0;
	for (int i = 0; i < wsi_plan_arrays(plan); ++i)
		if (wsi_plan_declared(plan, i)->flags & WS_ARRAY_COUNT)
			modes = (size_t)((const int32_t *)b.arrays[i].data)[s->moved];
	for (int i = 0; i < wsi_plan_arrays(plan); ++i) {
		ws_array a;
		wsi_plan_array_part(plan, i, part_count(d, s), &a);
		slabs[i] = slab_of(d, s, i, &a, b.arrays[i].data, modes);
	}
	const ws_channel_result result = {
		.size = sizeof result, .channel = s->task.block * d->run->block + s->moved,
		.block = s->task.block * d->run->parts + s->task.part, .slabs = slabs,
		.n_slabs = (size_t)wsi_plan_arrays(plan),
	};
	wsi_detail detail;
	wsi_callback_enter(&detail);
	const ws_status status = d->stream->write(d->stream->user, &result);
	return wsi_callback_leave(&detail, status, "write");
}

/* A slot of that state; or NULL. */
static slot *
slot_that_is(drive *d, slot_state state)
{
	for (int i = 0; i < d->run->n_slots; ++i)
		if (d->slots[i].state == state)
			return &d->slots[i];
	return NULL;
}

/* The slot whose results come next, once they are there; or NULL. */
static slot *
slot_to_write(drive *d)
{
	for (int i = 0; i < d->run->n_slots; ++i)
		if (d->slots[i].state == DONE && d->slots[i].order == d->delivered)
			return &d->slots[i];
	return NULL;
}

/* Asks what is to be begun next: *to, or *none.  One lane takes a block with all its parts, for
 * which it is read once.  The lock is not held: others look at d->all_begun meanwhile. */
static ws_status
next_task(drive *d, task *to, bool *none)
{
	const size_t parts = d->run->parts, blocks = ws_run_blocks(d->run);
	const bool whole = !d->stream->next && d->run->n_lanes == 1;
	size_t block = d->upcoming;
	if (d->stream->next) {
		wsi_detail detail;
		wsi_callback_enter(&detail);
		const ws_status status = d->stream->next(d->stream->user, &block);
		WSI_TRY(wsi_callback_leave(&detail, status, "next"));
	}
	if (block > blocks)
		return WSI_FAIL(WS_E_ARG, "ws_stream.next: there is no block %zu of %zu", block,
		                blocks);
	*to = (task){ block / parts, block % parts, whole ? parts : block % parts + 1 };
	*none = block == blocks;
	d->upcoming += whole ? parts : 1;
	return WS_OK;
}

/* Begins what comes next in a free slot: in that which has its channels, if any.  The lock is held
 * at both ends. */
static void
begin(drive *d)
{
	task t;
	bool none = false;
	pthread_mutex_unlock(&d->lock);
	const ws_status status = next_task(d, &t, &none);
	pthread_mutex_lock(&d->lock);
	fail(d, status);
	d->all_begun = none;
	if (status != WS_OK || d->all_begun) {
		pthread_cond_broadcast(&d->moved);
		return;
	}
	slot *s = slot_that_is(d, FREE);
	for (int i = 0; i < d->run->n_slots; ++i)
		if (d->slots[i].state == FREE && d->slots[i].has_x &&
		    d->slots[i].task.block == t.block)
			s = &d->slots[i];
	s->has_x &= s->task.block == t.block;
	s->state = s->has_x ? READY : READING;
	s->task = t;
	s->order = d->begun++;
	s->moved = 0;
	pthread_cond_broadcast(&d->moved);
}

/* Reads or writes one channel of a slot.  The lock is held at both ends. */
static void
move_channel(drive *d, slot *s, ws_status (*move)(const drive *d, const slot *s))
{
	const size_t channels = plan_of(d, 0, s->task.block)->shape.channels;
	pthread_mutex_unlock(&d->lock);
	const ws_status status = move(d, s);
	pthread_mutex_lock(&d->lock);
	fail(d, status);
	if (++s->moved < channels)
		return;
	const bool written = s->state == DONE, last = written && s->task.part + 1 == s->task.end;
	s->has_x = true;
	s->task.part += written && !last;
	d->delivered += last;
	s->state = last ? FREE : READY;
	pthread_cond_broadcast(&d->moved);
}

/* Reads into the slot that is being read, or begins what comes next.  The lock is held at both
 * ends. */
static void
read_some(drive *d, slot *in)
{
	if (in)
		move_channel(d, in, read_channel);
	else
		begin(d);
}

/* The loop of the caller's thread, until all is delivered or something fails.  The lock is
 * held. */
static void
serve(drive *d)
{
	tell(d);
	while (goes_on(d)) {
		slot *in = slot_that_is(d, READING), *out = slot_to_write(d),
			*ready = ready_slot(d);
		/* Reading comes before writing while no block is ready: a lane may be waiting. */
		const bool more = in || (!d->all_begun && slot_that_is(d, FREE));
		if (more && (!ready || !out))
			read_some(d, in);
		else if (out)
			move_channel(d, out, write_channel);
		else if (ready && d->alone)
			work_on(&d->workers[0], ready);
		else
			wsi_condition_wait(&d->moved, &d->lock, (long)(TICK * 1e9));
		if (wsi_now() - d->told >= TICK)
			tell(d);
	}
	d->done = (double)d->run->shape.channels;
	tell(d);
}

/* The threads of the lanes. */
static int
start_lanes(drive *d)
{
	int started = 0;
	for (; !d->alone && started < d->run->n_lanes; ++started) {
		worker *w = &d->workers[started];
		if (!wsi_thread_start(&w->thread, work, w))
			break;
	}
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
execute_run(ws_run *run, const ws_stream *asked)
{
	if (!run || !asked)
		return WSI_FAIL(WS_E_ARG, "ws_run_execute: run and stream must not be NULL");
	ws_stream stream;
	WSI_TRY(WSI_SIZED_COPY(ws_stream, &stream, write, asked));
	if (!stream.read || !stream.write)
		return WSI_FAIL(WS_E_ARG, "ws_run_execute: read and write must be given");
	WSI_TRY(wsi_check_noise(run->lanes[0].plan, stream.noise));
	const size_t bytes = run->slot_bytes * (size_t)run->n_slots +
	                     run->lane_bytes * wsi_run_workers(run);
	char *memory = wsi_block_take(bytes);
	WSI_HAVE(memory, "%.1f MiB could not be allocated: lower the memory limit, so that "
	         "channels go in smaller blocks", (double)bytes / 1048576.0);
	drive d = { .run = run, .stream = &stream };
	pthread_mutex_init(&d.lock, NULL);
	wsi_condition_init(&d.moved);
	run_lanes(&d, memory);
	pthread_cond_destroy(&d.moved);
	pthread_mutex_destroy(&d.lock);
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
	wsi_call call;
	wsi_call_enter(&call);
	const ws_status status = execute_run(run, stream);
	return wsi_call_leave(&call, status);
}
