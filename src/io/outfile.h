/* outfile.h - files that are written: what their failures mean, how they are closed and named. */
#ifndef WSI_IO_OUTFILE_H
#define WSI_IO_OUTFILE_H

#include <stdio.h>

#include "base/newfile.h"
#include "base/status.h"

/* What errno says about writing path: a full disk, or another reason. */
ws_status wsi_write_fail(const char *path);
/* fflush and fclose, whatever f's state; WS_OK only when all was written. */
ws_status wsi_write_close(FILE *f, const char *path);
/* Gives a complete file its name, `path` in messages.  WS_E_EXISTS: it was made meanwhile. */
ws_status wsi_put_in_place(wsi_newfile *file, const char *path);

#endif
