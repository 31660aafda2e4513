/* h5_packing.h - what the numbers of an array in HDF5 are. */
#ifndef WSI_IO_H5_PACKING_H
#define WSI_IO_H5_PACKING_H

#include <hdf5.h>

#include "io/read/recording.h"

/* Samples are numbers times factor, plus offset; none where numbers are fill. */
typedef struct wsi_h5_packing {
	bool packed;
	double factor, offset, fill[2];
	double wrap;   /* what is added to negative numbers, which are unsigned ones; or 0 */
	double *gains; /* further factors, of each channel; or NULL; the caller frees them */
} wsi_h5_packing;

ws_status wsi_h5_take_packing(wsi_recording *rec, hid_t file, hid_t data, wsi_h5_packing *p);
/* x: n numbers of a channel, which become samples. */
void wsi_h5_unpack(const wsi_h5_packing *p, size_t channel, double *x, size_t n);

#endif
