/*
 * blocks.h - inside a run: blocks.c cuts it, run.c makes it of that, drive.c drives it.
 *
 * A block is some channels, and where one channel alone is too large a part of an axis of what is
 * made of it.  A slot holds the arrays of one block: what was read, and what comes of it.  A
 * lane works on one slot at a time: the CPU, or one of several GPUs, each with a
 * thread and a workspace.  With two slots for each lane, reading and writing go on
 * beside the work.
 */
#ifndef WSI_RUN_BLOCKS_H
#define WSI_RUN_BLOCKS_H

#include "api/place.h"
#include "base/arena.h"
#include "run/program.h"

#define WSI_MOST_SLOTS (2 * WSI_MOST_GPUS)

typedef struct wsi_lane {
	ws_plan *plan;          /* of a full block */
	ws_plan *last;          /* of the last, shorter one; or NULL */
} wsi_lane;

struct ws_run {
	ws_ctx *ctx;
	ws_shape shape;         /* of all channels; together: of a block */
	size_t unit;            /* channels that cannot be parted */
	size_t block;           /* channels */
	size_t part;            /* of the axis by which channels are cut, in one block; 0: all */
	size_t parts;           /* of each channel */
	size_t processes;       /* that share the blocks */
	int n_lanes, n_slots;
	int peers;              /* lanes that work on each block together: all of them, of which
	                           n_lanes counts one; 1: each works alone */
	wsi_lane lanes[WSI_MOST_GPUS];
	size_t slot_bytes;      /* host memory of a block's arrays */
	size_t lane_bytes;      /* of a lane's workspace */
	size_t table_bytes;     /* of the tables of its plan, one at a time */
	size_t making_bytes;    /* and of what they are made in, before the workspace is used */
	size_t host_bytes;      /* and that which its GPU works in */
	double worked;          /* seconds, in the last execution */
	char device[96];        /* "cpu", "cuda:0", "cuda:0,2" */
	unsigned char gpus[WSI_MOST_GPUS][16]; /* [n_gpus] as wsi_gpu.uuid, of those that told */
	int n_gpus;
	char describe[1792];
};

/* The arrays of one block of a plan. */
typedef struct wsi_block {
	char *x;
	ws_buffer arrays[WSI_MOST_ARRAYS];
} wsi_block;

/* Takes them from the arena. */
wsi_block wsi_run_lay_out(const ws_plan *plan, wsi_arena *arena);

/* Plans the run: its blocks, and the lanes that work on them. */
ws_status wsi_run_choose_blocks(ws_run *run, const wsi_asked *asked, size_t memory,
                                const wsi_run_cut *cut);

/* Plans, and workspaces. */
static inline size_t
wsi_run_workers(const ws_run *run)
{
	return (size_t)run->n_lanes * (size_t)run->peers;
}

/* Bytes of this machine's memory that a lane takes with so many slots. */
static inline size_t
wsi_run_lane_bytes(const ws_run *run, int slots)
{
	const size_t work = run->making_bytes > run->lane_bytes ? run->making_bytes
	                                                        : run->lane_bytes;
	return (size_t)slots * run->slot_bytes + work + run->table_bytes + run->host_bytes;
}

/* How many there are on the axis by which the plan's transform can be cut. */
size_t wsi_run_cut_extent(const ws_plan *plan);

/* How many times channels are read and go through all their parts. */
static inline size_t
wsi_run_reads(const ws_run *run)
{
	return (run->shape.channels + run->block - 1) / run->block;
}

#endif
