/* describe.c - a plan in words. */
#include "base/c_locale.h"
#include "transform/emd/emd.h"

/* Where the work is done, and by what. */
static void
describe_place(const wsi_emd_plan *plan, char *text, size_t size)
{
	const ws_emd_opts *o = &plan->params.o;
	const char *type = plan->params.type == WS_F64 ? "f64" : "f32";
	if (plan->base.gpu && o->method == WS_METHOD_MEMD) {
		wsi_snprintf(text, size, "%s (%s), %s, all channels together", plan->base.gpu->name,
		         plan->base.gpu->model, type);
		return;
	}
	if (plan->base.gpu) {
		wsi_snprintf(text, size, "%s (%s), %s, %d %s%s at a time%s%s", plan->base.gpu->name,
		             plan->base.gpu->model, type, plan->rows,
		             o->method == WS_METHOD_EMD ? "channel" : "realization",
		             plan->rows == 1 ? "" : "s", plan->way ? ", way " : "",
		             plan->way ? plan->way : "");
		return;
	}
	wsi_snprintf(text, size, "cpu/%s/%s, %d thread%s, %s", plan->ops->isa, type,
	             plan->base.threads,
	         plan->base.threads == 1 ? "" : "s",
	         o->method == WS_METHOD_MEMD  ? "all on all channels"
	         : plan->within        ? "all on each signal"
	         : o->method == WS_METHOD_EMD ? "a channel each"
	                                : "a realization each");
}

/* What a plan takes of the GPU's memory and, for it, of this machine's. */
static void
describe_gpu_memory(const wsi_emd_plan *plan, char *text, size_t size)
{
	const double device = (double)plan->base.device_bytes / 1048576.0;
	const double host = (double)plan->base.host_bytes / 1048576.0;
	const bool large = host >= 1024.0;
	int used = wsi_snprintf(text, size, ", %.1f MiB on the GPU", device);
	if (host > 0.0)
		wsi_snprintf(text + used, size - (size_t)used, "\n  state      %.1f %s "
		             "in host memory", large ? host / 1024.0 : host, large ? "GiB" : "MiB");
}

void
wsi_emd_describe(const ws_plan *base, char *text, size_t size)
{
	const wsi_emd_plan *plan = wsi_emd_plan_of(base);
	const ws_emd_opts *o = &plan->params.o;
	char noise[80] = "", ensemble[240] = "", stop[64], place[256];
	char memory[128] = "", note[320] = "";
	if (o->stop_rule == WS_STOP_FIXED)
		wsi_snprintf(stop, sizeof stop, "%d sifts a mode", o->sifts);
	else
		wsi_snprintf(stop, sizeof stop, "stop rule %s, at most %d sifts",
		         WSI_EMD_NAME(o, stop_rule), o->max_sifts);
	if (o->method == WS_METHOD_MEMD && o->noise_channels)
		wsi_snprintf(noise, sizeof noise, ", %d noise channel%s of %g of their power",
		         o->noise_channels, o->noise_channels == 1 ? "" : "s", o->noise_power);
	if (o->method == WS_METHOD_MEMD)
		wsi_snprintf(ensemble, sizeof ensemble, "  together   %zu channels on %d "
		         "directions (%s)%s\n", plan->params.together - (size_t)o->noise_channels,
		         o->directions, o->direction_set == WS_DIRECTIONS_GIVEN ? "given"
		             : WSI_EMD_NAME(o, direction_set), noise);
	else if (o->method != WS_METHOD_EMD)
		wsi_snprintf(ensemble, sizeof ensemble,
		         "  ensemble   %d realizations%s, noise %g std, seed %llu\n",
		         o->realizations, o->pairs ? " in pairs" : "", o->noise,
		         (unsigned long long)o->seed);
	describe_place(plan, place, sizeof place);
	if (plan->base.gpu)
		describe_gpu_memory(plan, memory, sizeof memory);
	if (plan->base.note[0])
		wsi_snprintf(note, sizeof note, "  not used   %s\n", plan->base.note);
	wsi_snprintf(text, size,
	         "  method     %s, at most %d modes, %s\n"
	         "  envelopes  %s spline, %s boundary\n"
	         "%s"
	         "  kernels    %s\n"
	         "%s"
	         "  workspace  %.1f MiB%s\n",
	         base->transform->about.name, o->modes, stop, WSI_EMD_NAME(o, spline),
	         WSI_EMD_NAME(o, boundary), ensemble, place, note,
	         (double)plan->base.workspace / 1048576.0, memory);
}
