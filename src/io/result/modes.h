/*
 * modes.h - a result of modes as a recording of arrays (arrays.h), by one reader for each format:
 * what these fill in, and result.c goes by.
 *
 * Arrays: "modes" [epoch][channel][mode][time], or the last two or three of these; without the axis
 * of modes "residue" and "signal"; "mode_count" [epoch][channel], and "epoch".  All but the first
 * may be missing: without a residue the last mode is that.
 */
#ifndef WSI_IO_MODES_H
#define WSI_IO_MODES_H

#include "io/result/arrays.h"

extern const wsi_reader wsi_reader_modes_hdf5;
extern const wsi_reader wsi_reader_modes_mat;
extern const wsi_reader wsi_reader_modes_npy;

/* The array called modes, which is there, as channels, samples and epochs. */
ws_status wsi_modes_take_shape(wsi_recording *rec);
/* The rate of all channels, and when they begin: rec->arrays tells first_time and time_origin. */
ws_status wsi_modes_take_times(wsi_recording *rec, double fs);

/* Opens what wsi_result_open() can, as a recording whose samples only the arrays tell.  Events come
 * along where opts->with_events wants them: what cannot give them is damaged. */
ws_status wsi_modes_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts);

/* Opens a result of ours of any transform, in any format that tells what it is, with all arrays and
 * its events.  WS_E_UNSUPPORTED: it is none. */
ws_status wsi_any_result_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts);
#endif
