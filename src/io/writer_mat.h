/*
 * writer_mat.h - what both versions of a MAT result share.  MATLAB's arrays
 * have their first index fastest.
 */
#ifndef WSI_IO_WRITER_MAT_H
#define WSI_IO_WRITER_MAT_H

#include "io/writer.h"

/* An array of the result: for each element of its last axis, the values of rows, in order. */
typedef struct wsi_mat_array {
	const char *name;
	ws_type type;
	int rank;
	size_t dims[WSI_FILE_AXES]; /* as MATLAB says them */
	wsi_spool_row *rows;   /* [n_rows]; freed by the caller, also on failure */
	size_t n_rows;
	size_t count;          /* elements of a row; 1 where rows are all there is */
} wsi_mat_array;

ws_status wsi_mat_layout(wsi_mat_array *array, const wsi_writer *w, const wsi_file_array *of);

/* The values of an axis that are not just numbers, allocated: *values is NULL where they are. */
ws_status wsi_mat_axis(double **values, const wsi_writer *w, const wsi_file_axis *axis);

/* text as UTF-16 into out, which may be NULL; answers the code units. */
size_t wsi_utf16(const char *text, uint16_t *out);

/* The file at w->temp from the complete spool w->state. */
ws_status wsi_mat5_write(wsi_writer *w);
ws_status wsi_mat73_write(wsi_writer *w);

#endif
