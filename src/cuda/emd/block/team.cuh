/*
 * team.cuh - the blocks of a row's tiles, one a tile, which sift the row in step.
 *
 * After a sift each tells what it counted and the knots nearest its edges, all
 * meet, and each draws the same conclusions from what all have told.  They must
 * be on the device at the same time: a cooperative launch.
 */
#ifndef WSI_CUDA_BLOCK_TEAM_CUH
#define WSI_CUDA_BLOCK_TEAM_CUH

#include <type_traits>

#include "cuda/emd/block/list.cuh"
#include "cuda/emd/block/plateaus.cuh"
#include "cuda/emd/team.h"

/* A block's view of its team. */
struct team {
	int blocks;                   /* of all teams, see team_board */
	int first, tiles, tile;       /* the team's first block; which tile is this one's */
	int samples;                  /* of a tile */
	unsigned meetings;            /* there were */
	bool joined;                  /* some plateaus lie across edges: team_view::joined */

	/* Where to tell, and where, after a meeting, others have told. */
	__device__ __forceinline__ int
	here() const
	{
		return (meetings & 1 ? blocks : 0) + first + tile;
	}

	__device__ __forceinline__ int
	there() const
	{
		return (meetings & 1 ? 0 : blocks) + first;
	}
};

/* All have told, and may read.  All threads of all blocks of the team.  One
 * thread of each waits, at one place: many would be in each other's way. */
template <class T>
__device__ __forceinline__ void
meet(const team_board<T> &board, team &t)
{
	++t.meetings;
	__syncthreads();
	if (threadIdx.x == 0) {
		unsigned *const arrived = board.arrived + t.first,
				all = t.meetings * (unsigned)t.tiles;
		/* What the block has told is released, and what others have told acquired. */
		release_one(arrived);
		while (acquire(arrived) < all) {}
	}
	__syncthreads();
}

/* What a block makes of what all have told, in its shared memory. */
struct team_view {
	unsigned before[2][TEAM_TILES + 1]; /* [kind] knots before each tile; of all */
	/* [side] tiles whose knot nearest that edge is a plateau across it, of which the tile does
	 * not know, see joined_word; 0: none. */
	unsigned short joined[2][TEAM_TILES];
	union {
		double sum[TEAM_TILES];
		unsigned edge[TEAM_TILES];
	};
	unsigned long long warp_knots[TEAM_TILES / 32 + 16];
	unsigned found;               /* some plateau lies across an edge */
};

/* An edge in one word, and back: numbers of steps take 14 bits each; that of a step alone, which
 * goes somewhere all the same, has the highest of these and its direction less 1. */
constexpr unsigned EDGE_LONE = 1u << 13;
static_assert(TEAM_SAMPLES < EDGE_LONE, "an edge fits into a word");

__device__ __forceinline__ unsigned
steps_word(int steps, int beside)
{
	const unsigned lone = (unsigned)beside >> LONE_SHIFT;
	return lone ? EDGE_LONE | (lone - 1) : (unsigned)steps;
}

__device__ __forceinline__ unsigned
team_edge(const row_edge &e)
{
	constexpr unsigned PLAIN = (1u << LONE_SHIFT) - 1;
	return steps_word(e.lead, e.lead_out) | steps_word(e.trail, e.trail_in) << 14 |
	       ((unsigned)e.lead_out & PLAIN) << 28 | ((unsigned)e.trail_in & PLAIN) << 30;
}

/* What steps_word() has made of a direction's higher bits. */
__device__ __forceinline__ int
lone_told(unsigned steps)
{
	return steps & EDGE_LONE ? (int)((steps & 1u) + 1) << LONE_SHIFT : 0;
}

__device__ __forceinline__ row_edge
edge_told(unsigned e)
{
	const unsigned lead = e & 0x3fffu, trail = e >> 14 & 0x3fffu;
	return { lead & EDGE_LONE ? 1 : (int)lead, (int)(e >> 28 & 3u) | lone_told(lead),
		 trail & EDGE_LONE ? 1 : (int)trail, (int)(e >> 30) | lone_told(trail) };
}

/* An extremum that is a plateau across a tile's edge: its sample of the tile, and whether it lies
 * half a sample earlier.  both: the sample before is one, too, of the other kind. */
struct joined_knot {
	int kind, at;
	bool half, both;
};

/* In one word, which is not zero, and back.  Of a maximum it is odd. */
constexpr unsigned JOINED_BOTH = 1u << 15;
static_assert(4 * TEAM_SAMPLES < JOINED_BOTH, "a joined knot fits into 16 bits");

__device__ __forceinline__ unsigned short
joined_word(const joined_knot &k)
{
	return (unsigned short)(1 + k.kind + 2 * k.half + 4 * k.at + (k.both ? JOINED_BOTH : 0u));
}

__device__ __forceinline__ joined_knot
joined_told(unsigned word)
{
	const unsigned rest = (word & ~JOINED_BOTH) - 1;
	return { (int)rest & 1, (int)rest >> 2, (rest >> 1 & 1) != 0, (word & JOINED_BOTH) != 0 };
}

/* Maxima and, << 16, minima that a word names. */
__device__ __forceinline__ unsigned
joined_count(unsigned word)
{
	return !word ? 0u : word & JOINED_BOTH ? 1u | 1u << 16 : word & 1u ? 1u : 1u << 16;
}

/* Does it name one of a kind? */
__device__ __forceinline__ bool
joined_has(unsigned word, int kind)
{
	return (joined_count(word) >> (kind == WSI_MAX ? 0 : 16) & 1u) != 0;
}

/* Knot `inside` of `all` that a tile had when it told them. */
template <class T>
__device__ __forceinline__ knot<T>
knot_of_note(const team_note<T> &note, int kind, int inside, int all)
{
	constexpr int EDGE = team_note<T>::EDGE;
	const int k = all <= 2 * EDGE || inside < EDGE ? inside : inside - (all - 2 * EDGE);
	return { __ldcg(&note.t[kind][k]), __ldcg(&note.v[kind][k]) };
}

/* The same with the plateaus across its edges; notes: of all tiles of the row. */
template <class T>
__device__ __noinline__ knot<T>
knot_or_joined(const team_note<T> *notes, const team_view &view, int tile, int samples, int kind,
               int inside, int all)
{
	const team_note<T> &note = notes[tile];
	const unsigned left = view.joined[WSI_LEFT][tile], right = view.joined[WSI_RIGHT][tile];
	const bool has_left = joined_has(left, kind), has_right = joined_has(right, kind);
	const bool is_left = has_left && inside == 0;
	if (!is_left && !(has_right && inside == all - 1))
		return knot_of_note(note, kind, inside - has_left, all - has_left - has_right);
	joined_knot k = joined_told(is_left ? left : right);
	k.at -= k.kind != kind; /* both */
	/* What is alone across an edge is the tile's last sample, and no run of the tile's. */
	const T v = __ldcg(k.at == samples - 1 ? &note.last : note.run + k.at);
	const int32_t t = (tile * samples + k.at) * WSI_TICKS;
	if (!k.half)
		return { t, v };
	/* The sample before is of the run, too, or the last of the tile before. */
	const T before = __ldcg(k.at > 0 ? note.run + k.at - 1 : &notes[tile - 1].last);
	return { t - 1, knot_between(before, v) };
}

/* A knot by its rank in the row, of those that were told. */
template <class T>
__device__ __forceinline__ knot<T>
knot_told(const team_board<T> &board, const team &t, const team_view &view, int kind, int rank)
{
	const unsigned *before = view.before[kind];
	/* The last tile that no more come before: most often the one beside this. */
	int low = 0, high = t.tiles - 1;
	const int beside = rank < (int)before[t.tile] ? t.tile - 1 : t.tile + 1;
	if (beside < t.tiles && (int)before[beside] <= rank && rank < (int)before[beside + 1])
		low = high = beside;
	while (low < high) {
		const int middle = (low + high + 1) / 2;
		if ((int)before[middle] <= rank)
			low = middle;
		else
			high = middle - 1;
	}
	const int all = (int)(before[low + 1] - before[low]), inside = rank - (int)before[low];
	const team_note<T> *const notes = board.note + t.there();
	if (t.joined)
		return knot_or_joined(notes, view, low, t.samples, kind, inside, all);
	return knot_of_note(notes[low], kind, inside, all);
}

/* Signs and samples above of some tiles, as a tally has them, each in a word. */
struct sign_sums {
	unsigned crossings, wrong, above, above2;

	__device__ __forceinline__ void
	add(uint2 c)
	{
		crossings += c.x & 0xffffu;
		wrong += c.x >> 16;
		above += c.y & 0xffffu;
		above2 += c.y >> 16;
	}

	/* Adds those of all threads of a block to the sums. */
	__device__ __forceinline__ void
	give(row_sums &sums) const
	{
		const unsigned of[4] = { sum_lanes(crossings), sum_lanes(wrong), sum_lanes(above),
			                 sum_lanes(above2) };
		if ((threadIdx.x & 31) == 0) {
			atomicAdd(&sums.signs, of[0] | (unsigned long long)of[1] << 32);
			atomicAdd(&sums.above, of[2] | (unsigned long long)of[3] << 32);
		}
	}
};

/* A thread's tiles of a team: threads have neighbouring ones, and further ones beyond those of
 * all. */
template <int WARPS> struct team_tiles {
	static constexpr int THREADS = WARPS * 32, MOST = (TEAM_TILES + THREADS - 1) / THREADS;
	/* Both kinds of 32 tiles in one word, where they fit: no two extrema of a kind are
	 * neighbours. */
	static constexpr int SHIFT = 32 * THREADS * GROUP / 2 < 1 << 16 ? 16 : 32;
	using pair = std::conditional_t<SHIFT == 16, unsigned, unsigned long long>;
	unsigned knots[MOST];         /* maxima, minima << 16 */
	pair through[MOST];           /* maxima, minima << SHIFT */

	__device__ static __forceinline__ pair
	pair_of(unsigned knots)
	{
		return (pair)(knots & 0xffffu) | (pair)(knots >> 16) << SHIFT;
	}

	__device__ static __forceinline__ unsigned
	of_kind(pair p, int kind)
	{
		return (unsigned)(p >> (kind ? SHIFT : 0) & (((pair)1 << SHIFT) - 1));
	}

	/* Sums through each tile of 32, and of all of these. */
	__device__ __forceinline__ void
	add_up(team_view &view, int tiles)
	{
#pragma unroll
		for (int k = 0; k < MOST; ++k) {
			if (k * THREADS < tiles) {
				through[k] = scan_lanes(pair_of(knots[k]));
				if ((threadIdx.x & 31) == 31)
					view.warp_knots[k * WARPS + threadIdx.x / 32] = through[k];
			}
		}
	}

	/* Adds the plateaus across edges to the knots of the tiles that have their middles. */
	__device__ __forceinline__ void
	add_joined(const team_view &view, int tiles)
	{
#pragma unroll
		for (int k = 0; k < MOST; ++k) {
			const int tile = k * THREADS + (int)threadIdx.x;
			const unsigned left = tile < tiles ? view.joined[WSI_LEFT][tile] : 0u;
			const unsigned right = tile < tiles ? view.joined[WSI_RIGHT][tile] : 0u;
			knots[k] += joined_count(left) + joined_count(right);
		}
	}
};

/* Finds the plateaus across edges, of which there were none yet.  All threads of a block; apart,
 * since it is rarely called where registers are scarce. */
static __device__ __noinline__ void
join_across(int tiles, int samples, bool half_ticks, team_view &view)
{
	const auto edge_of = [&](int tile) { return edge_told(view.edge[tile]); };
	plateaus_across(edge_of, tiles, samples,
	                [&](const wsi_plateau &p, int first, int last, int begins) {
		const auto put = [&](int sign, int sample, bool half, bool both) {
			const int tile = sample / samples, at = sample - tile * samples;
			if (sign == 0)
				return;
			view.joined[tile > begins ? WSI_LEFT : WSI_RIGHT][tile] =
				joined_word({ kind_of_sign(sign), at, half, both });
		};
		const bool both = p.first && p.last && first / samples == last / samples;
		put(both ? 0 : p.first, first, false, false);
		put(p.middle, plateau_middle(first, last),
		    plateau_is_even(first, last) && half_ticks, false);
		put(p.last, last, false, both);
		view.found = 1;
	});
	__syncthreads();
}

/*
 * Adds up what all have counted: into the sums, and the knots before each tile; with plateaus
 * across edges, if these are to be joined.  All threads of a block; returns false where that cannot
 * be done since tiles would have to tell their signs again.
 */
template <int WARPS, class T>
__device__ __forceinline__ bool
read_counts(const team_board<T> &board, team &t, team_view &view, row_sums &sums, bool signs,
            bool half_ticks, bool join)
{
	using tiles = team_tiles<WARPS>;
	using pair = typename tiles::pair;
	constexpr int THREADS = tiles::THREADS, MOST = tiles::MOST;
	const int warp = threadIdx.x / 32;
	const team_word *const words = board.word + t.there();
	tiles own;
	unsigned touched = 0;
	sign_sums told_signs = {};
#pragma unroll
	for (int k = 0; k < MOST; ++k) {
		const int tile = k * THREADS + (int)threadIdx.x;
		const uint2 told = tile < t.tiles ? __ldcg((const uint2 *)words + tile) : uint2{};
		/* On their way together. */
		if (signs && tile < t.tiles)
			told_signs.add(__ldcg(board.signs + t.there() + tile));
		own.knots[k] = told.x & ~TEAM_TOUCHED;
		touched |= told.x & TEAM_TOUCHED;
		if (join && tile < t.tiles) { /* in case they are */
			view.edge[tile] = told.y;
			view.joined[WSI_LEFT][tile] = view.joined[WSI_RIGHT][tile] = 0;
		}
	}
	own.add_up(view, t.tiles);
	if (threadIdx.x == 0) {
		sums = {};
		view.found = 0;
	}
	t.joined = false;
	if (__syncthreads_or(touched != 0 && join)) {
		join_across(t.tiles, t.samples, half_ticks, view);
		t.joined = view.found;
		if (t.joined && signs)
			return false;
		own.add_joined(view, t.tiles);
		own.add_up(view, t.tiles);
		__syncthreads();
	}
	unsigned all[2] = {};
#pragma unroll
	for (int k = 0; k < MOST; ++k) {
		if (k * THREADS >= t.tiles)
			break;
		unsigned before[2] = {};
#pragma unroll
		for (int w = 0; w < WARPS; ++w) {
			const pair of_warp = (pair)view.warp_knots[k * WARPS + w];
			before[0] = w == warp ? all[0] : before[0];
			before[1] = w == warp ? all[1] : before[1];
			all[0] += tiles::of_kind(of_warp, 0);
			all[1] += tiles::of_kind(of_warp, 1);
		}
		const int tile = k * THREADS + (int)threadIdx.x;
		const pair here = own.through[k] - tiles::pair_of(own.knots[k]);
		if (tile < t.tiles) {
			view.before[0][tile] = before[0] + tiles::of_kind(here, 0);
			view.before[1][tile] = before[1] + tiles::of_kind(here, 1);
		}
	}
	if (threadIdx.x == 0) {
		view.before[0][t.tiles] = all[0];
		view.before[1][t.tiles] = all[1];
		sums.extrema = all[0] | (unsigned long long)all[1] << 32;
	}
	if (signs)
		told_signs.give(sums);
	__syncthreads();
	return true;
}

#endif
