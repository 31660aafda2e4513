/* gpu.h - convolution on a GPU: the plan as its library gets it. */
#ifndef WSI_TRANSFORM_CONV_GPU_H
#define WSI_TRANSFORM_CONV_GPU_H

#include "transform/conv/conv.h"

/* The method of each of m's masks on a GPU: `forced`, or where that is 0 those that are expected to
 * be fastest together, by constants measured on one card: the choice is the same on all.  Returns
 * the seconds that all take, of one channel. */
double wsi_conv_gpu_choose(const wsi_conv_extent *e, const ws_masks *m, ws_conv_method forced,
                           uint8_t *method);

/* Fills plan->gpu from the masks, which were taken.  m: those, while lengths are at hand.
 * WS_E_NOMEM. */
ws_status wsi_conv_gpu_make(wsi_conv_plan *plan, const ws_masks *m, const wsi_conv_extent *e);

#endif
