/* args.c - see args.h. */
#include "args.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "help.h"
#include "message.h"
#include "values.h"

#define MAX_OPTIONS 64
/* getopt_long hands back these, clear of every letter. */
#define LONG_BASE 1000

/* ---- The values of options ----------------------------------------------- */

static int
bad_value(const cli_option *o, const char *text, const char *want)
{
	return cli_fail(EXIT_USAGE, "--%s %s: %s", o->name, text, want);
}

static int
set_range(const cli_option *o, const char *text, int low, int high, int *value)
{
	int64_t v;
	if (!cli_parse_int(text, low, high, &v)) {
		char want[64];
		snprintf(want, sizeof want, "a whole number from %d to %d is needed", low, high);
		return bad_value(o, text, want);
	}
	*value = (int)v;
	return -1;
}

static int
set_count(const cli_option *o, const char *text, int high, int *value)
{
	return set_range(o, text, 1, high, value);
}

static int
set_moment(const cli_option *o, const char *text, wsi_moment *moment)
{
	return cli_parse_moment(text, moment) ? -1
	       : bad_value(o, text, "a time is needed, such as 12.5, 250ms or 1850y");
}

static int
set_size(const cli_option *o, const char *text, size_t *value)
{
	return cli_parse_size(text, value) ? -1
	       : bad_value(o, text, "a size such as 4G or 500M is needed");
}

static int
set_choice(const cli_option *o, const char *text, int *value)
{
	*value = cli_choice(o->choices, text);
	if (*value)
		return -1;
	char want[160] = "must be ";
	size_t length = strlen(want);
	for (const char *c = o->choices; *c && length < sizeof want - 5; c++) {
		const char *piece = *c != '|' ? (char[]){ *c, 0 } : strchr(c + 1, '|') ? ", " : " or ";
		length += (size_t)snprintf(want + length, sizeof want - length, "%s", piece);
	}
	return bad_value(o, text, want);
}

static int
set_noise(const cli_option *o, const char *text, double *value)
{
	if (!cli_parse_real(text, value) || *value < 0)
		return bad_value(o, text, "a number of 0 or more is needed");
	/* In the library's options 0 means "default" and a negative number "none". */
	if (*value == 0)
		*value = -1;
	return -1;
}

static int
set_seed(const cli_option *o, const char *text, uint64_t *value)
{
	int64_t v;
	if (!cli_parse_int(text, 0, INT64_MAX, &v))
		return bad_value(o, text, "a whole number of 0 or more is needed");
	*value = (uint64_t)v;
	return -1;
}

/* NAME[:P,..] with the parameters that the rule has. */
static int
set_stop_rule(const cli_option *o, const char *text, ws_emd_opts *emd)
{
	static const int most[] = { [WS_STOP_FIXED] = 1, [WS_STOP_RILLING] = 3,
		[WS_STOP_S_NUMBER] = 1, [WS_STOP_SD] = 1, [WS_STOP_CAUCHY] = 1,
		[WS_STOP_TOLERANCE] = 2, [WS_STOP_ENERGY] = 1, [WS_STOP_FIX_H] = 1 };
	char name[64];
	size_t length = strcspn(text, ":");
	snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
	emd->stop = (ws_stop)cli_choice(CLI_STOP_RULES, name);
	if (!emd->stop)
		return bad_value(o, text, "must be fixed, rilling, s-number, sd, cauchy, tolerance, "
		                 "energy or fix-h");
	bool whole = emd->stop == WS_STOP_FIXED || emd->stop == WS_STOP_S_NUMBER
	             || emd->stop == WS_STOP_FIX_H;
	double params[3] = { 0 };
	int n = 0;
	for (const char *p = text + length; *p; n++) {
		size_t width = strcspn(++p, ",");
		snprintf(name, sizeof name, "%.*s", (int)(width < 63 ? width : 63), p);
		if (n == most[emd->stop])
			return bad_value(o, text, "has more parameters than the rule takes");
		if (!cli_parse_real(name, &params[n]) || params[n] <= 0
		    || (whole && (params[n] != floor(params[n]) || params[n] > 1e6)))
			return bad_value(o, text, whole ? "its parameter must be a whole number from 1 on"
			                 : "its parameters must be numbers above 0");
		p += width;
	}
	if (emd->stop == WS_STOP_FIXED && n)
		emd->sifts = (int)params[0];
	else
		memcpy(emd->stop_param, params, sizeof params);
	return -1;
}

/* A set by its name, or the file that holds one. */
static void
set_direction_set(cli_args *a, const cli_option *o, const char *text)
{
	a->emd.direction_set = (ws_direction_set)cli_choice(o->choices, text);
	a->direction_file = a->emd.direction_set ? NULL : text;
}

static int
set_power(const cli_option *o, const char *text, double *value)
{
	return cli_parse_real(text, value) && *value > 0 ? -1
	       : bad_value(o, text, "a number above 0 is needed");
}

/* ---- One option ----------------------------------------------------------- */

static int
set_selection(cli_args *a, const cli_option *o, const char *text)
{
	int choice = 0, status = -1;
	switch (o->id) {
	case OPT_CHANNELS: a->channels = text; break;
	case OPT_EPOCHS:   a->epochs = text; break;
	case OPT_FROM:     return set_moment(o, text, &a->from);
	case OPT_TO:       return set_moment(o, text, &a->to);
	case OPT_RAW:      a->raw = text; break;
	case OPT_VARIABLE: a->variable = text; break;
	case OPT_FS:
		if (!cli_parse_real(text, &a->fs) || a->fs <= 0)
			return bad_value(o, text, "a rate above 0 is needed");
		break;
	case OPT_NAN:
		status = set_choice(o, text, &choice);
		a->interpolate = choice == 2;
		break;
	default:
		return cli_fail(EXIT_INTERNAL, "--%s has no case in args.c", o->name);
	}
	return status;
}

static int
set_decomposition(cli_args *a, const cli_option *o, const char *text)
{
	ws_emd_opts *emd = &a->emd;
	int choice = 0, status = -1;
	switch (o->id) {
	case OPT_MODES:       return set_count(o, text, 64, &emd->max_modes);
	case OPT_SIFTS:       return set_count(o, text, 1000000, &emd->sifts);
	case OPT_MAX_SIFTS:   return set_count(o, text, 1000000, &emd->max_sifts);
	case OPT_CHECK_EVERY: return set_count(o, text, 1000000, &emd->check_every);
	case OPT_STOP_RULE:   return set_stop_rule(o, text, emd);
	case OPT_NOISE:       return set_noise(o, text, &emd->noise);
	case OPT_SEED:        return set_seed(o, text, &emd->seed);
	case OPT_PAIRS:       emd->pairs = 1; break;
	case OPT_NOISE_FILE:  a->noise_file = text; break;
	case OPT_DIRECTIONS:  return set_count(o, text, 1 << 20, &emd->directions);
	case OPT_DIRECTION_SET: set_direction_set(a, o, text); break;
	case OPT_NOISE_CHANNELS: return set_range(o, text, 0, 1 << 16, &emd->noise_channels);
	case OPT_NOISE_POWER: return set_power(o, text, &emd->noise_power);
	case OPT_REALIZATIONS:
		a->has_realizations = true;
		return set_count(o, text, 1000000, &emd->realizations);
	case OPT_REFERENCE:
		status = set_choice(o, text, &choice);
		emd->reference = (ws_reference)choice;
		break;
	case OPT_BOUNDARY:
		status = set_choice(o, text, &choice);
		emd->boundary = (ws_boundary)choice;
		break;
	case OPT_SPLINE:
		status = set_choice(o, text, &choice);
		emd->spline = (ws_spline)choice;
		break;
	case OPT_SNR:
		status = set_choice(o, text, &choice);
		emd->snr = (ws_snr)choice;
		break;
	case OPT_CHANNEL_NOISE:
		status = set_choice(o, text, &choice);
		emd->channel_noise = (ws_channel_noise)choice;
		break;
	default:
		return set_selection(a, o, text);
	}
	return status;
}

static int
set_option(cli_args *a, const cli_option *o, const char *text)
{
	int choice = 1, status = -1;
	switch (o->id) {
	case OPT_THREADS:       return set_count(o, text, 4096, &a->threads);
	case OPT_DRY_RUN:       a->dry_run = true; break;
	case OPT_STRICT:        a->strict = true; break;
	case OPT_OUTPUT:        a->output = text; break;
	case OPT_OVERWRITE:     a->overwrite = true; break;
	case OPT_COMPRESS:      a->compress = true; break;
	case OPT_PLOT:          a->plot = text; break;
	case OPT_PLOT_CHANNELS: a->plot_channels = text; break;
	case OPT_QUIET:         a->quiet = true; break;
	case OPT_VERBOSE:       a->verbose = true; break;
	case OPT_JSON:          a->json = true; break;
	case OPT_DEVICE:        a->device = text; break;
	case OPT_MEMORY:        return set_size(o, text, &a->memory);
	case OPT_DEVICE_MEMORY: return set_size(o, text, &a->device_memory);
	case OPT_FIGURE:
		status = set_choice(o, text, &choice);
		a->figure = choice;
		break;
	case OPT_PRECISION:
		status = set_choice(o, text, &choice);
		a->precision = choice == 2 ? WS_F32 : WS_F64;
		break;
	case OPT_STORE:
		status = set_choice(o, text, &choice);
		a->store = choice == 2 ? WS_F32 : WS_F64;
		a->has_store = true;
		break;
	case OPT_PROGRESS:
		status = set_choice(o, text, &choice);
		a->progress = (cli_progress_mode)choice;
		break;
	default:
		return set_decomposition(a, o, text);
	}
	return status;
}

/* ---- The command line ----------------------------------------------------- */

static void
getopt_tables(unsigned command, char *letters, struct option *longs)
{
	/* The colon makes getopt tell a missing argument from an unknown option. */
	*letters++ = ':';
	for (const cli_option *o = cli_options; o->name; o++) {
		if (!(o->commands & command))
			continue;
		*longs++ = (struct option){ .name = o->name,
			.has_arg = o->argument ? required_argument : no_argument,
			.val = LONG_BASE + o->id };
		if (o->letter) {
			*letters++ = o->letter;
			if (o->argument)
				*letters++ = ':';
		}
	}
	*letters = '\0';
	*longs = (struct option){ 0 };
}

static const cli_option *
by_code(int code)
{
	for (const cli_option *o = cli_options; o->name; o++)
		if (code == LONG_BASE + o->id || (o->letter && code == o->letter))
			return o;
	return NULL;
}

/* Reports what getopt_long did not take; token is the word it stood at. */
static int
unknown_option(const cli_command *command, const char *token, int code)
{
	const cli_option *o = by_code(code);
	if (o && (o->commands & command->id))
		return cli_fail(EXIT_USAGE, "--%s takes no value", o->name);
	if (code && code < LONG_BASE)
		return cli_fail(EXIT_USAGE, "-%c is no option of %s%s; see wavesift %s --help", code,
		                command->name, o ? ", only of other commands" : "", command->name);
	int length = (int)strcspn(token, "=");
	int matches = 0;
	for (o = cli_options; o->name; o++) {
		if (strncmp(token + 2, o->name, (size_t)length - 2) != 0)
			continue;
		if ((size_t)length - 2 == strlen(o->name))
			return cli_fail(EXIT_USAGE, "%.*s is no option of %s, only of other commands; see "
			                "wavesift %s --help", length, token, command->name, command->name);
		matches += (o->commands & command->id) != 0;
	}
	return cli_fail(EXIT_USAGE, matches > 1 ? "%.*s could be several options of %s; see wavesift "
	                "%s --help" : "%.*s is no option of %s; see wavesift %s --help", length, token,
	                command->name, command->name);
}

static int
check_operands(cli_args *a, int n, char **operands)
{
	const cli_command *c = a->command;
	if (n < c->n_operands)
		return cli_fail(EXIT_USAGE, "%s needs %s; see wavesift %s --help", c->name, c->operands,
		                c->name);
	if (n > c->n_operands)
		return cli_fail(EXIT_USAGE, "%s: one operand too many; %s takes %s%s",
		                operands[c->n_operands], c->name, *c->operands ? c->operands : "none",
		                c->n_operands == 1 ? ", one at a time" : "");
	for (int i = 0; i < n; i++)
		a->operands[i] = operands[i];
	return -1;
}

/* A reference is a published code, which has some of the methods. */
static int
check_reference(const cli_args *a)
{
	static const unsigned has[] = { [WS_REF_NONE] = CMD_ALL,
		[WS_REF_RILLING] = CMD_EMD | CMD_EEMD, [WS_REF_COLOMINAS] = CMD_ICEEMDAN,
		[WS_REF_TORRES] = CMD_CEEMDAN, [WS_REF_LIBEEMD] = CMD_EMD | CMD_EEMD | CMD_CEEMDAN,
		[WS_REF_CEEMDAN_GPU] = CMD_ICEEMDAN,
		[WS_REF_MEMD] = CMD_MEMD, [WS_REF_MEMD_GPU] = CMD_MEMD };
	if (has[a->emd.reference] & a->command->id)
		return -1;
	char name[32], list[64] = "";
	cli_choice_name(cli_find_option(OPT_REFERENCE)->choices, (int)a->emd.reference, name);
	for (const cli_command *c = cli_commands; c->name; c++)
		if (has[a->emd.reference] & c->id)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
			         c->name);
	return cli_fail(EXIT_USAGE, "--reference %s: has no %s; these commands take it: %s", name,
	                a->command->name, list);
}

/* Can the output be compressed?  The default one can; what cannot be an
 * output at all is told elsewhere. */
static bool
is_deflated(const char *output)
{
	const char *dot = output ? strrchr(output, '.') : NULL;
	return !output || (strcmp(output, "-") != 0
	                   && !(dot && (strcasecmp(dot, ".npy") == 0 || strcasecmp(dot, ".csv") == 0)));
}

/* What options say together. */
static int
check_together(const cli_args *a)
{
	const ws_emd_opts *emd = &a->emd;
	if (a->from.text && a->to.text && a->from.value >= a->to.value)
		return cli_fail(EXIT_USAGE, "--from %s --to %s: from must be before to", a->from.text,
		                a->to.text);
	if (emd->sifts && emd->stop && emd->stop != WS_STOP_FIXED)
		return cli_fail(EXIT_USAGE, "--sifts and --stop-rule contradict each other; give one");
	if (emd->stop == WS_STOP_FIXED && (emd->max_sifts || emd->check_every))
		return cli_fail(EXIT_USAGE, "--%s means nothing under the rule fixed",
		                emd->max_sifts ? "max-sifts" : "check-every");
	if (emd->pairs && emd->realizations % 2)
		return cli_fail(EXIT_USAGE, "--pairs needs an even number of --realizations, not %d",
		                emd->realizations);
	if (emd->noise_power > 0 && !emd->noise_channels)
		return cli_fail(EXIT_USAGE, "--noise-power needs --noise-channels");
	if (emd->seed && a->command->id == CMD_MEMD && !emd->noise_channels
	    && emd->direction_set != WS_DIRECTIONS_GAUSSIAN)
		return cli_fail(EXIT_USAGE, "--seed means nothing without --noise-channels or "
		                "--direction-set gaussian");
	if (a->noise_file && emd->seed)
		return cli_fail(EXIT_USAGE, "--seed and --noise-file contradict each other; give one");
	bool draws = a->plot || a->command->id == CMD_PLOT;
	if (!draws && (a->plot_channels || a->figure))
		return cli_fail(EXIT_USAGE, "--%s needs --plot FILE",
		                a->plot_channels ? "plot-channels" : "figure");
	if (a->json && a->output && strcmp(a->output, "-") == 0)
		return cli_fail(EXIT_USAGE, "--json and -o - both want standard output; write the result "
		                "to a file");
	if (a->compress && !is_deflated(a->output))
		return cli_fail(EXIT_USAGE, "--compress means nothing for %s; only .h5 and .mat are "
		                "deflated", a->output);
	if (a->quiet && a->verbose)
		return cli_fail(EXIT_USAGE, "--quiet and --verbose contradict each other; give one");
	if (a->device_memory && a->device && strcmp(a->device, "cpu") == 0)
		return cli_fail(EXIT_USAGE, "--device-memory means nothing with --device cpu");
	return -1;
}

int
cli_args_parse(cli_args *a, const cli_command *command, int argc, char **argv)
{
	*a = (cli_args){ .command = command };
	a->emd.size = sizeof a->emd;
	char letters[2 * MAX_OPTIONS + 2];
	struct option longs[MAX_OPTIONS + 1];
	getopt_tables(command->id, letters, longs);
	opterr = 0;
	/* argv[1] is the command and stands where getopt expects the program. */
	argc--;
	argv++;
	for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
		if (code == '?')
			return unknown_option(command, argv[optind - 1], optopt);
		if (code == ':')
			return cli_fail(EXIT_USAGE, "--%s needs a value: %s", by_code(optopt)->name,
			                by_code(optopt)->argument);
		const cli_option *o = by_code(code);
		if (o->id == OPT_HELP)
			return cli_help_command(command);
		if (o->id == OPT_VERSION)
			return cli_help_version();
		int status = set_option(a, o, optarg);
		if (status >= 0)
			return status;
	}
	/* --progress tells more exactly what is wanted than --quiet does. */
	if (!a->progress)
		a->progress = a->quiet ? PROGRESS_NEVER : PROGRESS_AUTO;
	int status = check_operands(a, argc - optind, argv + optind);
	if (status < 0)
		status = check_reference(a);
	return status >= 0 ? status : check_together(a);
}
