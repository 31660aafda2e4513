/* arrays.h - arrays that options name: noise and directions. */
#ifndef CLI_ARRAYS_H
#define CLI_ARRAYS_H

#include "args.h"
#include "input.h"

/* Reads [realization][time] of the type from args->noise_file into *noise,
 * the caller's to free; NULL where none is asked for.  Without --realizations
 * emd->realizations becomes the number of rows. */
ws_status cli_noise_read(void **noise, size_t *bytes, const cli_args *args, const wsi_input *in,
                         ws_emd_opts *emd);

/* Reads [direction][channel] from args->direction_file into *vectors, the caller's
 * to free, and sets emd->direction_vectors; NULL where none is asked for.  Without
 * --directions emd->directions becomes the number of rows. */
ws_status cli_directions_read(double **vectors, const cli_args *args, const wsi_input *in,
                              ws_emd_opts *emd);

#endif
