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
#include "transform/cwt/maker.h"
#include "transform/cwt/ways.h"

/* Where a wavelet ends, in shares of its peak: below what its scale's error may be though slow
 * waves be 10^4 times as strong as the band. */
static double
edge(ws_type type)
{
	return type == WS_F64 ? 1e-19 : 1e-11;
}

/* ---- The wavelet --------------------------------------------------------------------------- */

/* The wavelet of the options, before any width of a frequency's own. */
static ws_status
make_wavelet(wsi_cwt_maker *m)
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
	if (wsi_cwt_is_ours(m) && !wsi_cwt_is_morlet(o->wavelet))
		m->reach = wsi_wavelet_reach(&m->wavelet, wsi_cwt_least_tail(m->cwt->type));
	return WS_OK;
}

/* w whose scale is 1: the peak, or that of the Fourier period. */
static double
centre_of(const wsi_cwt_maker *m, const wsi_wavelet *v, const wsi_wavelet_facts *facts)
{
	return m->reference->fourier ? facts->fourier : v->peak;
}

static ws_status
make_axis(wsi_cwt_maker *m, double **frequency)
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

/* A scale as far as the padded length does not matter. */
static ws_status
make_scale(const wsi_cwt_maker *m, size_t i, double frequency, wsi_cwt_scale *scale)
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
		: wsi_cwt_is_ours(m) ? samples * m->reach : (double)cwt->samples;
	if (m->reference->tap_count)
		scale->reach = (double)m->reference->tap_count(cwt, scale);
	if (cwt->o.quantity == WS_QUANTITY_SIGNAL)
		scale->reach = 0.0;
	return WS_OK;
}

/* ---- Plans -------------------------------------------------------------------------- */

static ws_status
make_scales(wsi_cwt_maker *m)
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
	return status == WS_OK ? wsi_cwt_lay_out_all(m) : status;
}

static ws_status
make(wsi_cwt_maker *m, size_t samples, double fs)
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
                const char *isa, bool whole)
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
	wsi_cwt_maker m = { .cwt = cwt, .whole = whole };
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
	WSI_TRY(wsi_cwt_lay_out(out, samples, fs, type, opts, isa, false));
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
	if (cwt->near)
		wsi_cwt_free_own(cwt->near);
	free(cwt->near);
	wsi_cwt_free_own(cwt);
	free(cwt->scale);
	free(cwt);
}
