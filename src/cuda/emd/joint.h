/*
 * joint.h - sifting several channels together on a device, as the engine sees
 * it; the CPU's is cpu/emd/joint.h.
 */
#ifndef WSI_CUDA_JOINT_H
#define WSI_CUDA_JOINT_H

#include <cuda_runtime.h>

#include "cuda/device/math.cuh"
#include "cuda/emd/joint_share.h"
#include "math/joint_grid.h"
#include "ops/engine.h"

/* math/joint.h and math/joint_channel.h, each type's in a struct of its own. */
template <class T> struct joint_math;
#define FN(name) name
#define FMA(a, b, c) fma((a), (b), (c))
#define REAL double
#define REAL_BITS 64
template <> struct joint_math<double> {
#include "math/joint.h"
#include "math/joint_channel.h"
	static constexpr int REACH = JOINT_REACH;
};
#undef REAL
#undef REAL_BITS
#define REAL float
#define REAL_BITS 32
template <> struct joint_math<float> {
#include "math/joint.h"
#include "math/joint_channel.h"
	static constexpr int REACH = JOINT_REACH;
};
#undef REAL
#undef REAL_BITS
#undef FMA
#undef FN

/* Rows of a window that are worked on at a time, and most of all; those past its last
 * knot are zeros. */
constexpr int JOINT_ROWS = 16;
template <class T>
constexpr int JOINT_WINDOW = (WSI_JOINT_TILE / 2 + 2 * joint_math<T>::REACH + 8 + JOINT_ROWS - 1) /
                             JOINT_ROWS *JOINT_ROWS;
/* Knots whose slopes a tile reads: of its intervals, one after, and one more; and those that
 * are written with them. */
constexpr int JOINT_OWN = WSI_JOINT_TILE / 2 + 12;
/* More than a tile has intervals. */
constexpr uint32_t JOINT_KNOTS = 256;
static_assert(JOINT_OWN <= JOINT_KNOTS && WSI_JOINT_BLOCK / 2 + 1 <= 24);
/* A block of samples is a word of bits. */
constexpr int JOINT_TILE_WORDS = WSI_JOINT_BLOCKS;
static_assert(WSI_JOINT_BLOCK == 32);

/* Directions in the table of directions are padded to a multiple of this. */
constexpr int JOINT_DIRECTIONS = 16;

/* The knots of one envelope of one direction: n of them from `first` of its list on,
 * n_left and n_right of the boundary rule's, whose values are rows of their own. */
struct joint_knots { int first, n, n_left, n_right; };

/* What is known after the knots of all directions were found. */
struct joint_state {
	int active;             /* directions with envelopes */
	int most_extrema;       /* on any */
	int agrees;             /* a direction has as many crossings as extrema, +- 1 */
	int sifts;              /* made so far */
	unsigned long long above_sd, above_sd2;
};

/* Which knots a tile sees, and the slopes at its list's ends. */
template <class T> struct alignas(16) joint_window {
	int lo, n;              /* first knot in the list, number of knots; 0: no envelope */
	int own, rows;          /* interval of the tile's first sample, counted from lo; knots
	                           whose slopes the tile reads, from that one on */
	int left, right;        /* does the list end here, and has it an end slope of its own? */
	typename joint_math<T>::joint_end end[2];
};

/* Of a block of samples.  starts: which are knots.  halves_knot: halves JOINT_KNOTS + knot; halves
 * tells which of the knots after the first sample, counted from there, lie half a sample before
 * theirs, knot is the interval of the first sample, counted from that of its tile's first. */
struct alignas(8) joint_marks {
	uint32_t starts, halves_knot;

	__device__ __forceinline__ int
	knot() const
	{
		return (int)(halves_knot % JOINT_KNOTS);
	}
};

/* A knot of a window: the inverse of the interval that follows, or 0 after the last knot of
 * all; where its value is, in units of 64 bytes from h; its tick. */
template <class T> struct alignas(16) joint_knot { T inverse; int offset, time; };

/* As elimination leaves a row: p_j = a D_{j-1} + b D_j + l p_{j-1}, s_j = p_j + q s_{j+1}. */
template <class T> using joint_weights = four<T>; /* x, y, z, w: a, b, l, q */

/* Of a direction: it has envelopes, and knots between two samples. */
constexpr int JOINT_ACTIVE = 1, JOINT_HALVED = 2;

template <class T> struct joint_signal {
	T *h[2];                /* [row][lane], as the CPU's (ops/ops.h) */
	const T *u;             /* [channel][direction], padded */
	int n, channels, lanes, directions, padded;
	int tiles, words;       /* of a signal, whole tiles; 32 bits each */
	int first_tile, end_tile; /* those that are sifted here, the others elsewhere
	                           (joint_share.h) */
	int extras, first_extra; /* rows beyond the signal, for a side of an envelope */
	uint32_t *rise, *fall, *above, *below; /* [direction][word] */
	T *middle;              /* [sample][lane] or NULL (wsi_project_args).. */
	int middle_offset; /* ..from the h at hand on, in units of 64 bytes; windows_kernel's */
	uint32_t *bits;         /* [direction][kind][word] */
	uint32_t *half; /* [direction][word] of these, knots half a sample before; or NULL */
	int32_t *before;        /* [direction][kind][tile] */
	int32_t *t;             /* [direction][kind][t_stride] ticks */
	int t_stride;
	joint_knots *knots;     /* [direction][kind] */
	int *active;            /* [direction] 0, or JOINT_ACTIVE, also with JOINT_HALVED */
	joint_state *state;
	joint_weights<T> *weights; /* [direction][kind][tile of a chunk][JOINT_WINDOW] */
	joint_window<T> *windows;  /* [direction][kind][tile of a chunk] */
	int chunk;              /* tiles */
	joint_marks *marks;     /* [direction][kind][tile of a chunk][JOINT_TILE_WORDS] */
	joint_knot<T> *seen;    /* [direction][kind][tile of a chunk][JOINT_WINDOW], the last
	                           of a list twice */
	T *slopes;              /* [group of 32 channels][direction][kind][tile of a chunk]
	                           [SLOPES_ROWS][lanes of a squad] (joint_slopes.cuh) */
	int groups;             /* of channels, whose slopes are there at a time */
	T *whole;     /* [group][block of a chunk][coefficient][32]: what envelopes without
	                 a knot in the block add up to */
	T *distances; /* [group][direction][sample of a chunk] squared, of upper and lower */
	T *amplitude;           /* [sample] sum over directions */
	T *squares;             /* [m, h][group of 32 channels][sample] */
	double *block_sums;     /* [m, h][block of 32 samples] */
	/* The rules. */
	ws_boundary boundary;
	ws_spline spline;
	T flat;
	double sd, sd2;
	bool plateaus, lower_middle, vanishing, cyclic, crossings;
	double vanished;        /* what vanishing projections stay below */
	double tie;             /* boundary_tie(), not rounded to the type as flat is */
	int min_each;
	/* The device. */
	int processors, shared_bytes; /* multiprocessors; most memory of a block */
};

/* Brings all kernels of joint sifting to the device in force, see load.h. */
template <class T> cudaError_t joint_load();

/* Rows of channels to h[0], and h[set] to rows of channels, off the rest; if_sifted: only if it
 * was. */
template <class T> cudaError_t joint_gather(const joint_signal<T> &s, const T *rows, size_t stride,
                                            cudaStream_t stream);
template <class T> cudaError_t joint_scatter(const joint_signal<T> &s, int set, bool if_sifted,
                                             T *rows, size_t stride, T *rest, size_t rest_stride,
                                             cudaStream_t stream);

/* The steps of projections of h[set], of the tiles that are sifted here. */
template <class T> cudaError_t joint_project(const joint_signal<T> &s, int set,
                                             cudaStream_t stream);

/* The steps that the others have made, of h[set]. */
template <class T> cudaError_t joint_take_steps(const joint_signal<T> &s, int set,
                                                const joint_others &others, cudaStream_t stream);

/* From the steps of all tiles the extrema and knots of projections; fills state. */
template <class T> cudaError_t joint_find_knots(const joint_signal<T> &s, int set,
                                                cudaStream_t stream);

/* h[1 - set] = h[set] minus the mean, or the same where no direction is active, of the tiles that
 * are sifted here; counts the sift.  above, sums: with the statistics of a rule. */
template <class T> cudaError_t joint_subtract_mean(const joint_signal<T> &s, int set, bool above,
                                                   bool sums, cudaStream_t stream);

#endif
