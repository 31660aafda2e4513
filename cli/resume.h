/*
 * resume.h - work that is finished is not done again (--resume).
 *
 * A result in HDF5 has two facts for it: options_given, those of its command that decide what is
 * in it; and files_read, of every file that was read for it name, size, time of change and
 * SHA-256.  Both are JSON.
 */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "args.h"
#include "io/read/input.h"
#include "io/result/provenance.h"

/* Adds these facts, once the recording is read. */
ws_status cli_resume_tell(wsi_provenance *p, const cli_args *args, const wsi_input *in);

/* Is it finished: are all outputs there, of these files and options?  If not, *replace says that
 * they are there, of files that have changed.  WS_E_EXISTS: it is of other options, or does not say
 * what it is of. */
ws_status cli_resume_check(const cli_args *args, const char *output, bool *finished, bool *replace);

#endif
