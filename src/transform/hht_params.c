/* hht_params.c - checks the options of Hilbert-Huang spectra and resolves their defaults. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "math/decibel.h"
#include "math/gaussian.h"
#include "transform/emd.h"
#include "transform/hht.h"

/* Is a field 0, its default, or one of `most` choices? */
static bool
is_choice(int value, int most)
{
	return value >= 0 && value <= most;
}

static ws_status
check_choices(const ws_hht_opts *o)
{
	if (!is_choice((int)o->method, WS_HHT_QUADRATURE))
		return WSI_FAIL(WS_E_ARG, "frequency-method: there is no number %d",
		                (int)o->method);
	if (!is_choice((int)o->reference, WS_HHT_REF_EMD))
		return WSI_FAIL(WS_E_ARG, "reference: there is no number %d", (int)o->reference);
	if (!is_choice((int)o->ends, WS_HHT_ENDS_ZERO))
		return WSI_FAIL(WS_E_ARG, "ends: there is no number %d", (int)o->ends);
	if (!is_choice((int)o->mask, WS_HHT_MASK_WILD))
		return WSI_FAIL(WS_E_ARG, "mask: there is no number %d", (int)o->mask);
	if (!is_choice((int)o->quantity, WS_HHT_AMPLITUDE))
		return WSI_FAIL(WS_E_ARG, "quantity: there is no number %d", (int)o->quantity);
	if (!is_choice((int)o->freq_scale, WS_HHT_LINEAR))
		return WSI_FAIL(WS_E_ARG, "freqs: there is no scale %d", (int)o->freq_scale);
	return WS_OK;
}

static ws_status
check_numbers(const ws_hht_opts *o)
{
	if (o->smooth_phase < 0 || o->smooth_phase > WSI_WIDEST_MEDIAN ||
	    (o->smooth_phase && o->smooth_phase % 2 == 0))
		return WSI_FAIL(WS_E_ARG, "smooth-phase: must be odd, from 1 to %d, not %d",
		                WSI_WIDEST_MEDIAN, o->smooth_phase);
	if (o->smooth_frequency && (o->smooth_frequency < 3 || o->smooth_frequency > 8191 ||
	                            o->smooth_frequency % 2 == 0))
		return WSI_FAIL(WS_E_ARG, "smooth-frequency: must be odd, from 3 to 8191, not %d",
		                o->smooth_frequency);
	if (o->wild != 0.0 && !(o->wild >= 1.0))
		return WSI_FAIL(WS_E_ARG, "wild: must be at least 1, not %g", o->wild);
	if (o->time_bin != 0.0 && !(o->time_bin > 0.0))
		return WSI_FAIL(WS_E_ARG, "time-bin: must be above 0, not %g", o->time_bin);
	if (o->confidence != 0.0 && !(o->confidence > 0.0 && o->confidence < 1.0))
		return WSI_FAIL(WS_E_ARG, "confidence: must lie between 0 and 1, not %g",
		                o->confidence);
	if (o->parts < 0 || o->parts >= 2 * WS_HHT_PART_SPARSE)
		return WSI_FAIL(WS_E_ARG, "parts: there is no number %d", o->parts);
	if (o->freq_bins < 0 || o->freq_bins > 65536)
		return WSI_FAIL(WS_E_ARG, "freqs: from 1 to 65536 bins, not %d", o->freq_bins);
	if (!is_choice((int)o->modulation_scale, WS_HHT_LINEAR) || o->modulation_bins < 0 ||
	    o->modulation_bins > 4096)
		return WSI_FAIL(WS_E_ARG, "modulation-freqs: from 1 to 4096 bins, not %d",
		                o->modulation_bins);
	if (o->sparse_cells < 0)
		return WSI_FAIL(WS_E_ARG, "sparse_cells: there cannot be %d", o->sparse_cells);
	if (o->noise_signals && (o->noise_signals < 50 || o->noise_signals > 100000))
		return WSI_FAIL(WS_E_ARG, "noise-signals: from 50 to 100000, not %d",
		                o->noise_signals);
	return WS_OK;
}

/* What options say together. */
static ws_status
check_together(const ws_hht_opts *o)
{
	if (o->noise_signals && (o->modes_given || wsi_opts_method(&o->emd) == WS_MEMD))
		return WSI_FAIL(WS_E_ARG, "noise-signals: need a decomposition of single channels");
	if (o->limits_rule && o->limits_rule != WS_STOP_FIXED &&
	    o->limits_rule != WS_STOP_S_NUMBER && o->limits_rule != WS_STOP_FIX_H)
		return WSI_FAIL(WS_E_ARG, "limits: need a rule that counts: fixed, s-number or "
		                "fix-h");
	if (o->limits_rule && o->modes_given)
		return WSI_FAIL(WS_E_ARG, "limits: need a decomposition");
	if (o->limits_rule && (o->limits_from < 1 || o->limits_to <= o->limits_from ||
	                       o->limits_to - o->limits_from >= WSI_HHT_RULES))
		return WSI_FAIL(WS_E_ARG, "limits: 2 to %d numbers from 1 on, not %d to %d",
		                WSI_HHT_RULES, o->limits_from, o->limits_to);
	if (o->limits_rule && o->parts && !(o->parts & WS_HHT_PART_MARGINAL))
		return WSI_FAIL(WS_E_ARG, "limits: are of the marginal spectrum, and need marginal "
		                "among parts");
	if (o->modes_given < 0 || o->modes_given > 65536)
		return WSI_FAIL(WS_E_ARG, "modes-given: from 1 to 65536, not %d", o->modes_given);
	if (!is_choice(o->whole_given, 1) || (o->whole_given && !o->modes_given))
		return WSI_FAIL(WS_E_ARG, "whole-given: needs modes-given, the number of modes");
	return WS_OK;
}

static ws_status
check(const ws_hht_opts *o)
{
	WSI_TRY(check_choices(o));
	WSI_TRY(check_numbers(o));
	WSI_TRY(check_together(o));
	for (size_t i = 0; i < sizeof o->emd_room; ++i)
		if (o->emd_room[i])
			return WSI_FAIL(WS_E_ARG, "ws_hht_opts: emd has fields that this version "
			                "does not know");
	return WS_OK;
}

double
wsi_hht_exp(double x)
{
	return decibel_exp(x);
}

double
wsi_hht_log(double x)
{
	int e;
	const double m = frexp(x, &e);
	return gaussian_log(m) + (double)e * 0x1.62e42fefa39efp-1;
}

/* Bins of frequency as options have them. */
typedef struct range {
	double low, high;
	int bins;
	ws_hht_scale scale;
	const double *edges;
} range;

/* As numpy.linspace between the two, or between their logarithms. */
static void
space_edges(const range *r, double *edges)
{
	const bool logarithmic = r->scale == WS_HHT_LOG;
	const double low = logarithmic ? wsi_hht_log(r->low) : r->low;
	const double high = logarithmic ? wsi_hht_log(r->high) : r->high;
	const double step = (high - low) / r->bins;
	for (int i = 1; i < r->bins; ++i) {
		const double v = (double)i * step + low;
		edges[i] = logarithmic ? wsi_hht_exp(v) : v;
	}
	edges[0] = r->low;
	edges[r->bins] = r->high;
}

/* Fills b, and the outer edges of r where it has edges of its own.  name: of the option; nyquist:
 * no frequency lies above it. */
static ws_status
make_bins(const char *name, range *r, double nyquist, wsi_bins *b)
{
	WSI_TRY(wsi_bins_take(b, r->bins));
	double *edges = b->edges;
	if (r->edges) {
		memcpy(edges, r->edges, ((size_t)r->bins + 1) * sizeof *edges);
		r->low = edges[0];
		r->high = edges[r->bins];
	} else {
		if (!(r->low >= 0.0) || !(r->high > r->low) || !isfinite(r->high) ||
		    (r->scale == WS_HHT_LOG && r->low == 0.0))
			return WSI_FAIL(WS_E_ARG, "%s: %g to %g Hz: must ascend from above 0; "
			                "linear ones may begin at 0", name, r->low, r->high);
		space_edges(r, edges);
	}
	for (int i = 0; i <= r->bins; ++i)
		if (!(edges[i] >= 0.0) || !isfinite(edges[i]) || (i && !(edges[i] > edges[i - 1])))
			return WSI_FAIL(WS_E_ARG, "%s: edge %d, %g Hz, is not above the one "
			                "before", name, i + 1, edges[i]);
	if (edges[0] >= nyquist)
		return WSI_FAIL(WS_E_ARG, "%s: %g to %g Hz: nothing can lie above half the "
		                "sampling rate, %g Hz", name, r->low, r->high, nyquist);
	r->edges = edges;
	wsi_bins_guess(b);
	return WS_OK;
}

/* Octaves that bins reach down at most. */
#define OCTAVES 10

static ws_status
resolve_bins(wsi_hht_plan *plan, const ws_shape *shape)
{
	ws_hht_opts *o = &plan->o;
	const double nyquist = shape->fs / 2.0;
	if (!o->freq_scale)
		o->freq_scale = WS_HHT_LOG;
	if (o->edges && !o->freq_bins)
		return WSI_FAIL(WS_E_ARG, "edges: need freq_bins, one less than they are");
	if (!o->edges && o->freq_high == 0.0)
		o->freq_high = nyquist;
	if (!o->edges && o->freq_low == 0.0 && o->freq_scale == WS_HHT_LOG) {
		int octaves = 1;
		while (octaves < OCTAVES &&
		       nyquist / (double)(2 << octaves) >= 4.0 * shape->fs / (double)shape->samples)
			++octaves;
		o->freq_low = o->freq_high / (double)(1 << octaves);
		if (!o->freq_bins)
			o->freq_bins = WSI_HHT_BINS_AN_OCTAVE * octaves;
	}
	if (!o->freq_bins)
		o->freq_bins = 100;
	range r = { o->freq_low, o->freq_high, o->freq_bins, o->freq_scale, o->edges };
	const ws_status status = make_bins("freqs", &r, nyquist, &plan->hht.bins);
	o->freq_low = r.low;
	o->freq_high = r.high;
	o->edges = r.edges;
	return status;
}

/* The bins of the second frequency of a holospectrum. */
static ws_status
resolve_modulations(wsi_hht_plan *plan)
{
	ws_hht_opts *o = &plan->o;
	const double nyquist = plan->base.shape.fs / 2.0;
	range r = { o->modulation_low, o->modulation_high, o->modulation_bins,
		o->modulation_scale ? o->modulation_scale : WS_HHT_LOG, o->modulation_edges };
	if (r.edges && !r.bins)
		return WSI_FAIL(WS_E_ARG, "modulation-edges: need modulation_bins, one less than "
		                "they are");
	if (!r.edges && r.high == 0.0)
		r.high = 0.5 * o->freq_high;
	if (!r.edges && r.low == 0.0 && r.scale == WS_HHT_LOG)
		r.low = o->freq_low > 0.0 && o->freq_low < r.high ? o->freq_low : r.high / 1024.0;
	if (!r.bins && r.scale == WS_HHT_LOG && r.low > 0.0 && r.high > r.low)
		r.bins = (int)ceil(wsi_hht_log(r.high / r.low) * 1.4426950408889634 *
		                   WSI_HHT_MODULATIONS_AN_OCTAVE - 1e-9);
	if (!r.bins)
		r.bins = 50;
	plan->am = plan->hht;
	plan->am.bins = (wsi_bins){ .n = 0 };
	WSI_TRY(make_bins("modulation-freqs", &r, nyquist, &plan->am.bins));
	o->modulation_low = r.low;
	o->modulation_high = r.high;
	o->modulation_bins = r.bins;
	o->modulation_scale = r.scale;
	o->modulation_edges = r.edges;
	return WS_OK;
}

static void
resolve_times(wsi_hht_plan *plan, const ws_shape *shape)
{
	ws_hht_opts *o = &plan->o;
	wsi_hht *h = &plan->hht;
	const double n = (double)shape->samples;
	double bin = o->time_bin > 0.0 ? floor(o->time_bin * shape->fs + 0.5) : ceil(n / 1000.0);
	bin = bin < 1.0 ? 1.0 : bin > n ? n : bin;
	h->time_bin = (size_t)bin;
	h->time_bins = (shape->samples + h->time_bin - 1) / h->time_bin;
	o->time_bin = bin / shape->fs;
}

/* Standard deviations between which a normal variable lies with probability p: Abramowitz & Stegun
 * 1964, 26.2.23 (within 5e-4), mended by a step of Newton on erf's continued sum. */
static double
spread_of(double p)
{
	const double t = sqrt(-2.0 * gaussian_log(0.5 * (1.0 - p)));
	double z = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
	           (1.0 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
	for (int k = 0; k < 2 && z < 6.0; ++k) {
		/* P(|Z| < z) = 2 phi(z) (z + z^3 / 3 + z^5 / 15 + ..) */
		double term = z, sum = z;
		for (int i = 3; i < 200; i += 2)
			sum += term *= z * z / i;
		const double density = 2.0 * 0.3989422804014327 * wsi_hht_exp(-0.5 * z * z);
		z -= (density * sum - p) / density;
	}
	return z;
}

ws_status
wsi_hht_resolve(wsi_hht_plan *plan, const ws_hht_opts *asked)
{
	const ws_shape *shape = &plan->base.shape;
	ws_hht_opts *o = &plan->o;
	wsi_hht *h = &plan->hht;
	*o = *asked;
	WSI_TRY(check(o));
	const bool emd = o->reference == WS_HHT_REF_EMD;
	if (!o->method)
		o->method = WS_HHT_HILBERT;
	if (!o->ends)
		o->ends = emd ? WS_HHT_ENDS_PERIODIC : WS_HHT_ENDS_MIRROR;
	if (!o->smooth_phase)
		o->smooth_phase = emd ? 5 : 1;
	if (!o->smooth_frequency)
		o->smooth_frequency = 3;
	if (!o->mask)
		o->mask = WS_HHT_MASK_NONE;
	if (o->wild == 0.0)
		o->wild = 5.0;
	if (!o->quantity)
		o->quantity = emd ? WS_HHT_ENERGY : WS_HHT_DENSITY;
	if (!o->parts)
		o->parts = WS_HHT_PARTS_DEFAULT;
	if (o->confidence == 0.0)
		o->confidence = 0.99;
	plan->spread = spread_of(o->confidence);
	WSI_TRY(resolve_bins(plan, shape));
	resolve_times(plan, shape);
	h->ops = wsi_ops_find(plan->base.isa, shape->type)->hht;
	h->method = o->method;
	h->ends = o->ends;
	h->mask = o->mask;
	h->quantity = o->quantity;
	h->emd = emd;
	h->smooth_phase = o->smooth_phase;
	h->smooth_frequency = o->smooth_frequency;
	h->fs = shape->fs;
	h->wild = o->wild;
	h->n = shape->samples;
	if (o->method == WS_HHT_QUADRATURE) {
		h->padded = h->n;
	} else {
		wsi_hht_pad(h);
		WSI_TRY(wsi_hilbert_create(&plan->hilbert, wsi_ops_find(plan->base.isa, WS_F64),
		                           h->padded));
		h->hilbert = plan->hilbert;
	}
	return o->parts & WS_HHT_PART_HOLOSPECTRUM ? resolve_modulations(plan) : WS_OK;
}
