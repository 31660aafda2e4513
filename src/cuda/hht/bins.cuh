/*
 * bins.cuh - energy over frequency and time (cpu/hht/hht_mode.c, cpu/hht/hht_spectrum.c): bins of
 * samples, marginal spectra, spectra.
 *
 * A cell is a chain of additions in the order of samples.  Chains are short or many: a lane has one
 * for itself, and all bins of it in a column of shared memory (where that has no room, of the
 * device's: `room`).  Samples are fetched by all lanes of a warp, neighbours from neighbours.
 *
 * Fits      any number of bins; few of them (CHAIN_FEW lanes) or of a chain in shared memory, else
 *           in `room`.
 * Twin      cpu/hht/hht_mode.c, cpu/hht/hht_spectrum.c: the same bits.
 * Launch    HHT_THREADS over (tiles, rows) to bin samples; a warp for chains: over tiles of all
 *           rows (marginal), over (stretches, channels) (spectra).  Each kernel says its own.
 * Memory    reads frequencies and amplitudes once, writes a bin and a weight a sample, or each cell
 *           once; cells of a warp's lanes in shared memory.
 */
#ifndef WSI_CUDA_HHT_BINS_CUH
#define WSI_CUDA_HHT_BINS_CUH

#include "cuda/hht/view.cuh"
#include "math/bins.h"

/* Tables on the device, and what is asked. */
struct hht_bin_view {
	int n;
	double from, to;        /* first and last of edges */
	const double *edges;
	const int32_t *guess;
	uint32_t key, keys;
	bool squares;           /* a^2 is added up, not a */
	double outlier_ratio;
	ws_hht_exclude exclude;
	int quantity;
};

/* bins_find(), by loads that may go ahead of stores. */
__device__ __forceinline__ int32_t
find_bin(const hht_bin_view &v, double f)
{
	if (!(f >= v.from && f < v.to))
		return -1;
	const uint32_t k = bins_key(f + 0.0), i = k < v.key ? 0 : k - v.key;
	int32_t b = __ldg(v.guess + (i < v.keys ? i : v.keys - 1));
	while (f >= __ldg(v.edges + b + 1))
		++b;
	return b;
}

struct hht_bin_buffers {
	const double *amplitude; /* [row of the batch] */
	int32_t *bin;           /* likewise */
	double *frequency;      /* [row of the chunk] */
	double *energy, *moment, *outside; /* [row of the batch][tile], of excluded samples; and of
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

/* What is above this is an outlier. */
__device__ __forceinline__ double
outlier_limit(const wsi_hht_sums &s, double outlier_ratio)
{
	const double times = s.energy > 0.0 ? outlier_ratio * s.moment / s.energy : 0.0;
	return times > 0.0 ? times : HUGE_VAL;
}

/* Counts frequencies that are outliers; tops: bits of the largest of each tile, as most have none.
 * Launch:
 * (tiles, rows). */
static __global__ void __launch_bounds__(HHT_THREADS)
hht_outlier_kernel(hht_chunk c, double outlier_ratio, const double *frequencies,
                   const unsigned long long *tops)
{
	const unsigned r = blockIdx.y, i0 = blockIdx.x * HHT_TILE;
	if (!hht_alive(c, r))
		return;
	wsi_hht_sums *sums = &c.sums[c.row0 + r];
	const double limit = outlier_limit(*sums, outlier_ratio);
	if (tops[(size_t)r * c.tiles + blockIdx.x] <= bits_of(limit))
		return;
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
		atomicAdd(&sums->outliers, count);
}

/*
 * Counts, excludes, bins, and the samples that are to be seen.  Launch: (tiles, rows).
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
	const double limit = outlier_limit(*sums, v.outlier_ratio);
	const double *amplitude = b.amplitude + (size_t)row * c.stride + i0;
	double *frequency = b.frequency + (size_t)r * c.stride + i0;
	int32_t *bin = b.bin + (size_t)row * c.stride + i0;
	const hht_seen_row<T> at_hand = seen(row, i0);
	double energy = 0.0, moment = 0.0, outside = 0.0;
	int negative = 0, outliers = 0;
#pragma unroll 4
	for (unsigned m = threadIdx.x; m < count; m += HHT_THREADS) {
		double f = frequency[m];
		const double a = amplitude[m];
		negative += f < 0.0;
		outliers += f > limit;
		if (v.exclude != WS_HHT_EXCLUDE_NONE &&
		    (f < 0.0 || (f > limit && v.exclude == WS_HHT_EXCLUDE_OUTLIERS))) {
			energy += a * a;
			moment += a * a * f;
			f = NAN;
			frequency[m] = f;
		}
		const int32_t at = find_bin(v, f);
		bin[m] = at;
		if (at < 0)
			outside += a * a;
		at_hand.store(m, a, f);
	}
	for (int d = 16; d > 0; d /= 2) {
		negative += __shfl_xor_sync(~0u, negative, d);
		outliers += __shfl_xor_sync(~0u, outliers, d);
	}
	if (threadIdx.x % 32 == 0 && (negative || outliers)) {
		atomicAdd(&sums->negative, negative);
		atomicAdd(&sums->outliers, outliers);
	}
	const size_t at = (size_t)row * c.tiles + tile;
	const double all[3] = { energy, moment, outside };
	double *const to[3] = { &b.energy[at], &b.moment[at], &b.outside[at] };
	block_wide_totals<3>(all, to);
}

/* Joins the tiles.  Launch: a thread a row of the chunk. */
static __global__ void
hht_bin_total_kernel(hht_chunk c, hht_bin_buffers b, bool excluded, unsigned rows)
{
	const unsigned r = blockIdx.x * HHT_THREADS + threadIdx.x;
	if (r >= rows || !hht_alive(c, r))
		return;
	const size_t at = (size_t)(c.row0 + r) * c.tiles;
	wsi_hht_sums *s = &c.sums[c.row0 + r];
	for (unsigned t = 0; excluded && t < c.tiles; ++t) {
		s->kept -= b.energy[at + t];
		s->moment -= b.moment[at + t];
	}
	s->outside = tiles_total(b.outside + at, c.tiles);
}

/* ---- Chains -------------------------------------------------------------------------------- */

/* Chains of a warp at most, a lane each, and samples of each that are fetched together: of two
 * lanes by the warp at once. */
constexpr unsigned CHAIN_MOST = 16, CHAIN_FEW = 8, CHAIN = 16;

/* What is at hand of a warp's chains, a row for each lane, and where they are. */
template <unsigned LANES> struct chain_stage {
	double value[LANES][CHAIN + 1];
	uint32_t cell[LANES][CHAIN + 1]; /* bytes from the first cell of all lanes */
	size_t first[LANES];    /* the first sample of the lane's chain */
	unsigned count[LANES];  /* its samples */
};

/* Bytes of shared memory besides cells. */
template <unsigned LANES>
constexpr size_t CHAIN_BYTES = (sizeof(chain_stage<LANES>) + 15) / 16 * 16;

/* Samples of chains on their way; those of a chain are STEP apart, and where STEP is 2, lane
 * 2 p + 1 begins one behind lane 2 p. */
template <unsigned LANES, unsigned STEP> struct chain_reader {
	const double *amplitude;
	const int32_t *bin;
	double value[LANES / 2];
	int32_t at[LANES / 2];

	/* Which of two lanes a thread fetches for, and which sample of it. */
	static __device__ __forceinline__ unsigned
	side()
	{
		return STEP == 1 ? threadIdx.x / CHAIN : threadIdx.x % 2;
	}

	static __device__ __forceinline__ unsigned
	sample()
	{
		return STEP == 1 ? threadIdx.x % CHAIN : threadIdx.x / 2;
	}

	/* Samples i .. i + CHAIN - 1 of all chains, `on` numbers behind where they are. */
	__device__ __forceinline__ void
	fetch(const chain_stage<LANES> *stage, size_t on, unsigned i)
	{
		const unsigned j = i + sample();
#pragma unroll
		for (unsigned p = 0; p < LANES / 2; ++p) {
			const unsigned l = 2 * p + side();
			const bool there = j < stage->count[l];
			const size_t from = on + stage->first[l] + (size_t)j * STEP;
			value[p] = there ? __ldg(amplitude + from) : 0.0;
			at[p] = there ? __ldg(bin + from) : -1;
		}
	}

	/* The same of chains of `each` samples, all there, one behind the other from `first` on. */
	__device__ __forceinline__ void
	fetch_even(size_t first, unsigned each, unsigned i)
	{
		static_assert(STEP == 1, "neighbours");
		const unsigned j = i + sample();
		const bool there = j < each;
		const size_t from = first + side() * each + j;
		const double *a = amplitude + from;
		const int32_t *b = bin + from;
#pragma unroll
		for (unsigned p = 0; p < LANES / 2; ++p) {
			value[p] = there ? __ldg(a + p * (2 * each)) : 0.0;
			at[p] = there ? __ldg(b + p * (2 * each)) : -1;
		}
	}

	/* What goes to the cells, squares or not; what is in no bin adds nothing to the first. */
	__device__ __forceinline__ void
	put(chain_stage<LANES> *stage, unsigned columns, bool squares)
	{
		__syncwarp();
#pragma unroll
		for (unsigned p = 0; p < LANES / 2; ++p) {
			const unsigned l = 2 * p + side();
			const bool in = at[p] >= 0;
			const double v = in ? value[p] : 0.0;
			stage->value[l][sample()] = squares ? v * v : v;
			stage->cell[l][sample()] =
				((in ? (unsigned)at[p] * columns : 0) + l) * (unsigned)sizeof v;
		}
		__syncwarp();
	}
};

/* Adds the lane's samples at hand to its cells; returns power plus their squares. */
template <unsigned LANES, bool SQUARES>
__device__ __forceinline__ double
chain_sums(const chain_stage<LANES> *stage, double *cells, double power)
{
	constexpr unsigned FEW = 8;
	const unsigned lane = threadIdx.x;
#pragma unroll
	for (unsigned first = 0; first < CHAIN; first += FEW) {
		double a[FEW];
		uint32_t at[FEW];
#pragma unroll
		for (unsigned k = 0; k < FEW; ++k) {
			a[k] = stage->value[lane][first + k];
			at[k] = stage->cell[lane][first + k];
		}
#pragma unroll
		for (unsigned k = 0; k < FEW; ++k) {
			*(double *)(void *)((char *)cells + at[k]) += a[k];
			power += SQUARES ? a[k] : a[k] * a[k];
		}
	}
	return power;
}

template <unsigned LANES>
__device__ __forceinline__ double
chain_add(const chain_stage<LANES> *stage, bool squares, double *cells, double power)
{
	return squares ? chain_sums<LANES, true>(stage, cells, power)
	               : chain_sums<LANES, false>(stage, cells, power);
}

/* Columns of cells of a warp so that they fit beside the stage in `most` bytes, a power of two, at
 * least `least`; 0: not even that. */
static inline unsigned
chain_columns(size_t bytes_each, unsigned least, size_t most)
{
	if (CHAIN_MOST * bytes_each + CHAIN_BYTES<CHAIN_MOST> <= most)
		return CHAIN_MOST;
	unsigned columns = CHAIN_FEW;
	while (columns >= least && columns * bytes_each + CHAIN_BYTES<CHAIN_FEW> > most)
		columns /= 2;
	return columns >= least ? columns : 0;
}

/* The cells of a warp's lanes: behind its stage, or in the device's memory,
 * `room` [block][numbers].  The compiler is to know which. */
template <unsigned LANES, bool ROOM>
__device__ __forceinline__ double *
chain_cells(double *room, size_t numbers)
{
	if constexpr (ROOM)
		return room + (size_t)(blockIdx.y * gridDim.x + blockIdx.x) * numbers;
	else
		return (double *)(void *)(hht_shared + CHAIN_BYTES<LANES> / sizeof(hht_pair));
}

/*
 * What is in each bin of each tile, of even samples and then of odd ones: two lanes have a tile.
 * Launch: tiles of all rows over lanes / 2, a warp.
 */
template <unsigned LANES, bool ROOM>
__global__ void __launch_bounds__(32)
hht_marginal_kernel(hht_chunk c, hht_bin_view v, hht_bin_buffers b, unsigned rows, unsigned lanes,
                    double *room, double *part)
{
	const unsigned lane = threadIdx.x, bins = (unsigned)v.n, half = lanes / 2;
	const unsigned tile0 = blockIdx.x * half, all = rows * c.tiles;
	chain_stage<LANES> *stage = (chain_stage<LANES> *)(void *)hht_shared;
	double *cells = chain_cells<LANES, ROOM>(room, (size_t)bins * lanes);
	for (size_t i = lane; i < (size_t)bins * lanes; i += 32)
		cells[i] = 0.0;
	if (lane < LANES) {
		const unsigned tile = tile0 + lane / 2, r = tile / c.tiles;
		const unsigned first = (tile - r * c.tiles) * HHT_TILE, left = c.n - first;
		const unsigned n = left < HHT_TILE ? left : HHT_TILE;
		const bool there = lane < lanes && tile < all && hht_alive(c, r);
		stage->first[lane] = (size_t)(c.row0 + r) * c.stride + first + lane % 2;
		stage->count[lane] = there ? (n + 1 - lane % 2) / 2 : 0;
	}
	__syncwarp();
	if (!__any_sync(~0u, lane < LANES && stage->count[lane % LANES] > 0))
		return;
	chain_reader<LANES, 2> reader = { b.amplitude, b.bin };
	reader.fetch(stage, 0, 0);
	for (unsigned i = 0; i < HHT_TILE / 2; i += CHAIN) {
		reader.put(stage, lanes, v.squares);
		if (i + CHAIN < HHT_TILE / 2)
			reader.fetch(stage, 0, i + CHAIN);
		if (lane < lanes)
			chain_add<LANES>(stage, v.squares, cells, 0.0);
	}
	__syncwarp();
	/* Neighbouring threads have neighbouring columns. */
	for (unsigned i = lane; i < bins * half; i += 32) {
		const unsigned tile = tile0 + i % half, bin = i / half;
		const double *two = cells + (size_t)bin * lanes + 2 * (i % half);
		if (tile < all)
			part[(size_t)tile * bins + bin] = two[0] + two[1];
	}
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
	unsigned stretches, together; /* stretches of all; of a warp */
	char *spectrum;         /* [channel][bin][time bin]; or NULL */
	size_t channel, bin;    /* bytes from one to the next */
	char *mode_spectrum;    /* [channel][mode][bin][time bin]; or NULL */
	size_t mode_channel, mode, mode_bin;
	char *power;            /* [channel][time bin] f64; or NULL */
	size_t power_channel;
	double *squares;        /* [channel][stretch][bin] */
};

/* The cells of time bin t, a lane's, which has so many samples, to rows of out (NULL: nowhere);
 * with SQUARES the cells become their squares over the samples. */
template <class T, bool SQUARES>
__device__ __forceinline__ void
store_cells(const hht_bin_view &v, const hht_spectra &s, char *out, size_t bin_stride, unsigned t,
            unsigned samples, double scale, double *cells, unsigned lanes)
{
	const unsigned lane = threadIdx.x, bins = (unsigned)v.n;
	const auto factor = [&](unsigned i, unsigned in) {
		return mode_factor(v.quantity, v.edges[i + 1] - v.edges[i], (double)in, scale);
	};
	for (unsigned i0 = 0; i0 < bins; i0 += 32) {
		const double mine = i0 + lane < bins ? factor(i0 + lane, s.time_bin) : 0.0;
#pragma unroll 1
		for (unsigned k = 0; k < 32 && i0 + k < bins; ++k) {
			const unsigned i = i0 + k;
			const double whole = __shfl_sync(~0u, mine, (int)k);
			if (samples == 0)
				continue;
			double *cell = &cells[(size_t)i * lanes + lane];
			const double by = samples == s.time_bin ? whole : factor(i, samples);
			if (out)
				((T *)(void *)(out + i * bin_stride))[t] = (T)(*cell * by);
			if (SQUARES)
				*cell = *cell * *cell / (double)samples;
		}
	}
}

/* Adds the squares of n time bins from `first` on to those of their stretches, time bins in order.
 * Neighbouring lanes are one time bin apart, so that their cells are in different banks. */
__device__ __forceinline__ void
add_squares(const hht_spectra &s, unsigned bins, unsigned stretch0, unsigned first, unsigned n,
            const double *cells, unsigned lanes, double *squares)
{
	const unsigned lane = threadIdx.x, late = lane % 16;
	for (unsigned k = 0; k < s.together && stretch0 + k < s.stretches; ++k) {
		const unsigned begin = (stretch0 + k) * s.each, end = begin + s.each;
		const unsigned from = begin > first ? begin : first;
		const unsigned to = end < first + n ? end : first + n;
		if (from >= to)
			continue;
		for (unsigned i0 = 0; i0 < bins; i0 += 32) {
			const unsigned i = i0 + lane;
			double sum = i < bins ? squares[(size_t)k * bins + i] : 0.0;
			for (unsigned step = 0; step < to - from + 15; ++step) {
				const unsigned t = step - late;
				if (i < bins && t < to - from)
					sum += cells[(size_t)i * lanes + from - first + t];
			}
			if (i < bins)
				squares[(size_t)k * bins + i] = sum;
		}
	}
}

/*
 * The spectrum of some stretches of time bins, and of each mode.  A lane has a time bin.  Launch:
 * (stretches over those of a warp, channels), a warp.
 */
template <class T, unsigned LANES, bool ROOM>
__global__ void __launch_bounds__(32)
hht_spectrum_kernel(hht_chunk c, hht_bin_view v, hht_bin_buffers b, int modes,
                    const wsi_hht_channel *channel, unsigned lanes, double *room, hht_spectra s)
{
	const unsigned stretch0 = blockIdx.x * s.together, ch = blockIdx.y, lane = threadIdx.x;
	const unsigned bins = (unsigned)v.n, count = (unsigned)channel[ch].count;
	const double scale = channel[ch].scale;
	const size_t each = (size_t)bins * lanes;
	chain_stage<LANES> *stage = (chain_stage<LANES> *)(void *)hht_shared;
	double *cells = chain_cells<LANES, ROOM>(room, each * (s.mode_spectrum ? 2 : 1));
	double *one = cells + each;
	double *squares = s.squares + ((size_t)ch * s.stretches + stretch0) * bins;
	const unsigned begin = stretch0 * s.each < s.time_bins ? stretch0 * s.each : s.time_bins;
	const unsigned last = begin + s.together * s.each;
	const unsigned end = last < s.time_bins ? last : s.time_bins;
	for (unsigned k = 0; k < s.together && stretch0 + k < s.stretches; ++k)
		for (unsigned i = lane; i < bins; i += 32)
			squares[(size_t)k * bins + i] = 0.0;
	for (unsigned first = begin; first < end; first += lanes) {
		const unsigned n = end - first < lanes ? end - first : lanes, t = first + lane;
		const unsigned left = lane < n ? c.n - t * s.time_bin : 0;
		const unsigned samples = left < s.time_bin ? left : s.time_bin;
		double power = 0.0;
		__syncwarp();
		for (size_t i = lane; i < each; i += 32)
			cells[i] = 0.0;
		if (lane < LANES) {
			stage->count[lane] = samples;
			stage->first[lane] = (size_t)t * s.time_bin;
		}
		__syncwarp();
		const bool even = n == LANES && (first + n) * s.time_bin <= c.n;
		chain_reader<LANES, 1> reader = { b.amplitude, b.bin };
		const auto fetch = [&](unsigned k, unsigned i) {
			const size_t row = (size_t)(ch * (unsigned)modes + k) * c.stride;
			if (even)
				reader.fetch_even(row + (size_t)first * s.time_bin, s.time_bin, i);
			else
				reader.fetch(stage, row, i);
		};
		if (count > 0)
			fetch(0, 0);
		for (unsigned k = 0; k < count; ++k) {
			double own = 0.0;
			for (size_t i = lane; s.mode_spectrum && i < each; i += 32)
				one[i] = 0.0;
			for (unsigned i = 0; i < s.time_bin; i += CHAIN) {
				reader.put(stage, lanes, v.squares);
				const bool more = i + CHAIN < s.time_bin;
				if (more || k + 1 < count)
					fetch(more ? k : k + 1, more ? i + CHAIN : 0);
				if (lane < n)
					own = chain_add<LANES>(stage, v.squares, cells, own);
				if (lane < n && s.mode_spectrum)
					chain_add<LANES>(stage, v.squares, one, 0.0);
			}
			power += own;
			if (!s.mode_spectrum)
				continue;
			__syncwarp();
			store_cells<T, false>(v, s, s.mode_spectrum + ch * s.mode_channel +
			                      k * s.mode, s.mode_bin, t, samples, scale, one,
			                      lanes);
			__syncwarp();
		}
		__syncwarp();
		store_cells<T, true>(v, s, s.spectrum ? s.spectrum + ch * s.channel : NULL, s.bin,
		                     t, samples, scale, cells, lanes);
		if (s.power && lane < n)
			((double *)(void *)(s.power + ch * s.power_channel))[t] =
				mode_squared(0.5 * power / (double)samples, scale);
		__syncwarp();
		add_squares(s, bins, stretch0, first, n, cells, lanes, squares);
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
