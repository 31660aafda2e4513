/* facts.c - options of the EMD family together: checked, and in words. */
#include "base/status.h"
#include "transform/emd/emd.h"

/* ---- Checks --------------------------------------------------------------------------- */

static ws_status
check(ws_emd_opts o, ws_method method, const ws_option_file *files)
{
	if (o.sifts && o.stop_rule && o.stop_rule != WS_STOP_FIXED)
		return WSI_FAIL(WS_E_ARG,
		                "`sifts` and `stop_rule` contradict each other; give one");
	if (o.pairs && o.realizations % 2)
		return WSI_FAIL(WS_E_ARG, "`pairs` needs an even number of `realizations`, not %d",
		                o.realizations);
	if (o.noise_power > 0 && !o.noise_channels)
		return WSI_FAIL(WS_E_ARG, "`noise_power` needs `noise_channels`");
	if (o.seed && method == WS_METHOD_MEMD && !o.noise_channels
	    && o.direction_set != WS_DIRECTIONS_GAUSSIAN)
		return WSI_FAIL(WS_E_ARG, "`seed` means nothing without `noise_channels` or "
		                "`direction_set gaussian`");
	if (o.seed && wsi_option_file(files, WSI_NOISE_FILE))
		return WSI_FAIL(WS_E_ARG,
		                "`seed` and `noise_file` contradict each other; give one");
	/* References and methods choose a rule, too: here for any signal. */
	const ws_shape any = { .size = sizeof any, .channels = 1, .samples = 1024 };
	wsi_params params;
	o.method = method;
	o.direction_vectors = NULL;
	WSI_TRY(wsi_params_resolve(&params, &any, &o));
	if (params.o.stop_rule == WS_STOP_FIXED && (o.max_sifts || o.check_every))
		return WSI_FAIL(WS_E_ARG, "`%s` means nothing where the sifts are fixed; "
		                "add `stop_rule`", o.max_sifts ? "max_sifts" : "check_every");
	return WS_OK;
}

#define CHECK(name, method)                                                       \
	ws_status                                                                 \
	wsi_emd_check_##name(const void *opts, const ws_option_file *files)       \
	{                                                                         \
		return check(*(const ws_emd_opts *)opts, method, files);          \
	}

CHECK(emd, WS_METHOD_EMD)
CHECK(eemd, WS_METHOD_EEMD)
CHECK(ceemdan, WS_METHOD_CEEMDAN)
CHECK(iceemdan, WS_METHOD_ICEEMDAN)
CHECK(memd, WS_METHOD_MEMD)

/* ---- Words ---------------------------------------------------------------------------- */

static void
line_of_ensemble(const ws_emd_opts *o, const ws_option_file *files, wsi_line *to)
{
	wsi_line_put(to, "%d realizations%s, noise %g, ", o->realizations,
	             o->pairs ? " in pairs" : "", o->noise > 0 ? o->noise : 0.0);
	if (wsi_option_file(files, WSI_NOISE_FILE))
		wsi_line_put(to, "from a file, ");
	else
		wsi_line_put(to, "seed %llu, ", (unsigned long long)o->seed);
}

static void
line_of_joint(const ws_emd_opts *o, wsi_line *to)
{
	wsi_line_put(to, "%d directions, %s", o->directions,
	             o->standardize ? "standardized, " : "");
	if (o->noise_channels)
		wsi_line_put(to, "%d noise channel%s of power %g, seed %llu, ", o->noise_channels,
		             o->noise_channels == 1 ? "" : "s", o->noise_power,
		             (unsigned long long)o->seed);
}

/* "s-number:7": with its parameters where one differs from the default. */
static void
line_of_stop(const ws_emd_opts *o, wsi_line *to)
{
	const int n = wsi_stop_params(o->stop_rule);
	bool own = false;
	for (int i = 0; i < n; ++i)
		own |= o->stop_rule_param[i] != 0
		        && o->stop_rule_param[i] != wsi_stop_default(o, i);
	wsi_line_put(to, "stop rule %s", WSI_EMD_NAME(o, stop_rule));
	for (int i = 0; own && i < n; ++i)
		wsi_line_put(to, "%c%g", i ? ',' : ':', o->stop_rule_param[i]);
}

/* What else is not as it is by default; a reference has habits of its own. */
static void
line_of_others(const ws_emd_opts *o, wsi_line *to)
{
	const bool ensemble = o->method != WS_METHOD_EMD && o->method != WS_METHOD_MEMD;
	if (o->stop_rule != WS_STOP_FIXED && !o->reference
	    && o->max_sifts != wsi_stop_most(o->stop_rule))
		wsi_line_put(to, ", at most %d sifts", o->max_sifts);
	if (o->check_every > 1)
		wsi_line_put(to, ", tested every %d sifts", o->check_every);
	if (ensemble && o->snr == WS_SNR_CONSTANT && !o->reference)
		wsi_line_put(to, ", snr constant");
	if (ensemble && o->channel_noise == WS_NOISE_INDEPENDENT)
		wsi_line_put(to, ", independent noise of channels");
	if (o->method == WS_METHOD_MEMD && o->direction_set != WS_DIRECTIONS_SCRAMBLED
	    && !o->reference)
		wsi_line_put(to, ", directions %s", WSI_EMD_NAME(o, direction_set));
}

void
wsi_emd_line(const void *opts, const ws_option_file *files, wsi_line *to)
{
	const ws_emd_opts *o = opts;
	if (o->method == WS_METHOD_MEMD)
		line_of_joint(o, to);
	else if (o->method != WS_METHOD_EMD)
		line_of_ensemble(o, files, to);
	if (o->stop_rule == WS_STOP_FIXED)
		wsi_line_put(to, "%d sifts", o->sifts);
	else
		line_of_stop(o, to);
	wsi_line_put(to, ", %s, %s", WSI_EMD_NAME(o, spline), WSI_EMD_NAME(o, boundary));
	line_of_others(o, to);
	wsi_line_put(to, "%s%s",
	             o->reference ? ", as " : "", o->reference ? WSI_EMD_NAME(o, reference) : "");
}
