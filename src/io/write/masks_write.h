/* masks_write.h - a file of masks, as io/read/masks.h reads it. */
#ifndef WSI_IO_MASKS_WRITE_H
#define WSI_IO_MASKS_WRITE_H

#include "base/newfile.h"
#include "wavesift/conv.h"

/* A packed file, under a hidden name until it is put in place. */
typedef struct wsi_mask_writer {
	char *path;
	wsi_newfile file;
} wsi_mask_writer;

/* What wsi_mask_writer_open() would refuse of path, creating nothing. */
ws_status wsi_mask_writer_check(const char *path, bool overwrite);
/* Writes the masks, of type f64 or complex f64.  On failure nothing is left. */
ws_status wsi_mask_writer_open(wsi_mask_writer *w, const char *path, const ws_masks *masks,
                               bool overwrite);
/* Removes what has not got its name.  One that is zeroed is fine. */
void wsi_mask_writer_abort(wsi_mask_writer *w);

#endif
