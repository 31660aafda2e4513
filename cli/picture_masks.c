/* picture_masks.c - the masks of a convolution and what they let through. */
#include "base/status.h"
#include "picture.h"
#include "plot/masks.h"
#include "wavesift/conv.h"

static ws_status
draw(void *state, const cli_outcome *o, cli_drawn *d, wsi_plot_data *of, wsi_sheet *sheet)
{
	const ws_conv_opts *conv = o->args->opts;
	ws_masks *masks;
	(void)state, (void)d;
	WSI_TRY(ws_masks_create(&masks, o->ctx, conv, o->in->fs));
	of->fs *= conv->oversample > 1 ? conv->oversample : 1;
	const wsi_mask_figure figure = { .of = of, .masks = masks };
	const ws_status status = wsi_plot_masks(&figure, sheet);
	ws_masks_destroy(masks);
	return status;
}

const cli_picture cli_picture_masks = { .figure = FIGURE_MASKS, .title = "Masks", .draw = draw };
