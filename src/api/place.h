/* place.h - plans with a place to run, and the choice of one. */
#ifndef WSI_PLACE_H
#define WSI_PLACE_H

#include "api/context.h"

typedef struct wsi_place {
	const wsi_gpu *gpu;     /* NULL: the CPU */
	bool aside;             /* where the GPU's memory does not suffice, rows that are used
	                           seldom may lie in host memory */
	bool or_cpu;            /* where it does not suffice at all */
	char note[256];         /* why the CPU although there is a GPU; or "" */
} wsi_place;

/* The caller's struct in this version's size, so that all fields may be looked at; WS_E_ARG.
 * from: of wsi_copy_opts may be NULL: all defaults. */
ws_status wsi_copy_shape(ws_shape *to, const ws_shape *from);
ws_status wsi_copy_opts(ws_emd_opts *to, const ws_emd_opts *from);

/* Where the work on this shape, as a whole, is done best. */
ws_status wsi_place_choose(wsi_place *place, ws_ctx *ctx, const ws_shape *shape,
                           const ws_emd_opts *opts);

/* Chooses the CPU instead; place->note is this thread's last failure. */
void wsi_place_leave_gpu(wsi_place *place);

/* As ws_plan_emd, on the device that was chosen. */
ws_status wsi_plan_at(ws_plan **plan, ws_ctx *ctx, const ws_shape *shape, const ws_emd_opts *opts,
                      const wsi_place *place);

#endif
