/*
 * batch_log.h - the record of a batch: a line of JSON for each recording, added to a file.
 *
 * A line is written at once, so that none is cut when the program ends.
 */
#ifndef CLI_BATCH_LOG_H
#define CLI_BATCH_LOG_H

#include <jansson.h>

#include "wavesift/wavesift.h"

typedef struct cli_batch_log {
	char *path;
	int fd;            /* -1: closed */
} cli_batch_log;

/* Opens, and makes where it is not there, folder/name.  On failure it is closed. */
ws_status cli_batch_log_open(cli_batch_log *log, const char *folder, const char *name);
/* Adds a record, and frees it. */
ws_status cli_batch_log_add(cli_batch_log *log, json_t *record);
void cli_batch_log_close(cli_batch_log *log);

#endif
