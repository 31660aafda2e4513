/*
 * basis.h - of which options and files a result is made, or work that is not at its end, as JSON.
 *
 * Options are those given that decide what is in it, as they were typed; of every file that was
 * read there are name, size, time of change and SHA-256.
 */
#ifndef CLI_BASIS_H
#define CLI_BASIS_H

#include <jansson.h>

#include "args.h"
#include "io/read/input.h"

/* Each with its last value; NULL for want of memory. */
json_t *cli_basis_options(const cli_args *args);
/* Does an option of then differ from those given now?  what: the first that does. */
bool cli_basis_options_differ(json_t *then, const cli_args *args, char *what, size_t size);

/* Once all are opened.  WS_E_NOMEM; WS_E_IO where one cannot be read for its checksum. */
ws_status cli_basis_files(json_t **files, const cli_args *args, const wsi_input *in);
/* Is one of these files not as it was?  what: the first such.  One whose size and time are as they
 * were is not read, unless --resume=verify asks for it. */
bool cli_basis_files_differ(const json_t *files, const cli_args *args, char *what, size_t size);

#endif
