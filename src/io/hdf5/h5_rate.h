/* h5_rate.h - the sampling rate of an array in HDF5. */
#ifndef WSI_IO_H5_RATE_H
#define WSI_IO_H5_RATE_H

#include <hdf5.h>

#include "io/read/recording.h"

/* An attribute that is a number, or none: what is there and is none is told in a note. */
ws_status wsi_h5_find_number(wsi_recording *rec, hid_t object, const char *name, double *value,
                             bool *there);
/* n values of an array of one dimension; false: it has not as many, or none to be had. */
bool wsi_h5_read_values(hid_t array, size_t n, double *values);
/* The array of that name in a folder, which the caller closes; negative: there is none. */
ws_status wsi_h5_open_beside(wsi_recording *rec, hid_t folder, const char *name, hid_t *array);
/* The group of the series of NWB whose samples data is, to be closed; negative: it is of none. */
hid_t wsi_h5_series_of(hid_t data);
/* Sets the rate of rec's channels, where anything tells it.  ours: data is the signal of a result.
 * WS_E_FORMAT where the times of its axis are not even. */
ws_status wsi_h5_take_rate(wsi_recording *rec, hid_t file, hid_t data, int time_axis, bool ours);

#endif
