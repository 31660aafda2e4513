/*
 * ranks_read.h - a recording that all ranks read, each its own part.
 *
 * Channel after channel, a rank reads the channels of its blocks.  Where all channels of a moment
 * lie together, each rank reads a part of the time of all, turned into a temporary file that all
 * share, and from that the channels of its blocks.
 */
#ifndef CLI_RANKS_READ_H
#define CLI_RANKS_READ_H

#include "io/read/input.h"
#include "ranks.h"

/* Before wsi_input_plan(): this rank has a part.  Of NULL: nothing. */
void cli_ranks_part_input(const cli_ranks *ranks, wsi_input *in);

/* wsi_input_start(), of all ranks together.  Where they cannot share a file each reads all. */
ws_status cli_ranks_start_input(cli_ranks *ranks, wsi_input *in, const char *output);

#endif
