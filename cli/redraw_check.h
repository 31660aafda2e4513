/* redraw_check.h - has a result on disk what its picture shows? */
#ifndef CLI_REDRAW_CHECK_H
#define CLI_REDRAW_CHECK_H

#include "redraw_arrays.h"

/* Has the file what the figure shows?  Leaves only those arrays to be drawn that it does. */
ws_status cli_redraw_check(cli_redrawing *s);

#endif
