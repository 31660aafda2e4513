/* masks.c - the masks of options, as wavesift/conv.h offers them. */
#include "api/gpu.h"
#include "base/call.h"
#include "base/sized.h"
#include "transform/conv/conv.h"

static ws_status
create(ws_masks **masks, ws_ctx *ctx, const ws_conv_opts *opts, double fs)
{
	ws_conv_opts o;
	if (!masks || !ctx || !opts)
		return WSI_FAIL(WS_E_ARG, "ws_masks_create: masks, ctx and opts must not be NULL");
	*masks = NULL;
	WSI_TRY(wsi_options_take(wsi_transform_find("conv"), &o, opts));
	ws_masks given;
	WSI_TRY(wsi_conv_resolve_options(&o));
	if (o.masks) {
		WSI_TRY(WSI_SIZED_COPY(ws_masks, &given, frequencies, o.masks));
		WSI_TRY(wsi_masks_check(&given));
		o.masks = &given;
	}
	return wsi_masks_make(masks, &o, fs * o.oversample, wsi_ops_find(ctx->isa, WS_F64),
	                      ctx->threads);
}

ws_status
ws_masks_create(ws_masks **masks, ws_ctx *ctx, const ws_conv_opts *opts, double fs)
{
	wsi_call call;
	wsi_call_enter(&call);
	const ws_status status = create(masks, ctx, opts, fs);
	return wsi_call_leave(&call, status);
}

void
ws_masks_destroy(ws_masks *masks)
{
	wsi_masks_free(masks);
}
