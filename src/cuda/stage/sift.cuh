/*
 * sift.cuh - which way rows go, and the launches that this takes (sift.h): whole, by teams, in a relay, or step by
 * step.
 * sift_f32.cu and sift_f64.cu instantiate them.
 */
#ifndef WSI_CUDA_SIFT_CUH
#define WSI_CUDA_SIFT_CUH

#include <type_traits>
#include <utility>

#include "cuda/stage/relay.cuh"
#include "cuda/stage/resident.cuh"
#include "cuda/stage/steps.cuh"
#include "cuda/stage/whole_rows.cuh"

/* ---- Launches --------------------------------------------------------------------------- */

/* That a grid has along y. */
constexpr int MOST_ROWS = 32768;

template <class Kernel>
static cudaError_t
allow_shared(Kernel kernel, size_t shared)
{
	return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
}

/* attribute: of the launch, or NULL. */
template <class... Parameters, class... Arguments>
static cudaError_t
launch_with(cudaLaunchAttribute *attribute, void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared,
            cudaStream_t stream, const Arguments &... arguments)
{
	cudaLaunchConfig_t config = {};
	config.gridDim = grid;
	config.blockDim = block;
	config.dynamicSmemBytes = shared;
	config.stream = stream;
	config.attrs = attribute;
	config.numAttrs = attribute ? 1 : 0;
	const cudaError_t error = shared > 0 ? allow_shared(kernel, shared) : cudaSuccess;
	return error == cudaSuccess ? cudaLaunchKernelEx(&config, kernel, arguments...) : error;
}

template <class... Parameters, class... Arguments>
static cudaError_t
launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
       const Arguments &... arguments)
{
	return launch_with(NULL, kernel, grid, block, shared, stream, arguments...);
}

/* Blocks that are on the device together. */
template <class... Parameters, class... Arguments>
static cudaError_t
launch_together(void (*kernel)(Parameters...), int blocks, int threads, size_t shared, cudaStream_t stream,
                const Arguments &... arguments)
{
	cudaLaunchAttribute together = {};
	together.id = cudaLaunchAttributeCooperative;
	together.val.cooperative = 1;
	return launch_with(&together, kernel, dim3((unsigned)blocks), dim3((unsigned)threads), shared, stream, arguments...);
}

/* As many as can be. */
template <class Kernel>
static cudaError_t
blocks_together(Kernel kernel, int threads, size_t shared, int processors, int *blocks)
{
	cudaError_t error = allow_shared(kernel, shared);
	if (error == cudaSuccess)
		error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
	*blocks *= processors;
	return error;
}

/* Of a block's shared memory, by the device for itself. */
constexpr size_t KEPT = 1024;

/* Only code for such devices has the waits, not what a driver makes of older code. */
template <class T>
bool
sift_early()
{
	cudaFuncAttributes a = {};
	return cudaFuncGetAttributes(&a, turn_kernel<T, TURN_WARPS, 1>) == cudaSuccess && a.ptxVersion >= 90;
}

/* One of the launches of a sift, see wait_for_before. */
template <class T, class... Parameters, class... Arguments>
static cudaError_t
launch_next(void (*kernel)(sift_rows<T>, Parameters...), int blocks, int threads, size_t shared,
            cudaStream_t stream, const sift_rows<T> &s, Arguments... arguments)
{
	cudaLaunchAttribute early = {};
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	return launch_with(s.early ? &early : NULL, kernel, dim3((unsigned)blocks), dim3((unsigned)threads), shared, stream,
	                   s, arguments...);
}

/* Some blocks for each of the rows that list names, or of rows 0 .. count - 1. */
template <class T, class Kernel>
static cudaError_t
launch_rows(Kernel kernel, int blocks, int threads, const sift_rows<T> &s, const int *list, int count,
            cudaStream_t stream)
{
	cudaError_t error = cudaSuccess;
	for (int first = 0; first < count && error == cudaSuccess; first += MOST_ROWS) {
		const dim3 grid((unsigned)blocks, (unsigned)min(count - first, MOST_ROWS));
		error = launch(kernel, grid, dim3((unsigned)threads), 0, stream, s, list, first);
	}
	return error;
}

/* ---- Step by step ----------------------------------------------------------------------- */

template <class T>
static cudaError_t
launch_turn(const sift_rows<T> &s, int set, int next, bool started, const int *list, int count,
            cudaStream_t stream)
{
	const size_t lists = list_memory<T>::bytes(s.few);
	const size_t each = lists + sizeof(turn_memory<T>) + KEPT;
	if (count > s.processors && s.groups / 32 <= SHORT_TURN_SPANS && SHORT_TURNS<T> * each <= s.processor_shared)
		return launch_next(turn_kernel<T, SHORT_TURN_WARPS, SHORT_TURNS<T>>,
		                   min(count, SHORT_TURNS<T> * s.processors), SHORT_TURN_WARPS * 32, lists, stream,
		                   s, set, next, started, list, count);
	return launch_next(turn_kernel<T, TURN_WARPS, 1>, min(count, s.processors), TURN_WARPS * 32, lists, stream,
	                   s, set, next, started, list, count);
}

#define BY_WARPS(launch)                                                                     \
	switch (s.warps) {                                                                   \
	case 1:                                                                              \
		return launch(1);                                                            \
	case 2:                                                                              \
		return launch(2);                                                            \
	default:                                                                             \
		return launch(4);                                                            \
	}

template <class T>
static cudaError_t
start_rows(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
#define START(warps) launch_rows(start_kernel<T, warps>, s.tiles, warps * 32, s, list, count, stream)
	BY_WARPS(START)
#undef START
}

template <class T>
cudaError_t
sift_start(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	cudaError_t error = launch(clear_kernel<T>, dim3((unsigned)min(count, 8 * s.processors)), dim3(128), 0, stream, s,
	                           list, count);
	if (error == cudaSuccess)
		error = start_rows(s, list, count, stream);
	return error == cudaSuccess ? launch_turn(s, 0, 0, true, list, count, stream) : error;
}

template <class T, int WARPS, bool FLOWS>
static cudaError_t
step_rows(const sift_rows<T> &s, int set, int count, cudaStream_t stream)
{
	const int items = s.tiles * count, at_once = knots_blocks<T, WARPS, FLOWS>() * s.processors;
	cudaError_t error = cudaSuccess;
	/* First, since nearly all rows that take steps have few knots: the other launch ends behind it. */
	if constexpr (WARPS > 1) /* rows of one warp have no lists */
		error = launch_next(cubics_kernel<T, WARPS, FLOWS>,
		                    min(items, cubics_blocks<T, WARPS>(FLOWS) * s.processors), WARPS * 32, 0, stream, s, set);
	if (error == cudaSuccess)
		error = launch_next(knots_kernel<T, WARPS, FLOWS>, min(items, at_once), WARPS * 32,
		                    sizeof(sift_memory<T, WARPS, FLOWS>), stream, s, set);
	return error;
}

template <class T>
cudaError_t
sift_step(const sift_rows<T> &s, int set, int count, cudaStream_t stream)
{
	const auto step = s.warps == 1 ? step_rows<T, 1, false>
	                : s.warps == 2 ? (s.flows ? step_rows<T, 2, true> : step_rows<T, 2, false>)
	                               : (s.flows ? step_rows<T, 4, true> : step_rows<T, 4, false>);
	const cudaError_t error = step(s, set, count, stream);
	return error == cudaSuccess ? launch_turn(s, set, (set + 1) % 3, false, NULL, count, stream) : error;
}

/* ---- In a relay -------------------------------------------------------------------------- */

template <class T>
bool
sift_relays(const sift_rows<T> &s, int count)
{
	constexpr int64_t MOST = 1 << 30; /* that a row counts */
	return s.relay_blocks > 1 && s.flows && count > 1 && (int64_t)s.rule.sifts * s.tiles < MOST &&
	       (int64_t)count * s.tiles >= s.relay_blocks;
}

template <class T>
cudaError_t
sift_relay(const sift_rows<T> &s, int count, cudaStream_t stream)
{
	sift_rows<T> relay = s;
	/* A turn takes about as long as four fifths of a tile. */
	relay.turners = max(1, min(count, s.relay_blocks * 4 / (5 * s.tiles)));
	return launch_together(relay_kernel<T>, s.relay_blocks, RELAY_WARPS * 32, sizeof(relay_memory<T>), stream, relay);
}

template <class T>
cudaError_t
sift_left(const sift_rows<T> &s, int count, cudaStream_t stream)
{
	return launch_turn(s, 2, 0, false, NULL, count, stream);
}

template <class T>
cudaError_t
sift_relay_blocks(int warps, int processors, int *blocks)
{
	*blocks = 0;
	return warps == RELAY_WARPS ? blocks_together(relay_kernel<T>, RELAY_WARPS * 32, sizeof(relay_memory<T>), processors,
	                                              blocks) : cudaSuccess;
}

/* ---- The end of steps and relays ---------------------------------------------------------- */

template <class T>
cudaError_t
sift_finish(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	const int blocks = (s.n + DELIVERY<T> - 1) / DELIVERY<T>;
	if (s.step && !s.tiny_modes) {
		/* Few are left to do where the last of a fixed number of sifts has told most. */
		const int some = s.rule.stop == WS_STOP_FIXED ? min(blocks, 2) : blocks;
		const cudaError_t error = launch_rows(mode_extent_kernel<T>, some, DELIVERY_THREADS, s, list,
		                                      count, stream);
		if (error != cudaSuccess)
			return error;
	}
	return launch_rows(finish_kernel<T>, blocks, DELIVERY_THREADS, s, list, count, stream);
}

template <class T>
int
sift_warps(int n, size_t shared)
{
	const bool four_fit = sizeof(sift_memory<T, 4, false>) <= shared &&
	                      sizeof(resident_memory<T, 4>) <= shared;
	const int most = four_fit ? 4 : 2;
	return n <= SPAN ? 1 : n <= 2 * SPAN ? 2 : most;
}

template <class T>
int
sift_few(int wanted, size_t shared)
{
	const size_t other = sizeof(turn_memory<T>) + 1024; /* that the device keeps for itself */
	const size_t room = shared - other - list_memory<T>::bytes(0);
	return (int)min((size_t)wanted, room / list_memory<T>::KNOT);
}

/* ---- By teams ---------------------------------------------------------------------------- */

/* Rows of several, whose blocks must be on the device together. */
template <class T, int WARPS>
static cudaError_t
launch_teams(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	constexpr int TILE = WARPS * SPAN;
	auto *kernel = resident_kernel<T, WARPS>;
	const int tiles = (s.n + TILE - 1) / TILE;
	const size_t shared = sizeof(resident_memory<T, WARPS>);
	const cudaError_t error = cudaMemsetAsync(s.board.arrived, 0, s.board.blocks * sizeof *s.board.arrived, stream);
	if (error != cudaSuccess)
		return error;
	return launch_together(kernel, min(count, s.board.blocks / tiles) * tiles, WARPS * 32, shared, stream, s, list,
	                       count);
}

/* Blocks that teams of so many warps each would have. */
template <int WARPS, class T>
static int64_t
team_blocks(const sift_rows<T> &s, int count)
{
	constexpr int TILE = WARPS * SPAN;
	return (int64_t)count * ((s.n + TILE - 1) / TILE);
}

/*
 * Where tiles of four warps would share processors, those of twice the width meet less for the same work,
 * if there are processors enough for all of them.
 */
template <class T>
static cudaError_t
launch_fitting_teams(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	constexpr int WIDE = 8, AT_ONCE = WARPS_AT_ONCE<T> / WIDE;
	if constexpr (real<T>::F64) /* less shared memory would be too little */
		if (s.warps == 2)
			return launch_teams<T, 2>(s, list, count, stream);
	if (team_blocks<4>(s, count) > s.processors && team_blocks<WIDE>(s, count) <= AT_ONCE * s.processors &&
	    AT_ONCE * (sizeof(resident_memory<T, WIDE>) + KEPT) <= s.shared + KEPT)
		return launch_teams<T, WIDE>(s, list, count, stream);
	return launch_teams<T, 4>(s, list, count, stream);
}

template <class T, int WARPS>
static cudaError_t
team_blocks_together(int processors, int *blocks)
{
	return blocks_together(resident_kernel<T, WARPS>, WARPS * 32, sizeof(resident_memory<T, WARPS>), processors, blocks);
}

template <class T>
cudaError_t
sift_team_blocks(int warps, int processors, int *blocks)
{
	if constexpr (real<T>::F64)
		if (warps == 2)
			return team_blocks_together<T, 2>(processors, blocks);
	return team_blocks_together<T, 4>(processors, blocks);
}

template <class T>
int
sift_most_team_blocks(int warps, int processors)
{
	return WARPS_AT_ONCE<T> / warps * processors;
}

/* ---- Whole --------------------------------------------------------------------------------- */

/* Rows that a warp of a block has, or the block; at_once: blocks of a processor. */
template <class T, class Kernel>
static cudaError_t
launch_alone(Kernel kernel, dim3 block, int at_once, size_t shared, const sift_rows<T> &s, const int *list,
             int count, cudaStream_t stream)
{
	const int rows = (int)block.y, blocks = min((count + rows - 1) / rows, at_once * s.processors);
	cudaError_t error = cudaSuccess;
	if (count > blocks * rows)
		error = cudaMemsetAsync(s.drawn, 0, sizeof *s.drawn, stream);
	if (error != cudaSuccess)
		return error;
	return launch(kernel, dim3((unsigned)blocks), block, shared, stream, s, list, count);
}

/* Warps that a block may have for a whole row, the last all of a processor. */
template <int... WARPS> using sizes = std::integer_sequence<int, WARPS...>;
template <class T, bool FLOWS>
using whole_sizes = std::conditional_t<FLOWS, std::conditional_t<real<T>::F64, sizes<2, 4, 6, 10>, sizes<2, 4, 6, 10, 20>>,
                                       std::conditional_t<real<T>::F64, sizes<2, 4, 8>, sizes<2, 4, 8, 16>>>;

/* The fewest that a row needs; 0: there is no room for it. */
template <class T, bool FLOWS, int... WARPS>
static int
whole_warps(sizes<WARPS...>, const sift_rows<T> &s)
{
	int warps = 0;
	size_t shared = 0;
	((warps == 0 && s.n <= WARPS * SPAN ? (void)(warps = WARPS, shared = sizeof(whole_memory<T, WARPS, FLOWS>))
	                                    : (void)0), ...);
	return shared <= s.shared ? warps : 0;
}

template <class T>
static int
whole_warps(const sift_rows<T> &s)
{
	if (s.n <= SPAN || !s.whole)
		return 0;
	return s.flows ? whole_warps<T, true>(whole_sizes<T, true>(), s) : whole_warps<T, false>(whole_sizes<T, false>(), s);
}

/* Such rows of a processor. */
template <class T>
static int
whole_at_once(const sift_rows<T> &s)
{
	return (s.flows ? WHOLE_WARPS<T, true> : WHOLE_WARPS<T, false>) / whole_warps(s);
}

template <int WARPS, bool FLOWS, class T>
static cudaError_t
launch_whole(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	return launch_alone(whole_kernel<T, WARPS, FLOWS>, dim3(32 * WARPS), WHOLE_WARPS<T, FLOWS> / WARPS,
	                    sizeof(whole_memory<T, WARPS, FLOWS>), s, list, count, stream);
}

template <bool FLOWS, class T, int... WARPS>
static cudaError_t
launch_whole_of(sizes<WARPS...>, const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	cudaError_t error = cudaErrorInvalidValue;
	const int warps = whole_warps(s);
	((warps == WARPS ? (void)(error = launch_whole<WARPS, FLOWS>(s, list, count, stream)) : (void)0), ...);
	return error;
}

/* Rows of one warp. */
template <class T>
static cudaError_t
launch_short(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	const size_t row = sizeof(whole_memory<T, 1, false>);
	/* Few rows are dealt to all processors. */
	const size_t each = (size_t)((count + s.processors - 1) / s.processors);
	const unsigned rows = (unsigned)min(min((size_t)SHORT_ROWS<T>, s.shared / row), each);
	return launch_alone(short_kernel<T>, dim3(32, rows), WARPS_AT_ONCE<T> / (int)rows, rows * row, s, list, count,
	                    stream);
}

/* ---- Which way ---------------------------------------------------------------------------- */

/* Rather than by teams: while each tile has a processor for itself, several are faster. */
template <class T>
static bool
goes_whole(const sift_rows<T> &s, int count)
{
	return whole_warps(s) > 0 && (s.tiles == 1 || (int64_t)count * s.tiles > s.processors);
}

template <class T>
bool
sift_stays(const sift_rows<T> &s, int count)
{
	/* Both ends of one sample are the same knot, which lists would have twice. */
	if (s.n == 1)
		return false;
	/* Of teams, one after the other; with more there is work enough to hide launches. */
	constexpr int TURNS = real<T>::F64 ? 3 : 2;
	return s.n <= SPAN || goes_whole(s, count) ||
	       (s.tiles > 1 && s.tiles <= s.board.blocks &&
	        (int64_t)count * s.tiles <= (int64_t)TURNS * s.board.blocks);
}

/*
 * Rows wait for no others between modes, then.  But where blocks share a processor they also share what they fetch
 * of instructions, as long as they are in the same mode: that is worth more, if many rows come after one another.
 * While a launch goes on, only rows that are not drawn yet can be cancelled.
 */
template <class T>
bool
sift_ahead(const sift_rows<T> &s, int count)
{
	constexpr int MOST_SIFTS = 2000, ROWS = 10; /* of a processor */
	const int sifts = s.rule.stop == WS_STOP_FIXED ? s.rule.sifts : s.rule.max_sifts;
	if (s.n <= SPAN || sifts > MOST_SIFTS || !sift_stays(s, count))
		return false;
	return !goes_whole(s, count) || count <= ROWS * s.processors || whole_at_once(s) == 1;
}

template <class T>
cudaError_t
sift_resident(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	if (s.n <= SPAN)
		return launch_short(s, list, count, stream);
	if (!goes_whole(s, count))
		return launch_fitting_teams(s, list, count, stream);
	return s.flows ? launch_whole_of<true>(whole_sizes<T, true>(), s, list, count, stream)
	               : launch_whole_of<false>(whole_sizes<T, false>(), s, list, count, stream);
}

#endif
