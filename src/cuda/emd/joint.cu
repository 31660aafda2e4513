/* joint.cu - sifting channels together, as the host sees it. */
#include "cuda/emd/engine.h"
#include "cuda/emd/joint.h"
#include "base/clock.h"
#include "math/boundary.h"
#include "math/sum.h"

#include <math.h>
#include <string.h>

/* Share of the device's memory that windows, and slopes, may take each. */
constexpr size_t CHUNK_SHARE = 64;
/* Sifts between two looks at whether the user wants to stop: so many, or the least where these take
 * longer, s. */
constexpr int BATCH = 8;
constexpr double LONG = 0.04;

/* ---- Memory ------------------------------------------------------------------------ */

/* Tiles and groups of channels that are worked on at a time, in memory that does not
 * grow with the signal. */
template <class T>
static void
choose_cuts(joint_signal<T> &s, const cudaDeviceProp &device, bool above)
{
	constexpr size_t TILES = 32; /* that the windows kernel works on together */
	const size_t bytes = device.totalGlobalMem / CHUNK_SHARE;
	const size_t lists = 2 * (size_t)s.directions, groups = ((size_t)s.lanes + 31) / 32;
	const size_t slopes = lists * JOINT_OWN * 32 * sizeof(T);
	const size_t windows =
		lists * JOINT_WINDOW<T> * (sizeof *s.weights + sizeof *s.seen) +
		(above ? groups * (size_t)s.directions * WSI_JOINT_TILE * sizeof(T) : 0);
	const size_t tiles = (size_t)s.tiles, wanted = tiles < TILES ? tiles : TILES;
	const size_t units = bytes / slopes < 1 ? 1 : bytes / slopes;
	const size_t most = bytes / windows < 1 ? 1 : bytes / windows;
	const size_t fit = units / wanted < 1 ? 1 : units / wanted;
	s.groups = (int)(groups < fit ? groups : fit);
	size_t chunk = units / (size_t)s.groups;
	chunk = chunk < most ? chunk : most;
	s.chunk = (int)(chunk < tiles ? chunk : tiles);
}

/* Sums of |m|^2 and |h|^2 over blocks of 32 samples. */
template <class T>
static size_t
sums_of(const joint_signal<T> &s)
{
	return 2 * 2 * WSI_WORDS((size_t)s.n);
}

template <class T>
static joint_signal<T>
lay_out(const cuda_engine *c, wsi_arena *a)
{
	const wsi_params *p = c->e.params;
	joint_signal<T> s = {};

	const size_t n = p->samples, directions = (size_t)p->o.directions, lists = 2 * directions;
	const size_t group = JOINT_DIRECTIONS;
	s.n = (int)n;
	s.channels = (int)p->together;
	s.lanes = (int)wsi_lanes(p->together, sizeof(T));
	s.directions = (int)directions;
	s.padded = (int)((directions + group - 1) / group * group);
	s.tiles = (int)((n + WSI_JOINT_TILE - 1) / WSI_JOINT_TILE);
	s.words = s.tiles * JOINT_TILE_WORDS;
	s.extras = p->cyclic ? WSI_JOINT_REACH_64 : 2;
	s.first_extra = (int)wsi_joint_rows(n);
	s.t_stride = (int)n / 2 + 2 + 2 * s.extras;
	const size_t rows = wsi_joint_rows(n) + 2 * lists * (size_t)s.extras;
	for (int i = 0; i < 2; ++i)
		take_from(a, s.h[i], rows * (size_t)s.lanes);
	T *u;
	take_from(a, u, p->together * (size_t)s.padded);
	s.u = u;
	const size_t bits = (size_t)s.padded * (size_t)s.words;
	s.crossings = p->o.stop_rule == WS_STOP_FIX_H;
	take_from(a, s.rise, bits);
	take_from(a, s.fall, bits);
	take_from(a, s.above, s.crossings ? bits : 0);
	take_from(a, s.below, s.crossings ? bits : 0);
	take_from(a, s.bits, lists * (size_t)s.words);
	if (p->half_ticks) {
		take_from(a, s.middle, n * (size_t)s.lanes);
		take_from(a, s.half, directions * (size_t)s.words);
	}
	take_from(a, s.before, lists * (size_t)s.tiles);
	take_from(a, s.t, lists * (size_t)s.t_stride);
	take_from(a, s.knots, lists);
	take_from(a, s.active, directions);
	take_from(a, s.state, 1);
	const bool above = p->o.stop_rule == WS_STOP_RILLING;
	const size_t groups = ((size_t)s.lanes + 31) / 32;
	choose_cuts(s, c->device->facts, above);
	take_from(a, s.weights, lists * (size_t)s.chunk * JOINT_WINDOW<T>);
	take_from(a, s.windows, lists * (size_t)s.chunk);
	take_from(a, s.marks, lists * (size_t)s.chunk * JOINT_TILE_WORDS);
	take_from(a, s.seen, lists * (size_t)s.chunk * JOINT_WINDOW<T>);
	take_from(a, s.slopes, (size_t)s.groups * lists * (size_t)s.chunk * JOINT_OWN * 32);
	take_from(a, s.whole, (size_t)(s.groups * s.chunk) * WSI_JOINT_BLOCKS * 4 * 32);
	if (above) {
		take_from(a, s.distances, groups * directions * (size_t)s.chunk * WSI_JOINT_TILE);
		take_from(a, s.amplitude, n);
	}
	if (above || stop_needs_sums(p->o.stop_rule)) {
		take_from(a, s.squares, 2 * groups * n);
		take_from(a, s.block_sums, sums_of(s));
	}
	s.boundary = p->o.boundary;
	s.spline = p->o.spline;
	s.sd = p->stop[0];
	s.sd2 = p->stop[1];
	s.plateaus = p->plateaus;
	s.lower_middle = p->lower_middle;
	s.vanishing = p->vanishing;
	s.cyclic = p->cyclic;
	s.min_each = p->min_each;
	s.processors = c->device->facts.multiProcessorCount;
	s.shared_bytes = (int)c->device->facts.sharedMemPerBlockOptin;
	return s;
}

/* Of what is on its way to the device or back. */
template <class T>
static size_t
host_bytes(const joint_signal<T> &s)
{
	const size_t directions = (size_t)s.channels * (size_t)s.padded * sizeof(T);
	const size_t sums = sums_of(s) * sizeof(double);
	return directions > sums ? directions : sums;
}

void
cuda_joint_layout(cuda_engine *c)
{
	c->batch = 2;
	/* A joint_signal is made anew, from the same memory, when there is a job. */
	c->joint = *c->memory;
	const size_t host = is_f64(&c->e) ? host_bytes(lay_out<double>(c, c->memory))
	                                  : host_bytes(lay_out<float>(c, c->memory));
	c->joint_host = wsi_arena_take(c->e.arena, host);
}

/* The table of directions, channel by channel. */
template <class T>
static void
send_directions(cuda_engine *c, const joint_signal<T> &s)
{
	const size_t channels = (size_t)s.channels, padded = (size_t)s.padded;
	T *u = (T *)c->joint_host;
	for (size_t i = 0; i < channels; ++i)
		for (size_t d = 0; d < padded; ++d)
			u[i * padded + d] = d < (size_t)s.directions
			                            ? (T)c->e.params->vectors[d * channels + i]
			                            : (T)0;
	well(c,
	     cudaMemcpyAsync((void *)s.u, u, channels * padded * sizeof *u, cudaMemcpyHostToDevice,
	                     c->kit.stream),
	     "copying to the device");
	wait_for(c, "copying to the device");
}

/* ---- The loop ----------------------------------------------------------------------- */

static bool
fetch(cuda_engine *c, const joint_state *from, joint_state *state)
{
	well(c,
	     cudaMemcpyAsync(c->host_state, from, sizeof *from, cudaMemcpyDeviceToHost,
	                     c->kit.stream),
	     "sifting");
	if (!wait_for(c, "sifting"))
		return false;
	*state = *c->host_state;
	return true;
}

/* Of h[at]: the projections of own tiles, the steps of all, then the knots. */
template <class T>
static void
look_for_knots(cuda_engine *c, const joint_signal<T> &s, int at)
{
	well(c, joint_project(s, at, c->kit.stream), "projecting");
	joint_share_steps(c, s, at);
	well(c, joint_find_knots(s, at, c->kit.stream), "looking for knots");
}

/* One sift of h[at]. */
template <class T>
static bool
sift_once(cuda_engine *c, const joint_signal<T> &s, int at)
{
	look_for_knots(c, s, at);
	well(c, joint_subtract_mean(s, at, false, false, c->kit.stream), "sifting");
	joint_share_samples(c, s, 1 - at);
	return c->error == cudaSuccess;
}

/* Two sifts, from h[0] to h[1] and back, as one launch: kernels follow one another at
 * once, and the host has time. */
template <class T>
static bool
prepare_two(cuda_engine *c, const joint_signal<T> &s)
{
	if (c->two_sifts && c->two_sifts_tie == s.tie && c->two_sifts_vanished == s.vanished)
		return true;
	if (c->two_sifts)
		well(c, cudaGraphExecDestroy(c->two_sifts), "sifting");
	c->two_sifts = NULL;
	cudaGraph_t graph = NULL;
	/* Only of this thread: another may be copying. */
	if (!well(c, cudaStreamBeginCapture(c->kit.stream, cudaStreamCaptureModeThreadLocal),
	          "sifting"))
		return false;
	sift_once(c, s, 0);
	sift_once(c, s, 1);
	well(c, cudaStreamEndCapture(c->kit.stream, &graph), "sifting");
	if (c->error == cudaSuccess)
		well(c, cudaGraphInstantiate(&c->two_sifts, graph, 0), "sifting");
	if (graph)
		well(c, cudaGraphDestroy(graph), "sifting");
	c->two_sifts_tie = s.tie;
	c->two_sifts_vanished = s.vanished;
	return c->error == cudaSuccess;
}

/* sift_fixed() by several devices, which look at how far they are after the same sifts. */
template <class T>
static int
sift_fixed_shared(cuda_engine *c, const joint_signal<T> &s)
{
	const int sifts = c->e.params->o.sifts;
	joint_state state;
	for (int i = 0; i < sifts && c->error == cudaSuccess; ++i) {
		if (i > 0 && i % BATCH == 0) {
			if (!fetch(c, s.state, &state) || state.active == 0)
				return 0;
			wsi_progress_poll(c->e.progress);
		}
		if (wsi_cancelled(c->e.progress))
			return 0;
		sift_once(c, s, i % 2);
	}
	return sifts % 2;
}

/* A fixed number of sifts. Those after the last extremum is gone change nothing; the state
 * tells how many did. */
template <class T>
static int
sift_fixed(cuda_engine *c, const joint_signal<T> &s)
{
	const int sifts = c->e.params->o.sifts;
	joint_state state;
	if (sifts > 1 && !prepare_two(c, s))
		return 0;
	double since = wsi_now();
	for (int i = 0, launched = 0; i + 2 <= sifts && c->error == cudaSuccess; i += 2) {
		well(c, cudaGraphLaunch(c->two_sifts, c->kit.stream), "sifting");
		launched += 2;
		if (launched < c->batch)
			continue;
		launched = 0;
		/* Few that change nothing cost less than to wait, unless they are long. */
		if ((sifts - (i + 2) >= BATCH || c->batch < BATCH) &&
		    (!fetch(c, s.state, &state) || state.active == 0))
			break;
		wsi_progress_poll(c->e.progress);
		if (wsi_cancelled(c->e.progress))
			return 0;
		const double now = wsi_now();
		c->batch = now - since > LONG ? 2 : now - since < LONG / 4 ? BATCH : c->batch;
		since = now;
	}
	if (sifts % 2)
		sift_once(c, s, 0);
	return sifts % 2;
}

/* What a rule wants summed, of blocks of samples, to the host. */
template <class T>
static bool
fetch_sums(cuda_engine *c, const joint_signal<T> &s)
{
	well(c, cudaMemcpyAsync(c->joint_host, s.block_sums, sums_of(s) * sizeof *s.block_sums,
	                        cudaMemcpyDeviceToHost, c->kit.stream), "sifting");
	return wait_for(c, "sifting");
}

/* Adds it up in the order of the CPU. */
template <class T>
static void
add_sums(const cuda_engine *c, const joint_signal<T> &s, wsi_sift_stats *stats)
{
	const size_t n = sums_of(s);
	double *const sums = (double *)c->joint_host;
	stats->sum_m2 = sum_tree(sums, n / 2);
	stats->sum_h2 = sum_tree(sums + n / 2, n / 2);
}

/* What a sift works with. */
template <class T> struct sifting {
	cuda_engine *c;
	const joint_signal<T> *s;
};

/* wsi_joint_steps.find: the host decides. */
template <class T>
static bool
find_knots(void *user, int at, wsi_joint_found *found)
{
	const sifting<T> &with = *(const sifting<T> *)user;
	joint_state state;
	look_for_knots(with.c, *with.s, at);
	if (!fetch(with.c, with.s->state, &state))
		return false;
	*found = { state.most_extrema, state.agrees != 0 };
	return state.active > 0;
}

/* wsi_joint_steps.subtract */
template <class T>
static bool
subtract_mean(void *user, int at, wsi_wants wants, wsi_sift_stats *stats)
{
	const sifting<T> &with = *(const sifting<T> *)user;
	cuda_engine *const c = with.c;
	const joint_signal<T> &s = *with.s;
	joint_state state = {};
	wsi_progress_poll(c->e.progress);
	well(c, cudaMemsetAsync(&s.state->above_sd, 0, 2 * sizeof s.state->above_sd, c->kit.stream),
	     "sifting");
	well(c, joint_subtract_mean(s, at, wants.above, wants.sums, c->kit.stream), "sifting");
	joint_share_samples(c, s, 1 - at);
	if ((wants.above && !fetch(c, s.state, &state)) || (wants.sums && !fetch_sums(c, s)))
		return false;
	if (wants.above || wants.sums)
		joint_share_statistics(c, s, &state, wants.sums ? (double *)c->joint_host : NULL);
	if (wsi_cancelled(c->e.progress))
		return false;
	if (wants.sums)
		add_sums(c, s, stats);
	stats->above.above_sd = (int64_t)state.above_sd;
	stats->above.above_sd2 = (int64_t)state.above_sd2;
	return true;
}

template <class T>
static void
sift_typed(wsi_engine *e, const wsi_joint_job *job)
{
	cuda_engine *c = cuda(e);
	wsi_arena memory = c->joint;
	joint_signal<T> s = lay_out<T>(c, &memory);
	double magnitude2 = 0.0;
	for (int i = 0; i < s.channels; ++i)
		magnitude2 = fma(job->input[i].magnitude, job->input[i].magnitude, magnitude2);
	const double flat = e->params->resolution * sqrt(magnitude2);
	s.flat = (T)flat;
	s.tie = boundary_tie(flat);
	s.vanished = s.vanishing ? ldexp(WSI_JOINT_VANISHED, -job->input[0].exponent) : 0.0;
	if (!c->directions_sent)
		send_directions(c, s);
	c->directions_sent = true;
	well(c, cudaMemsetAsync(s.state, 0, sizeof *s.state, c->kit.stream), "preparing channels");
	well(c, joint_gather(s, (const T *)job->r.base, job->r.stride / sizeof(T), c->kit.stream),
	     "preparing channels");
	joint_share_begin(c, s, job);
	if (c->error != cudaSuccess || wsi_cancelled(e->progress))
		return;
	const bool fixed = e->params->o.stop_rule == WS_STOP_FIXED;
	wsi_sifted &sifted = *job->sifted;
	sifting<T> with = { c, &s };
	const wsi_joint_steps steps = { find_knots<T>, subtract_mean<T>, &with };
	const int at = fixed ? c->share.job ? sift_fixed_shared(c, s) : sift_fixed(c, s)
	                     : job->loop(e->params, job->max_sifts, &steps, &sifted);
	if (c->error != cudaSuccess || wsi_cancelled(e->progress))
		return;
	if (!fixed && !sifted.oscillates) {
		joint_share_end(c);
		return;
	}
	/* The mode before may still be on its way to the host. */
	well(c, transfer_end(c->kit.beside), "copying from the device");
	well(c, joint_scatter(s, at, fixed, (T *)job->out.base, job->out.stride / sizeof(T),
	                      (T *)job->r.base, job->r.stride / sizeof(T), c->kit.stream),
	     "finishing channels");
	/* What is asked next comes with what is to be known now: each wait leaves the device
	 * idle. */
	joint_state state;
	cuda_send_for_extents(c, job->r);
	if (!fetch(c, s.state, &state))
		return;
	joint_share_end(c);
	if (fixed) {
		sifted.sifts = state.sifts;
		sifted.oscillates = state.sifts > 0;
	}
	sifted.untouched = sifted.oscillates && sifted.sifts == 0;
	if (sifted.oscillates)
		cuda_read_extents(c, job->left, job->r.n);
}

void
cuda_sift_joint(wsi_engine *e, const wsi_joint_job *job)
{
	*job->sifted = {};
	if (cuda(e)->error != cudaSuccess)
		return;
	if (is_f64(e))
		sift_typed<double>(e, job);
	else
		sift_typed<float>(e, job);
}
