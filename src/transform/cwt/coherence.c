/* coherence.c - the row of cross-spectra, coherence and phase locking of channels, over epochs or,
 * without them, over neighbouring times and frequencies. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/element.h"
#include "base/status.h"
#include "transform/cwt/coherence_level.h"
#include "transform/cwt/coherence_window.h"
#include "transform/cwt/family.h"

typedef struct coherence_plan {
	wsi_cwt_plan family;    /* without epochs its transform does not decimate */
	ws_cwt_opts o;          /* resolved */
	bool smooth;            /* without epochs */
	size_t outputs;         /* of a row of the result */
	wsi_smoothing smoothing;
	wsi_surrogates surrogates;
	size_t most_rows;       /* of sums, that a part of the frequencies needs */
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

#define LEVEL(name, text) \
	{ name, text, WSI_F64, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY }, WS_ARRAY_OPTIONAL }
#define LEVELS(name, text) \
	{ name, text, WSI_F64, { WS_AXIS_CHANNEL, WS_AXIS_PARTNER, WS_AXIS_FREQUENCY }, \
	  WS_ARRAY_OPTIONAL }
#define COHERENCE_LEVEL "coherence that unrelated channels seldom exceed, pointwise"
#define LOCKING_LEVEL "phase-locking value that unrelated channels seldom exceed, pointwise"

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
	[WS_COHERENCE_IMAGINARY] = OF_PAIR("imaginary", "imaginary part of coherency", WSI_REAL,
		WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_SIGNIFICANCE] = LEVEL("significance", COHERENCE_LEVEL),
	[WS_COHERENCE_LOCKING_SIGNIFICANCE] = LEVEL("locking_significance", LOCKING_LEVEL),
	[WS_COHERENCE_IMAGINARY_PAIRS] = OF_PAIRS("imaginary_pairs", "imaginary part of coherency",
		WSI_REAL, WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_SIGNIFICANCE_PAIRS] = LEVELS("significance_pairs", COHERENCE_LEVEL),
	[WS_COHERENCE_LOCKING_SIGNIFICANCE_PAIRS] = LEVELS("locking_significance_pairs",
		LOCKING_LEVEL),
};

/* What a pair has: rows of time, then levels. */
enum { COHERENCE, LOCKING, CROSS, IMAGINARY, ROWS, LEVEL_COHERENCE = ROWS, LEVEL_LOCKING, KINDS };

static const int array_of_kind[2][KINDS] = {
	{ WS_COHERENCE_COHERENCE, WS_COHERENCE_LOCKING, WS_COHERENCE_CROSS, WS_COHERENCE_IMAGINARY,
	  WS_COHERENCE_SIGNIFICANCE, WS_COHERENCE_LOCKING_SIGNIFICANCE },
	{ WS_COHERENCE_PAIRS, WS_COHERENCE_LOCKING_PAIRS, WS_COHERENCE_CROSS_PAIRS,
	  WS_COHERENCE_IMAGINARY_PAIRS, WS_COHERENCE_SIGNIFICANCE_PAIRS,
	  WS_COHERENCE_LOCKING_SIGNIFICANCE_PAIRS },
};

static bool
of_all_pairs(const coherence_plan *plan)
{
	return plan->o.against == WS_AGAINST_ALL;
}

static bool
has_levels(const coherence_plan *plan)
{
	return !plan->smooth || plan->o.noise_signals > 0;
}

/* Is it an array of kinds of pairs, and made? */
static bool
is_made(const coherence_plan *plan, int array)
{
	for (int all = 0; all < 2; ++all)
		for (int kind = 0; kind < KINDS; ++kind)
			if (array_of_kind[all][kind] == array)
				return all == of_all_pairs(plan) &&
				       (kind < ROWS || has_levels(plan));
	return true;
}

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const coherence_plan *plan = plan_of(base);
	if (!is_made(plan, array))
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
	plan->smooth = shape->epochs < 2;
	return wsi_cwt_take_epochs(&plan->family, 1);
}

/* Those of levels, which the transform has none of: into *levels, and 0 in *o. */
static ws_status
take_levels(const coherence_plan *plan, ws_cwt_opts *o, ws_cwt_opts *levels)
{
	*levels = *o;
	o->significance = WS_SIGNIFICANCE_NONE;
	o->lag1 = o->level = 0.0;
	o->noise_signals = 0;
	o->seed = 0;
	if (levels->lag1 != 0.0)
		return WSI_FAIL(WS_E_ARG, "`lag1` is of wavelet power: leave it 0");
	if (levels->level != 0.0 && !(levels->level > 0.0 && levels->level < 1.0))
		return WSI_FAIL(WS_E_ARG, "the level of significance must be between 0 and 1, such "
		                "as 0.95, not %g", levels->level);
	if (levels->noise_signals && (levels->noise_signals < 20 || levels->noise_signals > 100000))
		return WSI_FAIL(WS_E_ARG, "`noise_signals`: from 20 to 100000, not %d",
		                levels->noise_signals);
	if (levels->significance && levels->significance != WS_SIGNIFICANCE_PHASE &&
	    levels->significance != WS_SIGNIFICANCE_AR1)
		return WSI_FAIL(WS_E_ARG, "`significance`: phase or ar1 of coherence, not %d",
		                (int)levels->significance);
	if (!plan->smooth && (levels->noise_signals || levels->significance))
		return WSI_FAIL(WS_E_ARG, "`noise_signals` and `significance` are of recordings "
		                "without epochs: over epochs levels follow from their number");
	if (plan->smooth && !levels->noise_signals &&
	    (levels->significance || levels->level != 0.0))
		return WSI_FAIL(WS_E_ARG, "levels over time need `noise_signals`, such as 100");
	if (levels->seed && !levels->noise_signals)
		return WSI_FAIL(WS_E_ARG, "`seed` is of `noise_signals`: leave it 0");
	if (levels->noise_signals && !levels->significance)
		levels->significance = WS_SIGNIFICANCE_PHASE;
	if (levels->level == 0.0 && (levels->noise_signals || !plan->smooth))
		levels->level = 0.95;
	return WS_OK;
}

/* Signals of noise: what makes them, and a plan's options tell them. */
static ws_status
plan_levels(coherence_plan *plan, const ws_cwt_opts *levels)
{
	const ws_shape *shape = &plan->family.base.shape;
	plan->o.significance = levels->significance;
	plan->o.level = levels->level;
	plan->o.noise_signals = levels->noise_signals;
	plan->o.seed = levels->seed;
	plan->surrogates.noise = levels->significance;
	plan->surrogates.seed = levels->seed;
	plan->surrogates.type = shape->type;
	if (levels->significance != WS_SIGNIFICANCE_PHASE)
		return WS_OK;
	WSI_TRY(wsi_dft_create(&plan->surrogates.dft, plan->family.cwt->dft.ops, shape->samples));
	return wsi_dft_add_inverse(&plan->surrogates.dft);
}

static bool
draws_phases(const coherence_plan *plan)
{
	return plan->surrogates.noise == WS_SIGNIFICANCE_PHASE;
}

static ws_status
resolve(ws_plan *base, const void *asked)
{
	coherence_plan *plan = (coherence_plan *)base;
	wsi_cwt_plan *family = &plan->family;
	ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT }, levels;
	if (asked)
		o = *(const ws_cwt_opts *)asked;
	WSI_TRY(take_options(plan, &o));
	WSI_TRY(take_levels(plan, &o, &levels));
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
	WSI_TRY(plan_levels(plan, &levels));
	if (plan->smooth) {
		WSI_TRY(wsi_smoothing_create(&plan->smoothing, cwt, &o));
		WSI_TRY(wsi_dft_add_inverse(&family->cwt->dft));
	}
	wsi_arena own = { 0 };
	take_own(plan, &own);
	family->own_bytes = own.used;
	family->spectra = (plan->o.noise_signals ? 4 : 2) * family->epochs;
	family->squares = true;
	const double points = (double)cwt->outputs * (double)cwt->count;
	const double adding = (plan->smooth ? 1.2e-7 : 2.5e-9) * points;
	const double channels = (double)base->shape.channels;
	const double times = (double)family->epochs * (1.0 + plan->o.noise_signals);
	wsi_cwt_share(base, (2.0 * cwt->seconds + adding) * times * channels *
	              (o.against == WS_AGAINST_ALL ? 0.5 * (channels + 1.0) : 1.0), cwt->count);
	base->options = &plan->o;
	return WS_OK;
}

/* What all threads work in, of a pair over time: rows of sums [most_rows][SUMS][outputs]; of
 * signals of noise, counts of values for each frequency of the part, a signal and scratch. */
typedef struct shared_parts {
	double *rows;
	wsi_level_counts *counts; /* [frequency][coherence, locking] */
	void *signal, *scratch;
} shared_parts;

static shared_parts
take_shared(const coherence_plan *plan, wsi_arena *arena)
{
	const ws_plan *base = &plan->family.base;
	const size_t count = base->part ? base->part : plan->family.cwt->count;
	const size_t n = base->shape.samples;
	shared_parts p = { .rows = wsi_arena_take(
		arena, plan->most_rows * SUMS * plan->outputs * sizeof(double)) };
	if (!plan->o.noise_signals)
		return p;
	p.counts = wsi_arena_take(arena, 2 * count * sizeof *p.counts);
	p.signal = wsi_arena_take(arena, n * wsi_type_size(base->shape.type));
	p.scratch = wsi_arena_take(arena, wsi_surrogate_scratch(&plan->surrogates, n));
	return p;
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
	plan->most_rows = most;
	wsi_arena shared = { 0 };
	take_shared(plan, &shared);
	plan->family.shared_bytes = shared.used;
	WSI_TRY(wsi_cwt_measure(base, aside));
	size_t making = 0;
	if (draws_phases(plan))
		base->tables += wsi_dft_tables(&plan->surrogates.dft, &making);
	base->making = making > base->making ? making : base->making;
	return WS_OK;
}

static void
empty(ws_plan *base)
{
	coherence_plan *plan = (coherence_plan *)base;
	if (draws_phases(plan))
		wsi_dft_empty(&plan->surrogates.dft);
	wsi_cwt_empty_plan(base);
}

static ws_status
fill(ws_plan *base, wsi_progress *progress)
{
	coherence_plan *plan = (coherence_plan *)base;
	WSI_TRY(wsi_cwt_fill_plan(base, progress));
	const ws_status status = draws_phases(plan)
		? wsi_dft_fill(&plan->surrogates.dft, progress) : WS_OK;
	if (status != WS_OK)
		wsi_cwt_empty_plan(base);
	return status;
}

static void
release(ws_plan *base)
{
	coherence_plan *plan = (coherence_plan *)base;
	wsi_smoothing_destroy(&plan->smoothing);
	if (draws_phases(plan))
		wsi_dft_destroy(&plan->surrogates.dft);
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
	int used = wsi_snprintf(text, size, "  method     coherence %s over %s\n", with, over);
	if (plan->o.noise_signals)
		used += wsi_snprintf(text + used, size - (size_t)used, "  levels     of %d pairs "
		                     "of signals, %s\n", plan->o.noise_signals, draws_phases(plan)
		                     ? "phases drawn at random" : "red noise as the channels");
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

/* Where row or number `item` of the part is, of a channel and its partner; NULL: nowhere. */
static void *
place(const coherence_plan *plan, const wsi_io *io, int kind, size_t channel, size_t partner,
      size_t item)
{
	const bool all = of_all_pairs(plan);
	const ws_buffer *b = &io->arrays[array_of_kind[all][kind]];
	const size_t at = channel * b->stride[0] +
		(all ? partner * b->stride[1] + item * b->stride[2] : item * b->stride[1]);
	return b->data ? (char *)b->data + at : NULL;
}

/* Levels of the part's row `item`, of a pair and of the pair exchanged. */
static void
put_levels(const wsi_epochs_channel *j, size_t item, double coherence, double locking)
{
	const wsi_io *io = j->execution->io;
	const coherence_plan *plan = plan_of(&j->execution->plan->base);
	const double levels[] = { coherence, locking };
	for (int exchanged = 0; exchanged < 1 + of_all_pairs(plan); ++exchanged)
		for (int k = 0; k < 2; ++k) {
			double *to = place(plan, io, LEVEL_COHERENCE + k,
			                   exchanged ? j->with : j->channel,
			                   exchanged ? j->channel : j->with, item);
			if (to)
				*to = j->channel == j->with ? NAN : levels[k];
		}
}

/* Row `item` of the part, of a channel and its partner. */
static void
put(const coherence_plan *plan, const wsi_io *io, size_t channel, size_t partner, size_t item,
    const own_parts *own)
{
	void *out[ROWS];
	for (int kind = 0; kind < ROWS; ++kind)
		out[kind] = place(plan, io, kind, channel, partner, item);
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
	const coherence_plan *plan = plan_of(&j->execution->plan->base);
	put_levels(j, item, wsi_level_coherence(plan->family.epochs, plan->o.level),
	           wsi_level_locking(plan->family.epochs, plan->o.level));
}

/* Row r of those that the part needs, [SUMS][outputs]: averaged in time. */
static double *
shared_row(const wsi_cwt_execution *e, size_t r)
{
	const coherence_plan *plan = plan_of(&e->plan->base);
	wsi_arena arena = { .base = e->shared };
	return take_shared(plan, &arena).rows + r * SUMS * plan->outputs;
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

/* Sums of the part's row `item`, over neighbouring frequencies. */
static void
average_frequencies(const wsi_epochs_channel *j, size_t item, const own_parts *own)
{
	const wsi_cwt_execution *e = j->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	const wsi_smoothing_window *w = &plan->smoothing.window[e->first + item];
	double *sums[SUMS] = { own->power_w, own->power_v, own->re, own->im, own->unit_re,
		own->unit_im };
	size_t from;
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
}

static void
over_frequencies(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(plan_of(&j->execution->plan->base), &arena);
	(void)scratch;
	average_frequencies(j, item, &own);
	put_both(j, item, &own);
}

/* ---- Levels over time -------------------------------------------------------------------- */

/* Counts the part's row `item` of two signals of noise: at times beyond the cone, or at all where
 * the recording is shorter. */
static void
count_noise(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	const wsi_cwt_execution *e = j->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	const wsi_cwt *cwt = plan->family.cwt;
	wsi_arena arena = { .base = memory }, shared = { .base = e->shared };
	const own_parts own = take_own(plan, &arena);
	wsi_level_counts *counts = &take_shared(plan, &shared).counts[2 * item];
	double *values[2] = { own.w, own.v };
	void *out[ROWS] = { values[0], values[1] };
	(void)scratch;
	average_frequencies(j, item, &own);
	put_f64(&own, plan->outputs, 1.0, out);
	const double step = (double)plan->o.decimate / cwt->fs;
	const double end = (double)(cwt->samples - 1) / cwt->fs;
	double cone = cwt->scale[e->first + item].cone;
	cone = 2.0 * cone < end ? cone : 0.0;
	for (size_t t = 0; t < plan->outputs; ++t)
		if ((double)t * step >= cone && (double)t * step <= end - cone)
			for (int k = 0; k < 2; ++k)
				wsi_level_count(&counts[k], values[k][t]);
}

/* One pair of signals of noise in the place of the channels. */
static ws_status
compare_noise(const wsi_epochs_channel *pair, size_t number, const shared_parts *shared)
{
	const wsi_cwt_execution *e = pair->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t spectrum = wsi_cwt_spectrum_bytes(cwt), of[] = { pair->channel, pair->with };
	wsi_io io = *e->io;
	wsi_cwt_execution noise = *e;
	noise.io = &io;
	noise.spectra = e->spectra + 2 * spectrum;
	for (int k = 0; k < 2; ++k) {
		wsi_surrogate_make(&plan->surrogates, e->io->x + of[k] * e->io->x_stride,
		                   cwt->samples, of[k], number, shared->signal, shared->scratch);
		io.x = shared->signal;
		WSI_TRY(wsi_cwt_take(&noise, 0, noise.spectra + (size_t)k * spectrum));
	}
	wsi_epochs_channel one = { &noise, pair->channel, pair->with, noise.spectra + spectrum };
	size_t from;
	const wsi_cwt_work before = { .item = over_times, .own_bytes = e->plan->own_bytes,
		.items = wsi_smoothing_reach(&plan->smoothing, e->first, e->count, &from),
		.user = &one };
	const wsi_cwt_work items = { .item = count_noise, .own_bytes = e->plan->own_bytes,
		.items = e->count, .user = &one };
	wsi_cwt_items(cwt, &before, e->pool, e->progress, e->scratch);
	wsi_cwt_items(cwt, &items, e->pool, e->progress, e->scratch);
	return WS_OK;
}

/* Levels of a pair, by signals of noise that have its channels' spectra. */
static ws_status
levels_of_noise(const wsi_epochs_channel *pair, double begin, double end)
{
	const wsi_cwt_execution *e = pair->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	wsi_arena arena = { .base = e->shared };
	const shared_parts shared = take_shared(plan, &arena);
	const size_t all = pair->channel == pair->with ? 0 : (size_t)plan->o.noise_signals;
	memset(shared.counts, 0, 2 * e->count * sizeof *shared.counts);
	for (size_t i = 0; i < all && !wsi_cancelled(e->progress); ++i) {
		const double step = (end - begin) / (double)all;
		wsi_progress_step(e->progress, begin + (double)i * step,
		                  begin + (double)(i + 1) * step);
		WSI_TRY(compare_noise(pair, i, &shared));
	}
	for (size_t f = 0; f < e->count; ++f)
		put_levels(pair, f, wsi_level_of(&shared.counts[2 * f], plan->o.level),
		           wsi_level_of(&shared.counts[2 * f + 1], plan->o.level));
	return WS_OK;
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
		if (plan->o.noise_signals)
			work.after = levels_of_noise;
		work.parts = 1.0 + plan->o.noise_signals;
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
		"1999). Beside them stand the levels that unrelated channels seldom exceed, "
		"without epochs by signals of noise, and the imaginary part of coherency, which "
		"volume conduction leaves at 0 (Nolte et al. 2004). No transform is stored.",
		.examples = (const char *const[]){
			"wavesift coherence eeg.set --epochs-at square --tmin -1 --tmax 2 "
			"--channels Cz,Fz,O1 --freqs 3:40 --plot coherence.png\t"
			"of Cz with Fz and O1",
			"wavesift coherence night.edf --channels Cz,O1 --freqs 4:30 "
			"--noise-signals 100 --plot coherence.png\tof two channels, from moment "
			"to moment, and its level",
			"wavesift coherence epochs.set --against all --freqs 4:30\tall pairs",
			NULL },
		.options_size = sizeof(ws_cwt_opts),
		.options_tag = WS_TAG_CWT, .family = "cwt", .group = "Analyse",
		.folder = "coherence", .type = WS_F32, .takes_epochs = 2,
	},
	.options = wsi_coherence_options, .options_name = "ws_cwt_opts", .arrays = arrays,
	.n_arrays = WS_COHERENCE_ARRAYS, .plan_size = sizeof(coherence_plan), .unit = unit,
	.resolve = resolve,
	.every = every, .fill = fill, .empty = empty,
	.extent = extent, .axis_values = axis_values, .measure = measure,
	.run = run, .describe = describe, .release = release, .cut = WS_AXIS_FREQUENCY,
	.fewer = "channels or epochs",
};
