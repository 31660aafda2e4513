/*
 * ways.cuh - the ways of a sift: one row each, and the function that chooses between them.
 *
 * A way is how rows go through the sifts of a mode: where their samples live meanwhile, and how
 * many launches that takes.  All give the same bits.  sift_choose() looks at the job alone (number
 * and length of rows, rule, mode, device), never at what came of others.  WAVESIFT_WAY=NAME forces
 * a way wherever it fits.
 *
 * To add a way: a name in sift_way (sift.h), a row below, and its shapes in tests/test_gpu_ways.c.
 * A kernel that not every card has shared memory for begins with WHERE_SHARED_FITS.
 */
#ifndef WSI_CUDA_WAYS_CUH
#define WSI_CUDA_WAYS_CUH

#include "cuda/emd/stage/sift.cuh"

template <class T> struct way {
	const char *name;
	/* Can so many rows go this way? */
	bool (*fits)(const sift_rows<T> &s, int count);
	/* A rank: the way of the least cost is taken of those that fit. */
	int (*cost)(const sift_rows<T> &s, int count);
	/* Makes y, and sifts what the device does without the host: all of it on the chip; in a
	 * relay until rows have few knots; by steps nothing yet. */
	cudaError_t (*launch)(const sift_rows<T> &s, const int *list, int count,
	                      cudaStream_t stream);
};

template <class T>
static int64_t
tiles_of(const sift_rows<T> &s, int count)
{
	return (int64_t)count * s.tiles;
}

/* ---- whole: a warp for each row of up to 512 samples, a block for each longer one ---------- */

template <class T>
static bool
whole_fits(const sift_rows<T> &s, int)
{
	/* Both ends of one sample are the same knot, which lists would have twice. */
	return s.stays && s.n > 1 && (s.n <= SPAN || whole_warps(s) > 0);
}

/* One H200, f32, ps a sample and sift: 512 x 100 000 7.9, 5000 x 1000 5.9, 10 240 x 100 7.8.  While
 * each tile has a multiprocessor for itself, the several blocks of a team are faster than one. */
template <class T>
static int
whole_cost(const sift_rows<T> &s, int count)
{
	return s.tiles == 1 || tiles_of(s, count) > s.processors ? 1 : 5;
}

template <class T>
static cudaError_t
whole_launch(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	if (s.n <= SPAN)
		return launch_short(s, list, count, stream);
	cudaError_t error = cudaSuccess;
	with_flow(s.flow, [&](auto flow) {
		constexpr sift_flow FLOW = decltype(flow)::value;
		error = launch_whole_of<FLOW>(whole_sizes<T, FLOW>(), s, list, count, stream);
	});
	return error;
}

/* ---- teams: a block for each tile, all of a row on the device together --------------------- */

template <class T>
static bool
teams_fits(const sift_rows<T> &s, int)
{
	return s.stays && s.tiles > 1 && s.tiles <= s.board.blocks;
}

/* One H200, f32: one of 1 048 576 takes 11.9 ps.  20 480 x 100, two sets of rows one after the
 * other: 13.2 over eleven modes; in a relay 13.9, but 13.6 for 14.5 over the first three.  With
 * more rows there is work enough to hide launches behind. */
template <class T>
static int
teams_cost(const sift_rows<T> &s, int count)
{
	constexpr int SETS = real<T>::F64 ? 3 : 2;
	return tiles_of(s, count) <= (int64_t)SETS * s.board.blocks ? 2 : 6;
}

template <class T>
static cudaError_t
teams_launch(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	return launch_fitting_teams(s, list, count, stream);
}

/* Where all have their blocks at once.  By steps a sift of few rows takes as long as its launches,
 * and where a rule decides some rows take ten times as many sifts as most.  One H200, f32,
 * Rilling's rule, all modes, ps by steps to the end / by teams: 102 401 x 100 17.1 / 14.4, 30 504 x
 * 100 35.7 / 25.1, x 1600 15.7 / 13.6. */
template <class T>
bool
sift_resumes(const sift_rows<T> &s, int count)
{
	return s.rule.stop != WS_STOP_FIXED && s.forced != SIFT_STEPS && teams_fits(s, count) &&
	       tiles_of(s, count) <= s.board.blocks;
}

/* ---- relay: all sifts of a mode in one launch, as long as rows have many knots ------------- */

template <class T>
static bool
relay_fits(const sift_rows<T> &s, int count)
{
	constexpr int64_t MOST = 1 << 30; /* that a row counts */
	return s.relay_blocks > 1 && s.flow != NO_FLOW && count > 1 &&
	       (int64_t)relay_sifts(s.rule) * s.tiles < MOST;
}

/* One H200, f32, all modes, relay / steps, ten sifts: 102 401 x 40 9.8 / 10.5, 102 401 x 15 16.4 /
 * 19.4, 65 536 x 50 10.2 / 11.2, 30 000 x 100 11.8 / 12.9; f64: 102 401 x 20 21.7 / 24.0; Rilling's
 * rule: 102 401 x 100 17.1 / 17.8, 30 504 x 1600 15.7 / 16.3.  It wants a tile for each block, and
 * rows that keep many knots: white noise has n / 3 of a kind, and each mode half as many as the one
 * before; by rules, which make more sifts, modes of EEG below an ensemble's noise have up to four
 * times as many.  Long rows with 24 knots and more a warp take it also before teams of two sets
 * (relay / teams: 20 480 x 100 13.4 / 13.9, 40 960 x 50 13.3 / 14.4).  Shorter rows do not, as
 * their advances are too many (15 000 x 130 14.3 / 13.4), nor does f64 (10 240 x 100, first mode
 * 40.7 / 37.5). */
template <class T>
static int
relay_cost(const sift_rows<T> &s, int count)
{
	constexpr int MANY = 24, LONG = 10; /* knots in the samples of a warp; tiles of a row */
	constexpr int BY_RULES = 4; /* times as many knots in a mode */
	const int knots = s.mode < 31 ? s.n / 3 >> s.mode : 0;
	if (tiles_of(s, count) < s.relay_blocks ||
	    (s.flow == COUNTING_FLOW ? BY_RULES * knots : knots) <= s.few)
		return 7;
	const bool first = s.tiles >= LONG && knots >= MANY * (s.groups / 32);
	return first && !real<T>::F64 ? 1 : 3;
}

/* Delivers the rows too, if none is left that goes on by steps. */
template <class T>
static cudaError_t
relay_launch(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	sift_rows<T> end = s;
	end.if_none_left = true;
	cudaError_t error = sift_start(s, list, count, stream);
	if (error == cudaSuccess)
		error = sift_relay(s, count, stream);
	return error == cudaSuccess ? sift_finish(end, list, count, stream) : error;
}

/* ---- steps: a few launches for each sift --------------------------------------------------- */

template <class T>
static bool
steps_fits(const sift_rows<T> &, int)
{
	return true;
}

template <class T>
static int
steps_cost(const sift_rows<T> &, int)
{
	return 4;
}

/* ---- The table ----------------------------------------------------------------------------- */

/* By sift_way. */
template <class T>
static const way<T> WAYS[SIFT_WAYS] = {
	{ "whole", whole_fits<T>, whole_cost<T>, whole_launch<T> },
	{ "teams", teams_fits<T>, teams_cost<T>, teams_launch<T> },
	{ "relay", relay_fits<T>, relay_cost<T>, relay_launch<T> },
	{ "steps", steps_fits<T>, steps_cost<T>, sift_start<T> },
};

template <class T>
sift_way
sift_choose(const sift_rows<T> &s, int count)
{
	if (s.forced < SIFT_WAYS && WAYS<T>[s.forced].fits(s, count))
		return s.forced;
	int best = SIFT_STEPS;
	for (int k = 0; k < SIFT_WAYS; ++k)
		if (WAYS<T>[k].fits(s, count) &&
		    WAYS<T>[k].cost(s, count) < WAYS<T>[best].cost(s, count))
			best = k;
	return (sift_way)best;
}

template <class T>
const char *
sift_way_name(sift_way by)
{
	return by < SIFT_WAYS ? WAYS<T>[by].name : "";
}

template <class T>
cudaError_t
sift_launch(sift_way by, const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	return WAYS<T>[by].launch(s, list, count, stream);
}

/*
 * Should rows go on to their next mode without waiting for others?  It saves the wait.  But blocks
 * that share a multiprocessor also share the instructions that they fetch, as long as they are in
 * the same mode.  Where many rows come one after the other that is worth more (one H200, 2048 x
 * 10 000: 5.4 ps, and 6.9 if rows go on).  And while a launch goes on, only rows that are not drawn
 * yet can be cancelled, so that it must not take too many sifts.
 */
template <class T>
bool
sift_ahead(sift_way by, const sift_rows<T> &s, int count)
{
	constexpr int MOST_SIFTS = 2000, ROWS = 10; /* of a multiprocessor */
	const int sifts = s.rule.stop == WS_STOP_FIXED ? s.rule.sifts : s.rule.max_sifts;
	if (by > SIFT_TEAMS || s.n <= SPAN || sifts > MOST_SIFTS)
		return false;
	return by == SIFT_TEAMS || count <= ROWS * s.processors || whole_at_once(s) == 1;
}

/* What sifting.cu and engine.cu call, for a type. */
#define INSTANTIATE_WAYS(T)                                                                     \
	template sift_way sift_choose(const sift_rows<T> &, int);                               \
	template const char *sift_way_name<T>(sift_way);                                        \
	template cudaError_t sift_launch(sift_way, const sift_rows<T> &, const int *, int,      \
	                                 cudaStream_t);                                         \
	template bool sift_ahead(sift_way, const sift_rows<T> &, int);                          \
	template cudaError_t sift_start(const sift_rows<T> &, const int *, int, cudaStream_t);  \
	template cudaError_t sift_step(const sift_rows<T> &, int, int, cudaStream_t);           \
	template bool sift_resumes(const sift_rows<T> &, int);                                  \
	template cudaError_t sift_resume(const sift_rows<T> &, int, int, cudaStream_t);         \
	template cudaError_t sift_relay_again(const sift_rows<T> &, int, cudaStream_t);         \
	template cudaError_t sift_left(const sift_rows<T> &, int, cudaStream_t);                \
	template cudaError_t sift_finish(const sift_rows<T> &, const int *, int, cudaStream_t); \
	template bool sift_early<T>();                                                          \
	template cudaError_t sift_load<T>();                                                    \
	template int sift_warps<T>(size_t);                                                     \
	template int sift_few<T>(int, size_t);                                                  \
	template cudaError_t sift_team_blocks<T>(int, int, int *);                              \
	template int sift_most_team_blocks<T>(int, int);                                        \
	template cudaError_t sift_relay_blocks<T>(int, int, int *);                             \
	template int sift_most_relay_blocks<T>(int, int)

#endif
