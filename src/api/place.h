/* place.h - what a caller asked for, a place to run it, and the plan made for both. */
#ifndef WSI_PLACE_H
#define WSI_PLACE_H

#include "api/gpu.h"
#include "base/peers.h"

/* A caller's structs in this version's size, so that all fields may be looked at. */
typedef struct wsi_asked {
	const wsi_transform *transform;
	ws_shape shape;
	void *opts;             /* the transform's options struct, by malloc */
	size_t memory;          /* bytes that may be used, or 0: no limit */
} wsi_asked;

/* WS_E_ARG.  Free it also where this fails. */
ws_status wsi_asked_take(wsi_asked *asked, const char *transform, const ws_shape *shape,
                         const void *opts);
void wsi_asked_free(wsi_asked *asked);

typedef struct wsi_place {
	const wsi_gpu *gpu;     /* NULL: the CPU */
	int threads;            /* 0: those of the context */
	int rank, size;         /* of GPUs that share the work, as in ws_plan; size 0: alone */
	bool aside;             /* where the GPU's memory does not suffice, rows that are used
	                           seldom may lie in host memory */
	bool or_cpu;            /* where it does not suffice at all */
	char note[256];         /* why the CPU although there is a GPU; or "" */
} wsi_place;

/* Where the work on all channels is done best. */
ws_status wsi_place_choose(wsi_place *place, ws_ctx *ctx, const wsi_asked *asked);

/* May the CPU work instead, after a plan at the place failed so: for want of memory, or of
 * libraries of the GPU's? */
bool wsi_place_leaves_gpu(const wsi_place *place, ws_status status);

/* Chooses the CPU instead; place->note is this thread's last failure. */
void wsi_place_leave_gpu(wsi_place *place);

/* As ws_plan_create, for so many of the channels, on the device that was chosen, without tables:
 * what they take is known.  part: as in ws_plan. */
ws_status wsi_plan_at(ws_plan **plan, ws_ctx *ctx, const wsi_asked *asked, size_t channels,
                      size_t part, const wsi_place *place);

/* Copies what a plan that is to be executed needs of the options, which are borrowed until then. */
ws_status wsi_plan_keep(ws_plan *plan, const wsi_asked *asked);
/* Makes the tables of a plan, those that are not there: then it may be executed.  WS_E_NOMEM,
 * WS_E_CANCELLED.  progress: or NULL. */
ws_status wsi_plan_complete(ws_plan *plan, wsi_progress *progress);

/* WS_E_ARG: the caller hands over noise that nobody looks at; or NULL. */
ws_status wsi_check_noise(const ws_plan *plan, const void *noise);

/* As ws_execute, of part of the axis that the transform can be cut by: count of it from first.
 * peers: that of all who execute such a plan together; or NULL.  All arguments were checked. */
ws_status wsi_execute(const ws_plan *plan, const ws_io *io, size_t first, size_t count,
                      wsi_peers *peers, void *workspace);

#endif
