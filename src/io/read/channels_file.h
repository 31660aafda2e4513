/*
 * channels_file.h - a table of channels: _channels.tsv of BIDS, columns name and, as far as there
 * are such, status, type and units, apart by tabs.
 */
#ifndef WSI_IO_CHANNELS_FILE_H
#define WSI_IO_CHANNELS_FILE_H

#include "io/read/recording.h"

/* Marks channels whose status is bad, and takes types, and units where the recording tells none:
 * of those that contradict its own a note tells.
 * WS_E_FORMAT: the table has no names, or a channel that is bad is none of the recording's;
 * WS_E_IO, WS_E_NOMEM. */
ws_status wsi_channels_read(wsi_recording *rec, const char *path);

#endif
