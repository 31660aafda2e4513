/* patch_file.h - a file of a recording, and the copy of it that is written (patch.h). */
#ifndef WSI_IO_PATCH_FILE_H
#define WSI_IO_PATCH_FILE_H

#include "io/write/outfile.h"

#define WSI_PATCH_FILES 3

typedef struct wsi_patch_file {
	const char *from;    /* borrowed from the recording */
	char *path;          /* of the copy */
	wsi_newfile file;
} wsi_patch_file;

#endif
