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

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/read/readers.h"

/* Dimensions that are kept; no array that we read has more. */
#define WSI_MAT_RANK 4

typedef enum wsi_mat_class {
	WSI_MAT_OTHER,    /* objects, functions, what lies too deep */
	WSI_MAT_NUMBER,   /* of any type, logical and sparse too */
	WSI_MAT_CHAR,
	WSI_MAT_CELL,
	WSI_MAT_STRUCT
} wsi_mat_class;

/* A variable, a field or a cell. */
typedef struct wsi_mat_var {
	const char *name;           /* for messages; NULL: a cell */
	wsi_mat_class class;
	bool complex, sparse;
	bool kept;                  /* by what it is a part of, or by the file */
	int rank;
	size_t dims[WSI_MAT_RANK];  /* the first of them */
	size_t n;                   /* product of all dimensions */
	/* Once it is loaded, in the file's byte order; dense where it is sparse. */
	wsi_sample_type type;
	size_t n_values;            /* n, but of a text its code units */
	unsigned char *values, *imaginary;
	/* Fields of each element of a struct in turn, or cells; of 7.3 opened one by one. */
	size_t n_fields;
	char **fields;
	struct wsi_mat_var **members;
	size_t n_members;
	void *place;                /* where it lies: the format's own, freed with it .. */
	void (*release)(struct wsi_mat_var *);   /* .. after this, or NULL, let go of it */
	struct wsi_mat_var *below;     /* it came of, and is freed with it; or NULL */
} wsi_mat_var;

typedef struct wsi_mat {
	const char *path;   /* as the user knows it; borrowed */
	const char *source; /* that is opened; borrowed */
	int version;        /* 4, 5 or 73 */
	char head[117];     /* what the file says of itself, of version 5 and 7.3 */
	bool big_endian;    /* version 5 */
	wsi_file file;
	int64_t hdf5;       /* of 7.3, an hid_t; or -1 */
	size_t memory;      /* bytes that it may take; 0: no limit */
	size_t taken;       /* of these, by what is known of the variables */
	wsi_mat_var **vars;
	size_t n_vars;
} wsi_mat;

/* Does a file that begins so look like MAT 5 or 7.3; like MAT 4? */
bool wsi_mat_probe(const unsigned char *head, size_t n);
bool wsi_mat4_probe(const unsigned char *head, size_t n);

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
/* What the three above gave, which may be NULL. */
void wsi_mat_free(wsi_mat_var *v);

/* Real, or complex, numbers, at least one. */
bool wsi_mat_is_numeric(const wsi_mat_var *v);
bool wsi_mat_is_complex(const wsi_mat_var *v);

/* Does it claim more values than the file can hold? */
WSI_LOOK_AT ws_status wsi_mat_check(const wsi_mat *m, const wsi_mat_var *v);
/* Bytes of memory that its values take until it is freed, once one is read; is there room? */
size_t wsi_mat_held(const wsi_mat *m, const wsi_mat_var *v);
WSI_LOOK_AT ws_status wsi_mat_fits(const wsi_mat *m, const wsi_mat_var *v);
/* Reads its values, if it has any: all of the variable that it is a part of is checked. */
WSI_LOOK_AT ws_status wsi_mat_load(wsi_mat *m, wsi_mat_var *v);
/* The same of several parts of one variable, in one pass where that matters. */
WSI_LOOK_AT ws_status wsi_mat_load_together(wsi_mat *m, wsi_mat_var **v, size_t n);
/* Is it as it was written?  As far as that can be told without its values. */
WSI_LOOK_AT ws_status wsi_mat_verify(wsi_mat *m, wsi_mat_var *v);

/* count values from index start[v->rank] on along an axis, part 0 real or 1 imaginary.  v is
 * numbers of at most WSI_MAT_RANK dimensions, and start and count are inside these. */
WSI_LOOK_AT ws_status wsi_mat_line(wsi_mat *m, wsi_mat_var *v, const size_t *start, int axis,
                                   size_t count, int part, double *out);

/* The first n numbers, at most 2, of a vector, without loading what is large. */
WSI_LOOK_AT ws_status wsi_mat_first(wsi_mat *m, wsi_mat_var *v, size_t n, double *out);
/* Value i of what is loaded; NaN where there is none. */
double wsi_mat_value(const wsi_mat *m, const wsi_mat_var *v, size_t i);
/* A number, of a variable or field that may be NULL: *there is false where it is that, or empty.
 * One that is something else is an error, which names it. */
WSI_LOOK_AT ws_status wsi_mat_number(wsi_mat *m, wsi_mat_var *v, double *value, bool *there);
/* The same of a variable of that name. */
WSI_LOOK_AT ws_status wsi_mat_scalar(wsi_mat *m, const char *name, double *value, bool *there);
/* Row r of a char array as UTF-8, without blanks at its end, for the caller to free; *text is NULL
 * where v is NULL, or no text. */
WSI_LOOK_AT ws_status wsi_mat_text(wsi_mat *m, wsi_mat_var *v, size_t row, char **text);

/* Deflate shrinks by no more, and a value takes a byte at least: MATLAB stores whole-valued doubles
 * as bytes. */
#define WSI_MAT_SHRINK 1032

/* ---- For the formats --------------------------------------------------------------------- */

const char *wsi_mat_name(const wsi_mat_var *v);
/* Counts bytes that stay; WS_E_NOMEM where there is no room. */
WSI_LOOK_AT ws_status wsi_mat_take(wsi_mat *m, size_t bytes);
/* A new one with bytes of its format's own, kept by m where top. */
WSI_LOOK_AT ws_status wsi_mat_new(wsi_mat *m, bool top, size_t bytes, wsi_mat_var **v);
/* Frees what was loaded of it. */
void wsi_mat_drop(wsi_mat_var *v);
/* Takes dimensions and counts; WS_E_FORMAT where the product is no number. */
WSI_LOOK_AT ws_status wsi_mat_set_dims(wsi_mat *m, wsi_mat_var *v, int rank, const size_t *dims);
/* Makes the dense values of a sparse matrix, by columns: rows[nz], starts[columns + 1]. */
WSI_LOOK_AT ws_status wsi_mat_fill(wsi_mat *m, wsi_mat_var *v, size_t nz, const double *rows,
                                   const double *starts, const double *real,
                                   const double *imaginary);

WSI_LOOK_AT ws_status wsi_mat4_index(wsi_mat *m);
WSI_LOOK_AT ws_status wsi_mat4_load(wsi_mat *m, wsi_mat_var *v);

WSI_LOOK_AT ws_status wsi_mat5_index(wsi_mat *m);
WSI_LOOK_AT ws_status wsi_mat5_load(wsi_mat *m, wsi_mat_var *v);
WSI_LOOK_AT ws_status wsi_mat5_load_together(wsi_mat *m, wsi_mat_var **v, size_t n);
/* The first 16 bytes of values that were left where they are; or NULL. */
const unsigned char *wsi_mat5_first(const wsi_mat_var *v);
WSI_LOOK_AT ws_status wsi_mat5_verify(wsi_mat *m, wsi_mat_var *v);

WSI_LOOK_AT ws_status wsi_mat73_open(wsi_mat *m);
void wsi_mat73_close(wsi_mat *m);
WSI_LOOK_AT ws_status wsi_mat73_variable(wsi_mat *m, size_t i);
WSI_LOOK_AT ws_status wsi_mat73_field(wsi_mat *m, wsi_mat_var *v, size_t k, size_t i,
                                      wsi_mat_var **field);
WSI_LOOK_AT ws_status wsi_mat73_cell(wsi_mat *m, wsi_mat_var *v, size_t i, wsi_mat_var **cell);
WSI_LOOK_AT ws_status wsi_mat73_load(wsi_mat *m, wsi_mat_var *v);
WSI_LOOK_AT ws_status wsi_mat73_line(wsi_mat *m, wsi_mat_var *v, const size_t *start, int axis,
                                     size_t count, int part, double *out);

#endif
