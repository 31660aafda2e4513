/*
 * masks.h - the picture of masks: up to twelve of them, spread evenly over all, each in a panel of
 * its own width; below, their spectra on one axis.
 */
#ifndef WSI_PLOT_MASKS_H
#define WSI_PLOT_MASKS_H

#include "plot/plot.h"
#include "wavesift/conv.h"

#define WSI_MASK_PANELS 12

typedef struct wsi_mask_figure {
	const wsi_plot_data *of; /* has no channels; fs is that of the masks */
	const ws_masks *masks;   /* real or complex f64 */
} wsi_mask_figure;

/* WS_E_ARG, WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM. */
ws_status wsi_plot_masks(const wsi_mask_figure *f, wsi_sheet *sheet);

#endif
