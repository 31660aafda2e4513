/* picture_masks.c - the masks of a convolution and what they let through. */
#include "base/status.h"
#include "picture.h"
#include "plot/masks.h"
#include "wavesift/conv.h"

static ws_status
draw(void *state, const cli_outcome *o, const wsi_provenance *p)
{
	const ws_conv_opts *conv = o->args->opts;
	ws_masks *masks;
	(void)state;
	WSI_TRY(ws_masks_create(&masks, o->ctx, conv, o->in->fs));
	const wsi_mask_figure figure = { .title = p->title, .subtitle = p->options, .masks = masks,
		.fs = o->in->fs * (conv->oversample > 1 ? conv->oversample : 1),
		.fs_known = o->in->fs_known };
	const ws_status status = wsi_plot_masks(&figure, o->args->plot);
	ws_masks_destroy(masks);
	return status;
}

const cli_picture cli_picture_masks = { .figure = FIGURE_MASKS, .draw = draw };
