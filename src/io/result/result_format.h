/*
 * result_format.h - what the formats of results that we read share.
 */
#ifndef WSI_IO_RESULT_FORMAT_H
#define WSI_IO_RESULT_FORMAT_H

#include "io/result/result.h"

typedef struct wsi_result_format {
	/* Fills in the result and *own; on failure close() follows.  path is for messages,
	 * source is opened; memory: bytes that it may take, 0 any. */
	ws_status (*open)(wsi_result *result, const char *path, const char *source, size_t memory,
	                  void **own);
	/* row: a mode, the residue, or, with has_signal, the signal; inside. */
	ws_status (*read)(void *own, size_t epoch, size_t channel, size_t row, size_t first,
	                  size_t count, double *out);
	void (*close)(void *own);  /* NULL is fine */
} wsi_result_format;

extern const wsi_result_format wsi_result_hdf5;
extern const wsi_result_format wsi_result_mat;
extern const wsi_result_format wsi_result_npy;

/* Takes a shape of two to four dimensions, [epoch][channel][mode][time] or
 * the last of them, for the result, with names 1, 2, .. and no units; every
 * channel has max_modes modes. */
ws_status wsi_result_set_shape(wsi_result *result, const char *path, int rank,
                               const size_t *dims);

/* Gives r->epochs numbers, allocated, to the result; frees them where one is
 * no number of an epoch.  NULL is fine. */
#define WSI_MOST_EPOCHS (1 << 24)
void wsi_result_take_epochs(wsi_result *result, int32_t *numbers);

#endif
