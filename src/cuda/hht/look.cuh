/*
 * look.cuh - what is asked of modes before they are analysed: are they finite, how large, how many;
 * and what they add up to.
 *
 * Fits      every batch, before anything else.
 * Twin      the checks of transform/hht/run.c, facts of transform/hht/finish.c: the same bits.
 * Launch    HHT_THREADS: over (some stretches, rows) to look, over (tiles, channels) for sums, a
 *           thread a row or a channel to join them.  Each kernel says its own.
 * Memory    reads the modes once to look and once for sums; sums of tiles in the device's memory.
 */
#ifndef WSI_CUDA_HHT_LOOK_CUH
#define WSI_CUDA_HHT_LOOK_CUH

#include "cuda/hht/view.cuh"

/* Sums of rows that were not looked at yet.  Launch: all rows, a thread each. */
static __global__ void
hht_clear_kernel(wsi_hht_sums *sums, unsigned rows)
{
	const unsigned r = blockIdx.x * HHT_THREADS + threadIdx.x;
	if (r >= rows)
		return;
	wsi_hht_sums s = {};
	s.bad = ~0ull;
	sums[r] = s;
}

/* Of each row its largest magnitude, and its first sample that is not finite.  counts: modes that
 * channels have, other rows are left alone; NULL: all are looked at.  Launch: (some, rows). */
template <class T>
__global__ void __launch_bounds__(HHT_THREADS)
hht_look_kernel(hht_chunk c, hht_rows<T> rows, const int *counts)
{
	const unsigned modes = (unsigned)rows.modes;
	if (counts && (int)(blockIdx.y % modes) >= counts[blockIdx.y / modes])
		return;
	const T *x = rows(blockIdx.y).x;
	wsi_hht_sums *s = &c.sums[blockIdx.y];
	double peak = 0.0;
	for (unsigned i0 = blockIdx.x * HHT_TILE; i0 < c.n; i0 += gridDim.x * HHT_TILE) {
		double v[HHT_EACH];
		own_of_tile(v, c.n, i0, [=](unsigned i) { return fabs((double)x[i]); });
#pragma unroll
		for (unsigned k = 0; k < HHT_EACH; ++k) {
			const unsigned i = i0 + threadIdx.x + k * HHT_THREADS;
			peak = v[k] > peak ? v[k] : peak;
			if (!(v[k] < HUGE_VAL) && i < c.n)
				atomicMin((unsigned long long *)&s->bad, (unsigned long long)i);
		}
	}
	keep_largest(&s->peak, peak);
}

/* Scale and number of modes of each channel.  counts: those numbers; NULL: they are found.
 * Launch: a thread a channel. */
static __global__ void
hht_judge_kernel(const wsi_hht_sums *sums, const int *counts, int modes, unsigned channels,
                 wsi_hht_channel *channel, int *alive)
{
	const unsigned c = blockIdx.x * HHT_THREADS + threadIdx.x;
	if (c >= channels)
		return;
	const int most = counts ? counts[c] : modes;
	double peak = 0.0;
	int count = 0;
	for (int k = 0; k < most; ++k) {
		const double p = sums[c * modes + k].peak;
		peak = p > peak ? p : peak;
		count = p > 0.0 ? k + 1 : count;
	}
	count = counts ? most : count;
	for (int k = 0; k < modes; ++k)
		alive[c * modes + k] = k < count;
	int e = 0;
	if (peak > 0.0)
		frexp(peak, &e);
	e = e < -1000 ? -1000 : e > 1000 ? 1000 : e;
	wsi_hht_channel out = {};
	out.scale = ldexp(1.0, e);
	out.count = count;
	channel[c] = out;
}

/* Where sums over tiles go, before they are joined: [row or channel][tile]. */
struct hht_facts_parts {
	double *squares;        /* of each mode */
	double *whole, *rest;   /* of a channel: of the sum of all rows, of the residue */
};

/* Modes whose sums are joined together, an even number; blocks beside each other on a
 * multiprocessor. */
constexpr unsigned FACTS = 4, FACTS_BLOCKS = 3;

/* The samples of the first and of the last lane of each warp. */
struct hht_warp_ends {
	double first[HHT_EACH][HHT_THREADS / 32], last[HHT_EACH][HHT_THREADS / 32];
};

/* The sum of squares of a thread's samples of a mode, which are also added to `all`; the number of
 * maxima is added to *s.  By all threads; ends: shared memory, another one for the next mode. */
template <class T>
__device__ __forceinline__ double
mode_facts(const hht_chunk &c, const hht_row<T> &x, unsigned i0, wsi_hht_sums *s,
           double (&all)[HHT_EACH], hht_warp_ends *ends)
{
	constexpr unsigned WARPS = HHT_THREADS / 32, LAST = HHT_EACH - 1;
	double squares = 0.0, v[HHT_EACH], beyond = 0.0;
	int maxima = 0;
	const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	own_of_tile(v, c.n, i0 - threadIdx.x, [&](unsigned i) { return x[i]; });
	if (threadIdx.x == 0 && i0 > 0)
		beyond = x[i0 - 1];
	if (threadIdx.x == HHT_THREADS - 1 && i0 + LAST * HHT_THREADS + 1 < c.n)
		beyond = x[i0 + LAST * HHT_THREADS + 1];
#pragma unroll
	for (unsigned m = 0; m < HHT_EACH; ++m) {
		if (lane == 0)
			ends->first[m][warp] = v[m];
		if (lane == 31)
			ends->last[m][warp] = v[m];
	}
	__syncthreads();
#pragma unroll
	for (unsigned m = 0; m < HHT_EACH; ++m) {
		const unsigned i = i0 + m * HHT_THREADS;
		const bool inside = i > 0 && i + 1 < c.n;
		/* Neighbouring lanes have the neighbours. */
		double before = __shfl_up_sync(~0u, v[m], 1);
		double after = __shfl_down_sync(~0u, v[m], 1);
		if (lane == 0)
			before = warp ? ends->last[m][warp - 1]
			         : m ? ends->last[m ? m - 1 : 0][WARPS - 1] : beyond;
		if (lane == 31)
			after = warp + 1 < WARPS ? ends->first[m][warp + 1]
			        : m < LAST ? ends->first[m < LAST ? m + 1 : m][0] : beyond;
		squares = i < c.n ? squares + v[m] * v[m] : squares;
		all[m] += v[m];
		maxima += inside && v[m] > before && v[m] >= after;
	}
	for (int d = 16; d > 0; d /= 2)
		maxima += __shfl_xor_sync(~0u, maxima, d);
	if (threadIdx.x % 32 == 0 && maxima)
		atomicAdd(&s->maxima, maxima);
	return squares;
}

/*
 * Squares and maxima of modes; squares of the sum of all, which for a decomposition is the signal.
 * Launch: (tiles, channels).
 */
template <class T>
__global__ void __launch_bounds__(HHT_THREADS, FACTS_BLOCKS)
hht_facts_kernel(hht_chunk c, hht_rows<T> rows, hht_rows<T> signal, hht_rows<T> residue,
                 const wsi_hht_channel *channel, hht_facts_parts parts)
{
	const unsigned tile = blockIdx.x, ch = blockIdx.y, i0 = tile * HHT_TILE + threadIdx.x;
	const bool decomposed = signal.data != NULL;
	const double by = 1.0 / channel[ch].scale;
	const unsigned count = (unsigned)channel[ch].count;
	__shared__ hht_warp_ends ends[2];
	double all[HHT_EACH] = {};
	for (unsigned k0 = 0; k0 < count; k0 += FACTS) {
		double squares[FACTS] = {};
		double *to[FACTS];
		for (unsigned j = 0; j < FACTS; ++j) {
			const unsigned k = k0 + j < count ? k0 + j : count - 1;
			const unsigned r = ch * (unsigned)rows.modes + k;
			to[j] = &parts.squares[(size_t)r * c.tiles + tile];
			if (k0 + j < count)
				squares[j] = mode_facts(c, rows(r), i0, &c.sums[r], all,
				                        &ends[j % 2]);
		}
		const unsigned n = count - k0 < FACTS ? count - k0 : FACTS;
		block_wide_totals<FACTS>(squares, to, n);
		__syncthreads();
	}
	double v[2] = {};
	for (int m = 0; m < HHT_EACH; ++m) {
		const unsigned i = i0 + (unsigned)m * HHT_THREADS;
		if (i >= c.n)
			break;
		double x = all[m];
		if (decomposed) {
			const double left = (double)((const T *)(const void *)(residue.data +
			                                         ch * residue.channel))[i] * by;
			const char *row = signal.data + ch * signal.channel;
			x = (double)((const T *)(const void *)row)[i] * by;
			v[1] += left * left;
		}
		v[0] += x * x;
	}
	double *const to[2] = { &parts.whole[(size_t)ch * c.tiles + tile],
		                &parts.rest[(size_t)ch * c.tiles + tile] };
	block_wide_totals<2>(v, to);
}

/* Joins the sums of tiles.  Launch: a thread for each row, then for each channel. */
static __global__ void
hht_facts_total_kernel(hht_chunk c, unsigned rows, unsigned channels, wsi_hht_channel *channel,
                       hht_facts_parts parts)
{
	const unsigned i = blockIdx.x * HHT_THREADS + threadIdx.x;
	if (i < rows) {
		if (c.alive[i])
			c.sums[i].squares = tiles_total(parts.squares + (size_t)i * c.tiles,
			                                c.tiles);
	} else if (i < rows + channels) {
		const unsigned ch = i - rows;
		channel[ch].whole = tiles_total(parts.whole + (size_t)ch * c.tiles, c.tiles);
		channel[ch].rest = tiles_total(parts.rest + (size_t)ch * c.tiles, c.tiles);
	}
}

#endif
