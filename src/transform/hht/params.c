/* params.c - checks the options of Hilbert-Huang spectra and resolves their defaults. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "math/gaussian.h"
#include "math/logarithm.h"
#include "transform/hht/hht.h"
#include "transform/options.h"

#define DEFAULT(field, value) o->field = o->field ? o->field : (value)

/* Is a field 0, its default, or one of `most` choices? */
static bool
is_choice(int value, int most)
{
	return value >= 0 && value <= most;
}

static ws_status
check_choice(const char *name, int value, int most)
{
	return is_choice(value, most) ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "`%s`: there is no number %d", name, value);
}

static ws_status
check_choices(const ws_hht_opts *o)
{
	WSI_TRY(check_choice("frequency_method", (int)o->frequency_method, WS_HHT_QUADRATURE));
	WSI_TRY(check_choice("reference", (int)o->reference, WS_HHT_REF_EMD));
	WSI_TRY(check_choice("ends", (int)o->ends, WS_HHT_ENDS_ZERO));
	WSI_TRY(check_choice("exclude", (int)o->exclude, WS_HHT_EXCLUDE_OUTLIERS));
	WSI_TRY(check_choice("quantity", (int)o->quantity, WS_HHT_QUANTITY_AMPLITUDE));
	if (!is_choice((int)o->freqs.spacing, WS_SPACING_LINEAR))
		return WSI_FAIL(WS_E_ARG, "`freqs`: there is no scale %d", (int)o->freqs.spacing);
	WSI_TRY(check_choice("emd.method", (int)o->emd.method, WS_METHOD_MEMD));
	return check_choice("significance", (int)o->significance, WS_HHT_BEND);
}

static ws_status
check_numbers(const ws_hht_opts *o)
{
	if (o->smooth_phase < 0 || o->smooth_phase > WSI_WIDEST_MEDIAN ||
	    (o->smooth_phase && o->smooth_phase % 2 == 0))
		return WSI_FAIL(WS_E_ARG, "`smooth_phase`: must be odd, from 1 to %d, not %d",
		                WSI_WIDEST_MEDIAN, o->smooth_phase);
	if (o->smooth_frequency && (o->smooth_frequency < 3 || o->smooth_frequency > 8191 ||
	                            o->smooth_frequency % 2 == 0))
		return WSI_FAIL(WS_E_ARG, "`smooth_frequency`: must be odd, from 3 to 8191, not %d",
		                o->smooth_frequency);
	if (o->outlier_ratio != 0.0 && !(o->outlier_ratio >= 1.0))
		return WSI_FAIL(WS_E_ARG, "`outlier_ratio`: must be at least 1, not %g",
		                o->outlier_ratio);
	if (o->time_bin != 0.0 && !(o->time_bin > 0.0))
		return WSI_FAIL(WS_E_ARG, "`time_bin`: must be above 0, not %g", o->time_bin);
	if (o->confidence != 0.0 && !(o->confidence > 0.0 && o->confidence < 1.0))
		return WSI_FAIL(WS_E_ARG, "`confidence`: must lie between 0 and 1, not %g",
		                o->confidence);
	if (o->parts < 0 || o->parts >= 2 * WS_HHT_PART_SPARSE)
		return WSI_FAIL(WS_E_ARG, "`parts`: there is no number %d", o->parts);
	if (o->freqs.count > 65536)
		return WSI_FAIL(WS_E_ARG, "`freqs`: from 1 to 65536 bins, not %zu", o->freqs.count);
	if (!is_choice((int)o->modulation_freqs.spacing, WS_SPACING_LINEAR) ||
	    o->modulation_freqs.count > 4096)
		return WSI_FAIL(WS_E_ARG, "`modulation_freqs`: from 1 to 4096 bins, not %zu",
		                o->modulation_freqs.count);
	if (o->sparse_cells < 0)
		return WSI_FAIL(WS_E_ARG, "sparse_cells: there cannot be %d", o->sparse_cells);
	if (o->noise_signals && (o->noise_signals < 50 || o->noise_signals > 100000))
		return WSI_FAIL(WS_E_ARG, "`noise_signals`: from 50 to 100000, not %d",
		                o->noise_signals);
	return WS_OK;
}

/* What is said of noise together. */
static ws_status
check_noise(const ws_hht_opts *o)
{
	const bool formula = o->significance == WS_HHT_WU_HUANG;
	if (o->noise_signals && o->modes_given)
		return WSI_FAIL(WS_E_ARG, "`noise_signals`: are decomposed as the signal is, so "
		                "they need a decomposition, not given modes");
	if (o->noise_signals && formula)
		return WSI_FAIL(WS_E_ARG, "`significance wu-huang`: is a formula; leave "
		                "`noise_signals` out");
	if (o->significance && !formula && !o->noise_signals)
		return WSI_FAIL(WS_E_ARG, "`significance`: needs `noise_signals`, how many signals "
		                "of that noise are decomposed, such as 199");
	if (o->confidence != 0.0 && !o->significance && !o->noise_signals)
		return WSI_FAIL(WS_E_ARG, "`confidence`: needs `noise_signals`, or `significance "
		                "wu-huang`");
	return WS_OK;
}

/* What options say together. */
static ws_status
check_together(const ws_hht_opts *o)
{
	WSI_TRY(check_noise(o));
	if (o->limits_rule && o->limits_rule != WS_STOP_FIXED &&
	    o->limits_rule != WS_STOP_S_NUMBER && o->limits_rule != WS_STOP_FIX_H)
		return WSI_FAIL(WS_E_ARG, "`limits`: need a rule that counts: fixed, s-number or "
		                "fix-h");
	if (!o->limits_rule && (o->limits_from || o->limits_to))
		return WSI_FAIL(WS_E_ARG, "`limits_from` and `limits_to` need `limits_rule`");
	if (!o->baseline && (o->baseline_from != 0.0 || o->baseline_to != 0.0))
		return WSI_FAIL(WS_E_ARG, "`baseline_from` and `baseline_to` need `baseline`, how "
		                "powers are compared");
	if (o->limits_rule && o->modes_given)
		return WSI_FAIL(WS_E_ARG, "`limits`: need a decomposition");
	if (o->limits_rule && (o->limits_from < 1 || o->limits_to <= o->limits_from ||
	                       o->limits_to - o->limits_from >= WSI_HHT_RULES))
		return WSI_FAIL(WS_E_ARG, "`limits`: 2 to %d numbers from 1 on, not %d to %d",
		                WSI_HHT_RULES, o->limits_from, o->limits_to);
	if (o->limits_rule && o->parts && !(o->parts & WS_HHT_PART_MARGINAL))
		return WSI_FAIL(WS_E_ARG, "`limits`: are of the marginal spectrum, and need "
		                "marginal among parts");
	if (o->modes_given < 0 || o->modes_given > 65536)
		return WSI_FAIL(WS_E_ARG, "`modes_given`: from 1 to 65536, not %d", o->modes_given);
	if (!is_choice(o->whole_given, 1) || (o->whole_given && !o->modes_given))
		return WSI_FAIL(WS_E_ARG, "`whole_given`: needs modes-given, the number of modes");
	return WS_OK;
}

static ws_status
check(const ws_hht_opts *o)
{
	WSI_TRY(check_choices(o));
	WSI_TRY(check_numbers(o));
	return check_together(o);
}

/* As numpy.linspace between the two, or between their logarithms. */
static void
space_edges(const ws_range *r, double *edges)
{
	const bool logarithmic = r->spacing == WS_SPACING_LOG;
	const double low = logarithmic ? portable_log(r->low) : r->low;
	const double high = logarithmic ? portable_log(r->high) : r->high;
	const double step = (high - low) / (double)r->count;
	for (size_t i = 1; i < r->count; ++i) {
		const double v = (double)i * step + low;
		edges[i] = logarithmic ? portable_exp(v) : v;
	}
	edges[0] = r->low;
	edges[r->count] = r->high;
}

/* Fills b, and the outer edges of r where it has edges of its own.  name: of the option; nyquist:
 * no frequency lies above it. */
static ws_status
make_bins(const char *name, ws_range *r, const double **given, double nyquist, wsi_bins *b)
{
	WSI_TRY(wsi_bins_take(b, (int)r->count));
	double *edges = b->edges;
	if (*given) {
		memcpy(edges, *given, (r->count + 1) * sizeof *edges);
		r->low = edges[0];
		r->high = edges[r->count];
	} else {
		if (!(r->low >= 0.0) || !(r->high > r->low) || !isfinite(r->high) ||
		    (r->spacing == WS_SPACING_LOG && r->low == 0.0))
			return WSI_FAIL(WS_E_ARG, "%s: %g to %g Hz: must ascend from above 0; "
			                "linear ones may begin at 0", name, r->low, r->high);
		space_edges(r, edges);
	}
	for (size_t i = 0; i <= r->count; ++i)
		if (!(edges[i] >= 0.0) || !isfinite(edges[i]) || (i && !(edges[i] > edges[i - 1])))
			return WSI_FAIL(WS_E_ARG, "%s: edge %zu, %g Hz, is not above the one "
			                "before", name, WSI_NO(i), edges[i]);
	char low[WSI_FREQUENCY_TEXT], most[WSI_FREQUENCY_TEXT];
	if (edges[0] >= nyquist)
		return WSI_FAIL(WS_E_ARG, "%s: begin at %s, where nothing can lie: half the "
		                "sampling rate is %s", name,
		                wsi_tell_frequency(r->low, 2 * nyquist, low),
		                wsi_tell_frequency(nyquist, 2 * nyquist, most));
	*given = edges;
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
	if (!o->freqs.spacing)
		o->freqs.spacing = WS_SPACING_LOG;
	if (o->edges && !o->freqs.count)
		return WSI_FAIL(WS_E_ARG, "`edges`: need freqs.count, one less than they are");
	if (!o->edges && o->freqs.high == 0.0)
		o->freqs.high = nyquist;
	if (!o->edges && o->freqs.low == 0.0 && o->freqs.spacing == WS_SPACING_LOG) {
		int octaves = 1;
		while (octaves < OCTAVES &&
		       nyquist / (double)(2 << octaves) >= 4.0 * shape->fs / (double)shape->samples)
			++octaves;
		o->freqs.low = o->freqs.high / (double)(1 << octaves);
	}
	if (!o->freqs.count)
		o->freqs.count = o->freqs.spacing == WS_SPACING_LOG ?
			wsi_range_count(&o->freqs, WSI_HHT_BINS_AN_OCTAVE) : 100;
	return make_bins("freqs", &o->freqs, &o->edges, nyquist, &plan->hht.bins);
}

/* The bins of the second frequency of a holospectrum. */
static ws_status
resolve_modulations(wsi_hht_plan *plan)
{
	ws_hht_opts *o = &plan->o;
	const double nyquist = plan->base.shape.fs / 2.0;
	const double *const given = o->modulation_edges;
	ws_range r = o->modulation_freqs;
	r.spacing = r.spacing ? r.spacing : WS_SPACING_LOG;
	if (given && !r.count)
		return WSI_FAIL(WS_E_ARG, "`modulation_edges`: need modulation_freqs.count, one "
		                "less than they are");
	if (!given && r.high == 0.0)
		r.high = 0.5 * o->freqs.high;
	if (!given && r.low == 0.0 && r.spacing == WS_SPACING_LOG)
		r.low = o->freqs.low > 0.0 && o->freqs.low < r.high ? o->freqs.low
		                                                    : r.high / 1024.0;
	if (!r.count)
		r.count = r.spacing == WS_SPACING_LOG ?
			wsi_range_count(&r, WSI_HHT_MODULATIONS_AN_OCTAVE) : 50;
	plan->am = plan->hht;
	plan->am.bins = (wsi_bins){ .n = 0 };
	WSI_TRY(make_bins("modulation-freqs", &r, &o->modulation_edges, nyquist, &plan->am.bins));
	o->modulation_freqs = r;
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
		const double density = 2.0 * 0.3989422804014327 * portable_exp(-0.5 * z * z);
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
	const bool emd_py = o->reference == WS_HHT_REF_EMD;
	DEFAULT(frequency_method, WS_HHT_HILBERT);
	DEFAULT(ends, emd_py ? WS_HHT_ENDS_PERIODIC : WS_HHT_ENDS_MIRROR);
	DEFAULT(smooth_phase, emd_py ? 5 : 1);
	DEFAULT(smooth_frequency, 3);
	DEFAULT(exclude, WS_HHT_EXCLUDE_NONE);
	DEFAULT(outlier_ratio, 5.0);
	DEFAULT(quantity, emd_py ? WS_HHT_QUANTITY_ENERGY : WS_HHT_QUANTITY_DENSITY);
	DEFAULT(parts, WS_HHT_PARTS_DEFAULT);
	if (o->noise_signals)
		DEFAULT(significance, WS_HHT_BACKGROUND);
	if (o->significance) {
		DEFAULT(confidence, o->significance == WS_HHT_WU_HUANG ? 0.99 : 0.9);
		plan->spread = spread_of(o->confidence);
	}
	WSI_TRY(resolve_bins(plan, shape));
	resolve_times(plan, shape);
	h->ops = wsi_ops_find(plan->base.isa, shape->type)->hht;
	h->method = o->frequency_method;
	h->ends = o->ends;
	h->exclude = o->exclude;
	h->quantity = o->quantity;
	h->emd_py = emd_py;
	h->smooth_phase = o->smooth_phase;
	h->smooth_frequency = o->smooth_frequency;
	h->fs = shape->fs;
	h->outlier_ratio = o->outlier_ratio;
	h->n = shape->samples;
	if (o->frequency_method == WS_HHT_QUADRATURE) {
		h->padded = h->n;
	} else {
		wsi_hht_pad(h);
		WSI_TRY(wsi_hilbert_create(&plan->hilbert, wsi_ops_find(plan->base.isa, WS_F64),
		                           h->padded));
		h->hilbert = plan->hilbert;
	}
	return o->parts & WS_HHT_PART_HOLOSPECTRUM ? resolve_modulations(plan) : WS_OK;
}
