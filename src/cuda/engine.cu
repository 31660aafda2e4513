/*
 * engine.cu - the engine on a CUDA device.
 *
 * One stream does everything in order; the host waits where an operation
 * tells something.  After the first failure nothing is done any more, and the
 * progress counts as cancelled, so that the algorithm ends.
 */
#include "cuda/engine.h"

#include <stdio.h>
#include <string.h>

#include "cuda/order.cuh"
#include "cuda/rows.h"
#include "cuda/sift.h"

/* Phases that are launched before the host looks which rows are done. */
constexpr int BATCH = 8;

/* Of cuda_engine.host_list. */
enum { ACTIVE, PASSED_OVER, LISTS };

/* Sets of rows that take turns, sift.h. */
constexpr int SETS = 3, COUNTS = SETS * ROW_PHASES;

struct cuda_engine {
	wsi_engine e;                 /* first: what algorithms see */
	wsi_device *device;
	wsi_arena *memory;            /* on the device */
	wsi_arena *seldom;            /* of rows that are used seldom: that, or the host's */
	int capacity;                 /* rows at a time */
	int warps, tiles, groups;     /* of a row, sift.h */
	int n_nodes;                  /* of a row's sums, rows.h */
	/* Device memory. */
	char *y, *room;
	uint16_t *marks;
	uint32_t *summary, *knots;
	char *cubics;
	int32_t *ticks;
	row_edge *edges;
	double *sums, *nodes, *total, *mean, *scale;
	unsigned long long *low, *high;
	char *rows;
	int *work, *work_count, *list;
	row_input *input;
	row_output *output;
	/* Pinned, for what goes to and fro. */
	char *pinned;
	int *host_list[LISTS];            /* rows that are sifted, and those that are not */
	int *host_count[2];           /* work_count, of two batches */
	row_input *host_input;
	row_output *host_output;
	double *host_double;
	unsigned long long *host_low, *host_high;
	cudaStream_t stream;
	cudaEvent_t event[2];
	cudaError_t error;
	const char *failed;           /* what was being done */
};

extern const size_t cuda_engine_bytes = sizeof(cuda_engine);

static cuda_engine *
cuda(wsi_engine *e)
{
	return (cuda_engine *)e;
}

/* Notes the first failure; true where all is well. */
static bool
well(cuda_engine *c, cudaError_t error, const char *what)
{
	if (c->error == cudaSuccess && error != cudaSuccess) {
		c->error = error;
		c->failed = what;
		wsi_progress_cancel(c->e.progress);
	}
	return c->error == cudaSuccess;
}

static bool
wait_for(cuda_engine *c, const char *what)
{
	return well(c, cudaStreamSynchronize(c->stream), what);
}

static size_t
element(const wsi_params *p)
{
	return p->type == WS_F64 ? sizeof(double) : sizeof(float);
}

template <class T>
static device_rows<T>
typed(wsi_rows r)
{
	return { (T *)r.base, r.stride / sizeof(T), r.n };
}

static bool
is_f64(const wsi_engine *e)
{
	return e->params->type == WS_F64;
}

static int
samples(const wsi_engine *e)
{
	return (int)e->params->samples;
}

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
	if (!e->measuring && words > used)
		well(c, cudaMemset2DAsync(r.base + used * element(e->params), stride, 0,
		                          (words - used) * element(e->params), (size_t)n, c->stream),
		     "clearing rows");
	return r;
}

/* Rows may lie on either side of a copy: the driver sees where. */
static void
put(wsi_engine *e, wsi_rows rows, int i, const void *host)
{
	cuda_engine *c = cuda(e);
	if (c->error == cudaSuccess)
		well(c, cudaMemcpyAsync(rows.base + i * rows.stride, host,
		                        e->params->samples * element(e->params), cudaMemcpyDefault,
		                        c->stream), "copying to the device");
}

static void
get(wsi_engine *e, void *host, wsi_rows rows, int i)
{
	cuda_engine *c = cuda(e);
	if (c->error != cudaSuccess)
		return;
	well(c, cudaMemcpyAsync(host, rows.base + i * rows.stride,
	                        e->params->samples * element(e->params), cudaMemcpyDefault,
	                        c->stream), "copying from the device");
	wait_for(c, "copying from the device");
}

static void
run_pass(wsi_engine *e, row_pass pass, wsi_rows y, wsi_rows a, wsi_rows b, double number,
         const double *scale)
{
	cuda_engine *c = cuda(e);
	if (c->error != cudaSuccess)
		return;
	const int n = samples(e);
	well(c, is_f64(e) ? rows_pass(pass, typed<double>(y), typed<double>(a), typed<double>(b), number,
	                              scale, n, c->stream)
	                  : rows_pass(pass, typed<float>(y), typed<float>(a), typed<float>(b), number,
	                              scale, n, c->stream), "a pass over rows");
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

static void
shift(wsi_engine *e, wsi_rows y, wsi_rows a, double by)
{
	run_pass(e, PASS_SHIFT, y, a, a, by, NULL);
}

/* Does something for at most `capacity` rows at a time. */
#define IN_PARTS(c, first, n, total)                                                        \
	for (int first = 0, n; first < (total) && (c)->error == cudaSuccess; first += n)    \
		if ((n = (total) - first < (c)->capacity ? (total) - first : (c)->capacity))

static void
add_scaled(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b, const double *scale)
{
	cuda_engine *c = cuda(e);
	IN_PARTS(c, first, n, y.n) {
		memcpy(c->host_double, scale + first, (size_t)n * sizeof *scale);
		well(c, cudaMemcpyAsync(c->scale, c->host_double, (size_t)n * sizeof *scale,
		                        cudaMemcpyHostToDevice, c->stream), "copying to the device");
		run_pass(e, PASS_ADD_SCALED, wsi_some_rows(y, first, n), wsi_some_rows(a, first, n),
		         wsi_some_rows(b, first, n), 0.0, c->scale);
		wait_for(c, "adding rows");
	}
}

static void
noise(wsi_engine *e, wsi_rows y, uint32_t stream, int first, int repeat)
{
	cuda_engine *c = cuda(e);
	const uint64_t seed = e->params->o.seed;
	if (c->error == cudaSuccess)
		well(c, is_f64(e) ? rows_noise(typed<double>(y), seed, stream, first, repeat, samples(e),
		                               c->stream)
		                  : rows_noise(typed<float>(y), seed, stream, first, repeat, samples(e),
		                               c->stream), "drawing noise");
}

static void
sum(wsi_engine *e, wsi_rows y, wsi_rows a)
{
	cuda_engine *c = cuda(e);
	if (c->error == cudaSuccess)
		well(c, is_f64(e) ? rows_sum(typed<double>(y), typed<double>(a), samples(e), c->stream)
		                  : rows_sum(typed<float>(y), typed<float>(a), samples(e), c->stream),
		     "summing rows");
}

/* ---- About rows ------------------------------------------------------------------------ */

/* The same as wsi_sifter_extent makes of the two extremes. */
static wsi_extent
extent_of(bool f64, double min, double max)
{
	const double low = min < 0.0 ? -min : min, high = max < 0.0 ? -max : max;
	wsi_extent out = { max - min, low > high ? low : high, 0.0 };
	if ((min > 0.0 || max < 0.0) && out.magnitude <= 2.0 * (low < high ? low : high)) {
		const double middle = min + 0.5 * out.range;
		out.offset = f64 ? middle : (double)(float)middle;
	}
	return out;
}

static void
extent(wsi_engine *e, wsi_rows a, wsi_extent *out)
{
	cuda_engine *c = cuda(e);
	IN_PARTS(c, first, n, a.n) {
		const wsi_rows part = wsi_some_rows(a, first, n);
		well(c, is_f64(e) ? rows_extremes(typed<double>(part), c->low, c->high, samples(e), c->stream)
		                  : rows_extremes(typed<float>(part), c->low, c->high, samples(e), c->stream),
		     "looking for extremes");
		cudaMemcpyAsync(c->host_low, c->low, (size_t)n * sizeof *c->low, cudaMemcpyDeviceToHost,
		                c->stream);
		cudaMemcpyAsync(c->host_high, c->high, (size_t)n * sizeof *c->high, cudaMemcpyDeviceToHost,
		                c->stream);
		if (!wait_for(c, "looking for extremes"))
			break;
		for (int i = 0; i < n; ++i)
			out[first + i] = extent_of(is_f64(e), to_real(c->host_low[i]), to_real(c->host_high[i]));
	}
}

/* Totals of rows into c->total; see rows_total. */
static void
total(wsi_engine *e, wsi_rows a, bool square, const double *mean)
{
	cuda_engine *c = cuda(e);
	well(c, is_f64(e) ? rows_total(typed<double>(a), square, mean, c->nodes, c->total, samples(e),
	                               c->stream)
	                  : rows_total(typed<float>(a), square, mean, c->nodes, c->total, samples(e),
	                               c->stream), "summing over samples");
}

/* c->total of n rows to the host. */
static void
fetch_total(cuda_engine *c, double *out, int n)
{
	cudaMemcpyAsync(c->host_double, c->total, (size_t)n * sizeof *out, cudaMemcpyDeviceToHost,
	                c->stream);
	if (wait_for(c, "summing over samples"))
		memcpy(out, c->host_double, (size_t)n * sizeof *out);
}

static void
mean_std(wsi_engine *e, wsi_rows a, double *mean, double *std)
{
	cuda_engine *c = cuda(e);
	IN_PARTS(c, first, n, a.n) {
		const wsi_rows part = wsi_some_rows(a, first, n);
		total(e, part, false, NULL);
		well(c, rows_mean(c->total, n, samples(e), c->stream), "summing over samples");
		cudaMemcpyAsync(c->mean, c->total, (size_t)n * sizeof *c->mean, cudaMemcpyDeviceToDevice,
		                c->stream);
		if (mean)
			fetch_total(c, mean + first, n);
		total(e, part, true, c->mean);
		well(c, rows_std(c->total, n, samples(e), c->stream), "summing over samples");
		fetch_total(c, std + first, n);
	}
}

static void
energy(wsi_engine *e, wsi_rows a, double *out)
{
	cuda_engine *c = cuda(e);
	IN_PARTS(c, first, n, a.n) {
		total(e, wsi_some_rows(a, first, n), true, NULL);
		fetch_total(c, out + first, n);
	}
}

/* ---- Sifting ----------------------------------------------------------------------------- */

template <class T>
static sift_rows<T>
rows_of_job(wsi_engine *e, const wsi_sift_job *job)
{
	const cuda_engine *c = cuda(e);
	const wsi_params *p = e->params;
	const ws_emd_opts *o = &p->o;
	sift_rows<T> s = {};
	s.r = (T *)job->r.base;
	s.b = job->scale ? (const T *)job->b.base : NULL;
	s.out = (T *)job->out.base;
	s.y = (T *)c->y;
	s.room = (T *)c->room;
	s.r_stride = job->r.stride / sizeof(T);
	s.b_stride = job->b.stride / sizeof(T);
	s.out_stride = job->out.stride / sizeof(T);
	s.stride = WSI_WORDS(p->samples) * WSI_WORD;
	s.n = samples(e);
	s.tiles = c->tiles;
	s.tiles_inverse = (unsigned)(((uint64_t)1 << 32) / (uint64_t)c->tiles);
	s.groups = c->groups;
	s.marks = c->marks;
	s.summary = c->summary;
	s.knots = c->knots;
	s.cubics = (four<T> *)c->cubics;
	s.ticks = c->ticks;
	s.edges = c->edges;
	s.sums = c->sums;
	s.low = c->low;
	s.high = c->high;
	s.rows = (row<T> *)c->rows;
	s.work = c->work;
	s.work_count = c->work_count;
	s.capacity = c->capacity;
	s.processors = c->device->facts.multiProcessorCount;
	s.early = c->device->facts.major >= 9;
	s.input = c->input;
	s.output = c->output;
	s.boundary = o->boundary;
	s.spline = o->spline;
	s.stop = o->stop;
	memcpy(s.stop_param, p->stop, sizeof s.stop_param);
	s.sifts = o->sifts;
	s.max_sifts = job->max_sifts;
	s.check_every = o->check_every;
	s.min_extrema = p->min_extrema;
	s.plateaus = p->plateaus;
	s.half_ticks = p->half_ticks;
	s.cyclic = p->cyclic;
	s.needs_both = p->needs_both;
	s.compare_crossings = p->compare_crossings;
	s.signs = o->stop == WS_STOP_RILLING || o->stop == WS_STOP_S_NUMBER;
	s.step = job->step;
	s.tiny_modes = p->tiny_modes;
	s.imf_ends = p->imf_ends;
	s.rest = job->rest;
	s.deflate = job->deflate;
	return s;
}

/*
 * Knots that one block lists and solves for a whole row in less time than its
 * tiles would, each for itself.  While they would find processors idle anyway,
 * that pays only for very few.
 */
static int
few_knots(const cuda_engine *c, int rows)
{
	constexpr int BLOCKS = 8, A_SPAN = 24, VERY_FEW = 256;
	if ((int64_t)c->tiles * rows < (int64_t)BLOCKS * c->device->facts.multiProcessorCount)
		return VERY_FEW;
	const int most = A_SPAN * (c->groups / 32);
	return most < ROW_FEW_KNOTS ? most : ROW_FEW_KNOTS;
}

/* Sends a list of rows to the device. */
static const int *
send_list(cuda_engine *c, int set, int count)
{
	int *to = c->list + set * c->capacity;
	well(c, cudaMemcpyAsync(to, c->host_list[set], (size_t)count * sizeof *to, cudaMemcpyHostToDevice,
	                        c->stream), "copying to the device");
	return to;
}

/* Rows before they are sifted; returns how many of them are, named by list ACTIVE. */
static int
prepare(wsi_engine *e, const wsi_sift_job *job, size_t row_bytes)
{
	cuda_engine *c = cuda(e);
	const wsi_params *p = e->params;
	const int n = job->r.n;
	int count = 0;
	for (int i = 0; i < n; ++i) {
		c->host_input[i] = { job->scale ? job->scale[i] : 0.0,
			             p->resolution * job->input[i].magnitude,
			             p->tiny_range * job->input[i].range };
		if (!job->active || job->active[i])
			c->host_list[ACTIVE][count++] = i;
	}
	const size_t rows = (size_t)n;
	cudaMemcpyAsync(c->input, c->host_input, rows * sizeof *c->input, cudaMemcpyHostToDevice,
	                c->stream);
	cudaMemsetAsync(c->rows, 0, rows * row_bytes, c->stream);
	cudaMemsetAsync(c->work_count, 0, COUNTS * sizeof *c->work_count, c->stream);
	cudaMemsetAsync(c->output, 0, rows * sizeof *c->output, c->stream);
	cudaMemsetAsync(c->low, 0xff, rows * sizeof *c->low, c->stream);
	well(c, cudaMemsetAsync(c->high, 0, rows * sizeof *c->high, c->stream), "preparing rows");
	return count;
}

/*
 * Takes rows of several tiles from one sift to the next.  Which rows go on is
 * decided on the device; the host looks how many are left after a batch, while
 * the next is under way.
 */
template <class T>
static void
run_steps(wsi_engine *e, const sift_rows<T> &s, int count)
{
	cuda_engine *c = cuda(e);
	const bool fixed = s.stop == WS_STOP_FIXED;
	bool pending = false;
	for (int made = 0, slot = 0; c->error == cudaSuccess && !wsi_cancelled(e->progress);
	     slot = 1 - slot) {
		const int batch = fixed && s.sifts - made < 4 * BATCH ? s.sifts - made : BATCH;
		for (int i = 0; i < batch; ++i)
			well(c, sift_step(s, (made + i) % SETS, count, c->stream), "sifting");
		made += batch;
		if (fixed && made == s.sifts)
			return;
		cudaMemcpyAsync(c->host_count[slot], c->work_count, COUNTS * sizeof(int),
		                cudaMemcpyDeviceToHost, c->stream);
		well(c, cudaEventRecord(c->event[slot], c->stream), "sifting");
		if (pending) {
			if (!well(c, cudaEventSynchronize(c->event[1 - slot]), "sifting"))
				return;
			/* After the batch before this one. */
			const int *left = c->host_count[1 - slot] + (made - batch) % SETS * ROW_PHASES;
			count = left[ROW_KNOTS] + left[ROW_CUBICS];
			if (count == 0)
				return;
		}
		pending = true;
		if (fixed)
			wsi_progress_part(e->progress, (double)made / s.sifts);
		else
			wsi_progress_poll(e->progress);
	}
}

template <class T>
static void
sift_typed(wsi_engine *e, const wsi_sift_job *job)
{
	cuda_engine *c = cuda(e);
	const int n = job->r.n, count = prepare(e, job, sizeof(row<T>));
	sift_rows<T> s = rows_of_job<T>(e, job);
	s.few = few_knots(c, count);
	int idle = 0;
	for (int i = 0; i < n; ++i)
		if (job->active && !job->active[i])
			c->host_list[PASSED_OVER][idle++] = i;
	if (idle > 0)
		well(c, rows_clear(typed<T>(job->out), send_list(c, PASSED_OVER, idle), idle, s.n, c->stream),
		     "clearing rows");
	if (count > 0) {
		const int *list = send_list(c, ACTIVE, count);
		if (s.tiles == 1) {
			well(c, sift_whole(s, list, count, c->stream), "sifting");
		} else {
			well(c, sift_start(s, list, count, c->stream), "sifting");
			run_steps(e, s, count);
		}
		cudaMemsetAsync(c->low, 0xff, (size_t)n * sizeof *c->low, c->stream);
		cudaMemsetAsync(c->high, 0, (size_t)n * sizeof *c->high, c->stream);
		well(c, sift_finish(s, list, count, c->stream), "finishing rows");
	}
	cudaMemcpyAsync(c->host_output, c->output, (size_t)n * sizeof *c->output, cudaMemcpyDeviceToHost,
	                c->stream);
	if (!wait_for(c, "sifting"))
		return;
	for (int i = 0; i < n; ++i) {
		const row_output *o = &c->host_output[i];
		job->sifted[i] = { o->sifts, o->oscillates, o->untouched, o->unfinished };
	}
	if (job->std)
		mean_std(e, job->out, NULL, job->std);
}

static void
sift(wsi_engine *e, const wsi_sift_job *job)
{
	memset(job->sifted, 0, (size_t)job->r.n * sizeof *job->sifted);
	if (job->std)
		memset(job->std, 0, (size_t)job->r.n * sizeof *job->std);
	if (cuda(e)->error != cudaSuccess)
		return;
	if (is_f64(e))
		sift_typed<double>(e, job);
	else
		sift_typed<float>(e, job);
}

template <class T>
static void
oscillates_typed(wsi_engine *e, wsi_rows a, const wsi_extent *input, bool *out)
{
	cuda_engine *c = cuda(e);
	wsi_sift_job job = {};
	job.r = a;
	job.out = a;
	job.input = input;
	job.step = true;
	job.max_sifts = 1;
	int count = prepare(e, &job, sizeof(row<T>));
	const sift_rows<T> s = rows_of_job<T>(e, &job);
	well(c, sift_start(s, send_list(c, ACTIVE, count), count, c->stream), "looking for extrema");
	cudaMemcpyAsync(c->host_output, c->output, (size_t)a.n * sizeof *c->output,
	                cudaMemcpyDeviceToHost, c->stream);
	if (wait_for(c, "looking for extrema"))
		for (int i = 0; i < a.n; ++i)
			out[i] = c->host_output[i].oscillates;
}

static void
oscillates(wsi_engine *e, wsi_rows a, const wsi_extent *input, bool *out)
{
	cuda_engine *c = cuda(e);
	if (e->params->min_extrema == 0) {
		for (int i = 0; i < a.n; ++i)
			out[i] = true;
		return;
	}
	memset(out, 0, (size_t)a.n * sizeof *out);
	IN_PARTS(c, first, n, a.n) {
		if (is_f64(e))
			oscillates_typed<double>(e, wsi_some_rows(a, first, n), input + first, out + first);
		else
			oscillates_typed<float>(e, wsi_some_rows(a, first, n), input + first, out + first);
	}
}

/* ---- Life ------------------------------------------------------------------------------------ */

template <class P>
static void
take_from(wsi_arena *arena, P *&p, size_t n)
{
	p = (P *)wsi_arena_take(arena, n * sizeof *p);
}

void
cuda_engine_layout(void *engine, wsi_device *d, const wsi_params *params, int rows,
                   wsi_progress *progress, wsi_arena *host, wsi_arena *device, wsi_arena *seldom)
{
	cuda_engine *c = (cuda_engine *)engine;
	const size_t words = WSI_WORDS(params->samples), n = (size_t)rows;
	const size_t row_bytes = words * WSI_WORD * element(params);
	*c = {};
	c->e.params = params;
	c->e.progress = progress;
	c->e.arena = host;
	c->e.measuring = !host->base;
	c->e.take = take;
	c->e.put = put;
	c->e.get = get;
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
	c->e.oscillates = oscillates;
	c->e.sift = sift;
	c->device = d;
	c->memory = device;
	c->seldom = seldom ? seldom : device;
	c->capacity = rows;
	c->warps = sift_warps((int)params->samples);
	const int tile = c->warps * SIFT_SPAN;
	c->tiles = ((int)params->samples + tile - 1) / tile;
	c->groups = c->tiles * c->warps * 32;
	c->n_nodes = ((int)params->samples + NODE_SAMPLES - 1) / NODE_SAMPLES;
	const size_t groups = (size_t)c->groups;
	if (params->o.method == WS_CEEMDAN || params->o.method == WS_ICEEMDAN)
		take_from(device, c->y, n * row_bytes);
	take_from(device, c->room, n * row_bytes);
	take_from(device, c->marks, n * 4 * groups);
	take_from(device, c->summary, n * 4 * groups / 32);
	take_from(device, c->knots, n * groups / 32);
	/* Only rows of several tiles are ever sifted by the cubics of all. */
	if (c->tiles > 1) {
		c->cubics = (char *)wsi_arena_take(device, n * 2 * ROW_LIST * 4 * element(params));
		take_from(device, c->ticks, n * 2 * ROW_LIST);
	}
	take_from(device, c->edges, n * (size_t)c->tiles);
	take_from(device, c->sums, n * 3 * groups / 32);
	take_from(device, c->nodes, n * (size_t)c->n_nodes);
	take_from(device, c->total, n);
	take_from(device, c->mean, n);
	take_from(device, c->scale, n);
	take_from(device, c->low, n);
	take_from(device, c->high, n);
	take_from(device, c->rows, n * (params->type == WS_F64 ? sizeof(row<double>) : sizeof(row<float>)));
	take_from(device, c->work, SETS * ROW_PHASES * n);
	take_from(device, c->work_count, COUNTS);
	take_from(device, c->list, LISTS * n);
	take_from(device, c->input, n);
	take_from(device, c->output, n);
}

/* Small arrays of the host, pinned so that copies do not wait. */
static void
lay_out_pinned(cuda_engine *c, wsi_arena *a)
{
	const size_t n = (size_t)c->capacity;
	for (int k = 0; k < LISTS; ++k)
		take_from(a, c->host_list[k], n);
	for (int k = 0; k < 2; ++k)
		take_from(a, c->host_count[k], COUNTS);
	take_from(a, c->host_input, n);
	take_from(a, c->host_output, n);
	take_from(a, c->host_double, n);
	take_from(a, c->host_low, n);
	take_from(a, c->host_high, n);
}

ws_status
cuda_failed(cudaError_t error, const char *what, wsi_why *why)
{
	const bool memory = error == cudaErrorMemoryAllocation;
	snprintf(why->text, sizeof why->text, "%s: %s%s", what, cudaGetErrorString(error),
	         memory ? "; lower --device-memory, or take fewer channels or realizations"
	                : "; try --device cpu");
	return memory ? WS_E_NOMEM : WS_E_BACKEND;
}

ws_status
cuda_engine_start(void *engine, wsi_why *why)
{
	cuda_engine *c = (cuda_engine *)engine;
	wsi_arena pinned = {};
	lay_out_pinned(c, &pinned);
	cudaError_t error = cudaSetDevice(c->device->number);
	if (error == cudaSuccess)
		error = cudaMallocHost((void **)&c->pinned, pinned.used);
	if (error == cudaSuccess)
		error = cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking);
	for (int k = 0; k < 2 && error == cudaSuccess; ++k)
		error = cudaEventCreateWithFlags(&c->event[k], cudaEventDisableTiming);
	if (error != cudaSuccess) {
		wsi_why unused;
		const ws_status status = cuda_failed(error, "starting the device", why);
		cuda_engine_stop(engine, &unused);
		return status;
	}
	pinned = { c->pinned, 0 };
	lay_out_pinned(c, &pinned);
	return WS_OK;
}

ws_status
cuda_engine_stop(void *engine, wsi_why *why)
{
	cuda_engine *c = (cuda_engine *)engine;
	if (c->stream)
		wait_for(c, "waiting for the device");
	for (int k = 0; k < 2; ++k)
		if (c->event[k])
			cudaEventDestroy(c->event[k]);
	if (c->stream)
		cudaStreamDestroy(c->stream);
	if (c->pinned)
		cudaFreeHost(c->pinned);
	c->stream = NULL;
	c->pinned = NULL;
	c->event[0] = c->event[1] = NULL;
	return c->error == cudaSuccess ? WS_OK : cuda_failed(c->error, c->failed, why);
}
