/* beside.h - samples of a recording that lie in a file beside it (EEGLAB's .fdt and .dat): read by
 * ourselves, whoever decoded what describes them. */
#ifndef WSI_IO_BESIDE_H
#define WSI_IO_BESIDE_H

#include "io/read/readers.h"

typedef struct wsi_beside {
	char *names[2];          /* that the recording gives; tried in turn; or NULL */
	char *path;
	wsi_file file;
	bool channels_together;  /* of a sample; else the samples of a channel */
} wsi_beside;

/* rec->beside, with copies of the names, for wsi_beside_open().  WS_E_NOMEM. */
ws_status wsi_beside_name(wsi_recording *rec, const char *data, const char *datfile);
/* Finds and opens the file; rec has its shape.  Folders in names are not followed: the file lies in
 * the recording's own.  WS_E_IO: there is none; WS_E_FORMAT: its size is another. */
ws_status wsi_beside_open(wsi_recording *rec);
ws_status wsi_beside_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first,
                          size_t count, double *out);
void wsi_beside_close(wsi_beside *b);  /* NULL is fine */

#endif
