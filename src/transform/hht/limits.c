/* limits.c - confidence limits of marginal spectra over stop rules (Huang et al. 2003). */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "transform/emd/emd.h"
#include "transform/hht/work.h"

ws_status
wsi_hht_limits_resolve(wsi_hht_plan *plan, const ws_emd_opts *asked)
{
	const ws_hht_opts *o = &plan->o;
	if (!o->limits_rule || !(o->parts & WS_HHT_PART_MARGINAL))
		return WS_OK;
	for (int v = o->limits_from; v <= o->limits_to; ++v) {
		ws_emd_opts opts = *asked;
		opts.modes = wsi_emd_plan_of(plan->emd)->params.o.modes;
		opts.stop_rule = o->limits_rule;
		opts.sifts = o->limits_rule == WS_STOP_FIXED ? v : 0;
		memset(opts.stop_rule_param, 0, sizeof opts.stop_rule_param);
		if (o->limits_rule != WS_STOP_FIXED)
			opts.stop_rule_param[0] = v;
		WSI_TRY(wsi_plan_within(&plan->rules[plan->n_rules], &plan->base,
		                        wsi_hht_decomposition(o), &plan->base.shape, &opts));
		plan->base.seconds += plan->rules[plan->n_rules++]->seconds;
	}
	return WS_OK;
}

/* Mean and sum of squares about it, brought along from decomposition to decomposition (Welford
 * 1962), in the unit of the quantity. */
void
wsi_hht_limits_add(wsi_hht_work *w, int rule)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t bins = (size_t)plan->hht.bins.n;
	for (size_t c = 0; c < w->n; ++c) {
		double *mean = w->limits + (w->first + c) * 2 * bins, *squares = mean + bins;
		for (size_t b = 0; b < bins; ++b) {
			double v = 0.0;
			for (size_t k = 0; k < w->count[c]; ++k)
				v += w->mode[c * plan->modes + k].marginal[b];
			v *= wsi_hht_factor(&plan->hht, b, plan->hht.n, w->scale[c]);
			const double before = v - (rule ? mean[b] : 0.0);
			mean[b] = rule ? mean[b] + before / (double)(rule + 1) : v;
			squares[b] = rule ? squares[b] + before * (v - mean[b]) : 0.0;
		}
	}
}

void
wsi_hht_limits_put(const wsi_hht_work *w)
{
	const wsi_hht_plan *plan = w->plan;
	const size_t bins = (size_t)plan->hht.bins.n;
	for (size_t c = 0; plan->n_rules && c < plan->base.shape.channels; ++c) {
		const double *mean = w->limits + c * 2 * bins, *squares = mean + bins;
		double *out = wsi_hht_out_row(w, WS_HHT_LIMITS_MEAN, 0, c, 0);
		double *spread = wsi_hht_out_row(w, WS_HHT_LIMITS_DEVIATION, 0, c, 0);
		for (size_t b = 0; b < bins; ++b) {
			if (out)
				out[b] = mean[b];
			if (spread)
				spread[b] = sqrt(squares[b] / (double)(plan->n_rules - 1));
		}
	}
}
