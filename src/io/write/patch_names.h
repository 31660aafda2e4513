/* patch_names.h - what copies of several files are called, and the header and the markers of
 * BrainVision, which name them. */
#ifndef WSI_IO_PATCH_NAMES_H
#define WSI_IO_PATCH_NAMES_H

#include "io/read/recording.h"
#include "io/write/patch_file.h"

/* Adds a file of a recording: its copy lies beside the output, of its name. */
ws_status wsi_patch_name_beside(const char *from, const char *output, wsi_patch_file *files,
                                size_t *n);
/* Fills in from and path of the samples, the header, and where there are some the markers: header
 * is that of the output, beside which the others lie.  *n grows with each. */
ws_status wsi_patch_name_trio(const wsi_recording *rec, const char *header, wsi_patch_file *files,
                              size_t *n);
/* Writes header or markers, files[i] of n, by the names of the output. */
ws_status wsi_patch_write_names(const wsi_recording *rec, const wsi_patch_file *files, size_t n,
                                size_t i);

#endif
