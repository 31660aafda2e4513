/*
 * sift.h - sifting many rows on a device, as the engine sees it.
 */
#ifndef WSI_CUDA_SIFT_H
#define WSI_CUDA_SIFT_H

#include <cuda_runtime.h>

#include "cuda/row.h"
#include "ops/engine.h"

/* Rows of a job are those of r; a launch works on those that `list` names. */
template <class T> struct sift_rows {
	/* Row i of r is at r + i * r_stride samples, and so on. */
	T *r;
	const T *b;                   /* NULL: y is r */
	T *out, *y, *room;
	size_t r_stride, b_stride, out_stride, stride; /* the last of y and room */
	int n, tiles, groups;
	uint16_t *marks;              /* [row][set][kind][groups] */
	uint32_t *summary;            /* [row][set][kind][groups / 32] */
	row_edge *edges;              /* [row][tile] */
	double *sums;                 /* [row][3][groups / 32] */
	unsigned long long *low, *high; /* [row] extremes, order.cuh */
	row<T> *rows;                 /* [row] */
	int *phase;                   /* [row] */
	const row_input *input;       /* [row] */
	row_output *output;           /* [row] */
	/* The rules. */
	ws_boundary boundary;
	ws_spline spline;
	ws_stop stop;
	double stop_param[3];
	int sifts, max_sifts, check_every, min_extrema;
	bool plateaus, half_ticks, cyclic, needs_both, compare_crossings, signs;
	bool step;                    /* of a decomposition: a small range is none */
	bool tiny_modes, imf_ends, rest, deflate;
};

/* Samples that a warp owns, 16 a thread, and warps of a block: enough for the
 * whole row where that is short. */
constexpr int SIFT_SPAN = 512;

inline int
sift_warps(int n)
{
	return n <= SIFT_SPAN ? 1 : n <= 2 * SIFT_SPAN ? 2 : 4;
}

/* Each launches one kernel over `count` rows, those that list names.  Start
 * makes y and its marks; step takes each row one phase on; whole does both
 * until the row is done, for rows of one tile; finish delivers. */
template <class T> cudaError_t sift_start(const sift_rows<T> &s, const int *list, int count,
                                          cudaStream_t stream);
template <class T> cudaError_t sift_step(const sift_rows<T> &s, const int *list, int count,
                                         cudaStream_t stream);
template <class T> cudaError_t sift_whole(const sift_rows<T> &s, const int *list, int count,
                                          cudaStream_t stream);
template <class T> cudaError_t sift_finish(const sift_rows<T> &s, const int *list, int count,
                                           cudaStream_t stream);

#endif
