/*
 * batch_inputs.h - the recordings of a batch: what operands name, what folders and lists hold, and
 * what the result of each is called.
 */
#ifndef CLI_BATCH_INPUTS_H
#define CLI_BATCH_INPUTS_H

#include <stdint.h>

#include "args.h"

typedef struct cli_recording {
	char *path;        /* as it was named, or found */
	char *folder;      /* it lies in, without links; the name as it is where there is none */
	uint64_t bytes;    /* of its file, and of the samples beside it; 0: not known */
	char *label;       /* of what is made of it, without ending: "sub-01/rest_emd" */
	char *dataset;     /* root of the BIDS data set in which it was found; or NULL */
	char *channels, *events; /* tables of that beside it; or NULL */
	size_t place;      /* in the order in which they were named, from 0 */
} cli_recording;

typedef struct cli_inputs {
	cli_recording *all;
	size_t n, room;
	size_t repeated;   /* names of one that is there already */
} cli_inputs;

/* Finds all of them.  The folder that results go to is not searched where it lies in another.
 * Files that are not there are recordings too: they fail when they are read.  On failure, WS_E_ARG,
 * WS_E_IO or WS_E_NOMEM, cli_inputs_free() is still due. */
ws_status cli_inputs_find(cli_inputs *inputs, const cli_args *args);
/* Adds one.  WS_E_NOMEM. */
ws_status cli_inputs_add(cli_inputs *inputs, const char *path);
void cli_inputs_free(cli_inputs *inputs);
void cli_recording_free(cli_recording *r);

/* Gives each its label: STEM_COMMAND, behind those folders that tell it from others of this name,
 * or with the file's ending where only that does.  WS_E_ARG: two would be one file. */
ws_status cli_inputs_name(cli_inputs *inputs, const char *command);

#endif
