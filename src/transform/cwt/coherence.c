/* coherence.c - the row of cross-spectra, coherence and phase locking of channels, over epochs or,
 * without them, over neighbouring times and frequencies. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/status.h"
#include "transform/cwt/coherence_window.h"
#include "transform/cwt/family.h"

typedef struct coherence_plan {
	wsi_cwt_plan family;    /* without epochs its transform does not decimate */
	ws_cwt_opts o;          /* resolved */
	bool smooth;            /* without epochs */
	size_t outputs;         /* of a row of the result */
	wsi_smoothing smoothing;
} coherence_plan;

static const coherence_plan *
plan_of(const ws_plan *plan)
{
	return (const coherence_plan *)plan;
}

/* ---- Arrays ---------------------------------------------------------------------------- */

#define OF_PAIR(name, text, element, flags) \
	{ name, text, element, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, flags }
#define OF_PAIRS(name, text, element, flags) \
	{ name, text, element, { WS_AXIS_CHANNEL, WS_AXIS_PARTNER, WS_AXIS_FREQUENCY, \
	  WS_AXIS_TIME }, flags }

static const wsi_array arrays[WS_COHERENCE_ARRAYS] = {
	[WS_COHERENCE_COHERENCE] = OF_PAIR("coherence", "magnitude-squared coherence", WSI_REAL,
		WS_ARRAY_MAIN),
	[WS_COHERENCE_LOCKING] = OF_PAIR("phase_locking", "phase-locking value", WSI_REAL,
		WS_ARRAY_MAIN),
	[WS_COHERENCE_CROSS] = OF_PAIR("cross_spectrum", "mean cross-spectrum", WSI_COMPLEX,
		WS_ARRAY_OPTIONAL),
	WSI_CWT_ROW_ARRAYS(WS_COHERENCE, "the signal"),
	[WS_COHERENCE_PAIRS] = OF_PAIRS("coherence_pairs", "magnitude-squared coherence", WSI_REAL,
		WS_ARRAY_MAIN),
	[WS_COHERENCE_LOCKING_PAIRS] = OF_PAIRS("phase_locking_pairs", "phase-locking value",
		WSI_REAL, WS_ARRAY_MAIN),
	[WS_COHERENCE_CROSS_PAIRS] = OF_PAIRS("cross_spectrum_pairs", "mean cross-spectrum",
		WSI_COMPLEX, WS_ARRAY_OPTIONAL),
};

/* The first of the three arrays of these options. */
static int
first_array(const coherence_plan *plan)
{
	return plan->o.against == WS_AGAINST_ALL ? WS_COHERENCE_PAIRS : WS_COHERENCE_COHERENCE;
}

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const coherence_plan *plan = plan_of(base);
	const bool of_pairs = array >= WS_COHERENCE_PAIRS;
	if ((array < WS_COHERENCE_SCALE || of_pairs) &&
	    of_pairs != (first_array(plan) == WS_COHERENCE_PAIRS))
		return 0;
	return axis == WS_AXIS_PARTNER ? base->shape.channels
		: axis == WS_AXIS_TIME ? plan->outputs : plan->family.cwt->count;
}

static bool
axis_values(const ws_plan *base, int array, ws_axis axis, double *values)
{
	const coherence_plan *plan = plan_of(base);
	if (axis == WS_AXIS_PARTNER)
		return false;
	for (size_t t = 0; axis == WS_AXIS_TIME && t < plan->outputs; ++t)
		values[t] = (double)(t * plan->o.decimate) / plan->family.cwt->fs;
	return axis == WS_AXIS_TIME || wsi_cwt_axis_values(base, array, axis, values);
}

static size_t
every(const ws_plan *base, int array)
{
	(void)array;
	return plan_of(base)->o.decimate;
}

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
	void *rest;             /* of smoothing */
} own_parts;

enum { SUMS = 6 };              /* the rows of doubles, in that order */

static own_parts
take_own(const coherence_plan *plan, wsi_arena *arena)
{
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t n = cwt->outputs * sizeof(double);
	own_parts own = { .w = wsi_arena_take(arena, 2 * n) };
	own.v = wsi_arena_take(arena, 2 * n);
	own.power_w = wsi_arena_take(arena, n);
	own.power_v = wsi_arena_take(arena, n);
	own.re = wsi_arena_take(arena, n);
	own.im = wsi_arena_take(arena, n);
	own.unit_re = wsi_arena_take(arena, n);
	own.unit_im = wsi_arena_take(arena, n);
	own.rest = wsi_arena_take(arena, plan->smooth ? wsi_smoothing_bytes(cwt) : 0);
	return own;
}

/* The transform's options, of those asked for. */
static ws_status
take_options(coherence_plan *plan, ws_cwt_opts *o)
{
	const ws_shape *shape = &plan->family.base.shape;
	if (o->against != WS_AGAINST_ALL &&
	    (o->against < 0 || (size_t)o->against >= shape->channels))
		return WSI_FAIL(WS_E_ARG, "there is no channel %lld to compare with: %zu are "
		                "selected", o->against + (long long)wsi_numbers_from,
		                shape->channels);
	if (!(o->smooth_time >= 0.0 && o->smooth_time <= 1e3) ||
	    !(o->smooth_octaves >= 0.0 && o->smooth_octaves <= 20.0))
		return WSI_FAIL(WS_E_ARG, "means are over up to 1000 scales and 20 octaves, not "
		                "%g and %g", o->smooth_time, o->smooth_octaves);
	o->quantity = WS_QUANTITY_COMPLEX;
	o->significance = 0;
	plan->smooth = shape->epochs < 2;
	return wsi_cwt_take_epochs(&plan->family, 1);
}

static ws_status
resolve(ws_plan *base, const void *asked)
{
	coherence_plan *plan = (coherence_plan *)base;
	wsi_cwt_plan *family = &plan->family;
	ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT };
	if (asked)
		o = *(const ws_cwt_opts *)asked;
	WSI_TRY(take_options(plan, &o));
	const size_t decimate = o.decimate ? o.decimate : 1;
	if (decimate > base->shape.samples)
		return WSI_FAIL(WS_E_ARG, "every %zu-th of %zu samples is none but the first: "
		                "decimate by less", decimate, base->shape.samples);
	o.decimate = plan->smooth ? 1 : decimate;
	WSI_TRY(wsi_cwt_make(family, &o));
	const wsi_cwt *cwt = family->cwt;
	plan->o = cwt->o;
	plan->o.decimate = decimate;
	plan->outputs = (base->shape.samples + decimate - 1) / decimate;
	if (plan->smooth) {
		WSI_TRY(wsi_smoothing_create(&plan->smoothing, cwt, &o));
		WSI_TRY(wsi_dft_add_inverse(&family->cwt->dft));
	}
	wsi_arena own = { 0 };
	take_own(plan, &own);
	family->own_bytes = own.used;
	family->spectra = 2 * family->epochs;
	family->squares = true;
	const double points = (double)cwt->outputs * (double)cwt->count;
	const double adding = (plan->smooth ? 1.2e-7 : 2.5e-9) * points;
	const double channels = (double)base->shape.channels;
	wsi_cwt_share(base, (2.0 * cwt->seconds + adding) * (double)family->epochs * channels *
	              (o.against == WS_AGAINST_ALL ? 0.5 * (channels + 1.0) : 1.0), cwt->count);
	base->options = &plan->o;
	return WS_OK;
}

/* Rows of sums, of the part's frequencies and those that they are averaged with, one part that has
 * the most of them. */
static ws_status
measure(ws_plan *base, bool aside)
{
	coherence_plan *plan = (coherence_plan *)base;
	const size_t count = plan->family.cwt->count, part = base->part ? base->part : count;
	size_t most = 0, from;
	for (size_t f = 0; plan->smooth && f < count; f += part) {
		const size_t rows = wsi_smoothing_reach(&plan->smoothing, f,
		                                        count - f < part ? count - f : part, &from);
		most = rows > most ? rows : most;
	}
	plan->family.shared_bytes = most * SUMS * plan->outputs * sizeof(double);
	return wsi_cwt_measure(base, aside);
}

static void
release(ws_plan *base)
{
	wsi_smoothing_destroy(&((coherence_plan *)base)->smoothing);
	wsi_cwt_release(base);
}

static void
describe(const ws_plan *base, char *text, size_t size)
{
	const coherence_plan *plan = plan_of(base);
	char with[48] = "of all pairs", over[64] = "neighbouring times and frequencies";
	if (plan->o.against != WS_AGAINST_ALL)
		wsi_snprintf(with, sizeof with, "with channel %zu",
		             WSI_NO(plan->o.against));
	if (!plan->smooth)
		wsi_snprintf(over, sizeof over, "%zu epochs", plan->family.epochs);
	const int used = wsi_snprintf(text, size, "  method     coherence %s over %s\n", with,
	                              over);
	wsi_cwt_describe_scales(plan->family.cwt, text + used, size - (size_t)used);
	wsi_cwt_describe_work(base, text, size);
}

/* ---- Execution --------------------------------------------------------------------------- */

#define TEMPLATE "transform/cwt/coherence_put.h"
#include "math/both_types.h"

/* Sums over epochs at frequency f. */
static void
add_epochs(const wsi_epochs_channel *j, size_t f, const own_parts *own, wsi_cwt_scratch *scratch)
{
	const wsi_cwt_execution *e = j->execution;
	const wsi_cwt *cwt = e->plan->cwt;
	const size_t n = cwt->outputs, epochs = e->plan->epochs;
	memset(own->power_w, 0, (size_t)((char *)own->unit_im - (char *)own->power_w) +
	       n * sizeof(double));
	for (size_t k = 0; k < epochs && wsi_cwt_goes_on(scratch); ++k) {
		const size_t at = k * wsi_cwt_spectrum_bytes(cwt);
		wsi_cwt_one(cwt, e->spectra + at, f, WS_QUANTITY_COMPLEX, false, 0, n, own->w,
		            scratch);
		wsi_cwt_one(cwt, j->beside + at, f, WS_QUANTITY_COMPLEX, false, 0, n, own->v,
		            scratch);
		cwt->ops->cwt->add_pair(&(wsi_cwt_pair){
			.w = own->w, .v = own->v, .count = n, .power_w = own->power_w,
			.power_v = own->power_v, .re = own->re, .im = own->im,
			.unit_re = own->unit_re, .unit_im = own->unit_im });
	}
}

/* Row `item` of the part, of a channel and its partner. */
static void
put(const coherence_plan *plan, const wsi_io *io, size_t channel, size_t partner, size_t item,
    const own_parts *own)
{
	const int first = first_array(plan);
	const bool of_pairs = first == WS_COHERENCE_PAIRS;
	void *out[3];
	for (int a = 0; a < 3; ++a) {
		const ws_buffer *b = &io->arrays[first + a];
		const size_t at = channel * b->stride[0] +
			(of_pairs ? partner * b->stride[1] + item * b->stride[2]
			 : item * b->stride[1]);
		out[a] = b->data ? (char *)b->data + at : NULL;
	}
	if (plan->family.cwt->type == WS_F64)
		put_f64(own, plan->outputs, (double)plan->family.epochs, out);
	else
		put_f32(own, plan->outputs, (double)plan->family.epochs, out);
}

/* The row of a pair, and that of the pair exchanged. */
static void
put_both(const wsi_epochs_channel *j, size_t item, const own_parts *own)
{
	const wsi_io *io = j->execution->io;
	const coherence_plan *plan = plan_of(&j->execution->plan->base);
	put(plan, io, j->channel, j->with, item, own);
	if (plan->o.against != WS_AGAINST_ALL || j->channel == j->with)
		return;
	for (size_t t = 0; t < plan->outputs; ++t)
		own->im[t] = -own->im[t];
	put(plan, io, j->with, j->channel, item, own);
}

static void
over_epochs(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(plan_of(&j->execution->plan->base), &arena);
	add_epochs(j, j->execution->first + item, &own, scratch);
	put_both(j, item, &own);
}

/* Row r of those that the part needs, [SUMS][outputs]: averaged in time. */
static double *
shared_row(const wsi_cwt_execution *e, size_t r)
{
	return (double *)e->shared + r * SUMS * plan_of(&e->plan->base)->outputs;
}

/* Rounding is no coherence: below 1e-13 of the largest power of its frequency there is nothing. */
static void
silence(const own_parts *own, size_t n)
{
	double most_w = 0.0, most_v = 0.0;
	for (size_t t = 0; t < n; ++t) {
		most_w = fmax(most_w, own->power_w[t]);
		most_v = fmax(most_v, own->power_v[t]);
	}
	for (size_t t = 0; t < n; ++t) {
		const bool w = own->power_w[t] > 1e-13 * most_w;
		const bool v = own->power_v[t] > 1e-13 * most_v;
		own->power_w[t] = w ? own->power_w[t] : 0.0;
		own->power_v[t] = v ? own->power_v[t] : 0.0;
		if (w && v)
			continue;
		own->re[t] = own->im[t] = own->unit_re[t] = own->unit_im[t] = 0.0;
	}
}

static void
over_times(void *user, size_t r, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	const wsi_cwt_execution *e = j->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(plan, &arena);
	double *sums[SUMS] = { own.power_w, own.power_v, own.re, own.im, own.unit_re, own.unit_im };
	size_t from;
	wsi_smoothing_reach(&plan->smoothing, e->first, e->count, &from);
	add_epochs(j, from + r, &own, scratch);
	for (int i = 0; i < SUMS; i += 2)
		wsi_smoothing_time(&plan->smoothing, plan->family.cwt, from + r, plan->o.decimate,
		                   sums[i], sums[i + 1], own.rest);
	silence(&own, plan->outputs);
	for (int i = 0; i < SUMS; ++i)
		memcpy(shared_row(e, r) + (size_t)i * plan->outputs, sums[i],
		       plan->outputs * sizeof(double));
}

static void
over_frequencies(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	const wsi_cwt_execution *e = j->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	const wsi_smoothing_window *w = &plan->smoothing.window[e->first + item];
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(plan, &arena);
	double *sums[SUMS] = { own.power_w, own.power_v, own.re, own.im, own.unit_re, own.unit_im };
	size_t from;
	(void)scratch;
	wsi_smoothing_reach(&plan->smoothing, e->first, e->count, &from);
	for (int i = 0; i < SUMS; ++i) {
		memset(sums[i], 0, plan->outputs * sizeof(double));
		for (size_t k = 0; k < w->count; ++k) {
			const double *row = shared_row(e, w->first - from + k) +
				(size_t)i * plan->outputs;
			for (size_t t = 0; t < plan->outputs; ++t)
				sums[i][t] += w->weight[k] * row[t];
		}
	}
	put_both(j, item, &own);
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const coherence_plan *plan = plan_of(base);
	const size_t first = io->count ? io->first : 0;
	const size_t count = io->count ? io->count : plan->family.cwt->count;
	const bool all = plan->o.against == WS_AGAINST_ALL;
	const size_t with = all ? 0 : (size_t)plan->o.against;
	wsi_epochs_work work = { .item = plan->smooth ? over_frequencies : over_epochs,
		.with = with, .with_end = all ? base->shape.channels : with + 1, .once = all,
		.scales = WS_COHERENCE_SCALE };
	size_t from;
	if (plan->smooth) {
		work.before = over_times;
		work.before_items = wsi_smoothing_reach(&plan->smoothing, first, count, &from);
	}
	return wsi_epochs_run(base, io, progress, workspace, &work);
}

/* ---- The row ----------------------------------------------------------------------------- */

const wsi_transform wsi_transform_coherence = {
	.about = {
		.name = "coherence", .title = "Coherence",
		.summary = "coherence and phase locking of channels",
		.text = "Compares the wavelet transforms of every channel with those of one, or of "
		"every channel with every other: their coherence, the locking of their phases, and "
		"their mean cross-spectrum. Means are over the epochs of a recording; without "
		"epochs they are over neighbouring times and frequencies (Torrence & Webster "
		"1999). No transform is stored.",
		.examples = (const char *const[]){
			"wavesift coherence eeg.set --epochs-at square --tmin -1 --tmax 2 "
			"--channels Cz,Fz,O1 --freqs 3:40 --plot coherence.png\t"
			"of Cz with Fz and O1",
			"wavesift coherence night.edf --channels Cz,O1 --freqs 4:30 "
			"--plot coherence.png\tof two channels, from moment to moment",
			"wavesift coherence epochs.set --against all --freqs 4:30\tall pairs",
			NULL },
		.options_size = sizeof(ws_cwt_opts),
		.options_tag = WS_TAG_CWT, .family = "cwt", .group = "Analyse",
		.folder = "coherence", .type = WS_F32, .takes_epochs = 2,
	},
	.options = wsi_coherence_options, .options_name = "ws_cwt_opts", .arrays = arrays,
	.n_arrays = WS_COHERENCE_ARRAYS, .plan_size = sizeof(coherence_plan), .unit = unit,
	.resolve = resolve,
	.every = every, .fill = wsi_cwt_fill_plan, .empty = wsi_cwt_empty_plan,
	.extent = extent, .axis_values = axis_values, .measure = measure,
	.run = run, .describe = describe, .release = release, .cut = WS_AXIS_FREQUENCY,
	.fewer = "channels or epochs",
};
