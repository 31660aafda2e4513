/*
 * direct.cuh - the kernel of direct convolution: sums of groups of masks at tiles of outputs, in
 * the order of math/conv.h.
 *
 * A thread holds the sums of R masks at V outputs in registers.  Of a section, the taps lie in
 * shared memory, where all threads of a warp read the same; so do the samples.
 *   every == 1: a thread's outputs are neighbours.  A tap moves its window of samples by one, so
 *     that R V multiply-adds take one sample and R taps from shared memory.
 *   every > 1: its outputs are a block of threads apart, samples lie by phase, and a tap takes V
 *     samples, without conflicts of banks.
 * The tree of sections is a stack, as a binary counter has digits: its top is in registers, the
 * rest in memory that each block of threads has for itself.
 *
 * Fits      masks whose method is direct (cpu/conv/conv.c), of the type that K names; every >= 1.
 * Twin      cpu/conv/conv.c, slots `section*` of cpu/conv/conv_simd.h: the same bits.
 * Launch    direct_kernel: DIRECT_THREADS (128), as many blocks as run at once; each takes items,
 *           the longest first, until none is left.  direct_join_kernel: 256 threads, an output
 *           each, over (outputs, rows that are joined).
 * Memory    reads samples and taps of each item once a tile, into shared memory; the tree's stack
 *           in memory that a block has for itself; writes responses once.
 */
#ifndef WSI_CUDA_CONV_DIRECT_CUH
#define WSI_CUDA_CONV_DIRECT_CUH

#include "cuda/conv/sums.cuh"
#include "cuda/conv/tensor.cuh"
#include "cuda/device/grid.h"
#include "cuda/device/shared.h"

/* ---- Results ---------------------------------------------------------------------------- */

/* The tile's output that is a thread's v-th. */
template <class K>
__device__ int
output_of(int v)
{
	return K::DENSE ? (int)threadIdx.x * K::V + v : v * DIRECT_THREADS + (int)threadIdx.x;
}

/* Brings numbers of neighbouring outputs, which a thread has, to neighbouring threads, within a
 * warp: then v becomes output 32 v + lane of the warp's. */
template <class K>
__device__ void
transpose(typename K::T (&y)[K::V], typename K::T *window)
{
	const int lane = (int)threadIdx.x % 32;
	typename K::T *own = window + (threadIdx.x - lane) * K::STEP;
	__syncwarp();
#pragma unroll
	for (int v = 0; v < K::V; ++v)
		own[lane * K::STEP + v] = y[v];
	__syncwarp();
#pragma unroll
	for (int v = 0; v < K::V; ++v) {
		const int i = v * 32 + lane;
		y[v] = own[i / K::V * K::STEP + i % K::V];
	}
}

/* The tile's output where transpose() put a thread's v-th number. */
template <class K>
__device__ int
transposed_output(int v)
{
	const int lane = (int)threadIdx.x % 32;
	return K::DENSE ? ((int)threadIdx.x - lane) * K::V + v * 32 + lane : output_of<K>(v);
}

template <class K, int R>
__device__ void
write_responses(const direct_job &job, const direct_place &p, typename K::SUM (&s)[R][K::V],
                typename K::T *window)
{
	typedef typename K::X X;
	typedef typename K::T T;
	const long long at = p.tile * K::TILE;
#pragma unroll
	for (int r = 0; r < R; ++r) {
		T y[K::V];
#pragma unroll
		for (int v = 0; v < K::V; ++v)
			y[v] = s[r][v].total() + (T)0;
		if (K::DENSE)
			transpose<K>(y, window);
		if ((unsigned)r >= p.g.used)
			continue;
		const direct_row &row = p.row[r];
		X *out = (X *)(job.y + p.channel * job.y_channel + row.row * job.y_row) + row.part;
		bool bad = false;
#pragma unroll
		for (int v = 0; v < K::V; ++v) {
			const long long i = at + transposed_output<K>(v);
			const X z = (X)y[v];
			if (i < job.outputs) {
				out[i * job.parts] = z;
				bad |= !(z - z == (X)0);
			}
		}
		if (bad)
			atomicMin(job.high_response, (unsigned long long)(job.first_channel +
			          p.channel) << 32 | row.mask);
	}
}

template <class K, int R>
__device__ void
write_branch(const direct_job &job, const direct_place &p, typename K::SUM (&s)[R][K::V],
             typename K::T *window)
{
	typedef typename K::T T;
	constexpr int PARTS = K::SUM::PARTS;
	const long long at = p.tile * K::TILE;
#pragma unroll
	for (int r = 0; r < R; ++r)
#pragma unroll
		for (int part = 0; part < PARTS; ++part) {
			T y[K::V];
#pragma unroll
			for (int v = 0; v < K::V; ++v)
				y[v] = s[r][v].part(part);
			if (K::DENSE)
				transpose<K>(y, window);
			if ((unsigned)r >= p.g.used)
				continue;
			T *out = (T *)job.partial +
			         branch_at(job, p.g, p.channel, p.branch, r, part, PARTS);
#pragma unroll
			for (int v = 0; v < K::V; ++v) {
				const long long i = at + transposed_output<K>(v);
				if (i < job.outputs)
					out[i] = y[v];
			}
		}
}

/* ---- The tree --------------------------------------------------------------------------- */

/* The block's stack; a thread reads what it wrote. */
template <class K, int R>
struct direct_stack {
	static constexpr int PARTS = K::SUM::PARTS;
	static constexpr size_t LEVEL = (size_t)K::ROWS * K::V * PARTS * DIRECT_THREADS;
	typename K::T *base;
	unsigned present;        /* levels that hold sums */

	__device__ typename K::T *at(int level) const
	{
		return base + (size_t)level * LEVEL + threadIdx.x;
	}
	__device__ void put(const typename K::SUM (&s)[R][K::V], int level)
	{
		typename K::T *to = at(level);
#pragma unroll
		for (int i = 0; i < R * K::V; ++i)
#pragma unroll
			for (int part = 0; part < PARTS; ++part)
				to[(i * PARTS + part) * DIRECT_THREADS] =
					s[i / K::V][i % K::V].part(part);
		present |= 1u << level;
	}
	/* s = the level's + s */
	__device__ void add_to(typename K::SUM (&s)[R][K::V], int level)
	{
		const typename K::T *from = at(level);
#pragma unroll
		for (int i = 0; i < R * K::V; ++i) {
			typename K::SUM before;
#pragma unroll
			for (int part = 0; part < PARTS; ++part)
				before.set(part, from[(i * PARTS + part) * DIRECT_THREADS]);
			s[i / K::V][i % K::V].add(before);
		}
		present &= ~(1u << level);
	}
};

/* All taps of a section, a .. b - 1, at the tile's `count` outputs. */
template <class K, int R>
__device__ void
sum_section(const direct_job &job, const direct_place &p, const typename K::X *x, long long n0,
            int count, int a, int b, thin_window thin, typename K::T *window,
            typename K::T *taps, const typename K::SUM::bound (&bound)[R],
            typename K::SUM (&s)[R][K::V])
{
	/* A warp whose outputs all lie behind the last has no work. */
	const bool idle = K::DENSE && (int)(threadIdx.x / 32 * 32) * K::V >= count;
#pragma unroll
	for (int i = 0; i < R * K::V; ++i)
		s[i / K::V][i % K::V].zero();
	const int most = K::DENSE ? WSI_CONV_SECTION : thin.taps;
	for (; a < b; a += most) {
		const int n_taps = b - a < most ? b - a : most;
		const int padded = K::DENSE ? (n_taps + K::V - 1) / K::V * K::V : n_taps;
		/* Nobody reads what was there any more. */
		__syncthreads();
		stage_taps<R>(job, p, a, n_taps, padded, taps);
		if (K::DENSE)
			stage_dense<K>(job, x, n0 + a, K::TILE + padded, window);
		else
			stage_thin<K>(job, x, n0 + a, n_taps, thin.stride, window);
		__syncthreads();
		if (idle)
			continue;
		if (K::DENSE)
			sum_dense<K, R>(s, bound, window, taps, padded);
		else
			sum_thin<K, R>(s, bound, job, window, thin.stride, taps, n_taps);
	}
}

/* Has the user cancelled?  By all threads of a block. */
__device__ inline bool
is_stopped(const direct_job &job)
{
	return __syncthreads_or(threadIdx.x == 0 &&
	                        *(const volatile unsigned long long *)job.next >= DIRECT_STOP);
}

/* Items of so many taps last long enough to be left in the middle, and are asked so often. */
constexpr long long LONG_ITEM = 1 << 16;
constexpr long long OFTEN = 64; /* sections; a power of two */

/* ON_TENSOR: of a group of 16 rows; a thread's sums are as tensor.cuh has them. */
template <class K, int R, bool ON_TENSOR = false>
__device__ void
do_item(const direct_job &job, const direct_place &p, thin_window thin, typename K::T *window,
        typename K::T *taps)
{
	constexpr int TILE = ON_TENSOR ? TENSOR_TILE : K::TILE;
	const typename K::X *x = (const typename K::X *)(job.x + p.channel * job.x_stride);
	const long long left = job.outputs - p.tile * TILE;
	const int count = left < TILE ? (int)left : TILE;
	const long long n0 = job.n0 + p.tile * TILE * job.every;
	const long long last = n0 + (long long)(count - 1) * job.every;
	/* Offsets at which some output takes a sample of the signal. */
	long long d0 = p.g.d0 > -last ? p.g.d0 : -last;
	long long d1 = p.g.d1 < job.n - n0 ? p.g.d1 : job.n - n0;
	const bool whole = p.g.level < 0;
	int top = job.levels - 1;
	long long base = 0;
	if (!whole) {
		const long long size = 1ll << p.g.level;
		base = (p.g.node0 + p.branch) * size;
		d0 = d0 > conv_section_start(base) ? d0 : conv_section_start(base);
		const long long end = conv_section_start(base + size);
		d1 = d1 < end ? d1 : end;
		top = p.g.level;
	}
	direct_stack<K, R> stack = { (typename K::T *)job.stack + (size_t)blockIdx.x *
		job.levels * direct_stack<K, R>::LEVEL, 0 };
	typename K::SUM s[R][K::V];
	typename K::SUM::bound bound[R];
#pragma unroll
	for (int r = 0; K::SUM::PARTED && r < R; ++r)
		bound[r].set(conv_exponent(__longlong_as_double((long long)job.largest[p.channel]))
		             + p.row[r].exponent, job.accumulators);
#pragma unroll
	for (int i = 0; i < R * K::V; ++i)
		s[i / K::V][i % K::V].zero();
	int level = 0;
	for (long long a = d0; a < d1;) {
		const long long j = conv_section(a), next = conv_section_start(j + 1);
		const long long b = next < d1 ? next : d1;
		if (d1 - d0 >= LONG_ITEM && (j & (OFTEN - 1)) == 0 && is_stopped(job))
			return;
		if constexpr (ON_TENSOR)
			tensor_section<K>(job, p, x, n0, count, (int)a, (int)b, window, s);
		else
			sum_section<K, R>(job, p, x, n0, count, (int)a, (int)b, thin, window, taps,
			                  bound, s);
		level = 0;
		for (long long k = j - base; level < top && (k & 1); ++level, k >>= 1)
			if (stack.present >> level & 1)
				stack.add_to(s, level);
		if (b < d1)
			stack.put(s, level);
		a = b;
	}
	for (++level; level <= top; ++level)
		if (stack.present >> level & 1)
			stack.add_to(s, level);
	/* The window is used to transpose results. */
	__syncthreads();
	if constexpr (ON_TENSOR)
		tensor_write<K>(job, p, whole, s);
	else if (whole)
		write_responses<K, R>(job, p, s, window);
	else
		write_branch<K, R>(job, p, s, window);
}

template <class K, int BLOCKS>
__global__ void
__launch_bounds__(DIRECT_THREADS, BLOCKS)
direct_kernel(const direct_job job, const thin_window thin)
{
	typedef typename K::T T;
	extern __shared__ __align__(16) char shared[];
	__shared__ direct_place place;
	T *window = (T *)shared, *taps = window + K::WINDOW;
	for (;;) {
		__syncthreads();
		if (threadIdx.x == 0)
			take_item(job, K::TILE, &place);
		__syncthreads();
		if (place.done)
			return;
		const int rows = (int)place.g.rows;
		if constexpr (K::TENSOR)
			if (rows == TENSOR_ROWS) {
				do_item<K, K::ROWS, true>(job, place, thin, window, taps);
				continue;
			}
		if (K::ROWS == 1 || rows == 1)
			do_item<K, 1>(job, place, thin, window, taps);
		else if (rows == K::ROWS)
			do_item<K, K::ROWS>(job, place, thin, window, taps);
		else if (rows == 2)
			do_item<K, K::TWO>(job, place, thin, window, taps);
		else
			do_item<K, K::FOUR>(job, place, thin, window, taps);
	}
}

/* ---- Branches --------------------------------------------------------------------------- */

/* The group of row y of those that are joined. */
__device__ inline direct_group
joined_group(const direct_job &job, size_t y)
{
	int low = 0, high = job.n_groups;
	while (high - low > 1) {
		const int middle = (low + high) / 2;
		if (job.groups[middle].join <= y)
			low = middle;
		else
			high = middle;
	}
	return job.groups[low];
}

/* The sums of branches, joined and written: a thread has an output of a row. */
template <class K>
__device__ void
join_row(const direct_job &job, size_t y, long long i)
{
	typedef typename K::T T;
	typedef typename K::SUM SUM;
	constexpr int LEVELS = WSI_CONV_LEVELS + 1;
	const direct_group g = joined_group(job, y);
	const unsigned r = (unsigned)((y - g.join) % g.used);
	const long long channel = (long long)((y - g.join) / g.used);
	const direct_row row = job.rows[g.first + r];
	SUM stack[LEVELS], s;
	unsigned present = 0;
	int level = 0;
	s.zero();
	for (int branch = 0; branch < g.nodes; ++branch) {
		for (int part = 0; part < SUM::PARTS; ++part)
			s.set(part, ((const T *)job.partial)[branch_at(job, g, channel, branch,
			      (int)r, part, SUM::PARTS) + i]);
		int k = g.node0 + branch;
		for (level = 0; level < LEVELS - 1 && (k & 1); ++level, k >>= 1)
			if (present >> level & 1) {
				s.add(stack[level]);
				present &= ~(1u << level);
			}
		if (branch + 1 < g.nodes) {
			stack[level] = s;
			present |= 1u << level;
		}
	}
	for (++level; level < LEVELS; ++level)
		if (present >> level & 1)
			s.add(stack[level]);
	typedef typename K::X X;
	const X z = (X)(s.total() + (T)0);
	X *out = (X *)(job.y + channel * job.y_channel + row.row * job.y_row);
	out[i * job.parts + row.part] = z;
	if (!(z - z == (X)0))
		atomicMin(job.high_response, (unsigned long long)(job.first_channel + channel) << 32
		          | row.mask);
}

template <class K>
__global__ void
direct_join_kernel(const direct_job job)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	for (size_t y = blockIdx.y; y < job.joins && i < job.outputs; y += gridDim.y)
		join_row<K>(job, y, i);
}

/* ---- Launches --------------------------------------------------------------------------- */

/* What the host knows of a kind of kernel. */
struct direct_code {
	int tile, rows, parts;   /* parts: numbers of a sum */
	size_t stack;            /* bytes of a level */
	cudaError_t (*blocks)(int every, int processors, int *blocks);
	cudaError_t (*launch)(const direct_job &job, int blocks, cudaStream_t stream);
};

template <class K>
inline size_t
shared_bytes(int every, thin_window *thin)
{
	*thin = { WSI_CONV_SECTION, 0 };
	if (!K::DENSE)
		*thin = thin_window_of(K::TILE, K::WINDOW, every);
	const size_t bytes = ((size_t)K::WINDOW + (size_t)thin->taps * K::ROWS) *
	                     sizeof(typename K::T);
	return K::TENSOR && bytes < TENSOR_SHARED ? TENSOR_SHARED : bytes;
}

template <class K, int BLOCKS>
cudaError_t
blocks_of(int every, int processors, int *blocks)
{
	thin_window thin;
	const size_t shared = shared_bytes<K>(every, &thin);
	int each = 0;
	cudaError_t error = allow_shared(direct_kernel<K, BLOCKS>, shared);
	if (error == cudaSuccess)
		error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each,
			direct_kernel<K, BLOCKS>, DIRECT_THREADS, shared);
	*blocks = each * processors;
	return error == cudaSuccess && each == 0 ? cudaErrorLaunchOutOfResources : error;
}

template <class K, int BLOCKS>
cudaError_t
launch(const direct_job &job, int blocks, cudaStream_t stream)
{
	thin_window thin;
	const size_t shared = shared_bytes<K>(job.every, &thin);
	const unsigned long long items = job.items;
	const unsigned n = items < (unsigned)blocks ? (unsigned)items : (unsigned)blocks;
	cudaError_t error = cudaMemsetAsync(job.next, 0, sizeof *job.next, stream);
	if (error != cudaSuccess || n == 0)
		return error;
	direct_kernel<K, BLOCKS><<<n, DIRECT_THREADS, shared, stream>>>(job, thin);
	return cudaGetLastError();
}

template <class K, int BLOCKS>
cudaError_t
launch_all(const direct_job &job, int blocks, cudaStream_t stream)
{
	const cudaError_t error = launch<K, BLOCKS>(job, blocks, stream);
	if (error != cudaSuccess || job.joins == 0)
		return error;
	const dim3 grid((unsigned)((job.outputs + 255) / 256), grid_rows(job.joins));
	direct_join_kernel<K><<<grid, 256, 0, stream>>>(job);
	return cudaGetLastError();
}

template <class K, int BLOCKS>
direct_code
code_of(void)
{
	return { K::TILE, K::TENSOR ? TENSOR_ROWS : K::ROWS, K::SUM::PARTS,
	         (size_t)K::ROWS * K::V * K::SUM::PARTS * DIRECT_THREADS * sizeof(typename K::T),
	         blocks_of<K, BLOCKS>, launch_all<K, BLOCKS> };
}

#endif
