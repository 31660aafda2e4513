/* ways.h - ways of a plan's frequencies (cpu/cwt/cwt_ways.c), and the grids that some take. */
#ifndef WSI_TRANSFORM_CWT_WAYS_H
#define WSI_TRANSFORM_CWT_WAYS_H

#include "transform/cwt/cwt.h"

/* Chooses the way that costs least for each frequency, lays out the grids, and adds up what all
 * will take.  WS_E_NOMEM. */
ws_status wsi_cwt_choose_ways(wsi_cwt *cwt);

/* Tables of all grids: makes those that are not there (WS_E_NOMEM, WS_E_CANCELLED); their bytes;
 * frees them; frees the grids, too. */
ws_status wsi_cwt_fill_grids(wsi_cwt *cwt, wsi_progress *progress);
size_t wsi_cwt_grid_tables(const wsi_cwt *cwt);
void wsi_cwt_empty_grids(wsi_cwt *cwt);
void wsi_cwt_free_grids(wsi_cwt *cwt);

#endif
