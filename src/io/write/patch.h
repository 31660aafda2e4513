/*
 * patch.h - a copy of a recording in which samples are others: every other byte of its files is as
 * it was, but for the names by which the files of one recording know each other.
 *
 * The files are written under hidden names (base/newfile.h); the caller gives them their names.
 * Samples lie at known places (io/read/layout.h), or are cells of a table (patch_text.h).
 */
#ifndef WSI_IO_PATCH_H
#define WSI_IO_PATCH_H

#include "io/read/layout.h"
#include "io/read/recording.h"
#include "io/write/patch_file.h"

typedef struct wsi_patch {
	wsi_recording *rec;          /* borrowed; a table has its new samples, too */
	wsi_layout layout;
	wsi_patch_file files[WSI_PATCH_FILES]; /* that of the samples first */
	size_t n;
	bool text, set;              /* a table; a set of EEGLAB */
	size_t changed;              /* samples of a table */
	bool *widened;               /* [channel] its scale is another than in the recording */
	/* A part of the file of samples, as it will be. */
	unsigned char *window;
	uint64_t start;
	size_t held;
	bool dirty;
} wsi_patch;

/* The file of a recording that its others are named after. */
const char *wsi_patch_original(const wsi_recording *rec);
/* Makes the hidden files.  WS_E_UNSUPPORTED: samples of such a recording cannot be replaced;
 * WS_E_ARG: output has another ending than the recording, or is one of its files.  On failure, too,
 * wsi_patch_close() is due. */
ws_status wsi_patch_open(wsi_patch *p, wsi_recording *rec, const char *output, bool overwrite);
/* Fills them with what the recording has.  stop is asked now and then; true: WS_E_CANCELLED. */
ws_status wsi_patch_copy(wsi_patch *p, bool (*stop)(void));

/* Samples of each channel to be put at a time: where channels lie together, of all in turn. */
size_t wsi_patch_block(const wsi_patch *p);
/* Steps between the values that the file can hold of a channel; 0: floating point, or text. */
double wsi_patch_step(const wsi_patch *p, size_t channel);
/* The values that it can hold. */
void wsi_patch_range(const wsi_patch *p, size_t channel, double *low, double *high);
/* Widens the scale of a channel, so that it holds low to high: all its samples are rounded anew.
 * WS_E_UNSUPPORTED: its format has no scale. */
ws_status wsi_patch_widen(wsi_patch *p, size_t channel, double low, double high);

/* Replaces samples, where after differs from before, which the recording has there.  WS_E_FORMAT:
 * the file cannot hold one. */
ws_status wsi_patch_put(wsi_patch *p, size_t epoch, size_t channel, size_t first, size_t count,
                        const double *before, const double *after);

/* All is written, and the files may get their names (wsi_put_in_place()). */
ws_status wsi_patch_finish(wsi_patch *p);
size_t wsi_patch_complete(wsi_patch *p, wsi_complete files[WSI_PATCH_FILES]);
/* Removes what has not got its name. */
void wsi_patch_close(wsi_patch *p);

#endif
