/* trials.c - the row of averages over epochs: total, evoked and induced power, inter-trial
 * coherence, compared with a baseline. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/element.h"
#include "base/status.h"
#include "transform/cwt/cost.h"
#include "transform/cwt/family.h"
#include "transform/epochs.h"
#include "transform/on_gpu.h"

enum { POWERS = 3, AVERAGES = 4 }; /* arrays in the order of their bits; powers come first */

typedef struct trials_plan {
	wsi_cwt_plan family;
	size_t first, last;     /* outputs of the baseline, both included */
} trials_plan;

static const trials_plan *
plan_of(const ws_plan *plan)
{
	return (const trials_plan *)plan;
}

/* ---- Arrays ---------------------------------------------------------------------------- */

#define AVERAGE(name, text) \
	{ name, text, WSI_REAL, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, \
	  WS_ARRAY_MAIN }
static const wsi_array arrays[WS_TRIALS_ARRAYS] = {
	[WS_TRIALS_TOTAL_POWER] = AVERAGE("total_power", "mean power of the epochs"),
	[WS_TRIALS_EVOKED_POWER] = AVERAGE("evoked_power", "power of the mean epoch"),
	[WS_TRIALS_INDUCED_POWER] = AVERAGE("induced_power", "mean power about the mean epoch"),
	[WS_TRIALS_ITC] = AVERAGE("itc", "inter-trial coherence"),
	WSI_CWT_ROW_ARRAYS(WS_TRIALS, "an epoch"),
};

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	if (array < AVERAGES && !(plan_of(base)->family.cwt->o.averages & 1 << array))
		return 0;
	return wsi_cwt_extent(base, array, axis);
}

/* ---- Plan ------------------------------------------------------------------------------ */

/* What a thread works in: one epoch's coefficients of a frequency, and sums over epochs. */
typedef struct own_parts {
	void *row;              /* [outputs] complex */
	wsi_cwt_epoch sums;     /* of row; all of them */
} own_parts;

static own_parts
take_own(const wsi_cwt *cwt, wsi_arena *arena)
{
	const size_t n = cwt->outputs * sizeof(double);
	own_parts own = { .row = wsi_arena_take(arena, 2 * n) };
	own.sums = (wsi_cwt_epoch){ .w = own.row, .count = cwt->outputs };
	double **const sums[] = { &own.sums.power, &own.sums.re, &own.sums.im, &own.sums.about,
		&own.sums.unit_re, &own.sums.unit_im };
	for (size_t i = 0; i < sizeof sums / sizeof *sums; ++i)
		*sums[i] = wsi_arena_take(arena, n);
	return own;
}

/* What a GPU forms of the epochs' coefficients. */
static ws_status
plan_gpu(trials_plan *plan)
{
	const wsi_cwt *cwt = plan->family.cwt;
	wsi_cwt_job_sums sums = { .form = WSI_CWT_EPOCHS, .rows = cwt->count,
		.epochs = plan->family.epochs, .every = 1, .outputs = cwt->outputs,
		.baseline = cwt->o.baseline, .baseline_first = plan->first,
		.baseline_last = plan->last };
	for (int a = 0; a < AVERAGES; ++a)
		sums.arrays[a] = cwt->o.averages & 1 << a ? a : -1;
	return wsi_cwt_on_gpu(&plan->family, plan->family.epochs *
	                      plan->family.base.shape.channels, 0, &sums);
}

static ws_status
resolve(ws_plan *base, const void *asked)
{
	trials_plan *plan = (trials_plan *)base;
	ws_cwt_opts o = *(const ws_cwt_opts *)asked;
	if (o.averages == 0)
		o.averages = (1 << AVERAGES) - 1;
	if (o.averages < 0 || o.averages >= 1 << AVERAGES)
		return WSI_FAIL(WS_E_ARG, "there are no averages %d", o.averages);
	const wsi_baseline baseline = { o.baseline_from, o.baseline_to, o.baseline };
	WSI_TRY(wsi_baseline_check(&baseline));
	o.quantity = WS_QUANTITY_COMPLEX;
	o.significance = 0;
	WSI_TRY(wsi_cwt_take_epochs(&plan->family, 2));
	WSI_TRY(wsi_cwt_make(&plan->family, &o));
	const wsi_cwt *cwt = plan->family.cwt;
	if (o.baseline)
		WSI_TRY(wsi_baseline_place(&baseline, base->shape.start,
		                           (double)cwt->o.decimate / cwt->fs, cwt->outputs,
		                           &plan->first, &plan->last));
	wsi_arena own = { 0 };
	take_own(cwt, &own);
	plan->family.own_bytes = own.used;
	plan->family.spectra = plan->family.epochs;
	plan->family.squares = true;
	const double adding = WSI_COST_EPOCH * (double)cwt->outputs * (double)cwt->count;
	wsi_cwt_share(base, (cwt->seconds + adding) *
	              (double)(plan->family.epochs * base->shape.channels),
	              wsi_cwt_at_once(base, cwt->count));
	return base->gpu ? plan_gpu(plan) : WS_OK;
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	wsi_line_put(to, "  method     averages over %zu epochs of a channel\n",
	             plan_of(base)->family.epochs);
	wsi_cwt_describe_scales(base, to);
	wsi_cwt_describe_work(base, to);
}

/* ---- Sums over epochs -------------------------------------------------------------------- */

/* Zeros to all sums, of which those that no average needs are then left out. */
static wsi_cwt_epoch
begin(const own_parts *own, int averages)
{
	wsi_cwt_epoch sums = own->sums;
	memset(sums.power, 0, (size_t)((char *)sums.unit_im - (char *)sums.power) +
	       sums.count * sizeof(double));
	if (!(averages & WS_AVERAGE_TOTAL))
		sums.power = NULL;
	if (!(averages & (WS_AVERAGE_EVOKED | WS_AVERAGE_INDUCED)))
		sums.re = sums.im = sums.about = NULL;
	if (!(averages & WS_AVERAGE_ITC))
		sums.unit_re = sums.unit_im = NULL;
	return sums;
}

/* One average of all outputs into values. */
static void
form(const trials_plan *plan, int average, const wsi_cwt_epoch *sums, double *values)
{
	const double n = (double)plan->family.epochs;
	const bool units = average == WS_TRIALS_ITC;
	const double *of[2] = { units ? sums->unit_re : sums->re,
		units ? sums->unit_im : sums->im };
	const double *whole = average == WS_TRIALS_TOTAL_POWER ? sums->power
		: average == WS_TRIALS_INDUCED_POWER ? sums->about : NULL;
	for (size_t t = 0; t < sums->count; ++t) {
		if (whole) {
			values[t] = whole[t] / n;
			continue;
		}
		const double re = of[0][t] / n, im = of[1][t] / n, power = re * re + im * im;
		values[t] = units ? sqrt(power) : power;
	}
	if (average < POWERS && plan->family.cwt->o.baseline)
		wsi_baseline_compare(plan->family.cwt->o.baseline, plan->first, plan->last, values,
		                     sums->count);
}

static void
work(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const wsi_epochs_channel *j = user;
	const wsi_cwt_execution *e = j->execution;
	const trials_plan *plan = plan_of(&e->plan->base);
	const wsi_cwt *cwt = plan->family.cwt;
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(cwt, &arena);
	const size_t n = cwt->outputs;
	wsi_cwt_epoch sums = begin(&own, cwt->o.averages);
	for (; sums.before < plan->family.epochs && wsi_cwt_goes_on(scratch); ++sums.before) {
		wsi_cwt_one(cwt, e->spectra + sums.before * wsi_cwt_spectrum_bytes(cwt),
		            e->first + item, WS_QUANTITY_COMPLEX, false, 0, n, own.row, scratch);
		cwt->ops->cwt->add_epoch(&sums);
	}
	double *values = own.row; /* its epoch has been added */
	for (int a = 0; a < AVERAGES; ++a) {
		if (!(cwt->o.averages & 1 << a))
			continue;
		form(plan, a, &sums, values);
		void *out = wsi_io_row(e->io, a, j->channel, item);
		for (size_t t = 0; t < n; ++t)
			wsi_real_put(out, cwt->type, t, values[t]);
	}
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const wsi_epochs_work all = { .item = work, .scales = WS_TRIALS_SCALE };
	if (base->gpu) {
		wsi_cwt_put_rows(plan_of(base)->family.cwt, io, WS_TRIALS_SCALE);
		return wsi_gpu_run(base, &plan_of(base)->family.job, io, progress);
	}
	return wsi_epochs_run(base, io, progress, workspace, &all);
}

/* ---- The row ----------------------------------------------------------------------------- */

const wsi_transform wsi_transform_trials = {
	.about = {
		.name = "trials", .title = "Averages over epochs",
		.summary = "wavelet power and coherence over epochs",
		.text = "Averages the wavelet transforms of all epochs of each channel: their "
		"total power, the evoked part that is locked to the event, the induced rest, and "
		"the inter-trial coherence of their phases. Powers can be compared with a "
		"baseline. No epoch's transform is stored.",
		.examples = (const char *const[]){
			"wavesift trials eeg.set --epochs-at square --tmin -1 --tmax 2 "
			"--freqs 3:40 --baseline -1:-0.2 --plot square.png\tchange of power "
			"around an event, in dB",
			"wavesift trials epochs.set --channels Cz --freqs 4:30 --averages itc\t"
			"phase locking of the epochs of a file", NULL },
		.options_size = sizeof(ws_cwt_opts),
		.options_tag = WS_TAG_CWT, .family = "cwt", .group = "Analyse",
		.folder = "trials", .type = WS_F32, .takes_epochs = 1,
	},
	.options = wsi_trials_options, .options_name = "ws_cwt_opts", .arrays = arrays,
	.n_arrays = WS_TRIALS_ARRAYS, .plan_size = sizeof(trials_plan), .resolve = resolve,
	.every = wsi_cwt_every_of, .fill = wsi_cwt_fill_plan, .empty = wsi_cwt_empty_plan,
	.extent = extent, .axis_values = wsi_cwt_axis_values, .measure = wsi_cwt_measure,
	.run = run, .describe = describe, .release = wsi_cwt_release,
	.on_gpu = wsi_cwt_gpu_takes, .cut = WS_AXIS_FREQUENCY, .fewer = "epochs",
};
