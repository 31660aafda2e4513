/* coherence.c - the row of cross-spectra, coherence and phase locking of every channel with one,
 * over epochs. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/pool.h"
#include "base/status.h"
#include "transform/cwt.h"

typedef struct coherence_plan {
	ws_plan base;
	wsi_cwt *cwt;
	size_t epochs;
} coherence_plan;

static const coherence_plan *
plan_of(const ws_plan *plan)
{
	return (const coherence_plan *)plan;
}

/* ---- Arrays ---------------------------------------------------------------------------- */

#define OF_TIME(name, text, element, flags) \
	{ name, text, element, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, flags }
#define OF_FREQUENCY(name, text) \
	{ name, text, WSI_F64, { WS_AXIS_FREQUENCY }, WS_ARRAY_OPTIONAL }

static const wsi_array arrays[WS_COHERENCE_ARRAYS] = {
	[WS_COHERENCE_COHERENCE] = OF_TIME("coherence", "magnitude-squared coherence", WSI_REAL,
		WS_ARRAY_MAIN),
	[WS_COHERENCE_LOCKING] = OF_TIME("phase_locking", "phase-locking value", WSI_REAL,
		WS_ARRAY_MAIN),
	[WS_COHERENCE_CROSS] = OF_TIME("cross_spectrum", "mean cross-spectrum", WSI_COMPLEX,
		WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_SCALE] = OF_FREQUENCY("scale", "scale, s"),
	[WS_COHERENCE_WIDTH_TIME] = OF_FREQUENCY("width_time",
		"deviation of the wavelet in time, s"),
	[WS_COHERENCE_WIDTH_FREQUENCY] = OF_FREQUENCY("width_frequency",
		"deviation of the wavelet in frequency, Hz"),
	[WS_COHERENCE_CONE] = OF_FREQUENCY("cone", "how far the ends of an epoch reach, s"),
};

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const wsi_cwt *cwt = plan_of(base)->cwt;
	(void)array;
	return axis == WS_AXIS_FREQUENCY ? cwt->count : cwt->outputs;
}

static bool
axis_values(const ws_plan *base, int array, ws_axis axis, double *values)
{
	const wsi_cwt *cwt = plan_of(base)->cwt;
	(void)array;
	for (size_t i = 0; axis == WS_AXIS_FREQUENCY && i < cwt->count; ++i)
		values[i] = cwt->scale[i].frequency;
	for (size_t i = 0; axis == WS_AXIS_TIME && i < cwt->outputs; ++i)
		values[i] = (double)(i * cwt->o.decimate) / cwt->fs;
	return true;
}

/* ---- Plan ------------------------------------------------------------------------------ */

/* Every channel meets one of them. */
static size_t
unit(const ws_shape *shape, const void *opts)
{
	(void)opts;
	return shape->channels;
}

static ws_status
resolve(ws_plan *base, const void *asked)
{
	coherence_plan *plan = (coherence_plan *)base;
	ws_cwt_opts o = { .size = sizeof o };
	if (asked)
		o = *(const ws_cwt_opts *)asked;
	o.with = o.with ? o.with : 1;
	if (o.with < 1 || (size_t)o.with > base->shape.channels)
		return WSI_FAIL(WS_E_ARG, "there is no channel %d to compare with: %zu are "
		                "selected", o.with, base->shape.channels);
	o.quantity = WS_COMPLEX;
	o.significance = 0;
	WSI_TRY(wsi_epochs_take(base, &plan->epochs));
	WSI_TRY(wsi_cwt_make(&plan->cwt, base, &o));
	const double adding = 8e-9 * (double)plan->cwt->outputs * (double)plan->cwt->count;
	const double alone = (2.0 * plan->cwt->seconds + adding) * (double)plan->epochs;
	if (alone < 5e-4)
		base->threads = 1;
	else if (plan->cwt->count < (size_t)base->threads)
		base->threads = (int)plan->cwt->count;
	base->seconds = alone * (double)base->shape.channels / base->threads;
	base->options = &plan->cwt->o;
	return WS_OK;
}

static void
release(ws_plan *base)
{
	wsi_cwt_destroy(((coherence_plan *)base)->cwt);
}

/* What a thread works in: coefficients of one epoch and frequency, w of a channel, v of the one
 * that it is compared with, and sums over epochs. */
typedef struct own_parts {
	void *w, *v;            /* [outputs] complex */
	double *power_w, *power_v, *re, *im, *unit_re, *unit_im; /* [outputs] */
} own_parts;

static own_parts
take_own(const coherence_plan *plan, wsi_arena *arena)
{
	const size_t n = plan->cwt->outputs * sizeof(double);
	own_parts own = { .w = wsi_arena_take(arena, 2 * n) };
	own.v = wsi_arena_take(arena, 2 * n);
	own.power_w = wsi_arena_take(arena, n);
	own.power_v = wsi_arena_take(arena, n);
	own.re = wsi_arena_take(arena, n);
	own.im = wsi_arena_take(arena, n);
	own.unit_re = wsi_arena_take(arena, n);
	own.unit_im = wsi_arena_take(arena, n);
	return own;
}

static size_t
own_bytes(const coherence_plan *plan)
{
	wsi_arena arena = { 0 };
	take_own(plan, &arena);
	return arena.used;
}

/* What an execution works in: spectra of the epochs of two channels. */
typedef struct workspace_parts {
	wsi_worker *workers;
	char *of_one, *spectra;
	void *scratch;
} workspace_parts;

static workspace_parts
lay_out(const ws_plan *base, wsi_arena *arena)
{
	const coherence_plan *plan = plan_of(base);
	const size_t bytes = plan->epochs * wsi_cwt_spectrum_bytes(plan->cwt);
	workspace_parts parts = {
		.workers = wsi_arena_take(arena, (size_t)base->threads * sizeof(wsi_worker)) };
	parts.of_one = wsi_arena_take(arena, bytes);
	parts.spectra = wsi_arena_take(arena, bytes);
	parts.scratch = wsi_arena_take(arena, wsi_cwt_items_workspace(plan->cwt, base->threads,
	                                                              own_bytes(plan)));
	return parts;
}

static ws_status
measure(ws_plan *plan, bool aside)
{
	wsi_arena arena = { 0 };
	(void)aside;
	lay_out(plan, &arena);
	plan->workspace = arena.used;
	return WS_OK;
}

static void
describe(const ws_plan *base, char *text, size_t size)
{
	const coherence_plan *plan = plan_of(base);
	char how[512];
	wsi_cwt_describe(plan->cwt, how, sizeof how);
	wsi_snprintf(text, size, "  method     coherence with channel %d over %zu epochs\n"
	             "  scales     %s\n  kernels    cpu/%s, %d thread%s\n"
	             "  workspace  %.1f MiB\n", plan->cwt->o.with, plan->epochs, how,
	             plan->cwt->ops->isa, base->threads, base->threads == 1 ? "" : "s",
	             (double)base->workspace / 1048576.0);
}

/* ---- Execution --------------------------------------------------------------------------- */

#define TEMPLATE "transform/coherence_sum.h"
#include "math/both_types.h"

typedef struct job {
	const coherence_plan *plan;
	const wsi_io *io;
	const char *of_one, *spectra;
	size_t channel, first;  /* first: frequency */
} job;

static void
work(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const job *j = user;
	const wsi_cwt *cwt = j->plan->cwt;
	const size_t n = cwt->outputs, f = j->first + item, epochs = j->plan->epochs;
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(j->plan, &arena);
	memset(own.power_w, 0, (size_t)((char *)own.unit_im - (char *)own.power_w) +
	       n * sizeof(double));
	for (size_t e = 0; e < epochs; ++e) {
		const size_t at = e * wsi_cwt_spectrum_bytes(cwt);
		wsi_cwt_one(cwt, j->spectra + at, f, WS_COMPLEX, false, 0, n, own.w, scratch);
		wsi_cwt_one(cwt, j->of_one + at, f, WS_COMPLEX, false, 0, n, own.v, scratch);
		if (cwt->type == WS_F64)
			add_epoch_f64(&own, n);
		else
			add_epoch_f32(&own, n);
	}
	void *out[3];
	for (int a = 0; a < 3; ++a)
		out[a] = wsi_io_wants(j->io, a) ? wsi_io_row(j->io, a, j->channel, item) : NULL;
	if (cwt->type == WS_F64)
		put_f64(&own, n, (double)epochs, out);
	else
		put_f32(&own, n, (double)epochs, out);
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const coherence_plan *plan = plan_of(base);
	const wsi_cwt *cwt = plan->cwt;
	const size_t first = io->count ? io->first : 0, count = io->count ? io->count : cwt->count;
	wsi_arena arena = { .base = workspace };
	const workspace_parts parts = lay_out(base, &arena);
	wsi_pool pool;
	wsi_progress_step(progress, 0.0, 1.0);
	wsi_pool_start(&pool, base->threads, parts.workers);
	ws_status status = wsi_epochs_forward(cwt, io, (size_t)cwt->o.with - 1, plan->epochs,
	                                      parts.of_one, &pool, parts.scratch);
	for (size_t c = 0; c < base->shape.channels && status == WS_OK &&
	     !wsi_cancelled(progress); ++c) {
		const job j = { plan, io, parts.of_one, parts.spectra, c, first };
		status = wsi_epochs_forward(cwt, io, c, plan->epochs, parts.spectra, &pool,
		                            parts.scratch);
		if (status == WS_OK)
			wsi_cwt_items(cwt, count, own_bytes(plan), work, (void *)&j, &pool,
			              parts.scratch);
		wsi_progress_part(progress, (double)(c + 1) / (double)base->shape.channels);
	}
	wsi_pool_stop(&pool);
	wsi_cwt_put_rows(cwt, io, WS_COHERENCE_SCALE, first, count);
	return status;
}

/* ---- The row ----------------------------------------------------------------------------- */

static const char *
fewer(const void *opts, bool of_device)
{
	(void)opts;
	(void)of_device;
	return "channels or epochs";
}

const wsi_transform wsi_transform_coherence = {
	.about = {
		.name = "coherence", .title = "Coherence over epochs",
		.summary = "coherence and phase locking of channels",
		.text = "Compares the wavelet transforms of every channel with those of one, over "
		"the epochs of a recording: their coherence, the locking of their phases, and "
		"their mean cross-spectrum. No epoch's transform is stored.",
		.examples = (const char *const[]){
			"wavesift coherence eeg.set --epochs-at square --tmin -1 --tmax 2 "
			"--channels Cz,Fz,O1 --freqs 3:40 --plot coherence.png\tof Cz with Fz and O1",
			"wavesift coherence epochs.set --with 5 --freqs 4:30\twith the fifth "
			"channel",
			NULL },
		.options_size = sizeof(ws_cwt_opts), .family = "cwt", .group = "Analyse",
		.folder = "coherence", .type = WS_F32, .gathers = 1,
	},
	.options = wsi_coherence_options, .options_name = "ws_cwt_opts", .arrays = arrays,
	.n_arrays = WS_COHERENCE_ARRAYS, .plan_size = sizeof(coherence_plan), .unit = unit,
	.resolve = resolve, .extent = extent, .axis_values = axis_values, .measure = measure,
	.run = run, .describe = describe, .release = release, .cut = WS_AXIS_FREQUENCY,
	.fewer = fewer,
};
