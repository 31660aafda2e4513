/*
 * batch_inputs.h - the recordings of a batch: what operands name, what folders and lists hold, and
 * what the result of each is called.
 */
#ifndef CLI_BATCH_INPUTS_H
#define CLI_BATCH_INPUTS_H

#include "args.h"
#include "batch_list.h"

/* Finds all of them.  The folder that results go to is not searched where it lies in another.
 * Files that are not there are recordings too: they fail when they are read.  On failure, WS_E_ARG,
 * WS_E_IO or WS_E_NOMEM, cli_inputs_free() is still due. */
ws_status cli_inputs_find(cli_inputs *inputs, const cli_args *args);
/* Gives each its label: STEM_COMMAND, behind those folders that tell it from others of this name,
 * or with the file's ending where only that does.  WS_E_ARG: two would be one file. */
ws_status cli_inputs_name(cli_inputs *inputs, const char *command);

#endif
