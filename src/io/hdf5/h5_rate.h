/* h5_rate.h - the sampling rate of an array in HDF5. */
#ifndef WSI_IO_H5_RATE_H
#define WSI_IO_H5_RATE_H

#include <hdf5.h>

#include "io/read/recording.h"

/* An attribute that is a number, or none: what is there and is none is told in a note. */
ws_status wsi_h5_find_number(wsi_recording *rec, hid_t object, const char *name, double *value,
                             bool *there);
/* Sets the rate of rec's channels, where anything tells it.  ours: data is the signal of a result.
 * WS_E_FORMAT where the times of its axis are not even. */
ws_status wsi_h5_take_rate(wsi_recording *rec, hid_t file, hid_t data, int time_axis, bool ours);

#endif
