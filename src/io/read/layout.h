/*
 * layout.h - where the samples of a recording lie in its file, and how they are stored: for writing
 * others in their places (io/write/patch.h).
 *
 * Sample i of a channel, of an epoch, begins at
 *     offset + epoch * epoch_bytes + (i / per_record) * record_bytes + (i % per_record) * step
 */
#ifndef WSI_IO_LAYOUT_H
#define WSI_IO_LAYOUT_H

#include "io/read/file.h"

typedef struct wsi_laid {
	uint64_t offset;       /* bytes, of its first sample */
	size_t per_record;     /* its samples in a data record; 0: there are no records */
	double gain, shift;    /* value = gain * stored + shift; gain 0: 1 */
	double low, high;      /* what may be stored; both 0: what the type holds */
	uint64_t scale_at[2];  /* EDF: where the header has the physical minimum and maximum, as
	                          texts of 8 bytes that belong to low and high; 0: it stays */
} wsi_laid;

typedef struct wsi_layout {
	const char *path;      /* of the file; borrowed from the recording */
	wsi_sample_type type;
	bool big_endian;
	size_t step;           /* bytes from a sample to the next */
	uint64_t record_bytes, epoch_bytes;
	wsi_laid *channels;    /* [n_channels] made by the caller, of zeros */
} wsi_layout;

#endif
