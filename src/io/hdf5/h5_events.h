/* h5_events.h - the events of an HDF5 result. */
#ifndef WSI_IO_H5_EVENTS_H
#define WSI_IO_H5_EVENTS_H

#include <hdf5.h>

#include "io/hdf5/h5_sums.h"
#include "io/read/readers.h"

/* Its type; negative on failure. */
hid_t wsi_h5_event_type(void);

/* Adds those of /events, if there are any, to rec, whose time_origin is that of the result's first
 * sample, and whose epochs follow each other.  first: of older files, where time and epoch are not
 * told: that sample among those of the recording, s, from whose beginning events count. */
ws_status wsi_h5_take_events(wsi_recording *rec, hid_t file, double first);
/* Compares them with their checksum (h5_sums.h) alone. */
ws_status wsi_h5_events_check(hid_t file, const char *path);

#endif
