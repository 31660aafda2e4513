/* hashing.h - the checksum of a file, taken by a thread while its caller does something else. */
#ifndef WSI_IO_HASHING_H
#define WSI_IO_HASHING_H

#include "io/read/file.h"

typedef struct wsi_hashing wsi_hashing;

/* f stays open until the end.  Without a thread to be had it is taken at once. */
ws_status wsi_hashing_start(wsi_hashing **hashing, const wsi_file *f);
/* Waits for it; *hashing is NULL then.  WS_E_IO, WS_E_FORMAT as of wsi_file_read(). */
ws_status wsi_hashing_finish(wsi_hashing **hashing, char hex[65]);
/* Ends it without a result.  NULL is fine. */
void wsi_hashing_stop(wsi_hashing *hashing);

#endif
