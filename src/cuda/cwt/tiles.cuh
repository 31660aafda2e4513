/*
 * tiles.cuh - the kernel of tiles: a warp makes the outputs of a frequency in a tile.
 *
 * Fits      Morlet wavelets, which end in time.
 * Launch    as many blocks as the device holds; the warps of a block take frequencies of one tile,
 *           then of the next: spectra and responses are in the multiprocessor's cache.
 * Memory    writes each coefficient once.
 */
#ifndef WSI_CUDA_CWT_TILES_CUH
#define WSI_CUDA_CWT_TILES_CUH

#include "cuda/cwt/lanes.cuh"

constexpr int TILE_WARPS = (int)CWT_TILE_TOGETHER, TILE_STEPS = 16;

template <class T> struct tile_block {
	static constexpr int PER_SM = sizeof(T) == 4 ? 2 : 1;
	static constexpr int ROOM = LANE_ROOM + TILE_STEPS; /* of a warp */
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
	const unsigned first = (unsigned)lane - k.guard;
	T *to = sink.to + ((ptrdiff_t)sink.first + (int)first) * (COMPLEX ? 2 : 1);
	each<32>([&](auto i) {
		if (first + 32 * i < kept)
			store_output<T, COMPLEX>(
				to + 32 * i * (COMPLEX ? 2 : 1),
				COMPLEX ? two<T>{ v[i].x * sink.unit, v[i].y * sink.unit } : v[i],
				sink.unit, sink.quantity);
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
 * Outputs between the points z[TILE] of shared memory.  start: the carrier's angle at the first
 * point that is kept; step: from one output to the next, both in 2^-64 turns.  turned[TILE_STEPS]
 * of shared memory is nobody's.
 */
template <class T, int RATIO, bool COMPLEX>
__device__ __forceinline__ void
put_between(const cwt_tiling &k, const two<T> *z, two<T> *turned, unsigned long long start,
            unsigned long long step, const tile_sink<T> &sink, int lane)
{
	using as = tile_lanes<T, RATIO>;
	constexpr int EACH = as::EACH, POINTS = as::POINTS, FAR = POINTS * RATIO;
	constexpr int NUMBERS = COMPLEX ? 2 : 1, STRAIGHT = as::STRAIGHT;
	const unsigned group = (unsigned)lane / as::GROUP, member = (unsigned)lane % as::GROUP;
	const unsigned phase = member % as::PHASES * EACH;
	/* Odd: lanes of groups read other banks. */
	const unsigned steps = (k.useful + as::GROUPS * POINTS - 1) / (as::GROUPS * POINTS) | 1;
	const unsigned from = group * steps * POINTS, to = from + steps * POINTS;
	if (lane < TILE_STEPS)
		turned[lane] = turn_of<T>(step * (unsigned)(lane * FAR));
	__syncwarp();
	/* Outputs are counted from the first that the tile keeps. */
	const unsigned last = (to < k.useful ? to : k.useful) * RATIO;
	const unsigned there = sink.end - sink.first * RATIO, end = last < there ? last : there;
	unsigned point = from + member / as::PHASES, t = point * RATIO + phase;
	if (t >= end)
		return;
	const two<T> *u = z + k.guard - (as::TAPS / 2 - 1) + point;
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

/* A frequency of the tile and the frequencies of an item: number `member` of them, if there are as
 * many. */
template <class T, ws_quantity QUANTITY>
__device__ __forceinline__ void
make_item(const cwt_tilings &job, const cwt_tiling &k, unsigned item, unsigned member,
          const two<T> *turns, two<T> *room, int lane)
{
	constexpr bool COMPLEX = QUANTITY == WS_COMPLEX;
	unsigned rest, tile;
	const unsigned all = k.tiles * job.channels;
	const unsigned scale = divide(item - k.items, all, k.by_all, &rest) * TILE_WARPS + member;
	const unsigned channel = divide(rest, k.tiles, k.by_tiles, &tile);
	if (scale >= k.count)
		return;
	const cwt_scale &s = k.scales[scale];
	const two<T> *x = (const two<T> *)k.spectra + (size_t)rest * TILE;
	const T *hat = (const T *)k.hat + (size_t)scale * TILE + lane;
	const unsigned chunks = s.tile_chunks;
	two<T> v[32];
	if (k.ratio == 1) {
		x += lane;
		each<32>([&](auto i) {
			two<T> a = { 0, 0 };
			if (chunks >> i & 1) {
				a = x[32 * i];
				const T h = hat[32 * i];
				a = { a.x * h, a.y * h };
			}
			v[reversed(i)] = a;
		});
	} else {
		const unsigned moved = (unsigned)lane + (unsigned)s.tile_bin;
		each<32>([&](auto i) {
			two<T> a = { 0, 0 };
			if (chunks >> i & 1) {
				a = x[(moved + 32 * i) & (TILE - 1)];
				const T h = hat[32 * i];
				a = { a.x * h, a.y * h };
			}
			v[reversed(i)] = a;
		});
	}
	lane_transform(v, turns, room, lane);
	tile_sink<T> sink;
	sink.to = (T *)(job.out.base + channel * job.out.channel_stride +
	                s.row * job.out.frequency_stride);
	sink.unit = (T)job.out.heads[channel].scale;
	sink.quantity = QUANTITY;
	sink.first = tile * k.useful;
	sink.end = job.out.outputs;
	if (k.ratio == 1) {
		put_points<T, COMPLEX>(k, v, sink, lane);
		return;
	}
	each<32>([&](auto i) { room[lane + 32 * i] = v[i]; });
	/* The carrier at the first point that is kept. */
	const unsigned long long t = (unsigned long long)sink.first * (unsigned)k.ratio;
	const unsigned bin = (unsigned)s.tile_bin & (TILE - 1);
	const double turn = (double)(s.turn * t % job.n) * job.by_n +
	                    (double)(bin * k.guard % TILE) / TILE;
	const unsigned long long start = (unsigned long long)((turn - floor(turn)) * 0x1p64);
	two<T> *turned = room + LANE_ROOM;
	switch (k.ratio) {
	case 2:
		put_between<T, 2, COMPLEX>(k, room, turned, start, s.tile_step, sink, lane);
		break;
	case 4:
		put_between<T, 4, COMPLEX>(k, room, turned, start, s.tile_step, sink, lane);
		break;
	case 8:
		put_between<T, 8, COMPLEX>(k, room, turned, start, s.tile_step, sink, lane);
		break;
	case 16:
		put_between<T, 16, COMPLEX>(k, room, turned, start, s.tile_step, sink, lane);
		break;
	default:
		put_between<T, 32, COMPLEX>(k, room, turned, start, s.tile_step, sink, lane);
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
	unsigned member = (unsigned)warp;
	take_lane_turns(job.roots, turns);
	__syncthreads();
	/* By turns, since the last frequencies of a tiling may be few. */
	int number = 0;
	for (unsigned item = blockIdx.x; item < job.items; item += gridDim.x) {
		while (number + 1 < job.count && item >= job.tiling[number + 1].items)
			++number;
		make_item<T, QUANTITY>(job, job.tiling[number], item, member, turns, room, lane);
		member = (member + 1) % TILE_WARPS;
	}
}

template <class T, ws_quantity QUANTITY>
static cudaError_t
launch_tiles(const cwt_tilings &job, int multiprocessors, cudaStream_t stream)
{
	constexpr int bytes = (int)tile_block<T>::BYTES;
	const cudaError_t error = cudaFuncSetAttribute(
		tile_kernel<T, QUANTITY>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	if (error != cudaSuccess)
		return error;
	const unsigned most = (unsigned)(multiprocessors * tile_block<T>::PER_SM);
	tile_kernel<T, QUANTITY><<<job.items < most ? job.items : most, TILE_WARPS * LANES,
	                           bytes, stream>>>(job);
	return cudaGetLastError();
}

template <class T>
static cudaError_t
launch_quantity(const cwt_tilings &job, int multiprocessors, cudaStream_t stream)
{
	switch (job.out.quantity) {
	case WS_COMPLEX:
		return launch_tiles<T, WS_COMPLEX>(job, multiprocessors, stream);
	case WS_MAGNITUDE:
		return launch_tiles<T, WS_MAGNITUDE>(job, multiprocessors, stream);
	case WS_POWER:
		return launch_tiles<T, WS_POWER>(job, multiprocessors, stream);
	default:
		return launch_tiles<T, WS_PHASE>(job, multiprocessors, stream);
	}
}

#endif
