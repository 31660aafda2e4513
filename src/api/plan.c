/* emd.c - plan and execution of the EMD family: checks, then algo. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/method.h"
#include "api/place.h"
#include "api/sized.h"
#include "base/arena.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "cpu/engine.h"
#include "plan/directions.h"

/* Chooses how many threads work: no more than find work, and one where the problem is too small
 * to wake others. */
static void
choose_threads(ws_plan *plan, int threads)
{
	const size_t signals = wsi_plan_signals(plan);
	plan->threads = 1;
	if (plan->gpu || wsi_plan_cost(plan) < 5e-4)
		return;
	plan->threads = threads;
	if (plan->params.o.method == WS_MEMD)
		return;
	plan->within = wsi_cpu_shares_rows(&plan->params, threads, signals);
	if (!plan->within && signals < (size_t)threads)
		plan->threads = (int)signals;
}

ws_status
wsi_copy_shape(ws_shape *to, const ws_shape *from)
{
	return WSI_SIZED_COPY(ws_shape, to, type, from);
}

ws_status
wsi_copy_opts(ws_emd_opts *to, const ws_emd_opts *from)
{
	*to = (ws_emd_opts){ .size = sizeof *to };
	if (!from)
		return WS_OK;
	WSI_TRY(WSI_SIZED_COPY(ws_emd_opts, to, method, from));
	/* Before multivariate EMD the struct ended with padding where `directions` is now: callers
	 * do not set that. */
	if (from->size == WSI_UP_TO(ws_emd_opts, directions))
		to->directions = 0;
	return WS_OK;
}

static ws_status
check_shape(const ws_shape *shape)
{
	if (shape->channels == 0 || shape->samples == 0)
		return WSI_FAIL(WS_E_ARG, "%zu channels of %zu samples: need at least one of each",
		                shape->channels, shape->samples);
	/* A knot mirrored beyond the far end still is a tick of 32 bits. */
	if (shape->samples >= (size_t)1 << 29)
		return WSI_FAIL(WS_E_ARG, "%zu samples: a channel may have 2^29 - 1 at most; "
		                "select a part", shape->samples);
	if (shape->channels > (size_t)1 << 24)
		return WSI_FAIL(WS_E_ARG, "%zu channels: there may be 2^24 at most; select some",
		                shape->channels);
	/* Sizes in bytes, with all modes, then fit in 64 bits. */
	if (shape->channels > ((size_t)1 << 48) / shape->samples)
		return WSI_FAIL(WS_E_ARG, "%zu channels of %zu samples: more than 2^48 "
		                "samples in all; select a part", shape->channels, shape->samples);
	if (shape->type != WS_F64 && shape->type != WS_F32)
		return WSI_FAIL(WS_E_ARG, "type %d is neither WS_F64 nor WS_F32", (int)shape->type);
	return WS_OK;
}

ws_status
wsi_plan_at(ws_plan **out, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts,
            const wsi_place *place)
{
	*out = NULL;
	WSI_TRY(check_shape(shape));
	ws_plan *plan = calloc(1, sizeof *plan);
	if (!plan)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	ws_status status = wsi_params_resolve(&plan->params, shape, opts);
	if (status == WS_OK) {
		plan->channels = shape->channels;
		if (plan->params.o.method == WS_MEMD)
			status = wsi_directions_make(&plan->vectors, &plan->params);
		plan->params.o.direction_vectors = NULL; /* borrowed until here */
		plan->params.vectors = plan->vectors;
	}
	if (status == WS_OK) {
		plan->ops = wsi_ops_find(ctx->isa, shape->type);
		plan->gpu = place->gpu;
		memcpy(plan->note, place->note, sizeof plan->note);
		choose_threads(plan, ctx->threads);
		status = wsi_method_measure(plan, place->aside);
	}
	if (status != WS_OK) {
		ws_plan_destroy(plan);
		return status;
	}
	plan->seconds = wsi_plan_cost(plan);
	wsi_plan_describe(plan);
	*out = plan;
	return WS_OK;
}

/* Processor seconds above which a GPU is woken, which takes about as long.  All
 * threads are added, so that the choice is the same whatever their number. */
#define WORTH_A_GPU 0.3

ws_status
wsi_place_choose(wsi_place *place, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts)
{
	*place = (wsi_place){ .gpu = NULL };
	if (!ctx->may_gpu)
		return WS_OK;
	/* A GPU counts times since a knot in f32, which holds half samples exactly up to 2^23. */
	if (wsi_opts_joint(opts) && shape->type == WS_F32 && shape->samples > (size_t)1 << 23) {
		if (!ctx->may_cpu)
			return WSI_FAIL(WS_E_UNSUPPORTED, "%zu samples: multivariate EMD in f32 "
			                "takes at most 2^23 on a GPU; use f64 or the CPU",
			                shape->samples);
		return WS_OK;
	}
	/* Mistakes in the options come before missing devices. */
	ws_plan *plan;
	WSI_TRY(wsi_plan_at(&plan, ctx, shape, opts, place));
	const double seconds = plan->seconds * plan->threads;
	ws_plan_destroy(plan);
	if (!ctx->may_cpu)
		return wsi_ctx_gpu(ctx, 0, &place->gpu);
	place->or_cpu = true;
	if (seconds > WORTH_A_GPU && wsi_ctx_gpu(ctx, 0, &place->gpu) != WS_OK && ctx->present)
		wsi_place_leave_gpu(place);
	return WS_OK;
}

void
wsi_place_leave_gpu(wsi_place *place)
{
	*place = (wsi_place){ .gpu = NULL };
	snprintf(place->note, sizeof place->note, "%s", ws_error_detail());
}

static ws_status
make_plan(ws_plan **out, ws_ctx *ctx, const ws_shape *asked_shape, const ws_emd_opts *asked)
{
	if (!out || !ctx || !asked_shape)
		return WSI_FAIL(WS_E_ARG, "ws_plan_emd: plan, ctx and shape must not be NULL");
	*out = NULL;
	ws_shape shape;
	ws_emd_opts opts;
	wsi_place place;
	WSI_TRY(wsi_copy_shape(&shape, asked_shape));
	WSI_TRY(wsi_copy_opts(&opts, asked));
	WSI_TRY(wsi_place_choose(&place, ctx, &shape, &opts));
	place.aside = true;
	ws_status status = wsi_plan_at(out, ctx, &shape, &opts, &place);
	if (status == WS_E_NOMEM && place.gpu && place.or_cpu) {
		wsi_place_leave_gpu(&place);
		status = wsi_plan_at(out, ctx, &shape, &opts, &place);
	}
	return status;
}

ws_status
ws_plan_emd(ws_plan **out, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts)
{
	wsi_fpenv before;
	wsi_fpenv_enter(&before);
	const ws_status status = make_plan(out, ctx, shape, opts);
	wsi_fpenv_leave(&before);
	return status;
}

void
ws_plan_destroy(ws_plan *plan)
{
	if (plan)
		free(plan->vectors);
	free(plan);
}

size_t
ws_plan_workspace(const ws_plan *plan)
{
	return plan->workspace;
}

const char *
ws_plan_device(const ws_plan *plan)
{
	return plan->gpu ? plan->gpu->name : "cpu";
}

size_t
ws_plan_device_bytes(const ws_plan *plan)
{
	return plan->device_bytes;
}

size_t
ws_plan_host_bytes(const ws_plan *plan)
{
	return plan->host_bytes;
}

int
ws_plan_modes(const ws_plan *plan)
{
	return plan->params.o.max_modes;
}

const ws_emd_opts *
ws_plan_options(const ws_plan *plan)
{
	return &plan->params.o;
}

double
ws_plan_seconds(const ws_plan *plan)
{
	return plan->seconds;
}

const char *
ws_plan_describe(const ws_plan *plan)
{
	return plan->describe;
}

static ws_status
execute(const ws_plan *plan, const ws_emd_io *asked, void *workspace)
{
	if (!plan || !asked || !workspace)
		return WSI_FAIL(WS_E_ARG, "ws_execute_emd: plan, io and workspace "
		                "must not be NULL");
	ws_emd_io copy;
	WSI_TRY(WSI_SIZED_COPY(ws_emd_io, &copy, mode_count, asked));
	const ws_emd_io *io = &copy;
	if (!io->x || !io->residue || !io->mode_count ||
	    (!io->modes && plan->params.o.max_modes > 0))
		return WSI_FAIL(WS_E_ARG, "ws_execute_emd: x, modes, residue and mode_count "
		                "must be given");
	if ((uintptr_t)workspace % WSI_ALIGN)
		return WSI_FAIL(WS_E_ARG, "ws_execute_emd: workspace must be %d-byte aligned",
		                WSI_ALIGN);
	if (io->sifts)
		memset(io->sifts, 0,
		       plan->channels * (size_t)plan->params.o.max_modes * sizeof *io->sifts);
	if (io->unfinished)
		memset(io->unfinished, 0, plan->channels * sizeof *io->unfinished);
	wsi_progress progress;
	wsi_progress_init(&progress, io->progress, io->user);
	WSI_TRY(wsi_method_run(plan, io, &progress, workspace));
	if (wsi_cancelled(&progress))
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	return WS_OK;
}

ws_status
ws_execute_emd(const ws_plan *plan, const ws_emd_io *io, void *workspace)
{
	wsi_fpenv before;
	wsi_fpenv_enter(&before);
	const ws_status status = execute(plan, io, workspace);
	wsi_fpenv_leave(&before);
	return status;
}
