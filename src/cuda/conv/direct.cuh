/*
 * direct.cuh - the kernel of direct convolution: sums of groups of masks at tiles of outputs, in
 * the order of math/conv.h.
 *
 * A thread holds the sums of R masks at V outputs in registers.  Of a segment, the taps lie in
 * shared memory, where all threads of a warp read the same; so do the samples.
 *   every == 1: a thread's outputs are neighbours.  A tap moves its window of samples by one, so
 *     that R V multiply-adds take one sample and R taps from shared memory.
 *   every > 1: its outputs are a block of threads apart, samples lie by phase, and a tap takes V
 *     samples, without conflicts of banks.
 * The tree of segments is a stack, as a binary counter has digits: its top is in registers, the
 * rest in memory that each block of threads has for itself.
 *
 * Twin      algo/conv.c: the same bits.
 * Launch    as many blocks as run at once; each takes items, the longest first, until none is left.
 * Memory    reads samples and taps of each item once a tile; writes responses once.
 */
#ifndef WSI_CUDA_CONV_DIRECT_CUH
#define WSI_CUDA_CONV_DIRECT_CUH

#include "cuda/conv/direct.h"
#include "math/conv.h"

#define FMA(a, b, c) fma((a), (b), (c))
#define REAL double
#define FN(name) name##_f64
#include "math/compensated.h"
#undef REAL
#undef FN
#define REAL float
#define FN(name) name##_f32
#include "math/compensated.h"
#undef REAL
#undef FN
#undef FMA

/* ---- Sums --------------------------------------------------------------------------------- */

template <class T> struct plain_sum {
	typedef T real;
	static constexpr int PARTS = 1;
	T sum;
	__device__ void zero() { sum = (T)0; }
	__device__ void take(T x, T m) { sum = fma(x, m, sum); }
	/* this = before + this */
	__device__ void add(const plain_sum &before) { sum = before.sum + sum; }
	__device__ T part(int) const { return sum; }
	__device__ void set(int, T v) { sum = v; }
	__device__ T total() const { return sum; }
};

#define CARRIED(T, NAME, C)                                                              \
	struct NAME {                                                                    \
		typedef T real;                                                          \
		static constexpr int PARTS = 2;                                          \
		carried_##C c;                                                           \
		__device__ void zero() { c = { (T)0, (T)0 }; }                           \
		__device__ void take(T x, T m) { c = carried_fma_##C(c, x, m); }         \
		__device__ void add(const NAME &before) { c = carried_add_##C(before.c, c); } \
		__device__ T part(int i) const { return i ? c.rest : c.sum; }            \
		__device__ void set(int i, T v) { (i ? c.rest : c.sum) = v; }            \
		__device__ T total() const { return c.sum + c.rest; }                    \
	};
CARRIED(double, carried_sum_f64, f64)
CARRIED(float, carried_sum_f32, f32)
#undef CARRIED

/* ---- Kinds -------------------------------------------------------------------------------- */

/* X: samples and responses; SUM: sums; ROWS: of a group, at most; V: outputs of a thread. */
template <class X_, class SUM_, bool DENSE_, int ROWS_, int V_> struct kind_of {
	typedef X_ X;
	typedef SUM_ SUM;
	typedef typename SUM_::real T;
	static constexpr bool DENSE = DENSE_;
	static constexpr int ROWS = ROWS_, V = V_, TILE = V_ * DIRECT_THREADS;
	/* Sizes of groups between one and ROWS, where there are any; see groups.cu. */
	static constexpr int TWO = DENSE_ && ROWS_ > 2 ? 2 : 1, FOUR = DENSE_ && ROWS_ > 4 ? 4 : 1;
	/* Samples of V outputs and the gap behind them, which keeps 16-byte loads of neighbouring
	 * threads in different banks. */
	static constexpr int STEP = V_ + 16 / (int)sizeof(T);
	/* Numbers of the window of samples; dense: of a whole segment. */
	static constexpr int WINDOW = DENSE_ ? (TILE + WSI_CONV_SEGMENT) / V_ * STEP
	                                     : 10 * TILE;
};

/* every > 1: taps of a segment that are worked on at a time, and numbers from one phase of the
 * window to the next, which are odd so that phases begin in different banks. */
struct thin_window { int taps, stride; };

/* With so many taps of eight masks a window takes less than the 64 KiB that every device has. */
constexpr int THIN_TAPS = 256;

inline thin_window
thin_window_of(int tile, int window, int every)
{
	thin_window w = { THIN_TAPS, 0 };
	for (;; --w.taps) {
		w.stride = (tile + (w.taps - 1) / every + 1) | 1;
		if ((w.taps < every ? w.taps : every) * w.stride <= window)
			return w;
	}
}

/* ---- An item ------------------------------------------------------------------------------- */

/* What the threads of a block work on. */
struct direct_place {
	direct_group g;
	direct_row row[8];
	long long tile, channel;
	int branch;              /* from the group's first */
	bool done;               /* nothing is left */
};

__device__ inline void
take_item(const direct_job &job, int tile, direct_place *p)
{
	const unsigned long long item = atomicAdd(job.next, 1ull);
	p->done = item >= job.items;
	if (p->done)
		return;
	int low = 0, high = job.n_groups;
	while (high - low > 1) {
		const int middle = (low + high) / 2;
		if (job.groups[middle].item <= item)
			low = middle;
		else
			high = middle;
	}
	p->g = job.groups[low];
	const unsigned long long tiles = (unsigned long long)((job.outputs + tile - 1) / tile);
	const unsigned long long i = item - p->g.item;
	p->tile = (long long)(i % tiles);
	p->branch = (int)(i / tiles % (unsigned)p->g.nodes);
	p->channel = (long long)(i / tiles / (unsigned)p->g.nodes);
	for (unsigned r = 0; r < p->g.rows; ++r)
		if (r < p->g.used)
			p->row[r] = job.rows[p->g.first + r];
		else
			p->row[r] = {};
}

/* Taps a .. a + count - 1 of R rows, and zeros up to `padded`: to[tap][R]. */
template <int R, class T>
__device__ void
stage_taps(const direct_job &job, const direct_place &p, int a, int count, int padded, T *to)
{
	const T *values = (const T *)job.values;
	for (int i = (int)threadIdx.x; i < padded * R; i += DIRECT_THREADS) {
		const direct_row &row = p.row[i % R];
		const int k = i / R, d = a + k;
		const bool there = k < count && d >= row.d0 && d < row.d1;
		to[i] = there ? values[row.taps + (size_t)(d - row.d0) * row.step] : (T)0;
	}
}

template <class K>
__device__ typename K::T
sample(const direct_job &job, const typename K::X *x, long long i)
{
	return i >= job.low && i < job.high ? (typename K::T)x[i - job.low] : (typename K::T)0;
}

/* ---- every == 1 ---------------------------------------------------------------------------- */

/* V numbers, 16 bytes at a time. */
template <int N, class T>
__device__ void
load(T *to, const T *from)
{
	struct alignas(16) part { T v[16 / sizeof(T)]; };
	constexpr int W = 16 / (int)sizeof(T);
	if (N % W == 0) {
#pragma unroll
		for (int i = 0; i < N / W; ++i) {
			const part p = ((const part *)from)[i];
#pragma unroll
			for (int k = 0; k < W; ++k)
				to[i * W + k] = p.v[k];
		}
	} else {
#pragma unroll
		for (int i = 0; i < N; ++i)
			to[i] = from[i];
	}
}

template <class K>
__device__ void
stage_dense(const direct_job &job, const typename K::X *x, long long first, int count,
            typename K::T *window)
{
	for (int i = (int)threadIdx.x; i < count; i += DIRECT_THREADS)
		window[i / K::V * K::STEP + i % K::V] = sample<K>(job, x, first + i);
}

/* V taps of R masks; w: the samples of the first of them and those that follow. */
template <class K, int R>
__device__ void
take_taps(typename K::SUM (&s)[R][K::V], const typename K::T (&w)[2 * K::V],
          const typename K::T *taps)
{
	typedef typename K::T T;
	/* Taps that are loaded together: 16 bytes at least. */
	constexpr int AT_ONCE = R * (int)sizeof(T) < 16 ? 16 / (R * (int)sizeof(T)) : 1;
#pragma unroll
	for (int u0 = 0; u0 < K::V; u0 += AT_ONCE) {
		T m[AT_ONCE * R];
		load<AT_ONCE * R>(m, taps + u0 * R);
#pragma unroll
		for (int u = 0; u < AT_ONCE; ++u)
#pragma unroll
			for (int r = 0; r < R; ++r)
#pragma unroll
				for (int v = 0; v < K::V; ++v)
					s[r][v].take(w[u0 + u + v], m[u * R + r]);
	}
}

template <class K, int R>
__device__ void
sum_dense(typename K::SUM (&s)[R][K::V], const typename K::T *window,
          const typename K::T *taps, int n_taps)
{
	constexpr int V = K::V;
	typename K::T w[2 * V];
	window += threadIdx.x * K::STEP;
	load<V>(w, window);
#pragma unroll 2
	for (int k = 0; k < n_taps; k += V) {
		window += K::STEP;
		load<V>(w + V, window);
		take_taps<K, R>(s, w, taps);
		taps += V * R;
#pragma unroll
		for (int v = 0; v < V; ++v)
			w[v] = w[V + v];
	}
}

/* ---- every > 1 ------------------------------------------------------------------------------ */

/* window[phase][stride]: samples first + phase + q every. */
template <class K>
__device__ void
stage_thin(const direct_job &job, const typename K::X *x, long long first, int taps, int stride,
           typename K::T *window)
{
	const int phases = taps < job.every ? taps : job.every;
	const int columns = K::TILE + (taps - 1) / job.every;
	const int step = DIRECT_THREADS / phases, over = DIRECT_THREADS % phases;
	int q = (int)threadIdx.x / phases, phase = (int)threadIdx.x % phases;
	while (q < columns) {
		window[phase * stride + q] = sample<K>(job, x, first + phase +
		                                               (long long)q * job.every);
		q += step;
		phase += over;
		if (phase >= phases) {
			phase -= phases;
			++q;
		}
	}
}

template <class K, int R>
__device__ void
sum_thin(typename K::SUM (&s)[R][K::V], const direct_job &job, const typename K::T *window,
         int stride, const typename K::T *taps, int n_taps)
{
	typedef typename K::T T;
	const T *x = window + threadIdx.x;
	int phase = 0;
	for (int k = 0; k < n_taps; ++k, taps += R) {
		T m[R];
		load<R>(m, taps);
#pragma unroll
		for (int v = 0; v < K::V; ++v) {
			const T here = x[v * DIRECT_THREADS];
#pragma unroll
			for (int r = 0; r < R; ++r)
				s[r][v].take(here, m[r]);
		}
		x += stride;
		if (++phase == job.every) {
			x -= (size_t)job.every * stride - 1;
			phase = 0;
		}
	}
}

/* ---- Results -------------------------------------------------------------------------------- */

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
turn(typename K::T (&y)[K::V], typename K::T *window)
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

/* The tile's output where turn() put a thread's v-th number. */
template <class K>
__device__ int
turned_output(int v)
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
			turn<K>(y, window);
		if ((unsigned)r >= p.g.used)
			continue;
		const direct_row &row = p.row[r];
		X *out = (X *)(job.y + p.channel * job.y_channel + row.row * job.y_row) + row.part;
		bool bad = false;
#pragma unroll
		for (int v = 0; v < K::V; ++v) {
			const long long i = at + turned_output<K>(v);
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

/* Where the sum of a branch lies: [channel][branch][row][part][output]. */
__device__ inline size_t
branch_at(const direct_job &job, const direct_group &g, long long channel, int branch, int row,
          int part, int parts)
{
	const size_t rows = (size_t)(channel * g.nodes + branch) * g.used + row;
	return g.partial + (rows * parts + part) * (size_t)job.outputs;
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
				turn<K>(y, window);
			if ((unsigned)r >= p.g.used)
				continue;
			T *out = (T *)job.partial +
			         branch_at(job, p.g, p.channel, p.branch, r, part, PARTS);
#pragma unroll
			for (int v = 0; v < K::V; ++v) {
				const long long i = at + turned_output<K>(v);
				if (i < job.outputs)
					out[i] = y[v];
			}
		}
}

/* ---- The tree ------------------------------------------------------------------------------- */

/* The block's stack; a thread reads what it wrote. */
template <class K, int R>
struct direct_stack {
	static constexpr int PARTS = K::SUM::PARTS;
	typename K::T *base;
	unsigned present;        /* levels that hold sums */

	__device__ typename K::T *at(int level) const
	{
		return base + (size_t)level * (K::ROWS * K::V * PARTS * DIRECT_THREADS) + threadIdx.x;
	}
	__device__ void put(const typename K::SUM (&s)[R][K::V], int level)
	{
		typename K::T *to = at(level);
#pragma unroll
		for (int i = 0; i < R * K::V * PARTS; ++i)
			to[i * DIRECT_THREADS] = s[i / PARTS / K::V][i / PARTS % K::V].part(i % PARTS);
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

/* All taps of a segment, a .. b - 1, at the tile's `count` outputs. */
template <class K, int R>
__device__ void
sum_segment(const direct_job &job, const direct_place &p, const typename K::X *x, long long n0,
            int count, int a, int b, thin_window thin, typename K::T *window,
            typename K::T *taps, typename K::SUM (&s)[R][K::V])
{
	/* A warp whose outputs all lie behind the last has no work. */
	const bool idle = K::DENSE && (int)(threadIdx.x / 32 * 32) * K::V >= count;
#pragma unroll
	for (int i = 0; i < R * K::V; ++i)
		s[i / K::V][i % K::V].zero();
	const int most = K::DENSE ? WSI_CONV_SEGMENT : thin.taps;
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
			sum_dense<K, R>(s, window, taps, padded);
		else
			sum_thin<K, R>(s, job, window, thin.stride, taps, n_taps);
	}
}

template <class K, int R>
__device__ void
do_item(const direct_job &job, const direct_place &p, thin_window thin, typename K::T *window,
        typename K::T *taps)
{
	const typename K::X *x = (const typename K::X *)(job.x + p.channel * job.x_stride);
	const long long left = job.outputs - p.tile * K::TILE;
	const int count = left < K::TILE ? (int)left : K::TILE;
	const long long n0 = job.n0 + p.tile * K::TILE * job.every;
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
		d0 = d0 > conv_segment_start(base) ? d0 : conv_segment_start(base);
		const long long end = conv_segment_start(base + size);
		d1 = d1 < end ? d1 : end;
		top = p.g.level;
	}
	direct_stack<K, R> stack = { (typename K::T *)job.stack + (size_t)blockIdx.x *
		job.levels * (K::ROWS * K::V * K::SUM::PARTS * DIRECT_THREADS), 0 };
	typename K::SUM s[R][K::V];
#pragma unroll
	for (int i = 0; i < R * K::V; ++i)
		s[i / K::V][i % K::V].zero();
	int level = 0;
	for (long long a = d0; a < d1;) {
		const long long j = conv_segment(a), next = conv_segment_start(j + 1);
		const long long b = next < d1 ? next : d1;
		sum_segment<K, R>(job, p, x, n0, count, (int)a, (int)b, thin, window, taps, s);
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
	/* The window is used to turn results. */
	__syncthreads();
	if (whole)
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
		if (rows == 1)
			do_item<K, 1>(job, place, thin, window, taps);
		else if (rows == K::ROWS)
			do_item<K, K::ROWS>(job, place, thin, window, taps);
		else if (rows == 2)
			do_item<K, K::TWO>(job, place, thin, window, taps);
		else
			do_item<K, K::FOUR>(job, place, thin, window, taps);
	}
}

/* ---- Branches -------------------------------------------------------------------------------- */

/* The sums of a group's branches, joined and written: a thread has an output of a row. */
template <class K>
__global__ void
direct_join_kernel(const direct_job job, int group)
{
	typedef typename K::T T;
	typedef typename K::SUM SUM;
	constexpr int LEVELS = WSI_CONV_LEVELS + 1;
	const direct_group g = job.groups[group];
	const unsigned r = blockIdx.y % g.used;
	const long long channel = blockIdx.y / g.used;
	const direct_row row = job.rows[g.first + r];
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= job.outputs)
		return;
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
	const typename K::X z = (typename K::X)(s.total() + (T)0);
	typename K::X *out = (typename K::X *)(job.y + channel * job.y_channel + row.row * job.y_row);
	out[i * job.parts + row.part] = z;
	if (!(z - z == (typename K::X)0))
		atomicMin(job.high_response, (unsigned long long)(job.first_channel + channel) << 32
		          | row.mask);
}

/* ---- Launches --------------------------------------------------------------------------------- */

/* What the host knows of a kind of kernel. */
struct direct_code {
	int tile, rows;
	size_t stack;            /* bytes of a level */
	cudaError_t (*blocks)(int every, int processors, int *blocks);
	cudaError_t (*launch)(const direct_job &job, const direct_group *groups, int blocks,
	                      cudaStream_t stream);
};

template <class K>
inline size_t
shared_bytes(int every, thin_window *thin)
{
	*thin = { WSI_CONV_SEGMENT, 0 };
	if (!K::DENSE)
		*thin = thin_window_of(K::TILE, K::WINDOW, every);
	return ((size_t)K::WINDOW + (size_t)thin->taps * K::ROWS) * sizeof(typename K::T);
}

template <class K, int BLOCKS>
cudaError_t
blocks_of(int every, int processors, int *blocks)
{
	thin_window thin;
	const size_t shared = shared_bytes<K>(every, &thin);
	int each = 0;
	cudaError_t error = cudaFuncSetAttribute(direct_kernel<K, BLOCKS>,
		cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
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

/* groups: as in the job, on the host. */
template <class K, int BLOCKS>
cudaError_t
launch_all(const direct_job &job, const direct_group *groups, int blocks, cudaStream_t stream)
{
	cudaError_t error = launch<K, BLOCKS>(job, blocks, stream);
	for (int i = 0; i < job.n_groups && error == cudaSuccess; ++i) {
		if (groups[i].level < 0)
			continue;
		const dim3 grid((unsigned)((job.outputs + 255) / 256),
		                groups[i].used * (unsigned)job.channels);
		direct_join_kernel<K><<<grid, 256, 0, stream>>>(job, i);
		error = cudaGetLastError();
	}
	return error;
}

template <class K, int BLOCKS>
direct_code
code_of(void)
{
	return { K::TILE, K::ROWS, (size_t)K::ROWS * K::V * K::SUM::PARTS * DIRECT_THREADS *
		sizeof(typename K::T), blocks_of<K, BLOCKS>, launch_all<K, BLOCKS> };
}

#endif
