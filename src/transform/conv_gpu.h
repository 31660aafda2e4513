/* conv_gpu.h - convolution on a GPU: the plan as its library gets it. */
#ifndef WSI_TRANSFORM_CONV_GPU_H
#define WSI_TRANSFORM_CONV_GPU_H

#include "transform/conv.h"

/* Fills plan->gpu from the masks, which were taken.  m: those, while lengths are at hand.
 * WS_E_NOMEM. */
ws_status wsi_conv_gpu_make(wsi_conv_plan *plan, const ws_masks *m);

#endif
