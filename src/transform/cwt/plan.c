/* plan.c - options resolved, frequencies and the padded length laid out; tables. */
#include "transform/cwt/cwt.h"

#include <math.h>
#include <stdlib.h>

#include "base/cpu_probe.h"
#include "base/element.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "math/quantities.h"
#include "transform/cwt/edge.h"
#include "transform/cwt/far.h"
#include "transform/cwt/ways.h"

#define PI 3.14159265358979323846

/* Where a wavelet ends, in shares of its peak: below what its scale's error may be though slow
 * waves be 10^4 times as strong as the band. */
static double
edge(ws_type type)
{
	return type == WS_F64 ? 1e-19 : 1e-11;
}

/* The share of the peak that a response may have where it is cut, at 0 or at half the sampling
 * rate, as if it were not. */
static double
least_cut(ws_type type)
{
	return type == WS_F64 ? 1e-15 : 3e-8;
}

/* At 0 also of f32, of signals longer than WSI_EDGE_SLOW: by the tail of a cut of 1.5e-8 slow waves
 * of a random walk are heard from beyond the padding, at 1e-6 of a fast row and more.  Beside
 * wavelets that are longer than the signal the padding reaches far enough. */
#define SLOW_CUT 1e-9

/* Padded signals of up to so many samples count half the bin at half the rate always. */
#define SHORT ((size_t)1 << 14)

/* What tails that fall slowly may be, by the response's peak. */
static double
least_tail(ws_type type)
{
	return type == WS_F64 ? 1e-14 : 1e-9;
}

/* While a plan is made. */
typedef struct maker {
	wsi_cwt *cwt;
	const wsi_cwt_reference *reference;
	wsi_wavelet wavelet;    /* of the options; Morlets of other omega0 are made from it */
	wsi_wavelet_facts facts;
	double low, high;       /* its band */
	double unit;            /* its own scale by that of the axis */
	double reach;           /* samples by its scale in samples, as if it were not cut */
	wsi_far far;
} maker;

/* ---- Options --------------------------------------------------------------- */

/* omega0 of ssqueezepy's Morlet wavelet of zero mean. */
#define SSQUEEZEPY_OMEGA0 13.4

#define OR(field) o->field = o->field ? o->field : d->field

/* omega0 beside another width; what the options of a plan have by default passes. */
static ws_status
check_width_once(const ws_cwt_opts *o, const ws_cwt_opts *d)
{
	const bool ssq = o->reference == WS_CWT_REF_SSQUEEZEPY;
	if ((!o->cycles && o->fwhm == 0.0) || o->param[0] == 0.0 ||
	    o->param[0] == (ssq ? SSQUEEZEPY_OMEGA0 : d->param[0]))
		return WS_OK;
	return WSI_FAIL(WS_E_ARG, "`wavelet` has a width already, omega0 %g: leave it or `%s` out",
	                o->param[0], o->cycles ? "cycles" : "fwhm");
}

static ws_status
resolve(maker *m)
{
	ws_cwt_opts *o = &m->cwt->o;
	m->reference = wsi_cwt_reference_row((int)o->reference);
	if (!m->reference)
		return WSI_FAIL(WS_E_ARG, "there is no reference %d", (int)o->reference);
	const ws_cwt_opts *d = &m->reference->o;
	WSI_TRY(check_width_once(o, d));
	if (!o->wavelet || o->wavelet == d->wavelet || m->reference->tap_count) {
		OR(param[0]);
		OR(param[1]);
	}
	OR(wavelet);
	OR(norm);
	OR(padding);
	OR(voices);
	o->quantity = o->quantity ? o->quantity : WS_QUANTITY_COMPLEX;
	o->freqs.spacing = o->freqs.spacing ? o->freqs.spacing : WS_SPACING_LOG;
	o->decimate = o->decimate ? o->decimate : 1;
	if (o->octave_arrays != 0 && o->octave_arrays != 1)
		return WSI_FAIL(WS_E_ARG, "`octave_arrays` must be 0 or 1 (an array for each "
		                "octave), not %d", o->octave_arrays);
	if (o->reference == WS_CWT_REF_SSQUEEZEPY && o->wavelet == WS_WAVELET_MORLET_ZERO_MEAN &&
	    !o->param[0])
		o->param[0] = SSQUEEZEPY_OMEGA0;
	if (m->reference->tap_count && o->wavelet > WS_WAVELET_MORLET_ZERO_MEAN)
		return WSI_FAIL(WS_E_ARG, "the reference %s has Morlet wavelets only: leave the "
		                "wavelet out", wsi_cwt_reference_name(o->reference));
	if (o->norm < WS_NORM_L1 || o->norm > WS_NORM_TC)
		return WSI_FAIL(WS_E_ARG, "there is no norm %d", (int)o->norm);
	if (o->padding < WS_PADDING_REFLECT || o->padding > WS_PADDING_PERIODIC)
		return WSI_FAIL(WS_E_ARG, "there is no padding %d", (int)o->padding);
	if ((int)o->significance < 0 || o->significance > WS_SIGNIFICANCE_AR1)
		return WSI_FAIL(WS_E_ARG, "there is no noise %d", (int)o->significance);
	if (quantity_array(o->quantity) < 0 && o->quantity != WS_QUANTITY_SIGNAL)
		return WSI_FAIL(WS_E_ARG, "there is no quantity %d", (int)o->quantity);
	if (o->freqs.spacing < WS_SPACING_LOG || o->freqs.spacing > WS_SPACING_LINEAR)
		return WSI_FAIL(WS_E_ARG, "there is no spacing %d", (int)o->freqs.spacing);
	o->level = o->level != 0.0 ? o->level : o->significance ? 0.95 : 0.0;
	if (o->significance && !(o->level > 0.0 && o->level < 1.0))
		return WSI_FAIL(WS_E_ARG, "the level of significance must be between 0 and 1, such "
		                "as 0.95, not %g", o->level);
	if (o->significance && !(o->lag1 > -1.0 && o->lag1 < 1.0))
		return WSI_FAIL(WS_E_ARG, "the noise's correlation at lag 1 must be above -1 and "
		                "below 1, not %g", o->lag1);
	if (o->lag1 != 0.0 && o->significance != WS_SIGNIFICANCE_AR1)
		return WSI_FAIL(WS_E_ARG, "`lag1` is of `significance ar1`: leave it 0");
	if (!o->baseline && (o->baseline_from != 0.0 || o->baseline_to != 0.0))
		return WSI_FAIL(WS_E_ARG, "`baseline_from` and `baseline_to` need `baseline`, how "
		                "powers are compared");
	if (o->decimate > m->cwt->samples)
		return WSI_FAIL(WS_E_ARG, "every %zu-th of %zu samples is none but the first: "
		                "decimate by less", o->decimate, m->cwt->samples);
	return WS_OK;
}

static bool
is_morlet(ws_wavelet kind)
{
	return kind <= WS_WAVELET_MORLET_ZERO_MEAN;
}

/* Named references have the padding and the bins of their codes. */
static bool
is_ours(const maker *m)
{
	return m->cwt->o.reference == WS_CWT_REF_NONE;
}

static ws_status
check_width(const ws_cwt_opts *o)
{
	if (!o->cycles && o->fwhm == 0.0)
		return WS_OK;
	if (!is_morlet(o->wavelet))
		return WSI_FAIL(WS_E_ARG,
		                "cycles and width at half maximum are of Morlet wavelets");
	if (o->cycles && o->fwhm != 0.0)
		return WSI_FAIL(WS_E_ARG, "give cycles or a width at half maximum, not both");
	if (o->cycles && !o->cycle_count)
		return WSI_FAIL(WS_E_ARG, "the list of cycles is empty");
	if (!o->cycles && !(o->fwhm > 0.0 && isfinite(o->fwhm)))
		return WSI_FAIL(WS_E_ARG, "the width at half maximum must be above 0 s, not %g",
		                o->fwhm);
	return WS_OK;
}

/* The wavelet of the options, before any width of a frequency's own. */
static ws_status
make_wavelet(maker *m)
{
	const ws_cwt_opts *o = &m->cwt->o;
	double param[2] = { o->param[0], o->param[1] };
	m->unit = 1.0;
	if (o->reference == WS_CWT_REF_FCWT) {
		m->unit = param[0];
		param[0] = 2.0 * PI * param[0];
		param[1] = 0.0;
	} else if (o->reference == WS_CWT_REF_PYWT) {
		m->unit = sqrt(0.5 * param[0]);
		param[0] = 2.0 * PI * param[1] * m->unit;
		param[1] = 0.0;
	} else if (o->cycles) {
		param[0] = o->cycles[0] * wsi_cwt_cycle(m->reference);
	}
	WSI_TRY(wsi_wavelet_make(&m->wavelet, o->wavelet, param));
	m->facts = wsi_wavelet_facts_of(&m->wavelet);
	wsi_wavelet_band(&m->wavelet, edge(m->cwt->type), &m->low, &m->high);
	if (is_ours(m) && !is_morlet(o->wavelet))
		m->reach = wsi_wavelet_reach(&m->wavelet, least_tail(m->cwt->type));
	return WS_OK;
}

/* w whose scale is 1: the peak, or that of the Fourier period. */
static double
centre_of(const maker *m, const wsi_wavelet *v, const wsi_wavelet_facts *facts)
{
	return m->reference->fourier ? facts->fourier : v->peak;
}

static ws_status
make_axis(maker *m, double **frequency)
{
	wsi_cwt *cwt = m->cwt;
	const double centre = centre_of(m, &m->wavelet, &m->facts) / m->unit;
	const double longest = (double)cwt->samples / cwt->fs / (2.0 * m->facts.cone * m->unit);
	double low, high;
	wsi_wavelet_band(&m->wavelet, 0.1, &low, &high);
	const double f_max = cwt->o.freqs.high != 0.0 ? cwt->o.freqs.high :
		0.5 * cwt->fs * centre * m->unit / high;
	double f_min = cwt->o.freqs.low;
	if (f_min == 0.0) {
		f_min = centre / (2.0 * PI * longest);
		f_min = f_min < f_max ? f_min : f_max;
	}
	WSI_TRY(wsi_cwt_axis(&cwt->o, centre, f_min, f_max, cwt->fs, frequency, &cwt->count));
	if (cwt->o.cycles && cwt->o.cycle_count != 1 && cwt->o.cycle_count != cwt->count) {
		free(*frequency);
		return WSI_FAIL(WS_E_ARG, "%zu numbers of cycles for %zu frequencies: give one, or "
		                "one for each", cwt->o.cycle_count, cwt->count);
	}
	return WS_OK;
}

/* ---- Scales ------------------------------------------------------------------- */

/* Where is a response cut: at 0, at half the sampling rate?  low: the share that is none at 0. */
static void
find_cuts(const maker *m, double low, wsi_cwt_scale *scale)
{
	const wsi_cwt *cwt = m->cwt;
	const wsi_wavelet *v = &scale->response.wavelet;
	const double w = PI * scale->scale * m->unit * cwt->fs;
	const double most = least_cut(cwt->type);
	scale->cut_low = v->kind == WS_WAVELET_MORLET && exponential(-0.5 * v->a * v->a) > low;
	scale->cut_high = fabs(wavelet_shape(v, w)) > most ||
		(wavelet_two_sided(v) && fabs(wavelet_shape(v, -w)) > most);
	scale->far = scale->reach > m->far.reach || scale->cut_low || scale->cut_high;
}

/* A scale as far as the padded length does not matter. */
static ws_status
make_scale(const maker *m, size_t i, double frequency, wsi_cwt_scale *scale)
{
	const wsi_cwt *cwt = m->cwt;
	wsi_wavelet v = m->wavelet;
	double omega0 = v.a;
	if (cwt->o.cycles)
		omega0 = cwt->o.cycles[cwt->o.cycle_count == 1 ? 0 : i] *
			wsi_cwt_cycle(m->reference);
	else if (cwt->o.fwhm != 0.0) /* the envelope's deviation is fwhm / sqrt(8 ln 2) */
		omega0 = 2.0 * PI * frequency * cwt->o.fwhm / 2.35482004503094938202;
	double centre = centre_of(m, &v, &m->facts);
	double low = m->low, high = m->high;
	if (omega0 != v.a) {
		WSI_TRY(wsi_wavelet_make(&v, v.kind, (double[2]){ omega0 }));
		centre = m->reference->fourier ? 0.5 * (omega0 + sqrt(2.0 + omega0 * omega0))
			: v.peak;
		wsi_wavelet_band(&v, edge(cwt->type), &low, &high);
	}
	*scale = (wsi_cwt_scale){
		.frequency = frequency,
		.scale = centre / m->unit / (2.0 * PI * frequency),
		.omega0 = is_morlet(v.kind) ? omega0 : 0.0,
		.response = { .wavelet = v, .quarters = wavelet_quarters(&v) },
	};
	const double own = m->unit * scale->scale;
	const wsi_wavelet_facts facts = is_morlet(v.kind) ? wsi_wavelet_facts_of(&v) : m->facts;
	scale->cone = facts.cone * own;
	scale->width_time = facts.width_time * own;
	scale->width_frequency = facts.width_frequency / (2.0 * PI * own);
	/* A Gaussian reaches as far in time as in w; others are taken for endless. */
	const double samples = scale->scale * m->unit * cwt->fs;
	scale->low = low;
	scale->high = high;
	scale->reach = is_morlet(v.kind) ? samples * (high - v.a)
		: is_ours(m) ? samples * m->reach : (double)cwt->samples;
	if (m->reference->tap_count)
		scale->reach = (double)m->reference->tap_count(cwt, scale);
	if (cwt->o.quantity == WS_QUANTITY_SIGNAL)
		scale->reach = 0.0;
	return WS_OK;
}

static void
find_all_cuts(const maker *m)
{
	const wsi_cwt *cwt = m->cwt;
	if (!is_ours(m) || cwt->o.quantity == WS_QUANTITY_SIGNAL ||
	    cwt->o.padding == WS_PADDING_PERIODIC)
		return;
	bool slow = cwt->samples > WSI_EDGE_SLOW;
	for (size_t i = 0; i < cwt->count; ++i)
		slow = slow && cwt->scale[i].reach <= m->far.reach;
	const double most = least_cut(cwt->type);
	for (size_t i = 0; i < cwt->count; ++i)
		find_cuts(m, slow ? fmin(most, SLOW_CUT) : most, &cwt->scale[i]);
}

/* The band in bins, the gain. */
static void
finish_scale(const maker *m, wsi_cwt_scale *scale)
{
	const wsi_cwt *cwt = m->cwt;
	const ws_cwt_opts *o = &cwt->o;
	wsi_cwt_response *f = &scale->response;
	const double n = (double)cwt->length, s = scale->scale * m->unit * cwt->fs;
	const bool at_zero = cwt->edge && cwt->edge->at_zero;
	const bool at_half = cwt->edge && cwt->edge->at_half;
	const double high = scale->high, low = at_zero ? 2.0 * f->wavelet.a - high : scale->low;
	f->step = 2.0 * PI * s / n;
	f->whole = at_zero;
	const int64_t half = (int64_t)cwt->length / 2, odd = (int64_t)cwt->length % 2;
	int64_t first = wavelet_two_sided(&f->wavelet) ? -half : 1, end = half + 1;
	if (m->reference->nyquist_negative && !odd)
		end = half;
	else if (wavelet_two_sided(&f->wavelet) && !odd && !is_ours(m))
		++first;
	if (m->reference->unfolded) {
		/* Its formula has bin 0 too, where Morlet's has not fallen to nothing. */
		first = 0;
		end = (int64_t)cwt->length;
		if (f->wavelet.kind == WS_WAVELET_MORLET)
			f->wavelet.kind = WS_WAVELET_MORLET_FULL;
	}
	if (m->reference->two_bands) {
		const double limit = 2.0 * n * scale->frequency / cwt->fs;
		end = (double)half < limit ? half : (int64_t)ceil(limit);
	}
	first = at_zero ? -(int64_t)cwt->edge->out : first - (first < 0 ? (int64_t)cwt->above : 0);
	end += (int64_t)cwt->above;
	const double from = floor(low / f->step), to = ceil(high / f->step) + 1.0;
	f->k0 = from > (double)first ? (int64_t)from : first;
	f->k1 = to < (double)end ? (int64_t)to : end;
	/* A wavelet whose band lies between two bins still has one. */
	f->k0 = f->k0 < end ? f->k0 : end - 1;
	f->k1 = f->k1 > f->k0 ? f->k1 : f->k0 + 1;
	f->halve_nyquist = m->reference->halve_nyquist && !odd;
	/* Half of it belongs to either side. */
	if (is_ours(m) && !odd && !at_half && (f->k1 > half || f->k0 <= -half))
		f->halve_nyquist = cwt->length <= SHORT ||
			fabs(wavelet_shape(&f->wavelet, f->step * (double)half)) +
			fabs(wavelet_shape(&f->wavelet, -f->step * (double)half)) >
			least_tail(cwt->type);
	const double energy = f->wavelet.a == m->wavelet.a ? m->facts.energy :
		wsi_wavelet_facts_of(&f->wavelet).energy;
	const double unit = sqrt(2.0 * PI / energy), quarter = sqrt(sqrt(PI));
	const double size = o->norm == WS_NORM_L2 ? sqrt(s / cwt->fs) : sqrt(s);
	if (m->reference->gain == WSI_GAIN_DENG) {
		f->gain = sqrt(2.0 * PI * s / n) / quarter;
	} else if (m->reference->gain == WSI_GAIN_FCWT) {
		f->gain = sqrt(2.0 * PI) / quarter;
	} else if (m->reference->gain == WSI_GAIN_SSQUEEZEPY) {
		const double a = f->wavelet.a;
		const double c = 1.0 + exponential(-a * a) - 2.0 * exponential(-0.75 * a * a);
		f->gain = f->wavelet.kind == WS_WAVELET_MORSE ? 2.0 :
			sqrt(2.0) * quarter / sqrt(c) * f->wavelet.at_peak;
		f->gain *= sqrt(wsi_cwt_norm_power(o->norm, s));
	} else if (o->norm == WS_NORM_L1) {
		f->gain = f->wavelet.kind == WS_WAVELET_DOG ? 1.0 : 2.0;
	} else {
		f->gain = unit * size;
	}
	f->gain /= n;
	if (scale->far) {
		f->halve_nyquist = false;
		wsi_far_lay_out(cwt->far, cwt->length, scale);
	}
	scale->centre = f->k0 + (f->k1 - f->k0) / 2;
}

/* How many taps there are; fill() makes them. */
static ws_status
lay_out_taps(maker *m)
{
	wsi_cwt *cwt = m->cwt;
	for (size_t i = 0; i < cwt->count; ++i) {
		wsi_cwt_scale *scale = &cwt->scale[i];
		scale->tap_count = m->reference->tap_count(cwt, scale);
		if (scale->tap_count > (m->reference->refuses_long ? cwt->samples : cwt->length))
			return WSI_FAIL(WS_E_ARG, "at %g Hz the wavelet of the reference %s is "
			                "longer than the signal: leave such frequencies out",
			                scale->frequency, wsi_cwt_reference_name(cwt->o.reference));
	}
	return WS_OK;
}

static ws_status
make_taps(wsi_cwt *cwt, wsi_progress *progress)
{
	const wsi_cwt_reference *reference = wsi_cwt_reference_row((int)cwt->o.reference);
	size_t total = 0;
	for (size_t i = 0; i < cwt->count; ++i)
		total += 2 * cwt->scale[i].tap_count;
	if (total == 0 || cwt->tap_store)
		return WS_OK;
	double *taps = cwt->tap_store = malloc(total * sizeof *taps);
	if (!taps)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu taps", total);
	for (size_t i = 0; i < cwt->count; ++i) {
		wsi_cwt_scale *scale = &cwt->scale[i];
		if (!wsi_goes_on(progress, 0))
			return WSI_FAIL(WS_E_CANCELLED, "cancelled");
		scale->taps = taps;
		scale->tap_zero = reference->make_taps(cwt, scale, scale->tap_count, taps,
		                                       taps + scale->tap_count);
		taps += 2 * scale->tap_count;
	}
	return WS_OK;
}

/* ---- Length ---------------------------------------------------------------------- */

static size_t
power_of_two(size_t n)
{
	size_t p = 1;
	while (p < n)
		p *= 2;
	return p;
}

static size_t
choose_length(const maker *m, double reach, double edge)
{
	const wsi_cwt *cwt = m->cwt;
	const size_t n = cwt->samples, d = cwt->o.decimate;
	switch (m->reference->length) {
	case WSI_LENGTH_POWER:
		return power_of_two(n);
	case WSI_LENGTH_SSQUEEZEPY: {
		const double octaves = wavelet_log((double)n) / 0.69314718055994530942;
		return (size_t)1 << (1 + (int)rint(octaves));
	}
	case WSI_LENGTH_EXACT:
		return n;
	default:
		break;
	}
	if (cwt->o.padding == WS_PADDING_PERIODIC)
		return n;
	/* Two mirror images need the wavelet's reach each, and half of it to fade into each other;
	 * from a gap of n - 2 on they are one (of references; others go on). */
	const double whole = fmax(edge, cwt->o.padding == WS_PADDING_ZERO ? reach : 2.5 * reach);
	size_t most = cwt->o.padding == WS_PADDING_ZERO || n < 2 ? n : n - 2;
	if (is_ours(m) || (m->reference->tap_count && cwt->o.padding == WS_PADDING_ZERO))
		most = SIZE_MAX;
	const size_t gap = whole < (double)most ? (size_t)ceil(whole) : most;
	/* Grids of up to 16 outputs a point, but no more than an eighth is added for that. */
	const size_t least = (n + gap + d - 1) / d;
	size_t multiple = WSI_FFT_ACROSS * WSI_FFT_ACROSS;
	for (int i = 0; i < 4 && 16 * multiple <= least; ++i)
		multiple *= 2;
	return d * wsi_fft_length(least, multiple);
}

/* ---- Plans -------------------------------------------------------------------------- */

/* Edges instead of tables, where responses are cut and no wavelet is too long; chooses the padded
 * length then.  *done: it is so. */
static ws_status
make_edge(maker *m, bool *done)
{
	wsi_cwt *cwt = m->cwt;
	wsi_cwt_edge *edge;
	double all = 0.0, near = 0.0;
	bool low = false, high = false;
	*done = false;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_scale *scale = &cwt->scale[i];
		if (scale->reach > m->far.reach)
			return WS_OK;
		low = low || scale->cut_low;
		high = high || scale->cut_high;
		all = fmax(all, scale->reach);
		/* Others hear nothing of the bins that are made. */
		if (scale->high > 0.75 * PI * scale->scale * m->unit * cwt->fs)
			near = fmax(near, scale->reach);
	}
	if (!(low || high))
		return WS_OK;
	const double reach = low ? all : near;
	const ws_padding padding = cwt->o.padding;
	/* Where a length that is fast has room enough by itself, it is that. */
	size_t length = choose_length(m, all, 0.0);
	WSI_TRY(wsi_edge_lay_out(&edge, cwt->wide, cwt->samples, length, padding, cwt->type,
	                         reach));
	if (!edge) {
		length = choose_length(m, all, wsi_edge_gap(cwt->samples, padding, cwt->type,
		                                            reach));
		WSI_TRY(wsi_edge_lay_out(&edge, cwt->wide, cwt->samples, length, padding,
		                         cwt->type, reach));
	}
	if (!edge)
		return WS_OK;
	edge->at_zero = low;
	edge->at_half = high;
	cwt->edge = edge;
	cwt->length = length;
	cwt->below = low ? (edge->out + WSI_FFT_ACROSS - 1) / WSI_FFT_ACROSS * WSI_FFT_ACROSS : 0;
	cwt->above = high ? edge->out : 0;
	for (size_t i = 0; i < cwt->count; ++i)
		cwt->scale[i].far = false;
	*done = true;
	return WS_OK;
}

/* The padded length, and tables where responses need them. */
static ws_status
make_length(maker *m)
{
	wsi_cwt *cwt = m->cwt;
	double reach = 0.0;
	bool far = false, done;
	WSI_TRY(make_edge(m, &done));
	if (done)
		return WS_OK;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_scale *scale = &cwt->scale[i];
		reach = fmax(reach, scale->far ? m->far.reach : scale->reach);
		far = far || scale->far;
	}
	cwt->length = choose_length(m, reach, 0.0);
	if (far) {
		cwt->far = malloc(sizeof *cwt->far);
		if (!cwt->far)
			return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
		*cwt->far = m->far;
		wsi_far_prepare(cwt->far);
	}
	return WS_OK;
}

static ws_status
make_scales(maker *m)
{
	wsi_cwt *cwt = m->cwt;
	double *frequency;
	WSI_TRY(make_axis(m, &frequency));
	cwt->scale = calloc(cwt->count, sizeof *cwt->scale);
	ws_status status = cwt->scale ? WS_OK :
		WSI_FAIL(WS_E_NOMEM, "no memory for %zu scales", cwt->count);
	for (size_t i = 0; status == WS_OK && i < cwt->count; ++i) {
		status = make_scale(m, i, frequency[i], &cwt->scale[i]);
		cwt->scale[i].decimate = cwt->scale[i].step = cwt->o.decimate;
	}
	free(frequency);
	WSI_TRY(status);
	find_all_cuts(m);
	WSI_TRY(make_length(m));
	if (cwt->o.octave_arrays)
		WSI_TRY(wsi_cwt_make_octaves(cwt, m->unit));
	for (size_t i = 0; i < cwt->count; ++i)
		finish_scale(m, &cwt->scale[i]);
	if (cwt->o.quantity == WS_QUANTITY_SIGNAL)
		return WS_OK;
	if (m->reference->tap_count)
		WSI_TRY(lay_out_taps(m));
	WSI_TRY(wsi_dft_create(&cwt->dft, cwt->wide, cwt->length));
	return wsi_cwt_choose_ways(cwt);
}

static ws_status
make(maker *m, size_t samples, double fs)
{
	wsi_cwt *cwt = m->cwt;
	if (samples < 1 || samples > WSI_MOST_SAMPLES)
		return WSI_FAIL(WS_E_ARG, "samples must be 1 to %zu, not %zu", WSI_MOST_SAMPLES,
		                samples);
	if (!(fs > 0.0) || !isfinite(fs))
		return WSI_FAIL(WS_E_ARG, "the sampling rate must be above 0 Hz, not %g", fs);
	if (!cwt->ops || !cwt->wide)
		return WSI_FAIL(WS_E_ARG, "this machine has no such instruction set");
	WSI_TRY(resolve(m));
	WSI_TRY(check_width(&cwt->o));
	cwt->outputs = wsi_cwt_every(samples, cwt->o.decimate);
	cwt->steps = m->reference->length != WSI_LENGTH_OURS;
	m->far = wsi_far_of(samples, cwt->o.padding, cwt->type);
	WSI_TRY(make_wavelet(m));
	cwt->centred = cwt->o.padding != WS_PADDING_ZERO && !m->reference->tap_count &&
	               wavelet_shape(&m->wavelet, 0.0) == 0.0 && !m->reference->unfolded;
	return make_scales(m);
}

ws_status
wsi_cwt_lay_out(wsi_cwt **out, size_t samples, double fs, ws_type type, const ws_cwt_opts *opts,
                const char *isa)
{
	*out = NULL;
	wsi_cwt *cwt = calloc(1, sizeof *cwt);
	if (!cwt)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	const char *name = isa ? isa : wsi_cpu_isa(0);
	*cwt = (wsi_cwt){ .samples = samples, .fs = fs, .type = type,
		.ops = wsi_ops_find(name, type), .wide = wsi_ops_find(name, WS_F64) };
	if (opts)
		cwt->o = *opts;
	cwt->o.size = sizeof cwt->o;
	cwt->o.tag = WS_TAG_CWT;
	maker m = { .cwt = cwt };
	wsi_fpenv before;
	wsi_fpenv_enter(&before);
	const ws_status status = make(&m, samples, fs);
	wsi_fpenv_leave(&before);
	if (status != WS_OK) {
		wsi_cwt_destroy(cwt);
		return status;
	}
	cwt->o.frequencies = cwt->o.scales = cwt->o.cycles = NULL;
	*out = cwt;
	return WS_OK;
}

static ws_status
fill_far(wsi_cwt *cwt, wsi_progress *progress)
{
	wsi_far_kept kept[2] = { 0 };
	ws_status status = WS_OK;
	for (size_t i = 0; status == WS_OK && i < cwt->count; ++i) {
		if (!cwt->scale[i].far || cwt->scale[i].response.table)
			continue;
		status = wsi_goes_on(progress, 0)
			? wsi_far_fill(cwt->far, cwt->wide, cwt->length, &cwt->scale[i], kept)
			: WSI_FAIL(WS_E_CANCELLED, "cancelled");
	}
	free(kept[0].values);
	free(kept[1].values);
	return status;
}

static ws_status
fill(wsi_cwt *cwt, wsi_progress *progress)
{
	WSI_TRY(wsi_dft_fill(&cwt->dft, progress));
	WSI_TRY(make_taps(cwt, progress));
	WSI_TRY(wsi_cwt_fill_grids(cwt, progress));
	if (cwt->edge)
		WSI_TRY(wsi_edge_fill(cwt->edge, progress));
	return cwt->far ? fill_far(cwt, progress) : WS_OK;
}

ws_status
wsi_cwt_fill(wsi_cwt *cwt, wsi_progress *progress)
{
	const ws_status status = fill(cwt, progress);
	if (status != WS_OK)
		wsi_cwt_empty(cwt);
	return status;
}

size_t
wsi_cwt_tables(const wsi_cwt *cwt, size_t *making)
{
	size_t bytes = wsi_dft_tables(&cwt->dft, making) + wsi_cwt_grid_tables(cwt);
	for (size_t i = 0; i < cwt->count; ++i)
		bytes += 2 * cwt->scale[i].tap_count * sizeof(double);
	for (size_t i = 0; i < cwt->count; ++i) {
		size_t most;
		if (!cwt->scale[i].far)
			continue;
		bytes += wsi_far_tables(cwt->far, cwt->length, &cwt->scale[i], &most);
		*making = most > *making ? most : *making;
	}
	if (cwt->edge) {
		size_t most;
		bytes += wsi_edge_tables(cwt->edge, &most);
		*making = most > *making ? most : *making;
	}
	return bytes;
}

void
wsi_cwt_empty(wsi_cwt *cwt)
{
	wsi_cwt_empty_grids(cwt);
	wsi_dft_empty(&cwt->dft);
	if (cwt->edge)
		wsi_edge_empty(cwt->edge);
	for (size_t i = 0; cwt->scale && i < cwt->count; ++i) {
		free((void *)cwt->scale[i].response.table);
		cwt->scale[i].response.table = NULL;
		cwt->scale[i].taps = NULL;
	}
	free(cwt->tap_store);
	cwt->tap_store = NULL;
}

ws_status
wsi_cwt_create(wsi_cwt **out, size_t samples, double fs, ws_type type, const ws_cwt_opts *opts,
               const char *isa)
{
	WSI_TRY(wsi_cwt_lay_out(out, samples, fs, type, opts, isa));
	wsi_fpenv before;
	wsi_fpenv_enter(&before);
	const ws_status status = wsi_cwt_fill(*out, NULL);
	wsi_fpenv_leave(&before);
	if (status != WS_OK) {
		wsi_cwt_destroy(*out);
		*out = NULL;
	}
	return status;
}

void
wsi_cwt_destroy(wsi_cwt *cwt)
{
	if (!cwt)
		return;
	wsi_cwt_empty(cwt);
	wsi_cwt_free_grids(cwt);
	wsi_dft_destroy(&cwt->dft);
	free(cwt->far);
	wsi_edge_destroy(cwt->edge);
	free(cwt->scale);
	free(cwt);
}
