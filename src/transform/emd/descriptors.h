/*
 * descriptors.h - template: the options of the EMD family as programs offer them.  Where
 * methods differ in an option's default or choices, each has a descriptor of its own.
 *
 * Whoever includes it defines, for the options struct that holds a ws_emd_opts,
 *     EMD_FIELD(name)   offset of the field
 *     EMD_OF(opts)      pointer to the ws_emd_opts; opts may be const
 */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "transform/emd/emd.h"

/* ---- References -------------------------------------------------------------------- */

#define REFERENCE(variable, ...)                                                              \
	static const ws_option variable = {                                                   \
		"reference", "NAME",                                                          \
		"Set every option as this published code does, its quirks included; options " \
		"given explicitly override it.", WS_OPTION_CHOICE, EMD_FIELD(reference),          \
		.choices = (const ws_choice[]){ __VA_ARGS__, { NULL, 0 } },                   \
	}

REFERENCE(reference_emd, { "rilling", WS_REF_RILLING }, { "libeemd", WS_REF_LIBEEMD });
REFERENCE(reference_ceemdan, { "torres", WS_REF_TORRES }, { "libeemd", WS_REF_LIBEEMD });
REFERENCE(reference_iceemdan, { "colominas", WS_REF_COLOMINAS },
          { "ceemdan-gpu", WS_REF_CEEMDAN_GPU });
REFERENCE(reference_memd, { "memd", WS_REF_MEMD }, { "memd-gpu", WS_REF_MEMD_GPU });

/* ---- Modes and stop rules ---------------------------------------------------------- */

#define MODES(variable, by_default)                                                        \
	static const ws_option variable = {                                                \
		"modes", "K",                                            \
		"At most K modes, the residue not counted; what is slower stays in the "   \
		"residue. Default: " by_default, .kind = WS_OPTION_INT,                    \
		.offset = EMD_FIELD(modes),                                            \
		.low = 1, .high = WSI_EMD_MODES,                                           \
	}

MODES(modes_rarely, "log2 of the samples and 8 more, which are rarely needed.");
MODES(modes_log2, "log2 of the samples.");

static const ws_option sifts = {
	"sifts", "S",
	"Exactly S sifts a mode; the same as `stop_rule fixed:S`.",
	.kind = WS_OPTION_INT, .offset = EMD_FIELD(sifts),
	.low = 1, .high = WSI_MOST_SIFTS,
};

/* What a column "whose" of WSI_STOP_RULES takes. */
#define OF_SINGLE_BOTH(...) __VA_ARGS__
#define OF_SINGLE_SINGLE(...) __VA_ARGS__
#define OF_SINGLE_JOINT(...)
#define OF_JOINT_BOTH(...) __VA_ARGS__
#define OF_JOINT_SINGLE(...)
#define OF_JOINT_JOINT(...) __VA_ARGS__

#define SINGLE_RULE(number, name, form, n, a, b, c, whose, asks) \
	OF_SINGLE_##whose({ name, number },)
#define JOINT_RULE(number, name, form, n, a, b, c, whose, asks) \
	OF_JOINT_##whose({ name, number },)
static const ws_choice stop_rules[] = {
	WSI_STOP_RULES(SINGLE_RULE, SINGLE_RULE) { NULL, 0 },
};
static const ws_choice joint_stop_rules[] = {
	WSI_STOP_RULES(JOINT_RULE, JOINT_RULE) { NULL, 0 },
};

/* NAME[:P,..] with the parameters that the rule has. */
static ws_status
set_stop_rule(const ws_option *o, void *opts, const char *text)
{
	ws_emd_opts *emd = EMD_OF(opts);
	const ws_choice *c;
	double params[3] = { 0 };
	WSI_TRY(wsi_choice_take(&c, o->choices, text, strcspn(text, ":")));
	const ws_stop stop = (ws_stop)c->value;
	const bool whole = wsi_stop_row_of(stop)->counts;
	const int n = wsi_take_params(text, params, 3);
	if (n > wsi_stop_params(stop))
		return WSI_FAIL(WS_E_ARG, "has more parameters than the rule takes");
	bool good = n >= 0;
	for (int i = 0; i < n; ++i)
		good = good && params[i] > 0 &&
		       !(whole && (params[i] != floor(params[i]) || params[i] > WSI_MOST_SIFTS));
	if (!good)
		return WSI_FAIL(WS_E_ARG, whole ? "its parameter must be a whole number from 1 on"
		                : "its parameters must be numbers above 0");
	emd->stop_rule = stop;
	if (emd->stop_rule == WS_STOP_FIXED && n)
		emd->sifts = (int)params[0];
	else
		memcpy(emd->stop_rule_param, params, sizeof params);
	return WS_OK;
}

static void
tell_stop_rule(const ws_option *o, const void *opts, wsi_line *to)
{
	const ws_emd_opts *emd = EMD_OF(opts);
	const double sifts_made = emd->sifts;
	if (emd->stop_rule == WS_STOP_FIXED)
		wsi_params_tell(o->choices, (int)emd->stop_rule, &sifts_made, 1, to);
	else
		wsi_params_tell(o->choices, (int)emd->stop_rule, emd->stop_rule_param,
		                wsi_stop_params(emd->stop_rule), to);
}

/* "fixed:S, rilling:SD,SD2,TOL, .." */
#define FORM(number, name, form, n, a, b, c, whose, asks) name ":" form
#define SINGLE_FORM(number, name, form, n, a, b, c, whose, asks) \
	OF_SINGLE_##whose(", " name ":" form)
#define JOINT_FORM(number, name, form, n, a, b, c, whose, asks) \
	OF_JOINT_##whose(", " name ":" form)
#define RULES "When a mode is finished: " WSI_STOP_RULES(FORM, SINGLE_FORM) ". Default: "

#define STOP_RULE(variable, names, words)                                                       \
	static const wsi_text variable = {                                                      \
		{ "stop-rule", "NAME[:P,..]", words, WS_OPTION_TEXT,          \
		  EMD_FIELD(stop_rule), .choices = names }, set_stop_rule, tell_stop_rule, \
	}

STOP_RULE(stop_fixed, stop_rules, RULES "fixed:10.");
STOP_RULE(stop_by_rilling, stop_rules, RULES "rilling:0.05,0.5,0.05.");
STOP_RULE(stop_joint, joint_stop_rules, "When a mode is finished: "
          WSI_STOP_RULES(FORM, JOINT_FORM) ". Default: rilling:0.075,0.75,0.075.");

static const ws_option max_sifts = {
	"max-sifts", "M",
	"Most sifts a mode under rules other than fixed. Default: 1000, tolerance 100, references "
	"their own.", .kind = WS_OPTION_INT, .offset = EMD_FIELD(max_sifts),
	.low = 1, .high = WSI_MOST_SIFTS,
};
static const ws_option check_every = {
	"check-every", "N",
	"Sifts between two tests of the stop rule. Default: 1.",
	.kind = WS_OPTION_INT, .offset = EMD_FIELD(check_every),
	.low = 1, .high = WSI_MOST_SIFTS,
};

/* ---- Envelopes --------------------------------------------------------------------- */

static const ws_option boundary = {
	"boundary", "NAME",
	"What continues the extrema beyond both ends. Default: mirror.",
	WS_OPTION_CHOICE, EMD_FIELD(boundary), .choices = (const ws_choice[]){
		{ "mirror", WS_BOUNDARY_MIRROR }, { "extrapolate", WS_BOUNDARY_EXTRAPOLATE },
		{ "slope", WS_BOUNDARY_SLOPE }, { "periodic", WS_BOUNDARY_PERIODIC }, { NULL, 0 } },
};

#define SPLINE(variable, ...)                                                             \
	static const ws_option variable = {                                               \
		"spline", "NAME",                                       \
		"The curve of the envelopes. Default: not-a-knot.", WS_OPTION_CHOICE,     \
		EMD_FIELD(spline), .choices = (const ws_choice[]){                            \
			{ "not-a-knot", WS_SPLINE_NOT_A_KNOT },                           \
			{ "natural", WS_SPLINE_NATURAL }, __VA_ARGS__ { NULL, 0 } },      \
	}

SPLINE(spline, { "pchip", WS_SPLINE_PCHIP }, { "akima", WS_SPLINE_AKIMA },);
SPLINE(joint_spline, );

/* ---- Ensembles --------------------------------------------------------------------- */

static const ws_option realizations = {
	"realizations", "I", "Copies of the signal with noise. Default: 100.",
	.kind = WS_OPTION_INT, .offset = EMD_FIELD(realizations),
	.low = 1, .high = WSI_MOST_REALIZATIONS,
};
static const ws_option pairs = {
	"pairs", NULL, "Add and subtract each noise (complementary EEMD); needs an "
	"even number of realizations.", .kind = WS_OPTION_FLAG, .offset = EMD_FIELD(pairs),
};
static const ws_option noise = {
	"noise", "EPS",
	"Strength of the noise in standard deviations of the signal. Default: 0.2.",
	.kind = WS_OPTION_REAL, .offset = EMD_FIELD(noise),
	.low = 0, .high = HUGE_VAL, .zero = -1,
};
static const ws_option snr = {
	"snr", "HOW",
	"From mode to mode the noise weakens as its own modes do (increasing, default), or keeps "
	"its ratio to what is left of the signal (constant).", WS_OPTION_CHOICE, EMD_FIELD(snr),
	.choices = (const ws_choice[]){ { "increasing", WS_SNR_INCREASING },
		{ "constant", WS_SNR_CONSTANT }, { NULL, 0 } },
};
#define SEED(variable)                                                         \
	static const ws_option variable = {                                             \
		"seed", "N", "Number of the noise; the same seed gives the "\
		"same bits. Default: 0.", .kind = WS_OPTION_U64, .offset = EMD_FIELD(seed), \
	}
SEED(seed);
SEED(joint_seed); /* which has another heading in the program's help */
static const ws_option noise_file = {
	WSI_NOISE_FILE, "FILE",
	"Take the noise from an array [realization][time], such as W.npy.", .kind = WS_OPTION_ARRAY,
};
static const ws_option channel_noise = {
	"channel-noise", "HOW",
	"All channels see the same noise (default), or each its own.", WS_OPTION_CHOICE,
	EMD_FIELD(channel_noise), .choices = (const ws_choice[]){ { "shared", WS_NOISE_SHARED },
		{ "independent", WS_NOISE_INDEPENDENT }, { NULL, 0 } },
};

/* ---- Multivariate ------------------------------------------------------------------ */

static const ws_option directions = {
	"directions", "V",
	"Directions on which the channels are projected. Default: 64, or twice the channels if "
	"that is more; fewer than twice the channels are too few.",
	.kind = WS_OPTION_INT, .offset = EMD_FIELD(directions),
	.low = 1, .high = WSI_MOST_DIRECTIONS,
};
static const ws_option direction_set = {
	WSI_DIRECTION_SET, "NAME|FILE",
	"The directions: scrambled (default), evenly spread for any number of channels; "
	"hammersley, those of memd.m, uneven from some ten channels on; gaussian, independent, by "
	"`seed`; or an array [direction][channel], such as U.npy, noise channels last.",
	WS_OPTION_ARRAY, EMD_FIELD(direction_set), .choices = (const ws_choice[]){
		{ "scrambled", WS_DIRECTIONS_SCRAMBLED },
		{ "hammersley", WS_DIRECTIONS_HAMMERSLEY },
		{ "gaussian", WS_DIRECTIONS_GAUSSIAN }, { NULL, 0 } },
};
static const ws_option noise_channels = {
	"noise-channels", "Q",
	"Channels of white noise that are sifted along and dropped (noise-assisted MEMD). "
	"Default: 0.", .kind = WS_OPTION_INT, .offset = EMD_FIELD(noise_channels),
	.low = 0, .high = WSI_MOST_NOISE_CHANNELS,
};
static const ws_option noise_power = {
	"noise-power", "P",
	"Power of each noise channel, in shares of the mean power of the channels. Default: 0.05.",
	.kind = WS_OPTION_REAL, .offset = EMD_FIELD(noise_power),
	.low = DBL_TRUE_MIN, .high = HUGE_VAL,
};
static const ws_option standardize = {
	"standardize", NULL, "Let each channel count over its standard deviation (the power of two "
	"nearest it) where channels are projected, so that those of large units do not decide "
	"alone; modes keep the channels' units and add up to the input.",
	.kind = WS_OPTION_FLAG, .offset = EMD_FIELD(standardize),
};
