/*
 * direct.h - direct convolution on the device: its tables, and the launch.
 *
 * A group is up to eight lines, or 16 on tensor cores, of like lengths that are summed together; an
 * item is a group at a tile of outputs of a channel, or, where there would be too few items, a
 * branch of the tree of sections (math/conv.h) of these.
 */
#ifndef WSI_CUDA_CONV_DIRECT_H
#define WSI_CUDA_CONV_DIRECT_H

#include <vector>

#include "cuda/device/device.h"
#include "ops/conv_job.h"

constexpr int DIRECT_THREADS = 128;

/* More than there are items. */
constexpr unsigned long long DIRECT_STOP = 1ull << 62;

/* A line of a group. */
struct direct_row {
	size_t taps;             /* on the device */
	int d0, d1;
	unsigned row;            /* of the portion's rows of responses */
	unsigned mask;           /* as given */
	unsigned char part, step;
	short exponent;          /* of the mask's largest tap, where sums are parted */
};

struct direct_group {
	unsigned first, rows;    /* of the rows' table; 1, 2, 4, 8 or 16, of which `used` are
	                            there */
	unsigned used;
	int d0, d1;              /* of all its rows */
	int level;               /* a branch has 2^level sections; -1: an item has the whole tree */
	int node0, nodes;        /* branches: the first's index, their number */
	unsigned long long item; /* the first of its items */
	size_t partial;          /* its first sum in the memory for those of branches */
	size_t join;             /* rows, of all channels, of groups before it that have branches */
};

/* How sums are made. */
struct direct_kind {
	ws_type samples, sums;
	bool carried, dense;     /* dense: every == 1 */
	int accumulators;        /* of a sum */
	bool tensor;             /* by tensor cores, groups of TENSOR_ROWS */
};

/* Groups on tensor cores, and outputs of their tiles. */
constexpr int TENSOR_ROWS = 16, TENSOR_TILE = 2 * DIRECT_THREADS;

/* Do this device's tensor cores add products in f64 as the vector units do?  Known of compute
 * capability 9.0 alone (bench/conv/tensor.cu). */
inline bool
direct_tensor(const cudaDeviceProp &facts)
{
	return facts.major == 9 && facts.minor == 0;
}

/* Outputs of a tile; those of a group of 16 are TENSOR_TILE. */
int direct_tile(const direct_kind &kind);
/* Rows of a group, at most. */
int direct_rows(const direct_kind &kind);
/* Bytes of a block of threads' stack for a level of the tree. */
size_t direct_stack_bytes(const direct_kind &kind);
/* Blocks of threads that the device runs at once. */
cudaError_t direct_blocks(const direct_kind &kind, const cudaDeviceProp &facts, int every,
                          int *blocks);

/* A portion: outputs of some channels and masks. */
struct direct_job {
	const char *x;           /* [channel] samples low .. high - 1 */
	size_t x_stride;         /* bytes */
	long long low, high, n;  /* n: of the whole signal */
	long long n0;            /* sample of output 0 */
	int every;
	long long outputs;       /* of a row */
	int channels, parts;     /* parts: numbers of an output */
	char *y;                 /* [channel][row][output][part] */
	size_t y_channel, y_row; /* bytes */
	const unsigned long long *largest; /* [channel] |sample| as f64's bits, if sums are
	                                      parted */
	int accumulators;
	const void *values;
	const direct_group *groups; /* longest first */
	const direct_row *rows;
	int n_groups;
	unsigned long long items;
	char *stack;             /* [block][level] */
	int levels;
	size_t joins;            /* rows, of all channels, of groups that have branches */
	char *partial;           /* [channel][branch][row][output] of a group; carried: twice */
	unsigned long long *next;   /* 0; DIRECT_STOP: items are left as they are */
	unsigned long long *high_response; /* the least channel << 32 | mask */
	unsigned first_channel;
};

/* Puts the sums of all items, and what joins branches, into the stream. */
cudaError_t direct_launch(const direct_kind &kind, const direct_job &job, int blocks,
                          cudaStream_t stream);

/* ---- Tables (groups.cu) -------------------------------------------------------------------- */

/* Lines that are summed together on a portion of outputs. */
struct direct_tables {
	std::vector<direct_group> groups;
	std::vector<direct_row> rows;
	unsigned long long items;
	int levels;              /* of the stack */
	size_t partial;          /* sums of branches */
	size_t joins;            /* as in direct_job */
};

/* Levels of the stack that offsets d0 .. d1 - 1 need. */
int direct_levels(long long d0, long long d1);

/* What of the tree and of the items depends on the outputs. */
struct direct_span {
	long long n, n0, last;   /* samples of the signal; those of the first and last output */
	long long outputs;
	int channels, blocks;
	size_t partial;          /* sums of branches, at most */
};

/* lines: shortest first.  tiles: of all channels; where few, groups are small, so that there are
 * items for all blocks. */
direct_tables direct_group_lines(const std::vector<direct_row> &lines, const direct_kind &kind,
                                 size_t tiles, int blocks);
/* Sets items, levels and branches for a portion of outputs. */
void direct_lay_out(direct_tables &tables, const direct_kind &kind, const direct_span &span);

#endif
