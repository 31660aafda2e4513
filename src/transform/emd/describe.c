/* describe.c - a plan of the EMD family in words: method, rules, ensemble, where it runs. */
#include "transform/emd/emd.h"

/* Where the work is done, and by what. */
static void
describe_place(const wsi_emd_plan *plan, wsi_line *to)
{
	const ws_emd_opts *o = &plan->params.o;
	const char *type = plan->params.type == WS_F64 ? "f64" : "f32";
	if (!plan->base.gpu)
		wsi_line_put(to, "cpu/%s/%s, %d thread%s, %s", plan->ops->isa, type,
		             plan->base.threads, plan->base.threads == 1 ? "" : "s",
		             o->method == WS_METHOD_MEMD  ? "all on all channels"
		             : plan->within               ? "all on each signal"
		             : o->method == WS_METHOD_EMD ? "a channel each"
		                                          : "a realization each");
	else if (o->method == WS_METHOD_MEMD)
		wsi_line_put(to, "%s (%s), %s, all channels together%s", plan->base.gpu->name,
		             plan->base.gpu->model, type,
		             plan->base.size > 1 ? ", samples shared out among GPUs" : "");
	else
		wsi_line_put(to, "%s (%s), %s, %d %s%s at a time%s%s", plan->base.gpu->name,
		             plan->base.gpu->model, type, plan->rows,
		             o->method == WS_METHOD_EMD ? "channel" : "realization",
		             plan->rows == 1 ? "" : "s", plan->way ? ", way " : "",
		             plan->way ? plan->way : "");
}

/* What a plan takes of the GPU's memory and, for it, of this machine's. */
static void
describe_gpu_memory(const wsi_emd_plan *plan, wsi_line *to)
{
	const double host = (double)plan->base.host_bytes / 1048576.0;
	const bool large = host >= 1024.0;
	wsi_line_put(to, ", %.1f MiB on the GPU", (double)plan->base.device_bytes / 1048576.0);
	if (host > 0.0)
		wsi_line_put(to, "\n  state      %.1f %s in host memory",
		             large ? host / 1024.0 : host, large ? "GiB" : "MiB");
}

/* What is decomposed together. */
static void
describe_ensemble(const wsi_emd_plan *plan, wsi_line *to)
{
	const ws_emd_opts *o = &plan->params.o;
	if (o->method == WS_METHOD_EMD)
		return;
	if (o->method != WS_METHOD_MEMD) {
		wsi_line_put(to, "  ensemble   %d realizations%s, noise %g std, seed %llu\n",
		             o->realizations, o->pairs ? " in pairs" : "", o->noise,
		             (unsigned long long)o->seed);
		return;
	}
	wsi_line_put(to, "  together   %zu channels on %d directions (%s)",
	             plan->params.together - (size_t)o->noise_channels, o->directions,
	             o->direction_set == WS_DIRECTIONS_GIVEN ? "given"
	             : WSI_EMD_NAME(o, direction_set));
	if (o->noise_channels)
		wsi_line_put(to, ", %d noise channel%s of %g of their power", o->noise_channels,
		             o->noise_channels == 1 ? "" : "s", o->noise_power);
	wsi_line_put(to, "\n");
}

void
wsi_emd_describe(const ws_plan *base, wsi_line *to)
{
	const wsi_emd_plan *plan = wsi_emd_plan_of(base);
	const ws_emd_opts *o = &plan->params.o;
	wsi_line_put(to, "  method     %s, at most %d modes, ", base->transform->about.name,
	             o->modes);
	if (o->stop_rule == WS_STOP_FIXED)
		wsi_line_put(to, "%d sifts a mode\n", o->sifts);
	else
		wsi_line_put(to, "stop rule %s, at most %d sifts\n", WSI_EMD_NAME(o, stop_rule),
		             o->max_sifts);
	wsi_line_put(to, "  envelopes  %s spline, %s boundary\n", WSI_EMD_NAME(o, spline),
	             WSI_EMD_NAME(o, boundary));
	describe_ensemble(plan, to);
	wsi_line_put(to, "  kernels    ");
	describe_place(plan, to);
	wsi_line_put(to, "\n");
	if (base->note[0])
		wsi_line_put(to, "  not used   %s\n", base->note);
	wsi_line_put(to, "  workspace  %.1f MiB", (double)base->workspace / 1048576.0);
	if (base->gpu)
		describe_gpu_memory(plan, to);
	wsi_line_put(to, "\n");
}
