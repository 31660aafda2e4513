/* brainvision.h - what the BrainVision reader (brainvision.c), its files (brainvision_files.c) and
 * its data (brainvision_data.c) share. */
#ifndef WSI_IO_BRAINVISION_H
#define WSI_IO_BRAINVISION_H

#include "base/new.h"
#include "io/read/brainvision_ascii.h"
#include "io/read/text_time.h"

typedef struct bv_state {
	char *header_path;
	char *data_path, *marker_path; /* marker_path: or NULL */
	wsi_file data;
	wsi_sample_type type;
	bool big_endian;
	bool vectorized;      /* a channel after the other, not a sample after the other */
	uint64_t points;      /* per channel, all segments */
	double *resolutions;  /* [n_channels] */
	bool is_text;         /* samples are, as `ascii` says */
	bv_ascii ascii;
	double *values;       /* then: [channel][point] */
	size_t columns;       /* channels that the data have */
	size_t bad_markers, bad_line; /* lines that are no markers, and the first of them */
	double segment_at;    /* of the marker "New Segment" before */
	bool dated;           /* it tells when that was */
	text_date segment_date;
} bv_state;

/* Finds the header, s->header_path: the recording's path itself, or its namesake. */
ws_status bv_find_header(wsi_recording *rec);

/* The path of the file that the header's key names: *path, or NULL where the key is absent or
 * empty.  Folders in the name are those of the machine that recorded; "$b" is the header's own
 * stem. */
ws_status bv_named_file(const bv_state *s, const char *ini, const char *key, char **path);

/* Of a file that the header names, but that is not there: the one that is called as the header is,
 * in place of *path, with a note.  Trios are renamed, their headers seldom. */
ws_status bv_find_renamed(wsi_recording *rec, const char *what, const char *const endings[],
                          char **path);

/* The number of points that the header's key tells: *points, or 0 where it tells none. */
WSI_LOOK_AT ws_status bv_points(const bv_state *s, const char *ini, const char *key,
                                double *points);

/* How samples are stored. */
ws_status bv_parse_layout(wsi_recording *rec, const char *ini);

/* Finds the data of the channels that there are, and from their size the number of points; reads
 * those that are text. */
ws_status bv_open_data(wsi_recording *rec, const char *ini);

#endif
