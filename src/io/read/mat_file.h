/*
 * mat_file.h - MAT files of version 4, 5 and 7.3.
 *
 * Everything that a file may lack has three outcomes: it is there, it is not there, or it cannot
 * be read.  So what looks for something answers a status, and apart from it whether there is such a
 * thing (NULL, or false).  The compiler refuses calls whose status nobody looks at.
 *
 * MATLAB's arrays have their first index fastest.  A variable of version 4 or 5 is held whole in
 * memory once its values are wanted (MATLAB bounds it to 2 GiB), of version 7.3 only what is
 * wanted is read.  A packed variable of version 5 has a checksum (Adler-32) over all of it, its
 * name included: small ones are checked when the file is opened, others when any of their
 * values are read.  chunks of version 7.3 are checked as HDF5 reads them.
 *
 * What of it calls HDF5 is wrapped as h5.h says.
 */
#ifndef WSI_IO_MAT_FILE_H
#define WSI_IO_MAT_FILE_H

#include "io/read/mat_values.h"

/* What the heads of files have that we wrote. */
#define WSI_MAT_OURS "Created by: wavesift"

/* Does a file that begins so look like MAT 5 or 7.3? */
bool wsi_mat_probe(const unsigned char *head, size_t n);

/* On failure, too, m is to be closed. */
WSI_LOOK_AT ws_status wsi_mat_open(wsi_mat *m, const char *path, const char *source,
                                   size_t memory);
void wsi_mat_close(wsi_mat *m);
/* "MAT v5". */
const char *wsi_mat_format_name(const wsi_mat *m);

/* Variable i < m->n_vars, in the order of the file, without its values; kept by m. */
WSI_LOOK_AT ws_status wsi_mat_variable(wsi_mat *m, size_t i, wsi_mat_var **v);
/* By name, "x", or a part of one, "s.x", "s(2).x", "c{3}"; *v is NULL where there is none. */
WSI_LOOK_AT ws_status wsi_mat_find(wsi_mat *m, const char *name, wsi_mat_var **v);
/* A field of element i of a struct, a cell: *v is NULL where there is none. */
WSI_LOOK_AT ws_status wsi_mat_field(wsi_mat *m, wsi_mat_var *v, const char *name, size_t i,
                                    wsi_mat_var **field);
WSI_LOOK_AT ws_status wsi_mat_cell(wsi_mat *m, wsi_mat_var *v, size_t i, wsi_mat_var **cell);
/* The text in a cell, as wsi_mat_text(). */
WSI_LOOK_AT ws_status wsi_mat_cell_text(wsi_mat *m, wsi_mat_var *v, size_t i, char **text);
/* wsi_mat_number() of a variable of that name. */
WSI_LOOK_AT ws_status wsi_mat_scalar(wsi_mat *m, const char *name, double *value, bool *there);
#endif
