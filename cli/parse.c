/* parse.c - a command line, parsed and checked as far as it goes without files. */
#include "parse.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "batch.h"
#include "headings.h"
#include "help.h"
#include "io/read/input.h"
#include "message.h"
#include "progress.h"
#include "times.h"
#include "values.h"

/* getopt_long hands back these, clear of every letter. */
#define LONG_BASE 1000
/* Of choices whose names have the value 0. */
#define NOT_GIVEN -1

/* ---- One option ----------------------------------------------------------- */

static int
bad_value(const ws_option *o, const char *text, const char *want)
{
	return cli_fail(EXIT_USAGE, "--%s %s: %s", o->name, text, want);
}

static bool
has_choice(const ws_option *o, const char *text, size_t length)
{
	for (const ws_choice *c = o->choices; c && c->name; c++)
		if (strlen(c->name) == length && strncmp(c->name, text, length) == 0)
			return true;
	return false;
}

/* The commands whose option of this name has the choice. */
static void
list_commands(const char *option, const char *choice, size_t length, char *list, size_t size)
{
	cli_command c;
	size_t used = 0;
	*list = '\0';
	for (int i = 0; cli_command_at(i, &c) && used < size; i++) {
		const ws_option *o = cli_find_option(&c, option, strlen(option));
		if (o && has_choice(o, choice, length))
			used += (size_t)snprintf(list + used, size - used, "%s%s",
			                         used ? ", " : "", c.name);
	}
}

/* Sets an option by its descriptor; base: the struct that it is of. */
static int
set_by_kind(const cli_args *a, const ws_option *o, void *base, const char *text)
{
	if (ws_option_set(o, base, text) == WS_OK)
		return -1;
	if (!o->argument)
		return cli_fail(EXIT_USAGE, "--%s: %s", o->name, ws_error_detail());
	char commands[256];
	const size_t length = strcspn(text, ":");
	list_commands(o->name, text, length, commands, sizeof commands);
	if (*commands && !has_choice(o, text, length))
		return cli_fail(EXIT_USAGE, "--%s %s: is not for %s, where it %s; these commands "
		                "take it: %s", o->name, text, a->command.name, ws_error_detail(),
		                commands);
	return bad_value(o, text, ws_error_detail());
}

/* An array by its name, or the file that holds one. */
static int
set_array(cli_args *a, const ws_option *o, const char *text)
{
	int i = 0, last;
	while (a->files[i].option && strcmp(a->files[i].option, o->name) != 0)
		i++;
	if (!has_choice(o, text, strlen(text))) {
		if (i == CLI_MOST_FILES)
			return bad_value(o, text, "too many files");
		a->files[i] = (ws_option_file){ .option = o->name, .path = text };
		return -1;
	}
	for (last = i; a->files[last].option; last++)
		a->files[last] = a->files[last + 1];
	return set_by_kind(a, o, a->opts, text);
}

/* A channel may be named; its number is known when the recording is open. */
static int
set_channel(cli_args *a, const ws_option *o, const char *text)
{
	const bool named = strcmp(text, "all") != 0 && strspn(text, "0123456789") < strlen(text);
	a->channel_option = named ? o : NULL;
	a->channel_name = text;
	return named ? -1 : set_by_kind(a, o, a->opts, text);
}

static int
set_new_rate(const ws_option *o, const char *text, double *rate)
{
	if (strcmp(text, "lowest") == 0)
		*rate = WSI_RATE_LOWEST;
	else if (strcmp(text, "highest") == 0)
		*rate = WSI_RATE_HIGHEST;
	else if (!cli_parse_rate(text, rate))
		return bad_value(o, text, "a number above 0 is needed, in Hz, or such as 12/y; or "
		                 "lowest or highest, of the channels selected");
	return -1;
}

static int
set_gap(const ws_option *o, const char *text, double *gap)
{
	static const char word[] = "interpolate";
	const size_t n = sizeof word - 1;
	*gap = WSI_GAP_DEFAULT;
	if (strcmp(text, "refuse") == 0)
		*gap = 0;
	else if (strncmp(text, word, n) != 0 || (text[n] && text[n] != ':')
	         || (text[n] && !cli_parse_duration(text + n + 1, gap)))
		return bad_value(o, text, "refuse, interpolate, or interpolate:LENGTH is needed, "
		                 "such as interpolate:0.5 or interpolate:3d");
	return -1;
}

static int
set_option(cli_args *a, const ws_option *o, const char *text)
{
	const cli_own *own = cli_option_own(o);
	void *field = (char *)a + o->offset;
	if (!own)
		return o->kind == WS_OPTION_ARRAY ? set_array(a, o, text)
		       : cli_option_of_channel(o) ? set_channel(a, o, text)
		       : set_by_kind(a, o, a->opts, text);
	switch (own->value) {
	case VALUE_TEXT:
	case VALUE_OUTPUT:
		*(const char **)field = text ? text : "";
		return -1;
	case VALUE_MOMENT:
		return cli_parse_moment(text, field) ? -1
		       : bad_value(o, text, "a time is needed, such as 12.5, 250ms, 1850y or "
		                   "2020-05-31");
	case VALUE_RATE:
		return cli_parse_rate(text, field) ? -1
		       : bad_value(o, text, "a number above 0 is needed, in Hz, or such as 12/y");
	case VALUE_NEW_RATE:
		return set_new_rate(o, text, field);
	case VALUE_GAP:
		return set_gap(o, text, field);
	case VALUE_DURATION:
		return cli_parse_duration(text, field) ? -1
		       : bad_value(o, text, "a time above 0 is needed, such as 90, 10min or 1.5h");
	case VALUE_SIZE:
		return cli_parse_size(text, field) ? -1
		       : bad_value(o, text, "a size such as 4G or 500M is needed");
	default:
		return set_by_kind(a, o, a, text);
	}
}

/* ---- The command line ----------------------------------------------------- */

static void
getopt_tables(const cli_command *command, char *letters, struct option *longs)
{
	const ws_option *o;
	/* The colon makes getopt tell a missing argument from an unknown option. */
	*letters++ = ':';
	for (int i = 0; (o = cli_option_at(command, i)); i++) {
		*longs++ = (struct option){ .name = o->name,
			.has_arg = cli_argument_is_optional(o) ? optional_argument
				: o->argument ? required_argument : no_argument,
			.val = LONG_BASE + i };
		const char letter = cli_option_letter(o);
		if (letter) {
			*letters++ = letter;
			if (o->argument)
				*letters++ = ':';
		}
	}
	*letters = '\0';
	*longs = (struct option){ 0 };
}

static const ws_option *
by_code(const cli_command *command, int code)
{
	const ws_option *o;
	if (code >= LONG_BASE)
		return cli_option_at(command, code - LONG_BASE);
	for (int i = 0; (o = cli_option_at(command, i)); i++)
		if (code && code == cli_option_letter(o))
			return o;
	return NULL;
}

/* Has any command an option of this letter, or of this name? */
static bool
known_elsewhere(int letter, const char *name, size_t length)
{
	cli_command c;
	for (int i = 0; cli_command_at(i, &c); i++)
		if (letter ? by_code(&c, letter) : cli_find_option(&c, name, length))
			return true;
	return false;
}

/* Reports what getopt_long did not take; token is the word it stood at. */
static int
unknown_option(const cli_command *command, const char *token, int code)
{
	const ws_option *o = code ? by_code(command, code) : NULL;
	if (o)
		return cli_fail(EXIT_USAGE, "--%s takes no value", o->name);
	if (code && code < LONG_BASE)
		return cli_fail(EXIT_USAGE, "-%c is no option of %s%s; see wavesift %s --help",
		                code, command->name, known_elsewhere(code, NULL, 0)
		                ? ", only of other commands" : "", command->name);
	const int length = (int)strcspn(token, "=");
	const size_t named = length > 2 ? (size_t)length - 2 : 0;
	int matches = 0;
	if (known_elsewhere(0, token + 2, named))
		return cli_fail(EXIT_USAGE, "%.*s is no option of %s, only of other commands; see "
		                "wavesift %s --help", length, token, command->name, command->name);
	wsi_nearest near = { .wanted = token + 2, .length = named };
	for (int i = 0; (o = cli_option_at(command, i)); i++) {
		matches += strncmp(token + 2, o->name, named) == 0;
		wsi_nearest_offer(&near, o->name);
	}
	if (matches > 1)
		return cli_fail(EXIT_USAGE, "%.*s could be several options of %s; see wavesift %s "
		                "--help", length, token, command->name, command->name);
	if (near.name)
		return cli_fail(EXIT_USAGE, "%.*s is no option of %s; did you mean --%s?", length,
		                token, command->name, near.name);
	return cli_fail(EXIT_USAGE, "%.*s is no option of %s; see wavesift %s --help", length,
	                token, command->name, command->name);
}

static int
check_operands(cli_args *a, int n, char **operands)
{
	const cli_command *c = &a->command;
	a->inputs = operands;
	a->n_inputs = n;
	if (n < c->n_operands)
		return cli_fail(EXIT_USAGE, "%s needs %s; see wavesift %s --help", c->name,
		                c->operands, c->name);
	if (n > c->n_operands && c->transform && !cli_is_batch(a))
		return cli_fail(EXIT_USAGE, "%s: a second recording: analyses of several need "
		                "--output-dir DIR, where their results go",
		                operands[c->n_operands]);
	if (n > c->n_operands && !c->transform)
		return cli_fail(EXIT_USAGE, "%s: one operand too many; %s takes %s%s",
		                operands[c->n_operands], c->name,
		                *c->operands ? c->operands : "none",
		                c->n_operands == 1 ? ", one at a time" : "");
	for (int i = 0; i < c->n_operands; i++)
		a->operands[i] = operands[i];
	return -1;
}

/* Can the output be compressed?  The default one can; what cannot be an
 * output at all is told elsewhere. */
static bool
is_deflated(const char *output)
{
	const char *dot = output ? strrchr(output, '.') : NULL;
	return !output || (strcmp(output, "-") != 0
	                   && !(dot && (strcasecmp(dot, ".npy") == 0
	                                || strcasecmp(dot, ".csv") == 0)));
}

/* What options say together. */
static int
check_together(const cli_args *a)
{
	if (a->from.text && a->to.text && a->from.value >= a->to.value)
		return cli_fail(EXIT_USAGE, "--from %s --to %s: from must be before to",
		                a->from.text, a->to.text);
	if (a->opts && ws_options_check(a->command.transform, a->opts, a->files) != WS_OK)
		return cli_fail(EXIT_USAGE, "%s", ws_error_detail());
	const struct { const char *name; bool given; } drawn[] = {
		{ "plot-channels", a->plot_channels }, { "figure", a->figure }, { "clim", a->clim },
		{ "plot-smooth", a->smooth }, { "events-shown", a->events_shown },
		{ "db", a->db }, { "period", a->period }, { "plot-modes", a->plot_modes },
		{ "title", a->title }, { "size", a->size }, { "dpi", a->dpi },
	};
	const bool draws = a->plot || a->report || a->command.id == CMD_PLOT;
	for (size_t i = 0; !draws && i < sizeof drawn / sizeof *drawn; i++)
		if (drawn[i].given)
			return cli_fail(EXIT_USAGE, "--%s needs --plot FILE", drawn[i].name);
	if (a->db && *a->db && strcmp(a->db, "off") != 0)
		return cli_fail(EXIT_USAGE, "--db=%s: it takes no value, or off", a->db);
	if (a->json && a->output && strcmp(a->output, "-") == 0)
		return cli_fail(EXIT_USAGE, "--json and -o - both want standard output; "
		                "write the result to a file");
	if (a->compress && !is_deflated(a->output))
		return cli_fail(EXIT_USAGE, "--compress means nothing for %s; only .h5 "
		                "and .mat are deflated", a->output);
	if (a->quiet && a->verbose)
		return cli_fail(EXIT_USAGE, "--quiet and --verbose contradict each "
		                "other; give one");
	if (a->resume && *a->resume && strcmp(a->resume, "verify") != 0)
		return cli_fail(EXIT_USAGE, "--resume=%s: it takes no value, or verify", a->resume);
	const int batch = cli_batch_check(a);
	if (batch >= 0)
		return batch;
	if (a->device_memory && a->device && strcmp(a->device, "cpu") == 0)
		return cli_fail(EXIT_USAGE, "--device-memory means nothing with --device cpu");
	return -1;
}

/* Options in the order in which they stand, by the tables of getopt. */
static int
set_by_tables(cli_args *a, int argc, char **argv, const char *letters, const struct option *longs)
{
	const cli_command *command = &a->command;
	opterr = 0;
	for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
		if (code == '?')
			return unknown_option(command, argv[optind - 1], optopt);
		const ws_option *o = by_code(command, code == ':' ? optopt : code);
		if (code == ':')
			return cli_fail(EXIT_USAGE, "--%s needs a value: %s", o->name, o->argument);
		a->given[a->n_given++] = (cli_given){ o, optarg };
		const int status = set_option(a, o, optarg);
		if (status >= 0)
			return status;
		if (a->help)
			return cli_help_command(command);
		if (a->version)
			return cli_help_version();
	}
	return -1;
}

static int
set_options(cli_args *a, int argc, char **argv)
{
	size_t n = 0;
	while (cli_option_at(&a->command, (int)n))
		n++;
	char *letters = malloc(2 * n + 2);
	struct option *longs = malloc((n + 1) * sizeof *longs);
	int status = EXIT_NOROOM;
	if (letters && longs) {
		getopt_tables(&a->command, letters, longs);
		status = set_by_tables(a, argc, argv, letters, longs);
	} else {
		cli_fail(EXIT_NOROOM, "not enough memory for the options");
	}
	free(letters);
	free(longs);
	return status;
}

int
cli_args_parse(cli_args *a, const cli_command *command, int argc, char **argv)
{
	*a = (cli_args){ .command = *command, .store = NOT_GIVEN };
	/* A word has as many options as letters. */
	size_t most = 0;
	for (int i = 0; i < argc; i++)
		most += strlen(argv[i]);
	a->given = calloc(most + 1, sizeof *a->given);
	if (!a->given)
		return cli_fail(EXIT_NOROOM, "not enough memory for the options");
	if (command->transform) {
		a->opts = calloc(1, command->transform->options_size);
		if (!a->opts)
			return cli_fail(EXIT_NOROOM, "not enough memory for the options");
		ws_options_init(command->transform, a->opts, command->transform->options_size);
		a->precision = (int)command->transform->type;
	}
	/* argv[1] is the command and stands where getopt expects the program. */
	argc--;
	argv++;
	int status = set_options(a, argc, argv);
	if (status >= 0)
		return status;
	if (a->quiet)
		cli_notes_off();
	/* --progress tells more exactly what is wanted than --quiet does. */
	if (!a->progress)
		a->progress = a->quiet ? PROGRESS_NEVER : PROGRESS_AUTO;
	if (a->store == NOT_GIVEN)
		a->store = a->precision;
	status = check_operands(a, argc - optind, argv + optind);
	return status >= 0 ? status : check_together(a);
}

void
cli_args_free(cli_args *a)
{
	ws_options_free(a->command.transform, a->opts);
	free(a->opts);
	free(a->given);
	a->opts = NULL;
	a->given = NULL;
}
