/* emd.c - the typed calls of the EMD family for runs; the others are in api/emd.c. */
#include "wavesift/emd.h"

#include "base/status.h"
#include "transform/emd.h"

ws_status
ws_run_emd(ws_run **run, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts,
           size_t memory)
{
	const char *name = NULL;
	if (!run || !ctx || !shape)
		return WSI_FAIL(WS_E_ARG, "ws_run_emd: run, ctx and shape must not be NULL");
	*run = NULL;
	WSI_TRY(wsi_emd_asked(&name, opts));
	return ws_run_create(run, ctx, name, shape, opts, memory);
}

int
ws_run_modes(const ws_run *run)
{
	ws_array modes = { .size = sizeof modes };
	return ws_run_array(run, WS_EMD_MODES, &modes) == WS_OK ? (int)modes.extent[1] : 0;
}
