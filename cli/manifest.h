/*
 * manifest.h - what the blocks of a checkpoint are of: a file of JSON in their folder, with its
 * checksum in a second line.  It is written once, before the first block.
 */
#ifndef CLI_MANIFEST_H
#define CLI_MANIFEST_H

#include <jansson.h>
#include <stdint.h>

#include "args.h"
#include "io/read/input.h"
#include "outputs.h"
#include "run/program.h"

#define CLI_MANIFEST "manifest.json"

typedef struct cli_manifest {
	json_t *root;           /* NULL: there is none */
	uint64_t id;            /* that blocks of it have */
	size_t block, part;     /* how the run was cut (wsi_run_cut) */
	size_t cells;           /* channels times rows of the axis by which they can be cut: all */
} cli_manifest;

/* Reads that of the folder, if any.  WS_E_FORMAT: it is damaged; WS_E_NOMEM; WS_E_IO. */
ws_status cli_manifest_read(cli_manifest *m, const char *folder);
/* Makes one of this run and writes it: WS_E_NOMEM, WS_E_NOSPACE, WS_E_IO. */
ws_status cli_manifest_write(cli_manifest *m, const char *folder, const cli_args *args,
                             const wsi_input *in, const ws_run *run, const cli_outputs *outputs);
void cli_manifest_free(cli_manifest *m);

/* What is known of it: a text; "". */
const char *cli_manifest_text(const cli_manifest *m, const char *key);

/* Does what there is go on with this command?  WS_E_EXISTS names what differs: before the run is
 * planned, and after. */
ws_status cli_manifest_check(const cli_manifest *m, const char *folder, const cli_args *args);
ws_status cli_manifest_check_run(const cli_manifest *m, const char *folder, const ws_run *run,
                                 const cli_outputs *outputs);
/* Do files have the contents that they had then, as all have been read by now? */
ws_status cli_manifest_check_read(const cli_manifest *m, const char *folder, const cli_args *args,
                                  const wsi_input *in);

#endif
