/*
 * run.h - inside a run: run.c plans it, drive.c drives it.
 *
 * A lane works on one block at a time: the CPU, or one of several GPUs, each
 * with a thread.
 */
#ifndef WSI_RUN_H
#define WSI_RUN_H

#include "api/context.h"
#include "base/arena.h"

typedef struct wsi_lane {
	ws_plan *plan;          /* of a full block */
	ws_plan *last;          /* of the last, shorter one; or NULL */
} wsi_lane;

struct ws_run {
	ws_ctx *ctx;
	ws_shape shape;
	size_t unit;            /* channels that cannot be parted */
	size_t block;           /* channels */
	int n_lanes;
	wsi_lane lanes[WSI_MOST_GPUS];
	size_t lane_bytes;      /* host memory of each for arrays and workspace */
	size_t host_bytes;      /* and that which its GPU works in */
	char device[96];        /* "cpu", "cuda:0", "cuda:0,2" */
	char describe[1792];
};

/* What one block of a plan holds. */
typedef struct wsi_block {
	void *x, *modes, *residue, *workspace;
	int32_t *mode_count, *sifts, *unfinished;
} wsi_block;

/* Takes the arrays from the arena. */
wsi_block wsi_run_lay_out(const ws_plan *plan, wsi_arena *arena);

static inline size_t
wsi_run_blocks(const ws_run *run)
{
	return (run->shape.channels + run->block - 1) / run->block;
}

#endif
