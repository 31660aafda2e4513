/*
 * writer_hdf5_axes.h - the axes of HDF5 results, and what their writer (writer_hdf5.c) keeps.
 */
#ifndef WSI_IO_WRITER_HDF5_AXES_H
#define WSI_IO_WRITER_HDF5_AXES_H

#include <hdf5.h>

#include "io/hdf5/h5_disk.h"
#include "io/hdf5/h5_sums.h"
#include "io/write/writer_format.h"

/* Most samples of a chunk that is compressed: large enough that its bookkeeping does
 * not count, small enough for HDF5's default cache of 1 MiB.  Others are whole rows, as
 * far as a chunk may have fewer than 2^32 bytes (wsi_row_chunks): past the cache, they are
 * written from where they lie and read in part. */
#define CHUNK ((hsize_t)1 << 16)

/* Samples of a chunk of n: all chunks alike, for the last takes as much room
 * as the others. */
static inline hsize_t
chunk_of(hsize_t n, bool deflate)
{
	size_t samples;
	(void)wsi_row_chunks((size_t)n, &samples);
	const hsize_t chunks = (n + CHUNK - 1) / CHUNK;
	return !deflate ? samples : chunks ? (n + chunks - 1) / chunks : 1;
}

typedef struct h5_array {
	hid_t dataset;
	hid_t type, space;     /* of what is put; of the dataset */
	hsize_t row;           /* samples of a row that is one chunk, as it lies in memory; or 0 */
	size_t place;          /* of an array whose chunks have their places from the beginning: of
	                          the first among wsi_h5_disk.ends */
	bool summed;           /* chunks get their checksums as they come: they are rows of time, in
	                          the file as in memory */
	wsi_h5_chunks chunks;  /* as the array is made, before an axis is cut */
	size_t first;          /* of its checksums */
	unsigned char *state;  /* [chunk] */
} h5_array;

/* What has come of a chunk, where these are summed: what never comes reads as zeros; what comes in
 * parts is read once more at the end. */
enum { ABSENT, WHOLE, PARTS };

typedef struct h5_state {
	wsi_h5_disk disk;
	hid_t file, group;     /* group: that the arrays lie in */
	h5_array *arrays;      /* [w->n_arrays] */
	wsi_h5_new_sums sums;
	uint32_t events;       /* their sum */
} h5_state;

/* Creates one axis and attaches it to every array that has it.  Negative on failure. */
herr_t wsi_h5_put_axis(const wsi_writer *w, const wsi_file_axis *axis);

#endif
