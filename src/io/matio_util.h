/*
 * matio_util.h - MAT files of version 5 and 7.3 through matio, which trusts
 * what it reads: here sizes are checked first.  What of it calls HDF5 is
 * wrapped as h5.h says, so nobody else calls it directly.
 *
 * MATLAB's arrays have their first index fastest.  A variable of version 5 is
 * held whole in memory once its values are wanted (MATLAB bounds it to 2 GiB);
 * of version 7.3 only what is wanted is read.
 */
#ifndef WSI_IO_MATIO_UTIL_H
#define WSI_IO_MATIO_UTIL_H

#include <stdbool.h>
#include <stdint.h>

#include <matio.h>

#include "base/status.h"

typedef struct wsi_mat {
	const char *path;  /* as the user knows it; borrowed */
	const char *source; /* that matio opens; borrowed */
	mat_t *mat;
	bool hdf5;         /* version 7.3 */
	uint64_t bytes;    /* of the file */
	size_t memory;     /* bytes that it may take; 0: no limit */
} wsi_mat;

/* Does a file that begins so look like MAT 5 or 7.3? */
bool wsi_mat_probe(const unsigned char *head, size_t n);

/* Do the variables of a file of version 5 end where it ends, and hold the arrays that are not
 * compressed as many values as their dimensions say?  WS_E_FORMAT. */
struct wsi_file;
ws_status wsi_mat5_check(const struct wsi_file *f, bool big_endian);

/* On failure m is closed. */
ws_status wsi_mat_open(wsi_mat *m, const char *path, const char *source, size_t memory);
void wsi_mat_close(wsi_mat *m);

/* The variable called name, without its values; NULL where there is none.
 * Free with wsi_mat_free. */
matvar_t *wsi_mat_find(wsi_mat *m, const char *name);
/* The first variable, and the one after the last answered; NULL at the end. */
matvar_t *wsi_mat_first(wsi_mat *m);
matvar_t *wsi_mat_next(wsi_mat *m);
/* NULL is fine. */
void wsi_mat_free(matvar_t *v);

/* Real numbers, at least one. */
bool wsi_mat_is_numeric(const matvar_t *v);

/* Complex ones, at least one. */
bool wsi_mat_is_complex(const matvar_t *v);

/* Does a variable claim more values than the file can hold? */
ws_status wsi_mat_check(const wsi_mat *m, const matvar_t *v);
/* Bytes of memory that its values take until it is freed, once one is read; and is there room? */
size_t wsi_mat_held(const wsi_mat *m, const matvar_t *v);
ws_status wsi_mat_fits(const wsi_mat *m, const matvar_t *v);
/* Reads the values of a variable, or of a field, of any class. */
ws_status wsi_mat_load(wsi_mat *m, matvar_t *v);

/* count values from index start[v->rank] on along an axis.  v is numeric and
 * start and count are inside its dimensions. */
ws_status wsi_mat_line(wsi_mat *m, matvar_t *v, const size_t *start, int axis, size_t count,
                       double *out);

/* The same of a complex variable, whose values are held in memory whole: part 0 real, 1
 * imaginary. */
ws_status wsi_mat_complex_line(wsi_mat *m, matvar_t *v, const size_t *start, int axis,
                               size_t count, int part, double *out);

/* Value i of a loaded numeric variable; NaN where there is none. */
double wsi_mat_value(const matvar_t *v, size_t i);
/* A numeric variable of one value. */
bool wsi_mat_scalar(wsi_mat *m, const char *name, double *value);

/* Elements of a struct array; 0 for other classes. */
size_t wsi_mat_struct_count(const matvar_t *v);
/* A field of element i; NULL where there is none. */
matvar_t *wsi_mat_field(matvar_t *v, const char *name, size_t i);
/* Cell i of a cell array; NULL where there is none. */
matvar_t *wsi_mat_cell(const matvar_t *v, size_t i);

/* Row r of a loaded char array as UTF-8, without blanks at its end; NULL for
 * other classes and when out of memory.  Freed by the caller. */
char *wsi_mat_text(const matvar_t *v, size_t row);

#endif
