/* provenance.c - see provenance.h. */
#include "provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/sha256.h"
#include "machine.h"
#include "values.h"

static void
add(cli_facts *f, wsi_fact fact)
{
	if (f->n < CLI_MAX_FACTS)
		f->items[f->n++] = fact;
}

static void
add_text(cli_facts *f, const char *key, const char *text)
{
	add(f, (wsi_fact){ .key = key, .kind = WSI_FACT_TEXT, .text = text });
}

static void
add_int(cli_facts *f, const char *key, int64_t value)
{
	add(f, (wsi_fact){ .key = key, .kind = WSI_FACT_INT, .integer = value });
}

static void
add_real(cli_facts *f, const char *key, double value)
{
	add(f, (wsi_fact){ .key = key, .kind = WSI_FACT_REAL, .real = value });
}

/* The name of the n-th choice of an option, or of a list of choices. */
static void
add_choice(cli_facts *f, const char *key, const char *choices, int n)
{
	char *name = f->names[f->n_names++];
	cli_choice_name(choices, n, name);
	add_text(f, key, name);
}

static void
add_option_choice(cli_facts *f, const char *key, int option, int n)
{
	add_choice(f, key, cli_find_option(option)->choices, n);
}

/* argv as one line that a shell would take apart again. */
static char *
quote_command(char **argv)
{
	size_t size = 1;
	for (char **a = argv; *a; a++)
		size += 4 * strlen(*a) + 3;
	char *line = malloc(size), *to = line;
	for (char **a = argv; line && *a; a++) {
		/* argv[0] may be a path of the machine; the program's name says enough. */
		const char *word = a == argv ? "wavesift" : *a;
		bool plain = *word && !strpbrk(word, " \t\n\\\"'`$&|;<>()*?[]{}~#!");
		if (a > argv)
			*to++ = ' ';
		if (plain) {
			to = stpcpy(to, word);
			continue;
		}
		*to++ = '\'';
		for (; *word; word++)
			to = *word == '\'' ? stpcpy(to, "'\\''") : (*to = *word, to + 1);
		*to++ = '\'';
	}
	if (line)
		*to = '\0';
	return line;
}

/* Of multivariate EMD. */
static void
add_joint_options(cli_facts *f, const cli_args *args, const ws_emd_opts *emd)
{
	add_int(f, "directions", emd->directions);
	if (args->direction_file) {
		add_text(f, "direction_file", args->direction_file);
		add_text(f, "direction_file_sha256", f->array_sha256);
	} else {
		add_option_choice(f, "direction_set", OPT_DIRECTION_SET, (int)emd->direction_set);
	}
	add_int(f, "noise_channels", emd->noise_channels);
	if (emd->noise_channels)
		add_real(f, "noise_power", emd->noise_power);
	if (emd->noise_channels || emd->direction_set == WS_DIRECTIONS_GAUSSIAN)
		add_int(f, "seed", (int64_t)emd->seed);
}

static void
add_options(cli_facts *f, const cli_args *args, const ws_emd_opts *emd)
{
	if (emd->reference)
		add_option_choice(f, "reference", OPT_REFERENCE, (int)emd->reference);
	add_option_choice(f, "boundary", OPT_BOUNDARY, (int)emd->boundary);
	add_option_choice(f, "spline", OPT_SPLINE, (int)emd->spline);
	add_choice(f, "stop_rule", CLI_STOP_RULES, (int)emd->stop);
	if (emd->stop == WS_STOP_FIXED) {
		add_int(f, "sifts", emd->sifts);
	} else {
		static const char *const keys[] = { "stop_param_1", "stop_param_2", "stop_param_3" };
		int n = emd->stop == WS_STOP_RILLING ? 3 : emd->stop == WS_STOP_TOLERANCE ? 2 : 1;
		for (int i = 0; i < n; i++)
			add_real(f, keys[i], emd->stop_param[i]);
		add_int(f, "max_sifts", emd->max_sifts);
		add_int(f, "check_every", emd->check_every);
	}
	add_int(f, "max_modes", emd->max_modes);
	if (emd->method == WS_EMD)
		return;
	if (emd->method == WS_MEMD) {
		add_joint_options(f, args, emd);
		return;
	}
	add_int(f, "realizations", emd->realizations);
	add_real(f, "noise", emd->noise > 0 ? emd->noise : 0);
	if (emd->method == WS_EEMD)
		add_int(f, "pairs", emd->pairs != 0);
	else
		add_option_choice(f, "snr", OPT_SNR, (int)emd->snr);
	if (args->noise_file) {
		add_text(f, "noise_file", args->noise_file);
		add_text(f, "noise_file_sha256", f->array_sha256);
	} else {
		add_int(f, "seed", (int64_t)emd->seed);
		add_option_choice(f, "channel_noise", OPT_CHANNEL_NOISE, (int)emd->channel_noise);
	}
}

static const char *
method_title(const cli_command *c)
{
	switch (c->id) {
	case CMD_EMD:     return "EMD";
	case CMD_EEMD:    return "EEMD";
	case CMD_CEEMDAN: return "CEEMDAN";
	case CMD_MEMD:    return "MEMD";
	default:          return "Improved CEEMDAN";
	}
}

/* What did the work. */
static void
add_place(cli_facts *f, const ws_ctx *ctx, const ws_run *run)
{
	if (cli_gpu_model(ws_run_device(run), f->model)) {
		add_text(f, "backend", "cuda");
		add_text(f, "device", ws_run_device(run));
		add_text(f, "device_model", f->model);
		return;
	}
	add_text(f, "backend", "cpu");
	add_text(f, "isa", ws_ctx_isa(ctx));
	add_int(f, "threads", ws_ctx_threads(ctx));
}

ws_status
cli_facts_collect(cli_facts *f, const cli_args *args, const wsi_input *in, const ws_ctx *ctx,
                  const ws_run *run)
{
	const ws_emd_opts *emd = ws_run_options(run);
	*f = (cli_facts){ 0 };
	f->command = quote_command(args->command_line);
	if (!f->command)
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for the command line");
	const char *array = args->noise_file ? args->noise_file : args->direction_file;
	if (array)
		WSI_TRY(wsi_sha256_file(array, f->array_sha256));
	snprintf(f->title, sizeof f->title, "%s of %s", method_title(args->command),
	         strcmp(args->operands[0], "-") == 0 ? "standard input"
	         : cli_base_name(args->operands[0]));
	cli_describe_options(emd, args->noise_file != NULL, f->options, sizeof f->options);
	add_text(f, "title", f->title);
	add_text(f, "options", f->options);
	add_text(f, "command", f->command);
	add_text(f, "method", args->command->name);
	add_text(f, "input", args->operands[0]);
	add_text(f, "input_format", in->rec->format);
	if (args->epochs)
		add_text(f, "epochs", args->epochs);
	add_text(f, "nan", in->interpolate ? "interpolate" : "refuse");
	add_text(f, "version", ws_version());
	add_int(f, "numerics_version", ws_numerics_version());
	add_place(f, ctx, run);
	add_text(f, "precision", args->precision == WS_F32 ? "f32" : "f64");
	add_options(f, args, emd);
	return WS_OK;
}

size_t
cli_facts_finish(cli_facts *f, const wsi_input *in, int64_t unfinished, double seconds)
{
	const size_t before = f->n;
	if (in->sha256[0])
		add_text(f, "input_sha256", in->sha256);
	if (in->interpolate)
		add_int(f, "interpolated", (int64_t)cli_input_mended(in));
	add_real(f, "seconds", seconds);
	add_int(f, "unfinished", unfinished);
	return before;
}

void
cli_facts_free(cli_facts *f)
{
	free(f->command);
	*f = (cli_facts){ 0 };
}

void
cli_describe_options(const ws_emd_opts *emd, bool noise_given, char *text, size_t size)
{
	char name[32];
	int n = 0;
	if (emd->method == WS_MEMD) {
		n += snprintf(text + n, size - (size_t)n, "%d directions, ", emd->directions);
		if (emd->noise_channels)
			n += snprintf(text + n, size - (size_t)n, "%d noise channel%s of power %g, seed %llu, ",
			              emd->noise_channels, emd->noise_channels == 1 ? "" : "s",
			              emd->noise_power, (unsigned long long)emd->seed);
	} else if (emd->method != WS_EMD) {
		n += snprintf(text + n, size - (size_t)n, "%d realizations%s, noise %g, ",
		              emd->realizations, emd->pairs ? " in pairs" : "",
		              emd->noise > 0 ? emd->noise : 0.0);
		if (noise_given)
			n += snprintf(text + n, size - (size_t)n, "from a file, ");
		else
			n += snprintf(text + n, size - (size_t)n, "seed %llu, ",
			              (unsigned long long)emd->seed);
	}
	cli_choice_name(CLI_STOP_RULES, (int)emd->stop, name);
	if (emd->stop == WS_STOP_FIXED)
		n += snprintf(text + n, size - (size_t)n, "%d sifts", emd->sifts);
	else
		n += snprintf(text + n, size - (size_t)n, "stop rule %s", name);
	cli_choice_name(cli_find_option(OPT_SPLINE)->choices, (int)emd->spline, name);
	n += snprintf(text + n, size - (size_t)n, ", %s", name);
	cli_choice_name(cli_find_option(OPT_BOUNDARY)->choices, (int)emd->boundary, name);
	n += snprintf(text + n, size - (size_t)n, ", %s", name);
	if (emd->reference) {
		cli_choice_name(cli_find_option(OPT_REFERENCE)->choices, (int)emd->reference, name);
		snprintf(text + n, size - (size_t)n, ", as %s", name);
	}
}
