/*
 * h5_masks.h - packed masks in HDF5, as a recording whose channels are the arrays of the file:
 *
 *     /values       [tap of all masks] f64 or f32, or compounds of two of them: complex
 *     /lengths      [mask] taps
 *     /offsets      [mask] first tap in values; absent: one mask after the other
 *     /scales       [mask] f64, in samples; may be absent
 *     /frequencies  [mask] f64, Hz; may be absent
 *
 * Channels have these names; the imaginary part of the values is "values.i".
 */
#ifndef WSI_IO_H5_MASKS_H
#define WSI_IO_H5_MASKS_H

#include <hdf5.h>

#include "base/status.h"
#include "io/read/recording.h"

typedef struct wsi_h5_masks wsi_h5_masks;

/* Has the file values and lengths? */
bool wsi_h5_has_masks(hid_t file);
/* Sets the channels of rec.  On failure *masks may be set: it is to be closed. */
ws_status wsi_h5_masks_open(wsi_h5_masks **masks, wsi_recording *rec, hid_t file);
/* count numbers of a channel.  Negative on failure. */
herr_t wsi_h5_masks_read(const wsi_h5_masks *masks, size_t channel, size_t first, size_t count,
                         double *out);
/* NULL is fine. */
void wsi_h5_masks_close(wsi_h5_masks *masks);

#endif
