/*
 * sums.cuh - what a thread sums, and the samples and taps that it takes; see direct.cuh.
 */
#ifndef WSI_CUDA_CONV_SUMS_CUH
#define WSI_CUDA_CONV_SUMS_CUH

#include "cuda/conv/direct.h"
#include "math/conv.h"

#define FMA(a, b, c) fma((a), (b), (c))
#define REAL SCALAR
#define TEMPLATE "math/compensated.h"
#include "math/both_types.h"
#undef REAL
#undef FMA

/* ---- Sums ------------------------------------------------------------------------------- */

/* What sums of a row need to know of it: nothing. */
struct no_bound {
	__device__ void set(int, int) {}
};

template <class T> struct plain_sum {
	typedef T real;
	typedef no_bound bound;
	static constexpr int PARTS = 1;
	static constexpr bool PARTED = false;
	T sum;
	__device__ void zero() { sum = (T)0; }
	__device__ void take(T x, T m, bound) { sum = fma(x, m, sum); }
	/* this = before + this */
	__device__ void add(const plain_sum &before) { sum = before.sum + sum; }
	__device__ T part(int) const { return sum; }
	__device__ void set(int, T v) { sum = v; }
	__device__ T total() const { return sum; }
};

#define CARRIED(T, NAME, C)                                                              \
	struct NAME {                                                                    \
		typedef T real;                                                          \
		typedef no_bound bound;                                                  \
		static constexpr int PARTS = 2;                                          \
		static constexpr bool PARTED = false;                                    \
		carried_##C c;                                                           \
		__device__ void zero() { c = { (T)0, (T)0 }; }                           \
		__device__ void take(T x, T m, bound) { c = carried_fma_##C(c, x, m); }  \
		__device__ void add(const NAME &before) { c = carried_add_##C(before.c, c); } \
		__device__ T part(int i) const { return i ? c.rest : c.sum; }            \
		__device__ void set(int i, T v) { (i ? c.rest : c.sum) = v; }            \
		__device__ T total() const { return c.sum + c.rest; }                    \
	};
CARRIED(double, carried_sum_f64, f64)
CARRIED(float, carried_sum_f32, f32)
#undef CARRIED

/* Accumulators of a row: magnitudes from which on each takes products. */
template <class T, int N> struct parted_bound {
	T least[N];
	/* Those behind the last of `accumulators` get nothing. */
	__device__ void set(int exponent, int accumulators)
	{
		constexpr int BITS = sizeof(T) == 4 ? 24 : 53;
#pragma unroll
		for (int k = 0; k < N; ++k)
			least[k] = k < accumulators
			           ? (T)conv_least(exponent, k, accumulators, BITS) : (T)0;
	}
};

/* As conv_parted() of ops/conv_rows.h. */
template <class T, int N> struct parted_sum {
	typedef T real;
	typedef parted_bound<T, N> bound;
	static constexpr int PARTS = N;
	static constexpr bool PARTED = true;
	T s[N];
	__device__ void zero()
	{
#pragma unroll
		for (int k = 0; k < N; ++k)
			s[k] = (T)0;
	}
	__device__ void take(T x, T m, const bound &b)
	{
		const T p = x * m, size = p < (T)0 ? -p : p;
		bool above = false;
#pragma unroll
		for (int k = 0; k < N; ++k) {
			const bool here = size >= b.least[k];
			const T sum = fma(x, m, s[k]);
			s[k] = here && !above ? sum : s[k];
			above = here;
		}
	}
	__device__ void add(const parted_sum &before)
	{
#pragma unroll
		for (int k = 0; k < N; ++k)
			s[k] = before.s[k] + s[k];
	}
	__device__ T part(int i) const { return s[i]; }
	__device__ void set(int i, T v) { s[i] = v; }
	/* The smallest first. */
	__device__ T total() const
	{
		T all = s[N - 1];
#pragma unroll
		for (int k = N - 2; k >= 0; --k)
			all = s[k] + all;
		return all;
	}
};

/* ---- Kinds ------------------------------------------------------------------------------ */

/* X: samples and responses; SUM: sums; ROWS: of a group, at most; V: outputs of a thread.  TENSOR:
 * there are groups of TENSOR_ROWS, too. */
template <class X_, class SUM_, bool DENSE_, int ROWS_, int V_, bool TENSOR_ = false>
struct kind_of {
	typedef X_ X;
	typedef SUM_ SUM;
	typedef typename SUM_::real T;
	static constexpr bool DENSE = DENSE_, TENSOR = TENSOR_;
	static constexpr int ROWS = ROWS_, V = V_, TILE = V_ * DIRECT_THREADS;
	/* Sizes of groups between one and ROWS, where there are any; see groups.cu. */
	static constexpr int TWO = DENSE_ && ROWS_ > 2 ? 2 : 1, FOUR = DENSE_ && ROWS_ > 4 ? 4 : 1;
	/* Samples of V outputs and the gap behind them, which keeps 16-byte loads of neighbouring
	 * threads in different banks. */
	static constexpr int STEP = V_ + 16 / (int)sizeof(T);
	/* Numbers of the window of samples; dense: of a whole section. */
	static constexpr int WINDOW = DENSE_ ? (TILE + WSI_CONV_SECTION) / V_ * STEP
	                                     : 10 * TILE;
};

/* every > 1: taps of a section that are worked on at a time, and numbers from one phase of the
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

/* ---- An item ---------------------------------------------------------------------------- */

/* What the threads of a block work on. */
struct direct_place {
	direct_group g;
	direct_row row[TENSOR_ROWS];
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
	tile = p->g.rows == (unsigned)TENSOR_ROWS ? TENSOR_TILE : tile;
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

/* Where the sum of a branch lies: [channel][branch][row][part][output]. */
__device__ inline size_t
branch_at(const direct_job &job, const direct_group &g, long long channel, int branch, int row,
          int part, int parts)
{
	const size_t rows = (size_t)(channel * g.nodes + branch) * g.used + row;
	return g.partial + (rows * parts + part) * (size_t)job.outputs;
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

/* ---- every == 1 ------------------------------------------------------------------------- */

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
take_taps(typename K::SUM (&s)[R][K::V], const typename K::SUM::bound (&bound)[R],
          const typename K::T (&w)[2 * K::V], const typename K::T *taps)
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
					s[r][v].take(w[u0 + u + v], m[u * R + r], bound[r]);
	}
}

template <class K, int R>
__device__ void
sum_dense(typename K::SUM (&s)[R][K::V], const typename K::SUM::bound (&bound)[R],
          const typename K::T *window, const typename K::T *taps, int n_taps)
{
	constexpr int V = K::V;
	typename K::T w[2 * V];
	window += threadIdx.x * K::STEP;
	load<V>(w, window);
#pragma unroll 2
	for (int k = 0; k < n_taps; k += V) {
		window += K::STEP;
		load<V>(w + V, window);
		take_taps<K, R>(s, bound, w, taps);
		taps += V * R;
#pragma unroll
		for (int v = 0; v < V; ++v)
			w[v] = w[V + v];
	}
}

/* ---- every > 1 -------------------------------------------------------------------------- */

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
sum_thin(typename K::SUM (&s)[R][K::V], const typename K::SUM::bound (&bound)[R],
         const direct_job &job, const typename K::T *window, int stride,
         const typename K::T *taps, int n_taps)
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
				s[r][v].take(here, m[r], bound[r]);
		}
		x += stride;
		if (++phase == job.every) {
			x -= (size_t)job.every * stride - 1;
			phase = 0;
		}
	}
}

#endif
