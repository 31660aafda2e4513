/* run.c - runs a plan's algorithm on the engine of its device. */
#include <stdlib.h>
#include <string.h>

#include "algo/row_sum.h"
#include "base/status.h"
#include "cpu/emd/engine.h"
#include "transform/emd/emd.h"
#include "transform/on_gpu.h"

/* Runs the plan's algorithm, or with a measuring engine lays it out. */
static void
run_algorithm(const wsi_emd_plan *plan, const wsi_io *io, const wsi_range *ranges, wsi_engine *e)
{
	const wsi_work work = { .params = &plan->params, .channels = plan->base.shape.channels,
		                .rows = plan->rows, .rank = plan->base.rank,
		                .size = plan->base.size, .io = io, .x = ranges,
		                .noise = ranges ? ranges + plan->base.shape.channels : NULL };
	switch (plan->params.o.method) {
	case WS_METHOD_EEMD:
		wsi_eemd(&work, e);
		break;
	case WS_METHOD_CEEMDAN:
	case WS_METHOD_ICEEMDAN:
		wsi_ceemdan(&work, e);
		break;
	case WS_METHOD_MEMD:
		wsi_memd(&work, e);
		break;
	default:
		wsi_emd(&work, e);
	}
}

/* Devices that work together meet; false where one of them failed. */
static bool
meet(const wsi_io *io, wsi_progress *progress)
{
	if (!io->peers || wsi_cancelled(progress))
		return true;
	if (!wsi_peers_meet(io->peers))
		wsi_progress_cancel(progress);
	return !wsi_cancelled(progress);
}

/* What comes after the work: checks, and the figures of modes that are wanted. */
static ws_status
finish(const wsi_emd_plan *plan, const wsi_io *io, const wsi_range *ranges, wsi_pool *pool,
       double *figures)
{
	WSI_TRY(wsi_check_results(plan, io, ranges));
	wsi_emd_capped(plan, io, ranges);
	return wsi_emd_figures(plan, io, pool, figures);
}

/* ---- On the CPU --------------------------------------------------------------------- */

static ws_status
run_on_cpu(const wsi_emd_plan *plan, const wsi_io *io, wsi_progress *progress, wsi_arena *arena)
{
	const size_t signals = wsi_emd_rows(plan);
	const int rows = signals < (size_t)plan->rows ? (int)signals : plan->rows;
	wsi_range *ranges = wsi_arena_take(arena, wsi_ranges_bytes(plan));
	double *figures = wsi_arena_take(arena, wsi_emd_figures_bytes(plan));
	wsi_cpu_engine cpu;
	wsi_cpu_engine_layout(&cpu, plan->ops, &plan->params, plan->base.threads, rows, progress,
	                      arena);
	if (cpu.rows.e.measuring) {
		run_algorithm(plan, io, NULL, &cpu.rows.e);
		return WS_OK;
	}
	wsi_cpu_engine_start(&cpu);
	/* The first to be at work begins; threads take a while to start. */
	ws_status status = wsi_look_at_samples(plan, io, &cpu.rows.pool, ranges);
	if (status == WS_OK && !wsi_cancelled(progress))
		run_algorithm(plan, io, ranges, &cpu.rows.e);
	if (status == WS_OK && !wsi_cancelled(progress))
		status = finish(plan, io, ranges, &cpu.rows.pool, figures);
	wsi_cpu_engine_stop(&cpu);
	return status;
}

/* ---- On a GPU ----------------------------------------------------------------------- */

/* Lays the GPU's engine out at `engine`, of engine_bytes.  seldom: memory of rows that are used
 * seldom; NULL: all rows are on the device. */
static void
lay_out_gpu(const wsi_emd_plan *plan, void *engine, wsi_progress *progress, wsi_arena *host,
            wsi_arena *device, wsi_arena *seldom)
{
	plan->base.gpu->backend->layout(engine, plan->base.gpu->device, &plan->params,
	                                plan->rows * plan->gathered, plan->beside, progress, host,
	                                device, seldom);
}

/* The largest number of rows at a time, `wanted` at most, that the algorithm can work with. */
static int
fitting_rows(const wsi_emd_plan *plan, int wanted)
{
	const size_t signals = wsi_emd_signals(plan);
	const int most = signals < 1u << 24 ? (int)signals : 1 << 24;
	if (plan->params.o.method != WS_METHOD_EMD)
		return wsi_chunk_rows(wanted, most);
	return wanted < most ? wanted : most;
}

/* Times the rows that keep a device busy: tails come once. */
#define GATHERED 4

/* Channels of an ensemble whose realizations, plan->rows of each, are worked on together, so that
 * one tail is waited for and not one a channel: in groups of one size. */
static int
gathered_channels(const wsi_emd_plan *plan, int wanted)
{
	const size_t signals = wsi_emd_signals(plan), channels = plan->base.shape.channels;
	if (!wsi_emd_gathers(plan) || plan->base.size > 1 || (size_t)plan->rows < signals)
		return 1;
	const size_t most = GATHERED * (size_t)wanted / signals + 1;
	const size_t groups = (channels + most - 1) / most;
	return (int)((channels + groups - 1) / groups);
}

/* Rows of noise whose next modes are sifted beside the rows of a stage that has this one. */
static int
noise_beside(const wsi_emd_plan *plan)
{
	const ws_method method = plan->params.o.method;
	const bool stages = method == WS_METHOD_CEEMDAN || method == WS_METHOD_ICEEMDAN;
	return stages && plan->params.o.noise > 0.0 ? plan->rows : 0;
}

/* Sets plan->rows, gathered, beside and params.one_mode so that the layout fits on the device;
 * false where nothing does.  Tries as many rows as keep the device busy, then without noise beside
 * them, then with one mode at a time, then half as many channels and rows, and so on.  aside: rows
 * that are used seldom lie in host memory. */
static bool
fit_on_gpu(wsi_emd_plan *plan, void *engine, size_t room, bool aside)
{
	const wsi_gpu *g = plan->base.gpu;
	const int least = fitting_rows(plan, 1);
	const int good = g->backend->good_rows(g->device, &plan->params);
	plan->rows = fitting_rows(plan, good);
	plan->gathered = gathered_channels(plan, good);
	plan->beside = aside ? 0 : noise_beside(plan);
	for (plan->params.one_mode = false;;) {
		wsi_arena host = { 0 }, device = { 0 }, seldom = { 0 };
		wsi_arena_take(&host, wsi_ranges_bytes(plan));
		wsi_arena_take(&host, wsi_emd_figures_bytes(plan));
		wsi_arena_take(&host, (size_t)plan->most_threads * sizeof(wsi_worker));
		wsi_arena_take(&host, room);
		lay_out_gpu(plan, engine, NULL, &host, &device, aside ? &seldom : NULL);
		run_algorithm(plan, NULL, NULL, engine);
		plan->way = ((const wsi_engine *)engine)->way;
		plan->base.workspace = host.used;
		plan->base.device_bytes = device.used;
		plan->base.host_bytes = seldom.used;
		if (device.used <= g->limit)
			return true;
		if (plan->beside > 0) {
			plan->beside = 0;
			continue;
		}
		if (!plan->params.one_mode) {
			plan->params.one_mode = true;
			continue;
		}
		if (plan->gathered > 1) {
			plan->gathered /= 2;
			continue;
		}
		if (plan->rows <= least)
			return false;
		plan->rows = fitting_rows(plan, plan->rows / 2);
	}
}

static ws_status
measure_on_gpu(wsi_emd_plan *plan, bool aside)
{
	const wsi_gpu *g = plan->base.gpu;
	const size_t room = (g->backend->engine_bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
	void *engine = aligned_alloc(WSI_ALIGN, room);
	if (!engine)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	plan->params.no_teams = false;
	bool fits = fit_on_gpu(plan, engine, room, false);
	if (!fits) {
		plan->params.no_teams = true;
		fits = fit_on_gpu(plan, engine, room, false) ||
		       (aside && fit_on_gpu(plan, engine, room, true));
	}
	free(engine);
	return fits ? WS_OK : wsi_gpu_too_little(&plan->base);
}

static ws_status
run_in(const wsi_emd_plan *plan, const wsi_io *io, const wsi_range *ranges, wsi_progress *progress,
       wsi_arena host, wsi_arena device, wsi_arena seldom, wsi_why *why)
{
	const wsi_backend *b = plan->base.gpu->backend;
	void *engine = wsi_arena_take(&host, b->engine_bytes);
	lay_out_gpu(plan, engine, progress, &host, &device, plan->base.host_bytes ? &seldom : NULL);
	WSI_TRY(b->start(engine, why));
	run_algorithm(plan, io, ranges, engine);
	return b->stop(engine, why);
}

static ws_status
run_on_gpu(const wsi_emd_plan *plan, const wsi_io *io, wsi_progress *progress, wsi_arena host)
{
	const wsi_backend *b = plan->base.gpu->backend;
	wsi_device *d = plan->base.gpu->device;
	wsi_why why = { "" };
	void *device = NULL, *seldom = NULL;
	wsi_range *ranges = wsi_arena_take(&host, wsi_ranges_bytes(plan));
	double *figures = wsi_arena_take(&host, wsi_emd_figures_bytes(plan));
	wsi_worker *workers =
		wsi_arena_take(&host, (size_t)plan->most_threads * sizeof *workers);
	WSI_TRY(wsi_look_at_samples(plan, io, NULL, ranges));
	ws_status status = b->borrow(d, WSI_DEVICE_MEMORY, plan->base.device_bytes, &device, &why);
	if (status == WS_OK && plan->base.host_bytes)
		status = b->borrow(d, WSI_HOST_MEMORY, plan->base.host_bytes, &seldom, &why);
	if (status == WS_OK)
		status = run_in(plan, io, ranges, progress, host, (wsi_arena){ .base = device },
		                (wsi_arena){ .base = seldom }, &why);
	if (seldom)
		b->give_back(d, WSI_HOST_MEMORY, seldom);
	if (device)
		b->give_back(d, WSI_DEVICE_MEMORY, device);
	/* The backend says what else helps; it does not know the method. */
	if (status == WS_E_NOMEM)
		return WSI_FAIL(status, "device %s: %s, or take fewer %s", plan->base.gpu->name,
		                why.text, plan->base.transform->fewer);
	if (status != WS_OK)
		return WSI_FAIL(status, "device %s: %s", plan->base.gpu->name, why.text);
	/* The others have noted their sifts, and are done. */
	if (!meet(io, progress) || wsi_cancelled(progress) || plan->base.rank)
		return WS_OK;
	wsi_pool pool;
	wsi_pool_start(&pool, wsi_emd_wants_figures(io) ? plan->most_threads : 1, workers,
	               progress);
	status = finish(plan, io, ranges, &pool, figures);
	wsi_pool_stop(&pool);
	return status;
}

/* ---- Either -------------------------------------------------------------------------- */

ws_status
wsi_emd_measure(ws_plan *base, bool aside)
{
	wsi_emd_plan *plan = (wsi_emd_plan *)base;
	if (base->gpu) {
		WSI_TRY(measure_on_gpu(plan, aside));
		base->at_once = (size_t)plan->rows;
		base->seconds = wsi_emd_cost(plan);
		return WS_OK;
	}
	wsi_arena measure = { 0 };
	plan->rows = wsi_cpu_good_rows(&plan->params, plan->ops, base->threads);
	base->at_once = (size_t)plan->rows;
	WSI_TRY(run_on_cpu(plan, NULL, NULL, &measure));
	base->workspace = measure.used;
	return WS_OK;
}

/* Sifts are counted up. */
static void
clear_counts(const wsi_emd_plan *plan, const wsi_io *io)
{
	const size_t modes = (size_t)plan->params.o.modes;
	for (size_t c = 0; c < plan->base.shape.channels; ++c) {
		if (wsi_io_wants(io, WS_EMD_SIFTS))
			memset(wsi_io_row(io, WS_EMD_SIFTS, c, 0), 0, modes * sizeof(int32_t));
		if (wsi_io_wants(io, WS_EMD_UNFINISHED))
			memset(wsi_io_row(io, WS_EMD_UNFINISHED, c, 0), 0, sizeof(int32_t));
	}
}

ws_status
wsi_emd_run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const wsi_emd_plan *plan = wsi_emd_plan_of(base);
	wsi_arena arena = { .base = workspace };
	if (io->on_device && wsi_emd_wants_figures(io))
		return WSI_FAIL(WS_E_UNSUPPORTED, "the figures of modes are made of arrays in the "
		                "host's memory: leave them out, or have the modes there");
	if (io->on_device && plan->params.ends_by_extrema)
		return WSI_FAIL(WS_E_UNSUPPORTED, "reference torres works on arrays in the host's "
		                "memory");
	if (base->rank == 0)
		clear_counts(plan, io);
	if (!meet(io, progress))
		return WS_OK;
	return base->gpu ? run_on_gpu(plan, io, progress, arena)
	                 : run_on_cpu(plan, io, progress, &arena);
}
