/* outfile.h - files that are written: what their failures mean, how they are closed and named. */
#ifndef WSI_IO_OUTFILE_H
#define WSI_IO_OUTFILE_H

#include <stdio.h>

#include "base/new.h"
#include "base/newfile.h"

/* What errno says about writing path: a full disk, or another reason. */
ws_status wsi_write_fail(const char *path);
/* May it be written?  WS_E_EXISTS: it is there, and must not be replaced; WS_E_IO: it is no
 * file. */
ws_status wsi_output_check(const char *path, bool overwrite);
/* fflush and fclose, whatever f's state; WS_OK only when all was written. */
ws_status wsi_write_close(FILE *f, const char *path);
/* A file that is complete, and its name in messages. */
typedef struct wsi_complete {
	wsi_newfile *file;
	const char *path;
} wsi_complete;
#define WSI_MOST_COMPLETE 5

/* Gives n of them, at most WSI_MOST_COMPLETE, their names, or none.  WS_E_EXISTS: one was made
 * meanwhile, and they lie beside their names. */
ws_status wsi_put_in_place(const wsi_complete *files, size_t n);

#endif
