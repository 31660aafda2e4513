/*
 * arrays.h - an HDF5 result of any transform that has a folder of its own, as a recording: its
 * channels, times and events are those of the signals, and arrays are read in place of samples.
 *
 * What is in the file is told, not understood: names, types and extents of its arrays, and what its
 * provenance says, as text.
 */
#ifndef WSI_IO_ARRAYS_H
#define WSI_IO_ARRAYS_H

#include "io/result/array_list.h"

extern const wsi_reader wsi_reader_arrays;

/* Opens the file; rec->epochs is that of its axis of epochs, and samples are those of the signal,
 * where an older file does not tell them at most one output's more.  WS_E_UNSUPPORTED: it is no
 * such result.  On failure *rec is NULL. */
ws_status wsi_arrays_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts);

/* Reads count elements of a line from first on; part: 0, or 1 for the imaginary one. */
ws_status wsi_arrays_read(wsi_recording *rec, const wsi_stored_array *array, int part, size_t line,
                          size_t first, size_t count, double *out);

#endif
