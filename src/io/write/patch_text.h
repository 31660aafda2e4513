/*
 * patch_text.h - tables with other samples: lines are copied, but for the cells whose numbers
 * changed.  These have the digits that bring the same number back.
 */
#ifndef WSI_IO_PATCH_TEXT_H
#define WSI_IO_PATCH_TEXT_H

#include "io/read/recording.h"
#include "io/write/patch_file.h"

/* WS_E_UNSUPPORTED: its rows cannot be written anew.  The table was opened with keeps_lines. */
ws_status wsi_patch_check_table(const wsi_recording *rec);
/* Replaces samples in the table that is open; returns how many. */
size_t wsi_patch_put_in_table(wsi_recording *rec, size_t channel, size_t first, size_t count,
                              const double *before, const double *after);
/* Writes all lines; changed: cells that are not what they were. */
ws_status wsi_patch_write_table(wsi_recording *rec, const wsi_patch_file *f, size_t changed);

#endif
