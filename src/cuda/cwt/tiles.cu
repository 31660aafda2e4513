/*
 * tiles.cu - what the frequencies of one grid share: their bands' signal, and spectra of its tiles
 * (overlap-save).  tiles.cuh does the rest.
 *
 * A tile cuts the signal off.  What a slow wave of 10^4 times a band's strength leaves in the
 * tile's bins would cancel only where all is in double.  So a tile falls off at its ends, as
 * smoothly as the wavelets themselves, and is transformed forward in double: a slow wave then stays
 * in its own bins, each of which is rounded for itself, and all that follows may be in single
 * precision.
 */
#include "cuda/cwt/lanes.cuh"
#include "math/kaiser.h"

constexpr int TILE_THREADS = 128;

typedef two<double> point;

/* ---- Tables ------------------------------------------------------------------------------- */

/* The tiling that number i of `before` is in. */
template <class F>
__device__ __forceinline__ int
find_tiling(const cwt_tilings &job, unsigned i, F before)
{
	int t = 0;
	while (t + 1 < job.count && i >= before(job.tiling[t + 1]))
		++t;
	return t;
}

/* hat[scale][TILE]: bin j of a tile whose band's middle has been moved to bin 0.  ratio 1: it has
 * not; the bins from -TILE / 4 on.  Tiles are of TILE sub points. */
template <class T>
__device__ __forceinline__ void
make_hat(const cwt_tiling &k, unsigned scale, int j)
{
	const cwt_scale &s = k.scales[scale];
	const int half = k.ratio == 1 ? 3 * TILE / 4 : TILE / 2, x = j < half ? j : j - TILE;
	const double bin = s.tile_first + (double)((k.ratio == 1 ? 0 : s.tile_bin) + x) *
	                                          ((double)k.m / TILE);
	wsi_wavelet wavelet = s.wavelet;
	/* The signal has no bins below 0: there the response goes on smoothly. */
	if (wavelet.kind == WS_MORLET)
		wavelet.kind = WS_MORLET_FULL;
	double value = s.gain / (TILE * k.sub) * wavelet_shape(&wavelet, s.step * bin);
	/* All the way: a taper's end leaves something beside the band, below the signal's bin 0. */
	if (k.ratio > 1)
		value *= kaiser_flatten(k.taps, k.beta, k.peak, (size_t)(x < 0 ? -x : x), TILE);
	((T *)k.hat)[(size_t)scale * TILE + j] = (T)value;
}

/* Responses of all scales, then the tapers; the first also make the roots. */
template <class T>
__global__ void __launch_bounds__(TILE_THREADS)
table_kernel(const __grid_constant__ cwt_tilings job, unsigned scales)
{
	const int j = (int)(blockIdx.x * TILE_THREADS + threadIdx.x);
	if (blockIdx.y == 0)
		job.roots[j] = turn_by<double>((double)j / TILE);
	if (blockIdx.y < scales) {
		const cwt_tiling &k = job.tiling[find_tiling(
			job, blockIdx.y, [](const cwt_tiling &t) { return t.hats; })];
		make_hat<T>(k, blockIdx.y - k.hats, j);
		return;
	}
	const cwt_tiling &k = job.tiling[blockIdx.y - scales];
	/* By the distance from what is kept, in deviations. */
	for (unsigned i = (unsigned)j; i < k.guard * (unsigned)k.sub; i += TILE) {
		const double far = (k.guard - (double)i / k.sub) / k.deviation;
		k.taper[i] = 0.5 * erfc((far - k.middle) * k.steep * 0.70710678118654752440);
	}
}

cudaError_t
cwt_tile_tables(const cwt_tilings &job, ws_type type, cudaStream_t stream)
{
	const cwt_tiling &last = job.tiling[job.count - 1];
	const unsigned scales = last.hats + last.count;
	const dim3 grid(TILE / TILE_THREADS, scales + (unsigned)job.count);
	if (type == WS_F64)
		table_kernel<double><<<grid, TILE_THREADS, 0, stream>>>(job, scales);
	else
		table_kernel<float><<<grid, TILE_THREADS, 0, stream>>>(job, scales);
	return cudaGetLastError();
}

/* ---- Bands -------------------------------------------------------------------------------- */

/* y[channel][m]: bin k of first .. first + band - 1 at (k - base) mod m, zeros elsewhere. */
template <class X>
__global__ void __launch_bounds__(TILE_THREADS)
band_kernel(const two<X> *spectra, size_t stride, int n, int base, int first, int band, point *y,
            int m)
{
	const int q = (int)(blockIdx.x * TILE_THREADS + threadIdx.x);
	if (q >= m)
		return;
	point v = { 0.0, 0.0 };
	const int k = base + q < first + band ? base + q : base + q - m;
	if (k >= first) {
		const two<X> *x = spectra + blockIdx.y * stride;
		const two<X> a = x[k < 0 ? -k : k > n / 2 ? n - k : k];
		v = { (double)a.x, k < 0 || k > n / 2 ? -(double)a.y : (double)a.y };
	}
	y[(size_t)blockIdx.y * m + q] = v;
}

cudaError_t
cwt_tile_band(const cwt_spectra &spectra, ws_type from, unsigned channels, int base,
              int first, int band, double *y, unsigned m, cudaStream_t stream)
{
	const dim3 grid((m + TILE_THREADS - 1) / TILE_THREADS, channels);
	if (from == WS_F32)
		band_kernel<float><<<grid, TILE_THREADS, 0, stream>>>(
			(const two<float> *)spectra.x, spectra.stride, (int)spectra.n, base, first,
			band, (point *)y, (int)m);
	else
		band_kernel<double><<<grid, TILE_THREADS, 0, stream>>>(
			(const two<double> *)spectra.x, spectra.stride, (int)spectra.n, base, first,
			band, (point *)y, (int)m);
	return cudaGetLastError();
}

/* ---- Spectra of tiles --------------------------------------------------------------------- */

constexpr int FORWARD_WARPS = CWT_TILE_SUBS;

/* What the threads of a block share: e^{2 pi i i lane / TILE}; e^{2 pi i j / TILE};
 * e^{2 pi i j / (TILE FORWARD_WARPS)}; a room for each warp. */
struct forward_memory {
	point turns[TILE], coarse[TILE], fine[FORWARD_WARPS];
	point rooms[FORWARD_WARPS][LANE_ROOM];
};

/* Every sub-th point of a tile of TILE sub points, from r on, times the taper, transformed:
 * conjugates of it. */
__device__ __forceinline__ void
transform_part(const cwt_tilings &job, const cwt_tiling &k, unsigned number, unsigned r, int lane,
               const point *turns, point *room, point (&v)[32])
{
	const unsigned sub = (unsigned)k.sub, points = k.m * sub, guard = k.guard * sub;
	const unsigned tile = number % k.tiles, channel = number / k.tiles;
	const point *z = k.z + (size_t)channel * points;
	const unsigned start = (unsigned)(((unsigned long long)tile * k.useful * sub + points -
	                                   guard % points) % points);
	each<32>([&](auto i) {
		const unsigned n = (unsigned)(lane + 32 * i) * sub + r;
		/* A signal is not shorter than a tile. */
		const unsigned here = start + n, at = here < points ? here : here - points;
		const unsigned last = TILE * sub - 1 - n, end = n < guard ? n : last;
		const double w = end < guard ? k.taper[end] : 1.0;
		const point x = z[at];
		v[reversed(i)] = { x.x * w, -(x.y * w) };
	});
	lane_transform(v, turns, room, lane);
}

/*
 * A warp transforms every sub-th point of a tile of TILE sub points; what the sub warps of a tile
 * have is turned, and added:
 *     X[k] = sum over r of e^{-2 pi i k r / (TILE sub)} F_r[k mod TILE]
 */
template <class T>
__device__ __forceinline__ void
make_spectrum(const cwt_tilings &job, const cwt_tiling &k, unsigned block, forward_memory &memory)
{
	const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
	const unsigned sub = (unsigned)k.sub, r = (unsigned)warp % sub;
	const unsigned number = (block - k.forward) * (FORWARD_WARPS / sub) + (unsigned)warp / sub;
	const bool there = number < k.tiles * job.channels;
	point *const room = memory.rooms[warp];
	point v[32];
	if (there)
		transform_part(job, k, number, r, lane, memory.turns, room, v);
	two<T> *to = (two<T> *)k.spectra + (size_t)number * TILE;
	if (sub == 1) {
		if (there)
			each<32>([&](auto i) {
				to[lane + 32 * i] = { (T)v[i].x, (T)-v[i].y };
			});
		return;
	}
	if (there)
		each<32>([&](auto i) {
			/* The bin of TILE sub that lies in the window. */
			const int bin = lane + 32 * i;
			const unsigned above = (unsigned)(bin - k.window) & (TILE - 1);
			const unsigned from = (unsigned)k.window + above;
			const unsigned turn = from * r * (FORWARD_WARPS / sub) &
			                      (TILE * FORWARD_WARPS - 1);
			room[bin] = times(v[i], times(memory.coarse[turn / FORWARD_WARPS],
			                              memory.fine[turn % FORWARD_WARPS]));
		});
	__syncthreads();
	for (unsigned bin = r * LANES + (unsigned)lane; there && bin < TILE; bin += sub * LANES) {
		point sum = memory.rooms[warp - (int)r][bin];
		for (unsigned i = 1; i < sub; ++i) {
			const point other = memory.rooms[warp - (int)r + (int)i][bin];
			sum = { sum.x + other.x, sum.y + other.y };
		}
		to[bin] = { (T)sum.x, (T)-sum.y };
	}
	__syncthreads();
}

template <class T>
__global__ void __launch_bounds__(FORWARD_WARPS * LANES, 1)
forward_kernel(const __grid_constant__ cwt_tilings job)
{
	extern __shared__ point memory[];
	forward_memory &mine = *(forward_memory *)memory;
	take_lane_turns(job.roots, mine.turns);
	for (int j = (int)threadIdx.x; j < TILE; j += FORWARD_WARPS * LANES)
		mine.coarse[j] = job.roots[j];
	if (threadIdx.x < FORWARD_WARPS)
		mine.fine[threadIdx.x] =
			turn_by<double>((double)threadIdx.x / (TILE * FORWARD_WARPS));
	__syncthreads();
	for (unsigned block = blockIdx.x; block < job.blocks; block += gridDim.x) {
		const int i = find_tiling(job, block,
		                          [](const cwt_tiling &t) { return t.forward; });
		make_spectrum<T>(job, job.tiling[i], block, mine);
	}
}

template <class T>
static cudaError_t
launch_forward(const cwt_tilings &job, int multiprocessors, cudaStream_t stream)
{
	constexpr int bytes = (int)sizeof(forward_memory);
	const cudaError_t error = cudaFuncSetAttribute(
		forward_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	if (error != cudaSuccess)
		return error;
	const unsigned most = (unsigned)multiprocessors;
	forward_kernel<T><<<job.blocks < most ? job.blocks : most, FORWARD_WARPS * LANES, bytes,
	                    stream>>>(job);
	return cudaGetLastError();
}

cudaError_t
cwt_tile_spectra(const cwt_tilings &job, ws_type type, int multiprocessors, cudaStream_t stream)
{
	return type == WS_F64 ? launch_forward<double>(job, multiprocessors, stream)
	                      : launch_forward<float>(job, multiprocessors, stream);
}

cudaError_t
cwt_tiles(const cwt_tilings &job, ws_type type, int multiprocessors, cudaStream_t stream)
{
	return type == WS_F64 ? cwt_tiles_f64(job, multiprocessors, stream)
	                      : cwt_tiles_f32(job, multiprocessors, stream);
}

size_t
cwt_tile_shared(ws_type type)
{
	const size_t forward = sizeof(forward_memory);
	const size_t back = type == WS_F64 ? cwt_tile_shared_f64() : cwt_tile_shared_f32();
	return forward > back ? forward : back;
}
