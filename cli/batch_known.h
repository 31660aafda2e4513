/*
 * batch_known.h - recordings that the record of a batch tells to be finished (--resume).
 *
 * The process of a recording tells which files it has read, and the record keeps that, with size
 * and time of change of the result.  Where all of these are as they were, by stat(), and the
 * options and versions, too, no process need look into the result.  Anything else is for such a
 * process.
 */
#ifndef CLI_BATCH_KNOWN_H
#define CLI_BATCH_KNOWN_H

#include <jansson.h>
#include <sys/stat.h>

#include "batch_inputs.h"
#include "batch_outputs.h"

/* Asks processes that are started from now on to tell their files: in a message that begins so. */
void cli_known_ask(void);
#define CLI_TELLS "WAVESIFT_TELLS"
#define CLI_TELLS_FILES "wavesift: read: "

/* The last record of each recording that was done, by path; NULL: there is none.  path: of the
 * record of a batch.  json_decref() frees it. */
json_t *cli_known_read(const char *path);

/* What a record has for that: told, of the process; and its result. */
void cli_known_add(json_t *record, json_t *told, const char *result);

/* Is it finished?  Then what its process told; or NULL.  words: its command line now. */
json_t *cli_known_finished(const json_t *known, const cli_recording *r, const json_t *words,
                           char *const paths[MADE_KINDS]);

#endif
