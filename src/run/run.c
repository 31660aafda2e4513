/*
 * run.c - drives a plan over a recording of any size: blocks of channels that
 * fit in memory, fetched and delivered by callback.
 *
 * A block holds its input, modes and residue and the plan's workspace.
 * Shared noise is decomposed anew for each block, which changes no bit.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/status.h"
#include "plan/plan.h"

struct ws_run {
	ws_ctx *ctx;
	ws_shape shape;
	size_t block;           /* channels */
	ws_plan *plan;          /* of a full block */
	ws_plan *last;          /* of the last, shorter one; or NULL */
	size_t bytes;
	char describe[1280];
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

/* Plans `channels` channels and tells whether they fit. */
static ws_status
try_block(ws_run *run, const ws_emd_opts *opts, size_t channels, size_t memory, bool *fits)
{
	ws_shape shape = run->shape;
	shape.channels = channels;
	ws_plan_destroy(run->plan);
	WSI_TRY(ws_plan_emd(&run->plan, run->ctx, &shape, opts));
	run->block = channels;
	run->bytes = bytes_of(run->plan);
	*fits = memory == 0 || run->bytes <= memory;
	return WS_OK;
}

static ws_status
choose_block(ws_run *run, const ws_emd_opts *opts, size_t memory)
{
	bool fits;
	WSI_TRY(try_block(run, opts, run->shape.channels, memory, &fits));
	if (fits)
		return WS_OK;
	size_t low = 1, high = run->shape.channels; /* high does not fit */
	WSI_TRY(try_block(run, opts, 1, memory, &fits));
	if (!fits)
		return WSI_FAIL(WS_E_NOMEM, "one channel of %zu samples needs %.1f MiB and %.1f MiB may "
		                "be used: allow more memory, or fewer realizations or modes",
		                run->shape.samples, (double)run->bytes / 1048576.0,
		                (double)memory / 1048576.0);
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		WSI_TRY(try_block(run, opts, middle, memory, &fits));
		if (fits)
			low = middle;
		else
			high = middle;
	}
	return try_block(run, opts, low, memory, &fits);
}

static ws_status
plan_blocks(ws_run *run, const ws_emd_opts *opts, size_t memory)
{
	WSI_TRY(choose_block(run, opts, memory));
	const size_t rest = run->shape.channels % run->block;
	if (rest) {
		ws_shape shape = run->shape;
		shape.channels = rest;
		WSI_TRY(ws_plan_emd(&run->last, run->ctx, &shape, opts));
		size_t bytes = bytes_of(run->last);
		run->bytes = bytes > run->bytes ? bytes : run->bytes;
	}
	snprintf(run->describe, sizeof run->describe,
	         "%s  blocks     %zu of %zu channel%s, %.1f MiB in all\n", ws_plan_describe(run->plan),
	         (run->shape.channels + run->block - 1) / run->block, run->block,
	         run->block == 1 ? "" : "s", (double)run->bytes / 1048576.0);
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
	ws_plan_destroy(run->plan);
	ws_plan_destroy(run->last);
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
	return run->bytes;
}

double
ws_run_seconds(const ws_run *run)
{
	const size_t full = run->shape.channels / run->block;
	return (double)full * ws_plan_seconds(run->plan) +
	       (run->last ? ws_plan_seconds(run->last) : 0.0);
}

const ws_emd_opts *
ws_run_options(const ws_run *run)
{
	return ws_plan_options(run->plan);
}

int
ws_run_modes(const ws_run *run)
{
	return ws_plan_modes(run->plan);
}

/* Progress of one block as part of the whole. */
typedef struct part {
	const ws_stream *stream;
	double base, span;
} part;

static int
report_part(void *user, double done)
{
	const part *p = user;
	return p->stream->progress(p->stream->user, p->base + p->span * done);
}

static ws_status
run_block(const ws_run *run, const ws_plan *plan, size_t first, void *memory,
          const ws_stream *stream)
{
	wsi_arena arena = { .base = memory };
	block_arrays b = lay_out(plan, &arena);
	const size_t row = plan->params.samples * plan->ops->element;
	const int modes = plan->params.o.max_modes;
	for (size_t c = 0; c < plan->channels; ++c)
		WSI_TRY(stream->read(stream->user, first + c, (char *)b.x + c * row));
	part p = { stream, (double)first / (double)run->shape.channels,
		   (double)plan->channels / (double)run->shape.channels };
	ws_emd_io io = {
		.size = sizeof io, .x = b.x, .first_channel = first, .noise = stream->noise,
		.modes = b.modes, .residue = b.residue, .mode_count = b.mode_count, .sifts = b.sifts,
		.unfinished = b.unfinished, .progress = stream->progress ? report_part : NULL, .user = &p,
	};
	WSI_TRY(ws_execute_emd(plan, &io, b.workspace));
	for (size_t c = 0; c < plan->channels; ++c) {
		ws_channel_result result = {
			.channel = first + c, .modes = b.mode_count[c], .x = (char *)b.x + c * row,
			.mode_rows = (char *)b.modes + c * (size_t)modes * row,
			.residue = (char *)b.residue + c * row, .sifts = b.sifts + c * (size_t)modes,
			.unfinished = b.unfinished[c],
		};
		WSI_TRY(stream->write(stream->user, &result));
	}
	return WS_OK;
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
	void *memory = aligned_alloc(WSI_ALIGN, (run->bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN);
	if (!memory)
		return WSI_FAIL(WS_E_NOMEM, "%.1f MiB could not be allocated: lower the memory limit, so "
		                "that channels go in smaller blocks", (double)run->bytes / 1048576.0);
	ws_status status = WS_OK;
	for (size_t first = 0; first < run->shape.channels && status == WS_OK; first += run->block) {
		bool full = run->shape.channels - first >= run->block;
		status = run_block(run, full ? run->plan : run->last, first, memory, stream);
	}
	free(memory);
	return status;
}
