/*
 * tiles.cuh - the kernel of tiles: a warp makes the outputs of a frequency in a tile.
 *
 * Fits      Morlet wavelets, which end in time.
 * Launch    some blocks for each that the device holds, each with as much to do, which begin as
 *           others end.  The warps of a block take frequencies of one tile, then of the next:
 *           spectra and responses are in the multiprocessor's cache.
 * Memory    writes each coefficient once.
 */
#ifndef WSI_CUDA_CWT_TILES_CUH
#define WSI_CUDA_CWT_TILES_CUH

#include "cuda/cwt/lanes.cuh"

constexpr int TILE_WARPS = (int)CWT_TILE_WARPS, TILE_STEPS = 16;

template <class T> struct tile_block {
	static constexpr int PER_SM = (int)cwt_tile_blocks(sizeof(T) == 4 ? WS_F32 : WS_F64);
	static constexpr int ROOM = lane_room<T>::ALL + TILE_STEPS; /* of a warp */
	static constexpr size_t BYTES = (TILE + TILE_WARPS * ROOM) * sizeof(two<T>);
};

/* How lanes share the outputs of a grid of RATIO outputs a point. */
template <class T, int RATIO> struct tile_lanes {
	static constexpr int TAPS = WSI_CWT_FEW_TAPS(8 * sizeof(T));
	static constexpr int EACH = sizeof(T) == 4 ? 2 : 1;    /* outputs of a lane at a point */
	static constexpr int PHASES = RATIO / EACH;            /* lanes of a point */
	static constexpr int GROUP = PHASES < 4 ? 4 : PHASES;  /* whose outputs lie together */
	static constexpr int POINTS = GROUP / PHASES;          /* of a group, a step */
	static constexpr int GROUPS = LANES / GROUP;
	/* Steps of straight code: after them the window's registers are where they were. */
	static constexpr int STRAIGHT = TAPS / POINTS < 4 ? 4 : TAPS / POINTS;
	static_assert(RATIO >= EACH && GROUP <= LANES, "lanes share a point's outputs");
};

/* e^{2 pi i angle / 2^64} */
template <class T>
__device__ __forceinline__ two<T>
turn_of(unsigned long long angle)
{
	const unsigned long long quarter = (angle + (1ull << 61)) >> 62;
	const long long rest = (long long)(angle - (quarter << 62));
	T c, s;
	if constexpr (sizeof(T) == 4)
		sincospif((float)(int)(rest >> 32) * 0x1p-31f, &s, &c);
	else
		sincospi((double)rest * 0x1p-63, &s, &c);
	const bool odd = quarter & 1, back = quarter & 2;
	const T x = odd ? -s : c, y = odd ? c : s;
	return { back ? -x : x, back ? -y : y };
}

/* v at `to`, which is an output's place; complex numbers have been scaled. */
template <class T, bool COMPLEX>
__device__ __forceinline__ void
store_output(T *to, two<T> v, T unit, ws_quantity quantity)
{
	if (COMPLEX)
		stream((two<T> *)to, v);
	else
		stream(to, quantity_of(quantity, v, unit));
}

/* Two outputs at `to`, which is aligned to them. */
template <bool COMPLEX>
__device__ __forceinline__ void
store_outputs(float *to, two<float> a, two<float> b, float unit, ws_quantity quantity)
{
	if (COMPLEX)
		__stcs((float4 *)to, make_float4(a.x, a.y, b.x, b.y));
	else
		__stcs((float2 *)to, make_float2(quantity_of(quantity, a, unit),
		                                 quantity_of(quantity, b, unit)));
}

/* Where a warp's outputs go. */
template <class T> struct tile_sink {
	T *to;                  /* of output 0 */
	T unit;
	ws_quantity quantity;
	unsigned first, end;    /* point of the signal that is kept first; outputs from `end` on are
	                         * not stored */
};

/* The points are the outputs. */
template <class T, bool COMPLEX>
__device__ __forceinline__ void
put_points(const cwt_tiling &k, const two<T> (&v)[32], const tile_sink<T> &sink, int lane)
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

/* The weights of a lane, and its window of points. */
template <class T, int RATIO> struct tile_window {
	using as = tile_lanes<T, RATIO>;
	T w[as::EACH][as::TAPS];
	two<T> v[as::TAPS];

	__device__ __forceinline__ void
	begin(const T *weights, const two<T> *u)
	{
#pragma unroll
		for (int i = 0; i < as::EACH * as::TAPS; ++i)
			w[i / as::TAPS][i % as::TAPS] = weights[i];
#pragma unroll
		for (int j = 0; j < as::TAPS; ++j)
			v[j] = u[j];
	}

	/* Goes on by the points of a step; u: those of the new place. */
	__device__ __forceinline__ void
	go_on(const two<T> *u)
	{
		constexpr int kept = as::TAPS > as::POINTS ? as::TAPS - as::POINTS : 0;
#pragma unroll
		for (int j = 0; j < kept; ++j)
			v[j] = v[j + as::POINTS];
#pragma unroll
		for (int j = kept; j < as::TAPS; ++j)
			v[j] = u[j];
	}

	__device__ __forceinline__ two<T>
	output(int e, two<T> turn) const
	{
		two<T> sum = { v[0].x * w[e][0], v[0].y * w[e][0] };
#pragma unroll
		for (int j = 1; j < as::TAPS; ++j)
			sum = { fma(v[j].x, w[e][j], sum.x), fma(v[j].y, w[e][j], sum.y) };
		return times(sum, turn);
	}
};

/* A lane's outputs of one step, of which `left` are wanted. */
template <class T, int RATIO, bool COMPLEX, bool WHOLE>
__device__ __forceinline__ void
put_step(const tile_window<T, RATIO> &window, const two<T> *turns, two<T> turned, T *to,
         unsigned left, const tile_sink<T> &sink)
{
	constexpr int EACH = tile_lanes<T, RATIO>::EACH;
	two<T> out[EACH];
#pragma unroll
	for (int e = 0; e < EACH; ++e)
		out[e] = window.output(e, times(turns[e], turned));
	if constexpr (WHOLE && EACH == 2) {
		store_outputs<COMPLEX>(to, out[0], out[1], sink.unit, sink.quantity);
	} else {
#pragma unroll
		for (int e = 0; e < EACH; ++e)
			if (WHOLE || (unsigned)e < left)
				store_output<T, COMPLEX>(to + e * (COMPLEX ? 2 : 1), out[e],
				                         sink.unit, sink.quantity);
	}
}

/*
 * Outputs between `count` points of shared memory, from z[0] on.  start: the carrier's angle at the
 * first; step: from one output to the next, both in 2^-64 turns.  turned[TILE_STEPS]
 * of shared memory is nobody's.
 */
template <class T, int RATIO, bool COMPLEX>
__device__ __forceinline__ void
put_between(const cwt_tiling &k, unsigned count, const two<T> *z, two<T> *turned,
            unsigned long long start, unsigned long long step, const tile_sink<T> &sink, int lane)
{
	using as = tile_lanes<T, RATIO>;
	constexpr int EACH = as::EACH, POINTS = as::POINTS, FAR = POINTS * RATIO;
	constexpr int NUMBERS = COMPLEX ? 2 : 1, STRAIGHT = as::STRAIGHT;
	const unsigned group = (unsigned)lane / as::GROUP, member = (unsigned)lane % as::GROUP;
	const unsigned phase = member % as::PHASES * EACH;
	/* Odd: lanes of groups read other banks. */
	const unsigned steps = (count + as::GROUPS * POINTS - 1) / (as::GROUPS * POINTS) | 1;
	const unsigned from = group * steps * POINTS, to = from + steps * POINTS;
	if (lane < TILE_STEPS)
		turned[lane] = turn_of<T>(step * (unsigned)(lane * FAR));
	__syncwarp();
	/* Outputs are counted from the first that the tile keeps. */
	const unsigned last = (to < count ? to : count) * RATIO;
	const unsigned there = sink.end - sink.first * RATIO, end = last < there ? last : there;
	unsigned point = from + member / as::PHASES, t = point * RATIO + phase;
	if (t >= end)
		return;
	const two<T> *u = z + point - (as::TAPS / 2 - 1);
	T *out = sink.to + ((size_t)sink.first * RATIO + t) * NUMBERS;
	const bool aligned = (size_t)out % (EACH * NUMBERS * sizeof(T)) == 0;
	tile_window<T, RATIO> window;
	window.begin((const T *)k.weights + phase * as::TAPS, u);
	for (;;) {
		two<T> turns[EACH];
#pragma unroll
		for (int e = 0; e < EACH; ++e) {
			const two<T> turn = turn_of<T>(start + step * (t + e));
			const T unit = COMPLEX ? sink.unit : (T)1;
			turns[e] = { turn.x * unit, turn.y * unit };
		}
#pragma unroll 1
		for (int s = 0; s < TILE_STEPS; s += STRAIGHT) {
			const bool goes_on = t + STRAIGHT * FAR < end;
			if (aligned && t + (STRAIGHT - 1) * FAR + EACH <= end) {
#pragma unroll
				for (int i = 0; i < STRAIGHT; ++i) {
					put_step<T, RATIO, COMPLEX, true>(
						window, turns, turned[s + i],
						out + i * FAR * NUMBERS, EACH, sink);
					window.go_on(u + (i + 1) * POINTS);
				}
			} else {
#pragma unroll 1
				for (int i = 0; i < STRAIGHT && t + i * FAR < end; ++i) {
					put_step<T, RATIO, COMPLEX, false>(
						window, turns, turned[s + i],
						out + i * FAR * NUMBERS, end - (t + i * FAR), sink);
					if (goes_on || i + 1 < STRAIGHT)
						window.go_on(u + (i + 1) * POINTS);
				}
			}
			if (!goes_on)
				return;
			t += STRAIGHT * FAR;
			out += STRAIGHT * FAR * NUMBERS;
			u += STRAIGHT * POINTS;
		}
	}
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
take_pair(two<T> (&b)[2], const two<T> *x, const T *hat, unsigned moved)
{
	const pair_of<T> h = *(const pair_of<T> *)(hat + 32 * CHUNK);
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
take_bins(two<T> (&v)[32], const two<T> *x, const T *hat, unsigned moved)
{
	each<16>([&](auto i) {
		two<T> b[2];
		take_pair<MOVED, 2 * i>(b, x, hat, moved);
		v[reversed(2 * i)] = b[0];
		v[reversed(2 * i + 1)] = b[1];
	});
	points32(v);
}

/* The same of a response that is zero but for 16 chunks, from FIRST on, which is even: one of the
 * first stage's butterflies' two numbers is 0. */
template <bool MOVED, int FIRST, class T>
__device__ __forceinline__ void
take_half(two<T> (&v)[32], const two<T> *x, const T *hat, unsigned moved)
{
	each<8>([&](auto i) {
		constexpr int chunk = (FIRST + 2 * i) & 31;
		two<T> b[2];
		take_pair<MOVED, chunk>(b, x, hat, moved);
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

template <class T, ws_quantity QUANTITY>
__device__ __forceinline__ void
make_part(const cwt_tilings &job, const cwt_tiling &k, const tile_task &task,
          const two<T> *turns, two<T> *room, int lane)
{
	constexpr bool COMPLEX = QUANTITY == WS_COMPLEX;
	unsigned tile;
	const unsigned channel = divide(task.rest, k.tiles, k.by_tiles, &tile);
	const cwt_scale &s = k.scales[task.scale];
	const two<T> *x = (const two<T> *)k.spectra + (size_t)task.rest * TILE;
	const T *hat = (const T *)k.hat + (size_t)task.scale * TILE + 2 * lane;
	two<T> v[32];
	if (k.ratio == 1) {
		if (s.tile_half)
			take_half<false, TILE_HALF_FIRST>(v, x + 2 * lane, hat, 0u);
		else
			take_bins<false>(v, x + 2 * lane, hat, 0u);
	} else {
		const unsigned moved = (unsigned)lane + (unsigned)s.tile_bin;
		if (s.tile_half)
			take_half<true, -8>(v, x, hat, moved);
		else
			take_bins<true>(v, x, hat, moved);
	}
	lane_exchange(v, turns, room, lane);
	const double scale = job.out.heads[channel].scale, taken = tile_unit(scale);
	tile_sink<T> sink;
	sink.to = (T *)(job.out.base + channel * job.out.channel_stride +
	                s.row * job.out.frequency_stride);
	sink.unit = scale == taken ? (T)1 : (T)(scale / taken);
	sink.quantity = QUANTITY;
	sink.first = tile * k.useful;
	sink.end = job.out.outputs;
	if (k.ratio == 1) {
		if (COMPLEX && sink.unit != (T)1)
			each<32>([&](auto i) {
				v[i] = { v[i].x * sink.unit, v[i].y * sink.unit };
			});
		put_points<T, COMPLEX>(k, v, sink, lane);
		return;
	}
	each<32>([&](auto i) { room[lane + 32 * i] = v[i]; });
	const unsigned span = (k.useful + k.parts - 1) / k.parts, before = task.part * span;
	const unsigned left = k.useful - before, count = span < left ? span : left;
	const unsigned guard = k.guard + before;
	sink.first += before;
	if (sink.first * (unsigned)k.ratio >= sink.end)
		return;
	/* The carrier at the first point that is kept. */
	const unsigned long long start = (unsigned long long)((unsigned)s.tile_bin * guard) *
	                                 (~0ull / TILE + 1);
	two<T> *turned = room + lane_room<T>::ALL;
	const two<T> *z = room + guard;
	switch (k.ratio) {
	case 2:
		put_between<T, 2, COMPLEX>(k, count, z, turned, start, s.tile_step, sink, lane);
		break;
	case 4:
		put_between<T, 4, COMPLEX>(k, count, z, turned, start, s.tile_step, sink, lane);
		break;
	case 8:
		put_between<T, 8, COMPLEX>(k, count, z, turned, start, s.tile_step, sink, lane);
		break;
	case 16:
		put_between<T, 16, COMPLEX>(k, count, z, turned, start, s.tile_step, sink, lane);
		break;
	default:
		put_between<T, 32, COMPLEX>(k, count, z, turned, start, s.tile_step, sink, lane);
		break;
	}
	__syncwarp();
}

template <class T, ws_quantity QUANTITY>
__global__ void __launch_bounds__(TILE_WARPS * LANES, tile_block<T>::PER_SM)
tile_kernel(const __grid_constant__ cwt_tilings job)
{
	extern __shared__ four<float> memory[];
	two<T> *const turns = (two<T> *)memory;
	const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
	two<T> *const room = turns + TILE + warp * tile_block<T>::ROOM;
	for (int i = (int)threadIdx.x; i < TILE; i += TILE_WARPS * LANES)
		turns[i] = ((const two<T> *)job.turns)[i];
	int number = 0;
	while (number + 1 < job.count && blockIdx.x >= job.tiling[number + 1].parcels)
		++number;
	const cwt_tiling &k = job.tiling[number];
	const unsigned parcel = blockIdx.x - k.parcels, group = parcel / k.per_group;
	const unsigned first = group * k.count / k.groups;
	const unsigned size = (group + 1) * k.count / k.groups - first;
	const unsigned begin = parcel % k.per_group * k.each;
	const unsigned tasks = size * k.parts * k.tiles * job.channels;
	const unsigned end = begin + k.each < tasks ? begin + k.each : tasks;
	__syncthreads();
	/* Frequencies of a group, then parts, then tiles. */
	for (unsigned i = begin + (unsigned)warp; i < end; i += TILE_WARPS) {
		const unsigned part = i / size;
		make_part<T, QUANTITY>(job, k, { first + i % size, part / k.parts, part % k.parts },
		                       turns, room, lane);
	}
}

template <class T, ws_quantity QUANTITY>
static cudaError_t
launch_tiles(const cwt_tilings &job, cudaStream_t stream)
{
	constexpr int bytes = (int)tile_block<T>::BYTES;
	const cudaError_t error = cudaFuncSetAttribute(
		tile_kernel<T, QUANTITY>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	if (error != cudaSuccess)
		return error;
	tile_kernel<T, QUANTITY><<<job.parcels, TILE_WARPS * LANES, bytes, stream>>>(job);
	return cudaGetLastError();
}

template <class T>
static cudaError_t
launch_quantity(const cwt_tilings &job, cudaStream_t stream)
{
	switch (job.out.quantity) {
	case WS_COMPLEX:
		return launch_tiles<T, WS_COMPLEX>(job, stream);
	case WS_MAGNITUDE:
		return launch_tiles<T, WS_MAGNITUDE>(job, stream);
	case WS_POWER:
		return launch_tiles<T, WS_POWER>(job, stream);
	default:
		return launch_tiles<T, WS_PHASE>(job, stream);
	}
}

#endif
