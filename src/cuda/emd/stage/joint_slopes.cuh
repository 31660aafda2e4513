/*
 * joint_slopes.cuh - slopes of every envelope at the knots of a tile: a warp takes
 * one after the other, lanes are channels (math/joint_channel.h). What the next one
 * needs is on its way meanwhile.
 *
 * Where channels are few, a warp has several squads, each with lanes for all of them, and takes an
 * envelope a squad; all go as far as the longest, where what is missing counts nothing.
 *
 * Fits      every envelope of a chunk of tiles, after windows_kernel.
 * Twin      cpu/emd/joint_mean_simd.h (its slopes): the same bits.
 * Launch    up to SLOPES_WARPS warps a block, one block a multiprocessor; a block takes up to
 *           SLOPES_EACH envelopes a squad.
 * Memory    rows of the next envelope are copied into shared memory (slopes_room) meanwhile; reads
 *           values of knots, writes a slope a knot and channel.
 */
#ifndef WSI_CUDA_JOINT_SLOPES_CUH
#define WSI_CUDA_JOINT_SLOPES_CUH

#include <cuda_pipeline.h>

#include "cuda/emd/stage/joint_windows.cuh"

/* Rows that are worked on together. */
constexpr int SLOPES_BATCH = 8;
/* Rows that a warp keeps in shared memory; fewer where it has several squads, so that more warps
 * fit. Of a dense window half-done rows that make room for others wait where their slopes will
 * be. */
template <class T, int LANES>
constexpr int SLOPES_KEPT = sizeof(T) == 8 ? 48 : LANES < 32 ? 72 : 104;

/* Lanes that a warp has for channels, LANES: 8, 16 or 32; and its squads, as many as fit. */
template <int LANES> struct warp_squads {
	static constexpr int N = 32 / LANES;

	static __device__ __forceinline__ int
	squad()
	{
		return (threadIdx.x & 31) / LANES;
	}

	/* Of its group of channels. */
	static __device__ __forceinline__ int
	channel()
	{
		return threadIdx.x % LANES;
	}

	/* The largest of all squads' numbers. */
	static __device__ __forceinline__ int
	most(int x)
	{
#pragma unroll
		for (int far = 16; far >= LANES; far /= 2)
			x = max(x, __shfl_xor_sync(FULL, x, far));
		return x;
	}
};

/* What a squad has in shared memory, by knots from the window's first on. */
template <class T, int LANES> struct slopes_room {
	static constexpr int KNOTS = (JOINT_WINDOW<T> + 31) / 32 * 32;
	/* A ring. First the knot's value; then the half-done row of the knot before. */
	T row[SLOPES_KEPT<T, LANES>][LANES];
	joint_weights<T> weights[KNOTS + SLOPES_BATCH]; /* of the knot before, too; else zeros */
	/* As in joint_knot; and what puts neighbouring squads' rows into other banks. */
	int offset[KNOTS + (LANES < 32 ? LANES * (int)(sizeof(T) / sizeof(int)) : 0)];
};

/* Bytes of a warp there. */
template <class T, int LANES>
constexpr int SLOPES_BYTES = warp_squads<LANES>::N * (int)sizeof(slopes_room<T, LANES>);

/* Warps of a block, of which a multiprocessor holds one: they read the same samples, and
 * leave the first cache some room for these. */
template <class T, int LANES>
constexpr int SLOPES_WARPS = (LANES < 32 ? 220 : 190) * 1024 / SLOPES_BYTES<T, LANES>;
/* Envelopes that a squad takes where there are enough. */
constexpr int SLOPES_EACH = 12;

/* Where the value of a knot is. */
template <class T>
__device__ __forceinline__ const T *
value_of(const T *column, int offset)
{
	return (const T *)((const char *)column + (int64_t)offset * 64);
}

template <class T>
__device__ __forceinline__ T
value_at(const T *column, int offset)
{
	return __ldg(value_of(column, offset));
}

/* Row 0 of h at a channel; of a group's that are none, at one. */
template <class T>
__device__ __forceinline__ const T *
column_of(const joint_signal<T> &s, const T *h, int channel)
{
	return opaque(h + (channel < s.lanes ? channel : 0));
}

/* Knots of an envelope of a tile in s.slopes: where a warp has several squads, half-done rows wait
 * there as far as the longest window goes. */
template <class T, int LANES>
constexpr int SLOPES_ROWS = LANES < 32 ? JOINT_WINDOW<T> : JOINT_OWN;
static_assert(SLOPES_ROWS<float, 16> <= 2 * JOINT_OWN && SLOPES_ROWS<double, 16> <= 2 * JOINT_OWN);

/* The slopes of an envelope from the tile's first interval on: [knot][LANES]. */
template <int LANES, class T>
__device__ __forceinline__ T *
slopes_of(const joint_signal<T> &s, int list, int in_chunk, int group)
{
	return s.slopes + (((size_t)group * 2 * s.directions + list) * s.chunk + in_chunk) *
	                          SLOPES_ROWS<T, LANES> * LANES;
}

/* How THREADS lanes of a warp copy rows of LANES channels to shared memory: 16 bytes each, some
 * rows at a time. */
template <class T, int LANES, int THREADS> struct row_copy {
	static constexpr int CHUNK = 16 / (int)sizeof(T), EACH = LANES / CHUNK;
	static constexpr int ROWS = THREADS / EACH;

	/* Which of the rows a lane copies, and from which of its channels on. */
	static __device__ __forceinline__ int
	row()
	{
		return threadIdx.x % THREADS / EACH;
	}

	static __device__ __forceinline__ int
	channel()
	{
		return threadIdx.x % EACH * CHUNK;
	}

	/* Sends for a lane's part, to shared memory; kept in the first cache, as another envelope
	 * wants it, too. */
	static __device__ __forceinline__ void
	send(unsigned to, const T *from)
	{
#if __CUDA_ARCH__ >= 800
		asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
		             : "memory");
#else
		const int4 x = *(const int4 *)from;
		asm volatile("st.shared.v4.s32 [%0], {%1, %2, %3, %4};"
		             :: "r"(to), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory");
#endif
	}
};

/* An envelope of a tile: where it is, and its window (joint_window), but for ends' slopes. */
struct slopes_task {
	int list, in_chunk, group, n, own, rows;
	int left, right;

	/* Knots that are worked on: one before the first row, and two rows of zeros at least: there
	 * is no slope behind the last knot of all. None where there is no envelope. */
	__device__ __forceinline__ int
	knots() const
	{
		return n > 0 ? (n + 3 + SLOPES_BATCH - 1) / SLOPES_BATCH * SLOPES_BATCH : 0;
	}
};

/* What a lane brings of the next window, where a warp has one squad: every 32nd knot. */
template <class T> struct slopes_brought {
	static constexpr int N = slopes_room<T, 32>::KNOTS / 32;
	joint_weights<T> weights[N];
	int offset[N];
};

/* A lane of a squad that solves, which has a channel. */
template <class T, int LANES> struct slopes_solver {
	using M = joint_math<T>;
	using squads = warp_squads<LANES>;
	using copy = row_copy<T, LANES, LANES>;
	static constexpr int BATCH = SLOPES_BATCH, KEPT = SLOPES_KEPT<T, LANES>;
	static constexpr int ROW_BYTES = LANES * (int)sizeof(T);
	static constexpr bool ONE = LANES == 32; /* squad */
	const joint_signal<T> &s;
	slopes_room<T, LANES> &room;
	const T *h;
	int tiles, group0;
	/* Of the envelope at work. */
	slopes_task task;
	T *out;                 /* slope of the tile's first interval */
	int base;               /* its first knot in the ring */
	int most_knots, least_own; /* of several squads' envelopes */

	__device__ __forceinline__
	slopes_solver(const joint_signal<T> &s, slopes_room<T, LANES> &room, const T *h, int tiles,
	              int group0)
	    : s(s), room(room), h(h), tiles(tiles), group0(group0), base(0)
	{
	}

	/* Knots that are worked on, and the first of them that is the tile's own: of all squads. */
	__device__ __forceinline__ int
	knots() const
	{
		return ONE ? task.knots() : most_knots;
	}

	__device__ __forceinline__ int
	first_own() const
	{
		return ONE ? task.own : least_own;
	}

	__device__ __forceinline__ size_t
	window_of(const slopes_task &t) const
	{
		return (size_t)t.list * s.chunk + t.in_chunk;
	}

	/* Looks at the envelope that is `step` further, tile by tile; there: it is one. One that is
	 * not has no row that is written. */
	__device__ __forceinline__ slopes_task
	look_at(slopes_task t, int step, bool there) const
	{
		const int lists = 2 * s.directions;
		for (t.list += step; t.list >= lists; t.list -= lists)
			if (++t.in_chunk == tiles)
				t.in_chunk = 0, ++t.group;
		if (!ONE && !there)
			return { t.list, t.in_chunk, t.group, 0, JOINT_WINDOW<T>, 0, 0, 0 };
		const joint_window<T> &w = s.windows[window_of(t)];
		t.n = w.n, t.own = w.own, t.rows = w.rows, t.left = w.left, t.right = w.right;
		return t;
	}

	/* Where a warp has one squad, sends for what a window has: of knots behind its last nothing
	 * but where that one's value is. */
	__device__ __forceinline__ void
	send_for(const slopes_task &t, slopes_brought<T> &b) const
	{
		const size_t first = window_of(t) * JOINT_WINDOW<T>;
#pragma unroll
		for (int k = 0; k < b.N; ++k) {
			const int i = k * 32 + (int)(threadIdx.x & 31);
			if (k * 32 >= t.knots())
				break;
			b.weights[k] = {};
			if (i < t.n)
				b.weights[k] = s.weights[first + i];
			b.offset[k] = s.seen[first + min(i, t.n - 1)].offset;
		}
	}

	/* Row 0 of h at the channels that a lane copies. */
	__device__ __forceinline__ const T *
	copied_column(const slopes_task &t) const
	{
		return column_of(s, h, (group0 + t.group) * 32 + copy::channel());
	}

	/* Sends for the values of its knots, as many as the ring has room for, to its places from
	 * `to` on. */
	__device__ __forceinline__ void
	send_for_values(const slopes_task &t, const slopes_brought<T> &b, int to) const
	{
		const T *column = copied_column(t);
		const unsigned ring = shared_address(&room.row[0][copy::channel()]);
		const int end = min(t.knots(), KEPT);
		to += copy::row();
#pragma unroll
		for (int k = 0; k < b.N; ++k) {
			if (k * 32 >= end)
				break;
#pragma unroll
			for (int i = 0; i < 32; i += copy::ROWS) {
				const int offset = __shfl_sync(FULL, b.offset[k], i + copy::row());
				const int row = to < KEPT ? to : to - KEPT;
				if (k * 32 + i < end)
					copy::send(ring + row * ROW_BYTES,
					           value_of(column, offset));
				to += copy::ROWS;
			}
		}
		__pipeline_commit();
	}

	/* To where they are needed. */
	__device__ __forceinline__ void
	keep(const slopes_brought<T> &b)
	{
		const int lane = threadIdx.x & 31;
#pragma unroll
		for (int k = 0; k < b.N; ++k) {
			if (k * 32 >= task.knots())
				break;
			room.weights[k * 32 + lane + 1] = b.weights[k];
			room.offset[k * 32 + lane] = b.offset[k];
		}
		if (lane == 0)
			room.weights[0] = {};
	}

	/* Of all squads, sends for what windows have, straight to where it is needed, and then for
	 * the values. */
	__device__ __forceinline__ void
	bring_all()
	{
		constexpr int PARTS = (int)sizeof(joint_weights<T>) / 16;
		const int n = task.n, end = knots();
		const size_t first = window_of(task) * JOINT_WINDOW<T>;
		for (int i = squads::channel(); i < end; i += LANES) {
			int4 *to = (int4 *)&room.weights[i + 1];
			const int4 *from = (const int4 *)&s.weights[first + min(i, n)];
#pragma unroll
			for (int k = 0; k < PARTS; ++k)
				if (i < n)
					__pipeline_memcpy_async(to + k, from + k, sizeof *to);
				else
					to[k] = {};
			if (n > 0)
				__pipeline_memcpy_async(&room.offset[i],
				                        &s.seen[first + min(i, n - 1)].offset,
				                        sizeof(int));
			else
				room.offset[i] = 0;
		}
		if (squads::channel() == 0)
			room.weights[0] = {};
		__pipeline_commit();
		__pipeline_wait_prior(0);
		__syncwarp();
		const T *column = copied_column(task);
		const unsigned ring = shared_address(&room.row[0][copy::channel()]);
		for (int i = copy::row(); i < min(end, KEPT); i += copy::ROWS)
			copy::send(ring + i * ROW_BYTES, value_of(column, room.offset[i]));
		__pipeline_commit();
	}

	/* Has what a window has brought nearer, which is wanted after the one at work. */
	__device__ __forceinline__ void
	expect(const slopes_task &t) const
	{
		const size_t first = window_of(t) * JOINT_WINDOW<T>;
		constexpr int LINE = 128;
		const char *weights = (const char *)(s.weights + first);
		const char *seen = (const char *)(s.seen + first);
		for (int i = squads::channel() * LINE; i < t.n * (int)sizeof *s.weights;
		     i += LANES * LINE)
			asm volatile("prefetch.global.L2 [%0];" ::"l"(weights + i));
		for (int i = squads::channel() * LINE; i < t.n * (int)sizeof *s.seen;
		     i += LANES * LINE)
			asm volatile("prefetch.global.L2 [%0];" ::"l"(seen + i));
	}

	/* The envelope to work on. */
	__device__ __forceinline__ void
	begin(const slopes_task &t, const slopes_brought<T> &b)
	{
		task = t;
		if (!ONE) {
			most_knots = squads::most(t.knots());
			least_own = -squads::most(-t.own);
		}
		out = opaque(slopes_of<LANES>(s, t.list, t.in_chunk, t.group) + squads::channel());
		__syncwarp(); /* nobody works on the last one any more */
		if constexpr (ONE)
			keep(b);
		else
			bring_all();
	}

	/* Where elimination stands: the last knot's value, the difference before it, p. */
	struct front { T v, d, p; };

	/* From knot i on, whose values are in x: half-done rows. */
	__device__ __forceinline__ void
	eliminate(T (&x)[BATCH], int i, front &f) const
	{
		/* All on their way before the first is used. */
		joint_weights<T> w[BATCH];
#pragma unroll
		for (int k = 0; k < BATCH; ++k)
			w[k] = load_shared(shared_address(&room.weights[i + k]), (T)0);
#pragma unroll
		for (int k = 0; k < BATCH; ++k) {
			const T v = x[k], d = v - f.v;
			x[k] = M::joint_forward(w[k].x, w[k].y, w[k].z, f.d, d, f.p);
			f = { v, d, x[k] };
		}
	}

	/* Half-done rows of knots from i on go where their slopes will be, but for those that the
	 * tile does not need; their places in the ring, from `at` on, get values of later knots. */
	__device__ __forceinline__ void
	make_room(const T (&x)[BATCH], int i, int at) const
	{
		const int row = i - task.own - 1;
#pragma unroll
		for (int k = 0; k < BATCH; ++k)
			if (row + k >= 0)
				out[(row + k) * LANES] = x[k];
		__syncwarp();
#pragma unroll
		for (int k = 0; k < BATCH; k += copy::ROWS) {
			const int knot =
				min(i + KEPT + k + copy::row(), ONE ? task.n - 1 : knots() - 1);
			copy::send(shared_address(&room.row[at + k + copy::row()][copy::channel()]),
			           value_of(copied_column(task), room.offset[knot]));
		}
		__pipeline_commit();
	}

	/* From the left: each knot's value becomes the half-done row of the one before. */
	__device__ __forceinline__ void
	forward() const
	{
		const int end = knots();
		front f = {};
		for (int i = 0, at = base; i < end; i += BATCH) {
			if (i >= KEPT) {
				__pipeline_wait_prior(KEPT / BATCH - 1);
				__syncwarp();
			}
			T *rows = &room.row[at][squads::channel()];
			T x[BATCH];
#pragma unroll
			for (int k = 0; k < BATCH; ++k)
				x[k] = rows[k * LANES];
			if (i == 0)
				f.v = x[0];
			eliminate(x, i, f);
			if (i + KEPT < end) {
				make_room(x, i, at);
			} else {
#pragma unroll
				for (int k = 0; k < BATCH; ++k)
					rows[k * LANES] = x[k];
				if (end > KEPT)
					__pipeline_commit(); /* a group each, to count them by */
			}
			at = at + BATCH < KEPT ? at + BATCH : 0;
		}
	}

	/* Half-done rows of knots from i on, of which `at` is the place in the ring. */
	__device__ __forceinline__ void
	load_rows(T (&x)[BATCH], int i, int at) const
	{
		const int row = i - task.own - 1;
		if (i + KEPT >= knots()) {
			const T *rows = &room.row[at][squads::channel()];
#pragma unroll
			for (int k = 0; k < BATCH; ++k)
				x[k] = rows[k * LANES];
		} else {
#pragma unroll
			for (int k = 0; k < BATCH; ++k)
				x[k] = row + k >= 0 ? out[(row + k) * LANES] : (T)0;
		}
	}

	/* Slopes, from the right, the next batch on its way; one that the tile does not need is not
	 * written. */
	__device__ __forceinline__ void
	backward() const
	{
		const int end = knots(), own = first_own() + 1;
		if (end == 0)
			return;
		T slope = (T)0, x[BATCH], next[BATCH];
		int at = (base + end - BATCH) % KEPT;
		load_rows(next, end - BATCH, at);
		for (int i = end - BATCH; i + BATCH > own; i -= BATCH) {
			const int row = i - task.own - 1;
			T *to = out + row * LANES;
#pragma unroll
			for (int k = 0; k < BATCH; ++k)
				x[k] = next[k];
			at = at > 0 ? at - BATCH : KEPT - BATCH;
			if (i > own)
				load_rows(next, i - BATCH, at);
#pragma unroll
			for (int k = BATCH - 1; k >= 0; --k)
				x[k] = slope =
					M::joint_backward(room.weights[i + k].w, x[k], slope);
			if (row >= task.rows)
				continue;
#pragma unroll
			for (int k = 0; k < BATCH; ++k)
				if (row + k >= 0)
					to[k * LANES] = x[k];
		}
	}

	/* The list's ends have slopes of their own, where the tile reaches them. */
	__device__ __forceinline__ void
	set_ends() const
	{
		const joint_window<T> &w = s.windows[window_of(task)];
		const T *column =
			column_of(s, h, (group0 + task.group) * 32 + squads::channel());
		const auto value = [&](int i) { return value_at(column, room.offset[i]); };
		const int last = task.n - 1, own = task.own;
		if (task.left && own == 0) {
			const typename M::joint_end e = w.end[WSI_LEFT];
			const T v0 = value(0), v1 = value(1), v2 = value(2);
			out[0] = M::joint_end_slope(e.f, e.g, e.q, v1 - v0, v2 - v1, out[LANES]);
		}
		if (task.right && last - own < task.rows) {
			const typename M::joint_end e = w.end[WSI_RIGHT];
			const T v0 = value(last), v1 = value(last - 1), v2 = value(last - 2);
			/* A tile behind the last knot but one does not look at the slope. */
			const T before = last > own ? out[(last - 1 - own) * LANES] : (T)0;
			out[(last - own) * LANES] =
				M::joint_end_slope(e.f, e.g, e.q, v0 - v1, v1 - v2, before);
		}
	}

	/* Envelopes from i, i + step, .. on before `last`, a squad each. Where a warp has one
	 * squad, values of the next one come while this one is worked on, if the ring has room. */
	__device__ __forceinline__ void
	solve(int i, int step, int last)
	{
		if (i >= last)
			return;
		const int squad = squads::squad();
		slopes_brought<T> brought;
		slopes_task next = look_at({}, i + squad, i + squad < last), after = {};
		bool sent = false;
		if (ONE)
			send_for(next, brought);
		if (i + step < last)
			after = look_at(next, step, i + step + squad < last);
		for (; i < last; i += step) {
			begin(next, brought);
			if (ONE && !sent)
				send_for_values(task, brought, base = 0);
			__pipeline_wait_prior(0);
			__syncwarp();
			next = after;
			if (ONE)
				send_for(next, brought);
			else if (i + step < last)
				expect(next);
			if (i + 2 * step < last)
				after = look_at(next, step, i + 2 * step + squad < last);
			forward();
			sent = ONE && task.knots() + next.knots() <= KEPT;
			const int behind = (base + task.knots()) % KEPT;
			if (sent)
				send_for_values(next, brought, behind);
			backward();
			if (task.left || task.right)
				set_ends();
			base = ONE ? behind : 0;
		}
	}
};

/* A block of threads takes `each` of all envelopes, of the chunk's tiles and groups of channels
 * from group0 on. */
template <class T, int LANES>
__global__ void __launch_bounds__(SLOPES_WARPS<T, LANES> * 32)
slopes_kernel(const joint_signal<T> s, const T *h, int tiles, int group0, int each, int envelopes)
{
	extern __shared__ __align__(16) char shared[];
	using squads = warp_squads<LANES>;
	const int warp = uniform(threadIdx.x / 32), first = blockIdx.x * each;
	slopes_room<T, LANES> *rooms = (slopes_room<T, LANES> *)shared;
	slopes_solver<T, LANES> solver(s, rooms[warp * squads::N + squads::squad()], h, tiles,
	                               group0);
	solver.solve(first + warp * squads::N, blockDim.x / 32 * squads::N,
	             min(first + each, envelopes));
}

/* Blocks that share the envelopes evenly: one a multiprocessor, or more where a warp would
 * get many envelopes. */
template <class T, int LANES>
static cudaError_t
launch_slopes(const joint_signal<T> &s, const T *h, int tiles, int group0, int groups,
              cudaStream_t stream)
{
	constexpr int SQUADS = warp_squads<LANES>::N, MOST = SLOPES_WARPS<T, LANES>;
	const int envelopes = 2 * s.directions * tiles * groups;
	const int least = (envelopes + s.processors - 1) / s.processors;
	const int fit = s.shared_bytes / SLOPES_BYTES<T, LANES>, room = fit < MOST ? fit : MOST;
	/* Of few envelopes each multiprocessor has some. */
	const int wanted = (least + SQUADS - 1) / SQUADS, warps = wanted < room ? wanted : room;
	const int bytes = warps * SLOPES_BYTES<T, LANES>;
	const int few = warps * SQUADS, most = few * SLOPES_EACH;
	const int each = least < few ? few : least < most ? least : most;
	const cudaError_t error = allow_shared(slopes_kernel<T, LANES>, bytes);
	if (error != cudaSuccess)
		return error;
	slopes_kernel<T, LANES><<<(envelopes + each - 1) / each, warps * 32, bytes, stream>>>(
		s, h, tiles, group0, each, envelopes);
	return cudaGetLastError();
}

#endif
