/*
 * rebuild.h - a recording without the parts of a result that are dropped.
 *
 * A sample becomes what the recording has there less the rows that are dropped; where what is in
 * none of the rows is dropped, too, it becomes the sum of the rows that are kept.  So where nothing
 * is dropped nothing changes, not even by rounding.  Samples that were none (NaN, or --missing)
 * stay.
 */
#ifndef CLI_REBUILD_H
#define CLI_REBUILD_H

#include "io/write/patch.h"
#include "parts.h"

/* What became of a signal. */
typedef struct cli_rebuilt {
	double n, sum, squares;   /* of its samples before */
	double taken;             /* mean square of what was taken off, times n */
	double taken_sum;
	double low, high;         /* of its samples behind */
} cli_rebuilt;

typedef struct cli_rebuild {
	const cli_args *args;
	cli_parts parts;
	wsi_recording *rec;
	wsi_patch patch;
	size_t *channels;         /* [channel of the result] its number in the recording */
	size_t first;             /* the sample where the result begins */
	double missing[16];
	size_t n_missing;
	cli_rebuilt *told;        /* [signal of the result] */
	double *before, *after, *part; /* a block each */
} cli_rebuild;

/* Opens both operands, and finds the result's samples in the recording.  On failure, too,
 * cli_rebuild_close() is due. */
ws_status cli_rebuild_open(cli_rebuild *r, const cli_args *args);
/* Makes the copy, whose files are open, as it is to be.  WS_E_FORMAT: the recording is not what the
 * result was made of, or the file cannot hold what a sample becomes. */
ws_status cli_rebuild_make(cli_rebuild *r);
void cli_rebuild_close(cli_rebuild *r);

#endif
