/* commands.h - the commands; each returns the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "args.h"

int cli_cmd_info(const cli_args *args);
int cli_cmd_devices(const cli_args *args);
int cli_cmd_transform(const cli_args *args);
int cli_cmd_plot(const cli_args *args);
int cli_cmd_compare(const cli_args *args);
int cli_cmd_reconstruct(const cli_args *args);

#endif
