/* mat_values.h - the numbers and texts of a MAT file's variables. */
#ifndef WSI_IO_MAT_VALUES_H
#define WSI_IO_MAT_VALUES_H

#include "io/read/mat_var.h"

/* Real, or complex, numbers, at least one. */
bool wsi_mat_is_numeric(const wsi_mat_var *v);
bool wsi_mat_is_complex(const wsi_mat_var *v);

/* Does it claim more values than the file can hold? */
WSI_LOOK_AT ws_status wsi_mat_check(const wsi_mat *m, const wsi_mat_var *v);
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

/* Value i of what is loaded; NaN where there is none. */
double wsi_mat_value(const wsi_mat *m, const wsi_mat_var *v, size_t i);
/* A number, of a variable or field that may be NULL: *there is false where it is that, or empty.
 * One that is something else is an error, which names it. */
WSI_LOOK_AT ws_status wsi_mat_number(wsi_mat *m, wsi_mat_var *v, double *value, bool *there);
/* Row r of a char array as UTF-8, without blanks at its end, for the caller to free; *text is NULL
 * where v is NULL, or no text. */
WSI_LOOK_AT ws_status wsi_mat_text(wsi_mat *m, wsi_mat_var *v, size_t row, char **text);

#endif
