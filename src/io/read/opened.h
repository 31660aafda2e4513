/*
 * opened.h - which files were read: none of them is written to, by whatever name, and a result says
 * of which it was made.
 */
#ifndef WSI_IO_OPENED_H
#define WSI_IO_OPENED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/new.h"

typedef struct wsi_opened {
	struct wsi_opened_file {
		dev_t device;
		ino_t number;
		char *path;              /* by which it was opened */
		uint64_t bytes;          /* its size, and when it was last changed, by then */
		struct timespec changed;
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
