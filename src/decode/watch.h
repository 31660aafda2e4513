/*
 * watch.h - failures that libraries do not pass on.
 *
 * HDF5 takes a read or an allocation that failed for one thing among others that a file
 * lacks, and goes on with less.  So its calls go through here on their way to the C library: this
 * program's functions come before its own where names are looked up.
 */
#ifndef WSI_DECODE_WATCH_H
#define WSI_DECODE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Allocations of more bytes than this may fail: a damaged file asks for anything. */
void wsi_watch_start(size_t memory);

/* What failed since the last call.  Returns errno of a read or seek, or 0.  *no_memory: an
 * allocation failed.  (Where a chunk of HDF5's has too few values, the reading itself fails.) */
int wsi_watch_take(bool *no_memory);

#endif
