/* batch_arguments.h - the command line of the process that analyses one recording of a batch. */
#ifndef CLI_BATCH_ARGUMENTS_H
#define CLI_BATCH_ARGUMENTS_H

#include "batch_inputs.h"
#include "batch_outputs.h"
#include "batch_share.h"

/* All options that were given but those of CLI_MANY, with outputs of its own (NULL: none) and its
 * share of the machine.  The words are cli_arguments_free()'s to free.  WS_E_NOMEM. */
ws_status cli_arguments_make(char ***arguments, const cli_args *args, const cli_recording *r,
                             char *const paths[MADE_KINDS], const cli_share *share);
void cli_arguments_free(char **arguments);

#endif
