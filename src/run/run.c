/*
 * run.c - a recording of any size, in blocks of channels that fit in memory (blocks.c): its life,
 * and what it tells.
 *
 * Memory holds the slots, each the input, modes and residue of a block, and a
 * workspace for each lane.  Shared noise is decomposed anew for each block, which
 * changes no bit.
 */
#include <stdlib.h>

#include "base/c_locale.h"
#include "base/call.h"
#include "base/fpenv.h"
#include "base/new.h"
#include "base/sized.h"
#include "run/blocks.h"

static void
describe(ws_run *run)
{
	const size_t blocks = wsi_run_reads(run);
	char parts[48] = "", shared[48] = "";
	if (run->parts > 1)
		wsi_snprintf(parts, sizeof parts, " in %zu parts each", run->parts);
	if (run->processes > 1)
		wsi_snprintf(shared, sizeof shared, " for %zu processes", run->processes);
	const char *how = blocks == 1 ? "" : run->n_slots > run->n_lanes
	                  ? ", read and written beside the work"
	                  : ", read and written between the work";
	wsi_snprintf(run->describe, sizeof run->describe,
	             "%s  blocks     %zu of %zu channel%s%s%s%s%s%s, %.1f MiB in all\n",
	             ws_plan_describe(run->lanes[0].plan), blocks, run->block,
	             run->block == 1 ? "" : "s", parts, shared,
	             wsi_run_workers(run) > 1 ? " on " : "",
	             wsi_run_workers(run) > 1 ? run->device : "", how,
	             (double)ws_run_bytes(run) / 1048576.0);
}

/* Signals that do not fit themselves are refused before anything is planned. */
static ws_status
check_signals(const ws_run *run, size_t memory)
{
	size_t bytes;
	const size_t samples = wsi_shape_x_samples(&run->shape);
	if (!memory || (!__builtin_mul_overflow(samples, run->unit, &bytes) &&
	                !__builtin_mul_overflow(bytes, wsi_type_size(run->shape.type), &bytes) &&
	                bytes <= memory))
		return WS_OK;
	return WSI_FAIL(WS_E_NOMEM, "%zu channel%s of %zu samples need%s more memory than the "
	                "%.1f MiB that may be used: allow more memory (`memory`), or fewer samples",
	                run->unit, run->unit == 1 ? "" : "s", samples,
	                run->unit == 1 ? "s" : "", (double)memory / 1048576.0);
}

static ws_status
create(ws_run **out, ws_ctx *ctx, wsi_asked *asked, size_t memory, const wsi_run_cut *cut)
{
	ws_run *run;
	WSI_NEW(run, 1, "no memory for a run");
	ws_shape *shape = &asked->shape;
	run->ctx = ctx;
	run->unit = 1;
	/* One signal a block; plans of a block see its channels only, so that what is no
	 * multiple is left for a plan of all to refuse. */
	const size_t unit = asked->transform->unit ? asked->transform->unit(shape, asked->opts) : 1;
	if (unit > 1 && shape->channels && shape->channels % unit == 0)
		run->unit = shape->recording_channels = unit;
	run->shape = *shape;
	ws_status status = check_signals(run, memory);
	if (status == WS_OK)
		status = wsi_run_choose_blocks(run, asked, memory, cut);
	if (status != WS_OK) {
		ws_run_destroy(run);
		return status;
	}
	describe(run);
	*out = run;
	return WS_OK;
}

ws_status
ws_run_create(ws_run **out, ws_ctx *ctx, const char *transform, const ws_shape *shape,
              const void *opts, size_t memory)
{
	return wsi_run_create_cut(out, ctx, transform, shape, opts, memory,
	                          &(wsi_run_cut){ .processes = 1 });
}

ws_status
wsi_run_create_cut(ws_run **out, ws_ctx *ctx, const char *transform, const ws_shape *shape,
                   const void *opts, size_t memory, const wsi_run_cut *cut)
{
	if (!out || !ctx || !shape)
		return WSI_FAIL(WS_E_ARG, "ws_run_create: run, ctx and shape must not be NULL");
	*out = NULL;
	wsi_call call;
	wsi_asked asked;
	wsi_call_enter(&call);
	ws_status status = wsi_asked_take(&asked, transform, shape, opts);
	asked.memory = memory;
	if (status == WS_OK)
		status = create(out, ctx, &asked, memory, cut);
	wsi_asked_free(&asked);
	return wsi_call_leave(&call, status);
}

wsi_run_cut
wsi_run_cut_of(const ws_run *run)
{
	return (wsi_run_cut){ .processes = run->processes, .block = run->block, .part = run->part };
}

wsi_run_rows
wsi_run_rows_of(const ws_run *run, size_t block)
{
	const size_t channel = block / run->parts * run->block;
	const size_t row = block % run->parts * run->part;
	const size_t channels = run->shape.channels - channel;
	const size_t rows = wsi_run_cut_extent(run->lanes[0].plan) - row;
	return (wsi_run_rows){ channel, channels < run->block ? channels : run->block, row,
		run->part && run->part < rows ? run->part : rows };
}

bool
wsi_run_depends_on_device(const ws_run *run)
{
	const ws_plan *plan = run->lanes[0].plan;
	return !(plan->transform->same_anywhere && plan->transform->same_anywhere(plan));
}

size_t
wsi_run_result_bytes(const ws_run *run)
{
	return run->slot_bytes / run->block;
}

const unsigned char *
wsi_run_gpu(const ws_run *run, int i)
{
	return i < run->n_gpus ? run->gpus[i] : NULL;
}

ws_status
wsi_run_complete(ws_run *run, ws_progress callback, void *user)
{
	wsi_progress progress;
	wsi_fpenv before;
	ws_status status = WS_OK;
	wsi_fpenv_enter(&before);
	wsi_progress_init(&progress, callback, user);
	for (int i = 0; status == WS_OK && i < run->n_lanes; ++i)
		status = wsi_plan_complete(run->lanes[i].plan, &progress);
	wsi_fpenv_leave(&before);
	if (status == WS_OK)
		describe(run);
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
	return run ? run->describe : "";
}

size_t
ws_run_bytes(const ws_run *run)
{
	return run ? run->slot_bytes * (size_t)run->n_slots +
	             wsi_run_lane_bytes(run, 0) * wsi_run_workers(run) : 0;
}

const char *
ws_run_device(const ws_run *run)
{
	return run ? run->device : "";
}

size_t
ws_run_device_bytes(const ws_run *run)
{
	return run ? ws_plan_device_bytes(run->lanes[0].plan) : 0;
}

double
ws_run_seconds(const ws_run *run)
{
	if (!run)
		return 0.0;
	const size_t full = run->shape.channels / run->block;
	const wsi_lane *l = &run->lanes[0];
	double seconds = (double)full * ws_plan_seconds(l->plan) +
	                 (l->last ? ws_plan_seconds(l->last) : 0.0);
	const size_t blocks = ws_run_blocks(run);
	const size_t takers = run->processes < blocks ? run->processes : blocks;
	return seconds / run->n_lanes / (double)takers;
}

double
ws_run_worked(const ws_run *run)
{
	return run ? run->worked : 0.0;
}

const void *
ws_run_options(const ws_run *run)
{
	return run ? ws_plan_options(run->lanes[0].plan) : NULL;
}

size_t
ws_run_blocks(const ws_run *run)
{
	return run ? wsi_run_reads(run) * run->parts : 0;
}

int
ws_run_arrays(const ws_run *run)
{
	return run ? ws_plan_arrays(run->lanes[0].plan) : 0;
}

ws_status
ws_run_array(const ws_run *run, int i, ws_array *array)
{
	if (!run || !array)
		return WSI_FAIL(WS_E_ARG, "ws_run_array: run and array must not be NULL");
	WSI_TRY(ws_plan_array(run->lanes[0].plan, i, array));
	for (int k = 0; k < array->rank; ++k)
		if (array->axis[k] == WS_AXIS_CHANNEL && array->extent[k] > 0)
			array->extent[k] = run->shape.channels;
	return WS_OK;
}

int
ws_run_find(const ws_run *run, const char *name)
{
	return run ? ws_plan_find(run->lanes[0].plan, name) : -1;
}

int
ws_run_modes(const ws_run *run)
{
	return run ? ws_plan_modes(run->lanes[0].plan) : 0;
}

ws_status
ws_result_slab(const ws_channel_result *result, int i, ws_slab *slab)
{
	if (!result || !slab)
		return WSI_FAIL(WS_E_ARG, "ws_result_slab: result and slab must not be NULL");
	if (i < 0 || (size_t)i >= result->n_slabs)
		return WSI_FAIL(WS_E_ARG, "there are %zu arrays: there is no number %d",
		                result->n_slabs, i);
	WSI_TRY(wsi_sized_check("ws_slab", slab->size, WSI_UP_TO(ws_slab, extent)));
	wsi_sized_fill(slab, &result->slabs[i], sizeof *slab);
	return WS_OK;
}

size_t
wsi_run_every(const ws_run *run, int array)
{
	const ws_plan *plan = run->lanes[0].plan;
	return plan->transform->every ? plan->transform->every(plan, array) : 0;
}

ws_status
ws_run_axis(const ws_run *run, int i, ws_axis axis, double *values, size_t room)
{
	ws_array a = { .size = sizeof a };
	if (!run || !values)
		return WSI_FAIL(WS_E_ARG, "ws_run_axis: run and values must not be NULL");
	WSI_TRY(ws_run_array(run, i, &a));
	size_t extent;
	WSI_TRY(wsi_axis_extent(&a, axis, room, &extent));
	if (axis != WS_AXIS_CHANNEL)
		return ws_plan_axis(run->lanes[0].plan, i, axis, values, room);
	for (size_t c = 0; c < extent; ++c)
		values[c] = (double)c;
	return WS_OK;
}
