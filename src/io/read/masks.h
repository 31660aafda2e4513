/*
 * masks.h - masks from files.
 *
 * Masks are the rows of an array of any format: real or complex, the shorter ones ended by NaN.
 * Channels that are named in pairs, NAME.re and NAME.im, are complex masks, too.  A packed file of
 * HDF5 (h5_masks.h) has masks of any lengths without gaps, and a scale and a frequency of each.
 */
#ifndef WSI_IO_MASKS_H
#define WSI_IO_MASKS_H

#include "io/read/recording.h"
#include "wavesift/conv.h"

typedef struct wsi_mask_file {
	ws_masks masks;
	size_t *lengths, *offsets;  /* masks points to these */
	double *values, *scales, *frequencies;
	size_t bytes;               /* of memory */
} wsi_mask_file;

/* opts, of which memory bounds what the masks take, may be NULL.  WS_E_FORMAT names the mask that
 * is empty or not finite.  On failure nothing is left to free. */
ws_status wsi_mask_file_read(wsi_mask_file *f, const char *path, const wsi_open_opts *opts);
void wsi_mask_file_free(wsi_mask_file *f);

#endif
