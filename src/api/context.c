/* context.c - contexts: their options, threads and kernels; what the library says of itself. */
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "base/cpu_probe.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/version.h"
#include "math/real.h"

const char *
ws_version(void)
{
	return WSI_VERSION;
}

int
ws_numerics_version(void)
{
	return WSI_NUMERICS_VERSION;
}

const char *
ws_isa_name(int i)
{
	return wsi_cpu_isa(i);
}

void
ws_ctx_opts_init(ws_ctx_opts *opts, size_t size)
{
	if (!opts || size < sizeof opts->size)
		return;
	memset(opts, 0, size);
	opts->size = size;
}

ws_status
ws_ctx_create(ws_ctx **out, const ws_ctx_opts *opts)
{
	if (!out)
		return WSI_FAIL(WS_E_ARG, "ws_ctx_create: ctx is NULL");
	*out = NULL;
	ws_ctx_opts o = { 0 };
	if (opts)
		WSI_TRY(WSI_SIZED_COPY(ws_ctx_opts, &o, threads, opts));
	if (o.threads < 0 || o.threads > 4096)
		return WSI_FAIL(WS_E_ARG, "threads: %d is outside 1..4096", o.threads);
	if (!o.device)
		o.device = o.isa ? "cpu" : "auto";
	if (!o.isa)
		o.isa = wsi_cpu_isa(0);
	const wsi_ops *ops = wsi_ops_find(o.isa, WS_F64);
	if (!ops)
		return WSI_FAIL(WS_E_UNSUPPORTED, "instruction set %s: this machine or build "
		                "has no such kernels", o.isa);
	ws_ctx *ctx = calloc(1, sizeof *ctx);
	if (!ctx || pthread_mutex_init(&ctx->lock, NULL) != 0) {
		free(ctx);
		return WSI_FAIL(WS_E_NOMEM, "no memory for a context");
	}
	ctx->threads = o.threads ? o.threads : wsi_cpu_threads();
	ctx->isa = ops->isa;
	ctx->device_memory = o.device_memory;
	ws_status status = wsi_ctx_set_device(ctx, o.device);
	if (status == WS_OK && o.backend)
		status = wsi_ctx_set_backend(ctx, o.backend);
	if (status != WS_OK) {
		ws_ctx_destroy(ctx);
		return status;
	}
	*out = ctx;
	return WS_OK;
}

void
ws_ctx_destroy(ws_ctx *ctx)
{
	if (!ctx)
		return;
	wsi_ctx_close(ctx);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx->backend);
	free(ctx);
}

int
ws_ctx_threads(const ws_ctx *ctx)
{
	return ctx ? ctx->threads : 0;
}

const char *
ws_ctx_isa(const ws_ctx *ctx)
{
	return ctx ? ctx->isa : "";
}
