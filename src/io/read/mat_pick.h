/* mat_pick.h - which array of a MAT file is the recording. */
#ifndef WSI_IO_MAT_PICK_H
#define WSI_IO_MAT_PICK_H

#include "io/read/mat_file.h"

/* Arrays of one shape: one, or the cells of a cell array, each an epoch. */
typedef struct wsi_mat_pick {
	wsi_mat_var **arrays;
	size_t n;
	wsi_mat_var *in;      /* the struct that it is a field of; or NULL */
	bool ours;            /* the signal of a result of ours, [epoch][channel][time] */
	bool fieldtrip;       /* it is FieldTrip's raw structure (trial, label, time) .. */
	bool one_trial;       /* .. of which so many trials are taken: */
	size_t trial;         /* .. this one */
} wsi_mat_pick;

/* That --variable names, a part by dots ("data.trial", "s(2).x", "c{3}"); or a result's signal; or
 * the only one.  On failure, too, it is to be closed, before m is. */
WSI_LOOK_AT ws_status wsi_mat_pick_open(wsi_mat_pick *p, wsi_recording *rec, wsi_mat *m);
/* Numbers in a row or a column, more than one. */
bool wsi_mat_pick_is_vector(const wsi_mat_var *v);
void wsi_mat_pick_close(wsi_mat_pick *p);

#endif
