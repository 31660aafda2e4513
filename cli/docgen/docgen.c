/*
 * docgen.c - writes the man page and the shell completions from the tables of commands and
 * options, while building.
 *
 *     docgen wavesift.1 | wavesift.bash | _wavesift  > FILE
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "headings.h"

/* ---- Options of all commands ------------------------------------------------------- */

#define MOST_NAMES 256
#define MOST_COMMANDS 64

/* All commands; name NULL past the last. */
static cli_command commands[MOST_COMMANDS + 1];
/* One option of each name, headings together, as commands have them first. */
static const ws_option *named[MOST_NAMES];
static size_t n_named;

static const ws_option *
option_of(const cli_command *c, const char *name)
{
	return cli_find_option(c, name, strlen(name));
}

/* Place of a name, or of the first of a heading; n_named: there is none. */
static size_t
place_of(const char *name, const char *heading)
{
	size_t k = 0;
	while (k < n_named && strcmp(name ? named[k]->name : cli_option_heading(named[k]),
	                             name ? name : heading) != 0)
		k++;
	return k;
}

/* Where the i-th option of a command goes: behind the one before it, or under a new heading before
 * the next that is known. */
static size_t
place_for(const cli_command *c, int i)
{
	const ws_option *o = cli_option_at(c, i), *near = i > 0 ? cli_option_at(c, i - 1) : NULL;
	if (near && strcmp(cli_option_heading(near), cli_option_heading(o)) == 0)
		return place_of(near->name, NULL) + 1;
	size_t at = place_of(NULL, cli_option_heading(o));
	for (int k = i + 1; at == n_named && (near = cli_option_at(c, k)); k++)
		at = place_of(NULL, cli_option_heading(near));
	return at;
}

static void
add_options(const cli_command *c)
{
	const ws_option *o;
	for (int i = 0; (o = cli_option_at(c, i)) && n_named < MOST_NAMES; i++) {
		if (place_of(o->name, NULL) < n_named)
			continue;
		const size_t at = place_for(c, i);
		memmove(named + at + 1, named + at, (n_named - at) * sizeof *named);
		named[at] = o;
		n_named++;
	}
}

/* Transforms come first: they have every heading. */
static void
collect(void)
{
	for (int i = 0; i < MOST_COMMANDS && cli_command_at(i, &commands[i]); i++)
		;
	for (int pass = 0; pass < 2; pass++)
		for (const cli_command *c = commands; c->name; c++)
			if ((pass == 0) == (c->transform != NULL))
				add_options(c);
}

static bool
same_choices(const ws_option *a, const ws_option *b)
{
	const ws_choice *x = a->choices, *y = b->choices;
	if (!x || !y)
		return x == y;
	while (x->name && y->name && strcmp(x->name, y->name) == 0) {
		x++;
		y++;
	}
	return !x->name && !y->name;
}

static bool
same_text(const ws_option *a, const ws_option *b)
{
	return strcmp(a->text, b->text) == 0;
}

/* Does an option mean the same in two commands? */
static bool
same_option(const ws_option *a, const ws_option *b)
{
	return same_text(a, b) && same_choices(a, b);
}

typedef bool (*sameness)(const ws_option *a, const ws_option *b);

/* Is c the first command whose option of this name is as its own? */
static bool
is_first(const cli_command *c, const ws_option *o, sameness same)
{
	for (const cli_command *e = commands; e < c; e++) {
		const ws_option *other = option_of(e, o->name);
		if (other && same(other, o))
			return false;
	}
	return true;
}

/* ---- Man page --------------------------------------------------------------- */

/* Escapes what roff would take for its own. */
static void
roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	char dashed[CLI_SHOWN];
	for (text = cli_dashed(text, dashed); *text && *text != '\t'; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
	}
}

/* What an option is in the commands that have it as c has it. */
static void
man_meaning(const cli_command *c, const ws_option *o)
{
	const bool told = !is_first(c, o, same_text);
	if (!told)
		roff(o->text);
	if (cli_lists_choices(o)) {
		printf(told ? "One of " : " One of ");
		for (const ws_choice *k = o->choices; k->name; k++) {
			roff(k == o->choices ? "" : ", ");
			roff(k->name);
		}
		printf(".");
	}
	bool all = true;
	for (const cli_command *e = commands; e->name; e++) {
		const ws_option *other = option_of(e, o->name);
		all &= other && same_option(other, o);
	}
	const char *comma = "\n(";
	for (const cli_command *e = c; e->name && !all; e++) {
		const ws_option *other = option_of(e, o->name);
		if (!other || !same_option(other, o))
			continue;
		printf("%s%s", comma, e->name);
		comma = ", ";
	}
	printf(all ? "\n" : ")\n");
}

static void
man_option(const ws_option *o)
{
	printf(".TP\n\\fB");
	const char letter = cli_option_letter(o);
	if (letter)
		printf("\\-%c\\fR, \\fB", letter);
	roff("--");
	roff(o->name);
	printf("\\fR");
	if (o->argument) {
		printf(cli_argument_is_optional(o) ? "\\fI" : " \\fI");
		roff(o->argument);
		printf("\\fR");
	}
	printf("\n");
	const char *between = "";
	for (const cli_command *c = commands; c->name; c++) {
		const ws_option *here = option_of(c, o->name);
		if (!here || !is_first(c, here, same_option))
			continue;
		printf("%s", between);
		man_meaning(c, here);
		between = ".IP\n";
	}
}

static void
man_description(void)
{
	printf(".\\\" Made from the tables of the program.\n"
	       ".TH WAVESIFT 1 \"\" \"wavesift " WSI_VERSION "\" \"User Commands\"\n"
	       ".SH NAME\nwavesift \\- what oscillates in a recording, and when\n"
	       ".SH SYNOPSIS\n.B wavesift\n.I COMMAND\n[options]\n.I INPUT..\n"
	       "[\\fB\\-o\\fR \\fIOUTPUT\\fR]\n"
	       ".SH DESCRIPTION\n"
	       "Analyses every channel of a recording (EEG, MEG, vibration, seismic, audio,\n"
	       "climate) by empirical mode decomposition, Hilbert\\-Huang spectra, wavelets or\n"
	       "masks, writes the result where MATLAB, Python and Julia can read it, and draws\n"
	       "it. The same input, options and numerics version give the same bits on any\n"
	       "machine and any number of threads.\n.PP\n"
	       "Inputs are told by content, then by name: EDF, EDF+, BDF, BrainVision, EEGLAB,\n"
	       "MAT (v5, v7.3), HDF5, NPY, NPZ, CSV, TSV, WAV, AIFF, FLAC, OGG, and raw\n"
	       "binary with \\fB\\-\\-raw\\fR. \\fB\\-\\fR is CSV on standard input. Results\n"
	       "go to the output, the summary to standard output, progress and messages to\n"
	       "standard error. Files are written to a temporary name and renamed when whole.\n");
}

static void
man_commands(void)
{
	printf(".SH COMMANDS\n");
	for (const cli_command *c = commands; c->name; c++) {
		printf(".TP\n\\fB%s\\fR \\fI%s\\fR\n", c->name, c->operands);
		roff(c->text);
		printf("\n");
	}
}

static void
man_options(void)
{
	printf(".SH OPTIONS\nCommands that have an option are named where not all do, or where "
	       "they\ndiffer in it.\n");
	const char *heading = "";
	for (size_t i = 0; i < n_named; i++) {
		const char *of = cli_option_heading(named[i]);
		if (strcmp(heading, of) != 0)
			printf(".SS %s\n", of);
		heading = of;
		man_option(named[i]);
	}
}

static void
man_exit_status(void)
{
	static const char *const statuses[][2] = {
		{ "0", "done" },
		{ "1", "internal error" },
		{ "2", "usage: an option or operand is wrong, or the output exists" },
		{ "3", "an input is unreadable or invalid" },
		{ "4", "not enough memory or disk, or the output cannot be written" },
		{ "5", "no such device, or it failed" },
		{ "6", "a stop rule was not reached under --strict" },
		{ "7", "some recordings of many failed; the others are done" },
		{ "75", "stopped by --max-time or SIGUSR1; --resume goes on" },
		{ "129, 130, 143", "ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM; nothing "
		  "half-written is left" },
	};
	printf(".SH EXIT STATUS\n");
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
		printf(".TP\n%s\n", statuses[i][0]);
		roff(statuses[i][1]);
		printf("\n");
	}
}

static void
man_examples(void)
{
	printf(".SH EXAMPLES\n");
	for (const cli_command *c = commands; c->name; c++)
		for (int i = 0; c->examples && c->examples[i]; i++) {
			printf(".TP\n.B ");
			roff(c->examples[i]);
			const char *tab = strchr(c->examples[i], '\t');
			printf("\n");
			roff(tab ? tab + 1 : c->summary);
			printf("\n");
		}
}

static void
man(void)
{
	man_description();
	man_commands();
	man_options();
	man_exit_status();
	man_examples();
}

/* ---- Completions ------------------------------------------------------------- */

static void
print_choices(const ws_choice *choices)
{
	for (const ws_choice *c = choices; c->name; c++)
		printf("%s%s", c == choices ? "" : " ", c->name);
}

/* The values of an option, for all commands where they are the same. */
static void
bash_values(const ws_option *o)
{
	for (const cli_command *c = commands; c->name; c++) {
		const ws_option *here = option_of(c, o->name);
		const char *bar = "";
		if (!here || !here->argument || cli_argument_is_optional(here)
		    || strcmp(here->argument, "FILE") == 0 || !is_first(c, here, same_choices))
			continue;
		printf("\t");
		for (const cli_command *e = c; e->name; e++) {
			const ws_option *other = option_of(e, o->name);
			if (!other || !same_choices(other, here))
				continue;
			printf("%s%s:--%s", bar, e->name, o->name);
			bar = "|";
			if (cli_option_letter(o))
				printf("|%s:-%c", e->name, cli_option_letter(o));
		}
		if (!here->choices) {
			printf(") return ;;\n");
			continue;
		}
		printf(") COMPREPLY=($(compgen -W \"");
		print_choices(here->choices);
		printf("\" -- \"$cur\")); return ;;\n");
	}
}

static void
bash_completion(void)
{
	printf("# bash completion for wavesift, made from its tables\n"
	       "_wavesift()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options\n"
	       "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"");
	for (const cli_command *c = commands; c->name; c++)
		printf("%s ", c->name);
	printf("--help --version\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]}:$prev "
	       "in\n");
	for (size_t i = 0; i < n_named; i++)
		bash_values(named[i]);
	printf("\tesac\n\tcase ${COMP_WORDS[1]} in\n");
	for (const cli_command *c = commands; c->name; c++) {
		printf("\t%s) options=\"", c->name);
		const ws_option *o;
		for (int i = 0; (o = cli_option_at(c, i)); i++)
			printf("--%s ", o->name);
		printf("\" ;;\n");
	}
	printf("\tesac\n\tcase $cur in\n"
	       "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
	       "\t*) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
	       "\tesac\n}\ncomplete -o filenames -F _wavesift wavesift\n");
}

/* The first sentence of an option, without what _arguments would take for its
 * own. */
static void
zsh_text(const char *text)
{
	char dashed[CLI_SHOWN];
	text = cli_dashed(text, dashed);
	for (; *text && !(text[0] == '.' && (text[1] == ' ' || !text[1])); text++)
		if (!strchr("[]:'\\", *text))
			putchar(*text);
}

static void
zsh_completion(void)
{
	printf("#compdef wavesift\n# made from wavesift's tables\n"
	       "_wavesift() {\n\tlocal -a commands options\n\tcommands=(\n");
	for (const cli_command *c = commands; c->name; c++) {
		printf("\t\t'%s:", c->name);
		zsh_text(c->summary);
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n"
	       "\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n"
	       "\tcase $command in\n");
	for (const cli_command *c = commands; c->name; c++) {
		printf("\t%s)\n\t\toptions=(\n", c->name);
		const ws_option *o;
		for (int i = 0; (o = cli_option_at(c, i)); i++) {
			printf("\t\t\t'--%s[", o->name);
			zsh_text(o->text);
			printf("]");
			if (o->argument && !cli_argument_is_optional(o))
				printf(":%s:", o->name);
			if (o->choices) {
				printf("(");
				print_choices(o->choices);
				printf(")");
			} else if (o->argument && strcmp(o->argument, "FILE") == 0) {
				printf("_files");
			}
			printf("'\n");
		}
		printf("\t\t) ;;\n");
	}
	printf("\tesac\n\t_arguments $options '*:file:_files'\n}\n_wavesift \"$@\"\n");
}

int
main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	collect();
	if (strcmp(what, "wavesift.1") == 0)
		man();
	else if (strcmp(what, "wavesift.bash") == 0)
		bash_completion();
	else if (strcmp(what, "_wavesift") == 0)
		zsh_completion();
	else
		return 2;
	return fflush(stdout) != 0 || ferror(stdout);
}
