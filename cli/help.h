/* help.h - the screens of --help and --version, from the tables of commands and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "options.h"

/* Each prints to standard output and returns EXIT_DONE. */
int cli_help_program(void);
int cli_help_command(const cli_command *command);
int cli_help_version(void);

#endif
