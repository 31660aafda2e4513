/* noise.h - the noise of --noise-file. */
#ifndef CLI_NOISE_H
#define CLI_NOISE_H

#include "args.h"
#include "input.h"

/* Reads [realization][time] of the type from args->noise_file into *noise,
 * the caller's to free; NULL where none is asked for.  Without --realizations
 * emd->realizations becomes the number of rows. */
ws_status cli_noise_read(void **noise, size_t *bytes, const cli_args *args, const cli_input *in,
                         ws_emd_opts *emd);

#endif
