/* mat_var.h - the variables of a MAT file of any version, and the memory that they take. */
#ifndef WSI_IO_MAT_VAR_H
#define WSI_IO_MAT_VAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/new.h"
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

/* Deflate shrinks by no more, and a value takes a byte at least: MATLAB stores whole-valued doubles
 * as bytes. */
#define WSI_MAT_SHRINK 1032

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

/* What was looked for and found is freed where it is not kept.  NULL is fine. */
void wsi_mat_free(wsi_mat_var *v);
/* The same of one that is kept. */
void wsi_mat_destroy(wsi_mat_var *v);

/* Bytes of memory that its values take until it is freed, once one is read; is there room? */
size_t wsi_mat_held(const wsi_mat *m, const wsi_mat_var *v);
WSI_LOOK_AT ws_status wsi_mat_fits(const wsi_mat *m, const wsi_mat_var *v);

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

#endif
