/* brainvision_ascii.h - the samples of a BrainVision recording that are text. */
#ifndef WSI_IO_BRAINVISION_ASCII_H
#define WSI_IO_BRAINVISION_ASCII_H

#include "io/read/readers.h"

typedef struct bv_ascii {
	bool vectorized;      /* a line is a channel, else a point */
	bool comma;           /* decimals are behind a comma */
	size_t skip_lines, skip_columns;
} bv_ascii;

/* All samples of a file as *values[channel][point], to be freed, of so many channels; memory counts
 * towards rec->held.  Numbers are parted by blanks, semicolons or, where these are not decimal,
 * commas.  A point that was cut off at the end is left out, with a note.  WS_E_FORMAT names a line
 * that is not as long as it must be, or has something else than numbers. */
ws_status bv_ascii_read(wsi_recording *rec, const wsi_file *f, const bv_ascii *how, size_t channels,
                        double **values, uint64_t *points);

#endif
