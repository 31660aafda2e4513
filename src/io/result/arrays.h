/*
 * arrays.h - an HDF5 result of any transform that has a folder of its own, as a recording: its
 * channels, times and events are those of the signals, and arrays are read in place of samples.
 *
 * What is in the file is told, not understood: names, types and extents of its arrays, and what its
 * provenance says, as text.
 */
#ifndef WSI_IO_ARRAYS_H
#define WSI_IO_ARRAYS_H

#include "base/element.h"
#include "io/read/recording.h"

#define WSI_STORED_AXES (WS_MOST_AXES + 1)

typedef struct wsi_stored_array {
	char *name;              /* in its folder */
	ws_type type;            /* integers of any size are WS_I32 */
	int rank;                /* 1 or more */
	size_t extent[WSI_STORED_AXES]; /* slowest first; of the last a line is read, or a part */
	size_t lines;            /* the product of the others */
} wsi_stored_array;

typedef struct wsi_arrays {
	size_t n;
	wsi_stored_array *items; /* by name */
	size_t n_facts;
	char **facts;            /* [n_facts][2] names and texts of the provenance */
	/* Of modes (modes.h). */
	double first_time, time_origin; /* of a result (result.h) */
	bool timed, named;       /* these times, and names of channels, are the file's */
	bool by_others;          /* nor is it a file of ours */
} wsi_arrays;

extern const wsi_reader wsi_reader_arrays;

/* Opens the file; rec->epochs is that of its axis of epochs, and samples are those of the signal,
 * where an older file does not tell them at most one output's more.  WS_E_UNSUPPORTED: it is no
 * such result.  On failure *rec is NULL. */
ws_status wsi_arrays_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts);

/* NULL: the result has none of this name. */
const wsi_stored_array *wsi_arrays_find(const wsi_recording *rec, const char *name);
/* A fact of the provenance as text; "" where there is none. */
const char *wsi_arrays_fact(const wsi_recording *rec, const char *name);

/* Reads count elements of a line from first on; part: 0, or 1 for the imaginary one. */
ws_status wsi_arrays_read(wsi_recording *rec, const wsi_stored_array *array, int part, size_t line,
                          size_t first, size_t count, double *out);

/* ---- For those that fill them in ------------------------------------------------------------- */

/* Most arrays and facts: far more than any transform has. */
#define WSI_MOST_STORED 1024

/* rec->arrays with room for so many of both.  WS_E_NOMEM. */
ws_status wsi_arrays_make(wsi_recording *rec, size_t arrays, size_t facts);
/* Adds an array of this name, which is copied; there is room.  WS_E_FORMAT: it is too large. */
ws_status wsi_arrays_add(wsi_recording *rec, wsi_stored_array array, const char *name);
/* Where element `first` of a line lies: an index for each axis. */
void wsi_stored_place(const wsi_stored_array *array, size_t line, size_t first, size_t *start);
/* Sets lines; false where all elements, as doubles, are no number of bytes. */
bool wsi_stored_count(wsi_stored_array *array);
void wsi_arrays_free(wsi_arrays *arrays);  /* NULL is fine */

static inline size_t
wsi_stored_length(const wsi_stored_array *a)
{
	return a->extent[a->rank - 1];
}

#endif
