/*
 * writer_mat.h - what both versions of a MAT result share.  MATLAB's arrays
 * have their first index fastest.
 */
#ifndef WSI_IO_WRITER_MAT_H
#define WSI_IO_WRITER_MAT_H

#include "io/writer.h"

typedef enum wsi_mat_part { WSI_MAT_MODES, WSI_MAT_RESIDUE, WSI_MAT_SIGNAL } wsi_mat_part;

/* An array of the result: for each sample, the values of rows, in order. */
typedef struct wsi_mat_array {
	const char *name;
	int rank;
	size_t dims[4];        /* as MATLAB says them; time last */
	wsi_spool_row *rows;   /* [n_rows]; freed by the caller, also on failure */
	size_t n_rows;
} wsi_mat_array;

ws_status wsi_mat_layout(wsi_mat_array *array, const wsi_writer *w, wsi_mat_part part);
/* mode_count(channel) or (epoch,channel); freed by the caller. */
ws_status wsi_mat_counts(int32_t **counts, const wsi_writer *w);

/* A figure of all modes: (channel,mode) or (epoch,channel,mode). */
typedef struct wsi_mat_figure_array {
	const char *name;
	int rank;
	size_t dims[3];
	double *values;        /* freed by the caller */
} wsi_mat_figure_array;

ws_status wsi_mat_figures(wsi_mat_figure_array *array, const wsi_writer *w, wsi_figure_kind kind);

/* text as UTF-16 into out, which may be NULL; answers the code units. */
size_t wsi_utf16(const char *text, uint16_t *out);

/* The file at w->temp from the complete spool w->state. */
ws_status wsi_mat5_write(wsi_writer *w);
ws_status wsi_mat73_write(wsi_writer *w);

#endif
