/*
 * run.c - a recording of any size: blocks of channels that fit in memory.
 *
 * Memory holds the slots, each the input, modes and residue of a block, and a
 * workspace for each lane.  Shared noise is decomposed anew for each block, which
 * changes no bit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/place.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "run/run.h"

/* Blocks that a lane at least goes through while it reads and writes beside the work,
 * and bytes below which a slot is not made smaller for it. */
#define MANY_BLOCKS 8
#define SMALL_SLOT ((size_t)8 << 20)

wsi_block
wsi_run_lay_out(const ws_plan *plan, wsi_arena *arena)
{
	const size_t rows = plan->channels, k = (size_t)plan->params.o.max_modes;
	const size_t row = plan->params.samples * plan->ops->element;
	wsi_block b;
	b.x = wsi_arena_take(arena, rows * row);
	b.modes = wsi_arena_take(arena, rows * k * row);
	b.residue = wsi_arena_take(arena, rows * row);
	b.mode_count = wsi_arena_take(arena, rows * sizeof(int32_t));
	b.sifts = wsi_arena_take(arena, rows * k * sizeof(int32_t));
	b.unfinished = wsi_arena_take(arena, rows * sizeof(int32_t));
	return b;
}

static size_t
slot_bytes_of(const ws_plan *plan)
{
	wsi_arena measure = { 0 };
	wsi_run_lay_out(plan, &measure);
	return measure.used;
}

/* How blocks are to be chosen. */
typedef struct wishes {
	const ws_emd_opts *opts;
	wsi_place place;
	size_t most;            /* channels of a block */
	size_t lanes;
	size_t memory;          /* of one lane, bytes; 0: no limit */
	bool beside;            /* reading and writing go on beside the work */
} wishes;

/* Slots of a lane.  Ensembles work long on what they read, and smaller blocks repeat
 * their noise: they take all memory for one. */
static int
slots_of_lane(const ws_run *run, const wishes *w)
{
	const ws_method method = run->lanes[0].plan->params.o.method;
	const bool quick = method == WS_EMD || method == WS_MEMD;
	return w->beside && quick && wsi_run_blocks(run) > w->lanes ? 2 : 1;
}

static size_t
bytes_of_lane(const ws_run *run, int slots)
{
	return (size_t)slots * run->slot_bytes + run->lane_bytes + run->host_bytes;
}

/* Plans blocks of `channels` channels and tells whether they fit. */
static ws_status
try_block(ws_run *run, const wishes *w, size_t channels, bool *fits)
{
	wsi_lane *l = &run->lanes[0];
	ws_shape shape = run->shape;
	shape.channels = channels;
	ws_plan_destroy(l->plan);
	ws_status status = wsi_plan_at(&l->plan, run->ctx, &shape, w->opts, &w->place);
	*fits = false;
	/* Fewer channels take less of a GPU's memory. */
	if (status == WS_E_NOMEM && w->place.gpu && channels > run->unit)
		return WS_OK;
	WSI_TRY(status);
	run->block = channels;
	run->slot_bytes = slot_bytes_of(l->plan);
	run->lane_bytes = l->plan->workspace;
	run->host_bytes = l->plan->host_bytes;
	*fits = w->memory == 0 || bytes_of_lane(run, slots_of_lane(run, w)) <= w->memory;
	return WS_OK;
}

/* What a block shrinks with, besides its channels. */
static const char *
fewer(ws_method method)
{
	return method == WS_EMD ? "modes" : method == WS_MEMD ? "directions or modes"
	       : "realizations or modes";
}

/* A lane's blocks need more than `memory`. */
static ws_status
too_little(const ws_run *run, size_t memory)
{
	char seldom[96] = "";
	if (run->host_bytes)
		snprintf(seldom, sizeof seldom, " (%.1f MiB for what the GPU's memory does not hold)",
		         (double)run->host_bytes / 1048576.0);
	return WSI_FAIL(WS_E_NOMEM, "%zu channel%s of %zu samples need%s %.1f MiB%s and %.*f MiB may be "
	                "used: allow more memory (--memory)%s, or fewer %s", run->block,
	                run->block == 1 ? "" : "s", run->shape.samples, run->block == 1 ? "s" : "",
	                (double)bytes_of_lane(run, 1) / 1048576.0, seldom,
	                memory < 1 << 20 ? 3 : 1, (double)memory / 1048576.0,
	                run->host_bytes ? ", here or on the GPU (--device-memory)" : "",
	                fewer(run->lanes[0].plan->params.o.method));
}

/* The largest block that fits. */
static ws_status
largest_block(ws_run *run, const wishes *w)
{
	bool fits;
	WSI_TRY(try_block(run, w, w->most, &fits));
	if (fits)
		return WS_OK;
	size_t low = run->unit, high = w->most; /* high does not fit */
	WSI_TRY(try_block(run, w, low, &fits));
	if (!fits)
		return too_little(run, w->memory);
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		WSI_TRY(try_block(run, w, middle, &fits));
		if (fits)
			low = middle;
		else
			high = middle;
	}
	return try_block(run, w, low, &fits);
}

/* Smaller blocks than would fit, for while the first is read and the last is written
 * nothing else is done.  Not so small that rows wait for each other. */
static ws_status
smaller_block(ws_run *run, const wishes *w)
{
	const ws_plan *plan = run->lanes[0].plan;
	const size_t rows = (size_t)plan->rows, row = slot_bytes_of(plan) / run->block;
	size_t least = SMALL_SLOT / row > rows ? SMALL_SLOT / row : rows;
	size_t wanted = (w->most + MANY_BLOCKS - 1) / MANY_BLOCKS;
	wanted = wanted > least ? wanted : least;
	wanted = (wanted + rows - 1) / rows * rows;
	const size_t fitting = run->block;
	bool fits;
	if (wanted >= fitting)
		return WS_OK;
	WSI_TRY(try_block(run, w, wanted, &fits));
	/* Two of more than half the channels may not, where one of all did. */
	return fits ? WS_OK : try_block(run, w, fitting, &fits);
}

static ws_status
choose_block(ws_run *run, wishes *w)
{
	w->beside = true;
	ws_status status = largest_block(run, w);
	if (status == WS_E_NOMEM) {
		w->beside = false;
		return largest_block(run, w);
	}
	if (status != WS_OK || run->unit > 1 || run->lanes[0].plan->params.o.method != WS_EMD)
		return status;
	return smaller_block(run, w);
}

/* A lane with blocks of run->block channels; lane 0 has its plan. */
static ws_status
plan_lane(ws_run *run, const ws_emd_opts *opts, const wsi_place *place, wsi_lane *l)
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
		if (plans[i]->workspace > run->lane_bytes)
			run->lane_bytes = plans[i]->workspace;
		if (plans[i]->host_bytes > run->host_bytes)
			run->host_bytes = plans[i]->host_bytes;
	}
	const size_t used = strlen(run->device);
	const char *name = ws_plan_device(l->plan);
	snprintf(run->device + used, sizeof run->device - used, "%s%s", used ? "," : "",
	         used ? strchr(name, ':') + 1 : name);
	return WS_OK;
}

static void
describe(ws_run *run)
{
	const size_t blocks = wsi_run_blocks(run);
	const char *how = blocks == 1 ? "" : run->n_slots > run->n_lanes
	                  ? ", read and written beside the work" : ", read and written between the work";
	snprintf(run->describe, sizeof run->describe,
	         "%s  blocks     %zu of %zu channel%s%s%s%s, %.1f MiB in all\n",
	         ws_plan_describe(run->lanes[0].plan), blocks, run->block, run->block == 1 ? "" : "s",
	         run->n_lanes > 1 ? " on " : "", run->n_lanes > 1 ? run->device : "", how,
	         (double)ws_run_bytes(run) / 1048576.0);
}

static ws_status
plan_blocks(ws_run *run, const ws_emd_opts *opts, size_t memory)
{
	wishes w = { .opts = opts };
	WSI_TRY(wsi_place_choose(&w.place, run->ctx, &run->shape, opts));
	const size_t channels = run->shape.channels, gpus = (size_t)run->ctx->n_slots;
	const size_t units = channels / run->unit;
	w.lanes = gpus < units || units == 0 ? gpus : units;
	w.most = run->unit > 1 ? run->unit : (channels + w.lanes - 1) / w.lanes;
	w.memory = memory / w.lanes;
	ws_status status = choose_block(run, &w);
	/* Smaller blocks come before rows in host memory, the CPU after both. */
	if (status == WS_E_NOMEM && w.place.gpu) {
		w.place.aside = true;
		status = choose_block(run, &w);
	}
	if (status == WS_E_NOMEM && w.place.gpu && w.place.or_cpu) {
		wsi_place_leave_gpu(&w.place);
		status = choose_block(run, &w);
	}
	WSI_TRY(status);
	const int slots = slots_of_lane(run, &w);
	WSI_TRY(plan_lane(run, opts, &w.place, &run->lanes[run->n_lanes++]));
	w.place.aside = true; /* another GPU may have less memory than the first */
	for (size_t i = 1; i < w.lanes && i < wsi_run_blocks(run); ++i) {
		WSI_TRY(wsi_ctx_gpu(run->ctx, (int)i, &w.place.gpu));
		WSI_TRY(plan_lane(run, opts, &w.place, &run->lanes[run->n_lanes++]));
	}
	if (w.memory && bytes_of_lane(run, slots) > w.memory)
		return too_little(run, w.memory);
	run->n_slots = slots * run->n_lanes;
	describe(run);
	return WS_OK;
}

static ws_status
create(ws_run **out, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts, size_t memory)
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
	run->unit = 1;
	const size_t together = shape->together ? shape->together : shape->channels;
	/* One signal a block; plans of a block see its channels only, so that what is no
	 * multiple is left for a plan of all to refuse. */
	if (wsi_opts_joint(opts) && shape->channels && shape->channels % together == 0)
		run->unit = run->shape.together = together;
	ws_status status = plan_blocks(run, opts, memory);
	if (status != WS_OK) {
		ws_run_destroy(run);
		return status;
	}
	*out = run;
	return WS_OK;
}

ws_status
ws_run_create(ws_run **out, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts,
              size_t memory)
{
	wsi_fpenv before;
	wsi_fpenv_enter(&before);
	const ws_status status = create(out, ctx, shape, opts, memory);
	wsi_fpenv_leave(&before);
	return status;
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
	return run->slot_bytes * (size_t)run->n_slots +
	       (run->lane_bytes + run->host_bytes) * (size_t)run->n_lanes;
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
	const wsi_lane *l = &run->lanes[0];
	double seconds = (double)full * ws_plan_seconds(l->plan) +
	                 (l->last ? ws_plan_seconds(l->last) : 0.0);
	return seconds / run->n_lanes;
}

double
ws_run_worked(const ws_run *run)
{
	return run->worked;
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
