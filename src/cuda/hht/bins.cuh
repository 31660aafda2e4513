/*
 * bins.cuh - energy over frequency and time (algo/hht_mode.c, algo/hht_spectrum.c): bins of samples,
 * marginal spectra, spectra.
 *
 * A cell is a chain of additions in the order of samples.  Chains are short or many: a lane has one
 * for itself, and all bins of it in a column of shared memory; of samples that follow each other in
 * the same bin the sum stays in a register.
 */
#ifndef WSI_CUDA_HHT_BINS_CUH
#define WSI_CUDA_HHT_BINS_CUH

#include "cuda/hht/view.cuh"
#include "math/bins.h"

/* Tables on the device, and what is asked. */
struct hht_bin_view {
	int n;
	const double *edges;
	const int32_t *guess;
	uint32_t key, keys;
	bool squares;           /* a^2 is added up, not a */
	double wild;
	ws_hht_mask mask;
	int quantity;
};

struct hht_bin_buffers {
	const double *amplitude; /* [row of the batch] */
	int32_t *bin;           /* likewise */
	double *frequency;      /* [row of the chunk] */
	double *energy, *moment, *outside; /* [row of the batch][tile], of masked samples; and of a^2
	                           in no bin */
};

/* A number of another type; of NaN the bits that the CPU has, which hardware does not agree on. */
template <class T>
__device__ __forceinline__ T
rounded(double x)
{
	if (x == x)
		return (T)x;
	const unsigned long long wide = 0x7ff8000000000000;
	const unsigned narrow = 0x7fc00000;
	T nan;
	memcpy(&nan, sizeof(T) == 8 ? (const void *)&wide : (const void *)&narrow, sizeof nan);
	return nan;
}

/*
 * Counts, masks, bins, and the samples that are to be seen.  Launch: (tiles, rows).
 */
template <class T>
__global__ void __launch_bounds__(HHT_THREADS)
hht_bin_kernel(hht_chunk c, hht_bin_view v, hht_bin_buffers b, const wsi_hht_channel *channel,
               hht_out<T> amplitudes, hht_out<T> frequencies)
{
	const unsigned tile = blockIdx.x, r = blockIdx.y, row = c.row0 + r, i0 = tile * HHT_TILE;
	if (!hht_alive(c, r))
		return;
	const unsigned count = c.n - i0 < HHT_TILE ? c.n - i0 : HHT_TILE;
	wsi_hht_sums *sums = &c.sums[row];
	const double times = sums->energy > 0.0 ? v.wild * sums->moment / sums->energy : 0.0;
	const double limit = times > 0.0 ? times : HUGE_VAL;
	const double *amplitude = b.amplitude + (size_t)row * c.stride + i0;
	double *frequency = b.frequency + (size_t)r * c.stride + i0;
	int32_t *bin = b.bin + (size_t)row * c.stride + i0;
	T *to_amplitude = amplitudes.data ? amplitudes(row) + i0 : NULL;
	T *to_frequency = frequencies.data ? frequencies(row) + i0 : NULL;
	const double scale = amplitudes.data ? channel[row / (unsigned)amplitudes.modes].scale : 1.0;
	double energy = 0.0, moment = 0.0, outside = 0.0;
	int negative = 0, wild = 0;
#pragma unroll 4
	for (unsigned m = threadIdx.x; m < count; m += HHT_THREADS) {
		double f = frequency[m];
		const double a = amplitude[m];
		negative += f < 0.0;
		wild += f > limit;
		if (v.mask != WS_HHT_MASK_NONE &&
		    (f < 0.0 || (f > limit && v.mask == WS_HHT_MASK_WILD))) {
			energy += a * a;
			moment += a * a * f;
			f = NAN;
			frequency[m] = f;
		}
		const int32_t at = bins_find(v.edges, v.n, v.guess, v.key, v.keys, f);
		bin[m] = at;
		if (at < 0)
			outside += a * a;
		if (to_amplitude)
			to_amplitude[m] = (T)(a * scale);
		if (to_frequency)
			to_frequency[m] = rounded<T>(f);
	}
	for (int d = 16; d > 0; d /= 2) {
		negative += __shfl_xor_sync(~0u, negative, d);
		wild += __shfl_xor_sync(~0u, wild, d);
	}
	if (threadIdx.x % 32 == 0 && (negative || wild)) {
		atomicAdd(&sums->negative, negative);
		atomicAdd(&sums->wild, wild);
	}
	const size_t at = (size_t)row * c.tiles + tile;
	const double all[3] = { energy, moment, outside };
	double *const to[3] = { &b.energy[at], &b.moment[at], &b.outside[at] };
	block_wide_totals<3>(all, to);
}

/* Joins the tiles.  Launch: a thread a row of the chunk. */
static __global__ void
hht_bin_total_kernel(hht_chunk c, hht_bin_buffers b, bool masked, unsigned rows)
{
	const unsigned r = blockIdx.x * HHT_THREADS + threadIdx.x;
	if (r >= rows || !hht_alive(c, r))
		return;
	const size_t at = (size_t)(c.row0 + r) * c.tiles;
	wsi_hht_sums *s = &c.sums[c.row0 + r];
	for (unsigned t = 0; masked && t < c.tiles; ++t) {
		s->kept -= b.energy[at + t];
		s->moment -= b.moment[at + t];
	}
	s->outside = tiles_total(b.outside + at, c.tiles);
}

/* ---- Chains -------------------------------------------------------------------------------- */

/* Samples that are loaded before the first of them is added. */
constexpr unsigned CHAIN = 16;

/*
 * Adds samples first, first + step, .. below end of a row to the cells of this lane, `lanes` apart.
 * Returns what is in all of them: the sum of a^2.
 */
__device__ __forceinline__ double
add_chain(const double *amplitude, const int32_t *bin, unsigned first, unsigned end, unsigned step,
          bool squares, double *cells, unsigned lanes)
{
	double power = 0.0, sum = 0.0;
	int at = -1;
	for (unsigned i = first; i < end; i += CHAIN * step) {
		double a[CHAIN];
		int b[CHAIN];
#pragma unroll
		for (unsigned k = 0; k < CHAIN; ++k) {
			const unsigned j = i + k * step;
			a[k] = j < end ? amplitude[j] : 0.0;
			b[k] = j < end ? bin[j] : -1;
		}
#pragma unroll
		for (unsigned k = 0; k < CHAIN; ++k) {
			if (b[k] < 0)
				continue;
			const double e = a[k] * a[k];
			if (b[k] != at) {
				if (at >= 0)
					cells[(size_t)at * lanes] = sum;
				at = b[k];
				sum = cells[(size_t)at * lanes];
			}
			sum += squares ? e : a[k];
			power += e;
		}
	}
	if (at >= 0)
		cells[(size_t)at * lanes] = sum;
	return power;
}

/* Lanes of a block, a power of two, so that their cells fit in `most` bytes; 0: not even `least`. */
static inline unsigned
chain_lanes(size_t bytes_each, unsigned least, unsigned wanted, size_t most)
{
	unsigned lanes = 32;
	while (lanes > least && (lanes * bytes_each > most || lanes / 2 >= wanted))
		lanes /= 2;
	return lanes * bytes_each <= most ? lanes : 0;
}

/*
 * What is in each bin of each tile, of even samples and then of odd ones.  Launch: (tiles over
 * lanes / 2, rows), a warp; cells in shared memory, or in `room` [block][bins][lanes].
 */
static __global__ void
hht_marginal_kernel(hht_chunk c, hht_bin_view v, hht_bin_buffers b, unsigned lanes, double *room,
                    double *part)
{
	const unsigned r = blockIdx.y, lane = threadIdx.x, bins = (unsigned)v.n;
	if (!hht_alive(c, r))
		return;
	double *cells = room ? room + (size_t)(blockIdx.y * gridDim.x + blockIdx.x) * bins * lanes
	                     : (double *)hht_shared;
	for (size_t i = lane; i < (size_t)bins * lanes; i += 32)
		cells[i] = 0.0;
	__syncwarp();
	const unsigned tile0 = blockIdx.x * (lanes / 2), tile = tile0 + lane / 2;
	const size_t row = (size_t)(c.row0 + r) * c.stride;
	if (lane < lanes && tile < c.tiles) {
		const unsigned first = tile * HHT_TILE;
		const unsigned end = c.n - first < HHT_TILE ? c.n : first + HHT_TILE;
		add_chain(b.amplitude + row, b.bin + row, first + (lane & 1), end, 2, v.squares,
		          cells + lane, lanes);
	}
	__syncwarp();
	for (unsigned k = 0; k < lanes / 2 && tile0 + k < c.tiles; ++k)
		for (unsigned i = lane; i < bins; i += 32)
			part[((size_t)r * c.tiles + tile0 + k) * bins + i] =
				cells[(size_t)i * lanes + 2 * k] +
				cells[(size_t)i * lanes + 2 * k + 1];
}

/* Joins the tiles.  Launch: (bins over threads, rows). */
static __global__ void
hht_marginal_total_kernel(hht_chunk c, unsigned bins, const double *part, double *marginal)
{
	const unsigned i = blockIdx.x * HHT_THREADS + threadIdx.x, r = blockIdx.y;
	if (i >= bins)
		return;
	double sum = 0.0;
	for (unsigned t = 0; hht_alive(c, r) && t < c.tiles; ++t)
		sum += part[((size_t)r * c.tiles + t) * bins + i];
	marginal[(size_t)(c.row0 + r) * bins + i] = sum;
}

/* ---- Time ---------------------------------------------------------------------------------- */

struct hht_spectra {
	unsigned time_bin, time_bins, each; /* samples of one; how many; of a stretch */
	char *spectrum;         /* [channel][bin][time bin]; or NULL */
	size_t channel, bin;    /* bytes from one to the next */
	char *mode_spectrum;    /* [channel][mode][bin][time bin]; or NULL */
	size_t mode_channel, mode, mode_bin;
	char *power;            /* [channel][time bin] f64; or NULL */
	size_t power_channel;
	double *squares;        /* [channel][stretch][bin] */
};

/* The cells of `n` time bins from `first` on to rows of out, by the lanes of a warp. */
template <class T>
__device__ __forceinline__ void
store_cells(const hht_bin_view &v, char *out, size_t bin_stride,
            unsigned first, unsigned n, unsigned samples, double scale, const double *cells,
            unsigned lanes)
{
	const unsigned lane = threadIdx.x;
	for (unsigned i = 0; lane < n && i < (unsigned)v.n; ++i) {
		const double width = v.edges[i + 1] - v.edges[i];
		const double factor = mode_factor(v.quantity, width, (double)samples, scale);
		T *row = (T *)(void *)(out + i * bin_stride);
		row[first + lane] = (T)(cells[(size_t)i * lanes + lane] * factor);
	}
}

/*
 * The spectrum of a stretch of time bins, and of each mode.  A lane has a time bin.  Launch:
 * (stretches, channels), a warp; cells in shared memory, or in `room` [block][1 or 2][bins][lanes].
 */
template <class T>
__global__ void __launch_bounds__(32)
hht_spectrum_kernel(hht_chunk c, hht_bin_view v, hht_bin_buffers b, int modes,
                    const wsi_hht_channel *channel, unsigned lanes, double *room, hht_spectra s)
{
	const unsigned stretch = blockIdx.x, ch = blockIdx.y, lane = threadIdx.x;
	const unsigned bins = (unsigned)v.n, count = (unsigned)channel[ch].count;
	const double scale = channel[ch].scale;
	const size_t each = (size_t)bins * lanes;
	double *cells = room ? room + (size_t)(ch * gridDim.x + stretch) * each *
	                       (s.mode_spectrum ? 2 : 1) : (double *)hht_shared;
	double *squares = s.squares + ((size_t)ch * gridDim.x + stretch) * bins;
	const unsigned begin = stretch * s.each < s.time_bins ? stretch * s.each : s.time_bins;
	const unsigned end = begin + s.each < s.time_bins ? begin + s.each : s.time_bins;
	for (unsigned i = lane; i < bins; i += 32)
		squares[i] = 0.0;
	for (unsigned first = begin; first < end; first += lanes) {
		const unsigned n = end - first < lanes ? end - first : lanes;
		const unsigned at = (first + lane) * s.time_bin;
		const unsigned samples = lane >= n ? 0 : c.n - at < s.time_bin ? c.n - at : s.time_bin;
		double power = 0.0;
		for (size_t i = lane; i < each; i += 32)
			cells[i] = 0.0;
		__syncwarp();
		for (unsigned k = 0; k < count; ++k) {
			const size_t row = (size_t)(ch * (unsigned)modes + k) * c.stride;
			if (samples)
				power += add_chain(b.amplitude + row, b.bin + row, at, at + samples, 1,
				                   v.squares, cells + lane, lanes);
			if (!s.mode_spectrum)
				continue;
			double *one = cells + each;
			__syncwarp();
			for (size_t i = lane; i < each; i += 32)
				one[i] = 0.0;
			__syncwarp();
			if (samples)
				add_chain(b.amplitude + row, b.bin + row, at, at + samples, 1,
				          v.squares, one + lane, lanes);
			store_cells<T>(v, s.mode_spectrum + ch * s.mode_channel + k * s.mode,
			            s.mode_bin, first, n, samples, scale, one, lanes);
		}
		if (s.spectrum)
			store_cells<T>(v, s.spectrum + ch * s.channel, s.bin, first, n, samples,
			            scale, cells, lanes);
		if (s.power && samples)
			((double *)(void *)(s.power + ch * s.power_channel))[first + lane] =
				0.5 * scale * scale * power / (double)samples;
		__syncwarp();
		for (unsigned i = lane; i < bins; i += 32) {
			double sum = squares[i];
			for (unsigned t = 0; t < n; ++t) {
				const unsigned from = (first + t) * s.time_bin;
				const double in = (double)(c.n - from < s.time_bin ? c.n - from
				                           : s.time_bin);
				const double cell = cells[(size_t)i * lanes + t];
				sum += cell * cell / in;
			}
			squares[i] = sum;
		}
		__syncwarp();
	}
}

/* Joins the stretches of a channel.  Launch: (bins over threads, channels). */
static __global__ void
hht_squares_total_kernel(unsigned bins, unsigned stretches, const double *part, double *squares)
{
	const unsigned i = blockIdx.x * HHT_THREADS + threadIdx.x, c = blockIdx.y;
	if (i >= bins)
		return;
	double sum = 0.0;
	for (unsigned s = 0; s < stretches; ++s)
		sum += part[((size_t)c * stretches + s) * bins + i];
	squares[(size_t)c * bins + i] = sum;
}

#endif
