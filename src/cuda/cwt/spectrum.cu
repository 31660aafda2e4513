/*
 * spectrum.cu - spectra of real channels by two passes, in double: pairs of samples are complex
 * numbers z[t], t < H = N / 2 = first.n second.n,
 *
 *     t = t2 + n2 t1,  k = k1 + n1 k2:   columns over t1, times e^{-2 pi i k1 t2 / H}; rows
 *     over t2; then bins k and H - k of the real signal from those of z.
 *
 * The samples are looked at on the way.  Their scale is applied to bins, their offset to bin 0.
 * All transforms are of conjugates: transform.cuh knows one direction.
 *
 * Fits      N / 2 with two factors that cwt_split_of() finds; else forward.cu and cuFFT.
 * Twin      wsi_cwt_forward() of cpu/cwt/cwt.c, cpu/fft/dft.c, within rounding; offset and scale
 *           alike.
 * Launch    CWT_PASS_THREADS a few columns, or a few rows and their mirrored ones.
 * Memory    reads the samples once, writes H complex numbers and reads them, writes the bins.
 */
#include "cuda/cwt/forward.cuh"
#include "cuda/cwt/transform.cuh"
#include "cuda/device/shared.h"
#include "math/padding.h"

constexpr int WARPS = CWT_PASS_THREADS / 32;

struct spectrum_job {
	const char *x;
	size_t stride, samples, length;
	ws_padding padding;
	bool steps, centred;
	cwt_split split;
	cwt_found *found;       /* [channel][found_blocks] */
	int found_blocks;
	unsigned long long *bad;
	two<double> *columns;   /* [channel][H] */
	cwt_head *heads;
	void *bins;
	size_t bins_stride;
	unsigned keep;          /* bins from here on are not needed */
	two<double> *near; /* [channel][edges][near_bins], by the distance from each; or NULL */
	unsigned near_bins;
	bool at_zero, at_half;
};

__device__ static cwt_found
joined(cwt_found a, const cwt_found &b)
{
	return { fmin(a.low, b.low), fmax(a.high, b.high), a.sum + b.sum };
}

/* What a warp found, in all its lanes. */
__device__ static cwt_found
warp_found(cwt_found f)
{
	for (int far = 16; far > 0; far /= 2)
		f = joined(f, { __shfl_xor_sync(~0u, f.low, far), __shfl_xor_sync(~0u, f.high, far),
		                __shfl_xor_sync(~0u, f.sum, far) });
	return f;
}

/* By warps, which must have met. */
__device__ static cwt_found
all_found(const cwt_found *by_warps)
{
	cwt_found f = by_warps[0];
	for (int i = 1; i < WARPS; ++i)
		f = joined(f, by_warps[i]);
	return f;
}

/* What a warp finds in a list. */
__device__ static cwt_found
list_found(const cwt_found *found, int count)
{
	cwt_found f = { INFINITY, -INFINITY, 0.0 };
	for (int i = (int)threadIdx.x; i < count; i += CWT_PASS_THREADS)
		f = joined(f, found[i]);
	return warp_found(f);
}

template <class X>
__device__ static double
sample_at(const spectrum_job &job, const X *x, size_t t)
{
	if (t < job.samples)
		return x[t];
	if (job.padding == WS_PADDING_ZERO)
		return 0.0;
	const padding_place p = padding_at(job.padding, job.steps, job.samples, job.length, t);
	return padding_between(x[p.before], x[p.after], p.share);
}

/* Bin k, if it lies beside an edge. */
__device__ __forceinline__ void
put_near(const spectrum_job &job, unsigned channel, unsigned k, two<double> v)
{
	const unsigned far = (unsigned)(job.length / 2) - k, edges = job.at_zero + job.at_half;
	two<double> *const to = job.near + (size_t)channel * edges * job.near_bins;
	if (job.at_zero && k < job.near_bins)
		to[k] = v;
	if (job.at_half && far < job.near_bins)
		to[(edges - 1) * job.near_bins + far] = v;
}

constexpr int SPECTRUM_AT_ONCE = 6; /* pairs of a thread that are read together */

/* Points of a block's columns that are pairs of samples, aligned as such: the first so many. */
template <class X>
__device__ static int
whole_points(const spectrum_job &job, const X *x, unsigned first)
{
	const cwt_pass &pass = job.split.first;
	const size_t n2 = job.split.second.n, end = first + (1u << pass.columns);
	const size_t pairs = job.samples / 2;
	if ((size_t)x % sizeof(two<X>) || end > n2 || pairs < end)
		return 0;
	const size_t rows = (pairs - end) / n2 + 1;
	return (int)(rows < pass.n ? rows : pass.n) << pass.columns;
}

/* Samples t and, if there is one, t + 1. */
__device__ __forceinline__ void
look_at(two<double> v, size_t t, bool both, double zero, cwt_found *f, unsigned long long *bad)
{
	const double last = both ? v.y : v.x;
	if (!isfinite(v.x + last) && !(isfinite(v.x) && isfinite(last))) {
		const size_t at = isfinite(v.x) ? t + 1 : t;
		*bad = at < *bad ? at : *bad;
	}
	*f = joined(*f, { fmin(v.x, last), fmax(v.x, last), v.x * CWT_SUM_UNIT - zero });
	f->sum += both ? v.y * CWT_SUM_UNIT - zero : 0.0;
}

/* What a thread found. */
struct looked {
	cwt_found found;
	unsigned long long bad; /* the least sample that is not finite */
};

/* room[k][column]: pairs t2 + n2 k of the block's columns, those that are samples alone first. */
template <class X>
__device__ __forceinline__ looked
take_columns(const spectrum_job &job, const X *x, unsigned first, double unscale,
             two<double> *room)
{
	constexpr bool F64 = sizeof(X) == 8;
	const cwt_pass &pass = job.split.first;
	const unsigned n2 = job.split.second.n;
	const int points = pass.n << pass.columns, whole = whole_points(job, x, first);
	const unsigned t2 = first + (threadIdx.x & ((1u << pass.columns) - 1));
	const double zero = F64 ? 0.0 : (double)x[0] * CWT_SUM_UNIT;
	looked l = { { INFINITY, -INFINITY, 0.0 }, ~0ull };
	int begin = (int)threadIdx.x;
	for (; begin < whole; begin += SPECTRUM_AT_ONCE * CWT_PASS_THREADS) {
		two<X> v[SPECTRUM_AT_ONCE];
#pragma unroll
		for (int e = 0; e < SPECTRUM_AT_ONCE; ++e) {
			const int at = begin + e * CWT_PASS_THREADS, i = at < whole ? at : begin;
			v[e] = ((const two<X> *)x)[(size_t)((i >> pass.columns) * n2 + t2)];
		}
#pragma unroll
		for (int e = 0; e < SPECTRUM_AT_ONCE; ++e) {
			const int i = begin + e * CWT_PASS_THREADS;
			if (i >= whole)
				break;
			const size_t t = 2 * (size_t)((i >> pass.columns) * n2 + t2);
			const two<double> both = { (double)v[e].x, (double)v[e].y };
			if (!F64)
				look_at(both, t, true, zero, &l.found, &l.bad);
			room[i] = { both.x * unscale, -(both.y * unscale) };
		}
	}
	begin = (int)threadIdx.x;
	if (begin < whole)
		begin += (whole - begin + CWT_PASS_THREADS - 1) / CWT_PASS_THREADS *
		         CWT_PASS_THREADS;
	for (int i = begin; i < points; i += CWT_PASS_THREADS) {
		const size_t t = 2 * (size_t)(((unsigned)i >> pass.columns) * n2 + t2);
		two<double> v = { 0.0, 0.0 };
		if (t2 < n2)
			v = { sample_at(job, x, t), sample_at(job, x, t + 1) };
		if (!F64 && t2 < n2 && t < job.samples)
			look_at(v, t, t + 1 < job.samples, zero, &l.found, &l.bad);
		room[i] = { v.x * unscale, -(v.y * unscale) };
	}
	return l;
}

/* f64: the samples have been looked at before, and are scaled here, where sums would overflow. */
template <class X>
__global__ void __launch_bounds__(CWT_PASS_THREADS)
columns_kernel(const __grid_constant__ spectrum_job job)
{
	extern __shared__ two<double> shared[];
	__shared__ cwt_found by_warps[WARPS];
	constexpr bool F64 = sizeof(X) == 8;
	const cwt_pass &pass = job.split.first;
	const unsigned n2 = job.split.second.n, h = (unsigned)(job.length / 2);
	const unsigned first = blockIdx.x << pass.columns, channel = blockIdx.y;
	const X *x = (const X *)(job.x + channel * job.stride);
	two<double> *to = job.columns + (size_t)channel * h;
	make_roots(pass, shared);
	double unscale = 1.0;
	if (F64) {
		const cwt_found f = list_found(job.found + channel * (size_t)job.found_blocks,
		                               job.found_blocks);
		if (threadIdx.x % 32 == 0)
			by_warps[threadIdx.x / 32] = f;
		__syncthreads();
		unscale = 1.0 / head_of(all_found(by_warps), 0.0, 1, false, true).scale;
	}
	two<double> *const room = shared + pass.n;
	const looked l = take_columns(job, x, first, unscale, room);
	if (l.bad != ~0ull)
		atomicMin(&job.bad[channel], l.bad);
	const two<double> *const z = block_columns(pass, shared, room);
	const int points = pass.n << pass.columns;
	const unsigned t2 = first + (threadIdx.x & ((1u << pass.columns) - 1));
	const unsigned step = CWT_PASS_THREADS >> pass.columns;
	unsigned k1 = threadIdx.x >> pass.columns;
	if (t2 < n2) {
		const unit_roots<double> of = unit_roots_of<double>(h);
		two<double> root = unit_root(of, t2 * k1 % h);
		const two<double> by = unit_root(of, t2 * step % h);
		for (int i = (int)threadIdx.x; i < points; i += CWT_PASS_THREADS, k1 += step) {
			if (F64) /* what products of roots lose is heard beside strong waves */
				root = unit_root(of, t2 * k1 % h);
			to[(size_t)k1 * n2 + t2] = times(z[i], root);
			root = times(root, by);
		}
	}
	if (F64)
		return;
	const cwt_found f = warp_found(l.found);
	if (threadIdx.x % 32 == 0)
		by_warps[threadIdx.x / 32] = f;
	__syncthreads();
	if (threadIdx.x == 0)
		job.found[channel * (size_t)job.found_blocks + blockIdx.x] = all_found(by_warps);
}

template <class X>
__global__ void __launch_bounds__(CWT_PASS_THREADS)
rows_kernel(const __grid_constant__ spectrum_job job)
{
	extern __shared__ two<double> shared[];
	__shared__ cwt_found by_warps[WARPS];
	constexpr bool F64 = sizeof(X) == 8;
	const cwt_pass &pass = job.split.second;
	const int n1 = job.split.first.n, n2 = pass.n, half = 1 << (pass.columns - 1);
	const unsigned h = (unsigned)(job.length / 2), channel = blockIdx.y;
	const int first = (int)blockIdx.x * half;
	const two<double> *from = job.columns + (size_t)channel * h;
	two<double> *const room = shared + n2;
	make_roots(pass, shared);
	const int points = n2 << pass.columns;
#pragma unroll 6
	for (int i = (int)threadIdx.x; i < points; i += CWT_PASS_THREADS) {
		const int column = i & (2 * half - 1), k = i >> pass.columns;
		const int pair = first + (column & (half - 1));
		const int row = column < half || pair == 0 ? pair : n1 - pair;
		room[i] = pair <= n1 / 2 ? from[(size_t)row * n2 + k] : two<double>{ 0.0, 0.0 };
	}
	const cwt_found f = list_found(job.found + channel * (size_t)job.found_blocks,
	                               job.found_blocks);
	if (threadIdx.x % 32 == 0)
		by_warps[threadIdx.x / 32] = f;
	const two<double> *const z = block_columns(pass, shared, room);
	const X *x = (const X *)(job.x + channel * job.stride);
	const cwt_head head = head_of(all_found(by_warps), x[0], job.samples, job.centred, F64);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		job.heads[channel] = head;
	const double unscale = F64 ? 1.0 : 1.0 / head.scale;
	two<X> *bins = (two<X> *)job.bins + channel * job.bins_stride;
	/* A thread's k2 are even, or odd: pair / N + k2 / (2 n2) turns are those of the first, and
	 * some n2-ths. */
	static_assert((CWT_PASS_THREADS >> 3) % 2 == 0, "threads go on by an even number of k2");
	const int mine = first + ((int)threadIdx.x & (half - 1));
	const int odd = (int)threadIdx.x >> (pass.columns - 1) & 1;
	const two<double> near = unit_root(unit_roots_of<double>((unsigned)job.length),
	                                   (unsigned)(mine + odd * n1) % (unsigned)job.length);
#pragma unroll 2
	for (int i = (int)threadIdx.x; i < n2 * half; i += CWT_PASS_THREADS) {
		const int column = i & (half - 1), k2 = i >> (pass.columns - 1);
		const int pair = first + column;
		const unsigned k = (unsigned)(pair + n1 * k2);
		const bool both = pair == 0 ? k2 == 0 : 2 * pair != n1;
		if (pair > n1 / 2 || (k >= job.keep && (!both || h - k >= job.keep)))
			continue;
		const int mirrored = pair ? n2 - 1 - k2 : k2 ? n2 - k2 : 0;
		const two<double> a = z[(k2 << pass.columns) + column];
		const two<double> b = z[(mirrored << pass.columns) + column + half];
		const two<double> even = { 0.5 * (a.x + b.x), 0.5 * (b.y - a.y) };
		const two<double> odd = { 0.5 * (-a.y - b.y), -0.5 * (a.x - b.x) };
		const two<double> w = times(near, shared[k2 >> 1]);
		const two<double> p = times(odd, two<double>{ w.x, -w.y });
		two<double> low = { (even.x + p.x) * unscale, (even.y + p.y) * unscale };
		if (k == 0)
			low.x -= head.offset * (double)job.length;
		if (k < job.keep)
			bins[k] = { (X)low.x, (X)low.y };
		const two<double> high = { (even.x - p.x) * unscale, (p.y - even.y) * unscale };
		if (both && h - k < job.keep)
			bins[h - k] = { (X)high.x, (X)high.y };
		if (!job.near)
			continue;
		put_near(job, channel, k, low);
		if (both)
			put_near(job, channel, h - k, high);
	}
}

int
cwt_found_blocks(const wsi_cwt_job &job, const cwt_split &split)
{
	const int columns = 1 << split.first.columns;
	return job.type == WS_F64 ? cwt_look_blocks(job.samples)
	                          : (split.second.n + columns - 1) / columns;
}

template <class X>
static cudaError_t
launch(const spectrum_job &job, unsigned channels, cudaStream_t stream)
{
	const cwt_pass &first = job.split.first, &second = job.split.second;
	const unsigned blocks = (unsigned)(second.n + (1 << first.columns) - 1) >> first.columns;
	const unsigned pairs = (unsigned)first.n / 2 + 1, half = 1u << (second.columns - 1);
	const size_t shared[2] = { cwt_pass_bytes(first, sizeof(two<double>)),
		                   cwt_pass_bytes(second, sizeof(two<double>)) };
	cudaError_t error = allow_shared(columns_kernel<X>, shared[0]);
	if (error == cudaSuccess)
		error = allow_shared(rows_kernel<X>, shared[1]);
	if (error != cudaSuccess)
		return error;
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(blocks, channels);
	config.blockDim = dim3(CWT_PASS_THREADS);
	config.dynamicSmemBytes = shared[0];
	config.stream = stream;
	error = cudaLaunchKernelEx(&config, columns_kernel<X>, job);
	config.gridDim = dim3((pairs + half - 1) / half, channels);
	config.dynamicSmemBytes = shared[1];
	return error != cudaSuccess ? error : cudaLaunchKernelEx(&config, rows_kernel<X>, job);
}

cudaError_t
cwt_spectrum(const char *x, size_t stride, unsigned channels, const wsi_cwt_job &job,
             const cwt_split &split, cwt_found *found, unsigned long long *bad, double *columns,
             cwt_head *heads, const cwt_spectra &spectra, unsigned keep, double *near,
             cudaStream_t stream)
{
	const spectrum_job mine = { x, stride, job.samples, job.length, job.padding, job.steps,
		                    job.centred, split, found, cwt_found_blocks(job, split), bad,
		                    (two<double> *)columns, heads, (void *)spectra.x,
		                    spectra.stride, keep, (two<double> *)near,
		                    (unsigned)cwt_edge_near(job.edge), job.edge.at_zero,
		                    job.edge.at_half };
	return job.type == WS_F64 ? launch<double>(mine, channels, stream)
	                          : launch<float>(mine, channels, stream);
}
