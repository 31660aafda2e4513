/* batch_outputs.h - where what is made of each recording of a batch goes. */
#ifndef CLI_BATCH_OUTPUTS_H
#define CLI_BATCH_OUTPUTS_H

#include "batch_inputs.h"

typedef enum cli_made {
	MADE_RESULT, MADE_FIGURE, MADE_CYCLES, MADE_MASKS, MADE_REPORT, MADE_KINDS
} cli_made;

/* The option that names it: "output", "plot". */
const char *cli_made_option(cli_made kind);
/* What it is called in a record: "result", "figure". */
const char *cli_made_word(cli_made kind);

/* The path of it, which is the caller's to free.  *path is NULL where the options ask for none. */
ws_status cli_made_path(char **path, cli_made kind, const cli_recording *r, const cli_args *args);

/* What the options that name outputs may be here; the exit status of a refusal, or -1. */
int cli_made_check(const cli_args *args);

/* WS_E_ARG: what would be made of one recording is another, which might not be read by then. */
ws_status cli_made_check_inputs(const cli_inputs *inputs, const cli_args *args);

/* Makes a folder, and those above it, where they are not there; *_of: the folder of a file of this
 * path.  The number of folders made is added to *made.  WS_E_IO, WS_E_NOSPACE. */
ws_status cli_folder_make(const char *path);
ws_status cli_folder_make_of(const char *path, int *made);
/* Removes them again where they are empty. */
void cli_folder_unmake_of(const char *path, int made);

#endif
