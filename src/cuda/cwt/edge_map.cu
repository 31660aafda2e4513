/*
 * edge_map.cu - spectra beside edges (edge.cu) at once: all that is made of the bins beside an edge
 * is linear in their real and imaginary parts, so it is a map, a matrix, which a plan makes once.
 *
 *     map[edge][input][output]    input: part i % 2 of bin i / 2, 0 .. in
 *                                 output: parts of bin d = o / 4 on the edge's side, and beyond it
 *
 * Fits      edges whose steps a block's shared memory holds, and whose map takes MAP_MOST at most.
 * Twin      cpu/cwt/cwt_edge.c, within rounding.
 * Launch    make_kernel: CWT_PASS_THREADS, a block an input.  apply_kernel: MAP_THREADS over
 *           (MAP_OUTPUTS outputs, some channels at an edge); MAP_SHARES threads share an output,
 *           and each adds up a share of its inputs.
 * Memory    reads the map once for some channels.
 */
#include "cuda/cwt/edge.cuh"
#include "cuda/cwt/transform.cuh"
#include "cuda/device/shared.h"

constexpr size_t MAP_MOST = 32 << 20; /* bytes */

static size_t
inputs_of(const wsi_cwt_job_edge &edge)
{
	return 2 * (edge.in + 1);
}

static size_t
outputs_of(const wsi_cwt_job_edge &edge)
{
	return 4 * (edge.out + 1);
}

static unsigned
edges_of(const wsi_cwt_job_edge &edge)
{
	return (unsigned)edge.at_zero + (unsigned)edge.at_half;
}

/* ---- Made ----------------------------------------------------------------------------------- */

struct map_job {
	cwt_edge_rows e;
	cwt_pass chirps, line;
	unsigned inputs, outputs;
	double *map;
};

/* Shared memory: roots of both transforms, three rooms. */
static size_t
making_bytes(const wsi_cwt_job_edge &edge)
{
	const size_t room = edge.chirps > edge.line ? edge.chirps : edge.line;
	return (edge.chirps + edge.line + 3 * room) * sizeof(point);
}

size_t
cwt_edge_map(const wsi_cwt_job_edge &edge)
{
	cwt_pass pass;
	const size_t numbers = edges_of(edge) * inputs_of(edge) * outputs_of(edge);
	const bool fits = edge.table_count && numbers * sizeof(double) <= MAP_MOST &&
	                  making_bytes(edge) <= CWT_PASS_SHARED &&
	                  cwt_pass_alone(edge.chirps, sizeof(point), &pass) &&
	                  cwt_pass_alone(edge.line, sizeof(point), &pass);
	return fits ? numbers : 0;
}

/* Of `from` into it or `to`; not inlined, for a transform is much code. */
__device__ __noinline__ static point *
transformed(const cwt_pass &pass, const point *roots, point *from, point *to)
{
	return block_columns(pass, roots, from, to);
}

/* f of each number, by the block. */
template <class F>
__device__ __forceinline__ void
of_all(size_t numbers, F f)
{
	for (size_t i = threadIdx.x; i < numbers; i += CWT_PASS_THREADS)
		f(i);
}

/* Outputs of one input, 1 where others are 0. */
__global__ void __launch_bounds__(CWT_PASS_THREADS)
make_kernel(const __grid_constant__ map_job job)
{
	extern __shared__ point shared[];
	__shared__ double mean;
	const cwt_edge_rows &e = job.e;
	const size_t chirps = e.edge.chirps, line = e.edge.line, input = blockIdx.x % job.inputs;
	point *const chirp_roots = shared, *const line_roots = shared + chirps;
	point *const one = line_roots + line, *const other = one + (chirps > line ? chirps : line);
	point *const third = other + (other - one);
	edge_row row = {};
	row.at_half = e.edges == 1 ? e.edge.at_half : blockIdx.x >= job.inputs;
	row.mean = &mean;
	make_roots(job.chirps, chirp_roots);
	make_roots(job.line, line_roots);
	/* Convolves what is in `from`; `to` has nothing. */
	const auto convolved = [&](point *from, point *to) {
		row.a = row.b = transformed(job.chirps, chirp_roots, from, to);
		of_all(chirps, [&](size_t k) { convolve(e, row, k); });
		return transformed(job.chirps, chirp_roots, row.a, row.a == from ? to : from);
	};
	row.a = one;
	of_all(chirps, [&](size_t j) {
		const double unit = j == input / 2 ? 1.0 : 0.0;
		begin(e, row, j, input % 2 ? point{ 0.0, unit } : point{ unit, 0.0 });
	});
	row.b = convolved(one, other);
	point *const free = row.b == one ? other : one;
	row.line = free;
	of_all(line, [&](size_t q) { lay(e, row, q); });
	row.line = transformed(job.line, line_roots, free, third);
	of_all(line, [&](size_t q) { side(e, row, q); });
	row.line = transformed(job.line, line_roots, row.line, row.line == free ? third : free);
	row.a = row.line == free ? third : free;
	of_all(chirps, [&](size_t k) { end(e, row, k); });
	row.b = convolved(row.a, row.line);
	point *const to = (point *)(job.map + (size_t)blockIdx.x * job.outputs);
	of_all(e.edge.out + 1, [&](size_t d) {
		const size_t out = e.edge.out;
		to[2 * d] = added_bin(e, row, row.at_half ? out - d : out + d);
		to[2 * d + 1] = added_bin(e, row, row.at_half ? out + d : out - d);
	});
}

cudaError_t
cwt_edge_make_map(const wsi_cwt_job_edge &edge, unsigned length, double *map, cudaStream_t stream)
{
	map_job job = {};
	job.e.edge = edge;
	job.e.length = length;
	job.e.edges = (int)edges_of(edge);
	job.inputs = (unsigned)inputs_of(edge);
	job.outputs = (unsigned)outputs_of(edge);
	job.map = map;
	cwt_pass_alone(edge.chirps, sizeof(point), &job.chirps);
	cwt_pass_alone(edge.line, sizeof(point), &job.line);
	const size_t shared = making_bytes(edge);
	const cudaError_t error = allow_shared(make_kernel, shared);
	return error != cudaSuccess ? error
	                            : edge_launch(make_kernel, dim3(edges_of(edge) * job.inputs),
	                                          CWT_PASS_THREADS, shared, stream, job);
}

/* ---- Applied -------------------------------------------------------------------------------- */

/* Outputs of a block, and how many threads share an output's inputs; channels at once, where there
 * are several. */
constexpr unsigned MAP_OUTPUTS = 32, MAP_SHARES = 32, MAP_THREADS = MAP_OUTPUTS * MAP_SHARES;
constexpr unsigned MAP_CHANNELS = 4;

/* Part o % 2 of the bin at a distance of o / 4 from the edge, on its side or beyond. */
template <class X>
__device__ __forceinline__ void
put_part(const cwt_edge_rows &e, const edge_row &row, const cwt_spectra &spectra, unsigned o,
         double added)
{
	const int d = (int)(o / 4), step = row.at_half ? -1 : 1;
	const bool beyond = o & 2;
	if (beyond && d == 0)
		return;
	X *x = (X *)((two<X> *)spectra.x + row.channel * spectra.stride);
	const double *near = (const double *)row.near;
	const double was = beyond ? 0.0 : (d == 0 ? 0.5 : 1.0) * near[2 * d + (o & 1)];
	const int bin = (row.at_half ? (int)(e.length / 2) : 0) + (beyond ? -step * d : step * d);
	x[2 * bin + (int)(o & 1)] = (X)(was + (double)step * added);
}

template <class X, unsigned CHANNELS>
__global__ void __launch_bounds__(MAP_THREADS)
apply_kernel(const __grid_constant__ cwt_edge_rows e, const __grid_constant__ cwt_spectra spectra,
             unsigned inputs, unsigned outputs)
{
	extern __shared__ double bins[]; /* [CHANNELS][inputs] */
	__shared__ double parts[MAP_SHARES][CHANNELS][MAP_OUTPUTS];
	const unsigned edges = (unsigned)e.edges, edge = blockIdx.y % edges;
	const unsigned first = blockIdx.y / edges * CHANNELS;
	const unsigned channels = (unsigned)e.rows / edges;
	const unsigned share = threadIdx.x / MAP_OUTPUTS, mine = threadIdx.x % MAP_OUTPUTS;
	const unsigned output = blockIdx.x * MAP_OUTPUTS + mine;
	for (unsigned i = threadIdx.x; i < CHANNELS * inputs; i += MAP_THREADS) {
		const unsigned c = first + i / inputs;
		const edge_row row = row_at(e, c * edges + edge);
		bins[i] = c < channels ? ((const double *)row.near)[i % inputs] : 0.0;
	}
	__syncthreads();
	const double *map = e.map + (size_t)edge * inputs * outputs + output;
	double sum[CHANNELS] = {};
	const unsigned until = output < outputs ? inputs : 0;
#pragma unroll 12
	for (unsigned i = share; i < until; i += MAP_SHARES) {
		const double m = map[(size_t)i * outputs];
#pragma unroll
		for (unsigned c = 0; c < CHANNELS; ++c)
			sum[c] = fma(m, bins[c * inputs + i], sum[c]);
	}
#pragma unroll
	for (unsigned c = 0; c < CHANNELS; ++c)
		parts[share][c][mine] = sum[c];
	__syncthreads();
	if (share >= CHANNELS || output >= outputs || first + share >= channels)
		return;
	double added = 0.0;
	for (unsigned k = 0; k < MAP_SHARES; ++k)
		added += parts[k][share][mine];
	put_part<X>(e, row_at(e, (first + share) * edges + edge), spectra, output, added);
}

template <class X, unsigned CHANNELS>
static cudaError_t
launch_apply(const cwt_edge_rows &e, const cwt_spectra &spectra, cudaStream_t stream)
{
	const unsigned inputs = (unsigned)inputs_of(e.edge), outputs = (unsigned)outputs_of(e.edge);
	const unsigned edges = edges_of(e.edge), channels = (unsigned)e.rows / edges;
	const size_t shared = CHANNELS * inputs * sizeof(double);
	const dim3 grid((outputs + MAP_OUTPUTS - 1) / MAP_OUTPUTS,
	                (channels + CHANNELS - 1) / CHANNELS * edges);
	const cudaError_t error = allow_shared(apply_kernel<X, CHANNELS>, shared);
	return error != cudaSuccess ? error
	                            : edge_launch(apply_kernel<X, CHANNELS>, grid, MAP_THREADS,
	                                          shared, stream, e, spectra, inputs, outputs);
}

template <class X>
static cudaError_t
apply(const cwt_edge_rows &e, const cwt_spectra &spectra, cudaStream_t stream)
{
	return e.rows > edges_of(e.edge) ? launch_apply<X, MAP_CHANNELS>(e, spectra, stream)
	                                 : launch_apply<X, 1>(e, spectra, stream);
}

cudaError_t
cwt_edge_apply(const cwt_edge_rows &e, ws_type type, const cwt_spectra &spectra,
               cudaStream_t stream)
{
	return type == WS_F64 ? apply<double>(e, spectra, stream)
	                      : apply<float>(e, spectra, stream);
}
