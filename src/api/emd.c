/* emd.c - the typed calls of the EMD family; those of runs are in run/emd.c. */
#include "wavesift/emd.h"

#include "base/sized.h"
#include "base/status.h"
#include "transform/emd.h"

ws_status
ws_plan_emd(ws_plan **plan, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts)
{
	const char *name = NULL;
	if (!plan || !ctx || !shape)
		return WSI_FAIL(WS_E_ARG, "ws_plan_emd: plan, ctx and shape must not be NULL");
	*plan = NULL;
	WSI_TRY(wsi_emd_asked(&name, opts));
	return ws_plan_create(plan, ctx, name, shape, opts);
}

int
ws_plan_modes(const ws_plan *plan)
{
	ws_array modes = { .size = sizeof modes };
	return ws_plan_array(plan, WS_EMD_MODES, &modes) == WS_OK ? (int)modes.extent[1] : 0;
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
