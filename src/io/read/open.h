/*
 * open.h - recordings are opened.
 *
 * wsi_recording_open() looks at the content, then at the name, picks the reader and parses the
 * header only; samples are read on demand, channel by channel, as doubles in physical units.
 */
#ifndef WSI_IO_OPEN_H
#define WSI_IO_OPEN_H

#include "io/read/recording.h"

/* opts may be NULL.  path "-" reads CSV from standard input.  On failure
 * *rec is NULL and the detail names the file and what is wrong with it:
 * WS_E_IO cannot be opened or read, WS_E_FORMAT content not understood. */
ws_status wsi_recording_open(wsi_recording **rec, const char *path, const wsi_open_opts *opts);
void wsi_recording_close(wsi_recording *rec);

/* wsi_recording_open() by this reader, whatever the file is; NULL: by that which it tells. */
ws_status wsi_recording_open_by(wsi_recording **rec, const char *path, const wsi_open_opts *opts,
                                const wsi_reader *reader);

/* Opens by rec->reader, here; its state is made. */
ws_status wsi_reader_open(wsi_recording *rec);

#endif
