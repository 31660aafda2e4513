/* read.h - samples of a recording that is open. */
#ifndef WSI_IO_READ_H
#define WSI_IO_READ_H

#include "io/read/recording.h"

/* Epoch 0 for continuous recordings.  Checked: first + count <= samples. */
ws_status wsi_recording_read(wsi_recording *rec, size_t epoch, size_t channel,
                             size_t first, size_t count, double *out);

#endif
