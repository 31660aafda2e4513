/* coherence.c - the row of cross-spectra, coherence and phase locking of every channel with one,
 * over epochs. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/status.h"
#include "transform/cwt_family.h"

/* ---- Arrays ---------------------------------------------------------------------------- */

#define OF_TIME(name, text, element, flags) \
	{ name, text, element, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, flags }
static const wsi_array arrays[WS_COHERENCE_ARRAYS] = {
	[WS_COHERENCE_COHERENCE] = OF_TIME("coherence", "magnitude-squared coherence", WSI_REAL,
		WS_ARRAY_MAIN),
	[WS_COHERENCE_LOCKING] = OF_TIME("phase_locking", "phase-locking value", WSI_REAL,
		WS_ARRAY_MAIN),
	[WS_COHERENCE_CROSS] = OF_TIME("cross_spectrum", "mean cross-spectrum", WSI_COMPLEX,
		WS_ARRAY_OPTIONAL),
	WSI_CWT_ROW_ARRAYS(WS_COHERENCE, "an epoch"),
};

/* ---- Plan ------------------------------------------------------------------------------ */

/* Every channel meets one of them. */
static size_t
unit(const ws_shape *shape, const void *opts)
{
	(void)opts;
	return shape->channels;
}

/* What a thread works in: coefficients of one epoch and frequency, w of a channel, v of the one
 * that it is compared with, and sums over epochs. */
typedef struct own_parts {
	void *w, *v;            /* [outputs] complex */
	double *power_w, *power_v, *re, *im, *unit_re, *unit_im; /* [outputs] */
} own_parts;

static own_parts
take_own(const wsi_cwt *cwt, wsi_arena *arena)
{
	const size_t n = cwt->outputs * sizeof(double);
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

static ws_status
resolve(ws_plan *base, const void *asked)
{
	wsi_cwt_plan *plan = (wsi_cwt_plan *)base;
	ws_cwt_opts o = { .size = sizeof o };
	if (asked)
		o = *(const ws_cwt_opts *)asked;
	o.with = o.with ? o.with : 1;
	if (o.with < 1 || (size_t)o.with > base->shape.channels)
		return WSI_FAIL(WS_E_ARG, "there is no channel %d to compare with: %zu are "
		                "selected", o.with, base->shape.channels);
	o.quantity = WS_COMPLEX;
	o.significance = 0;
	WSI_TRY(wsi_cwt_take_epochs(plan));
	WSI_TRY(wsi_cwt_make(plan, &o));
	const wsi_cwt *cwt = plan->cwt;
	wsi_arena own = { 0 };
	take_own(cwt, &own);
	plan->own_bytes = own.used;
	plan->spectra = 2 * plan->epochs;
	const double adding = 8e-9 * (double)cwt->outputs * (double)cwt->count;
	wsi_cwt_share(base, (2.0 * cwt->seconds + adding) *
	              (double)(plan->epochs * base->shape.channels), cwt->count);
	return WS_OK;
}

static void
describe(const ws_plan *base, char *text, size_t size)
{
	const wsi_cwt_plan *plan = (const wsi_cwt_plan *)base;
	char how[512];
	wsi_cwt_describe(plan->cwt, how, sizeof how);
	wsi_snprintf(text, size, "  method     coherence with channel %d over %zu epochs\n"
	             "  scales     %s\n", plan->cwt->o.with, plan->epochs, how);
	wsi_cwt_describe_work(base, text, size);
}

/* ---- Execution --------------------------------------------------------------------------- */

#define TEMPLATE "transform/coherence_sum.h"
#include "math/both_types.h"

static void
work(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_job *j = user;
	const wsi_cwt_execution *e = j->execution;
	const wsi_cwt *cwt = e->plan->cwt;
	const size_t n = cwt->outputs, f = e->first + item, epochs = e->plan->epochs;
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(cwt, &arena);
	memset(own.power_w, 0, (size_t)((char *)own.unit_im - (char *)own.power_w) +
	       n * sizeof(double));
	for (size_t k = 0; k < epochs && wsi_cwt_goes_on(scratch); ++k) {
		const size_t at = k * wsi_cwt_spectrum_bytes(cwt);
		wsi_cwt_one(cwt, e->spectra + at, f, WS_COMPLEX, false, 0, n, own.w, scratch);
		wsi_cwt_one(cwt, j->with + at, f, WS_COMPLEX, false, 0, n, own.v, scratch);
		if (cwt->type == WS_F64)
			add_epoch_f64(&own, n);
		else
			add_epoch_f32(&own, n);
	}
	void *out[3];
	for (int a = 0; a < 3; ++a)
		out[a] = wsi_io_wants(e->io, a) ? wsi_io_row(e->io, a, j->channel, item) : NULL;
	if (cwt->type == WS_F64)
		put_f64(&own, n, (double)epochs, out);
	else
		put_f32(&own, n, (double)epochs, out);
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const size_t with = (size_t)((const wsi_cwt_plan *)base)->cwt->o.with;
	return wsi_epochs_run(base, io, progress, workspace, work, with, WS_COHERENCE_SCALE);
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
			"--channels Cz,Fz,O1 --freqs 3:40 --plot coherence.png\t"
			"of Cz with Fz and O1",
			"wavesift coherence epochs.set --against 5 --freqs 4:30\twith the fifth "
			"channel",
			NULL },
		.options_size = sizeof(ws_cwt_opts), .family = "cwt", .group = "Analyse",
		.folder = "coherence", .type = WS_F32, .gathers = 1,
	},
	.options = wsi_coherence_options, .options_name = "ws_cwt_opts", .arrays = arrays,
	.n_arrays = WS_COHERENCE_ARRAYS, .plan_size = sizeof(wsi_cwt_plan), .unit = unit,
	.resolve = resolve, .extent = wsi_cwt_extent, .axis_values = wsi_cwt_axis_values,
	.measure = wsi_cwt_measure, .run = run, .describe = describe, .release = wsi_cwt_release,
	.cut = WS_AXIS_FREQUENCY, .fewer = fewer,
};
