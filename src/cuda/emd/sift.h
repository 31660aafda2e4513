/*
 * sift.h - sifting many rows on a device, as the engine sees it.
 */
#ifndef WSI_CUDA_SIFT_H
#define WSI_CUDA_SIFT_H

#include <cuda_runtime.h>

#include "cuda/device/math.cuh"
#include "cuda/emd/row.h"
#include "cuda/emd/team.h"
#include "ops/engine.h"

/* How rows go through the sifts of a mode: rows of the table in stage/ways.cuh.  SIFT_WAYS: none of
 * them. */
enum sift_way { SIFT_WHOLE, SIFT_TEAMS, SIFT_RELAY, SIFT_STEPS, SIFT_WAYS };

/*
 * Do samples flow (block/flow.cuh)?  Not where a rule wants sums over them; plainly where nothing
 * is wanted but what comes of them; counting where a rule counts means beside amplitudes, zero
 * crossings and signs.
 */
enum sift_flow { NO_FLOW, PLAIN_FLOW, COUNTING_FLOW };

/* What an engine has for all its rows, whatever the type of their samples. */
struct sift_buffers {
	int capacity;                 /* rows at a time */
	int warps, tiles, groups;     /* of a row; warps of a tile */
	uint16_t *marks;              /* [row][set][bitmap][groups], see block/marks.cuh */
	uint32_t *summary;            /* [row][set][bitmap][groups / 32] */
	uint32_t *knots;              /* [row][span] marks of the next h, minima << 16 */
	uint32_t *places;             /* [row][span] ROW_CUBICS: those of h in all spans before */
	int32_t *ticks;               /* [row][kind][list] */
	int list;                     /* of cubics and ticks, room for a row and kind */
	row_edge *edges;              /* [row][tile] */
	double *sums;                 /* [row][3][groups / 32] */
	unsigned long long *low, *high; /* [row] extremes, order.cuh */
	/* Rows that are to be sifted, in three sets that take turns. */
	int *work;                    /* [set][phase][capacity] */
	int *work_count;              /* [set][phase] */
	int *drawn; /* of rows that stay on the chip, see draw_row; ALL_DRAWN: the user has
	               cancelled, so that the others, and those of a relay, are left */
	row_relay *relay;             /* [row] */
	relay_ends *relay_ended;
	int relay_blocks;             /* that there are at once, 0 where rows take no such way */
	sift_way forced;              /* it is taken wherever it fits; SIFT_WAYS: the best */
	bool stays; /* samples may remain on the chip for all sifts: not of cyclic signals */
	row_input *input;             /* [row] */
	row_output *output;           /* [mode][capacity] in host memory */
	relay_output *relayed; /* [2] in host memory: sifts made so far; rows left, in the end */
};

/* sift_rows::first_beside: more than there are. */
constexpr int NONE_BESIDE = 1 << 30;

/* Rows of a job are those of r; a launch works on those that `list` names. */
template <class T> struct sift_rows : sift_buffers {
	/* Row i of r is at r + i * r_stride samples, and so on. */
	T *r;
	const T *b;                   /* NULL: y is r.. */
	bool copy;                    /* ..of which y is a copy nearby, then */
	T *out, *y, *room;            /* out: [mode][row] */
	int members;                  /* of wsi_sift_job */
	T *beside;                    /* its rows beside, which are those from first_beside on */
	size_t beside_stride;
	int first_beside = NONE_BESIDE;
	size_t r_stride, b_stride, out_stride, stride; /* the last of y and room */
	size_t mode_stride;           /* of out */
	int n;
	unsigned tiles_inverse;       /* (2^32 - 1) / tiles */
	four<T> *cubics;              /* [row][kind][list] */
	row<T> *rows;                 /* [row] */
	int advancers;                /* some of relay_blocks */
	int relay_sifts;              /* at most, in a relay */
	bool if_none_left;            /* finish only if the relay has left no rows that go on */
	bool resumes;                 /* teams: the rows of set `resumed` of work, as it has them */
	int resumed;
	int few;                      /* knots of a kind that are few: SIFT_MOST_FEW at most */
	team_board<T> board;
	size_t shared, processor_shared; /* memory of a block at most; of a processor */
	int processors;               /* of the device */
	bool early;                   /* launches are made ready ahead of time */
	sift_flow flow; /* of samples, see block/flow.cuh; a row that is too crowded for tight
	                   tiles, see tile_memory, or a whole row, is left as it was */
	bool whole; /* rows may be, of more than one warp, in one block, see stage/whole_rows.cuh */
	uint16_t job;                 /* for these */
	/* The rules. */
	ws_boundary boundary;
	ws_spline spline;
	wsi_rule rule;
	int min_extrema;
	bool plateaus, lone_steps, half_ticks, cyclic, needs_both, signs;
	bool step;                    /* of a decomposition: a small range is none; see is_step */
	int mode, modes; /* number of the first; those that rows which stay go through */
	bool bounded;                 /* what overshoots is no mode but the decomposition's first */
	bool tiny_modes, imf_ends, rest, deflate;
	bool looks;                   /* no sift is made: do rows oscillate? */
};

/* More than there are. */
constexpr int ALL_DRAWN = 1 << 30;

/* Samples that a warp owns, 16 a thread. */
constexpr int SIFT_SPAN = 512;

/* Warps of a block that owns a tile: TILE_WARPS, or in f64, where a block has little shared memory,
 * half as many. */
constexpr int TILE_WARPS = 4, NARROW_TILE_WARPS = 2;
template <class T> int sift_warps(size_t shared);

/* Knots of a kind that fit there for a whole row: `wanted` at most. */
template <class T> int sift_few(int wanted, size_t shared);

/*
 * Knots of a kind that one block lists and solves for a whole row in less time than its
 * tiles would, each for itself.  While they would find processors idle anyway, that
 * pays only for very few.
 */
constexpr int SIFT_FEW_A_SPAN = 24, SIFT_MOST_FEW = 4096, SIFT_VERY_FEW = 256;

/* The most that is few for rows of some spans. */
inline int
sift_most_few(int spans)
{
	const int most = SIFT_FEW_A_SPAN * spans;
	return most > SIFT_MOST_FEW ? SIFT_MOST_FEW : most > SIFT_VERY_FEW ? most : SIFT_VERY_FEW;
}

/* The way of the table (stage/ways.cuh) that so many rows take, and its name; ""  for SIFT_WAYS. */
template <class T> sift_way sift_choose(const sift_rows<T> &s, int count);
template <class T> const char *sift_way_name(sift_way by);
/* Takes it, for the rows that list names, or rows 0 .. count - 1.  On the chip (SIFT_WHOLE,
 * SIFT_TEAMS) that is all.  A relay tells what it has left: with none it has delivered all; else
 * sift_left has to be called.  These, and SIFT_STEPS, go on by sift_step from set 0 on, and end by
 * sift_finish. */
template <class T>
cudaError_t sift_launch(sift_way by, const sift_rows<T> &s, const int *list, int count,
                        cudaStream_t stream);
/* Is it best that these go through s.modes modes in one launch? */
template <class T> bool sift_ahead(sift_way by, const sift_rows<T> &s, int count);
/* Blocks of teams that can be on the device together; and at most, before the device is asked. */
template <class T> cudaError_t sift_team_blocks(int warps, int processors, int *blocks);
template <class T> int sift_most_team_blocks(int warps, int processors);

/* Does code for this device wait for the launches before, so that it can be made ready ahead of
 * time? */
template <class T> bool sift_early();

/* Brings the kernels of all ways to the device in force, see load.h. */
template <class T> cudaError_t sift_load();

/* Any rows, those that list names, or rows 0 .. count - 1: makes y and its marks, and puts the rows
 * into set 0 of work. */
template <class T> cudaError_t sift_start(const sift_rows<T> &s, const int *list, int count,
                                          cudaStream_t stream);
/* One sift of the rows in a set, `count` at most; those that go on are put
 * into the next. */
template <class T> cudaError_t sift_step(const sift_rows<T> &s, int set, int count,
                                         cudaStream_t stream);

/* Can and should so many rows, and no more, that a set of work may have left, go on by teams, in
 * one launch from where steps have brought them to their last sift? */
template <class T> bool sift_resumes(const sift_rows<T> &s, int count);
template <class T> cudaError_t sift_resume(const sift_rows<T> &s, int set, int count,
                                           cudaStream_t stream);

/* Puts the rows that a relay has left into set 0 of work, `count` of them. */
template <class T> cudaError_t sift_left(const sift_rows<T> &s, int count, cudaStream_t stream);
/* Another relay for those of set 0, `count` at most, that have many knots. */
template <class T> cudaError_t sift_relay_again(const sift_rows<T> &s, int count,
                                                cudaStream_t stream);
/* Blocks of a relay that can be on the device together; and at most, before the device is asked. */
template <class T> cudaError_t sift_relay_blocks(int warps, int processors, int *blocks);
template <class T> int sift_most_relay_blocks(int warps, int processors);

/* Delivers what the job wants of such rows. */
template <class T> cudaError_t sift_finish(const sift_rows<T> &s, const int *list, int count,
                                           cudaStream_t stream);

#endif
