/* batch_list.h - the recordings of a batch, and a walk through the files of a folder. */
#ifndef CLI_BATCH_LIST_H
#define CLI_BATCH_LIST_H

#include <fts.h>
#include <stdint.h>

#include "wavesift/wavesift.h"

typedef struct cli_recording {
	char *path;        /* as it was named, or found */
	char *folder;      /* it lies in, without links; the name as it is where there is none */
	uint64_t bytes;    /* of its file, and of the samples beside it; 0: not known */
	char *label;       /* of what is made of it, without ending: "sub-01/rest_emd" */
	char *dataset;     /* root of the BIDS data set in which it was found; or NULL */
	size_t place;      /* in the order in which they were named, from 0 */
} cli_recording;

typedef struct cli_inputs {
	cli_recording *all;
	size_t n, room;
	size_t repeated;   /* names of one that is there already */
} cli_inputs;

/* Adds one.  WS_E_NOMEM. */
ws_status cli_inputs_add(cli_inputs *inputs, const char *path);
void cli_inputs_free(cli_inputs *inputs);

/* By name, all that lies in a folder and those in it: root is its name without slashes at the end.
 * WS_E_IO where one cannot be read, WS_E_NOMEM; else as take(), which ends it. */
typedef ws_status (*cli_walk_take)(void *user, const char *root, FTS *walk, FTSENT *e);
ws_status cli_inputs_walk(const cli_inputs *inputs, const char *folder, cli_walk_take take,
                          void *user);

/* In the order in which they were named. */
void cli_inputs_sort(cli_inputs *inputs);

void cli_recording_free(cli_recording *r);

#endif
