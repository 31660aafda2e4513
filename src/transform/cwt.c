/* cwt.c - the row of the continuous wavelet transform; cwt_plan.c plans its frequencies. */
#include "transform/cwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/pool.h"
#include "base/status.h"
#include "transform/on_gpu.h"
#include "transform/transform.h"

typedef struct cwt_plan {
	ws_plan base;
	wsi_cwt *cwt;
	wsi_cwt_device_job job; /* on a GPU */
} cwt_plan;

static const wsi_cwt *
cwt_of(const ws_plan *plan)
{
	return ((const cwt_plan *)plan)->cwt;
}

static const wsi_cwt_device_job *
job_of(const ws_plan *plan)
{
	return &((const cwt_plan *)plan)->job;
}

/* ---- Arrays ------------------------------------------------------------------------------ */

#define COEFFICIENTS(name, text, element) \
	{ name, text, element, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, WS_ARRAY_MAIN }
#define OF_FREQUENCY(name, text) \
	{ name, text, WSI_F64, { WS_AXIS_FREQUENCY }, WS_ARRAY_OPTIONAL }

static const wsi_array arrays[WS_CWT_ARRAYS] = {
	[WS_CWT_COEFFICIENTS] = COEFFICIENTS("coefficients", "complex coefficients", WSI_COMPLEX),
	[WS_CWT_MAGNITUDE] = COEFFICIENTS("magnitude", "magnitude of the coefficients", WSI_REAL),
	[WS_CWT_POWER] = COEFFICIENTS("power", "squared magnitude", WSI_REAL),
	[WS_CWT_PHASE] = COEFFICIENTS("phase", "phase, radians", WSI_REAL),
	[WS_CWT_SCALE] = OF_FREQUENCY("scale", "scale, s"),
	[WS_CWT_WIDTH_TIME] = OF_FREQUENCY("width_time", "deviation of the wavelet in time, s"),
	[WS_CWT_WIDTH_FREQUENCY] = OF_FREQUENCY("width_frequency",
		"deviation of the wavelet in frequency, Hz"),
	[WS_CWT_CONE] = OF_FREQUENCY("cone", "how far the ends of the recording reach, s"),
	[WS_CWT_SIGNIFICANCE] = { "significance", "power that noise seldom exceeds", WSI_F64,
		{ WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY }, WS_ARRAY_OPTIONAL },
};

static int
array_of(ws_quantity quantity)
{
	return (int)quantity - WS_COMPLEX + WS_CWT_COEFFICIENTS;
}

static size_t
extent(const ws_plan *plan, int array, ws_axis axis)
{
	const wsi_cwt *cwt = cwt_of(plan);
	if (array < WS_CWT_SCALE && array != array_of(cwt->o.quantity))
		return 0;
	if (array == WS_CWT_SIGNIFICANCE && !cwt->o.significance)
		return 0;
	return axis == WS_AXIS_FREQUENCY ? cwt->count : cwt->outputs;
}

static bool
axis_values(const ws_plan *plan, int array, ws_axis axis, double *values)
{
	const wsi_cwt *cwt = cwt_of(plan);
	(void)array;
	for (size_t i = 0; axis == WS_AXIS_FREQUENCY && i < cwt->count; ++i)
		values[i] = cwt->scale[i].frequency;
	for (size_t i = 0; axis == WS_AXIS_TIME && i < cwt->outputs; ++i)
		values[i] = (double)(i * cwt->o.decimate) / cwt->fs;
	return true;
}

/* ---- Plan -------------------------------------------------------------------------------- */

/* The numbers of a list, to be freed; none where it is given already, or there is no text. */
static ws_status
take_list(const char *text, const double **values, size_t *count, double **made)
{
	double value;
	size_t n = 0;
	*made = NULL;
	if (!text || *values)
		return WS_OK;
	for (const char *p = text; *p; ++n)
		if (!wsi_list_next(&p, &value))
			return WSI_FAIL(WS_E_ARG, "%s: is no list of numbers such as 4,8,12.5",
			                text);
	*values = *made = malloc((n ? n : 1) * sizeof **made);
	if (!*made)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a list of %zu numbers", n);
	for (size_t i = 0; i < n; ++i)
		wsi_list_next(&text, &(*made)[i]);
	*count = n;
	return WS_OK;
}

ws_status
wsi_cwt_make(wsi_cwt **cwt, const ws_plan *plan, const ws_cwt_opts *asked)
{
	const ws_shape *shape = &plan->shape;
	ws_cwt_opts o = { .size = sizeof o };
	double *lists[3] = { NULL, NULL, NULL };
	*cwt = NULL;
	if (asked)
		o = *asked;
	ws_status status = take_list(o.frequency_list, &o.frequencies, &o.frequency_count,
	                             &lists[0]);
	if (status == WS_OK)
		status = take_list(o.scale_list, &o.scales, &o.scale_count, &lists[1]);
	if (status == WS_OK)
		status = take_list(o.cycle_list, &o.cycles, &o.cycle_count, &lists[2]);
	if (status == WS_OK)
		status = wsi_cwt_create(cwt, shape->samples, shape->fs, shape->type, &o, plan->isa);
	for (int i = 0; i < 3; ++i)
		free(lists[i]);
	return status;
}

static ws_status
resolve(ws_plan *base, const void *opts)
{
	cwt_plan *plan = (cwt_plan *)base;
	WSI_TRY(wsi_cwt_make(&plan->cwt, base, opts));
	const wsi_cwt *cwt = plan->cwt;
	const double alone = cwt->seconds * (double)base->shape.channels;
	const size_t items = cwt->count * base->shape.channels;
	if (alone < 5e-4)
		base->threads = 1;
	else if (items < (size_t)base->threads)
		base->threads = (int)items;
	base->seconds = alone / base->threads;
	base->options = &cwt->o;
	return base->gpu ? wsi_cwt_job_make(&plan->job, cwt, base->shape.channels,
	                                    array_of(cwt->o.quantity)) : WS_OK;
}

static void
release(ws_plan *plan)
{
	wsi_cwt_job_free(&((cwt_plan *)plan)->job);
	wsi_cwt_destroy(((cwt_plan *)plan)->cwt);
}

/* What an execution works in. */
typedef struct workspace_parts {
	wsi_worker *workers;
	void *spectra, *scratch;
} workspace_parts;

static workspace_parts
lay_out(const ws_plan *plan, wsi_arena *arena)
{
	const wsi_cwt *cwt = cwt_of(plan);
	return (workspace_parts){
		.workers = wsi_arena_take(arena, (size_t)plan->threads * sizeof(wsi_worker)),
		.spectra = wsi_arena_take(arena, plan->shape.channels *
		                          wsi_cwt_spectrum_bytes(cwt)),
		.scratch = wsi_arena_take(arena, wsi_cwt_workspace(cwt, plan->threads)),
	};
}

static ws_status
measure(ws_plan *plan, bool aside)
{
	wsi_arena arena = { 0 };
	(void)aside;
	if (plan->gpu)
		return wsi_gpu_measure(plan, job_of(plan), sizeof *job_of(plan));
	lay_out(plan, &arena);
	plan->workspace = arena.used;
	return WS_OK;
}

static void
describe(const ws_plan *plan, char *text, size_t size)
{
	const wsi_cwt *cwt = cwt_of(plan);
	size_t by_way[WSI_CWT_WAYS] = { 0 };
	double low = HUGE_VAL, high = 0.0;
	char wavelet[96], ways[160] = "";
	for (size_t i = 0; i < cwt->count; ++i) {
		const double f = cwt->scale[i].frequency;
		low = f < low ? f : low;
		high = f > high ? f : high;
		by_way[cwt->scale[i].way]++;
	}
	int used = 0;
	for (int i = 0; i < WSI_CWT_WAYS; ++i)
		if (by_way[i])
			used += wsi_snprintf(ways + used, sizeof ways - (size_t)used, "%s%zu by %s",
			                     used ? ", " : "", by_way[i], wsi_cwt_ways[i].name);
	const ws_option *const *o = wsi_cwt_options;
	while (strcmp((*o)->name, "wavelet") != 0)
		++o;
	ws_option_text(*o, &cwt->o, wavelet, sizeof wavelet);
	wsi_snprintf(text, size, "  method     cwt, %s, %zu frequencies from %g to %g Hz\n",
	             wavelet, cwt->count, low, high);
	if (plan->gpu) {
		wsi_gpu_describe(plan, job_of(plan), text + strlen(text), size - strlen(text));
		return;
	}
	wsi_snprintf(text + strlen(text), size - strlen(text),
	             "  scales     %s\n  kernels    cpu/%s/%s, %d thread%s\n"
	             "  workspace  %.1f MiB\n", ways, cwt->ops->isa,
	             cwt->type == WS_F64 ? "f64" : "f32", plan->threads,
	             plan->threads == 1 ? "" : "s", (double)plan->workspace / 1048576.0);
}

/* ---- Execution --------------------------------------------------------------------------- */

/* Between two looks at the progress lies a share of the work, or so many seconds of it. */
#define STEPS 50
#define LOOK 0.05
#define FORWARD_SHARE 0.03

static void
put_rows(const ws_plan *plan, const wsi_io *io, size_t first, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		ws_cwt_row row;
		wsi_cwt_row(cwt_of(plan), first + i, &row);
		const double values[] = { row.scale, row.width_time, row.width_frequency,
			row.cone };
		for (int k = 0; k < 4; ++k)
			if (wsi_io_wants(io, WS_CWT_SCALE + k))
				*(double *)wsi_io_row(io, WS_CWT_SCALE + k, i, 0) = values[k];
	}
	const bool compared = cwt_of(plan)->o.significance && wsi_io_wants(io, WS_CWT_SIGNIFICANCE);
	for (size_t c = 0; compared && c < plan->shape.channels; ++c)
		wsi_cwt_significance(cwt_of(plan), io->x + c * io->x_stride, first, count,
		                     wsi_io_row(io, WS_CWT_SIGNIFICANCE, c, 0));
}

/* Frequencies between two looks, enough of them to keep all threads at work. */
static size_t
frequencies_at_once(const ws_plan *plan, size_t count)
{
	const wsi_cwt *cwt = cwt_of(plan);
	const size_t threads = (size_t)plan->threads, channels = plan->shape.channels;
	const size_t least = 8 * threads, few = (4 * threads + channels - 1) / channels;
	const size_t step = count / STEPS > least ? count / STEPS : least;
	const double each = cwt->seconds * (double)channels / (double)(cwt->count * threads);
	const double quick = LOOK / each;
	if (quick >= (double)step)
		return step;
	return quick > (double)few ? (size_t)quick : few;
}

static void
run_frequencies(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
                const workspace_parts *parts, wsi_pool *pool)
{
	const wsi_cwt *cwt = cwt_of(plan);
	const size_t first = io->count ? io->first : 0, count = io->count ? io->count : cwt->count;
	const ws_buffer *out = &io->arrays[array_of(cwt->o.quantity)];
	const size_t step = frequencies_at_once(plan, count);
	for (size_t f = 0; f < count && !wsi_cancelled(progress); f += step) {
		const size_t n = count - f < step ? count - f : step;
		const wsi_cwt_job job = {
			.spectra = parts->spectra, .channels = plan->shape.channels,
			.f0 = first + f, .f1 = first + f + n, .t0 = 0, .t1 = cwt->outputs,
			.out = (char *)out->data + f * out->stride[1],
			.channel_stride = out->stride[0], .frequency_stride = out->stride[1],
		};
		wsi_cwt_run(cwt, &job, pool, parts->scratch);
		wsi_progress_part(progress, FORWARD_SHARE +
		                  (1.0 - FORWARD_SHARE) * (double)(f + n) / (double)count);
	}
	put_rows(plan, io, first, count);
}

/* Some sample is not finite: which. */
static ws_status
refuse(const wsi_cwt *cwt, const wsi_io *io, size_t channels)
{
	for (size_t c = 0; c < channels; ++c) {
		const void *x = io->x + c * io->x_stride;
		for (size_t k = 0; k < cwt->samples; ++k) {
			const double v = cwt->type == WS_F64 ? ((const double *)x)[k]
			                 : (double)((const float *)x)[k];
			if (!isfinite(v))
				return WSI_FAIL(WS_E_FORMAT, "channel %zu, sample %zu is not "
				                "finite: mend or leave out that stretch",
				                io->first_channel + c + 1, k + 1);
		}
	}
	return WSI_FAIL(WS_E_INTERNAL, "all samples are finite");
}

ws_status
wsi_cwt_forward_checked(const wsi_cwt *cwt, const wsi_io *io, size_t channels, void *spectra,
                        wsi_pool *pool, void *workspace)
{
	const ws_status status = wsi_cwt_forward(cwt, io->x, io->x_stride, channels, spectra, pool,
	                                         workspace);
	return status == WS_E_FORMAT ? refuse(cwt, io, channels) : status;
}

static ws_status
run(const ws_plan *plan, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	wsi_arena arena = { .base = workspace };
	if (io->on_device && cwt_of(plan)->o.significance && wsi_io_wants(io, WS_CWT_SIGNIFICANCE))
		return WSI_FAIL(WS_E_UNSUPPORTED, "significance is told of samples in the host's "
		                "memory: leave the array out, or copy the samples");
	if (plan->gpu) {
		WSI_TRY(wsi_gpu_run(plan, job_of(plan), io, progress));
		put_rows(plan, io, io->count ? io->first : 0,
		         io->count ? io->count : cwt_of(plan)->count);
		return WS_OK;
	}
	const workspace_parts parts = lay_out(plan, &arena);
	wsi_pool pool;
	wsi_progress_step(progress, 0.0, 1.0);
	wsi_pool_start(&pool, plan->threads, parts.workers);
	ws_status status = wsi_cwt_forward_checked(cwt_of(plan), io, plan->shape.channels,
	                                           parts.spectra, &pool, parts.scratch);
	if (status == WS_OK)
		run_frequencies(plan, io, progress, &parts, &pool);
	wsi_pool_stop(&pool);
	return status;
}

static ws_status
on_gpu(const ws_shape *shape, const void *opts)
{
	const ws_cwt_opts *o = opts;
	(void)shape;
	/* They hear slow waves at all scales, beside which a GPU's f32 rounds too much. */
	if (o && o->wavelet == WS_PAUL)
		return WSI_FAIL(WS_E_UNSUPPORTED, "Paul wavelets are for the CPU: leave out "
		                "--device, or take another wavelet");
	return WS_OK;
}

/* ---- The row ----------------------------------------------------------------------------- */

static const char *
fewer(const void *opts, bool of_device)
{
	(void)opts;
	(void)of_device;
	return "samples";
}

const wsi_transform wsi_transform_cwt = {
	.about = {
		.name = "cwt", .title = "Wavelet transform",
		.summary = "continuous wavelet transform",
		.text = "Tells how much of each frequency every moment holds: the signal against a "
		"wavelet of each width (Torrence & Compo 1998). A tone of amplitude 1 has "
		"magnitude 1. Fast oscillations are told well in time, slow ones well in "
		"frequency.",
		.examples = (const char *const[]){
			"wavesift cwt night.edf --channels Cz --freqs 1:40 --plot cz.png\t"
			"one channel, drawn",
			"wavesift cwt night.edf --freqs 4,8,12 --quantity power --decimate 16\t"
			"power of three frequencies, every 16th sample",
			"wavesift cwt x.npy --fs 500 --reference mne --freqs 4:40:37:lin\tas MNE "
			"does",
			NULL },
		.options_size = sizeof(ws_cwt_opts), .family = "cwt", .group = "Analyse",
		.folder = "cwt", .type = WS_F32,
	},
	.options = wsi_cwt_options, .options_name = "ws_cwt_opts", .arrays = arrays,
	.n_arrays = WS_CWT_ARRAYS, .plan_size = sizeof(cwt_plan), .resolve = resolve,
	.extent = extent, .axis_values = axis_values, .measure = measure, .run = run,
	.describe = describe, .release = release, .on_gpu = on_gpu, .cut = WS_AXIS_FREQUENCY,
	.fewer = fewer,
};
