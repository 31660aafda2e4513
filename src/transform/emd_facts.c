/* emd_facts.c - options of the EMD family together: checked, recorded with results, in words. */
#include <stdio.h>

#include "base/c_locale.h"
#include "base/status.h"
#include "transform/emd.h"

/* ---- Checks --------------------------------------------------------------------------- */

static ws_status
check(ws_emd_opts o, ws_method method, const ws_option_file *files)
{
	if (o.sifts && o.stop && o.stop != WS_STOP_FIXED)
		return WSI_FAIL(WS_E_ARG,
		                "--sifts and --stop-rule contradict each other; give one");
	if (o.pairs && o.realizations % 2)
		return WSI_FAIL(WS_E_ARG, "--pairs needs an even number of --realizations, not %d",
		                o.realizations);
	if (o.noise_power > 0 && !o.noise_channels)
		return WSI_FAIL(WS_E_ARG, "--noise-power needs --noise-channels");
	if (o.seed && method == WS_MEMD && !o.noise_channels
	    && o.direction_set != WS_DIRECTIONS_GAUSSIAN)
		return WSI_FAIL(WS_E_ARG, "--seed means nothing without --noise-channels or "
		                "--direction-set gaussian");
	if (o.seed && wsi_option_file(files, WSI_NOISE_FILE))
		return WSI_FAIL(WS_E_ARG,
		                "--seed and --noise-file contradict each other; give one");
	/* References and methods choose a rule, too: here for any signal. */
	const ws_shape any = { .size = sizeof any, .channels = 1, .samples = 1024 };
	wsi_params params;
	o.method = method;
	o.direction_vectors = NULL;
	WSI_TRY(wsi_params_resolve(&params, &any, &o));
	if (params.o.stop == WS_STOP_FIXED && (o.max_sifts || o.check_every))
		return WSI_FAIL(WS_E_ARG, "--%s means nothing where the sifts are fixed; "
		                "add --stop-rule", o.max_sifts ? "max-sifts" : "check-every");
	return WS_OK;
}

#define CHECK(name, method)                                                       \
	ws_status                                                                 \
	wsi_emd_check_##name(const void *opts, const ws_option_file *files)       \
	{                                                                         \
		return check(*(const ws_emd_opts *)opts, method, files);          \
	}

CHECK(emd, WS_EMD)
CHECK(eemd, WS_EEMD)
CHECK(ceemdan, WS_CEEMDAN)
CHECK(iceemdan, WS_ICEEMDAN)
CHECK(memd, WS_MEMD)

/* ---- Facts ---------------------------------------------------------------------------- */

/* Who takes them. */
typedef struct teller {
	ws_fact_sink sink;
	void *user;
} teller;

static void
text(const teller *t, const char *key, const char *value)
{
	wsi_fact_text(t->sink, t->user, key, value);
}

static void
integer(const teller *t, const char *key, int64_t value)
{
	wsi_fact_integer(t->sink, t->user, key, value);
}

static void
real(const teller *t, const char *key, double value)
{
	wsi_fact_real(t->sink, t->user, key, value);
}

static void
joint_facts(const teller *t, const ws_emd_opts *o, const ws_option_file *files)
{
	const ws_option_file *file = wsi_option_file(files, WSI_DIRECTION_SET);
	integer(t, "directions", o->directions);
	if (file) {
		text(t, "direction_file", file->path);
		text(t, "direction_file_sha256", file->sha256);
	} else {
		text(t, "direction_set", WSI_EMD_NAME(o, direction_set));
	}
	integer(t, "noise_channels", o->noise_channels);
	if (o->noise_channels)
		real(t, "noise_power", o->noise_power);
	if (o->noise_channels || o->direction_set == WS_DIRECTIONS_GAUSSIAN)
		integer(t, "seed", (int64_t)o->seed);
}

static void
ensemble_facts(const teller *t, const ws_emd_opts *o, const ws_option_file *files)
{
	const ws_option_file *file = wsi_option_file(files, WSI_NOISE_FILE);
	integer(t, "realizations", o->realizations);
	real(t, "noise", o->noise > 0 ? o->noise : 0);
	if (o->method == WS_EEMD)
		integer(t, "pairs", o->pairs != 0);
	else
		text(t, "snr", WSI_EMD_NAME(o, snr));
	if (file) {
		text(t, "noise_file", file->path);
		text(t, "noise_file_sha256", file->sha256);
		return;
	}
	integer(t, "seed", (int64_t)o->seed);
	text(t, "channel_noise", WSI_EMD_NAME(o, channel_noise));
}

void
wsi_emd_facts(const void *opts, const ws_option_file *files, ws_fact_sink sink, void *user)
{
	static const char *const params[] = { "stop_param_1", "stop_param_2", "stop_param_3" };
	const ws_emd_opts *o = opts;
	const teller to = { sink, user }, *t = &to;
	if (o->reference)
		text(t, "reference", WSI_EMD_NAME(o, reference));
	text(t, "boundary", WSI_EMD_NAME(o, boundary));
	text(t, "spline", WSI_EMD_NAME(o, spline));
	text(t, "stop_rule", WSI_EMD_NAME(o, stop));
	if (o->stop == WS_STOP_FIXED) {
		integer(t, "sifts", o->sifts);
	} else {
		for (int i = 0; i < wsi_stop_params(o->stop); ++i)
			real(t, params[i], o->stop_param[i]);
		integer(t, "max_sifts", o->max_sifts);
		integer(t, "check_every", o->check_every);
	}
	integer(t, "max_modes", o->max_modes);
	if (o->method == WS_MEMD)
		joint_facts(t, o, files);
	else if (o->method != WS_EMD)
		ensemble_facts(t, o, files);
}

/* ---- Words ---------------------------------------------------------------------------- */

static int
line_of_ensemble(const ws_emd_opts *o, const ws_option_file *files, char *line, size_t size)
{
	int n = wsi_snprintf(line, size, "%d realizations%s, noise %g, ", o->realizations,
	                     o->pairs ? " in pairs" : "", o->noise > 0 ? o->noise : 0.0);
	if (wsi_option_file(files, WSI_NOISE_FILE))
		return n + wsi_snprintf(line + n, size - (size_t)n, "from a file, ");
	return n + wsi_snprintf(line + n, size - (size_t)n, "seed %llu, ",
	                        (unsigned long long)o->seed);
}

static int
line_of_joint(const ws_emd_opts *o, char *line, size_t size)
{
	int n = wsi_snprintf(line, size, "%d directions, ", o->directions);
	if (o->noise_channels)
		n += wsi_snprintf(line + n, size - (size_t)n, "%d noise channel%s of power %g, "
		                  "seed %llu, ", o->noise_channels,
		                  o->noise_channels == 1 ? "" : "s", o->noise_power,
		                  (unsigned long long)o->seed);
	return n;
}

void
wsi_emd_line(const void *opts, const ws_option_file *files, char *out, size_t size)
{
	const ws_emd_opts *o = opts;
	/* No line is near as long. */
	char line[512];
	const size_t room = sizeof line;
	int n = 0;
	if (o->method == WS_MEMD)
		n = line_of_joint(o, line, room);
	else if (o->method != WS_EMD)
		n = line_of_ensemble(o, files, line, room);
	if (o->stop == WS_STOP_FIXED)
		n += wsi_snprintf(line + n, room - (size_t)n, "%d sifts", o->sifts);
	else
		n += wsi_snprintf(line + n, room - (size_t)n, "stop rule %s",
		                  WSI_EMD_NAME(o, stop));
	wsi_snprintf(line + n, room - (size_t)n, ", %s, %s%s%s", WSI_EMD_NAME(o, spline),
	             WSI_EMD_NAME(o, boundary), o->reference ? ", as " : "",
	             o->reference ? WSI_EMD_NAME(o, reference) : "");
	snprintf(out, size, "%s", line);
}
