/*
 * stored.h - a result of modes as a recording: its signals are what was decomposed, and its modes
 * can be read beside them.
 */
#ifndef WSI_IO_STORED_H
#define WSI_IO_STORED_H

#include "io/result/result.h"

/* Opens what wsi_result_open() can; opts->fs overrides the result's rate.  The events of HDF5
 * results come along.  On failure *rec is NULL. */
ws_status wsi_stored_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts);

/* The result behind a recording; NULL where it is none.  Owned by rec. */
wsi_result *wsi_stored_result(const wsi_recording *rec);

#endif
