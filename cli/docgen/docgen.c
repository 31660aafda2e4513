/*
 * docgen.c - writes the man page and the shell completions from the option
 * table, while building.
 *
 *     docgen wavesift.1 | wavesift.bash | _wavesift  > FILE
 */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "wavesift/wavesift.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)
#define VERSION                                                    \
	STRING(WS_VERSION_MAJOR) "." STRING(WS_VERSION_MINOR) "." \
	STRING(WS_VERSION_PATCH)

/* ---- Man page --------------------------------------------------------------- */

/* Escapes what roff would take for its own. */
static void
roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text && *text != '\t'; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
	}
}

static void
man_option(const cli_option *o)
{
	printf(".TP\n\\fB");
	if (o->letter)
		printf("\\-%c\\fR, \\fB", o->letter);
	roff("--");
	roff(o->name);
	printf("\\fR");
	if (o->argument) {
		printf(" \\fI");
		roff(o->argument);
		printf("\\fR");
	}
	printf("\n");
	roff(o->text);
	if (o->choices) {
		printf(" One of ");
		for (const char *c = o->choices; *c; c++) {
			char piece[2] = { *c, 0 };
			roff(*c == '|' ? ", " : piece);
		}
		printf(".");
	}
	unsigned missing = CMD_ALL & ~o->commands;
	if (missing) {
		printf("\n(");
		const char *comma = "";
		for (const cli_command *c = cli_commands; c->name; c++)
			if (o->commands & c->id) {
				printf("%s%s", comma, c->name);
				comma = ", ";
			}
		printf(")");
	}
	printf("\n");
}

static void
man(void)
{
	printf(".\\\" Made from the option table of the program.\n"
	       ".TH WAVESIFT 1 \"\" \"wavesift " VERSION "\" \"User Commands\"\n"
	       ".SH NAME\nwavesift \\- time\\-frequency decomposition of recordings\n"
	       ".SH SYNOPSIS\n.B wavesift\n.I COMMAND\n[options]\n.I INPUT\n"
	       "[\\fB\\-o\\fR \\fIOUTPUT\\fR]\n"
	       ".SH DESCRIPTION\n"
	       "Decomposes every channel of a recording (EEG, MEG, vibration, seismic, audio,\n"
	       "climate) into its modes, writes them where MATLAB, Python and Julia can\n"
	       "read them, and draws them. The same input, options and numerics version\n"
	       "give the same bits on any machine and any number of threads.\n.PP\n"
	       "Inputs are told by content, then by name: EDF, EDF+, BDF, BrainVision, EEGLAB,\n"
	       "MAT (v5, v7.3), HDF5, NPY, NPZ, CSV, TSV, WAV, AIFF, FLAC, OGG, and raw\n"
	       "binary with \\fB\\-\\-raw\\fR. \\fB\\-\\fR is CSV on standard input. Results\n"
	       "go to the output, the summary to standard output, progress and messages to\n"
	       "standard error. Files are written to a temporary name and renamed when whole.\n"
	       ".SH COMMANDS\n");
	for (const cli_command *c = cli_commands; c->name; c++) {
		printf(".TP\n\\fB%s\\fR \\fI%s\\fR\n", c->name, c->operands);
		roff(c->text);
		printf("\n");
	}
	printf(".SH OPTIONS\nThe same option means the same in every command; those that\n"
	       "have it are named where not all do.\n");
	const char *group = "";
	for (const cli_option *o = cli_options; o->name; o++) {
		if (strcmp(group, o->group) != 0)
			printf(".SS %s\n", o->group);
		group = o->group;
		man_option(o);
	}
	static const char *const statuses[][2] = {
		{ "0", "done" },
		{ "1", "internal error" },
		{ "2", "usage: an option or operand is wrong, or the output exists" },
		{ "3", "an input is unreadable or invalid" },
		{ "4", "not enough memory or disk, or the output cannot be written" },
		{ "5", "no such device, or it failed" },
		{ "6", "a stop rule was not reached under --strict" },
		{ "129, 130, 143", "ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM; nothing "
		  "half-written is left" },
	};
	printf(".SH EXIT STATUS\n");
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
		printf(".TP\n%s\n", statuses[i][0]);
		roff(statuses[i][1]);
		printf("\n");
	}
	printf(".SH EXAMPLES\n");
	for (const cli_command *c = cli_commands; c->name; c++)
		for (int i = 0; i < 3 && c->examples[i]; i++) {
			printf(".TP\n.B ");
			roff(c->examples[i]);
			const char *tab = strchr(c->examples[i], '\t');
			printf("\n");
			roff(tab ? tab + 1 : c->summary);
			printf("\n");
		}
}

/* ---- Completions ------------------------------------------------------------- */

static void
print_choices(const char *choices)
{
	for (; *choices; choices++)
		putchar(*choices == '|' ? ' ' : *choices);
}

static void
bash_completion(void)
{
	printf("# bash completion for wavesift, made from its option table\n"
	       "_wavesift()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options\n"
	       "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"");
	for (const cli_command *c = cli_commands; c->name; c++)
		printf("%s ", c->name);
	printf("--help --version\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase $prev in\n");
	for (const cli_option *o = cli_options; o->name; o++) {
		if (!o->argument || strcmp(o->argument, "FILE") == 0)
			continue;
		printf("\t--%s", o->name);
		if (o->letter)
			printf("|-%c", o->letter);
		if (o->choices) {
			printf(") COMPREPLY=($(compgen -W \"");
			print_choices(o->choices);
			printf("\" -- \"$cur\")); return ;;\n");
		} else {
			printf(") return ;;\n");
		}
	}
	printf("\tesac\n\tcase ${COMP_WORDS[1]} in\n");
	for (const cli_command *c = cli_commands; c->name; c++) {
		printf("\t%s) options=\"", c->name);
		for (const cli_option *o = cli_options; o->name; o++)
			if (o->commands & c->id)
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
	for (; *text && !(text[0] == '.' && (text[1] == ' ' || !text[1])); text++)
		if (!strchr("[]:'\\", *text))
			putchar(*text);
}

static void
zsh_completion(void)
{
	printf("#compdef wavesift\n# made from wavesift's option table\n"
	       "_wavesift() {\n\tlocal -a commands options\n\tcommands=(\n");
	for (const cli_command *c = cli_commands; c->name; c++) {
		printf("\t\t'%s:", c->name);
		zsh_text(c->summary);
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n"
	       "\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n"
	       "\tcase $command in\n");
	for (const cli_command *c = cli_commands; c->name; c++) {
		printf("\t%s)\n\t\toptions=(\n", c->name);
		for (const cli_option *o = cli_options; o->name; o++) {
			if (!(o->commands & c->id))
				continue;
			printf("\t\t\t'--%s[", o->name);
			zsh_text(o->text);
			printf("]");
			if (o->argument)
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
