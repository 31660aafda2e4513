/* writer_sidecar.h - the JSON file beside a .npy result. */
#ifndef WSI_IO_WRITER_SIDECAR_H
#define WSI_IO_WRITER_SIDECAR_H

#include "io/write/writer_format.h"

/* May the file beside the array `path` be written?  One of ours whose array is gone describes
 * nothing, and is replaced. */
bool wsi_sidecar_replaces(const char *path, bool overwrite);
/* Makes w->sidecar, with a hidden file. */
ws_status wsi_sidecar_open(wsi_writer *w);
/* Keeps what it has of figures of channels and modes; other arrays are none of its business. */
ws_status wsi_sidecar_put(const wsi_writer *w, const wsi_file_array *array, size_t entry,
                          const ws_slab *slab);
/* Writes all of it.  array: the first that the NumPy file holds, joined: with rows of
 * others behind its own; shape: of that file, "2, 7, 512". */
ws_status wsi_sidecar_finish(wsi_writer *w, const wsi_file_array *array, bool joined,
                             const char *shape, const ws_fact *facts, size_t n_facts);
/* The file, which is to get its name together with the array's. */
void wsi_sidecar_complete(const wsi_writer *w, wsi_complete *file);
/* Removes a file that has not got its name.  w->sidecar may be NULL. */
void wsi_sidecar_close(wsi_writer *w);

#endif
