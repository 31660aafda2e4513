/*
 * h5_disk.h - HDF5 files for writing that survive a full disk.
 *
 * When a write fails, HDF5 1.10 cannot let go of the file any more: it stays
 * half closed and the process crashes when it ends.  So these files lie on
 * a driver of our own that never tells HDF5 of a failure: it notes the
 * failure for us and keeps what HDF5 might want to read back in memory.
 */
#ifndef WSI_IO_H5_DISK_H
#define WSI_IO_H5_DISK_H

#include <hdf5.h>

#include "base/newfile.h"
#include "base/status.h"

/* The errno of the first write that failed, or 0.  The caller's; it outlives
 * the file.
 *
 * Samples of WSI_BEHIND_LEAST bytes and more (a chunk, or a dataset that has none) get whole pages
 * of WSI_BEHIND_PAGE, so that several processes may write the file. */
typedef struct wsi_h5_disk {
	int error;
	const wsi_newfile *to;
	int threads;           /* as wsi_behind_open() */
	hid_t driver;          /* while the file is open */
	haddr_t *ends;         /* [n_ends] where these end, in the order in which they got their
	                          places, which ascends; while the file is open */
	size_t n_ends, room;
} wsi_h5_disk;

/* Writes to the file, which is empty, after userblock bytes that HDF5 leaves alone (0
 * or a power of two from 512 on).  threads: as wsi_behind_open().  Negative on failure. */
hid_t wsi_h5_disk_create(wsi_h5_disk *disk, const wsi_newfile *to, size_t userblock, int threads);

/* Closes it: as H5Fclose().  Of a negative file nothing happens. */
herr_t wsi_h5_disk_close(wsi_h5_disk *disk, hid_t file);

/* Why a call failed; to be asked also after calls that did not. */
ws_status wsi_h5_disk_fail(const wsi_h5_disk *disk, const char *path, const char *doing);

#endif
