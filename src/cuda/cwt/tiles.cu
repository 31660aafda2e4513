/*
 * tiles.cu - what the frequencies of one grid share: their bands' signal, and spectra of its tiles
 * (overlap-save).  tiles.cuh does the rest.
 *
 * A tile cuts the signal off.  What a slow wave of 10^4 times a band's strength leaves in the
 * tile's bins would cancel only where all is in double.  So a tile falls off at its ends, as
 * smoothly as the wavelets themselves, and is transformed forward in double: a slow wave then stays
 * in its own bins, each of which is rounded for itself, and all that follows may be in single
 * precision.
 *
 * Fits      Morlet wavelets, as tiles.cuh; a signal of more than one tile.
 * Twin      none on the CPU: what a tile gives must be what cwt_interpolate (cpu/cwt/cwt_simd.h)
 *           gives, within rounding.
 * Launch    table_kernel and band_kernel: TILE_THREADS (128), a number each, over (numbers,
 *           responses and tapers or channels); forward_kernel: FORWARD_WARPS warps, a block a
 *           multiprocessor, a sub of a tile each warp, in dynamic shared memory (forward_memory).
 * Memory    reads a signal's points twice, as tiles overlap; writes each tile's bins once.
 */
#include "cuda/cwt/lanes.cuh"
#include "cuda/device/shared.h"
#include "math/kaiser.h"

constexpr int TILE_THREADS = 128;

typedef two<double> point;

/* ---- Tables ------------------------------------------------------------------------------- */

/* The segment that number i of `before` is in. */
template <class F>
__device__ __forceinline__ int
find_segment(const cwt_tile_batch &batch, unsigned i, F before)
{
	int t = 0;
	while (t + 1 < batch.count && i >= before(batch.segment[t + 1]))
		++t;
	return t;
}

/* response[scale][TILE]: bin j of a tile whose band's middle has been moved to bin 0.  ratio 1: it
 * has not; the bins from -TILE / 4 on.  Tiles are of TILE sub points. */
template <class T>
__device__ __forceinline__ void
make_response(const cwt_tile_segment &k, unsigned scale, int j)
{
	const cwt_scale &s = k.scales[scale];
	const int half = k.ratio == 1 ? 3 * TILE / 4 : TILE / 2, x = j < half ? j : j - TILE;
	const double bin = (double)((k.ratio == 1 ? 0 : s.tile_bin) + x) * ((double)k.m / TILE);
	wsi_wavelet wavelet = s.wavelet;
	/* The signal has no bins below 0: there the response goes on smoothly. */
	if (wavelet.kind == WS_WAVELET_MORLET)
		wavelet.kind = WS_WAVELET_MORLET_FULL;
	double value = s.gain * wavelet_shape(&wavelet, s.step * bin);
	/* All the way: a taper's end leaves something beside the band, below the signal's bin 0. */
	if (k.ratio > 1)
		value *= kaiser_flatten(k.taps, k.beta, k.peak, (size_t)(x < 0 ? -x : x), TILE);
	((T *)k.response)[(size_t)scale * TILE + paired((unsigned)j)] = (T)value;
}

/* Responses of all scales, then the tapers; the first also make the roots. */
template <class T>
__global__ void __launch_bounds__(TILE_THREADS)
table_kernel(const __grid_constant__ cwt_tile_batch batch, unsigned scales)
{
	const int j = (int)(blockIdx.x * TILE_THREADS + threadIdx.x);
	if (blockIdx.y == 0) {
		const point twiddle = phasor<double>((double)(j / LANES * (j % LANES)) / TILE);
		batch.roots[j] = phasor<double>((double)j / TILE);
		((two<T> *)batch.twiddles)[twiddle_place<T>((unsigned)j)] =
			{ (T)twiddle.x, (T)twiddle.y };
	}
	if (blockIdx.y < scales) {
		const cwt_tile_segment &k = batch.segment[find_segment(
			batch, blockIdx.y, [](const cwt_tile_segment &t) { return t.responses; })];
		make_response<T>(k, blockIdx.y - k.responses, j);
		return;
	}
	const cwt_tile_segment &k = batch.segment[blockIdx.y - scales];
	/* By the distance from what is kept, in deviations. */
	for (unsigned i = (unsigned)j; i < k.guard * (unsigned)k.sub; i += TILE) {
		const double far = (k.guard - (double)i / k.sub) / k.deviation;
		k.taper[i] = 0.5 * erfc((far - k.middle) * k.steep * 0.70710678118654752440);
	}
}

cudaError_t
cwt_tile_tables(const cwt_tile_batch &batch, ws_type type, cudaStream_t stream)
{
	const cwt_tile_segment &last = batch.segment[batch.count - 1];
	const unsigned scales = last.responses + last.count;
	const dim3 grid(TILE / TILE_THREADS, scales + (unsigned)batch.count);
	if (type == WS_F64)
		table_kernel<double><<<grid, TILE_THREADS, 0, stream>>>(batch, scales);
	else
		table_kernel<float><<<grid, TILE_THREADS, 0, stream>>>(batch, scales);
	return cudaGetLastError();
}

/* ---- Bands -------------------------------------------------------------------------------- */

template <class X>
__global__ void __launch_bounds__(TILE_THREADS)
band_kernel(const __grid_constant__ cwt_spectra spectra, const __grid_constant__ cwt_band band,
            point *y, int m)
{
	const int q = (int)(blockIdx.x * TILE_THREADS + threadIdx.x);
	const two<X> *x = (const two<X> *)spectra.x + blockIdx.y * spectra.stride;
	if (q < m)
		y[(size_t)blockIdx.y * m + q] = cwt_band_bin(spectra, x, band, m, q);
}

cudaError_t
cwt_tile_band(const cwt_spectra &spectra, ws_type from, unsigned channels, const cwt_band &band,
              double *y, unsigned m, cudaStream_t stream)
{
	const dim3 grid((m + TILE_THREADS - 1) / TILE_THREADS, channels);
	if (from == WS_F32)
		band_kernel<float><<<grid, TILE_THREADS, 0, stream>>>(spectra, band, (point *)y,
		                                                      (int)m);
	else
		band_kernel<double><<<grid, TILE_THREADS, 0, stream>>>(spectra, band, (point *)y,
		                                                       (int)m);
	return cudaGetLastError();
}

/* ---- Spectra of tiles --------------------------------------------------------------------- */

constexpr int FORWARD_WARPS = CWT_TILE_SUBS;

/* What the threads of a block share: e^{2 pi i i lane / TILE}; e^{2 pi i j / TILE};
 * e^{2 pi i j / (TILE FORWARD_WARPS)}; a room for each warp. */
struct forward_memory {
	point twiddles[TILE], coarse[TILE], fine[FORWARD_WARPS];
	point rooms[FORWARD_WARPS][lane_room<double>::ALL];
};

/* Every sub-th point of a tile of TILE sub points, from r on, times the taper: conjugates of it,
 * for lane_transform(). */
__device__ __forceinline__ void
take_part(const cwt_tile_segment &k, unsigned number, unsigned r, int lane, point (&v)[32])
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
}

/* What a warp has to do for a block of the launch. */
struct forward_part {
	const cwt_tile_segment *k;
	unsigned number, r;     /* of the tile, of all channels; the part */
	bool there;
	double unit;            /* that bins are multiplied by */
};

__device__ __forceinline__ forward_part
part_of(const cwt_tile_batch &batch, unsigned block, int warp)
{
	const cwt_tile_segment &k = batch.segment[find_segment(
		batch, block, [](const cwt_tile_segment &t) { return t.forward; })];
	const unsigned sub = (unsigned)k.sub;
	const unsigned number = (block - k.forward) * (FORWARD_WARPS / sub) + (unsigned)warp / sub;
	const bool there = number < k.tiles * batch.channels;
	const double scale = there ? batch.out.heads[number / k.tiles].scale : 1.0;
	return { &k, number, (unsigned)warp % sub, there,
		 tile_unit(scale) * (1.0 / TILE) / (double)k.sub };
}

/*
 * A warp transforms every sub-th point of a tile of TILE sub points, which it has in v; what the
 * sub warps of a tile have is rotated, and added:
 *     X[k] = sum over r of e^{-2 pi i k r / (TILE sub)} F_r[k mod TILE]
 */
template <class T>
__device__ __forceinline__ void
make_spectrum(const cwt_tile_batch &batch, const forward_part &part, point (&v)[32],
              forward_memory &memory)
{
	const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
	const cwt_tile_segment &k = *part.k;
	const unsigned sub = (unsigned)k.sub, r = part.r, number = part.number;
	const bool there = part.there;
	point *const room = memory.rooms[warp];
	if (there)
		lane_transform(v, memory.twiddles, room, lane);
	two<T> *to = (two<T> *)k.spectra + (size_t)number * TILE;
	const double unit = part.unit;
	if (sub == 1) {
		if (there)
			each<32>([&](auto i) {
				const unsigned bin = (unsigned)(lane + 32 * i);
				to[k.ratio == 1 ? paired(bin) : bin] = { (T)(v[i].x * unit),
					                                 (T)(v[i].y * -unit) };
			});
		return;
	}
	if (there)
		each<32>([&](auto i) {
			/* The bin of TILE sub that lies in the window. */
			const int bin = lane + 32 * i;
			const unsigned above = (unsigned)(bin - k.window) & (TILE - 1);
			const unsigned from = (unsigned)k.window + above;
			const unsigned power = from * r * (FORWARD_WARPS / sub) &
			                      (TILE * FORWARD_WARPS - 1);
			room[bin] = times(v[i], times(memory.coarse[power / FORWARD_WARPS],
			                              memory.fine[power % FORWARD_WARPS]));
		});
	__syncthreads();
	for (unsigned bin = r * LANES + (unsigned)lane; there && bin < TILE; bin += sub * LANES) {
		point sum = memory.rooms[warp - (int)r][bin];
		for (unsigned i = 1; i < sub; ++i) {
			const point other = memory.rooms[warp - (int)r + (int)i][bin];
			sum = { sum.x + other.x, sum.y + other.y };
		}
		to[bin] = { (T)(sum.x * unit), (T)(sum.y * -unit) };
	}
	__syncthreads();
}

template <class T>
__global__ void __launch_bounds__(FORWARD_WARPS * LANES, 1)
forward_kernel(const __grid_constant__ cwt_tile_batch batch)
{
	extern __shared__ point memory[];
	forward_memory &mine = *(forward_memory *)memory;
	const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
	forward_part part = part_of(batch, blockIdx.x, warp);
	point v[32];
	if (part.there)
		take_part(*part.k, part.number, part.r, lane, v);
	take_lane_twiddles(batch.roots, mine.twiddles);
	for (int j = (int)threadIdx.x; j < TILE; j += FORWARD_WARPS * LANES)
		mine.coarse[j] = batch.roots[j];
	if (threadIdx.x < FORWARD_WARPS)
		mine.fine[threadIdx.x] =
			phasor<double>((double)threadIdx.x / (TILE * FORWARD_WARPS));
	__syncthreads();
	for (unsigned block = blockIdx.x;;) {
		make_spectrum<T>(batch, part, v, mine);
		block += gridDim.x;
		if (block >= batch.forward_blocks)
			return;
		part = part_of(batch, block, warp);
		if (part.there)
			take_part(*part.k, part.number, part.r, lane, v);
	}
}

template <class T>
static cudaError_t
launch_forward(const cwt_tile_batch &batch, int multiprocessors, cudaStream_t stream)
{
	constexpr int bytes = (int)sizeof(forward_memory);
	const cudaError_t error = allow_shared(forward_kernel<T>, bytes);
	if (error != cudaSuccess)
		return error;
	const unsigned most = (unsigned)multiprocessors;
	forward_kernel<T><<<batch.forward_blocks < most ? batch.forward_blocks : most,
		FORWARD_WARPS * LANES, bytes,
	                    stream>>>(batch);
	return cudaGetLastError();
}

cudaError_t
cwt_tile_spectra(const cwt_tile_batch &batch, ws_type type, int multiprocessors,
                 cudaStream_t stream)
{
	return type == WS_F64 ? launch_forward<double>(batch, multiprocessors, stream)
	                      : launch_forward<float>(batch, multiprocessors, stream);
}

cudaError_t
cwt_tiles(const cwt_tile_batch &batch, ws_type type, cudaStream_t stream)
{
	return type == WS_F64 ? cwt_tiles_f64(batch, stream) : cwt_tiles_f32(batch, stream);
}

size_t
cwt_tile_shared(ws_type type)
{
	const size_t forward = sizeof(forward_memory);
	const size_t back = type == WS_F64 ? cwt_tile_shared_f64() : cwt_tile_shared_f32();
	return forward > back ? forward : back;
}
