/*
 * rehearse.h - a file is tried out in a process of its own first.
 *
 * HDF5 and matio crash on some damaged files, and no check of ours can tell
 * all of these.  So what is about to be done with a file is done before by a
 * child: where that crashes, the file is refused and we live on.
 */
#ifndef WSI_IO_REHEARSE_H
#define WSI_IO_REHEARSE_H

#include "base/status.h"
#include "io/recording.h"

/* Runs act(user) in a child and answers what it answered, detail and all;
 * WS_OK where there can be no child. */
ws_status wsi_rehearse(const char *path, ws_status (*act)(void *user), void *user);

/* The same for a reader: open, and the ends of its channels. */
ws_status wsi_rehearse_open(wsi_recording *rec, ws_status (*open)(wsi_recording *rec));

#endif
