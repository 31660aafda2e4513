/*
 * edge.cuh - what is made of the bins beside an edge, number by number, between the transforms of
 * edge.cu and edge_map.cu.
 */
#ifndef WSI_CUDA_CWT_EDGE_CUH
#define WSI_CUDA_CWT_EDGE_CUH

#include "cuda/cwt/kernels.h"

typedef two<double> point;

/* A row: the bins it is made of, what goes into a transform, what comes of it, points along the
 * line; and which edge it is beside. */
struct edge_row {
	const point *near;
	point *a, *b, *line;
	double *mean;
	bool at_half;
	size_t channel;
};

__device__ __forceinline__ edge_row
row_at(const cwt_edge_rows &e, size_t row)
{
	const size_t chirps = e.edge.chirps, near = e.edge.in > e.edge.out ? e.edge.in : e.edge.out;
	const bool half = e.edges == 1 ? e.edge.at_half : row % 2 == 1;
	return { (const point *)e.near + row * (near + 1), (point *)e.a + row * chirps,
		 (point *)e.b + row * chirps, (point *)e.line + row * e.edge.line, e.mean + row,
		 half, row / (size_t)e.edges };
}

__device__ __forceinline__ const double *
table_of(const cwt_edge_rows &e, int which)
{
	return e.edge.table + e.edge.at[which];
}

/* v e^{i phase}; phase: cosines, then sines `apart` behind them. */
__device__ __forceinline__ point
rotated(point v, const double *phase, size_t apart, size_t i)
{
	const double c = phase[i], s = phase[apart + i];
	return { v.x * c - v.y * s, v.x * s + v.y * c };
}

__device__ __forceinline__ point
chirped(const cwt_edge_rows &e, point v, size_t j)
{
	return rotated(v, table_of(e, WSI_EDGE_CHIRP), e.edge.chirps / 2 + 1, j);
}

/* Result j of a convolution. */
__device__ __forceinline__ point
result_of(const cwt_edge_rows &e, const edge_row &row, size_t j)
{
	const point v = row.b[j];
	return chirped(e, { v.x, -v.y }, j);
}

/* Point k of u and of the circle's h. */
__device__ __forceinline__ point
point_of(const cwt_edge_rows &e, const edge_row &row, size_t k)
{
	const double share = 2.0 / (double)e.length;
	const point v = result_of(e, row, k);
	return { v.x * share, v.y * share };
}

/* ---- Steps, number by number ---------------------------------------------------------------- */

/* a: bins of u, moved to 0, for the convolution that makes points of them; v: bin j, if there is
 * one. */
__device__ __forceinline__ void
begin(const cwt_edge_rows &e, const edge_row &row, size_t j, point v)
{
	if (j > e.edge.in) {
		row.a[j] = { 0.0, 0.0 };
		return;
	}
	/* Bins above half the rate are conjugates. */
	const double b = table_of(e, WSI_EDGE_B)[j];
	const point u = { b * v.x, b * (row.at_half ? -v.y : v.y) };
	row.a[j] = chirped(e, rotated(u, table_of(e, WSI_EDGE_BEGIN),
	                              e.edge.in + 2 * e.edge.out + 2, j), j);
}

/* a: b times the chirps' transform, conjugated, so that the next transform goes back. */
__device__ __forceinline__ void
convolve(const cwt_edge_rows &e, const edge_row &row, size_t k)
{
	const size_t n = e.edge.chirps;
	const double *h = table_of(e, WSI_EDGE_RESPONSE), share = 1.0 / (double)n;
	const point p = rotated(row.b[k], h, n, k);
	row.a[k] = { share * p.x, -share * p.y };
}

/* line: u along the period. */
__device__ __forceinline__ void
lay(const cwt_edge_rows &e, const edge_row &row, size_t q)
{
	const size_t n = e.edge.line, before = (size_t)-e.edge.first;
	const size_t after = e.edge.count - before;
	double u = 0.0;
	if (e.edge.mirrored)
		u = point_of(e, row, before + (q <= n / 2 ? q : n - q)).x;
	else if (q < after)
		u = point_of(e, row, before + q).x;
	else if (q >= n - before)
		u = point_of(e, row, q - (n - before)).x;
	row.line[q] = { u, 0.0 };
}

/* line: its harmonics by -i side, conjugated; mean: of u. */
__device__ __forceinline__ void
side(const cwt_edge_rows &e, const edge_row &row, size_t q)
{
	const double share = 1.0 / (double)e.edge.line;
	const double s = share * table_of(e, WSI_EDGE_SIDE)[q];
	const point v = row.line[q];
	if (q == 0)
		*row.mean = share * v.x;
	row.line[q] = { -s * v.y, -s * v.x };
}

/* a: points of the window times what the line's h differs by, for the convolution that makes bins
 * of them. */
__device__ __forceinline__ void
end(const cwt_edge_rows &e, const edge_row &row, size_t k)
{
	const int64_t n = (int64_t)e.edge.line;
	if (k >= e.edge.count) {
		row.a[k] = { 0.0, 0.0 };
		return;
	}
	/* Of a long gap the points go around more than once. */
	const int64_t around = (e.edge.first + (int64_t)k) % n;
	const double share = 0.5 * (double)e.edge.period / (double)n;
	const double w = share * table_of(e, WSI_EDGE_W)[k];
	const double mean = e.edge.mirrored && !row.at_half ? *row.mean : 0.0;
	const double rest = row.line[around < 0 ? around + n : around].x - point_of(e, row, k).y;
	/* Of the conjugate. */
	const point v = { -w * mean, -w * rest };
	row.a[k] = chirped(e, rotated(v, table_of(e, WSI_EDGE_END), e.edge.count, k), k);
}

/* Bin m of -out .. out, m from 0 on, of what is added, but for the edge's sign. */
__device__ __forceinline__ point
added_bin(const cwt_edge_rows &e, const edge_row &row, size_t m)
{
	const size_t apart = e.edge.in + 2 * e.edge.out + 2;
	const point v = rotated(result_of(e, row, m), table_of(e, WSI_EDGE_BEGIN), apart,
	                       e.edge.in + 1 + m);
	return { v.x, -v.y };
}

/* ---- Launches ------------------------------------------------------------------------------- */

template <class... Parameters, class... Arguments>
static cudaError_t
edge_launch(void (*kernel)(Parameters...), dim3 grid, unsigned threads, size_t shared,
            cudaStream_t stream, const Arguments &...arguments)
{
	cudaLaunchConfig_t config = {};
	config.gridDim = grid;
	config.blockDim = dim3(threads);
	config.dynamicSmemBytes = shared;
	config.stream = stream;
	return cudaLaunchKernelEx(&config, kernel, arguments...);
}

#endif
