/* describe.c - a plan in words. */
#include <stdio.h>

#include "plan/plan.h"

const char *
wsi_method_name(ws_method method)
{
	static const char *const names[] = { "emd", "emd", "eemd", "ceemdan", "iceemdan" };
	return names[method];
}

const char *
wsi_boundary_name(ws_boundary boundary)
{
	static const char *const names[] = { "default", "mirror", "extrapolate", "slope", "periodic" };
	return names[boundary];
}

const char *
wsi_spline_name(ws_spline spline)
{
	static const char *const names[] = { "default", "not-a-knot", "natural", "pchip", "akima" };
	return names[spline];
}

const char *
wsi_stop_name(ws_stop stop)
{
	static const char *const names[] = { "default", "fixed", "rilling", "s-number",
		                             "sd", "cauchy", "tolerance", "energy" };
	return names[stop];
}

void
wsi_plan_describe(struct ws_plan *plan)
{
	const wsi_params *p = &plan->params;
	const ws_emd_opts *o = &p->o;
	char ensemble[160] = "", stop[64];
	if (o->stop == WS_STOP_FIXED)
		snprintf(stop, sizeof stop, "%d sifts a mode", o->sifts);
	else
		snprintf(stop, sizeof stop, "stop rule %s, at most %d sifts", wsi_stop_name(o->stop),
		         o->max_sifts);
	if (o->method != WS_EMD)
		snprintf(ensemble, sizeof ensemble, "  ensemble   %d realizations%s, noise %g std, seed %llu\n",
		         o->realizations, o->pairs ? " in pairs" : "", o->noise,
		         (unsigned long long)o->seed);
	snprintf(plan->describe, sizeof plan->describe,
	         "  method     %s, at most %d modes, %s\n"
	         "  envelopes  %s spline, %s boundary\n"
	         "%s"
	         "  kernels    cpu/%s/%s, %d thread%s, %s\n"
	         "  workspace  %.1f MiB\n",
	         wsi_method_name(o->method), o->max_modes, stop, wsi_spline_name(o->spline),
	         wsi_boundary_name(o->boundary), ensemble, plan->ops->isa,
	         p->type == WS_F64 ? "f64" : "f32", plan->threads, plan->threads == 1 ? "" : "s",
	         plan->within           ? "all on each signal"
	         : o->method == WS_EMD ? "a channel each"
	                                : "a realization each",
	         (double)plan->workspace / 1048576.0);
}
