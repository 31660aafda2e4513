/* emd.c - the typed calls of the EMD family. */
#include "wavesift/emd.h"

#include "base/sized.h"
#include "base/status.h"
#include "transform/emd.h"

/* The transform that opts ask for, by their method or that of their reference. */
static ws_status
name_of(const char **name, const ws_emd_opts *opts)
{
	static const char *const names[] = { [WS_EMD] = "emd", [WS_EEMD] = "eemd",
		[WS_CEEMDAN] = "ceemdan", [WS_ICEEMDAN] = "iceemdan", [WS_MEMD] = "memd" };
	ws_emd_opts o = { .size = sizeof o };
	if (opts)
		WSI_TRY(WSI_SIZED_COPY(ws_emd_opts, &o, method, opts));
	const ws_method method = wsi_opts_method(&o);
	if (method < WS_EMD || method > WS_MEMD)
		return WSI_FAIL(WS_E_ARG, "method: %d is outside 0..%d", (int)method, WS_MEMD);
	*name = names[method];
	return WS_OK;
}

ws_status
ws_plan_emd(ws_plan **plan, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts)
{
	const char *name = NULL;
	if (!plan || !ctx || !shape)
		return WSI_FAIL(WS_E_ARG, "ws_plan_emd: plan, ctx and shape must not be NULL");
	*plan = NULL;
	WSI_TRY(name_of(&name, opts));
	return ws_plan_create(plan, ctx, name, shape, opts);
}

ws_status
ws_run_emd(ws_run **run, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts,
           size_t memory)
{
	const char *name = NULL;
	if (!run || !ctx || !shape)
		return WSI_FAIL(WS_E_ARG, "ws_run_emd: run, ctx and shape must not be NULL");
	*run = NULL;
	WSI_TRY(name_of(&name, opts));
	return ws_run_create(run, ctx, name, shape, opts, memory);
}

int
ws_plan_modes(const ws_plan *plan)
{
	ws_array modes = { .size = sizeof modes };
	return ws_plan_array(plan, WS_EMD_MODES, &modes) == WS_OK ? (int)modes.extent[1] : 0;
}

int
ws_run_modes(const ws_run *run)
{
	ws_array modes = { .size = sizeof modes };
	return ws_run_array(run, WS_EMD_MODES, &modes) == WS_OK ? (int)modes.extent[1] : 0;
}

ws_status
ws_execute_emd(const ws_plan *plan, const ws_emd_io *asked, void *workspace)
{
	if (!plan || !asked || !workspace)
		return WSI_FAIL(WS_E_ARG, "ws_execute_emd: plan, io and workspace "
		                "must not be NULL");
	ws_emd_io io;
	WSI_TRY(WSI_SIZED_COPY(ws_emd_io, &io, mode_count, asked));
	const ws_buffer arrays[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { .data = io.modes }, [WS_EMD_RESIDUE] = { .data = io.residue },
		[WS_EMD_MODE_COUNT] = { .data = io.mode_count },
		[WS_EMD_SIFTS] = { .data = io.sifts },
		[WS_EMD_UNFINISHED] = { .data = io.unfinished },
	};
	const ws_io all = {
		.size = sizeof all, .x = io.x, .first_channel = io.first_channel,
		.noise = io.noise, .arrays = arrays, .progress = io.progress, .user = io.user,
	};
	return ws_execute(plan, &all, workspace);
}
