/* plan.c - a plan of frequencies: their wavelets and scales, and the padded length. */
#include "transform/cwt/cwt.h"

#include <math.h>
#include <stdlib.h>

#include "base/cpu_probe.h"
#include "base/element.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "transform/cwt/edge.h"
#include "transform/cwt/far.h"
#include "transform/cwt/ways.h"

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

/* ---- The wavelet --------------------------------------------------------------------------- */

/* Named references have the padding and the bins of their codes. */
static bool
is_ours(const maker *m)
{
	return m->cwt->o.reference == WS_CWT_REF_NONE;
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
		param[0] = 2.0 * WSI_PI * param[0];
		param[1] = 0.0;
	} else if (o->reference == WS_CWT_REF_PYWT) {
		m->unit = sqrt(0.5 * param[0]);
		param[0] = 2.0 * WSI_PI * param[1] * m->unit;
		param[1] = 0.0;
	} else if (o->cycles) {
		param[0] = o->cycles[0] * wsi_cwt_cycle(m->reference);
	}
	WSI_TRY(wsi_wavelet_make(&m->wavelet, o->wavelet, param));
	m->facts = wsi_wavelet_facts_of(&m->wavelet);
	wsi_wavelet_band(&m->wavelet, edge(m->cwt->type), &m->low, &m->high);
	if (is_ours(m) && !wsi_cwt_is_morlet(o->wavelet))
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
		f_min = centre / (2.0 * WSI_PI * longest);
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
	const double w = WSI_PI * scale->scale * m->unit * cwt->fs;
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
		omega0 = 2.0 * WSI_PI * frequency * cwt->o.fwhm / 2.35482004503094938202;
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
		.scale = centre / m->unit / (2.0 * WSI_PI * frequency),
		.omega0 = wsi_cwt_is_morlet(v.kind) ? omega0 : 0.0,
		.response = { .wavelet = v, .quarters = wavelet_quarters(&v) },
	};
	const double own = m->unit * scale->scale;
	const wsi_wavelet_facts facts = wsi_cwt_is_morlet(v.kind)
	        ? wsi_wavelet_facts_of(&v) : m->facts;
	scale->cone = facts.cone * own;
	scale->width_time = facts.width_time * own;
	scale->width_frequency = facts.width_frequency / (2.0 * WSI_PI * own);
	/* A Gaussian reaches as far in time as in w; others are taken for endless. */
	const double samples = scale->scale * m->unit * cwt->fs;
	scale->low = low;
	scale->high = high;
	scale->reach = wsi_cwt_is_morlet(v.kind) ? samples * (high - v.a)
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

/* The band in bins, and how far half the sampling rate is in it. */
static void
find_band(const maker *m, wsi_cwt_scale *scale)
{
	const wsi_cwt *cwt = m->cwt;
	wsi_cwt_response *f = &scale->response;
	const double n = (double)cwt->length, s = scale->scale * m->unit * cwt->fs;
	const bool at_zero = cwt->edge && cwt->edge->at_zero;
	const bool at_half = cwt->edge && cwt->edge->at_half;
	const double high = scale->high, low = at_zero ? 2.0 * f->wavelet.a - high : scale->low;
	f->step = 2.0 * WSI_PI * s / n;
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
}

/* What a response is multiplied by: the norm, or what a reference has in its place. */
static double
gain_of(const maker *m, const wsi_cwt_scale *scale)
{
	const wsi_wavelet *v = &scale->response.wavelet;
	const ws_cwt_norm norm = m->cwt->o.norm;
	const double n = (double)m->cwt->length, fs = m->cwt->fs;
	const double s = scale->scale * m->unit * fs, quarter = sqrt(sqrt(WSI_PI));
	if (m->reference->gain == WSI_GAIN_DENG)
		return sqrt(2.0 * WSI_PI * s / n) / quarter / n;
	if (m->reference->gain == WSI_GAIN_FCWT)
		return sqrt(2.0 * WSI_PI) / quarter / n;
	if (m->reference->gain == WSI_GAIN_SSQUEEZEPY) {
		const double a = v->a;
		const double c = 1.0 + exponential(-a * a) - 2.0 * exponential(-0.75 * a * a);
		const double gain = v->kind == WS_WAVELET_MORSE ? 2.0 :
			sqrt(2.0) * quarter / sqrt(c) * v->at_peak;
		return gain * sqrt(wsi_cwt_norm_power(norm, s)) / n;
	}
	if (norm == WS_NORM_L1)
		return (v->kind == WS_WAVELET_DOG ? 1.0 : 2.0) / n;
	const double energy = v->a == m->wavelet.a ? m->facts.energy
	                                           : wsi_wavelet_facts_of(v).energy;
	return sqrt(2.0 * WSI_PI / energy) * (norm == WS_NORM_L2 ? sqrt(s / fs) : sqrt(s)) / n;
}

/* What depends on the padded length. */
static void
finish_scale(const maker *m, wsi_cwt_scale *scale)
{
	const wsi_cwt *cwt = m->cwt;
	wsi_cwt_response *f = &scale->response;
	find_band(m, scale);
	f->gain = gain_of(m, scale);
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
		const double octaves = wavelet_log((double)n) / WSI_LN_2;
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
		if (scale->high > 0.75 * WSI_PI * scale->scale * m->unit * cwt->fs)
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

/* Bins below 0, and beyond half the rate, that spectra have, of bands that begin or end a little
 * further. */
static void
mirror_bins(wsi_cwt *cwt)
{
	const int64_t most = (int64_t)(cwt->length / 16), last = (int64_t)(cwt->length / 2);
	int64_t below = 0, above = 0;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_response *f = &cwt->scale[i].response;
		const int64_t before = -f->k0, beyond = f->k1 - 1 - last;
		below = before > below && before <= most ? before : below;
		above = beyond > above && beyond <= most ? beyond : above;
	}
	cwt->below = ((size_t)below + WSI_FFT_ACROSS - 1) / WSI_FFT_ACROSS * WSI_FFT_ACROSS;
	cwt->above = (size_t)above;
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
	else if (!cwt->edge)
		mirror_bins(cwt);
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
	WSI_TRY(wsi_cwt_resolve(&cwt->o, samples));
	m->reference = wsi_cwt_reference_row((int)cwt->o.reference);
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
