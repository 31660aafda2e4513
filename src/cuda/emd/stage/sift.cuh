/*
 * sift.cuh - the launches of each way of a sift (sift.h); stage/ways.cuh chooses between them.
 */
#ifndef WSI_CUDA_SIFT_CUH
#define WSI_CUDA_SIFT_CUH

#include <type_traits>
#include <utility>

#include "cuda/device/load.h"
#include "cuda/device/shared.h"
#include "cuda/emd/stage/relay.cuh"
#include "cuda/emd/stage/resident.cuh"
#include "cuda/emd/stage/steps.cuh"
#include "cuda/emd/stage/whole_rows.cuh"

/* ---- Launches --------------------------------------------------------------------------- */

/* attribute: of the launch, or NULL. */
template <class... Parameters, class... Arguments>
static cudaError_t
launch_with(cudaLaunchAttribute *attribute, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            size_t shared, cudaStream_t stream, const Arguments &...arguments)
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
launch_together(void (*kernel)(Parameters...), int blocks, int threads, size_t shared,
                cudaStream_t stream, const Arguments &...arguments)
{
	cudaLaunchAttribute together = {};
	together.id = cudaLaunchAttributeCooperative;
	together.val.cooperative = 1;
	return launch_with(&together, kernel, dim3((unsigned)blocks), dim3((unsigned)threads),
	                   shared, stream, arguments...);
}

/* *blocks: the most blocks of a kernel that the device runs together. */
template <class Kernel>
static cudaError_t
blocks_together(Kernel kernel, int threads, size_t shared, int processors, int *blocks)
{
	cudaError_t error = allow_shared(kernel, shared);
	if (error == cudaSuccess)
		error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads,
		                                                      shared);
	*blocks *= processors;
	return error;
}

/* Only code for such devices has the waits, not what a driver makes of older code. */
template <class T>
bool
sift_early()
{
	cudaFuncAttributes a = {};
	return cudaFuncGetAttributes(&a, advance_kernel<T, ADVANCE_WARPS, 1>) == cudaSuccess &&
	       a.ptxVersion >= 90;
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
	return launch_with(s.early ? &early : NULL, kernel, dim3((unsigned)blocks),
	                   dim3((unsigned)threads), shared, stream, s, arguments...);
}

template <class T>
cudaError_t
sift_load()
{
	return cuda_load_file_of((const void *)finish_kernel<T>);
}

/* Some blocks for each of the rows that list names, or of rows 0 .. count - 1. */
template <class T, class Kernel>
static cudaError_t
launch_rows(Kernel kernel, int blocks, int threads, const sift_rows<T> &s, const int *list,
            int count, cudaStream_t stream)
{
	return launch_next(kernel, blocks * count, threads, 0, stream, s, list, count);
}

/* Calls launch() with what samples do, known when it is compiled. */
template <class Launch>
static void
with_flow(sift_flow flow, Launch launch)
{
	if (flow == PLAIN_FLOW)
		launch(std::integral_constant<sift_flow, PLAIN_FLOW>());
	else if (flow == COUNTING_FLOW)
		launch(std::integral_constant<sift_flow, COUNTING_FLOW>());
	else
		launch(std::integral_constant<sift_flow, NO_FLOW>());
}

/* ---- Step by step ----------------------------------------------------------------------- */

template <class T>
static cudaError_t
launch_advance(const sift_rows<T> &s, int set, int next, bool started, const int *list, int count,
               cudaStream_t stream)
{
	const size_t lists = list_memory<T>::bytes(s.few);
	const size_t each = lists + sizeof(advance_memory<T>) + KEPT;
	const bool several = count > s.processors;
	const auto launch = [&](auto kernel, int warps, int at_once) {
		return launch_next(kernel, min(count, at_once * s.processors), warps * 32, lists,
		                   stream, s, set, next, started, list, count);
	};
	if (several && s.groups / 32 <= SHORT_ADVANCE_SPANS &&
	    SHORT_ADVANCES<T> * each <= s.processor_shared)
		return launch(advance_kernel<T, SHORT_ADVANCE_WARPS, SHORT_ADVANCES<T>>,
		              SHORT_ADVANCE_WARPS, SHORT_ADVANCES<T>);
	if (several && 2 * each <= s.processor_shared)
		return launch(advance_kernel<T, HALF_ADVANCE_WARPS<T>, 2>,
		              HALF_ADVANCE_WARPS<T>, 2);
	return launch(advance_kernel<T, ADVANCE_WARPS, 1>, ADVANCE_WARPS, 1);
}

template <class T, int WARPS>
static cudaError_t
start_rows(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	return launch_rows(start_kernel<T, WARPS>, s.tiles, WARPS * 32, s, list, count, stream);
}

template <class T>
cudaError_t
sift_start(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	cudaError_t error = launch_next(clear_kernel<T>, min(count, 8 * s.processors), 128, 0,
	                                stream, s, list, count);
	if (error == cudaSuccess && s.warps == TILE_WARPS)
		error = start_rows<T, TILE_WARPS>(s, list, count, stream);
	if constexpr (real<T>::F64)
		if (error == cudaSuccess && s.warps == NARROW_TILE_WARPS)
			error = start_rows<T, NARROW_TILE_WARPS>(s, list, count, stream);
	return error == cudaSuccess ? launch_advance(s, 0, 0, true, list, count, stream) : error;
}

template <class T, int WARPS, sift_flow FLOW>
static cudaError_t
step_rows(const sift_rows<T> &s, int set, int count, cudaStream_t stream)
{
	const int items = s.tiles * count, at_once = knots_blocks<T, WARPS, FLOW>() * s.processors;
	cudaError_t error = cudaSuccess;
	/* First, since nearly all rows that take steps have few knots: the other launch ends behind
	 * it. */
	if (s.cubics) /* else they have no lists */
		error = launch_next(cubics_kernel<T, WARPS, FLOW>,
		                    min(items, cubics_blocks<T, WARPS>(FLOW) * s.processors),
		                    WARPS * 32, 0, stream, s, set);
	if (error == cudaSuccess)
		error = launch_next(knots_kernel<T, WARPS, FLOW>, min(items, at_once), WARPS * 32,
		                    sizeof(sift_memory<T, WARPS, FLOW>), stream, s, set);
	return error;
}

template <class T>
cudaError_t
sift_step(const sift_rows<T> &s, int set, int count, cudaStream_t stream)
{
	cudaError_t error = cudaSuccess;
	with_flow(s.flow, [&](auto flow) {
		constexpr sift_flow FLOW = decltype(flow)::value;
		auto *step = step_rows<T, TILE_WARPS, FLOW>;
		if constexpr (real<T>::F64)
			if (s.warps == NARROW_TILE_WARPS)
				step = step_rows<T, NARROW_TILE_WARPS, FLOW>;
		error = step(s, set, count, stream);
	});
	return error == cudaSuccess ?
		launch_advance(s, set, (set + 1) % 3, false, NULL, count, stream)
	                            : error;
}

/* ---- In a relay -------------------------------------------------------------------------- */

/* The most sifts that a rule makes, those of which nothing is taken included. */
static int
relay_sifts(const wsi_rule &rule)
{
	return rule.stop == WS_STOP_FIXED ? rule.sifts : rule.max_sifts + 1;
}

template <class T>
cudaError_t
sift_relay(const sift_rows<T> &s, int count, cudaStream_t stream)
{
	sift_rows<T> relay = s;
	/* An advance takes about as long as four fifths of a tile. */
	relay.advancers = max(1, min(count, s.relay_blocks * 4 / (5 * s.tiles)));
	relay.relay_sifts = relay_sifts(s.rule);
	return launch_together(s.flow == PLAIN_FLOW ? relay_kernel<T, PLAIN_FLOW>
	                                            : relay_kernel<T, COUNTING_FLOW>,
	                       s.relay_blocks, RELAY_WARPS * 32,
	                       sizeof(relay_memory<T, PLAIN_FLOW>), stream, relay);
}

template <class T>
cudaError_t
sift_left(const sift_rows<T> &s, int count, cudaStream_t stream)
{
	return launch_advance(s, 2, 0, false, NULL, count, stream);
}

template <class T>
cudaError_t
sift_relay_again(const sift_rows<T> &s, int count, cudaStream_t stream)
{
	const cudaError_t error = launch(relay_again_kernel<T>, dim3(8), dim3(128), 0, stream, s);
	return error == cudaSuccess ? sift_relay(s, count, stream) : error;
}

template <class T>
int
sift_most_relay_blocks(int warps, int processors)
{
	return warps == RELAY_WARPS ? knots_blocks<T, RELAY_WARPS, PLAIN_FLOW>() * processors : 0;
}

template <class T>
cudaError_t
sift_relay_blocks(int warps, int processors, int *blocks)
{
	*blocks = 0;
	if (warps != RELAY_WARPS)
		return cudaSuccess;
	constexpr size_t SHARED = sizeof(relay_memory<T, PLAIN_FLOW>);
	static_assert(SHARED == sizeof(relay_memory<T, COUNTING_FLOW>), "either relay's");
	int counting = 0;
	cudaError_t error = blocks_together(relay_kernel<T, PLAIN_FLOW>, RELAY_WARPS * 32, SHARED,
	                                    processors, blocks);
	if (error == cudaSuccess)
		error = blocks_together(relay_kernel<T, COUNTING_FLOW>, RELAY_WARPS * 32, SHARED,
		                        processors, &counting);
	*blocks = min(*blocks, counting);
	return error;
}

/* ---- The end of steps and relays ---------------------------------------------------------- */

template <class T>
cudaError_t
sift_finish(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	const int blocks = (s.n + DELIVERY<T> - 1) / DELIVERY<T>;
	if ((s.step || s.first_beside < NONE_BESIDE) && !s.tiny_modes) {
		/* Few are left to do where the last of a fixed number of sifts has told most. */
		const int some = s.rule.stop == WS_STOP_FIXED ? min(blocks, 2) : blocks;
		const cudaError_t error = launch_rows(mode_extent_kernel<T>, some, DELIVERY_THREADS,
		                                      s, list, count, stream);
		if (error != cudaSuccess)
			return error;
	}
	return launch_rows(finish_kernel<T>, blocks, DELIVERY_THREADS, s, list, count, stream);
}

template <class T>
int
sift_warps(size_t shared)
{
	const bool fits = sizeof(sift_memory<T, TILE_WARPS, NO_FLOW>) <= shared &&
	                  sizeof(resident_memory<T, TILE_WARPS>) <= shared;
	return fits || !real<T>::F64 ? TILE_WARPS : NARROW_TILE_WARPS;
}

template <class T>
int
sift_few(int wanted, size_t shared)
{
	/* that the device keeps for itself */
	const size_t other = sizeof(advance_memory<T>) + 1024;
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
	const int tiles = (s.n + TILE - 1) / TILE;
	const int blocks = min(count, s.board.blocks / tiles) * tiles;
	const size_t shared = sizeof(resident_memory<T, WARPS>);
	const bool fixed = s.rule.stop == WS_STOP_FIXED;
	auto *kernel = fixed ? resident_kernel<T, WARPS, true, false>
	                     : resident_kernel<T, WARPS, false, real<T>::F64>;
	if constexpr (!real<T>::F64)
		if (blocks <= s.processors)
			kernel = fixed ? resident_kernel<T, WARPS, true, true>
			               : resident_kernel<T, WARPS, false, true>;
	const cudaError_t error = cudaMemsetAsync(s.board.arrived, 0,
	                                          s.board.blocks * sizeof *s.board.arrived, stream);
	return error == cudaSuccess ? launch_together(kernel, blocks, WARPS * 32, shared, stream, s,
	                                              list, count)
	                            : error;
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
 * Where tiles of four warps would share processors, those of twice the width meet less for the same
 * work, if there are processors enough for all of them.
 */
template <class T>
static cudaError_t
launch_fitting_teams(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	constexpr int WIDE = WIDE_WARPS, AT_ONCE = WARPS_AT_ONCE<T> / WIDE;
	if constexpr (real<T>::F64) /* less shared memory would be too little */
		if (s.warps == NARROW_TILE_WARPS)
			return launch_teams<T, NARROW_TILE_WARPS>(s, list, count, stream);
	if (team_blocks<4>(s, count) > s.processors &&
	    team_blocks<WIDE>(s, count) <= AT_ONCE * s.processors &&
	    SHARED_OF_TEAMS<T, WIDE> <= s.shared)
		return launch_teams<T, WIDE>(s, list, count, stream);
	return launch_teams<T, 4>(s, list, count, stream);
}

template <class T>
cudaError_t
sift_resume(const sift_rows<T> &s, int set, int count, cudaStream_t stream)
{
	sift_rows<T> last = s;
	last.resumes = true;
	last.resumed = set;
	return launch_fitting_teams(last, NULL, count, stream);
}

template <class T, int WARPS>
static cudaError_t
team_blocks_together(int processors, int *blocks)
{
	return blocks_together(resident_kernel<T, WARPS, false, real<T>::F64>, WARPS * 32,
	                       sizeof(resident_memory<T, WARPS>), processors, blocks);
}

template <class T>
cudaError_t
sift_team_blocks(int warps, int processors, int *blocks)
{
	if constexpr (real<T>::F64)
		if (warps == NARROW_TILE_WARPS)
			return team_blocks_together<T, NARROW_TILE_WARPS>(processors, blocks);
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
launch_alone(Kernel kernel, dim3 block, int at_once, size_t shared, const sift_rows<T> &s,
             const int *list, int count, cudaStream_t stream)
{
	const int rows = (int)block.y;
	const int blocks = min((count + rows - 1) / rows, at_once * s.processors);
	cudaError_t error = cudaSuccess;
	if (count > blocks * rows)
		error = cudaMemsetAsync(s.drawn, 0, sizeof *s.drawn, stream);
	if (error != cudaSuccess)
		return error;
	return launch(kernel, dim3((unsigned)blocks), block, shared, stream, s, list, count);
}

/* Warps that a block may have for a whole row, the last all of a processor.  Of 8 and 16 (f64: 8) a
 * thread has more registers than of 10 and 20, and nothing spills. */
template <int... WARPS> using sizes = std::integer_sequence<int, WARPS...>;
template <class T, sift_flow FLOW>
using whole_sizes = std::conditional_t<
	FLOW != NO_FLOW,
	std::conditional_t<real<T>::F64, sizes<2, 4, 6, 8, 10>, sizes<2, 4, 6, 8, 10, 16, 20>>,
	std::conditional_t<real<T>::F64, sizes<2, 4, 8>, sizes<2, 4, 8, 16>>>;

/* The fewest that a row needs; 0: there is no room for it. */
template <class T, sift_flow FLOW, int... WARPS>
static int
whole_warps(sizes<WARPS...>, const sift_rows<T> &s)
{
	int warps = 0;
	size_t shared = 0;
	((warps == 0 && s.n <= WARPS * SPAN
	          ? (void)(warps = WARPS, shared = sizeof(whole_memory<T, WARPS, FLOW>))
	          : (void)0),
	 ...);
	return shared <= s.shared ? warps : 0;
}

template <class T>
static int
whole_warps(const sift_rows<T> &s)
{
	if (s.n <= SPAN || !s.whole)
		return 0;
	int warps = 0;
	with_flow(s.flow, [&](auto flow) {
		constexpr sift_flow FLOW = decltype(flow)::value;
		warps = whole_warps<T, FLOW>(whole_sizes<T, FLOW>(), s);
	});
	return warps;
}

/* Such rows of a processor. */
template <class T>
static int
whole_at_once(const sift_rows<T> &s)
{
	return (s.flow == NO_FLOW ? WHOLE_WARPS<T, NO_FLOW> : WHOLE_WARPS<T, PLAIN_FLOW>) /
	       whole_warps(s);
}

template <int WARPS, sift_flow FLOW, class T>
static cudaError_t
launch_whole(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	return launch_alone(whole_kernel<T, WARPS, FLOW>, dim3(32 * WARPS),
	                    WHOLE_WARPS<T, FLOW> / WARPS, sizeof(whole_memory<T, WARPS, FLOW>), s,
	                    list, count, stream);
}

template <sift_flow FLOW, class T, int... WARPS>
static cudaError_t
launch_whole_of(sizes<WARPS...>, const sift_rows<T> &s, const int *list, int count,
                cudaStream_t stream)
{
	cudaError_t error = cudaErrorInvalidValue;
	const int warps = whole_warps(s);
	((warps == WARPS ? (void)(error = launch_whole<WARPS, FLOW>(s, list, count, stream))
	                 : (void)0),
	 ...);
	return error;
}

/* Rows of one warp. */
template <class T>
static cudaError_t
launch_short(const sift_rows<T> &s, const int *list, int count, cudaStream_t stream)
{
	const size_t row = sizeof(whole_memory<T, 1, NO_FLOW>);
	/* Few rows are dealt to all processors. */
	const size_t each = (size_t)((count + s.processors - 1) / s.processors);
	const unsigned rows = (unsigned)min(min((size_t)SHORT_ROWS<T>, s.shared / row), each);
	return launch_alone(short_kernel<T>, dim3(32, rows), WARPS_AT_ONCE<T> / (int)rows,
	                    rows * row, s, list, count, stream);
}

#endif
