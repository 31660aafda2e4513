/* bands_run.h - the plan of `bands`, and the memory that threads work in. */
#ifndef WSI_TRANSFORM_BANDS_RUN_H
#define WSI_TRANSFORM_BANDS_RUN_H

#include "base/arena.h"
#include "transform/cwt/even_line.h"
#include "transform/cwt/family.h"
#include "transform/cwt/inverse.h"

typedef struct wsi_bands_plan {
	wsi_cwt_plan family;
	ws_cwt_opts o;          /* resolved */
	size_t first, outputs;  /* sample of x of output 0; every o.decimate-th from there */
	wsi_inverse inverse;
	wsi_even_line line;     /* signals between their mirror images go by it, and by no padded
	                           signal */
} wsi_bands_plan;

static inline const wsi_bands_plan *
wsi_bands_plan_of(const ws_plan *plan)
{
	return (const wsi_bands_plan *)plan;
}

/* What a thread works in: [N] doubles each, or of power a row and its sum; of a line the harmonics
 * of two bands in y, and in the same place their [n] samples in z. */
typedef struct wsi_bands_own {
	double *y_re, *y_im, *z_re, *z_im;
	void *rest;
	void *row;
	double *sum;
} wsi_bands_own;

wsi_bands_own wsi_bands_take_own(const wsi_bands_plan *plan, wsi_arena *arena);
/* Harmonics of a channel's line, behind what they are to be multiplied by. */
size_t wsi_bands_line_bytes(const wsi_bands_plan *plan);

/* As in wsi_transform. */
ws_status wsi_bands_run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
                        void *workspace);

#endif
