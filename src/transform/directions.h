/* directions.h - directions of multivariate EMD. */
#ifndef WSI_DIRECTIONS_H
#define WSI_DIRECTIONS_H

#include "ops/params.h"

/* [p->o.directions][p->together] vectors of length 1, by malloc.  WS_E_ARG names a
 * given one that has no length. */
ws_status wsi_directions_make(double **vectors, const wsi_params *p);

#endif
