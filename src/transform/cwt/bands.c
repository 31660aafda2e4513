/* bands.c - the row of signals and variance of bands of frequencies; ws_cwt_inverse(). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/call.h"
#include "base/element.h"
#include "base/status.h"
#include "transform/cwt/family.h"
#include "transform/cwt/inverse.h"
#include "transform/cwt/even_line.h"
#include "transform/on_gpu.h"
#include "transform/options.h"

enum { MOST_BANDS = 4096 };

typedef struct bands_plan {
	wsi_cwt_plan family;
	ws_cwt_opts o;          /* resolved */
	size_t first, outputs;  /* sample of x of output 0; every o.decimate-th from there */
	wsi_inverse inverse;
	wsi_even_line line;     /* signals between their mirror images go by it, and by no padded
	                           signal */
} bands_plan;

static const bands_plan *
plan_of(const ws_plan *plan)
{
	return (const bands_plan *)plan;
}

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
	const bands_plan *plan = plan_of(base);
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
	const bands_plan *plan = plan_of(base);
	(void)array;
	for (size_t b = 0; axis == WS_AXIS_BAND && b < plan->inverse.bands; ++b)
		values[b] = sqrt(plan->inverse.band[b].low * plan->inverse.band[b].high);
	return axis == WS_AXIS_BAND;
}

static size_t
every_of(const ws_plan *base, int array)
{
	return array == WS_BANDS_SIGNAL ? 1 : plan_of(base)->o.decimate;
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
	const double octaves = wavelet_log(o->freqs.high / o->freqs.low) / 0.69314718055994530942;
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
take_part(bands_plan *plan, ws_cwt_opts *o, bool power)
{
	const ws_shape *shape = &plan->family.base.shape;
	const size_t every = o->decimate ? o->decimate : 1;
	if (every > shape->samples)
		return WSI_FAIL(WS_E_ARG, "every %zu-th of %zu samples is none but the first: "
		                "decimate by less", every, shape->samples);
	plan->first = shape->before;
	plan->outputs = wsi_cwt_every(shape->samples, every);
	o->decimate = power ? common_divisor(every, plan->first) : 1;
	plan->o.decimate = every;
	return WS_OK;
}

static ws_status
make(bands_plan *plan, ws_cwt_opts *o, const double *bands)
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

/* What a thread works in: [N] doubles each, or of power a row and its sum; of a line
 * the harmonics of two bands in y, their [n] samples in z. */
typedef struct own_parts {
	double *y_re, *y_im, *z_re, *z_im;
	void *rest;
	void *row;
	double *sum;
} own_parts;

static own_parts
take_line_parts(const wsi_even_line *line, wsi_arena *arena)
{
	const size_t harmonics = line->harmonics * sizeof(double), n = line->n * sizeof(double);
	own_parts own = { .y_re = wsi_arena_take(arena, harmonics) };
	own.y_im = wsi_arena_take(arena, harmonics);
	own.z_re = wsi_arena_take(arena, n);
	own.z_im = wsi_arena_take(arena, n);
	own.rest = wsi_arena_take(arena, wsi_even_line_scratch(line));
	return own;
}

static own_parts
take_own(const bands_plan *plan, wsi_arena *arena)
{
	const size_t n = plan->family.cwt->length * sizeof(double);
	const size_t outputs = plan->family.cwt->outputs * sizeof(double);
	if (plan->o.quantity == WS_QUANTITY_POWER)
		return (own_parts){ .row = wsi_arena_take(arena, outputs),
			.sum = wsi_arena_take(arena, outputs) };
	if (plan->line.n)
		return take_line_parts(&plan->line, arena);
	own_parts own = { .y_re = wsi_arena_take(arena, n) };
	own.y_im = wsi_arena_take(arena, n);
	own.z_re = wsi_arena_take(arena, n);
	own.z_im = wsi_arena_take(arena, n);
	own.rest = wsi_arena_take(arena, wsi_dft_scratch(&plan->family.cwt->dft));
	return own;
}

/* What a GPU forms of the powers of frequencies. */
static ws_status
plan_powers(bands_plan *plan)
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
plan_signals(bands_plan *plan)
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
	plan->family.base.seconds = 1e-10 * (double)(plan->inverse.bands * channels) *
	                            (double)job->length;
	return WS_OK;
}

/* Harmonics of a channel's line, behind what they are to be multiplied by. */
static size_t
line_bytes(const bands_plan *plan)
{
	const size_t bytes = plan->line.harmonics * sizeof(double);
	return WSI_ALIGN + (bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
}

static ws_status
resolve(ws_plan *base, const void *asked)
{
	bands_plan *plan = (bands_plan *)base;
	ws_cwt_opts o = *(const ws_cwt_opts *)asked;
	if (o.bands && !o.band_count)
		return WSI_FAIL(WS_E_ARG, "the list of bands is empty");
	WSI_TRY(make(plan, &o, o.bands));
	const wsi_cwt *cwt = plan->family.cwt;
	const size_t items = plan->inverse.bands * base->shape.channels;
	wsi_arena own = { 0 };
	take_own(plan, &own);
	plan->family.own_bytes = own.used;
	plan->family.spectra = plan->line.n ? 0 : base->shape.channels;
	plan->family.squares = plan->o.quantity == WS_QUANTITY_POWER;
	plan->family.other = "signal";
	plan->family.shared_bytes = plan->line.n ? base->shape.channels * line_bytes(plan) : 0;
	wsi_cwt_share(base, plan->o.quantity == WS_QUANTITY_POWER
	              ? cwt->seconds * (double)base->shape.channels
	              : plan->line.n
	              ? 6e-8 * (double)plan->line.n * (double)(items + base->shape.channels)
	              : cwt->forward * (double)base->shape.channels +
	                6e-8 * (double)cwt->length * (double)items, items);
	base->options = &plan->o;
	return !base->gpu ? WS_OK
		: plan->o.quantity == WS_QUANTITY_POWER ? plan_powers(plan) : plan_signals(plan);
}

static ws_status
fill(ws_plan *base, wsi_progress *progress)
{
	bands_plan *plan = (bands_plan *)base;
	WSI_TRY(wsi_cwt_fill_plan(base, progress));
	if (!base->gpu)
		WSI_TRY(wsi_even_line_fill(&plan->line, progress));
	WSI_TRY(wsi_inverse_fill(&plan->inverse, plan->family.cwt, progress));
	if (base->gpu && plan->o.quantity == WS_QUANTITY_SIGNAL)
		wsi_cwt_job_fill_filters(&plan->family.job, &plan->inverse, plan->family.cwt);
	return WS_OK;
}

static void
empty(ws_plan *base)
{
	wsi_inverse_empty(&((bands_plan *)base)->inverse);
	wsi_even_line_empty(&((bands_plan *)base)->line);
	wsi_cwt_empty_plan(base);
}

static ws_status
measure(ws_plan *base, bool aside)
{
	const bands_plan *plan = plan_of(base);
	size_t making;
	WSI_TRY(wsi_cwt_measure(base, aside));
	wsi_plan_add_tables(base, wsi_inverse_tables(&plan->inverse, &making), &making);
	if (!base->gpu)
		wsi_plan_add_tables(base, wsi_even_line_tables(&plan->line, &making), &making);
	return WS_OK;
}

static void
release(ws_plan *base)
{
	bands_plan *plan = (bands_plan *)base;
	wsi_inverse_destroy(&plan->inverse);
	wsi_even_line_destroy(&plan->line);
	wsi_cwt_release(base);
}

static void
describe(const ws_plan *base, wsi_line *to)
{
	const bands_plan *plan = plan_of(base);
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

/* ---- Execution --------------------------------------------------------------------------- */

typedef struct job {
	const bands_plan *plan;
	const wsi_io *io;
	const char *spectra;
	char *lines;            /* [channel] line_bytes() */
} job;

/* A bin stands for two but at either end of the spectrum. */
static double
sides(const wsi_cwt *cwt, size_t k)
{
	return k == 0 || 2 * k == cwt->length ? 1.0 : 2.0;
}

/* Of all samples of x those that are wanted. */
static void
put_outputs(const bands_plan *plan, double factor, const double *z, void *out)
{
	const ws_type type = plan->family.cwt->type;
	for (size_t t = 0; t < plan->outputs; ++t)
		wsi_real_put(out, type, t, factor * z[plan->first + t * plan->o.decimate]);
}

static void
filter_band(const job *j, const void *spectrum, const wsi_band *band, const own_parts *own,
            void *out)
{
	const wsi_cwt *cwt = j->plan->family.cwt;
	const void *re, *im;
	double scale;
	wsi_cwt_spectrum(cwt, spectrum, &re, &im, &scale);
	memset(own->y_re, 0, cwt->length * sizeof(double));
	memset(own->y_im, 0, cwt->length * sizeof(double));
	for (size_t k = band->k0; k < band->k1; ++k) {
		const double g = band->gain[k - band->k0] * sides(cwt, k);
		own->y_re[k] = g * wsi_real_at(re, cwt->type, k);
		own->y_im[k] = g * wsi_real_at(im, cwt->type, k);
	}
	wsi_dft_inverse(&cwt->dft, own->y_re, own->y_im, own->z_re, own->z_im, own->rest);
	put_outputs(j->plan, scale, own->z_re, out);
}

/* ---- Between mirror images --------------------------------------------------------------- */

/* Harmonics of a channel, its offset and a power of two taken off; those of a sample that is not
 * finite are none, and their factor is not a number. */
static void
take_line(void *user, size_t c, wsi_cwt_scratch *scratch, void *memory)
{
	const job *j = user;
	const bands_plan *plan = j->plan;
	const wsi_cwt *cwt = plan->family.cwt;
	const char *x = j->io->x + c * j->io->x_stride;
	double *factor = (double *)(j->lines + c * line_bytes(plan)), most = 0.0, offset = 0.0;
	double *harmonics = factor + WSI_ALIGN / sizeof *factor;
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(plan, &arena);
	int exponent;
	(void)scratch;
	for (size_t t = 0; t < cwt->samples; ++t) {
		const double v = wsi_real_at(x, cwt->type, t);
		most = isfinite(v) ? fmax(most, fabs(v)) : HUGE_VAL;
		if (most == HUGE_VAL)
			break;
	}
	*factor = NAN;
	if (most == HUGE_VAL)
		return;
	frexp(most, &exponent);
	exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
	const double scale = ldexp(1.0, -exponent);
	for (size_t t = 0; t < cwt->samples; ++t) {
		own.z_re[t] = wsi_real_at(x, cwt->type, t) * scale;
		offset += own.z_re[t] - own.z_re[0];
	}
	offset = cwt->centred ? own.z_re[0] + offset / (double)cwt->samples : 0.0;
	for (size_t t = 0; t < cwt->samples; ++t)
		own.z_re[t] -= offset;
	wsi_even_line_forward(&plan->line, own.z_re, harmonics, own.rest);
	*factor = ldexp(1.0, exponent);
}

static void
filter_harmonics(const bands_plan *plan, const double *harmonics, const wsi_band *band, double *y)
{
	memset(y, 0, plan->line.harmonics * sizeof *y);
	for (size_t k = band->k0; k < band->k1; ++k)
		y[k] = band->gain[k - band->k0] * harmonics[k];
}

/* Rows of bands, of all channels. */
static size_t
rows_of(const bands_plan *plan)
{
	return plan->family.base.shape.channels * plan->inverse.bands;
}

/* Harmonics of a row; gives what its samples are to be multiplied by. */
static double
take_row(const job *j, size_t row, double *y)
{
	const bands_plan *plan = j->plan;
	const size_t c = row / plan->inverse.bands, b = row % plan->inverse.bands;
	const double *factor = (const double *)(j->lines + c * line_bytes(plan));
	filter_harmonics(plan, factor + WSI_ALIGN / sizeof *factor, &plan->inverse.band[b], y);
	return *factor;
}

static void
put_row(const job *j, size_t row, double factor, const double *z)
{
	const size_t bands = j->plan->inverse.bands;
	put_outputs(j->plan, factor, z,
	            wsi_io_row(j->io, WS_BANDS_BANDS, row / bands, row % bands));
}

/* Two rows, or the last one. */
static void
filter_rows(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const job *j = user;
	const bands_plan *plan = j->plan;
	const size_t row = 2 * item;
	const bool two = row + 1 < rows_of(plan);
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(plan, &arena);
	(void)scratch;
	const double first = take_row(j, row, own.y_re);
	const double second = two ? take_row(j, row + 1, own.y_im) : 0.0;
	wsi_even_line_back(&plan->line, own.y_re, two ? own.y_im : NULL, own.z_re,
	                   two ? own.z_im : NULL, own.rest);
	put_row(j, row, first, own.z_re);
	if (two)
		put_row(j, row + 1, second, own.z_im);
}

/* ---- Power ------------------------------------------------------------------------------- */

/* Frequencies in the order of the plan. */
static void
add_power(const job *j, const void *spectrum, const wsi_band *band, const own_parts *own,
          wsi_cwt_scratch *scratch, void *out)
{
	const wsi_cwt *cwt = j->plan->family.cwt;
	const wsi_inverse *v = &j->plan->inverse;
	const size_t outputs = j->plan->outputs, step = j->plan->o.decimate / cwt->o.decimate;
	const size_t t0 = j->plan->first / cwt->o.decimate, t1 = t0 + (outputs - 1) * step + 1;
	memset(own->sum, 0, outputs * sizeof(double));
	for (size_t i = 0; i < band->count && wsi_cwt_goes_on(scratch); ++i) {
		const wsi_band_member *m = &v->member[band->first + i];
		const size_t f = m->frequency;
		const double weight = m->share * v->energy[f];
		wsi_cwt_one(cwt, spectrum, f, WS_QUANTITY_POWER, false, t0, t1, own->row, scratch);
		for (size_t t = 0; t < outputs; ++t)
			own->sum[t] += weight * wsi_real_at(own->row, cwt->type, t * step);
	}
	for (size_t t = 0; t < outputs; ++t)
		wsi_real_put(out, cwt->type, t, own->sum[t]);
}

static void
work(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const job *j = user;
	const bands_plan *plan = j->plan;
	const size_t c = item / plan->inverse.bands, b = item % plan->inverse.bands;
	wsi_arena arena = { .base = memory };
	const own_parts own = take_own(plan, &arena);
	const char *spectrum = j->spectra + c * wsi_cwt_spectrum_bytes(plan->family.cwt);
	if (plan->o.quantity == WS_QUANTITY_POWER)
		add_power(j, spectrum, &plan->inverse.band[b], &own, scratch,
		          wsi_io_row(j->io, WS_BANDS_POWER, c, b));
	else
		filter_band(j, spectrum, &plan->inverse.band[b], &own,
		            wsi_io_row(j->io, WS_BANDS_BANDS, c, b));
}

static void
put_bands(const bands_plan *plan, const wsi_io *io)
{
	for (size_t b = 0; b < plan->inverse.bands; ++b) {
		const wsi_band *band = &plan->inverse.band[b];
		const double values[] = { band->low, band->high, band->flat_low, band->flat_high,
			band->error };
		const int n = plan->o.quantity == WS_QUANTITY_POWER ? 2 : 5;
		for (int k = 0; k < n; ++k)
			if (wsi_io_wants(io, WS_BANDS_LOW + k))
				((double *)io->arrays[WS_BANDS_LOW + k].data)[b] = values[k];
	}
}

/* Takes all channels, makes the items and stops the threads. */
static ws_status
run_lines(const wsi_cwt_execution *e, job *j)
{
	const bands_plan *plan = j->plan;
	const size_t channels = plan->family.base.shape.channels;
	const wsi_cwt_work take = { .items = channels, .own_bytes = plan->family.own_bytes,
		.item = take_line, .user = j };
	const wsi_cwt_work items = { .items = (rows_of(plan) + 1) / 2,
		.own_bytes = plan->family.own_bytes, .item = filter_rows, .user = j };
	const double share = (double)channels / (double)(channels + items.items);
	ws_status status = WS_OK;
	wsi_progress_step(e->progress, 0.0, share);
	wsi_cwt_items(plan->family.cwt, &take, e->pool, e->progress, e->scratch);
	for (size_t c = 0; c < channels && status == WS_OK && !wsi_cancelled(e->progress); ++c)
		if (isnan(*(const double *)(j->lines + c * line_bytes(plan))))
			status = wsi_cwt_refuse(e, c, plan->family.cwt->samples);
	wsi_progress_step(e->progress, share, 1.0);
	if (status == WS_OK && !wsi_cancelled(e->progress))
		wsi_cwt_items(plan->family.cwt, &items, e->pool, e->progress, e->scratch);
	wsi_pool_stop(e->pool);
	return status;
}

static ws_status
run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const bands_plan *plan = plan_of(base);
	wsi_pool pool;
	put_bands(plan, io);
	if (base->gpu)
		return wsi_gpu_run(base, &plan->family.job, io, progress);
	const wsi_cwt_execution e = wsi_cwt_begin(base, io, progress, workspace, &pool);
	job j = { plan, io, e.spectra, e.shared };
	const wsi_cwt_work items = { .items = base->shape.channels * plan->inverse.bands,
		.own_bytes = plan->family.own_bytes, .item = work, .user = &j };
	return plan->line.n ? run_lines(&e, &j) : wsi_cwt_finish(&e, &items);
}

/* ---- Coefficients in hand ------------------------------------------------------------------ */

/* y += weight Re W */
static void
add_real(const bands_plan *plan, const char *coefficients, const wsi_band_member *m, double *y)
{
	const size_t f = m->frequency;
	const double weight = m->share * plan->inverse.weight[f];
	const wsi_cwt *cwt = plan->family.cwt;
	const char *row = coefficients + 2 * f * cwt->samples * cwt->ops->element;
	for (size_t t = 0; t < cwt->samples; ++t)
		y[t] += weight * wsi_real_at(row, cwt->type, 2 * t);
}

static void
invert_band(const bands_plan *plan, const char *coefficients, const wsi_band *band, double *y,
            const own_parts *own, void *out)
{
	const wsi_cwt *cwt = plan->family.cwt;
	wsi_cwt of_doubles = *cwt;
	of_doubles.type = WS_F64;
	memset(y, 0, cwt->samples * sizeof *y);
	for (size_t i = 0; i < band->count; ++i)
		add_real(plan, coefficients, &plan->inverse.member[band->first + i], y);
	if (plan->line.n) {
		wsi_even_line_forward(&plan->line, y, own->y_re, own->rest);
		for (size_t k = 0; k < plan->line.harmonics; ++k)
			own->y_re[k] /= plan->inverse.divisor[k] * (double)plan->line.period;
		wsi_even_line_back(&plan->line, own->y_re, NULL, own->z_re, NULL, own->rest);
		for (size_t t = 0; t < cwt->samples; ++t)
			wsi_real_put(out, cwt->type, t, own->z_re[t]);
		return;
	}
	wsi_cwt_pad(&of_doubles, y, 0, 0.0, own->y_re, own->y_im);
	wsi_dft_forward(&cwt->dft, own->y_re, own->y_im, own->rest);
	for (size_t k = 0; k < cwt->length; ++k) {
		const bool there = k <= cwt->length / 2;
		const double share = there ? sides(cwt, k) /
			(plan->inverse.divisor[k] * (double)cwt->length) : 0.0;
		own->y_re[k] = there ? own->y_re[k] * share : 0.0;
		own->y_im[k] = there ? own->y_im[k] * share : 0.0;
	}
	wsi_dft_inverse(&cwt->dft, own->y_re, own->y_im, own->z_re, own->z_im, own->rest);
	for (size_t t = 0; t < cwt->samples; ++t)
		wsi_real_put(out, cwt->type, t, own->z_re[t]);
}

static ws_status
inverse(const bands_plan *plan, const char *coefficients, char *x)
{
	const wsi_cwt *cwt = plan->family.cwt;
	if (plan->o.quantity != WS_QUANTITY_SIGNAL || plan->outputs != cwt->samples)
		return WSI_FAIL(WS_E_ARG, "ws_cwt_inverse: the plan must be of signals, every "
		                "sample of them");
	if (plan->o.padding == WS_PADDING_ZERO)
		return WSI_FAIL(WS_E_ARG, "ws_cwt_inverse: coefficients of a signal between zeros "
		                "go on beyond its ends: take another padding");
	wsi_arena size = { 0 };
	wsi_arena_take(&size, cwt->samples * sizeof(double));
	take_own(plan, &size);
	wsi_arena arena = { .base = aligned_alloc(WSI_ALIGN, size.used) };
	if (!arena.base)
		return WSI_FAIL(WS_E_NOMEM, "ws_cwt_inverse: no memory for %zu samples",
		                cwt->length);
	double *y = wsi_arena_take(&arena, cwt->samples * sizeof *y);
	const own_parts own = take_own(plan, &arena);
	for (size_t b = 0; b < plan->inverse.bands; ++b)
		invert_band(plan, coefficients, &plan->inverse.band[b], y, &own,
		            x + b * cwt->samples * cwt->ops->element);
	free(arena.base);
	return WS_OK;
}

ws_status
ws_cwt_inverse(const ws_plan *bands, const void *coefficients, void *x)
{
	if (!bands || !coefficients || !x || bands->transform != &wsi_transform_bands)
		return WSI_FAIL(WS_E_ARG, "ws_cwt_inverse: a plan of \"bands\", coefficients and x "
		                "must be given");
	wsi_call call;
	wsi_call_enter(&call);
	const ws_status status = inverse(plan_of(bands), coefficients, x);
	return wsi_call_leave(&call, status);
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
	.n_arrays = WS_BANDS_ARRAYS, .plan_size = sizeof(bands_plan), .resolve = resolve,
	.extent = extent, .axis_values = axis_values, .every = every_of,
	.measure = measure, .run = run, .fill = fill,
	.empty = empty, .describe = describe, .release = release, .on_gpu = wsi_cwt_gpu_takes,
};
