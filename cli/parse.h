/* parse.h - from the words of a command line to options and operands, each checked by itself. */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "args.h"

/* Parses argv[2..] of a command.  Returns -1 to go on, or the exit status:
 * --help and --version have been answered, a mistake has been reported.  In
 * both cases cli_args_free() is due. */
int cli_args_parse(cli_args *args, const cli_command *command, int argc, char **argv);
void cli_args_free(cli_args *args);

#endif
