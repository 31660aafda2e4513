/*
 * conv.h - convolution of channels with many masks, directly or by transforms.  The sums and their
 * order: math/conv.h.
 */
#ifndef WSI_CPU_CONV_H
#define WSI_CPU_CONV_H

#include "cpu/conv/conv_fft.h"

/* Bytes of workspace. */
size_t wsi_conv_bytes(const wsi_conv *c);

/* Writes the rows of array `array` of io.  WS_E_FORMAT names a sample that is not finite, or the
 * channel and mask of a response that is more than the type holds. */
ws_status wsi_conv_run(const wsi_conv *c, const wsi_io *io, int array, wsi_progress *progress,
                       void *workspace);

#endif
