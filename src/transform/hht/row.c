/* row.c - the row of Hilbert-Huang spectra: hht. */
#include "transform/hht/hht.h"

#include <math.h>

#include "base/status.h"
#include "transform/emd/emd.h"

/* ---- Arrays ------------------------------------------------------------------------- */

#define AXES(...) { WS_AXIS_CHANNEL, __VA_ARGS__ }
#define OF_MODES(name, text, element, made_by) \
	{ name, text, element, AXES(WS_AXIS_MODE), WS_ARRAY_OPTIONAL, made_by }

/* What makes an array where no part does: modes that are not given, .. */
enum { OF_SIGNAL = 1 << 16, OF_SIGNIFICANCE = 1 << 17, OF_NOISE = 1 << 18, OF_LOCKING = 1 << 19,
       OF_LIMITS = 1 << 20 };

static const wsi_array arrays[WS_HHT_ARRAYS] = {
	[WS_HHT_SIGNAL] = { "signal", "the samples", WSI_REAL, AXES(WS_AXIS_TIME),
		WS_ARRAY_SIGNAL, OF_SIGNAL },
	[WS_HHT_MODES] = { "modes", "oscillations, fastest first", WSI_REAL,
		AXES(WS_AXIS_MODE, WS_AXIS_TIME), WS_ARRAY_OPTIONAL, WS_HHT_PART_MODES },
	[WS_HHT_RESIDUE] = { "residue", "what is left", WSI_REAL, AXES(WS_AXIS_TIME),
		WS_ARRAY_OPTIONAL, WS_HHT_PART_MODES },
	[WS_HHT_MODE_COUNT] = { "mode_count", "modes of a channel", WSI_I32, { WS_AXIS_CHANNEL },
		WS_ARRAY_COUNT },
	[WS_HHT_AMPLITUDE] = { "amplitude", "of a mode, instantaneous", WSI_REAL,
		AXES(WS_AXIS_MODE, WS_AXIS_TIME), WS_ARRAY_OPTIONAL, WS_HHT_PART_INSTANTANEOUS },
	[WS_HHT_PHASE] = { "phase", "of a mode, instantaneous, unwrapped, rad", WSI_F64,
		AXES(WS_AXIS_MODE, WS_AXIS_TIME), WS_ARRAY_OPTIONAL, WS_HHT_PART_INSTANTANEOUS },
	[WS_HHT_INSTANTANEOUS_FREQUENCY] = { "instantaneous_frequency", "of a mode, Hz", WSI_REAL,
		AXES(WS_AXIS_MODE, WS_AXIS_TIME), WS_ARRAY_OPTIONAL, WS_HHT_PART_INSTANTANEOUS },
	[WS_HHT_SPECTRUM] = { "spectrum", "Hilbert spectrum of all modes", WSI_REAL,
		AXES(WS_AXIS_FREQUENCY, WS_AXIS_TIME), WS_ARRAY_OPTIONAL | WS_ARRAY_MAIN,
		WS_HHT_PART_SPECTRUM },
	[WS_HHT_MODE_SPECTRUM] = { "mode_spectrum", "Hilbert spectrum of a mode", WSI_REAL,
		AXES(WS_AXIS_MODE, WS_AXIS_FREQUENCY, WS_AXIS_TIME), WS_ARRAY_OPTIONAL,
		WS_HHT_PART_MODE_SPECTRUM },
	[WS_HHT_POWER] = { "power", "instantaneous energy: power in all bins", WSI_F64,
		AXES(WS_AXIS_TIME), WS_ARRAY_OPTIONAL, WS_HHT_PART_SPECTRUM },
	[WS_HHT_NONSTATIONARITY] = { "nonstationarity", "degree of stationarity, 0 where steady",
		WSI_F64, AXES(WS_AXIS_FREQUENCY), WS_ARRAY_OPTIONAL, WS_HHT_PART_SPECTRUM },
	[WS_HHT_MARGINAL] = { "marginal", "marginal spectrum of all modes", WSI_F64,
		AXES(WS_AXIS_FREQUENCY), WS_ARRAY_OPTIONAL, WS_HHT_PART_MARGINAL },
	[WS_HHT_MODE_MARGINAL] = { "mode_marginal", "marginal spectrum of a mode", WSI_F64,
		AXES(WS_AXIS_MODE, WS_AXIS_FREQUENCY), WS_ARRAY_OPTIONAL, WS_HHT_PART_MARGINAL },
	[WS_HHT_MEAN_FREQUENCY] = OF_MODES("mean_frequency",
		"mean of the frequency, weighted with the energy, Hz", WSI_F64, 0),
	[WS_HHT_OUTSIDE] = OF_MODES("outside", "share of the energy that lies in no bin", WSI_F64,
		0),
	[WS_HHT_NEGATIVE] = OF_MODES("negative", "samples of negative frequency", WSI_I32, 0),
	[WS_HHT_OUTLIERS] = OF_MODES("outliers", "samples whose frequency is an outlier", WSI_I32,
		0),
	[WS_HHT_MODE_ENERGY] = OF_MODES("mode_energy", "mean square", WSI_F64, 0),
	[WS_HHT_MEAN_PERIOD] = OF_MODES("mean_period", "duration over maxima, s", WSI_F64, 0),
	[WS_HHT_NOISE_LOW] = OF_MODES("noise_low", "mode_energy of weak noise", WSI_F64,
		OF_SIGNIFICANCE),
	[WS_HHT_NOISE_HIGH] = OF_MODES("noise_high", "mode_energy of strong noise", WSI_F64,
		OF_SIGNIFICANCE),
	[WS_HHT_ORTHOGONALITY] = { "orthogonality", "index of orthogonality of the modes", WSI_F64,
		{ WS_AXIS_CHANNEL }, WS_ARRAY_OPTIONAL },
	[WS_HHT_CYCLE] = { "cycle", "good cycle that a sample is in, -1: none", WSI_I32,
		AXES(WS_AXIS_MODE, WS_AXIS_TIME), WS_ARRAY_OPTIONAL, WS_HHT_PART_CYCLES },
	[WS_HHT_CYCLE_COUNT] = OF_MODES("cycle_count", "good cycles", WSI_I32, WS_HHT_PART_CYCLES),
	[WS_HHT_PHASE_LOCKING] = { "phase_locking", "of a mode in two channels, 0 to 1", WSI_F64,
		AXES(WS_AXIS_MODE, WS_AXIS_PARTNER), WS_ARRAY_OPTIONAL, WS_HHT_PART_CONNECTIVITY },
	[WS_HHT_AMPLITUDE_CORRELATION] = { "amplitude_correlation",
		"of a mode in two channels, -1 to 1", WSI_F64,
		AXES(WS_AXIS_MODE, WS_AXIS_PARTNER), WS_ARRAY_OPTIONAL, WS_HHT_PART_CONNECTIVITY },
	[WS_HHT_HOLOSPECTRUM] = { "holospectrum", "over frequency and that of its modulation",
		WSI_F64, AXES(WS_AXIS_FREQUENCY, WS_AXIS_MODULATION), WS_ARRAY_OPTIONAL,
		WS_HHT_PART_HOLOSPECTRUM },
	[WS_HHT_LIMITS_MEAN] = { "limits_mean", "marginal spectrum, mean over stop rules", WSI_F64,
		AXES(WS_AXIS_FREQUENCY), WS_ARRAY_OPTIONAL, OF_LIMITS },
	[WS_HHT_LIMITS_DEVIATION] = { "limits_deviation", "its standard deviation", WSI_F64,
		AXES(WS_AXIS_FREQUENCY), WS_ARRAY_OPTIONAL, OF_LIMITS },
	[WS_HHT_SPARSE_BIN] = { "sparse_bin", "bins of cells that are not zero, -1: none", WSI_I32,
		AXES(WS_AXIS_CELL, WS_AXIS_TIME), WS_ARRAY_OPTIONAL, WS_HHT_PART_SPARSE },
	[WS_HHT_SPARSE_VALUE] = { "sparse_value", "what is in them", WSI_REAL,
		AXES(WS_AXIS_CELL, WS_AXIS_TIME), WS_ARRAY_OPTIONAL, WS_HHT_PART_SPARSE },
	[WS_HHT_CAPPED] = { "capped", "1: as many modes as there may be, but not all",
		WSI_I32, { WS_AXIS_CHANNEL }, WS_ARRAY_OPTIONAL },
	[WS_HHT_SPARSE_LEFT] = { "sparse_left", "share of cells that had no room", WSI_F64,
		AXES(WS_AXIS_TIME), WS_ARRAY_OPTIONAL, WS_HHT_PART_SPARSE },
	[WS_HHT_P] = OF_MODES("p", "share of noise of its period with as much energy", WSI_F64,
		OF_NOISE),
	[WS_HHT_P_ANY] = OF_MODES("p_any", "share of noise of which any mode stands out as far",
		WSI_F64, OF_NOISE),
	[WS_HHT_NOISE_MODEL] = { "noise_model", "0: none, 1: white, 2: AR(1), 3: power law, "
		"4: with a bend",
		WSI_I32, { WS_AXIS_CHANNEL }, WS_ARRAY_OPTIONAL, OF_NOISE },
	[WS_HHT_NOISE_SLOPE] = { "noise_slope", "its lag-1 autocorrelation, or exponent", WSI_F64,
		{ WS_AXIS_CHANNEL }, WS_ARRAY_OPTIONAL, OF_NOISE },
	[WS_HHT_LOCKING_LEVEL] = { "locking_level", "phase_locking that unrelated channels seldom "
		"exceed", WSI_F64, AXES(WS_AXIS_MODE, WS_AXIS_PARTNER), WS_ARRAY_OPTIONAL,
		OF_LOCKING },
	[WS_HHT_NOISE_SPECTRUM] = { "noise_spectrum", "its density", WSI_F64,
		AXES(WS_AXIS_FREQUENCY), WS_ARRAY_OPTIONAL, OF_NOISE },
	[WS_HHT_NOISE_BEND] = { "noise_bend", "the frequency of its bend, or 0", WSI_F64,
		{ WS_AXIS_CHANNEL }, WS_ARRAY_OPTIONAL, OF_NOISE },
};

/* Of wsi_array.made_by: the parts that these options make, and what follows from others. */
static int
all_made(const ws_hht_opts *o)
{
	int made = o->parts | OF_SIGNAL;
	if (o->modes_given && !o->whole_given)
		made &= ~(WS_HHT_PART_MODES | OF_SIGNAL);
	if (o->significance)
		made |= OF_SIGNIFICANCE;
	if (o->noise_signals)
		made |= OF_NOISE | (o->parts & WS_HHT_PART_CONNECTIVITY ? OF_LOCKING : 0);
	if (o->limits_rule && o->parts & WS_HHT_PART_MARGINAL)
		made |= OF_LIMITS;
	return made;
}

static bool
is_made(const ws_hht_opts *o, int array)
{
	return !arrays[array].made_by || arrays[array].made_by & all_made(o);
}

static bool
in_time_bins(int array)
{
	return array == WS_HHT_SPECTRUM || array == WS_HHT_MODE_SPECTRUM ||
	       array == WS_HHT_POWER || array == WS_HHT_SPARSE_BIN ||
	       array == WS_HHT_SPARSE_VALUE || array == WS_HHT_SPARSE_LEFT;
}

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const wsi_hht_plan *plan = wsi_hht_plan_of(base);
	if (!is_made(&plan->o, array))
		return 0;
	if (axis == WS_AXIS_MODE)
		return plan->modes;
	if (axis == WS_AXIS_MODULATION)
		return (size_t)plan->am.bins.n;
	if (axis == WS_AXIS_PARTNER)
		return wsi_hht_together(base);
	if (axis == WS_AXIS_FREQUENCY)
		return (size_t)plan->hht.bins.n;
	if (axis == WS_AXIS_CELL)
		return (size_t)plan->o.sparse_cells;
	return in_time_bins(array) ? plan->hht.time_bins : base->shape.samples;
}

/* Middles of bins. */
static void
middles(const wsi_bins *b, ws_spacing scale, double *values)
{
	for (int i = 0; i < b->n; ++i)
		values[i] = wsi_hht_middle(b, scale, (size_t)i);
}

static bool
axis_values(const ws_plan *base, int array, ws_axis axis, double *values)
{
	const wsi_hht_plan *plan = wsi_hht_plan_of(base);
	const wsi_hht *h = &plan->hht;
	if (axis == WS_AXIS_FREQUENCY)
		middles(&h->bins, plan->o.freqs.spacing, values);
	if (axis == WS_AXIS_MODULATION)
		middles(&plan->am.bins, plan->o.modulation_freqs.spacing, values);
	for (size_t t = 0; axis == WS_AXIS_TIME && in_time_bins(array) && t < h->time_bins; ++t) {
		const size_t first = t * h->time_bin, left = h->n - first;
		const size_t samples = left < h->time_bin ? left : h->time_bin;
		values[t] = ((double)first + 0.5 * ((double)samples - 1.0)) / h->fs;
	}
	return axis == WS_AXIS_FREQUENCY || axis == WS_AXIS_MODULATION ||
	       (axis == WS_AXIS_TIME && in_time_bins(array));
}

/* ---- Plan --------------------------------------------------------------------------- */

/* Seconds of a sample of a mode on one thread; on a GPU (bench/hht/analysis.cu, one H200). */
#define SECONDS_A_SAMPLE 2e-8
#define GPU_SECONDS_A_SAMPLE 1e-10

static ws_status
resolve(ws_plan *base, const void *asked)
{
	wsi_hht_plan *plan = (wsi_hht_plan *)base;
	WSI_TRY(wsi_hht_resolve(plan, asked));
	ws_hht_opts *o = &plan->o;
	base->options = o;
	plan->modes = (size_t)o->modes_given;
	base->x_rows = plan->modes + (o->whole_given ? 2 : 0);
	base->seconds = 0.0;
	if (!o->modes_given) {
		ws_emd_opts opts = o->emd;
		opts.size = sizeof opts;
		opts.tag = WS_TAG_EMD;
		WSI_TRY(wsi_plan_within(&plan->emd, base, wsi_hht_decomposition(o), &base->shape,
		                        &opts));
		const wsi_emd_plan *emd = wsi_emd_plan_of(plan->emd);
		o->emd = emd->params.o;
		plan->modes = (size_t)emd->params.o.modes;
		base->seconds = plan->emd->seconds;
		WSI_TRY(wsi_hht_limits_resolve(plan, &opts));
		WSI_TRY(wsi_hht_noise_resolve(plan, &opts));
		WSI_TRY(wsi_hht_locking_resolve(plan));
	}
	if (o->parts & WS_HHT_PART_HOLOSPECTRUM)
		WSI_TRY(wsi_hht_holo_resolve(plan));
	const size_t cells = o->sparse_cells ? (size_t)o->sparse_cells : 3 * plan->modes;
	const size_t most = (size_t)plan->hht.bins.n;
	o->sparse_cells = o->parts & WS_HHT_PART_SPARSE ? (int)(cells < most ? cells : most) : 0;
	const double values = (double)base->shape.channels * (double)base->shape.samples *
	                      (double)plan->modes;
	const double own = SECONDS_A_SAMPLE * values;
	if (own < WSI_ALONE)
		base->threads = 1;
	/* No more modes are likely than log2 of the length, less 1.5. */
	const double most_likely = fmax(log2((double)base->shape.samples) - 1.5, 1.0);
	const double likely = fmin(1.0, most_likely / (double)plan->modes);
	const double shared = wsi_shared_out(likely * own, base->threads);
	base->seconds += base->gpu ? GPU_SECONDS_A_SAMPLE * values : shared;
	if (is_made(o, WS_HHT_LOCKING_LEVEL))
		base->seconds += o->noise_signals * (plan->emd->seconds + shared);
	return WS_OK;
}

/* Plans inside. */
enum { INSIDE = 3 };

static ws_plan *
inside(const wsi_hht_plan *plan, int i)
{
	return i == 0 ? plan->emd : i == 1 ? plan->second : i == 2 ? plan->noise
	       : plan->rules[i - INSIDE];
}

static ws_status
fill(ws_plan *base, wsi_progress *progress)
{
	wsi_hht_plan *plan = (wsi_hht_plan *)base;
	for (int i = 0; i < INSIDE + plan->n_rules; ++i)
		WSI_TRY(wsi_plan_fill(inside(plan, i), progress));
	if (plan->noise) {
		WSI_TRY(wsi_dft_fill(&plan->spectra, progress));
		WSI_TRY(wsi_dft_fill(&plan->colours, progress));
	}
	return plan->hilbert ? wsi_hilbert_fill(plan->hilbert, progress) : WS_OK;
}

static void
empty(ws_plan *base)
{
	wsi_hht_plan *plan = (wsi_hht_plan *)base;
	for (int i = 0; i < INSIDE + plan->n_rules; ++i)
		wsi_plan_empty(inside(plan, i));
	if (plan->noise) {
		wsi_dft_empty(&plan->spectra);
		wsi_dft_empty(&plan->colours);
	}
	if (plan->hilbert)
		wsi_hilbert_empty(plan->hilbert);
}

static ws_status
measure(ws_plan *base, bool aside)
{
	const wsi_hht_plan *plan = wsi_hht_plan_of(base);
	size_t making;
	base->tables = base->making = 0;
	if (plan->hilbert)
		wsi_plan_add_tables(base, wsi_hilbert_tables_bytes(plan->hilbert, &making),
		                    &making);
	for (int i = 0; i < INSIDE + plan->n_rules; ++i)
		base->tables += inside(plan, i) ? inside(plan, i)->tables : 0;
	if (plan->noise) {
		wsi_plan_add_tables(base, wsi_dft_tables(&plan->spectra, &making), &making);
		wsi_plan_add_tables(base, wsi_dft_tables(&plan->colours, &making), &making);
	}
	return wsi_hht_measure(base, aside);
}

static void
release(ws_plan *base)
{
	wsi_hht_plan *plan = (wsi_hht_plan *)base;
	wsi_plan_free(plan->emd);
	wsi_plan_free(plan->second);
	wsi_plan_free(plan->noise);
	if (plan->spectra.n)
		wsi_dft_destroy(&plan->spectra);
	if (plan->colours.n)
		wsi_dft_destroy(&plan->colours);
	for (int i = 0; i < plan->n_rules; ++i)
		wsi_plan_free(plan->rules[i]);
	wsi_hilbert_destroy(plan->hilbert);
	wsi_bins_free(&plan->am.bins);
	wsi_bins_free(&plan->hht.bins);
}

/* As the decomposition, if there is one. */
static ws_status
on_gpu(const ws_shape *shape, const void *opts)
{
	const ws_hht_opts *o = opts;
	if (o->parts & (WS_HHT_PART_CONNECTIVITY | WS_HHT_PART_HOLOSPECTRUM | WS_HHT_PART_SPARSE) ||
	    o->limits_rule || o->noise_signals || o->whole_given)
		return WSI_FAIL(WS_E_UNSUPPORTED, "connectivity, holospectra, sparse spectra, "
		                "limits, noise signals and stored results are analysed on the CPU "
		                "only; leave out `device`");
	const wsi_transform *t = o->modes_given ? NULL
	                         : wsi_transform_find(wsi_hht_decomposition(o));
	return t && t->on_gpu ? t->on_gpu(shape, &o->emd) : WS_OK;
}

static size_t
unit(const ws_shape *shape, const void *opts)
{
	const ws_hht_opts *o = opts;
	if (!(o->parts & WS_HHT_PART_CONNECTIVITY) &&
	    (o->modes_given || wsi_opts_method(&o->emd) != WS_METHOD_MEMD))
		return 1;
	return shape->recording_channels ? shape->recording_channels : shape->channels;
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	static const char *const methods[] = { "", "hilbert", "nht", "quadrature" };
	static const char *const quantities[] = { "", "density", "power", "energy", "amplitude" };
	const wsi_hht_plan *plan = wsi_hht_plan_of(base);
	const ws_hht_opts *o = &plan->o;
	wsi_line_put(to, "  analysis   %s%s, ", methods[o->frequency_method],
	             plan->hht.emd_py ? " as emd 0.8.1" : "");
	if (base->gpu)
		wsi_line_put(to, "on the GPU\n");
	else
		wsi_line_put(to, "%d thread%s\n", base->threads, base->threads == 1 ? "" : "s");
	wsi_line_put(to, "  spectrum   %s, %zu bins of %.*g to %.*g Hz, %zu of %.4g s\n",
		quantities[o->quantity], o->freqs.count, wsi_hht_digits(o->freqs.low), o->freqs.low,
		wsi_hht_digits(o->freqs.high), o->freqs.high, plan->hht.time_bins, o->time_bin);
	if (plan->emd)
		wsi_line_put(to, "%s", plan->emd->describe);
	else
		wsi_line_put(to, "  modes      %d given\n", o->modes_given);
	if (base->gpu)
		wsi_hht_gpu_describe(base, to);
}

static bool
takes_noise(const ws_plan *base)
{
	const ws_plan *emd = wsi_hht_plan_of(base)->emd;
	return emd && emd->transform->takes_noise(emd);
}

const wsi_transform wsi_transform_hht = {
	{ .name = "hht", .title = "Hilbert-Huang spectra",
	  .summary = "amplitude, frequency and energy of modes over time",
	  .text = "Decomposes every channel into modes, gives each an amplitude, a phase and a "
	  "frequency at every sample, and sums their energy over time and frequency (Huang et "
	  "al. 1998). Frequencies that are negative or outliers are counted.",
	  .examples = (const char *const[]){
		"wavesift hht night.edf --channels Cz --freqs 1:45:88\tHilbert spectrum of a "
		"channel, 1 to 45 Hz",
		"wavesift hht x.npy --fs 500 --decomposition iceemdan --frequency-method nht\t"
		"another decomposition, normalised Hilbert transform",
		"wavesift hht night_memd.h5 --figure marginal --plot night.png\tthe modes of a "
		"result",
		"wavesift hht x.npy --fs 500 --reference emd\tas Python's emd does", NULL },
	  .options_size = sizeof(ws_hht_opts), .options_tag = WS_TAG_HHT,
	  .family = "hht", .group = "Analyse",
	  .folder = "hht" },
	.options = wsi_hht_options, .needs = wsi_hht_needs, .options_name = "ws_hht_opts",
	.within = WSI_HHT_WITHIN, .arrays = arrays,
	.n_arrays = WS_HHT_ARRAYS, .plan_size = sizeof(wsi_hht_plan), .unit = unit,
	.resolve = resolve, .extent = extent, .axis_values = axis_values,
	.measure = measure, .fill = fill, .empty = empty, .run = wsi_hht_run,
	.describe = describe, .release = release,
	.fewer = "modes or samples", .on_gpu = on_gpu,
	.fills_there = true, .takes_noise = takes_noise, .line = wsi_hht_line,
	.same_anywhere = wsi_same_anywhere,
};
