/* trials.c - the row of averages over epochs: total, evoked and induced power, inter-trial
 * coherence, compared with a baseline. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/pool.h"
#include "base/status.h"
#include "transform/cwt.h"

enum { POWERS = 3, AVERAGES = 4 }; /* arrays in the order of their bits; powers come first */

typedef struct trials_plan {
	ws_plan base;
	wsi_cwt *cwt;
	size_t epochs;
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
#define OF_FREQUENCY(name, text) \
	{ name, text, WSI_F64, { WS_AXIS_FREQUENCY }, WS_ARRAY_OPTIONAL }

static const wsi_array arrays[WS_TRIALS_ARRAYS] = {
	[WS_TRIALS_TOTAL] = AVERAGE("total_power", "mean power of the epochs"),
	[WS_TRIALS_EVOKED] = AVERAGE("evoked_power", "power of the mean epoch"),
	[WS_TRIALS_INDUCED] = AVERAGE("induced_power", "mean power about the mean epoch"),
	[WS_TRIALS_ITC] = AVERAGE("itc", "inter-trial coherence"),
	[WS_TRIALS_SCALE] = OF_FREQUENCY("scale", "scale, s"),
	[WS_TRIALS_WIDTH_TIME] = OF_FREQUENCY("width_time", "deviation of the wavelet in time, s"),
	[WS_TRIALS_WIDTH_FREQUENCY] = OF_FREQUENCY("width_frequency",
		"deviation of the wavelet in frequency, Hz"),
	[WS_TRIALS_CONE] = OF_FREQUENCY("cone", "how far the ends of an epoch reach, s"),
};

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const wsi_cwt *cwt = plan_of(base)->cwt;
	if (array < AVERAGES && !(cwt->o.averages & 1 << array))
		return 0;
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

static ws_status
place_baseline(trials_plan *plan)
{
	const wsi_cwt *cwt = plan->cwt;
	const ws_cwt_opts *o = &cwt->o;
	const double step = (double)o->decimate / cwt->fs, start = plan->base.shape.start;
	/* A moment that is a sample's but for rounding is that sample's. */
	const double near = 1e-6;
	const double first = ceil((o->baseline_from - start) / step - near);
	const double last = floor((o->baseline_to - start) / step + near);
	const double most = (double)(cwt->outputs - 1);
	plan->first = (size_t)(first > 0.0 ? first < most ? first : most : 0.0);
	plan->last = (size_t)(last > 0.0 ? last < most ? last : most : 0.0);
	const double needed = o->baseline == WS_BASELINE_Z ? 1.0 : 0.0;
	if (!(last >= 0.0) || !(first <= most) || !(last >= first) ||
	    (double)plan->last - (double)plan->first < needed)
		return WSI_FAIL(WS_E_ARG, "the baseline, %g to %g s, holds too few samples of an "
		                "epoch, which has %g to %g s", o->baseline_from, o->baseline_to,
		                start, start + most * step);
	return WS_OK;
}

ws_status
wsi_epochs_take(ws_plan *base, size_t *epochs)
{
	*epochs = base->x_rows = base->shape.epochs;
	if (*epochs < 2)
		return WSI_FAIL(WS_E_ARG, "averages need two epochs or more: cut them from a "
		                "recording around its events (--epochs-at)");
	if (*epochs > ((size_t)1 << 48) / base->shape.samples / base->shape.channels)
		return WSI_FAIL(WS_E_ARG, "%zu epochs of %zu samples are more than 2^48 samples",
		                *epochs, base->shape.samples);
	return WS_OK;
}

static ws_status
resolve(ws_plan *base, const void *asked)
{
	trials_plan *plan = (trials_plan *)base;
	ws_cwt_opts o = { .size = sizeof o };
	if (asked)
		o = *(const ws_cwt_opts *)asked;
	if (o.averages == 0)
		o.averages = (1 << AVERAGES) - 1;
	if (o.averages < 0 || o.averages >= 1 << AVERAGES)
		return WSI_FAIL(WS_E_ARG, "there are no averages %d", o.averages);
	if ((int)o.baseline < 0 || o.baseline > WS_BASELINE_Z)
		return WSI_FAIL(WS_E_ARG, "there is no baseline %d", (int)o.baseline);
	if (o.baseline && !(o.baseline_to >= o.baseline_from))
		return WSI_FAIL(WS_E_ARG, "the baseline ends at %g s, before it begins at %g s",
		                o.baseline_to, o.baseline_from);
	o.quantity = WS_COMPLEX;
	o.significance = 0;
	WSI_TRY(wsi_epochs_take(base, &plan->epochs));
	WSI_TRY(wsi_cwt_make(&plan->cwt, base, &o));
	if (o.baseline)
		WSI_TRY(place_baseline(plan));
	const double adding = 4e-9 * (double)plan->cwt->outputs * (double)plan->cwt->count;
	const double alone = (plan->cwt->seconds + adding) * (double)plan->epochs;
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
	wsi_cwt_destroy(((trials_plan *)base)->cwt);
}

/* What a thread works in: one epoch's coefficients of a frequency, and sums over epochs. */
typedef struct own_parts {
	void *row;              /* [outputs] complex */
	double *power, *re, *im; /* [outputs] */
	double *unit_re, *unit_im;
} own_parts;

static own_parts
take_own(const trials_plan *plan, wsi_arena *arena)
{
	const size_t n = plan->cwt->outputs * sizeof(double);
	own_parts own = { .row = wsi_arena_take(arena, 2 * n) };
	own.power = wsi_arena_take(arena, n);
	own.re = wsi_arena_take(arena, n);
	own.im = wsi_arena_take(arena, n);
	own.unit_re = wsi_arena_take(arena, n);
	own.unit_im = wsi_arena_take(arena, n);
	return own;
}

static size_t
own_bytes(const trials_plan *plan)
{
	wsi_arena arena = { 0 };
	take_own(plan, &arena);
	return arena.used;
}

/* What an execution works in: the spectra of one channel's epochs. */
typedef struct workspace_parts {
	wsi_worker *workers;
	char *spectra;
	void *scratch;
} workspace_parts;

static workspace_parts
lay_out(const ws_plan *base, wsi_arena *arena)
{
	const trials_plan *plan = plan_of(base);
	return (workspace_parts){
		.workers = wsi_arena_take(arena, (size_t)base->threads * sizeof(wsi_worker)),
		.spectra = wsi_arena_take(arena, plan->epochs * wsi_cwt_spectrum_bytes(plan->cwt)),
		.scratch = wsi_arena_take(arena, wsi_cwt_items_workspace(plan->cwt, base->threads,
		                                                         own_bytes(plan))),
	};
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
	const trials_plan *plan = plan_of(base);
	char how[512];
	wsi_cwt_describe(plan->cwt, how, sizeof how);
	wsi_snprintf(text, size, "  method     averages over %zu epochs of a channel\n"
	             "  scales     %s\n  kernels    cpu/%s, %d thread%s\n"
	             "  workspace  %.1f MiB\n", plan->epochs, how, plan->cwt->ops->isa,
	             base->threads, base->threads == 1 ? "" : "s",
	             (double)base->workspace / 1048576.0);
}

/* ---- Sums over epochs -------------------------------------------------------------------- */

#define TEMPLATE "transform/trials_sum.h"
#include "math/both_types.h"

/* P in place, compared with the baseline. */
static void
compare(const trials_plan *plan, double *p)
{
	const double n = (double)(plan->last - plan->first + 1);
	double mean = 0.0, square = 0.0;
	for (size_t t = plan->first; t <= plan->last; ++t)
		mean += p[t];
	mean /= n;
	for (size_t t = plan->first; t <= plan->last; ++t)
		square += (p[t] - mean) * (p[t] - mean);
	const double deviation = sqrt(square / n);
	for (size_t t = 0; t < plan->cwt->outputs; ++t)
		switch (plan->cwt->o.baseline) {
		case WS_BASELINE_RATIO:
			p[t] /= mean;
			break;
		case WS_BASELINE_DB:
			p[t] = p[t] > 0.0 && mean > 0.0
				? 10.0 / 2.30258509299404568402 * wavelet_log(p[t] / mean)
				: p[t] / mean - 1.0 == -1.0 ? -HUGE_VAL : NAN;
			break;
		case WS_BASELINE_PERCENT:
			p[t] = 100.0 * (p[t] - mean) / mean;
			break;
		case WS_BASELINE_Z:
			p[t] = (p[t] - mean) / deviation;
			break;
		}
}

typedef struct job {
	const trials_plan *plan;
	const wsi_io *io;
	const char *spectra;
	size_t channel, first;  /* first: frequency */
} job;

/* One average of all outputs into values. */
static void
form(const trials_plan *plan, int average, const own_parts *own, double *values)
{
	const double n = (double)plan->epochs;
	for (size_t t = 0; t < plan->cwt->outputs; ++t) {
		const double re = own->re[t] / n, im = own->im[t] / n;
		const double total = own->power[t] / n, evoked = re * re + im * im;
		const double rest = total - evoked;
		const double a = own->unit_re[t] / n, b = own->unit_im[t] / n;
		values[t] = average == WS_TRIALS_TOTAL ? total
			: average == WS_TRIALS_EVOKED ? evoked
			: average == WS_TRIALS_INDUCED ? (rest > 0.0 ? rest : 0.0)
			: sqrt(a * a + b * b);
	}
	if (average < POWERS && plan->cwt->o.baseline)
		compare(plan, values);
}

static void
work(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const job *j = user;
	const trials_plan *plan = j->plan;
	const wsi_cwt *cwt = plan->cwt;
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(plan, &arena);
	const size_t n = cwt->outputs;
	memset(own.power, 0, (size_t)((char *)own.unit_im - (char *)own.power) +
	       n * sizeof(double));
	for (size_t e = 0; e < plan->epochs; ++e) {
		wsi_cwt_one(cwt, j->spectra + e * wsi_cwt_spectrum_bytes(cwt), j->first + item,
		            WS_COMPLEX, false, 0, n, own.row, scratch);
		if (cwt->type == WS_F64)
			add_epoch_f64(&own, n, cwt->o.averages & WS_AVERAGE_ITC);
		else
			add_epoch_f32(&own, n, cwt->o.averages & WS_AVERAGE_ITC);
	}
	double *values = own.row; /* its epoch has been added */
	for (int a = 0; a < AVERAGES; ++a) {
		if (!(cwt->o.averages & 1 << a))
			continue;
		form(plan, a, &own, values);
		void *out = wsi_io_row(j->io, a, j->channel, item);
		for (size_t t = 0; t < n; ++t)
			if (cwt->type == WS_F64)
				((double *)out)[t] = values[t];
			else
				((float *)out)[t] = (float)values[t];
	}
}

/* ---- Execution --------------------------------------------------------------------------- */

ws_status
wsi_epochs_forward(const wsi_cwt *cwt, const wsi_io *io, size_t c, size_t epochs, void *spectra,
                   wsi_pool *pool, void *workspace)
{
	const size_t n = cwt->samples, row = n * wsi_type_size(cwt->type);
	const void *x = io->x + c * io->x_stride;
	const ws_status status = wsi_cwt_forward(cwt, x, row, epochs, spectra, pool, workspace);
	for (size_t k = 0; status == WS_E_FORMAT && k < epochs * n; ++k) {
		const double v = cwt->type == WS_F64 ? ((const double *)x)[k]
		                 : (double)((const float *)x)[k];
		if (!isfinite(v))
			return WSI_FAIL(WS_E_FORMAT, "channel %zu, epoch %zu, sample %zu is not "
			                "finite: mend or leave out that epoch",
			                io->first_channel + c + 1, k / n + 1, k % n + 1);
	}
	return status;
}

void
wsi_cwt_put_rows(const wsi_cwt *cwt, const wsi_io *io, int array, size_t first, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		ws_cwt_row row;
		wsi_cwt_row(cwt, first + i, &row);
		const double values[] = { row.scale, row.width_time, row.width_frequency,
			row.cone };
		for (int k = 0; k < 4; ++k)
			if (wsi_io_wants(io, array + k))
				((double *)io->arrays[array + k].data)[i] = values[k];
	}
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const trials_plan *plan = plan_of(base);
	const wsi_cwt *cwt = plan->cwt;
	const size_t first = io->count ? io->first : 0, count = io->count ? io->count : cwt->count;
	wsi_arena arena = { .base = workspace };
	const workspace_parts parts = lay_out(base, &arena);
	wsi_pool pool;
	ws_status status = WS_OK;
	wsi_progress_step(progress, 0.0, 1.0);
	wsi_pool_start(&pool, base->threads, parts.workers);
	for (size_t c = 0; c < base->shape.channels && status == WS_OK &&
	     !wsi_cancelled(progress); ++c) {
		const job j = { plan, io, parts.spectra, c, first };
		status = wsi_epochs_forward(cwt, io, c, plan->epochs, parts.spectra, &pool,
		                            parts.scratch);
		if (status == WS_OK)
			wsi_cwt_items(cwt, count, own_bytes(plan), work, (void *)&j, &pool,
			              parts.scratch);
		wsi_progress_part(progress, (double)(c + 1) / (double)base->shape.channels);
	}
	wsi_pool_stop(&pool);
	wsi_cwt_put_rows(cwt, io, WS_TRIALS_SCALE, first, count);
	return status;
}

/* ---- The row ----------------------------------------------------------------------------- */

static const char *
fewer(const void *opts, bool of_device)
{
	(void)opts;
	(void)of_device;
	return "epochs";
}

const wsi_transform wsi_transform_trials = {
	.about = {
		.name = "trials", .title = "Averages over epochs",
		.summary = "wavelet power and coherence over epochs",
		.text = "Averages the wavelet transforms of all epochs of each channel: their "
		"total power, the evoked part that is locked to the event, the induced rest, and the "
		"inter-trial coherence of their phases. Powers can be compared with a baseline. No "
		"epoch's transform is stored.",
		.examples = (const char *const[]){
			"wavesift trials eeg.set --epochs-at square --tmin -1 --tmax 2 "
			"--freqs 3:40 --baseline -1:-0.2 --plot square.png\tchange of power "
			"around an event, in dB",
			"wavesift trials epochs.set --channels Cz --freqs 4:30 --averages itc\t"
			"phase locking of the epochs of a file", NULL },
		.options_size = sizeof(ws_cwt_opts), .family = "cwt", .group = "Analyse",
		.folder = "trials", .type = WS_F32, .gathers = 1,
	},
	.options = wsi_trials_options, .options_name = "ws_cwt_opts", .arrays = arrays,
	.n_arrays = WS_TRIALS_ARRAYS, .plan_size = sizeof(trials_plan), .resolve = resolve,
	.extent = extent, .axis_values = axis_values, .measure = measure, .run = run,
	.describe = describe, .release = release, .cut = WS_AXIS_FREQUENCY, .fewer = fewer,
};
