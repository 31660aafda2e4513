/*
 * scalogram.h - the picture of a wavelet transform: colour over time and frequency, a panel for
 * each channel, with its colour bar.
 */
#ifndef WSI_PLOT_SCALOGRAM_H
#define WSI_PLOT_SCALOGRAM_H

#include "plot/scalogram_panel.h"

/* Most panels of a figure. */
#define WSI_SCALOGRAM_PANELS 32

/* Columns that a figure can show. */
#define WSI_SCALOGRAM_COLUMNS 1600

/* WS_E_ARG, WS_E_IO, WS_E_NOSPACE, WS_E_NOMEM. */
ws_status wsi_plot_scalogram(const wsi_scalogram *s, wsi_sheet *sheet);

#endif
