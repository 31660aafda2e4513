/* arrays.h - options of kind WS_OPTION_ARRAY, read from the files that they name. */
#ifndef CLI_ARRAYS_H
#define CLI_ARRAYS_H

#include "args.h"
#include "input.h"
#include "io/read/masks.h"

typedef struct cli_arrays {
	void *noise;             /* of the type, as ws_stream takes it; or NULL */
	double *directions;      /* the options point to them; or NULL */
	wsi_mask_file masks;     /* likewise */
	wsi_mask_file kernel;    /* of an interpolation, likewise */
	size_t bytes;            /* of all */
} cli_arrays;

/* Reads the files of args->files and settles the options that follow from their sizes.  On failure
 * cli_arrays_free() is due, too. */
ws_status cli_arrays_read(cli_arrays *arrays, const cli_args *args, const wsi_input *in);
void cli_arrays_free(cli_arrays *arrays);

#endif
