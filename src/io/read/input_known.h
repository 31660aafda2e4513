/* input_known.h - what is known of a signal about the times selected. */
#ifndef WSI_IO_INPUT_KNOWN_H
#define WSI_IO_INPUT_KNOWN_H

#include "io/read/input.h"

/* Samples about those selected, x[core] .. x[core + n_core - 1], serve only as far as they are
 * known: *from .. *to - 1 shrinks to that, and its gaps are mended. */
void wsi_input_trim(wsi_input *in, size_t i, void *x, ws_type type, size_t core, size_t n_core,
                    size_t *from, size_t *to);

/* x[count], known from .. to - 1: the others become the mirror images of these. */
void wsi_input_mirror(void *x, size_t size, size_t count, size_t from, size_t to);

#endif
