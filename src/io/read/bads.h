/*
 * bads.h - channels that a table calls bad (--bads): BIDS _channels.tsv, columns name and status,
 * apart by tabs.
 */
#ifndef WSI_IO_BADS_H
#define WSI_IO_BADS_H

#include "io/read/recording.h"

/* Marks channels of the recording whose status is bad.  WS_E_FORMAT: the table has no names, or one
 * that is bad is none of the recording's; WS_E_IO, WS_E_NOMEM. */
ws_status wsi_bads_read(wsi_recording *rec, const char *path);

#endif
