/*
 * joint_mean.cuh - the mean of all envelopes, taken off.
 *
 * A block of threads has some samples and 32 channels, each warp one of the eight
 * sums of directions. Lanes are channels: they walk along an envelope and add its
 * cubics to sums that stay in registers. Which samples are knots is the same for all
 * lanes, so that they never part. Blocks of samples in which no knot starts go
 * first, by a kernel of their own: late modes have hardly any other.
 * What else was tried: docs/decisions/0008-memd.md.
 */
#ifndef WSI_CUDA_JOINT_MEAN_CUH
#define WSI_CUDA_JOINT_MEAN_CUH

#include <cuda_pipeline.h>

#include "cuda/stage/joint_slopes.cuh"

constexpr int MEAN_THREADS = WSI_JOINT_SUMS * 32;
/* Blocks of samples of a block of threads, where they are whole; else a part of one. */
constexpr int WHOLE_BLOCKS = WSI_JOINT_BLOCKS / 4;
template <class T> constexpr int MEAN_SPAN = 64 / (int)sizeof(T);
template <class T> constexpr int MEAN_PARTS = MEAN_SPAN<T> / WSI_JOINT_PART;
/* Knots of a span: those of a kind lie two samples apart, but at ends; one more either
 * side. */
template <class T> constexpr int MEAN_KNOTS = MEAN_SPAN<T> / 2 + 3;

/* ---- One envelope ------------------------------------------------------------------- */

/* The cubic of an interval, and the knot after it, at a lane's channel. */
template <class T> struct envelope_piece {
	using M = joint_math<T>;
	T c0, c1, c2, c3;       /* since its knot */
	T v1, s1;

	__device__ __forceinline__ void
	begin(T v0, T s0, T v, T s, T inverse)
	{
		c0 = v0, c1 = s0, v1 = v, s1 = s;
		M::joint_cubic(v1 - c0, inverse, inverse * inverse, c1, s1, &c2, &c3);
	}

	/* Goes on to the next interval, of which v, s is the end. */
	__device__ __forceinline__ void
	next(T v, T s, T inverse)
	{
		begin(v1, s1, v, s, inverse);
	}

	/* Adds the cubic as one of the time since u. */
	__device__ __forceinline__ void
	add_to(T (&sum)[4], T u) const
	{
		T a0 = c0, a1 = c1, a2 = c2;
		M::joint_recentre(&a0, &a1, &a2, c3, u);
		sum[0] += a0;
		sum[1] += a1;
		sum[2] += a2;
		sum[3] += c3;
	}
};

/* Upper minus lower envelope, sample by sample; empty where no rule asks. */
template <class T, bool ABOVE> struct envelope_distance {
	static constexpr int N = ABOVE ? MEAN_SPAN<T> : 1;
	T x[N];

	__device__ __forceinline__ void
	note(int i, int kind, const envelope_piece<T> &piece, T u)
	{
		if (!ABOVE)
			return;
		const T value = cubic_at(piece.c0, piece.c1, piece.c2, piece.c3, u);
		x[ABOVE ? i : 0] = kind == WSI_MAX ? value : x[ABOVE ? i : 0] - value;
	}

	/* Sum over the channels of the warp of squares, by halves as sum32 (math/sum.h): a lane
	 * gets that of the sample of its own number, which must be one. */
	__device__ __forceinline__ T
	sum_squares(bool there) const
	{
		const int lane = threadIdx.x & 31;
		T square[N];
#pragma unroll
		for (int i = 0; i < N; ++i) {
			square[i] = there ? x[i] * x[i] : (T)0;
#pragma unroll
			for (int far = 16; far >= N; far /= 2)
				square[i] += __shfl_xor_sync(FULL, square[i], far);
		}
#pragma unroll
		for (int half = N / 2; half > 0; half /= 2)
#pragma unroll
			for (int i = 0; i < half; ++i) {
				const bool upper = lane & half;
				const T mine = upper ? square[i + half] : square[i];
				const T other = upper ? square[i] : square[i + half];
				square[i] = mine + __shfl_xor_sync(FULL, other, half);
			}
		return square[0];
	}
};

/* The envelopes of one sum, in the order 2 g, 2 g + 1, 2 (g + 8), .. */
struct sum_of_envelopes {
	int sum, n;

	__device__ __forceinline__
	sum_of_envelopes(int directions)
		: sum(threadIdx.x / 32), n(2 * ((directions - sum + WSI_JOINT_SUMS - 1) / WSI_JOINT_SUMS))
	{
	}

	__device__ __forceinline__ int
	list(int i) const
	{
		return 2 * (sum + i / 2 * WSI_JOINT_SUMS) + (i & 1);
	}
};

/* ---- Whole blocks -------------------------------------------------------------------- */

/* The sums of whole blocks: cubics [block][coefficient]. */
template <class T> struct whole_adder {
	const joint_signal<T> &s;
	const T *column;        /* row 0 of h at this lane's channel */
	const T *slopes;        /* of the group, at this lane's channel */
	int first;              /* sample of the first block */
	T sums[WHOLE_BLOCKS][4];

	/* The blocks' envelope of `window`; whole: which, a bit each; knot: of each, the interval;
	 * at: of the tile's first interval in s.seen. */
	__device__ __forceinline__ void
	add(int window, int at, unsigned whole, const int (&knot)[WHOLE_BLOCKS])
	{
		envelope_piece<T> piece = {};
		int now = -1, time = 0;
#pragma unroll
		for (int block = 0; block < WHOLE_BLOCKS; ++block) {
			if (!(whole >> block & 1))
				continue;
			if (knot[block] != now) {
				now = knot[block];
				const joint_knot<T> k = s.seen[at + now], next = s.seen[at + now + 1];
				const T *slope = slopes + ((ptrdiff_t)window * JOINT_OWN + now) * 32;
				piece.begin(value_at(column, k.offset), __ldg(slope), value_at(column, next.offset),
				            __ldg(slope + 32), k.inverse);
				time = k.time;
			}
			piece.add_to(sums[block], (T)(first + block * WSI_JOINT_BLOCK - time));
		}
	}

	/* All of a sum: lanes look at 32 envelopes at a time. from: first block in the tile. */
	__device__ __forceinline__ void
	add_all(const sum_of_envelopes &envelopes, int tile, int from)
	{
		const int blocks = min((s.n - first + WSI_JOINT_BLOCK - 1) / WSI_JOINT_BLOCK, WHOLE_BLOCKS);
		const unsigned there = blocks > 0 ? (1u << blocks) - 1 : 0;
		for (int batch = 0; batch < envelopes.n; batch += 32) {
			const int lane = threadIdx.x & 31, i = batch + lane;
			int window = 0, at = 0, knots[WHOLE_BLOCKS];
			unsigned whole = 0;
			if (i < envelopes.n) {
				window = envelopes.list(i) * s.chunk + tile;
				at = window * JOINT_WINDOW<T> + s.windows[window].own;
				const joint_marks *m = s.marks + (size_t)window * JOINT_TILE_WORDS + from;
#pragma unroll
				for (int block = 0; block < WHOLE_BLOCKS; ++block) {
					const joint_marks mark = m[block];
					knots[block] = mark.knot;
					whole |= (unsigned)((mark.starts & ~1u) == 0) << block;
				}
				whole = s.windows[window].n > 0 ? whole & there : 0;
			}
			unsigned left = __ballot_sync(FULL, whole != 0);
			for (; left; left &= left - 1) {
				const int k = __ffs(left) - 1;
				int knot[WHOLE_BLOCKS];
#pragma unroll
				for (int block = 0; block < WHOLE_BLOCKS; ++block)
					knot[block] = __shfl_sync(FULL, knots[block], k);
				add(__shfl_sync(FULL, window, k), __shfl_sync(FULL, at, k), __shfl_sync(FULL, whole, k),
				    knot);
			}
		}
	}
};

/* The cubic of a block: [coefficient][32]. */
template <class T>
__device__ __forceinline__ T *
whole_of(const joint_signal<T> &s, int group, int block)
{
	return s.whole + ((size_t)group * s.chunk * WSI_JOINT_BLOCKS + block) * 4 * 32;
}

/* ---- Parts --------------------------------------------------------------------------- */

/* Where an envelope stands at a span. */
template <class T> struct envelope_place {
	unsigned later;         /* samples of the span, after the first, that are knots */
	bool whole;             /* its block is */
	const T *slope;         /* of the first sample's interval, at this lane's channel */
	joint_knot<T> knot;     /* as lanes count from that interval */
};

/* Knots of a span by channel, on their way while another envelope is walked along; and
 * what depends on times only. */
template <class T> struct mean_ready {
	alignas(2 * sizeof(T)) T knot[MEAN_KNOTS<T>][32][2]; /* value, slope */
	T inverse[MEAN_KNOTS<T>];
};

/* The sums of a lane (cpu/joint_mean_simd.h has them as rows). */
template <class T> struct mean_sums { T part[MEAN_PARTS<T>][4], more[MEAN_PARTS<T>][2]; };

template <class T, bool ABOVE> struct envelope_adder {
	const joint_signal<T> &s;
	const T *column;        /* row 0 of h at this lane's channel */
	const T *slopes;        /* of the group, at this lane's channel */
	mean_ready<T> *ready;   /* two, in turn */
	int first;              /* sample of the span */
	mean_sums<T> sums;
	envelope_distance<T, ABOVE> distance;

	/* Sends for the knots of an envelope. */
	__device__ __forceinline__ void
	send_for(const envelope_place<T> &e, mean_ready<T> &to) const
	{
		const int lane = threadIdx.x & 31, n = __popc(e.later) + 2;
		const T *slope = e.slope;
		__syncwarp(); /* nobody walks along the last but one any more */
#pragma unroll 2
		for (int k = 0; k < n; ++k, slope += 32) {
			const int offset = __shfl_sync(FULL, e.knot.offset, k);
			__pipeline_memcpy_async(&to.knot[k][lane][0], value_of(column, offset), sizeof(T));
			__pipeline_memcpy_async(&to.knot[k][lane][1], slope, sizeof(T));
		}
		if (lane < n)
			to.inverse[lane] = e.knot.inverse;
		__pipeline_commit();
	}

	/* On to the interval of the k-th knot. */
	__device__ __forceinline__ void
	advance(const mean_ready<T> &here, envelope_piece<T> &piece, int k) const
	{
		const T *next = here.knot[k + 1][threadIdx.x & 31];
		piece.next(next[0], next[1], here.inverse[k]);
	}

	/* Along the parts of the span, whose first sample is u after its knot; a whole block's
	 * are there already. */
	__device__ __forceinline__ void
	walk(const mean_ready<T> &here, unsigned later, bool whole, T u, int kind)
	{
		const T *start = here.knot[0][threadIdx.x & 31], *next = here.knot[1][threadIdx.x & 31];
		envelope_piece<T> piece;
		piece.begin(start[0], start[1], next[0], next[1], here.inverse[0]);
		int k = 0;
#pragma unroll
		for (int part = 0; part < MEAN_PARTS<T>; ++part) {
			const int i = part * WSI_JOINT_PART;
			if (later >> i & 1) {
				advance(here, piece, ++k);
				u = (T)0;
			}
			if (!ABOVE || !whole)
				piece.add_to(sums.part[part], u);
			distance.note(i, kind, piece, u);
			if (later >> i & 14) {
#pragma unroll
				for (int knot = 1; knot < WSI_JOINT_PART; ++knot) {
					if (later >> (i + knot) & 1) {
						const T c2 = piece.c2, c3 = piece.c3;
						T one, two;
						advance(here, piece, ++k);
						joint_math<T>::joint_jump(c2, c3, u + (T)knot, piece.c2, piece.c3, &one, &two);
						if (knot < WSI_JOINT_PART - 1)
							sums.more[part][knot - 1] += one;
						if (knot == 1)
							sums.more[part][1] += two;
						u = (T)-knot;
					}
					distance.note(i + knot, kind, piece, u + (T)knot);
				}
			} else if (ABOVE) {
#pragma unroll
				for (int knot = 1; knot < WSI_JOINT_PART; ++knot)
					distance.note(i + knot, kind, piece, u + (T)knot);
			}
			u += (T)WSI_JOINT_PART;
		}
	}

	/* All of a sum that are not whole (ABOVE: all): lanes look at 32 envelopes at a time.
	 * from: the span's first sample in the block; distances: of a direction [sample]. */
	__device__ __forceinline__ void
	add_all(const sum_of_envelopes &envelopes, int tile, int block, int from, bool counted,
	        T *distances, size_t stride)
	{
		for (int batch = 0; batch < envelopes.n; batch += 32) {
			const int lane = threadIdx.x & 31, i = batch + lane;
			unsigned starts = 0;
			int at = 0, slope = 0;
			bool wanted = false;
			if (i < envelopes.n) {
				const int window = envelopes.list(i) * s.chunk + tile;
				const joint_marks m = s.marks[(size_t)window * JOINT_TILE_WORDS + block];
				const int knot = m.knot + __popc(m.starts & ((2u << from) - 2));
				starts = m.starts & ~1u;
				at = window * JOINT_WINDOW<T> + s.windows[window].own + knot;
				slope = window * JOINT_OWN + knot;
				wanted = s.windows[window].n > 0 && (ABOVE || starts != 0);
			}
			unsigned left = __ballot_sync(FULL, wanted);
			auto look_at = [&](int k, envelope_place<T> &e) {
				const unsigned bits = or_lanes(lane == k ? starts : 0);
				e.whole = bits == 0;
				e.later = bits >> from & ((1u << MEAN_SPAN<T>) - 2);
				e.slope = slopes + (ptrdiff_t)__shfl_sync(FULL, slope, k) * 32;
				const int knot = __shfl_sync(FULL, at, k);
				e.knot = s.seen[knot + min(lane, __popc(e.later) + 1)];
			};
			if (!left)
				continue;
			/* Of the one after the next it is looked where it stands, the next one's knots are
			 * sent for; of the last nothing comes of that. */
			envelope_place<T> next, after;
			int k = __ffs(left) - 1;
			look_at(k, next);
			left &= left - 1;
			look_at(left ? __ffs(left) - 1 : k, after);
			send_for(next, ready[0]);
			for (int turn = 0;; turn ^= 1) {
				const unsigned later = next.later;
				const bool whole = next.whole, last = !left;
				const T u = (T)(first - __shfl_sync(FULL, next.knot.time, 0));
				const int now = k, kind = now & 1;
				if (!last) {
					k = __ffs(left) - 1;
					left &= left - 1;
					next = after;
					send_for(next, ready[1 - turn]);
					look_at(left ? __ffs(left) - 1 : k, after);
					__pipeline_wait_prior(1);
				} else {
					__pipeline_wait_prior(0);
				}
				__syncwarp();
				walk(ready[turn], later, whole, u, kind);
				if (ABOVE && kind == WSI_MIN) {
					const T square = distance.sum_squares(counted);
					if (lane < MEAN_SPAN<T>)
						distances[envelopes.list(batch + now) / 2 * stride + lane] = square;
				}
				if (last)
					break;
			}
		}
	}
};

/* ---- The mean ----------------------------------------------------------------------- */

/* Binary tree over the eight sums, stride apart. */
template <class T>
__device__ __forceinline__ T
total_of(const T *sum, size_t stride)
{
	T x[WSI_JOINT_SUMS];
#pragma unroll
	for (int i = 0; i < WSI_JOINT_SUMS; ++i)
		x[i] = sum[i * stride];
#pragma unroll
	for (int n = WSI_JOINT_SUMS / 2; n > 0; n /= 2)
#pragma unroll
		for (int i = 0; i < n; ++i)
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

/* Sums that the warps show to each other: rows of whole blocks; of a pair of parts. */
template <class T> struct whole_shown { T x[WSI_JOINT_SUMS][WHOLE_BLOCKS * 4][32]; };
template <class T> struct mean_shown {
	T part[WSI_JOINT_SUMS][2][4][32], more[WSI_JOINT_SUMS][2][2][32];
};
template <class T>
constexpr int mean_bytes = (int)(2 * WSI_JOINT_SUMS * sizeof(mean_ready<T>) > sizeof(mean_shown<T>)
	? 2 * WSI_JOINT_SUMS * sizeof(mean_ready<T>) : sizeof(mean_shown<T>));

/* Cubics of whole blocks into s.whole. grid: some blocks of the chunk; group of channels
 * from group0 on. */
template <class T>
__global__ void __launch_bounds__(MEAN_THREADS, sizeof(T) == 4 ? 3 : 2)
whole_kernel(const joint_signal<T> s, const T *h, int tile0, int group0)
{
	__shared__ whole_shown<T> shown;
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, block0 = blockIdx.x * WHOLE_BLOCKS;
	whole_adder<T> a = { s, column_of(s, h, (group0 + (int)blockIdx.y) * 32 + lane),
		             kept(slopes_of(s, 0, 0, blockIdx.y) + lane),
		             tile0 * WSI_JOINT_TILE + block0 * WSI_JOINT_BLOCK, {} };
	a.add_all(sum_of_envelopes(s.directions), block0 / WSI_JOINT_BLOCKS, block0 % WSI_JOINT_BLOCKS);
#pragma unroll
	for (int i = 0; i < WHOLE_BLOCKS * 4; ++i)
		shown.x[warp][i][lane] = a.sums[i / 4][i % 4];
	__syncthreads();
	for (int i = warp; i < WHOLE_BLOCKS * 4; i += WSI_JOINT_SUMS)
		whole_of(s, blockIdx.y, block0)[i * 32 + lane] =
			total_of(&shown.x[0][i][lane], WHOLE_BLOCKS * 4 * 32);
}

/* y = h minus share times the sum, of one sample and channel; squares: |m|^2 and |h|^2
 * of each group of channels. */
template <class T>
__device__ __forceinline__ void
finish_sample(const joint_signal<T> &s, const T *h, T *y, T sum, int sample, int group, bool squares)
{
	const int lane = threadIdx.x & 31, channel = group * 32 + lane;
	const bool counted = channel < s.channels;
	const size_t at = (size_t)sample * s.lanes + channel;
	const T share = share_of(s), zero = (T)0, x = channel < s.lanes ? h[at] : zero;
	if (channel < s.lanes)
		y[at] = fma(-share, sum, x);
	if (!squares)
		return;
	const T m = counted ? sum * share : zero, a = counted ? x : zero;
	const T m2 = sum_channels(m * m), h2 = sum_channels(a * a);
	if (lane == 0) {
		s.squares[(size_t)group * s.n + sample] = m2;
		s.squares[((size_t)(s.lanes + 31) / 32 + group) * s.n + sample] = h2;
	}
}

/* Of the eight sums of a span, the means, a pair of parts at a time: a warp has a sample
 * of each pair. whole: the block's cubic; from: the span's first sample in it. */
template <class T>
__device__ __forceinline__ void
finish_span(const joint_signal<T> &s, const T *h, T *y, mean_shown<T> &shown, const mean_sums<T> &sums,
            const T *whole, int first, int from, int group, bool squares)
{
	constexpr int PAIR = 2 * WSI_JOINT_PART;
	static_assert(PAIR == WSI_JOINT_SUMS);
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
	const int mine = warp / WSI_JOINT_PART, at = warp % WSI_JOINT_PART;
#pragma unroll
	for (int pair = 0; pair < MEAN_PARTS<T> / 2; ++pair) {
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 4; ++i) {
			shown.part[warp][0][i][lane] = sums.part[2 * pair][i];
			shown.part[warp][1][i][lane] = sums.part[2 * pair + 1][i];
			shown.more[warp][i / 2][i % 2][lane] = sums.more[2 * pair + i / 2][i % 2];
		}
		__syncthreads();
		T part[4];
#pragma unroll
		for (int i = 0; i < 4; ++i)
			part[i] = total_of(&shown.part[0][mine][i][lane], 8 * 32);
		const int sample = pair * PAIR + warp;
		T sum = cubic_at(part[0], part[1], part[2], part[3], (T)at);
		if (at >= 2)
			sum += total_of(&shown.more[0][mine][at - 2][lane], 4 * 32);
		sum += cubic_at(whole[0], whole[32], whole[64], whole[96], (T)(from + sample));
		if (first + sample < s.n)
			finish_sample(s, h, y, sum, first + sample, group, squares);
	}
}

/*
 * y = h minus the mean. ABOVE: also the squared distance of both envelopes into
 * s.distances [group][direction][sample of the chunk]; squares: see finish_sample.
 * grid: span of the chunk; group of channels from group0 on.
 */
template <class T, bool ABOVE>
__global__ void __launch_bounds__(MEAN_THREADS, ABOVE || sizeof(T) == 8 ? 2 : 4)
mean_kernel(const joint_signal<T> s, const T *h, T *y, int tile0, int group0, bool squares)
{
	extern __shared__ __align__(16) char shared[];
	const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, group = group0 + (int)blockIdx.y;
	const int start = blockIdx.x * MEAN_SPAN<T>, first = tile0 * WSI_JOINT_TILE + start; /* samples */
	const int block = start / WSI_JOINT_BLOCK, from = start % WSI_JOINT_BLOCK;
	const int channel = group * 32 + lane;
	const size_t samples = (size_t)s.chunk * WSI_JOINT_TILE;
	envelope_adder<T, ABOVE> a = { s, column_of(s, h, channel),
		                       kept(slopes_of(s, 0, 0, blockIdx.y) + lane),
		                       (mean_ready<T> *)shared + 2 * warp, first, {}, {} };
	a.add_all(sum_of_envelopes(s.directions), block / WSI_JOINT_BLOCKS, block % WSI_JOINT_BLOCKS, from,
	          channel < s.channels, s.distances + (size_t)group * s.directions * samples + start,
	          samples);
	finish_span(s, h, y, *(mean_shown<T> *)shared, a.sums, whole_of(s, blockIdx.y, block) + lane, first,
	            from, group, squares);
	if (threadIdx.x == 0 && first == 0 && group == 0)
		s.state->sifts += s.state->active > 0;
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

/* A chunk of tiles: windows, then slopes and means, some groups of channels at a time. */
template <class T, bool ABOVE>
static cudaError_t
subtract_chunk(const joint_signal<T> &s, int set, int tile0, bool squares, cudaStream_t stream)
{
	constexpr int windows_bytes = (int)sizeof(windows_shared<T>);
	constexpr int slopes_bytes = SLOPES_WARPS<T> * (int)sizeof(slopes_room<T>);
	const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
	cudaError_t error = cudaFuncSetAttribute(windows_kernel<T>, attribute, windows_bytes);
	if (error == cudaSuccess)
		error = cudaFuncSetAttribute(slopes_kernel<T>, attribute, slopes_bytes);
	if (error == cudaSuccess)
		error = cudaFuncSetAttribute(mean_kernel<T, ABOVE>, attribute, mean_bytes<T>);
	if (error != cudaSuccess)
		return error;
	const T *h = s.h[set];
	const int groups = (s.lanes + 31) / 32, left = s.n - tile0 * WSI_JOINT_TILE;
	const int tiles = s.tiles - tile0 < s.chunk ? s.tiles - tile0 : s.chunk;
	const int samples = left < tiles * WSI_JOINT_TILE ? left : tiles * WSI_JOINT_TILE;
	const unsigned lists = 2 * (unsigned)s.directions, t = (unsigned)tiles;
	const unsigned spans = (unsigned)((samples + MEAN_SPAN<T> - 1) / MEAN_SPAN<T>);
	windows_kernel<T><<<dim3((t + 31) / 32, lists), WINDOWS_THREADS, windows_bytes, stream>>>(s, tile0,
	                                                                                        tiles);
	for (int group = 0; group < groups; group += s.groups) {
		const unsigned n = (unsigned)(groups - group < s.groups ? groups - group : s.groups);
		const dim3 slopes_grid((lists + SLOPES_WARPS<T> - 1) / SLOPES_WARPS<T>, t, n);
		slopes_kernel<T><<<slopes_grid, SLOPES_WARPS<T> * 32, slopes_bytes, stream>>>(s, h, group);
		whole_kernel<T><<<dim3(t * (WSI_JOINT_BLOCKS / WHOLE_BLOCKS), n), MEAN_THREADS, 0, stream>>>(
			s, h, tile0, group);
		mean_kernel<T, ABOVE><<<dim3(spans, n), MEAN_THREADS, mean_bytes<T>, stream>>>(
			s, h, s.h[1 - set], tile0, group, squares);
	}
	if (ABOVE)
		amplitude_kernel<T><<<t, WSI_JOINT_TILE, 0, stream>>>(s, tile0, groups);
	return cudaGetLastError();
}

template <class T>
cudaError_t
joint_subtract_mean(const joint_signal<T> &s, int set, bool above, bool sums, cudaStream_t stream)
{
	for (int tile0 = 0; tile0 < s.tiles; tile0 += s.chunk) {
		const cudaError_t error = above ? subtract_chunk<T, true>(s, set, tile0, true, stream)
		                                : subtract_chunk<T, false>(s, set, tile0, sums, stream);
		if (error != cudaSuccess)
			return error;
	}
	if (above || sums) {
		const int samples = (s.n + 63) / 64 * 64, groups = (s.lanes + 31) / 32;
		statistics_kernel<T><<<(samples + 255) / 256, 256, 0, stream>>>(s, groups, above, sums);
	}
	return cudaGetLastError();
}

#endif
