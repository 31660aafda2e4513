/* layout.c - frequencies whose spectra have one padded length: where their responses are cut, their
 * bands and gains, and a way for each. */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "transform/cwt/edge.h"
#include "transform/cwt/maker.h"
#include "transform/cwt/ways.h"

/* ---- Cuts ------------------------------------------------------------------------------------ */

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

/* Where is a response cut: at 0, at half the sampling rate?  low: the share that is none at 0. */
static void
find_cuts(const wsi_cwt_maker *m, double low, wsi_cwt_scale *scale)
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

static void
find_all_cuts(const wsi_cwt_maker *m)
{
	const wsi_cwt *cwt = m->cwt;
	if (!wsi_cwt_is_ours(m) || cwt->o.quantity == WS_QUANTITY_SIGNAL ||
	    cwt->o.padding == WS_PADDING_PERIODIC)
		return;
	bool slow = cwt->samples > WSI_EDGE_SLOW;
	for (size_t i = 0; i < cwt->count; ++i)
		if (cwt->scale[i].of == cwt)
			slow = slow && cwt->scale[i].reach <= m->far.reach;
	const double most = least_cut(cwt->type);
	for (size_t i = 0; i < cwt->count; ++i)
		if (cwt->scale[i].of == cwt)
			find_cuts(m, slow ? fmin(most, SLOW_CUT) : most, &cwt->scale[i]);
}

/* ---- Bands ----------------------------------------------------------------------------------- */

/* The band in bins, and how far half the sampling rate is in it. */
static void
find_band(const wsi_cwt_maker *m, wsi_cwt_scale *scale)
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
	else if (wavelet_two_sided(&f->wavelet) && !odd && !wsi_cwt_is_ours(m))
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
	if (wsi_cwt_is_ours(m) && !odd && !at_half && (f->k1 > half || f->k0 <= -half))
		f->halve_nyquist = cwt->length <= SHORT ||
			fabs(wavelet_shape(&f->wavelet, f->step * (double)half)) +
			fabs(wavelet_shape(&f->wavelet, -f->step * (double)half)) >
			wsi_cwt_least_tail(cwt->type);
}

/* What a response is multiplied by: the norm, or what a reference has in its place. */
static double
gain_of(const wsi_cwt_maker *m, const wsi_cwt_scale *scale)
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
finish_scale(const wsi_cwt_maker *m, wsi_cwt_scale *scale)
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
lay_out_taps(wsi_cwt_maker *m)
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

/* ---- All ------------------------------------------------------------------------------------- */

ws_status
wsi_cwt_lay_out_own(wsi_cwt_maker *m)
{
	wsi_cwt *cwt = m->cwt;
	find_all_cuts(m);
	WSI_TRY(wsi_cwt_make_length(m));
	if (cwt->o.octave_arrays)
		WSI_TRY(wsi_cwt_make_octaves(cwt, m->unit));
	for (size_t i = 0; i < cwt->count; ++i)
		if (cwt->scale[i].of == cwt)
			finish_scale(m, &cwt->scale[i]);
	if (cwt->o.quantity == WS_QUANTITY_SIGNAL)
		return WS_OK;
	if (m->reference->tap_count)
		WSI_TRY(lay_out_taps(m));
	else if (!cwt->edge)
		wsi_cwt_mirror_bins(cwt);
	WSI_TRY(wsi_dft_create(&cwt->dft, cwt->wide, cwt->length));
	return wsi_cwt_choose_ways(cwt);
}

void
wsi_cwt_free_own(wsi_cwt *cwt)
{
	wsi_cwt_empty_own(cwt);
	wsi_cwt_free_grids(cwt);
	wsi_dft_destroy(&cwt->dft);
	free(cwt->far);
	wsi_edge_destroy(cwt->edge);
}
