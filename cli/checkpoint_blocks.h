/*
 * checkpoint_blocks.h - finished blocks of a run as files of a folder, one for each.
 *
 * A file has its name once it is whole and on the disk (base/newfile.h).  It says what it is of, so
 * nothing else needs to list it, and has a checksum for each part of it.
 */
#ifndef CLI_CHECKPOINT_BLOCKS_H
#define CLI_CHECKPOINT_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/newfile.h"
#include "outputs.h"
#include "run/program.h"

#define CLI_BLOCK_ENDING ".block"

/* Head of a file.  A list of numbers follows, then each channel's result. */
typedef struct cli_block_head {
	char magic[8];
	uint64_t id;            /* of the checkpoint */
	uint64_t channel, channels, row, rows; /* as of wsi_run_rows */
	uint64_t numbers;       /* pairs of them */
	uint32_t slab;          /* bytes of a ws_slab, by which the layout is told */
	uint32_t crc;           /* of the head, with 0 here, and of the numbers */
} cli_block_head;

/* ---- Writing ------------------------------------------------------------------------ */

typedef struct cli_block_writer {
	wsi_newfile file;
	char *path;
	wsi_run_rows rows;
	uint32_t crc;           /* of the channel that is being written */
	char *buffer;           /* [used] that is not written yet */
	size_t used;
} cli_block_writer;

/* Begins a block in the folder.  numbers: values that are not 0 are kept, with their places.
 * Failures leave nothing: WS_E_NOMEM, WS_E_NOSPACE, WS_E_IO. */
ws_status cli_block_open(cli_block_writer *w, const char *folder, uint64_t id,
                         const wsi_run_rows *rows, const size_t *numbers, size_t n);
/* The next channel of it. */
ws_status cli_block_put(cli_block_writer *w, const cli_outputs *outputs,
                        const ws_channel_result *result);
/* All channels are there. */
ws_status cli_block_commit(cli_block_writer *w);
/* Removes what is not whole.  A closed or zeroed one is fine. */
void cli_block_close(cli_block_writer *w);

/* ---- Reading ------------------------------------------------------------------------ */

/* The result of a channel, or part of one, in a file. */
typedef struct cli_kept {
	size_t channel, row, rows;
	size_t file;            /* among the files */
	uint64_t at, bytes;     /* in it */
} cli_kept;

typedef struct cli_blocks {
	char *folder;
	char **files;           /* [n_files] paths */
	size_t n_files;
	cli_kept *kept;         /* [n_kept] by channel and row, the longest first */
	size_t n_kept, room;
	size_t cells;           /* channels times rows that are there */
	uint64_t bytes;
} cli_blocks;

/* Lists what the folder has of the checkpoint of this id; what is no whole block of it is passed
 * over.  numbers, unless NULL: each becomes the one that was kept, where that is larger. */
ws_status cli_blocks_list(cli_blocks *b, const char *folder, uint64_t id, size_t *numbers,
                          size_t n);
void cli_blocks_free(cli_blocks *b);

/* The results that together make up a block, each once: their places among `kept` go to the
 * caller's list.  Returns how many they are; 0: some are missing. */
size_t cli_blocks_find(const cli_blocks *b, const wsi_run_rows *rows, size_t *list, size_t room);

/* Is it as it was written? */
bool cli_kept_is_whole(const cli_blocks *b, const cli_kept *kept);
/* Its packed bytes, to free().  WS_E_NOMEM, WS_E_IO. */
ws_status cli_kept_read(const cli_blocks *b, const cli_kept *kept, void **bytes);

#endif
