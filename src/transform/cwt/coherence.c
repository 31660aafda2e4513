/* coherence.c - the row of cross-spectra, coherence and phase locking of channels, over epochs or,
 * without them, over neighbouring times and frequencies. */

#include "base/status.h"
#include "transform/cwt/coherence_noise.h"
#include "transform/cwt/coherence_pair.h"
#include "transform/cwt/cost.h"
#include "transform/on_gpu.h"

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
	[WS_COHERENCE_CROSS_SPECTRUM] = OF_PAIR("cross_spectrum", "mean cross-spectrum",
		WSI_COMPLEX, WS_ARRAY_OPTIONAL),
	WSI_CWT_ROW_ARRAYS(WS_COHERENCE, "the signal"),
	[WS_COHERENCE_COHERENCE_PAIRS] = OF_PAIRS("coherence_pairs", "magnitude-squared coherence",
		WSI_REAL, WS_ARRAY_MAIN),
	[WS_COHERENCE_PHASE_LOCKING_PAIRS] = OF_PAIRS("phase_locking_pairs", "phase-locking value",
		WSI_REAL, WS_ARRAY_MAIN),
	[WS_COHERENCE_CROSS_SPECTRUM_PAIRS] = OF_PAIRS("cross_spectrum_pairs",
		"mean cross-spectrum", WSI_COMPLEX, WS_ARRAY_OPTIONAL),
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

/* Is it an array of kinds of pairs, and made? */
static bool
is_made(const wsi_coherence_plan *plan, int array)
{
	for (int all = 0; all < 2; ++all)
		for (int kind = 0; kind < PAIR_KINDS; ++kind)
			if (wsi_coherence_array[all][kind] == array)
				return all == wsi_coherence_of_all(plan) &&
				       wsi_coherence_has(plan, kind);
	return true;
}

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(base);
	if (!is_made(plan, array))
		return 0;
	return axis == WS_AXIS_PARTNER ? base->shape.channels
		: axis == WS_AXIS_TIME ? plan->outputs : plan->family.cwt->count;
}

static size_t
every(const ws_plan *base, int array)
{
	(void)array;
	return wsi_coherence_plan_of(base)->o.decimate;
}

/* ---- Plan ------------------------------------------------------------------------------ */

/* Every channel meets one of them. */
static size_t
unit(const ws_shape *shape, const void *opts)
{
	(void)opts;
	return shape->channels;
}

/* The transform's options, of those asked for. */
static ws_status
take_options(wsi_coherence_plan *plan, ws_cwt_opts *o)
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
check_noise(const wsi_coherence_plan *plan, const ws_cwt_opts *o)
{
	const ws_significance noise = o->significance;
	if (o->noise_signals && (o->noise_signals < 20 || o->noise_signals > 100000))
		return WSI_FAIL(WS_E_ARG, "`noise_signals`: from 20 to 100000, not %d",
		                o->noise_signals);
	if (noise && (noise < WS_SIGNIFICANCE_AR1 || noise > WS_SIGNIFICANCE_SHUFFLE))
		return WSI_FAIL(WS_E_ARG, "`significance`: phase, ar1 or shuffle of coherence, not "
		                "%d", (int)noise);
	if (noise && plan->smooth == (noise == WS_SIGNIFICANCE_SHUFFLE))
		return WSI_FAIL(WS_E_ARG, plan->smooth ? "`significance`: shuffle is of epochs, "
		                "and there are none: take phase or ar1" : "`significance`: "
		                "phase and ar1 are of recordings without epochs: take shuffle");
	if (!o->noise_signals && (noise || (plan->smooth && o->level != 0.0)))
		return WSI_FAIL(WS_E_ARG, "these levels need `noise_signals`, such as 100");
	if (!o->noise_signals && (o->seed || o->clusters))
		return WSI_FAIL(WS_E_ARG, "`%s` is of `noise_signals`: leave it 0",
		                o->seed ? "seed" : "clusters");
	const double level = o->level != 0.0 ? o->level : 0.95;
	const double least = ceil(level / (1.0 - level) - 1e-9);
	if (!plan->smooth && o->noise_signals && o->noise_signals < least)
		return WSI_FAIL(WS_E_ARG, "a level of %g needs %.0f `noise_signals` or more, not "
		                "%d", level, least, o->noise_signals);
	return WS_OK;
}

/* Those of levels, which the transform has none of: into *levels, and 0 in *o. */
static ws_status
take_levels(const wsi_coherence_plan *plan, ws_cwt_opts *o, ws_cwt_opts *levels)
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
plan_levels(wsi_coherence_plan *plan, const ws_cwt_opts *levels)
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
draws_phases(const wsi_coherence_plan *plan)
{
	return plan->surrogates.noise == WS_SIGNIFICANCE_PHASE;
}

/* What a GPU averages over time. */
static ws_status
list_times(wsi_coherence_plan *plan, wsi_cwt_job_sums *sums)
{
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t n = cwt->count;
	sums->form = WSI_CWT_TIMES;
	sums->members = wsi_smoothing_members(&plan->smoothing, cwt);
	wsi_kept *kept = &plan->family.base.kept;
	wsi_cwt_job_row *rows = wsi_kept_new(kept, n, sizeof *rows);
	wsi_cwt_job_member *members = wsi_kept_new(kept, sums->members, sizeof *members);
	plan->gaussians = wsi_kept_new(kept, n, sizeof *plan->gaussians);
	if (kept->failed)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", n);
	sums->row = rows;
	sums->member = members;
	sums->gaussian = plan->gaussians;
	sums->part_count = wsi_smoothing_list(&plan->smoothing, cwt, rows, members,
	                                     plan->gaussians);
	sums->parts = plan->parts = wsi_kept_new(kept, sums->part_count, sizeof *plan->parts);
	return plan->parts ? WS_OK : WSI_FAIL(WS_E_NOMEM, "no memory for %zu frequencies", n);
}

/* What a GPU forms of two channels' coefficients. */
static ws_status
plan_gpu(wsi_coherence_plan *plan)
{
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t epochs = plan->family.epochs;
	wsi_cwt_job_sums sums = { .form = WSI_CWT_PAIRS, .rows = cwt->count, .epochs = epochs,
		.every = plan->smooth ? plan->o.decimate : 1, .outputs = plan->outputs,
		.against = plan->o.against };
	for (int k = 0; k < PAIR_ROWS; ++k)
		sums.arrays[k] = wsi_coherence_array[wsi_coherence_of_all(plan)][k];
	if (plan->smooth)
		WSI_TRY(list_times(plan, &sums));
	const double channels = (double)plan->family.base.shape.channels;
	const double pairs = wsi_coherence_of_all(plan)
		? 0.5 * channels * (channels + 1.0) : channels;
	WSI_TRY(wsi_cwt_on_gpu(&plan->family, epochs * plan->family.base.shape.channels, 0, &sums));
	plan->family.base.seconds += (plan->smooth ? WSI_COST_GPU_PAIR_SMOOTHED
	                              : WSI_COST_GPU_PAIR * (double)epochs) * pairs *
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
	wsi_coherence_plan *plan = (wsi_coherence_plan *)base;
	wsi_cwt_plan *family = &plan->family;
	ws_cwt_opts o = *(const ws_cwt_opts *)asked, levels;
	WSI_TRY(take_options(plan, &o));
	WSI_TRY(take_levels(plan, &o, &levels));
	const size_t decimate = o.decimate ? o.decimate : 1;
	WSI_TRY(wsi_cwt_check_decimate(decimate, base->shape.samples));
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
	wsi_coherence_take_own(plan, &own);
	family->own_bytes = own.used;
	family->spectra = (plan->smooth && plan->o.noise_signals ? 4 : 2) * family->epochs;
	family->squares = true;
	const double points = (double)cwt->outputs * (double)cwt->count;
	const double adding = (plan->smooth ? WSI_COST_PAIR_SMOOTHED : WSI_COST_PAIR) * points;
	const double channels = (double)base->shape.channels;
	/* Signals of noise are transformed, to have clusters twice; epochs in another order are
	 * added again. */
	const double again = (1.0 + plan->o.noise_signals) *
		(1.0 + (plan->smooth && plan->o.clusters));
	const double transforms = wsi_coherence_keeps(plan) ? 1.0 + 1.0 / channels : 2.0;
	const double pair = transforms * cwt->seconds * (plan->smooth ? again : 1.0) +
	                    adding * again;
	wsi_cwt_share(base, pair * (double)family->epochs * channels *
	              (o.against == WS_AGAINST_ALL ? 0.5 * (channels + 1.0) : 1.0), cwt->count);
	base->options = &plan->o;
	return base->gpu ? plan_gpu(plan) : WS_OK;
}

/* Rows of sums, of the part's frequencies and those that they are averaged with, one part that has
 * the most of them. */
static ws_status
measure(ws_plan *base, bool aside)
{
	wsi_coherence_plan *plan = (wsi_coherence_plan *)base;
	const size_t count = plan->family.cwt->count, part = base->part ? base->part : count;
	size_t most = 0, from;
	for (size_t f = 0; plan->smooth && f < count; f += part) {
		const size_t rows = wsi_smoothing_reach(&plan->smoothing, f,
		                                        count - f < part ? count - f : part, &from);
		most = rows > most ? rows : most;
	}
	plan->most_rows = most;
	wsi_arena shared = { 0 };
	wsi_coherence_take_shared(plan, &shared);
	plan->family.shared_bytes = shared.used;
	if (plan->o.clusters && part < count)
		return WSI_FAIL(WS_E_NOMEM, "clusters are of all frequencies together and need "
		                "%.1f MiB: allow more memory (`memory`), or fewer frequencies, "
		                "times (`decimate`) or signals of noise",
		                (double)shared.used / 1048576.0);
	WSI_TRY(wsi_cwt_measure(base, aside));
	size_t making;
	if (draws_phases(plan))
		wsi_plan_add_tables(base, wsi_dft_tables(&plan->surrogates.dft, &making), &making);
	return WS_OK;
}

static void
empty(ws_plan *base)
{
	wsi_coherence_plan *plan = (wsi_coherence_plan *)base;
	if (draws_phases(plan))
		wsi_dft_empty(&plan->surrogates.dft);
	wsi_cwt_empty_plan(base);
}

static ws_status
fill(ws_plan *base, wsi_progress *progress)
{
	wsi_coherence_plan *plan = (wsi_coherence_plan *)base;
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
	wsi_coherence_plan *plan = (wsi_coherence_plan *)base;
	wsi_smoothing_destroy(&plan->smoothing);
	if (draws_phases(plan))
		wsi_dft_destroy(&plan->surrogates.dft);
	wsi_cwt_release(base);
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(base);
	wsi_line_put(to, "  method     coherence ");
	if (plan->o.against == WS_AGAINST_ALL)
		wsi_line_put(to, "of all pairs over ");
	else
		wsi_line_put(to, "with channel %zu over ", WSI_NO(plan->o.against));
	if (plan->smooth)
		wsi_line_put(to, "neighbouring times and frequencies\n");
	else
		wsi_line_put(to, "%zu epochs\n", plan->family.epochs);
	if (plan->o.noise_signals)
		wsi_line_put(to, "  levels     of %d pairs of signals, %s%s\n",
		             plan->o.noise_signals, plan->shuffle
		             ? "one's epochs in another order" : draws_phases(plan)
		             ? "phases drawn at random" : "red noise as the channels",
		             plan->o.clusters ? "; clusters" : "");
	wsi_cwt_describe_scales(base, to);
	wsi_cwt_describe_work(base, to);
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const wsi_coherence_plan *plan = wsi_coherence_plan_of(base);
	const size_t first = io->count ? io->first : 0;
	const size_t count = io->count ? io->count : plan->family.cwt->count;
	const bool all = plan->o.against == WS_AGAINST_ALL;
	const size_t with = all ? 0 : (size_t)plan->o.against;
	wsi_epochs_work work = {
		.item = plan->smooth ? wsi_coherence_over_frequencies : wsi_coherence_over_epochs,
		.with = with, .with_end = all ? base->shape.channels : with + 1, .once = all,
		.scales = WS_COHERENCE_SCALE };
	size_t from;
	if (!plan->smooth && !plan->shuffle)
		wsi_coherence_levels_of_epochs(plan, io, count);
	if (base->gpu) {
		wsi_cwt_put_rows(plan->family.cwt, io, WS_COHERENCE_SCALE);
		return wsi_gpu_run(base, &plan->family.job, io, progress);
	}
	if (plan->o.noise_signals && plan->smooth)
		work.after = wsi_coherence_noise;
	else if (plan->o.clusters)
		work.after = wsi_coherence_clusters;
	work.parts = 1.0;
	if (plan->smooth) {
		work.before = wsi_coherence_over_times;
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
	.n_arrays = WS_COHERENCE_ARRAYS, .plan_size = sizeof(wsi_coherence_plan), .unit = unit,
	.resolve = resolve,
	.every = every, .fill = fill, .empty = empty,
	.extent = extent, .axis_values = wsi_cwt_axis_values, .measure = measure,
	.run = run, .describe = describe, .release = release, .on_gpu = on_gpu,
	.cut = WS_AXIS_FREQUENCY,
	.fewer = "channels or epochs",
};
