/* coherence.c - the row of cross-spectra, coherence and phase locking of channels, over epochs or,
 * without them, over neighbouring times and frequencies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/element.h"
#include "base/rising.h"
#include "base/status.h"
#include "transform/cwt/coherence_level.h"
#include "transform/cwt/coherence_window.h"
#include "transform/cwt/family.h"
#include "transform/on_gpu.h"

typedef struct coherence_plan {
	wsi_cwt_plan family;    /* without epochs its transform does not decimate */
	ws_cwt_opts o;          /* resolved */
	bool smooth;            /* without epochs */
	bool shuffle;           /* levels are of epochs in another order */
	size_t outputs;         /* of a row of the result */
	wsi_smoothing smoothing;
	wsi_surrogates surrogates;
	size_t most_rows;       /* of sums, that a part of the frequencies needs */
	wsi_cwt_job_row *rows;  /* on a GPU, over time: what its job lists */
	wsi_cwt_job_member *members;
	wsi_cwt_job_gaussian *gaussians;
	double *parts;
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
#define CLUSTER "p of the cluster of cells above the level, 1 outside"
#define COHERENCE_LEVEL "coherence that unrelated channels seldom exceed, pointwise"
#define LOCKING_LEVEL "phase-locking value that unrelated channels seldom exceed, pointwise"

static const wsi_array arrays[WS_COHERENCE_ARRAYS] = {
	[WS_COHERENCE_COHERENCE] = OF_PAIR("coherence", "magnitude-squared coherence", WSI_REAL,
		WS_ARRAY_MAIN),
	[WS_COHERENCE_PHASE_LOCKING] = OF_PAIR("phase_locking", "phase-locking value", WSI_REAL,
		WS_ARRAY_MAIN),
	[WS_COHERENCE_CROSS_SPECTRUM] = OF_PAIR("cross_spectrum", "mean cross-spectrum", WSI_COMPLEX,
		WS_ARRAY_OPTIONAL),
	WSI_CWT_ROW_ARRAYS(WS_COHERENCE, "the signal"),
	[WS_COHERENCE_COHERENCE_PAIRS] = OF_PAIRS("coherence_pairs", "magnitude-squared coherence",
		WSI_REAL, WS_ARRAY_MAIN),
	[WS_COHERENCE_PHASE_LOCKING_PAIRS] = OF_PAIRS("phase_locking_pairs", "phase-locking value",
		WSI_REAL, WS_ARRAY_MAIN),
	[WS_COHERENCE_CROSS_SPECTRUM_PAIRS] = OF_PAIRS("cross_spectrum_pairs", "mean cross-spectrum",
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
	[WS_COHERENCE_SHUFFLED_SIGNIFICANCE] = OF_PAIR("shuffled_significance", COHERENCE_LEVEL,
		WSI_REAL, WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE] = OF_PAIR("shuffled_locking_significance",
		LOCKING_LEVEL, WSI_REAL, WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_CLUSTER_P] = OF_PAIR("cluster_p", CLUSTER, WSI_REAL, WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_LOCKING_CLUSTER_P] = OF_PAIR("locking_cluster_p", CLUSTER, WSI_REAL,
		WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_SHUFFLED_SIGNIFICANCE_PAIRS] = OF_PAIRS("shuffled_significance_pairs",
		COHERENCE_LEVEL, WSI_REAL, WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE_PAIRS] = OF_PAIRS(
		"shuffled_locking_significance_pairs", LOCKING_LEVEL, WSI_REAL, WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_CLUSTER_P_PAIRS] = OF_PAIRS("cluster_p_pairs", CLUSTER, WSI_REAL,
		WS_ARRAY_OPTIONAL),
	[WS_COHERENCE_LOCKING_CLUSTER_P_PAIRS] = OF_PAIRS("locking_cluster_p_pairs", CLUSTER,
		WSI_REAL, WS_ARRAY_OPTIONAL),
};

/* What a pair has: rows of time, levels of frequencies, and rows of levels and of clusters. */
enum { COHERENCE, LOCKING, CROSS, IMAGINARY, ROWS, LEVEL_COHERENCE = ROWS, LEVEL_LOCKING,
       SHUFFLED, CLUSTERS = SHUFFLED + 2, KINDS = CLUSTERS + 2 };

static const int array_of_kind[2][KINDS] = {
	{ WS_COHERENCE_COHERENCE, WS_COHERENCE_PHASE_LOCKING, WS_COHERENCE_CROSS_SPECTRUM,
	  WS_COHERENCE_IMAGINARY, WS_COHERENCE_SIGNIFICANCE, WS_COHERENCE_LOCKING_SIGNIFICANCE,
	  WS_COHERENCE_SHUFFLED_SIGNIFICANCE, WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE, WS_COHERENCE_CLUSTER_P,
	  WS_COHERENCE_LOCKING_CLUSTER_P },
	{ WS_COHERENCE_COHERENCE_PAIRS, WS_COHERENCE_PHASE_LOCKING_PAIRS, WS_COHERENCE_CROSS_SPECTRUM_PAIRS,
	  WS_COHERENCE_IMAGINARY_PAIRS, WS_COHERENCE_SIGNIFICANCE_PAIRS,
	  WS_COHERENCE_LOCKING_SIGNIFICANCE_PAIRS, WS_COHERENCE_SHUFFLED_SIGNIFICANCE_PAIRS,
	  WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE_PAIRS, WS_COHERENCE_CLUSTER_P_PAIRS,
	  WS_COHERENCE_LOCKING_CLUSTER_P_PAIRS },
};

static bool
of_all_pairs(const coherence_plan *plan)
{
	return plan->o.against == WS_AGAINST_ALL;
}

static bool
has_kind(const coherence_plan *plan, int kind)
{
	return kind < ROWS || (kind < SHUFFLED
		? (plan->smooth ? plan->o.noise_signals > 0 : !plan->shuffle)
		: kind < CLUSTERS ? plan->shuffle : plan->o.clusters != 0);
}

/* Is it an array of kinds of pairs, and made? */
static bool
is_made(const coherence_plan *plan, int array)
{
	for (int all = 0; all < 2; ++all)
		for (int kind = 0; kind < KINDS; ++kind)
			if (array_of_kind[all][kind] == array)
				return all == of_all_pairs(plan) &&
				       has_kind(plan, kind);
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

/* What a thread works in: coefficients of one frequency, w of a channel, v of the one that it is
 * compared with, and sums over epochs. */
typedef struct own_parts {
	char *w, *v;            /* [outputs] complex, of one epoch or, to be shuffled, of each */
	size_t next;            /* bytes to the next epoch's, or 0 */
	double *power_w, *power_v, *re, *im, *unit_re, *unit_im; /* [outputs] */
	void *rest;             /* of smoothing */
	/* Of shuffled epochs: */
	double *values[2];      /* [1 + noise_signals][outputs]: coherence, locking */
	double *sorted;         /* [noise_signals] */
	size_t *order;          /* [epoch] */
} own_parts;

enum { SUMS = 6 };              /* the rows of doubles, in that order */

static own_parts
take_own(const coherence_plan *plan, wsi_arena *arena)
{
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t n = cwt->outputs * sizeof(double);
	const size_t rows = plan->shuffle ? plan->family.epochs : 1;
	own_parts own = { .w = wsi_arena_take(arena, rows * 2 * n),
		.next = plan->shuffle ? 2 * n : 0 };
	own.v = wsi_arena_take(arena, rows * 2 * n);
	own.power_w = wsi_arena_take(arena, n);
	own.power_v = wsi_arena_take(arena, n);
	own.re = wsi_arena_take(arena, n);
	own.im = wsi_arena_take(arena, n);
	own.unit_re = wsi_arena_take(arena, n);
	own.unit_im = wsi_arena_take(arena, n);
	own.rest = wsi_arena_take(arena, plan->smooth ? wsi_smoothing_bytes(cwt) : 0);
	if (!plan->shuffle)
		return own;
	const size_t signals = (size_t)plan->o.noise_signals;
	for (int k = 0; k < 2; ++k)
		own.values[k] = wsi_arena_take(arena, (1 + signals) * n);
	own.sorted = wsi_arena_take(arena, signals * sizeof *own.sorted);
	own.order = wsi_arena_take(arena, rows * sizeof *own.order);
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

/* WS_E_ARG: there is no such noise of a recording like this, or it is not enough. */
static ws_status
check_noise(const coherence_plan *plan, const ws_cwt_opts *o)
{
	const ws_significance noise = o->significance;
	if (o->noise_signals && (o->noise_signals < 20 || o->noise_signals > 100000))
		return WSI_FAIL(WS_E_ARG, "`noise_signals`: from 20 to 100000, not %d",
		                o->noise_signals);
	if (noise && (noise < WS_SIGNIFICANCE_AR1 || noise > WS_SIGNIFICANCE_SHUFFLE))
		return WSI_FAIL(WS_E_ARG, "`significance`: phase, ar1 or shuffle of coherence, not "
		                "%d", (int)noise);
	if (noise && plan->smooth == (noise == WS_SIGNIFICANCE_SHUFFLE))
		return WSI_FAIL(WS_E_ARG, plan->smooth ? "`significance`: shuffle is of epochs, and "
		                "there are none: take phase or ar1" : "`significance`: phase and "
		                "ar1 are of recordings without epochs: take shuffle");
	if (!o->noise_signals && (noise || (plan->smooth && o->level != 0.0)))
		return WSI_FAIL(WS_E_ARG, "these levels need `noise_signals`, such as 100");
	if (!o->noise_signals && (o->seed || o->clusters))
		return WSI_FAIL(WS_E_ARG, "`%s` is of `noise_signals`: leave it 0",
		                o->seed ? "seed" : "clusters");
	const double level = o->level != 0.0 ? o->level : 0.95;
	const double least = ceil(level / (1.0 - level) - 1e-9);
	if (!plan->smooth && o->noise_signals && o->noise_signals < least)
		return WSI_FAIL(WS_E_ARG, "a level of %g needs %.0f `noise_signals` or more, not %d",
		                level, least, o->noise_signals);
	return WS_OK;
}

/* Those of levels, which the transform has none of: into *levels, and 0 in *o. */
static ws_status
take_levels(const coherence_plan *plan, ws_cwt_opts *o, ws_cwt_opts *levels)
{
	*levels = *o;
	o->significance = WS_SIGNIFICANCE_NONE;
	o->lag1 = o->level = 0.0;
	o->noise_signals = o->clusters = 0;
	o->seed = 0;
	if (levels->lag1 != 0.0)
		return WSI_FAIL(WS_E_ARG, "`lag1` is of wavelet power: leave it 0");
	if (levels->level != 0.0 && !(levels->level > 0.0 && levels->level < 1.0))
		return WSI_FAIL(WS_E_ARG, "the level of significance must be between 0 and 1, such "
		                "as 0.95, not %g", levels->level);
	WSI_TRY(check_noise(plan, levels));
	if (levels->noise_signals && !levels->significance)
		levels->significance = plan->smooth ? WS_SIGNIFICANCE_PHASE
		                                    : WS_SIGNIFICANCE_SHUFFLE;
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
	plan->o.clusters = levels->clusters != 0;
	plan->shuffle = levels->significance == WS_SIGNIFICANCE_SHUFFLE;
	plan->surrogates.noise = levels->significance;
	plan->surrogates.seed = levels->seed;
	plan->surrogates.type = shape->type;
	if (plan->o.clusters)
		WSI_TRY(wsi_smoothing_sorted(plan->family.cwt));
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

/* What a GPU averages over time. */
static ws_status
list_times(coherence_plan *plan, wsi_cwt_job_sums *sums)
{
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t n = cwt->count;
	sums->form = WSI_CWT_TIMES;
	sums->members = wsi_smoothing_members(&plan->smoothing, cwt);
	sums->row = plan->rows = malloc(n * sizeof *plan->rows);
	sums->member = plan->members = malloc(sums->members * sizeof *plan->members);
	sums->gaussian = plan->gaussians = malloc(n * sizeof *plan->gaussians);
	if (!plan->rows || !plan->members || !plan->gaussians)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", n);
	sums->part_count = wsi_smoothing_list(&plan->smoothing, cwt, plan->rows, plan->members,
	                                     plan->gaussians);
	sums->parts = plan->parts = malloc((sums->part_count + 1) * sizeof *plan->parts);
	return plan->parts ? WS_OK : WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", n);
}

/* What a GPU forms of two channels' coefficients. */
static ws_status
plan_gpu(coherence_plan *plan)
{
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t epochs = plan->family.epochs;
	wsi_cwt_job_sums sums = { .form = WSI_CWT_PAIRS, .rows = cwt->count, .epochs = epochs,
		.every = plan->smooth ? plan->o.decimate : 1, .outputs = plan->outputs,
		.against = plan->o.against };
	for (int k = 0; k < ROWS; ++k)
		sums.arrays[k] = array_of_kind[of_all_pairs(plan)][k];
	if (plan->smooth)
		WSI_TRY(list_times(plan, &sums));
	const double channels = (double)plan->family.base.shape.channels;
	const double pairs = of_all_pairs(plan) ? 0.5 * channels * (channels + 1.0) : channels;
	WSI_TRY(wsi_cwt_on_gpu(&plan->family, epochs * plan->family.base.shape.channels, 0, &sums));
	/* Bytes that a pair's sums take, by what memory gives. */
	plan->family.base.seconds += (plan->smooth ? 1.5e-10 : 1e-11 * (double)epochs) * pairs *
	                             (double)cwt->outputs * (double)cwt->count;
	return WS_OK;
}

static ws_status
on_gpu(const ws_shape *shape, const void *opts)
{
	const ws_cwt_opts *o = opts;
	WSI_TRY(wsi_cwt_gpu_takes(shape, opts));
	return !o || !o->noise_signals ? WS_OK
		: WSI_FAIL(WS_E_UNSUPPORTED, "levels by signals of noise are for the CPU: leave "
		           "out `device`, or `noise_signals`");
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
	family->spectra = (plan->smooth && plan->o.noise_signals ? 4 : 2) * family->epochs;
	family->squares = true;
	const double points = (double)cwt->outputs * (double)cwt->count;
	const double adding = (plan->smooth ? 1.2e-7 : 2.5e-9) * points;
	const double channels = (double)base->shape.channels;
	/* Signals of noise are transformed, to have clusters twice; epochs in another order are
	 * added again. */
	const double again = (1.0 + plan->o.noise_signals) * (1.0 + (plan->smooth && plan->o.clusters));
	const double pair = 2.0 * cwt->seconds * (plan->smooth ? again : 1.0) + adding * again;
	wsi_cwt_share(base, pair * (double)family->epochs * channels *
	              (o.against == WS_AGAINST_ALL ? 0.5 * (channels + 1.0) : 1.0), cwt->count);
	base->options = &plan->o;
	return base->gpu ? plan_gpu(plan) : WS_OK;
}

/* What all threads work in: of a pair over time rows of sums [most_rows][SUMS][outputs]; of signals
 * of noise over time counts of values for each frequency of the part, a signal and scratch; of
 * clusters their maps, of the pair itself and, of epochs, of each signal of noise. */
typedef struct shared_parts {
	double *rows;
	wsi_level_counts *counts; /* [frequency][coherence, locking] */
	void *signal, *scratch;
	uint8_t *maps;          /* [map][coherence, locking][frequency][outputs] */
	double *levels;         /* over time, [frequency][coherence, locking] */
	wsi_clusters clusters[2];
	float *p;               /* [frequency][outputs] */
} shared_parts;

static size_t
maps_of(const coherence_plan *plan)
{
	return plan->shuffle ? 1 + (size_t)plan->o.noise_signals : 1;
}

static void
take_clusters(const coherence_plan *plan, wsi_arena *arena, shared_parts *p)
{
	const size_t rows = plan->family.cwt->count, cells = rows * plan->outputs;
	const size_t signals = (size_t)plan->o.noise_signals;
	p->maps = wsi_arena_take(arena, maps_of(plan) * 2 * cells);
	p->levels = wsi_arena_take(arena, 2 * rows * sizeof *p->levels);
	p->p = wsi_arena_take(arena, cells * sizeof *p->p);
	size_t *gathered = wsi_arena_take(arena, cells * sizeof *gathered);
	for (int k = 0; k < 2; ++k)
		p->clusters[k] = (wsi_clusters){ rows, plan->outputs, signals,
			wsi_arena_take(arena, signals * sizeof(uint64_t)), gathered };
}

static shared_parts
take_shared(const coherence_plan *plan, wsi_arena *arena)
{
	const ws_plan *base = &plan->family.base;
	const size_t count = base->part ? base->part : plan->family.cwt->count;
	const size_t n = base->shape.samples;
	shared_parts p = { .rows = wsi_arena_take(
		arena, plan->most_rows * SUMS * plan->outputs * sizeof(double)) };
	if (plan->o.clusters)
		take_clusters(plan, arena, &p);
	if (!plan->o.noise_signals || plan->shuffle)
		return p;
	p.counts = wsi_arena_take(arena, 2 * count * sizeof *p.counts);
	p.signal = wsi_arena_take(arena, n * wsi_type_size(base->shape.type));
	p.scratch = wsi_arena_take(arena, wsi_surrogate_scratch(&plan->surrogates, n));
	return p;
}

static uint8_t *
map_row(const coherence_plan *plan, const shared_parts *p, size_t map, int k, size_t item)
{
	return p->maps + ((2 * map + (size_t)k) * plan->family.cwt->count + item) * plan->outputs;
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
	if (plan->o.clusters && part < count)
		return WSI_FAIL(WS_E_NOMEM, "clusters are of all frequencies together and need "
		                "%.1f MiB: allow more memory (`memory`), or fewer frequencies, "
		                "times (`decimate`) or signals of noise",
		                (double)shared.used / 1048576.0);
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
	if (plan->parts)
		wsi_smoothing_fill(&plan->smoothing, plan->family.cwt, plan->gaussians,
		                       plan->parts);
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
	free(plan->rows);
	free(plan->members);
	free(plan->gaussians);
	free(plan->parts);
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
		                     "of signals, %s%s\n", plan->o.noise_signals, plan->shuffle
		                     ? "one's epochs in another order" : draws_phases(plan)
		                     ? "phases drawn at random" : "red noise as the channels",
		                     plan->o.clusters ? "; clusters" : "");
	wsi_cwt_describe_scales(base, text + used, size - (size_t)used);
	wsi_cwt_describe_work(base, text, size);
}

/* ---- Execution --------------------------------------------------------------------------- */

#define TEMPLATE "transform/cwt/coherence_put.h"
#include "math/both_types.h"

static void
clear_sums(const own_parts *own, size_t n)
{
	memset(own->power_w, 0, (size_t)((char *)own->unit_im - (char *)own->power_w) +
	       n * sizeof(double));
}

/* One epoch to the sums. */
static void
add_pair(const wsi_cwt *cwt, const void *w, const void *v, const own_parts *own)
{
	cwt->ops->cwt->add_pair(&(wsi_cwt_pair){
		.w = w, .v = v, .count = cwt->outputs, .power_w = own->power_w,
		.power_v = own->power_v, .re = own->re, .im = own->im, .unit_re = own->unit_re,
		.unit_im = own->unit_im });
}

/* Sums over epochs at frequency f. */
static void
add_epochs(const wsi_epochs_channel *j, size_t f, const own_parts *own, wsi_cwt_scratch *scratch)
{
	const wsi_cwt_execution *e = j->execution;
	const wsi_cwt *cwt = e->plan->cwt;
	const size_t n = cwt->outputs, epochs = e->plan->epochs;
	clear_sums(own, n);
	for (size_t k = 0; k < epochs && wsi_cwt_goes_on(scratch); ++k) {
		const size_t at = k * wsi_cwt_spectrum_bytes(cwt);
		char *w = own->w + k * own->next, *v = own->v + k * own->next;
		wsi_cwt_one(cwt, e->spectra + at, f, WS_QUANTITY_COMPLEX, false, 0, n, w, scratch);
		wsi_cwt_one(cwt, j->beside + at, f, WS_QUANTITY_COMPLEX, false, 0, n, v, scratch);
		add_pair(cwt, w, v, own);
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
put_levels(const coherence_plan *plan, const wsi_io *io, size_t channel, size_t with, size_t item,
           double coherence, double locking)
{
	const double levels[] = { coherence, locking };
	for (int exchanged = 0; exchanged < 1 + of_all_pairs(plan); ++exchanged)
		for (int k = 0; k < 2; ++k) {
			double *to = place(plan, io, LEVEL_COHERENCE + k,
			                   exchanged ? with : channel,
			                   exchanged ? channel : with, item);
			if (to)
				*to = channel == with ? NAN : levels[k];
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

/* Numbers of the plan's type to the part's row `item`, of a pair and of the pair exchanged. */
static void
put_row(const wsi_epochs_channel *j, int kind, size_t item, size_t t, double value)
{
	const coherence_plan *plan = plan_of(&j->execution->plan->base);
	for (int exchanged = 0; exchanged < 1 + of_all_pairs(plan); ++exchanged) {
		void *to = place(plan, j->execution->io, kind, exchanged ? j->with : j->channel,
		                 exchanged ? j->channel : j->with, item);
		if (to)
			wsi_real_put(to, plan->family.cwt->type, t, value);
	}
}

/* ---- Shuffled epochs ---------------------------------------------------------------------- */

/* The level of each time of the part's row `item`, and what is above it in each order: the evoked
 * responses of both channels are in every one of them (Lachaux et al. 1999). */
static void
put_shuffled(const wsi_epochs_channel *j, size_t item, const own_parts *own)
{
	const wsi_cwt_execution *e = j->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	const size_t n = plan->outputs, signals = (size_t)plan->o.noise_signals;
	wsi_arena arena = { .base = e->shared };
	const shared_parts shared = take_shared(plan, &arena);
	for (int k = 0; k < 2; ++k)
		for (size_t t = 0; t < n; ++t) {
			for (size_t i = 0; i < signals; ++i)
				own->sorted[i] = own->values[k][(1 + i) * n + t];
			qsort(own->sorted, signals, sizeof *own->sorted, wsi_rising);
			const double level = wsi_level_among(own->sorted, signals, plan->o.level);
			put_row(j, SHUFFLED + k, item, t, level);
			for (size_t i = 0; plan->o.clusters && i <= signals; ++i)
				map_row(plan, &shared, i, k, item)[t] =
					wsi_cluster_cell(own->values[k][i * n + t], level);
		}
}

/* Coherence and locking at a frequency with the epochs of the channel beside in other orders; own
 * has the coefficients of all epochs. */
static void
shuffle(const wsi_epochs_channel *j, size_t item, const own_parts *own, wsi_cwt_scratch *scratch)
{
	const coherence_plan *plan = plan_of(&j->execution->plan->base);
	const size_t n = plan->outputs, epochs = plan->family.epochs;
	for (size_t i = 0; i <= (size_t)plan->o.noise_signals && wsi_cwt_goes_on(scratch); ++i) {
		void *out[ROWS] = { own->values[0] + i * n, own->values[1] + i * n };
		wsi_surrogate_order(&plan->surrogates, j->channel, i, epochs, own->order);
		clear_sums(own, n);
		for (size_t k = 0; k < epochs; ++k)
			add_pair(plan->family.cwt, own->w + k * own->next,
			         own->v + own->order[k] * own->next, own);
		put_f64(own, n, (double)epochs, out);
	}
	if (wsi_cwt_goes_on(scratch))
		put_shuffled(j, item, own);
}

/* Neither a level nor a cluster: of a channel with itself, and before there are any. */
static void
put_none(const wsi_epochs_channel *j, size_t item)
{
	const coherence_plan *plan = plan_of(&j->execution->plan->base);
	for (int kind = SHUFFLED; kind < KINDS; ++kind)
		for (size_t t = 0; has_kind(plan, kind) && t < plan->outputs; ++t)
			put_row(j, kind, item, t, kind < CLUSTERS ? NAN : 1.0);
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
	if (plan->shuffle && j->channel != j->with)
		shuffle(j, item, &own, scratch);
	else
		put_none(j, item);
}

/* Over epochs they are the same of all pairs. */
static void
put_levels_of_epochs(const coherence_plan *plan, const wsi_io *io, size_t count)
{
	const size_t channels = plan->family.base.shape.channels;
	const double coherence = wsi_level_coherence(plan->family.epochs, plan->o.level);
	const double locking = wsi_level_locking(plan->family.epochs, plan->o.level);
	for (size_t c = 0; c < channels; ++c)
		for (size_t with = 0; with < channels; ++with)
			for (size_t i = 0; i < count; ++i)
				if (of_all_pairs(plan) || with == (size_t)plan->o.against)
					put_levels(plan, io, c, with, i, coherence, locking);
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
	put_none(j, item);
}

/* ---- Clusters ------------------------------------------------------------------------------ */

/* The largest of map `map`, whose signals are of number `number`. */
static void
take_largest(const coherence_plan *plan, const shared_parts *shared, size_t map, size_t number)
{
	for (int k = 0; k < 2; ++k)
		shared->clusters[k].largest[number] = wsi_cluster_largest(
			&shared->clusters[k], map_row(plan, shared, map, k, 0));
}

/* The p of the pair's own clusters, of map 0. */
static void
put_clusters(const wsi_epochs_channel *pair, const shared_parts *shared)
{
	const coherence_plan *plan = plan_of(&pair->execution->plan->base);
	const size_t n = plan->outputs;
	for (int k = 0; k < 2; ++k) {
		wsi_clusters_p(&shared->clusters[k], map_row(plan, shared, 0, k, 0), shared->p);
		for (size_t i = 0; i < plan->family.cwt->count * n; ++i)
			put_row(pair, CLUSTERS + k, i / n, i % n, shared->p[i]);
	}
}

/* Of epochs, whose maps are there. */
static ws_status
clusters_of_shuffled(const wsi_epochs_channel *pair, double begin, double end)
{
	const wsi_cwt_execution *e = pair->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	wsi_arena arena = { .base = e->shared };
	const shared_parts shared = take_shared(plan, &arena);
	(void)begin, (void)end;
	if (pair->channel == pair->with || wsi_cancelled(e->progress))
		return WS_OK;
	for (size_t i = 1; i < maps_of(plan); ++i)
		take_largest(plan, &shared, i, i - 1);
	put_clusters(pair, &shared);
	return WS_OK;
}

/* ---- Levels over time -------------------------------------------------------------------- */

/* Coherence and locking of the part's row `item`, to the places of w and v, and the outputs from
 * which and to before which the ends do not reach; all, where the recording is shorter. */
static void
form_row(const wsi_epochs_channel *j, size_t item, const own_parts *own, size_t within[2])
{
	const wsi_cwt_execution *e = j->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	const wsi_cwt *cwt = plan->family.cwt;
	void *out[ROWS] = { own->w, own->v };
	average_frequencies(j, item, own);
	put_f64(own, plan->outputs, 1.0, out);
	const double step = (double)plan->o.decimate / cwt->fs;
	const double end = (double)(cwt->samples - 1) / cwt->fs;
	double cone = cwt->scale[e->first + item].cone;
	cone = 2.0 * cone < end ? cone : 0.0;
	within[0] = 0;
	within[1] = plan->outputs;
	while ((double)within[0] * step < cone)
		++within[0];
	while (within[1] > within[0] && (double)(within[1] - 1) * step > end - cone)
		--within[1];
}

/* Counts a row of two signals of noise. */
static void
count_noise(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	const coherence_plan *plan = plan_of(&j->execution->plan->base);
	wsi_arena arena = { .base = memory }, shared = { .base = j->execution->shared };
	const own_parts own = take_own(plan, &arena);
	wsi_level_counts *counts = &take_shared(plan, &shared).counts[2 * item];
	size_t within[2];
	(void)scratch;
	form_row(j, item, &own, within);
	for (size_t t = within[0]; t < within[1]; ++t) {
		wsi_level_count(&counts[0], ((double *)own.w)[t]);
		wsi_level_count(&counts[1], ((double *)own.v)[t]);
	}
}

/* Marks what is above the levels in a row of two signals. */
static void
mark_row(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	const coherence_plan *plan = plan_of(&j->execution->plan->base);
	wsi_arena arena = { .base = memory }, whole = { .base = j->execution->shared };
	const own_parts own = take_own(plan, &arena);
	const shared_parts shared = take_shared(plan, &whole);
	size_t within[2];
	(void)scratch;
	form_row(j, item, &own, within);
	for (int k = 0; k < 2; ++k) {
		const double *values = (double *)(k ? own.v : own.w);
		uint8_t *map = map_row(plan, &shared, 0, k, item);
		memset(map, 0, plan->outputs);
		for (size_t t = within[0]; t < within[1]; ++t)
			map[t] = wsi_cluster_cell(values[t], shared.levels[2 * item + (size_t)k]);
	}
}

/* The rows of two signals, averaged in time and then each worked on. */
static void
go_through(const wsi_epochs_channel *two, wsi_epochs_item *item)
{
	const wsi_cwt_execution *e = two->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	wsi_epochs_channel user = *two;
	size_t from;
	const wsi_cwt_work before = { .item = over_times, .own_bytes = e->plan->own_bytes,
		.items = wsi_smoothing_reach(&plan->smoothing, e->first, e->count, &from),
		.user = &user };
	const wsi_cwt_work items = { .item = item, .own_bytes = e->plan->own_bytes,
		.items = e->count, .user = &user };
	wsi_cwt_items(plan->family.cwt, &before, e->pool, e->progress, e->scratch);
	wsi_cwt_items(plan->family.cwt, &items, e->pool, e->progress, e->scratch);
}

/* One pair of signals of noise in the place of the channels. */
static ws_status
compare_noise(const wsi_epochs_channel *pair, size_t number, const shared_parts *shared,
              wsi_epochs_item *item)
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
	go_through(&(wsi_epochs_channel){ &noise, pair->channel, pair->with,
	                                  noise.spectra + spectrum }, item);
	return WS_OK;
}

/* Levels of a pair, by signals of noise that have its channels' spectra, and its clusters. */
static ws_status
levels_of_noise(const wsi_epochs_channel *pair, double begin, double end)
{
	const wsi_cwt_execution *e = pair->execution;
	const coherence_plan *plan = plan_of(&e->plan->base);
	wsi_arena arena = { .base = e->shared };
	const shared_parts shared = take_shared(plan, &arena);
	const size_t all = pair->channel == pair->with ? 0 : (size_t)plan->o.noise_signals;
	const size_t rounds = plan->o.clusters ? 2 : 1;
	memset(shared.counts, 0, 2 * e->count * sizeof *shared.counts);
	for (size_t i = 0; i < rounds * all && !wsi_cancelled(e->progress); ++i) {
		const double step = (end - begin) / (double)(rounds * all);
		wsi_progress_step(e->progress, begin + (double)i * step,
		                  begin + (double)(i + 1) * step);
		for (size_t f = 0; f < 2 * e->count && i == all; ++f)
			shared.levels[f] = wsi_level_of(&shared.counts[f], plan->o.level);
		WSI_TRY(compare_noise(pair, i % all, &shared, i < all ? count_noise : mark_row));
		if (i >= all)
			take_largest(plan, &shared, 0, i - all);
	}
	for (size_t f = 0; f < e->count; ++f)
		put_levels(plan, e->io, pair->channel, pair->with, f,
		           wsi_level_of(&shared.counts[2 * f], plan->o.level),
		           wsi_level_of(&shared.counts[2 * f + 1], plan->o.level));
	if (rounds * all > all && !wsi_cancelled(e->progress)) {
		go_through(pair, mark_row);
		put_clusters(pair, &shared);
	}
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
	if (!plan->smooth && !plan->shuffle)
		put_levels_of_epochs(plan, io, count);
	if (base->gpu) {
		wsi_cwt_put_rows(plan->family.cwt, io, WS_COHERENCE_SCALE);
		return wsi_gpu_run(base, &plan->family.job, io, progress);
	}
	if (plan->o.noise_signals && plan->smooth)
		work.after = levels_of_noise;
	else if (plan->o.clusters)
		work.after = clusters_of_shuffled;
	work.parts = 1.0;
	if (plan->smooth) {
		work.before = over_times;
		work.parts += plan->o.noise_signals * (plan->o.clusters ? 2.0 : 1.0);
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
		"by signals of noise without epochs and, beyond what each channel does at the "
		"event by itself, over epochs; and the imaginary part of coherency, which "
		"volume conduction leaves at 0 (Nolte et al. 2004). No transform is stored.",
		.examples = (const char *const[]){
			"wavesift coherence eeg.set --epochs-at square --tmin -1 --tmax 2 "
			"--channels Cz,Fz,O1 --freqs 3:40 --plot coherence.png\t"
			"of Cz with Fz and O1",
			"wavesift coherence eeg.set --epochs-at square --tmin -1 --tmax 2 "
			"--channels Cz,O1 --freqs 3:40 --noise-signals 200 --clusters "
			"--plot coherence.png\tbeyond the evoked responses of both, and where more "
			"than by chance",
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
	.run = run, .describe = describe, .release = release, .on_gpu = on_gpu,
	.cut = WS_AXIS_FREQUENCY,
	.fewer = "channels or epochs",
};
