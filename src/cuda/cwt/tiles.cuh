/*
 * tiles.cuh - the kernel of tiles: a warp makes the outputs of a frequency in a tile.
 *
 * Fits      Morlet wavelets, which end in time.
 * Twin      none on the CPU: cwt_interpolate (cpu/cwt/cwt_simd.h) gives the same within rounding.
 * Launch    some blocks for each that the device holds, each with as much to do, which begin as
 *           others end.  The warps of a block take frequencies of one tile, then of the next:
 *           spectra and responses are in the multiprocessor's cache.
 * Memory    twiddles of lanes and a room for each warp in shared memory; writes each coefficient
 *           once.
 */
#ifndef WSI_CUDA_CWT_TILES_CUH
#define WSI_CUDA_CWT_TILES_CUH

#include "cuda/cwt/between.cuh"
#include "cuda/cwt/products.cuh"
#include "cuda/device/shared.h"

constexpr int TILE_WARPS = (int)CWT_TILE_WARPS;

template <class T> struct tile_block {
	static constexpr int PER_SM = (int)cwt_tile_blocks(sizeof(T) == 4 ? WS_F32 : WS_F64);
	static constexpr int ROOM = lane_room<T>::ALL + TILE_STEPS; /* of a warp */
	static constexpr size_t BYTES = (TILE + TILE_WARPS * ROOM) * sizeof(two<T>);
};

/* The points are the outputs. */
template <class T, bool COMPLEX>
__device__ __forceinline__ void
put_points(const cwt_tile_segment &k, const two<T> (&v)[32], const tile_sink<T> &sink, int lane)
{
	const unsigned left = sink.end - sink.first, kept = left < k.useful ? left : k.useful;
	/* Bit i: is point lane + 32 i kept? */
	const unsigned from = (k.guard + 31 - (unsigned)lane) / 32;
	const unsigned end = (k.guard + kept + 31 - (unsigned)lane) / 32;
	const unsigned mask = (unsigned)((1ull << end) - (1ull << from));
	T *to = sink.to + ((ptrdiff_t)sink.first + lane - (int)k.guard) * (COMPLEX ? 2 : 1);
	each<32>([&](auto i) {
		if (mask & 1u << i)
			store_output<T, COMPLEX>(to + 32 * i * (COMPLEX ? 2 : 1), v[i], sink.unit,
			                         sink.quantity);
	});
}

/* *rest: a % b; by_b: 1 / b.  a / b < 2^21. */
__device__ __forceinline__ unsigned
divide(unsigned a, unsigned b, float by_b, unsigned *rest)
{
	unsigned q = (unsigned)((float)a * by_b);
	int r = (int)(a - q * b);
	q = r < 0 ? q - 1 : r >= (int)b ? q + 1 : q;
	r = r < 0 ? r + (int)b : r >= (int)b ? r - (int)b : r;
	*rest = (unsigned)r;
	return q;
}

/* Bins of chunks CHUNK and CHUNK + 1, each 32 bins of a tile, times a response.  MOVED: bin 0 of
 * the response is bin `moved` of the tile, whatever it is; else both are paired(). */
template <bool MOVED, int CHUNK, class T>
__device__ __forceinline__ void
take_pair(two<T> (&b)[2], const two<T> *x, const T *response, unsigned moved)
{
	const pair_of<T> h = *(const pair_of<T> *)(response + 32 * CHUNK);
	pair_of<two<T>> a;
	if constexpr (MOVED)
		a = { x[(moved + 32 * CHUNK) & (TILE - 1)],
		      x[(moved + 32 * (CHUNK + 1)) & (TILE - 1)] };
	else
		a = *(const pair_of<two<T>> *)(x + 32 * CHUNK);
	b[0] = { a.a.x * h.a, a.a.y * h.a };
	b[1] = { a.b.x * h.b, a.b.y * h.b };
}

/* A tile's bins times a response, and the first points32(). */
template <bool MOVED, class T>
__device__ __forceinline__ void
take_bins(two<T> (&v)[32], const two<T> *x, const T *response, unsigned moved)
{
	each<16>([&](auto i) {
		two<T> b[2];
		take_pair<MOVED, 2 * i>(b, x, response, moved);
		v[reversed(2 * i)] = b[0];
		v[reversed(2 * i + 1)] = b[1];
	});
	points32(v);
}

/* The same of a response that is zero but for 16 chunks, from FIRST on, which is even: one of the
 * first stage's butterflies' two numbers is 0. */
template <bool MOVED, int FIRST, class T>
__device__ __forceinline__ void
take_half(two<T> (&v)[32], const two<T> *x, const T *response, unsigned moved)
{
	each<8>([&](auto i) {
		constexpr int chunk = (FIRST + 2 * i) & 31;
		two<T> b[2];
		take_pair<MOVED, chunk>(b, x, response, moved);
		each<2>([&](auto j) {
			constexpr int at = reversed((chunk + j) % 16);
			v[at] = b[j];
			v[at + 1] = chunk < 16 ? b[j] : two<T>{ -b[j].x, -b[j].y };
		});
	});
	points32<1>(v);
}

/* A part of a tile's outputs at a frequency. */
struct tile_task {
	unsigned scale, rest, part; /* rest: number of the tile, of all channels */
};

/* f of a segment's ratio, which is above 1, as a constant. */
template <class F>
__device__ __forceinline__ void
by_ratio(int ratio, F f)
{
	switch (ratio) {
	case 2:
		return f(constant<2>{});
	case 4:
		return f(constant<4>{});
	case 8:
		return f(constant<8>{});
	case 16:
		return f(constant<16>{});
	default:
		return f(constant<32>{});
	}
}

/* Outputs between `count` of a tile's points, from point `guard` on, by windows. */
template <class T, bool COMPLEX>
__device__ __forceinline__ void
put_windows(const cwt_tile_segment &k, const cwt_scale &s, const two<T> (&v)[32], unsigned count,
            unsigned guard, two<T> *room, const tile_sink<T> &sink, int lane)
{
	each<32>([&](auto i) { room[lane + 32 * i] = v[i]; });
	/* The carrier at the first point that is kept. */
	const unsigned long long start = (unsigned long long)((unsigned)s.tile_bin * guard) *
	                                 (~0ull / TILE + 1);
	const auto put = [&](auto ratio) {
		put_between<T, ratio, COMPLEX>(k, count, room + guard, room + lane_room<T>::ALL,
		                               start, s.tile_step, sink, lane);
	};
	by_ratio(k.ratio, put);
}

/* The same by products. */
template <bool COMPLEX>
__device__ __forceinline__ void
put_bands(const cwt_tile_segment &k, const cwt_scale &s, const two<float> (&v)[32], unsigned count,
          unsigned guard, two<float> *room, const tile_sink<float> &sink, int lane)
{
	/* Back from bin 0: at point lane + 32 i, since tile_bin is a multiple of 32. */
	const two<float> rotation = phasor_of<float>(
		(unsigned long long)((unsigned)s.tile_bin * (unsigned)lane) * (~0ull / TILE + 1));
	each<32>([&](auto i) { room[lane + 32 * i] = times(v[i], rotation); });
	__syncwarp();
	by_ratio(k.ratio, [&](auto ratio) {
		put_products<ratio, COMPLEX>((const float *)k.weights, count, room + guard,
		                             s.tile_step, sink, lane);
	});
}

template <class T, ws_quantity QUANTITY>
__device__ __forceinline__ void
make_part(const cwt_tile_batch &batch, const cwt_tile_segment &k, const tile_task &task,
          const two<T> *twiddles, two<T> *room, int lane)
{
	constexpr bool COMPLEX = QUANTITY == WS_QUANTITY_COMPLEX;
	unsigned tile;
	const unsigned channel = divide(task.rest, k.tiles, k.by_tiles, &tile);
	const cwt_scale &s = k.scales[task.scale];
	const two<T> *x = (const two<T> *)k.spectra + (size_t)task.rest * TILE;
	const T *response = (const T *)k.response + (size_t)task.scale * TILE + 2 * lane;
	two<T> v[32];
	if (k.ratio == 1) {
		if (s.tile_half)
			take_half<false, TILE_HALF_FIRST>(v, x + 2 * lane, response, 0u);
		else
			take_bins<false>(v, x + 2 * lane, response, 0u);
	} else {
		const unsigned moved = (unsigned)lane + (unsigned)s.tile_bin;
		if (s.tile_half)
			take_half<true, -8>(v, x, response, moved);
		else
			take_bins<true>(v, x, response, moved);
	}
	lane_exchange(v, twiddles, room, lane);
	const double scale = batch.out.heads[channel].scale, taken = tile_unit(scale);
	tile_sink<T> sink;
	sink.to = (T *)(batch.out.base + channel * batch.out.channel_stride +
	                s.row * batch.out.frequency_stride);
	sink.unit = scale == taken ? (T)1 : (T)(scale / taken);
	sink.quantity = QUANTITY;
	sink.first = tile * k.useful;
	sink.end = batch.out.outputs;
	if (k.ratio == 1) {
		if (COMPLEX && sink.unit != (T)1)
			each<32>([&](auto i) {
				v[i] = { v[i].x * sink.unit, v[i].y * sink.unit };
			});
		put_points<T, COMPLEX>(k, v, sink, lane);
		return;
	}
	const unsigned span = (k.useful + k.parts - 1) / k.parts, before = task.part * span;
	const unsigned left = k.useful - before, count = span < left ? span : left;
	sink.first += before;
	if (sink.first * (unsigned)k.ratio >= sink.end)
		return;
	if constexpr (by_products<T>)
		put_bands<COMPLEX>(k, s, v, count, k.guard + before, room, sink, lane);
	else
		put_windows<T, COMPLEX>(k, s, v, count, k.guard + before, room, sink, lane);
	__syncwarp();
}

template <class T, ws_quantity QUANTITY>
__global__ void __launch_bounds__(TILE_WARPS * LANES, tile_block<T>::PER_SM)
tile_kernel(const __grid_constant__ cwt_tile_batch batch)
{
	extern __shared__ four<float> memory[];
	two<T> *const twiddles = (two<T> *)memory;
	const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
	two<T> *const room = twiddles + TILE + warp * tile_block<T>::ROOM;
	for (int i = (int)threadIdx.x; i < TILE; i += TILE_WARPS * LANES)
		twiddles[i] = ((const two<T> *)batch.twiddles)[i];
	int number = 0;
	while (number + 1 < batch.count && blockIdx.x >= batch.segment[number + 1].outputs_before)
		++number;
	const cwt_tile_segment &k = batch.segment[number];
	const unsigned block = blockIdx.x - k.outputs_before, deal = block / k.per_deal;
	const unsigned first = deal * k.count / k.deals;
	const unsigned size = (deal + 1) * k.count / k.deals - first;
	const unsigned begin = block % k.per_deal * k.each;
	const unsigned tasks = size * k.parts * k.tiles * batch.channels;
	const unsigned end = begin + k.each < tasks ? begin + k.each : tasks;
	__syncthreads();
	/* Frequencies of a deal, then parts, then tiles. */
	for (unsigned i = begin + (unsigned)warp; i < end; i += TILE_WARPS) {
		const unsigned part = i / size;
		make_part<T, QUANTITY>(batch, k,
		                       { first + i % size, part / k.parts, part % k.parts },
		                       twiddles, room, lane);
	}
}

template <class T, ws_quantity QUANTITY>
static cudaError_t
launch_tiles(const cwt_tile_batch &batch, cudaStream_t stream)
{
	constexpr int bytes = (int)tile_block<T>::BYTES;
	const cudaError_t error = allow_shared(tile_kernel<T, QUANTITY>, bytes);
	if (error != cudaSuccess)
		return error;
	tile_kernel<T, QUANTITY><<<batch.output_blocks, TILE_WARPS * LANES, bytes, stream>>>(batch);
	return cudaGetLastError();
}

template <class T>
static cudaError_t
launch_quantity(const cwt_tile_batch &batch, cudaStream_t stream)
{
	switch (batch.out.quantity) {
	case WS_QUANTITY_COMPLEX:
		return launch_tiles<T, WS_QUANTITY_COMPLEX>(batch, stream);
	case WS_QUANTITY_MAGNITUDE:
		return launch_tiles<T, WS_QUANTITY_MAGNITUDE>(batch, stream);
	case WS_QUANTITY_POWER:
		return launch_tiles<T, WS_QUANTITY_POWER>(batch, stream);
	default:
		return launch_tiles<T, WS_QUANTITY_PHASE>(batch, stream);
	}
}

#endif
