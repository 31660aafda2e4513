/* main.c - the program wavesift: finds the command and runs it. */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "base/library.h"
#include "base/nearest.h"
#include "base/status.h"
#include "base/target.h"
#include "base/stack.h"
#include "batch.h"
#include "commands.h"
#include "help.h"
#include "io/read/opened.h"
#include "json.h"
#include "machine.h"
#include "message.h"
#include "parse.h"
#include "ranks_gpu.h"
#include "signals.h"

static int
run(const cli_args *args)
{
	switch (args->command.id) {
	case CMD_INFO:    return cli_cmd_info(args);
	case CMD_DEVICES: return cli_cmd_devices(args);
	case CMD_PLOT:    return cli_cmd_plot(args);
	case CMD_COMPARE: return cli_cmd_compare(args);
	case CMD_RECONSTRUCT: return cli_cmd_reconstruct(args);
	default:          return cli_is_batch(args) ? cli_cmd_batch(args)
	                         : cli_cmd_transform(args);
	}
}

static int
no_such_command(const char *name)
{
	cli_command c;
	char meant[WSI_NEAREST_TEXT];
	wsi_nearest near = { .wanted = name, .length = strlen(name) };
	for (int i = 0; cli_command_at(i, &c); i++)
		wsi_nearest_offer(&near, c.name);
	return cli_fail(EXIT_USAGE, "%s: no such command%s", name,
	                near.name ? wsi_nearest_tell(&near, meant) : "; see wavesift --help");
}

/* "help" alone, or with the name of a command. */
static int
help(const char *name)
{
	cli_command command;
	if (!name)
		return cli_help_program();
	return cli_find_command(name, &command) ? cli_help_command(&command)
	       : no_such_command(name);
}

static bool output_was_closed;

/* What is opened must not get the number of a standard stream that was closed.  Standard output is
 * then such that writing to it fails, as to what is closed. */
static void
fill_closed(void)
{
	static const int ways[] = { O_WRONLY, O_RDONLY, O_RDWR };
	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		output_was_closed |= fd == STDOUT_FILENO;
		if (open("/dev/null", ways[fd]) != fd)
			_exit(EXIT_NOROOM);
	}
}

/* Does the command give something else than what it prints? */
static bool
gives_a_file(const cli_args *a)
{
	const bool transform = a->command.transform && !a->dry_run && !a->json;
	return (transform || a->command.id == CMD_PLOT || a->command.id == CMD_RECONSTRUCT)
	       && !(a->output && strcmp(a->output, "-") == 0);
}

/* Output lost on its way to standard output is a failure, unless it is a summary of what lies in a
 * file, and standard output was closed to be rid of it. */
static int
flush_output(int status, bool summary)
{
	const bool lost = fflush(stdout) != 0 || ferror(stdout);
	if (lost && status == EXIT_DONE && !(summary && output_was_closed))
		return cli_fail(EXIT_NOROOM, "standard output cannot be written");
	return status;
}

/* Joins those that were started together with this process, if any, and takes its share of the
 * machine.  As cli_ranks_open(). */
static int
join(cli_args *args, const cli_launch *launch, char **typed, int status)
{
	if (launch->tasks < 2)
		return status;
	status = cli_ranks_open(&args->ranks, launch, args, typed, status);
	if (args->ranks && !args->threads)
		args->threads = cli_ranks_self(args->ranks).threads;
	if (args->ranks && !args->memory)
		args->memory = cli_memory_default() / (size_t)cli_ranks_self(args->ranks).locals;
	return args->ranks && status < 0 ? cli_ranks_take_gpu(args->ranks, args) : status;
}

/* The fonts of figures may lie with the program, as those of a wheel do. */
static void
find_fonts(void)
{
	char fonts[PATH_MAX];
	if (wsi_library_find("wavesift-fonts.conf", fonts))
		setenv("FONTCONFIG_FILE", fonts, 0);
}

static int
program(int argc, char **argv)
{
	cli_signals_install();
	find_fonts();
	cli_json_start();
	if (argc < 2)
		return cli_fail(EXIT_USAGE, "a command is needed, such as wavesift info FILE; see "
		                "wavesift --help");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return flush_output(cli_help_program(), false);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return flush_output(cli_help_version(), false);
	if (strcmp(argv[1], "help") == 0)
		return flush_output(help(argv[2]), false);
	cli_command command;
	if (!cli_find_command(argv[1], &command))
		return no_such_command(argv[1]);
	/* getopt_long moves the operands to the end; provenance wants the words as
	 * they were typed. */
	char **typed = calloc((size_t)argc + 1, sizeof *typed);
	if (!typed)
		return cli_fail(EXIT_NOROOM, "not enough memory for the command line");
	memcpy(typed, argv, (size_t)argc * sizeof *typed);
	cli_args args;
	const cli_launch launch = command.transform ? cli_launch_of_us()
	        : (cli_launch){ .tasks = 1 };
	if (launch.tasks > 1)
		cli_messages_keep();
	int status = cli_args_parse(&args, &command, argc, argv);
	status = join(&args, &launch, typed, status);
	bool summary = false;
	if (status < 0) {
		wsi_opened opened = { 0 };
		args.command_line = typed;
		args.opened = &opened;
		summary = gives_a_file(&args);
		status = run(&args);
		wsi_opened_free(&opened);
		wsi_target_release();
	}
	status = cli_ranks_close(args.ranks, status);
	cli_args_free(&args);
	free(typed);
	return flush_output(status, summary);
}

int
main(int argc, char **argv)
{
	wsi_numbers_from = 1;
	fill_closed();
	return wsi_on_common_stack(program, argc, argv);
}
