/*
 * joint_knots.cuh - extrema and knots of each projection, those beyond its ends included.
 *
 * Fits      every row of memd; lists of up to KNOTS_LISTED words at a time in shared memory.
 * Twin      cpu/emd/joint_knots.c: the same knots.
 * Launch    a block of KNOTS_THREADS (1024) a direction; before it project_kernel
 *           (joint_project.cuh).
 * Memory    reads the steps' bits once, projects single samples at plateaus and ends; writes knots
 *           [direction][kind].
 */
#ifndef WSI_CUDA_JOINT_KNOTS_CUH
#define WSI_CUDA_JOINT_KNOTS_CUH

#include "cuda/emd/stage/joint_project.cuh"

/* Few blocks, so that each is as large as it may be. */
constexpr int KNOTS_THREADS = 1024;

/* Knots of one envelope beyond one side, from the end outwards. */
struct joint_beyond {
	int n;
	int u[WSI_JOINT_REACH_64];       /* ticks from the end sample inwards */
	int from[WSI_JOINT_REACH_64];    /* the ticks whose values they have */
	bool line;                       /* or those of the line through these, if more extreme */
	int on_line[2];
};

/* Words whose extrema are listed at a time, half a word a thread, and most of a kind there:
 * two lie two samples apart at least. */
constexpr int KNOTS_WORDS = KNOTS_THREADS / 2, KNOTS_LISTED = KNOTS_WORDS * 16;

struct knots_shared {
	int count[2];                    /* [kind] extrema */
	int warp_sum[KNOTS_THREADS / 32];
	int crossings;
	int halves;                      /* is any extremum between two samples? */
	uint16_t listed[2][KNOTS_LISTED]; /* [kind] samples, from the first of the words, twice;
	                                     plus one for a knot half a sample before */
	wsi_near near[2][2];             /* [side][kind] projections there */
	double end[2];                   /* [side] */
	wsi_beyond made[2][2];
	joint_beyond beyond[2][2];       /* [side][kind] */
};

/* One direction at work. */
template <class T> struct knot_finder {
	const joint_signal<T> &s;
	T *h;
	knots_shared &sh;
	int d, words;                    /* words that hold samples */
	const uint32_t *rise, *fall;

	__device__
	knot_finder(const joint_signal<T> &signal, T *h, knots_shared &shared, int d)
		: s(signal), h(h), sh(shared), d(d), words((signal.n + 31) / 32)
	{
		rise = s.rise + (size_t)d * s.words;
		fall = s.fall + (size_t)d * s.words;
	}

	/* Functions, since arrays of them would not lie in registers. */
	__device__ uint32_t *
	bits(int kind) const
	{
		return s.bits + (2 * (size_t)d + kind) * s.words;
	}

	__device__ uint32_t *
	half() const
	{
		return s.half + (size_t)d * s.words;
	}

	/* The first extremum's place. */
	__device__ int32_t *
	list(int kind) const
	{
		return s.t + (2 * (size_t)d + kind) * s.t_stride + s.extras;
	}

	__device__ int32_t *
	before(int kind) const
	{
		return s.before + (2 * (size_t)d + kind) * s.tiles;
	}

	/* ---- Extrema ---- */

	__device__ bool
	has(const uint32_t *b, int i) const
	{
		return b[i / 32] >> (i % 32) & 1;
	}

	/* Strict extrema of word w. */
	__device__ void
	mark_strict(int w) const
	{
		const uint32_t r = rise[w], f = fall[w];
		const bool final = w + 1 == words;
		uint32_t rise_next = r >> 1, fall_next = f >> 1;
		if (!final) {
			rise_next |= rise[w + 1] << 31;
			fall_next |= fall[w + 1] << 31;
		} else if (s.cyclic) {
			rise_next |= (rise[0] & 1) << ((s.n - 1) % 32);
			fall_next |= (fall[0] & 1) << ((s.n - 1) % 32);
		}
		bits(WSI_MAX)[w] = r & fall_next;
		bits(WSI_MIN)[w] = f & rise_next;
	}

	/* The last sample of the plateau that starts at `first`. */
	__device__ int
	plateau_end(int first) const
	{
		for (int i = first + 1; i < s.n; i = (i / 32 + 1) * 32) {
			const uint32_t steps = (rise[i / 32] | fall[i / 32]) >> (i % 32);
			if (steps)
				return i + __ffs(steps) - 2;
		}
		return s.n - 1;
	}

	/* One extremum in the middle of each plateau whose first level step is in word w. */
	__device__ void
	mark_plateaus(int w) const
	{
		const uint32_t stepped = rise[w] | fall[w];
		uint32_t valid = w + 1 == words && s.n % 32 ? (1u << s.n % 32) - 1 : ~0u;
		if (w == 0)
			valid &= ~1u;
		uint32_t level = valid & ~stepped;
		/* Steps before those; the first of all has none. */
		const uint32_t carry = w > 0      ? (rise[w - 1] | fall[w - 1]) >> 31
		                       : s.cyclic ? stepped & 1
		                                  : 0;
		uint32_t starts = level & (stepped << 1 | (w > 0 ? carry : 0));
		for (; starts; starts &= starts - 1) {
			const int first = w * 32 + __ffs(starts) - 2, last = plateau_end(first);
			if (last + 1 >= s.n || first <= 0)
				continue;
			const int middle = (first + last + !s.lower_middle) / 2;
			const bool max = has(rise, first) && has(fall, last + 1);
			const bool min = has(fall, first) && has(rise, last + 1);
			if (max)
				atomicOr(&bits(WSI_MAX)[middle / 32], 1u << middle % 32);
			if (min)
				atomicOr(&bits(WSI_MIN)[middle / 32], 1u << middle % 32);
			if ((max || min) && s.half && (first + last) % 2) {
				atomicOr(&half()[middle / 32], 1u << middle % 32);
				atomicOr(&sh.halves, 1);
			}
		}
	}

	__device__ void
	find_extrema() const
	{
		for (int w = threadIdx.x; w < s.words; w += KNOTS_THREADS) {
			if (w < words)
				mark_strict(w);
			else
				bits(WSI_MAX)[w] = bits(WSI_MIN)[w] = 0;
			if (s.half)
				half()[w] = 0;
		}
		__syncthreads();
		for (int w = threadIdx.x; s.plateaus && w < words; w += KNOTS_THREADS)
			mark_plateaus(w);
		__syncthreads();
	}

	/* Zero crossings of word w; a run of zeros counts once. */
	__device__ int
	crossings_of(int w) const
	{
		const uint32_t *above = s.above + (size_t)d * s.words,
			       *below = s.below + (size_t)d * s.words;
		const uint32_t valid = w + 1 == words && s.n % 32 ? (1u << s.n % 32) - 1 : ~0u;
		const uint32_t a = w > 0 ? above[w - 1] : 0, b = w > 0 ? below[w - 1] : 0;
		const uint32_t nil = w > 0 ? ~(a | b) : 0;
		const uint32_t zero = valid & ~(above[w] | below[w]);
		const uint32_t flips = (above[w] & (below[w] << 1 | b >> 31)) |
		                       (below[w] & (above[w] << 1 | a >> 31));
		return __popc(flips) + __popc(zero & ~(zero << 1 | nil >> 31));
	}

	/* Sum of `a` over the threads before this one; total: over all. */
	__device__ int
	scan(int a, int *total) const
	{
		const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
		const int through = scan_lanes(a);
		static_assert(KNOTS_THREADS == 32 * 32);
		__syncthreads(); /* the last scan is over */
		if (lane == 31)
			sh.warp_sum[warp] = through;
		__syncthreads();
		const int mine = sh.warp_sum[lane], warps = scan_lanes(mine);
		*total = __shfl_sync(FULL, warps, 31);
		return __shfl_sync(FULL, warps - mine, warp) + through - a;
	}

	/* Lists of extrema, put together in shared memory, and how many lie before each tile or
	 * on its first sample. */
	__device__ void
	list_extrema() const
	{
		int base[2] = { 0, 0 }, crossings = 0;
		for (int w0 = 0; w0 < s.words; w0 += KNOTS_WORDS) {
			const int w = w0 + threadIdx.x / 2, from = threadIdx.x % 2 * 16;
			uint32_t m[2] = { 0, 0 };
			for (int kind = 0; kind < 2 && w < words; ++kind)
				m[kind] = bits(kind)[w] >> from & 0xffff;
			const uint32_t halves = sh.halves && w < words ? half()[w] >> from : 0;
			/* Both counts in one number. */
			static_assert(KNOTS_LISTED < 1 << 16);
			int total;
			const int packed = scan(__popc(m[0]) | __popc(m[1]) << 16, &total);
			for (int kind = 0; kind < 2; ++kind) {
				int at = packed >> (16 * kind) & 0xffff;
				if (from == 0 && w < s.words && w % JOINT_TILE_WORDS == 0)
					before(kind)[w / JOINT_TILE_WORDS] =
						base[kind] + at + (m[kind] & 1);
				for (; m[kind]; m[kind] &= m[kind] - 1)
				{
					const int bit = __ffs(m[kind]) - 1;
					sh.listed[kind][at++] =
						(uint16_t)(2 * (threadIdx.x * 16 + bit) +
					                   (halves >> bit & 1));
				}
			}
			if (s.crossings && from == 0 && w < words)
				crossings += crossings_of(w);
			__syncthreads();
			for (int kind = 0; kind < 2; ++kind) {
				const int n = total >> (16 * kind) & 0xffff;
				for (int i = threadIdx.x; i < n; i += KNOTS_THREADS) {
					const int twice = sh.listed[kind][i];
					list(kind)[base[kind] + i] =
						w0 * 32 * WSI_TICKS + twice - 2 * (twice & 1);
				}
				base[kind] += n;
			}
		}
		if (crossings)
			atomicAdd(&sh.crossings, crossings);
		if (threadIdx.x == 0) {
			sh.count[WSI_MAX] = base[WSI_MAX];
			sh.count[WSI_MIN] = base[WSI_MIN];
		}
		__syncthreads();
	}

	/* memd.m takes a projection that stays below some small number for zero. */
	__device__ void
	look_for_vanishing() const
	{
		bool seen = false;
		for (int i = threadIdx.x; i < sh.count[WSI_MAX] + 2 && !seen; i += KNOTS_THREADS) {
			const int sample = i == 0   ? 0
			                   : i == 1 ? s.n - 1
			                            : list(WSI_MAX)[i - 2] / WSI_TICKS;
			seen = (double)project_sample(s, h, d, sample) >= s.vanished;
		}
		seen = __syncthreads_or(seen);
		if (threadIdx.x == 0 && !seen)
			sh.count[WSI_MAX] = sh.count[WSI_MIN] = 0;
		__syncthreads();
	}

	/* ---- Knots beyond the ends ---- */

	/* The tick of the i-th extremum of a kind from one side inwards. */
	__device__ int
	inwards(int kind, int side, int i) const
	{
		return list(kind)[side == WSI_LEFT ? i : sh.count[kind] - 1 - i];
	}

	__device__ int
	end_tick(int side) const
	{
		return side == WSI_LEFT ? 0 : WSI_TICKS * (s.n - 1);
	}

	/* From a tick of the signal to one from the end sample inwards, and back. */
	__device__ int
	from_end(int side, int tick) const
	{
		return side == WSI_LEFT ? tick : end_tick(side) - tick;
	}

	/* The values at a tick, lane by lane: of a sample, or the mean of two. */
	__device__ const T *
	values_at(int tick) const
	{
		return (tick % WSI_TICKS ? s.middle : h) +
		       (size_t)((tick + 1) / WSI_TICKS) * s.lanes;
	}

	/* The projection at a tick; by a warp. */
	__device__ double
	project_at(int tick) const
	{
		const double p = (double)project_by_warp(s, h, d, tick / WSI_TICKS);
		return tick % WSI_TICKS
			? (p + (double)project_by_warp(s, h, d, tick / WSI_TICKS + 1)) * 0.5 : p;
	}

	/* Projections that decide: of the extrema nearest the ends, and there; a warp each. */
	__device__ void
	project_near() const
	{
		const int i = threadIdx.x / 32, lane = threadIdx.x & 31;
		static_assert(4 * WSI_NEAR + 2 <= KNOTS_THREADS / 32);
		if (i >= 4 * WSI_NEAR) {
			const int side = i - 4 * WSI_NEAR;
			const double p = side < 2 ? project_at(end_tick(side)) : 0.0;
			if (side < 2 && lane == 0)
				sh.end[side] = p;
		} else {
			const int side = i / (2 * WSI_NEAR), kind = i / WSI_NEAR % 2;
			const int k = i % WSI_NEAR;
			wsi_near *near = &sh.near[side][kind];
			const int n = min(sh.count[kind], WSI_NEAR);
			const int at = k < n ? inwards(kind, side, k) : 0;
			const double p = k < n ? project_at(at) : 0.0;
			if (lane == 0) {
				near->n = n; /* the same of all k */
				near->u[k] = from_end(side, at);
				near->v[k] = p;
			}
		}
		__syncthreads();
	}

	__device__ void
	mirror(int side) const
	{
		boundary_knots(WS_BOUNDARY_MIRROR, sh.near[side], sh.end[side], s.tie,
		               sh.made[side]);
		for (int kind = 0; kind < 2; ++kind) {
			const wsi_beyond &made = sh.made[side][kind];
			joint_beyond *b = &sh.beyond[side][kind];
			b->n = made.n;
			b->line = false;
			for (int i = 0; i < made.n; ++i) {
				const int from = made.from[i];
				const int u =
					from == WSI_END_SAMPLE ? 0 : sh.near[side][kind].u[from];
				b->u[i] = made.u[i];
				b->from[i] = from_end(side, u);
			}
		}
	}

	__device__ void
	extrapolate(int side, int kind) const
	{
		joint_beyond *b = &sh.beyond[side][kind];
		b->n = 1;
		b->u[0] = 0;
		b->from[0] = end_tick(side);
		b->line = sh.count[kind] >= boundary_least(s.boundary);
		for (int i = 0; i < 2 && b->line; ++i)
			b->on_line[i] = inwards(kind, side, i);
	}

	__device__ void
	continue_period(int side, int kind) const
	{
		joint_beyond *b = &sh.beyond[side][kind];
		int far_u[WSI_JOINT_REACH_64];
		const int n_far =
			sh.count[kind] < WSI_JOINT_REACH_64 ? sh.count[kind] : WSI_JOINT_REACH_64;
		for (int i = 0; i < n_far; ++i)
			far_u[i] = from_end(1 - side, inwards(kind, 1 - side, i));
		b->line = false;
		for (b->n = 0; n_far > 0 && b->n < WSI_JOINT_REACH_64; ++b->n) {
			if (!boundary_periodic(far_u, n_far, s.n, b->n, &b->u[b->n]))
				break;
			b->from[b->n] = inwards(kind, 1 - side, b->n % n_far);
		}
	}

	__device__ void
	look_beyond() const
	{
		if (s.boundary == WS_BOUNDARY_MIRROR) {
			project_near();
			if (threadIdx.x % 32 == 0 && threadIdx.x < 64)
				mirror(threadIdx.x / 32);
		} else if (threadIdx.x < 4) {
			if (s.cyclic)
				continue_period(threadIdx.x / 2, threadIdx.x % 2);
			else
				extrapolate(threadIdx.x / 2, threadIdx.x % 2);
		}
		__syncthreads();
	}

	/* By a warp: the i-th knot beyond an end, from there outwards. */
	__device__ void
	set_row(int side, int kind, int i) const
	{
		const joint_beyond &b = sh.beyond[side][kind];
		const int at = side == WSI_LEFT ? b.n - 1 - i : i;
		const int row = s.first_extra + ((d * 2 + kind) * 2 + side) * s.extras + at;
		const T *from = values_at(b.from[i]);
		T *to = h + (size_t)row * s.lanes;
		T ahead = (T)0;
		if (b.line)
			ahead = (T)((double)(b.on_line[0] - end_tick(side)) /
			            (double)(b.on_line[1] - b.on_line[0]));
		for (int c = threadIdx.x & 31; c < s.lanes; c += 32) {
			T v = from[c];
			if (b.line) {
				const T x0 = values_at(b.on_line[0])[c];
				const T x1 = values_at(b.on_line[1])[c];
				const T line = fma(ahead, x0 - x1, x0);
				v = kind == WSI_MAX ? (line > v ? line : v) : (line < v ? line : v);
			}
			to[c] = v;
		}
		if (threadIdx.x & 31)
			return;
		const int tick = from_end(side, b.u[i]), sample = (tick + 1) / WSI_TICKS;
		list(kind)[side == WSI_LEFT ? -1 - i : sh.count[kind] + i] = tick;
		if (tick < 0 || tick > end_tick(WSI_RIGHT))
			return;
		atomicOr(&bits(kind)[sample / 32], 1u << sample % 32);
		if (tick % WSI_TICKS)
			atomicOr(&half()[sample / 32], 1u << sample % 32);
	}

	/* Knots beyond the ends, of a kind, that lie before a tile or on its first sample. */
	__device__ int
	beyond_before(int kind, int tile) const
	{
		int more = 0;
		for (int side = 0; side < 2; ++side)
			for (int i = 0; i < sh.beyond[side][kind].n; ++i)
				more += from_end(side, sh.beyond[side][kind].u[i]) <=
				        WSI_TICKS * WSI_JOINT_TILE * tile;
		return more;
	}

	/* Puts them before and after the extrema. */
	__device__ void
	add_beyond() const
	{
		for (int i = threadIdx.x; i < 2 * s.tiles; i += KNOTS_THREADS)
			before(i & 1)[i / 2] += beyond_before(i & 1, i / 2);
		for (int kind = 0; kind < 2; ++kind) {
			for (int side = 0; side < 2; ++side)
				for (int i = threadIdx.x / 32 - 4 * kind - 2 * side &
				             KNOTS_THREADS / 32 - 1;
				     i < sh.beyond[side][kind].n; i += KNOTS_THREADS / 32)
					set_row(side, kind, i);
			if (threadIdx.x == 0) {
				const int left = sh.beyond[WSI_LEFT][kind].n;
				const int right = sh.beyond[WSI_RIGHT][kind].n;
				s.knots[2 * d + kind] = { s.extras - left,
					                  left + sh.count[kind] + right, left,
					                  right };
			}
		}
	}
};

template <class T>
__global__ void __launch_bounds__(KNOTS_THREADS)
knots_kernel(const joint_signal<T> s, T *h)
{
	__shared__ knots_shared sh;
	const int d = blockIdx.x;
	if (threadIdx.x == 0)
		sh.crossings = sh.halves = 0;
	const knot_finder<T> f(s, h, sh, d);
	f.find_extrema();
	f.list_extrema();
	if (s.vanishing)
		f.look_for_vanishing();
	const int max = sh.count[WSI_MAX], min = sh.count[WSI_MIN], fewer = max < min ? max : min;
	const bool active = max + min >= 3 && fewer >= s.min_each;
	if (active) {
		f.look_beyond();
		f.add_beyond();
	}
	if (threadIdx.x > 0)
		return;
	s.active[d] = !active ? 0 : sh.halves ? JOINT_ACTIVE | JOINT_HALVED : JOINT_ACTIVE;
	if (active)
		atomicAdd(&s.state->active, 1);
	atomicMax(&s.state->most_extrema, max + min);
	const int excess = sh.crossings - (max ? max : 1) - (min ? min : 1);
	if (s.crossings && excess <= 1 && excess >= -1)
		s.state->agrees = 1;
}

template <class T>
cudaError_t
joint_find_knots(const joint_signal<T> &s, int set, cudaStream_t stream)
{
	knots_kernel<T><<<s.directions, KNOTS_THREADS, 0, stream>>>(s, s.h[set]);
	return cudaGetLastError();
}

#endif
