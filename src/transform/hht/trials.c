/*
 * trials.c - the row of averages of Hilbert spectra over epochs: hhtrials.
 *
 * Plans of "hht" take the epochs of a channel as so many channels, a few at a time; their spectra
 * are added in the order of the epochs, whoever made them.
 *
 * Workspace:  the mean epoch; sums over epochs of spectrum and marginal spectrum
 *             of a batch of epochs: rows less the mean epoch, spectra, marginal spectra
 *             that of "hht"
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/c_locale.h"
#include "base/element.h"
#include "base/status.h"
#include "transform/emd/emd.h"
#include "transform/epochs.h"
#include "transform/hht/hht.h"

enum { AVERAGES = 3 };          /* arrays in the order of their bits, then their marginal spectra */

/* Epochs at once, then what is left of all, and the mean epoch. */
enum { BATCH, REST, ONE, SIZES };

typedef struct trials_plan {
	ws_plan base;
	ws_hht_opts o;          /* no field is left at "default" */
	size_t epochs;
	size_t of[SIZES];       /* epochs of each plan; 0: none is needed */
	ws_plan *hht[SIZES];    /* NULL: another has as many */
	size_t first, last;     /* time bins of the baseline, both included */
} trials_plan;

static const trials_plan *
plan_of(const ws_plan *plan)
{
	return (const trials_plan *)plan;
}

/* The plan for so many epochs. */
static const ws_plan *
hht_of(const trials_plan *plan, size_t epochs)
{
	for (int i = 0; i < SIZES; ++i)
		if (plan->hht[i] && plan->of[i] == epochs)
			return plan->hht[i];
	return NULL;
}

static const wsi_hht *
analysis_of(const trials_plan *plan)
{
	return &wsi_hht_plan_of(plan->hht[BATCH])->hht;
}

/* ---- Arrays ------------------------------------------------------------------------------ */

#define AVERAGE(name, text) \
	{ name, text, WSI_REAL, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY, WS_AXIS_TIME }, \
	  WS_ARRAY_MAIN }
#define MARGINAL(name, text) \
	{ name, text, WSI_F64, { WS_AXIS_CHANNEL, WS_AXIS_FREQUENCY }, WS_ARRAY_OPTIONAL }
static const wsi_array arrays[WS_HHTRIALS_ARRAYS] = {
	[WS_HHTRIALS_TOTAL_SPECTRUM] = AVERAGE("total_spectrum",
		"mean Hilbert spectrum of the epochs"),
	[WS_HHTRIALS_EVOKED_SPECTRUM] = AVERAGE("evoked_spectrum",
		"Hilbert spectrum of the mean epoch"),
	[WS_HHTRIALS_INDUCED_SPECTRUM] = AVERAGE("induced_spectrum",
		"mean Hilbert spectrum of the epochs less the mean epoch"),
	[WS_HHTRIALS_TOTAL_MARGINAL] = MARGINAL("total_marginal", "its marginal spectrum"),
	[WS_HHTRIALS_EVOKED_MARGINAL] = MARGINAL("evoked_marginal", "its marginal spectrum"),
	[WS_HHTRIALS_INDUCED_MARGINAL] = MARGINAL("induced_marginal", "its marginal spectrum"),
	[WS_HHTRIALS_CAPPED] = { "capped",
		"decompositions of as many modes as there may be, but not all", WSI_I32,
		{ WS_AXIS_CHANNEL }, WS_ARRAY_OPTIONAL },
};

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const trials_plan *plan = plan_of(base);
	if (array != WS_HHTRIALS_CAPPED && !(plan->o.averages & 1 << array % AVERAGES))
		return 0;
	return axis == WS_AXIS_FREQUENCY ? (size_t)analysis_of(plan)->bins.n
	       : analysis_of(plan)->time_bins;
}

static bool
axis_values(const ws_plan *base, int array, ws_axis axis, double *values)
{
	const ws_plan *hht = plan_of(base)->hht[BATCH];
	(void)array;
	return hht->transform->axis_values(hht, WS_HHT_SPECTRUM, axis, values);
}

/* ---- Plan -------------------------------------------------------------------------------- */

static ws_status
check(const ws_hht_opts *o)
{
	const wsi_baseline baseline = { o->baseline_from, o->baseline_to, o->baseline };
	if (o->averages < 0 || o->averages >= 1 << AVERAGES)
		return WSI_FAIL(WS_E_ARG, "there are no averages %d", o->averages);
	if (o->modes_given > 1 || o->whole_given)
		return WSI_FAIL(WS_E_ARG, "averages over epochs take a recording, whose epochs "
		                "they decompose, not the modes of a result: leave %s 0",
		                o->whole_given ? "`whole_given`" : "`modes_given`");
	const ws_range *r = &o->modulation_freqs;
	if (o->modulation_edges || r->low != 0.0 || r->high != 0.0 || r->count || r->spacing)
		return WSI_FAIL(WS_E_ARG, "averages over epochs have no holospectrum: leave "
		                "`modulation_freqs` and `modulation_edges` 0");
	if (!o->modes_given && wsi_opts_method(&o->emd) == WS_METHOD_MEMD)
		return WSI_FAIL(WS_E_ARG, "averages over epochs need a decomposition of single "
		                "channels: emd, eemd, ceemdan or iceemdan");
	if (o->limits_rule || o->noise_signals || o->significance || o->confidence != 0.0)
		return WSI_FAIL(WS_E_ARG, "averages over epochs have no limits and no "
		                "significance: no `limits`, `noise_signals`, `significance`, "
		                "`confidence`");
	return wsi_baseline_check(&baseline);
}

/* Plans of "hht" for the numbers of epochs that come. */
static ws_status
plan_epochs(trials_plan *plan, const ws_hht_opts *o)
{
	const size_t epochs = plan->epochs, threads = (size_t)plan->base.threads;
	ws_shape shape = plan->base.shape;
	shape.epochs = 0;
	shape.recording_channels = 1;
	plan->of[BATCH] = epochs < 2 * threads ? epochs : 2 * threads;
	plan->of[REST] = epochs % plan->of[BATCH];
	plan->of[ONE] = o->averages & WS_AVERAGE_EVOKED ? 1 : 0;
	for (int i = 0; i < SIZES; ++i) {
		shape.channels = plan->of[i];
		if (shape.channels && !hht_of(plan, shape.channels))
			WSI_TRY(wsi_plan_within(&plan->hht[i], &plan->base, "hht", &shape, o));
	}
	return WS_OK;
}

/* Seconds that the spectra of all averages take. */
static double
seconds_of(const trials_plan *plan)
{
	const int averages = plan->o.averages;
	const double batches = (double)plan->epochs / (double)plan->of[BATCH];
	const double times = !!(averages & WS_AVERAGE_TOTAL) + !!(averages & WS_AVERAGE_INDUCED);
	const double one = averages & WS_AVERAGE_EVOKED ? hht_of(plan, 1)->seconds : 0.0;
	return (times * batches * plan->hht[BATCH]->seconds + one) *
	       (double)plan->base.shape.channels;
}

static ws_status
resolve(ws_plan *base, const void *asked)
{
	trials_plan *plan = (trials_plan *)base;
	const ws_shape *shape = &base->shape;
	ws_hht_opts o = *(const ws_hht_opts *)asked;
	WSI_TRY(check(&o));
	WSI_TRY(wsi_epochs_take(shape, 2, &plan->epochs));
	base->x_rows = plan->epochs;
	if (o.averages == 0)
		o.averages = (1 << AVERAGES) - 1;
	if (o.time_bin == 0.0)
		o.time_bin = ceil((double)shape->samples / 100.0) / shape->fs;
	o.parts = WS_HHT_PART_SPECTRUM | WS_HHT_PART_MARGINAL;
	WSI_TRY(plan_epochs(plan, &o));
	plan->o = *(const ws_hht_opts *)plan->hht[BATCH]->options;
	base->options = &plan->o;
	base->threads = plan->hht[BATCH]->threads;
	base->seconds = seconds_of(plan);
	if (!o.baseline)
		return WS_OK;
	const wsi_baseline baseline = { o.baseline_from, o.baseline_to, o.baseline };
	const wsi_hht *h = analysis_of(plan);
	const double bin = (double)h->time_bin;
	/* Of bins their middles.  A shorter last one is taken for a whole one. */
	return wsi_baseline_place(&baseline, shape->start + 0.5 * (bin - 1.0) / h->fs, bin / h->fs,
	                          h->time_bins, &plan->first, &plan->last);
}

static ws_status
fill(ws_plan *base, wsi_progress *progress)
{
	for (int i = 0; i < SIZES; ++i)
		WSI_TRY(wsi_plan_fill(((trials_plan *)base)->hht[i], progress));
	return WS_OK;
}

static void
empty(ws_plan *base)
{
	for (int i = 0; i < SIZES; ++i)
		wsi_plan_empty(((trials_plan *)base)->hht[i]);
}

static void
release(ws_plan *base)
{
	for (int i = 0; i < SIZES; ++i)
		wsi_plan_free(((trials_plan *)base)->hht[i]);
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	const trials_plan *plan = plan_of(base);
	wsi_line_put(to, "  method     averages over %zu epochs of a channel, %zu at a time\n%s",
	             plan->epochs, plan->of[BATCH], plan->hht[BATCH]->describe);
}

static void
line(const void *opts, const ws_option_file *files, wsi_line *to)
{
	const ws_hht_opts *o = opts;
	wsi_hht_line(opts, files, to);
	if (o->baseline)
		wsi_line_put(to, "; baseline ");
	wsi_baseline_tell(&(ws_option){ .offset = offsetof(ws_hht_opts, baseline_from) }, o, to);
}

/* ---- An execution ------------------------------------------------------------------------ */

typedef struct work {
	const trials_plan *plan;
	const wsi_io *io;
	wsi_progress *progress;
	double from, to;        /* shares of the whole before and after the spectra at work */
	double *mean;           /* [samples] of the epochs */
	double *sum, *marginal; /* over epochs: [bin][time bin], [bin] */
	char *rows;             /* [batch][samples] */
	char *spectra;          /* [batch][bin][time bin] */
	double *marginals;      /* [batch][bin] */
	int32_t *counts;        /* [batch] modes */
	int32_t *capped;        /* [batch] as WS_HHT_CAPPED */
	void *workspace;        /* of "hht" */
} work;

static void
lay_out(work *w, wsi_arena *arena)
{
	const trials_plan *plan = w->plan;
	const wsi_hht *h = analysis_of(plan);
	const size_t size = wsi_type_size(plan->base.shape.type), batch = plan->of[BATCH];
	const size_t bins = (size_t)h->bins.n, cells = bins * h->time_bins;
	size_t most = 0;
	w->mean = wsi_arena_take(arena, h->n * sizeof *w->mean);
	w->sum = wsi_arena_take(arena, cells * sizeof *w->sum);
	w->marginal = wsi_arena_take(arena, bins * sizeof *w->marginal);
	w->rows = wsi_arena_take(arena, batch * h->n * size);
	w->spectra = wsi_arena_take(arena, batch * cells * size);
	w->marginals = wsi_arena_take(arena, batch * bins * sizeof *w->marginals);
	w->counts = wsi_arena_take(arena, batch * sizeof *w->counts);
	w->capped = wsi_arena_take(arena, batch * sizeof *w->capped);
	for (int i = 0; i < SIZES; ++i)
		if (plan->hht[i] && plan->hht[i]->workspace > most)
			most = plan->hht[i]->workspace;
	w->workspace = wsi_arena_take(arena, most);
}

static ws_status
measure(ws_plan *base, bool aside)
{
	work w = { .plan = plan_of(base) };
	wsi_arena arena = { 0 };
	(void)aside;
	lay_out(&w, &arena);
	base->workspace = arena.used;
	base->tables = base->making = 0;
	for (int i = 0; i < SIZES; ++i)
		if (w.plan->hht[i])
			wsi_plan_add_tables(base, w.plan->hht[i]->tables, &w.plan->hht[i]->making);
	return WS_OK;
}

static const char *
epoch_row(const work *w, size_t channel, size_t epoch)
{
	const ws_shape *shape = &w->plan->base.shape;
	return w->io->x + channel * w->io->x_stride +
	       epoch * shape->samples * wsi_type_size(shape->type);
}

static ws_status
refuse(const work *w, size_t channel, size_t epoch, size_t sample)
{
	return WSI_FAIL(WS_E_FORMAT, "channel %zu, epoch %zu, sample %zu is not finite: mend or "
	                "leave out that epoch", WSI_NO(w->io->first_channel + channel),
	                WSI_NO(epoch), WSI_NO(sample));
}

/* WS_E_FORMAT: a sample is not finite. */
static ws_status
take_mean(work *w, size_t channel)
{
	const ws_shape *shape = &w->plan->base.shape;
	const size_t n = shape->samples, epochs = w->plan->epochs;
	memset(w->mean, 0, n * sizeof *w->mean);
	for (size_t e = 0; e < epochs; ++e) {
		const char *row = epoch_row(w, channel, e);
		for (size_t i = 0; i < n; ++i) {
			const double x = wsi_real_at(row, shape->type, i);
			if (!isfinite(x))
				return refuse(w, channel, e, i);
			w->mean[i] += x / (double)epochs;
		}
	}
	return WS_OK;
}

/* The spectra of n epochs, the first of them number `epoch` of a channel. */
static ws_status
analyse(work *w, size_t channel, size_t epoch, size_t n, const char *x)
{
	const ws_plan *hht = hht_of(w->plan, n);
	const ws_shape *shape = &hht->shape;
	const wsi_hht *h = analysis_of(w->plan);
	const size_t bins = (size_t)h->bins.n, size = wsi_type_size(shape->type);
	const ws_buffer out[WS_HHT_ARRAYS] = {
		[WS_HHT_MODE_COUNT] = { w->counts, { sizeof *w->counts } },
		[WS_HHT_SPECTRUM] = { w->spectra, { bins * h->time_bins * size,
			                            h->time_bins * size } },
		[WS_HHT_MARGINAL] = { w->marginals, { bins * sizeof *w->marginals } },
		[WS_HHT_CAPPED] = { w->capped, { sizeof *w->capped } },
	};
	/* Noise of an ensemble is that of the epoch, whichever others are at work. */
	const wsi_io io = { .x = x, .x_stride = shape->samples * size, .arrays = out,
		.first_channel = (w->io->first_channel + channel) * w->plan->epochs + epoch };
	wsi_progress progress;
	wsi_progress_within(&progress, w->progress, w->from, w->to);
	const ws_status status = hht->transform->run(hht, &io, &progress, w->workspace);
	if (status == WS_OK)
		return WS_OK;
	char why[512];
	size_t row;
	int named = 0;
	wsi_snprintf(why, sizeof why, "%s", ws_error_detail());
	/* Rows are epochs, and are refused as such. */
	if (sscanf(why, "channel %zu%n", &row, &named) == 1 && row >= wsi_numbers_from) {
		row -= wsi_numbers_from;
		return WSI_FAIL(status, "channel %zu, epoch %zu%s", WSI_NO(row / w->plan->epochs),
		                WSI_NO(row % w->plan->epochs), why + named);
	}
	return WSI_FAIL(status, "channel %zu, an epoch from %zu to %zu: %s",
	                WSI_NO(w->io->first_channel + channel), WSI_NO(epoch),
	                WSI_NO(epoch + n - 1), why);
}

/* Adds the spectra of n epochs of a channel. */
static void
add(work *w, size_t channel, size_t n)
{
	for (size_t e = 0; e < n && wsi_io_wants(w->io, WS_HHTRIALS_CAPPED); ++e)
		*(int32_t *)wsi_io_row(w->io, WS_HHTRIALS_CAPPED, channel, 0) += w->capped[e] != 0;
	const wsi_hht *h = analysis_of(w->plan);
	const ws_type type = w->plan->base.shape.type;
	const size_t bins = (size_t)h->bins.n, cells = bins * h->time_bins;
	for (size_t e = 0; e < n; ++e) {
		const char *spectrum = w->spectra + e * cells * wsi_type_size(type);
		for (size_t i = 0; i < cells; ++i)
			w->sum[i] += wsi_real_at(spectrum, type, i);
		for (size_t b = 0; b < bins; ++b)
			w->marginal[b] += w->marginals[e * bins + b];
	}
}

/* n epochs from number `epoch` on less the mean epoch, to w->rows. */
static const char *
less_mean(const work *w, size_t channel, size_t epoch, size_t n)
{
	const ws_shape *shape = &w->plan->base.shape;
	for (size_t e = 0; e < n; ++e) {
		const char *from = epoch_row(w, channel, epoch + e);
		char *to = w->rows + e * shape->samples * wsi_type_size(shape->type);
		for (size_t i = 0; i < shape->samples; ++i)
			wsi_real_put(to, shape->type, i,
			             wsi_real_at(from, shape->type, i) - w->mean[i]);
	}
	return w->rows;
}

/* The sums of an average, a bit of WS_AVERAGE_.., of a channel; *n: of how many epochs. */
static ws_status
sum_up(work *w, size_t channel, int average, double begin, double end, size_t *n)
{
	const wsi_hht *h = analysis_of(w->plan);
	const ws_shape *shape = &w->plan->base.shape;
	const size_t bins = (size_t)h->bins.n;
	const size_t all = average == WS_AVERAGE_EVOKED ? 1 : w->plan->epochs;
	memset(w->sum, 0, bins * h->time_bins * sizeof *w->sum);
	memset(w->marginal, 0, bins * sizeof *w->marginal);
	for (size_t e = 0, batch; e < all && !wsi_cancelled(w->progress); e += batch) {
		const char *x = w->rows;
		batch = all - e < w->plan->of[BATCH] ? all - e : w->plan->of[BATCH];
		if (average == WS_AVERAGE_TOTAL)
			x = epoch_row(w, channel, e);
		else if (average == WS_AVERAGE_INDUCED)
			x = less_mean(w, channel, e, batch);
		else
			for (size_t i = 0; i < shape->samples; ++i)
				wsi_real_put(w->rows, shape->type, i, w->mean[i]);
		w->from = begin + (end - begin) * (double)e / (double)all;
		w->to = begin + (end - begin) * (double)(e + batch) / (double)all;
		WSI_TRY(analyse(w, channel, e, batch, x));
		add(w, channel, batch);
	}
	*n = all;
	return WS_OK;
}

/* The mean of n epochs to the caller's arrays, compared with the baseline. */
static void
give(const work *w, size_t channel, int number, size_t n)
{
	const trials_plan *plan = w->plan;
	const wsi_hht *h = analysis_of(plan);
	for (size_t b = 0; b < (size_t)h->bins.n; ++b) {
		double *row = w->sum + b * h->time_bins;
		void *out = wsi_io_row(w->io, number, channel, b);
		for (size_t t = 0; t < h->time_bins; ++t)
			row[t] /= (double)n;
		if (plan->o.baseline)
			wsi_baseline_compare(plan->o.baseline, plan->first, plan->last, row,
			                     h->time_bins);
		for (size_t t = 0; t < h->time_bins; ++t)
			wsi_real_put(out, plan->base.shape.type, t, row[t]);
	}
	if (!wsi_io_wants(w->io, AVERAGES + number))
		return;
	double *marginal = wsi_io_row(w->io, AVERAGES + number, channel, 0);
	for (size_t b = 0; b < (size_t)h->bins.n; ++b)
		marginal[b] = w->marginal[b] / (double)n;
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	work w = { .plan = plan_of(base), .io = io, .progress = progress };
	const size_t channels = base->shape.channels;
	const double share = 1.0 / (AVERAGES * (double)channels);
	wsi_arena arena = { .base = workspace };
	lay_out(&w, &arena);
	wsi_progress_step(progress, 0.0, 1.0);
	for (size_t c = 0; c < channels; ++c) {
		WSI_TRY(take_mean(&w, c));
		if (wsi_io_wants(io, WS_HHTRIALS_CAPPED))
			*(int32_t *)wsi_io_row(io, WS_HHTRIALS_CAPPED, c, 0) = 0;
		for (int k = 0; k < AVERAGES && !wsi_cancelled(progress); ++k) {
			const double begin = (double)(AVERAGES * c + (size_t)k) * share;
			size_t n;
			if (!(w.plan->o.averages & 1 << k))
				continue;
			WSI_TRY(sum_up(&w, c, 1 << k, begin, begin + share, &n));
			if (!wsi_cancelled(progress))
				give(&w, c, k, n);
		}
	}
	return WS_OK;
}

/* ---- The row ----------------------------------------------------------------------------- */

const wsi_transform wsi_transform_hhtrials = {
	.about = {
		.name = "hhtrials", .title = "Hilbert spectra over epochs",
		.summary = "average Hilbert-Huang spectra over epochs",
		.text = "Averages the Hilbert spectra of all epochs of each channel: of the epochs "
		"themselves, of their mean, which has what is locked to the event, and of what is "
		"left of them without it. The averages can be compared with a baseline. Each epoch "
		"is decomposed by itself, and no epoch's modes are stored.",
		.examples = (const char *const[]){
			"wavesift hhtrials eeg.set --epochs-at square --tmin -1 --tmax 2 "
			"--freqs 3:40:30 --baseline -1:-0.2 --plot square.png\tchange of power "
			"around an event, in dB",
			"wavesift hhtrials epochs.set --channels Cz --freqs 4:30:26:lin --averages "
			"induced --quantity power\twhat is not locked to the event", NULL },
		.options_size = sizeof(ws_hht_opts), .options_tag = WS_TAG_HHT,
	  .family = "hht", .group = "Analyse",
		.folder = "hhtrials", .takes_epochs = 1,
	},
	.options = wsi_hhtrials_options, .needs = wsi_hhtrials_needs, .options_name = "ws_hht_opts",
	.within = WSI_HHT_WITHIN, .arrays = arrays,
	.n_arrays = WS_HHTRIALS_ARRAYS, .plan_size = sizeof(trials_plan), .resolve = resolve,
	.extent = extent, .axis_values = axis_values, .measure = measure, .run = run,
	.fill = fill, .empty = empty, .describe = describe, .release = release,
	.line = line, .fewer = "epochs", .same_anywhere = wsi_same_anywhere,
};
