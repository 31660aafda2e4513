/* directions.h - directions of multivariate EMD. */
#ifndef WSI_DIRECTIONS_H
#define WSI_DIRECTIONS_H

#include "base/progress.h"
#include "ops/params.h"

/* [p->o.directions][p->together] vectors of length 1, by malloc.  WS_E_ARG names a
 * given one that has no length; WS_E_CANCELLED.  progress: or NULL. */
ws_status wsi_directions_make(double **vectors, const wsi_params *p, wsi_progress *progress);
size_t wsi_directions_bytes(const wsi_params *p);

#endif
