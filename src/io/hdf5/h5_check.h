/* h5_check.h - what is refused of HDF5 files that others wrote, and reading what is not. */
#ifndef WSI_IO_H5_CHECK_H
#define WSI_IO_H5_CHECK_H

#include "io/hdf5/h5.h"

/* Is all that the dataset holds in its own file, in a form that HDF5 itself can unpack?  Refuses
 * external storage, virtual datasets and filters that are plugins, by name, and chunks that take
 * more than memory bytes (0: no limit).  path names the file, name the dataset in it. */
ws_status wsi_h5_check(hid_t dataset, const char *path, const char *name, size_t memory);
/* The same for all of a file, and external links: for libraries that follow them. */
ws_status wsi_h5_check_file(hid_t file, const char *path, size_t memory);
/* A link of the way to a name that leads to another file, refused by name. */
ws_status wsi_h5_check_link(hid_t file, const char *path, const char *name);

/* Have the chunks that a line goes through (as of wsi_h5_read_line) the bytes that they must have?
 * HDF5 would read past the end of shorter ones. */
bool wsi_h5_line_is_whole(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count);
/* True in the decoder where it sees each chunk that HDF5 reads (decode/watch.c); looking for chunks
 * one by one takes a time that grows with the square of their number. */
bool wsi_h5_chunks_are_watched(void);

/* Reads count elements, as doubles, of the slab that starts at start[rank]
 * and runs along one axis.  Negative on failure. */
herr_t wsi_h5_read_line(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count,
                        double *out);

/* The same of one part of complex numbers: of the member of a compound. */
herr_t wsi_h5_read_part(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count,
                        const char *member, double *out);

#endif
