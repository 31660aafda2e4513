/* array_list.h - the arrays of a result that is open as a recording, and what its provenance
 * says. */
#ifndef WSI_IO_ARRAY_LIST_H
#define WSI_IO_ARRAY_LIST_H

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

/* NULL: the result has none of this name. */
const wsi_stored_array *wsi_arrays_find(const wsi_recording *rec, const char *name);
/* As files name the moments of arrays that have fewer than the signal. */
#define WSI_COARSE_TIME "coarse_time"
/* Is it an axis of times: that of all, the coarse one, or that of one array? */
bool wsi_arrays_is_time(const wsi_recording *rec, const wsi_stored_array *a);
/* A fact of the provenance as text; "" where there is none. */
const char *wsi_arrays_fact(const wsi_recording *rec, const char *name);

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
