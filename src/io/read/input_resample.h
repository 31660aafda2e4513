/* input_resample.h - channels of an input brought to one rate. */
#ifndef WSI_IO_INPUT_RESAMPLE_H
#define WSI_IO_INPUT_RESAMPLE_H

#include "io/read/input.h"

/* Brings channels to one rate: in->fs and in->all. */
ws_status wsi_input_resample(wsi_input *in, const wsi_pick *pick);

/* The samples of the recording that signal i needs: *first and so many, of which those from *core
 * on, *n_core, lie at the times selected. */
void wsi_input_span(const wsi_input *in, size_t i, size_t *first, size_t *count, size_t *core,
                    size_t *n_core);

#endif
