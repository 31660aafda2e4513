/*
 * edge.cu - spectra of padded signals beside 0 and beside half the sampling rate, for wavelets
 * whose response is cut there: what the line has that padding stands for (cpu/cwt/cwt_edge.h), step
 * by step.
 *
 *     take, begin  ->  F, convolve, F  ->  lay  ->  F, side, F  ->  end  ->  F, convolve, F
 *     ->  put;  F: an inverse transform of a to b, or of the line onto itself, by cuFFT
 *
 * Fits      any edge that the CPU's plan has; edge_map.cu takes those whose map is small.
 * Twin      cpu/cwt/cwt_edge.c, number by number, but for the transforms' rounding.
 * Launch    EDGE_THREADS (256), a number each, over (numbers, rows); a row is a channel at one
 *           edge.
 * Memory    each step reads and writes its numbers once.
 */
#include "cuda/cwt/edge.cuh"

constexpr unsigned EDGE_THREADS = 256;

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

typedef void edge_step(const cwt_edge_rows &e, const edge_row &row, size_t number);

__device__ __forceinline__ void
begin_near(const cwt_edge_rows &e, const edge_row &row, size_t j)
{
	begin(e, row, j, j <= e.edge.in ? row.near[j] : point{ 0.0, 0.0 });
}

template <edge_step *STEP>
__global__ void __launch_bounds__(EDGE_THREADS)
step_kernel(const __grid_constant__ cwt_edge_rows e, size_t numbers)
{
	const size_t i = (size_t)blockIdx.x * EDGE_THREADS + threadIdx.x;
	if (i < numbers)
		STEP(e, row_at(e, blockIdx.y), i);
}

/* The bins at a distance of d from the edge, on either side. */
template <class X>
__device__ __forceinline__ void
put(const cwt_edge_rows &e, const edge_row &row, const cwt_spectra &spectra, int d)
{
	const int out = (int)e.edge.out, step = row.at_half ? -1 : 1;
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

template <class X>
__global__ void __launch_bounds__(EDGE_THREADS)
put_kernel(const __grid_constant__ cwt_edge_rows e, const __grid_constant__ cwt_spectra spectra)
{
	const int d = (int)(blockIdx.x * EDGE_THREADS + threadIdx.x);
	if (d <= (int)e.edge.out)
		put<X>(e, row_at(e, blockIdx.y), spectra, d);
}

static dim3
grid_of(const cwt_edge_rows &e, size_t numbers)
{
	return dim3((unsigned)((numbers + EDGE_THREADS - 1) / EDGE_THREADS), (unsigned)e.rows);
}

cudaError_t
cwt_edge_take(const cwt_edge_rows &e, const cwt_spectra &spectra, cudaStream_t stream)
{
	return edge_launch(take_kernel, grid_of(e, cwt_edge_near(e.edge)), EDGE_THREADS, 0, stream,
	                   e, spectra);
}

template <edge_step *STEP>
static cudaError_t
launch_step(const cwt_edge_rows &e, size_t numbers, cudaStream_t stream)
{
	return edge_launch(step_kernel<STEP>, grid_of(e, numbers), EDGE_THREADS, 0, stream, e,
	                   numbers);
}

cudaError_t
cwt_edge_begin(const cwt_edge_rows &e, cudaStream_t stream)
{
	return launch_step<begin_near>(e, e.edge.chirps, stream);
}

cudaError_t
cwt_edge_convolve(const cwt_edge_rows &e, cudaStream_t stream)
{
	return launch_step<convolve>(e, e.edge.chirps, stream);
}

cudaError_t
cwt_edge_lay(const cwt_edge_rows &e, cudaStream_t stream)
{
	return launch_step<lay>(e, e.edge.line, stream);
}

cudaError_t
cwt_edge_side(const cwt_edge_rows &e, cudaStream_t stream)
{
	return launch_step<side>(e, e.edge.line, stream);
}

cudaError_t
cwt_edge_end(const cwt_edge_rows &e, cudaStream_t stream)
{
	return launch_step<end>(e, e.edge.chirps, stream);
}

cudaError_t
cwt_edge_put(const cwt_edge_rows &e, ws_type type, const cwt_spectra &spectra, cudaStream_t stream)
{
	return edge_launch(type == WS_F64 ? put_kernel<double> : put_kernel<float>,
	                   grid_of(e, e.edge.out + 1), EDGE_THREADS, 0, stream, e, spectra);
}
