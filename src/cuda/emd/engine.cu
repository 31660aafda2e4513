/* engine.cu - rows on a CUDA device, passes over them, and the engine's life. */
#include "cuda/emd/engine.h"
#include "cuda/emd/joint.h"

#include <stdio.h>
#include <string.h>

#include <mutex>

extern const size_t cuda_engine_bytes = sizeof(cuda_engine);

/* ---- Rows ---------------------------------------------------------------------------- */

static wsi_rows
take(wsi_engine *e, int n, wsi_use use)
{
	cuda_engine *c = cuda(e);
	wsi_arena *memory = use == WSI_USED_SELDOM ? c->seldom : c->memory;
	const size_t words = WSI_WORDS(e->params->samples) * WSI_WORD, used = e->params->samples;
	const size_t stride = words * element(e->params);
	wsi_rows r = { (char *)wsi_arena_take(memory, (size_t)n * stride), stride, n };
	/* What pads a row is read, though nothing depends on it. */
	const size_t pad = (words - used) * element(e->params);
	if (e->measuring || pad == 0)
		return r;
	char *const first = r.base + used * element(e->params);
	if (stride <= c->device->facts.memPitch)
		well(c, cudaMemset2DAsync(first, stride, 0, pad, (size_t)n, c->kit.stream),
		     "clearing rows");
	else
		for (int i = 0; i < n; ++i)
			well(c, cudaMemsetAsync(first + (size_t)i * stride, 0, pad, c->kit.stream),
			     "clearing rows");
	return r;
}

/* ---- The caller's unit (engine.h) --------------------------------------------------------- */

#define FMA(a, b, c) fma((a), (b), (c))
#define REAL SCALAR
#define TEMPLATE "math/scale.h"
#include "math/both_types.h"
#undef REAL
#undef FMA

static row_unit
unit_of(const wsi_engine *e, int exponent, double offset)
{
	if (is_f64(e)) {
		const power_f64 p = power_of_two_f64(exponent);
		return { p.one, p.two, offset };
	}
	const power_f32 p = power_of_two_f32(exponent);
	return { p.one, p.two, offset };
}

static void
run_scale(wsi_engine *e, wsi_rows rows, const row_unit *units, row_unit unit)
{
	cuda_engine *c = cuda(e);
	well(c, is_f64(e) ? rows_scale(typed<double>(rows), units, unit, samples(e), c->kit.stream)
	                  : rows_scale(typed<float>(rows), units, unit, samples(e), c->kit.stream),
	     "scaling rows");
}

/* Rows, of those that which names, by unit(of[i]), which is nothing where is(of[i]) is false. */
template <class Is, class Unit>
static void
scale_rows(wsi_engine *e, wsi_rows rows, const bool *which, const wsi_extent *of, Is is, Unit unit)
{
	cuda_engine *c = cuda(e);
	bool any = false, alike = !which;
	for (int i = 0; i < rows.n; ++i) {
		any = any || is(of[i]);
		alike = alike && of[i].exponent == of[0].exponent && of[i].offset == of[0].offset;
	}
	if (!any || c->error != cudaSuccess)
		return;
	if (alike) {
		run_scale(e, rows, NULL, unit(of[0]));
		return;
	}
	IN_PARTS(c, first, n, rows.n) {
		for (int i = 0; i < n; ++i)
			c->host_units[i] = !which || which[first + i] ? unit(of[first + i])
			                                              : row_unit{ 1.0, 1.0, 0.0 };
		well(c,
		     cudaMemcpyAsync(c->units, c->host_units, (size_t)n * sizeof *c->units,
		                     cudaMemcpyHostToDevice, c->kit.stream),
		     "copying to the device");
		run_scale(e, wsi_some_rows(rows, first, n), c->units, {});
		wait_for(c, "scaling rows");
	}
}

/* Rows that have come from the caller. */
static void
take_unit_off(wsi_engine *e, wsi_rows rows, const wsi_extent *of)
{
	if (of)
		scale_rows(
			e, rows, NULL, of,
			[](const wsi_extent &x) { return x.exponent || x.offset != 0.0; },
			[=](const wsi_extent &x) { return unit_of(e, -x.exponent, x.offset); });
}

/* Rows that are to go there. */
static void
put_unit_back(wsi_engine *e, wsi_rows rows, const bool *which, const wsi_extent *of)
{
	if (of)
		scale_rows(e, rows, which, of, [](const wsi_extent &x) { return x.exponent != 0; },
		           [=](const wsi_extent &x) { return unit_of(e, x.exponent, 0.0); });
}

/* ---- To and fro ------------------------------------------------------------------------- */

static transfer_rows
rows_between(const wsi_engine *e, void *host, size_t stride, wsi_rows rows)
{
	return { (char *)host,
		 rows.base,
		 stride,
		 rows.stride,
		 e->params->samples * element(e->params),
		 (size_t)rows.n,
		 true,
		 NULL,
		 e->progress };
}

static void
put(wsi_engine *e, wsi_rows rows, const void *host, size_t stride, const wsi_extent *of)
{
	cuda_engine *c = cuda(e);
	transfer_rows job = rows_between(e, (void *)host, stride, rows);
	job.to_host = false;
	if (c->error == cudaSuccess)
		well(c, transfer_now(c->kit.now, job, c->kit.stream), "copying to the device");
	take_unit_off(e, rows, of);
}

static void
get(wsi_engine *e, void *host, size_t stride, wsi_rows rows, const bool *which,
    const wsi_extent *of)
{
	cuda_engine *c = cuda(e);
	put_unit_back(e, rows, which, of);
	transfer_rows job = rows_between(e, host, stride, rows);
	job.which = which;
	if (c->error == cudaSuccess)
		well(c, transfer_now(c->kit.now, job, c->kit.stream), "copying from the device");
	well(c, transfer_end(c->kit.beside), "copying from the device");
}

static void
get_beside(wsi_engine *e, void *host, size_t stride, wsi_rows rows, const wsi_extent *of)
{
	cuda_engine *c = cuda(e);
	put_unit_back(e, rows, NULL, of);
	well(c, transfer_end(c->kit.beside), "copying from the device");
	if (c->error == cudaSuccess)
		well(c,
		     transfer_begin(c->kit.beside, rows_between(e, host, stride, rows),
		                    c->kit.stream),
		     "copying from the device");
}

static void
run_pass(wsi_engine *e, row_pass pass, wsi_rows y, wsi_rows a, wsi_rows b, double number,
         const double *scale)
{
	cuda_engine *c = cuda(e);
	if (c->error != cudaSuccess)
		return;
	const int n = samples(e);
	well(c,
	     is_f64(e) ? rows_pass(pass, typed<double>(y), typed<double>(a), typed<double>(b),
	                           number, scale, n, c->kit.stream)
	               : rows_pass(pass, typed<float>(y), typed<float>(a), typed<float>(b), number,
	                           scale, n, c->kit.stream),
	     "a pass over rows");
}

static void
copy(wsi_engine *e, wsi_rows y, wsi_rows a)
{
	run_pass(e, PASS_COPY, y, a, a, 0.0, NULL);
}

static void
zero(wsi_engine *e, wsi_rows y)
{
	run_pass(e, PASS_ZERO, y, y, y, 0.0, NULL);
}

static void
subtract(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b)
{
	run_pass(e, PASS_SUBTRACT, y, a, b, 0.0, NULL);
}

static void
add(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b)
{
	run_pass(e, PASS_ADD, y, a, b, 0.0, NULL);
}

static void
divide(wsi_engine *e, wsi_rows y, wsi_rows a, double divisor)
{
	run_pass(e, PASS_DIVIDE, y, a, a, divisor, NULL);
}

/* A pass that has a number for each row: number(i). */
template <class Number>
static void
run_scaled(wsi_engine *e, row_pass pass, wsi_rows y, wsi_rows a, wsi_rows b, Number number)
{
	cuda_engine *c = cuda(e);
	IN_PARTS(c, first, n, y.n) {
		for (int i = 0; i < n; ++i)
			c->host_double[i] = number(first + i);
		well(c,
		     cudaMemcpyAsync(c->scale, c->host_double, (size_t)n * sizeof *c->scale,
		                     cudaMemcpyHostToDevice, c->kit.stream),
		     "copying to the device");
		run_pass(e, pass, wsi_some_rows(y, first, n), wsi_some_rows(a, first, n),
		         wsi_some_rows(b, first, n), 0.0, c->scale);
		wait_for(c, "adding rows");
	}
}

static void
shift(wsi_engine *e, wsi_rows y, const wsi_extent *of)
{
	run_scaled(e, PASS_SHIFT, y, y, y, [=](int i) { return of[i].offset; });
}

static void
add_scaled(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b, const double *scale)
{
	run_scaled(e, PASS_ADD_SCALED, y, a, b, [=](int i) { return scale[i]; });
}

static void
noise(wsi_engine *e, wsi_rows y, uint32_t stream, int first, int repeat)
{
	cuda_engine *c = cuda(e);
	const uint64_t seed = e->params->o.seed;
	if (c->error == cudaSuccess)
		well(c,
		     is_f64(e) ? rows_noise(typed<double>(y), seed, stream, first, repeat,
		                            samples(e), c->kit.stream)
		               : rows_noise(typed<float>(y), seed, stream, first, repeat,
		                            samples(e), c->kit.stream),
		     "drawing noise");
}

static void
sum(wsi_engine *e, wsi_rows all, wsi_rows of, int apart)
{
	cuda_engine *c = cuda(e);
	if (c->error == cudaSuccess)
		well(c,
		     is_f64(e) ? rows_sum(typed<double>(all), typed<double>(of), apart, samples(e),
		                          c->kit.stream)
		               : rows_sum(typed<float>(all), typed<float>(of), apart, samples(e),
		                          c->kit.stream),
		     "summing rows");
}

/* ---- About rows ------------------------------------------------------------------------ */

static void
extent(wsi_engine *e, wsi_rows a, wsi_extent *out)
{
	cuda_engine *c = cuda(e);
	IN_PARTS(c, first, n, a.n) {
		cuda_send_for_extents(c, wsi_some_rows(a, first, n));
		if (wait_for(c, "looking for extremes"))
			cuda_read_extents(c, out + first, n);
	}
}

/* Totals of rows into c->total; see rows_total. */
static void
total(wsi_engine *e, wsi_rows a, bool square, const double *mean)
{
	cuda_engine *c = cuda(e);
	well(c,
	     is_f64(e) ? rows_total(typed<double>(a), square, mean, c->nodes, c->total, samples(e),
	                            c->kit.stream)
	               : rows_total(typed<float>(a), square, mean, c->nodes, c->total, samples(e),
	                            c->kit.stream),
	     "summing over samples");
}

/* c->total of n rows to the host. */
static void
fetch_total(cuda_engine *c, double *out, int n)
{
	well(c,
	     cudaMemcpyAsync(c->host_double, c->total, (size_t)n * sizeof *out,
	                     cudaMemcpyDeviceToHost, c->kit.stream),
	     "summing over samples");
	if (wait_for(c, "summing over samples"))
		memcpy(out, c->host_double, (size_t)n * sizeof *out);
}

/* Means of rows into c->total and c->mean. */
static void
means(wsi_engine *e, wsi_rows a)
{
	cuda_engine *c = cuda(e);
	total(e, a, false, NULL);
	well(c, rows_mean(c->total, a.n, samples(e), c->kit.stream), "summing over samples");
	well(c,
	     cudaMemcpyAsync(c->mean, c->total, (size_t)a.n * sizeof *c->mean,
	                     cudaMemcpyDeviceToDevice, c->kit.stream),
	     "summing over samples");
}

static void
mean_std(wsi_engine *e, wsi_rows a, double *mean, double *std)
{
	cuda_engine *c = cuda(e);
	IN_PARTS(c, first, n, a.n) {
		const wsi_rows part = wsi_some_rows(a, first, n);
		means(e, part);
		if (mean)
			fetch_total(c, mean + first, n);
		total(e, part, true, c->mean);
		well(c, rows_std(c->total, n, samples(e), c->kit.stream), "summing over samples");
		fetch_total(c, std + first, n);
	}
}

static void
energy(wsi_engine *e, wsi_rows a, double *out)
{
	cuda_engine *c = cuda(e);
	const bool centred = e->params->centred;
	IN_PARTS(c, first, n, a.n) {
		const wsi_rows part = wsi_some_rows(a, first, n);
		if (centred)
			means(e, part);
		total(e, part, true, centred ? c->mean : NULL);
		fetch_total(c, out + first, n);
	}
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* What passes over n rows need. */
static void
take_passes(cuda_engine *c, size_t n)
{
	take_from(c->memory, c->nodes, n * (size_t)c->n_nodes);
	take_from(c->memory, c->total, n);
	take_from(c->memory, c->mean, n);
	take_from(c->memory, c->scale, n);
	take_from(c->memory, c->units, n);
	take_from(c->memory, c->m.low, n);
	take_from(c->memory, c->m.high, n);
}

/* Where the blocks of a row tell each other; of rows whose tiles may be on the
 * device together. */
static void
lay_out_board(cuda_engine *c, const wsi_params *params, wsi_arena *device)
{
	const cudaDeviceProp &d = c->device->facts;
	const bool f64 = params->type == WS_F64;
	const int most = f64 ? sift_most_team_blocks<double>(c->m.warps, d.multiProcessorCount)
	                     : sift_most_team_blocks<float>(c->m.warps, d.multiProcessorCount);
	c->m.stays = !params->cyclic;
	if (!c->m.stays || params->no_teams || c->m.tiles == 1 || !d.cooperativeLaunch ||
	    c->m.tiles > TEAM_TILES || c->m.tiles > most)
		return;
	const size_t twice = 2 * (size_t)most;
	c->board.blocks = most;
	take_from(device, c->board.word, twice);
	take_from(device, c->board.signs, twice);
	take_from(device, c->board.arrived, (size_t)most);
	c->board.note = (char *)wsi_arena_take(
		device, twice * (f64 ? sizeof(team_note<double>) : sizeof(team_note<float>)));
}

/* Of a relay, before the device is asked; 0 where rows take no such way. */
static int
most_relay_blocks(const cuda_engine *c)
{
	const wsi_params *p = c->e.params;
	const cudaDeviceProp &d = c->device->facts;
	if (stop_needs_sums(p->o.stop_rule) || p->cyclic || c->m.tiles == 1 ||
	    !d.cooperativeLaunch || c->device->impatient)
		return 0;
	return is_f64(&c->e) ? sift_most_relay_blocks<double>(c->m.warps, d.multiProcessorCount)
	                     : sift_most_relay_blocks<float>(c->m.warps, d.multiProcessorCount);
}

/* Only rows of several tiles are ever sifted by the cubics of all. */
static void
lay_out_cubics(cuda_engine *c, const wsi_params *params, wsi_arena *device)
{
	if (c->m.tiles == 1)
		return;
	const size_t n = (size_t)c->m.capacity, spans = (size_t)c->m.groups / 32;
	c->m.list = sift_most_few((int)spans) + 2 * WSI_NEAR;
	const size_t knots = n * 2 * (size_t)c->m.list;
	c->cubics = (char *)wsi_arena_take(device, knots * 4 * element(params));
	take_from(device, c->m.ticks, knots);
	take_from(device, c->m.places, n * spans);
}

void
cuda_engine_layout(void *engine, wsi_device *d, const wsi_params *params, int rows, int beside,
                   wsi_progress *progress, wsi_arena *host, wsi_arena *device, wsi_arena *seldom)
{
	cuda_engine *c = (cuda_engine *)engine;
	/* Joint sifting needs nothing that single rows do, but passes over its channels. */
	const bool joint = params->o.method == WS_METHOD_MEMD;
	if (joint)
		rows = (int)params->together;
	const size_t words = WSI_WORDS(params->samples), n = (size_t)(rows + beside);
	const size_t row_bytes = words * WSI_WORD * element(params);
	*c = {};
	c->e.params = params;
	c->e.progress = progress;
	c->e.arena = host;
	c->e.measuring = !host->base;
	c->e.modes_at_once = 1;
	c->e.take = take;
	c->e.put = put;
	c->e.get = get;
	c->e.get_beside = get_beside;
	c->e.copy = copy;
	c->e.zero = zero;
	c->e.subtract = subtract;
	c->e.add = add;
	c->e.divide = divide;
	c->e.shift = shift;
	c->e.add_scaled = add_scaled;
	c->e.noise = noise;
	c->e.sum = sum;
	c->e.extent = extent;
	c->e.mean_std = mean_std;
	c->e.energy = energy;
	c->e.oscillates = cuda_oscillates;
	c->e.sift = cuda_sift;
	c->e.sift_joint = cuda_sift_joint;
	c->device = d;
	c->memory = device;
	c->seldom = seldom ? seldom : device;
	c->m.capacity = rows + beside;
	c->e.gathers = rows;
	c->e.beside = beside;
	c->m.warps = params->type == WS_F64
		? sift_warps<double>(d->facts.sharedMemPerBlockOptin)
		: sift_warps<float>(d->facts.sharedMemPerBlockOptin);
	const int tile = c->m.warps * SIFT_SPAN;
	c->m.tiles = ((int)params->samples + tile - 1) / tile;
	c->m.groups = c->m.tiles * c->m.warps * 32;
	c->n_nodes = ((int)params->samples + NODE_SAMPLES - 1) / NODE_SAMPLES;
	const size_t groups = (size_t)c->m.groups;
	if (params->o.method == WS_METHOD_CEEMDAN || params->o.method == WS_METHOD_ICEEMDAN)
		take_from(device, c->y, n * row_bytes);
	if (joint) {
		cuda_joint_layout(c);
		take_passes(c, n);
		return;
	}
	take_passes(c, n);
	take_from(device, c->room, n * row_bytes);
	take_from(device, c->m.marks, n * 2 * BITMAPS * groups);
	take_from(device, c->m.summary, n * 2 * BITMAPS * groups / 32);
	take_from(device, c->m.knots, n * groups / 32);
	lay_out_cubics(c, params, device);
	take_from(device, c->m.edges, n * (size_t)c->m.tiles);
	take_from(device, c->m.sums, n * 3 * groups / 32);
	take_from(device, c->rows,
	          n * (params->type == WS_F64 ? sizeof(row<double>) : sizeof(row<float>)));
	take_from(device, c->m.work, SETS * ROW_PHASES * n);
	take_from(device, c->m.work_count, COUNTS);
	take_from(device, c->m.drawn, 1);
	take_from(device, c->m.relay, n);
	take_from(device, c->m.relay_ended, 1);
	take_from(device, c->list, LISTS * n);
	lay_out_board(c, params, device);
	take_from(device, c->m.input, n);
	c->m.relay_blocks = most_relay_blocks(c);
	cuda_plan_way(c);
}

/* Small arrays of the host, pinned so that copies do not wait. */
static void
lay_out_pinned(cuda_engine *c, wsi_arena *a)
{
	const size_t n = (size_t)c->m.capacity;
	for (int k = 0; k < LISTS; ++k)
		take_from(a, c->host_list[k], n);
	for (int k = 0; k < 2; ++k)
		take_from(a, c->host_count[k], COUNTS);
	take_from(a, c->host_drawn, 1);
	take_from(a, c->m.relayed, 2);
	take_from(a, c->host_input, n);
	take_from(a, c->m.output, (size_t)c->e.modes_at_once * n);
	take_from(a, c->host_double, n);
	take_from(a, c->host_units, n);
	take_from(a, c->waiting, n);
	take_from(a, c->host_low, n);
	take_from(a, c->host_high, n);
	take_from(a, c->host_state, 1);
}

ws_status
cuda_failed(cudaError_t error, const char *what, wsi_why *why)
{
	const bool memory = error == cudaErrorMemoryAllocation;
	snprintf(why->text, sizeof why->text, "%s: %s%s", what, cudaGetErrorString(error),
	         memory ? "; try `device cpu`, or lower `device_memory`" : "; try `device cpu`");
	return memory ? WS_E_NOMEM : WS_E_BACKEND;
}

/* All kernels that the engine may launch, while none of its launches is under way (load.h). */
static cudaError_t
load_kernels(const cuda_engine *c)
{
	const bool joint = c->e.params->o.method == WS_METHOD_MEMD, f64 = is_f64(&c->e);
	const std::lock_guard<std::mutex> guard(*(std::mutex *)c->device->lock);
	bool &loaded = c->device->loaded[joint][f64];
	if (loaded)
		return cudaSuccess;
	cudaError_t error = rows_load();
	if (error == cudaSuccess && joint)
		error = f64 ? joint_load<double>() : joint_load<float>();
	else if (error == cudaSuccess)
		error = f64 ? sift_load<double>() : sift_load<float>();
	loaded = error == cudaSuccess;
	return error;
}

/* Lowers the number of a relay's blocks to what the device says can run together. */
static void
count_relay_blocks(cuda_engine *c)
{
	if (c->m.relay_blocks == 0)
		return;
	const int processors = c->device->facts.multiProcessorCount;
	int blocks = 0;
	well(c,
	     is_f64(&c->e) ? sift_relay_blocks<double>(c->m.warps, processors, &blocks)
	                   : sift_relay_blocks<float>(c->m.warps, processors, &blocks),
	     "counting blocks");
	if (blocks < c->m.relay_blocks)
		c->m.relay_blocks = blocks;
}

/* The same of teams. */
static void
count_team_blocks(cuda_engine *c)
{
	if (c->board.blocks == 0)
		return;
	const int processors = c->device->facts.multiProcessorCount;
	int blocks = 0;
	well(c,
	     is_f64(&c->e) ? sift_team_blocks<double>(c->m.warps, processors, &blocks)
	                   : sift_team_blocks<float>(c->m.warps, processors, &blocks),
	     "counting blocks");
	if (blocks < c->board.blocks)
		c->board.blocks = blocks;
}

ws_status
cuda_engine_start(void *engine, wsi_why *why)
{
	cuda_engine *c = (cuda_engine *)engine;
	wsi_arena pinned = {};
	lay_out_pinned(c, &pinned);
	cudaError_t error = cudaSetDevice(c->device->number);
	if (error == cudaSuccess)
		error = load_kernels(c);
	c->kit = cuda_kit_take(c->device);
	if (error == cudaSuccess)
		error = cuda_kit_complete(&c->kit, c->device->number, pinned.used);
	if (error != cudaSuccess) {
		cuda_kit_close(&c->kit);
		return cuda_failed(error, "starting the device", why);
	}
	pinned = { c->kit.pinned, 0 };
	lay_out_pinned(c, &pinned);
	count_relay_blocks(c);
	count_team_blocks(c);
	/* Words of half bits are read with the summary that tells whether they are valid. */
	if (c->m.marks)
		well(c,
		     cudaMemsetAsync(c->m.marks, 0,
		                     (size_t)c->m.capacity * 2 * BITMAPS * (size_t)c->m.groups *
		                             sizeof *c->m.marks,
		                     c->kit.stream),
		     "starting the device");
	/* Of no job. */
	memset(c->m.output, 0,
	       (size_t)c->e.modes_at_once * (size_t)c->m.capacity * sizeof *c->m.output);
	memset(c->m.relayed, 0, 2 * sizeof *c->m.relayed);
	return WS_OK;
}

ws_status
cuda_engine_stop(void *engine, wsi_why *why)
{
	cuda_engine *c = (cuda_engine *)engine;
	wait_for(c, "waiting for the device");
	/* Nothing is written to memory of others. */
	well(c, cudaStreamSynchronize(c->kit.aside), "waiting for the device");
	transfer_end(c->kit.beside);
	if (c->two_sifts)
		cudaGraphExecDestroy(c->two_sifts);
	c->two_sifts = NULL;
	if (c->error == cudaSuccess)
		cuda_kit_give(c->device, &c->kit);
	else
		cuda_kit_close(&c->kit);
	return c->error == cudaSuccess ? WS_OK : cuda_failed(c->error, c->failed, why);
}
