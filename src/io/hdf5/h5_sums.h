/*
 * h5_sums.h - checksums of the chunks of an HDF5 result.
 *
 * A chunk is a chunk, or a dataset that has none.  Its sum is the CRC-32 of its values as the file
 * types them, unpacked, in the order of the axes, and without what of a chunk lies beyond the
 * array.  The sums of all chunks of a file are one dataset, /checksums, that no filter touches:
 * each has its place there from the beginning, whoever writes it.  Each array that has sums has an
 * attribute "checksums": where its first one is, and how many chunks there are along each axis, by
 * which they are numbered, the last axis fastest; so an axis may be cut later.
 *
 * Texts lie elsewhere in the file, and HDF5 looks after the rest of its attributes itself.  The
 * attribute "text_checksums" of the root has three sums: of start_time, channel_names and unit; of
 * the provenance, by names; of the events.
 */
#ifndef WSI_IO_H5_SUMS_H
#define WSI_IO_H5_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "base/status.h"

#define WSI_SUMS "checksums"
#define WSI_SUMS_RANK 8

/* How a dataset lies in chunks. */
typedef struct wsi_h5_chunks {
	int rank;
	hsize_t dims[WSI_SUMS_RANK];
	hsize_t chunk[WSI_SUMS_RANK];  /* its extent; the last along an axis may have less */
	hsize_t grid[WSI_SUMS_RANK];   /* chunks along each axis */
	size_t count;
	size_t element;                /* bytes */
} wsi_h5_chunks;

/* False for what cannot have sums: no axes, too many, elements that are no plain numbers. */
bool wsi_h5_chunks_of(hid_t dataset, wsi_h5_chunks *chunks);
/* The number of a chunk, by a grid; and its place by its number. */
size_t wsi_h5_chunk_number(int rank, const hsize_t *grid, const hsize_t *at);
void wsi_h5_chunk_place(int rank, const hsize_t *grid, size_t number, hsize_t *at);
/* Elements of the chunk at a place that lie within the array. */
hsize_t wsi_h5_chunk_elements(const wsi_h5_chunks *chunks, const hsize_t *at);
/* Its sum, of what the file holds.  Negative where it cannot be read. */
herr_t wsi_h5_sum_chunk(hid_t dataset, const wsi_h5_chunks *chunks, const hsize_t *at,
                        uint32_t *sum);

/* ---- Written --------------------------------------------------------------------------- */

/* Those of a file that is being written. */
typedef struct wsi_h5_new_sums {
	uint32_t *sums;
	size_t n, room;
} wsi_h5_new_sums;

/* Room for so many more, all 0; the number of the first, or SIZE_MAX: no memory. */
size_t wsi_h5_sums_add(wsi_h5_new_sums *s, size_t count);
/* The attribute of a dataset. */
herr_t wsi_h5_sums_attach(hid_t dataset, const wsi_h5_chunks *numbered, size_t first);
herr_t wsi_h5_sums_put(hid_t file, const wsi_h5_new_sums *s);

/* ---- Texts ----------------------------------------------------------------------------- */

enum { WSI_SUM_ATTRIBUTES, WSI_SUM_PROVENANCE, WSI_SUM_EVENTS, WSI_TEXT_SUMS };

/* A row of /events, in files and in memory. */
typedef struct wsi_h5_event {
	double onset, duration;
	char *label;
	int32_t epoch;
	double time;
} wsi_h5_event;

/* The sum of events with one more; placed: with its epoch and time. */
uint32_t wsi_h5_add_event(uint32_t sum, const wsi_h5_event *event, bool placed);
/* The attribute: what the file holds, and the sum of its events. */
herr_t wsi_h5_text_sums_put(hid_t file, uint32_t events);
/* Is it a result of ours, by its text "format"?  Nothing covers that: a file that has these sums
 * and another text is refused, not taken for a recording. */
ws_status wsi_h5_is_result(hid_t file, const char *path, bool *is);
/* Verifies the first two. */
ws_status wsi_h5_text_sums_check(hid_t file, const char *path);
/* Compares the sum of the events that were read. */
ws_status wsi_h5_event_sum_check(hid_t file, const char *path, uint32_t events);

/* ---- Verified -------------------------------------------------------------------------- */

/* Those of a dataset that is being read. */
typedef struct wsi_h5_sums {
	hid_t dataset;               /* borrowed */
	const char *path, *name;     /* for messages; borrowed */
	wsi_h5_chunks chunks;
	hsize_t numbered[WSI_SUMS_RANK];
	uint32_t *sums;              /* by number; NULL: the file has none */
	bool *right;                 /* by number: found to be so */
} wsi_h5_sums;

/* Takes the sums of a dataset; none where the file has none at all. */
ws_status wsi_h5_sums_open(wsi_h5_sums *s, hid_t file, hid_t dataset, const char *path,
                           const char *name);
void wsi_h5_sums_close(wsi_h5_sums *s);
/* Verifies the chunks that count elements of the last axis from start on lie in, each once. */
ws_status wsi_h5_sums_check_line(wsi_h5_sums *s, const hsize_t *start, size_t count);

/* Opens a result and verifies all that has sums; how much that is. */
ws_status wsi_h5_sums_verify(const char *path, const char *source, size_t memory, size_t *arrays,
                             size_t *chunks);

#endif
