/*
 * edge.cu - spectra of padded signals beside 0 and beside half the sampling rate, for wavelets
 * whose response is cut there: what the line has that padding stands for (cpu/cwt/cwt_edge.h).
 *
 *     take, begin  ->  F, convolve, F  ->  lay  ->  F, side, F  ->  end  ->  F, convolve, F
 *     ->  put;  F: an inverse transform of a to b, or of the line onto itself, by cuFFT
 *
 * Fits      any edge that the CPU's plan has; some thousand points, whatever the signal.
 * Twin      cpu/cwt/cwt_edge.c, number by number, but for the transforms' rounding.
 * Launch    EDGE_THREADS (256), a number each, over (numbers, rows); a row is a channel at one
 *           edge.
 * Memory    each step reads and writes its numbers once.
 */
#include "cuda/cwt/store.cuh"

constexpr unsigned EDGE_THREADS = 256;

typedef two<double> point;

/* A row of either buffer, and which edge it is beside. */
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

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Bins beside the edges, of spectra in double that cwt_spectrum() has not made. */
__global__ void __launch_bounds__(EDGE_THREADS)
take_kernel(const __grid_constant__ cwt_edge_rows e, const __grid_constant__ cwt_spectra spectra)
{
	const size_t d = (size_t)blockIdx.x * EDGE_THREADS + threadIdx.x;
	const size_t near = e.edge.in > e.edge.out ? e.edge.in : e.edge.out;
	const edge_row row = row_at(e, blockIdx.y);
	if (d > near)
		return;
	const point *x = (const point *)spectra.x + row.channel * spectra.stride;
	((point *)row.near)[d] = x[row.at_half ? e.length / 2 - d : d];
}

/* a: bins of u, moved to 0, for the convolution that makes points of them. */
__global__ void __launch_bounds__(EDGE_THREADS)
begin_kernel(const __grid_constant__ cwt_edge_rows e)
{
	const size_t j = (size_t)blockIdx.x * EDGE_THREADS + threadIdx.x;
	const edge_row row = row_at(e, blockIdx.y);
	if (j >= e.edge.chirps)
		return;
	if (j > e.edge.in) {
		row.a[j] = { 0.0, 0.0 };
		return;
	}
	const double b = table_of(e, WSI_EDGE_B)[j];
	const point v = row.near[j]; /* bins above half the rate are conjugates */
	const point u = { b * v.x, b * (row.at_half ? -v.y : v.y) };
	row.a[j] = chirped(e, rotated(u, table_of(e, WSI_EDGE_BEGIN),
	                              e.edge.in + 2 * e.edge.out + 2,
	                             j), j);
}

/* a: b times the chirps' transform, conjugated, so that the next transform goes back. */
__global__ void __launch_bounds__(EDGE_THREADS)
convolve_kernel(const __grid_constant__ cwt_edge_rows e)
{
	const size_t k = (size_t)blockIdx.x * EDGE_THREADS + threadIdx.x, n = e.edge.chirps;
	const edge_row row = row_at(e, blockIdx.y);
	if (k >= n)
		return;
	const double *h = table_of(e, WSI_EDGE_RESPONSE), share = 1.0 / (double)n;
	const point p = rotated(row.b[k], h, n, k);
	row.a[k] = { share * p.x, -share * p.y };
}

/* line: u along the period. */
__global__ void __launch_bounds__(EDGE_THREADS)
lay_kernel(const __grid_constant__ cwt_edge_rows e)
{
	const size_t q = (size_t)blockIdx.x * EDGE_THREADS + threadIdx.x, n = e.edge.line;
	const edge_row row = row_at(e, blockIdx.y);
	const size_t before = (size_t)-e.edge.first, after = e.edge.count - before;
	if (q >= n)
		return;
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
__global__ void __launch_bounds__(EDGE_THREADS)
side_kernel(const __grid_constant__ cwt_edge_rows e)
{
	const size_t q = (size_t)blockIdx.x * EDGE_THREADS + threadIdx.x, n = e.edge.line;
	const edge_row row = row_at(e, blockIdx.y);
	if (q >= n)
		return;
	const double share = 1.0 / (double)n, s = share * table_of(e, WSI_EDGE_SIDE)[q];
	const point v = row.line[q];
	if (q == 0)
		*row.mean = share * v.x;
	row.line[q] = { -s * v.y, -s * v.x };
}

/* a: points of the window times what the line's h differs by, for the convolution that makes bins
 * of them. */
__global__ void __launch_bounds__(EDGE_THREADS)
end_kernel(const __grid_constant__ cwt_edge_rows e)
{
	const size_t k = (size_t)blockIdx.x * EDGE_THREADS + threadIdx.x;
	const edge_row row = row_at(e, blockIdx.y);
	const int64_t n = (int64_t)e.edge.line;
	if (k >= e.edge.chirps)
		return;
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

/* Bin m of -out .. out, m from 0 on, of what is added. */
__device__ __forceinline__ point
added_bin(const cwt_edge_rows &e, const edge_row &row, size_t m)
{
	const size_t apart = e.edge.in + 2 * e.edge.out + 2;
	const point v = rotated(result_of(e, row, m), table_of(e, WSI_EDGE_BEGIN), apart,
	                       e.edge.in + 1 + m);
	return { v.x, -v.y };
}

/* The bins at a distance of d from the edge, on either side. */
template <class X>
__global__ void __launch_bounds__(EDGE_THREADS)
put_kernel(const __grid_constant__ cwt_edge_rows e, const __grid_constant__ cwt_spectra spectra)
{
	const int d = (int)(blockIdx.x * EDGE_THREADS + threadIdx.x), out = (int)e.edge.out;
	const edge_row row = row_at(e, blockIdx.y);
	if (d > out)
		return;
	const int step = row.at_half ? -1 : 1;
	const double sign = step, unit = d == 0 ? 0.5 : 1.0;
	two<X> *x = (two<X> *)spectra.x + row.channel * spectra.stride;
	x += row.at_half ? e.length / 2 : 0;
	const point was = row.near[d], near = added_bin(e, row, (size_t)(out + step * d));
	x[step * d] = { (X)(unit * was.x + sign * near.x), (X)(unit * was.y + sign * near.y) };
	if (d == 0)
		return;
	const point far = added_bin(e, row, (size_t)(out - step * d));
	x[-step * d] = { (X)(sign * far.x), (X)(sign * far.y) };
}

/* ---- Launches ------------------------------------------------------------------------------- */

static dim3
grid_of(const cwt_edge_rows &e, size_t numbers)
{
	return dim3((unsigned)((numbers + EDGE_THREADS - 1) / EDGE_THREADS), (unsigned)e.rows);
}

cudaError_t
cwt_edge_take(const cwt_edge_rows &e, const cwt_spectra &spectra, cudaStream_t stream)
{
	take_kernel<<<grid_of(e, cwt_edge_near(e.edge)), EDGE_THREADS, 0, stream>>>(e, spectra);
	return cudaGetLastError();
}

cudaError_t
cwt_edge_begin(const cwt_edge_rows &e, cudaStream_t stream)
{
	begin_kernel<<<grid_of(e, e.edge.chirps), EDGE_THREADS, 0, stream>>>(e);
	return cudaGetLastError();
}

cudaError_t
cwt_edge_convolve(const cwt_edge_rows &e, cudaStream_t stream)
{
	convolve_kernel<<<grid_of(e, e.edge.chirps), EDGE_THREADS, 0, stream>>>(e);
	return cudaGetLastError();
}

cudaError_t
cwt_edge_lay(const cwt_edge_rows &e, cudaStream_t stream)
{
	lay_kernel<<<grid_of(e, e.edge.line), EDGE_THREADS, 0, stream>>>(e);
	return cudaGetLastError();
}

cudaError_t
cwt_edge_side(const cwt_edge_rows &e, cudaStream_t stream)
{
	side_kernel<<<grid_of(e, e.edge.line), EDGE_THREADS, 0, stream>>>(e);
	return cudaGetLastError();
}

cudaError_t
cwt_edge_end(const cwt_edge_rows &e, cudaStream_t stream)
{
	end_kernel<<<grid_of(e, e.edge.chirps), EDGE_THREADS, 0, stream>>>(e);
	return cudaGetLastError();
}

cudaError_t
cwt_edge_put(const cwt_edge_rows &e, ws_type type, const cwt_spectra &spectra, cudaStream_t stream)
{
	if (type == WS_F64)
		put_kernel<double><<<grid_of(e, e.edge.out + 1), EDGE_THREADS, 0, stream>>>(
			e, spectra);
	else
		put_kernel<float><<<grid_of(e, e.edge.out + 1), EDGE_THREADS, 0, stream>>>(
			e, spectra);
	return cudaGetLastError();
}
