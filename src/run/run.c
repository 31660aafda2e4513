/*
 * run.c - a recording of any size: blocks of channels that fit in memory.
 *
 * A block holds its input, modes and residue and the plan's workspace.
 * Shared noise is decomposed anew for each block, which changes no bit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/place.h"
#include "base/c_locale.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "run/run.h"

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
	b.workspace = wsi_arena_take(arena, plan->workspace);
	return b;
}

static size_t
bytes_of(const ws_plan *plan)
{
	wsi_arena measure = { 0 };
	wsi_run_lay_out(plan, &measure);
	return measure.used + WSI_ALIGN;
}

/* Plans blocks of `channels` channels and tells whether they fit. */
static ws_status
try_block(ws_run *run, const ws_emd_opts *opts, const wsi_place *place, size_t channels,
          size_t memory, bool *fits)
{
	wsi_lane *l = &run->lanes[0];
	ws_shape shape = run->shape;
	shape.channels = channels;
	ws_plan_destroy(l->plan);
	ws_status status = wsi_plan_at(&l->plan, run->ctx, &shape, opts, place);
	*fits = false;
	/* Fewer channels take less of a GPU's memory. */
	if (status == WS_E_NOMEM && place->gpu && channels > run->unit)
		return WS_OK;
	WSI_TRY(status);
	run->block = channels;
	run->lane_bytes = bytes_of(l->plan);
	run->host_bytes = l->plan->host_bytes;
	*fits = memory == 0 || run->lane_bytes + run->host_bytes <= memory;
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
		wsi_snprintf(seldom, sizeof seldom,
		             " (%.1f MiB for what the GPU's memory does not hold)",
		             (double)run->host_bytes / 1048576.0);
	return WSI_FAIL(WS_E_NOMEM, "%zu channel%s of %zu samples need%s %.1f MiB%s and %.*f MiB may be "
	                "used: allow more memory (--memory)%s, or fewer %s", run->block,
	                run->block == 1 ? "" : "s", run->shape.samples, run->block == 1 ? "s" : "",
	                (double)(run->lane_bytes + run->host_bytes) / 1048576.0, seldom,
	                memory < 1 << 20 ? 3 : 1, (double)memory / 1048576.0,
	                run->host_bytes ? ", here or on the GPU (--device-memory)" : "",
	                fewer(run->lanes[0].plan->params.o.method));
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
	size_t low = run->unit, high = most; /* high does not fit */
	WSI_TRY(try_block(run, opts, place, low, memory, &fits));
	if (!fits)
		return too_little(run, memory);
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
		size_t bytes = bytes_of(plans[i]);
		run->lane_bytes = bytes > run->lane_bytes ? bytes : run->lane_bytes;
		if (plans[i]->host_bytes > run->host_bytes)
			run->host_bytes = plans[i]->host_bytes;
	}
	const size_t used = strlen(run->device);
	const char *name = ws_plan_device(l->plan);
	snprintf(run->device + used, sizeof run->device - used, "%s%s", used ? "," : "",
	         used ? strchr(name, ':') + 1 : name);
	return WS_OK;
}

static ws_status
plan_blocks(ws_run *run, const ws_emd_opts *opts, size_t memory)
{
	wsi_place place;
	WSI_TRY(wsi_place_choose(&place, run->ctx, &run->shape, opts));
	const size_t channels = run->shape.channels, gpus = (size_t)run->ctx->n_slots;
	const size_t units = channels / run->unit, lanes = gpus < units || units == 0 ? gpus : units;
	const size_t most = run->unit > 1 ? run->unit : (channels + lanes - 1) / lanes;
	memory /= lanes;
	ws_status status = choose_block(run, opts, &place, most, memory);
	/* Smaller blocks come before rows in host memory, the CPU after both. */
	if (status == WS_E_NOMEM && place.gpu) {
		place.aside = true;
		status = choose_block(run, opts, &place, most, memory);
	}
	if (status == WS_E_NOMEM && place.gpu && place.or_cpu) {
		wsi_place_leave_gpu(&place);
		status = choose_block(run, opts, &place, most, memory);
	}
	WSI_TRY(status);
	WSI_TRY(plan_lane(run, opts, &place, &run->lanes[run->n_lanes++]));
	place.aside = true; /* another GPU may have less memory than the first */
	for (size_t i = 1; i < lanes && i < wsi_run_blocks(run); ++i) {
		WSI_TRY(wsi_ctx_gpu(run->ctx, (int)i, &place.gpu));
		WSI_TRY(plan_lane(run, opts, &place, &run->lanes[run->n_lanes++]));
	}
	if (memory && run->lane_bytes + run->host_bytes > memory)
		return too_little(run, memory);
	wsi_snprintf(run->describe, sizeof run->describe,
	             "%s  blocks     %zu of %zu channel%s%s%s, %.1f MiB in all\n",
	             ws_plan_describe(run->lanes[0].plan), wsi_run_blocks(run), run->block,
	             run->block == 1 ? "" : "s", run->n_lanes > 1 ? " on " : "",
	             run->n_lanes > 1 ? run->device : "", (double)ws_run_bytes(run) / 1048576.0);
	return WS_OK;
}

static ws_status
create(ws_run **out, ws_ctx *ctx, const ws_shape *asked_shape, const ws_emd_opts *asked,
       size_t memory)
{
	if (!out || !ctx || !asked_shape)
		return WSI_FAIL(WS_E_ARG, "ws_run_create: run, ctx and shape must not be NULL");
	*out = NULL;
	ws_shape shape;
	ws_emd_opts opts;
	WSI_TRY(wsi_copy_shape(&shape, asked_shape));
	WSI_TRY(wsi_copy_opts(&opts, asked));
	ws_run *run = calloc(1, sizeof *run);
	if (!run)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a run");
	run->ctx = ctx;
	run->shape = shape;
	run->unit = 1;
	const size_t together = shape.together ? shape.together : shape.channels;
	/* One signal a block; plans of a block see its channels only, so that what is no
	 * multiple is left for a plan of all to refuse. */
	if (wsi_opts_joint(&opts) && shape.channels && shape.channels % together == 0)
		run->unit = run->shape.together = together;
	ws_status status = plan_blocks(run, &opts, memory);
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
	return (run->lane_bytes + run->host_bytes) * (size_t)run->n_lanes;
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
