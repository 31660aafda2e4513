/*
 * writer_mat_arrays.h - what both versions of a MAT result share.  MATLAB's arrays
 * have their first index fastest.
 */
#ifndef WSI_IO_WRITER_MAT_ARRAYS_H
#define WSI_IO_WRITER_MAT_ARRAYS_H

#include "io/write/writer_format.h"

/* An array of the result: for each element of its last axis, the values of rows, in order. */
typedef struct wsi_mat_array {
	const char *name;
	ws_type type;
	int rank;
	size_t dims[WSI_FILE_AXES]; /* as MATLAB says them */
	const wsi_spool_row *rows; /* [n_rows] */
	size_t n_rows;
	size_t count;          /* elements of a row; 1 where rows are all there is */
	bool timed;            /* these are samples */
} wsi_mat_array;

/* Takes all that a result has: arrays; rows of numbers (WS_F64, WS_I32); texts, and cells of n of
 * them; and structs, of whose fields what comes between open and close is one each, in order. */
typedef struct wsi_mat_sink {
	ws_status (*array)(void *user, const wsi_mat_array *array);
	ws_status (*numbers)(void *user, const char *name, ws_type type, const void *numbers,
	                     size_t n);
	ws_status (*text)(void *user, const char *name, const char *text);
	ws_status (*texts)(void *user, const char *name, const char *const *texts, size_t n);
	ws_status (*open)(void *user, const char *name);
	ws_status (*close)(void *user, const char *name, const char *const *fields, size_t n);
} wsi_mat_sink;
ws_status wsi_mat_put(const wsi_writer *w, const ws_fact *facts, size_t n_facts,
                      const wsi_mat_sink *sink, void *user);

/* text as UTF-16 into out, which may be NULL; answers the code units. */
size_t wsi_utf16(const char *text, uint16_t *out);

#endif
