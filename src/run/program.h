/* program.h - what the program asks of a run beside wavesift.h. */
#ifndef WSI_RUN_PROGRAM_H
#define WSI_RUN_PROGRAM_H

#include <stdbool.h>

#include "wavesift/wavesift.h"

/* How the blocks of a run are cut where several processes take them in turn (ws_stream.next): each
 * plans a run, and all must cut alike. */
typedef struct wsi_run_cut {
	size_t processes;       /* that are to have some */
	size_t block;           /* channels of a block; 0: the run chooses both */
	size_t part;            /* of the axis by which a channel is cut; 0: it is not */
	double seconds;         /* that a block is expected to take at most, where it can be cut so;
	                           0: any */
} wsi_run_cut;

/* As ws_run_create().  Where there are fewer channels than processes, they are cut, if the
 * transform can be. */
ws_status wsi_run_create_cut(ws_run **run, ws_ctx *ctx, const char *transform,
                             const ws_shape *shape, const void *opts, size_t memory,
                             const wsi_run_cut *cut);
/* How it is cut. */
wsi_run_cut wsi_run_cut_of(const ws_run *run);

/* What a block is of: channels, and of the axis by which these can be cut some rows, or all. */
typedef struct wsi_run_rows {
	size_t channel, channels;
	size_t row, rows;       /* 0 and 1 where they cannot be cut */
} wsi_run_rows;
wsi_run_rows wsi_run_rows_of(const ws_run *run, size_t block);

/* Do other devices make results that differ in their last digits?  Else all make the same bits. */
bool wsi_run_depends_on_device(const ws_run *run);

/* Bytes of all arrays of one channel, or part of it, as ws_stream.write is handed them. */
size_t wsi_run_result_bytes(const ws_run *run);

/* The number (UUID, 16 bytes) that GPU i of the run has wherever it is seen; NULL: there is no
 * such, or it has none. */
const unsigned char *wsi_run_gpu(const ws_run *run, int i);

/* Makes the tables of all lanes, which ws_run_execute() else does when it comes to need them;
 * ws_run_describe() may tell more then.  WS_E_NOMEM, WS_E_CANCELLED. */
ws_status wsi_run_complete(ws_run *run, ws_progress progress, void *user);

/* Samples between the moments of an array's time axis, where these are 0, every, 2 every .. samples
 * of the signal; 0: ws_run_axis() tells them.  There can be as many as samples. */
size_t wsi_run_every(const ws_run *run, int array);

#endif
