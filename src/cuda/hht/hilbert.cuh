/*
 * hilbert.cuh - the Hilbert transform of many rows, with the bits of cpu/hht/hilbert.c: the same
 * butterflies and twiddles in the same order (ops/fft.h), three passes over memory:
 *
 *     columns   continued signal -> transposed: the first step there
 *     middle    transposed -> transposed back: the second step there, each bin answered
 *               (math/hilbert.h), the first step back.  A block has bins k of some k mod n2, and
 *               with them those of half - k, which the answers need.
 *     lines     transposed back -> the transform: the second step back
 *
 * Fits      every length: as one transform (at_once) where n / 2 is a length that ops/fft.h has,
 *           else by the response to a pulse and transforms of at least 2 n samples, as the CPU.
 * Twin      cpu/hht/hilbert.c, cpu/hht/hilbert_simd.h: the same bits.
 * Launch    FFT_THREADS, a block for `across` transforms along one axis, of one row.
 * Memory    the transforms of a block are in shared memory; where that has no room, in the device's
 *           (`room`).  The first and the last pass of radices go from and to the device's memory,
 *           in runs of 64 to 128 bytes where across is 8.
 */
#ifndef WSI_CUDA_HHT_HILBERT_CUH
#define WSI_CUDA_HHT_HILBERT_CUH

#include "cuda/hht/view.cuh"
#include "math/gaussian.h"
#include "math/hilbert.h"

#define REAL double
#define VEC double
#define VEC_SET(c) (c)
#define VEC_FMA(a, b, c) fma((a), (b), (c))
#define FN(name) hht_##name
#include "math/dft.h"
#undef REAL
#undef VEC
#undef VEC_SET
#undef VEC_FMA
#undef FN

/* Threads of a block, and blocks that are beside each other on a multiprocessor. */
constexpr int FFT_THREADS = 256, FFT_BLOCKS = 3;

/* Of wsi_fft_axis. */
struct fft_axis_view {
	unsigned n;
	int passes;
	int radix[WSI_FFT_PASSES];
	unsigned twiddle[WSI_FFT_PASSES]; /* the first of a pass */
	unsigned magic[WSI_FFT_PASSES]; /* 2^32 over its points behind a radix, rounded up */
	const hht_pair *twiddles;
	const uint32_t *order;  /* [n] the number of the result that is left at each place */
	int log_across;
};

/* A transform there or back (wsi_fft): half = n1 n2. */
struct fft_view {
	unsigned n1, n2;
	fft_axis_view first, second; /* of n2 points, of n1 points */
	/* twiddles: [n2][WSI_FFT_ACROSS], [n1 / WSI_FFT_ACROSS][n2] */
	const hht_pair *lane, *group;
};

struct hilbert_view {
	unsigned period, half;
	fft_view there, back;   /* the factors of one are those of the other, exchanged */
	bool at_once;
	const double *sum, *difference;
	double over;            /* -1 / half */
	const hht_pair *angles; /* [half] cosine and sine */
	/* [row of the chunk][half]; the result replaces transposed */
	hht_pair *transposed, *transposed_back;
	hht_pair *room;         /* [block] of a launch: the transforms of a block; NULL: shared */
	unsigned lead, behind;  /* samples put before a row, and behind it */
	bool mirrored;
	const unsigned *about;  /* [row of the chunk][2] the extremum nearest each end */
};

template <int R>
__device__ __forceinline__ void
fft_points(hht_cvec *v)
{
	if constexpr (R == 2)
		hht_dft2(v);
	else if constexpr (R == 3)
		hht_dft3(v);
	else if constexpr (R == 4)
		hht_dft4(v);
	else if constexpr (R == 5)
		hht_dft5(v);
	else
		hht_dft8(v);
}

/* v times a number of a table. */
__device__ __forceinline__ hht_cvec
fft_twiddled(hht_cvec v, const hht_pair *by)
{
	const hht_pair twiddle = pair_at(by);
	return hht_cmul(v, twiddle.re, twiddle.im);
}

/* A pass of `across` transforms: blocks of R q points each (cpu/fft/fft_simd.h). */
template <int R, class Load, class Store>
__device__ __forceinline__ void
fft_pass(const fft_axis_view &a, unsigned q, unsigned magic, const hht_pair *w, Load load,
         Store store)
{
	const unsigned all = (a.n / R) << a.log_across, mask = (1u << a.log_across) - 1;
	for (unsigned i = threadIdx.x; i < all; i += FFT_THREADS) {
		const unsigned g = i & mask, b = i >> a.log_across;
		/* b over q, as both are less than 2^16; magic is 0 where q is 1. */
		const unsigned block = magic ? __umulhi(b, magic) : b;
		const unsigned j = b - block * q, p = block * R * q + j;
		hht_cvec v[R];
#pragma unroll
		for (unsigned u = 0; u < R; ++u)
			v[u] = load(p + u * q, g);
		fft_points<R>(v);
		store(p, g, v[0]);
		const hht_pair *twiddle = w + (R - 1) * j;
#pragma unroll
		for (unsigned u = 1; u < R; ++u)
			store(p + u * q, g, j ? fft_twiddled(v[u], twiddle + (u - 1)) : v[u]);
	}
}

template <class Load, class Store>
__device__ __forceinline__ void
fft_any_pass(const fft_axis_view &a, int pass, unsigned q, Load load, Store store)
{
	const hht_pair *w = a.twiddles + a.twiddle[pass];
	const unsigned magic = a.magic[pass];
	switch (a.radix[pass]) {
	case 2: fft_pass<2>(a, q, magic, w, load, store); break;
	case 3: fft_pass<3>(a, q, magic, w, load, store); break;
	case 4: fft_pass<4>(a, q, magic, w, load, store); break;
	case 5: fft_pass<5>(a, q, magic, w, load, store); break;
	default: fft_pass<8>(a, q, magic, w, load, store); break;
	}
}

/* Transforms along an axis: load(point, g) of transform g; out(number, g, v) gets the results.
 * There are two passes at least, as n is a multiple of 16. */
template <class Load, class Out>
__device__ __forceinline__ void
fft_axis(const fft_axis_view &a, hht_pair *z, Load load, Out out)
{
	const auto get = [=](unsigned p, unsigned g) {
		const hht_pair v = z[(p << a.log_across) + g];
		return hht_complex_of(v.re, v.im);
	};
	const auto put = [=](unsigned p, unsigned g, hht_cvec v) {
		z[(p << a.log_across) + g] = { v.re, v.im };
	};
	unsigned q = a.n / (unsigned)a.radix[0];
	fft_any_pass(a, 0, q, load, put);
	int pass = 1;
	for (; pass + 1 < a.passes; ++pass) {
		__syncthreads();
		q /= (unsigned)a.radix[pass];
		fft_any_pass(a, pass, q, get, put);
	}
	__syncthreads();
	q /= (unsigned)a.radix[pass];
	fft_any_pass(a, pass, q, get, [=](unsigned p, unsigned g, hht_cvec v) {
		out(__ldg(a.order + p), g, v);
	});
}

/* Where a block has its n points.  The compiler is to know which memory that is. */
template <bool ROOM>
__device__ __forceinline__ hht_pair *
fft_room(const hilbert_view &h, unsigned n)
{
	if constexpr (ROOM)
		return h.room + (size_t)(blockIdx.y * gridDim.x + blockIdx.x) * n;
	else
		return hht_shared;
}

/* A result of the first axis, number t of transform k1, to the transposed array. */
__device__ __forceinline__ void
fft_transpose(const fft_view &f, hht_pair *transposed, unsigned t, unsigned k1, hht_cvec v)
{
	v = fft_twiddled(v, &f.lane[WSI_FFT_ACROSS * t + k1 % WSI_FFT_ACROSS]);
	v = fft_twiddled(v, &f.group[(size_t)(k1 / WSI_FFT_ACROSS) * f.n2 + t]);
	transposed[(size_t)t * f.n1 + k1] = { v.re, v.im };
}

/* ---- There ---------------------------------------------------------------------------------- */

/* Sample j of the continued row x[n]. */
template <class T>
__device__ __forceinline__ double
hilbert_sample(const hilbert_view &h, const hht_row<T> &x, unsigned n, const unsigned *about,
               unsigned j)
{
	const unsigned i = j - h.lead;
	if (i < n)
		return x[i];
	if (!h.mirrored || j >= h.period)
		return 0.0;
	const bool right = j >= h.lead;
	const unsigned room = right ? h.behind : h.lead, k = right ? i - n + 1 : h.lead - j;
	const unsigned from = 2 * about[right] + k;
	const double v = from < n ? x[right ? n - 1 - from : from] : 0.0;
	return hilbert_fade(room, k) * v;
}

/* Samples 2 k and 2 k + 1 of the continued row, as complex number k with its parts exchanged. */
template <class T>
__device__ __forceinline__ hht_cvec
hilbert_pair(const hilbert_view &h, const hht_row<T> &x, unsigned n, const unsigned *about,
             unsigned k, bool aligned)
{
	struct alignas(2 * sizeof(T)) two { T even, odd; };
	const unsigned i = 2 * k - h.lead;
	if (i < n && i + 1 < n && aligned) {
		if constexpr (sizeof(T) == sizeof(double)) {
			const hht_pair at = pair_at((const hht_pair *)(const void *)(x.x + i));
			return hht_complex_of(at.im * x.by, at.re * x.by);
		}
		const two at = *(const two *)(const void *)(x.x + i);
		return hht_complex_of((double)at.odd * x.by, (double)at.even * x.by);
	}
	if (i < n && i + 1 < n)
		return hht_complex_of(x[i + 1], x[i]);
	return hht_complex_of(hilbert_sample(h, x, n, about, 2 * k + 1),
	                      hilbert_sample(h, x, n, about, 2 * k));
}

template <class T, bool ROOM>
__global__ void __launch_bounds__(FFT_THREADS, FFT_BLOCKS)
hilbert_columns_kernel(hilbert_view h, hht_chunk c, hht_rows<T> rows)
{
	const fft_view &f = h.there;
	const unsigned r = blockIdx.y, k1 = blockIdx.x << f.first.log_across;
	if (!hht_alive(c, r))
		return;
	const hht_row<T> x = rows(c.row0 + r);
	const unsigned *about = h.about + 2 * r;
	hht_pair *transposed = h.transposed + (size_t)r * h.half;
	hht_pair *z = fft_room<ROOM>(h, f.n2 << f.first.log_across);
	/* Of even samples, that is. */
	const bool aligned = ((size_t)x.x / sizeof(T) + h.lead) % 2 == 0;
	/* Forwards is backwards with real and imaginary parts exchanged. */
	fft_axis(f.first, z, [&](unsigned k2, unsigned g) {
		return hilbert_pair(h, x, c.n, about, k1 + g + f.n1 * k2, aligned);
	}, [&](unsigned t, unsigned g, hht_cvec v) { fft_transpose(f, transposed, t, k1 + g, v); });
}

/* ---- There and back ------------------------------------------------------------------------- */

/*
 * Bin k is answered by the bin of half - k.  So one half of a block's transforms has the bins of
 * some remainders k mod n2, from 1 on, the other half those of n2 less these.  The last block also
 * has remainders n2 / 2 and 0, which answer themselves.
 * Launch: (n2 over across, rows).
 */
template <bool ROOM>
__global__ void __launch_bounds__(FFT_THREADS, FFT_BLOCKS)
hilbert_middle_kernel(hilbert_view h, hht_chunk c)
{
	const fft_axis_view &axis = h.there.second;
	const unsigned n1 = h.there.n1, n2 = h.there.n2;
	const unsigned r = blockIdx.y, across = 1u << axis.log_across, pairs = across / 2;
	const unsigned low = pairs * blockIdx.x + 1;
	const bool last = blockIdx.x + 1 == gridDim.x;
	if (!hht_alive(c, r))
		return;
	const hht_pair *transposed = h.transposed + (size_t)r * h.half;
	hht_pair *transposed_back = h.transposed_back + (size_t)r * h.half;
	hht_pair *z = fft_room<ROOM>(h, 2 * n1 << axis.log_across);
	hht_pair *bins = z + ((size_t)n1 << axis.log_across);
	const auto residue = [=](unsigned g) {
		return g < pairs ? low + g : last && g + 1 == across ? 0 : n2 - low - (g - pairs);
	};
	fft_axis(axis, z, [&](unsigned k1, unsigned g) {
		const hht_pair v = pair_at(transposed + (size_t)residue(g) * n1 + k1);
		return hht_complex_of(v.re, v.im);
	}, [&](unsigned s, unsigned g, hht_cvec v) {
		bins[(s << axis.log_across) + g] = { v.im, v.re };
	});
	__syncthreads();
	fft_axis(h.back.first, z, [&](unsigned s, unsigned g) {
		const unsigned own = residue(g), k = own + n2 * s;
		const bool self = last && (g + 1) % pairs == 0;
		const unsigned other = self ? g : g ^ pairs;
		const unsigned at = own ? n1 - 1 - s : s ? n1 - s : 0;
		const hht_pair a = bins[(s << axis.log_across) + g];
		const hht_pair b = bins[(at << axis.log_across) + other];
		const hht_pair angle = pair_at(h.angles + k);
		const double p = h.at_once ? 0.0 : __ldg(h.sum + k);
		const double q = !h.at_once ? __ldg(h.difference + k) : k ? h.over : 0.0;
		hht_cvec y;
		hilbert_bin(a.re, a.im, b.re, b.im, p, q, angle.re, angle.im, &y.re, &y.im);
		return y;
	}, [&](unsigned t, unsigned g, hht_cvec v) {
		fft_transpose(h.back, transposed_back, t, residue(g), v);
	});
}

/* ---- Back ---------------------------------------------------------------------------------- */

template <bool ROOM>
__global__ void __launch_bounds__(FFT_THREADS, FFT_BLOCKS)
hilbert_lines_kernel(hilbert_view h, hht_chunk c)
{
	const fft_view &f = h.back;
	const unsigned r = blockIdx.y, t2 = blockIdx.x << f.second.log_across;
	if (!hht_alive(c, r))
		return;
	const hht_pair *transposed = h.transposed_back + (size_t)r * h.half;
	hht_pair *out = h.transposed + (size_t)r * h.half;
	hht_pair *z = fft_room<ROOM>(h, f.n1 << f.second.log_across);
	/* A row begins with an even sample: pairs are aligned. */
	const unsigned first = h.lead / 2, pairs = (c.n + h.lead % 2 + 1) / 2;
	fft_axis(f.second, z, [&](unsigned k1, unsigned g) {
		const hht_pair v = pair_at(transposed + (size_t)(t2 + g) * f.n1 + k1);
		return hht_complex_of(v.re, v.im);
	}, [&](unsigned s, unsigned g, hht_cvec v) {
		const unsigned k = t2 + g + f.n2 * s;
		if (k - first < pairs)
			out[k - first] = { v.re, v.im };
	});
}

/* The transform of row r of a chunk. */
__device__ __forceinline__ const double *
hilbert_result(const hilbert_view &h, unsigned r)
{
	return (const double *)(h.transposed + (size_t)r * h.half) + h.lead % 2;
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* Cosine and sine [half] of 2 pi k / (2 half). */
static __global__ void
hilbert_angles_kernel(unsigned half, hht_pair *angles)
{
	const unsigned k = blockIdx.x * FFT_THREADS + threadIdx.x;
	if (k < half)
		gaussian_turn(0.5 * (double)k / (double)half, &angles[k].re, &angles[k].im);
}

/* The twiddles of a transform (ops/fft.c). */
static __global__ void
hilbert_twiddles_kernel(unsigned n1, unsigned n2, hht_pair *lane, hht_pair *group)
{
	const unsigned i = blockIdx.x * FFT_THREADS + threadIdx.x, t = i % n2, k = i / n2;
	const unsigned long long n = (unsigned long long)n1 * n2;
	if (k < WSI_FFT_ACROSS) {
		hht_pair *at = &lane[WSI_FFT_ACROSS * t + k];
		gaussian_turn((double)((unsigned long long)k * t % n) / (double)n, &at->re,
		              &at->im);
	}
	if (k < n1 / WSI_FFT_ACROSS) {
		hht_pair *at = &group[(size_t)k * n2 + t];
		gaussian_turn((double)((unsigned long long)WSI_FFT_ACROSS * k * t % n) / (double)n,
		              &at->re, &at->im);
	}
}

/* ---- Ends ---------------------------------------------------------------------------------- */

/* The extremum nearest an end, counted from there; 0 where there is none.  Launch: (2, rows). */
template <class T>
__global__ void
hilbert_ends_kernel(hht_chunk c, hht_rows<T> rows, unsigned *about)
{
	const bool right = blockIdx.x != 0;
	const unsigned r = blockIdx.y;
	if (!hht_alive(c, r))
		return;
	const hht_row<T> x = rows(c.row0 + r);
	__shared__ unsigned found;
	if (threadIdx.x == 0)
		found = ~0u;
	for (unsigned first = 1; first + 1 < c.n; first += HHT_THREADS) {
		const unsigned i = first + threadIdx.x, at = right ? c.n - 1 - i : i;
		__syncthreads();
		if (found != ~0u)
			break;
		__syncthreads();
		if (i + 1 < c.n &&
		    hilbert_is_extremum(x[right ? at + 1 : at - 1], x[at],
		                        x[right ? at - 1 : at + 1]))
			atomicMin(&found, i);
	}
	__syncthreads();
	if (threadIdx.x == 0)
		about[2 * r + blockIdx.x] = found == ~0u ? 0 : found;
}

#endif
