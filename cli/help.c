/* help.c - the screens of --help and --version, from the tables of commands and options. */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "headings.h"
#include "message.h"
#include "wavesift/wavesift.h"

#define WIDTH  80
#define COLUMN 28 /* where the text of an option starts */

/* Prints text from a column on, the lines after the first indented to it.
 * at: the column where the cursor is. */
static void
print_wrapped(const char *text, int at, int indent)
{
	while (*text) {
		int word = (int)strcspn(text, " ");
		if (at > indent && at + 1 + word > WIDTH) {
			putchar('\n');
			at = 0;
		}
		if (at < indent)
			printf("%*s", indent - at, "");
		else if (at > indent)
			putchar(' ');
		at = at > indent ? at + 1 + word : indent + word;
		printf("%.*s", word, text);
		text += word;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void
print_example(const char *example)
{
	int command = (int)strcspn(example, "\t");
	printf("  %.*s\n", command, example);
	if (example[command])
		printf("      %s\n", example + command + 1);
}

static void
print_option(const ws_option *o)
{
	char text[CLI_SHOWN];
	const char letter = cli_option_letter(o);
	int at = printf(letter ? "  -%c, " : "      ", letter);
	at += printf("--%s", o->name);
	if (o->argument)
		at += printf("%s%s", cli_argument_is_optional(o) ? "" : " ", o->argument);
	if (at + 2 > COLUMN) {
		putchar('\n');
		at = 0;
	}
	print_wrapped(cli_dashed(o->text, text), at, COLUMN);
	if (!cli_lists_choices(o))
		return;
	char list[256];
	int n = 0;
	for (const ws_choice *c = o->choices; c->name && n < 200; c++)
		n += snprintf(list + n, sizeof list - (size_t)n, "%s%s", n ? " | " : "", c->name);
	print_wrapped(list, 0, COLUMN);
}

int
cli_help_program(void)
{
	printf("wavesift %s - what oscillates in a recording, and when\n\n"
	       "Usage: wavesift COMMAND [options] INPUT.. [-o OUTPUT | --output-dir DIR]\n",
	       ws_version());
	const char *group = "";
	cli_command c;
	for (int i = 0; cli_command_at(i, &c); i++) {
		if (strcmp(group, c.group) != 0)
			printf("\n%s\n", c.group);
		group = c.group;
		printf("  %-11s %s\n", c.name, c.summary);
	}
	printf("\nRecordings: EDF, BDF, BrainVision, EEGLAB, MAT, HDF5, NPY, NPZ, CSV, TSV, WAV,\n"
	       "            AIFF, FLAC, OGG, raw binary; - is CSV on standard input\n"
	       "Results:    .h5 (default), .npy, .mat, .csv; figures: .png, .svg, .pdf\n"
	       "\nExamples\n");
	print_example("wavesift info night.edf");
	print_example("wavesift iceemdan night.edf --channels Cz --to 60 --plot cz.png");
	print_example("wavesift iceemdan *.edf --output-dir results --jobs 4");
	printf("\nwavesift COMMAND --help explains a command, man wavesift everything.\n");
	return EXIT_DONE;
}

int
cli_help_command(const cli_command *command)
{
	printf("wavesift %s - %s\n\nUsage: wavesift %s [options]%s%s\n\n", command->name,
	       command->summary, command->name, *command->operands ? " " : "", command->operands);
	print_wrapped(command->text, 0, 0);
	const char *heading = "";
	const ws_option *o;
	for (int i = 0; (o = cli_option_at(command, i)); i++) {
		const char *of = cli_option_heading(o);
		if (strcmp(heading, of) != 0)
			printf("\n%s\n", of);
		heading = of;
		print_option(o);
	}
	printf("\nExamples\n");
	for (int i = 0; command->examples && command->examples[i]; i++)
		print_example(command->examples[i]);
	return EXIT_DONE;
}

int
cli_help_version(void)
{
	printf("wavesift %s (numerics version %d)\n", ws_version(), ws_numerics_version());
	return EXIT_DONE;
}
