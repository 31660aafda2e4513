/*
 * joint_mean.cuh - the mean of all envelopes, taken off.
 *
 * A warp has 64 samples, 32 channels and some of the eight sums of directions.
 * For each envelope, as channels, its lanes make the cubics that 32 samples need
 * and leave them in shared memory; then, as samples, they evaluate them channel
 * by channel and add to sums that stay in registers.  No warp waits for another.
 * What else was tried: docs/decisions/0008-memd.md.
 */
#ifndef WSI_CUDA_JOINT_MEAN_CUH
#define WSI_CUDA_JOINT_MEAN_CUH

#include "cuda/stage/joint_slopes.cuh"
#include "cuda/stage/joint_windows.cuh"

constexpr int MEAN_SPAN = 64, MEAN_WARPS = WSI_JOINT_TILE / MEAN_SPAN;
/* Knots whose values and slopes are on their way at a time. */
constexpr int MEAN_AHEAD = 4;
/* Cubics of 32 samples: knots of a kind lie two samples apart, but at ends. */
constexpr int MEAN_CUBICS = (32 / 2 + 2 + MEAN_AHEAD - 1) / MEAN_AHEAD * MEAN_AHEAD;

/* Lanes apart by one number more than there are channels: lanes that read different
 * knots find them in different banks. */
template <class T> struct mean_room { four<T> cubic[MEAN_CUBICS][33]; };

/* One envelope as the lanes of a warp read it. */
template <class T> struct envelope_reader {
	using M = joint_math<T>;
	mean_room<T> &room;
	const T *column;        /* row 0 at this lane's channel */
	int lane;

	/* Where the next cubic starts. */
	struct from { T v, s; };

	/* N cubics from knot `first` on, all their loads on the way together: no branch that
	 * these would wait for; what is made past the last knot is not looked at. */
	template <int N>
	__device__ __forceinline__ void
	make_some(int first, int n, const joint_knot<T> &own, const T *slope, from &f)
	{
		T v1[N], s1[N], inverse[N];
#pragma unroll
		for (int k = 0; k < N; ++k) {
			/* After the last knot of all there is none: itself again, and no bend. */
			const int i = min(first + k, n - 1);
			inverse[k] = __shfl_sync(FULL, own.inverse, i);
			const int next = inverse[k] == (T)0 ? i : i + 1;
			v1[k] = value_at(column, __shfl_sync(FULL, own.offset, next));
			s1[k] = __ldg(slope + next * 32);
		}
#pragma unroll
		for (int k = 0; k < N; ++k) {
			four<T> c = { f.v, f.s, (T)0, (T)0 };
			M::joint_cubic(v1[k] - f.v, inverse[k], inverse[k] * inverse[k], f.s, s1[k], &c.z, &c.w);
			room.cubic[first + k][lane] = c;
			f = { v1[k], s1[k] };
		}
	}

	/* Cubics of 32 samples, of which this lane's is `sample` and wants room.cubic[slot], u
	 * samples after its knot.  starts: bits of the samples; own: this lane's knot, counted
	 * from the interval of the first; slopes: from there on. */
	__device__ __forceinline__ void
	make(uint32_t starts, const joint_knot<T> &own, const T *slopes, int sample, int *slot, T *u)
	{
		const uint32_t later = starts & ~1u, mine = later & ((2u << lane) - 1);
		const int n = __popc(later) + 1;
		*slot = __popc(mine);
		*u = (T)(sample - __shfl_sync(FULL, own.time, *slot));
		const T *slope = slopes + lane;
		from f = { value_at(column, __shfl_sync(FULL, own.offset, 0)), __ldg(slope) };
		if (n <= MEAN_AHEAD / 2)
			make_some<MEAN_AHEAD / 2>(0, n, own, slope, f);
		else
			for (int first = 0; first < n; first += MEAN_AHEAD)
				make_some<MEAN_AHEAD>(first, n, own, slope, f);
		__syncwarp();
	}

	__device__ __forceinline__ T
	at(int slot, int channel, T u) const
	{
		const four<T> c = room.cubic[slot][channel];
		return cubic_at(c.x, c.y, c.z, c.w, u);
	}
};

/* What a warp loads of an envelope ahead of its turn: first which knots its samples
 * need, then, for each lane, one of these. */
template <class T> struct envelope_ahead {
	uint32_t starts[2];     /* of the warp's samples, 32 each */
	int knot[2];
	joint_knot<T> own[2];
	bool active;

	__device__ __forceinline__ void
	load_marks(const joint_signal<T> &s, int list, int in_chunk, int word)
	{
		const joint_marks *m = s.marks + (size_t)list * s.chunk + in_chunk;
		active = __ldg(s.active + list / 2);
		const uint2 b = __ldg((const uint2 *)(m->starts + word));
		const int2 k = __ldg((const int2 *)(m->knot + word));
		starts[0] = b.x, starts[1] = b.y;
		knot[0] = k.x, knot[1] = k.y;
	}

	__device__ __forceinline__ void
	load_knots(const joint_signal<T> &s, int list, int in_chunk, int lane)
	{
		const joint_knot<T> *k = s.own + ((size_t)list * s.chunk + in_chunk) * JOINT_OWN + lane;
#pragma unroll
		for (int half = 0; half < 2; ++half)
			if (active && lane <= __popc(starts[half] & ~1u) + 1)
				own[half] = k[knot[half]];
	}
};

/* Sum over 32 channels of squares, by halves as sum32 (math/sum.h). */
template <class T>
__device__ __forceinline__ T
sum_squares(T (&x)[32])
{
#pragma unroll
	for (int i = 0; i < 32; ++i)
		x[i] = x[i] * x[i];
#pragma unroll
	for (int half = 16; half > 0; half /= 2)
#pragma unroll
		for (int i = 0; i < half; ++i)
			x[i] += x[i + half];
	return x[0];
}

/* N numbers of each lane, added up sum by sum and those by a binary tree. */
template <class T, int N> struct summation {
	T x[N];
	int done;       /* sums that are complete */

	__device__ __forceinline__ void
	begin()
	{
		done = 0;
#pragma unroll
		for (int i = 0; i < N; ++i)
			x[i] = (T)0;
	}

	/* Completes one more of `all`; the last stays in x.  kept, of its own so that x is
	 * in registers, is seldom used: local memory. */
	__device__ __forceinline__ void
	complete(int all, T (&kept)[3][N])
	{
		int level = 0;
		for (; done >> level & 1; ++level)
#pragma unroll
			for (int i = 0; i < N; ++i)
				x[i] = kept[level][i] + x[i];
		if (++done == all)
			return;
#pragma unroll
		for (int i = 0; i < N; ++i) {
			kept[level][i] = x[i];
			x[i] = (T)0;
		}
	}
};

/*
 * Sums of envelopes into s.sums [part of the sums][sample][lane]; ABOVE: also the
 * squared distance of both envelopes into s.distances [group][direction][sample
 * of the chunk].  grid: tile of the chunk, group of channels from group0 on, part.
 */
template <class T, bool ABOVE>
__global__ void __launch_bounds__(MEAN_WARPS * 32, ABOVE || sizeof(T) == 8 ? 2 : 4)
mean_kernel(const joint_signal<T> s, const T *h, int tile0, int group0)
{
	extern __shared__ __align__(16) char shared[];
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
	const int in_chunk = blockIdx.x, tile = tile0 + in_chunk, group = group0 + blockIdx.y;
	const int tile_first = tile * WSI_JOINT_TILE, span = warp * MEAN_SPAN;
	const int channel = group * 32 + lane;
	envelope_reader<T> e = { ((mean_room<T> *)shared)[warp],
		                 h + (channel < s.lanes ? channel : 0), lane };
	const int each = WSI_JOINT_SUMS / gridDim.z, g0 = blockIdx.z * each;
	summation<T, MEAN_SPAN> sum; /* [half][channel] of this lane's two samples */
	T kept[3][MEAN_SPAN];
	sum.begin();
	for (int g = g0; g < g0 + each; ++g) {
		/* Lists in the order of their turn: 2 g, 2 g + 1, 2 (g + 8), .. */
		auto nth = [&](int i) {
			return min(2 * (g + i / 2 * WSI_JOINT_SUMS) + (i & 1), 2 * s.directions - 1);
		};
		envelope_ahead<T> next = {}, second = {};
		next.load_marks(s, nth(0), in_chunk, span / 32);
		next.load_knots(s, nth(0), in_chunk, lane);
		second.load_marks(s, nth(1), in_chunk, span / 32);
		int turn = 0;
		for (int d = g; d < s.directions; d += WSI_JOINT_SUMS) {
			T apart[2][ABOVE ? 32 : 1];
#pragma unroll
			for (int kind = 0; kind < 2; ++kind, ++turn) {
				const int list = 2 * d + kind;
				const envelope_ahead<T> now = next;
				next = second;
				next.load_knots(s, nth(turn + 1), in_chunk, lane);
				second.load_marks(s, nth(turn + 2), in_chunk, span / 32);
				if (!now.active)
					continue;
				const T *slopes = slopes_of(s, list, in_chunk, blockIdx.y);
#pragma unroll
				for (int half = 0; half < 2; ++half) {
					int slot;
					T u;
					__syncwarp();
					e.make(now.starts[half], now.own[half], slopes + now.knot[half] * 32,
					       tile_first + span + 32 * half + lane, &slot, &u);
#pragma unroll
					for (int c = 0; c < 32; ++c) {
						const T value = e.at(slot, c, u);
						sum.x[half * 32 + c] += value;
						if (ABOVE)
							apart[half][ABOVE ? c : 0] = kind == WSI_MAX ? value : apart[half][ABOVE ? c : 0] - value;
					}
				}
			}
#pragma unroll
			for (int half = 0; ABOVE && half < 2; ++half) {
				T squares[32];
#pragma unroll
				for (int c = 0; c < 32; ++c)
					squares[c] = group * 32 + c < s.channels ? apart[half][ABOVE ? c : 0] : (T)0;
				s.distances[((size_t)group * s.directions + d) * s.chunk * WSI_JOINT_TILE +
				            (size_t)in_chunk * WSI_JOINT_TILE + span + 32 * half + lane] =
					sum_squares(squares);
			}
		}
		sum.complete(each, kept);
	}
#pragma unroll
	for (int half = 0; half < 2; ++half) {
		const int sample = tile_first + span + 32 * half + lane;
		T *to = s.sums + ((size_t)blockIdx.z * s.n + sample) * s.lanes + group * 32;
#pragma unroll
		for (int c = 0; c < 32; ++c)
			if (sample < s.n && group * 32 + c < s.lanes)
				to[c] = sum.x[half * 32 + c];
	}
}

/* Sums over directions of the distance of both envelopes, of a chunk of tiles, into
 * s.amplitude [sample]; a thread has a sample. */
template <class T>
__global__ void __launch_bounds__(WSI_JOINT_TILE)
amplitude_kernel(const joint_signal<T> s, int tile0, int groups)
{
	const size_t samples = (size_t)s.chunk * WSI_JOINT_TILE;
	const int in_chunk = blockIdx.x * WSI_JOINT_TILE + threadIdx.x;
	const int sample = tile0 * WSI_JOINT_TILE + in_chunk;
	T total[WSI_JOINT_SUMS];
	if (sample >= s.n)
		return;
#pragma unroll
	for (int g = 0; g < WSI_JOINT_SUMS; ++g) {
		T sum = (T)0;
		for (int d = g; d < s.directions; d += WSI_JOINT_SUMS) {
			if (!s.active[d])
				continue;
			T square = (T)0;
			for (int k = 0; k < groups; ++k) {
				const T x = s.distances[((size_t)k * s.directions + d) * samples + in_chunk];
				square = k == 0 ? x : square + x;
			}
			sum += sqrt(square);
		}
		total[g] = sum;
	}
#pragma unroll
	for (int n = WSI_JOINT_SUMS / 2; n > 0; n /= 2)
#pragma unroll
		for (int i = 0; i < n; ++i)
			total[i] = total[2 * i] + total[2 * i + 1];
	s.amplitude[sample] = total[0];
}

/* ---- What follows from the sums --------------------------------------------------------- */

/* Binary tree over the parts of the sums, stride apart. */
template <class T>
__device__ __forceinline__ T
total_of(const T *part, size_t stride, int parts)
{
	T x[WSI_JOINT_SUMS];
#pragma unroll
	for (int i = 0; i < WSI_JOINT_SUMS; ++i)
		x[i] = i < parts ? part[i * stride] : (T)0;
#pragma unroll
	for (int n = WSI_JOINT_SUMS; n > 1; n /= 2)
		if (parts >= n)
#pragma unroll
			for (int i = 0; i < n / 2; ++i)
				x[i] = x[2 * i] + x[2 * i + 1];
	return x[0];
}

/* Half of the sum is the mean of two envelopes. */
template <class T>
__device__ __forceinline__ T
share_of(const joint_signal<T> &s)
{
	const int active = s.state->active;
	return active > 0 ? (T)(0.5 / active) : (T)0;
}

/* Sum over the channels of a warp: as sum32 (math/sum.h). */
template <class T>
__device__ __forceinline__ T
sum_channels(T x)
{
#pragma unroll
	for (int d = 16; d > 0; d >>= 1)
		x += __shfl_xor_sync(FULL, x, d);
	return x;
}

constexpr int FINISH_WARPS = 8;

/* y = h minus the mean; squares: also |m|^2 and |h|^2 of each group of channels. */
template <class T>
__global__ void __launch_bounds__(FINISH_WARPS * 32)
finish_kernel(const joint_signal<T> s, const T *h, T *y, bool squares)
{
	const int sample = blockIdx.x * FINISH_WARPS + threadIdx.x / 32;
	const int channel = blockIdx.y * 32 + (threadIdx.x & 31);
	if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
		s.state->sifts += s.state->active > 0;
	if (sample >= s.n)
		return;
	const size_t at = (size_t)sample * s.lanes + channel, stride = (size_t)s.n * s.lanes;
	const bool there = channel < s.lanes;
	const T share = share_of(s), x = there ? h[at] : (T)0;
	/* Without any direction the sums are not there. */
	const T sum = there && share > (T)0 ? total_of(s.sums + at, stride, s.parts) : (T)0;
	if (there)
		y[at] = fma(-share, sum, x);
	if (!squares)
		return;
	const T m = channel < s.channels ? sum * share : (T)0, c = channel < s.channels ? x : (T)0;
	const T m2 = sum_channels(m * m), h2 = sum_channels(c * c);
	if ((threadIdx.x & 31) == 0) {
		s.squares[(size_t)blockIdx.y * s.n + sample] = m2;
		s.squares[(size_t)(gridDim.y + blockIdx.y) * s.n + sample] = h2;
	}
}

/* Counts, and sums over blocks of 32 samples; a warp has a block. */
template <class T>
__global__ void __launch_bounds__(256)
statistics_kernel(const joint_signal<T> s, int groups, bool above, bool sums)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	T square[2] = { (T)0, (T)0 };
	for (int k = 0; k < 2 && i < s.n; ++k)
		for (int g = 0; g < groups; ++g) {
			const T x = s.squares[(size_t)(k * groups + g) * s.n + i];
			square[k] = g == 0 ? x : square[k] + x;
		}
	if (above) {
		const bool valid = i < s.n && s.state->active > 0;
		const T m = sqrt(square[0]), a = valid ? s.amplitude[i] * share_of(s) : (T)0;
		const unsigned one = __ballot_sync(FULL, valid && m > (T)s.sd * a);
		const unsigned two = __ballot_sync(FULL, valid && m > (T)s.sd2 * a);
		if ((threadIdx.x & 31) == 0) {
			atomicAdd(&s.state->above_sd, (unsigned long long)__popc(one));
			atomicAdd(&s.state->above_sd2, (unsigned long long)__popc(two));
		}
	}
	if (!sums)
		return;
	const int blocks = (s.n + 63) / 64 * 2;
	for (int k = 0; k < 2; ++k) {
		const T total = sum_channels(square[k]);
		if ((threadIdx.x & 31) == 0 && i / 32 < blocks)
			s.block_sums[(size_t)k * blocks + i / 32] = (double)total;
	}
}

/* ---- Launches ------------------------------------------------------------------------------ */

/* A chunk of tiles: windows, then slopes and sums, some groups of channels at a time. */
template <class T>
static cudaError_t
add_envelopes(const joint_signal<T> &s, const T *h, int tile0, bool above, cudaStream_t stream)
{
	const int groups = (s.lanes + 31) / 32;
	const int tiles = s.tiles - tile0 < s.chunk ? s.tiles - tile0 : s.chunk;
	const int slopes_bytes = SLOPES_WARPS * (int)sizeof(slopes_room<T>);
	const int mean_bytes = MEAN_WARPS * (int)sizeof(mean_room<T>);
	const auto kernel = above ? mean_kernel<T, true> : mean_kernel<T, false>;
	const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
	cudaError_t error = cudaFuncSetAttribute(slopes_kernel<T>, attribute, slopes_bytes);
	if (error == cudaSuccess)
		error = cudaFuncSetAttribute(kernel, attribute, mean_bytes);
	if (error != cudaSuccess)
		return error;
	const unsigned lists = 2 * (unsigned)s.directions, t = (unsigned)tiles;
	windows_kernel<T><<<dim3((t + 31) / 32, lists), WINDOWS_THREADS, 0, stream>>>(s, tile0, tiles);
	for (int group = 0; group < groups; group += s.groups) {
		const unsigned n = (unsigned)(groups - group < s.groups ? groups - group : s.groups);
		slopes_kernel<T><<<dim3(lists, (t + SLOPES_WARPS - 1) / SLOPES_WARPS, n), SLOPES_WARPS * 32,
		                   slopes_bytes, stream>>>(s, h, tile0, tiles, group);
		kernel<<<dim3(t, n, (unsigned)s.parts), MEAN_WARPS * 32, mean_bytes, stream>>>(s, h, tile0,
		                                                                              group);
	}
	if (above)
		amplitude_kernel<T><<<t, WSI_JOINT_TILE, 0, stream>>>(s, tile0, groups);
	return cudaGetLastError();
}

template <class T>
cudaError_t
joint_subtract_mean(const joint_signal<T> &s, int set, bool above, bool sums, cudaStream_t stream)
{
	const int groups = (s.lanes + 31) / 32;
	for (int tile0 = 0; tile0 < s.tiles; tile0 += s.chunk) {
		const cudaError_t error = add_envelopes(s, s.h[set], tile0, above, stream);
		if (error != cudaSuccess)
			return error;
	}
	const dim3 grid((unsigned)((s.n + FINISH_WARPS - 1) / FINISH_WARPS), (unsigned)groups);
	finish_kernel<T><<<grid, FINISH_WARPS * 32, 0, stream>>>(s, s.h[set], s.h[1 - set], above || sums);
	if (above || sums) {
		const int samples = (s.n + 63) / 64 * 64;
		statistics_kernel<T><<<(samples + 255) / 256, 256, 0, stream>>>(s, groups, above, sums);
	}
	return cudaGetLastError();
}

#endif
