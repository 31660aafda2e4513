/*
 * bins.cuh - energy over frequency and time (algo/hht_mode.c, algo/hht_spectrum.c): bins of
 * samples, marginal spectra, spectra.
 *
 * A cell is a chain of additions in the order of samples.  Chains are short or many: a lane has one
 * for itself, and all bins of it in a column of shared memory (where that has no room, of the
 * device's: `room`); of samples that follow each other in the same bin the sum stays in a register.
 * Samples are fetched by all lanes of a warp, neighbours from neighbours.
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
	double *energy, *moment, *outside; /* [row of the batch][tile], of masked samples; and of
	                           a^2 in no bin */
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

/* Where amplitudes and frequencies are to be seen; data NULL: nowhere. */
template <class T> struct hht_seen_row {
	T *amplitude, *frequency;
	double scale;

	__device__ __forceinline__ void
	store(unsigned m, double a, double f) const
	{
		if (amplitude)
			amplitude[m] = (T)(a * scale);
		if (frequency)
			frequency[m] = rounded<T>(f);
	}
};

template <class T> struct hht_seen {
	hht_out<T> amplitude, frequency;
	int modes;
	const wsi_hht_channel *channel;

	/* A row of the batch from sample i0 on. */
	__device__ __forceinline__ hht_seen_row<T>
	operator()(unsigned row, unsigned i0) const
	{
		return { amplitude.data ? amplitude(row) + i0 : NULL,
			 frequency.data ? frequency(row) + i0 : NULL,
			 channel[row / (unsigned)modes].scale };
	}
};

/* What is above this is wild. */
__device__ __forceinline__ double
wild_limit(const wsi_hht_sums &s, double wild)
{
	const double times = s.energy > 0.0 ? wild * s.moment / s.energy : 0.0;
	return times > 0.0 ? times : HUGE_VAL;
}

/* Counts wild frequencies.  Launch: (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_wild_kernel(hht_chunk c, double wild, const double *frequencies)
{
	const unsigned r = blockIdx.y, i0 = blockIdx.x * HHT_TILE;
	if (!hht_alive(c, r))
		return;
	wsi_hht_sums *sums = &c.sums[c.row0 + r];
	const double limit = wild_limit(*sums, wild);
	const double *frequency = frequencies + (size_t)r * c.stride;
	int count = 0;
	double f[HHT_EACH];
	own_of_tile(f, c.n, i0, [=](unsigned i) { return frequency[i]; });
#pragma unroll
	for (unsigned k = 0; k < HHT_EACH; ++k)
		count += i0 + threadIdx.x + k * HHT_THREADS < c.n && f[k] > limit;
	for (int d = 16; d > 0; d /= 2)
		count += __shfl_xor_sync(~0u, count, d);
	if (threadIdx.x % 32 == 0 && count)
		atomicAdd(&sums->wild, count);
}

/*
 * Counts, masks, bins, and the samples that are to be seen.  Launch: (tiles, rows).
 */
template <class T>
__global__ void __launch_bounds__(HHT_THREADS)
hht_bin_kernel(hht_chunk c, hht_bin_view v, hht_bin_buffers b, hht_seen<T> seen)
{
	const unsigned tile = blockIdx.x, r = blockIdx.y, row = c.row0 + r, i0 = tile * HHT_TILE;
	if (!hht_alive(c, r))
		return;
	const unsigned count = c.n - i0 < HHT_TILE ? c.n - i0 : HHT_TILE;
	wsi_hht_sums *sums = &c.sums[row];
	const double limit = wild_limit(*sums, v.wild);
	const double *amplitude = b.amplitude + (size_t)row * c.stride + i0;
	double *frequency = b.frequency + (size_t)r * c.stride + i0;
	int32_t *bin = b.bin + (size_t)row * c.stride + i0;
	const hht_seen_row<T> at_hand = seen(row, i0);
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
		at_hand.store(m, a, f);
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

/* Lanes of a warp that have chains, and samples of each that are fetched together. */
constexpr unsigned CHAIN_LANES = 16, CHAIN = 32;

/* A warp's samples on their way: the next ones in registers, those at hand in shared memory, in a
 * row for each lane. */
struct chain_stage {
	double value[CHAIN_LANES][CHAIN + 1];
	int32_t bin[CHAIN_LANES][CHAIN + 1];
};

/* Bytes of shared memory besides cells. */
constexpr size_t CHAIN_BYTES = (sizeof(chain_stage) + 15) / 16 * 16;

/* Samples of the lanes' chains: lane l has `count` samples from first on, `step` apart; a warp's
 * thread t fetches sample t of each chain, or where step is 2, t of those of two lanes. */
struct chain_reader {
	const double *amplitude;
	const int32_t *bin;
	double value[CHAIN_LANES];
	int32_t at[CHAIN_LANES];

	/* Samples i .. i + CHAIN - 1 of all chains.  origin, count: of lane l of `lanes`, by
	 * functions. */
	template <class Origin, class Count>
	__device__ __forceinline__ void
	fetch(unsigned lanes, unsigned step, unsigned i, Origin origin, Count count)
	{
		const unsigned t = threadIdx.x;
#pragma unroll
		for (unsigned k = 0; k < CHAIN_LANES; ++k) {
			/* A pair of lanes shares its 2 CHAIN samples out in turn. */
			const unsigned l = step == 1 ? k : (k & ~1u) + (t & 1);
			const unsigned j = step == 1 ? i + t : i + (t + 32 * (k & 1)) / 2;
			const bool there = l < lanes && j < count(l);
			const size_t from = there ? (size_t)origin(l) + (size_t)j * step : 0;
			value[k] = there ? amplitude[from] : 0.0;
			at[k] = there ? bin[from] : -1;
		}
	}

	__device__ __forceinline__ void
	put(chain_stage *stage, unsigned step)
	{
		const unsigned t = threadIdx.x;
		__syncwarp();
#pragma unroll
		for (unsigned k = 0; k < CHAIN_LANES; ++k) {
			const unsigned l = step == 1 ? k : (k & ~1u) + (t & 1);
			const unsigned j = step == 1 ? t : (t + 32 * (k & 1)) / 2;
			stage->value[l][j] = value[k];
			stage->bin[l][j] = at[k];
		}
		__syncwarp();
	}
};

/* A lane's chain: the bin at hand and what is in it. */
struct chain {
	double sum, power;
	int at;

	__device__ __forceinline__ void
	begin()
	{
		sum = power = 0.0;
		at = -1;
	}

	/* Adds the lane's samples at hand to its cells, `stride` apart. */
	__device__ __forceinline__ void
	add(const chain_stage *stage, bool squares, double *cells, unsigned stride)
	{
		constexpr unsigned FEW = 8;
		const unsigned lane = threadIdx.x;
#pragma unroll
		for (unsigned first = 0; first < CHAIN; first += FEW) {
			double a[FEW];
			int b[FEW];
#pragma unroll
			for (unsigned k = 0; k < FEW; ++k) {
				a[k] = stage->value[lane][first + k];
				b[k] = stage->bin[lane][first + k];
			}
#pragma unroll
			for (unsigned k = 0; k < FEW; ++k) {
				const bool in = b[k] >= 0;
				const double e = a[k] * a[k];
				if (in && b[k] != at) {
					if (at >= 0)
						cells[(unsigned)at * stride] = sum;
					at = b[k];
					sum = cells[(unsigned)at * stride];
				}
				sum = in ? sum + (squares ? e : a[k]) : sum;
				power = in ? power + e : power;
			}
		}
	}

	__device__ __forceinline__ void
	end(double *cells, unsigned stride)
	{
		if (at >= 0)
			cells[(unsigned)at * stride] = sum;
		at = -1;
	}
};

/* Columns of cells of a warp so that they fit beside the stage in `most` bytes, a power of two: all
 * CHAIN_LANES, which then have banks of their own, or fewer, at least `least`; 0: not even that. */
static inline unsigned
chain_columns(size_t bytes_each, unsigned least, size_t most)
{
	unsigned columns = CHAIN_LANES;
	while (columns >= least && columns * bytes_each + CHAIN_BYTES > most)
		columns /= 2;
	return columns >= least ? columns : 0;
}

/* The cells of a warp's lanes: behind its stage, or in the device's memory,
 * `room` [block][numbers].  The compiler is to know which. */
template <bool ROOM>
__device__ __forceinline__ double *
chain_cells(double *room, size_t numbers)
{
	if constexpr (ROOM)
		return room + (size_t)(blockIdx.y * gridDim.x + blockIdx.x) * numbers;
	else
		return (double *)(void *)(hht_shared + CHAIN_BYTES / sizeof(hht_pair));
}

/*
 * What is in each bin of each tile, of even samples and then of odd ones.  Launch: (tiles over
 * lanes / 2, rows), a warp.
 */
template <bool ROOM>
__global__ void __launch_bounds__(32)
hht_marginal_kernel(hht_chunk c, hht_bin_view v, hht_bin_buffers b, unsigned lanes,
                    unsigned stride, double *room, double *part)
{
	const unsigned r = blockIdx.y, lane = threadIdx.x, bins = (unsigned)v.n;
	if (!hht_alive(c, r))
		return;
	chain_stage *stage = (chain_stage *)(void *)hht_shared;
	double *cells = chain_cells<ROOM>(room, (size_t)bins * stride);
	for (size_t i = lane; i < (size_t)bins * stride; i += 32)
		cells[i] = 0.0;
	const unsigned tile0 = blockIdx.x * (lanes / 2);
	const size_t row = (size_t)(c.row0 + r) * c.stride;
	const auto origin = [=](unsigned l) { return (tile0 + l / 2) * HHT_TILE + (l & 1); };
	const auto count = [=](unsigned l) {
		const unsigned first = (tile0 + l / 2) * HHT_TILE;
		const unsigned left = first < c.n ? c.n - first : 0;
		const unsigned n = left < HHT_TILE ? left : HHT_TILE;
		return (n + 1 - (l & 1)) / 2;
	};
	chain_reader reader = { b.amplitude + row, b.bin + row };
	chain own;
	own.begin();
	reader.fetch(lanes, 2, 0, origin, count);
	for (unsigned i = 0; i < HHT_TILE / 2; i += CHAIN) {
		reader.put(stage, 2);
		if (i + CHAIN < HHT_TILE / 2)
			reader.fetch(lanes, 2, i + CHAIN, origin, count);
		if (lane < lanes)
			own.add(stage, v.squares, cells + lane, stride);
	}
	if (lane < lanes)
		own.end(cells + lane, stride);
	__syncwarp();
	for (unsigned k = 0; k < lanes / 2 && tile0 + k < c.tiles; ++k)
		for (unsigned i = lane; i < bins; i += 32)
			part[((size_t)r * c.tiles + tile0 + k) * bins + i] =
				cells[(size_t)i * stride + 2 * k] +
				cells[(size_t)i * stride + 2 * k + 1];
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

/* The sums over these time bins of the squares of their cells over their samples. */
__device__ __forceinline__ void
add_squares(const hht_chunk &c, const hht_spectra &s, unsigned bins, unsigned first, unsigned n,
            const double *cells, unsigned lanes, double *squares)
{
	for (unsigned i = threadIdx.x; i < bins; i += 32) {
		double sum = squares[i];
		for (unsigned t = 0; t < n; ++t) {
			const unsigned left = c.n - (first + t) * s.time_bin;
			const double in = (double)(left < s.time_bin ? left : s.time_bin);
			const double cell = cells[(size_t)i * lanes + t];
			sum += cell * cell / in;
		}
		squares[i] = sum;
	}
}

/*
 * The spectrum of a stretch of time bins, and of each mode.  A lane has a time bin.  Launch:
 * (stretches, channels), a warp.
 */
template <class T, bool ROOM>
__global__ void __launch_bounds__(32)
hht_spectrum_kernel(hht_chunk c, hht_bin_view v, hht_bin_buffers b, int modes,
                    const wsi_hht_channel *channel, unsigned lanes, double *room, hht_spectra s)
{
	const unsigned stretch = blockIdx.x, ch = blockIdx.y, lane = threadIdx.x;
	const unsigned bins = (unsigned)v.n, count = (unsigned)channel[ch].count;
	const double scale = channel[ch].scale;
	const size_t each = (size_t)bins * lanes;
	chain_stage *stage = (chain_stage *)(void *)hht_shared;
	double *cells = chain_cells<ROOM>(room, each * (s.mode_spectrum ? 2 : 1));
	double *one = cells + each;
	double *squares = s.squares + ((size_t)ch * gridDim.x + stretch) * bins;
	const unsigned begin = stretch * s.each < s.time_bins ? stretch * s.each : s.time_bins;
	const unsigned end = begin + s.each < s.time_bins ? begin + s.each : s.time_bins;
	for (unsigned i = lane; i < bins; i += 32)
		squares[i] = 0.0;
	for (unsigned first = begin; first < end; first += lanes) {
		const unsigned n = end - first < lanes ? end - first : lanes;
		const auto origin = [=](unsigned l) { return (first + l) * s.time_bin; };
		const auto samples = [=](unsigned l) {
			if (l >= n)
				return 0u;
			const unsigned left = c.n - origin(l);
			return left < s.time_bin ? left : s.time_bin;
		};
		double power = 0.0;
		for (size_t i = lane; i < each; i += 32)
			cells[i] = 0.0;
		for (unsigned k = 0; k < count; ++k) {
			const size_t row = (size_t)(ch * (unsigned)modes + k) * c.stride;
			chain_reader reader = { b.amplitude + row, b.bin + row };
			chain all, alone;
			all.begin();
			alone.begin();
			for (size_t i = lane; s.mode_spectrum && i < each; i += 32)
				one[i] = 0.0;
			reader.fetch(lanes, 1, 0, origin, samples);
			for (unsigned i = 0; i < s.time_bin; i += CHAIN) {
				reader.put(stage, 1);
				if (i + CHAIN < s.time_bin)
					reader.fetch(lanes, 1, i + CHAIN, origin, samples);
				if (lane < n)
					all.add(stage, v.squares, cells + lane, lanes);
				if (lane < n && s.mode_spectrum)
					alone.add(stage, v.squares, one + lane, lanes);
			}
			if (lane < n)
				all.end(cells + lane, lanes);
			power += all.power;
			if (!s.mode_spectrum)
				continue;
			if (lane < n)
				alone.end(one + lane, lanes);
			__syncwarp();
			store_cells<T>(v, s.mode_spectrum + ch * s.mode_channel + k * s.mode,
			               s.mode_bin, first, n, samples(lane), scale, one, lanes);
			__syncwarp();
		}
		__syncwarp();
		if (s.spectrum)
			store_cells<T>(v, s.spectrum + ch * s.channel, s.bin, first, n,
			               samples(lane), scale, cells, lanes);
		if (s.power && lane < n)
			((double *)(void *)(s.power + ch * s.power_channel))[first + lane] =
				0.5 * scale * scale * power / (double)samples(lane);
		add_squares(c, s, bins, first, n, cells, lanes, squares);
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
