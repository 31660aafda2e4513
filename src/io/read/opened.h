/* opened.h - which files were read, so that none of them is written to, by whatever name. */
#ifndef WSI_IO_OPENED_H
#define WSI_IO_OPENED_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/status.h"

typedef struct wsi_opened {
	struct wsi_opened_file {
		dev_t device;
		ino_t number;
	} *files;
	size_t n, room;
} wsi_opened;

/* Notes the file of an open descriptor; what is not a regular file is none.  opened may be NULL.
 * WS_E_NOMEM; WS_E_IO where it cannot be examined. */
ws_status wsi_opened_add(wsi_opened *opened, int fd, const char *path);
/* WS_E_ARG where path, which need not exist, is one of the files. */
ws_status wsi_opened_check(const wsi_opened *opened, const char *path);
void wsi_opened_free(wsi_opened *opened);

#endif
