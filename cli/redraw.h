/*
 * redraw.h - the picture of a result on disk that is no decomposition: what the file has, as the
 * outcome of its transform, is handed to the picture that the transform's own command draws.
 */
#ifndef CLI_REDRAW_H
#define CLI_REDRAW_H

#include "family.h"

/* Draws args->operands[0] to path.  why: what forbids to draw it as modes; NULL: another figure was
 * asked for.  Returns the exit status. */
int cli_redraw(const cli_args *args, const char *path, const char *why);

/* The first that --epochs names of n epochs that have these numbers in the recording (NULL: from 1
 * on); else the first.  WS_E_ARG. */
ws_status cli_redraw_epoch(const cli_args *args, const int32_t *numbers, size_t n, size_t *epoch);

#endif
