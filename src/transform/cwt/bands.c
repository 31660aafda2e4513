/* bands.c - the row of signals and variance of bands of frequencies; bands_run.c makes them. */
#include <math.h>

#include "base/arena.h"
#include "base/status.h"
#include "transform/cwt/bands_run.h"
#include "transform/cwt/cost.h"

enum { MOST_BANDS = 4096 };

/* ---- Arrays ---------------------------------------------------------------------------- */

#define OF_TIME(name, text) \
	{ name, text, WSI_REAL, { WS_AXIS_CHANNEL, WS_AXIS_BAND, WS_AXIS_TIME }, WS_ARRAY_MAIN }
#define OF_BAND(name, text) { name, text, WSI_F64, { WS_AXIS_BAND }, WS_ARRAY_OPTIONAL }

static const wsi_array arrays[WS_BANDS_ARRAYS] = {
	[WS_BANDS_SIGNAL] = { "signal", "the samples", WSI_REAL, { WS_AXIS_CHANNEL, WS_AXIS_TIME },
		WS_ARRAY_SIGNAL },
	[WS_BANDS_BANDS] = OF_TIME("bands", "signals of the bands"),
	[WS_BANDS_POWER] = OF_TIME("power", "variance that a band has at a moment"),
	[WS_BANDS_LOW] = OF_BAND("low", "lowest frequency, Hz"),
	[WS_BANDS_HIGH] = OF_BAND("high", "highest frequency, Hz"),
	[WS_BANDS_FLAT_LOW] = OF_BAND("flat_low", "kept within 1 % from here, Hz"),
	[WS_BANDS_FLAT_HIGH] = OF_BAND("flat_high", "to there, Hz"),
	[WS_BANDS_ERROR] = OF_BAND("error", "relative error of all bands' sum"),
};

static size_t
extent(const ws_plan *base, int array, ws_axis axis)
{
	const wsi_bands_plan *plan = wsi_bands_plan_of(base);
	const bool power = plan->o.quantity == WS_QUANTITY_POWER;
	if (array == WS_BANDS_SIGNAL)
		return base->shape.samples;
	if (array == (power ? WS_BANDS_BANDS : WS_BANDS_POWER) ||
	    (power && array >= WS_BANDS_FLAT_LOW))
		return 0;
	return axis == WS_AXIS_BAND ? plan->inverse.bands : plan->outputs;
}

static bool
axis_values(const ws_plan *base, int array, ws_axis axis, double *values)
{
	const wsi_bands_plan *plan = wsi_bands_plan_of(base);
	(void)array;
	for (size_t b = 0; axis == WS_AXIS_BAND && b < plan->inverse.bands; ++b)
		values[b] = sqrt(plan->inverse.band[b].low * plan->inverse.band[b].high);
	return axis == WS_AXIS_BAND;
}

static size_t
every_of(const ws_plan *base, int array)
{
	return array == WS_BANDS_SIGNAL ? 1 : wsi_bands_plan_of(base)->o.decimate;
}

/* ---- Plan ------------------------------------------------------------------------------ */

/* Where nothing else tells the frequencies, bands do. */
static void
take_axis(ws_cwt_opts *o, const double *bands, size_t count)
{
	if (!bands || o->frequencies || o->scales ||
	    o->freqs.low != 0.0 || o->freqs.high != 0.0)
		return;
	o->freqs.low = bands[0];
	for (size_t i = 0; i < 2 * count; ++i) {
		o->freqs.low = bands[i] < o->freqs.low ? bands[i] : o->freqs.low;
		o->freqs.high = bands[i] > o->freqs.high ? bands[i] : o->freqs.high;
	}
	/* Both ends are needed: as many between them as voices, or a few more. */
	const double octaves = wavelet_log(o->freqs.high / o->freqs.low) / WSI_LN_2;
	if (o->reference == WS_CWT_REF_NONE && !o->freqs.count && o->freqs.low > 0.0 &&
	    octaves > 0.0)
		o->freqs.count = 1 + (size_t)ceil(
			octaves * (o->voices > 0 ? o->voices : 10) - 1e-9);
}

static size_t
common_divisor(size_t a, size_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

/* Says where the part that results are of lies in x, and how seldom coefficients are made, from the
 * first sample of x on: so that those of the outputs are among them.  Of signals there are all
 * samples, of which some are kept: then no padded length depends on how many. */
static ws_status
take_part(wsi_bands_plan *plan, ws_cwt_opts *o, bool power)
{
	const ws_shape *shape = &plan->family.base.shape;
	const size_t every = o->decimate ? o->decimate : 1;
	WSI_TRY(wsi_cwt_check_decimate(every, shape->samples));
	plan->first = shape->before;
	plan->outputs = wsi_cwt_every(shape->samples, every);
	o->decimate = power ? common_divisor(every, plan->first) : 1;
	plan->o.decimate = every;
	return WS_OK;
}

static ws_status
make(wsi_bands_plan *plan, ws_cwt_opts *o, const double *bands)
{
	const ws_quantity quantity = o->quantity ? o->quantity : WS_QUANTITY_SIGNAL;
	if (quantity != WS_QUANTITY_SIGNAL && quantity != WS_QUANTITY_POWER)
		return WSI_FAIL(WS_E_ARG, "bands have a signal or a power, no quantity %d",
		                (int)quantity);
	if (o->band_count > MOST_BANDS)
		return WSI_FAIL(WS_E_ARG, "%zu bands are more than %d", o->band_count, MOST_BANDS);
	take_axis(o, bands, o->band_count);
	const ws_padding padding = o->padding ? o->padding : WS_PADDING_REFLECT;
	const bool even = quantity == WS_QUANTITY_SIGNAL && !o->reference &&
		padding == WS_PADDING_REFLECT;
	o->quantity = even ? WS_QUANTITY_SIGNAL : quantity == WS_QUANTITY_POWER ? WS_QUANTITY_POWER
		: WS_QUANTITY_COMPLEX;
	WSI_TRY(take_part(plan, o, quantity == WS_QUANTITY_POWER));
	const size_t every = plan->o.decimate;
	WSI_TRY(wsi_cwt_make(&plan->family, o));
	const wsi_cwt *cwt = plan->family.cwt;
	if (!even && quantity == WS_QUANTITY_SIGNAL)
		WSI_TRY(wsi_dft_add_inverse(&plan->family.cwt->dft));
	plan->o = cwt->o;
	plan->o.quantity = quantity;
	plan->o.decimate = every;
	const size_t n = cwt->samples, period = n > 1 ? 2 * n - 2 : 1;
	WSI_TRY(wsi_inverse_create(&plan->inverse, cwt, even ? period : cwt->length, bands,
	                           o->band_count, quantity == WS_QUANTITY_SIGNAL));
	size_t harmonics = 1;
	for (size_t b = 0; b < plan->inverse.bands; ++b)
		if (plan->inverse.band[b].k1 > harmonics)
			harmonics = plan->inverse.band[b].k1;
	return even ? wsi_even_line_lay_out(&plan->line, cwt->wide, n, harmonics) : WS_OK;
}

/* What a GPU forms of the powers of frequencies. */
static ws_status
plan_powers(wsi_bands_plan *plan)
{
	const wsi_inverse *v = &plan->inverse;
	const wsi_cwt *cwt = plan->family.cwt;
	size_t members = 0;
	for (size_t b = 0; b < v->bands; ++b)
		members += v->band[b].count;
	wsi_kept *kept = &plan->family.base.kept;
	wsi_cwt_job_row *rows = wsi_kept_new(kept, v->bands, sizeof *rows);
	wsi_cwt_job_member *member = wsi_kept_new(kept, members, sizeof *member);
	if (kept->failed)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu bands", v->bands);
	members = 0;
	for (size_t b = 0; b < v->bands; ++b) {
		rows[b] = (wsi_cwt_job_row){ members, v->band[b].count, 1.0 };
		for (size_t i = 0; i < v->band[b].count; ++i) {
			const wsi_band_member *m = &v->member[v->band[b].first + i];
			member[members++] = (wsi_cwt_job_member){ m->frequency,
				m->share * v->energy[m->frequency] };
		}
	}
	const wsi_cwt_job_sums sums = { .form = WSI_CWT_POWERS, .rows = v->bands,
		.row = rows, .member = member, .members = members, .epochs = 1,
		.first = plan->first / cwt->o.decimate, .every = plan->o.decimate / cwt->o.decimate,
		.outputs = plan->outputs, .arrays = { WS_BANDS_POWER, -1, -1, -1 } };
	return wsi_cwt_on_gpu(&plan->family, plan->family.base.shape.channels, 0, &sums);
}

/* Signals of bands are its coefficients of so many filters, of which it takes the real part. */
static ws_status
plan_signals(wsi_bands_plan *plan)
{
	const wsi_cwt *cwt = plan->family.cwt;
	wsi_cwt_job *job = &plan->family.job;
	const size_t channels = plan->family.base.shape.channels;
	WSI_TRY(wsi_cwt_job_filters(job, cwt, &plan->inverse, plan->line.n > 0,
	                            &plan->family.base.kept));
	job->channels = channels;
	job->array = WS_BANDS_BANDS;
	job->first = plan->first;
	job->decimate = plan->o.decimate;
	job->outputs = plan->outputs;
	job->gain = plan->line.n ? 0 : wsi_cwt_power_gain(cwt);
	job->other = plan->family.other;
	plan->family.base.seconds = WSI_COST_GPU_FILTER * (double)job->length *
	                            (double)(plan->inverse.bands * channels);
	return WS_OK;
}

/* Of one thread.  items: signals of bands. */
static double
seconds_of(const wsi_bands_plan *plan, size_t items)
{
	const wsi_cwt *cwt = plan->family.cwt;
	const double channels = (double)plan->family.base.shape.channels;
	if (plan->o.quantity == WS_QUANTITY_POWER)
		return cwt->seconds * channels;
	if (plan->line.n)
		return WSI_COST_FILTER * (double)plan->line.n * ((double)items + channels);
	return cwt->forward * channels + WSI_COST_FILTER * (double)cwt->length * (double)items;
}

static ws_status
resolve(ws_plan *base, const void *asked)
{
	wsi_bands_plan *plan = (wsi_bands_plan *)base;
	ws_cwt_opts o = *(const ws_cwt_opts *)asked;
	if (o.bands && !o.band_count)
		return WSI_FAIL(WS_E_ARG, "the list of bands is empty");
	WSI_TRY(make(plan, &o, o.bands));
	const size_t channels = base->shape.channels, items = plan->inverse.bands * channels;
	const bool power = plan->o.quantity == WS_QUANTITY_POWER;
	wsi_arena own = { 0 };
	wsi_bands_take_own(plan, &own);
	plan->family.own_bytes = own.used;
	plan->family.spectra = plan->line.n ? 0 : channels;
	plan->family.squares = power;
	plan->family.other = "signal";
	if (power)
		wsi_cwt_keep(&plan->family, channels > 1);
	plan->family.shared_bytes = plan->line.n ? channels * wsi_bands_line_bytes(plan) : 0;
	wsi_cwt_share(base, seconds_of(plan, items), items);
	base->options = &plan->o;
	return !base->gpu ? WS_OK : power ? plan_powers(plan) : plan_signals(plan);
}

static ws_status
fill(ws_plan *base, wsi_progress *progress)
{
	wsi_bands_plan *plan = (wsi_bands_plan *)base;
	WSI_TRY(wsi_cwt_fill_plan(base, progress));
	/* ws_cwt_inverse() takes it, wherever the plan is of. */
	WSI_TRY(wsi_even_line_fill(&plan->line, progress));
	WSI_TRY(wsi_inverse_fill(&plan->inverse, plan->family.cwt, progress));
	if (base->gpu && plan->o.quantity == WS_QUANTITY_SIGNAL)
		wsi_cwt_job_fill_filters(&plan->family.job, &plan->inverse, plan->family.cwt);
	return WS_OK;
}

static void
empty(ws_plan *base)
{
	wsi_inverse_empty(&((wsi_bands_plan *)base)->inverse);
	wsi_even_line_empty(&((wsi_bands_plan *)base)->line);
	wsi_cwt_empty_plan(base);
}

static ws_status
measure(ws_plan *base, bool aside)
{
	const wsi_bands_plan *plan = wsi_bands_plan_of(base);
	size_t making;
	WSI_TRY(wsi_cwt_measure(base, aside));
	wsi_plan_add_tables(base, wsi_inverse_tables(&plan->inverse, &making), &making);
	wsi_plan_add_tables(base, wsi_even_line_tables(&plan->line, &making), &making);
	return WS_OK;
}

static void
release(ws_plan *base)
{
	wsi_bands_plan *plan = (wsi_bands_plan *)base;
	wsi_inverse_destroy(&plan->inverse);
	wsi_even_line_destroy(&plan->line);
	wsi_cwt_release(base);
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	const wsi_bands_plan *plan = wsi_bands_plan_of(base);
	double error = 0.0;
	for (size_t b = 0; b < plan->inverse.bands; ++b)
		error = fmax(error, plan->inverse.band[b].error);
	wsi_line_put(to, "  method     bands, %zu of %zu frequencies", plan->inverse.bands,
	             plan->family.cwt->count);
	if (plan->inverse.divisor && error > 1e-12)
		wsi_line_put(to, ", error up to %.2g between them", error);
	else if (plan->inverse.divisor)
		wsi_line_put(to, ", exact but for rounding");
	wsi_line_put(to, "\n");
	wsi_cwt_describe_work(base, to);
}

/* ---- The row ----------------------------------------------------------------------------- */

const wsi_transform wsi_transform_bands = {
	.about = {
		.name = "bands", .title = "Bands of frequencies",
		.summary = "signals or power of frequency bands",
		.text = "Adds up the wavelet coefficients of each band of frequencies to its "
		"signal, by the inverse wavelet transform, or their power to the variance that the "
		"band has at every moment. Signals of bands that share out all frequencies add up "
		"to the recording without its mean and what lies beyond the frequencies. The plan, "
		"shown by -v, says how exactly.",
		.examples = (const char *const[]){
			"wavesift bands night.edf --bands 4:8,8:13,13:30 --plot bands.png\t"
			"theta, alpha and beta waves",
			"wavesift bands night.edf --bands 8:13 --quantity power --decimate 64\t"
			"how strong alpha waves are, every 64th sample",
			"wavesift bands x.npy --fs 500 --freqs 1:45\tthe inverse of cwt",
			NULL },
		.options_size = sizeof(ws_cwt_opts),
		.options_tag = WS_TAG_CWT, .family = "cwt", .group = "Analyse",
		.folder = "bands", .type = WS_F32, .takes_context = 1,
	},
	.options = wsi_bands_options, .options_name = "ws_cwt_opts", .arrays = arrays,
	.n_arrays = WS_BANDS_ARRAYS, .plan_size = sizeof(wsi_bands_plan), .resolve = resolve,
	.extent = extent, .axis_values = axis_values, .every = every_of,
	.measure = measure, .run = wsi_bands_run, .fill = fill,
	.empty = empty, .describe = describe, .release = release, .on_gpu = wsi_cwt_gpu_takes,
};
